"""The k nearest neighbours of every point of 2-D and 3-D point clouds, on the
CPU and on NVIDIA GPUs.

    import kann
    found = kann.search(data, queries, k=8)     # found.ids, found.distances
    index = kann.Index(data)                    # for many searches
    distances, ids = index.query(queries, k=8)  # as scipy's cKDTree
    tree = kann.KDTree(data)                    # all of scipy's KDTree
    lists = kann.search_radius(data, queries, 0.5)  # all within a radius
    labels = kann.cluster(data, 0.5, min_points=10)  # DBSCAN
    pairs = kann.match(data, queries, 0.5)      # pairs.queries, pairs.ids
    table = kann.join(left, right, radius=0.5)  # a DataFrame of two DataFrames
    cloud = kann.read("scan.las")               # cloud.points, cloud["intensity"]
    kann.write("out.ply", cloud)

Options have the names of those of the command `kann`, which is installed
with the module; `python -m kann` runs it, too. Failures are kann.Error,
whose subclasses are the exit codes of the command.
"""

from ._cuda13 import use_cuda13

use_cuda13()  # before any other module takes _kann

from . import _arrays, _kann
from ._atoms import neighbor_list
from ._clouds import Cloud, Grid, grid, read, write
from ._clusters import cluster
from ._features import features
from ._found import Found
from ._kdtree import KDTree
from ._lists import Lists, count_radius, search_radius
from ._match import Matches, join, match
from ._products import (
    Outliers,
    compare,
    densities,
    histogram,
    local_outlier_factors,
    mean_distances,
    median_distances,
    outliers,
    picture,
    statistics,
    transfer,
    verify,
)
from ._search import Index, search
from .errors import (
    CheckError,
    DeviceError,
    Error,
    InputError,
    InternalError,
    KannWarning,
    OutOfMemoryError,
    ResourceError,
    UsageError,
)

__version__ = _kann.version


def cuda_reason(index: int = 0) -> str:
    """Why the CUDA device with this number cannot be used; empty if it can."""
    return _kann.cuda_reason(_arrays.small(index, "index"))


__all__ = [
    "CheckError", "Cloud", "DeviceError", "Error", "Found", "Grid", "Index", "InputError", "InternalError",
    "KDTree", "KannWarning", "Lists", "Matches", "OutOfMemoryError", "Outliers", "ResourceError", "UsageError", "cluster", "compare",
    "count_radius", "cuda_reason", "densities", "features", "grid", "histogram", "join", "local_outlier_factors", "match",
    "mean_distances", "median_distances", "neighbor_list", "outliers", "picture", "read", "search", "search_radius", "statistics", "transfer",
    "verify", "write",
]
