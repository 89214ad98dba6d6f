"""Searches of tensors, on the CPU and on GPUs: functions that torch
compiles, exports and differentiates, and those of torch_cluster.

    ids, distances = kann.torch.search(points, k=8)
    from kann.torch import knn_graph, radius_graph  # was: torch_cluster

Points are n x 1 to n x 3, or n numbers, of any floating type or of whole
numbers. Results are tensors on the device of the points, and numbers of
points int64.
"""

from __future__ import annotations

import importlib
from typing import Any

from . import _arrays, _lists, _search
from ._edges import go_to_queries
from .errors import InputError, UsageError

_torch: Any = importlib.import_module("torch")
_library: Any = getattr(_torch, "library")  # where operators are registered

__all__ = ["distCUDA2", "knn", "knn_graph", "mean_sq_distance", "nearest", "radius", "radius_graph", "search", "search_radius"]

# The size of a tensor is shape[0] here: len() would make a constant of it where torch compiles for any size

# Names that mypy takes without torch; Groups are a tensor or two
Tensor = Any
Groups = Any


def search(data: Tensor, queries: Tensor | None = None, k: int = 8, *, radius: float | None = None,
           group: Groups = None, include_self: bool = False) -> tuple[Tensor, Tensor]:
    """(ids, distances), m x k: the k nearest points of `data` of each query,
    as kann.search() finds them. Where there are fewer, ids are -1, which
    must not be used as indices, and distances inf.

    queries: None: the data themselves, where no point is its own neighbour
        unless include_self.
    radius: no neighbour is farther than this.
    group: only points with the number of the query are its neighbours: a
        tensor for `data` or, with queries, a tuple of two; such as the
        `batch` of torch_geometric.

    Distances are float64 for points of float64 and of whole numbers, else
    float32. If a tensor requires a gradient, they are made anew from the
    coordinates, and may be differentiated any number of times; those of
    points at the same place have the gradient 0.
    Raises UsageError, InputError.
    """
    points, asked = _pair(data, queries)
    limit = None if radius is None or _arrays.number(radius, "radius") == float("inf") else _arrays.number(radius, "radius")
    ids, distances = _knn(points.detach(), _detached(asked), _arrays.whole(k, "k", 1), limit, include_self, *_groups(group, points, asked))
    return ids, _distances(points, asked, None, ids, distances)


def search_radius(data: Tensor, queries: Tensor | None, radius: float, *, group: Groups = None, include_self: bool = False,
                  periodic: Any = None) -> tuple[Tensor, ...]:
    """(indptr, ids, distances): all points of `data` within the radius, the
    nearest first; those of query q are at indptr[q] to indptr[q + 1].

    queries: None: the data themselves.
    periodic: a box, as kann.search() has it, of Python's numbers. Each
        image of a point is a neighbour then, and the result is (indptr,
        ids, distances, shifts): the vector to a neighbour is data[id] -
        queries[q] + shift @ box, with the vectors of the box as rows.

    Otherwise as search()."""
    points, asked = _pair(data, queries)
    limit, box = _arrays.limit(radius), _numbers_of(periodic, points.shape[1])
    indptr, ids, distances, shifts = _within(points.detach(), _detached(asked), limit, include_self, *_groups(group, points, asked), box)
    query_of = queries_of(indptr, ids)
    if not box:
        found = indptr, ids, _distances(points, asked, query_of, ids, distances)
        return found if periodic is None else (*found, ids.new_zeros((ids.shape[0], points.shape[1]), dtype=_torch.int32))
    return indptr, ids, _distances(points, asked, query_of, ids, distances, (shifts, box)), shifts


def mean_sq_distance(points: Tensor) -> Tensor:
    """The mean of the squared distances to the three nearest other points,
    n numbers: what simple_knn's distCUDA2() gives to trainers of Gaussian
    splatting. Points at one place may have 0. Raises InputError: fewer than
    four points."""
    points = _points(points, "points")
    if points.shape[0] < 4:
        raise InputError(f"points: expects at least 4, got {points.shape[0]}")
    ids, _ = search(points, k=3)
    return (points[ids] - points[:, None]).square().sum(-1).mean(1)


