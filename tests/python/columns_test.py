"""Tables and units through the module kann: what becomes x, y and z, or longitude and latitude. pandas and NumPy choose
the columns by hand, and astropy converts units and finds the nearest on the sky."""

import pickle
import unittest

import astropy.units as u
import kann
import numpy
import pandas
import polars
import pyarrow
from astropy.coordinates import SkyCoord, match_coordinates_sky
from astropy.table import QTable, Table
from astropy.utils.masked import Masked


def frame(count, seed, **columns):
    """Columns of random numbers within the limits."""
    random = numpy.random.default_rng(seed)
    return pandas.DataFrame({name: random.uniform(*limits, count) for name, limits in columns.items()})


def forms(table):
    """The same table as users have it."""
    return {"DataFrame": table, "Table": Table.from_pandas(table), "QTable": QTable.from_pandas(table),
            "structured": table.to_records(index=False), "fields": numpy.array(table.to_records(index=False)),
            "Arrow": pyarrow.Table.from_pandas(table), "polars": polars.DataFrame(table), "dict": {name: table[name] for name in table}}


def on_sky(data, queries):
    """The ids of the nearest, and their distances in degrees, by astropy."""
    clouds = [SkyCoord(cloud[:, 0] * u.deg, cloud[:, 1] * u.deg) for cloud in (queries, data)]
    ids, distances, _ = match_coordinates_sky(*clouds)
    return ids, distances.deg


class Columns(unittest.TestCase):
    def test_coordinates_are_those_that_the_names_say(self):
        table = frame(300, 1, id=(0, 1e6), z=(0, 9), Y=(0, 1), x_m=(0, 1), w=(0, 1e6)).rename(columns={"x_m": "X"})
        table["name"] = [f"s{row}" for row in range(300)]
        for wanted, given in ((["X", "Y", "z"], table.rename(columns={"z": "Z"})), (["X", "Y"], table[["id", "Y", "w", "X", "name"]]),
                              (["X", "Y", "z"], table[["z", "Y", "X"]].rename(columns={"z": "Z"}))):
            points = table[wanted].to_numpy()
            expected = kann.search(points, points[::3] + 0.01, k=4)
            for form, cloud in forms(given).items():
                with self.subTest(form, columns=list(given)):
                    queries = pandas.DataFrame(points[::3] + 0.01, columns=wanted)[wanted[::-1]]
                    for ids in (kann.search(cloud, queries, k=4).ids, kann.Index(cloud).query(queries, k=4)[1]):
                        numpy.testing.assert_array_equal(ids, expected.ids)
                    numpy.testing.assert_array_equal(kann.Cloud(cloud).points, points)

    def test_names_that_say_nothing(self):
        points = frame(50, 2, u=(0, 1), v=(0, 1))
        for given in (points, points.rename(columns={"u": 0, "v": 1}), Table.from_pandas(points)):
            numpy.testing.assert_array_equal(kann.search(given, k=2).ids, kann.search(points.to_numpy(), k=2).ids)
        wide = points.assign(p=1.0, q=2.0)
        for form, cloud in forms(wide).items():
            with self.subTest(form), self.assertRaisesRegex(
                    kann.InputError, r'^data: the columns do not say which are x, y and z: u, v, p, q; choose them, as data\[\["x", "y", "z"\]\]'):
                kann.search(cloud)
        for names in (["id", "u", "v"], ["z", "u"], ["x", "elevation"]):
            with self.subTest(names), self.assertRaisesRegex(kann.InputError, "do not say which are x, y and z: " + ", ".join(names)):
                kann.search(pandas.DataFrame(numpy.zeros((9, len(names))), columns=names))
        with self.assertRaisesRegex(kann.InputError, r'which are longitude and latitude: u, v, p, q.*data\[\["lon", "lat"\]\]'):
            kann.search(wide, sky=True)
        with self.assertRaisesRegex(kann.InputError, r"data\.iloc\[:, :3\] takes the first three"):
            kann.search(pandas.DataFrame(numpy.zeros((9, 5))))
        with self.assertRaisesRegex(kann.InputError, "not one number per point"):
            kann.search(numpy.zeros(9, [("x", "f8", 2), ("y", "f8")]))

    def test_longitude_comes_before_latitude(self):
        data, queries = (frame(200, seed, lat=(-90, 90), n=(0, 1), lon=(0, 360)) for seed in (3, 4))
        ids, distances = on_sky(data[["lon", "lat"]].to_numpy(), queries[["lon", "lat"]].to_numpy())
        for (form, cloud), others in zip(forms(data).items(), forms(queries).values()):
            with self.subTest(form):
                for found in (kann.search(cloud, others, k=1, sky=True), kann.search(kann.Cloud(cloud, sky=True), others, k=1)):
                    numpy.testing.assert_array_equal(found.ids[:, 0], ids)
                    numpy.testing.assert_allclose(found.distances[:, 0], distances, rtol=1e-6)
                for call in (kann.search, kann.Index, kann.Cloud, lambda c: kann.cluster(c, 1.0), lambda c: kann.match(c, c)):
                    with self.assertRaisesRegex(kann.InputError, "'lon' and 'lat' are angles.* give sky=True"):
                        call(cloud)
                numpy.testing.assert_array_equal(kann.grid(cloud, 90).origin, [0, 90])  # which measures no distances


