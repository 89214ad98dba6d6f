"""Searches through the module kann: against brute force and scipy, by group against scipy's trees of each group, and on the
sky against Vincenty's formula in NumPy. scripts/wheel runs it in an environment with the wheel, which does not see the source
tree."""

import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

import kann
import numpy
from scipy.spatial import cKDTree


def cloud(count, dimensions=3, seed=1, dtype="f8"):
    return numpy.random.default_rng(seed).random((count, dimensions)).astype(dtype)


def brute_force(data, queries, k):
    """The k smallest (squared distance, id): ids, and distances as float32."""
    squares = ((queries[:, None].astype("f8") - data[None].astype("f8")) ** 2).sum(2)
    ids = numpy.argsort(squares, axis=1, kind="stable")[:, :k]
    return ids, numpy.sqrt(numpy.take_along_axis(squares, ids, 1)).astype("f4")


def sky(count, seed):
    random = numpy.random.default_rng(seed)
    made = numpy.stack((random.uniform(0, 360, count), numpy.degrees(numpy.arcsin(random.uniform(-1, 1, count)))), axis=1)
    made[:20] = made[20:40] + random.normal(0, 1e-7, (20, 2))
    made[40:60, 1] = numpy.copysign(90 - random.uniform(0, 1e-5, 20), made[40:60, 1])
    made[60:80, 0] = random.choice((0, 360), 20)
    return made


def separations(queries, data):
    """Of each query from all data, in arcsec."""
    l = numpy.radians(queries[:, None, 0] - data[None, :, 0])
    p, q = numpy.radians(queries[:, None, 1]), numpy.radians(data[None, :, 1])
    x = numpy.cos(q) * numpy.sin(l)
    y = numpy.cos(p) * numpy.sin(q) - numpy.sin(p) * numpy.cos(q) * numpy.cos(l)
    z = numpy.sin(p) * numpy.sin(q) + numpy.cos(p) * numpy.cos(q) * numpy.cos(l)
    return numpy.degrees(numpy.arctan2(numpy.hypot(x, y), z)) * 3600