distCUDA2 = mean_sq_distance


def knn(x: Tensor, y: Tensor, k: int, batch_x: Tensor | None = None, batch_y: Tensor | None = None,
        cosine: bool = False, num_workers: int = 1, batch_size: int | None = None) -> Tensor:
    """As torch_cluster.knn(): 2 x E, in the first row points of y, and in the
    second their k nearest of x, nearest first."""
    ids, _ = search(_unit(x) if cosine else x, _unit(y) if cosine else y, k, group=_both(batch_x, batch_y, x, y))
    return _edges(ids)


def knn_graph(x: Tensor, k: int, batch: Tensor | None = None, loop: bool = False, flow: str = "source_to_target",
              cosine: bool = False, num_workers: int = 1, batch_size: int | None = None) -> Tensor:
    """As torch_cluster.knn_graph(): the edges from the k nearest of each point
    to it; with flow="target_to_source", from it to them."""
    edges = _edges(search(_unit(x) if cosine else x, None, k, group=_batch(batch, x), include_self=loop)[0])
    return edges.flip(0) if go_to_queries(flow) else edges


def radius(x: Tensor, y: Tensor, r: float, batch_x: Tensor | None = None, batch_y: Tensor | None = None,
           max_num_neighbors: int = 32, num_workers: int = 1, batch_size: int | None = None,
           ignore_same_index: bool = False) -> Tensor:
    """As torch_cluster.radius(): 2 x E, in the first row points of y, and in
    the second those of x within r. Of more than max_num_neighbors, the
    nearest are kept."""
    edges = _within_edges(x, y, r, _both(batch_x, batch_y, x, y), max_num_neighbors, False, ignore_same_index)
    if not ignore_same_index:
        return edges
    edges = edges[:, edges[0] != edges[1]].contiguous()
    rank = _torch.arange(edges.shape[1], device=edges.device) - _torch.searchsorted(edges[0], edges[0])
    return edges[:, rank < max_num_neighbors]


def radius_graph(x: Tensor, r: float, batch: Tensor | None = None, loop: bool = False, max_num_neighbors: int = 32,
                 flow: str = "source_to_target", num_workers: int = 1, batch_size: int | None = None) -> Tensor:
    """As torch_cluster.radius_graph(): the edges from the points within r of
    each point to it, in the order of their distances."""
    edges = _within_edges(x, None, r, _batch(batch, x), max_num_neighbors, loop)
    return edges.flip(0) if go_to_queries(flow) else edges


def nearest(x: Tensor, y: Tensor, batch_x: Tensor | None = None, batch_y: Tensor | None = None) -> Tensor:
    """As torch_cluster.nearest(): for each point of x the nearest of y.
    Raises InputError: there is none; where torch has compiled it, that is
    -1 instead."""
    ids, _ = search(y, x, 1, group=None if (both := _both(batch_x, batch_y, x, y)) is None else both[::-1])
    if not _torch.compiler.is_compiling() and bool((ids < 0).any()):
        raise InputError("batch_y: a batch of x has no point in y")
    return ids[:, 0]


def _points(values: Tensor, name: str) -> Tensor:
    """The points in a type and shape that are searched, without loss."""
    if not isinstance(values, _torch.Tensor):
        raise InputError(f"{name}: not a tensor, but {type(values).__name__}; kann.search() takes others")
    if values.dtype.is_complex or values.layout != _torch.strided:
        raise InputError(f"{name}: {values.dtype} in the layout {values.layout} are no coordinates")
    if values.dtype in (_torch.int64, _torch.uint64):
        if _torch.compiler.is_compiling():
            raise InputError(f"{name}: {values.dtype}, which float64 may round, and compiled code does not look; pass float64")
        if bool((values.double().abs() >= 2**53).any()):
            raise InputError(f"{name}: whole numbers past 2^53, which float64 would round")
    if values.dtype not in (_torch.float32, _torch.float64):
        values = values.float() if values.dtype.is_floating_point else values.double()
    if values.dim() == 1:
        values = values[:, None]
    if values.dim() != 2 or not 1 <= values.shape[1] <= 3:
        raise InputError(f"{name}: the shape is {tuple(values.shape)}, and points have 1 to 3 coordinates")
    if values.shape[1] == 1:
        values = _torch.nn.functional.pad(values, (0, 1))
    return values.contiguous()


