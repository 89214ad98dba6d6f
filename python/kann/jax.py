"""Searches of arrays of jax in functions that jax.jit compiles, on the CPU
and on GPUs, with distances that jax differentiates.

    ids, distances = jax.jit(lambda x: kann.jax.search(x, k=8))(points)

Points are n x 2 or n x 3, float32 or float64. Outside of jax.jit,
kann.search() takes arrays of jax, too. Needs jax 0.6 or later.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from . import _arrays, _device, _lists, _search
from .errors import InputError, UsageError

_jax: Any = importlib.import_module("jax")
_jnp: Any = importlib.import_module("jax.numpy")
_buffers: Any = importlib.import_module("jax.experimental.buffer_callback")

__all__ = ["search", "search_radius"]

# DLPack's number for host memory
_HOST = 1

# Names that mypy takes without jax; Groups are an array or two
Array = Any
Groups = Any


def search(data: Array, queries: Array | None = None, k: int = 8, *, radius: float | None = None,
           group: Groups = None, include_self: bool = False) -> tuple[Array, Array]:
    """(ids, distances), m x k: the k nearest points of `data` of each query,
    as kann.search() finds them. Where there are fewer, ids are -1, which
    must not be used as indices, and distances inf.

    queries: None: the data themselves, where no point is its own neighbour
        unless include_self.
    k, radius, include_self: no arrays of jax, as what is compiled depends
        on them.
    group: only points with the number of the query are its neighbours:
        whole numbers for `data` or, with queries, a tuple of two arrays.

    ids are int32; distances are float64 for points of float64, else
    float32, and have gradients of any order, 0 for points at one place.
    Raises UsageError, InputError. Where coordinates turn out not to be
    finite, jax raises an error with the text of ours.
    """
    points, asked, groups = _given(data, queries, group)
    k = _static(k, "k", 1)
    shape = (points if asked is None else asked).shape[0], k
    find = functools.partial(_find, k=k, radius=None if radius is None else _radius(radius), include_self=bool(include_self))
    ids, found = _call(find, ((shape, "i4"), (shape, "f4")), points, asked, groups)
    return ids, _distances(points, asked, None, ids, found)


def search_radius(data: Array, queries: Array | None, radius: float, capacity: int, *, group: Groups = None,
                  include_self: bool = False) -> tuple[Array, Array, Array]:
    """(indptr, ids, distances): all points of `data` within the radius, the
    nearest first; those of query q are at indptr[q] to indptr[q + 1].

    capacity: the size of ids and distances, which jax has to know. Rows
        that end later are left out: there are some if indptr[-1] is larger,
        which is right in any case. Places without a neighbour have the id
        -1 and the distance inf.

    indptr is int64 if jax has that type (jax_enable_x64). Else it is int32,
    and 2^31 - 1 also stands for more. Otherwise as search().
    """
    points, asked, groups = _given(data, queries, group)
    capacity = _static(capacity, "capacity", 0)
    if capacity >= 2**31:
        raise UsageError(f"capacity expects a whole number below 2^31, got {capacity}")
    rows = (points if asked is None else asked).shape[0]
    find = functools.partial(_find_lists, radius=_radius(radius), include_self=bool(include_self))
    words, ids, found = _call(find, (((rows + 1, 2), "i4"), ((capacity,), "i4"), ((capacity,), "f4")), points, asked, groups)
    if _jax.config.jax_enable_x64:
        indptr = _jax.lax.bitcast_convert_type(words, _jnp.int64)
    else:
        indptr = _jnp.where((words[:, 1] > 0) | (words[:, 0] < 0), 2**31 - 1, words[:, 0])
    places = _jnp.arange(capacity)
    are_found = places < _jnp.where(indptr <= capacity, indptr, 0).max()
    ids, found = _jnp.where(are_found, ids, -1), _jnp.where(are_found, found, _jnp.inf)
    query_of = _jnp.clip(_jnp.searchsorted(indptr[1:], places, side="right"), 0, max(rows - 1, 0))
    return indptr, ids, _distances(points, asked, query_of, ids, found)


def _given(data: Array, queries: Array | None, group: Groups) -> tuple[Array, Array | None, tuple[Array, ...]]:
    """The points, and the groups of each cloud that has some."""
    points, asked = _points(data, "data"), None if queries is None else _points(queries, "queries")
    if asked is not None and asked.shape[1] != points.shape[1]:
        raise InputError(f"queries: points have {asked.shape[1]} coordinates (data has {points.shape[1]})")
    if group is None:
        return points, asked, ()
    groups = group if isinstance(group, tuple) else (group,)
    clouds = [points] if asked is None else [points, asked]
    if len(groups) != len(clouds):
        raise UsageError("group expects an array or, with queries, two: (of_data, of_queries)")
    for name, cloud, numbers in zip(("data", "queries"), clouds, groups):
        if not _is_array(numbers) or numbers.shape != cloud.shape[:1] or numbers.dtype.kind not in "iu":
            raise InputError(f"group: expects whole numbers for the {cloud.shape[0]} points of {name}")
    return points, asked, _numbered(groups)


def _is_array(values: Any) -> bool:
    return isinstance(values, (_jax.Array, np.ndarray)) and not isinstance(values, np.ma.MaskedArray)


def _numbered(groups: tuple[Array, ...]) -> tuple[Array, ...]:
    """Numbers of groups as int32, counted anew where that cannot hold them."""
    if all(np.can_cast(numbers.dtype, np.int32) for numbers in groups):
        return tuple(_jnp.asarray(numbers.astype(np.int32)) for numbers in groups)
    if len({numbers.dtype for numbers in groups}) > 1:
        raise InputError(f"group: {groups[0].dtype} and {groups[1].dtype} cannot be compared without loss; pass one type")
    if all(isinstance(numbers, np.ndarray) for numbers in groups):  # jax may not have their type
        places = np.unique(np.concatenate(groups), return_inverse=True)[1].reshape(-1).astype(np.int32)
        return tuple(map(_jnp.asarray, (places,) if len(groups) == 1 else np.split(places, [len(groups[0])])))
    if groups[0].dtype.itemsize == 8 and not _jax.config.jax_enable_x64:
        raise InputError(f"group: {groups[0].dtype}, which jax would cut; set jax_enable_x64, or pass int32")
    all_numbers = _jnp.sort(_jnp.concatenate(groups))
    return tuple(_jnp.searchsorted(all_numbers, numbers).astype(np.int32) for numbers in groups)


def _static(value: Any, name: str, least: int | None = None) -> Any:
    """A number that jax must know before it compiles."""
    if isinstance(value, _jax.core.Tracer):
        raise UsageError(f"{name}: what is compiled depends on it, so that it is no argument of jax.jit, unless static_argnames has it")
    return _arrays.number(value, name) if least is None else _arrays.whole(value, name, least)


def _radius(value: Any) -> float:
    radius = float(_static(value, "radius"))
    if not 0 <= radius < np.inf:
        raise UsageError(f"radius expects a finite number of at least 0, got {radius}")
    return radius


def _points(values: Array, name: str) -> Array:
    if not _is_array(values):
        raise InputError(f"{name}: not an array of jax, but {type(values).__name__}; kann.search() takes others")
    if values.dtype == np.float64 and not _jax.config.jax_enable_x64:
        raise InputError(f"{name}: float64, which jax would round; set jax_enable_x64, or pass float32")
    if values.ndim != 2 or values.shape[1] not in (2, 3) or values.dtype not in (_jnp.float32, _jnp.float64):
        raise InputError(f"{name}: {values.dtype} of the shape {values.shape}, and points are n x 2 or n x 3, float32 or float64")
    return _jnp.asarray(values)


def _call(find: Any, results: Any, points: Array, asked: Array | None, groups: tuple[Array, ...]) -> Any:
    """Has jax call find(data, queries, groups, out) with the memory of its
    arrays, on the stream of the computation."""
    def take(context: Any, out: Any, points: Any, asked: Any, groups: Any) -> None:
        is_on_host = points.__dlpack_device__()[0] == _HOST

        def view(buffer: Any) -> Any:
            return np.asarray(buffer) if is_on_host else _View(buffer, context.stream)

        pair = tuple(map(view, groups))
        find(view(points), None if asked is None else view(asked), None if not pair else pair if asked is not None else pair[0],
             tuple(map(view, out)))
    shapes = tuple(_jax.ShapeDtypeStruct(shape, np.dtype(kind)) for shape, kind in results)
    # Numbers of points have no derivative, and found distances get one in _distances()
    return _buffers.buffer_callback(take, shapes, vmap_method="sequential")(*_jax.lax.stop_gradient((points, asked, groups)))


class _View:
    """A buffer of jax on a GPU, whose stream is known."""

    def __init__(self, buffer: Any, stream: int, as_int64: bool = False) -> None:
        described = dict(buffer.__cuda_array_interface__, stream=stream or 1)
        if as_int64:
            described.update(shape=described["shape"][:1], typestr="<i8", strides=None)
        self.__cuda_array_interface__ = described
        self.buffer, self.stream = buffer, stream


@_arrays.without_options()
def _find(data: Any, queries: Any, group: Any, out: Any, k: int, radius: float | None, include_self: bool) -> None:
    if isinstance(data, _View):
        _search.search(data, queries, k, radius=radius, group=group, include_self=include_self, out=out)
        return
    options = _search.options(k, radius=radius, include_self=include_self)
    rows, _ = _lists.Given(data, queries, group, None, False).rows(options, None)
    out[0][...], out[1][...] = rows.ids, rows.distances


@_arrays.without_options()
def _find_lists(data: Any, queries: Any, group: Any, out: Any, radius: float, include_self: bool) -> None:
    words, ids, distances = out
    if isinstance(data, _View):
        indptr = _View(words.buffer, words.stream, as_int64=True)
        of_data, of_queries = group if isinstance(group, tuple) else (group, None)
        _device.Index(data, "error", of_data).lists(queries, radius, include_self, False, of_queries, (indptr, ids, distances))
        return
    options = _search.options(1, radius=radius, include_self=include_self)
    given = _lists.Given(data, queries, group, None, False)
    indptr, *_ = given.lists(options, None, True)
    words[...] = np.ascontiguousarray(indptr, "<i8").view("<i4").reshape(words.shape)
    rows = int(np.searchsorted(indptr, len(ids), side="right")) - 1
    if rows < len(indptr) - 1:  # these alone, as all may not fit in memory
        of_data, of_asked = group if isinstance(group, tuple) else (group, group)
        given = _lists.Given(data, (data if queries is None else queries)[:rows], None if group is None else (of_data, of_asked[:rows]), None, False)
    begins, found, far, _ = given.lists(options, None)
    if rows < len(indptr) - 1 and queries is None and not include_self:
        is_other = found != np.repeat(np.arange(rows), np.diff(begins))
        found, far = found[is_other], far[is_other]
    ids[:indptr[rows]], distances[:indptr[rows]] = found, far


def _distances(data: Array, queries: Array | None, query_of: Array | None, ids: Array, found: Array) -> Array:
    """The distances that were found, which jax may differentiate; those of
    float64 from the coordinates."""
    asked = data if queries is None else queries
    if data.dtype == asked.dtype == found.dtype:
        return _with_gradient(data, asked, query_of, ids, found)
    return _measured(data, asked, query_of, ids)


_with_gradient: Any = _jax.custom_jvp(lambda data, asked, query_of, ids, found: found)


def _tangent(primals: Any, tangents: Any) -> Any:
    data, asked, query_of, ids, _ = primals
    _, tangent = _jax.jvp(lambda a, b: _measured(a, b, query_of, ids), (data, asked), tangents[:2])
    return _with_gradient(*primals), tangent


_with_gradient.defjvp(_tangent)


def _measured(data: Array, queries: Array, query_of: Array | None, ids: Array) -> Array:
    """The distances between neighbours, from their coordinates. query_of: the
    query of each id; None: the ids are in rows."""
    if data.shape[0] == 0 or queries.shape[0] == 0:
        return _jnp.full(ids.shape, _jnp.inf, _jnp.result_type(data, queries))
    asked = queries[:, None] if query_of is None else queries[query_of]
    apart = asked - data[_jnp.maximum(ids, 0)]
    # Squares of what is far from 1 overflow or vanish; and the root of 0 would have an infinite gradient, and 0 times that is NaN
    longest = _jax.lax.stop_gradient(_jnp.abs(apart).max(-1))
    is_apart = (ids >= 0) & (longest > 0) & _jnp.isfinite(longest)
    missing = _jnp.where((ids < 0) | _jnp.isinf(longest), _jnp.inf, 0).astype(longest.dtype)
    most = 2.0 ** (100 if longest.dtype == np.float32 else 800)  # a reciprocal past it may be subnormal, which XLA makes 0
    scale = _jnp.where(is_apart, _jnp.clip(longest, 1 / most, most), 1)
    squares = _jnp.where(is_apart, _jnp.square(_jnp.where(is_apart[..., None], apart, 1) / scale[..., None]).sum(-1), 1)
    return _jnp.where(is_apart, scale * _jnp.sqrt(squares), missing)
