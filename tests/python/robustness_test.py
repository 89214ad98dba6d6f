"""The module kann with bad input, in several threads and in several processes: a clear exception or a right answer, and never
a crash; and no message from an interpreter that ends in the middle of a search. scripts/wheel runs it as it runs
search_test.py, also with AddressSanitizer."""

import concurrent.futures
import contextlib
import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import warnings
from unittest import mock

import kann
import numpy


def cloud(count, dimensions=3, seed=1, dtype="f8"):
    return numpy.random.default_rng(seed).random((count, dimensions)).astype(dtype)


def run(code, **options):
    """Runs a script in another interpreter."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False, **options)


def fork():
    """os.fork(), without the warning of Python 3.12 about forks beside threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def rows_in_child(index):
    """Of the same search as in the parent."""
    data = cloud(3000)
    return [kann.search(data, k=4).ids.tobytes(), kann.search(data, k=8, method="shifted-sort").ids.tobytes(),
            index.search(k=4).ids.tobytes()]


class Arrays(unittest.TestCase):
    def test_odd_arrays_are_searched_or_refused(self):
        good = cloud(60)
        odd = [None, 0, "abc", b"abc", [], [[]], [[], []], {}, object(), range(3), [[1, 2, None]], [["a", "b", "c"]], [[1, 2, 2**70]],
               numpy.zeros(()), numpy.zeros((2, 3, 3)), numpy.zeros((0, 5)), numpy.zeros((3, 0)), numpy.zeros((4, 1)),
               numpy.zeros((4, 3), bool), numpy.zeros((4, 3), "M8[s]"), numpy.zeros((4, 3), "m8[s]"), numpy.zeros((4, 3), "O"),
               numpy.zeros((4, 3), "S8"), numpy.zeros((4, 3), "V8"), numpy.zeros((4, 3), "c8"), numpy.zeros((4, 3), "g"),
               numpy.zeros(4, [("x", "f4"), ("y", "S4"), ("z", "f4")]), numpy.zeros((), "f4,f4"), memoryview(b"123"), good.astype(numpy.longdouble)]
        for values in odd:
            with self.subTest(str(values)[:60]), warnings.catch_warnings():
                warnings.simplefilter("ignore", kann.KannWarning)
                for call in (lambda v=values: kann.search(v), lambda v=values: kann.search(good, v, 2), lambda v=values: kann.Index(v),
                             lambda v=values: kann.Index(good).query(v), lambda v=values: kann.Cloud(v), lambda v=values: kann.grid(v, 1)):
                    try:
                        call()
                    except kann.Error:
                        pass

    def test_whole_numbers_that_float64_rounds_are_refused_as_in_a_file(self):
        good, limit = cloud(4, 2), 2**53
        calls = (kann.search, lambda v: kann.search(good, v), kann.Index, lambda v: kann.Index(good).query(v), kann.Cloud,
                 lambda v: kann.cluster(v, 1, min_points=1), lambda v: kann.features(v, k=3), lambda v: kann.search_radius(v, None, 1),
                 lambda v: kann.match(good, v, 1), lambda v: kann.grid(v, 1), lambda v: kann.write("unwritten.ply", v))
        for values in (numpy.array([[limit, 0], [limit + 1, 0]]), numpy.array([[0, 1], [0, limit + 1]], "u8"),
                       numpy.array([[0, 1], [-limit - 1, 1]], ">i8"), numpy.array([[1, 2**64 - 1], [0, 7]], "u8")[::-1],
                       numpy.array([[-limit, limit], [-(2**63), 0]]), numpy.array([[0, limit], [limit + 2, 0]]).T.copy().T):
            for number, call in enumerate(calls):
                with self.subTest(str(values), number=number), self.assertRaisesRegex(
                        kann.InputError, r"row 1 has a whole number past 2\^53, which float64 does not hold exactly; subtract"):
                    call(values)
        with tempfile.TemporaryDirectory() as folder:
            numpy.save(folder + "/a.npy", numpy.array([[limit, 0], [limit + 1, 0]]))
            with self.assertRaisesRegex(kann.InputError, "row 1 has a whole number past 2"):
                kann.read(folder + "/a.npy")

    def test_whole_numbers_up_to_2_to_53_are_searched(self):
        for dtype in ("i8", "u8", ">i8"):
            data = numpy.array([[2**53, 0], [2**53 - 1, 0], [0, 0]], dtype)
            numpy.testing.assert_array_equal(kann.search(data, k=1).distances, [[1], [1], [numpy.float32(2**53)]])
        numpy.testing.assert_array_equal(kann.search(numpy.array([[-(2**53), 0], [1 - 2**53, 0]]), k=1).distances, 1)
        numpy.testing.assert_array_equal(kann.Cloud(numpy.zeros((0, 3), "i8")).points, numpy.zeros((0, 3)))
        attribute = numpy.array([2**53 + 1, -(2**63)])
        numpy.testing.assert_array_equal(kann.Cloud([[0, 0], [1, 1]], {"id": attribute})["id"], attribute)

    def test_data_outlive_their_names(self):
        index = kann.Index(cloud(5000))
        gc.collect()
        expected = kann.search(cloud(5000), k=3).ids
        numpy.testing.assert_array_equal(index.search(k=3).ids, expected)
        ids = kann.Index(cloud(5000)).search(k=3).ids
        gc.collect()
        numpy.testing.assert_array_equal(ids, expected)

    def test_out(self):
        data = cloud(50)
        expected = kann.search(data, k=4)

        def out(ids_shape=(50, 4), ids="i4", distances="f4"):
            return numpy.zeros(ids_shape, ids), numpy.zeros((50, 4), distances)

        read_only = out()
        read_only[1].flags.writeable = False
        memory = numpy.zeros((50, 4), "i4")
        for bad in (out((50, 3)), out((200,)), out((4, 50)), out(ids="i8"), out(ids="u4"), out(distances="f8"), out(ids=">i4"), read_only,
                    (memory, memory.view("f4")), (None, None), 3, "ab", [*out()], (*out(), 1)):
            with self.subTest(str(bad)[:40]), self.assertRaisesRegex(kann.UsageError, "out"):
                kann.search(data, k=4, out=bad)
        ids, distances = out()
        found = kann.search(data, k=4, out=(ids, distances))
        self.assertTrue(found.ids is ids and found.distances is distances)
        numpy.testing.assert_array_equal(ids, expected.ids)
        # What is not in C order is filled, and arrays that the search reads are written when it is done
        wide = numpy.zeros((4, 100), "i4").T[::2]
        overlapping = data.view("f4").ravel()[: 200].reshape(50, 4)
        kann.search(data, k=4, out=(wide, overlapping))
        numpy.testing.assert_array_equal(wide, expected.ids)
        numpy.testing.assert_array_equal(overlapping, expected.distances)

    def test_results_that_users_have_changed(self):
        data = cloud(400)
        for ids in (400, 2**31 - 1, -2, -(2**31)):
            found = kann.search(data, k=4)
            found.ids[7] = ids
            reference = kann.search(data, k=4)
            for by in ("nearest", "mean", "idw", "rbf"):
                with self.assertRaises(kann.InputError):
                    kann.transfer(data, data, found, {"v": data[:, 0]}, by=by)
            for call in (lambda: kann.verify(data, None, found), lambda: kann.compare(data, None, reference, found)):
                with self.assertRaises(kann.InputError):
                    call()
            for call in (kann.mean_distances, kann.median_distances, kann.outliers, kann.densities, kann.statistics, kann.histogram):
                try:
                    call(found)
                except kann.Error:
                    pass
        for ids in ([[2**31]], [[-2]], [[0.5]], [["a"]]):
            with self.assertRaisesRegex(kann.InputError, "ids: "):
                kann.Found.of(ids, [[1.0]])

    def test_products_of_nan(self):
        data, bad = cloud(400), cloud(400)
        bad[::3] = numpy.nan
        bad[5], bad[7] = numpy.inf, 1e308
        found = kann.search(data, k=8)
        for by in ("nearest", "mean", "idw", "vote", "rbf"):
            values = {"v": bad[:, 0] if by != "vote" else numpy.arange(400)}
            for of_data, queries in ((bad, data), (data, bad), (bad, bad)):
                kann.transfer(of_data, queries, found, values, by=by)
        for call in (lambda: kann.verify(bad, None, found), lambda: kann.compare(bad, None, found, found),
                     lambda: kann.picture(bad, bad[:, 1], size=(64, 64)), lambda: kann.picture(data, bad[:, 1], size=(64, 64)),
                     lambda: kann.picture(numpy.full((9, 3), numpy.nan), numpy.zeros(9), size=(64, 64)), lambda: kann.grid(bad, 1)):
            try:
                call()
            except kann.Error:
                pass
        rows = kann.Found.of(numpy.zeros((9, 2), "i4"), [[numpy.nan, -1]] * 9)
        for call in (kann.mean_distances, kann.median_distances, kann.outliers, kann.densities, kann.statistics, kann.histogram):
            call(rows)


