"""The estimators of kann.sklearn give what those of scikit-learn give, on random points and lattices of one to five coordinates.
tests/python/peers runs scikit-learn's own tests and its checks of estimators on them."""

import pickle
import unittest

import numpy

try:
    import sklearn.cluster as theirs_of_clusters
    import sklearn.neighbors as theirs

    import kann.sklearn as ours
except ImportError:
    theirs = None


@unittest.skipUnless(theirs, "no scikit-learn")
class Estimators(unittest.TestCase):
    def clouds(self):
        random = numpy.random.default_rng(3)
        for d in (1, 2, 3, 5):
            for points in (random.random((400, d)), numpy.round(random.random((300, d)) * 20) / 20, numpy.zeros((12, d))):
                with self.subTest(shape=points.shape):
                    yield points, random.random((30, d))

    def test_neighbours(self):
        for points, queries in self.clouds():
            for options in ({}, {"algorithm": "ball_tree", "n_jobs": 1}, {"metric": "euclidean", "algorithm": "brute"}, {"p": 1}):
                a, b = (module.NearestNeighbors(n_neighbors=4, radius=0.1000001, **options).fit(points) for module in (ours, theirs))
                a = pickle.loads(pickle.dumps(a))
                for asked in (None, queries):
                    got, want = a.kneighbors(asked), b.kneighbors(asked)
                    self.assertEqual([(part.dtype, part.shape) for part in got], [(part.dtype, part.shape) for part in want])
                    numpy.testing.assert_allclose(got[0], want[0], rtol=1e-12, atol=1e-9)
                    got, want = (found.radius_neighbors(asked, sort_results=True) for found in (a, b))
                    self.assertEqual([sorted(ids) for ids in got[1]], [sorted(ids) for ids in want[1]])
                    for some, others in zip(got[0], want[0]):
                        numpy.testing.assert_allclose(some, others, rtol=1e-12, atol=1e-9)

    def test_graphs(self):
        for points, queries in self.clouds():
            for name in ("KNeighborsTransformer", "RadiusNeighborsTransformer"):
                got, want = (getattr(module, name)(mode="distance").fit(points).transform(queries) for module in (ours, theirs))
                numpy.testing.assert_allclose(numpy.sort(got.toarray()), numpy.sort(want.toarray()), rtol=1e-12, atol=1e-9)

    def test_labels_of_clusters(self):
        for points, _ in self.clouds():
            for eps in (0.02, 0.0500001, 0.1, 0.3):
                for least in (1, 4, 10):
                    got, want = (module.DBSCAN(eps=eps, min_samples=least).fit(points) for module in (ours, theirs_of_clusters))
                    self.assertEqual(got.labels_.tolist(), want.labels_.tolist())
                    self.assertEqual(got.core_sample_indices_.tolist(), want.core_sample_indices_.tolist())
                    numpy.testing.assert_array_equal(got.components_, want.components_)


if __name__ == "__main__":
    unittest.main()
