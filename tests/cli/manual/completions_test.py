"""What shells complete: completions_test.py PROGRAM, which prints the scripts. The options are compared with those of
--help; bash, and fish and zsh if they are there, run their scripts."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SCRIPTS = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(SCRIPTS.name)
for shell, name in ("bash", "kann.bash"), ("zsh", "_kann"), ("fish", "kann.fish"):
    with (FOLDER / name).open("wb") as script:
        subprocess.run([PROGRAM, "--generate", f"complete-{shell}"], check=True, stdout=script)
HELP = subprocess.run([PROGRAM, "--help", "all"], check=True, capture_output=True, text=True).stdout
OPTIONS = re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?", HELP, re.MULTILINE)
FLAGS = sorted(f"--{name}" for _, name, _ in OPTIONS)
POINTS, RESULTS = "ply xyz txt csv tsv npy npz pcd las laz fvecs fbin kitti", ("npz npy csv tsv bin ivecs ibin fvecs fbin mtx ply "
                                                                             "las laz cloud-csv")
WORDS = {  # written out, so that a word lost from the table is noticed; formats are checked against --help below
    "--device": "auto cpu cuda", "--method": "exact shifted-sort paper", "--invalid": "error skip",
    "--progress": "auto always never", "--color": "auto always never", "--data-format": POINTS, "--query-format": POINTS,
    "--output-format": RESULTS, "--k": "all", "--pairs": "both half", "--by": "nearest mean idw vote rbf", "--view": "auto top front iso",
    "--picture-by": "distance mean_distance median_distance neighbours density outlier cluster rgb", "--match": "mutual one-to-one",
    "--rbf": "kernel=thin_plate_spline kernel=cubic kernel=linear kernel=gaussian",
    "--generate": "man complete-bash complete-zsh complete-fish markdown"}


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("pts.ply", "p q.npy"):
            (self.folder / name).touch()

    def output_of(self, command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


class BashTest(InFolder):
    """Words are split as readline splits them: `=` is a word of its own."""

    def reply(self, *words):
        script = 'source "$1"; shift; COMP_WORDS=(kann "$@"); COMP_CWORD=$#; _kann; printf "%s\\n" "${COMPREPLY[@]}"'
        return sorted(self.output_of(["bash", "-c", script, "bash", str(FOLDER / "kann.bash"), *words]).splitlines())

    def test_an_option_is_completed(self):
        self.assertEqual(self.reply("--min-rec"), ["--min-recall"])
        self.assertEqual(self.reply("--force", "--outp"), ["--output", "--output-format", "--output-per-rank"])
        self.assertEqual(self.reply("--"), FLAGS)
        self.assertEqual(self.reply("--force", "--"), FLAGS)
        self.assertEqual(self.reply("--nonsense"), [""])

    def test_words_are_completed(self):
        for option, words in WORDS.items():
            self.assertEqual(self.reply(option, ""), sorted(words.split()), option)
        self.assertEqual(self.reply("--device", "cu"), ["cuda"])
        self.assertEqual(self.reply("--device", "="), ["auto", "cpu", "cuda"])
        self.assertEqual(self.reply("--device", "=", "cp"), ["cpu"])

    def test_files_are_completed_where_they_are_expected(self):
        files = [f"--{name}" for _, name, value in OPTIONS if value == "FILE"]
        self.assertGreater(len(files), 3)
        for option in [*files, "-o"]:
            self.assertEqual(self.reply(option, "p"), ["p q.npy", "pts.ply"], option)
        self.assertEqual(self.reply("--data", "=", "pts"), ["pts.ply"])

    def test_words_are_files_or_subcommands(self):
        self.assertEqual(self.reply(""), ["check", "info", "p q.npy", "pts.ply"])
        self.assertEqual(self.reply("ch"), ["check"])
        self.assertEqual(self.reply("in"), ["info"])
        self.assertEqual(self.reply("pts.ply", ""), ["p q.npy", "pts.ply"])
        self.assertEqual(self.reply("--verify", "pt"), ["pts.ply"])
        self.assertEqual(self.reply("info", "p"), ["p q.npy", "pts.ply"])
        self.assertEqual(self.reply("info", "pts.ply", "--js"), ["--json"])
        self.assertEqual(self.reply("info", "--header", "y"), ["yes"])

    def test_nothing_is_offered_for_numbers(self):
        for option in ("--shifts", "--min-recall", "--columns", "--grid"):
            self.assertEqual(self.reply(option, ""), [""], option)

    def test_an_option_follows_verify_and_flags(self):
        for option in ("--verify", "--force", "-q"):
            self.assertEqual(self.reply(option, "--js"), ["--json"])

    def test_the_syntax_is_right(self):
        self.assertEqual(self.output_of(["bash", "-n", str(FOLDER / "kann.bash")]), "")

    def test_the_script_is_registered(self):
        script = 'source "$1"; complete -p kann'
        self.assertEqual(self.output_of(["bash", "-c", script, "bash", str(FOLDER / "kann.bash")]),
                         "complete -F _kann kann\n")


class TableTest(unittest.TestCase):
    def test_every_option_is_in_each_script(self):
        self.assertGreater(len(OPTIONS), 25)
        fish = re.findall(r"^complete -c kann -l (\S+)(?: -s (\w))?", (FOLDER / "kann.fish").read_text(), re.MULTILINE)
        self.assertEqual(fish, [(name, letter) for letter, name, _ in OPTIONS])
        zsh = (FOLDER / "_kann").read_text()
        self.assertTrue(zsh.startswith("#compdef kann\n"))
        self.assertEqual(re.findall(r"--([\w-]+)=?(?:\}'|)\[", zsh), [name for _, name, _ in OPTIONS])
        self.assertEqual(re.findall(r"\{-(\w)", zsh), [letter for letter, _, _ in OPTIONS if letter])

    def test_words_are_in_each_script(self):
        fish, zsh = (FOLDER / "kann.fish").read_text(), (FOLDER / "_kann").read_text()
        for option, words in WORDS.items():
            self.assertRegex(fish, f" -l {option[2:]}( -s .)? -x -a '{words}' -d ")
            escaped = words.replace(":", r"\\:")  # a colon would end the list
            self.assertRegex(zsh, f"{option}=.*:\\({escaped}\\)'")

    def test_formats_are_those_of_the_help(self):
        for formats in (POINTS, RESULTS):
            *first, last = formats.split()
            self.assertIn(f"{', '.join(first)} or {last}", " ".join(HELP.split()))


@unittest.skipUnless(shutil.which("fish"), "there is no fish")
class FishTest(InFolder):
    def complete(self, line):
        out = self.output_of(["fish", "--no-config", "-c", f"source {FOLDER}/kann.fish; complete -C '{line}'"])
        return [candidate.split("\t")[0] for candidate in out.splitlines()]

    def test_completes(self):
        self.assertEqual(self.complete("kann --min"), ["--min-recall"])
        self.assertEqual(sorted(self.complete("kann --device ")), ["auto", "cpu", "cuda"])
        for line in "kann --data pt", "kann pt", "kann info pt":
            self.assertEqual(self.complete(line), ["pts.ply"])


@unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
class ZshTest(InFolder):
    def test_the_syntax_is_right(self):
        self.assertEqual(self.output_of(["zsh", "-n", str(FOLDER / "_kann")]), "")


if __name__ == "__main__":
    unittest.main()
