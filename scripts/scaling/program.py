"""Runs kann, alone or by several ranks, and takes its time and memory as the system has them."""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

MEASURED = pathlib.Path(__file__).with_name("measured.py")
UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
STEP, TRIES = 1.01, 30  # from a budget that is named as the smallest, but refused, upwards

# Root may run mpirun in a container; more ranks than cores are fine; none is bound to a core, and one that waits leaves
# it to others: where cores were shared, two ranks that did not took 15 s for what took 0.5
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0",
                   "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1"}


class Failed(Exception):
    """The program did not do what it should; the message has the command."""


@dataclasses.dataclass(frozen=True)
class Search:
    """What is asked for: all that an answer may depend on."""
    data: pathlib.Path
    query: pathlib.Path | None = None
    k: int = 8
    options: tuple[str, ...] = ()  # in place of -k

    def words(self):
        words = ["--data", self.data, *(self.options or ("-k", self.k)), "--invalid", "skip"]
        return words + (["--query", self.query] if self.query else [])


@dataclasses.dataclass(frozen=True)
class Way:
    """How it is made: nothing that an answer may depend on."""
    budget: int | None = None  # bytes
    ranks: int | None = None  # with mpirun
    device: str = "cpu"
    threads: int = 0


@dataclasses.dataclass
class Run:
    command: str
    seconds: float
    peak: int  # bytes; of several ranks, of the one that took most
    code: int
    message: str

    @property
    def tiles(self):
        found = re.search(r" in ([\d,]+) tiles?:", self.message)
        return int(found[1].replace(",", "")) if found else None


def needed(message):
    """The smallest budget that works, as a refusal names it, in bytes."""
    found = re.search(r"this search needs at least ([\d.]+) (\w+)", message)
    return round(float(found[1]) * UNITS[found[2]]) if found else None


def exceeds(peak, way):
    """Whether a process, or a rank, took more than its budget. The start of CUDA takes memory that no budget is for."""
    return way.device == "cpu" and way.budget is not None and peak > way.budget


def checked(run):
    if run.code:
        raise Failed(f"exit code {run.code}: {run.command}: {(run.message.splitlines() or ['no message'])[-1]}")
    return run


class Program:
    def __init__(self, path, folder, timeout):
        self.path, self.folder, self.timeout = pathlib.Path(path).resolve(), folder, timeout
        self.output = folder / "out.npz"

    def call(self, words, ranks=None):
        """One run, from an empty folder of output."""
        self.output.unlink(missing_ok=True)
        words = [str(word) for word in words]
        before = ["timeout", "--foreground", str(self.timeout)] + (["mpirun", "-n", str(ranks)] if ranks else [])
        measured = self.folder / "measured"
        done = subprocess.run([sys.executable, "-I", "-S", MEASURED, measured, *before, self.path, *words],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder, check=True,
                              env=os.environ | MPI_ENVIRONMENT)
        seconds, code, kilobytes = measured.read_text().split()
        command = " ".join([*before[3:], str(self.path), *words])
        return Run(command, float(seconds), int(kilobytes) * 1024, int(code),
                   done.stdout.decode(errors="replace").strip())

    def search(self, search, way, *more):
        output = [] if "--stats" in search.options else ["-o", self.output]
        words = [*search.words(), "--device", way.device, "--threads", way.threads, "--progress", "never", "--force",
                 *output, *more]
        return self.call(words + (["--max-memory", way.budget] if way.budget else []), way.ranks)

    def good(self, search, way, *more):
        """A run that must succeed."""
        return checked(self.search(search, way, *more))

    def smallest(self, search, way):
        """A run with the smallest budget that works, the way with that budget, and whether the budget that the program
        names is one that it refuses."""
        run = self.search(search, dataclasses.replace(way, budget=1 << 20))
        budget = needed(run.message)
        if budget is None:
            raise Failed(f"no smallest budget named: {run.command}: {run.message}")
        for tried in range(TRIES):
            way = dataclasses.replace(way, budget=round(budget * STEP ** tried))
            run = self.search(search, way)
            if needed(run.message) is None:
                break
        return checked(run), way, tried > 0

    def report(self, search, way):
        path = self.folder / "report.json"
        self.good(search, way, "--report", path)
        return json.loads(path.read_text())

    def hash(self):
        """SHA-256 of the whole result: its metadata are of the search, not of the way that it was made."""
        digest = hashlib.sha256()
        with self.output.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()

    def why_no_ranks(self):
        """Why there are no searches by several ranks; nothing if there are."""
        if not shutil.which("mpirun"):
            return "there is no mpirun"
        run = self.call(["--version"], 2)
        if run.code:
            return f"mpirun failed: {(run.message.splitlines() or ['no message'])[-1]}"
        # By ranks, one speaks for all
        return "" if len(re.findall("^kann ", run.message, re.MULTILINE)) == 1 else "the program was built without MPI"

    def why_no_gpu(self, data):
        """Why there are no searches on a GPU; nothing if there are."""
        run = self.search(Search(data, k=1), Way(device="cuda"))
        return run.message.splitlines()[-1].removeprefix("kann: error: ") if run.code else ""
