"""Searches by group through the module kann, against SciPy's trees of each group."""

import unittest
import warnings

import kann
import numpy
from scipy.spatial import cKDTree


def cloud(count, seed):
    return numpy.random.default_rng(seed).random((count, 3))


class GroupsTest(unittest.TestCase):
    def setUp(self):
        random = numpy.random.default_rng(1)
        self.data, self.queries = cloud(3000, 2), cloud(500, 3)
        self.of_data, self.of_queries = random.integers(0, 5, 3000), random.integers(0, 6, 500)

    def test_nearest_of_the_same_group(self):
        names = numpy.array(["oak", "ash", "elm", "fir", "yew", "box"])
        for of_data, of_queries in ((self.of_data, self.of_queries), (names[self.of_data], names[self.of_queries])):
            with self.assertWarnsRegex(kann.KannWarning, "fewer than k=4 neighbours in their group"):
                found = kann.search(self.data, self.queries, 4, group=(of_data, of_queries))
        for group in range(5):
            rows = numpy.flatnonzero(self.of_data == group)
            asked = self.of_queries == group
            distances, ids = cKDTree(self.data[rows]).query(self.queries[asked], 4)
            numpy.testing.assert_array_equal(found.ids[asked], rows[ids])
            numpy.testing.assert_allclose(found.distances[asked], distances, rtol=1e-6)
        self.assertTrue((found.ids[self.of_queries == 5] == -1).all())

    def test_nearest_of_other_groups(self):
        found = kann.search(self.data, None, 3, other_group=self.of_data)
        for group in range(5):
            rows = numpy.flatnonzero(self.of_data != group)
            asked = self.of_data == group
            distances, ids = cKDTree(self.data[rows]).query(self.data[asked], 3)
            numpy.testing.assert_array_equal(found.ids[asked], rows[ids])

    def test_graphs_of_batches(self):
        """What torch_cluster's radius_graph(x, r, batch) gives."""
        batch = numpy.repeat(numpy.arange(60), 50)
        found = kann.search_radius(self.data, None, .2, group=batch)
        want = set()
        for group in range(60):
            pairs = cKDTree(self.data[batch == group]).query_pairs(.2, output_type="ndarray") + 50 * group
            want |= {tuple(pair) for pair in pairs.tolist()} | {tuple(pair) for pair in pairs[:, ::-1].tolist()}
        self.assertEqual({tuple(pair) for pair in found.pairs().tolist()}, want)
        numpy.testing.assert_array_equal(kann.count_radius(self.data, None, .2, group=batch), numpy.diff(found.indptr))

    def test_is_verified(self):
        names = numpy.array(["oak", "ash", "elm", "fir", "yew"])
        for data, queries, group in ((self.data, None, names[self.of_data]),
                                     (self.data, self.queries, (self.of_data, self.of_queries % 5))):
            for rule in ("group", "other_group"):
                found = kann.search(data, queries, 3, **{rule: group})
                for judged in (kann.verify(data, queries, found, **{rule: group}),
                               kann.compare(data, queries, found, found, **{rule: group})):
                    self.assertEqual((judged["recall"], judged["faulty_rows"], judged["identical_rows"]), (1, 0, judged["queries"]))
                self.assertLess(kann.verify(data, queries, found)["recall"], .9)

    def test_nan_is_no_group(self):
        values = self.of_data.astype(float)
        values[7] = numpy.nan
        with self.assertWarns(kann.KannWarning):
            found = kann.search(self.data, None, 2, group=values)
        self.assertEqual(found.ids[7].tolist(), [-1, -1])
        self.assertFalse((found.ids == 7).any())

    def test_numbers_are_compared_exactly(self):
        """int64 and uint64 have no type in common that has all their values."""
        points = numpy.arange(6.).reshape(3, 2)
        large = 2**53
        cases = ((numpy.array([large, large + 1, -1]), numpy.array([large + 1, large, 2**64 - 1], "u8"), [1, 0, -1]),
                 (numpy.array([large, large + 1, 2**62 + 1]), numpy.array([large, large + 2, 2.**62]), [0, -1, -1]),
                 (numpy.array([1, 2, 0], "u1"), numpy.array([True, False, True]), [0, 2, 0]),
                 (numpy.array([-0., .5, numpy.nan]), numpy.array([0, 1, 2]), [0, -1, -1]))
        for of_data, of_queries, want in cases:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", kann.KannWarning)
                found = kann.search(points, points, 1, group=(of_data, of_queries))
            self.assertEqual(found.ids[:, 0].tolist(), want)

    def test_text_as_pandas_has_it(self):
        points = numpy.arange(8.).reshape(4, 2)
        names = numpy.array(["NA", None, "", float("nan")], object)
        with self.assertWarns(kann.KannWarning):
            found = kann.search(points, points, 1, group=(names, numpy.array(["", "NA", "None", "nan"])))
        self.assertEqual(found.ids[:, 0].tolist(), [-1, 0, -1, -1])

    def test_refuses(self):
        for error, message, options in (
                (kann.UsageError, "exclude each other", {"group": self.of_data, "other_group": self.of_data}),
                (kann.InputError, r"the shape \(2999,\), and must have \(3000,\)", {"group": self.of_data[1:]}),
                (kann.InputError, "expects numbers or text", {"group": self.of_data.astype(complex)}),
                (kann.InputError, r"has text, None and NaN alone, got \d; convert it, as with astype\(int\)",
                 {"group": self.of_data.astype(object)})):
            with self.assertRaisesRegex(error, message):
                kann.search(self.data, **options)
        with self.assertRaisesRegex(kann.UsageError, "expects two arrays"):
            kann.search(self.data, self.queries, group=self.of_data)
        for of_data, of_queries in ((self.of_data, self.of_queries.astype("U")),
                                    (self.of_data.astype("S"), self.of_queries.astype("U"))):
            with self.assertRaisesRegex(kann.InputError, "^group: values are all numbers, all text or all bytes, and these are mixed$"):
                kann.search(self.data, self.queries, group=(of_data, of_queries))


if __name__ == "__main__":
    unittest.main()