class Lies:
    """An array on a GPU, as far as it says."""

    def __init__(self, **said):
        for name, value in said.items():
            setattr(self, name, value)


def raising(*_, **__):
    raise OSError("it has gone")


class ArraysThatLie(unittest.TestCase):
    def test_what_is_no_array_on_a_gpu(self):
        good = {"shape": (4, 3), "typestr": "<f4", "data": (1 << 40, False), "version": 3}
        lies = [Lies(__cuda_array_interface__=said) for said in (
            None, 3, {}, {**good, "shape": 4}, {**good, "shape": (-4, 3)}, {**good, "shape": ("a", 3)}, {**good, "data": None},
            {**good, "data": (-1, False)}, {**good, "data": (2**70, False)}, {**good, "typestr": "<f0", "strides": (12, 4)},
            {**good, "typestr": None}, {**good, "strides": (None, 4)}, {**good, "strides": (2**70, 4)}, {**good, "stream": -1},
            {**good, "stream": "x"}, {**good, "stream": 2**70})]
        lies += [Lies(__dlpack_device__=lambda device=device: device, __dlpack__=lambda made=made, **_: made)
                 for device in ((2, 0), (2, -1), (13, 0), (2,), (), None, "2", (2, "a")) for made in (None, 3, "x", cloud(4).__dlpack__())]
        lies += [Lies(__dlpack_device__=raising, __dlpack__=raising), Lies(__dlpack_device__=lambda: (2, 0), __dlpack__=raising)]
        index = kann.Index(cloud(60))
        for number, lie in enumerate(lies):
            for call in (lambda lie=lie: kann.search(lie), lambda lie=lie: kann.Index(lie), lambda lie=lie: index.search(lie)):
                with self.subTest(number), self.assertRaises(kann.InputError):
                    call()

    def test_what_an_interface_says_of_host_memory(self):
        for said in (None, {"shape": "x"}, {"shape": (10**6, 3), "typestr": "<f8", "data": (0, True), "version": 3}):
            with self.assertRaisesRegex(kann.InputError, "data: not an array of numbers"):
                kann.search(Lies(__array_interface__=said))