class Rows(unittest.TestCase):
    """What is found."""

    def test_exact_rows_are_those_of_brute_force(self):
        lattice = numpy.stack(numpy.meshgrid(*[numpy.arange(6.0)] * 3), -1).reshape(-1, 3)
        for dtype in ("f4", "f8"):
            for data, queries in ((cloud(700, 3, 1, dtype), cloud(90, 3, 2, dtype)), (cloud(500, 2, 3, dtype), cloud(70, 2, 4, dtype)),
                                  (lattice.astype(dtype), lattice[::5].astype(dtype))):
                for k in (1, 3, 8, 17):
                    with self.subTest(dtype=dtype, shape=data.shape, k=k):
                        ids, distances = brute_force(data, queries, k)
                        for found in (kann.search(data, queries, k), kann.Index(data).search(queries, k), kann.search(data, queries, k, dtype="f8")):
                            numpy.testing.assert_array_equal(found.ids, ids)
                            numpy.testing.assert_allclose(found.distances, distances, 2e-7)

    def test_arrays_of_all_kinds_give_the_same_rows(self):
        data = numpy.round(cloud(300) * 100)
        expected = kann.search(data, k=3)
        wide = numpy.zeros((600, 7))
        wide[::2, 1:6:2] = data
        frozen = data.copy()
        frozen.flags.writeable = False
        raw = numpy.zeros(data.nbytes + 1, "u1")
        raw[1:] = data.view("u1").ravel()
        for name, array in {"fortran": numpy.asfortranarray(data), "strided": wide[::2, 1:6:2], "big-endian": data.astype(">f8"),
                            "int64": data.astype("i8"), "uint8": data.astype("u1"), "float16": data.astype("f2"),
                            "float32": data.astype("f4"), "list": data.tolist(), "read-only": frozen,
                            "backwards": data[::-1].copy()[::-1], "both backwards": data[::-1, ::-1].copy()[::-1, ::-1],
                            "unaligned": raw[1:].view("f8").reshape(data.shape), "memoryview": memoryview(data),
                            "columns of more": numpy.hstack([data, data])[:, :3]}.items():
            with self.subTest(name):
                found = kann.search(array, k=3)
                numpy.testing.assert_array_equal(found.ids, expected.ids)
                numpy.testing.assert_array_equal(found.distances, expected.distances)
        numpy.testing.assert_array_equal(kann.search(numpy.broadcast_to(numpy.ones(3), (50, 3)), k=2).distances, 0)

    def test_contiguous_floats_are_not_copied(self):
        for dtype in ("f4", "f8"):
            data = cloud(10, dtype=dtype)
            self.assertIs(kann.Index(data).data, data)
        self.assertFalse(numpy.shares_memory(kann.Index(numpy.asfortranarray(data)).data, data))

    def test_results_outlive_everything_else(self):
        ids = kann.search(cloud(200_000), k=8).ids  # large enough for memory of its own kind
        copy = ids.copy()
        for _ in range(3):
            kann.search(cloud(200_000, seed=5), k=8)
        numpy.testing.assert_array_equal(ids, copy)
        ids[0, 0] = 7  # it can be written

    def test_empty_clouds(self):
        none = numpy.zeros((0, 3))
        self.assertEqual(kann.search(none).ids.shape, (0, 8))
        self.assertEqual(kann.search(cloud(9), none, 2).distances.shape, (0, 2))
        with self.assertWarnsRegex(kann.KannWarning, "data has 0 points"):
            self.assertEqual(kann.search(none, cloud(2), 1).ids.tolist(), [[-1], [-1]])

    def test_missing_neighbours(self):
        with self.assertWarnsRegex(kann.KannWarning, "k=5 but data has 3 points, the query itself among them"):
            found = kann.search(cloud(3), k=5)
        self.assertTrue((found.ids[:, 2:] == -1).all() and (found.ids[:, :2] >= 0).all())
        self.assertTrue(numpy.isinf(found.distances[:, 2:]).all())

    def test_the_report_says_what_was_done(self):
        for k in (1, 8, 16, 17, 100):
            report = kann.search(cloud(200), k=k).report
            self.assertEqual((report["method"], report["shifts"], "sample" in report), ("exact", None, False))
        report = kann.search(cloud(5000), k=8, method="shifted-sort", threads=1).report
        self.assertEqual((report["method"], report["k"], report["self_query"]), ("shifted-sort", 8, True))
        self.assertEqual(report["data"], {"points": 5000, "dimensions": 3, "skipped": 0})
        self.assertEqual((report["device"]["kind"], report["device"]["threads"]), ("cpu", 1))
        self.assertGreater(report["sample"]["recall"], 0.9)
        self.assertGreater(report["timing_s"]["search"], 0)


