"""What Python takes as TOML or not, read by --config: config_toml_test.py PROGRAM. The plan of the run says what was read."""

import json
import os
import pathlib
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
VALUES = ["8", "+8", "0o17", "1_6", "-0", "08", "0x", "8.5", "8.", ".5", "1e1", "inf", "true", "True", '"x.csv"', "'x.csv'",
          '"""\nx.csv"""', "'''x.csv'''", '"\\x.csv"', '"\\u00e4.csv"', '"\\ud800.csv"', "x", "", "[1", "{a=1}", "8 # c", "8 9",
          "1979-05-27", '"a\\tb\\\\\\"c\\u0007.csv"', "'\\u00e4.csv'", '"\u00e4\u20ac\u2028\U0001f600.csv"', '"a#b.csv" # c',
          '"a\\\n  b.csv"', '"""a\\\n  b.csv"""']


class TomlTest(unittest.TestCase):
    def test_a_file_is_read_as_python_reads_it(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "kann.toml")
            pathlib.Path(folder, "p.xyz").write_text("0 0 0\n1 1 1\n")
            for value in VALUES:
                text = f"output = {value}\n"
                file.write_bytes(text.encode())
                try:
                    expected = tomllib.loads(text)["output"]
                except tomllib.TOMLDecodeError:
                    expected = None
                done = subprocess.run([PROGRAM, "--data", "p.xyz", "--device", "cpu", "--config", file, "--plan", "--json"],
                                      capture_output=True, cwd=folder, env=CLEAN)
                if isinstance(expected, str):
                    self.assertEqual(done.returncode, 0, (value, done.stderr))
                    self.assertEqual(json.loads(done.stdout)["outputs"][0]["path"], expected, value)
                else:
                    self.assertEqual(done.returncode, 2, value)
                    self.assertEqual(b"output expects a string, got " in done.stderr, expected is not None, (value, done.stderr))


if __name__ == "__main__":
    unittest.main()
