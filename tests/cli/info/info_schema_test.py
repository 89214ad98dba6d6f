"""What kann info --json prints follows docs/info.schema.json, and objects without a key do not:
info_schema_test.py PROGRAM SCHEMA."""

import json
import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import schema_case  # noqa: E402


class SchemaTest(schema_case.SchemaCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        header = "ply\nformat ascii 1.0\ncomment EPSG:25832\nelement vertex {}\n" + "".join(
            f"property float {axis}\n" for axis in "xyz") + "end_header\n"
        for name, text in {"a.csv": "x,y,z,name,v\n0,0,1,a,1\n1,2,nan,b,NA\n", "flat.csv": "x,y\n1,2\n", "none.ply": header.format(0),
                           "some.ply": header.format(2) + "1 2 3\n4 5 6\n"}.items():
            (cls.folder / name).write_text(text)

    def objects(self, *arguments):
        return [json.loads(line) for line in self.run_kann("info", "--json", *arguments).stdout.splitlines()]

    def test_objects_follow_it(self):
        objects = self.objects("a.csv", "nope.ply", "flat.csv", "none.ply", "some.ply")
        self.assertEqual(len(objects), 5)
        for one in objects:
            self.assertEqual(self.faults(one), [], one["path"])
        self.assertEqual(objects[3]["coordinate_system"], {"name": None, "epsg": 25832, "unit": None})

    def test_every_key_is_required(self):
        for one in self.objects("a.csv", "nope.ply"):
            self.assert_keys_are_required(one, but=["error"])


if __name__ == "__main__":
    unittest.main()