class Query(unittest.TestCase):
    """Index.query() gives what scipy's cKDTree.query() gives."""

    def check(self, data, queries, k, tree_options=None, **options):
        expected_distances, expected_ids = cKDTree(data).query(queries, k, **(tree_options or {}))
        for dtype, tolerance in ((numpy.float32, 2e-7), (numpy.float64, 1e-15)):
            distances, ids = kann.Index(data).query(queries, k, dtype=dtype, **options)
            self.assertEqual((numpy.shape(distances), distances.dtype), (numpy.shape(expected_distances), dtype))
            numpy.testing.assert_array_equal(ids, expected_ids)
            numpy.testing.assert_allclose(distances, expected_distances, tolerance)

    def test_shapes(self):
        data = cloud(400)
        for queries in (cloud(30, seed=2), cloud(30, seed=2).reshape(5, 6, 3), cloud(1, seed=2), cloud(1, seed=2)[0], cloud(0)):
            for k in (1, 2, 9):
                with self.subTest(shape=queries.shape, k=k):
                    self.check(data, queries, k)
        self.check(cloud(400, 2), cloud(30, 2, 2), 6)

    def test_shapes_of_all_searches(self):
        data, batches = cloud(400), cloud(30, seed=2).reshape(5, 6, 3)
        for queries in (batches, batches[2, 3], batches[2, 3].tolist(), batches[:0]):
            rows = numpy.reshape(queries, (-1, 3))
            balls = cKDTree(data).query_ball_point(queries, 0.2, return_length=True)
            found = kann.search_radius(data, queries, 0.2)
            self.assertEqual(kann.count_radius(data, queries, 0.2).tolist(), numpy.asarray(balls).tolist())
            self.assertEqual(numpy.diff(found.indptr).tolist(), numpy.ravel(balls).tolist())
            self.assertEqual([ids.tolist() for ids in found[1:3]], [ids.tolist() for ids in found][1:3])
            numpy.testing.assert_array_equal(kann.search(data, queries, 4).ids, brute_force(data, rows, 4)[0])
            numpy.testing.assert_array_equal(kann.match(data, queries).ids, brute_force(data, rows, 1)[0].ravel())
            numpy.testing.assert_array_equal(kann.search(data, queries, 4, radius=numpy.inf).ids, brute_force(data, rows, 4)[0])
            self.assertEqual(kann.count_radius(kann.Index(data), rows, numpy.inf).tolist(), [400] * len(rows))
        for dtype in ("f4", "i8"):
            line, asked = ((cloud(count, 1, seed) * 1e6).astype(dtype) for count, seed in ((90, 3), (20, 4)))
            self.check(line, asked, 5)
            for box in (1e6, (1e6,)):
                numpy.testing.assert_array_equal(kann.search(line, asked, 5, periodic=box).ids, kann.search(line.astype("f8"), asked.astype("f8"), 5, periodic=box).ids)
            numpy.testing.assert_array_equal(kann.Index(line).search(asked, 3, dtype="f8").distances, cKDTree(line).query(asked, 3)[0])
        for box in (1, (1, 1, 1)):
            self.assertEqual(kann.search(data, batches, 3, periodic=box).ids.tolist(), cKDTree(data, boxsize=1).query(batches.reshape(-1, 3), 3)[1].tolist())
        self.assertEqual(kann.search(data, None, 3, periodic=(0, 0, 0)).ids.tolist(), kann.search(data, None, 3).ids.tolist())
        for bad in (lambda: kann.search(data, cloud(4, 1)), lambda: kann.search(cloud(4, 1), data), lambda: kann.search(cloud(4, 1), cloud(4, 2)),
                    lambda: kann.Index(cloud(4, 1)).query(0.5), lambda: kann.Cloud(cloud(4, 1)), lambda: found[::2], lambda: kann.search(data, dtype=None)):
            with self.assertRaises((kann.InputError, kann.UsageError, IndexError)):
                bad()

    def test_missing_neighbours_have_the_id_n(self):
        self.check(cloud(3), cloud(4, seed=2), 5)
        self.check(cloud(300), cloud(40, seed=2), 4, {"distance_upper_bound": 0.1}, radius=0.1)
        distances, ids = kann.Index(cloud(5)).query([[numpy.nan] * 3], invalid="skip")
        self.assertEqual((distances.tolist(), ids.tolist()), ([numpy.inf], [5]))

    def test_periodic_box(self):
        data, queries = cloud(300), cloud(40, seed=2)
        expected = cKDTree(data, boxsize=1.0).query(queries, 3)[1]
        numpy.testing.assert_array_equal(kann.Index(data).query(queries, 3, periodic=(1, 1, 1))[1], expected)


