"""Tables that go into the module kann and come out of it, against those of the command, pandas.merge() and SciPy's cKDTree."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import astropy.units as u
import kann
import numpy
import pandas
import polars
import pyarrow
from astropy.table import QTable, Table
from scipy.spatial import cKDTree

K = 3
OPTIONS = ({"how": "inner", "radius": .1}, {"how": "left", "radius": .1, "k": 2}, {"how": "anti", "radius": .1, "k": "all"},
           {"how": "left", "radius": .2, "k": "all"}, {"how": "inner", "match": "mutual"}, {"how": "inner", "group": "kind"},
           {"how": "left", "radius": .3, "k": "all", "match": "one-to-one"})


def ugly(count, seed):
    """Equal distances, names of both sides, text that CSV quotes and points without a coordinate."""
    random = numpy.random.default_rng(seed)
    table = pandas.DataFrame({"data_kind": random.choice(["0017", "a,b", 'say "x"', "déjà\nvu", "NA"], count), "kind": random.choice(["u", "v"], count),
                              "y": random.integers(0, 12, count) / 16, "id": random.integers(2**53, 2**62, count),
                              "x": random.integers(0, 12, count) / 16, "nn_id": random.random(count), f"only_{seed}": random.random(count)})
    table.loc[table.index[5::7], "x"] = numpy.nan
    return table


def forms(table):
    """The same table in all libraries, by what these call a table."""
    arrow = pyarrow.Table.from_pandas(table, preserve_index=False)
    return {pandas.DataFrame: table.set_axis(table.index[::-1] * 7), pyarrow.Table: arrow, polars.DataFrame: polars.DataFrame(arrow),
            Table: Table({name: table[name].to_numpy() for name in table}), dict: {name: table[name].to_numpy() for name in table}}


def cells(table):
    """Values by column; None for missing ones."""
    columns = (table.to_pydict() if isinstance(table, pyarrow.Table) else table.to_dict(as_series=False) if isinstance(table, polars.DataFrame)
               else {name: list(table[name].tolist()) for name in (table if isinstance(table, dict) else table.columns)})
    return {name: [None if value is None or value != value else value for value in values] for name, values in columns.items()}


class JoinTest(unittest.TestCase):
    def test_has_the_cells_of_the_command(self):
        for counts in ((60, 60), (60, 2), (1, 60), (40, 0), (0, 9), (50, None)):
            sides = {f"{seed}.csv": ugly(count, seed) for seed, count in enumerate(counts) if count is not None}
            for options in OPTIONS:
                with tempfile.TemporaryDirectory() as folder:
                    for name, table in sides.items():
                        table.to_csv(pathlib.Path(folder) / name, index=False)
                    words = [word for name, value in options.items() for word in (f"--{name}".replace("how", "join"), str(value))]
                    subprocess.run([sys.executable, "-m", "kann", *reversed(sides), "-o", "t.csv", "--invalid", "skip", *words],
                                   cwd=folder, check=True, capture_output=True)
                    want = pandas.read_csv(folder + "/t.csv", dtype=str, keep_default_na=False)
                for library, *tables in zip(forms(ugly(0, 0)), *(forms(table).values() for table in sides.values())):
                    with self.subTest(library, counts=counts, **options):
                        table = kann.join(*tables, invalid="skip", **options)
                        self.assertIs(type(table), library)
                        self.assertEqual(list(cells(table)), list(want.columns))
                        for name, values in cells(table).items():
                            texts = [str(float(numpy.float32(text))) if text and name == "nn_distance" else text for text in want[name]]
                            self.assertEqual(values, [type(value)(text) if text else None for value, text in zip(values, texts, strict=True)])

    def test_has_the_rows_of_pandas(self):
        for counts in ((m, n) for m in (0, 1, K - 1, K, K + 1, 60) for n in (0, 1, K - 1, K, K + 1, 60)):
            sides = [pandas.DataFrame(numpy.random.default_rng(i).random((count, 2)), columns=["x", "y"]) for i, count in enumerate(counts)]
            left, right = sides[0].assign(line=range(counts[0])), sides[1].assign(nn_id=range(counts[1]))
            distances, ids = cKDTree(sides[1]).query(sides[0], range(1, K + 1), distance_upper_bound=.5)
            lines, ranks = numpy.nonzero(distances < numpy.inf)
            pairs = pandas.DataFrame({"line": lines, "nn_id": ids[lines, ranks], "nn_distance": distances[lines, ranks]})
            beside = pairs.merge(right.rename(columns={"x": "data_x", "y": "data_y"}), on="nn_id")
            for how in ("inner", "left"):
                want = left.rename(columns={"x": "query_x", "y": "query_y"}).merge(beside, on="line", how=how)
                made = kann.join(left, sides[1], k=K, radius=.5, how=how)
                pandas.testing.assert_frame_equal(made, want[list(made.columns)], check_dtype=False, rtol=1e-6)
            pandas.testing.assert_frame_equal(kann.join(left, sides[1], radius=.5, how="anti"),
                                              left[~left["line"].isin(lines)].reset_index(drop=True))

    def test_clouds_beside_tables(self):
        points, kinds = numpy.random.default_rng(3).random((9, 3)), list("abcabcabc")
        for library, table in forms(pandas.DataFrame(points + .01, columns=["x", "y", "z"])).items():
            for cloud in (points, kann.Cloud(points, {"kind": numpy.array(kinds)}), kann.Index(points)):
                made = kann.join(table, cloud)
                self.assertIs(type(made), library)
                self.assertEqual((cells(made)["nn_id"], cells(made).get("kind", kinds)), (list(range(9)), kinds))
        stars = QTable({"ra": [1, 2] * u.deg, "dec": [0, 0] * u.deg})
        made = kann.join(stars, stars[:1], radius=1, how="left", sky=True, unit="arcsec")
        self.assertEqual((type(made), made["data_ra"].unit, made["data_ra"].mask.tolist()), (QTable, u.deg, [False, True]))

    def test_refuses(self):
        table = pandas.DataFrame({"x": [1.], "y": [1.]})
        for message, left, right, options in (
                ("how expects one of inner, left, anti, got 'outer'", table, table, {"how": "outer"}),
                ("match expects one of None, mutual, one-to-one, got True", table, table, {"match": True}),
                ("are tables of different libraries; convert one of them", table, pyarrow.Table.from_pandas(table), {}),
                ("there is no column 'kind' of groups, but x, y", table, table, {"group": "kind"}),
                ("left: the columns have different lengths", {"x": [1], "y": [1, 2]}, table, {}),
                ("right: (not a table|the shape)", table, pandas.Series([1.]), {})):
            with self.subTest(message), self.assertRaisesRegex((kann.UsageError, kann.InputError), message):
                kann.join(left, right, **options)
        with self.assertWarnsRegex(kann.KannWarning, "have lost their 1 nearest neighbour") as caught:
            kann.join(numpy.zeros((2, 2)), numpy.eye(2), 1, match="one-to-one")
        self.assertEqual(pathlib.Path(caught.filename), pathlib.Path(__file__))


class FoundTest(unittest.TestCase):
    def test_table(self):
        data, queries = ugly(40, 4), ugly(30, 5).rename(columns={"id": "rank"})
        found, lists = kann.search(data, queries, K, radius=.2, invalid="skip"), kann.search_radius(data, queries, .2, invalid="skip")
        with tempfile.TemporaryDirectory() as folder:
            found.write(folder + "/found.csv")
            written = pandas.read_csv(folder + "/found.csv", dtype={"distance": "f4"}).query("id >= 0").reset_index(drop=True)
        pandas.testing.assert_frame_equal(pandas.DataFrame(found.table()), written, check_dtype=False)
        pandas.testing.assert_frame_equal(pandas.DataFrame(lists.table()).query(f"rank < {K}").reset_index(drop=True), written, check_dtype=False)
        names = ["query", "rank", "id", "distance", "query_data_kind", "query_kind", "query_y", "query_rank", "query_x", "query_nn_id", "only_5",
                 "data_data_kind", "data_data_data_kind", "data_y", "data_id", "data_x", "data_nn_id", "only_4"]
        for (library, one), other in zip(forms(queries).items(), forms(data).values()):
            made = cells(found.table(one, other))
            self.assertEqual((type(lists.table(one)), list(made)), (library, names))
            for name, table, rows in (("query_rank", queries["rank"], "query"), ("data_id", data["id"], "id"), ("only_4", data["only_4"], "id")):
                self.assertEqual(made[name], table[written[rows]].tolist())
        for message, rows, options in (("queries: there are 29 rows, which", found, {"queries": queries[:29]}), ("data: there are 39", lists, {"data": data[:39]}),
                                       ("data: there are 2", kann.Found.of([[2]], [[1.]]), {"data": numpy.zeros((2, 2))})):
            with self.assertRaisesRegex(kann.InputError, "^" + message):
                rows.table(**options)

    def test_streams_and_nulls(self):
        points = numpy.random.default_rng(6).random((9, 2))
        table = pyarrow.table({"y": points[:, 1], "n": list("abcdefghi"), "x": points[:, 0]})
        for cloud in (table.to_batches()[0], table.to_reader()):
            numpy.testing.assert_array_equal(kann.search(cloud, k=2).ids, kann.search(points, k=2).ids)
        self.assertEqual(kann.join(table.to_reader(), points)["n"].to_pylist(), list("abcdefghi"))
        with mock.patch.dict(sys.modules, {"pyarrow": None}):
            self.assertEqual(len(kann.join(polars.DataFrame(table), points)), 9)
            with self.assertRaisesRegex(kann.InputError, "^left: a table of Arrow needs the package pyarrow, which is not installed"):
                kann.join(table, points)
        missing = pyarrow.table({"x": [1., None, 2], "y": [0, None, 0]})
        for cloud in (missing, polars.DataFrame(missing)):
            with self.assertRaisesRegex(kann.InputError, r'1 of 3 points have NaN .*\(first: 1\); use invalid="skip"'):
                kann.search(cloud, k=1)
            self.assertEqual(kann.search(cloud, k=1, invalid="skip").ids.tolist(), [[2], [-1], [0]])


if __name__ == "__main__":
    unittest.main(warnings="ignore")
