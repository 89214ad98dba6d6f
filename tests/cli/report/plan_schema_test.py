"""What kann --plan --json prints follows docs/plan.schema.json: plan_schema_test.py PROGRAM SCHEMA."""

import json
import pathlib
import random
import struct
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import schema_case  # noqa: E402


class SchemaTest(schema_case.SchemaCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        numbers, count = random.Random(7), 100_000
        header = "ply\nformat binary_little_endian 1.0\nelement vertex %d\n" % count + "".join(f"property float {axis}\n" for axis in "xyz")
        body = struct.pack(f"<{3 * count}f", *(numbers.random() for _ in range(3 * count)))
        (cls.folder / "p.ply").write_bytes(header.encode() + b"end_header\n" + body)
        (cls.folder / "t.xyz").write_text("1 2 3\n4 5 6\n")

    def test_plans_follow_it(self):
        for arguments in (["--data", "p.ply"], ["--data", "p.ply", "--exact", "--max-memory", "17M"],
                          ["--data", "t.xyz", "--query", "p.ply", "--max-memory", "14M", "-k", "2"],
                          ["--data", "-", "--data-format", "xyz"], ["--data", "t.xyz", "--picture", "p.png", "-o", "o.npy", "--html", "p.html"],
                          ["--data", "p.ply", "--query", "p.ply", "t.xyz", "-o", "{stem}.npz"]):
            run = self.run_kann(*arguments, "--plan", "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
            plans = [json.loads(line) for line in run.stdout.splitlines()] if "{stem}.npz" in arguments else [json.loads(run.stdout)]
            for plan in plans:
                self.assertEqual(self.faults(plan), [], arguments)
                self.assert_keys_are_required(plan)


if __name__ == "__main__":
    unittest.main()
