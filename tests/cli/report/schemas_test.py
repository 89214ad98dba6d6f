"""What the program prints follows docs/KIND.schema.json, and what is damaged does not: reports of runs that end well and of
runs that fail, plans, and what is in files: schemas_test.py PROGRAM DOCS KIND, of report, plan and info."""

import copy
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
SCHEMAS = pathlib.Path(sys.argv.pop(1))
STABLE = ["version", "kann", "data", "query", "self_query", "include_self", "k", "method", "shifts", "window",
          "radius", "unit", "periodic", "invalid", "device", "timing_s", "memory_peak_bytes", "output", "checks", "warnings"]


class SchemaCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        jsonschema.Draft202012Validator.check_schema(cls.SCHEMA)
        cls.validator = jsonschema.Draft202012Validator(cls.SCHEMA)

    def run_kann(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True)

    def faults(self, one):
        return [f"{list(error.path)}: {error.message}" for error in self.validator.iter_errors(one)]

    def assert_keys_are_required(self, one, but=()):
        for key in one:
            if key not in but:
                self.assertNotEqual(self.faults({k: v for k, v in one.items() if k != key}), [], key)


class Report(SchemaCase):
    SCHEMA = json.loads((SCHEMAS / "report.schema.json").read_text())

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        numbers = random.Random(7)
        for name, points in (("a.xyz", 300), ("b.xyz", 50), ("one.xyz", 1)):
            rows = [" ".join(f"{numbers.random():.6f}" for _ in range(3)) for _ in range(points)]
            (cls.folder / name).write_text("\n".join(rows) + "\n")
        (cls.folder / "nan.csv").write_text("x,y\n0,0\n1,\n2,2\n")

    def report(self, exit_code, *arguments):
        run = self.run_kann(*arguments, "--json", "--force")
        self.assertEqual(run.returncode, exit_code, run.stderr)
        return json.loads(run.stdout)

    def test_the_stable_keys_are_required(self):
        self.assertEqual(self.SCHEMA["required"], STABLE)

    def test_runs_that_end_well(self):
        for arguments in (["--data", "a.xyz", "--query", "b.xyz", "--verify"],
                          ["--data", "a.xyz", "--exact", "-k", "3", "--verify", "5"],
                          ["--data", "a.xyz", "--method", "shifted-sort", "--include-self", "--columns", "1,2"],
                          ["--data", "one.xyz", "-k", "5", "--method", "shifted-sort"],
                          ["--data", "one.xyz", "-k", "1"],
                          ["--data", "nan.csv", "-k", "1", "--invalid", "skip"],
                          ["--data", "a.xyz", "--grid", "0.3"],
                          ["--data", "a.xyz", "-k", "all", "--radius", "0.1"],
                          ["--data", "a.xyz", "--cluster", "0.2,4"],
                          ["--data", "nan.csv", "-k", "1", "--invalid", "skip", "--grid", "1"]):
            report = self.report(0, *arguments, "--device", "cpu")
            self.assertEqual(self.faults(report), [], arguments)
            self.assertNotIn("error", report)

    def test_runs_that_fail(self):
        for code, arguments in ((2, ["--k", "abc"]), (2, []), (3, ["--data", "nope.ply"]), (3, ["--data", "nope.ply", "--grid", "1"]), (3, ["--data", "nan.csv"]),
                                (2, ["--data", "a.xyz", "-o", "a.xyz", "--output-format", "csv"]),
                                (4, ["--data", "a.xyz", "-o", "no/folder.npz"]),
                                (5, ["--data", "a.xyz", "--device", "cuda:255"]),
                                (3, ["--data", "nan.csv", "--cluster", "1"]),
                                (1, ["--data", "one.xyz", "--min-recall", "0.5", "--device", "cpu"])):
            report = self.report(code, *arguments)
            self.assertEqual(self.faults(report), [], arguments)
            self.assertEqual(report["error"]["exit_code"], code)

    def test_a_report_in_a_file(self):
        report = self.folder / "r.json"
        self.assertEqual(self.run_kann("--data", "a.xyz", "--force", "--device", "cpu", "--report", report).returncode, 0)
        self.assertEqual(self.faults(json.loads(report.read_text())), [])

    def test_every_line_of_the_report_of_a_batch(self):
        report = self.folder / "r.jsonl"
        (self.folder / "none.tsv").touch()
        for arguments, lines in ((["--data", "a.xyz", "--query", "b.xyz", "nope.xyz", "a.xyz"], 4),
                                 (["--data", "nope.xyz", "--query", "b.xyz", "a.xyz", "--verify"], 1),
                                 (["--jobs", "none.tsv", "--verify"], 1)):
            report.unlink(missing_ok=True)
            self.run_kann(*arguments, "--force", "--device", "cpu", "--report", report)
            reports = [json.loads(line) for line in report.read_text().splitlines()]
            self.assertEqual(len(reports), lines)
            for one in reports:
                self.assertEqual(self.faults(one), [])
            end = reports[-1]
            self.assertEqual("batch" in end, lines == 4 or "none.tsv" in arguments)
            for path in [["batch", key] for key in end.get("batch", ())]:
                damaged = copy.deepcopy(end)
                del self.parent(damaged, path)[path[-1]]
                self.assertNotEqual(self.faults(damaged), [], path)

    def test_a_missing_key_is_a_fault(self):
        good = self.report(0, "--data", "a.xyz", "--query", "b.xyz", "--verify", "--device", "cpu", "--method",
                           "shifted-sort")
        failed = self.report(3, "--data", "nope.ply")
        checked = 0
        for report in (good, failed):
            for path in self.keys_of(report):
                # Of a run that was to verify, or that wrote npz
                if path in (["verify"], ["timing_s", "verify"], ["data", "hash"], ["query", "hash"]):
                    continue
                damaged = copy.deepcopy(report)  # a failed one without its error lacks what others have
                del self.parent(damaged, path)[path[-1]]
                self.assertNotEqual(self.faults(damaged), [], f"without {path}")
                checked += 1
        self.assertGreater(checked, 60)

    def test_a_value_of_another_type_is_a_fault(self):
        good = self.report(0, "--data", "a.xyz", "--query", "b.xyz", "--verify", "--device", "cpu", "--method",
                           "shifted-sort")
        for path in self.keys_of(good):
            damaged = copy.deepcopy(good)
            self.parent(damaged, path)[path[-1]] = [[]]
            self.assertNotEqual(self.faults(damaged), [], path)

    def test_damage_that_keeps_the_types(self):
        good = self.report(0, "--data", "a.xyz", "--device", "cpu", "--method", "shifted-sort", "--grid", "0.5")
        for path, value in ((["grid", "step"], 0), (["grid", "shape"], [4]), (["grid", "origin"], [0, 0, 0, 0]), (["version"], 2), (["k"], 0), (["method"], "fast"), (["sample", "recall"], 1.5),
                            (["data", "dimensions"], 4), (["timing_s", "search"], -1), (["timing_s", "search"], None),
                            (["output"], 1), (["statistics"], None), (["device"], None), (["data", "points"], None), (["query"], None),
                            (["device", "kind"], "cuda"), (["shifts"], None), (["warnings"], [1])):
            damaged = copy.deepcopy(good)
            self.parent(damaged, path)[path[-1]] = value
            self.assertNotEqual(self.faults(damaged), [], (path, value))

    def test_a_run_without_a_result(self):
        report = self.report(0, "--data", "a.xyz", "--device", "cpu", "--stats")
        self.assertEqual(self.faults(report), [])
        self.assertIsNone(report["output"])

    def test_more_keys_are_no_fault(self):
        report = self.report(0, "--data", "a.xyz", "--device", "cpu")
        report["later"] = report["timing_s"]["later"] = report["output"]["sha256"] = "x"
        self.assertEqual(self.faults(report), [])

    def keys_of(self, value, path=()):
        for key, child in value.items():
            yield [*path, key]
            if isinstance(child, dict):
                yield from self.keys_of(child, (*path, key))

    def parent(self, report, path):
        for key in path[:-1]:
            report = report[key]
        return report