class LimitsTest(unittest.TestCase):
    """Limits of each query; fuzz/search compares them with brute force in boxes, by groups and on the sphere."""

    def setUp(self):
        random = numpy.random.default_rng(3)
        self.data, self.queries = cloud(900), cloud(70, seed=2)
        self.data[:60] = self.data[0]
        self.radii, self.least = random.choice([0, .02, .1, .4, numpy.inf], 70), random.choice([0, .03, .2, 2], 70)
        self.excluded = random.integers(-1, 900, (70, 4))
        self.distances = numpy.sqrt(((self.queries[:, None] - self.data) ** 2).sum(2))

    def rows(self, radii=numpy.inf, least=0, excluded=()):
        for query, (far, ids) in enumerate(zip(self.distances, numpy.argsort(self.distances, 1, "stable"))):
            is_kept = (far <= numpy.broadcast_to(radii, 70)[query]) & (far >= numpy.broadcast_to(least, 70)[query])
            is_kept[[i for i in numpy.ravel(excluded[query]) if i >= 0] if len(excluded) else []] = False
            yield ids[is_kept[ids]].tolist()

    def test_are_met_by_rows_and_lists(self):
        index = kann.Index(self.data)
        for given in (dict(radius=self.radii), dict(min_radius=self.least), dict(min_radius=.2, radius=.4), dict(exclude=self.excluded[:, 0]),
                      dict(radius=self.radii, min_radius=self.least, exclude=self.excluded)):
            want = list(self.rows(given.get("radius", numpy.inf), given.get("min_radius", 0), given.get("exclude", ())))
            with self.subTest(given=list(given)):
                for k in (1, 7, 61):
                    for search in (lambda *a, **o: kann.search(self.data, *a, **o), index.search):
                        with warnings.catch_warnings():
                            warnings.filterwarnings("ignore", "20 of 70 queries have fewer than k=.* within their limits")
                            got = search(self.queries, k, **given)
                        self.assertEqual([[i for i in row if i >= 0] for row in got.ids.tolist()], [row[:k] for row in want])
                if "radius" in given:
                    lists = index.search_radius(self.queries, **given)
                    self.assertEqual([sorted(lists[i]) for i in range(70)], [sorted(row) for row in want])
                    counts = kann.count_radius(self.data, self.queries, **given)
                    self.assertEqual(counts.tolist(), numpy.diff(lists.indptr).tolist())

    def test_distances_of_float64_ascend_in_a_query(self):
        data = cloud(4000) * 1000
        distances, ids = kann.Index(data).query(data[:50], 3000, dtype="f8")
        self.assertTrue((numpy.diff(distances) >= 0).all())
        numpy.testing.assert_allclose(distances, numpy.sqrt(((data[ids] - data[:50, None]) ** 2).sum(2)), rtol=1e-15, atol=0)
        found = kann.search(data, data[:50], 3000, dtype="f8")
        self.assertEqual(numpy.sort(found.ids).tolist(), numpy.sort(ids).tolist())

    def test_of_the_same_radius_are_that_radius(self):
        for periodic in (None, 1.0):
            want, got = (kann.search_radius(self.data, None, radius, periodic=periodic) for radius in (.1, numpy.full(900, .1)))
            self.assertEqual((want.ids.tobytes(), want.distances.tobytes()), (got.ids.tobytes(), got.distances.tobytes()))

    def test_at_the_ends(self):
        for box in (None, 1.0):
            self.assertEqual(len(kann.search_radius(self.data, self.queries[:0], numpy.empty(0), periodic=box)), 0)
        self.assertEqual(kann.search(self.data, self.queries[:0], 3, radius=numpy.empty(0), min_radius=1).ids.shape, (0, 3))
        with self.assertWarns(kann.KannWarning):
            self.assertEqual(kann.search(self.data[:0], self.queries, 3, exclude=numpy.full(70, -1)).ids.max(), -1)
        want = kann.search(self.data, self.queries, 3, radius=numpy.full(70, .3), min_radius=.1)
        got = kann.search(self.data * 1e-200, self.queries * 1e-200, 900, radius=numpy.full(70, .3e-200), min_radius=.1e-200)
        self.assertTrue(all(set(a) <= set(b) for a, b in zip(want.ids.tolist(), got.ids.tolist())))
        self.assertEqual((got.ids >= 0).sum(), ((self.distances >= .1) & (self.distances <= .3)).sum())
        rows = kann.search(self.data * 1e-200, None, 3, radius=.3e-200, min_radius=.1e-200)
        self.assertEqual(rows.report["within_radius"], (rows.ids >= 0).sum())
        queries = numpy.concatenate((self.queries, [[numpy.nan] * 3]))
        skipped = kann.search(self.data, queries, 3, radius=numpy.append(numpy.full(70, .3), numpy.nan), invalid="skip")
        self.assertEqual(skipped.ids[-1].tolist(), [-1, -1, -1])

    def test_refuses(self):
        found = kann.search(self.data, self.queries, min_radius=.1)
        for error, message, call in (
                (kann.UsageError, r"one for each of the 70 queries, got an array of the shape \(3,\)", lambda: kann.search(self.data, self.queries, radius=[1, 2, 3])),
                (kann.UsageError, "min_radius expects numbers of at least 0, got nan for query 0", lambda: kann.search(self.data, min_radius=numpy.nan)),
                (kann.UsageError, "min_radius 0.2 is more than radius 0.1", lambda: kann.search(self.data, radius=.1, min_radius=.2)),
                (kann.UsageError, "radius expects numbers of at least 0, got -1 for query 4", lambda: kann.search_radius(self.data, None, 3.0 - numpy.arange(900))),
                (kann.InputError, "exclude: 900 is none of the 900 rows", lambda: kann.search(self.data, exclude=numpy.full(900, 900))),
                (kann.InputError, "exclude: -2 is none of the rows", lambda: kann.search(self.data, exclude=numpy.full(900, -2))),
                (kann.InputError, "exclude: 4294967296 is none", lambda: kann.search(self.data, exclude=numpy.full(900, 2**32))),
                (kann.UsageError, "exclude expects a row number", lambda: kann.search(self.data, self.queries, exclude=[1])),
                (kann.UsageError, "shifted-sort.*does not go with min_radius", lambda: kann.search(self.data, min_radius=1, method="shifted-sort")),
                (kann.UsageError, "one radius for all", lambda: kann.search_radius(self.data, None, self.distances[0], pairs="half")),
                (kann.UsageError, "searched with min_radius are not judged", lambda: kann.verify(self.data, self.queries, found))):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()


