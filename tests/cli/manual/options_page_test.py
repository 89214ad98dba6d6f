"""docs/guide/options.md is what the program prints: options_page_test.py PROGRAM. Its options are those of --help all."""

import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
FILE = pathlib.Path(__file__).resolve().parents[3] / "docs/guide/options.md"


def printed(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


class OptionsPageTest(unittest.TestCase):
    maxDiff = None

    def test_the_file_is_what_the_program_prints(self):
        self.assertEqual(FILE.read_text(), printed("--generate", "markdown"),
                         f"{FILE} is old; build/cpu/kann --generate markdown > docs/guide/options.md makes it anew")

    def test_has_the_groups_and_options_of_the_help(self):
        text = printed("--help", "all")
        page = FILE.read_text().replace("\\|", "|")
        options = re.findall(r"^  (?:-(\w), |    )(--[\w-]+(?: \S+)?)", text, re.MULTILINE)
        self.assertGreater(len(options), 25)
        self.assertEqual(re.findall(r"^\| (?:`-(\w)`, )?`(--[^`]*)` \| \S", page, re.MULTILINE), options)
        self.assertEqual(re.findall(r"^## (.*)$", page, re.MULTILINE), re.findall(r"^(\w.*):\n  .*--", text, re.MULTILINE))

    def test_every_row_has_three_cells(self):
        rows = re.findall(r"^\|.*$", FILE.read_text(), re.MULTILINE)
        self.assertEqual([row for row in rows if len(re.findall(r"(?<!\\)\|", row)) != 4], [])


if __name__ == "__main__":
    unittest.main()