class Plan(SchemaCase):
    SCHEMA = json.loads((SCHEMAS / "plan.schema.json").read_text())

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


class Info(SchemaCase):
    SCHEMA = json.loads((SCHEMAS / "info.schema.json").read_text())

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        header = "ply\nformat ascii 1.0\ncomment EPSG:25832\nelement vertex {}\n" + "".join(
            f"property float {axis}\n" for axis in "xyz") + "end_header\n"
        for name, text in {"a.csv": "x,y,z,name,v\n0,0,1,a,1\n1,2,nan,b,NA\n", "flat.csv": "x,y\n1,2\n", "none.ply": header.format(0),
                           "some.ply": header.format(2) + "1 2 3\n4 5 6\n"}.items():
            (cls.folder / name).write_text(text)

    def objects(self, *arguments):
        return [json.loads(line) for line in self.run_kann("info", "--json", *arguments).stdout.splitlines()]

    def test_objects_follow_it(self):
        objects = self.objects("a.csv", "nope.ply", "flat.csv", "none.ply", "some.ply")
        self.assertEqual(len(objects), 5)
        for one in objects:
            self.assertEqual(self.faults(one), [], one["path"])
        self.assertEqual(objects[3]["coordinate_system"], {"name": None, "epsg": 25832, "unit": None})

    def test_every_key_is_required(self):
        for one in self.objects("a.csv", "nope.ply"):
            self.assert_keys_are_required(one, but=["error"])


if __name__ == "__main__":
    unittest.main(defaultTest=sys.argv.pop(1).capitalize())