class Refusals(unittest.TestCase):
    def test_every_message(self):
        data, queries = cloud(20), cloud(5)
        tensor = type("Tensor", (), {"requires_grad": True})()
        on_gpu = type("OnGpu", (), {"__cuda_array_interface__": {}})()
        small = (numpy.empty((5, 8), "i8"), numpy.empty((5, 8), "f4"))
        for error, message, call in (
                (kann.InputError, r"data: the shape is \(3, 20\), and points are n x 2 or n x 3; data.T has", lambda: kann.search(data.T.copy())),
                (kann.InputError, r"the shape is \(20,\)", lambda: kann.search(data[:, 0])),
                (kann.InputError, r"the shape is \(5, 4\).*queries\[:, :3\]", lambda: kann.search(data, numpy.ones((5, 4)))),
                (kann.InputError, "not complex128", lambda: kann.search(data.astype(complex))),
                (kann.InputError, "not <U1", lambda: kann.search(numpy.full((4, 3), "a"))),
                (kann.InputError, "not an array of numbers", lambda: kann.search([[1, 2, 3], [4]])),
                (kann.InputError, "masked arrays", lambda: kann.search(numpy.ma.masked_less(data, 0.5))),
                (kann.InputError, r"requires a gradient.*queries.detach\(\)", lambda: kann.search(data, tensor)),
                (kann.InputError, "on a GPU", lambda: kann.Cloud(on_gpu)),
                (kann.InputError, "data: not an array of numbers", lambda: kann.search(on_gpu)),
                (kann.InputError, "queries: the points have 2 coordinates", lambda: kann.search(data, queries[:, :2])),
                (kann.InputError, "the last number must be 3", lambda: kann.Index(data).query(queries[:, :2])),
                (kann.InputError, 'NaN or infinite coordinates.*use invalid="skip"', lambda: kann.search(data * numpy.nan)),
                (kann.InputError, "^queries: 5 of 5 points", lambda: kann.search(data, queries * numpy.inf)),
                (kann.UsageError, "k expects a whole number of at least 1, got '0'", lambda: kann.search(data, k=0)),
                (kann.UsageError, "got '-3'", lambda: kann.Index(data).query(queries, -3)),
                (kann.UsageError, "k expects a whole number, got 2.5", lambda: kann.search(data, k=2.5)),
                (kann.UsageError, r"got \[1, 2\]", lambda: kann.Index(data).query(queries, [1, 2])),
                (kann.UsageError, r"search_radius\(\) has all neighbours", lambda: kann.search(data, k="all", radius=1)),
                (kann.UsageError, r"below 2\*\*63", lambda: kann.search(data, k=2**70)),
                (kann.OutOfMemoryError, "needs .* GB", lambda: kann.search(data, k=2**45)),
                (kann.UsageError, "radius expects", lambda: kann.search(data, radius=-1)),
                (kann.UsageError, "radius expects a number, got 'far'", lambda: kann.search(data, radius="far")),
                (kann.UsageError, "radius expects a number, got '0.1'", lambda: kann.search(data, radius="0.1")),
                (kann.UsageError, "sky expects True or False, got 'yes'", lambda: kann.search(data, sky="yes")),
                (kann.UsageError, "periodic expects a side for each", lambda: kann.search(data, periodic=(1, 2, 3, 4))),
                (kann.UsageError, "periodic has 2 sides", lambda: kann.search(data, periodic=(1, 1))),
                (kann.UsageError, 'window is for .*needs method="shifted-sort"', lambda: kann.search(data, window=9)),
                (kann.UsageError, 'method="shifted-sort" takes k up to 32', lambda: kann.search(data, k=33, method="shifted-sort")),
                (kann.UsageError, "method expects exact or shifted-sort or paper, got 'tree'", lambda: kann.search(data, method="tree")),
                (kann.UsageError, "method expects text, got None", lambda: kann.search(data, method=None)),
                (kann.UsageError, "invalid expects error or skip, got 'drop'", lambda: kann.search(data, invalid="drop")),
                (kann.UsageError, "shifts expects an odd", lambda: kann.search(data, method="shifted-sort", shifts=2)),
                (kann.UsageError, "threads expects", lambda: kann.search(data, threads=-1)),
                (kann.UsageError, r"below 2\*\*31", lambda: kann.search(data, threads=2**40)),
                (kann.UsageError, "device expects auto.*got 'gpu'", lambda: kann.search(data, device="gpu")),
                (kann.UsageError, "device expects auto.*got 'cuda:0,1'", lambda: kann.search(data, device="cuda:0,1")),
                (kann.UsageError, "device expects text", lambda: kann.search(data, device=0)),
                (kann.UsageError, "device expects text, got None", lambda: kann.search(data, device=None)),
                (kann.DeviceError, "no CUDA device", lambda: kann.search(data, device="cuda:255")),
                (kann.UsageError, r"the ids need .* int32 of the shape \(5, 8\), got int64", lambda: kann.search(data, queries, out=small)),
                (kann.UsageError, "out expects two arrays", lambda: kann.search(data, out=small[0]))):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()

    def test_classes_are_those_that_scripts_catch(self):
        for error, base, code in ((kann.UsageError, ValueError, 2), (kann.InputError, ValueError, 3), (kann.ResourceError, kann.Error, 4),
                                  (kann.OutOfMemoryError, MemoryError, 4), (kann.DeviceError, RuntimeError, 5), (kann.CheckError, kann.Error, 1)):
            self.assertTrue(issubclass(error, base) and issubclass(error, kann.Error))
            self.assertEqual(error.exit_code, code)


