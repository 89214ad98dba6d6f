"""Searches on the sky through the module kann, against Vincenty's formula in NumPy and against the command."""

import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import kann
import numpy


def sky(count, seed):
    random = numpy.random.default_rng(seed)
    made = numpy.stack((random.uniform(0, 360, count), numpy.degrees(numpy.arcsin(random.uniform(-1, 1, count)))), axis=1)
    made[:20] = made[20:40] + random.normal(0, 1e-7, (20, 2))
    made[40:60, 1] = numpy.copysign(90 - random.uniform(0, 1e-5, 20), made[40:60, 1])
    made[60:80, 0] = random.choice((0, 360), 20)
    return made


def separations(queries, data):
    """Of each query from all data, in arcsec."""
    l = numpy.radians(queries[:, None, 0] - data[None, :, 0])
    p, q = numpy.radians(queries[:, None, 1]), numpy.radians(data[None, :, 1])
    x = numpy.cos(q) * numpy.sin(l)
    y = numpy.cos(p) * numpy.sin(q) - numpy.sin(p) * numpy.cos(q) * numpy.cos(l)
    z = numpy.sin(p) * numpy.sin(q) + numpy.cos(p) * numpy.cos(q) * numpy.cos(l)
    return numpy.degrees(numpy.arctan2(numpy.hypot(x, y), z)) * 3600


