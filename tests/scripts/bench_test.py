"""scripts/bench with fake programs, which record their calls and write a JSON file; scripts/plot and scripts/tables."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

from folder_case import FolderCase

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROGRAM = r"""#!/bin/bash
echo "${0##*/} $*" >>"$CALLS"
[[ " $BROKEN " != *" ${0##*/} "* ]] || { echo 'it broke' >&2; exit 3; }
while (($#)); do [[ $1 == --json ]] && echo '{}' >"$2"; shift; done
"""
KANN = r"""#!/bin/bash
[[ " $* " == *" --device ${DEVICE:-cuda} "* ]] || { echo 'kann: error: no CUDA device' >&2; exit 5; }
echo '{"device": {"name": "Some GPU 9000", "kind": "cuda"}}'
"""


class BenchTest(FolderCase):
    def setUp(self):
        super().setUp()
        (self.folder / "bench").mkdir()
        self.program("kann", KANN)
        for name in ("park_tables", "scans", "targets", "recall", "cpu"):
            self.program(f"bench/bench_{name}", PROGRAM)

    def call(self, *arguments, broken="", build=None):
        environment = {**os.environ, "OUT": str(self.folder / "out"), "CALLS": str(self.folder / "calls"),
                       "BROKEN": broken}
        done = subprocess.run([ROOT / "scripts" / "bench", "--build", build or self.folder, *arguments], text=True,
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        calls = self.folder / "calls"
        return done, calls.read_text().splitlines() if calls.exists() else []

    def results(self):
        return sorted(path.name for path in (self.folder / "out").iterdir())

    def test_a_part_that_fails_is_reported_and_the_others_still_run(self):
        only = [word for part in ("targets", "scans", "cpu") for word in ("--only", part)]
        done, calls = self.call(*only, broken="bench_scans")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bench: scans failed: exit code 3", done.stderr)
        self.assertEqual([call.split()[0] for call in calls], ["bench_targets", "bench_scans", "bench_cpu"])
        self.assertEqual(self.results(), ["bench.txt", "cpu.json", "targets.json"])
        self.assertIn("it broke", (self.folder / "out" / "bench.txt").read_text())

    def test_a_filter_reaches_the_program_and_names_the_file(self):
        done, calls = self.call("--only", "targets:clouds/uniform")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(" --only clouds/uniform ", calls[0])
        self.assertIn("targets.clouds_uniform.json", self.results())

    def test_recall_gets_the_clouds_and_both_orders_of_a_pair(self):
        _, calls = self.call("--only", "recall", "--clouds", ROOT / "data")
        data = os.path.relpath(ROOT / "data")
        self.assertIn(f"--cloud {data}/surface.ply", calls[0])
        self.assertIn(f"--pair {data}/lidar_target.ply {data}/lidar_source.ply", calls[0])
        self.assertIn(f"--pair {data}/lidar_source.ply {data}/lidar_target.ply", calls[0])

    def test_a_missing_program_is_a_failed_part(self):
        (self.folder / "bench" / "bench_cpu").unlink()
        self.assertEqual(self.call("--only", "cpu")[0].returncode, 1)

    def test_what_is_wrong_is_refused_before_the_build(self):
        wrong = {"cannot write to the folder /no/such: No such file": ["--pack", "/no/such/file.tar.xz"],
                 "cannot write to the folder /dev/null: Not a directory": ["--pack", "/dev/null/file.tar.xz"],
                 "--pack expects a file, and": ["--pack", self.folder],
                 "/dev/null: no folder with the programs": ["--build", "/dev/null", "--pack", self.folder / "a.tar.xz"],
                 "--only expects one of": ["--only", "nothing"],
                 "/no/clouds: no such folder": ["--clouds", "/no/clouds"],
                 "cannot write to the folder /dev/null/out: Not a directory": []}
        environment = {**os.environ, "KANN_PRESET": "none", "OUT": "/dev/null/out"}  # the build would be refused
        for message, arguments in wrong.items():
            with self.subTest(message):
                done = subprocess.run([ROOT / "scripts" / "bench", *arguments], text=True, env=environment,
                                      stderr=subprocess.PIPE, check=False)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertTrue(done.stderr.startswith(f"bench: error: {message}"), done.stderr)

    def test_packed_programs_run_from_the_archive(self):
        archive = self.folder / "programs.tar.xz"
        self.assertEqual(self.call("--pack", archive)[0].stdout.strip(), str(archive))
        done, calls = self.call("--only", "scans", build=archive)
        self.assertEqual((done.returncode, len(calls)), (0, 1), done.stderr)

    def test_an_unknown_part_is_refused(self):
        done, _ = self.call("--only", "everything")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--only expects one of", done.stderr.splitlines()[-1])

    def test_figures_of_split_runs_are_drawn_from_the_later_record(self):
        run = subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True, check=False)
        if run.returncode:
            self.skipTest("no python3-matplotlib")
        record = {"group": "scaling", "cloud": "uniform", "method": "shifted-sort", "log2": 20, "k": 8, "ms": {"best": 1}}
        for name, date in (("a", "2026-01-01"), ("b", "2026-01-02")):
            content = {"benchmark": "bench_targets", "date": date, "device": {"name": "X"}, "records": [record]}
            (self.folder / f"{name}.json").write_text(json.dumps(content))
        done = subprocess.run(["/usr/bin/python3", ROOT / "scripts" / "plot", "--bench", self.folder, "-o", self.folder],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.strip(), str(self.folder / "time_against_n.svg"), done.stderr)

    def test_tables_of_papers_have_each_way_with_its_published_time(self):
        ms = {"best": 0.012, "median": 0.013, "worst": 0.02, "runs": 7}
        sobel = [{"what": "texture", "step": step, "pixels": pixels, "ms": ms, "published_ms": published}
                 for step, pixels, published in (("none", "words", 25.254), ("none", "bytes", 25.254),
                                                 ("literal coefficients", "words", None))]
        lu = [{"what": "cuSOLVER", "precision": "single", "n": n, "pivoting": True, "ms": ms, "gflop_per_s": 60000.0}
              for n in (512, 2048)]
        matvec = [{"what": "cuBLAS gemv", "n": 4096, "ms": ms, "tb_per_s": 5.59, "published_ms": None}]
        for name, records in (("lu", lu), ("sobel", sobel), ("matvec", matvec)):
            content = {"benchmark": f"bench_{name}", "date": "2026-01-01", "device": {"name": "X"}, "records": records}
            (self.folder / f"{name}.json").write_text(json.dumps(content))
        program = ("import pathlib, sys, bench_results, paper_tables as made;"
                   "found = bench_results.load(pathlib.Path(sys.argv[1]));"
                   "print(made.lu(found), made.sobel(found), made.matvec(found), made.lu({}), sep='\\n')")
        done = subprocess.run([sys.executable, "-B", "-c", program, self.folder], capture_output=True, text=True,
                              check=False, env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")})
        lines = done.stdout.splitlines()
        for wanted in ("| LU, Gflop/s; n | 2048 | 2048, pivoting |", "| cuSOLVER |  | 60,000 |",
                       "| none | 0.0120 (25.254) |",
                       "| cuBLAS gemv |  | 12.0 |", "Not measured."):
            self.assertIn(wanted, lines, done.stderr)

    def test_the_documents_have_the_figures_of_the_results(self):
        done = subprocess.run([ROOT / "scripts" / "tables", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