class GroupsTest(unittest.TestCase):
    def setUp(self):
        random = numpy.random.default_rng(1)
        self.data, self.queries = cloud(3000, seed=2), cloud(500, seed=3)
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

    def test_nearest_of_other_groups_in_the_same_group(self):
        random = numpy.random.default_rng(8)
        for count in (3, 40):
            frames = random.integers(-1, count, len(self.data)).astype(float)
            frames[frames < 0] = numpy.nan
            is_allowed = (frames[:, None] == frames) & (self.of_data[:, None] != self.of_data)
            squares = numpy.where(is_allowed, ((self.data[:, None] - self.data) ** 2).sum(2), numpy.inf)
            want = numpy.argsort(squares, 1, "stable")[:, :4]
            want[numpy.isinf(numpy.take_along_axis(squares, want, 1))] = -1
            groups = dict(group=frames, other_group=self.of_data)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", kann.KannWarning)
                found = kann.search(self.data, None, 4, **groups)
            self.assertEqual(found.ids.tolist(), want.tolist())
            self.assertEqual(kann.verify(self.data, None, found, **groups)["faulty_rows"], 0)
            lists = kann.search_radius(self.data, None, .1, **groups)
            self.assertEqual(sorted(map(tuple, lists.pairs().tolist())), sorted(zip(*map(list, numpy.nonzero(squares <= .1**2)))))

    def test_graphs_of_batches(self):
        """What torch_cluster's radius_graph(x, r, batch) gives."""
        batch = numpy.repeat(numpy.arange(60), 50)
        found = kann.search_radius(self.data, None, .2, group=batch)
        want = set()
        for group in range(60):
            pairs = cKDTree(self.data[batch == group]).query_pairs(.2, output_type="ndarray") + 50 * group
            want |= {tuple(pair) for pair in pairs.tolist()} | {tuple(pair) for pair in pairs[:, ::-1].tolist()}
        self.assertEqual({tuple(pair) for pair in found.pairs().tolist()}, want)
        numpy.testing.assert_array_equal(kann.count_radius(kann.Index(self.data), None, .2, group=batch), numpy.diff(found.indptr))

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
                (kann.InputError, r"the shape \(2999,\), and must have \(3000,\)", {"group": self.of_data[1:]}),
                (kann.InputError, "expects numbers or text", {"group": self.of_data.astype(complex)}),
                (kann.InputError, r"has text, None and NaN alone, got \d; convert it, as with astype\(float\)",
                 {"group": self.of_data.astype(object)})):
            with self.assertRaisesRegex(error, message):
                kann.search(self.data, **options)
        with self.assertRaisesRegex(kann.UsageError, "expects two arrays"):
            kann.search(self.data, self.queries, group=self.of_data)
        for of_data, of_queries in ((self.of_data, self.of_queries.astype("U")),
                                    (self.of_data.astype("S"), self.of_queries.astype("U"))):
            with self.assertRaisesRegex(kann.InputError, "^group: values are all numbers, all text or all bytes, and these are mixed$"):
                kann.search(self.data, self.queries, group=(of_data, of_queries))


