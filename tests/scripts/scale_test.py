"""scripts/scale with a program whose answers are its options, without those that no answer may depend on."""

import json
import os
import pathlib
import subprocess
import unittest

from folder_case import FolderCase

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "scale"
# Its budgets: refused below 30 MB, in 7 tiles below 40. $FAULT is what it does wrong
PROGRAM = r"""#!/usr/bin/env python3
import json, os, sys
words, fault = sys.argv[1:], os.environ.get("FAULT")
if "--version" in words:
    print("kann 1\nCUDA: no device")
    sys.exit()
value = lambda name: words[words.index(name) + 1] if name in words else None
device, budget = value("--device"), int(value("--max-memory") or 10 ** 9)
if device != "cpu":
    sys.exit("kann: error: no CUDA device (none)") or 5
if budget < (31e6 if fault == "names too little" else 30e6):
    print("kann: error: host memory: too little; this search needs at least 30 MB", file=sys.stderr)
    sys.exit(4)
if budget < 40e6 and fault == "fails":
    print("kann: error: it broke", file=sys.stderr)
    sys.exit(70)
tiles = " in 7 tiles" if budget < 40e6 else ""
if fault == "too much memory" and tiles:
    memory = bytearray(b"1") * 60_000_000
with open(value("-o"), "w") as file:
    file.write(" ".join(value(name) or "" for name in ("--data", "--query", "-k")))
    file.write(tiles if fault == "other bytes" and not value("--query") else "")
if value("--report"):
    with open(value("--report"), "w") as file:
        json.dump({"kann": {"version": "1", "commit": "c"}, "data": {"points": 9}, "query": {"points": 9},
                   "device": {"name": "CPU", "threads": 1}, "timing_s": {}} |
                  ({"tiles": {"count": 7, "visits": 5, "temporary_bytes": 3}} if tiles else {}), file)
print(f"kann: 1000 queries x 8 neighbours among 2000 points on CPU{tiles}: read", file=sys.stderr)
"""


class ScaleTest(FolderCase):
    def setUp(self):
        super().setUp()
        self.program("kann", PROGRAM)

    def call(self, *arguments, fault=""):
        """The finished script and its results; without mpirun, which would start several of the program."""
        path = self.folder / "bin"
        path.mkdir(exist_ok=True)
        for name in ("timeout", "python3", "env"):
            if not (path / name).exists():
                found = subprocess.run(["sh", "-c", f"command -v {name}"], capture_output=True, text=True, check=True)
                (path / name).symlink_to(found.stdout.strip())
        done = subprocess.run([SCRIPT, self.folder / "kann", "--points", "2000", "--repeat", "2", "--cloud", "uniform",
                               "--json", self.folder / "out.json", "--folder", self.folder, *arguments],
                              capture_output=True, text=True, check=False,
                              env=os.environ | {"FAULT": fault, "PATH": str(path)})
        self.assertTrue((self.folder / "out.json").exists(), done.stderr)
        self.assertEqual(list(self.folder.glob("kann-scale-*")), [])
        return done, json.loads((self.folder / "out.json").read_text())

    def test_compares_every_search_in_every_way(self):
        done, found = self.call("--only", "bytes")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([record["query"] for record in found["records"]], ["self", "uniform-queries"])
        for record in found["records"]:
            self.assertEqual(list(record["ways"]), ["smallest", "100%", "50%", "25%", "10%"])
            self.assertEqual({way["same"] for way in record["ways"].values()}, {True})
            self.assertEqual(record["ways"]["10%"]["budget_bytes"], 30_000_000)
            self.assertEqual(record["ways"]["10%"]["tiles"], 7)
        self.assertIn("Not compared: ranks, since there is no mpirun.", done.stdout)
        self.assertIn("Not compared: GPUs, since no CUDA device (none).", done.stdout)
        self.assertIn("2 answers compared, 0 wrong; 0 other remarks", done.stdout)

    def test_other_bytes_are_an_error(self):
        done, found = self.call("--only", "bytes", fault="other bytes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("uniform, self, smallest: other bytes\n  ", done.stderr)
        self.assertIn("--max-memory 30000000", done.stderr)
        self.assertIn("| **differs**, 7* |", done.stdout)
        self.assertEqual([record["ways"]["smallest"]["same"] for record in found["records"]],
                         [False, True])

    def test_a_search_that_fails_is_an_error(self):
        done, found = self.call("--only", "bytes", fault="fails")
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit code 70", done.stderr)
        self.assertFalse(found["complete"])

    def test_remarks_on_budgets_that_are_exceeded_or_refused(self):
        done, _ = self.call("--only", "bytes", fault="too much memory")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"points, k = 8, smallest: \d+ bytes of a budget of 30000000\n")
        self.assertIn("(over)", done.stdout)
        done, found = self.call("--only", "bytes", fault="names too little")
        self.assertEqual(done.returncode, 0)
        self.assertIn("the budget that is named as the smallest is refused", done.stdout)
        smallest = found["records"][0]["ways"]["smallest"]["budget_bytes"]
        self.assertTrue(31e6 <= smallest < 31.5e6, smallest)

    def test_times_each_search_and_takes_counts_from_the_report(self):
        done, found = self.call("--only", "sizes", "--only", "budgets", "--only", "smallest", "--only", "rate",
                                "--queries", "300")
        self.assertEqual(done.returncode, 0, done.stderr)
        parts = [record["what"] for record in found["records"]]
        self.assertEqual({part: parts.count(part) for part in parts},
                         {"sizes": 2, "budgets": 2, "smallest": 4, "rate": 2})
        for record in found["records"]:
            if record["what"] != "smallest":
                self.assertEqual(record["ms"]["runs"], 2)
                self.assertLessEqual(record["ms"]["best"], record["ms"]["worst"])
                counts = (record["tiles"], record["visits"], record["temporary_bytes"])
                self.assertEqual(counts, (7, 5, 3) if record["budget_bytes"] else (None, None, None))
        rate = next(record for record in found["records"] if record["what"] == "rate")
        self.assertAlmostEqual(rate["extrapolated"]["seconds"] * 9, rate["ms"]["best"] * 1e7, delta=1e7)
        self.assertIn("**extrapolated**", done.stdout)


if __name__ == "__main__":
    unittest.main()
