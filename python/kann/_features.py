"""Features: the shape of neighbourhoods."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _kann
from ._search import Progress, options
from .errors import InputError, KannWarning, UsageError


def features(data: Any, queries: Any = None, k: int | None = None, *, radius: float | None = None,
             names: str | Sequence[str] = "normals", orient: str | Sequence[float] = "up",
             periodic: Sequence[float] | None = None, include_self: bool = False, device: str = "auto", threads: int = 0,
             invalid: str = "error", progress: Progress = None) -> dict[str, NDArray[Any]]:
    """Normals and other features of the neighbourhood of each query, from
    the covariance of its neighbours in `data`, as the command makes them
    with --features.

    data: n x 3 coordinates, or a Cloud.
    queries: m x 3, in the same unit. None: the data themselves, where each
        neighbourhood has the point itself beside its neighbours.
    k: neighbours per query, at least 3. None: 8, or all within `radius`.
    radius: no neighbour is farther than this.
    names: "normals", "curvature", "linearity", "planarity", "sphericity",
        "verticality", "omnivariance" and "density", one or several.
    orient: "up", or the point that normals look to: (x, y, z).

    periodic, include_self, device, threads, invalid and progress are as in
    kann.search(). The search is exact.

    Returns arrays of m values each, by name, float32; omnivariance and
    density are float64, and normals are m x 3. NaN where a neighbourhood
    has fewer than three points or does not determine a normal, as on a
    line.
    Raises what kann.search() raises.
    """
    asked_names = [names] if isinstance(names, str) else [_arrays.word(name, "names") for name in names]
    if not asked_names or len(set(asked_names)) < len(asked_names):
        raise UsageError(f"names expects each feature once, got {names!r}")
    all_within = k is None and radius is not None
    count = 8 if k is None else _arrays.whole(k, "k")
    if count < 3:
        raise UsageError(f"features need at least 3 neighbours, got k={count}")
    if isinstance(orient, str) and orient != "up":
        raise UsageError(f'orient expects "up" or a point (x, y, z), got {orient!r}')
    viewpoint = None if isinstance(orient, str) else _arrays.numbers(orient, "orient", 3)
    asked = options(count, exact=True, radius=radius, periodic=periodic, include_self=include_self, device=device,
                    threads=threads, invalid=invalid)
    data = _arrays.points(data, "data")
    if data.shape[1] != 3:
        raise InputError("data: points of 2 coordinates have no features, which are those of surfaces in space")
    if queries is not None:
        queries = _arrays.points(queries, "queries")
        _arrays.same_dimensions(data, queries)
    made, warned = _kann.features(data, queries, asked_names, viewpoint, all_within, asked, _arrays.callback(progress))
    for warning in warned:
        warnings.warn(warning, KannWarning, stacklevel=2)
    if "normals" not in asked_names:
        return made
    normals = np.stack([made.pop(axis) for axis in ("nx", "ny", "nz")], axis=1)
    return {name: normals if name == "normals" else made[name] for name in asked_names}
