#!/usr/bin/env python3
"""The program under mpirun: who says and writes what, parts, and what happens when a rank fails. That ranks find what one
process finds is for tests/ways.

Usage: ranks_test.py KANN
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(TESTS / "ways"), str(TESTS.parent / "scripts")]
from clouds import np
from scaling.program import MPI_ENVIRONMENT

KANN = None


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def alone(self, *arguments):
        return subprocess.run([KANN, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)

    def mpirun(self, *arguments):
        return subprocess.run(["mpirun", *arguments], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, **MPI_ENVIRONMENT}, timeout=120)

    def ranks(self, count, *arguments):
        return self.mpirun("-n", str(count), KANN, "--threads", "1", "--device", "cpu", *arguments)

    def make_clouds(self, n=20000):
        r = np.random.default_rng(1)
        clusters = r.random((40, 3))[r.integers(0, 40, n)] + r.normal(0, .002, (n, 3))
        clump = np.where(np.arange(n)[:, None] % 3, .5, r.random((n, 3)))
        for name, points in (("clusters", clusters), ("clump", clump), ("uniform", r.uniform(-1, 2, (n // 2, 3)))):
            np.save(self.folder / f"{name}.npy", points.astype("f4"))

    def errors(self, run):
        return [line for line in run.stderr.splitlines() if line.startswith("kann: error")]

    def files(self):
        """The names and contents in the folder, but the clouds."""
        return {p.name: p.read_bytes() for p in self.folder.glob("[!.]*") if p.is_file() and
                p.stem not in ("clusters", "clump", "uniform")}

    def test_rank_0_alone_needs_the_folder_of_the_result(self):
        self.make_clouds(6000)
        other = self.folder / "other"
        other.mkdir()
        (other / "clusters.npy").write_bytes((self.folder / "clusters.npy").read_bytes())
        search = [KANN, "--data", "clusters.npy", "--exact", "--device", "cpu"]
        self.assertEqual(self.alone(*search[1:], "-o", "want.npz").returncode, 0)
        run = self.mpirun("-n", "2", *search, "-o", "o.npz", ":", "-n", "1", "-wdir", str(other), *search, "-o", "o.npz")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((self.folder / "o.npz").read_bytes(), (self.folder / "want.npz").read_bytes())
        self.assertEqual([p.name for p in other.iterdir()], ["clusters.npy"])
        stream = ["--data", "clusters.npy", "--exact", "-o", "-", "--output-format", "csv"]
        self.assertEqual(self.ranks(3, *stream).stdout, self.alone(*stream).stdout)

    def test_an_old_result_stays_until_the_new_one_is_whole(self):
        self.make_clouds(6000)
        search = ["--data", "clusters.npy", "--exact", "-o", "o.npz"]
        self.assertEqual(self.ranks(3, *search).returncode, 0)
        old = self.files()
        run = self.ranks(3, *search, "-k", "4")
        self.assertEqual(run.returncode, 2)
        self.assertEqual(self.errors(run), ["kann: error: o.npz: File exists; use --force to replace it"], run.stderr)
        self.assertIn("skipped", self.ranks(3, *search, "-k", "4", "--skip-existing").stderr)
        self.assertEqual(self.files(), old)
        self.assertEqual(self.ranks(3, *search, "-k", "4", "--force").returncode, 0)
        self.assertNotEqual(self.files(), old)

    def test_a_disk_that_is_full_ends_all(self):
        """For rank 0, which writes all rows, or for rank 2, which writes its part."""
        self.make_clouds(20000)
        search = [KANN, "--exact", "-k", "300", "--threads", "1", "--device", "cpu", "--data", "clusters.npy", "--force"]
        # Room for a third of the rows, but neither for all 48 MB of them nor for a third as text
        full = ["bash", "-c", "ulimit -f 40000; exec \"$@\"", "-"]
        rows, parts = [*search, "-o", "o.bin"], [*search, "-o", "o.csv", "--output-per-rank"]
        for name, ranks in (("o.bin", ["-n", "1", *full, *rows, ":", "-n", "2", *rows]),
                            ("o.2-of-3.csv", ["-n", "2", *parts, ":", "-n", "1", *full, *parts])):
            (self.folder / name).write_bytes(b"old")
            run = self.mpirun(*ranks)
            self.assertEqual(run.returncode, 4, run.stderr)
            self.assertEqual(self.errors(run), [f"kann: error: {name}: File too large (old file kept)"], run.stderr)
            self.assertEqual(self.files(), {name: b"old"})
            (self.folder / name).unlink()
            self.assertEqual([p.name for p in self.folder.glob(".*")], [])

    def test_a_check_that_fails_ends_all_after_the_result(self):
        self.make_clouds(6000)
        search = ["--data", "clusters.npy", "--exact", "-k", "4"]
        self.assertEqual(self.alone("--data", "clump.npy", "--exact", "-k", "4", "-o", "other.ivecs").returncode, 0)
        check = ["--compare", "other.ivecs", "--min-recall", "1"]
        for more, names in (([], ["o.npz"]), (["--output-per-rank"], [f"o.{rank}-of-3.npz" for rank in range(3)])):
            run = self.ranks(3, *search, "-o", "o.npz", *check, *more)
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertEqual(len(self.errors(run)), 1, run.stderr)
            self.assertEqual(sorted(p.name for p in self.folder.glob("o.*")), names)
            for name in names:
                (self.folder / name).unlink()

    def test_one_rank_speaks_for_all(self):
        self.make_clouds(2000)
        run = self.ranks(3, "--data", "clusters.npy", "--exact", "-o", "o.npz", "--report", "r.json")
        self.assertEqual(run.stdout, "o.npz\n")
        self.assertRegex(run.stderr, r"\Akann: 2000 queries .* by 3 ranks in \d tiles: [^\n]*\n\Z")
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["tiles"]["ranks"], 3)
        self.assertTrue(self.ranks(2, "--version").stdout.startswith("kann "))
        self.assertEqual(self.ranks(2, "--version").stdout.count("kann"), 1)

    def test_statistics_beside_parts(self):
        self.make_clouds(3001)
        search = ["--data", "clusters.npy", "--exact", "--stats"]
        alone = json.loads(self.alone(*search, "--json").stdout)
        for more in (["--force"], ["--skip-existing"]):
            run = self.ranks(3, *search, "--json", "-o", "part.npz", "--output-per-rank", *more)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(json.loads(run.stdout)["statistics"], alone["statistics"])
            self.assertEqual(len(list(self.folder.glob("part.*-of-3.npz"))), 3)
            (self.folder / "part.1-of-3.npz").unlink()
        run = self.ranks(3, *search, "--output-per-rank")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(len(self.errors(run)), 1, run.stderr)
        self.assertIn("--output-per-rank needs --output", run.stderr)

    def test_a_picture_that_cannot_be_written_ends_all(self):
        self.make_clouds(3001)
        (self.folder / "p.png").write_bytes(b"old")
        search = ["--data", "clusters.npy", "--exact", "-o", "o.npz"]
        for name, code, message in (("p.png", 2, "p.png: File exists; use --force to replace it"),
                                    ("none/p.png", 4, "none/p.png: No such file or directory; make the folder none first")):
            run = self.ranks(3, *search, "--picture", name)
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertEqual(self.errors(run), ["kann: error: " + message], run.stderr)
        self.assertEqual(self.files(), {"p.png": b"old"})

    def test_each_rank_writes_its_part(self):
        self.make_clouds(3001)
        search = ["--data", "clusters.npy", "--exact", "-k", "5"]
        self.assertEqual(self.alone(*search, "-o", "want.npz").returncode, 0)
        run = self.ranks(3, *search, "-o", "part.npz", "--output-per-rank", "--max-memory", "60M")
        self.assertEqual(run.returncode, 0, run.stderr)
        parts = [np.load(self.folder / f"part.{rank}-of-3.npz") for rank in range(3)]
        first = np.cumsum([0, *(len(part["ids"]) for part in parts)])
        self.assertEqual([json.loads(str(part["meta"]))["first_row"] for part in parts], first[:3].tolist())
        np.testing.assert_array_equal(np.concatenate([part["ids"] for part in parts]), np.load(self.folder / "want.npz")["ids"])
        self.assertEqual(run.stdout, "part.0-of-3.npz\n")
        again = self.ranks(3, *search, "-o", "part.npz", "--output-per-rank", "--skip-existing")
        self.assertIn("skipped", again.stderr)
        (self.folder / "part.1-of-3.npz").unlink()
        self.assertEqual(self.ranks(3, *search, "-o", "part.npz", "--output-per-rank").returncode, 2)
        again = self.ranks(3, *search, "-o", "part.npz", "--output-per-rank", "--skip-existing")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertTrue((self.folder / "part.1-of-3.npz").exists())

    def test_parts_in_text_count_the_queries_of_all(self):
        self.make_clouds(3001)
        search = ["--data", "clusters.npy", "--exact", "-k", "5"]
        self.assertEqual(self.alone(*search, "-o", "want.csv").returncode, 0)
        self.assertEqual(self.ranks(3, *search, "-o", "part.csv", "--output-per-rank").returncode, 0)
        header, *want = (self.folder / "want.csv").read_text().splitlines()
        lines = []
        for rank in range(3):
            head, *more = (self.folder / f"part.{rank}-of-3.csv").read_text().splitlines()
            self.assertEqual(head, header)
            lines += more
        self.assertEqual(lines, want)

    def test_a_failure_of_all_is_said_once(self):
        self.make_clouds(2000)
        for arguments, code, message in (
                (["--data", "nope.npy", "--exact"], 3, "nope.npy: No such file or directory"),
                (["--data", "clusters.npy", "--exact", "-k", "0"], 2,
                 "--k expects a whole number of at least 1, got '0'"),
                (["--data", "clusters.npy", "--exact", "--max-memory", "10M"], 4, "host memory: 10.5 MB is too little"),
                (["--data", "clusters.npy", "--method", "shifted-sort"], 2,
                 "several ranks: --method shifted-sort searches in one process; leave it out for the exact answer"),
                (["--jobs", "-", "--exact", "-o", "."], 2,
                 "several ranks make one search; for a batch, give each process its own --jobs, as by a job array"),
                (["--data", "clusters.npy", "--exact", "--outliers", "3,1", "--output-per-rank"], 2,
                 "--output-per-rank does not go with --outliers")):
            run = self.ranks(3, "-o", "o.npz", *arguments)
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertEqual(len(self.errors(run)), 1, run.stderr)
            self.assertIn(message, self.errors(run)[0])
            self.assertFalse((self.folder / "o.npz").exists())

    def test_a_failure_of_one_rank_ends_all(self):
        self.make_clouds(20000)
        search = [KANN, "--exact", "-k", "300", "--threads", "1", "--device", "cpu", "-o", "o.npz", "--data", "clusters.npy"]
        other, none = self.folder / "other", self.folder / "none"
        other.mkdir()
        none.mkdir()
        (other / "clusters.npy").write_bytes((self.folder / "clump.npy").read_bytes())
        full = ["bash", "-c", "ulimit -f 1024; exec \"$@\"", "-"]
        for rank, code, message in ((["-wdir", str(other), *search], 3, "rank 2 sees another file than rank 0"),
                                    (["-wdir", str(none), *search], 3, "clusters.npy: No such file or directory"),
                                    (search + ["-k", "9"], 2, "rank 2 has other options than rank 0"),
                                    (full + search, 4, "temporary file: File too large")):
            run = self.mpirun("-n", "2", *search, ":", "-n", "1", *rank)
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertEqual(len(self.errors(run)), 1, run.stderr)
            self.assertIn(message, self.errors(run)[0])
            self.assertEqual(sorted(p.name for p in self.folder.glob("**/*") if p.suffix != ".npy"), ["none", "other"])

    def start(self, *arguments):
        """Three ranks; returns their launcher and the ids of their processes."""
        process = subprocess.Popen(["mpirun", "-n", "3", KANN, "--threads", "1", "--device", "cpu", *arguments],
                                   cwd=self.folder, env={**os.environ, **MPI_ENVIRONMENT}, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        ranks = []
        while len(ranks) < 3 and time.monotonic() < deadline:
            # By name, since a child of mpirun that is killed before it has become the program can leave mpirun waiting
            found = subprocess.run(["pgrep", "-P", str(process.pid), "-x", pathlib.Path(KANN).name], capture_output=True,
                                   text=True, check=False)
            ranks = [int(rank) for rank in found.stdout.split()]
            time.sleep(.02)
        return process, ranks

    def test_a_rank_that_is_killed_ends_all(self):
        self.make_clouds(60000)
        process, ranks = self.start("--exact", "--data", "uniform.npy", "-k", "200", "-o", "o.npz")
        os.kill(ranks[-1], signal.SIGKILL)
        self.assertNotEqual(process.wait(timeout=60), 0)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.suffix != ".npy"], [])

    def test_a_rank_that_is_killed_while_it_writes_ends_all(self):
        self.make_clouds(60000)
        for number in (0, 2):
            for _ in range(10):  # until it is killed before it ends
                process, ranks = self.start("--exact", "--data", "clusters.npy", "-k", "400", "-o", "o.npz", "--force")
                while process.poll() is None:
                    if any(p.stat().st_size > 1 << 20 for p in self.folder.glob(".o.npz.kann-*.tmp")):
                        break
                with contextlib.suppress(ProcessLookupError):
                    os.kill(ranks[number], signal.SIGKILL)
                if process.wait(timeout=60) != 0:
                    break
                (self.folder / "o.npz").unlink()
            else:
                self.fail("each run ended before its rank was killed")
            self.assertFalse((self.folder / "o.npz").exists())
            left = [p.name for p in self.folder.glob(".*")]
            self.assertEqual(len(left), 1 if number == 0 else 0, left)  # rank 0 removes its file, if it can
            self.assertEqual(self.alone("--data", "clump.npy", "-o", "swept.npz", "--force").returncode, 0)
            self.assertEqual([p.name for p in self.folder.glob(".*")], [])


if __name__ == "__main__":
    KANN = os.path.abspath(sys.argv.pop(1))
    if not shutil.which("mpirun"):
        print("skipped: there is no mpirun")
        sys.exit(77)
    unittest.main()
