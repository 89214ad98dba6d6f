#!/usr/bin/env python3
"""Makes each search of cases.txt in every way that must not matter, and expects the same files, standard output, messages
and report, but for what a report says of the way itself. A way that cannot make a search refuses it, with --plan as well.

Usage: ways_test.py KANN WAYS       WAYS is one of
  memory  one and three threads, options from a file, data from standard input, a batch; what --plan and kann check say
  files   with the least memory that works, and with a quarter of what a search in memory takes beyond that:
          in tiles or in pieces
  ranks   by two ranks (with --thorough, by one and three, too)
  cuda    on a GPU, in memory and in tiles
  hashes  prints SHA-256 of what each search makes in memory, to compare two builds or two machines
"""
import collections
import hashlib
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent), str(HERE.parents[1] / "scripts")]
from clouds import make_clouds
from part import part_of
from scaling.program import MPI_ENVIRONMENT, needed

RANKS = (1, 2, 3) if int(os.environ.get("TEST_THOROUGH", "0")) else (2,)
NUMBERS = {"k", "radius", "verify", "grid", "min-recall", "shifts", "window"}  # if not words; all else is text in a file for --config
OF_THE_WAY = {"timing_s", "memory_peak_bytes", "tiles", "device", "job", "seconds"}
REFERENCES = {"truth.npz": "-k 6", "long.ivecs": "-k 9", "near.npz": "-k 6 --radius 5e-4"}
# What some ways say of some searches; of those with two such options, of the first here
REFUSED = {option: {"files": "is not made in tiles", "ranks": "one process"}
           for option in ("--group", "--other-group", "--match", "--min-radius")}
REFUSED["--method"] = {"files": "shifted-sort searches in memory", "ranks": "shifted-sort searches in one process"}
WARNS_OF_MEMORY = "do not fit in memory together"


class Case:
    """A line of cases.txt."""

    def __init__(self, line):
        self.name = line
        self.words = shlex.split(line)
        first = next(i for i, word in enumerate(self.words) if word.startswith("-"))
        self.clouds, self.options = self.words[:first], self.words[first:]
        self.refused = next((refused for option, refused in REFUSED.items() if option in self.options), {})


def without_times(value):
    """A part of a report."""
    if isinstance(value, dict):
        return {key: without_times(of_key) for key, of_key in value.items() if key not in OF_THE_WAY}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def members(content):
    """The arrays of an npz but its metadata, which say how it was made; anything else as a whole."""
    if not content.startswith(b"PK"):
        return {"": content}
    archive = zipfile.ZipFile(io.BytesIO(content))
    return {name: archive.read(name) for name in archive.namelist() if name != "meta.npy"}


class Made:
    """What a run left: its files, standard output, messages and report. What is of the way is taken out."""

    def __init__(self, run, folder, names):
        self.code, self.errors = run.returncode, run.stderr.decode()
        report = folder / "r.json"
        # That of a batch has an object a job, and one with the counts
        self.report = json.JSONDecoder().raw_decode(report.read_text())[0] if report.exists() else {}
        self.parts = {name: (folder / name).read_bytes() for name in names - {"r.json"}}
        self.parts["stdout"] = run.stdout
        self.parts["messages"] = [line for line in self.errors.splitlines()
                                  if not re.search(r" on (CPU \(|NVIDIA )", line) and WARNS_OF_MEMORY not in line]
        # A batch says of each job whether it was skipped
        self.parts["report"] = {key: without_times(value) for key, value in self.report.items()
                                if key not in OF_THE_WAY and (key, value) != ("skipped", False)}

    def of_stdin(self, cloud):
        """The parts with the name that a cloud has on standard input; the metadata of a result, which has it, are left out."""
        def renamed(part):
            text = json.dumps(part).replace('"-"', '"stdin"').replace("standard input", "stdin")
            return json.loads(text.replace(cloud, "stdin"))
        return {name: members(part) if isinstance(part, bytes) else renamed(part) for name, part in self.parts.items()}


def toml_of(options):
    """The file that says what options say."""
    settings = {}
    for word in options:
        if re.match(r"--?[a-z]", word):
            name = {"-k": "k", "-o": "output"}.get(word, word[2:])
            settings[name] = "true"
        else:
            is_number = name in NUMBERS and not word[0].isalpha()
            settings[name] = re.sub(r"^\.", "0.", word) if is_number else json.dumps(word)
    return "".join(f"{name} = {value}\n" for name, value in settings.items())


