"""The man page: man_page_test.py PROGRAM, which prints it. Its options are compared with those of --help all."""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()


def printed(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


PAGE = printed("--generate", "man")


def help_text():
    return printed("--help", "all")


def options():
    """(letter or "", name, value or "") of each option in the help."""
    return re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?", help_text(), re.MULTILINE)


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
        codes = re.findall(r"\b\d+\b", help_text()[help_text().index("Exit codes:"):])
        self.assertEqual(sorted(map(int, re.findall(r"\b\d+\b", re.sub(r"\.TP\n(\.B\S* .*)\n.*", r"\1", section)))),
                         sorted(map(int, codes)))

    def test_has_the_variables_of_the_help(self):
        variables = re.findall(r"KANN_[A-Z]+", help_text())
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
        for line in re.findall(r"^  (kann .*)$", help_text(), re.MULTILINE):
            self.assertIn(line, re.sub(".\b", "", shown))


if __name__ == "__main__":
    unittest.main()
