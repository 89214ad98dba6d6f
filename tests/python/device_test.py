"""Searches of arrays on a GPU through the module kann: the rows are those of arrays in host memory, and stay on the GPU.
Needs a build with CUDA, a GPU, and torch, cupy or jax; what is missing is skipped, and without a GPU, the reason named."""

import importlib
import os
import re
import threading
import unittest
import warnings

import kann
import numpy


def imported(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


REASON = kann.cuda_reason()
torch, cupy, jax = (None if REASON else imported(name) for name in ("torch", "cupy", "jax"))
if jax:
    jax.config.update("jax_enable_x64", True)


def cloud(count, dimensions=3, seed=1, dtype="f4"):
    return numpy.random.default_rng(seed).random((count, dimensions)).astype(dtype)


def lattice(side=12, dtype="f4"):
    return numpy.stack(numpy.meshgrid(*[numpy.arange(float(side))] * 3), -1).reshape(-1, 3).astype(dtype)


def libraries():
    """Name, how its arrays are made, and how they come back."""
    if torch:
        yield "torch", lambda a: torch.from_numpy(a).cuda(), lambda a: a.cpu().numpy()
    if cupy:
        yield "cupy", cupy.asarray, cupy.asnumpy
    if jax:
        yield "jax", lambda a: jax.device_put(a, jax.devices("gpu")[0]), lambda a: numpy.asarray(jax.dlpack.from_dlpack(a))


class OnlyInterface:
    """As numba and others have it."""

    def __init__(self, array):
        self.kept, self.__cuda_array_interface__ = array, array.__cuda_array_interface__


class OnlyDlpack:
    def __init__(self, array):
        self.kept, self.shape = array, array.shape

    def __dlpack__(self, **options):
        return self.kept.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.kept.__dlpack_device__()


def expected(data, queries=None, k=8, **options):
    return kann.search(data, queries, k, device="cpu", **options)


@unittest.skipIf(REASON, f"no CUDA device: {REASON}")
class Rows(unittest.TestCase):
    def check(self, found, want, to_host):
        self.assertEqual(to_host(found.ids).tobytes(), want.ids.tobytes())
        self.assertEqual(to_host(found.distances).tobytes(), want.distances.tobytes())

    def test_all_libraries_give_the_bytes_of_the_host(self):
        for name, to_device, to_host in libraries():
            for data, queries in ((cloud(3000), cloud(500, seed=2)), (cloud(2000, 2), cloud(300, 2, 3)), (lattice(), lattice()[::3].copy()),
                                  (cloud(2000, 3, 4, "f8") + 4e6, cloud(300, 3, 5, "f8") + 4e6), (cloud(900), cloud(90, dtype="f8")),
                                  (numpy.zeros((70, 3), "f4"), cloud(9)), (cloud(1), cloud(3)), (cloud(5), cloud(3))):
                for k in (1, 8, 33):
                    with self.subTest(library=name, n=len(data), dtype=data.dtype, k=k):
                        d_data, d_queries = to_device(data), to_device(queries)
                        self.check(kann.search(d_data, d_queries, k), expected(data, queries, k), to_host)
                        self.check(kann.search(d_data, k=k), expected(data, k=k), to_host)
                        self.check(kann.search(d_data, k=k, include_self=True), expected(data, k=k, include_self=True), to_host)
                        index = kann.Index(d_data)
                        self.assertEqual((index.n, index.m), data.shape)
                        for _ in range(2):
                            self.check(index.search(d_queries, k), expected(data, queries, k), to_host)
                        self.check(kann.search(data, d_queries, k), expected(data, queries, k), to_host)

    def test_neighbours_within_a_radius(self):
        for name, to_device, to_host in libraries():
            for data, queries in ((cloud(3000), cloud(500, seed=2)), (lattice(), lattice()[::3].copy()), (cloud(900, 2, 4, "f8") + 4e6, cloud(90, 2, 5)),
                                  (numpy.zeros((600, 3), "f4"), cloud(9)), (cloud(1), cloud(3)), (cloud(5), cloud(3)[:0])):
                for radius in (0, .1, 1, 5):
                    with self.subTest(library=name, n=len(data), radius=radius):
                        d_data, d_queries = to_device(data), to_device(queries)
                        index = kann.Index(d_data)
                        self.check(index.search(d_queries, 8, radius=radius), expected(data, queries, radius=radius), to_host)
                        self.check(kann.search(data, d_queries, 8, radius=radius), expected(data, queries, radius=radius), to_host)
                        self.check(kann.search(d_data, k=8, radius=radius), expected(data, radius=radius), to_host)
                        for found, want in ((kann.search_radius(index, d_queries, radius), kann.search_radius(data, queries, radius)),
                                            (kann.search_radius(d_data, None, radius), kann.search_radius(data, None, radius)),
                                            (kann.search_radius(d_data, None, radius, include_self=True), kann.search_radius(data, None, radius, include_self=True))):
                            self.assertEqual(to_host(found.indptr).tolist(), want.indptr.tolist())
                            self.check(found, want, to_host)
                            self.assertEqual(len(found), len(want))
                            if name != "jax":
                                self.assertEqual(to_host(found.pairs()).tobytes(), want.pairs().tobytes())
                        if name != "jax":
                            half, want = (kann.search_radius(points, None, radius, pairs="half") for points in (d_data, data))
                            self.assertEqual(half.indptr.tolist(), want.indptr.tolist())
                            self.check(half, want, to_host)
                            counts = kann.count_radius(index, d_queries, radius)
                            self.assertEqual(counts.tolist(), kann.count_radius(data, queries, radius).tolist())

    def test_what_gpus_cannot_do_is_done_with_copies(self):
        data, queries, labels = cloud(900), cloud(70, seed=2), numpy.arange(900) % 3
        for name, to_device, _ in libraries():
            d_data, d_queries = to_device(data), to_device(queries)
            for number, call in enumerate((
                    lambda a, b: kann.search(a, b, 3, periodic=(1, 1, 1)), lambda a, b: kann.search(a, None, 3, group=labels),
                    lambda a, b: kann.Index(a).search(b, 3, device="cpu", method="shifted-sort"), lambda a, b: kann.search_radius(data, b, .2),
                    lambda a, b: kann.search_radius(kann.Index(a), None, .1, periodic=(1, 1, 1), images="all"), lambda a, b: kann.match(a, b, .1),
                    lambda a, b: kann.features(kann.Index(a), b, 8), lambda a, b: kann.cluster(a, .1, 3))):
                with self.subTest(library=name, number=number):
                    want, got = (result if isinstance(result, dict) else {"labels": result} if number == 7 else vars(result)
                                 for result in (call(data, queries), call(d_data, d_queries)))
                    for field, value in want.items():
                        if isinstance(value, numpy.ndarray):
                            self.assertEqual(type(got[field]).__module__.partition(".")[0], "numpy" if name == "jax" else name)
                            numpy.testing.assert_array_equal(got[field] if name == "jax" else got[field].get() if name == "cupy" else got[field].cpu(), value)

    def test_boxes(self):
        for dtype in ("f4", "f8"):
            data, queries, labels = cloud(20000, dtype=dtype), cloud(3000, seed=2, dtype=dtype), numpy.arange(20000) % 3
            for name, to_device, _ in libraries():
                def to_host(array):  # a box of arrays of cupy and jax is one for the host
                    return array.cpu().numpy() if name == "torch" else array.get() if name == "cupy" else array
                for others in (None, queries):
                    for options in ({}, {"images": "all"}, *(() if others is not None else ({"include_self": True}, {"images": "all", "pairs": "half"}, {"group": labels}))):
                        with self.subTest(library=name, dtype=dtype, **options):
                            there = {**options, **({"group": to_device(labels)} if "group" in options else {})}
                            want = kann.search_radius(data, others, .06, periodic=(1, 1, 0), device="cpu", **options)
                            found = kann.search_radius(to_device(data), None if others is None else to_device(others), .06, periodic=(1, 1, 0), **there)
                            self.assertEqual(to_host(found.indptr).tolist(), want.indptr.tolist())
                            self.check(found, want, to_host)
                            if "images" in options:
                                self.assertEqual(to_host(found.shifts).tolist(), want.shifts.tolist())
                counts = kann.count_radius(to_device(data), None, .06, periodic=(1, 1, 0))
                self.assertEqual(to_host(counts).tolist(), kann.count_radius(data, None, .06, periodic=(1, 1, 0)).tolist())

    def test_groups(self):
        for dtype, offset in (("f4", 0), ("f8", 4e6)):
            data, queries = cloud(20000, dtype=dtype) + numpy.array(offset, dtype), cloud(3000, seed=2, dtype=dtype) + numpy.array(offset, dtype)
            of_data, of_queries = (numpy.random.default_rng(n).integers(-2, 64, n) for n in (20000, 3000))
            gone = data.copy()
            gone[77, 1] = numpy.nan
            for name, to_device, to_numpy in libraries():
                def to_host(array):  # rows of more than 64 of jax's arrays have been on the host
                    return array if isinstance(array, numpy.ndarray) else to_numpy(array)
                d_data, d_queries, a, b = map(to_device, (data, queries, of_data, of_queries))
                for k in (1, 8, 64, 65):
                    for group, there in ((of_data, a), (of_data.astype("i4"), to_device(of_data.astype("i4"))), (of_data * 2**40, to_device(of_data * 2**40))):
                        with self.subTest(library=name, k=k, dtype=group.dtype):
                            self.check(kann.search(d_data, k=k, group=there), expected(data, k=k, group=group), to_host)
                    self.check(kann.search(d_data, d_queries, k, group=(a, b), radius=.2), expected(data, queries, k, group=(of_data, of_queries), radius=.2), to_host)
                    self.check(kann.search(d_data, k=k, group=a, include_self=True), expected(data, k=k, group=of_data, include_self=True), to_host)
                    self.check(kann.search(to_device(gone), k=k, group=a, invalid="skip"), expected(gone, k=k, group=of_data, invalid="skip"), to_host)
                with self.subTest(library=name, dtype=dtype):
                    for found, want in ((kann.search_radius(d_data, d_queries, .1, group=(a, b)), kann.search_radius(data, queries, .1, group=(of_data, of_queries))),
                                        (kann.search_radius(d_data, None, .1, group=a), kann.search_radius(data, None, .1, group=of_data)),
                                        (kann.search_radius(to_device(gone), None, .1, group=a, invalid="skip"), kann.search_radius(gone, None, .1, group=of_data, invalid="skip"))):
                        self.assertEqual(to_host(found.indptr).tolist(), want.indptr.tolist())
                        self.check(found, want, to_host)
                    counts = kann.count_radius(d_data, None, .1, group=a)
                    self.assertEqual(to_host(counts).tolist(), kann.count_radius(data, None, .1, group=of_data).tolist())

    def test_edges(self):
        data, queries = cloud(900), cloud(70, seed=2)
        for name, to_device, to_host in libraries():
            for ask in (lambda a, b: kann.search(a, b, 5, radius=.1), lambda a, b: kann.search_radius(a, b, .1), lambda a, b: kann.search_radius(a, None, .1)):
                with self.subTest(library=name):
                    want, found = ask(data, queries), ask(to_device(data), to_device(queries))
                    if name == "jax":
                        with self.assertRaisesRegex(kann.InputError, "edges are for arrays of torch, cupy and NumPy"):
                            found.pairs()
                        continue
                    self.assertEqual(to_host(found.pairs()).tobytes(), want.pairs().tobytes())
                    self.assertEqual(to_host(found.edge_index()).tolist(), want.edge_index().tolist())
                    matrix = found.csr()
                    self.assertEqual(tuple(matrix.shape), want.csr().shape)
                    if name == "torch":
                        self.assertEqual(to_host(matrix.to_dense()).tolist(), want.csr().toarray().tolist())
                    else:
                        self.assertEqual(matrix.get().toarray().tolist(), want.csr().toarray().tolist())

    def test_results_are_arrays_of_the_library(self):
        if torch:
            found = kann.search(torch.rand(100, 3, device="cuda"), k=4)
            self.assertEqual((found.ids.dtype, found.distances.dtype, found.ids.device.type), (torch.int32, torch.float32, "cuda"))
        if cupy:
            found = kann.search(cupy.random.rand(100, 3), k=4)
            self.assertIsInstance(found.ids, cupy.ndarray)
        if jax:
            found = kann.search(jax.random.uniform(jax.random.key(1), (100, 3)), k=4)
            ids = jax.dlpack.from_dlpack(found.ids)
            self.assertEqual((ids.shape, str(ids.dtype), ids.device.platform), ((100, 4), "int32", "gpu"))
            for other in (torch and torch.from_dlpack, cupy and cupy.from_dlpack, cupy and cupy.asarray):
                if other:
                    self.assertEqual(other(found.ids).tolist(), ids.tolist())

    def test_dlpack_or_the_interface_alone_suffices(self):
        data, queries = cloud(500), cloud(70, seed=2)
        for name, to_device, _ in libraries():
            for wrapper in (OnlyInterface, OnlyDlpack):
                with self.subTest(library=name, wrapper=wrapper.__name__):
                    d_data, d_queries = to_device(data), to_device(queries)
                    if name == "jax":
                        d_data.block_until_ready(), d_queries.block_until_ready()
                    if torch and name != "jax":
                        torch.cuda.synchronize()
                    found = kann.search(wrapper(d_data), wrapper(d_queries), 8)
                    to_host = (lambda a: torch.from_dlpack(a).cpu().numpy()) if torch else (lambda a: cupy.asnumpy(cupy.from_dlpack(a)))
                    self.check(found, expected(data, queries), to_host)

    def test_invalid_points(self):
        data, queries = cloud(800), cloud(60, seed=2)
        data[5, 1], data[700, 0], queries[3, 2] = numpy.nan, numpy.inf, numpy.nan
        for name, to_device, to_host in libraries():
            with self.subTest(library=name):
                with self.assertRaisesRegex(kann.InputError, r"^data: 2 of 800 points have NaN or infinite coordinates \(first: 5\)"):
                    kann.Index(to_device(data))
                self.check(kann.search(to_device(data), to_device(queries), invalid="skip"), expected(data, queries, invalid="skip"), to_host)
                self.check(kann.search(to_device(data), invalid="skip"), expected(data, invalid="skip"), to_host)
                for asked in (None, queries):
                    found = kann.search_radius(to_device(data), None if asked is None else to_device(asked), .2, invalid="skip")
                    want = kann.search_radius(data, asked, .2, invalid="skip")
                    self.assertEqual(to_host(found.indptr).tolist(), want.indptr.tolist())
                    self.check(found, want, to_host)


@unittest.skipUnless(torch, "no torch on a GPU")
class Torch(unittest.TestCase):
    def test_the_search_runs_on_the_current_stream(self):
        data = cloud(20000)
        want = expected(data * 3)
        for _ in range(5):
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                busy = torch.rand(3000, 3000, device="cuda")
                for _ in range(20):
                    busy = busy @ busy / 3000
                tensor = torch.from_numpy(data).cuda(non_blocking=True) * (3 + 0 * busy[0, 0])
                found = kann.search(tensor, k=8)
                del tensor
                shifted = found.ids + 1  # queued behind the search
            stream.synchronize()
            self.assertEqual((shifted - 1).cpu().numpy().tobytes(), want.ids.tobytes())

    def test_an_index_is_searched_on_several_streams_by_two_threads(self):
        data, queries = cloud(5000), cloud(700, seed=2)
        want = expected(data, queries)
        index = kann.Index(torch.from_numpy(data).cuda())
        wrong = []

        def ask():
            with torch.cuda.stream(torch.cuda.Stream()):
                for _ in range(20):
                    found = index.search(torch.from_numpy(queries).cuda(), 8)
                    wrong.append(found.ids.cpu().numpy().tobytes() != want.ids.tobytes())

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(wrong), any(wrong)), (40, False))

    def test_a_graph_searches_for_the_queries_that_are_there(self):
        data, queries = cloud(20000), torch.empty(9000, 3, device="cuda")
        index = kann.Index(torch.from_numpy(data).cuda())
        with self.assertRaisesRegex(kann.UsageError, "recorded into a graph"):
            with torch.cuda.graph(torch.cuda.CUDAGraph()):
                index.search(queries, 8)
        index.search(queries, 8)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = index.search(queries, 8)
        for seed in (2, 3):
            now = cloud(9000, seed=seed)
            queries.copy_(torch.from_numpy(now))
            graph.replay()
            self.assertEqual(found.ids.cpu().numpy().tobytes(), expected(data, now).ids.tobytes())

    def test_the_memory_is_given_back(self):
        data = torch.rand(20_000_000, 3, device="cuda")

        def free_or_of_torch():
            torch.cuda.synchronize()
            return torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved()

        before = free_or_of_torch()
        for _ in range(3):
            kann.search(data, k=8)
        after = free_or_of_torch()
        kann.search(data, k=8)
        self.assertGreaterEqual(free_or_of_torch(), after - 2**20)
        self.assertLess(before - after, torch.cuda.mem_get_info()[1] / 64 + 2**28)

    def test_distances_have_gradients(self):
        for dtype, tolerance in (("f4", 1e-5), ("f8", 1e-12)):
            data, queries = (torch.from_numpy(cloud(*size, dtype=dtype)).cuda().requires_grad_() for size in ((500, 3), (70, 3, 2)))
            index = kann.Index(data)
            lists = kann.search_radius(index, queries, .2)
            for found, asked, rows in ((kann.search(data, queries, 8), queries, None), (index.search(k=8), data, None),
                                       (index.search(queries.detach(), 8), queries.detach(), None),
                                       (lists, queries, torch.repeat_interleave(torch.arange(70, device="cuda"), lists.indptr.diff()))):
                ids = found.ids.long()
                far = (asked[:, None] if rows is None else asked[rows]).sub(data[ids]).norm(dim=-1)
                torch.testing.assert_close(found.distances, far, rtol=tolerance, atol=0)
                for of in (data, asked):
                    if of.requires_grad:
                        torch.testing.assert_close(*(torch.autograd.grad(d.square().sum(), of, retain_graph=True)[0] for d in (found.distances, far)),
                                                   rtol=1e-3, atol=1e-5)
            with torch.no_grad():
                self.assertEqual(index.search(k=8).distances.dtype, torch.float32)

    def test_out(self):
        data = cloud(300)
        tensor = torch.from_numpy(data).cuda()
        ids, distances = torch.empty(300, 8, dtype=torch.int32, device="cuda"), torch.empty(300, 8, device="cuda")
        found = kann.search(tensor, k=8, out=(ids, distances))
        self.assertIs(found.ids, ids)
        self.assertEqual(ids.cpu().numpy().tobytes(), expected(data).ids.tobytes())
        for out in (ids, (ids,), (ids, ids), (ids.long(), distances), (ids.cpu(), distances), (ids[:, ::2], distances), (ids[:-1], distances)):
            with self.assertRaisesRegex(kann.UsageError, "^out"):
                kann.search(tensor, k=8, out=out)

    def test_every_message(self):
        good = torch.rand(50, 3, device="cuda")
        graded = good.clone().requires_grad_()
        index = kann.Index(good)
        for error, message, call in (
                (kann.InputError, "queries: the tensor requires a gradient, and the data are in host", lambda: kann.search(cloud(9), graded)),
                (kann.InputError, "a tensor requires a gradient, and this search has none", lambda: kann.cluster(graded, 1)),
                (kann.InputError, "a tensor requires a gradient", lambda: kann.search(graded, periodic=(1, 1, 1))),
                (kann.UsageError, "out: distances that torch is to differentiate", lambda: kann.search(graded, k=1, out=(good[:, :1].int(), good[:, :1].clone()))),
                (kann.UsageError, "out is for searches on a GPU", lambda: index.search(k=1, device="cpu", out=(good, good))),
                (kann.InputError, "groups: 9 numbers for 50 points", lambda: kann.search(good, k=1, group=good[:9, 0].int())),
                (kann.InputError, "data: coordinates on a GPU are of the types float32 and float64", lambda: kann.search(good.half())),
                (kann.InputError, "queries: coordinates on a GPU", lambda: index.search(good.int())),
                (kann.InputError, r"data: the shape is \(50, 4\)", lambda: kann.search(torch.rand(50, 4, device="cuda"))),
                (kann.InputError, r"data: the shape is \(50\)", lambda: kann.search(good[:, 0])),
                (kann.InputError, r"queries: the shape is \(\)", lambda: index.search(good[0, 0])),
                (kann.InputError, "queries: points have 2 coordinates", lambda: index.search(torch.rand(9, 2, device="cuda"))),
                (kann.InputError, r"not in C order.*\.contiguous\(\)", lambda: kann.search(torch.rand(3, 50, device="cuda").T)),
                (kann.InputError, "not in C order", lambda: index.search(good[::2])),
                (kann.InputError, "queries: the array is in host memory, and the data are on cuda:0", lambda: index.search(good.cpu())),
                (kann.InputError, "queries: the array is in host memory", lambda: kann.search(good, cloud(5))),
                (kann.UsageError, "k expects a whole number of at least 1, got 0", lambda: index.search(k=0)),
                (kann.UsageError, "radius expects", lambda: index.search(radius=-1.0)),
                (kann.UsageError, "radius expects", lambda: kann.search_radius(index, None, numpy.nan)),
                (kann.InputError, "queries: the array is in host memory", lambda: kann.count_radius(index, good.cpu(), 1)),
                (kann.UsageError, r"query\(\) is for arrays in host memory", lambda: index.query(good)),
                (kann.InputError, r"the rows are on a GPU.*Found.of", lambda: kann.mean_distances(index.search())),
                (kann.InputError, "coordinates of 10\\^153", lambda: kann.search(good.double() * 1e200))):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()

    @unittest.skipUnless(torch and torch.cuda.device_count() > 1, "one GPU")
    def test_another_device(self):
        data, queries = cloud(500), cloud(50, seed=2)
        second = torch.from_numpy(data).to("cuda:1")
        with self.assertRaisesRegex(kann.InputError, "queries: the array is on cuda:0, and the data are on cuda:1"):
            kann.search(second, torch.from_numpy(queries).cuda())
        found = kann.search(second, torch.from_numpy(queries).to("cuda:1"))
        self.assertEqual((found.ids.device.index, found.ids.cpu().numpy().tobytes()), (1, expected(data, queries).ids.tobytes()))
        with torch.cuda.stream(torch.cuda.Stream("cuda:0")):
            found = kann.search(second, k=8)
        self.assertEqual(found.ids.cpu().numpy().tobytes(), expected(data).ids.tobytes())
        out = torch.empty(500, 8, dtype=torch.int32, device="cuda:0"), torch.empty(500, 8, device="cuda:1")
        with self.assertRaisesRegex(kann.UsageError, "out: the ids need an array of int32 of the shape .*on cuda:1"):
            kann.search(second, k=8, out=out)

    def test_after_a_fork(self):
        index = kann.Index(torch.from_numpy(cloud(500)).cuda())
        index.search(k=8)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            message = ""
            try:
                index.search(k=8)
            except kann.DeviceError as error:
                message = str(error)
            finally:
                del index  # and does not wait for searches of the parent
                os._exit(0 if message.startswith("CUDA does not work in the child of a fork") else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(tuple(index.search(k=8).ids.shape), (500, 8))

    def test_empty_arrays(self):
        none = torch.empty(0, 3, device="cuda")
        self.assertEqual(tuple(kann.search(none).ids.shape), (0, 8))
        self.assertEqual(kann.search(none, torch.rand(2, 3, device="cuda"), 2).ids.tolist(), [[-1, -1]] * 2)
        self.assertEqual(tuple(kann.search(torch.rand(9, 3, device="cuda"), none, 2).ids.shape), (0, 2))


@unittest.skipUnless(REASON, "there is a CUDA device")
class WithoutDevice(unittest.TestCase):
    def test_the_reason_is_named(self):
        class Array:  # of a library that has found a device; its memory must not be read
            __cuda_array_interface__ = {"shape": (5, 3), "typestr": "<f4", "data": (4096, False), "version": 3}

        for call in (lambda: kann.search(Array()), lambda: kann.Index(Array())):
            with self.assertRaisesRegex(kann.DeviceError, re.escape(f"no CUDA device ({REASON})")):
                call()


if __name__ == "__main__":
    unittest.main()
