"""All neighbours within a radius, clusters and joins through the module kann, against SciPy and a matching of sorted pairs."""

import pathlib
import unittest
import warnings

import kann
import numpy
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist


def cloud(count, dimensions=3, seed=1, dtype="f8"):
    return numpy.random.default_rng(seed).random((count, dimensions)).astype(dtype)


def clumps(count, dimensions=3, seed=1, dtype="f8"):
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


def coarse(count, seed, dimensions=3):
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


class RadiusTest(unittest.TestCase):
    def assert_is_of_scipy(self, found, data, queries, radius, box=None):
        tree = cKDTree(data, boxsize=box)
        self.assertEqual(found.indptr.dtype, "i8")
        self.assertEqual((found.ids.dtype, found.distances.dtype), ("i4", "f4"))
        for query, ids in enumerate(tree.query_ball_point(queries, radius)):
            self.assertEqual(sorted(found[query].tolist()), sorted(ids))
        distances, _ = tree.query(queries, len(data), distance_upper_bound=radius * (1 + 1e-12))
        rows = numpy.split(found.distances, found.indptr[1:-1])
        for row, of_scipy in zip(rows, distances):
            numpy.testing.assert_allclose(row, of_scipy[of_scipy < numpy.inf], rtol=1e-6, atol=1e-12)

    def test_has_the_neighbours_of_scipy(self):
        for dimensions in (2, 3):
            data, queries = cloud(700, dimensions), cloud(200, dimensions, 2)
            for radius in (0, .07, .3, 5):
                found = kann.search_radius(data, queries, radius, device="cpu")
                self.assertEqual(len(found), 200)
                self.assert_is_of_scipy(found, data, queries, radius)
                numpy.testing.assert_array_equal(kann.count_radius(data, queries, radius), numpy.diff(found.indptr))

    def test_all_images_in_a_cell_that_lies_anywhere(self):
        """As a sum over images; the shifts give the vectors."""
        turned, _ = numpy.linalg.qr(numpy.random.default_rng(3).normal(size=(3, 3)))
        cell = numpy.array([[4.1, 0, 0], [2.05, 3.55, 0], [.3, -.4, 6.7]]) @ turned
        atoms = numpy.random.default_rng(4).uniform(-1, 2, (5, 3)) @ cell
        found = kann.search_radius(atoms, None, 4.5, periodic=cell, images="all")
        i = numpy.repeat(numpy.arange(5), numpy.diff(found.indptr))
        numpy.testing.assert_allclose(numpy.linalg.norm(atoms[found.ids] - atoms[i] + found.shifts @ cell, axis=1),
                                      found.distances, rtol=1e-6)
        steps = numpy.stack(numpy.meshgrid(*[numpy.arange(-9, 10)] * 3), -1).reshape(-1, 3)
        apart = numpy.linalg.norm(atoms[None, :, None] - atoms[:, None, None] + steps @ cell, axis=3)
        self.assertEqual({(*edge,) for edge in zip(i, found.ids, *found.shifts.T)},
                         {(a, b, *steps[s]) for a, b, s in zip(*numpy.nonzero((apart <= 4.5) & (apart > 0)))})
        numpy.testing.assert_array_equal(kann.count_radius(atoms, None, 4.5, periodic=cell.ravel(), images="all"),
                                         numpy.diff(found.indptr))
        half = kann.search_radius(atoms, None, 4.5, periodic=cell, images="all", pairs="half")
        edges = set(zip(numpy.repeat(numpy.arange(5), numpy.diff(half.indptr)).tolist(), half.ids.tolist(), map(tuple, half.shifts.tolist())))
        reversed_edges = {(b, a, tuple(-step for step in shift)) for a, b, shift in edges}
        self.assertEqual(len(edges), len(found.ids) // 2)
        self.assertEqual(edges | reversed_edges, set(zip(i.tolist(), found.ids.tolist(), map(tuple, found.shifts.tolist()))))
        self.assertTrue(all(a < b or a == b and shift > (0, 0, 0) for a, b, shift in edges))
        table = found.table()
        numpy.testing.assert_array_equal(numpy.stack([table[f"shift_{axis}"] for axis in "abc"], axis=1), found.shifts)
        nearest = kann.search(atoms, k=20, periodic=cell, images="all")
        self.assertEqual(kann.verify(atoms, None, nearest)["identical_rows"], 5)
        numpy.testing.assert_allclose(
            numpy.linalg.norm(atoms[nearest.ids] - atoms[:, None] + nearest.shifts @ cell, axis=2), nearest.distances, rtol=1e-6)
        self.assertIsNone(kann.search(atoms, k=2, periodic=cell).shifts)
        with self.assertRaisesRegex(kann.UsageError, "must repeat after more than twice that.*take images=\"all\""):
            kann.search_radius(atoms, None, 4.5, periodic=cell)

    def test_periodic_box(self):
        data, queries = cloud(400), cloud(50, seed=2)
        found = kann.search_radius(data, queries, .2, periodic=(1, 1, 1))
        self.assert_is_of_scipy(found, data, queries, .2, (1, 1, 1))

    def test_pairs_of_one_cloud(self):
        data = cloud(500, dtype="f4")
        found = kann.search_radius(data, None, .1)
        pairs = found.pairs()
        half = {tuple(pair) for pair in pairs[pairs[:, 0] < pairs[:, 1]].tolist()}
        self.assertEqual(half, cKDTree(data.astype("f8")).query_pairs(.1))
        self.assertEqual(len(pairs), 2 * len(half))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            once = kann.search_radius(data, None, .1, include_self=True, pairs="half")
        self.assertEqual([str(warning.message) for warning in caught], ['include_self changes nothing with pairs="half"'])
        self.assertEqual(({tuple(pair) for pair in once.pairs().tolist()}, once.report["within_radius"]), (half, len(half)))
        self.assertEqual([len(row) for row in once], [sum(a == i for a, _ in half) for i in range(500)])
        self.assertEqual(kann.search_radius(data[:3] * 100, None, .1, pairs="half").indptr.tolist(), [0] * 4)
        itself = kann.search_radius(data, None, .1, include_self=True)
        self.assertEqual(len(itself.ids), len(found.ids) + 500)

    def test_what_a_result_says(self):
        data, queries = cloud(400), cloud(60, seed=2)
        found = kann.search_radius(data, queries, .2)
        numpy.testing.assert_array_equal(kann.count_radius(kann.Index(data), queries, .2), numpy.diff(found.indptr))
        self.assertEqual(found.report["k"], "all")
        self.assertEqual(found.report["within_radius"], len(found.ids))
        self.assertEqual(repr(found), f"<kann.Lists: 60 queries, {len(found.ids)} neighbours>")

    def test_as_the_edges_of_a_graph(self):
        data, queries = cloud(400), cloud(60, seed=2)
        empty = numpy.empty((0, 3))
        for points, asked, radius in ((data, queries, .2), (data, None, .2), (data, queries, 0), (empty, queries, 1), (data, empty, 1)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results = kann.search_radius(points, asked, radius), kann.search(points, asked, 5, radius=radius)
            near = cdist(points if asked is None else asked, points) if len(points) else numpy.zeros((60, 0))
            if asked is None:
                numpy.fill_diagonal(near, 9)
            for found, most in zip(results, (None, 5)):
                edges = [(q, i) for q, row in enumerate(near) for i in numpy.argsort(row, kind="stable")[:most] if row[i] <= radius]
                self.assertEqual(([*map(tuple, found.pairs().tolist())], found.pairs().dtype), (edges, "i4"))
                self.assertEqual([*zip(*found.edge_index("target_to_source").tolist())], edges)
                self.assertEqual([*zip(*found.edge_index().tolist())], [edge[::-1] for edge in edges])
                self.assertEqual((found.edge_index().dtype, found.edge_index().shape), ("i8", (2, len(edges))))
                matrix = numpy.zeros_like(near)
                matrix[tuple(numpy.array(edges, int).reshape(-1, 2).T)] = [near[edge] for edge in edges]
                numpy.testing.assert_allclose(found.csr().toarray(), matrix, rtol=1e-6)
                self.assertEqual((found.csr().shape, found.csr().nnz), (near.shape, len(edges)))
        self.assertEqual(kann.Found.of([[2, -1], [-1, -1]], [[.5, 1], [1, 1]]).csr().toarray().tolist(), [[0, 0, .5], [0, 0, 0]])
        with self.assertRaisesRegex(kann.UsageError, "flow expects"):
            found.edge_index("source")
        with self.assertRaisesRegex(kann.InputError, "one place for all images"):
            kann.search(data, k=2, periodic=(1, 1, 1), images="all").csr()

    def test_nothing(self):
        empty = numpy.empty((0, 3))
        for data, queries in ((empty, cloud(3)), (cloud(3), empty), (empty, empty), (empty, None)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = kann.search_radius(data, queries, 1)
            self.assertEqual(found.indptr.tolist(), [0] * (len(data if queries is None else queries) + 1))
            self.assertEqual(len(found.ids), 0)

    def test_rows_have_numbers(self):
        found = kann.search_radius(cloud(5), None, 1)
        self.assertEqual(found[-1].tolist(), found[4].tolist())
        self.assertEqual(len(list(found)), 5)
        for query in (5, -6):
            with self.assertRaisesRegex(IndexError, f"^there are 5 queries, and none has the number {query}$"):
                found[query]

    def test_refuses(self):
        data = cloud(5)
        for radius in (-1, float("nan"), None, "x", "0.1"):
            with self.assertRaises(kann.UsageError, msg=str(radius)):
                kann.search_radius(data, data, radius)
        with self.assertRaises(kann.InputError):
            kann.search_radius(data, cloud(5, 2), 1)
        with self.assertRaises(TypeError):
            kann.search_radius(data)
        with self.assertRaisesRegex(kann.UsageError, 'pairs expects "both" or "half", got 3'):
            kann.search_radius(data, None, 1, pairs=3)
        with self.assertRaisesRegex(kann.UsageError, 'pairs="half" is for the data among themselves'):
            kann.search_radius(data, data, 1, pairs="half")


class ClustersTest(unittest.TestCase):
    def test_are_those_of_the_graph_of_scipy(self):
        for dimensions in (2, 3):
            for dtype in ("f4", "f8"):
                points = clumps(1500, dimensions, dtype=dtype)
                for radius, min_points in ((.01, 1), (.02, 2), (.02, 5), (.03, 12)):
                    found = kann.cluster(points, radius, min_points)
                    self.assertEqual(found.dtype, "i4")
                    numpy.testing.assert_array_equal(found, dbscan(points.astype("f8"), radius, min_points))

    def test_go_over_the_faces_of_a_box(self):
        points = clumps(1500) % 1
        numpy.testing.assert_array_equal(kann.cluster(points, .03, 6, periodic=(1, 1, 1)),
                                         dbscan(points, .03, 6, numpy.ones(3)))

    def test_are_refused_on_a_device_that_is_missing(self):
        points = clumps(300)
        numpy.testing.assert_array_equal(kann.cluster(points, .02, 5, device="cpu"), kann.cluster(points, .02, 5))
        with self.assertRaises(kann.DeviceError):
            kann.cluster(points, .02, 5, device="cuda:99")

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
        for radius in (0, -1, float("nan")):
            with self.assertRaisesRegex(kann.UsageError, f"^radius expects a finite number greater than 0, got {radius}$"):
                kann.cluster([[0, 0]], radius)
        for radius in (None, "0.1", b"1"):
            with self.assertRaisesRegex(kann.UsageError, f"^radius expects a number, got {radius!r}$"):
                kann.cluster([[0, 0]], radius)
        with self.assertRaisesRegex(kann.UsageError, "^min_points expects a whole number of at least 1, got 0$"):
            kann.cluster([[0, 0]], 1, 0)
        with self.assertRaises(kann.UsageError):
            kann.cluster([[0, 0]], 1, 1.5)


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
            data, queries = coarse(150, 2, dimensions), coarse(70, 3, dimensions)
            want = [(q, i, d) for q, d, i in sorted((q, d, i) for d, q, i in all_pairs(data, queries, .25))]
            self.assertEqual(rows(kann.match(data, queries, .25, k="all")), want)
            self.assertEqual(rows(kann.match(kann.Index(data), queries, .25, k="all")), want)

    def test_mutual(self):
        data, queries = coarse(130, 4), coarse(90, 5)
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
            data, queries = coarse(counts[0], 6), coarse(counts[1], 7)
            for radius in (0, .2, 5):
                want = chosen(all_pairs(data, queries, radius))
                self.assertEqual(rows(kann.match(data, queries, radius, k="all", one_to_one=True)), want)
                self.assertEqual(rows(quietly(data, queries, radius, k=counts[0], one_to_one=True)), want)
        data, queries = numpy.zeros((9, 2)), numpy.zeros((12, 2))
        with self.assertWarnsRegex(kann.KannWarning, '^one_to_one: 4 of 12 queries have lost their 8 nearest neighbours to '
                                   'others, .* give k="all" and a radius, or a larger k$') as caught:
            self.assertEqual(rows(kann.match(data, queries, one_to_one=True)), [(i, i, 0) for i in range(8)])
        self.assertEqual(pathlib.Path(caught.filename).name, "lists_test.py")
        with self.assertWarnsRegex(kann.KannWarning, 'give k="all", or a larger k$'):
            kann.match(data, queries, 0, one_to_one=True)

    def test_by_group(self):
        data, queries = coarse(120, 8), coarse(80, 9)
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
        data, queries = coarse(100, 10) % 1, coarse(100, 11) % 1
        distances, _ = cKDTree(data, boxsize=1).query(queries)
        numpy.testing.assert_allclose(kann.match(data, queries, periodic=(1, 1, 1)).distances, distances, rtol=1e-6)

    def test_nothing(self):
        empty = numpy.empty((0, 2))
        for data, queries in ((empty, coarse(3, 1, 2)), (coarse(3, 1, 2), empty), (empty, empty), (empty, None)):
            for options in ({}, {"mutual": True}, {"one_to_one": True}, {"k": "all"}, {"k": "all", "one_to_one": True}):
                self.assertEqual(rows(quietly(data, queries, 1, **options)), [])

    def test_refuses(self):
        data = coarse(5, 1)
        for message, options in (("mutual is about the nearest neighbour of each point: leave out k, got 3", {"mutual": True, "k": 3}),
                                 ("leave out k, got 'all'", {"mutual": True, "k": "all", "radius": 1}),
                                 ('k="all" needs a radius', {"k": "all"}),
                                 ("k expects a whole number, got 'some'", {"k": "some"}),
                                 ("k expects a whole number of at least 1", {"k": 0}),
                                 ("unit needs sky=True", {"unit": "deg"})):
            with self.assertRaisesRegex(kann.UsageError, message):
                kann.match(data, data, **options)
        with self.assertRaises(kann.InputError):
            kann.match(data, coarse(5, 1, 2))


if __name__ == "__main__":
    unittest.main()
