"""The project weighs no more than CONTRIBUTING.md says, in the build whose folder is the argument, and scripts/weight fails
where it weighs more."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop())


def weigh(*arguments):
    return subprocess.run([ROOT / "scripts" / "weight", *arguments], capture_output=True, text=True, check=False)


class WeightTest(unittest.TestCase):
    def test_no_limit_is_passed(self):
        done = weigh(BUILD)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("words of README.md", done.stdout)
        self.assertNotIn("ABOVE", done.stdout)

    def test_every_count_fails_above_its_limit(self):
        text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            file.write(re.sub(r"\| [0-9,]+ \|$", "| 0 |", text, flags=re.MULTILINE))
            file.flush()
            done = weigh(BUILD, "--limits", file.name)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout.count("ABOVE the limit of 0"), weigh(BUILD).stdout.count("at most"))

    def test_a_table_without_limits_is_an_error(self):
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            done = weigh(BUILD, "--limits", file.name)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no table of limits", done.stderr)

    def test_a_folder_without_the_program_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(weigh(folder).returncode, 2)


if __name__ == "__main__":
    unittest.main()