class SkyTest(unittest.TestCase):
    def test_nearest(self):
        data, queries = sky(2000, 1), sky(300, 2)
        want = separations(queries, data)
        for search in (kann.search, lambda data, *more, **options: kann.Index(data).search(*more, **options)):
            found = search(data, queries, 5, sky=True, unit="arcsec", device="cpu")
            numpy.testing.assert_allclose(found.distances, numpy.sort(want)[:, :5], rtol=1e-6, atol=1e-9)
            numpy.testing.assert_allclose(numpy.take_along_axis(want, found.ids.astype(int), 1), found.distances, rtol=1e-6,
                                          atol=1e-9)
            self.assertEqual(found.report["sky"], "arcsec")
            self.assertEqual(kann.verify(data, queries, found)["recall"], 1)
        distances, ids = kann.Index(data).query(queries, 5, sky=True, unit="arcmin")
        numpy.testing.assert_array_equal(ids, found.ids)
        numpy.testing.assert_allclose(distances * 60, found.distances, rtol=1e-6)

    def test_radius(self):
        data, queries = sky(2000, 3), sky(300, 4)
        want = separations(queries, data)
        for radius in (1e-3, 600, 36000):
            found = kann.search_radius(data, queries, radius, sky=True, unit="arcsec")
            numpy.testing.assert_array_equal(numpy.diff(found.indptr), (want <= radius).sum(1))
            numpy.testing.assert_array_equal(kann.count_radius(data, queries, radius, sky=True, unit="arcsec"),
                                             (want <= radius).sum(1))

    def test_hours_and_radians_are_those_that_the_names_say(self):
        data, queries = sky(300, 9), sky(90, 10)
        want = numpy.sort(separations(queries, data))[:, :2] / 3600
        factors = {"ra_h,dec": (15, 1), "RAJ2000 (hours),DEJ2000 (deg)": (15, 1), "lon_rad,lat_rad": (180 / numpy.pi,) * 2}
        with tempfile.TemporaryDirectory() as folder:
            for names, factor in factors.items():
                for number, points in enumerate((data, queries)):
                    stored = numpy.rec.fromarrays((numpy.arange(len(points)), *(points / factor).T), names=["id", *names.split(",")])
                    numpy.save(f"{folder}/{number}.npy", stored)
                    numpy.savetxt(f"{folder}/{number}.csv", stored.tolist(), "%.17g", ",", header="id," + names, comments="")
                    properties = "".join(f"property double {name}\n" for name in names.split(","))
                    pathlib.Path(f"{folder}/{number}.ply").write_bytes(
                        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n{properties}end_header\n".encode()
                        + (points / factor).tobytes())
                for extension in ("npy", "csv", "ply")[: 2 if "(" in names else 3]:  # names of PLY have no blanks
                    with self.subTest(names, extension=extension):
                        found = kann.search(*(kann.read(f"{folder}/{number}.{extension}", sky=True) for number in (0, 1)), k=2)
                        numpy.testing.assert_allclose(found.distances, want, rtol=1e-6, atol=1e-9)
                        for memory in ("1G", "20M"):
                            subprocess.run([sys.executable, "-m", "kann", "--data", f"0.{extension}", "--query", f"1.{extension}", "--sky", "-k", "2",
                                            "--max-memory", memory, "-q", "--force", "-o", "nn.npz"], cwd=folder, check=True)
                            numpy.testing.assert_allclose(numpy.load(f"{folder}/nn.npz")["distances"], want, rtol=1e-6, atol=1e-9)
                stored = numpy.load(f"{folder}/0.npy")
                numpy.testing.assert_array_equal(kann.search(stored, queries, k=2, sky=True).ids, found.ids)
                kann.write(f"{folder}/out.csv", kann.read(f"{folder}/0.csv", sky=True), force=True)
                subprocess.run([sys.executable, "-m", "kann", "--data", "0.csv", "--sky", "--force", "-q", "-o", "of.csv", "--output-format",
                                "cloud-csv"], cwd=folder, check=True)
                for file in ("out.csv", "of.csv"):
                    again = numpy.genfromtxt(f"{folder}/{file}", delimiter=",", names=True)
                    numpy.testing.assert_allclose(numpy.stack((again["lon"], again["lat"]), 1), data, rtol=1e-12)

    def test_a_cloud_that_was_read_as_angles_is_searched_on_the_sphere(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            points = numpy.round(sky(200, 8), 6)
            (place / "stars.csv").write_text("id,ra,dec\n" + "".join(f"{i},{ra},{dec}\n" for i, (ra, dec) in enumerate(points)))
            cloud = kann.read(place / "stars.csv", sky=True)
            on_sphere, in_plane = kann.search(points, k=3, sky=True), kann.search(points, k=3)
            self.assertFalse(numpy.array_equal(on_sphere.ids, in_plane.ids))
            index = pickle.loads(pickle.dumps(kann.Index(cloud)))
            of_queries = kann.search(points, points, k=4, sky=True)
            for found, expected in ((kann.search(cloud, k=3), on_sphere), (kann.search(cloud, cloud, k=4), of_queries),
                                    (index.search(k=3), on_sphere), (index.search(points, k=4), of_queries)):
                numpy.testing.assert_array_equal(found.ids, expected.ids)
            numpy.testing.assert_array_equal(kann.search(cloud, points[:9], k=4, unit="arcsec").report["sky"], "arcsec")
            numpy.testing.assert_array_equal(kann.search(cloud, k=3, sky=False).ids, in_plane.ids)
            numpy.testing.assert_array_equal(index.query(points, k=4)[1], of_queries.ids)
            numpy.testing.assert_array_equal(kann.count_radius(cloud, None, 20.), kann.count_radius(points, None, 20., sky=True))
            numpy.testing.assert_array_equal(kann.match(cloud).ids, kann.match(points, sky=True).ids)
            numpy.testing.assert_array_equal(kann.cluster(cloud, 5.), kann.cluster(points, 5., sky=True))
            with self.assertRaisesRegex(kann.UsageError, "one of the clouds was read with sky=True.*sky=True or sky=False"):
                kann.search(cloud, kann.Cloud(points))
            self.assertEqual(repr(cloud), "<kann.Cloud: 200 points, on the sky, attributes: id>")
            kann.write(place / "again.csv", cloud)
            self.assertEqual((place / "again.csv").read_text().splitlines()[0], "ra,dec,id")
            numpy.testing.assert_array_equal(kann.read(place / "again.csv", sky=True).points, points)
            kann.write(place / "new.csv", kann.Cloud(points, sky=True))
            self.assertEqual((place / "new.csv").read_text().splitlines()[0], "lon,lat")

    def test_refuses(self):
        data = sky(100, 6)
        with self.assertRaisesRegex(kann.UsageError, "unit needs sky=True"):
            kann.search(data, unit="deg")
        with self.assertRaisesRegex(kann.UsageError, "unit expects arcsec, arcmin, deg, m or km, got 'rad'"):
            kann.search(data, sky=True, unit="rad")
        with self.assertRaisesRegex(kann.InputError, "two, longitude and latitude"):
            kann.search(numpy.zeros((5, 3)), sky=True)
        with self.assertRaisesRegex(kann.InputError, "point 3 has the latitude 90.5"):
            data[3, 1] = 90.5
            kann.search(data, sky=True)
        found = kann.search(sky(100, 7), sky=True)
        with self.assertRaisesRegex(kann.UsageError, "does not go with sky"):
            kann.transfer(sky(100, 7), sky(100, 7), found, {"a": numpy.zeros(100)}, by="rbf")


if __name__ == "__main__":
    unittest.main(warnings="error")  # no search warns of what its test does not expect
