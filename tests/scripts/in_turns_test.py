"""scripts/in-turns with two programs that record their calls, and write prepared JSON files."""

import json
import pathlib
import subprocess
import unittest

from folder_case import FolderCase

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "in-turns"
PROGRAM = r"""#!/bin/bash
here=$(dirname -- "$0")
echo "${0##*/} ${*:1:$#-1}" >>"$here/calls"
run=$(grep -c "^${0##*/} " "$here/calls")
[[ -e $0.$run.json ]] || { echo 'it broke' >&2; exit 3; }
cp -- "$0.$run.json" "${@: -1}"
"""

# Its report is a file that was prepared beside it
KANN = r"""#!/bin/bash
echo "${0##*/} $*" >>"${0%/*}/calls"
[[ $* != *--report* ]] || cp -- "$0.report" "${@: -1}"
"""


def named(name, best):
    return {"name": name, "ms": {"best": best}}


class InTurnsTest(FolderCase):
    def program_of(self, name, *runs):
        """A program whose run number i writes the records runs[i]."""
        for i, records in enumerate(runs):
            (self.folder / f"{name}.{i + 1}.json").write_text(json.dumps({"records": records}))
        self.program(name, PROGRAM)

    def kann(self, name, *seconds):
        """A program whose searches take these seconds, one for each job of a batch."""
        reports = [json.dumps({"timing_s": {"search": value}}, indent=len(seconds) == 1 or None) for value in seconds]
        (self.folder / f"{name}.report").write_text("\n".join(reports) + "\n")
        self.program(name, KANN)

    def call(self, *arguments, old="old", new="new"):
        return subprocess.run([SCRIPT, self.folder / old, self.folder / new, *arguments], capture_output=True,
                              text=True, check=False)

    def rows_of_kann(self, *arguments):
        done = self.call("--json", self.folder / "table.json", *arguments, old="kann", new="kann.new")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["search"]: row for row in json.loads((self.folder / "table.json").read_text())["rows"]}

    def test_compares_the_best_times_of_all_rounds(self):
        other = {"cloud": "uniform", "k": 8, "threads": 2, "what": "shifted-sort"}  # a search of bench_cpu has no name
        self.program_of("old", [named("a", 4), {**other, "ms": {"best": 10}}], [named("a", 5), {**other, "ms": {"best": 9}}])
        self.program_of("new", [named("a", 3), {**other, "ms": {"best": 18}}], [named("a", 2), {**other, "ms": {"best": 18}}])
        done = self.call("--rounds", "2", "--json", self.folder / "table.json", "--", "--only", "two words")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = json.loads((self.folder / "table.json").read_text())
        self.assertEqual(table["options"], ["--only", "two words"])
        self.assertEqual(table["rows"], [
            {"search": "a", "old_ms": 4, "new_ms": 2, "ratio": 0.5, "old_spread": 1.25, "new_spread": 1.5},
            {"search": "uniform/8/2/shifted-sort", "old_ms": 9, "new_ms": 18, "ratio": 2, "old_spread": 10 / 9,
             "new_spread": 1}])
        self.assertEqual(done.stdout.splitlines()[1].split(), ["a", "4.000", "2.000", "0.500", "1.250", "1.500"])
        self.assertEqual(done.stdout.splitlines()[-1].split(), ["geometric", "mean", "1.0000"])

    def test_the_build_that_runs_first_changes_with_the_round(self):
        self.program_of("old", *[[named("a", 1)]] * 3)
        self.program_of("new", *[[named("a", 1)]] * 3)
        self.assertEqual(self.call("--", "--log2", "9").returncode, 0)
        calls = (self.folder / "calls").read_text().splitlines()
        self.assertEqual([call.split()[0] for call in calls], ["old", "new", "new", "old", "old", "new"])
        self.assertEqual({call.partition(" ")[2] for call in calls}, {"--log2 9 --json"})

    def test_leaves_out_a_search_that_one_build_did_not_measure(self):
        self.program_of("old", [named("a", 1), named("b", 1), {"name": "no time"}])
        self.program_of("new", [named("b", 1), named("c", 1)])
        done = self.call("--rounds", "1")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], ["search", "b", "geometric"])

    def test_builds_without_a_common_search_are_an_error(self):
        self.program_of("old", [named("a", 1)])
        self.program_of("new", [named("b", 1)])
        done = self.call("--rounds", "1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no search in common", done.stderr)

    def test_a_program_that_fails_ends_the_comparison(self):
        self.program_of("old", [named("a", 1)])
        self.program_of("new")
        done = self.call()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"in-turns: error: exit code 3 from {self.folder}/new: it broke\n")

    def test_times_the_process_and_the_searches_of_a_command_of_kann(self):
        self.kann("kann", .5, None, .25)
        self.kann("kann.new", 1.5)
        rows = self.rows_of_kann("--rounds", "2", "--", "--data", "a b.ply", "-o", "out.npz")
        self.assertEqual(list(rows), ["command, process", "command, search"])
        self.assertGreater(rows["command, process"]["old_ms"], 0)
        self.assertEqual((rows["command, search"]["old_ms"], rows["command, search"]["new_ms"]), (750, 1500))
        calls = (self.folder / "calls").read_text().splitlines()
        self.assertEqual([call.split()[0] for call in calls], 2 * ["kann"] + 4 * ["kann.new"] + 2 * ["kann"])
        self.assertEqual(calls[0], "kann --data a b.ply -o out.npz --force --quiet")
        self.assertIn(" --force --quiet --report ", calls[1])

    def test_times_kann_with_commands_of_its_own(self):
        self.kann("kann", 1)
        self.kann("kann.new", 1)
        rows = self.rows_of_kann("--rounds", "1", "--cases", "--", "--device", "cpu")
        calls = (self.folder / "calls").read_text().splitlines()
        self.assertEqual(2 * len(rows), len(calls))
        self.assertEqual({"--device cpu --force --quiet" in call for call in calls}, {True})
        for what in ("36,000 points", "100 frames", "periodic box", "text"):
            self.assertIn(f"{what}, process", rows)


if __name__ == "__main__":
    unittest.main()