class OnGpu:
    """An array of a library that says it is cupy, with its memory on the host."""

    __module__ = "cupy"
    device = contextlib.nullcontext()

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    def __dlpack_device__(self):
        return 2, 0

    def get(self):
        return self.array

    def __getitem__(self, places):
        return OnGpu(self.array[places])

    def __sub__(self, other):
        return OnGpu(self.array - other.array)


class ThroughTheHost(unittest.TestCase):
    def test_what_gpus_cannot_do_is_done_with_copies(self):
        data, queries, labels = cloud(300), cloud(40), numpy.arange(300) % 3
        calls = (lambda a, b: kann.search(a, b, 3, periodic=(1, 1, 1)), lambda a, b: kann.search(a, None, 3, group=labels),
                 lambda a, b: kann.search(a, b, 3, method="shifted-sort", device="cpu"), lambda a, b: kann.search(data[:, :2], b[:, :2], 3, sky=True),
                 lambda a, b: kann.Index(data[:, :2]).search(b[:, :2], 3, unit="km", sky=True), lambda a, b: kann.search_radius(a, b, .2, device="cpu"),
                 lambda a, b: kann.search_radius(a, None, .1, periodic=(1, 1, 1), images="all"), lambda a, b: kann.search_radius(data, b, .1),
                 lambda a, b: kann.count_radius(a, b, .1, threads=1), lambda a, b: kann.cluster(a, .1, 3), lambda a, b: kann.cluster(points=a, radius=.1),
                 lambda a, b: kann.features(a, b, 8, names="normals,density"), lambda a, b: kann.match(a, b, .1, one_to_one=True))
        with mock.patch.dict(sys.modules, cupy=types.SimpleNamespace(asarray=OnGpu)):
            for number, call in enumerate(calls):
                with self.subTest(number):
                    want, got = call(data, queries), call(OnGpu(data), OnGpu(queries))
                    want, got = (vars(x) if hasattr(x, "__dict__") and not isinstance(x, OnGpu) else x if isinstance(x, dict) else {"": x} for x in (want, got))
                    self.assertEqual(want.keys(), got.keys())
                    arrays = [name for name, value in want.items() if isinstance(value, numpy.ndarray)]
                    self.assertTrue(arrays)
                    for name in arrays:
                        self.assertIsInstance(got[name], OnGpu)
                        numpy.testing.assert_array_equal(got[name].get(), want[name])
            with self.assertRaisesRegex(kann.UsageError, "out is for searches on a GPU"):
                kann.search(OnGpu(data), k=3, group=labels, out=(1, 2))
        with self.assertRaisesRegex(kann.InputError, "an array on a GPU: not an array of numbers: TypeError: copy it to the host first"):
            kann.cluster(Lies(__cuda_array_interface__={}), 1)


