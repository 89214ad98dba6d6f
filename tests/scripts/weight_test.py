"""The project weighs no more than CONTRIBUTING.md says, in the build whose folder is the argument, and scripts/weight fails
where it weighs more, or where a commit raises a limit and does not say what for."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop())


def weigh(root, *arguments):
    return subprocess.run([root / "scripts" / "weight", *arguments], capture_output=True, text=True, check=False)


class WeightTest(unittest.TestCase):
    def with_limits(self, change):
        """The output for a tree in which `change` has been made to the page with the limits."""
        with tempfile.TemporaryDirectory(prefix="a tree ") as folder:
            root = pathlib.Path(folder)
            (root / "scripts").mkdir()
            shutil.copy(ROOT / "scripts" / "weight", root / "scripts")
            shutil.copy(ROOT / "README.md", root)
            (root / "CONTRIBUTING.md").write_text(change((ROOT / "CONTRIBUTING.md").read_text("utf-8")), "utf-8")
            return weigh(root, BUILD)

    def test_no_limit_is_passed(self):
        done = weigh(ROOT, BUILD)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("words of README.md", done.stdout)
        self.assertNotIn("ABOVE", done.stdout)

    def test_every_count_fails_above_its_limit(self):
        kept = self.with_limits(lambda text: text)
        self.assertEqual(kept.returncode, 0, kept.stderr)
        done = self.with_limits(lambda text: re.sub(r"\| [0-9,]+ \|$", "| 0 |", text, flags=re.MULTILINE))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout.count("ABOVE the limit of 0"), kept.stdout.count("at most"))

    def test_a_page_without_limits_is_an_error(self):
        done = self.with_limits(lambda text: "")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("no table of limits", done.stderr)

    def test_a_folder_without_the_program_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(weigh(ROOT, folder).returncode, 2)


class AgainstTest(unittest.TestCase):
    """Commits made here, whose page has limits alone."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a tree ")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts" / "weight", self.root / "scripts")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("commit", "--quiet", "--allow-empty", "-m", "Begin")
        self.first = self.commit("Set limits", words=10, lines=20)

    def git(self, *arguments):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *arguments],
                              cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def write(self, **limits):
        rows = "".join(f"| {what} | {limit:,} |\n" for what, limit in limits.items())
        (self.root / "CONTRIBUTING.md").write_text(f"<!-- weight -->\n| what | limit |\n|---|---|\n{rows}<!-- end -->\n")

    def commit(self, message, **limits):
        self.write(**limits)
        self.git("add", "CONTRIBUTING.md")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def assert_raises(self, commit, text, base="HEAD^"):
        done = weigh(self.root, "--against", base)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        self.assertIn(f"{commit[:10]} raises a limit", done.stdout)
        self.assertIn(text, done.stdout)

    def assert_passes(self, base="HEAD^"):
        done = weigh(self.root, "--against", base)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_a_limit_that_stays_falls_or_is_new_needs_no_word(self):
        self.assert_passes()
        self.commit("Say less", words=9, lines=20, files=1000)
        self.assert_passes()

    def test_a_raised_limit_needs_a_line(self):
        raised = self.commit("Say more\n\nIts Weight: is told inside of a line", words=1100, lines=20)
        self.assert_raises(raised, "words: 10 → 1,100")
        self.git("commit", "--quiet", "--amend", "-m", "Say more\n\nWeight:\n")
        self.assert_raises(self.git("rev-parse", "HEAD"), "words: 10 → 1,100")
        self.git("commit", "--quiet", "--amend", "-m", "Say more\n\nWeight: a new format, in two pages\n")
        self.assert_passes()

    def test_a_limit_that_goes_needs_a_line(self):
        self.assert_raises(self.commit("Count no lines", words=10), "lines: 20 → no limit")

    def test_every_commit_since_the_base_is_looked_at(self):
        raised = self.commit("Say more", words=11, lines=20)
        self.commit("Say less", words=10, lines=20)
        self.assert_passes()
        self.assert_raises(raised, "words: 10 → 11", base=self.first)

    def test_a_merge_takes_the_limits_of_its_parents(self):
        self.git("checkout", "--quiet", "-b", "other")
        explained = self.commit("Say more\n\nWeight: a new page", words=12, lines=20)
        self.git("checkout", "--quiet", "main")
        self.commit("Drop lines", words=10, lines=15)
        self.git("merge", "--quiet", "--no-commit", "--strategy=ours", explained)
        self.commit("Merge the page", words=12, lines=15)
        self.assert_passes()
        self.write(words=13, lines=15)
        self.git("commit", "--quiet", "--amend", "-a", "-m", "Merge the page")
        self.assert_raises(self.git("rev-parse", "HEAD"), "words: 12 → 13")

    def test_a_commit_that_is_not_there_is_an_error(self):
        done = weigh(self.root, "--against", "none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("weight: error: ", done.stderr)

    def test_a_shallow_clone_does_not_pass(self):
        clone = self.root / "clone"
        self.commit("Say more", words=11, lines=20)
        subprocess.run(["git", "clone", "--quiet", "--depth=1", self.root.as_uri(), clone], check=True)
        shutil.copytree(self.root / "scripts", clone / "scripts")
        done = weigh(clone, "--against", "HEAD")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("this clone is shallow", done.stderr)
        subprocess.run(["git", "-C", clone, "fetch", "--quiet", "--unshallow"], check=True)
        self.assertEqual(weigh(clone, "--against", "HEAD").returncode, 0)
        self.assertEqual(weigh(clone, "--against", "HEAD^").returncode, 1)


if __name__ == "__main__":
    unittest.main()
