"""KDTree: scipy's class by its words."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays
from ._lists import Given
from ._search import Index, options
from .errors import InputError, UsageError


class KDTree:
    """scipy.spatial.KDTree for points of one to three coordinates: the same
    calls, and the same results.

    boxsize: the sides of a periodic box; a number for all, 0 for an axis
        that does not repeat. The points lie in [0, boxsize).

    All answers are exact, so that leafsize, compact_nodes and balanced_tree
    make no difference; with eps, all points up to r (1 + eps) are within r.
    workers is -1 by default: all cores. Of points that are equally far, the
    one with the smaller number comes first. There are no nodes. Raises
    UsageError (p is not 2), InputError; both are ValueError.
    """

    def __init__(self, data: ArrayLike, leafsize: int = 10, compact_nodes: bool = True, copy_data: bool = False,
                 balanced_tree: bool = True, boxsize: Any = None) -> None:
        self.data = _finite(data, "data")
        if copy_data and self.data is data:
            self.data = self.data.copy()
        self.leafsize, self._index = leafsize, Index(self.data)
        self.n, self.m = self._index.n, self._index.m
        self.mins, self.maxes = self.data.min(0, initial=np.inf), self.data.max(0, initial=-np.inf)
        self.boxsize: NDArray[np.float64] | None = None
        if boxsize is not None:
            self.boxsize = np.broadcast_to(np.asarray(boxsize, "f8"), (self.m,)).copy()
            if (((self.data >= self.boxsize) | (self.data < 0)) & (self.boxsize > 0)).any():
                raise InputError("data: some coordinates are outside of the periodic box: they are at least 0, and below its sides")

    def query(self, x: ArrayLike, k: Any = 1, eps: float = 0, p: float = 2, distance_upper_bound: float = math.inf,
              workers: int = -1) -> tuple[Any, Any]:
        """(distances, ids) of the k nearest neighbours that are nearer than the
        bound, or of the ranks in the list `k`, counted from 1. Missing ones
        have the distance inf and the id n."""
        _check(eps, p)
        several = None if isinstance(k, int) else np.asarray(k)
        if k < 1 if several is None else several.ndim > 1 or several.size == 0 or several.dtype.kind not in "iu" or several.min() < 1:
            raise UsageError(f"k must be an integer or a sequence of integers of at least 1, got {k!r:.80}")
        asked, most = self._points(x), k if several is None else int(several.max())
        # In a box, a radius may not pass half of a side
        radius = None if self.boxsize is not None or not 0 <= distance_upper_bound < math.inf else distance_upper_bound
        distances, found = self._index.query(asked, most, radius=radius, periodic=self.boxsize, threads=max(workers, 0), dtype="f8")
        ids: Any = found.astype(np.intp)
        if distance_upper_bound < math.inf:  # what is exactly as far is no neighbour here
            is_near = distances < distance_upper_bound
            distances, ids = np.where(is_near, distances, np.inf)[()], np.where(is_near, ids, self.n)[()]
        if several is None or several.ndim == 0:
            return distances, ids
        shape = *asked.shape[:-1], most
        return distances.reshape(shape)[..., several - 1], ids.reshape(shape)[..., several - 1]

    def query_ball_point(self, x: ArrayLike, r: ArrayLike, p: float = 2, eps: float = 0, workers: int = -1,
                         return_sorted: bool | None = None, return_length: bool = False) -> Any:
        """The ids of all points within r of each point of x, r itself included:
        a list for one point, else an array of lists, in the order of the ids;
        or only how many they are. r may be one number for each point."""
        _check(eps, p)
        asked = self._points(x)
        shape = asked.shape[:-1]
        if not shape and np.ndim(r) == 0:  # one by one, each microsecond counts
            (_, ids, *_), _, _, repeats = self._lists(asked[None], r * (1 + eps), workers)  # type: ignore[operator]
            found = np.unique(ids) if repeats else np.sort(ids)
            return len(found) if return_length else found.tolist()
        radii = np.broadcast_to(np.asarray(r, "f8") * (1 + eps), shape).reshape(-1)
        if return_length:
            return self._counts(asked.reshape(-1, self.m), radii, workers).reshape(shape)[()]
        rows, ids, _ = self._within(asked.reshape(-1, self.m), radii, workers, False)
        begins = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(radii)))))
        lists, ends = ids.tolist(), begins.tolist()
        if not shape:
            return lists
        made = np.empty(len(radii), object)
        made[:] = [lists[begin:end] for begin, end in zip(ends, ends[1:])] if len(radii) else []
        return made.reshape(shape)

    def query_ball_tree(self, other: KDTree, r: float, p: float = 2, eps: float = 0) -> list[list[int]]:
        """For each point of this tree, the ids of those of the other within r."""
        return list(_tree(other).query_ball_point(self.data, r, p, eps))

    def query_pairs(self, r: float, p: float = 2, eps: float = 0, output_type: str = "set") -> Any:
        """All pairs i < j within r: a set of pairs, or with "ndarray" an array
        of two columns."""
        _check(eps, p)
        if output_type not in ("set", "ndarray"):
            raise UsageError(f'output_type expects "set" or "ndarray", got {output_type!r:.80}')
        (indptr, ids, *_), _, _, repeats = self._lists(self.data, r * (1 + eps), -1)
        rows = np.repeat(np.arange(self.n, dtype="i4"), np.diff(indptr))
        is_kept = rows < ids
        pairs = np.stack((rows[is_kept], ids[is_kept]), 1, dtype=np.intp)
        pairs = np.unique(pairs, axis=0) if repeats else pairs
        return pairs if output_type == "ndarray" else set(zip(*pairs.T.tolist()))

    def count_neighbors(self, other: KDTree, r: ArrayLike, p: float = 2, weights: Any = None, cumulative: bool = True) -> Any:
        """How many pairs of a point of this tree and one of the other are
        within r, or the sum of the products of their weights; for several
        r, with cumulative=False those between one and the next."""
        _check(0, p)
        radii, other = np.asarray(r, "f8"), _tree(other)
        if not cumulative and (np.diff(np.ravel(radii)) < 0).any():
            raise UsageError("r must not decrease with cumulative=False")
        if weights is not None:
            if not isinstance(weights, tuple) and self is not other:
                raise UsageError("weights of two different trees are a tuple: (those of this tree, those of the other)")
            pair = weights if isinstance(weights, tuple) else (weights, weights)
            rows, ids, far = other._within(self.data, radii.max(initial=0))
            products = np.ones(len(rows))
            for values, places, tree in zip(pair, (rows, ids), (self, other)):
                if values is not None:
                    products *= np.broadcast_to(np.asarray(values, "f8"), (tree.n,))[places]
            order = np.argsort(far, kind="stable")
            sums = np.concatenate(([0.0], np.cumsum(products[order])))
            counts = sums[np.searchsorted(far[order], radii, side="right")]
        else:
            counts = np.reshape([other._counts(self.data, radius).sum() for radius in radii.flat], radii.shape).astype(np.intp)
        made = counts if cumulative or radii.ndim == 0 else np.concatenate((counts[:1], np.diff(counts)))
        return made.item() if radii.ndim == 0 and weights is None else made[()]

    def sparse_distance_matrix(self, other: KDTree, max_distance: float, p: float = 2, output_type: str = "dok_matrix") -> Any:
        """The distances between points of this tree and of the other, up to the
        largest: a matrix of scipy.sparse by its name, "dict" or "ndarray"."""
        _check(0, p)
        rows, ids, distances = _tree(other)._within(self.data, max_distance)
        if output_type == "dict":
            return dict(zip(zip(rows.tolist(), ids.tolist()), distances.tolist()))
        if output_type == "ndarray":
            made = np.empty(len(rows), [("i", np.intp), ("j", np.intp), ("v", "f8")])
            made["i"], made["j"], made["v"] = rows, ids, distances
            return made
        kind, _, what = output_type.partition("_")
        if kind not in ("coo", "dok") or what not in ("matrix", "array"):
            raise UsageError(f'output_type expects "dict", "ndarray", "coo_matrix", "dok_matrix", "coo_array" or "dok_array", got {output_type!r:.80}')
        sparse = getattr(importlib.import_module("scipy.sparse"), f"coo_{what}")((distances, (rows, ids)), (self.n, other.n))
        return sparse if kind == "coo" else sparse.todok()

    def _points(self, x: ArrayLike) -> NDArray[np.float64]:
        asked = _finite(x, "x")
        if asked.ndim == 0 or asked.shape[-1] != self.m:
            raise InputError(f"x: the shape is {asked.shape}, and the last number must be {self.m}, as the data are {self.m}-D")
        return asked

    def _lists(self, queries: NDArray[np.float64], radii: Any, workers: int, counts: bool = False) -> Any:
        """(found, given, asked, whether it is found several times): the points
        within the radius of each query. Where half of the box is no more than
        the largest, each image is found."""
        most, box = float(np.max(radii, initial=0) if np.ndim(radii) else radii), self.boxsize
        if math.isnan(most):
            raise UsageError("r expects numbers, got NaN")
        repeats = box is not None and bool((box > 0).any()) and 2.001 * most >= box[box > 0].min()
        if box is not None and repeats:
            spread = np.ptp(np.concatenate((self.data, queries)), 0) if self.n else 0
            most = min(most, 1.001 * float(np.linalg.norm(np.where(box == 0, spread, box))))
        given = Given(self._index, queries, None, None, False)
        one, limits = (most, None) if np.size(radii) < 2 or np.ptp(radii) == 0 else _arrays.limits(np.minimum(radii, most), None, None, len(queries))
        asked = options(1, given.points.shape[1], radius=None if one is None else _arrays.limit(one), periodic=box,
                        images="all" if repeats else "nearest", threads=max(workers, 0))
        return given.lists(asked, None, counts and not repeats, limits, False), given, asked, repeats

    def _counts(self, queries: NDArray[np.float64], radii: Any, workers: int = -1) -> Any:
        """How many points are within the radius of each query."""
        (indptr, *_), _, _, repeats = self._lists(queries, radii, workers, True)
        if not repeats:
            return np.diff(indptr)
        return np.bincount(self._within(queries, radii, workers, False)[0], minlength=len(queries))

    def _within(self, queries: NDArray[np.float64], radii: Any, workers: int = -1, distances: bool = True) -> tuple[Any, Any, Any]:
        """(rows, ids, distances) of all pairs of a query and a point within its
        radius, in the order of (row, id)."""
        (indptr, ids, far, _), given, asked, repeats = self._lists(queries, radii, workers)
        rows = np.repeat(np.arange(len(queries)), np.diff(indptr))
        keys = rows * max(self.n, 1) + ids
        if not (distances or repeats):
            keys.sort()
            return rows, keys - rows * max(self.n, 1), None
        far, *_ = given.vectors((indptr, ids, far), asked, "distances")
        order = np.argsort(keys, kind="stable")  # the nearest image comes first
        rows, ids, far = rows[order], ids[order], far[order]
        is_kept = np.ones(len(rows), bool)
        if repeats:
            is_kept[1:] = (rows[1:] != rows[:-1]) | (ids[1:] != ids[:-1])
        return rows[is_kept], ids[is_kept], far[is_kept]


def _tree(other: Any) -> KDTree:
    if not isinstance(other, KDTree):
        raise TypeError(f"other expects a kann.KDTree, got {other!r:.80}")
    return other


def _finite(values: ArrayLike, name: str) -> NDArray[np.float64]:
    if np.iscomplexobj(values):
        raise TypeError(f"{name}: complex data")
    made = np.ascontiguousarray(values, "f8") if np.ndim(values) else np.asarray(values, "f8")
    if not np.isfinite(made).all():
        raise InputError(f"{name}: coordinates must be finite, without NaN")
    return made


def _check(eps: float, p: float) -> None:
    if p != 2:
        raise UsageError(f"p expects 2, the Euclidean distance, got {p!r:.80}")
    if not eps >= 0:
        raise UsageError(f"eps expects a number of at least 0, got {eps!r:.80}")
