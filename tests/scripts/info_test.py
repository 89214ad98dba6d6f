"""kann info says what numpy and laspy say: info_test.py KANN ENVIRONMENT [CLOUDS].

Clouds are written in each format, and CLOUDS is a folder with real ones. Their points, ranges and numbers of invalid values
are computed by numpy, from what numpy, laspy or plyfile read. ENVIRONMENT is that of formats_test.py. Exit code 77: skipped.
"""

import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import formats_test
from folder_case import FolderCase


def columns_of(path):
    """The columns of a file, by name, as others read them."""
    if path.suffix == ".las":
        cloud = laspy.read(path)
        columns = {axis: numpy.asarray(getattr(cloud, axis)) for axis in "xyz"}
        return columns | {name: numpy.asarray(cloud[name]) for name in cloud.point_format.dimension_names if name not in "XYZ"}
    if path.suffix == ".ply":
        vertices = plyfile.PlyData.read(path)["vertex"].data
        return {name: vertices[name] for name in vertices.dtype.names if vertices.dtype[name] != object}
    array = numpy.load(path)
    if array.dtype.names:
        return {name: array[name] for name in array.dtype.names}
    return {axis: array[:, i] for i, axis in enumerate("xyz"[:array.shape[1]])}


class InfoTest(FolderCase):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(11)

    def info(self, path):
        done = subprocess.run([KANN, "info", "--json", path], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check(self, path):
        columns, found = columns_of(path), self.info(path)
        axes = numpy.stack([columns[axis].astype("f8") for axis in found["coordinates"]], axis=1)
        valid = numpy.isfinite(axes).all(axis=1)
        self.assertEqual(found["points"], len(axes))
        self.assertEqual(found["invalid"], {"points": int((~valid).sum()),
                                            "first": None if valid.all() else int(numpy.argmin(valid))})
        if valid.any():
            low, high = axes[valid].min(axis=0), axes[valid].max(axis=0)
            self.assertEqual(found["extent"], {"min": low.tolist(), "max": high.tolist()})
            for key, sides in ("area", high[:2] - low[:2]), ("volume", high - low):
                if len(sides) == (2 if key == "area" else 3) and sides.all():
                    numpy.testing.assert_allclose(found["density"][key], valid.sum() / sides.prod(), rtol=1e-12)
        by_name = {column["name"]: column for column in found["columns"]}
        self.assertEqual(list(by_name), list(columns))
        for name, values in columns.items():
            with self.subTest(f"{path.name}: {name}"):
                numbers = values[numpy.isfinite(values)]
                self.assertEqual(by_name[name]["not_finite"], len(values) - len(numbers))
                self.assertEqual(by_name[name]["min"], numbers.min().item() if len(numbers) else None)
                self.assertEqual(by_name[name]["max"], numbers.max().item() if len(numbers) else None)
                if path.suffix != ".las":  # laspy gives bit fields of a byte as they like
                    self.assertEqual(by_name[name]["type"], values.dtype.newbyteorder("=").name)

    def test_structured_arrays_of_every_size(self):
        dtype = [("x", "f4"), ("y", ">f8"), ("z", "f8"), ("u", "u8"), ("i", "i8"), ("b", "i1"), ("h", "<u2")]
        for count in (0, 1, 2, 127, 128, 129, 5000):
            array = numpy.zeros(count, dtype)
            for name in "xyz":
                array[name] = self.random.normal(scale=1e3, size=count)
            for name, low, high in (("u", 2**63, 2**64 - 1), ("i", -2**62, 2**62), ("b", -128, 127), ("h", 0, 65535)):
                array[name] = self.random.integers(low, high, count, dtype=array.dtype[name].newbyteorder("="))
            array["y"][1::7] = numpy.nan
            array["z"][3::11] = numpy.inf
            path = self.folder / f"{count}.npy"
            numpy.save(path, array)
            self.check(path)

    def test_arrays_and_ply(self):
        points = self.random.normal(size=(1000, 3))
        for name, array in (("a.npy", points), ("b.npy", points.astype("f4")), ("c.npy", numpy.asfortranarray(points)), ("d.npy", points[:, :2])):
            numpy.save(self.folder / name, array)
            self.check(self.folder / name)
        vertices = numpy.zeros(300, [("z", "f8"), ("y", "f4"), ("x", "f4"), ("label", "i2")])
        for name in "xyz":
            vertices[name] = self.random.normal(size=300)
        for text in (False, True):
            path = self.folder / "e.ply"
            plyfile.PlyData([plyfile.PlyElement.describe(vertices, "vertex")], text=text).write(path)
            self.check(path)

    def test_las_of_every_point_format(self):
        for point_format in range(11):
            if point_format in (4, 5, 9, 10):  # waveforms, which laspy does not write
                continue
            header = laspy.LasHeader(point_format=point_format, version="1.4" if point_format > 5 else "1.2")
            header.scales, header.offsets = [0.01, 0.001, 0.1], [636000, -100.5, 0]
            header.add_extra_dim(laspy.ExtraBytesParams("amplitude", "f4"))
            cloud = laspy.LasData(header)
            for axis in "xyz":
                setattr(cloud, axis, self.random.uniform(-1000, 1000, 500))
            cloud.intensity, cloud.amplitude = self.random.integers(0, 65535, 500), self.random.normal(size=500)
            path = self.folder / f"{point_format}.las"
            cloud.write(path)
            self.check(path)

    def test_real_clouds(self):
        paths = sorted(CLOUDS.glob("*.ply")) + sorted(CLOUDS.glob("*.las")) if CLOUDS else []
        if not paths:
            self.skipTest("there are no real clouds")
        for path in paths:
            self.check(path)


if __name__ == "__main__":
    KANN = pathlib.Path(sys.argv.pop(1)).resolve()
    environment = pathlib.Path(sys.argv.pop(1))
    python = formats_test.python_with_packages(environment)
    if pathlib.Path(sys.prefix).resolve() != environment.resolve():
        sys.exit(subprocess.run([python, __file__, KANN, environment, *sys.argv[1:]], check=False).returncode)
    CLOUDS = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None
    import laspy
    import numpy
    import plyfile
    unittest.main()
