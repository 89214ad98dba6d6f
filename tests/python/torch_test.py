"""kann.torch on the CPU and, where there is one, on a GPU: against distances of all pairs, and torch's own checks of operators
and gradients. Skipped without torch."""

import inspect
import unittest

import kann
import numpy
from all_pairs import batch, edges_of, points, wanted

try:
    import torch
    from torch import library

    import kann.torch
except ImportError:
    torch = None
try:
    import torch_cluster
except ImportError:
    torch_cluster = None


@unittest.skipUnless(torch, "no torch")
class Cases(unittest.TestCase):
    def setUp(self):
        self.devices = ["cpu"] + ["cuda"] * torch.cuda.is_available()

    def on_each(self, *arrays):
        for device in self.devices:
            yield tuple(None if a is None else torch.from_numpy(a).to(device) for a in arrays)


class Searches(Cases):
    def check(self, data, queries, k, groups=None, **options):
        of_data, of_queries = groups if isinstance(groups, tuple) else (groups, None)
        for x, y, a, b in self.on_each(data, queries, of_data, of_queries):
            group = (a, b) if isinstance(groups, tuple) else a
            with self.subTest(device=x.device, n=len(data), m=None if queries is None else len(queries), k=k, **options):
                rows = wanted(data, queries, k, groups=groups, **options)
                ids, distances = kann.torch.search(x, y, k, group=group, **options)
                self.assertEqual((ids.dtype, distances.dtype, ids.device), (torch.int64, x.dtype, x.device))
                self.assertEqual([[i for i in row if i >= 0] for row in ids.tolist()], rows)
                asked = x if y is None else y
                far = torch.linalg.vector_norm(asked[:, None].double() - x[ids.clamp(min=0)].double(), dim=-1) if len(x) else distances
                far = torch.where(ids < 0, torch.inf, far)
                torch.testing.assert_close(distances, far.to(x.dtype), rtol=1e-6, atol=0)

    def test_rows_of_any_length(self):
        for n, m in ((0, 0), (0, 3), (1, 0), (1, 1), (4, 5), (5, 4), (300, 70)):
            for dimensions in (2, 3):
                for k in (1, 4, 5, 6):
                    self.check(points(n, dimensions), points(m, dimensions, 2), k)
                    self.check(points(n, dimensions), None, k)
                    self.check(points(n, dimensions, dtype="f8") + 4e6, None, k, include_self=True)
                    self.check(points(n, dimensions), None, k, radius=.2)

    def test_groups(self):
        for n, m, groups in ((300, 70, 6), (40, 40, 30), (5, 5, 1), (0, 3, 2), (9, 0, 2)):
            a, b = batch(n, groups), batch(m, groups, 2)
            for k in (1, 8, 33, 70):
                self.check(points(n), points(m, seed=2), k, groups=(a, b))
                self.check(points(n, 2, dtype="f8") + 4e6, None, k, groups=a.astype("i4"))
                self.check(points(n), None, k, groups=a)
                self.check(points(n), None, k, groups=a, radius=.3, include_self=True)
            for x, y, g, h in self.on_each(points(n), points(m, seed=2), a, b):
                indptr, ids, distances = kann.torch.search_radius(x, y, .4, group=(g, h))
                rows = wanted(points(n), points(m, seed=2), radius=numpy.float32(.4), groups=(a, b))
                self.assertEqual([ids[first:last].tolist() for first, last in zip(indptr[:-1], indptr[1:])], rows)
                self.assertEqual((indptr[-1].item(), distances.shape), (len(ids), ids.shape))

    def test_boxes(self):
        """Through an index on the host, as one on a GPU is asked."""
        class Index:
            def __init__(self, data, group):
                self.data, self.group = data, group

            def lists(self, queries, radius, include_self, counts, group):
                of_data = None if self.group is None else self.group.numpy()
                found = kann.search_radius(self.data.detach().numpy(), None if queries is None else queries.detach().numpy(), radius, include_self=include_self,
                                           group=of_data if queries is None or of_data is None else (of_data, group.numpy()))
                return tuple(torch.from_numpy(numpy.array(part)) for part in (found.indptr, found.ids, found.distances))

        def check(x, y, box, radius, groups, include_self, images):
            a, b = groups
            found = kann._boxes.lists(Index(x, a), y, radius, include_self, False, (a, b if y is not None else None), box, images == "all")
            group = None if a is None else a.numpy() if y is None else (a.numpy(), b.numpy())
            want = kann.search_radius(x.numpy(), None if y is None else y.numpy(), radius, periodic=box, images=images, include_self=include_self, group=group)
            with self.subTest(n=len(x), box=box, radius=radius, images=images, dtype=x.dtype):
                self.assertEqual([part.tolist() for part in found[:2]], [want.indptr.tolist(), want.ids.tolist()])
                self.assertEqual(found[2].numpy().tobytes(), want.distances.tobytes())
                self.assertEqual(None if images != "all" else found[3].tolist(), None if images != "all" else want.shifts.tolist())
                counts = kann._boxes.lists(Index(x, a), y, radius, include_self, True, (a, b if y is not None else None), box, images == "all")
                self.assertEqual(counts[0].tolist(), want.indptr.tolist())

        random = numpy.random.default_rng(11)
        for number, sides in enumerate(((1, 2), (1.5, 0), (1, 1, 1), (1, 3.7, 0), (2, 0, 0), (1, 1.5, 2)) * 3):
            box = [float(side) for side in sides]
            spread = numpy.array([side or 1 for side in box]) * (1, .5, 1.2)[number % 3]
            x, y = (torch.from_numpy((random.random((n, len(box))) * spread - number % 2 / 4).astype(("f4", "f8")[number % 2])) for n in (300, 70))
            if number % 4 == 0:  # with ties
                x, y = (((points * 8).round() / 8).clamp(max=torch.tensor(spread - .125).to(points.dtype)) for points in (x, y))
            groups = (None, None) if number % 5 else tuple(torch.from_numpy(random.integers(0, 3, n)) for n in (300, 70))
            radius = (.125, .3, .49, 0)[number // 3 % 4]
            for images in ("nearest", "all"):
                check(x, None, box, radius, groups, number % 3 == 0, images)
                check(x, y, box, radius, groups, False, images)
        x = torch.rand(200, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1), requires_grad=True)
        indptr, ids, distances, shifts = kann._boxes.lists(Index(x, None), None, .2, False, False, (None, None), [1.0] * 3, True)
        query = torch.arange(200).repeat_interleave(indptr.diff())
        vectors = x[ids] - x[query] + shifts
        torch.testing.assert_close(distances, vectors.norm(dim=1))
        torch.testing.assert_close(*(torch.autograd.grad((part**3).sum(), x)[0] for part in (distances, vectors.norm(dim=1))))
        for start, box in ((x, (1, 1, 1)), (x[:, :2], (1, 0)), (x.float(), (1, 1, 1, .3, -.2, .1)), (x[:30], ((1, 0, 0), (0, .4, .1), (.3, 0, 1)))):
            for asked in (None, start[:20] + .1):
                def energy(start, asked, box=box):
                    return (kann.torch.search_radius(start, asked, .45, periodic=box)[2] ** 3).sum()
                for points in self.devices:
                    at, others = (None if part is None else part.detach().to(points).requires_grad_() for part in (start, asked))
                    indptr, ids, distances, shifts = kann.torch.search_radius(at, others, .45, periodic=box)
                    want = kann.search_radius(start.detach().numpy(), None if asked is None else asked.detach().numpy(), .45, periodic=box, images="all")
                    self.assertEqual([part.tolist() for part in (indptr, ids, shifts)], [part.tolist() for part in (want.indptr, want.ids, want.shifts)])
                    cell = torch.tensor(numpy.diag(box) if len(box) < 6 and not isinstance(box[0], tuple) else [[1, 0, 0], [.3, 1, 0], [-.2, .1, 1]] if len(box) == 6 else box)
                    query = torch.arange(len(indptr) - 1, device=points).repeat_interleave(indptr.diff())
                    vectors = at[ids] - (at if others is None else others)[query] + shifts.to(at.dtype) @ cell.to(at)
                    torch.testing.assert_close(distances, vectors.norm(dim=1))
                    torch.testing.assert_close(torch.autograd.grad(energy(at, others), at), torch.autograd.grad((vectors.norm(dim=1) ** 3).sum(), at), rtol=1e-5, atol=1e-5)
                    torch.testing.assert_close(torch.compile(energy, fullgraph=True)(at, others), energy(at, others))
        for box, radius, points in (([1.0] * 3, .5, x), ([0.0] * 3, .2, x), ([1.0] * 2, .2, x), ([1.0, 1, 1, .5, 0, 0], .2, x), ([-1.0] * 3, .2, x), ([1.0] * 3, .2, 3 + x),
                                    ([1.0] * 3, .2, 1.3 * x), ([1.0] * 3, float("nan"), x), ([1.0] * 3, .2, x * float("nan")), ([1.0] * 3, .2, x[:0])):
            self.assertIsNone(kann._boxes.lists(Index(points, None), None, radius, False, False, (None, None), box, True), "one for the host")

    def test_derivatives_of_all_modes_where_torch_compiles(self):
        for x, in self.on_each(points(40)):
            def along(p):
                return torch.func.jvp(lambda at: kann.torch.search(at, k=2)[1].sum(), (p,), (p,))[1]
            torch.testing.assert_close(torch.compile(along, fullgraph=True, backend="aot_eager")(x), along(x))
        far = torch.tensor([[3e38, 0], [-3e38, 0]], requires_grad=True)
        self.assertEqual([kann.torch.search(part, k=1)[1].tolist() for part in (far.detach(), far)], [[[numpy.inf]] * 2] * 2)
        self.assertEqual(torch.autograd.grad(kann.torch.search(far, k=1)[1].sum(), far)[0].tolist(), [[0, 0]] * 2)

    def test_types_that_are_converted_without_loss(self):
        whole = numpy.random.default_rng(3).integers(0, 50, (200, 3))
        for x, in self.on_each(whole):
            for dtype in (torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.uint8, torch.float32, torch.float64):
                for data in (x.to(dtype), x.to(dtype).T.contiguous().T, torch.stack((x, x), 1).to(dtype)[:, 1]):
                    self.assertEqual(kann.torch.search(data, k=5)[0].tolist(), wanted(whole, k=5))
            self.assertEqual(kann.torch.search(x[:, 0], k=3)[0].tolist(), wanted(whole[:, :1], k=3))

    def test_the_functions_of_torch_cluster(self):
        data, queries, a, b = points(200), points(60, seed=2), batch(200, 4), batch(60, 4, 2)
        for x, y, g, h in self.on_each(data, queries, a, b):
            def pairs(edges):
                return list(zip(*edges.tolist()))

            self.assertEqual(pairs(kann.torch.knn(x, y, 4)), edges_of(wanted(data, queries, 4)))
            self.assertEqual(pairs(kann.torch.knn(x, y, 4, g, h)), edges_of(wanted(data, queries, 4, groups=(a, b))))
            found = kann.torch.knn(x - .5, x[:9] - .5, 3, cosine=True)[1].reshape(9, 3).cpu().numpy()
            units = (data - .5) / numpy.linalg.norm(data - .5, axis=1, keepdims=True)
            cosines = units[:9] @ units.T
            numpy.testing.assert_allclose(numpy.take_along_axis(cosines, found, 1), numpy.sort(cosines, 1)[:, :-4:-1], atol=1e-6)
            self.assertEqual(pairs(kann.torch.knn_graph(x, 4, flow="target_to_source")), edges_of(wanted(data, k=4)))
            self.assertEqual(pairs(kann.torch.knn_graph(x, 4, g).flip(0)), edges_of(wanted(data, k=4, groups=a)))
            self.assertEqual(pairs(kann.torch.knn_graph(x, 4, loop=True).flip(0)), edges_of(wanted(data, k=4, include_self=True)))
            for most in (3, 32, 1000):
                self.assertEqual(pairs(kann.torch.radius(x, y, .3, g, h, most)),
                                 edges_of(wanted(data, queries, most, numpy.float32(.3), (a, b))))
                for loop in (False, True):
                    self.assertEqual(pairs(kann.torch.radius_graph(x, .3, g, loop, most).flip(0)),
                                     edges_of(wanted(data, None, most, numpy.float32(.3), a, loop)))
            self.assertEqual(pairs(kann.torch.radius(x, x, .2, ignore_same_index=True)), edges_of(wanted(data, radius=numpy.float32(.2))))
            kept = [[i for i in row if i != query][:3] for query, row in enumerate(wanted(data, queries, radius=numpy.float32(.3)))]
            self.assertEqual(pairs(kann.torch.radius(x, y, .3, max_num_neighbors=3, ignore_same_index=True)), edges_of(kept))
            self.assertEqual(kann.torch.nearest(y, x).tolist(), sum(wanted(data, queries, 1), []))
            self.assertEqual(kann.torch.nearest(y, x, h, g).tolist(), sum(wanted(data, queries, 1, groups=(a, b)), []))

    @unittest.skipUnless(torch_cluster, "no torch_cluster")
    def test_edges_are_those_of_torch_cluster(self):
        def edges(of):
            return sorted(zip(*of.tolist()))

        for dimensions in (1, 2, 3):
            for dtype in ("f4", "f8"):
                x, y = (torch.from_numpy(points(n, dimensions, n, dtype)) for n in (900, 300))
                g, h = (torch.from_numpy(numpy.sort(batch(n, 9, n))) // 3 + 1 for n in (900, 300))
                for name, arguments, options in (
                        ("knn", (x, y, 7), {}), ("knn", (x, y, 7, g, h), {}), ("knn", (x, y[:40], 1000), {}), ("knn_graph", (x, 5), {}),
                        ("knn_graph", (x, 5, g), {"loop": True}), ("knn_graph", (x, 5, g), {"flow": "target_to_source"}),
                        ("radius", (x, y, .2), {"max_num_neighbors": 1000}), ("radius", (x, y, .2, g, h), {"max_num_neighbors": 1000}),
                        ("radius_graph", (x, .1, g), {"max_num_neighbors": 1000}), ("radius_graph", (x, .1), {"loop": True, "max_num_neighbors": 1000})):
                    with self.subTest(name, dimensions=dimensions, dtype=dtype, **options):
                        made, theirs = (getattr(module, name)(*arguments, **options) for module in (kann.torch, torch_cluster))
                        self.assertEqual((made.dtype, edges(made)), (theirs.dtype, edges(theirs)))
                self.assertEqual(kann.torch.nearest(x, y, g, h).tolist(), torch_cluster.nearest(x, y, g, h).tolist())

    def test_everything_public_is_documented(self):
        for name in kann.torch.__all__:
            self.assertLessEqual(max(map(len, inspect.getdoc(getattr(kann.torch, name)).splitlines())), 72, name)

    def test_the_mean_squared_distance_of_splats(self):
        data = numpy.concatenate((points(500), points(20)))  # some coincide
        for x, in self.on_each(data):
            squares = numpy.sort(((data[:, None].astype("f8") - data[None]) ** 2).sum(2) + numpy.diag(numpy.full(520, numpy.inf)), 1)[:, :3]
            numpy.testing.assert_allclose(kann.torch.distCUDA2(x).cpu().numpy(), squares.mean(1), rtol=1e-5, atol=1e-12)

    def test_every_message(self):
        for x, y, g in self.on_each(points(30), points(8, seed=2), batch(30, 3)):
            for error, message, call in (
                    (kann.InputError, "data: not a tensor, but ndarray", lambda: kann.torch.search(points(3))),
                    (kann.InputError, r"data: the shape is \(3, 4\)", lambda: kann.torch.search(torch.rand(3, 4))),
                    (kann.InputError, r"queries: the shape is \(2, 3, 3\)", lambda: kann.torch.search(x, torch.rand(2, 3, 3))),
                    (kann.InputError, "data: torch.complex64", lambda: kann.torch.search(x.to(torch.complex64))),
                    (kann.InputError, "queries: points have 2 coordinates", lambda: kann.torch.search(x, y[:, :2])),
                    (kann.InputError, r"data: 30 of 30 points have NaN or infinite coordinates \(first: 0\)$", lambda: kann.torch.search(x * torch.nan)),
                    (kann.InputError, "batch: expects a tensor of whole numbers for the 30 points of x, on c", lambda: kann.torch.knn_graph(x, 3, g[:5])),
                    (kann.InputError, "batch_y: expects a tensor of whole numbers for the 8 points of y, on c", lambda: kann.torch.knn(x, y, 3, g, g)),
                    (kann.InputError, "batch: expects", lambda: kann.torch.knn_graph(x, 3, g.float())),
                    (kann.InputError, "batch_y: a batch of x has no point in y", lambda: kann.torch.nearest(x, y, g, torch.zeros(8, dtype=g.dtype, device=g.device))),
                    (kann.InputError, "points: expects at least 4, got 3", lambda: kann.torch.mean_sq_distance(x[:3])),
                    (kann.UsageError, "batch_x and batch_y are given together", lambda: kann.torch.knn(x, y, 3, g)),
                    (kann.InputError, "group: expects a tensor of whole", lambda: kann.torch.search(x, y, group=(None, g))),
                    (kann.InputError, "group: expects a tensor of whole", lambda: kann.torch.search(x, group=g.to("meta"))),
                    (kann.InputError, "group: expects a tensor of whole", lambda: kann.torch.search(x, group=[0] * 30)),
                    (kann.UsageError, "group expects a tensor or", lambda: kann.torch.search(x, y, group=(g, g, g))),
                    (kann.InputError, r"data: whole numbers past 2\^53", lambda: kann.torch.search(torch.tensor([[2**53 + 1, 0], [2**53, 0]]))),
                    (kann.InputError, "data: .* layout torch.sparse_coo are no coordinates", lambda: kann.torch.search(x.to_sparse())),
                    (kann.UsageError, "max_num_neighbors expects a whole number of at least 1", lambda: kann.torch.radius_graph(x, 1, max_num_neighbors=0)),
                    (kann.UsageError, "max_num_neighbors expects", lambda: kann.torch.radius_graph(x, 1, max_num_neighbors=200.5)),
                    (kann.UsageError, "r expects", lambda: kann.torch.radius_graph(x, None)),
                    (kann.UsageError, "group expects a tensor or", lambda: kann.torch.search(x, y, group=g)),
                    (kann.UsageError, "k expects a whole number", lambda: kann.torch.search(x, k="2")),
                    (kann.UsageError, "k expects a whole number of at least 1, got 0", lambda: kann.torch.knn_graph(x, 0)),
                    (kann.UsageError, "radius expects", lambda: kann.torch.radius_graph(x, -1)),
                    (kann.UsageError, "flow expects", lambda: kann.torch.knn_graph(x, 3, flow="x"))):
                with self.subTest(message, device=x.device), self.assertRaisesRegex(error, message):
                    call()
            if x.is_cuda:
                with self.assertRaisesRegex(kann.InputError, "queries: the tensor is on cpu, and the data are on cuda:0"):
                    kann.torch.search(x, y.cpu())


class Operators(Cases):
    def test_gradients(self):
        for x, y in self.on_each(points(20, dtype="f8"), points(7, seed=2, dtype="f8")):
            x.requires_grad_(), y.requires_grad_()
            for function, arguments in ((lambda a, b: kann.torch.search(a, b, 3)[1], (x, y)),
                                        (lambda a: kann.torch.search(a, None, 3)[1], (x,)),
                                        (lambda a, b: kann.torch.search_radius(a, b, .6)[2], (x, y)),
                                        (lambda a: kann.torch.search_radius(a, None, .4)[2], (x,)),
                                        (lambda a: kann.torch.mean_sq_distance(a), (x,))):
                self.assertTrue(torch.autograd.gradcheck(function, arguments))
                self.assertTrue(torch.autograd.gradgradcheck(function, arguments))

    def test_gradients_of_coincident_and_missing_points_are_zero(self):
        for x, in self.on_each(numpy.zeros((5, 3), "f4")):
            x.requires_grad_()
            _, distances = kann.torch.search(x, k=6)
            self.assertEqual(distances[:, 4:].isinf().sum().item(), 10)
            gradient, = torch.autograd.grad(distances[:, :4].sum(), x, create_graph=True)
            second, = torch.autograd.grad(gradient.sum(), x)
            self.assertEqual((gradient.abs().max().item(), second.abs().max().item()), (0, 0))

    def test_gradients_in_forward_mode_of_empty_data_and_of_extreme_ones(self):
        for x, in self.on_each(points(9)):
            modes = [jacobian(lambda a: kann.torch.search(a, k=1)[1])(x) for jacobian in (torch.func.jacrev, torch.func.jacfwd)]
            torch.testing.assert_close(*modes)
            self.assertGreater(modes[0].abs().max().item(), .1)
            for empty, asked in ((x[:0], None), (x[:0], x), (x, x[:0])):
                leaf = empty.clone().requires_grad_()
                kann.torch.search(leaf, asked)[1].sum().backward()
                self.assertEqual(leaf.grad.abs().sum().item(), 0)
            for factor in (1e25, 1e-25):
                with_gradient = kann.torch.search((x * factor).requires_grad_(), k=3)[1]
                torch.testing.assert_close(with_gradient, kann.torch.search(x * factor, k=3)[1], rtol=1e-5, atol=0)

    def test_torch_compiles_and_exports_them(self):
        def step(x):
            ids, distances = kann.torch.search(x, k=4)
            row, col = kann.torch.radius_graph(x, .3, max_num_neighbors=1000)
            return ids, distances.sum(), (x[row] - x[col]).square().sum()

        class Module(torch.nn.Module):
            forward = staticmethod(step)

        for x, in self.on_each(points(300)):
            torch._dynamo.reset()
            compiled = torch.compile(step, fullgraph=True, backend="aot_eager")
            exported = torch.export.export(Module(), (x,), dynamic_shapes=({0: torch.export.Dim("n", min=5)},)).module()
            for n in (300, 300, 299, 90, 91, 92, 93, 94, 95, 96, 97, 98, 6):  # more than torch would compile one by one
                data = x[:n] + 1
                for made in (compiled(data), exported(data)):
                    for got, want in zip(made, step(data)):
                        torch.testing.assert_close(got, want)
            gradients = []
            for function in (step, compiled):
                points_of_step = x.clone().requires_grad_()
                sum(function(points_of_step)[1:]).backward()
                gradients.append(points_of_step.grad)
            torch.testing.assert_close(*gradients)

    def test_operators_are_as_torch_wants_them(self):
        for x, g in self.on_each(points(50), batch(50, 3)):
            for operator, arguments in ((torch.ops.kann.knn.default, (x, None, 3, None, False, None, None)),
                                        (torch.ops.kann.knn.default, (x, x[:5], 3, .2, False, None, None)),
                                        (torch.ops.kann.knn.default, (x, None, 3, None, True, g, g)),
                                        (torch.ops.kann.within.default, (x, None, .3, False, None, None, [])),
                                        (torch.ops.kann.within.default, (x, x[:5], .3, False, None, None, [1.0] * 3)),
                                        (torch.ops.kann.within.default, (x, None, .3, False, g, g, []))):
                library.opcheck(operator, arguments)


if __name__ == "__main__":
    unittest.main()
