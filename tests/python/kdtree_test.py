"""kann.KDTree gives what scipy.spatial.KDTree gives, call for call, on random clouds and lattices of one to three coordinates,
in boxes and without. tests/python/peers runs scipy's own tests on it."""

import pickle
import unittest

import kann
import numpy
from scipy.spatial import KDTree

BOXES = (None, None, 1.0, (1.0, 0.0, 1.0), 0.0)


class Trees(unittest.TestCase):
    def test_weights(self):
        random = numpy.random.default_rng(2)
        (points, others), weights = random.random((2, 30, 2)), random.random(30)
        trees, ours = (KDTree(points), KDTree(others)), (kann.KDTree(points), kann.KDTree(others))
        for r in (.3, [.1, .5]):
            for cumulative in (True, False):
                want, got = (tree.count_neighbors(tree, r, weights=weights, cumulative=cumulative) for tree in (trees[0], ours[0]))
                numpy.testing.assert_allclose(got, want)
                want, got = (a.count_neighbors(b, r, weights=(weights, None), cumulative=cumulative) for a, b in (trees, ours))
                numpy.testing.assert_allclose(got, want)
        for a, b in (trees, ours):
            with self.assertRaises(ValueError):
                a.count_neighbors(b, .3, weights=weights)

    def clouds(self):
        random = numpy.random.default_rng(5)
        for case in range(60):
            d, n, m = int(random.integers(1, 4)), int(random.integers(0, 40)), int(random.integers(0, 10))
            points, others = random.random((n, d)), random.random((m, d))
            is_lattice = case % 3 == 0
            if is_lattice:
                points, others = numpy.floor(points * 4) / 4, numpy.floor(others * 4) / 4
            box = BOXES[random.integers(len(BOXES))]
            box = box[:d] if isinstance(box, tuple) else box
            with self.subTest(case=case, d=d, n=n, m=m, box=box):
                yield KDTree(points, boxsize=box), kann.KDTree(points, boxsize=box), KDTree(others, boxsize=box), kann.KDTree(others, boxsize=box), is_lattice

    def test_nearest_neighbours(self):
        for theirs, ours, others, _, is_lattice in self.clouds():
            for bound in (numpy.inf, 0.3, 0.25, 0):
                for k in (1, 3, [1], [2, 5], numpy.int64(2), theirs.n + 2):
                    want, got = (tree.query(others.data, k, distance_upper_bound=bound) for tree in (theirs, ours))
                    numpy.testing.assert_allclose(got[0], want[0], rtol=1e-14)
                    self.assertEqual((got[0].dtype, got[1].dtype, got[1].shape), (want[0].dtype, want[1].dtype, want[1].shape))
                    if not is_lattice:  # scipy does not say which of equally near points comes first
                        self.assertEqual(got[1].tolist(), want[1].tolist())

    def test_points_within_a_radius(self):
        for theirs, ours, others, ours_of_others, _ in self.clouds():
            x = others.data
            for r in (0, 0.1, 0.25, 0.5, 0.8, 5.0):
                for options in ({}, {"return_length": True}):
                    want, got = (tree.query_ball_point(x, r, **options) for tree in (theirs, ours))
                    self.assertEqual([got.dtype, *map(sorted, got)] if not options else got.tolist(), [want.dtype, *map(sorted, want)] if not options else want.tolist())
                self.assertEqual(ours.query_pairs(r), theirs.query_pairs(r))
                self.assertEqual(set(map(tuple, ours.query_pairs(r, output_type="ndarray").tolist())), theirs.query_pairs(r))
                self.assertEqual(ours.query_ball_tree(ours_of_others, r), [sorted(ids) for ids in theirs.query_ball_tree(others, r)])
                want, got = theirs.sparse_distance_matrix(others, r), ours.sparse_distance_matrix(ours_of_others, r)
                self.assertEqual((type(got), got.shape, got.keys()), (type(want), want.shape, want.keys()))
                numpy.testing.assert_allclose(got.toarray(), want.toarray(), rtol=1e-14)
            if theirs.n and len(x):
                radii, weights, bins = (1 + numpy.arange(len(x))) / 9, (numpy.arange(theirs.n) / 7, numpy.arange(len(x)) - 2.5), numpy.array([0, 0.26, 0.7, 3])
                self.assertEqual([sorted(ids) for ids in ours.query_ball_point(x, radii)], [sorted(ids) for ids in theirs.query_ball_point(x, radii)])
                self.assertEqual(ours.query_ball_point(x[0], 0.5), sorted(theirs.query_ball_point(x[0], 0.5)))
                for cumulative in (True, False):
                    numpy.testing.assert_array_equal(ours.count_neighbors(ours_of_others, bins, cumulative=cumulative), theirs.count_neighbors(others, bins, cumulative=cumulative))
                    numpy.testing.assert_allclose(ours.count_neighbors(ours_of_others, bins, weights=weights, cumulative=cumulative),
                                                  theirs.count_neighbors(others, bins, weights=weights, cumulative=cumulative), atol=1e-9)

    def test_pickles_and_attributes(self):
        for theirs, ours, others, _, _ in self.clouds():
            again = pickle.loads(pickle.dumps(ours))
            numpy.testing.assert_array_equal(again.query(others.data, 2)[0], ours.query(others.data, 2)[0])
            self.assertEqual((ours.n, ours.m, ours.data.tolist()), (theirs.n, theirs.m, theirs.data.tolist()))

    def test_refuses(self):
        points = numpy.random.default_rng(1).random((9, 3))
        tree = kann.KDTree(points)
        for error, message, call in (
                (kann.UsageError, "p expects 2, the Euclidean distance, got 1", lambda: tree.query(points, p=1)),
                (kann.UsageError, "k must be an integer or a sequence of integers of at least 1, got 0", lambda: tree.query(points, k=0)),
                (kann.UsageError, "k must be an integer", lambda: tree.query(points, k=[])),
                (kann.UsageError, "k must be an integer", lambda: tree.query(points, k=None)),
                (kann.UsageError, "k must be an integer", lambda: tree.query(points, k=1.5)),
                (kann.InputError, r"x: the shape is \(9, 2\), and the last number must be 3", lambda: tree.query(points[:, :2])),
                (kann.InputError, "x: coordinates must be finite", lambda: tree.query_ball_point(points * numpy.nan, 1)),
                (kann.InputError, "data: coordinates must be finite", lambda: kann.KDTree(points / 0)),
                (kann.InputError, "data: the shape is", lambda: kann.KDTree(numpy.zeros((4, 4)))),
                (kann.InputError, "data: some coordinates are outside of the periodic box", lambda: kann.KDTree(points, boxsize=0.5)),
                (kann.InputError, "data: some coordinates are outside", lambda: kann.KDTree(points - 1, boxsize=2)),
                (kann.UsageError, "r expects numbers, got NaN", lambda: tree.query_ball_point(points, numpy.nan)),
                (kann.UsageError, "r must not decrease", lambda: tree.count_neighbors(tree, [2, 1], cumulative=False)),
                (kann.UsageError, 'output_type expects "set" or', lambda: tree.query_pairs(1, output_type="list")),
                (kann.UsageError, 'output_type expects "dict"', lambda: tree.sparse_distance_matrix(tree, 1, output_type="csr_matrix")),
                (TypeError, "data: complex data", lambda: kann.KDTree(points * 1j))):
            with self.subTest(message), numpy.errstate(all="ignore"), self.assertRaisesRegex(error, message):
                call()


if __name__ == "__main__":
    unittest.main()
