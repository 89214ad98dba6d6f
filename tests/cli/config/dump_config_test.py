"""What --dump-config prints, read by Python's TOML reader, and what Python takes as TOML or not, read by --config:
dump_config_test.py PROGRAM."""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

try:
    import tomllib
except ImportError:
    print("SKIPPED: Python has no tomllib (3.11 has)")
    sys.exit(0)

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("KANN_")}


def dump(*arguments):
    return subprocess.run([PROGRAM, "--dump-config", *arguments], capture_output=True, env=CLEAN)


class DumpTest(unittest.TestCase):
    def values(self, *arguments):
        done = dump(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return tomllib.loads(done.stdout.decode())

    def test_types_and_values(self):
        arguments = ["--data", "a.ply", "-k", "016", "--min-recall", ".5", "--verify", "7", "--force", "--exact",
                     "--columns", "x, y", "--device", "cuda:1", "--threads", "0"]
        self.assertEqual(self.values(*arguments),
                         {"data": "a.ply", "k": 16, "min-recall": 0.5, "verify": 7, "force": True, "method": "exact",
                          "columns": "x, y", "device": "cuda:1", "threads": 0})
        self.assertEqual(self.values("--verify"), {"verify": "all"})
        self.assertEqual(self.values(), {})

    def test_any_text_is_read_back(self):
        numbers = random.Random(5)
        letters = [chr(c) for c in range(1, 0x100)] + list("\u20ac\u2028\ufeff\U0001f600'\"\\\\\"\"''\n\t\r #=[]")
        for _ in range(200):
            text = "".join(numbers.choice(letters) for _ in range(numbers.randrange(1, 12)))
            self.assertEqual(self.values("--data=" + text), {"data": text}, ascii(text))

    def test_a_file_is_read_as_python_reads_it(self):
        values = ["8", "+8", "0o17", "1_6", "-0", "08", "0x", "8.5", "8.", ".5", "1e1", "inf", "true", "True", '"x"', "'x'",
                  '"""\nx"""', "'''x'''", '"\\x"', '"\\u00e4"', '"\\ud800"', "x", "", "[1", "{a=1}", "8 # c", "8 9",
                  "1979-05-27"]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "kann.toml")
            for value in values:
                file.write_text(f"output = {value}\n")
                try:
                    expected = tomllib.loads(file.read_text())["output"]
                except tomllib.TOMLDecodeError:
                    expected = None
                done = dump("--config", file)
                self.assertEqual(done.returncode, 0 if isinstance(expected, str) else 2, value)
                if isinstance(expected, str):
                    self.assertEqual(tomllib.loads(done.stdout.decode()), {"output": expected}, value)
                else:
                    self.assertEqual(b"output expects a string, got " in done.stderr, expected is not None, (value, done.stderr))


if __name__ == "__main__":
    unittest.main()
