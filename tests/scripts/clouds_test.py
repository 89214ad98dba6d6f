"""Programs that are not ours read the clouds that kann writes: clouds_test.py ROUNDTRIP ENVIRONMENT DATA.

ROUNDTRIP reads a cloud with all attributes and writes it as PLY, LAS or CSV. Clouds are made by plyfile, laspy and
numpy, from PyPI in a virtual environment in the folder ENVIRONMENT, which scripts.formats shares; plyfile, laspy and
numpy read what comes out, and every value is that of the cloud that went in. Exit code 77: skipped, as the packages
cannot be installed.
"""

import pathlib
import subprocess
import sys
import unittest

import formats_test
from folder_case import FolderCase

COUNT = 1000
TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8")
COLOURS = ("red", "green", "blue")


def in_ply(las, name):
    """The values of a field of LAS as readers of PLY expect them: colours are bytes, scan angles are degrees."""
    values = numpy.array(las[name])
    if name in COLOURS and max(numpy.max(las[colour]) for colour in COLOURS) > 255:
        return numpy.rint(values * (255 / 65535)).astype(int)
    return (values * .006).astype("f4") if name == "scan_angle" else values.astype(int) if name in COLOURS else values


class CloudsTest(FolderCase):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(11)

    def write(self, source, kind, *more):
        """What ROUNDTRIP makes of a cloud."""
        name = self.path(f"out.{kind}")
        done = subprocess.run([ROUNDTRIP, source, kind, name, *more], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return name

    def values(self, kind, count=COUNT):
        """Values of all magnitudes that the type has."""
        if kind[0] == "f":
            return (self.random.normal(size=count) * 10.0 ** self.random.integers(-20, 20, count)).astype(kind)
        limits = numpy.iinfo(kind)
        return self.random.integers(limits.min, limits.max, count, dtype=kind, endpoint=True)

    def make_ply(self, coordinates="f4", count=COUNT, types=TYPES):
        """A PLY file of plyfile with an attribute of each type."""
        vertices = numpy.empty(count, [("x", coordinates), ("y", coordinates), ("z", coordinates),
                                       *((f"of_{kind}", kind) for kind in types)])
        for axis in "xyz":
            vertices[axis] = self.random.normal(scale=100, size=count).round(3)
        for kind in types:
            vertices[f"of_{kind}"] = self.values(kind, count)
        plyfile.PlyData([plyfile.PlyElement.describe(vertices, "vertex")]).write(self.path("in.ply"))
        return self.path("in.ply"), vertices

    def make_las(self, version, number, extra=()):
        """A LAS file of laspy with random bits in every field."""
        header = laspy.LasHeader(point_format=number, version=version)
        header.offsets, header.scales = (636000, 4850000, 0), (0.01, 0.001, 0.0001)
        header.vlrs.append(laspy.VLR("LASF_Projection", 2112, "a coordinate system", b"COMPD_CS[]\0"))
        for name, kind in extra:
            header.add_extra_dim(laspy.ExtraBytesParams(name, kind))
        las = laspy.LasData(header)
        las.points = laspy.ScaleAwarePointRecord.zeros(COUNT, header=header)
        raw = las.points.array.view("u1")
        raw[:] = self.random.integers(0, 256, raw.size, dtype="u1")
        for axis in "XYZ":
            las[axis] = self.random.integers(-10**6, 10**6, COUNT)
        if "gps_time" in las.point_format.dimension_names:
            las.gps_time = self.values("f8")
        for name, kind in extra:
            las[name] = self.values(kind)
        las.write(self.path("in.las"))
        return self.path("in.las"), laspy.read(self.path("in.las"))

    def test_ply_by_plyfile(self):
        for kind in "f4", "f8":
            for count in 0, 1, 2, COUNT:
                source, vertices = self.make_ply(kind, count)
                read = plyfile.PlyData.read(self.write(source, "ply"))["vertex"].data
                self.assertEqual(read.dtype, vertices.dtype)
                self.assertTrue((read == vertices).all())

    def test_new_las_by_laspy(self):
        for kind in "f4", "f8":
            for count in 1, 2, COUNT:
                source, vertices = self.make_ply(kind, count)
                las = laspy.read(self.write(source, "las"))
                self.assertEqual((str(las.header.version), las.point_format.id, las.header.point_count), ("1.4", 6, count))
                self.assertEqual(list(las.header.number_of_points_by_return), [count] + [0] * 14)
                for axis in "xyz":
                    self.assertTrue((numpy.array(las[axis]).astype(kind) == vertices[axis]).all()
                                    if kind == "f4" else numpy.abs(las[axis] - vertices[axis]).max() < 1e-9)
                for name in vertices.dtype.names[3:]:
                    self.assertEqual(las[name].dtype, vertices[name].dtype)
                    self.assertTrue((numpy.array(las[name]) == vertices[name]).all(), name)
                numpy.testing.assert_allclose(las.header.maxs, las.xyz.max(0))
                numpy.testing.assert_allclose(las.header.mins, las.xyz.min(0))

    def test_fields_and_colours_of_new_las_by_laspy(self):
        names = {"red": "u1", "green": "u1", "blue": "u1", "intensity": "u2", "classification": "u1", "user_data": "u1",
                 "point_source_id": "u2", "scan_angle": "i2", "gps_time": "f8"}
        vertices = numpy.zeros(COUNT, [("x", "f8"), ("y", "f8"), ("z", "f8"), *names.items(), ("return_number", "u1"),
                                       ("withheld", "u1"), ("scanner_channel", "u1")])
        for name, kind in names.items():
            vertices[name] = self.values(kind)
        vertices["return_number"] = self.random.integers(1, 16, COUNT)
        vertices["withheld"], vertices["scanner_channel"] = self.random.integers(0, 2, COUNT), 3
        plyfile.PlyData([plyfile.PlyElement.describe(vertices, "vertex")]).write(self.path("in.ply"))
        las = laspy.read(self.write(self.path("in.ply"), "las"))
        self.assertEqual(las.point_format.id, 7)
        self.assertEqual(list(las.point_format.extra_dimension_names), [])
        for name in vertices.dtype.names[3:]:
            factor = 257 if name in COLOURS else 1
            self.assertTrue((numpy.array(las[name]).astype("f8") == vertices[name].astype("f8") * factor).all(), name)
        returns = numpy.bincount(vertices["return_number"], minlength=16)[1:]
        self.assertTrue((las.header.number_of_points_by_return == returns).all())

    def check_records(self, source, before):
        """The records of a LAS file with two attributes more."""
        after = laspy.read(self.write(source, "las", "records"))
        self.assertEqual((after.header.version, after.point_format.id), (before.header.version, before.point_format.id))
        self.assertEqual(after.header.point_count, before.header.point_count)
        for name in before.point_format.dimension_names:
            # The bits: those of waveforms are random, and some are NaN.
            self.assertEqual(numpy.array(after[name]).tobytes(), numpy.array(before[name]).tobytes(), name)
        self.assertTrue((after.xyz == before.xyz).all())
        self.assertTrue((numpy.array(after["twice"]) == 2 * numpy.array(before.x)).all())
        self.assertTrue((numpy.array(after["number"]) == numpy.arange(len(before.x))).all())
        self.assertEqual(after["number"].dtype, numpy.dtype("i8"))
        numpy.testing.assert_array_equal(after.header.scales, before.header.scales)
        numpy.testing.assert_array_equal(after.header.offsets, before.header.offsets)
        numpy.testing.assert_allclose(after.header.maxs, after.xyz.max(0))
        numpy.testing.assert_allclose(after.header.mins, after.xyz.min(0))
        kept = [vlr.record_data_bytes() for vlr in before.header.vlrs if vlr.record_id != 4]
        self.assertEqual([vlr.record_data_bytes() for vlr in after.header.vlrs if vlr.record_id != 4], kept)
        returns = numpy.bincount(numpy.array(before.return_number), minlength=16)[1:]
        counted = 5 if str(before.header.version) < "1.4" else 15
        self.assertEqual(list(after.header.number_of_points_by_return[:counted]), list(returns[:counted]))

    def check_fields(self, source, before):
        """All fields of a LAS file, by way of PLY."""
        read = plyfile.PlyData.read(self.write(source, "ply"))["vertex"].data
        self.assertTrue((numpy.stack([read[axis] for axis in "xyz"], 1) == before.xyz).all())
        names = [name for name in before.point_format.dimension_names if name not in ("X", "Y", "Z")]
        waves = ("wave", "return_point_wave", "x_t", "y_t", "z_t")
        names = [name for name in names if not name.startswith(waves)]
        self.assertEqual(list(read.dtype.names[3:]), names)
        for name in names:
            self.assertTrue((read[name] == in_ply(before, name)).all(), name)

    def test_las_of_laspy(self):
        formats = {"1.2": range(4), "1.3": range(6), "1.4": range(11)}
        for version, numbers in formats.items():
            for number in numbers:
                for extra in (), [(f"of_{kind}", kind) for kind in TYPES]:
                    with self.subTest(version=version, format=number, extra=len(extra)):
                        source, before = self.make_las(version, number, extra)
                        self.check_records(source, before)
                        self.check_fields(source, before)

    def test_scaled_extra_bytes_of_laspy(self):
        header = laspy.LasHeader(point_format=6, version="1.4")
        header.add_extra_dim(laspy.ExtraBytesParams("scaled", "i2", scales=numpy.array([0.25]), offsets=numpy.array([7.0])))
        las = laspy.LasData(header)
        las.x = las.y = las.z = numpy.arange(COUNT, dtype="f8")
        las["scaled"] = numpy.arange(COUNT) * 0.25 + 7
        las.write(self.path("in.las"))
        read = plyfile.PlyData.read(self.write(self.path("in.las"), "ply"))["vertex"].data
        self.assertTrue((read["scaled"] == numpy.array(las["scaled"])).all())

    def test_a_survey(self):
        survey = DATA / "orig_autzen_trim.las"
        if not survey.exists():
            self.skipTest(f"{survey} is not there")
        before = laspy.read(survey)
        self.check_records(str(survey), before)
        self.check_fields(str(survey), before)
        new = laspy.read(self.write(self.write(str(survey), "ply"), "las"))
        numpy.testing.assert_allclose(new.xyz, before.xyz, rtol=0, atol=1e-6)
        for name in "red", "green", "blue", "intensity", "gps_time", "return_number", "classification":
            if name in before.point_format.dimension_names:
                factor = 257 if name in COLOURS else 1
                self.assertTrue((numpy.array(new[name]) == factor * in_ply(before, name)).all(), name)

    def test_csv_by_numpy(self):
        source, vertices = self.make_ply("f8")
        with open(self.write(source, "cloud-csv"), encoding="utf-8") as file:
            read = numpy.genfromtxt(file, delimiter=",", names=True, dtype=None)
        self.assertEqual(read.dtype.names, vertices.dtype.names)
        for name in read.dtype.names:
            self.assertTrue((read[name].astype(vertices[name].dtype) == vertices[name]).all(), name)


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        python = formats_test.python_with_packages(pathlib.Path(sys.argv[2]))
        sys.exit(subprocess.run([python, __file__, "--inside", *sys.argv[1:]], check=False).returncode)
    import laspy
    import numpy
    import plyfile

    ROUNDTRIP, DATA = sys.argv[2], pathlib.Path(sys.argv[4])
    unittest.main(argv=sys.argv[:1])
