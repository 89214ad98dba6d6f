"""Joins through the module kann, against SciPy and a matching of sorted pairs; tables_test.py compares with the command."""

import pathlib
import unittest
import warnings

import kann
import numpy
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist


def cloud(count, seed, dimensions=3):
    """Coordinates on a coarse grid, so that many distances are equal, and some points are the same."""
    return numpy.random.default_rng(seed).integers(0, 12, (count, dimensions)) / 8


def all_pairs(data, queries, radius):
    """(distance, query, id) of all within the radius, sorted."""
    distances = cdist(queries, data).astype("f4")
    return sorted((distances[q, i], q, i) for q, i in zip(*numpy.nonzero(distances <= radius)))


def chosen(sorted_pairs):
    """The pairs that are taken one after another, if each point may be taken once."""
    queries, ids, made = set(), set(), []
    for distance, query, i in sorted_pairs:
        if query not in queries and i not in ids:
            queries.add(query)
            ids.add(i)
            made.append((query, i, distance))
    return sorted(made)


def rows(found):
    return list(zip(found.queries.tolist(), found.ids.tolist(), found.distances.tolist()))


def quietly(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kann.KannWarning)
        return kann.match(*arguments, **options)


class MatchTest(unittest.TestCase):
    def test_nearest_within_a_radius(self):
        data, queries = numpy.random.default_rng(1).random((2, 900, 3))
        found = kann.match(data, queries, .05)
        distances, ids = cKDTree(data).query(queries)
        has_pair = distances <= .05
        self.assertTrue(0 < has_pair.sum() < 900)
        self.assertEqual([found.queries.dtype, found.ids.dtype, found.distances.dtype], ["i4", "i4", "f4"])
        numpy.testing.assert_array_equal(found.queries, numpy.flatnonzero(has_pair))
        numpy.testing.assert_array_equal(found.ids, ids[has_pair])
        numpy.testing.assert_array_equal(found.distances, distances[has_pair].astype("f4"))
        self.assertEqual(repr(found), f"<kann.Matches: {has_pair.sum()} pairs>")
        self.assertEqual(len(kann.match(data, queries)), 900)
        self.assertEqual(rows(kann.match(kann.Index(data), queries, .05)), rows(found))

    def test_all_within_a_radius(self):
        for dimensions in (2, 3):
            data, queries = cloud(150, 2, dimensions), cloud(70, 3, dimensions)
            want = [(q, i, d) for q, d, i in sorted((q, d, i) for d, q, i in all_pairs(data, queries, .25))]
            self.assertEqual(rows(kann.match(data, queries, .25, k="all")), want)
            self.assertEqual(rows(kann.match(kann.Index(data), queries, .25, k="all")), want)

    def test_mutual(self):
        data, queries = cloud(130, 4), cloud(90, 5)
        distances = cdist(queries, data).astype("f4")
        of_queries, of_data = distances.argmin(1), distances.argmin(0)
        want = [(q, i, distances[q, i]) for q, i in enumerate(of_queries) if of_data[i] == q and distances[q, i] <= .3]
        self.assertEqual(rows(kann.match(data, queries, .3, mutual=True)), want)
        numpy.fill_diagonal(itself := cdist(data, data), numpy.inf)
        nearest = itself.argmin(1)
        want = [(q, i) for q, i in enumerate(nearest) if nearest[i] == q]
        self.assertEqual([row[:2] for row in rows(kann.match(data, mutual=True))], want)

    def test_one_to_one(self):
        for counts in ((60, 100), (100, 60), (1, 9), (9, 1), (2, 2)):
            data, queries = cloud(counts[0], 6), cloud(counts[1], 7)
            for radius in (0, .2, 5):
                want = chosen(all_pairs(data, queries, radius))
                self.assertEqual(rows(kann.match(data, queries, radius, k="all", one_to_one=True)), want)
                self.assertEqual(rows(quietly(data, queries, radius, k=counts[0], one_to_one=True)), want)
        data, queries = numpy.zeros((9, 2)), numpy.zeros((12, 2))
        with self.assertWarnsRegex(kann.KannWarning, '^one_to_one: 4 of 12 queries have lost their 8 nearest neighbours to '
                                   'others, .* give k="all" and a radius, or a larger k$') as caught:
            self.assertEqual(rows(kann.match(data, queries, one_to_one=True)), [(i, i, 0) for i in range(8)])
        self.assertEqual(pathlib.Path(caught.filename).name, "match_test.py")
        with self.assertWarnsRegex(kann.KannWarning, 'give k="all", or a larger k$'):
            kann.match(data, queries, 0, one_to_one=True)

    def test_by_group(self):
        data, queries = cloud(120, 8), cloud(80, 9)
        labels = (numpy.arange(120) % 4, numpy.arange(80) % 5)
        distances = numpy.where(labels[1][:, None] == labels[0], cdist(queries, data).astype("f4"), numpy.inf)
        of_queries, of_data = distances.argmin(1), distances.argmin(0)
        want = [(q, i) for q, i in enumerate(of_queries) if of_data[i] == q and distances[q, i] <= .3]
        found = quietly(data, queries, .3, mutual=True, group=labels)
        self.assertEqual([row[:2] for row in rows(found)], want)
        within = [(d, q, i) for d, q, i in all_pairs(data, queries, .3) if i % 4 != q % 5]
        found = quietly(data, queries, .3, k="all", one_to_one=True, other_group=labels)
        self.assertEqual(rows(found), chosen(within))

    def test_on_the_sphere_and_in_a_box(self):
        data = numpy.array([[359.9999, 10], [0.0002, 10], [90, 89.9999], [270, 89.9999]])
        queries = numpy.array([[0, 10], [180, -90], [90, 90]])
        found = kann.match(data, queries, 1, sky=True, unit="arcsec")  # cos(10 degrees) * .36 arcsec, and .36 to the pole
        self.assertEqual([row[:2] for row in rows(found)], [(0, 0), (2, 2)])
        numpy.testing.assert_allclose(found.distances, [.354531, .36], rtol=1e-6)
        found = kann.match(data, queries, 1, sky=True, unit="arcsec", k="all")
        self.assertEqual([row[:2] for row in rows(found)], [(0, 0), (0, 1), (2, 2), (2, 3)])
        data, queries = cloud(100, 10) % 1, cloud(100, 11) % 1
        distances, _ = cKDTree(data, boxsize=1).query(queries)
        numpy.testing.assert_allclose(kann.match(data, queries, periodic=(1, 1, 1)).distances, distances, rtol=1e-6)

    def test_nothing(self):
        empty = numpy.empty((0, 2))
        for data, queries in ((empty, cloud(3, 1, 2)), (cloud(3, 1, 2), empty), (empty, empty), (empty, None)):
            for options in ({}, {"mutual": True}, {"one_to_one": True}, {"k": "all"}, {"k": "all", "one_to_one": True}):
                self.assertEqual(rows(quietly(data, queries, 1, **options)), [])

    def test_refuses(self):
        data = cloud(5, 1)
        for message, options in (("mutual is about the nearest neighbour of each point: leave out k, got 3", {"mutual": True, "k": 3}),
                                 ("leave out k, got 'all'", {"mutual": True, "k": "all", "radius": 1}),
                                 ('k="all" needs a radius', {"k": "all"}),
                                 ("k expects a whole number, got 'some'", {"k": "some"}),
                                 ("k expects a whole number of at least 1", {"k": 0}),
                                 ("unit needs sky=True", {"unit": "deg"})):
            with self.assertRaisesRegex(kann.UsageError, message):
                kann.match(data, data, **options)
        with self.assertRaises(kann.InputError):
            kann.match(data, cloud(5, 1, 2))


if __name__ == "__main__":
    unittest.main()
