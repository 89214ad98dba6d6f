"""What can be made of neighbours: attributes, outliers, statistics, pictures and checks."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _arrays, _kann
from ._clouds import Cloud, _path
from ._search import Found, Progress, options
from .errors import CheckError, InputError, UsageError


def _rows(found: Any) -> _kann.Neighbors:
    if not isinstance(found, Found):
        raise UsageError(f"found expects the result of a search, or kann.Found.of(ids, distances), got {type(found).__name__}")
    return found._rows


def _dimensions(found: Found) -> int:
    return int(found.report["data"]["dimensions"])


def transfer(data: Any, queries: Any, found: Found, attributes: Mapping[str, Any] | None = None, *, by: str = "nearest",
             rbf_kernel: str = "thin_plate_spline", rbf_degree: int = 1, rbf_smoothing: float = 0.0,
             rbf_epsilon: float = 1.0, device: str = "auto", threads: int = 0) -> dict[str, np.ndarray]:
    """Attributes of the data at the queries, from the neighbours that kann.search(data, queries) found.

    attributes: arrays of n values each, by name; None: all attributes of `data`, which is a Cloud then.
    by: "nearest", "mean", "idw" (inverse squared distance), "vote" (the most frequent whole number) or "rbf" (radial
        basis functions, with rbf_kernel, rbf_degree, rbf_smoothing and rbf_epsilon as scipy's RBFInterpolator means them).

    Returns arrays of m values each, by name: "nearest" and "vote" keep the type, others are float64. A query without
    neighbours has NaN, or 0 where values are whole numbers. Raises UsageError, InputError.
    """
    rows = _rows(found)
    if attributes is None:
        if not isinstance(data, Cloud):
            raise UsageError("attributes expects names and arrays, unless the data are a Cloud")
        attributes = data.attributes
    points = _arrays.points(data, "data")
    asked = options(periodic=found.report.get("periodic"), device=device, threads=threads)
    return _kann.transfer(points, _arrays.points(queries, "queries"), rows, _arrays.named_arrays(attributes, len(points)),
                          by, rbf_kernel, _arrays.small(rbf_degree, "rbf_degree"),
                          _arrays.number(rbf_smoothing, "rbf_smoothing"), _arrays.number(rbf_epsilon, "rbf_epsilon"), asked)


@dataclasses.dataclass(frozen=True)
class Outliers:
    """is_outlier: m of bool. A query is an outlier if its mean distance exceeds `threshold` = mean + sigma * deviation."""

    is_outlier: np.ndarray
    mean: float
    deviation: float
    threshold: float
    count: int


def outliers(found: Found, k: int | None = None, sigma: float = 1.0, *, threads: int = 0) -> Outliers:
    """Statistical outliers (Rusu et al. 2008, as in PCL): queries whose mean distance to their k nearest neighbours is more
    than `sigma` standard deviations above the average of all queries. Queries without neighbours are outliers, too.

    found: of a search of the cloud in itself, exact=True for the result of the command's --outliers.
    k: at most that of the search; None: all.
    """
    rows = _rows(found)
    count = rows.ids.shape[1] if k is None else _arrays.whole(k, "k")
    made = _kann.outliers(rows, count, _arrays.number(sigma, "sigma"), _arrays.small(threads, "threads"))
    made["is_outlier"] = made["is_outlier"].view(bool)
    return Outliers(**made)


def mean_distances(found: Found, k: int | None = None, *, threads: int = 0) -> np.ndarray:
    """m of float32: the mean distance of each query to its first k neighbours (None: to all); NaN without neighbours."""
    return _kann.mean_distances(_rows(found), 0 if k is None else _arrays.whole(k, "k"), _arrays.small(threads, "threads"))


def densities(found: Found, *, threads: int = 0) -> np.ndarray:
    """m of float64: the number of data points per unit of volume (2-D: area) around each query."""
    return _kann.densities(_rows(found), _dimensions(found), _arrays.small(threads, "threads"))


def statistics(found: Found, *, threads: int = 0) -> dict[str, Any]:
    """Statistics of the distances, with the keys of the command's report: `ranks` (a dictionary for each of the ranks 1 to
    16, the powers of two from 32 on, and k), `empty_rows` and `density`."""
    return _kann.statistics(_rows(found), _dimensions(found), _arrays.small(threads, "threads"))


def _verify(data: Any, queries: Any, found: Found, reference: _kann.Neighbors | None, sample: int, min_recall: float | None,
            threads: int, progress: Progress) -> dict[str, Any]:
    report = found.report
    asked = options(radius=report.get("radius"), periodic=report.get("periodic"),
                    include_self=report.get("include_self", False), threads=threads)
    made = _kann.verify(_arrays.points(data, "data"), None if queries is None else _arrays.points(queries, "queries"),
                        _rows(found), reference, _arrays.whole(sample, "sample"), report.get("method") == "exact", asked,
                        progress)
    if min_recall is not None and not made["recall"] >= min_recall:
        error = CheckError(f"recall {made['recall']:.4f} is below min_recall {min_recall}")
        error.accuracy = made
        raise error
    return made


def verify(data: Any, queries: Any, found: Found, *, sample: int = 0, min_recall: float | None = None, threads: int = 0,
           progress: Progress = None) -> dict[str, Any]:
    """Compares the result of kann.search(data, queries) with nanoflann, in float64, with the keys of the command's report:
    queries (that were compared), recall, identical_rows, distance_ratio, all_correct, faulty_rows and first_fault.

    queries: None if the data were the queries.
    sample: how many queries to compare; 0: all.
    min_recall: raise CheckError if the recall is below it.
    """
    return _verify(data, queries, found, None, sample, min_recall, threads, progress)


def compare(data: Any, queries: Any, found: Found, reference: Found | str | os.PathLike[str], *,
            min_recall: float | None = None, threads: int = 0, progress: Progress = None) -> dict[str, Any]:
    """Compares a result with another one, or with a file: a result of the command or a ground truth (npz, npy, bin, ibin,
    ivecs). Returns what verify() returns, and nearer_rows: rows of which `found` has a nearer neighbour than the
    reference."""
    rows = _rows(reference) if isinstance(reference, Found) else _kann.read_neighbors(_path(reference))
    return _verify(data, queries, found, rows, 0, min_recall, threads, progress)


def picture(cloud: Any, colors: Any, file: str | os.PathLike[str] | None = None, *, view: str | Sequence[float] = "auto",
            size: tuple[int, int] = (1600, 1200), label: str = "", color_range: tuple[float, float] | None = None,
            color_scale: str = "auto", force: bool = False, threads: int = 0) -> np.ndarray:
    """Draws a cloud, and writes it to `file`, a PNG, if there is one. Returns height x width x 3 of uint8.

    cloud: a Cloud, or n x 2 or n x 3 coordinates.
    colors: a value for each point, which a legend explains, or n x 3 of uint8: red, green and blue.
    view: "auto", "top", "front", "iso", or the direction from the cloud to the eye.
    size: width and height in pixels, 16 to 16,384 each.
    label: of the legend, such as "distance (m)".
    color_range: the values of the first and the last colour. color_scale: "auto", "linear" or "log".
    force: replace a file that exists.
    """
    points = _arrays.points(cloud, "cloud")
    array = _arrays.host_array(colors, "colors")
    if array.dtype == np.uint8 and array.shape == (len(points), 3):
        array = np.ascontiguousarray(array)
    elif array.shape == (len(points),) and array.dtype.kind in "biuf":
        array = np.ascontiguousarray(array, "f4")
    else:
        raise InputError(f"colors: {array.dtype} of the shape {array.shape}, but there are {len(points)} points, and each has "
                         "a number, or red, green and blue as uint8")
    path = None if file is None else pathlib.Path(_path(file))
    if path is not None and path.exists() and not force:
        raise UsageError(f"{path}: the file exists; force=True replaces it")
    direction = None if isinstance(view, str) else [_arrays.number(x, "view") for x in view]
    image, png = _kann.picture(points, array, view if isinstance(view, str) else "", direction,
                               _arrays.small(size[0], "size"), _arrays.small(size[1], "size"), label, color_range,
                               color_scale, _arrays.small(threads, "threads"), path is not None)
    if path is not None:
        path.write_bytes(png)
    return image
