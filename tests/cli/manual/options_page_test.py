"""The page of --generate markdown has the options of --help all: options_page_test.py PROGRAM."""

import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()


def printed(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


class OptionsPageTest(unittest.TestCase):
    def test_has_the_groups_and_options_of_the_help(self):
        text = printed("--help", "all")
        page = printed("--generate", "markdown").replace("\\|", "|")
        options = re.findall(r"^  (?:-(\w), |    )(--[\w-]+(?: \S+)?)", text, re.MULTILINE)
        self.assertGreater(len(options), 25)
        self.assertEqual(re.findall(r"^\| (?:`-(\w)`, )?`(--[^`]*)` \| \S", page, re.MULTILINE), options)
        self.assertEqual(re.findall(r"^## (.*)$", page, re.MULTILINE), re.findall(r"^(\w.*):\n  .*--", text, re.MULTILINE))

    def test_every_row_has_three_cells(self):
        rows = re.findall(r"^\|.*$", printed("--generate", "markdown"), re.MULTILINE)
        self.assertEqual([row for row in rows if len(re.findall(r"(?<!\\)\|", row)) != 4], [])


if __name__ == "__main__":
    unittest.main()
