"""The module kann has the bytes of the command: a table of what both are asked, results in all formats, grids, pictures and
histograms. scripts/wheel runs it in an environment with the wheel, which does not see the source tree."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import kann
import numpy
import scipy.sparse
from scipy.io import mmread

COMMAND = pathlib.Path(sys.executable).parent / "kann"
NAMES = ["normals", "curvature", "linearity", "planarity", "sphericity", "verticality", "omnivariance", "density"]

# What is called, the clouds, options of the command, and the same of the module
CASES = (
    ("search", "data queries", "", {}),
    ("search", "data", "-k 2", {"k": 2}),
    ("search", "data", "-k 3 --include-self", {"k": 3, "include_self": True}),
    ("search", "data queries", "--radius .05", {"radius": 0.05}),
    ("search", "wide queries", "-k 33", {"k": 33}),
    ("search", "data queries", "--periodic 1,1,0", {"periodic": (1, 1, 0)}),
    ("search", "data", "-k 9 --periodic 1,1,1,.2,.1,0 --images all", {"k": 9, "periodic": (1, 1, 1, 0.2, 0.1, 0), "images": "all"}),
    ("search", "data queries", "--method shifted-sort --window 9", {"method": "shifted-sort", "window": 9}),
    ("search", "gaps queries", "--invalid skip", {"invalid": "skip"}),
    ("search", "stars", "-k 3 --sky --unit m", {"k": 3, "sky": True, "unit": "m"}),
    ("search", "wide queries", "-k 5 --distances float64", {"k": 5, "dtype": "f8"}),
    ("search", "data", "-k 9 --periodic 1,1,1,.2,.1,0 --images all --distances float64",
     {"k": 9, "periodic": (1, 1, 1, 0.2, 0.1, 0), "images": "all", "dtype": "f8"}),
    ("search_radius", "stars", "-k all --radius 99 --sky --unit arcmin --distances float64",
     {"radius": 99, "sky": True, "unit": "arcmin", "dtype": "f8"}),
    ("search_radius", "data", "-k all --radius .1", {"radius": 0.1}),
    ("search_radius", "data queries", "-k all --radius .1 --periodic 1,1,1", {"radius": 0.1, "periodic": (1, 1, 1)}),
    ("search_radius", "stars", "-k all --radius 99 --sky --unit arcmin", {"radius": 99, "sky": True, "unit": "arcmin"}),
    ("cluster", "wide", "--cluster .05,7", {"radius": 0.05, "min_points": 7, "threads": 1}),
    ("cluster", "stars", "--cluster 3 --sky", {"radius": 3, "sky": True}),
    ("features", "wide", "-k 5", {"k": 5}),
    ("features", "wide", "", {}),
    ("features", "data", "-k all --radius .2", {"radius": 0.2}),
    ("features", "data queries", "-k 9 --radius .1", {"k": 9, "radius": 0.1}),
)


def arrays_of(found):
    """What a result of the module holds, as the files of the command call it."""
    if isinstance(found, numpy.ndarray):
        return {"cluster": found}
    if isinstance(found, dict):
        normals = dict(zip(("nx", "ny", "nz"), found["normals"].T))
        return {**normals, **{name: values for name, values in found.items() if name != "normals"}}
    lists = {"indptr": found.indptr} if hasattr(found, "indptr") else {}
    return {"ids": found.ids, "distances": found.distances, **lists, **({} if found.shifts is None else {"shifts": found.shifts})}


class CommandTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        random = numpy.random.default_rng(1)
        data, scene = random.random((4000, 3)).astype("f4"), random.random((1500, 3)) * (30, 20, 0.1)
        gaps = data.copy()
        gaps[::50] = numpy.nan
        cls.clouds = {"data": data, "queries": random.random((900, 3)).astype("f4"), "gaps": gaps, "scene": scene,
                      "wide": random.random((2000, 3)) * (1, 1, 0.1) + (5e5, 5e6, 0), "stars": random.uniform((0, -90), (360, 90), (500, 2))}
        cls.clouds["of_scene"] = scene[::5] + 0.01
        for name, points in cls.clouds.items():
            numpy.save(cls.folder / f"{name}.npy", points)

    def command(self, clouds, *options):
        words = [word for option, name in zip(("--data", "--query"), clouds.split()) for word in (option, f"{name}.npy")]
        subprocess.run([COMMAND, "-q", *words, "--force", *map(str, options)], capture_output=True, check=True, cwd=self.folder)

    def calls(self, function, clouds, options):
        """What the module has for it: the function, or that of an index."""
        data, *queries = (self.clouds[name] for name in clouds.split())
        if function == "search":
            yield kann.search(data, *queries, **options)
            yield kann.Index(data, invalid=options.get("invalid", "error")).search(*(queries or [None]), **options)
        elif function == "search_radius":
            for cloud in (data, kann.Index(data)):
                yield kann.search_radius(cloud, *(queries or [None]), **options)
        elif function == "cluster":
            for cloud in (data, kann.Index(data)):
                yield kann.cluster(cloud, **options)
        else:
            yield kann.features(data, *queries, names=NAMES, **options)

    def test_has_the_arrays_of_the_command(self):
        for function, clouds, words, options in CASES:
            with self.subTest(f"{function} {clouds} {words}"), warnings.catch_warnings():
                warnings.simplefilter("ignore", kann.KannWarning)
                features = ["--features", ",".join(NAMES)] if function == "features" else []
                self.command(clouds, *words.split(), *features, "-o", "o.npz")
                with numpy.load(self.folder / "o.npz") as loaded:
                    of_command = dict(loaded)
                for found in self.calls(function, clouds, options):
                    for name, array in arrays_of(found).items():
                        self.assertEqual((array.dtype, array.shape), (of_command[name].dtype, of_command[name].shape), name)
                        self.assertEqual(array.tobytes(), of_command[name].tobytes(), name)
                    if hasattr(found, "write"):
                        found.write(self.folder / "module.npz", force=True)
                        with numpy.load(self.folder / "module.npz") as written:
                            for name in arrays_of(found):
                                self.assertEqual(written[name].tobytes(), of_command[name].tobytes(), name)

    def test_matrices_are_those_that_scipy_reads(self):
        found = kann.search_radius(self.clouds["data"], None, 0.1)
        self.command("data", "-k", "all", "--radius", "0.1", "-o", "nn.mtx")
        want = scipy.sparse.csr_matrix((found.distances, found.ids, found.indptr), shape=(4000, 4000))
        self.assertEqual((mmread(self.folder / "nn.mtx").tocsr().astype("f4") != want).nnz, 0)

    def test_results_and_histograms_are_those_of_the_command(self):
        found = kann.search(self.clouds["scene"], self.clouds["of_scene"], 4)
        for end in ("csv", "tsv", "bin", "ivecs", "ibin", "fvecs", "fbin", "npy"):
            self.command("scene of_scene", "-k", 4, "-o", f"command.{end}", "--html", "command.html")
            found.write(self.folder / f"module.{end}")
            self.assertEqual((self.folder / f"module.{end}").read_bytes(), (self.folder / f"command.{end}").read_bytes(), end)
        self.assertIn(kann.histogram(found, self.folder / "module.svg"), (self.folder / "command.html").read_text())
        for call in (lambda: found.write(self.folder / "module.csv"), lambda: kann.histogram(found, self.folder / "module.svg")):
            with self.assertRaisesRegex(kann.UsageError, "module.*: File exists; use force=True to replace it"):
                call()
        self.command("scene of_scene", "-k", 4, "-o", "out.npz")
        self.assertEqual(kann.compare(self.clouds["scene"], self.clouds["of_scene"], found, self.folder / "out.npz")["recall"], 1)

    def test_grids_are_those_of_the_command(self):
        self.command("scene", "--grid", 4, "-k", 2, "-o", "out.npz")
        grid = kann.grid(self.clouds["scene"], 4)
        found = kann.search(self.clouds["scene"], grid.points, 2)
        with numpy.load(self.folder / "out.npz") as arrays:
            numpy.testing.assert_array_equal(arrays["ids"], found.ids)
            self.assertEqual((tuple(arrays["grid_shape"]), tuple(arrays["grid_origin"])), (grid.shape, grid.origin))
        x, y = grid.points.reshape(*grid.shape, 3)[0, :, :, 0], grid.points.reshape(*grid.shape, 3)[0, :, :, 1]
        self.assertTrue((numpy.diff(x, axis=1) == 4).all() and (numpy.diff(y, axis=0) == -4).all())
        self.assertEqual(kann.grid(numpy.zeros((0, 2)), 1).points.shape, (0, 2))

    def test_pictures_are_those_of_the_command(self):
        points = self.clouds["scene"]
        self.command("scene", "-k", 4, "--picture", "of_command.png", "--picture-size", "320x240", "--view", "top", "-o", "out.npz")
        nearest = kann.search(points, k=4).distances[:, 0]
        image = kann.picture(points, nearest, self.folder / "a.png", view="top", size=(320, 240), label="distance to the nearest neighbour")
        self.assertEqual(image.shape, (240, 320, 3))
        self.assertEqual((self.folder / "a.png").read_bytes(), (self.folder / "of_command.png").read_bytes())
        with self.assertRaisesRegex(kann.UsageError, "File exists; use force=True to replace it"):
            kann.picture(points, nearest, self.folder / "a.png")
        numpy.testing.assert_array_equal(kann.picture(kann.Cloud(points, {"nn": nearest}), "nn", size=(64, 64)),
                                         kann.picture(points, nearest, size=(64, 64), label="nn"))
        self.assertEqual(kann.picture(points, numpy.full((1500, 3), 200, "u1"), view=(0, -1, 2), size=(64, 64)).shape, (64, 64, 3))


if __name__ == "__main__":
    unittest.main(warnings="error")
