"""Features of neighbourhoods through the module kann: what numpy computes from the rows of the same search, by
numpy.linalg.eigh. scripts/wheel runs it as it runs search_test.py."""

import unittest
import warnings

import kann
import numpy

NAMES = ["normals", "curvature", "linearity", "planarity", "sphericity", "verticality", "omnivariance", "density"]


def clouds():
    r = numpy.random.default_rng(5)
    sphere = r.normal(size=(5000, 3))
    sphere /= numpy.linalg.norm(sphere, axis=1)[:, None]
    rough = sphere + r.normal(0, .01, sphere.shape)
    yield "rough sphere", rough
    yield "rough sphere, float32", rough.astype("f4")
    yield "map coordinates", 100 * rough + (5e5, 5.4e6, 300)
    yield "in nanometres", rough * 1e-9
    yield "in light years", rough * 1e16
    yield "uniform", r.random((5000, 3))
    yield "flat", r.random((3000, 3)) * (1, 1, 0)
    yield "tilted and flat", r.random((3000, 2)) @ numpy.array([[1, .2, .3], [-.3, 1, .1]])
    yield "on a line", r.random((3000, 1)) * (1, 2, 3)
    yield "lattice", numpy.stack(numpy.meshgrid(*[numpy.arange(15.)] * 3), -1).reshape(-1, 3)
    yield "duplicates", r.permutation(numpy.repeat(r.random((300, 3)), 10, axis=0))
    for count in range(5):
        yield f"{count} points", r.random((count, 3))


def expected(points, rows):
    """Eigenvalues, ascending, and normals of the neighbourhoods, whose points number `rows` names."""
    there = rows >= 0
    near = points.astype("f8")[rows] - points.astype("f8")[rows[:, :1]]
    count = there.sum(1)
    centred = numpy.where(there[..., None], near - (near * there[..., None]).sum(1, keepdims=True) / count[:, None, None], 0)
    values, vectors = numpy.linalg.eigh(numpy.einsum("nki,nkj->nij", centred, centred) / count[:, None, None])
    return count, numpy.maximum(values, 0), vectors[:, :, 0]


def sphere(count=2000, seed=1):
    random = numpy.random.default_rng(seed)
    points = random.normal(size=(count, 3))
    return points / numpy.linalg.norm(points, axis=1)[:, None] + random.normal(0, .01, (count, 3)) + (5e5, 5e6, 0)


class FeaturesTest(unittest.TestCase):
    def check(self, points, made, rows):
        count, values, normals = expected(points, numpy.c_[numpy.arange(len(points)), rows])
        few = count < 3
        for name in NAMES[:-1]:
            self.assertTrue(numpy.isnan(made[name][few]).all(), name)
        one_place = ~few & (values[:, 2] == 0)
        self.assertTrue(numpy.isnan(made["linearity"][one_place]).all())
        judged = ~few & ~one_place
        least, middle, most = values[judged].T
        for name, want in (("curvature", least / (least + middle + most)), ("linearity", (most - middle) / most),
                           ("planarity", (middle - least) / most), ("sphericity", least / most)):
            numpy.testing.assert_allclose(made[name][judged], want, rtol=1e-6, atol=1e-7, err_msg=name)
        clear = least > 1e-6 * most
        numpy.testing.assert_allclose(made["omnivariance"][judged][clear], numpy.cbrt(least * middle * most)[clear], rtol=1e-8)
        apart = middle - least > 1e-3 * most
        got, want = made["normals"][judged][apart].astype("f8"), normals[judged][apart]
        self.assertLess(numpy.linalg.norm(numpy.cross(got, want), axis=1).max(initial=0), 1e-6)
        self.assertTrue((got[:, 2] >= 0).all())
        numpy.testing.assert_allclose(made["verticality"][judged][apart], 1 - numpy.abs(want[:, 2]), atol=1e-6)

    def test_are_those_of_numpy_for_the_nearest(self):
        for name, points in clouds():
            for k in (3, 8, 30):
                with self.subTest(name, k=k), warnings.catch_warnings():
                    warnings.simplefilter("ignore", kann.KannWarning)
                    made = kann.features(points, k=k, names=NAMES)
                    if len(points):
                        self.check(points, made, kann.search(points, k=k).ids)

    def test_are_those_of_numpy_within_a_radius(self):
        for name, points in clouds():
            if len(points) < 2:
                continue
            radius = float(numpy.ptp(points, axis=0).max()) / 10
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore", kann.KannWarning)
                made, found = kann.features(points, radius=radius, names=NAMES), kann.search_radius(points, None, radius)
                lengths = numpy.diff(found.indptr)
                rows = numpy.full((len(points), max(1, lengths.max())), -1)
                rows[numpy.arange(rows.shape[1]) < lengths[:, None]] = found.ids
                self.check(points, made, rows)
                numpy.testing.assert_allclose(made["density"], lengths / (4 / 3 * numpy.pi * radius**3), rtol=1e-12)

    def test_normals_look_to_the_viewpoint(self):
        points = sphere()
        made = kann.features(points, k=12, names=["curvature", "normals"], orient=(5e5, 5e6, 0))
        self.assertEqual(list(made), ["curvature", "normals"])
        self.assertEqual((made["normals"].shape, made["normals"].dtype), ((2000, 3), "f4"))
        self.assertTrue((((numpy.array((5e5, 5e6, 0)) - points) * made["normals"]).sum(1) >= 0).all())

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
    unittest.main(warnings="error")
