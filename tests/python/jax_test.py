"""kann.jax on the device that jax takes by itself, a GPU if there is one: against distances of all pairs, the rows of
kann.search(), and differences of distances. Skipped without jax."""

import inspect
import unittest

import kann
import numpy
from all_pairs import batch, points, wanted

try:
    import jax

    import kann.jax
except ImportError:
    jax = None


def in_float64(test):
    def run(self):
        with jax.enable_x64(True):
            test(self)
    return run


@unittest.skipUnless(jax, "no jax")
class Searches(unittest.TestCase):
    def arrays(self, *values):
        return tuple(None if value is None else jax.numpy.asarray(value) for value in values)

    def check(self, data, queries, k, groups=None, **options):
        x, y = self.arrays(data, queries)
        g = self.arrays(*groups) if isinstance(groups, tuple) else self.arrays(groups)[0]
        ids, distances = jax.jit(lambda x, y, g: kann.jax.search(x, y, k, group=g, **options))(x, y, g)
        with self.subTest(n=len(data), k=k, dtype=data.dtype, **options):
            self.assertEqual((ids.dtype, distances.dtype), (numpy.int32, x.dtype))
            self.assertEqual([[i for i in row if i >= 0] for row in ids.tolist()], wanted(data, queries, k, groups=groups, **options))
            if groups is None:
                found = kann.search(data, queries, k, device="cpu", **options)
                numpy.testing.assert_allclose(distances, found.distances, rtol=1e-6 if data.dtype == "f8" else 0)

    def check_lists(self, data, queries, radius, capacity, groups=None):
        x, y = self.arrays(data, queries)
        g = self.arrays(*groups) if isinstance(groups, tuple) else self.arrays(groups)[0]
        indptr, ids, distances = jax.jit(lambda x, y, g: kann.jax.search_radius(x, y, radius, capacity, group=g))(x, y, g)
        rows = wanted(data, queries, radius=radius, groups=groups)
        begins = numpy.cumsum([0] + [len(row) for row in rows])
        with self.subTest(n=len(data), radius=radius, capacity=capacity):
            self.assertEqual(indptr.tolist(), begins.tolist())
            self.assertEqual((ids.shape, distances.shape), ((capacity,), (capacity,)))
            whole = [row for row, end in zip(rows, begins[1:]) if end <= capacity]
            found = sum(whole, [])
            self.assertEqual(ids.tolist(), found + [-1] * (capacity - len(found)))
            far = numpy.linalg.norm((data if queries is None else queries)[numpy.repeat(numpy.arange(len(whole)), list(map(len, whole)))] - data[found], axis=1)
            numpy.testing.assert_allclose(distances, numpy.concatenate((far, numpy.full(capacity - len(found), numpy.inf))), rtol=2e-6)

    def test_rows(self):
        for n, m, dimensions in ((1, 1, 3), (4, 5, 2), (5, 4, 3), (900, 70, 2), (900, 70, 3)):
            for k in (1, 4, 33):
                self.check(points(n, dimensions), points(m, dimensions, 2), k)
                self.check(points(n, dimensions), None, k)
                self.check(points(n, dimensions), None, k, radius=.2, include_self=True)

    @in_float64
    def test_rows_of_float64(self):
        self.check(points(300, dtype="f8") + 4e6, points(70, seed=2, dtype="f8") + 4e6, 5)
        self.check(points(300, dtype="f8"), None, 5)
        self.check_lists(points(300, dtype="f8"), None, .2, 4000)

    def test_groups(self):
        for n, m, groups in ((300, 70, 6), (40, 40, 30), (5, 5, 1)):
            a, b = batch(n, groups).astype("i4"), batch(m, groups, 2).astype("i4")
            for k in (1, 8):
                self.check(points(n), points(m, seed=2), k, groups=(a, b))
                self.check(points(n), None, k, groups=a)
                self.check(points(n), None, k, groups=a.astype("i2"))
            self.check_lists(points(n), points(m, seed=2), .4, 9000, groups=(a, b))
            self.check_lists(points(n), None, .4, 9000, groups=a)
        # jax itself would cut these to 32 bits
        wide = batch(40, 5).astype("i8") * 2**32
        self.assertEqual(kann.jax.search(points(40), None, 3, group=wide)[0].tolist(), kann.search(points(40), None, 3, group=wide).ids.tolist())

    def test_lists(self):
        for n, m in ((1, 1), (900, 70)):
            total = len(kann.search_radius(points(n), points(m, seed=2), .1).ids)
            for capacity in {0, 1, total // 2, max(total - 1, 0), total, total + 5}:
                self.check_lists(points(n), points(m, seed=2), .1, capacity)
            self.check_lists(points(n), None, .1, total)
            self.check_lists(points(n, 2), None, .01, 20)
            self.check_lists(points(n), None, .3, 20)  # few of many
        indptr, ids, distances = kann.jax.search_radius(*self.arrays(points(9), points(0)), .5, 3)
        self.assertEqual((indptr.tolist(), ids.tolist(), distances.tolist()), ([0], [-1] * 3, [numpy.inf] * 3))

    def test_they_are_mapped_over_batches(self):
        clouds = points(600).reshape(4, 150, 3)
        ids, _ = jax.vmap(lambda x: kann.jax.search(x, k=3))(jax.numpy.asarray(clouds))
        self.assertEqual(ids.tolist(), [wanted(cloud, k=3) for cloud in clouds])

    @in_float64
    def test_gradients(self):
        from jax.test_util import check_grads

        x, y = self.arrays(points(20, dtype="f8"), points(7, seed=2, dtype="f8"))
        check_grads(lambda a, b: kann.jax.search(a, b, 3)[1], (x, y), 2)
        check_grads(lambda a: kann.jax.search(a, k=3)[1], (x,), 2)
        check_grads(lambda a, b: kann.jax.search_radius(a, b, .6, 40)[2][:30], (x, y), 2)

    def test_gradients_in_float32_and_of_coincident_points(self):
        x, = self.arrays(points(30))
        gradients = [jax.jit(jacobian(lambda a: kann.jax.search(a, k=2)[1].sum()))(x) for jacobian in (jax.grad, jax.jacfwd)]
        ids = kann.search(points(30), k=2).ids
        by_hand = jax.grad(lambda a: jax.numpy.sqrt(jax.numpy.square(a[:, None] - a[ids]).sum(-1)).sum())(x)
        for gradient in gradients:
            numpy.testing.assert_allclose(gradient, by_hand, rtol=1e-4, atol=1e-5)
        self.assertGreater(numpy.abs(jax.hessian(lambda a: kann.jax.search(a, k=2)[1].sum())(x)).max(), .1)
        far = jax.numpy.asarray([[1e38, 0], [-1e38, 0]], "f4")
        self.assertEqual(jax.grad(lambda a: kann.jax.search(a, k=1)[1][0, 0])(far).tolist(), [[1, 0], [-1, 0]])
        zeros = jax.numpy.zeros((5, 3), "f4")
        self.assertEqual(jax.grad(lambda a: kann.jax.search(a, k=4)[1].sum())(zeros).tolist(), numpy.zeros((5, 3)).tolist())

    def test_every_message(self):
        x, g = self.arrays(points(30), batch(30, 3).astype("i4"))
        for error, message, call in (
                (kann.InputError, "data: not an array of jax, but list", lambda: kann.jax.search([[0, 0, 0]])),
                (kann.InputError, "data: float64, which jax would round", lambda: kann.jax.search(points(3, dtype="f8"))),
                (kann.InputError, r"queries: float32 of the shape \(30,\)", lambda: kann.jax.search(x, x[:, 0])),
                (kann.InputError, r"data: int32 of the shape \(30, 3\)", lambda: kann.jax.search(x.astype("i4"))),
                (kann.InputError, "queries: points have 2 coordinates", lambda: kann.jax.search(x, x[:, :2])),
                (kann.InputError, "group: expects whole numbers for the 30 points of data", lambda: kann.jax.search(x, group=g[:5])),
                (kann.InputError, "group: expects whole numbers", lambda: kann.jax.search(x, group=g * .5)),
                (kann.InputError, "group: expects whole numbers", lambda: kann.jax.search(x, group=[1] * 30)),
                (kann.UsageError, "group expects an array or", lambda: kann.jax.search(x, x, group=g)),
                (kann.UsageError, "k expects a whole number of at least 1, got 0", lambda: kann.jax.search(x, k=0)),
                (kann.UsageError, "k: what is compiled depends on it", lambda: jax.jit(lambda k: kann.jax.search(x, k=k))(3)),
                (kann.InputError, "group: int32 and uint32 cannot be compared", lambda: kann.jax.search(x, x, group=(g, g.astype("u4")))),
                (kann.UsageError, "radius expects", lambda: kann.jax.search(x, radius=-1)),
                (kann.UsageError, "capacity expects a whole number of at least 0, got -1", lambda: kann.jax.search_radius(x, None, .1, -1)),
                (Exception, r"InputError: data: 30 of 30 points have NaN or infinite coordinates \(first: 0\)(?!; use)",
                 lambda: jax.block_until_ready(kann.jax.search(x * numpy.nan)))):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()

    def test_everything_public_is_documented(self):
        for name in kann.jax.__all__:
            self.assertLessEqual(max(map(len, inspect.getdoc(getattr(kann.jax, name)).splitlines())), 72, name)


if __name__ == "__main__":
    unittest.main()
