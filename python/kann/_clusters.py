"""Clusters: DBSCAN, and friends of friends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _kann
from ._device import through_host
from ._search import Progress, options
from .errors import UsageError


@through_host
def cluster(points: Any, radius: float, min_points: int = 1, *, periodic: _arrays.Box | None = None,
            sky: bool | None = None, unit: str | None = None, device: str = "auto", threads: int = 0,
            invalid: str = "error", progress: Progress = None) -> NDArray[np.int32]:
    """The cluster of each point, as the command finds it with --cluster:
    n numbers, int32, from 0 in the order of the points; -1 is noise.

    points: n x 2 or n x 3 coordinates, a Cloud or an Index.
    radius: in the unit of the coordinates, as eps of scikit-learn's DBSCAN.
    min_points: a point with as many within the radius, itself among them,
        is a core point, as min_samples of scikit-learn. With 1, clusters
        are connected components: friends of friends.

    A point that is no core point is in the cluster of its nearest core
    point within the radius. Other
    options, and what is raised, are as in kann.search().
    """
    limit, least = _arrays.limit(radius), _arrays.whole(min_points, "min_points", 1)
    if not 0 < limit < math.inf:
        raise UsageError(f"radius expects a finite number greater than 0, got {radius!r:.80}")
    sky = _arrays.on_sphere(sky, points)
    points = _arrays.points(points, "points", sky, None, True)
    asked = options(1, points.shape[1], radius=limit, periodic=periodic, sky=sky, unit=unit, device=device, threads=threads,
                    invalid=invalid)
    labels: NDArray[np.int32]
    labels, told = _kann.cluster(points, least, asked, _arrays.callback(progress))
    _arrays.warn(told)
    return labels
