"""Lists: all neighbours within a radius."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _boxes, _device, _kann, _tables
from ._device import library_of
from ._edges import Edges
from ._search import Index, Progress, options
from .errors import InputError, UsageError


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Lists(Edges):
    """The neighbours of m queries: rows of any length, one after another.

    indptr: m + 1, int64: the neighbours of query q are at indptr[q] to
        indptr[q + 1] of the next two.
    ids: int32: row numbers of the data, the nearest neighbour of a query
        first.
    distances: float32, or dtype: Euclidean distances in the unit of the
        coordinates.
    report: what the search did, with the keys that `kann --json` has for
        it.
    shifts: with images="all", a row of d numbers for each neighbour, int32:
        the vector to it is data[id] - queries[q] + shift @ box, with the
        vectors of the box as rows; else None.

    found[q] are the ids of query q; pairs(), edge_index() and csr() have
    all as a graph. The arrays of a search on a GPU are there, as those of
    Found.
    """

    indptr: NDArray[np.int64]
    ids: NDArray[np.int32]
    distances: NDArray[np.float32]
    report: dict[str, Any]
    shifts: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __getitem__(self, query: Any) -> Any:
        """The ids of the neighbours of a query; of a slice of queries, their
        Lists."""
        if isinstance(query, slice):
            return self._part(query)
        row = operator.index(query)
        if not -len(self) <= row < len(self):
            raise IndexError(f"there are {len(self)} queries, and none has the number {row}")
        row %= len(self)
        return self.ids[self.indptr[row]:self.indptr[row + 1]]

    def _part(self, queries: slice) -> Lists:
        begin, end, step = queries.indices(len(self))
        if step != 1:
            raise IndexError(f"slices of lists have the step 1, not {step}")
        end = max(begin, end)
        places = slice(int(self.indptr[begin]), int(self.indptr[end]))
        return Lists(self.indptr[begin:end + 1] - self.indptr[begin], self.ids[places], self.distances[places], self.report,
                     None if self.shifts is None else self.shifts[places])

    def _entries(self, module: Any) -> tuple[Any, Any, Any]:
        # The queries whose rows end at a place or before it come before that of the place
        places = module.arange(len(self.ids), **({"device": self.ids.device} if module.__name__ == "torch" else {}))
        return module.searchsorted(self.indptr[1:], places, side="right"), self.ids, self.distances

    def _half(self) -> Lists:
        """The lists with each pair of the data once, as `--pairs half` of the
        command has them."""
        _, module, (queries, ids, _) = self._of_library()
        is_kept = ids > queries
        if self.shifts is not None:  # of a point and its own image, that whose first shift other than 0 is positive
            is_positive = module.zeros_like(is_kept)
            for axis in reversed(range(self.shifts.shape[1])):
                is_positive = module.where(self.shifts[:, axis] == 0, is_positive, self.shifts[:, axis] > 0)
            is_kept = is_kept | (ids == queries) & is_positive
        if len(ids) == 0:
            return self
        ends = module.cumsum(is_kept, 0)
        indptr = (self.indptr > 0) * ends[(self.indptr - 1).clip(min=0)]
        report = {**self.report, "within_radius": int(ends[-1])} if "within_radius" in self.report else self.report
        return Lists(indptr, ids[is_kept], self.distances[is_kept], report, None if self.shifts is None else self.shifts[is_kept])

    def table(self, queries: Any = None, data: Any = None) -> Any:
        """A table with a line for each neighbour, as that of Found. For lists in
        host memory."""
        if _device.is_on_device(self.ids):
            raise InputError("the lists are on a GPU; copy them to the host first")
        query = self._entries(np)[0].astype("i4")
        rank = (np.arange(len(query)) - self.indptr[query]).astype("i4")
        own = {"query": query, "rank": rank, "id": self.ids, "distance": self.distances}
        if self.shifts is not None:
            own.update(_tables.of_shifts(self.shifts))
        return _tables.of_found(own, queries, data, (len(self), self.report["data"].get("points")))

    def __repr__(self) -> str:
        return f"<kann.Lists: {len(self)} queries, {len(self.ids)} neighbours>"


def search_radius(data: Any, queries: Any, radius: _arrays.PerQuery, *, min_radius: _arrays.PerQuery | None = None, exclude: Any = None, periodic: _arrays.Box | None = None, images: str = "nearest", sky: bool | None = None, unit: str | None = None, group: Any = None, other_group: Any = None,
                  include_self: bool = False, pairs: str = "both", device: str = "auto", threads: int = 0, invalid: str = "error",
                  dtype: Any = np.float32, progress: Progress = None) -> Lists:
    """Finds all points of `data` within `radius` of each of `queries`, as
    the command does with -k all.

    data: n x 2 or n x 3 coordinates, a Cloud or an Index.
    queries: m x 2 or m x 3, in the same unit. None: the data themselves,
        where no point is its own neighbour.
    radius: in the unit of the coordinates, a number, or one for each query;
        a point exactly as far belongs to the result. numpy.inf is no limit.

    pairs: "half": each pair of points once, in the row of the one with the
        smaller number; for queries=None.
    min_radius, exclude, periodic, images, group, other_group: as in
        kann.search().

    Rows are in the order of (distance as float32, id). Other options, and
    what is raised, are as in kann.search(); OutOfMemoryError says how many
    neighbours there are.

    Arrays on a GPU are searched there, as kann.search() says, and the
    arrays of the result are there, too. The call waits for the number of
    neighbours. Options other than group, include_self and invalid take
    place on the host, as there; but for tensors of torch, a periodic box
    does not, if it has right angles, its sides are longer than twice the
    radius, and it holds the points.
    """
    if not isinstance(pairs, str) or pairs not in ("both", "half"):
        raise UsageError(f'pairs expects "both" or "half", got {pairs!r:.80}')
    if pairs == "half" and queries is not None:
        raise UsageError('pairs="half" is for the data among themselves, without queries')
    if pairs == "half" and (_arrays.are_several(radius) or exclude is not None):
        raise UsageError('pairs="half" needs one radius for all, without exclude: a pair has two rows, which need not both have it')
    if pairs == "half" and include_self:
        _arrays.warn(['include_self changes nothing with pairs="half"'])
    found = Lists(*_search(data, queries, radius, min_radius, exclude, periodic, images, sky, unit, group, other_group, include_self and pairs == "both", device, threads, invalid, dtype, False, progress))
    return found._half() if pairs == "half" else found


def count_radius(data: Any, queries: Any, radius: _arrays.PerQuery, *, min_radius: _arrays.PerQuery | None = None, exclude: Any = None, periodic: _arrays.Box | None = None, images: str = "nearest", sky: bool | None = None, unit: str | None = None, group: Any = None, other_group: Any = None,
                 include_self: bool = False, device: str = "auto", threads: int = 0, invalid: str = "error",
                 progress: Progress = None) -> NDArray[np.int64]:
    """How many points of `data` are within `radius` of each of `queries`:
    what search_radius() would list, in less time and memory; for queries of
    the shape (..., d) of the shape (...). For arrays of torch or cupy on a
    GPU, an array there."""
    indptr: NDArray[np.int64]
    indptr, *_ = _search(data, queries, radius, min_radius, exclude, periodic, images, sky, unit, group, other_group, include_self, device, threads, invalid, np.float32, True, progress)
    counts = indptr[1:] - indptr[:-1]
    shape = np.shape(queries) if isinstance(queries, (list, tuple, np.ndarray)) else ()
    return counts.reshape(shape[:-1])[()] if len(shape) not in (0, 2) else counts


class Given:
    """What a search takes, of clouds as users pass them. Raises UsageError,
    InputError."""

    def __init__(self, data: Any, queries: Any, group: Any, other_group: Any, sky: bool) -> None:
        index = data if isinstance(data, Index) else None
        self.points: NDArray[Any]
        self.points, self.queries = (index.data, _arrays.queries_for(index.data, queries, sky, index.m)) if index is not None else _arrays.clouds(data, queries, sky)
        self.groups = _arrays.groups(group, other_group, len(self.points), None if self.queries is None else len(self.queries))
        self.asking = len(self.points if self.queries is None else self.queries)
        self._index = None if index is None or self.groups is not None else index._index

    def rows(self, asked: _kann.SearchOptions, progress: Progress) -> tuple[_kann.Neighbors, dict[str, Any]]:
        """The rows of k neighbours, and the report."""
        watch = _arrays.callback(progress)
        return (self._index.search(self.queries, None, asked, watch) if self._index
                else _kann.search(self.points, self.queries, self.groups, None, asked, watch))

    def lists(self, asked: _kann.SearchOptions, progress: Progress, counts: bool = False, limits: _arrays.Limits | None = None,
              has_report: bool = True) -> Any:
        """The arrays of Lists, and the report; of an index, also without one."""
        watch = _arrays.callback(progress)
        return (self._index.search_radius(self.queries, limits, asked, counts, watch, has_report) if self._index
                else _kann.search_radius(self.points, self.queries, self.groups, limits, asked, counts, watch))

    def vectors(self, lists: Any, asked: _kann.SearchOptions, *wanted: str) -> tuple[Any, Any, Any]:
        """Of (indptr, ids, distances): distances of float64, vectors and shifts;
        None for those that are not wanted."""
        if not wanted:
            return None, None, None
        indptr, ids, distances = lists
        return _kann.vectors_of_lists(self.points, self.points if self.queries is None else self.queries, indptr, ids, distances, asked, wanted)


def _search(data: Any, queries: Any, radius: Any, min_radius: Any, exclude: Any, periodic: _arrays.Box | None, images: str, sky: bool | None, unit: str | None, group: Any, other_group: Any, include_self: bool, device: str,
            threads: int, invalid: str, dtype: Any, counts: bool, progress: Progress) -> Any:
    if radius is None:
        raise UsageError("radius expects a number of at least 0, got None")
    sky, is_float64 = _arrays.on_sphere(sky, data, queries), _arrays.is_float64(dtype)
    on_device = _device.is_on_device(data.data if isinstance(data, Index) else data)
    if on_device or _device.is_on_device(queries):
        others = {"min_radius": min_radius, "exclude": exclude, "periodic": periodic, "images": images, "sky": sky, "unit": unit, "other_group": other_group, "device": device, "threads": threads,
                  "dtype": "f8" if is_float64 else "f4", "progress": progress}
        groups = _device.groups_there(group, queries)
        points, rule = (data.data, data._invalid) if isinstance(data, Index) else (data, invalid)
        can_subtract = not counts or library_of(points if queries is None else queries)
        is_box = periodic is not None and images in ("nearest", "all") and library_of(points) == "torch"
        box = _arrays.box(periodic, points.shape[-1]) if is_box else None
        if on_device and groups and can_subtract and not _arrays.are_several(radius) and not _device.are_for_host({**others, **({} if box is None else {"periodic": None, "images": None})}):
            index = data._on_device if isinstance(data, Index) and group is None else _device.in_groups(points, rule, groups[0])
            asked_for = _arrays.limit(radius), bool(include_self), counts
            if index and not box and images == "nearest":
                return *index.lists(queries, *asked_for, groups[1]), _device.report_of(index, queries, radius)
            if index and box and (found := _boxes.lists(index, queries, *asked_for, groups, box, images == "all")):
                return *found[:3], _device.report_of(index, queries, radius), found[3]
        return _device.through_host(_search)(data, queries, radius, group=group, include_self=include_self, invalid=invalid, counts=counts, **others)
    given = Given(data, queries, group, other_group, sky)
    radius, limits = _arrays.limits(radius, min_radius, exclude, given.asking)
    asked = options(1, given.points.shape[1], radius=None if radius is None else _arrays.limit(radius), periodic=periodic, images=images, sky=sky, unit=unit, include_self=include_self, device=device, threads=threads, invalid=invalid)
    found = given.lists(asked, progress, counts, limits)
    _arrays.warn(found[3]["warnings"])
    if counts:
        return found
    indptr, ids, distances, report = found
    far, _, shifts = given.vectors((indptr, ids, distances), asked, *["distances"] * is_float64, *["shifts"] * (images == "all"))
    return indptr, ids, far if is_float64 else distances, report, shifts
