#!/usr/bin/env python3
"""The program under mpirun: the bytes of one process, and what happens when a rank fails.

Usage: ranks_test.py KANN
"""
import array
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

KANN = None


def write_npy(path, dimensions, values, kind="f"):
    """A C-order array of float32 ("f") or float64 ("d")."""
    header = repr({"descr": {"f": "<f4", "d": "<f8"}[kind], "fortran_order": False,
                   "shape": (len(values) // dimensions, dimensions)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header +
                     array.array(kind, values).tobytes())


def member(path, name):
    """The values of an array of int32, int64 or float32 in an npz."""
    data = zipfile.ZipFile(path).read(name + ".npy")
    start = 10 + int.from_bytes(data[8:10], "little")
    kind = {"<i4": "i", "<i8": "q", "<f4": "f"}[data[:start].decode("latin1").split("'descr': '")[1][:3]]
    return array.array(kind, data[start:])


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def environment(self):
        # Root may run mpirun in a container; more ranks than cores are fine here
        return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}

    def alone(self, *arguments):
        return subprocess.run([KANN, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)

    def mpirun(self, *arguments):
        return subprocess.run(["mpirun", *arguments], cwd=self.folder, capture_output=True, text=True, check=False,
                              env=self.environment(), timeout=120)

    def ranks(self, count, *arguments):
        return self.mpirun("-n", str(count), KANN, "--threads", "1", "--device", "cpu", *arguments)

    def make_clouds(self, n=20000):
        r = random.Random(1)
        centres = [[r.random() for _ in range(3)] for _ in range(40)]
        clusters = [x + r.gauss(0, .002) for _ in range(n) for x in r.choice(centres)]
        clump = [x for i in range(n) for x in ([.5, .5, .5] if i % 3 else [r.random() for _ in range(3)])]
        grid = [float(x) for i in range(n) for x in (i % 30, i // 30 % 30, i // 900)]
        far = [x * 1e3 + 5e5 for x in clusters]
        uniform = [r.uniform(-1, 2) for _ in range(3 * n // 2)]
        clouds = {"clusters": (clusters, "f"), "clump": (clump, "f"), "grid": (grid, "f"), "far": (far, "d"),
                  "uniform": (uniform, "f")}
        for name, (values, kind) in clouds.items():
            write_npy(self.folder / f"{name}.npy", 3, values, kind)
        return list(clouds)

    def errors(self, run):
        return [line for line in run.stderr.splitlines() if line.startswith("kann: error")]

    def test_the_bytes_are_those_of_one_process(self):
        for data in self.make_clouds():
            for query in (None, "uniform.npy"):
                search = ["--data", f"{data}.npy", "--exact", "--force"] + (["--query", query] if query else [])
                self.assertEqual(self.alone(*search, "-o", "want.npz").returncode, 0)
                for count in (1, 2, 3, 8):
                    run = self.ranks(count, *search, "-o", "got.npz")
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual((self.folder / "got.npz").read_bytes(), (self.folder / "want.npz").read_bytes(),
                                     f"{data} {query} {count}")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if p.suffix != ".npy"), ["got.npz", "want.npz"])

    def test_a_shifted_sort_has_the_bytes_of_one_process(self):
        for data in self.make_clouds(5000):
            for query in (None, "uniform.npy"):
                search = ["--data", f"{data}.npy", "-k", "6", "--force", "--report", "r.json"]
                search += ["--query", query] if query else []
                self.assertEqual(self.alone(*search, "-o", "want.npz").returncode, 0)
                alone = json.loads((self.folder / "r.json").read_text())
                for count in (2, 3):
                    run = self.ranks(count, *search, "-o", "got.npz")
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual((self.folder / "got.npz").read_bytes(), (self.folder / "want.npz").read_bytes(),
                                     f"{data} {query} {count}")
                    report = json.loads((self.folder / "r.json").read_text())
                    for key in ("method", "shifts", "window", "bits", "doubtful", "sample", "warnings"):
                        self.assertEqual(report[key], alone[key], f"{data} {query} {count}")

    def test_one_rank_speaks_for_all(self):
        self.make_clouds(2000)
        run = self.ranks(3, "--data", "clusters.npy", "--exact", "-o", "o.npz", "--report", "r.json")
        self.assertEqual(run.stdout, "o.npz\n")
        self.assertRegex(run.stderr, r"\Akann: 2000 queries .* by 3 ranks in \d tiles: [^\n]*\n\Z")
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["tiles"]["ranks"], 3)
        self.assertTrue(self.ranks(2, "--version").stdout.startswith("kann "))
        self.assertEqual(self.ranks(2, "--version").stdout.count("kann"), 1)

    def test_each_rank_writes_its_part(self):
        self.make_clouds(3001)
        search = ["--data", "clusters.npy", "--exact", "-k", "5"]
        self.assertEqual(self.alone(*search, "-o", "want.npz").returncode, 0)
        run = self.ranks(3, *search, "-o", "part.npz", "--output-per-rank", "--max-memory", "60M")
        self.assertEqual(run.returncode, 0, run.stderr)
        ids = array.array("i")
        for rank in range(3):
            part = self.folder / f"part.{rank}-of-3.npz"
            meta = json.loads(zipfile.ZipFile(part).read("meta.npy").decode("latin1").split("\n", 1)[1].replace("\0", ""))
            self.assertEqual(meta["first_row"], len(ids) // 5)
            ids += member(part, "ids")
        self.assertEqual(ids, member(self.folder / "want.npz", "ids"))
        self.assertEqual(run.stdout, "part.0-of-3.npz\n")
        again = self.ranks(3, *search, "-o", "part.npz", "--output-per-rank", "--skip-existing")
        self.assertIn("skipped", again.stderr)
        (self.folder / "part.1-of-3.npz").unlink()
        self.assertEqual(self.ranks(3, *search, "-o", "part.npz", "--output-per-rank").returncode, 2)
        again = self.ranks(3, *search, "-o", "part.npz", "--output-per-rank", "--skip-existing")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertTrue((self.folder / "part.1-of-3.npz").exists())

    def test_a_failure_of_all_is_said_once(self):
        self.make_clouds(2000)
        for arguments, code, message in (
                (["--data", "nope.npy", "--exact"], 3, "nope.npy: No such file or directory"),
                (["--data", "clusters.npy", "--exact", "-k", "0"], 2,
                 "--k expects a whole number of at least 1, got '0'"),
                (["--data", "clusters.npy", "--exact", "--max-memory", "10M"], 4, "host memory: 10.5 MB are too little"),
                (["--data", "clusters.npy", "--exact", "--verify"], 2,
                 "several ranks: --verify is made by one process"),
                (["--data", "clusters.npy", "--exact", "--query", "grid.npy", "far.npy", "-o", "{stem}.npz"], 2,
                 "several ranks: a batch is made by one process")):
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
        (other / "clusters.npy").write_bytes((self.folder / "grid.npy").read_bytes())
        full = ["bash", "-c", "ulimit -f 8192; exec \"$@\"", "-"]
        for rank, code, message in ((["-wdir", str(other), *search], 3, "rank 2 sees another file than rank 0"),
                                    (["-wdir", str(none), *search], 3, "clusters.npy: No such file or directory"),
                                    (search + ["-k", "9"], 2, "rank 2 has other options than rank 0"),
                                    (full + search, 4, "temporary file: File too large")):
            run = self.mpirun("-n", "2", *search, ":", "-n", "1", *rank)
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertEqual(len(self.errors(run)), 1, run.stderr)
            self.assertIn(message, self.errors(run)[0])
            self.assertEqual(sorted(p.name for p in self.folder.glob("**/*") if p.suffix != ".npy"), ["none", "other"])

    def test_a_rank_that_is_killed_ends_all(self):
        self.make_clouds(60000)
        process = subprocess.Popen(["mpirun", "-n", "3", KANN, "--threads", "1", "--device", "cpu", "--exact", "--data",
                                    "uniform.npy", "-k", "200", "-o", "o.npz"], cwd=self.folder, env=self.environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        ranks = []
        while len(ranks) < 3 and time.monotonic() < deadline:
            found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False)
            ranks = found.stdout.split()
            time.sleep(.02)
        os.kill(int(ranks[-1]), signal.SIGKILL)
        self.assertNotEqual(process.wait(timeout=60), 0)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.suffix != ".npy"], [])


if __name__ == "__main__":
    KANN = sys.argv.pop(1)
    if not shutil.which("mpirun"):
        print("skipped: there is no mpirun")
        sys.exit(77)
    unittest.main()
