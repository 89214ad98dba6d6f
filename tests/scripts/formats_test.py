"""kann reads what other programs write: formats_test.py KANN ENVIRONMENT.

Clouds are written by numpy, plyfile, laspy, pypcd4 and Python's csv, from PyPI in a virtual environment that is made in
the folder ENVIRONMENT and kept there. Of each, the exact answer of kann has the bytes of the answer for the same cloud
in NPY, which is checked against brute force in numpy. Exit code 77: skipped, as the packages cannot be installed.
"""

import csv
import json
import pathlib
import subprocess
import sys
import unittest

from folder_case import FolderCase

PACKAGES = ("numpy", "plyfile", "laspy", "pypcd4")
SKIPPED = 77
COUNT = 500


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def python_with_packages(folder, packages=PACKAGES):
    """The interpreter of the environment, which is made where it is not there or not whole."""
    python, whole = folder / "bin" / "python", folder / "whole"
    wanted = " ".join(packages)
    if whole.exists() and whole.read_text() == wanted and python.exists():
        return python
    steps = ([sys.executable, "-m", "venv", "--clear", folder],
             [python, "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "10", *packages])
    for step in steps:
        try:
            done = subprocess.run(step, capture_output=True, text=True, timeout=300, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            skip(f"no virtual environment with {wanted}: {error}")
        if done.returncode:
            skip(f"no virtual environment with {wanted}: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
    whole.write_text(wanted)
    return python


class FormatsTest(FolderCase):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(7)
        self.float32 = random.normal(scale=(1000, 100, 10), size=(COUNT, 3)).astype("f4")
        self.float32[-20:] = self.float32[:20]  # duplicates: ties, which the ids decide
        self.float64 = self.float32 / 3.0 + (636000.123, 4851000.456, 100)
        # From four places off one plane, all distances of a cloud tell all its coordinates.
        self.places = numpy.array([[0, 0, 0], [1e3, 0, 0], [0, 1e3, 0], [0, 0, 1e3]])

    def answer(self, name, origin, *options):
        """The distances of all points from the four places, as kann writes them."""
        numpy.save(self.path("places.npy"), self.places[:, :len(origin)] + origin)
        done = subprocess.run([KANN, "--data", self.path(name), "--query", self.path("places.npy"), "--exact", "-k",
                               str(COUNT), "--device", "cpu", "-o", "-", "--output-format", "bin", *options],
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertNotIn(b"warning", done.stderr)
        return done.stdout

    def check(self, cloud, names, *options):
        """Every file has the cloud, bit for bit."""
        origin = cloud[0].astype("f8")
        numpy.save(self.path("same.npy"), cloud)
        expected = self.answer("same.npy", origin)
        self.check_by_brute_force(cloud, origin, expected)
        for name in names:
            with self.subTest(name):
                self.assertEqual(self.answer(name, origin, *options), expected)

    def check_by_brute_force(self, cloud, origin, answer):
        places = self.places[:, :cloud.shape[1]] + origin
        exact = numpy.sqrt(((cloud.astype("f8")[None] - places[:, None]) ** 2).sum(2))
        ids = numpy.frombuffer(answer, "i4", len(places) * COUNT, 8).reshape(len(places), COUNT)
        distances = numpy.frombuffer(answer, "f4", offset=8 + 4 * ids.size).reshape(ids.shape)
        self.assertTrue((numpy.sort(ids, 1) == numpy.arange(COUNT)).all())
        numpy.testing.assert_allclose(distances, numpy.take_along_axis(exact, ids, 1), rtol=1e-6)
        self.assertTrue((numpy.diff(distances, axis=1) >= 0).all())

    def test_ply_of_plyfile(self):
        for cloud, kind in ((self.float32, "f4"), (self.float64, "f8")):
            vertices = numpy.empty(COUNT, [("red", "u1"), ("x", kind), ("y", kind), ("z", kind), ("label", "i2")])
            vertices["red"], vertices["label"] = 7, -7
            for axis, name in enumerate("xyz"):
                vertices[name] = cloud[:, axis]
            faces = numpy.array([([0, 1, 2],)], [("vertex_indices", "i4", (3,))])
            for name, text, order in (("ascii", True, "="), ("little", False, "<"), ("big", False, ">")):
                elements = [plyfile.PlyElement.describe(faces, "face"), plyfile.PlyElement.describe(vertices, "vertex")]
                plyfile.PlyData(elements, text=text, byte_order=order).write(self.path(f"{name}.ply"))
            # plyfile writes floats in ASCII with 18 digits.
            self.check(cloud, ["ascii.ply", "little.ply", "big.ply"])

    def test_pcd_of_pypcd4(self):
        for cloud, kind in ((self.float32, numpy.float32), (self.float64, numpy.float64)):
            intensity = numpy.arange(COUNT, dtype=kind)[:, None]
            packed = numpy.hstack([intensity, cloud[:, :2], intensity, cloud[:, 2:]])
            points = pypcd4.PointCloud.from_points(
                list(packed.T), ("i", "x", "y", "label", "z"), (numpy.uint16, kind, kind, numpy.int32, kind))
            names = []
            for encoding in pypcd4.Encoding.BINARY, pypcd4.Encoding.BINARY_COMPRESSED:
                names.append(f"{encoding.name.lower()}.pcd")
                points.save(self.path(names[-1]), encoding=encoding)
            self.check(cloud, names)

    def test_pcd_of_pypcd4_in_ascii_is_what_pypcd4_reads(self):
        points = pypcd4.PointCloud.from_xyz_points(self.float32)
        points.save(self.path("ascii.pcd"), encoding=pypcd4.Encoding.ASCII)
        cloud = pypcd4.PointCloud.from_path(self.path("ascii.pcd")).numpy(("x", "y", "z")).astype("f4")
        self.check(cloud, ["ascii.pcd"])

    def test_pcd_that_cannot_be_compressed(self):
        cloud = numpy.random.default_rng(3).normal(size=(COUNT, 3)).astype("f4")
        points = pypcd4.PointCloud.from_xyz_points(cloud)
        points.save(self.path("random.pcd"), encoding=pypcd4.Encoding.BINARY_COMPRESSED)
        self.check(cloud, ["random.pcd"])

    def test_las_of_laspy(self):
        formats = {"1.2": range(4), "1.3": range(6), "1.4": range(11)}
        for version, numbers in formats.items():
            for number in numbers:
                header = laspy.LasHeader(point_format=number, version=version)
                header.offsets, header.scales = (636000, 4850000, 0), (0.01, 0.001, 0.0001)
                header.vlrs.append(laspy.VLR("user", 7, "a record", b"its data"))
                header.add_extra_dim(laspy.ExtraBytesParams("extra", "f8"))
                las = laspy.LasData(header)
                las.x, las.y, las.z = self.float64.T
                las.extra = numpy.arange(COUNT)
                las.write(self.path("cloud.las"))
                with self.subTest(version=version, format=number):
                    self.check(numpy.array(laspy.read(self.path("cloud.las")).xyz), ["cloud.las"])

    def test_npz_of_numpy(self):
        others = {"label": numpy.arange(COUNT), "name": numpy.array("a cloud"), "normal": numpy.ones((COUNT, 4))}
        for cloud in (self.float32, self.float64, numpy.asfortranarray(self.float64), self.float32.astype(">f4")):
            numpy.savez(self.path("points.npz"), points=cloud, normals=cloud + 1, **others)
            numpy.savez_compressed(self.path("xyz.npz"), xyz=cloud, normals=cloud + 1, **others)
            numpy.savez_compressed(self.path("only.npz"), cloud=cloud, **others)
            numpy.savez(self.path("alone.npz"), cloud)
            self.check(cloud, ["points.npz", "xyz.npz", "only.npz", "alone.npz"])

    def test_vectors_of_numpy(self):
        for cloud in (self.float32, self.float32[:, :2].copy()):
            count, dimension = cloud.shape
            numpy.hstack([numpy.full((count, 1), dimension, "i4").view("f4"), cloud]).tofile(self.path("a.fvecs"))
            with open(self.path("a.fbin"), "wb") as file:
                file.write(numpy.array([count, dimension], "u4").tobytes() + cloud.tobytes())
            self.check(cloud, ["a.fvecs", "a.fbin"])

    def test_kitti_of_numpy(self):
        numpy.hstack([self.float32, self.float32[:, :1]]).astype("f4").tofile(self.path("000000.bin"))
        self.check(self.float32, ["000000.bin"], "--data-format", "kitti")

    def test_csv_of_python_with_quotes(self):
        for delimiter in ",;\t":
            with open(self.path("a.csv"), "w", newline="") as file:
                rows = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
                rows.writerow([f'a "name"{delimiter} and more', "x", "y", "z"])
                rows.writerows([f'tree{delimiter} "old"', *map(repr, map(float, row))] for row in self.float64)
            self.check(self.float64, ["a.csv"])

    def test_a_result_that_numpy_wrote_again_is_still_of_its_box(self):
        numpy.save(self.path("a.npy"), self.float32)
        search = [KANN, "--data", "a.npy", "--device", "cpu", "--quiet", "--force", "-o"]
        box = ["--periodic", "9000,900,90"]
        subprocess.run([*search, "box.npz", *box], cwd=self.folder, check=True, capture_output=True)
        with numpy.load(self.path("box.npz")) as result:
            meta = json.dumps(json.loads(str(result["meta"])))  # with a space behind each comma
            numpy.savez(self.path("again.npz"), ids=result["ids"], distances=result["distances"], meta=meta)
        for options, code in ((box, 0), ([], 3)):
            done = subprocess.run([*search, "now.npz", *options, "--compare", "again.npz"], cwd=self.folder,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        kann, environment = sys.argv[1], pathlib.Path(sys.argv[2])
        python = python_with_packages(environment)
        sys.exit(subprocess.run([python, __file__, "--inside", kann], check=False).returncode)
    import laspy
    import numpy
    import plyfile
    import pypcd4

    KANN = sys.argv[2]
    unittest.main(argv=sys.argv[:1])