def _pair(data: Tensor, queries: Tensor | None) -> tuple[Tensor, Tensor | None]:
    points = _points(data, "data")
    if queries is None:
        return points, None
    if isinstance(queries, _torch.Tensor) and data.dim() == 2 and queries.shape == data.shape[1:]:
        queries = queries[None]  # one point
    asked = _points(queries, "queries")
    if asked.device != points.device:
        raise InputError(f"queries: the tensor is on {asked.device}, and the data are on {points.device}")
    if asked.shape[1] != points.shape[1]:
        raise InputError(f"queries: points have {asked.shape[1]} coordinates (data has {points.shape[1]})")
    return points, asked


def _detached(points: Tensor | None) -> Tensor | None:
    return None if points is None else points.detach()


def _unit(points: Tensor) -> Tensor:
    """The nearest of unit vectors have the largest cosine."""
    points = _points(points, "points")
    largest = points.abs().amax(1, keepdim=True)
    return _torch.nn.functional.normalize(points / _torch.where(largest > 0, largest, 1), dim=1)


def _groups(group: Groups, data: Tensor, queries: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """The groups of the data, and of the queries."""
    if group is None:
        return None, None
    if isinstance(group, tuple) != (queries is not None) or isinstance(group, tuple) and len(group) != 2:
        raise UsageError("group expects a tensor or, with queries, two: (of_data, of_queries)")
    pair = group if isinstance(group, tuple) else (group, group)
    for name, points, numbers in zip(("data", "queries"), (data, data if queries is None else queries), pair):
        _check_numbers(numbers, "group", points, name)
    return pair[0], pair[1]


def _check_numbers(numbers: Any, name: str, points: Tensor, of: str) -> None:
    is_tensor = isinstance(numbers, _torch.Tensor)
    if (not is_tensor or numbers.shape != points.shape[:1] or numbers.dtype.is_floating_point or numbers.dtype.is_complex
            or numbers.device != points.device):
        got = f"{numbers.dtype} of the shape {tuple(numbers.shape)} on {numbers.device}" if is_tensor else type(numbers).__name__
        raise InputError(f"{name}: expects a tensor of whole numbers for the {points.shape[0]} points of {of}, on {points.device}, got {got}")


def _batch(batch: Tensor | None, x: Tensor) -> Groups:
    if batch is not None and isinstance(x, _torch.Tensor):
        _check_numbers(batch, "batch", x, "x")
    return batch


def _both(batch_x: Tensor | None, batch_y: Tensor | None, x: Tensor, y: Tensor) -> Groups:
    """The groups of two clouds."""
    if (batch_x is None) != (batch_y is None):
        raise UsageError("batch_x and batch_y are given together, or neither")
    if batch_x is None:
        return None
    for name, batch, points in (("x", batch_x, x), ("y", batch_y, y)):
        if isinstance(points, _torch.Tensor):
            _check_numbers(batch, f"batch_{name}", points, name)
    return batch_x, batch_y


def _distances(data: Tensor, queries: Tensor | None, query_of: Tensor | None, ids: Tensor, found: Tensor,
               images: tuple[Tensor, list[float]] | None = None) -> Tensor:
    """The distances that were found, or those of the coordinates, if torch is
    to differentiate them or they are to have another type. `images` are the
    shifts, and the numbers of the box."""
    asked = data if queries is None else queries
    has_gradient = _torch.is_grad_enabled() and (data.requires_grad or asked.requires_grad)
    if not has_gradient and not _torch.compiler.is_compiling():  # forward mode
        has_gradient = any(_torch.autograd.forward_ad.unpack_dual(points).tangent is not None for points in (data, asked))
    has_type = data.dtype == asked.dtype == found.dtype
    if not has_gradient and has_type and not _torch.compiler.is_compiling():
        return found
    places = asked[:, None] if query_of is None else asked[query_of]
    made = measured(data, places if images is None else places - images[0].to(asked.dtype) @ _vectors(images[1], asked), ids)
    if has_gradient or not has_type:
        return made
    # What is compiled cannot ask whether it is differentiated in forward mode
    return found + _torch.where(made.isfinite(), made - made.detach(), 0)


def _numbers_of(periodic: Any, dimensions: int) -> list[float]:
    """The numbers of a box, by what torch can compile, too."""
    if periodic is None or not _torch.compiler.is_compiling():
        return _arrays.box(periodic, dimensions)
    parts = periodic if isinstance(periodic, (list, tuple)) else (periodic,) * dimensions
    made = [float(x) for part in parts for x in (part if isinstance(part, (list, tuple)) else (part,))]
    return made if any(x != 0 for x in made) else []


def _vectors(box: list[float], like: Tensor) -> Tensor:
    """The vectors of a box, as rows."""
    if len(box) == 6:  # three tilts follow the sides
        x, y, z, xy, xz, yz = box
        box = [x, 0, 0, xy, y, 0, xz, yz, z]
    return like.new_tensor(box).reshape(3, 3) if len(box) == 9 else like.new_tensor(box).diag()


def measured(data: Tensor, asked: Tensor, ids: Tensor) -> Tensor:
    """The distances of neighbours from the places of their queries, computed
    from the coordinates."""
    if data.shape[0] == 0:
        return (asked * 0).sum(-1) + data.sum() + _torch.full(ids.shape, float("inf"), dtype=asked.dtype, device=ids.device)
    apart = asked - data[ids.clamp(min=0)]
    # Squares of what is far from 1 overflow or vanish; and the root of 0 would have an infinite gradient, and 0 times that is NaN
    scale = apart.detach().abs().amax(-1)
    is_apart = (ids >= 0) & (scale > 0) & scale.isfinite()
    missing = _torch.where((ids < 0) | scale.isinf(), float("inf"), 0.0).to(scale.dtype)
    scale = _torch.where(is_apart, scale, 1)
    squares = _torch.where(is_apart, (_torch.where(is_apart[..., None], apart, 1) / scale[..., None]).square().sum(-1), 1)
    return _torch.where(is_apart, scale * squares.sqrt(), missing)


def queries_of(indptr: Tensor, ids: Tensor) -> Tensor:
    """The query of each neighbour."""
    places = _torch.arange(ids.shape[0], device=ids.device)
    return _torch.searchsorted(indptr[1:], places, right=True)


def _edges(ids: Tensor) -> Tensor:
    """The pairs of a query and a neighbour that exist, 2 x E."""
    query, rank = (ids >= 0).nonzero(as_tuple=True)
    return _torch.stack((query, ids[query, rank]))


def _within_edges(x: Tensor, y: Tensor | None, r: float, group: Groups, most: int, include_self: bool,
                  one_more: bool = False) -> Tensor:
    r, most = _arrays.number(r, "r"), min(_arrays.whole(most, "max_num_neighbors", 1), 2**62) + one_more
    # Up to so many, rows of one length take less time than lists of all; each has its place, whether it is used or not
    if most <= 64:
        return _edges(search(x, y, most, radius=r, group=group, include_self=include_self)[0])
    indptr, ids, *_ = search_radius(x, y, r, group=group, include_self=include_self)
    query = queries_of(indptr, ids)
    is_kept = _torch.arange(ids.shape[0], device=ids.device) - indptr[query] < most
    return _torch.stack((query, ids))[:, is_kept]


# ---- What torch is told of ------------------------------------------------------------------------------------------


def _group(data_group: Tensor | None, query_group: Tensor | None, queries: Tensor | None) -> Any:
    """The groups as kann.search() takes them."""
    return data_group if queries is None or data_group is None else (data_group, query_group)


def _on_host(data: Tensor, queries: Tensor | None, group: Any) -> _lists.Given:
    """Without the warnings of other searches: that a row is short, it says itself."""
    groups = tuple(numbers.numpy() for numbers in group) if isinstance(group, tuple) else None if group is None else group.numpy()
    return _lists.Given(data.numpy(), None if queries is None else queries.numpy(), groups, None, False)


def _empty_knn(data: Tensor, queries: Tensor | None, k: int, *_: Any) -> tuple[Tensor, Tensor]:
    shape = (data.shape[0] if queries is None else queries.shape[0], k)
    return data.new_empty(shape, dtype=_torch.int64), data.new_empty(shape, dtype=_torch.float32)


@_arrays.without_options()
def _find_knn(data: Tensor, queries: Tensor | None, k: int, limit: float | None, include_self: bool,
              data_group: Tensor | None, query_group: Tensor | None) -> tuple[Tensor, Tensor]:
    group = _group(data_group, query_group, queries)
    if data.is_cuda:
        found = _search.search(data, queries, k, radius=limit, group=group, include_self=include_self)
        return found.ids.long(), found.distances
    rows, _ = _on_host(data, queries, group).rows(_search.options(k, radius=limit, include_self=include_self), None)
    return _torch.as_tensor(rows.ids).long(), _torch.as_tensor(rows.distances)


@_arrays.without_options()
def _find_within(data: Tensor, queries: Tensor | None, limit: float, include_self: bool, data_group: Tensor | None,
                 query_group: Tensor | None, periodic: list[float]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    group = _group(data_group, query_group, queries)
    options: dict[str, Any] = {"radius": limit, "include_self": include_self, **({"periodic": periodic, "images": "all"} if periodic else {})}
    none = data.new_empty((0, data.shape[1]), dtype=_torch.int32)
    if data.is_cuda:
        found: Any = _lists.search_radius(data, queries, group=group, **options)
        return found.indptr, found.ids.long(), found.distances, none if found.shifts is None else found.shifts
    given, asked = _on_host(data, queries, group), _search.options(1, **options)
    indptr, ids, distances, _ = given.lists(asked, None)
    shifts = given.vectors((indptr, ids, distances), asked, "shifts")[2] if periodic else none
    return _torch.as_tensor(indptr), _torch.as_tensor(ids).long(), _torch.as_tensor(distances), _torch.as_tensor(shifts)


def _empty_within(data: Tensor, queries: Tensor | None, limit: float, include_self: bool, data_group: Tensor | None,
                  query_group: Tensor | None, periodic: list[float]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    total = _library.get_ctx().new_dynamic_size()
    indptr = data.new_empty((data.shape[0] if queries is None else queries.shape[0]) + 1, dtype=_torch.int64)
    shifts = data.new_empty((total if periodic else 0, data.shape[1]), dtype=_torch.int32)
    return indptr, data.new_empty(total, dtype=_torch.int64), data.new_empty(total, dtype=_torch.float32), shifts


_GROUPS = "Tensor? data_group, Tensor? query_group"
_knn = _library.custom_op("kann::knn", _find_knn, mutates_args=(), schema=(
    f"(Tensor data, Tensor? queries, int k, float? radius, bool include_self, {_GROUPS}) -> (Tensor, Tensor)"))
_knn.register_fake(_empty_knn)
_within = _library.custom_op("kann::within", _find_within, mutates_args=(), schema=(
    f"(Tensor data, Tensor? queries, float radius, bool include_self, {_GROUPS}, float[] periodic) -> (Tensor, Tensor, Tensor, Tensor)"))
_within.register_fake(_empty_within)