class Copies(unittest.TestCase):
    ways = {"pickle": lambda value: pickle.loads(pickle.dumps(value)), "copy": copy.copy, "deepcopy": copy.deepcopy}

    def test_an_index(self):
        data = cloud(90)
        data[4] = numpy.nan
        index = kann.Index(data, invalid="skip")
        expected = index.search(k=4)
        for name, way in self.ways.items():
            with self.subTest(name):
                self.assertEqual(way(index).search(k=4).ids.tobytes(), expected.ids.tobytes())

    def test_a_result(self):
        data = cloud(90)
        for out in (None, (numpy.zeros((4, 180), "i4").T[::2], numpy.zeros((90, 4), "f4"))):
            found = kann.search(data, k=4, out=out)
            for name, way in self.ways.items():
                with self.subTest(name):
                    made = way(found)
                    self.assertEqual((made.ids.tobytes(), made.report), (found.ids.tobytes(), found.report))
                    numpy.testing.assert_array_equal(kann.mean_distances(made), kann.mean_distances(found))
                    self.assertFalse(numpy.shares_memory(made.ids, found.ids))

    def test_a_cloud_of_a_las_file(self):
        with tempfile.TemporaryDirectory() as folder:
            kann.write(folder + "/a.las", cloud(9), {"intensity": numpy.arange(9)})
            read = kann.read(folder + "/a.las")
            for name, way in self.ways.items():
                with self.subTest(name):
                    made = way(read)
                    numpy.testing.assert_array_equal(made["intensity"], numpy.arange(9))
                    kann.write(folder + f"/{name}.las", made)
                    numpy.testing.assert_array_equal(kann.read(folder + f"/{name}.las").points, read.points)


