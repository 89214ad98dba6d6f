"""Features of neighbourhoods through the module kann, against numpy and against the command. scripts/wheel runs it as it runs
search_test.py."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import kann
import numpy

COMMAND = pathlib.Path(sys.executable).parent / "kann"
NAMES = ["normals", "curvature", "linearity", "planarity", "sphericity", "verticality", "omnivariance", "density"]


def sphere(count=2000, seed=1):
    random = numpy.random.default_rng(seed)
    points = random.normal(size=(count, 3))
    return points / numpy.linalg.norm(points, axis=1)[:, None] + random.normal(0, .01, (count, 3)) + (5e5, 5e6, 0)


class FeaturesTest(unittest.TestCase):
    def test_normals_are_those_of_numpy(self):
        points = sphere()
        made = kann.features(points, k=12, names=["curvature", "normals"], orient=(5e5, 5e6, 0))
        self.assertEqual(list(made), ["curvature", "normals"])
        self.assertEqual((made["normals"].shape, made["normals"].dtype), ((2000, 3), "f4"))
        ids = numpy.c_[numpy.arange(2000), kann.search(points, k=12).ids]
        near = points[ids] - points[ids].mean(1, keepdims=True)
        values, vectors = numpy.linalg.eigh(numpy.einsum("nki,nkj->nij", near, near) / 13)
        clear = values[:, 1] - values[:, 0] > 1e-3 * values[:, 2]
        self.assertLess(numpy.linalg.norm(numpy.cross(made["normals"], vectors[:, :, 0])[clear], axis=1).max(), 1e-6)
        self.assertTrue((((numpy.array((5e5, 5e6, 0)) - points) * made["normals"]).sum(1) >= 0).all())
        numpy.testing.assert_allclose(made["curvature"], values[:, 0] / values.sum(1), atol=1e-7)

    def test_has_the_bytes_of_the_command(self):
        data, queries = sphere(), sphere(300, 2)
        with tempfile.TemporaryDirectory() as folder:
            numpy.save(f"{folder}/data.npy", data)
            numpy.save(f"{folder}/queries.npy", queries)
            for wanted, options in (({"k": 5}, ["-k", "5"]), ({}, []), ({"radius": .2}, ["-k", "all", "--radius", "0.2"]),
                                    ({"k": 9, "radius": .1, "queries": queries},
                                     ["-k", "9", "--radius", "0.1", "--query", "queries.npy"])):
                subprocess.run([COMMAND, "-q", "--data", "data.npy", "--features", ",".join(NAMES), "-o", "o.npz", "--force",
                                *options], cwd=folder, check=True, capture_output=True)
                made = kann.features(data, names=NAMES, **wanted)
                with numpy.load(f"{folder}/o.npz") as found:
                    numpy.testing.assert_array_equal(made["normals"], numpy.stack([found[a] for a in ("nx", "ny", "nz")], 1))
                    for name in NAMES[1:]:
                        numpy.testing.assert_array_equal(made[name], found[name], name)
                        self.assertEqual(made[name].dtype, found[name].dtype)

    def test_refusals(self):
        points = sphere(30)
        for wanted, message in (({"k": 2}, "at least 3 neighbours"), ({"names": "normal"}, "names expects one or several of normals, curvature, .* or density, got 'normal'"),
                                ({"names": ["density", "density"]}, "each feature once"), ({"names": []}, r"names expects one or several of .*, got \[\]"),
                                ({"names": None}, "got None"), ({"names": 5}, "got 5"), ({"names": ""}, "got ''"),
                                ({"k": "all"}, "needs a radius"), ({"k": "many"}, "whole number"),
                                ({"orient": "down"}, "orient expects"), ({"orient": (1, 2)}, "orient expects")):
            with self.subTest(wanted), self.assertRaisesRegex(kann.UsageError, message):
                kann.features(points, **wanted)
        with self.assertRaisesRegex(kann.InputError, "2 coordinates"):
            kann.features(points[:, :2])

    def test_neighbourhoods_are_asked_for_as_in_other_searches(self):
        points, queries = sphere(), sphere(50, 2)
        expected = kann.features(points, queries, radius=.2, names=["normals", "curvature"])
        made = kann.features(kann.Index(points), queries, k="all", radius=.2, names="normals, curvature")
        self.assertEqual(list(made), ["normals", "curvature"])
        for name, values in expected.items():
            numpy.testing.assert_array_equal(made[name], values)
        numpy.testing.assert_array_equal(kann.features(kann.Index(points), k=9)["normals"], kann.features(points, k=9)["normals"])

    def test_groups_have_features_of_their_own(self):
        points = sphere()
        labels = numpy.arange(2000) % 3
        for options in ({"k": 9}, {"k": "all", "radius": .2}):
            made = kann.features(points, group=labels, names="planarity", **options)["planarity"]
            for label in range(3):
                numpy.testing.assert_array_equal(
                    made[labels == label], kann.features(points[labels == label], names="planarity", **options)["planarity"])

    def test_points_on_a_line_have_no_normal(self):
        made = kann.features(numpy.outer(numpy.arange(20.), (1, 2, 3)), names=("normals", "linearity"))
        self.assertTrue(numpy.isnan(made["normals"]).all())
        numpy.testing.assert_allclose(made["linearity"], 1)


if __name__ == "__main__":
    unittest.main()
