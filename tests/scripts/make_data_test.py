"""scripts/make_data writes the same bytes as the files in data/ on every machine."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class MakeDataTest(unittest.TestCase):
    def test_writes_the_files_of_data(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([ROOT / "scripts" / "make_data", folder], check=True, stdout=subprocess.DEVNULL)
            written = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
        kept = {path.name: path.read_bytes() for path in (ROOT / "data").iterdir() if path.suffix in (".ply", ".npy")}
        self.assertEqual(sorted(written), sorted(kept))
        for name, content in written.items():
            self.assertTrue(content == kept[name], f"{name} differs")

    def test_ply_and_npy_hold_the_same_points(self):
        for ply in (ROOT / "data").glob("*.ply"):
            body = ply.read_bytes().partition(b"end_header\n")[2]
            npy = ply.with_suffix(".npy").read_bytes()
            start = 10 + int.from_bytes(npy[8:10], "little")
            self.assertEqual(start % 64, 0, f"{ply.stem}.npy is not aligned")
            self.assertTrue(body == npy[start:], f"{ply.stem} differs")


if __name__ == "__main__":
    unittest.main()
