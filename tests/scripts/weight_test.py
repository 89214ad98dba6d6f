"""The project weighs no more than CONTRIBUTING.md says, in the build whose folder is the argument, and scripts/weight fails
where it weighs more."""

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


if __name__ == "__main__":
    unittest.main()
