"""Features: the shape of neighbourhoods."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _kann
from ._device import through_host
from ._lists import Given
from ._search import Progress, options
from .errors import InputError, UsageError


@through_host
def features(data: Any, queries: Any = None, k: int | str | None = None, *, radius: float | None = None,
             names: str | Iterable[str] = "normals", orient: str | Sequence[float] = "up",
             periodic: _arrays.Box | None = None, images: str = "nearest", group: Any = None, other_group: Any = None, include_self: bool = False, device: str = "auto", threads: int = 0,
             invalid: str = "error", progress: Progress = None) -> dict[str, NDArray[Any]]:
    """Normals and other features of the neighbourhood of each query, from
    the covariance of its neighbours in `data`, as the command makes them
    with --features.

    data: n x 3 coordinates, a Cloud or an Index.
    queries: m x 3, in the same unit. None: the data themselves, where each
        neighbourhood has the point itself beside its neighbours.
    k: neighbours per query, at least 3; "all": all within `radius`. None:
        8 or, with `radius`, "all".
    radius: no neighbour is farther than this.
    names: "normals", "curvature", "linearity", "planarity", "sphericity",
        "verticality", "omnivariance" and "density": a list of some, or a
        text such as "normals,curvature".
    orient: "up", or the point that normals look to: (x, y, z).

    periodic, images, group, other_group, include_self, device, threads,
    invalid and progress are as in kann.search().

    Returns arrays of m values each, by name, float32; omnivariance and
    density are float64, and normals are m x 3. NaN where a neighbourhood
    has fewer than three points or does not determine a normal, as on a
    line.
    Raises what kann.search() raises.
    """
    asked_names = _names(names)
    is_all = isinstance(k, str) and k == "all" or k is None and radius is not None
    if is_all and radius is None:
        raise UsageError('k="all" needs a radius')
    count = 8 if k is None or is_all else _arrays.whole(k, "k")
    if count < 3:
        raise UsageError(f"features need at least 3 neighbours, got k={count}")
    if isinstance(orient, str) and orient != "up":
        raise UsageError(f'orient expects "up" or a point (x, y, z), got {orient!r}')
    viewpoint = None if isinstance(orient, str) else _arrays.numbers(orient, "orient", 3)
    asked = options(count, radius=radius, periodic=periodic, images=images, include_self=include_self, device=device,
                    threads=threads, invalid=invalid)
    given = Given(data, queries, group, other_group, False)
    if given.points.shape[1] != 3:
        raise InputError("data: points of 2 coordinates have no features, which are those of surfaces in space")
    points = given.points if given.queries is None else given.queries
    with_query = given.queries is None and not include_self and other_group is None
    if is_all:
        indptr, ids, distances, report = given.lists(asked, progress)
        made = _kann.features_of_lists(given.points, points, indptr, ids, distances, asked_names, viewpoint, with_query, asked)
    else:
        rows, report = given.rows(asked, progress)
        made = _kann.features(given.points, points, rows, asked_names, viewpoint, with_query, asked)
    _arrays.warn(report["warnings"])
    if "normals" not in asked_names:
        return made
    normals = np.stack([made.pop(axis) for axis in ("nx", "ny", "nz")], axis=1)
    return {name: normals if name == "normals" else made[name] for name in asked_names}


def _names(names: Any) -> list[str]:
    words = names.split(",") if isinstance(names, str) else names
    made = [_arrays.word(word, "names").strip() for word in words] if isinstance(words, Iterable) else []
    if not made or not all(map(_kann.is_feature, made)):
        raise UsageError(f"names expects one or several of {_kann.feature_names}, got {names!r:.80}")
    if len(set(made)) < len(made):
        raise UsageError(f"names expects each feature once, got {names!r:.80}")
    return made
