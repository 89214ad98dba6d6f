"""Clusters through the module kann, against SciPy and against the command."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import kann
import numpy
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree


def cloud(count, dimensions=3, seed=1, dtype="f8"):
    random = numpy.random.default_rng(seed)
    centres = random.random((20, dimensions))
    points = centres[random.integers(0, 20, count)] + random.normal(0, .02, (count, dimensions))
    points[::5] = random.random((len(points[::5]), dimensions))
    return points.astype(dtype)


def dbscan(points, radius, min_points, box=None):
    """By the neighbours that SciPy finds."""
    tree = cKDTree(points, boxsize=box)
    matrix = tree.sparse_distance_matrix(tree, radius).tocsr()
    is_core = numpy.array([len(row) for row in tree.query_ball_point(points, radius)]) >= min_points
    of_core = connected_components(matrix[is_core][:, is_core])[1]
    labels = numpy.full(len(points), -1)
    labels[is_core] = of_core
    for i in numpy.flatnonzero(~is_core):
        near = [j for j in tree.query_ball_point(points[i], radius) if is_core[j]]
        if near:
            apart = points[near] - points[i]
            if box is not None:
                apart -= numpy.round(apart / box) * box
            labels[i] = labels[near[numpy.argmin((apart ** 2).sum(1))]]
    _, first, inverse = numpy.unique(labels, return_index=True, return_inverse=True)
    order = numpy.argsort(numpy.argsort(first[1:])) if -1 in labels else numpy.argsort(numpy.argsort(first))
    return numpy.concatenate(([-1], order))[inverse] if -1 in labels else order[inverse]


class ClustersTest(unittest.TestCase):
    def test_are_those_of_the_graph_of_scipy(self):
        for dimensions in (2, 3):
            for dtype in ("f4", "f8"):
                points = cloud(1500, dimensions, dtype=dtype)
                for radius, min_points in ((.01, 1), (.02, 2), (.02, 5), (.03, 12)):
                    found = kann.cluster(points, radius, min_points)
                    self.assertEqual(found.dtype, "i4")
                    numpy.testing.assert_array_equal(found, dbscan(points.astype("f8"), radius, min_points))

    def test_go_over_the_faces_of_a_box(self):
        points = cloud(1500) % 1
        numpy.testing.assert_array_equal(kann.cluster(points, .03, 6, periodic=(1, 1, 1)),
                                         dbscan(points, .03, 6, numpy.ones(3)))

    def test_are_refused_on_a_device_that_is_missing(self):
        points = cloud(300)
        numpy.testing.assert_array_equal(kann.cluster(points, .02, 5, device="cpu"), kann.cluster(points, .02, 5))
        with self.assertRaises(kann.DeviceError):
            kann.cluster(points, .02, 5, device="cuda:99")

    def test_are_those_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            points = cloud(3000, dtype="f4")
            numpy.save(pathlib.Path(folder, "p.npy"), points)
            subprocess.run([sys.executable, "-m", "kann", "--data", "p.npy", "--cluster", "0.02,7", "-o", "o.npz"], cwd=folder, check=True,
                           capture_output=True)
            numpy.testing.assert_array_equal(numpy.load(pathlib.Path(folder, "o.npz"))["cluster"],
                                             kann.cluster(points, .02, min_points=7, threads=1))

    def test_take_an_index(self):
        points = cloud(500)
        numpy.testing.assert_array_equal(kann.cluster(kann.Index(points), .05), kann.cluster(points, .05))

    def test_take_few_points_and_invalid_ones(self):
        self.assertEqual(kann.cluster(numpy.zeros((0, 3)), 1).tolist(), [])
        self.assertEqual(kann.cluster([[0, 0], [1, 0], [5, 0]], 1).tolist(), [0, 0, 1])
        points = [[0, 0], [1, numpy.nan], [1, 0]]
        self.assertEqual(kann.cluster(points, 1, invalid="skip").tolist(), [0, -1, 0])
        with self.assertRaises(kann.InputError):
            kann.cluster(points, 1)

    def test_warn_where_all_is_noise(self):
        with self.assertWarnsRegex(kann.KannWarning, "all points are noise: none has 3 points within 1.0|within 1,"):
            self.assertEqual(kann.cluster([[0, 0], [5, 0]], 1, 3).tolist(), [-1, -1])

    def test_refuse_what_makes_none(self):
        for radius in (0, -1, float("nan"), float("inf")):
            with self.assertRaisesRegex(kann.UsageError, f"^radius expects a finite number greater than 0, got {radius}$"):
                kann.cluster([[0, 0]], radius)
        for radius in (None, "0.1", b"1"):
            with self.assertRaisesRegex(kann.UsageError, f"^radius expects a number, got {radius!r}$"):
                kann.cluster([[0, 0]], radius)
        with self.assertRaisesRegex(kann.UsageError, "^min_points expects a whole number of at least 1, got 0$"):
            kann.cluster([[0, 0]], 1, 0)
        with self.assertRaises(kann.UsageError):
            kann.cluster([[0, 0]], 1, 1.5)


if __name__ == "__main__":
    unittest.main()
