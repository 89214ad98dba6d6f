"""Every test that docs/reliability.md names is there: reliability_test.py BUILD_FOLDER.

Those of CUDA are looked for in their sources, as a build may be without CUDA, and so are those of tests/python/.
"""

import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = re.compile(r"`((?:formats|cli|cpu|search|fuzz|base|geometry|accuracy|flow|cuda|scripts|ways|\w+_test)\.[^` ]+)`")


def main():
    listing = subprocess.run(["ctest", "--test-dir", sys.argv[1], "-N"], check=True, capture_output=True, text=True).stdout
    tests = re.findall(r"^ *Test +#\d+: (\S+)", listing, re.MULTILINE)
    for source in (ROOT / "tests" / "cuda").rglob("*_test.c*"):
        found = re.findall(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", source.read_text(encoding="utf-8"), re.MULTILINE)
        tests += [f"cuda.{suite}.{test}" for suite, test in found]
    for source in (ROOT / "tests" / "python").glob("*_test.py"):
        suite = ""
        for suite_here, test in re.findall(r"^class (\w+)|^    def (test_\w+)", source.read_text(encoding="utf-8"), re.MULTILINE):
            suite = suite_here or suite
            tests += [f"{source.stem}.{suite}.{test}"] if test else []
    names = NAME.findall((ROOT / "docs" / "reliability.md").read_text(encoding="utf-8"))
    # A suite stands for its tests; one with parameters has the name of their table before it.
    missing = [name for name in names
               if not any(fnmatch.fnmatchcase(test, pattern) for test in tests for pattern in (name, name + ".*", name + "/*"))]
    if len(names) < 20 or not tests:
        sys.exit(f"{len(names)} names in the document, {len(tests)} tests in the build")
    if missing:
        sys.exit("docs/reliability.md names tests that do not exist: " + ", ".join(missing))


if __name__ == "__main__":
    main()