class OtherThreads(unittest.TestCase):
    def test_arrays_that_change_meanwhile(self):
        """Any answer; a search may look at all points for each query. The first coordinates are read at other times."""
        for dtype, k, method in (("f8", 4, "exact"), ("f4", 4, "exact"), ("f4", 8, "shifted-sort"), ("f8", 8, "shifted-sort"), ("f4", 1, "exact"), ("f8", 40, "exact")):
            with self.subTest(dtype=dtype, k=k):
                base = cloud(4000, dtype=dtype)
                data, index_data, is_over = base.copy(), base.copy(), threading.Event()
                index = kann.Index(index_data)

                def change():
                    random = numpy.random.default_rng(1)
                    while not is_over.is_set():
                        at = random.integers(len(data), size=len(data) // 4)
                        data[at] = index_data[at] = random.choice([numpy.nan, numpy.inf, -numpy.inf, 1e30, -5, 0])
                        time.sleep(0)
                        data[at], index_data[at] = base[at], base[at]

                thread = threading.Thread(target=change)
                thread.start()
                try:
                    end = time.monotonic() + 0.3
                    while time.monotonic() < end:
                        for search in (lambda: kann.search(data, k=k, method=method), lambda: index.search(data, k, method=method),
                                       lambda: kann.search(data, base[::9], k, invalid="skip"), lambda: index.search(k=k, radius=0.1),
                                       lambda: kann.search(data, k=k, periodic=(1, 1, 0))):
                            try:
                                with warnings.catch_warnings():
                                    warnings.simplefilter("ignore")
                                    ids = search().ids
                                self.assertTrue(((ids >= -1) & (ids < len(data))).all())
                            except kann.Error:
                                pass
                finally:
                    is_over.set()
                    thread.join()

    def test_an_index_is_searched_by_many(self):
        data = cloud(20_000)
        expected = {k: kann.search(data, k=k).ids for k in (1, 6, 8, 20)}
        for _ in range(3):
            index, wrong = kann.Index(data), []

            def search(number):
                for k in sorted(expected, key=lambda k: (k * number) % 7):
                    if not numpy.array_equal(index.search(k=k).ids, expected[k]):
                        wrong.append(k)
                    try:
                        index.search(k=0)
                    except kann.UsageError:
                        pass

            threads = [threading.Thread(target=search, args=(number,)) for number in range(1, 5)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])


class Callbacks(unittest.TestCase):
    """Progress callbacks and signals."""

    index = kann.Index(cloud(200_000, dtype="f4"))

    def search(self, progress):
        return kann.search(self.index.data, k=16, device="cpu", threads=1, progress=progress)

    def test_progress_is_reported(self):
        seen = []
        self.search(lambda step, fraction: seen.append((step, fraction)))
        self.assertEqual(seen[-1][1], 1)
        self.assertEqual(seen, sorted(seen, key=lambda each: each[1]))

    def test_ctrl_c_ends_a_search(self):
        reached = threading.Event()
        threading.Thread(target=lambda: (reached.wait(), os.kill(os.getpid(), signal.SIGINT))).start()
        fractions = []
        with self.assertRaises(KeyboardInterrupt):
            self.search(lambda step, fraction: (fractions.append(fraction), reached.set()))
            time.sleep(5)  # the signal may come after the search, which then was not ended
        self.assertLess(max(fractions), 1)

    def test_a_callback_must_be_one(self):
        for call in (lambda: kann.search(cloud(5), progress=3), lambda: kann.read("a.ply", progress="x")):
            with self.assertRaisesRegex(kann.UsageError, "progress expects a function"):
                call()
        with self.assertRaises(TypeError):
            self.search(lambda: None)

    def test_a_callback_may_search_but_not_by_an_index(self):
        seen = []

        def search(step, fraction):
            seen.append(kann.search(cloud(100), k=2).ids.shape)
            try:
                self.index.query([[0, 0, 0]])
            except kann.UsageError as error:
                seen.append(str(error))

        self.search(search)
        self.assertEqual(set(seen), {(100, 2), "an index cannot be searched in a progress callback or a signal handler"})

    def test_an_index_survives_a_search_that_ends_early(self):
        index = kann.Index(self.index.data)
        for error in (KeyboardInterrupt, SystemExit, LookupError):
            with self.assertRaises(error):
                index.search(k=16, device="cpu", threads=1, progress=lambda *_, error=error: (_ for _ in ()).throw(error))
        numpy.testing.assert_array_equal(index.search(k=16).ids, kann.search(self.index.data, k=16).ids)

    def test_ctrl_c_ends_every_long_call(self):
        found = kann.search(self.index.data, k=16)
        for call in (lambda: self.index.query(self.index.data, 16, threads=1), lambda: kann.verify(self.index.data, None, found, threads=1)):
            timer = threading.Timer(0.02, lambda: os.kill(os.getpid(), signal.SIGINT))
            with self.assertRaises(KeyboardInterrupt):
                timer.start()
                for _ in range(100):
                    call()

    def test_ctrl_c_ends_clusters(self):
        """The step takes seconds, and ends soon: no time is compared, but the last fraction is that of its begin."""
        points, seen = numpy.random.default_rng(1).random((200_000, 3)), []
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            kann.cluster(points, 0.09, min_points=500, threads=1, progress=lambda _, fraction: seen.append(fraction))
        self.assertEqual(set(seen), {0})


