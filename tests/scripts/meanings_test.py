"""Columns keep their meaning on the way from one format to another: meanings_test.py KANN ENVIRONMENT.

Clouds with the names of laspy, PDAL, CloudCompare, PCL and COLMAP are made by laspy, plyfile and numpy, from PyPI in a
virtual environment in the folder ENVIRONMENT, which scripts.formats shares; laspy and plyfile read what comes out. Exit
code 77: skipped, as the packages cannot be installed.
"""

import decimal
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import formats_test
from folder_case import FolderCase

COUNT = 300
OF_CLOUDCOMPARE = ("//X", "Y", "Z", "R", "G", "B", "Intensity", "Classification", "Gps Time", "Number of Returns",
                   "Nx", "Ny", "Nz")


class MeaningsTest(FolderCase):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(5)
        self.points = self.random.uniform(0, 10, (COUNT, 3)).round(3)
        self.bytes = self.random.integers(0, 256, (COUNT, 3))
        self.bytes[0] = 255

    def kann(self, data, output, *options):
        """Writes a cloud of the queries; returns it, and the warnings."""
        done = subprocess.run([KANN, "--data", self.path(data), "-o", self.path(output), "--force", "-k", "1",
                               "--device", "cpu", *options], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        warnings = [line for line in done.stderr.splitlines() if "warning" in line]
        if output.endswith(".las"):
            return laspy.read(self.path(output)), warnings
        return (plyfile.PlyData.read(self.path(output))["vertex"].data if output.endswith(".ply") else None), warnings

    def write_ply(self, name, columns):
        """A PLY file of the points and these columns."""
        vertices = numpy.empty(COUNT, [(axis, "f8") for axis in "xyz"] + [(n, v.dtype) for n, v in columns.items()])
        for axis, values in zip("xyz", self.points.T):
            vertices[axis] = values
        for column, values in columns.items():
            vertices[column] = values
        plyfile.PlyData([plyfile.PlyElement.describe(vertices, "vertex")]).write(self.path(name))

    def write_las(self, name, number, version="1.4", standard_time=False):
        """A LAS file of the points with random values in all fields that all readers understand."""
        header = laspy.LasHeader(point_format=number, version=version)
        header.scales = [0.001] * 3
        if standard_time:
            header.global_encoding.gps_time_type = laspy.header.GpsTimeType.STANDARD
        header.add_extra_dim(laspy.ExtraBytesParams("height", "f4"))
        las = laspy.LasData(header)
        las.points = laspy.ScaleAwarePointRecord.zeros(COUNT, header=header)
        raw = las.points.array.view("u1")
        raw[:] = self.random.integers(0, 256, raw.size, dtype="u1")
        las.x, las.y, las.z = self.points.T
        las["height"] = self.random.normal(size=COUNT)
        if "gps_time" in las.point_format.dimension_names:
            las.gps_time = self.random.uniform(2e8, 3e8, COUNT) if standard_time else self.random.uniform(0, 6e5, COUNT)
        las.write(self.path(name))
        return laspy.read(self.path(name))

    def write_text(self, name, names, columns, delimiter=" "):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(delimiter.join(names) + "\n")
            for row in zip(*columns):
                file.write(delimiter.join(f"{value:.10g}" for value in row) + "\n")

    def check_colours(self, cloud, expected, kind):
        for axis, name in enumerate(("red", "green", "blue")):
            self.assertEqual(numpy.array(cloud[name]).dtype, numpy.dtype(kind))
            numpy.testing.assert_array_equal(numpy.array(cloud[name]), expected[:, axis], name)

    def test_colours_of_all_scales(self):
        """Bytes, words of LAS, whole numbers of text and fractions are the same colours."""
        channels = dict(zip(("red", "green", "blue"), self.bytes.T))
        self.write_ply("byte.ply", {name: v.astype("u1") for name, v in channels.items()})
        self.write_ply("word.ply", {name: (v * 257).astype("u2") for name, v in channels.items()})
        self.write_ply("float.ply", {name: (v / 255).astype("f4") for name, v in channels.items()})
        self.write_ply("of_blender.ply", {f"diffuse_{name}": v.astype("u1") for name, v in channels.items()})
        self.write_text("text.txt", ("x", "y", "z", "R", "G", "B"), [*self.points.T, *self.bytes.T])
        self.write_text("of_colmap.txt", ("x", "y", "z", "Rf", "Gf", "Bf"), [*self.points.T, *self.bytes.T / 255])
        for source in "byte.ply", "word.ply", "float.ply", "of_blender.ply", "text.txt", "of_colmap.txt":
            with self.subTest(source):
                ply, warnings = self.kann(source, "o.ply")
                self.assertEqual(warnings, [])
                self.check_colours(ply, self.bytes, "u1")
                las, warnings = self.kann(source, "o.las")
                self.assertEqual((warnings, las.point_format.id), ([], 7))
                self.check_colours(las, self.bytes * 257, "u2")
                names = {"nn_id", "nn_distance"}
                self.assertEqual(set(las.point_format.extra_dimension_names), names)

    def test_colours_that_bytes_do_not_hold_warn(self):
        self.write_ply("word.ply", {n: numpy.arange(COUNT, dtype="u2") * 199 for n in ("red", "green", "blue")})
        ply, warnings = self.kann("word.ply", "o.ply")
        self.assertIn("rounded to bytes", " ".join(warnings))
        numpy.testing.assert_array_equal(ply["red"], numpy.rint(numpy.arange(COUNT) * 199 * (255 / 65535)))
        self.write_ply("odd.ply", {n: numpy.arange(COUNT, dtype="i4") - 1 for n in ("red", "green", "blue")})
        ply, warnings = self.kann("odd.ply", "o.ply")
        self.assertIn("nothing says which is a full colour", " ".join(warnings))
        numpy.testing.assert_array_equal(ply["red"], numpy.arange(COUNT) - 1)
        las, warnings = self.kann("odd.ply", "o.las")
        self.assertEqual(sum("'red' is in extra bytes" in line for line in warnings), 1)
        numpy.testing.assert_array_equal(numpy.array(las["red"]), numpy.arange(COUNT) - 1)

    def test_colours_widen_the_point_format(self):
        """Everything else stays, bit for bit."""
        self.write_ply("colours.ply", dict(zip(("red", "green", "blue"), self.bytes.astype("u1").T)))
        wide = {0: 2, 1: 3, 2: 2, 3: 3, 4: 5, 5: 5, 6: 7, 7: 7, 8: 8, 9: 10, 10: 10}
        for number, target in wide.items():
            for version in ("1.0", "1.4") if number < 2 else ("1.4",):
                with self.subTest(format=number, version=version):
                    before = self.write_las("in.las", number, "1.2" if version == "1.0" else version)
                    if version == "1.0":  # which laspy does not write
                        whole = bytearray(pathlib.Path(self.path("in.las")).read_bytes())
                        whole[25] = 0
                        pathlib.Path(self.path("in.las")).write_bytes(whole)
                    after, _ = self.kann("colours.ply", "o.las", "--query", self.path("in.las"), "--transfer",
                                         "red,green,blue", "--by", "nearest")
                    self.assertEqual(after.point_format.id, target)
                    self.check_colours(after, self.bytes * 257, "u2")
                    for name in before.point_format.dimension_names:
                        if name not in ("red", "green", "blue"):
                            self.assertEqual(numpy.array(after[name]).tobytes(), numpy.array(before[name]).tobytes(), name)

    def test_time_widens_the_point_format_and_keeps_its_epoch(self):
        for standard in False, True:
            source = self.write_las("time.las", 6, standard_time=standard)
            for number, target in {0: 1, 2: 3, 1: 1, 7: 7}.items():
                self.write_las("in.las", number)
                las, _ = self.kann("time.las", "o.las", "--query", self.path("in.las"), "--transfer", "gps_time")
                self.assertEqual(las.point_format.id, target)
                numpy.testing.assert_array_equal(las.gps_time, source.gps_time)
                self.assertEqual(las.header.global_encoding.gps_time_type.value, int(standard))
            self.write_text("q.txt", ("x", "y", "z"), self.points.T)
            las, _ = self.kann("time.las", "o.las", "--query", self.path("q.txt"), "--transfer", "GpsTime")
            self.assertEqual(las.header.global_encoding.gps_time_type.value, int(standard))
        self.write_text("t.txt", ("x", "y", "z", "gps_time"), [*self.points.T, 2e8 + numpy.arange(COUNT)])
        las, _ = self.kann("t.txt", "o.las")
        self.assertEqual(las.header.global_encoding.gps_time_type.value, 1)

    def test_the_names_of_cloudcompare(self):
        normals = self.random.normal(size=(COUNT, 3)).round(4)
        whole = self.random.integers(0, 5, (2, COUNT))
        seconds = 1000 + numpy.arange(COUNT) / 10
        self.write_text("cc.asc", OF_CLOUDCOMPARE, [*self.points.T, *self.bytes.T, 300 * whole[0], whole[0], seconds,
                                                    whole[1], *normals.T], ",")
        ply, warnings = self.kann("cc.asc", "o.ply")
        self.assertEqual(warnings, [])
        self.assertEqual(ply.dtype.names[3:13], ("red", "green", "blue", "intensity", "classification", "gps_time",
                                                 "number_of_returns", "nx", "ny", "nz"))
        self.assertEqual(ply.dtype["classification"], "u1")
        numpy.testing.assert_array_equal(ply["ny"], normals[:, 1])
        las, warnings = self.kann("cc.asc", "o.las")
        self.assertEqual(warnings, [])
        for name, values in {"intensity": 300 * whole[0], "classification": whole[0], "gps_time": seconds,
                             "number_of_returns": whole[1], "NormalX": normals[:, 0], "NormalZ": normals[:, 2]}.items():
            numpy.testing.assert_array_equal(numpy.array(las[name]), values, name)
        for asked in "red,intensity", "RED,scalar_Intensity", "normal_x,GpsTime":
            self.kann("cc.asc", "o.npz", "--transfer", asked)
        self.kann("cc.asc", "o.npz", "--picture", self.path("o.png"), "--picture-by", "rgb")

    def test_a_name_alone_is_no_colour(self):
        """R is a radius unless G and B are beside it; nx without ny and nz is a count."""
        self.write_text("r.csv", ("x", "y", "z", "R", "nx", "G"), [*self.points.T, *self.bytes.T], ",")
        ply, _ = self.kann("r.csv", "o.ply")
        self.assertEqual(ply.dtype.names[3:6], ("R", "nx", "G"))
        self.assertEqual(ply.dtype["R"], "i4")

    def test_scan_angles(self):
        degrees = self.random.integers(-80, 81, COUNT)
        self.write_ply("rank.ply", {"ScanAngleRank": degrees.astype("f4")})
        las, _ = self.kann("rank.ply", "o.las")
        numpy.testing.assert_array_equal(numpy.array(las.scan_angle), numpy.rint(degrees / .006))
        ply, _ = self.kann("o.las", "o.ply")
        numpy.testing.assert_allclose(ply["scan_angle"], degrees, atol=.004)
        self.write_las("old.las", 1)
        old, _ = self.kann("o.las", "n.las", "--query", self.path("old.las"), "--transfer", "scan_angle",
                           "--by", "nearest")
        numpy.testing.assert_array_equal(numpy.array(old.scan_angle_rank), degrees)

    def test_a_field_that_does_not_hold_an_attribute_warns(self):
        self.write_ply("wide.ply", {"Intensity": numpy.arange(COUNT, dtype="i4") + 65500})
        las, warnings = self.kann("wide.ply", "o.las")
        self.assertEqual(len(warnings), 1)
        numpy.testing.assert_array_equal(numpy.array(las["Intensity"]), numpy.arange(COUNT) + 65500)
        self.write_ply("share.ply", {"Intensity": (numpy.arange(COUNT) / COUNT).astype("f4")})
        las, warnings = self.kann("share.ply", "o.las")
        self.assertRegex("".join(warnings), "^kann: warning: [^:]*: intensities from 0 to 1 are written times 65535 and rounded")
        self.assertEqual(len(warnings), 1)
        shares = (numpy.arange(COUNT) / COUNT).astype("f4").astype("f8")
        numpy.testing.assert_array_equal(las.intensity, numpy.rint(shares * 65535))

    def test_no_data_is_a_missing_value(self):
        """Of floats, of scaled numbers and of whole numbers, which keep it."""
        header = laspy.LasHeader(point_format=6, version="1.4")
        header.scales = [0.001] * 3
        missing = {"height": ("f4", -9999, {}), "scaled": ("i2", -1, {"scales": [0.5], "offsets": [3.0]}),
                   "kind": ("i2", -32768, {}), "large": ("u8", 2**40, {})}
        for name, (kind, no_data, more) in missing.items():
            more = {key: numpy.array(value) for key, value in more.items()}
            header.add_extra_dim(laspy.ExtraBytesParams(name, kind, no_data=numpy.array([no_data], kind), **more))
        las = laspy.LasData(header)
        las.points = laspy.ScaleAwarePointRecord.zeros(COUNT, header=header)
        las.x, las.y, las.z = self.points.T
        values = self.random.integers(1, 9, COUNT)
        gone = self.random.random(COUNT) < .6
        for name, (kind, no_data, _) in missing.items():
            las.points.array[name] = numpy.where(gone, no_data, values).astype(kind)
        las.write(self.path("in.las"))
        self.write_text("q.csv", ("x", "y", "z"), self.points.T, ",")
        distances = numpy.linalg.norm(self.points[:, None] - self.points[None], axis=2)
        near = numpy.argsort(distances, axis=1, kind="stable")[:, :3]
        known = ~gone[near]
        query = ("--query", self.path("q.csv"), "--transfer", "height,scaled,kind,large", "-k", "3")
        found, _ = self.kann("in.las", "o.las", *query, "--by", "mean,kind=vote,large=nearest")
        with numpy.errstate(invalid="ignore"):
            means = (values[near] * known).sum(1) / known.sum(1)
        numpy.testing.assert_allclose(numpy.array(found["height"]), means, rtol=1e-6)
        numpy.testing.assert_allclose(numpy.array(found["scaled"]), means * .5 + 3)
        kind = numpy.array(found["kind"])
        self.assertTrue((kind[~known.any(1)] == -32768).all())
        only = known.sum(1) == 1
        numpy.testing.assert_array_equal(kind[only], (values[near] * known).sum(1)[only])
        numpy.testing.assert_array_equal(numpy.array(found["large"]), numpy.where(gone, 2**40, values))
        declared = {e.name.rstrip(b"\0").decode(): e.no_data for v in found.header.vlrs
                    for e in getattr(v, "extra_bytes_structs", ()) if e.no_data is not None}
        self.assertEqual({name: int(no_data[0]) for name, no_data in declared.items()}, {"kind": -32768, "large": 2**40})
        info = subprocess.run([KANN, "info", self.path("in.las"), "--json"], capture_output=True, text=True, check=True)
        columns = {column["name"]: column for column in json.loads(info.stdout)["columns"]}
        for name in missing:
            self.assertEqual(columns[name]["not_finite"], int(gone.sum()), name)

    def test_means_of_bytes_of_colour_have_16_bits_in_las(self):
        self.write_ply("in.ply", dict(zip(("red", "green", "blue"), self.bytes.astype("u1").T)))
        self.write_las("q.las", 6)
        with_colours, _ = self.kann("in.ply", "a.las", "--query", self.path("q.las"), "-k", "3", "--transfer",
                                    "red,green,blue", "--by", "mean")
        distances = numpy.linalg.norm(self.points[:, None] - self.points[None], axis=2)
        means = self.bytes[numpy.argsort(distances, axis=1)[:, :3]].mean(1)
        for colour, values in zip(("red", "green", "blue"), means.T):
            numpy.testing.assert_allclose(numpy.array(with_colours[colour]), values * 257, atol=0.51)

    def test_coordinates_of_las_have_the_decimals_of_its_scale(self):
        header = laspy.LasHeader(point_format=6, version="1.4")
        header.scales, header.offsets = (0.01, 0.0025, 0.001), (500000, 0.5, -7)
        las = laspy.LasData(header)
        las.X, las.Y, las.Z = self.random.integers(-2**31, 2**31, (3, COUNT))
        las.write(self.path("in.las"))
        done = subprocess.run([KANN, "--data", self.path("in.las"), "-k", "1", "-o", "-", "--output-format", "cloud-csv"],
                              capture_output=True, text=True, check=True)
        for line, x, y, z in zip(done.stdout.splitlines()[1:], *map(numpy.ndarray.tolist, (las.X, las.Y, las.Z))):
            exact = (decimal.Decimal(i) / n for i, n in ((x + 50000000, 100), (25 * y + 5000, 10000), (z - 7000, 1000)))
            self.assertEqual(line.split(",")[:3], [f"{value:.{n}f}" for value, n in zip(exact, (2, 4, 3))])

    def test_what_was_found_before_gets_a_number(self):
        self.write_ply("in.ply", {})
        first, _ = self.kann("in.ply", "a.ply", "-k", "4")
        found = ("nn_id", "nn_distance", "mean_distance", "density")
        self.assertEqual(first.dtype.names[3:], tuple(f"scalar_{name}" for name in found))
        self.kann("a.ply", "b.ply", "-k", "2")
        third, _ = self.kann("b.ply", "c.ply", "-k", "3")
        self.assertEqual(third.dtype.names[3:], tuple(f"scalar_{name}{n}" for n in ("_1", "_2", "") for name in found))
        numpy.testing.assert_array_equal(third["scalar_mean_distance_1"], first["scalar_mean_distance"])
        self.kann("a.ply", "o.npz", "--picture", self.path("o.png"), "--picture-by", "nn_distance")
        # CloudCompare takes what has one of these in its name for a colour or a normal vector
        for name in third.dtype.names[3:]:
            self.assertFalse([word for word in ("RED", "GREEN", "BLUE", "NX", "NY", "NZ") if word in name.upper()], name)

    @unittest.skipUnless(shutil.which("CloudCompare"), "there is no CloudCompare")
    def test_cloudcompare_shows_colours_and_distances(self):
        self.write_ply("in.ply", dict(zip(("red", "green", "blue"), self.bytes.astype("u1").T)))
        found, _ = self.kann("in.ply", "a.ply")
        subprocess.run(["CloudCompare", "-SILENT", "-AUTO_SAVE", "OFF", "-C_EXPORT_FMT", "ASC", "-PREC", "9", "-ADD_HEADER",
                        "-O", self.path("a.ply"), "-SAVE_CLOUDS", "FILE", self.path("a.asc")], check=True,
                       capture_output=True, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
        shown = numpy.genfromtxt(self.path("a.asc"), names=True)
        self.assertEqual(shown.dtype.names, ("X", "Y", "Z", "R", "G", "B", "nn_id", "nn_distance"))
        numpy.testing.assert_array_equal(numpy.stack([shown[c] for c in "RGB"], 1), self.bytes)
        numpy.testing.assert_allclose(shown["nn_distance"], found["scalar_nn_distance"], atol=1e-8)


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        python = formats_test.python_with_packages(pathlib.Path(sys.argv[2]))
        sys.exit(subprocess.run([python, __file__, "--inside", *sys.argv[1:]], check=False).returncode)
    import laspy
    import numpy
    import plyfile

    KANN = sys.argv[2]
    unittest.main(argv=sys.argv[:1])
