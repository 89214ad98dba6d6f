"""The man page and the page of --generate markdown have the options of --help all: printed_pages_test.py PROGRAM."""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()


def printed(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


PAGE, HELP = printed("--generate", "man"), printed("--help", "all")


def options():
    """(letter or "", name, value or "") of each option in the help."""
    return re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?", HELP, re.MULTILINE)


def warnings(command):
    found = subprocess.run(command, input=PAGE, capture_output=True, text=True)
    return found.returncode, found.stderr


class ManPageTest(unittest.TestCase):
    def test_has_every_option_of_the_help_and_no_other(self):
        page = PAGE.replace("\\-", "-")
        expected = [(f"\\fB-{letter}\\fR, " if letter else "") + f"\\fB--{name}\\fR" + (f" \\fI{value}\\fR" if value else "")
                    for letter, name, value in options()]
        self.assertGreater(len(expected), 25)
        section = page[page.index(".SH OPTIONS"):page.index(".SH ENVIRONMENT")]
        self.assertEqual(re.findall(r"^\.TP\n(.*)$", section, re.MULTILINE), expected)

    def test_has_the_sections_that_readers_look_for(self):
        self.assertEqual(re.findall(r"^\.SH (.*)$", PAGE, re.MULTILINE),
                         ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES",
                          "SEE ALSO"])

    def test_has_the_exit_codes_of_the_help(self):
        page = PAGE
        section = page[page.index(".SH EXIT STATUS"):page.index(".SH EXAMPLES")]
        codes = re.findall(r"\b\d+\b", HELP[HELP.index("Exit codes:"):])
        self.assertEqual(sorted(map(int, re.findall(r"\b\d+\b", re.sub(r"\.TP\n(\.B\S* .*)\n.*", r"\1", section)))),
                         sorted(map(int, codes)))

    def test_has_the_variables_of_the_help(self):
        variables = re.findall(r"KANN_[A-Z]+", HELP)
        self.assertEqual(re.findall(r"^\.B (KANN_[A-Z]+)$", PAGE, re.MULTILINE), variables)
        self.assertTrue(variables)

    @unittest.skipUnless(shutil.which("man"), "there is no man")
    def test_man_has_no_warning(self):
        code, text = warnings(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-"])
        self.assertEqual((code, text), (0, ""))

    @unittest.skipUnless(shutil.which("groff"), "there is no groff")
    def test_groff_has_no_warning(self):
        code, text = warnings(["groff", "-ww", "-man", "-Tutf8", "-z"])
        self.assertEqual((code, text), (0, ""))

    @unittest.skipUnless(shutil.which("man"), "there is no man")
    def test_examples_are_shown_as_they_are_typed(self):
        shown = subprocess.run(["man", "-E", "ascii", "-l", "-"], input=PAGE, check=True, capture_output=True, text=True,
                               env={"MANWIDTH": "80", "PATH": "/usr/bin:/bin", "LC_ALL": "C"}).stdout
        for line in re.findall(r"^  (kann .*)$", HELP, re.MULTILINE):
            self.assertIn(line, re.sub(".\b", "", shown))


class OptionsPageTest(unittest.TestCase):
    def test_has_the_groups_and_options_of_the_help(self):
        page = printed("--generate", "markdown").replace("\\|", "|")
        options = re.findall(r"^  (?:-(\w), |    )(--[\w-]+(?: \S+)?)", HELP, re.MULTILINE)
        self.assertGreater(len(options), 25)
        self.assertEqual(re.findall(r"^\| (?:`-(\w)`, )?`(--[^`]*)` \| \S", page, re.MULTILINE), options)
        self.assertEqual(re.findall(r"^## (.*)$", page, re.MULTILINE), re.findall(r"^(\w.*):\n  .*--", HELP, re.MULTILINE))

    def test_every_row_has_three_cells(self):
        rows = re.findall(r"^\|.*$", printed("--generate", "markdown"), re.MULTILINE)
        self.assertEqual([row for row in rows if len(re.findall(r"(?<!\\)\|", row)) != 4], [])


if __name__ == "__main__":
    unittest.main()
