"""What can be made of neighbours: attributes, outliers, statistics, pictures and checks."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _kann
from ._clouds import Cloud
from ._found import Found
from ._search import Progress, options
from .errors import CheckError, InputError, ResourceError, UsageError


def _rows(found: Any) -> _kann.Neighbors:
    if not isinstance(found, Found):
        raise UsageError(f"found expects the result of a search, or kann.Found.of(ids, distances), got {type(found).__name__}")
    return found._host_rows()


def _dimensions(found: Found) -> int:
    return int(found.report["data"]["dimensions"])


def transfer(data: Any, queries: Any, found: Found, attributes: Mapping[str, Any] | None = None, *,
             by: str | Mapping[str, str] = "nearest", rbf_kernel: str = "thin_plate_spline", rbf_degree: int = 1,
             rbf_smoothing: float = 0.0, rbf_epsilon: float = 1.0, device: str = "auto", threads: int = 0) -> dict[str, NDArray[Any]]:
    """Attributes of the data at the queries, from the neighbours that
    kann.search(data, queries) found.

    attributes: arrays of n values each, by name; None: all attributes of
        `data`, which is a Cloud then.
    by: "nearest", "mean", "idw" (inverse squared distance), "vote" (the
        most frequent whole number) or "rbf" (radial basis functions, with
        rbf_kernel, rbf_degree, rbf_smoothing and rbf_epsilon as scipy's
        RBFInterpolator means them). {"class": "vote"}: for this attribute;
        "nearest" for the others.

    Instead of a mean of whole numbers other than coordinates, colours,
    intensity and scan angle, "vote" is taken, with a KannWarning, unless
    `by` names the attribute.

    Returns arrays of m values each, by name: "nearest" and "vote" keep the
    type, others are float64. A query without neighbours has NaN, or 0 where
    values are whole numbers. Raises UsageError, InputError.
    """
    rows = _rows(found)
    if attributes is None:
        if not isinstance(data, Cloud):
            raise UsageError("attributes expects names and arrays, unless the data are a Cloud")
        attributes = data.attributes
    sky = bool(found.report.get("sky"))
    points = _arrays.points(data, "data", sky)
    arrays = _arrays.stored(attributes, len(points))
    named = [(str(name), str(method)) for name, method in by.items()] if isinstance(by, Mapping) else []
    if unknown := {name for name, _ in named} - {name for name, *_ in arrays}:
        raise UsageError(f"by has '{sorted(unknown)[0]}', which is none of the attributes")
    if sky and (by == "rbf" or isinstance(by, Mapping) and "rbf" in by.values()):
        raise UsageError('by="rbf" does not go with sky; take idw')
    asked = options(periodic=found.report.get("periodic"), images=found.report.get("images", "nearest"), device=device, threads=threads)
    made, warned = _kann.transfer(
        points, _arrays.points(queries, "queries", sky, points), rows, arrays, "nearest" if isinstance(by, Mapping) else str(by), named,
        str(rbf_kernel), _arrays.small(rbf_degree, "rbf_degree"), _arrays.number(rbf_smoothing, "rbf_smoothing"),
        _arrays.number(rbf_epsilon, "rbf_epsilon"), asked)
    _arrays.warn(warned)
    return {name: _arrays.of_texts(values) for name, values in made.items()}


@dataclasses.dataclass(frozen=True)
class Outliers:
    """is_outlier: m of bool. A query is an outlier if its mean distance
        exceeds `threshold` = mean + sigma * deviation."""

    is_outlier: NDArray[np.bool_]
    mean: float
    deviation: float
    threshold: float
    count: int


def outliers(found: Found, k: int | None = None, sigma: float = 1.0, *, threads: int = 0) -> Outliers:
    """Statistical outliers (Rusu et al. 2008, as in PCL): queries whose mean
    distance to their k nearest neighbours is more than `sigma` standard
    deviations above the average of all queries. Queries without neighbours
    are outliers, too.

    found: of a search of the cloud in itself.
    k: at most that of the search; None: all.
    """
    rows = _rows(found)
    count = rows.ids.shape[1] if k is None else _arrays.whole(k, "k")
    made = _kann.outliers(rows, count, _arrays.number(sigma, "sigma"), _arrays.threads(threads))
    made["is_outlier"] = made["is_outlier"].view(bool)
    return Outliers(**made)


def mean_distances(found: Found, k: int | None = None, *, threads: int = 0) -> NDArray[np.float32]:
    """m of float32: the mean distance of each query to its first k neighbours
    (None: to all); NaN without neighbours."""
    return _kann.mean_distances(_rows(found), 0 if k is None else _arrays.whole(k, "k"), _arrays.threads(threads))


def median_distances(found: Found, *, threads: int = 0) -> NDArray[np.float32]:
    """m of float32: the median distance of each query to its neighbours; NaN
    without neighbours."""
    return _kann.median_distances(_rows(found), _arrays.threads(threads))


def local_outlier_factors(found: Found, *, threads: int = 0) -> NDArray[np.float64]:
    """n of float64: the local outlier factor of each point (Breunig et al.
    2000), as scikit-learn's LocalOutlierFactor has it: 1 in a crowd of any
    density, and larger for points beside it; NaN without neighbours.

    found: of a search of the cloud in itself; UsageError: of another.
    """
    rows = _rows(found)
    if found.report.get("self_query") is False:
        raise UsageError("found expects neighbours of points among themselves: a search without queries")
    return _kann.local_outlier_factors(rows, _arrays.threads(threads))


def densities(found: Found, *, threads: int = 0) -> NDArray[np.float64]:
    """m of float64: the number of data points per unit of volume (2-D: area;
    on the sky: of area in the square of the unit) around each query, in the
    ball that ends at its last neighbour."""
    return _kann.densities(_rows(found), _dimensions(found), found.report.get("sky"), _arrays.threads(threads))


def statistics(found: Found, *, threads: int = 0) -> dict[str, Any]:
    """Statistics of the distances, with the keys of the command's report:
    `ranks` (a dictionary for each of the ranks 1 to 16, the powers of two
    from 32 on, and k), `empty_rows` and `density`."""
    return _kann.statistics(_rows(found), _dimensions(found), found.report.get("sky"), _arrays.threads(threads))


def histogram(found: Found, file: str | os.PathLike[str] | None = None, *, force: bool = False, threads: int = 0) -> str:
    """Draws the distribution of the distances to the nearest neighbour, and
    writes it to `file`, an SVG, if there is one. Returns the text of the
    SVG.

    force: replace a file that exists. Raises UsageError (the file exists).
    """
    report = found.report if isinstance(found, Found) else {}
    quality = report.get("method", "")
    if report.get("periodic"):
        quality = f"exact, periodic {','.join(f'{side:g}' for side in report['periodic'])}"
        quality += " with all images" if report.get("images") == "all" else ""
    elif report.get("sky"):
        quality = f"exact, on the sky in {report['sky']}"
    elif "sample" in report:
        recall, count = report["sample"]["recall"], report["sample"]["queries"]
        quality = "approximate" if recall is None else (
            f"approximate, recall {recall:.4f} ({count} {'query' if count == 1 else 'queries'} sampled)")
    svg = _kann.histogram(_rows(found), _dimensions(found), quality, _arrays.threads(threads))
    _write(file, svg.encode(), force)
    return svg


def _write(file: str | os.PathLike[str] | None, content: bytes, force: bool) -> None:
    """Writes a file, if there is one."""
    if file is None:
        return
    path = pathlib.Path(_arrays.path(file))
    try:
        with open(path, "wb" if force else "xb") as opened:
            opened.write(content)
    except FileExistsError:
        raise UsageError(f"{path}: File exists; use force=True to replace it") from None
    except OSError as error:
        raise ResourceError(f"{path}: {error.strerror}") from error


def _verify(data: Any, queries: Any, found: Found, reference: _kann.Neighbors | None, group: Any, other_group: Any, sample: int,
            min_recall: float | None, threads: int, progress: Progress) -> dict[str, Any]:
    report = found.report
    if report.get("limits"):
        raise UsageError(f"rows that were searched with {', '.join(report['limits'])} are not judged")
    least = None if min_recall is None else _arrays.number(min_recall, "min_recall")
    sky = bool(report.get("sky"))
    asked = options(radius=report.get("radius"), periodic=report.get("periodic"), images=report.get("images", "nearest"), sky=sky, unit=report.get("sky"),
                    include_self=report.get("include_self", False), threads=threads)
    data, queries = _arrays.clouds(data, queries, sky)
    groups = _arrays.groups(group, other_group, len(data), None if queries is None else len(queries))
    made = _kann.verify(data, queries, _rows(found), groups, reference, _arrays.whole(sample, "sample"), report.get("method") == "exact", asked,
                        _arrays.callback(progress))
    if least is not None and not made["recall"] >= least:
        error = CheckError(f"recall {made['recall']:.4f} is below min_recall {min_recall}")
        error.accuracy = made
        raise error
    return made


def verify(data: Any, queries: Any, found: Found, *, group: Any = None, other_group: Any = None, sample: int = 0,
           min_recall: float | None = None, threads: int = 0, progress: Progress = None) -> dict[str, Any]:
    """Compares the result of kann.search(data, queries) with nanoflann, in
    float64, with the keys of the command's report: queries (that were
    compared), recall, identical_rows, distance_ratio, all_correct,
    faulty_rows and first_fault.

    queries: None if the data were the queries.
    group, other_group: what the search had.
    sample: how many queries to compare; 0: all.
    min_recall: raise CheckError if the recall is below it.
    """
    return _verify(data, queries, found, None, group, other_group, sample, min_recall, threads, progress)


def compare(data: Any, queries: Any, found: Found, reference: Found | str | os.PathLike[str], *,
            group: Any = None, other_group: Any = None, min_recall: float | None = None, threads: int = 0,
            progress: Progress = None) -> dict[str, Any]:
    """Compares a result with another one, or with a file: a result of the
    command or a ground truth (npz, npy, bin, ibin, ivecs). Returns what
    verify() returns, and nearer_rows: rows of which `found` has a nearer
    neighbour than the reference."""
    rows = _rows(reference) if isinstance(reference, Found) else _kann.read_neighbors(_arrays.path(reference))
    return _verify(data, queries, found, rows, group, other_group, 0, min_recall, threads, progress)


def picture(cloud: Any, colors: Any, file: str | os.PathLike[str] | None = None, *, view: str | Sequence[float] = "auto",
            size: tuple[int, int] = (1600, 1200), label: str = "", color_range: tuple[float, float] | None = None,
            color_scale: str = "auto", force: bool = False, threads: int = 0) -> NDArray[np.uint8]:
    """Draws a cloud, and writes it to `file`, a PNG, if there is one. Returns
    height x width x 3 of uint8.

    cloud: a Cloud, or n x 2 or n x 3 coordinates.
    colors: a value for each point, which a legend explains, the name of an
        attribute of the Cloud, or n x 3 of uint8: red, green and blue.
    view: "auto", "top", "front", "iso", or the direction from the cloud to
        the eye.
    size: width and height in pixels, 16 to 16,384 each.
    label: of the legend, such as "distance (m)"; default: the name of the
        attribute.
    color_range: the values of the first and the last colour. color_scale:
        "auto", "linear" or "log".
    force: replace a file that exists.
    """
    points = _arrays.points(cloud, "cloud")
    if isinstance(colors, str) and isinstance(cloud, Cloud):
        colors, label = cloud[colors], label or colors
    array = _arrays.host_array(colors, "colors")
    if array.dtype == np.uint8 and array.shape == (len(points), 3):
        array = np.ascontiguousarray(array)
    elif array.shape == (len(points),) and array.dtype.kind in "biuf":
        with np.errstate(over="ignore"):
            array = np.ascontiguousarray(array, "f4")
    else:
        raise InputError(f"colors: {array.dtype} of the shape {array.shape}, but there are {len(points)} points, and each has "
                         "a number, or red, green and blue as uint8")
    direction = None if isinstance(view, str) else _arrays.numbers(view, "view", 3)
    width, height = (_arrays.small(pixels, "size") for pixels in (size if np.shape(size) == (2,) else [size] * 2))
    ends = None if color_range is None else _arrays.numbers(color_range, "color_range", 2)
    image, png = _kann.picture(points, array, view if isinstance(view, str) else "", direction, width, height,
                               _arrays.word(label, "label"),
                               None if ends is None else (ends[0], ends[1]),
                               _arrays.word(color_scale, "color_scale"), _arrays.threads(threads), file is not None)
    _write(file, png, force)
    return image