class SkyTest(unittest.TestCase):
    def test_nearest(self):
        data, queries = sky(2000, 1), sky(300, 2)
        want = separations(queries, data)
        for search in (kann.search, lambda data, *more, **options: kann.Index(data).search(*more, **options)):
            found = search(data, queries, 5, sky=True, unit="arcsec", device="cpu")
            numpy.testing.assert_allclose(found.distances, numpy.sort(want)[:, :5], rtol=1e-6, atol=1e-9)
            numpy.testing.assert_allclose(numpy.take_along_axis(want, found.ids.astype(int), 1), found.distances, rtol=1e-6,
                                          atol=1e-9)
            self.assertEqual(found.report["sky"], "arcsec")
            self.assertEqual(kann.verify(data, queries, found)["recall"], 1)
        distances, ids = kann.Index(data).query(queries, 5, sky=True, unit="arcmin")
        numpy.testing.assert_array_equal(ids, found.ids)
        numpy.testing.assert_allclose(distances * 60, found.distances, rtol=1e-6)

    def test_radius(self):
        data, queries = sky(2000, 3), sky(300, 4)
        want = separations(queries, data)
        for radius in (1e-3, 600, 36000):
            found = kann.search_radius(data, queries, radius, sky=True, unit="arcsec")
            numpy.testing.assert_array_equal(numpy.diff(found.indptr), (want <= radius).sum(1))
            numpy.testing.assert_array_equal(kann.count_radius(data, queries, radius, sky=True, unit="arcsec"),
                                             (want <= radius).sum(1))

    def test_has_the_bytes_of_the_command(self):
        if not pathlib.Path(sys.executable).with_name("kann").exists():
            self.skipTest("the command is not installed")
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            data = sky(500, 5)
            numpy.save(place / "data.npy", data)
            subprocess.run([sys.executable, "-m", "kann", "--data", "data.npy", "--sky", "--unit", "m", "-k", "3", "--device",
                            "cpu", "-q", "-o", "nn.npz"], cwd=place, check=True)
            of_command = numpy.load(place / "nn.npz")
            found = kann.search(data, None, 3, sky=True, unit="m")
            numpy.testing.assert_array_equal(found.ids, of_command["ids"])
            numpy.testing.assert_array_equal(found.distances, of_command["distances"])
            (place / "named.csv").write_text("id,ra,dec\n7,10,20\n8,11,21\n")
            cloud = kann.read(place / "named.csv", sky=True)
            numpy.testing.assert_array_equal(cloud.points, [[10, 20], [11, 21]])

    def test_hours_and_radians_are_those_that_the_names_say(self):
        data, queries = sky(300, 9), sky(90, 10)
        want = numpy.sort(separations(queries, data))[:, :2] / 3600
        factors = {"ra_h,dec": (15, 1), "RAJ2000 (hours),DEJ2000 (deg)": (15, 1), "lon_rad,lat_rad": (180 / numpy.pi,) * 2}
        with tempfile.TemporaryDirectory() as folder:
            for names, factor in factors.items():
                for number, points in enumerate((data, queries)):
                    stored = numpy.rec.fromarrays((numpy.arange(len(points)), *(points / factor).T), names=["id", *names.split(",")])
                    numpy.save(f"{folder}/{number}.npy", stored)
                    numpy.savetxt(f"{folder}/{number}.csv", stored.tolist(), "%.17g", ",", header="id," + names, comments="")
                    properties = "".join(f"property double {name}\n" for name in names.split(","))
                    pathlib.Path(f"{folder}/{number}.ply").write_bytes(
                        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n{properties}end_header\n".encode()
                        + (points / factor).tobytes())
                for extension in ("npy", "csv", "ply")[: 2 if "(" in names else 3]:  # names of PLY have no blanks
                    with self.subTest(names, extension=extension):
                        found = kann.search(*(kann.read(f"{folder}/{number}.{extension}", sky=True) for number in (0, 1)), k=2)
                        numpy.testing.assert_allclose(found.distances, want, rtol=1e-6, atol=1e-9)
                        for memory in ("1G", "20M"):
                            subprocess.run([sys.executable, "-m", "kann", "--data", f"0.{extension}", "--query", f"1.{extension}", "--sky", "-k", "2",
                                            "--max-memory", memory, "-q", "--force", "-o", "nn.npz"], cwd=folder, check=True)
                            numpy.testing.assert_allclose(numpy.load(f"{folder}/nn.npz")["distances"], want, rtol=1e-6, atol=1e-9)
                stored = numpy.load(f"{folder}/0.npy")
                numpy.testing.assert_array_equal(kann.search(stored, queries, k=2, sky=True).ids, found.ids)
                kann.write(f"{folder}/out.csv", kann.read(f"{folder}/0.csv", sky=True), force=True)
                subprocess.run([sys.executable, "-m", "kann", "--data", "0.csv", "--sky", "--force", "-q", "-o", "of.csv", "--output-format",
                                "cloud-csv"], cwd=folder, check=True)
                for file in ("out.csv", "of.csv"):
                    again = numpy.genfromtxt(f"{folder}/{file}", delimiter=",", names=True)
                    numpy.testing.assert_allclose(numpy.stack((again["lon"], again["lat"]), 1), data, rtol=1e-12)

    def test_a_cloud_that_was_read_as_angles_is_searched_on_the_sphere(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            points = numpy.round(sky(200, 8), 6)
            (place / "stars.csv").write_text("id,ra,dec\n" + "".join(f"{i},{ra},{dec}\n" for i, (ra, dec) in enumerate(points)))
            cloud = kann.read(place / "stars.csv", sky=True)
            on_sphere, in_plane = kann.search(points, k=3, sky=True), kann.search(points, k=3)
            self.assertFalse(numpy.array_equal(on_sphere.ids, in_plane.ids))
            index = pickle.loads(pickle.dumps(kann.Index(cloud)))
            of_queries = kann.search(points, points, k=4, sky=True)
            for found, expected in ((kann.search(cloud, k=3), on_sphere), (kann.search(cloud, cloud, k=4), of_queries),
                                    (index.search(k=3), on_sphere), (index.search(points, k=4), of_queries)):
                numpy.testing.assert_array_equal(found.ids, expected.ids)
            numpy.testing.assert_array_equal(kann.search(cloud, points[:9], k=4, unit="arcsec").report["sky"], "arcsec")
            numpy.testing.assert_array_equal(kann.search(cloud, k=3, sky=False).ids, in_plane.ids)
            numpy.testing.assert_array_equal(index.query(points, k=4)[1], of_queries.ids)
            numpy.testing.assert_array_equal(kann.count_radius(cloud, None, 20.), kann.count_radius(points, None, 20., sky=True))
            numpy.testing.assert_array_equal(kann.match(cloud).ids, kann.match(points, sky=True).ids)
            numpy.testing.assert_array_equal(kann.cluster(cloud, 5.), kann.cluster(points, 5., sky=True))
            with self.assertRaisesRegex(kann.UsageError, "one of the clouds was read with sky=True.*sky=True or sky=False"):
                kann.search(cloud, kann.Cloud(points))
            self.assertEqual(repr(cloud), "<kann.Cloud: 200 points, on the sky, attributes: id>")
            kann.write(place / "again.csv", cloud)
            self.assertEqual((place / "again.csv").read_text().splitlines()[0], "ra,dec,id")
            numpy.testing.assert_array_equal(kann.read(place / "again.csv", sky=True).points, points)
            kann.write(place / "new.csv", kann.Cloud(points, sky=True))
            self.assertEqual((place / "new.csv").read_text().splitlines()[0], "lon,lat")

    def test_refuses(self):
        data = sky(100, 6)
        with self.assertRaisesRegex(kann.UsageError, "unit needs sky=True"):
            kann.search(data, unit="deg")
        with self.assertRaisesRegex(kann.UsageError, "unit expects arcsec, arcmin, deg, m or km, got 'rad'"):
            kann.search(data, sky=True, unit="rad")
        with self.assertRaisesRegex(kann.InputError, "two, longitude and latitude"):
            kann.search(numpy.zeros((5, 3)), sky=True)
        with self.assertRaisesRegex(kann.InputError, "point 3 has the latitude 90.5"):
            data[3, 1] = 90.5
            kann.search(data, sky=True)
        found = kann.search(sky(100, 7), sky=True)
        with self.assertRaisesRegex(kann.UsageError, "does not go with sky"):
            kann.transfer(sky(100, 7), sky(100, 7), found, {"a": numpy.zeros(100)}, by="rbf")


if __name__ == "__main__":
    unittest.main()
