"""Searches: search() and Index."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _device, _kann
from ._found import Found
from .errors import InputError, UsageError

Progress = Optional[Callable[[str, float], Any]]


def options(k: Any = 1, dimensions: int = 3, *, method: str = "exact", radius: Any = None,
            periodic: _arrays.Box | None = None, images: str = "nearest", sky: bool = False, unit: str | None = None, include_self: bool = False, device: str = "auto", threads: int = 0,
            shifts: int | None = None, window: int | None = None, invalid: str = "error") -> _kann.SearchOptions:
    """The options of a search as the extension module takes them. Raises
    UsageError."""
    if isinstance(k, str) and k == "all":
        raise UsageError("k expects a whole number; search_radius() has all neighbours within a radius")
    if unit is not None and not sky:
        raise UsageError("unit needs sky=True")
    for name, value in (("device", device), ("method", method), ("invalid", invalid), ("images", images)):
        _arrays.word(value, name)
    return _kann.SearchOptions(
        k=_arrays.whole(k, "k"), device=device, method=method,
        shifts=None if shifts is None else _arrays.small(shifts, "shifts"),
        window=None if window is None else _arrays.whole(window, "window"),
        include_self=bool(include_self),
        radius=None if radius is None or (limit := _arrays.number(radius, "radius")) == math.inf else limit,
        periodic=_arrays.box(periodic, dimensions), images=images,
        unit=_arrays.word("deg" if unit is None else unit, "unit") if sky else None, invalid=invalid,
        threads=_arrays.threads(threads))


def _found(result: tuple[_kann.Neighbors, dict[str, Any]], limits: _arrays.Limits | None, out: tuple[NDArray[Any], NDArray[Any]] | None, data: NDArray[Any],
           queries: NDArray[Any] | None, asked: _kann.SearchOptions, is_float64: bool) -> Found:
    rows, report = result
    if limits is not None:
        report["limits"] = [name for place, name in enumerate(("radius", "min_radius", "exclude")) if limits[place].size]
    wanted = ["distances"] * is_float64 + ["shifts"] * (report["images"] == "all")
    distances, _, shifts = _kann.vectors(data, data if queries is None else queries, rows, asked, wanted) if wanted else (None,) * 3
    _arrays.warn(report["warnings"])
    ids, distances = rows.ids, distances if is_float64 else rows.distances
    if out is not None:
        np.copyto(out[0], ids)
        np.copyto(out[1], distances)
        ids, distances = out
    return Found(ids, distances, report, rows, shifts)


def _outputs(out: Any, queries: int, k: int, is_float64: bool) -> tuple[NDArray[Any], NDArray[Any]] | None:
    if out is None:
        return None
    if not isinstance(out, tuple) or len(out) != 2:
        raise UsageError("out expects two arrays: (ids, distances)")
    ids, distances = out
    made = (_arrays.output(ids, "ids", (queries, k), "i4"), _arrays.output(distances, "distances", (queries, k), "f8" if is_float64 else "f4"))
    if np.shares_memory(*made):
        raise UsageError("out: the two arrays share memory")
    return made


def _through_host(function: Callable[..., Found], data: Any, queries: Any, k: int, out: Any, **options: Any) -> Found:
    if out is not None:
        raise UsageError("out is for searches on a GPU: with the options k, radius and include_self alone")
    return _device.through_host(function)(data, queries, k, **options)


def _on_device(index: _device.Index | _device.HostIndex, queries: Any, k: int, radius: Any, include_self: bool, out: Any,
               group: Any = None) -> Found:
    k = _arrays.whole(k, "k", 1)
    radius = None if radius is None else _arrays.number(radius, "radius")
    rows = index.rows(queries, k, bool(include_self), radius, out, group)
    return Found(*rows, {**_device.report_of(index, queries, radius), "k": k}, None)


def search(data: Any, queries: Any = None, k: int = 8, *, radius: _arrays.PerQuery | None = None, min_radius: _arrays.PerQuery | None = None, exclude: Any = None,
           periodic: _arrays.Box | None = None, images: str = "nearest", sky: bool | None = None, unit: str | None = None, group: Any = None, other_group: Any = None, include_self: bool = False, device: str = "auto", threads: int = 0,
           method: str = "exact", shifts: int | None = None, window: int | None = None, invalid: str = "error",
           dtype: Any = np.float32, out: tuple[Any, Any] | None = None, progress: Progress = None) -> Found:
    """Finds the k nearest neighbours in `data` of each of `queries`, as the
    command `kann` does: the same bytes. The answer is exact, unless
    `method` asks for an approximate one.

    data: n x 2 or n x 3 coordinates, or n x 1, a Cloud, or a table (a
        DataFrame, an Arrow or astropy Table, a structured array, a
        dictionary of arrays) whose columns have the names of coordinates;
        nulls are NaN. float32 and float64 in C order are searched where
        they are; other arrays are copied. An astropy Quantity keeps its
        unit; with sky, it becomes degrees.
    queries: m x 2 or m x 3, in the same unit; one point, or points in an
        array of any shape, are taken one after another. None: the data
        themselves, where no point is its own neighbour.
    k: neighbours per query. Where there are fewer, ids are -1 and distances
        inf.
    radius: no neighbour is farther than this, a number, or one for each
        query; numpy.inf is no limit.
    min_radius: no neighbour is nearer than this, likewise.
    exclude: the row number of a point of the data for each query, or an
        array with several in each row, that are none of its neighbours; -1
        stands for none. The command has no such option.
    periodic: the sides of a periodic box, one per coordinate, or one number
        for all; 0: not periodic along this axis. Of a slanted box, the
        tilts xy, xz and yz follow the sides, or it is a matrix of 3 x 3,
        whose rows are the vectors by which it repeats, as the cell of
        ASE; a row of 0 does not.
    images: "nearest": a point is a neighbour once, by its nearest image.
        "all": each image is a neighbour, those of the query itself among
        them, and the result has `shifts`.
    sky: True: the coordinates are longitude and latitude, or ra and dec, in
        degrees, and distances are great-circle distances. None: as the
        clouds say, which kann.read(sky=True) returned.
    unit: with sky, of distances and of the radius: "arcsec", "arcmin",
        "deg" (the default), "m" or "km".
    group: a value per point, such as its class or batch: only points with
        the value of the query are its neighbours. Without queries an array
        of n values, else two, of the data and of the queries: (a, b).
        Numbers, or text; NaN, None and empty text are no group.
    other_group: likewise, but only points with another value. With both,
        the same value of the one and another of the other.
    include_self: without queries, each point is its own neighbour.
    device: "auto", "cpu", "cuda" or "cuda:N".
        "auto" takes the one that will finish first.
    threads: of the CPU; 0: all of the machine.
    method: "exact". "shifted-sort": an approximate answer, for k up to 32;
        report["sample"]["recall"] says how good it is. "paper": likewise,
        by the steps of Park 2017, on CUDA, with k 2, 4, 8 or 16.
    shifts, window: of an approximate answer; see `kann --help`.
    invalid: "error", or "skip" for points with NaN or infinite coordinates:
        they have no neighbours and are none.
    dtype: of the distances. numpy.float64: the roots of what is compared,
        correctly rounded; numpy.float32: rounded once more, which decides
        the order in a row.
    out: (ids, distances), arrays of m x k, int32 and dtype, into which
        the result is copied.
    progress: called with the name of a step and the fraction that is done,
        at most 20 times a second.

    Arrays on a GPU (of torch, cupy, jax and others with DLPack or
    __cuda_array_interface__) are searched there, exactly, without a copy.
    The search is queued on the current stream of torch or cupy, and the
    result stays on the GPU: with the options k, radius, include_self,
    invalid (for data; an invalid query has no neighbours), out and, for k
    of at most 64, group (whole numbers on the GPU). With others they are
    copied to the host, and the result back to the GPU (of other libraries
    than torch and cupy, it stays on the host). Distances of tensors that
    require a gradient can be differentiated; see kann.torch.

    The GIL is released, and Ctrl-C ends the search. Raises UsageError (an
    option), InputError (an array), OutOfMemoryError, ResourceError,
    DeviceError (device="cuda" without one, or arrays on a GPU and a build
    without CUDA).
    """
    sky = _arrays.on_sphere(sky, data, queries)
    if _device.is_on_device(data) or _device.is_on_device(queries):
        others = {"min_radius": min_radius, "exclude": exclude, "periodic": periodic, "images": images, "sky": sky, "unit": unit, "other_group": other_group, "device": device,
                  "threads": threads, "method": method, "shifts": shifts, "window": window,
                  "dtype": "f8" if _arrays.is_float64(dtype) else "f4", "progress": progress}
        there = _device.groups_there(group, queries)
        is_native = group is None or _device.is_on_device(data) and _arrays.whole(k, "k") <= _device.MOST_IN_GROUPS
        if there and is_native and not _arrays.are_several(radius) and not _device.are_for_host(others):
            index = Index(data, invalid=invalid)._there() if group is None else _device.in_groups(data, invalid, there[0])
            if index:
                return _on_device(index, queries, k, radius, include_self, out, there[1])
        return _through_host(search, data, queries, k, out, radius=radius, group=group, include_self=include_self, invalid=invalid, **others)
    data, queries = _arrays.clouds(data, queries, sky)
    asking = len(data if queries is None else queries)
    radius, limits = _arrays.limits(radius, min_radius, exclude, asking)
    asked = options(k, data.shape[1], method=method, radius=radius, periodic=periodic, images=images, sky=sky, unit=unit, include_self=include_self,
                    device=device, threads=threads, shifts=shifts, window=window, invalid=invalid)
    is_float64 = _arrays.is_float64(dtype)
    outputs = _outputs(out, asking, int(k), is_float64)
    groups = _arrays.groups(group, other_group, len(data), None if queries is None else len(queries))
    return _found(_kann.search(data, queries, groups, limits, asked, _arrays.callback(progress)), limits, outputs, data, queries, asked, is_float64)


class Index:
    """Data that are searched many times: what a search needs of them is made
    once, by the first search, and kept.

    data: n x 2 or n x 3 coordinates, or a Cloud. float32 and float64 in C
        order are kept where they are, and must not change; other arrays are
        copied. Arrays on a GPU stay there, as kann.search() says.
    sky: whether searches are on the sphere, unless they say it themselves;
        None: as a Cloud says.
    invalid: "error", or "skip" for data with NaN or infinite coordinates.
    threads: of the CPU, to check the data; 0: all of the machine.

    Any number of threads may search at the same time. Raises InputError,
    OutOfMemoryError.
    """

    data: Any

    def __init__(self, data: Any, *, sky: bool | None = None, invalid: str = "error", threads: int = 0) -> None:
        self.sky = _arrays.on_sphere(sky, data)
        self._invalid = invalid
        self._on_device = _device.Index(data, invalid) if _device.is_on_device(data) else None
        if self._on_device:
            self.data, self._shape = data, self._on_device.shape
            return
        self.data = _arrays.points(data, "data", self.sky, None, True)
        self._shape = len(self.data), _arrays.columns_of(data, self.data, self.sky)
        self._index = _kann.Index(self.data, _arrays.word(invalid, "invalid"), _arrays.threads(threads))

    @property
    def n(self) -> int:
        """The number of points."""
        return self._shape[0]

    @property
    def m(self) -> int:
        """The number of coordinates."""
        return self._shape[1]

    def __len__(self) -> int:
        return self.n

    def __reduce__(self) -> Any:
        """Pickles and copies have the data, and make the rest again."""
        data = self.data if self.m > 1 else self.data[:, :1]
        return functools.partial(type(self), sky=self.sky, invalid=self._invalid), (data,)

    def __repr__(self) -> str:
        return f"<kann.Index: {self.n} points, {self.m}-D>"

    def _there(self) -> _device.Index | _device.HostIndex:
        """The index for queries on a GPU."""
        return self._on_device or _device.HostIndex(self._index, self._shape)

    def query(self, queries: Any, k: int = 1, *, radius: float | None = None,
              periodic: _arrays.Box | None = None, sky: bool | None = None, unit: str | None = None, device: str = "auto", threads: int = 0, invalid: str = "error",
              dtype: Any = np.float32, progress: Progress = None) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """(distances, ids) of the k nearest neighbours, in the shapes of
        scipy.spatial.cKDTree.query().

        queries: an array of the shape (..., 2) or (..., 3), or one point.
            The results have the shape (..., k), and (...) for k = 1. A
            missing neighbour has the distance inf and the id n.

        Other options, and what is raised, are as in kann.search().
        Distances are float32 unless dtype is numpy.float64, in whose order
        the neighbours then are, ids int32 (in scipy float64 and int64).
        radius is scipy's distance_upper_bound, but includes neighbours that
        are exactly as far; threads is scipy's workers, with 0 for all.
        """
        if self._on_device:
            raise UsageError("query() is for arrays in host memory; search() takes those on a GPU")
        sky = _arrays.on_sphere(sky, self, queries)
        array = _arrays.points_of(queries, "queries", sky, self.data)
        if array.ndim == 0 or array.shape[-1] != self.m:
            raise InputError(f"queries: the shape is {array.shape}, and the last number must be {self.m}, as the data "
                             f"are {self.m}-D")
        asked = options(k, self.data.shape[1], radius=radius, periodic=periodic, sky=sky, unit=unit, device=device, threads=threads, invalid=invalid)
        points, is_float64 = _arrays.points(array.reshape(-1, self.m), "queries", may_be_line=True), _arrays.is_float64(dtype)
        ids, distances, skipped = self._index.nearest(points, asked, _arrays.callback(progress), self.data if is_float64 else None)
        if radius is not None or k > self.n or skipped > 0:
            ids[ids < 0] = self.n
        if is_float64 and (distances[:, 1:] < distances[:, :-1]).any():
            distances, ids = _arrays.in_order(np.arange(len(points) + 1) * int(k), distances.reshape(-1), ids.reshape(-1))
        shape = array.shape[:-1] + (() if k == 1 else (int(k),))
        # [()] makes a number of an array without dimensions
        return (distances.reshape(shape)[()], ids.reshape(shape)[()])

    def search(self, queries: Any = None, k: int = 8, *, radius: _arrays.PerQuery | None = None, min_radius: _arrays.PerQuery | None = None, exclude: Any = None,
               periodic: _arrays.Box | None = None, images: str = "nearest", sky: bool | None = None, unit: str | None = None, include_self: bool = False, device: str = "auto", threads: int = 0,
               method: str = "exact", shifts: int | None = None, window: int | None = None, invalid: str = "error",
               dtype: Any = np.float32, out: tuple[Any, Any] | None = None, progress: Progress = None) -> Found:
        """What kann.search() does, with the data of the index."""
        sky = _arrays.on_sphere(sky, self, queries)
        if self._on_device or _device.is_on_device(queries):
            others = {"min_radius": min_radius, "exclude": exclude, "periodic": periodic, "images": images, "sky": sky, "unit": unit, "device": device, "threads": threads,
                      "method": method, "shifts": shifts, "window": window, "dtype": "f8" if _arrays.is_float64(dtype) else "f4",
                      "progress": progress}
            if _arrays.are_several(radius) or _device.are_for_host(others):
                return _through_host(type(self).search, self, queries, k, out, radius=radius, include_self=include_self, invalid=invalid, **others)
            return _on_device(self._there(), queries, k, radius, include_self, out)
        queries = _arrays.queries_for(self.data, queries, sky, self.m)
        asking = self.n if queries is None else len(queries)
        radius, limits = _arrays.limits(radius, min_radius, exclude, asking)
        asked = options(k, self.data.shape[1], method=method, radius=radius, periodic=periodic, images=images, sky=sky, unit=unit, include_self=include_self,
                        device=device, threads=threads, shifts=shifts, window=window, invalid=invalid)
        is_float64 = _arrays.is_float64(dtype)
        outputs = _outputs(out, asking, int(k), is_float64)
        return _found(self._index.search(queries, limits, asked, _arrays.callback(progress)), limits, outputs, self.data, queries, asked, is_float64)

    def search_radius(self, queries: Any, radius: _arrays.PerQuery, **options: Any) -> Any:
        """What kann.search_radius() does, with the data of the index: Lists."""
        from . import _lists  # which is made of this module
        return _lists.search_radius(self, queries, radius, **options)
