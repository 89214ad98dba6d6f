"""The module kann beside its searches: files, what is made of neighbours, the command, and the examples. scripts/wheel runs
it as it runs search_test.py; EXAMPLES, in the environment, is the folder of the examples."""

import contextlib
import importlib.metadata
import importlib.util
import inspect
import io
import os
import pathlib
import pydoc
import subprocess
import sys
import tempfile
import unittest

import kann
import numpy
import pandas
from scipy.interpolate import RBFInterpolator

COMMAND = pathlib.Path(sys.executable).parent / "kann"
EXAMPLES = pathlib.Path(os.environ.get("EXAMPLES", "."))


def scene(count=1500, seed=1):
    random = numpy.random.default_rng(seed)
    return random.permutation(numpy.concatenate([random.uniform((0, 0, 0), (30, 20, 0.1), (count * 2 // 3, 3)),
                                                 random.uniform((10, 5, 0), (10.1, 15, 3), (count - count * 2 // 3, 3))]))


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Files(InFolder):
    def test_clouds_come_back(self):
        points = scene().astype("f4")
        attributes = {"intensity": numpy.arange(1500, dtype="u2"), "quality": numpy.linspace(0, 1, 1500)}
        for name in ("a.ply", "a.csv"):
            with self.subTest(name):
                kann.write(self.folder / name, points, attributes)
                cloud = kann.read(self.folder / name)
                numpy.testing.assert_array_equal(cloud.points.astype("f4"), points)
                self.assertEqual(list(cloud), ["intensity", "quality"])
                for attribute, values in attributes.items():
                    numpy.testing.assert_array_equal(cloud[attribute], values)
                self.assertEqual(list(kann.read(self.folder / name, attributes=["quality"])), ["quality"])
                self.assertEqual(list(kann.read(str(self.folder / name), attributes=())), [])
        flat = kann.read(self.folder / "a.csv", columns=["x", "z"])
        self.assertEqual((flat.points.shape, flat.columns), ((1500, 2), ["x", "z"]))

    def test_las_keeps_its_records(self):
        points = numpy.round(scene(), 3)
        kann.write(self.folder / "a.las", points, {"intensity": numpy.arange(1500, dtype="u2")})
        cloud = kann.read(self.folder / "a.las")
        numpy.testing.assert_allclose(cloud.points, points, atol=1e-9)
        numpy.testing.assert_array_equal(cloud["intensity"], numpy.arange(1500))
        cloud["outlier"] = numpy.arange(1500) % 2 == 0
        kann.write(self.folder / "b.las", cloud)
        head = [(self.folder / name).read_bytes()[:94] for name in ("a.las", "b.las")]
        self.assertEqual(*head)  # version, software, date and so on
        again = kann.read(self.folder / "b.las")
        numpy.testing.assert_array_equal(again["outlier"], numpy.arange(1500) % 2 == 0)
        numpy.testing.assert_array_equal(again.points, cloud.points)

    def test_files_are_not_replaced_unless_that_is_asked_for(self):
        kann.write(self.folder / "a.ply", scene())
        with self.assertRaisesRegex(kann.UsageError, "a.ply: File exists; use force=True to replace it"):
            kann.write(self.folder / "a.ply", scene(30))
        self.assertEqual(len(kann.read(self.folder / "a.ply")), 1500)
        kann.write(self.folder / "a.ply", scene(30), force=True)
        self.assertEqual(len(kann.read(self.folder / "a.ply")), 30)

    def test_whole_numbers_keep_their_digits(self):
        (self.folder / "a.csv").write_text("x,y,z,id,huge,few\n0,0,0,4611686018427387905,18446744073709551615,1\n"
                                           "1,1,1,-9007199254740993,0,2\n")
        cloud = kann.read(self.folder / "a.csv")
        for name, values in (("id", numpy.array([4611686018427387905, -9007199254740993])),
                             ("huge", numpy.array([18446744073709551615, 0], "u8")), ("few", numpy.array([1, 2], "i4"))):
            self.assertEqual(cloud[name].dtype, values.dtype)
            numpy.testing.assert_array_equal(cloud[name], values)
        with self.assertRaisesRegex(kann.InputError, "'id' has 4611686018427387905, which no type of PLY holds"):
            kann.write(self.folder / "a.ply", cloud)
        (self.folder / "b.csv").write_text("x,y,z,id\n0,0,0,4611686018427387905\n1,1,1,\n")
        self.assertEqual(kann.read(self.folder / "b.csv")["id"].tolist(), ["4611686018427387905", ""])  # as float64 does not hold it

    def test_text_and_bools_stay(self):
        table = pandas.DataFrame(scene(40), columns=["x", "y", "z"])
        table = table.assign(name=[f"Ä {row % 7}" for row in range(40)], flag=table["x"] > 9, odd=["True", ""] * 20, code=range(40))
        table.to_csv(self.folder / "t.csv", index=False)
        cloud = kann.read(self.folder / "t.csv")
        self.assertEqual([(name, cloud[name].dtype.kind) for name in cloud], [("name", "U"), ("flag", "b"), ("odd", "U"), ("code", "i")])
        expected = pandas.read_csv(self.folder / "t.csv", dtype={"odd": str}, keep_default_na=False)
        for name in cloud:
            numpy.testing.assert_array_equal(cloud[name], expected[name])
        kann.write(self.folder / "u.csv", cloud, {"name": table["name"]})
        numpy.testing.assert_array_equal(kann.read(self.folder / "u.csv")["name"], table["name"])
        with self.assertWarnsRegex(kann.KannWarning, "v.ply: left out, as only CSV holds text: name, odd"):
            kann.write(self.folder / "v.ply", cloud)
        found = kann.search(cloud, k=3)
        numpy.testing.assert_array_equal(kann.transfer(cloud, cloud, found)["name"], cloud["name"][found.ids[:, 0]])
        with self.assertWarnsRegex(kann.KannWarning, "name is text, so queries get the most frequent one"):
            kann.transfer(cloud, cloud, found, {"name": table["name"]}, by="idw")
        with self.assertRaisesRegex(kann.UsageError, "'name' is text, for which it takes nearest or vote"):
            kann.transfer(cloud, cloud, found, by={"name": "mean"})
        fields = numpy.zeros(9, [("x", "f4"), ("y", "f4"), ("flag", "?"), ("byte", "u1")])
        fields["flag"][::2] = True
        numpy.save(self.folder / "f.npy", fields)
        cloud = kann.read(self.folder / "f.npy")
        self.assertEqual((cloud["flag"].tolist(), cloud["byte"].dtype), (fields["flag"].tolist(), "u1"))

    def test_a_part_of_a_cloud(self):
        cloud = kann.Cloud(scene(9), {"a": numpy.arange(9)}, sky=False)
        cloud.columns = ["e", "n", "h"]
        mask = numpy.arange(9) % 2 == 0
        for rows in (mask, slice(None, None, 2), [0, 2, 4, 6, 8]):
            part = cloud.select(rows)
            numpy.testing.assert_array_equal(part.points, cloud.points[::2])
            self.assertEqual((part["a"].tolist(), part.columns, part.sky), ([0, 2, 4, 6, 8], ["e", "n", "h"], False))
        self.assertEqual(len(cloud.select([])), 0)
        with self.assertRaises(IndexError):
            cloud.select(mask[:5])
        with self.assertRaisesRegex(kann.InputError, "the shape"):
            cloud.select(3)

    def test_columns_keep_their_names(self):
        (self.folder / "a.csv").write_text("id,easting,northing,height\n7,1,2,3\n8,4,5,6\n")
        cloud = kann.read(self.folder / "a.csv", columns=("easting", "northing", "height"))
        kann.write(self.folder / "b.csv", cloud)
        self.assertEqual((self.folder / "b.csv").read_text(), "easting,northing,height,id\n1,2,3,7\n4,5,6,8\n")
        kann.write(self.folder / "c.csv", kann.read(self.folder / "a.csv", columns=("2", "3")))
        self.assertEqual((self.folder / "c.csv").read_text().splitlines()[0], "x,y,id,height")
        with self.assertWarnsRegex(kann.KannWarning, "attribute 'two words' is called 'two_words'"):
            kann.write(self.folder / "a.ply", cloud, {"two words": [1, 2]})
        with self.assertWarnsRegex(kann.KannWarning, "attribute '5' is called 'column_5'"):
            kann.write(self.folder / "d.csv", cloud, {"5": [1, 2]})

    def test_a_folder_is_no_file(self):
        for call in (lambda: kann.write(self.folder, scene(9)), lambda: kann.search(scene(9), k=2).write(self.folder)):
            with self.assertRaisesRegex(kann.ResourceError, ": Is a directory; name a file in it"):
                call()
        with self.assertRaisesRegex(kann.UsageError, "format expects ply, las, laz or csv, got ''"):
            kann.write(self.folder / "a", scene(9))

    def test_refusals(self):
        (self.folder / "bad.xyz").write_text("1 2.5 3\n4 5,5 6\n")
        (self.folder / "cut.ply").write_bytes(b"ply\nformat binary_little_endian 1.0\nelement vertex 20\nproperty float x\n"
                                              b"property float y\nproperty float z\nend_header\n" + bytes(60))
        cloud = kann.Cloud(scene(9), {"a": numpy.arange(9)})
        for error, message, call in (
                (kann.InputError, "nope.ply: No such file or directory", lambda: kann.read("nope.ply")),
                (kann.InputError, "vertex count 20 needs 240 bytes, file holds 60", lambda: kann.read(self.folder / "cut.ply")),
                (kann.InputError, "bad.xyz:2: ", lambda: kann.read(self.folder / "bad.xyz")),
                (kann.UsageError, "format expects", lambda: kann.read("a.ply", format="stl")),
                (kann.UsageError, "format expects ply, las, laz or csv, got 'stl'", lambda: kann.write("a.stl", cloud)),
                (kann.UsageError, "not standard input", lambda: kann.read("-", format="ply")),
                (kann.UsageError, "not standard output", lambda: kann.write("-", cloud, format="ply")),
                (kann.UsageError, "header expects True or False", lambda: kann.read("a.ply", header="yes")),
                (kann.UsageError, "format expects text, got 5", lambda: kann.read("a.ply", format=5)),
                (kann.UsageError, "without null characters", lambda: kann.read("a\0.ply")),
                (kann.UsageError, "several names", lambda: kann.read("a.ply", columns="xy")),
                (kann.UsageError, "path expects the name of a file, got 3", lambda: kann.read(3)),
                (kann.InputError, r"attribute 'b': the shape is \(3,\), and there are 9 points", lambda: kann.Cloud(scene(9), {"b": [1, 2, 3]})),
                (kann.InputError, "attribute 'b': values are whole numbers", lambda: kann.write("a.ply", cloud, {"b": [1j] * 9})),
                (kann.InputError, "attribute 'b' has a text of more than a mebibyte", lambda: kann.write("a.csv", cloud, {"b": ["x" * 2**21] * 9})),
                (kann.UsageError, "attributes expects names and arrays", lambda: kann.write("a.ply", cloud, [1])),
                (kann.ResourceError, "No such file or directory", lambda: kann.write(self.folder / "no" / "a.ply", cloud)),
                (kann.InputError, r"attribute 'n': the shape is \(9, 3\).*; name each column, as .*n\.T", lambda: kann.Cloud(scene(9), {"n": scene(9)})),
                (kann.InputError, r"data: not coordinates, but text; .*kann\.read\(\)", lambda: kann.search(str(self.folder / "bad.xyz"))),
                (kann.InputError, r"cloud: not coordinates, but text", lambda: kann.picture(self.folder, [1])),
                (TypeError, r"takes the name of an attribute; cloud\.select\(rows\)", lambda: cloud[cloud["a"] > 3]),
                (KeyError, "no attribute 'b'; there are a", lambda: kann.picture(cloud, "b")),
                (KeyError, "no attribute 'b'; there are a", lambda: cloud["b"])):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()


class Products(InFolder):
    def setUp(self):
        super().setUp()
        self.data, self.queries = scene(), scene(300, 2)
        self.found = kann.search(self.data, self.queries, 4)

    def test_transfer(self):
        values = {"height": self.data[:, 2] * 3, "label": (self.data[:, 0] > 10).astype("u1")}
        made = kann.transfer(self.data, self.queries, self.found, values)
        for name, array in values.items():
            numpy.testing.assert_array_equal(made[name], array[self.found.ids[:, 0]])
            self.assertEqual(made[name].dtype, array.dtype)
        with self.assertWarnsRegex(kann.KannWarning, 'label has whole numbers.*by={"label": "mean"} averages it'):
            both = kann.transfer(kann.Cloud(self.data, values), self.queries, self.found, by="mean")
        mean = both["height"]
        numpy.testing.assert_allclose(mean, values["height"][self.found.ids].mean(1), 1e-12)
        weights = 1 / self.found.distances.astype("f8") ** 2
        idw = kann.transfer(self.data, self.queries, self.found, {"height": values["height"]}, by="idw")["height"]
        numpy.testing.assert_allclose(idw, (values["height"][self.found.ids] * weights).sum(1) / weights.sum(1), 1e-5)
        vote = kann.transfer(self.data, self.queries, self.found, {"label": values["label"]}, by="vote")["label"]
        ones = values["label"][self.found.ids].sum(1)
        numpy.testing.assert_array_equal(vote[ones != 2], (ones > 2)[ones != 2])
        numpy.testing.assert_array_equal(both["label"], vote)
        own = kann.transfer(self.data, self.queries, self.found, values, by={"label": "mean"})
        numpy.testing.assert_array_equal(own["label"], ones / 4)
        numpy.testing.assert_array_equal(own["height"], values["height"][self.found.ids[:, 0]])

    def test_transfer_by_radial_basis_functions(self):
        values = numpy.sin(self.data[:, 0]) + self.data[:, 2]
        found = kann.search(self.data, self.queries, 12)
        made = kann.transfer(self.data, self.queries, found, {"v": values}, by="rbf", rbf_kernel="cubic", rbf_smoothing=0.1)
        expected = RBFInterpolator(self.data, values, neighbors=12, kernel="cubic", smoothing=0.1)(self.queries)
        numpy.testing.assert_allclose(made["v"], expected, 1e-6, 1e-6)

    def test_outliers_and_densities(self):
        found = kann.search(self.data, k=6)
        mean = found.distances.astype("f8").mean(1)
        made = kann.outliers(found, sigma=1.5)
        numpy.testing.assert_allclose(made.threshold, mean.mean() + 1.5 * mean.std(ddof=1), 1e-6)
        numpy.testing.assert_array_equal(made.is_outlier, mean > made.threshold)
        self.assertEqual((made.count, made.is_outlier.dtype), (made.is_outlier.sum(), bool))
        numpy.testing.assert_allclose(kann.mean_distances(found, 3), found.distances[:, :3].mean(1), 1e-6)
        numpy.testing.assert_allclose(kann.median_distances(found), numpy.median(found.distances, 1), 1e-6)
        last = found.distances[:, -1]
        reach = numpy.maximum(found.distances, last[found.ids]).astype("f8")
        density = 1 / (reach.mean(1) + 1e-10)
        numpy.testing.assert_allclose(kann.local_outlier_factors(found), density[found.ids].mean(1) / density, 1e-12)
        with self.assertRaisesRegex(kann.UsageError, "a search without queries"):
            kann.local_outlier_factors(kann.search(self.data, self.data, k=6))
        with self.assertRaisesRegex(kann.InputError, "9 is none of the 2 points"):
            kann.local_outlier_factors(kann.Found.of([[1], [9]], [[1.0], [2.0]]))
        sphere = 4 / 3 * numpy.pi * found.distances[:, -1].astype("f8") ** 3
        numpy.testing.assert_allclose(kann.densities(found), 6 / sphere, 1e-6)
        sky = kann.search(self.data[:, :2], k=6, sky=True, unit="arcmin")
        cap = 2 * numpy.pi * (1 - numpy.cos(numpy.radians(sky.distances[:, -1].astype("f8") / 60))) * (180 * 60 / numpy.pi) ** 2
        numpy.testing.assert_allclose(kann.densities(sky), 6 / cap, 1e-5)
        numpy.testing.assert_allclose(kann.statistics(sky)["density"]["p95"], numpy.sort(6 / cap)[-75], 1e-2)

    def test_statistics(self):
        made = kann.statistics(self.found)
        self.assertEqual([rank["rank"] for rank in made["ranks"]], [1, 2, 3, 4])
        second = numpy.sort(self.found.distances[:, 1].astype("f8"))
        self.assertAlmostEqual(made["ranks"][1]["mean"], second.mean(), 9)
        self.assertEqual(made["ranks"][1]["max"], second[-1])
        self.assertEqual((made["empty_rows"], made["density"]["coincident"]), (0, 0))

    def test_rows_that_are_wrong_are_found(self):
        self.assertEqual(kann.verify(self.data, self.queries, self.found, min_recall=1)["identical_rows"], 300)
        self.assertEqual(kann.verify(self.data, self.queries, self.found, sample=50)["queries"], 50)
        wrong = self.found.ids.copy()
        wrong[::3, 0] = (wrong[::3, 0] + 700) % 1500
        rows = kann.Found.of(wrong, self.found.distances)
        self.assertEqual(kann.verify(self.data, self.queries, rows)["faulty_rows"], 100)
        with self.assertRaisesRegex(kann.CheckError, "is below min_recall 0.97") as caught:
            kann.verify(self.data, self.queries, rows, min_recall=0.97)
        self.assertLess(caught.exception.accuracy["recall"], 0.95)
        self.assertLess(kann.compare(self.data, self.queries, rows, self.found)["recall"], 0.95)

    def test_results_come_back(self):
        self.found.write(self.folder / "module.npz")
        with numpy.load(self.folder / "module.npz") as arrays:
            numpy.testing.assert_array_equal(arrays["ids"], self.found.ids)
        again = kann.Found.read(self.folder / "module.npz")
        numpy.testing.assert_array_equal(again.distances, self.found.distances)
        self.assertEqual(kann.statistics(again), kann.statistics(self.found))

    def test_the_distances_beside_an_npy_are_read(self):
        for end in ("npy", "NPY"):
            name = self.folder / f"beside.{end}"
            self.found.write(name)
            beside = self.folder / "beside.distances.npy"
            for again in (kann.Found.read(name), kann.Found.read(str(name))):
                numpy.testing.assert_array_equal(again.ids, self.found.ids)
                numpy.testing.assert_array_equal(again.distances, self.found.distances)
            for bad in (self.found.distances[1:], self.found.distances[:, 0], self.found.ids, self.found.distances.T):
                numpy.save(beside, bad)
                with self.assertRaisesRegex(kann.InputError, "beside.distances.npy: .* are not the distances of ids of the shape"):
                    kann.Found.read(name)
            for content in (b"\x93NUMPY", b"PK\3\4"):
                beside.write_bytes(content)
                with self.assertRaisesRegex(kann.InputError, "beside.distances.npy: not an NPY array"):
                    kann.Found.read(name)
            self.assertEqual(kann.compare(self.data, self.queries, self.found, name)["recall"], 1)  # by the ids alone
            beside.unlink()
            self.assertTrue(numpy.isnan(kann.Found.read(name).distances).all())
            name.unlink()
        none = kann.search(self.data, self.data[:0], 4)
        none.write(self.folder / "none.npy")
        self.assertEqual(kann.Found.read(self.folder / "none.npy").distances.shape, (0, 4))

    def test_refusals(self):
        for error, message, call in (
                (kann.UsageError, "by expects nearest or mean", lambda: kann.transfer(self.data, self.queries, self.found, {}, by="x")),
                (kann.UsageError, "unless the data are a Cloud", lambda: kann.transfer(self.data, self.queries, self.found)),
                (kann.InputError, "", lambda: kann.transfer(self.data, self.data, self.found, {"z": self.data[:, 2]})),
                (kann.UsageError, "found expects the result of a search", lambda: kann.statistics(self.found.ids)),
                (kann.UsageError, "by has 'w', which is none", lambda: kann.transfer(self.data, self.queries, self.found, {}, by={"w": "vote"})),
                (kann.UsageError, "the step of a grid is a positive number", lambda: kann.grid(self.data, 0)),
                (kann.UsageError, "a result is npz, npy, csv", lambda: self.found.write("a.xyz")),
                (kann.UsageError, "color_range expects 2 numbers", lambda: kann.picture(self.data, self.data[:, 2], color_range="ab")),
                (kann.UsageError, "label expects text", lambda: kann.picture(self.data, self.data[:, 2], label=3)),
                (kann.UsageError, "size expects a whole number", lambda: kann.picture(self.data, self.data[:, 2], size=(64,))),
                (kann.UsageError, "min_recall expects a number", lambda: kann.verify(self.data, self.queries, self.found, min_recall="x")),
                (kann.UsageError, "", lambda: kann.outliers(self.found, k=9)),
                (kann.UsageError, "number of standard deviations of at least 0", lambda: kann.outliers(self.found, sigma=-1)),
                (kann.InputError, "", lambda: kann.verify(self.data, self.data, self.found)),
                (kann.InputError, "colors: float64 of the shape", lambda: kann.picture(self.data, self.data)),
                (kann.UsageError, "view expects", lambda: kann.picture(self.data, self.data[:, 2], view="left")),
                (kann.UsageError, "dimensions expects a whole number", lambda: kann.Found.of([[1]], [[1.0]], dimensions="x")),
                (kann.InputError, "m x k each", lambda: kann.Found.of([[1]], [[1.0, 2.0]]))):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()


class Installation(InFolder):
    def test_the_module_is_the_installed_one(self):
        self.assertIn(sys.prefix, kann.__file__)
        self.assertEqual(kann.__version__, importlib.metadata.version("kann"))
        names = {path.name for path in pathlib.Path(kann.__file__).parent.iterdir()}
        self.assertLessEqual({"py.typed", "_kann.pyi"}, names)

    def test_the_command_runs_in_both_ways(self):
        for call in ([COMMAND], [sys.executable, "-I", "-m", "kann"]):
            done = subprocess.run([*call, "--version"], capture_output=True, text=True, check=True, cwd=self.folder)
            self.assertIn(kann.__version__, done.stdout)
            done = subprocess.run([*call, "--data", "nope.ply"], capture_output=True, text=True, check=False, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (3, "kann: error: nope.ply: No such file or directory\n"))

    def test_a_package_of_cuda_code_that_cannot_be_used_is_left(self):
        place = self.folder / "kann_cuda13"
        code = f"import sys; sys.path.insert(0, {str(self.folder)!r}); import kann; print(kann._kann.__name__)"
        for text, fault in ((None, ""), ("version = '0.0.1'", "it has version 0.0.1"),
                            (f"version = {kann.__version__!r}", "No module named 'kann_cuda13._kann'")):
            place.mkdir(exist_ok=True)
            if text:
                (place / "__init__.py").write_text(text)
            done = subprocess.run([sys.executable, "-IB", "-c", code], capture_output=True, text=True, check=True)
            if text:
                self.assertIn(f"KannWarning: kann-cuda13 is not used by kann {kann.__version__}: {fault}; pip", done.stderr)
            elif importlib.util.find_spec("kann_cuda13") is None:
                self.assertEqual(done.stderr, "")  # a folder of that name is nothing
            if text or importlib.util.find_spec("kann_cuda13") is None:
                self.assertEqual(done.stdout, "kann._kann\n")

    def test_everything_public_is_documented(self):
        for name in kann.__all__:
            text = inspect.getdoc(getattr(kann, name))
            self.assertLessEqual(max(map(len, text.splitlines())), 72, name)  # help() indents it
            with contextlib.redirect_stdout(io.StringIO()) as page:
                pydoc.doc(getattr(kann, name), output=page)
            self.assertIn(name, page.getvalue())

    def test_examples(self):
        for example, expected in (("icp.py", r"moved back by 0\.40 m and 3\.0 degrees"), ("outliers.py", "25 of 25 planted"),
                                  ("features.py", "9.% of the points have the right class; 216000 edges, ")):
            done = subprocess.run([sys.executable, EXAMPLES / example], capture_output=True, text=True, check=True, cwd=self.folder)
            self.assertRegex(done.stdout, expected)


if __name__ == "__main__":
    unittest.main(warnings="error")
