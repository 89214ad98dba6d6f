"""Searches on the sky through the module kann, against Vincenty's formula in NumPy and against the command."""

import pathlib
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
