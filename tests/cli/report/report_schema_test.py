"""Reports of runs that end well and of runs that fail follow docs/report.schema.json, and damaged ones do not:
report_schema_test.py PROGRAM SCHEMA."""

import copy
import json
import pathlib
import random
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import schema_case  # noqa: E402

STABLE = ["version", "kann", "data", "query", "self_query", "include_self", "k", "method", "shifts", "window",
          "radius", "unit", "periodic", "invalid", "device", "timing_s", "memory_peak_bytes", "output", "checks", "warnings"]


class SchemaTest(schema_case.SchemaCase):
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
        self.assertEqual(schema_case.SCHEMA["required"], STABLE)

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


if __name__ == "__main__":
    unittest.main()