class Units(unittest.TestCase):
    def test_angles_become_degrees(self):
        data, queries = (frame(200, seed, dec=(-90, 90), ra=(0, 360)) for seed in (5, 6))
        degrees = data[["ra", "dec"]].to_numpy()
        ids, distances = on_sky(degrees, queries[["ra", "dec"]].to_numpy())
        hours = QTable({"dec": data["dec"].to_numpy() * u.deg, "ra": (data["ra"].to_numpy() * u.deg).to(u.hourangle)})
        in_h = Table({"ra": data["ra"] / 15, "dec": (data["dec"].to_numpy() * u.deg).to(u.arcsec)}, units={"ra": "h", "dec": "arcsec"})
        for cloud in ((degrees * u.deg).to(u.rad), degrees * u.deg, hours, in_h):
            for found in (kann.search(cloud, queries, k=1, sky=True), kann.Index(cloud, sky=True).search(queries, k=1)):
                numpy.testing.assert_array_equal(found.ids[:, 0], ids)
                numpy.testing.assert_allclose(found.distances[:, 0], distances, rtol=1e-5)
        of_queries = (queries[["ra", "dec"]].to_numpy() * u.deg).to(u.rad)
        numpy.testing.assert_array_equal(kann.Index(degrees).query(of_queries, sky=True)[1], ids)

    def test_lengths_are_those_of_the_data(self):
        data, queries = numpy.random.default_rng(7).random((2, 90, 3))
        expected = kann.search(data, queries, k=3)
        index = pickle.loads(pickle.dumps(kann.Index(data * u.m)))
        in_km = (queries * u.m).to(u.km)
        table = QTable({"z": in_km[:, 2], "y": queries[:, 1] * u.m, "x": (queries[:, 0] * u.m).to(u.cm)})
        for other in (in_km, table, queries * u.m, queries):
            for found in (index.search(other, k=3), kann.search(kann.Cloud(data * u.m), other, k=3)):
                numpy.testing.assert_array_equal(found.ids, expected.ids)
                numpy.testing.assert_allclose(found.distances, expected.distances, rtol=1e-6)
            numpy.testing.assert_array_equal(index.query(other, k=3)[1], expected.ids)

    def test_refuses_other_units(self):
        points = numpy.random.default_rng(8).random((9, 2))
        for data, queries, sky, message in (
                (points * u.m, None, True, "data: the unit m cannot be converted to deg"),
                (points, points * u.s, True, "queries: the unit s cannot"),
                (points * u.rad, None, None, "data: coordinates in rad are angles.*give sky=True"),
                (points * u.m, points * u.deg, None, "queries: coordinates in deg are angles"),
                (points * u.m, points * u.s, None, "queries: the unit s cannot be converted to m, the unit of the other coordinates"),
                (QTable({"x": points[:, 0] * u.m, "y": points[:, 1] * u.s}), None, None, "data: the unit s cannot"),
                (Masked(points * u.m, mask=points > 0.5), None, None, "data: masked arrays are not taken")):
            with self.subTest(message), self.assertRaisesRegex(kann.InputError, message):
                kann.search(data, queries, k=1, sky=sky)
        self.assertEqual(len(kann.search(numpy.ma.array(points), k=1).ids), 9)  # which masks nothing


if __name__ == "__main__":
    unittest.main(warnings="error")