class Processes(unittest.TestCase):
    def test_forks(self):
        index = kann.Index(cloud(3000))
        expected = rows_in_child(index)

        def search_in_child():
            child = fork()
            if child == 0:
                os._exit(0 if rows_in_child(index) == expected == rows_in_child(kann.Index(cloud(3000))) else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

        search_in_child()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:  # a thread that has searched, and threads of its own
            pool.submit(rows_in_child, index).result()
            pool.submit(search_in_child).result()
        self.assertEqual(rows_in_child(index), expected)

    def test_a_fork_while_another_thread_searches(self):
        """That thread may hold the locks of the index, and the child does not have it."""
        data = cloud(300_000)
        for options in ({}, {"method": "shifted-sort"}, {"periodic": (1, 1, 1)}):
            options.update(k=8, device="cpu", threads=1)
            expected = kann.search(data, data[:100], **options).ids
            for delay in (0.003, 0.02, 0.04):
                with self.subTest(options=options, delay=delay):
                    index = kann.Index(data)
                    thread = threading.Thread(target=index.search, args=(data[:1000],), kwargs=options)
                    thread.start()
                    time.sleep(delay)
                    child = fork()
                    if child == 0:
                        is_right = False
                        try:
                            signal.alarm(20)  # ends a child that hangs
                            is_right = numpy.array_equal(index.search(data[:100], **options).ids, expected)
                            del index
                        finally:
                            os._exit(0 if is_right else 1)
                    thread.join()
                    self.assertEqual(os.waitpid(child, 0)[1], 0)
                    numpy.testing.assert_array_equal(index.search(data[:100], **options).ids, expected)

    def test_a_pool_of_forks(self):
        code = """if True:
            import multiprocessing, kann, numpy
            data = numpy.random.default_rng(1).random((3000, 3))
            def search(k): return kann.search(data, k=k).ids.sum()
            with multiprocessing.get_context("fork").Pool(2) as pool: before = pool.map(search, range(1, 9), 1)
            here = [search(k) for k in range(1, 9)]
            with multiprocessing.get_context("fork").Pool(2) as pool: after = pool.map(search, range(1, 9), 1)
            assert before == here == after"""
        done = run(code, env={**os.environ, "PYTHONWARNINGS": "ignore"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_interpreter_ends_in_the_middle(self):
        for call in ("kann.search(data, k=16, device='cpu', threads=1, progress=began)",
                     "kann.Index(data).search(k=8, method='shifted-sort', device='cpu', progress=began)",
                     "kann.verify(data, None, found, progress=began)", "kann.write(path, data, force=True, progress=began)"):
            for end in ("", "raise SystemExit(0)"):
                with self.subTest(call=call, end=end), tempfile.TemporaryDirectory() as folder:
                    code = f"""if True:
                        import threading, kann, numpy
                        event = threading.Event()
                        began = lambda *_: event.set()
                        data, path = numpy.random.default_rng(1).random((300_000, 3)), {folder + "/a.csv"!r}
                        found = kann.Found.of(numpy.zeros((300_000, 8), 'i4'), numpy.zeros((300_000, 8), 'f4'))
                        threading.Thread(target=lambda: {call}, daemon=True).start()
                        event.wait(20)
                        {end}"""
                    done = run(code)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(warnings="error")
