"""What kann --plan --json prints follows docs/plan.schema.json: plan_schema_test.py PROGRAM SCHEMA."""

import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("SKIPPED: Python has no jsonschema (python3-jsonschema)")
    sys.exit(0)

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SCHEMA = json.loads(pathlib.Path(sys.argv.pop(1)).read_text())


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.validator = jsonschema.Draft202012Validator(SCHEMA)
        numbers, count = random.Random(7), 100_000
        header = "ply\nformat binary_little_endian 1.0\nelement vertex %d\n" % count + "".join(f"property float {axis}\n" for axis in "xyz")
        body = struct.pack(f"<{3 * count}f", *(numbers.random() for _ in range(3 * count)))
        (cls.folder / "p.ply").write_bytes(header.encode() + b"end_header\n" + body)
        (cls.folder / "t.xyz").write_text("1 2 3\n4 5 6\n")

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_plans_follow_it(self):
        for arguments in (["--data", "p.ply"], ["--data", "p.ply", "--exact", "--max-memory", "17M"],
                          ["--data", "t.xyz", "--query", "p.ply", "--max-memory", "14M", "-k", "2"],
                          ["--data", "-", "--data-format", "xyz"], ["--data", "t.xyz", "--picture", "p.png", "-o", "o.npy"],
                          ["--data", "p.ply", "--query", "p.ply", "t.xyz", "-o", "{stem}.npz"]):
            run = subprocess.run([PROGRAM, *arguments, "--plan", "--json"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            plans = [json.loads(line) for line in run.stdout.splitlines()] if "{stem}.npz" in arguments else [json.loads(run.stdout)]
            for plan in plans:
                self.assertEqual([error.message for error in self.validator.iter_errors(plan)], [], arguments)
                for key in plan:
                    self.assertFalse(self.validator.is_valid({k: v for k, v in plan.items() if k != key}), key)


if __name__ == "__main__":
    unittest.main()
