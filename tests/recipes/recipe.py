"""What the tests of docs/recipes share: the code blocks of a page, a folder to run them in, clouds, and brute force.

A test is run as `PAGE_test.py KANN CLASS`. It runs the blocks as a reader would copy them, with the files that the page
names and `kann` on PATH. Exit code 77: skipped, as a program or package is not installed; the output names it.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
SYSTEM_PYTHON = "/usr/bin/python3"
PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "recipes"

try:
    import numpy
except ImportError:  # the interpreter that CMake found may not be the one that has Debian's packages
    if pathlib.Path(SYSTEM_PYTHON).exists() and sys.executable != SYSTEM_PYTHON:
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    print("skipped: Python has no numpy (python3-numpy)")
    sys.exit(SKIPPED)

INTERPRETERS = {"sh": ["sh", "-e"], "bash": ["bash", "-e"], "python": [sys.executable, "-"], "r": ["Rscript", "-"],
                "julia": ["julia", "-"]}


def blocks(page, languages):
    """The code of each block of the page; the languages, in order, must be those that the test knows."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", (PAGES / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if [language for language, _ in found] != languages.split():
        raise AssertionError(f"{page} has blocks of {[language for language, _ in found]}, its test expects {languages}")
    return [code for _, code in found]


def brute_force(data, queries, k, self_query=False):
    """Ids and distances of the k nearest, nearest first, in float64: n x k each."""
    squares = ((queries[:, None].astype("f8") - data[None].astype("f8")) ** 2).sum(2)
    if self_query:
        numpy.fill_diagonal(squares, numpy.inf)
    ids = numpy.argsort(squares, axis=1, kind="stable")[:, :k]
    return ids, numpy.sqrt(numpy.take_along_axis(squares, ids, 1))


def scene(seed, count):
    """Ground with a wall, metres, float32: as far from a plane or a cube as scans are."""
    random = numpy.random.default_rng(seed)
    ground = random.uniform((0, 0, 0), (30, 20, 0.1), (count * 2 // 3, 3))
    wall = random.uniform((10, 5, 0), (10.1, 15, 3), (count - len(ground), 3))
    return random.permutation(numpy.concatenate([ground, wall])).astype("f4")


def python_with(package):
    """The interpreter at hand, or that of the environment which attributes.scipy makes in the build folder; else None."""
    made = KANN.parent / "scipy_environment" / "bin" / "python"
    for python in filter(None, (sys.executable, shutil.which("python3"), shutil.which(made))):
        if subprocess.run([python, "-c", f"import {package}"], check=False, capture_output=True).returncode == 0:
            return python
    return None


class RecipeTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "kann").symlink_to(KANN)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("KANN_")}
        self.environment["PATH"] = f"{self.folder / 'bin'}:{os.environ['PATH']}"

    def needs(self, program):
        if not shutil.which(program):
            self.skipTest(f"{program} is not installed")

    def run_block(self, code, language="sh", exit_code=0):
        """Runs a block in the folder; returns its stdout and stderr. A block that hangs fails, with all that it started."""
        process = subprocess.Popen(INTERPRETERS[language], cwd=self.folder, env=self.environment, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        try:
            output, messages = process.communicate(code, timeout=300)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.fail(f"does not end:\n{code}\n{process.communicate()}")
        self.assertEqual(process.returncode, exit_code, f"{code}\n{output}\n{messages}")
        return output, messages

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def write_ply(self, name, points):
        header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
        header += "".join(f"property float {axis}\n" for axis in "xyz") + "end_header\n"
        self.write(name, header.encode() + points.astype("<f4").tobytes())

    def read_ply(self, name):
        """The points of a binary PLY file, as a structured array."""
        types = {"float": "<f4", "double": "<f8", "int": "<i4", "uchar": "u1"}
        header, body = (self.folder / name).read_bytes().split(b"end_header\n", 1)
        properties = re.findall(r"^property (\w+) (\w+)$", header.decode(), re.MULTILINE)
        return numpy.frombuffer(body, [(name, types[kind]) for kind, name in properties])

    def assert_is_picture(self, name):
        self.assertTrue((self.folder / name).read_bytes().startswith(b"\x89PNG"), name)

    def assert_result(self, name, expected):
        """The npz file has the ids and the distances of brute force."""
        with numpy.load(self.folder / name) as result:
            numpy.testing.assert_array_equal(result["ids"], expected[0])
            numpy.testing.assert_allclose(result["distances"], expected[1], rtol=1e-6)


def main():
    """Runs the classes named on the command line, or all; exit code 77 if a test was skipped and none failed."""
    program = unittest.main(module="__main__", exit=False, verbosity=2)
    if not program.result.wasSuccessful() or not program.result.testsRun:
        sys.exit(1)
    if program.result.skipped:
        print("skipped: " + "; ".join(sorted({why for _, why in program.result.skipped})))
        sys.exit(SKIPPED)


if len(sys.argv) < 2:
    sys.exit("expects the path of kann, and the classes to run")
KANN = pathlib.Path(sys.argv.pop(1)).resolve()
