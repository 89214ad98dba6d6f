"""What kann info --json prints follows docs/info.schema.json, and objects without a key do not:
info_schema_test.py PROGRAM SCHEMA."""

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


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.validator = jsonschema.Draft202012Validator(SCHEMA)
        header = "ply\nformat ascii 1.0\ncomment EPSG:25832\nelement vertex {}\n" + "".join(
            f"property float {axis}\n" for axis in "xyz") + "end_header\n"
        for name, text in {"a.csv": "x,y,z,name,v\n0,0,1,a,1\n1,2,nan,b,NA\n", "flat.csv": "x,y\n1,2\n", "none.ply": header.format(0),
                           "some.ply": header.format(2) + "1 2 3\n4 5 6\n"}.items():
            (cls.folder / name).write_text(text)

    def objects(self, *arguments):
        run = subprocess.run([PROGRAM, "info", "--json", *arguments], cwd=self.folder, capture_output=True, text=True)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_objects_follow_it(self):
        objects = self.objects("a.csv", "nope.ply", "flat.csv", "none.ply", "some.ply")
        self.assertEqual(len(objects), 5)
        for one in objects:
            self.assertEqual([error.message for error in self.validator.iter_errors(one)], [], one["path"])
        self.assertEqual(objects[3]["coordinate_system"], {"name": None, "epsg": 25832})

    def test_every_key_is_required(self):
        for one in self.objects("a.csv", "nope.ply"):
            for key in one:
                if key != "error":
                    self.assertFalse(self.validator.is_valid({k: v for k, v in one.items() if k != key}), key)


if __name__ == "__main__":
    unittest.main()
