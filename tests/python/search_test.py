"""Searches through the module kann: against brute force, scipy and the command. scripts/wheel runs it in an environment
with the wheel, which does not see the source tree."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import kann
import numpy
from scipy.spatial import cKDTree

COMMAND = pathlib.Path(sys.executable).parent / "kann"


def cloud(count, dimensions=3, seed=1, dtype="f8"):
    return numpy.random.default_rng(seed).random((count, dimensions)).astype(dtype)


def brute_force(data, queries, k):
    """The k smallest (squared distance, id): ids, and distances as float32."""
    squares = ((queries[:, None].astype("f8") - data[None].astype("f8")) ** 2).sum(2)
    ids = numpy.argsort(squares, axis=1, kind="stable")[:, :k]
    return ids, numpy.sqrt(numpy.take_along_axis(squares, ids, 1)).astype("f4")


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
                        for found in (kann.search(data, queries, k), kann.Index(data).search(queries, k)):
                            numpy.testing.assert_array_equal(found.ids, ids)
                            numpy.testing.assert_allclose(found.distances, distances, 2e-7)

    def test_arrays_of_all_kinds_give_the_same_rows(self):
        data = numpy.round(cloud(300) * 100)
        expected = kann.search(data, k=3)
        wide = numpy.zeros((600, 7))
        wide[::2, 1:6:2] = data
        frozen = data.copy()
        frozen.flags.writeable = False
        for name, array in {"fortran": numpy.asfortranarray(data), "strided": wide[::2, 1:6:2], "big-endian": data.astype(">f8"),
                            "int64": data.astype("i8"), "uint8": data.astype("u1"), "float16": data.astype("f2"),
                            "float32": data.astype("f4"), "list": data.tolist(), "read-only": frozen,
                            "backwards": data[::-1].copy()[::-1]}.items():
            with self.subTest(name):
                found = kann.search(array, k=3)
                numpy.testing.assert_array_equal(found.ids, expected.ids)
                numpy.testing.assert_array_equal(found.distances, expected.distances)

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

    def test_out_receives_the_rows(self):
        data = cloud(50)
        ids, distances = numpy.empty((50, 4), "i4"), numpy.empty((50, 4), "f4")
        found = kann.search(data, k=4, out=(ids, distances))
        self.assertIs(found.ids, ids)
        self.assertIs(found.distances, distances)
        numpy.testing.assert_array_equal(ids, kann.search(data, k=4).ids)

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

    def test_the_bytes_are_those_of_the_command(self):
        data, queries = cloud(4000, dtype="f4"), cloud(900, seed=2, dtype="f4")
        with_gaps = data.copy()
        with_gaps[::50] = numpy.nan
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("data.npy", "queries.npy", "gaps.npy")]
            for file, array in zip(files, (data, queries, with_gaps)):
                numpy.save(file, array)
            for options, arguments, clouds in (
                    ({}, "", (data, queries)), ({"k": 2}, "-k 2", (data, None)),
                    ({"radius": 0.05}, "--radius 0.05", (data, queries)), ({"include_self": True}, "--include-self", (data, None)),
                    ({"periodic": (1, 1, 0)}, "--periodic 1,1,0", (data, queries)), ({"method": "shifted-sort", "window": 9}, "--method shifted-sort --window 9", (data, queries)),
                    ({"invalid": "skip"}, "--invalid skip", (with_gaps, queries))):
                with self.subTest(arguments), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    of_data, of_queries = clouds
                    call = [COMMAND, "-q", "--data", files[2 if of_data is with_gaps else 0], *arguments.split(), "--force", "-o",
                            f"{folder}/out.npz", *([] if of_queries is None else ["--query", files[1]])]
                    subprocess.run(call, check=True, capture_output=True)
                    of_command = numpy.load(f"{folder}/out.npz")
                    for found in (kann.search(*clouds, **options),
                                  kann.Index(of_data, invalid=options.get("invalid", "error")).search(of_queries, **options)):
                        self.assertEqual(found.ids.tobytes(), of_command["ids"].tobytes())
                        self.assertEqual(found.distances.tobytes(), of_command["distances"].tobytes())

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
        distances, ids = kann.Index(data).query(queries, k, **options)
        self.assertEqual(numpy.shape(distances), numpy.shape(expected_distances))
        numpy.testing.assert_array_equal(ids, expected_ids)
        numpy.testing.assert_allclose(distances, expected_distances, 2e-7)

    def test_shapes(self):
        data = cloud(400)
        for queries in (cloud(30, seed=2), cloud(30, seed=2).reshape(5, 6, 3), cloud(1, seed=2), cloud(1, seed=2)[0], cloud(0)):
            for k in (1, 2, 9):
                with self.subTest(shape=queries.shape, k=k):
                    self.check(data, queries, k)
        self.check(cloud(400, 2), cloud(30, 2, 2), 6)

    def test_missing_neighbours_have_the_id_n(self):
        self.check(cloud(3), cloud(4, seed=2), 5)
        self.check(cloud(300), cloud(40, seed=2), 4, {"distance_upper_bound": 0.1}, radius=0.1)
        distances, ids = kann.Index(cloud(5)).query([[numpy.nan] * 3], invalid="skip")
        self.assertEqual((distances.tolist(), ids.tolist()), ([numpy.inf], [5]))

    def test_periodic_box(self):
        data, queries = cloud(300), cloud(40, seed=2)
        expected = cKDTree(data, boxsize=1.0).query(queries, 3)[1]
        numpy.testing.assert_array_equal(kann.Index(data).query(queries, 3, periodic=(1, 1, 1))[1], expected)


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
                (kann.UsageError, "periodic expects a side for each", lambda: kann.search(data, periodic=1)),
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


class LongSearches(unittest.TestCase):
    data = cloud(300_000, dtype="f4")

    def search(self, **options):
        return kann.search(self.data, k=16, device="cpu", threads=1, **options)

    def test_progress_is_reported(self):
        seen = []
        self.search(progress=lambda step, fraction: seen.append((step, fraction)))
        self.assertEqual(seen[-1][1], 1)
        self.assertEqual(seen, sorted(seen, key=lambda each: each[1]))

    def test_ctrl_c_ends_a_search(self):
        reached = threading.Event()
        threading.Thread(target=lambda: (reached.wait(), os.kill(os.getpid(), signal.SIGINT))).start()
        fractions = []
        with self.assertRaises(KeyboardInterrupt):
            self.search(progress=lambda step, fraction: (fractions.append(fraction), reached.set()))
            time.sleep(5)  # the signal may come after the search, which then was not ended
        self.assertLess(max(fractions), 1)


if __name__ == "__main__":
    unittest.main(warnings="error")  # no search warns of what its test does not expect
