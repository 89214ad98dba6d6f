"""What the tests of the schemas in docs/ share: NAME_schema_test.py PROGRAM SCHEMA. Each is a case of the class below."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("SKIPPED: Python has no jsonschema (python3-jsonschema)")
    sys.exit(0)

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SCHEMA = json.loads(pathlib.Path(sys.argv.pop(1)).read_text())


class SchemaCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.validator = jsonschema.Draft202012Validator(SCHEMA)

    def run_kann(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True)

    def faults(self, one):
        return [f"{list(error.path)}: {error.message}" for error in self.validator.iter_errors(one)]

    def assert_keys_are_required(self, one, but=()):
        for key in one:
            if key not in but:
                self.assertNotEqual(self.faults({k: v for k, v in one.items() if k != key}), [], key)

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