class Ways:
    def __init__(self, program, folder):
        self.program, self.folder, self.failures = os.path.abspath(program), folder, 0
        self.runs, self.made = 0, collections.Counter()
        self.inputs = make_clouds(folder) | {"kann.toml", "jobs"}
        for name, options in REFERENCES.items():
            subprocess.run([self.program, "few.ply", "many.ply", "-q", "--device", "cpu", *options.split(), "-o", name],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL)
        self.inputs |= set(REFERENCES)

    def run(self, words, before=(), stdin=subprocess.DEVNULL):
        self.runs += 1
        return subprocess.run([*before, self.program, *words], cwd=self.folder, stdin=stdin, capture_output=True,
                              check=False, timeout=600, env={**os.environ, **MPI_ENVIRONMENT})

    def make(self, *words, device="cpu", threads="2", before=(), stdin=subprocess.DEVNULL):
        """Runs the program in a folder with the inputs alone."""
        names = {path.name for path in self.folder.iterdir()}
        for name in names - self.inputs:
            (self.folder / name).unlink()
        words = [*words, "--device", device, "--threads", threads, "--report", "r.json"]
        run = self.run(words, before, stdin)
        return Made(run, self.folder, {path.name for path in self.folder.iterdir()} - self.inputs)

    def fail(self, case, way, what):
        self.failures += 1
        print(f"FAILED: kann {case.name}\n  {way}: {what}", flush=True)

    def compare(self, case, way, want, got):
        for name in sorted(want.keys() | got.keys()):
            a, b = want.get(name), got.get(name)
            if isinstance(a, dict) and isinstance(b, dict):
                a, b = ({key: of_key for key, of_key in one.items() if key not in other or other[key] != of_key}
                        for one, other in ((a, b), (b, a)))
            if a != b:
                shown = f": {b}\n  instead of {a}" if name in ("messages", "report") else ""
                self.fail(case, way, f"{name} differs{shown}")

    def expect(self, case, way, want, *words, **how):
        """Expects what was made in memory, or a refusal that the case tells, and returns what was made."""
        got = self.make(*words, **how)
        message = case.refused.get(way.split(":")[0])
        if message:
            if got.code not in (2, 4) or message not in got.errors or len(got.parts) != 3:
                self.fail(case, way, f"exit code {got.code}, files {sorted(got.parts)}: {got.errors}")
            elif not how.get("before"):
                self.planned(case, way, got, words)
        elif got.code:
            self.fail(case, way, f"exit code {got.code}: {got.errors}")
        else:
            self.compare(case, way, want.parts, got.parts)
        return got

    def plan_of(self, words, device="cpu"):
        """What --plan --json says; a report on standard output leaves no place for a result."""
        at = words.index("-o") if "-" in words else len(words)
        return self.make(*words[:at], *words[at + 2:], "--plan", "--json", device=device)

    def planned(self, case, way, run, words, device="cpu"):
        """--plan tells what a run does: where it is made, what it writes, and what it refuses in the same words."""
        if way != "memory" and case.clouds[-1].endswith((".csv", ".xyz")):
            return  # how many points a text has is estimated
        plan = self.plan_of(words, device)
        told = json.loads(plan.parts["stdout"] or "{}")
        if run.code:
            if not told and (plan.code, plan.errors) == (run.code, run.errors):
                return
        elif not plan.code:
            parts = [of_run and "pieces" in of_run for of_run in (run.report.get("tiles"), told["tiles"])]
            files = [name for name in run.parts if name not in ("stdout", "messages", "report")]
            outputs = [output["path"] for output in told["outputs"]]
            if (told["estimated"] or parts[0] == parts[1]) and ("-" in words or {*files, "r.json"} == {*outputs}):
                return
        self.fail(case, way, f"--plan: {plan.errors}{told}\n  the run: {run.errors}{run.report.get('tiles')}")

    def memory(self, case, want):
        self.planned(case, "memory", want, case.words)
        for threads in ("1", "3"):
            self.expect(case, f"memory: {threads} threads", want, *case.words, threads=threads)
        has_rows = isinstance(want.report["k"], int) and not {"match", "limits"} & want.report.keys() and want.report["query"]["points"]
        if "o.npz" in want.parts and has_rows and want.report.get("within_radius") != 0:
            check = self.run(["check", "o.npz"])
            if check.returncode:
                self.fail(case, "kann check", check.stderr.decode())

        named = [f"--{name}={cloud}" for name, cloud in zip(("data", "query"), case.clouds)]
        (self.folder / "kann.toml").write_text(toml_of(case.options))
        self.expect(case, "memory: --config", want, *named, "--config", "kann.toml")

        format = pathlib.Path(case.clouds[0]).suffix[1:]
        with open(self.folder / case.clouds[0], "rb") as data:
            got = self.make("--data=-", *named[1:], *case.options, "--data-format", format, stdin=data)
        if got.code:
            self.fail(case, "standard input", got.errors)
        self.compare(case, "standard input", want.of_stdin(case.clouds[0]), got.of_stdin(case.clouds[0]))

        output = next((case.options[i + 1] for i, word in enumerate(case.options) if word == "-o"), "-")
        if output != "-":
            job = {**dict(zip(("data", "query"), case.clouds)), "output": output}
            (self.folder / "jobs").write_text(json.dumps(job) + "\n")
            at = case.options.index("-o")
            got = self.make("--jobs", "jobs", *case.options[:at], *case.options[at + 2:])
            if re.search("--jobs|give a pattern|one file for many", got.errors) and got.code == 2:
                self.made["refused batches"] += 1
                return
            self.made["batches"] += 1
            got.parts["messages"] = want.parts["messages"]  # they name the job
            self.compare(case, "a batch", want.parts, got.parts)

    def files(self, case, want):
        refusal = self.make(*case.words, "--max-memory", "1M")
        least = needed(refusal.errors)
        if "files" in case.refused:
            self.expect(case, "files: 1 MiB", want, *case.words, "--max-memory", "1M")
            return
        if not least:
            self.fail(case, "files", f"no least budget is named: {refusal.errors}")
            return
        in_memory = json.loads(self.plan_of(case.words).parts["stdout"])["memory_bytes"]["needed"]
        if least >= in_memory:
            self.made["no parts"] += 1
            return
        for budget in (least, least + (in_memory - least) // 4):
            words = [*case.words, "--max-memory", str(budget)]
            got = self.expect(case, f"files: {budget} bytes", want, *words)
            tiles = got.report.get("tiles") or {}
            self.made["pieces" if "pieces" in tiles else "tiles" if tiles else "memory"] += 1
            # In a budget, and in parts whose times are those of the whole
            seconds, peak = tiles.get("timing_s", {}), got.report["memory_peak_bytes"]["host"]
            parts = sum(seconds.get(part, 0) for part in ("points", "neighbors", "rows"))
            is_whole = not parts or abs(parts - seconds["search"]) < 1e-6
            if not tiles or not is_whole or max(peak, tiles["charged_bytes"]) > budget:
                self.fail(case, f"files: {budget} bytes", f"in memory, or past its budget: {peak}, {tiles}")
            self.planned(case, f"files: {budget} bytes", got, words)

    def ranks(self, case, want):
        for ranks in RANKS:
            way = f"ranks: {ranks}" if ranks > 1 else "one rank"  # which refuses nothing
            got = self.expect(case, way, want, *case.words, threads="1", before=("mpirun", "-n", str(ranks)))
            if not got.code and ranks > 1 and (got.report.get("tiles") or {}).get("ranks") != ranks:
                self.fail(case, f"ranks: {ranks}", f"the report has {got.report.get('tiles')}")

    def hashes(self, case, want):
        digest = hashlib.sha256()
        for name in sorted(want.parts.keys() - {"report", "messages"}):
            for member, content in members(want.parts[name]).items():
                digest.update(f"{name} {member}".encode() + content)
        print(digest.hexdigest(), case.name, flush=True)

    def cuda(self, case, want):
        self.expect(case, "cuda", want, *case.words, device="cuda")
        least = needed(self.make(*case.words, "--max-memory", "1M", device="cuda").errors)
        if not least and "files" not in case.refused:
            self.fail(case, "cuda: files", "no least budget is named")
        elif least:
            self.expect(case, "cuda: files", want, *case.words, "--max-memory", str(least * 6 // 5), device="cuda")


def main():
    program, ways = sys.argv[1:]
    if ways == "ranks" and not shutil.which("mpirun"):
        print("SKIPPED: there is no mpirun")
        return 77
    lines = (HERE / "cases.txt").read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory(prefix="kann-ways-") as folder:
        tests = Ways(program, pathlib.Path(folder))
        cases = part_of([Case(line) for line in lines if line and not line.startswith("#")])
        for case in cases:
            want = tests.make(*case.words)
            if want.code or want.report.get("tiles"):
                tests.fail(case, "in memory", want.errors)
            else:
                getattr(tests, ways)(case, want)
        is_divided = tests.made["tiles"] and tests.made["pieces"]
        if tests.made["batches"] < tests.made["refused batches"] or (ways == "files" and not is_divided):
            tests.failures += 1
        made = [f"{count} in {where}" for where, count in tests.made.items()]
        print(", ".join([f"{len(cases)} cases", f"{tests.runs} runs", *made, f"{tests.failures} failures"]))
    return int(tests.failures > 0 or not cases)


if __name__ == "__main__":
    sys.exit(main())
