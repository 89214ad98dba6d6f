#!/usr/bin/env python3
"""The program under mpirun: the bytes of one process, and what happens when a rank fails.

Usage: ranks_test.py KANN
"""
import array
import contextlib
import itertools
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

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
from part import part_of  # noqa: E402

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
        queries = [[], ["--query", "uniform.npy"]]
        for data, query, count in part_of(itertools.product(self.make_clouds(), queries, (1, 2, 3, 8))):
            search = ["--data", f"{data}.npy", "--exact", "--force", *query]
            self.assertEqual(self.alone(*search, "-o", "want.npz").returncode, 0)
            run = self.ranks(count, *search, "-o", "got.npz")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual((self.folder / "got.npz").read_bytes(), (self.folder / "want.npz").read_bytes(),
                             f"{data} {query} {count}")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if p.suffix != ".npy"), ["got.npz", "want.npz"])

    def test_a_periodic_box_has_the_bytes_of_one_process(self):
        self.make_clouds(4000)
        for search in (["--data", "clusters.npy", "--periodic", "1,1,.9"],
                       ["--data", "grid.npy", "--periodic", "30,30,0", "-k", "6"],
                       ["--data", "far.npy", "--query", "uniform.npy", "--periodic", "1e3,1e3,500", "--radius", "40"]):
            self.assertEqual(self.alone(*search, "-o", "want.npz", "--force").returncode, 0)
            for count in (2, 3):
                run = self.ranks(count, *search, "-o", "got.npz", "--force")
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual((self.folder / "got.npz").read_bytes(), (self.folder / "want.npz").read_bytes(), search)

    def files(self):
        """The names and contents in the folder, but the clouds."""
        return {p.name: p.read_bytes() for p in self.folder.glob("[!.]*") if p.is_file() and
                p.stem not in ("clusters", "clump", "grid", "far", "uniform", "few", "none")}

    def test_every_format_has_the_bytes_of_one_process(self):
        self.make_clouds(6000)
        write_npy(self.folder / "few.npy", 3, [.1, .2, .3, .4, .5, .6])
        write_npy(self.folder / "none.npy", 3, [])
        formats = ("npz", "npy", "bin", "ibin", "ivecs", "fbin", "fvecs", "csv", "tsv")
        clouds = (["--data", "clusters.npy"], ["--data", "clusters.npy", "-k", "1"], ["--data", "far.npy", "-k", "20"],
                  ["--data", "clusters.npy", "--query", "few.npy"], ["--data", "clusters.npy", "--query", "none.npy"],
                  ["--data", "few.npy", "-k", "9"])
        for name, cloud in part_of(itertools.product(formats, clouds)):
            search = [*cloud, "--exact", "-o", "o." + name, "--force"]
            self.assertEqual(self.alone(*search).returncode, 0)
            want = self.files()
            run = self.ranks(3, *search)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("CPU (1 thread)", run.stderr)
            self.assertEqual(self.files() == want, True, search)
            for path in want:
                (self.folder / path).unlink()
        self.assertEqual([p.name for p in self.folder.glob(".*")], [])

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

    def test_statistics_are_those_of_one_process(self):
        self.make_clouds(6001)
        write_npy(self.folder / "few.npy", 3, [.1, .2, .3, .4, .5, .6])
        write_npy(self.folder / "none.npy", 3, [])
        report = self.folder / "r.json"
        everything = ["-o", "o.npz", "--stats"]
        for options in (["--data", "clusters.npy", "--exact", "-k", "19", *everything],
                        ["--data", "far.npy", "--exact", "--radius", "3", *everything],
                        ["--data", "clump.npy", "--query", "uniform.npy", "--exact", "--stats"],
                        ["--data", "clusters.npy", "--exact", "-o", "o.csv"],
                        ["--data", "clusters.npy", "--query", "few.npy", "--exact", "--stats"],
                        ["--data", "few.npy", "-k", "9", "--exact", *everything],
                        ["--data", "clusters.npy", "--query", "none.npy", "--exact", *everything]):
            def outcome(run):
                """What is printed but the line on the devices and the time, the statistics, the files."""
                self.assertEqual(run.returncode, 0, run.stderr)
                statistics = json.loads(report.read_text())["statistics"]
                report.unlink()
                files = self.files()
                for name in files:
                    (self.folder / name).unlink()
                lines = [line for line in run.stderr.splitlines() if " on CPU (" not in line]
                return run.stdout, lines, statistics, files
            want = outcome(self.alone(*options, "--report", "r.json"))
            self.assertEqual("--stats" in options, any("distances per rank: " in text for text in (want[0], *want[1])))
            for count in (2, 3):
                self.assertEqual(outcome(self.ranks(count, *options, "--report", "r.json")), want, f"{options} {count}")
        self.assertEqual([p.name for p in self.folder.glob(".*")], [])

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

    def test_a_sample_is_judged_as_by_one_process(self):
        self.make_clouds(5000)
        for search in (["--data", "clusters.npy", "--exact"], ["--data", "far.npy", "--query", "uniform.npy", "-k", "3"]):
            want = self.alone(*search, "-o", "o.npz", "--force", "--verify", "700", "--report", "want.json")
            self.assertEqual(want.returncode, 0, want.stderr)
            for count in (2, 3):
                run = self.ranks(count, *search, "-o", "o.npz", "--force", "--verify", "700", "--report", "got.json")
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIn("kann: verify: 700 of", run.stderr)
                line = [line for line in run.stderr.splitlines() if "kann: verify:" in line]
                self.assertEqual(line, [line for line in want.stderr.splitlines() if "kann: verify:" in line])
                want_report, got = (json.loads((self.folder / name).read_text()) for name in ("want.json", "got.json"))
                self.assertEqual(got["verify"], want_report["verify"])

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
        (other / "clusters.npy").write_bytes((self.folder / "grid.npy").read_bytes())
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
                                   cwd=self.folder, env=self.environment(), stdout=subprocess.DEVNULL,
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
            self.assertFalse((self.folder / "o.npz").exists())
            left = [p.name for p in self.folder.glob(".*")]
            self.assertEqual(len(left), 1 if number == 0 else 0, left)  # rank 0 removes its file, if it can
            self.assertEqual(self.alone("--data", "grid.npy", "-o", "swept.npz", "--force").returncode, 0)
            self.assertEqual([p.name for p in self.folder.glob(".*")], [])


if __name__ == "__main__":
    KANN = sys.argv.pop(1)
    if not shutil.which("mpirun"):
        print("skipped: there is no mpirun")
        sys.exit(77)
    unittest.main()
