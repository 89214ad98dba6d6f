"""All neighbours within a radius through the module kann, against SciPy and against the command."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import kann
import numpy
import scipy.sparse
from scipy.io import mmread
from scipy.spatial import cKDTree


def cloud(count, dimensions=3, seed=1, dtype="f8"):
    return numpy.random.default_rng(seed).random((count, dimensions)).astype(dtype)


def matrix(found, shape):
    return scipy.sparse.csr_matrix((found.distances, found.ids, found.indptr), shape=shape)


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

    def test_has_the_matrix_of_scipy(self):
        data, queries = cloud(900), cloud(300, seed=2)
        got = matrix(kann.search_radius(data, queries, .15), (300, 900))
        want = cKDTree(queries).sparse_distance_matrix(cKDTree(data), .15).tocsr()
        self.assertEqual((abs(got - want) > 1e-6).nnz, 0)
        self.assertEqual(got.nnz, want.nnz)

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
        table = found.table()
        numpy.testing.assert_array_equal(numpy.stack([table[f"shift_{axis}"] for axis in "abc"], axis=1), found.shifts)
        nearest = kann.search(atoms, k=20, periodic=cell, images="all")
        self.assertEqual(kann.verify(atoms, None, nearest)["identical_rows"], 5)
        numpy.testing.assert_allclose(
            numpy.linalg.norm(atoms[nearest.ids] - atoms[:, None] + nearest.shifts @ cell, axis=2), nearest.distances, rtol=1e-6)
        self.assertIsNone(kann.search(atoms, k=2, periodic=cell).shifts)
        with self.assertRaisesRegex(kann.UsageError, "repeats after more than twice that"):
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
        itself = kann.search_radius(data, None, .1, include_self=True)
        self.assertEqual(len(itself.ids), len(found.ids) + 500)

    def test_an_index_and_a_cloud(self):
        data, queries = cloud(400), cloud(60, seed=2)
        want = kann.search_radius(data, queries, .2)
        index = kann.Index(data)
        for _ in range(2):
            got = kann.search_radius(index, queries, .2)
            for name in ("indptr", "ids", "distances"):
                numpy.testing.assert_array_equal(getattr(got, name), getattr(want, name))
        numpy.testing.assert_array_equal(kann.count_radius(index, queries, .2), numpy.diff(want.indptr))
        self.assertEqual(want.report["k"], "all")
        self.assertEqual(want.report["within_radius"], len(want.ids))
        self.assertEqual(repr(want), f"<kann.Lists: 60 queries, {len(want.ids)} neighbours>")

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
        for radius in (-1, float("nan"), float("inf"), None, "x", "0.1"):
            with self.assertRaises(kann.UsageError, msg=str(radius)):
                kann.search_radius(data, data, radius)
        with self.assertRaises(kann.InputError):
            kann.search_radius(data, cloud(5, 2), 1)
        with self.assertRaises(TypeError):
            kann.search_radius(data)

    def test_the_command_writes_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            data = cloud(2000, dtype="f4")
            numpy.save(path / "d.npy", data)
            want = kann.search_radius(data, None, .1)
            for options in ([], ["--max-memory", "17MB"]):
                for name in ("nn.npz", "nn.mtx", "stream.npz"):
                    where = ["-o", "-", "--output-format", "npz"] if name == "stream.npz" else ["-o", name, "--force"]
                    done = subprocess.run([sys.executable, "-m", "kann", "--data", "d.npy", "--k", "all", "--radius", ".1",
                                           *where, *options], cwd=path, capture_output=True, check=True)
                    if name == "stream.npz":
                        (path / name).write_bytes(done.stdout)
                    if name == "nn.mtx":
                        got = mmread(path / name).tocsr()
                        self.assertEqual((got.astype("f4") != matrix(want, (2000, 2000))).nnz, 0)
                    else:
                        got = numpy.load(path / name)
                        numpy.testing.assert_array_equal(got["indptr"], want.indptr)
                        numpy.testing.assert_array_equal(got["ids"], want.ids)
                        numpy.testing.assert_array_equal(got["distances"], want.distances)


if __name__ == "__main__":
    unittest.main()
