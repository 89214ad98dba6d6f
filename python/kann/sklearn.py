"""Estimators of scikit-learn that search with kann:

    from kann.sklearn import NearestNeighbors   # was: sklearn.neighbors

They are scikit-learn's own classes with the same parameters, results and
errors. Points of up to three coordinates and Euclidean distances are
searched here, on all cores unless n_jobs says otherwise; all else is
scikit-learn's. Of points that are equally far, the one with the smaller
number comes first. They can be pickled, cloned, and parts of pipelines.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from . import _arrays, _kann, _lists
from ._search import Index, options

_cluster: Any = importlib.import_module("sklearn.cluster")
_neighbors: Any = importlib.import_module("sklearn.neighbors")
_validation: Any = importlib.import_module("sklearn.utils.validation")

__all__ = ["DBSCAN", "KNeighborsClassifier", "KNeighborsRegressor", "KNeighborsTransformer", "LocalOutlierFactor", "NearestNeighbors",
           "RadiusNeighborsTransformer"]


class _Tree:
    """What a fitted estimator asks, as it asks the KDTree of scikit-learn."""

    def __init__(self, data: Any, threads: int) -> None:
        self._index, self._threads = Index(data), threads

    def query(self, X: Any, k: int, return_distance: bool = True) -> Any:
        distances, ids = self._index.query(np.asarray(X), k, dtype="f8", threads=self._threads)
        distances, ids = np.reshape(distances, (len(X), k)), np.reshape(ids, (len(X), k)).astype(np.intp)
        return (distances, ids) if return_distance else ids

    def query_radius(self, X: Any, r: Any, return_distance: bool = False, sort_results: bool = False) -> Any:
        found = _lists.search_radius(self._index, X, r, dtype="f8", threads=self._threads)
        distances, ids = _arrays.in_order(found.indptr, found.distances, found.ids) if sort_results else (found.distances, found.ids)
        ids, ends = ids.astype(np.intp), found.indptr[1:-1]
        return (_rows(ids, ends), _rows(distances, ends)) if return_distance else _rows(ids, ends)


def _rows(values: Any, ends: Any) -> Any:
    rows = np.empty(len(ends) + 1, object)
    rows[:] = np.split(values, ends)
    return rows


def _is_searched(estimator: Any, X: Any) -> bool:
    """Whether kann finds what the estimator looks for."""
    is_euclidean = estimator.metric in ("euclidean", "l2") or estimator.metric == "minkowski" and estimator.p in (None, 2)
    return is_euclidean and not estimator.metric_params and isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] <= 3


class _Neighbors:
    """The part of estimators that makes their tree."""

    algorithm: str
    n_jobs: Any

    def _fit(self, X: Any, y: Any = None) -> Any:
        algorithm = self.algorithm
        try:
            self.algorithm = "brute"  # which makes no tree
            super()._fit(X, y)  # type: ignore[misc]
            fitted: Any = self
            if _is_searched(self, fitted._fit_X):
                fitted._tree, fitted._fit_method = _Tree(fitted._fit_X, max(self.n_jobs or 0, 0)), "kd_tree"
                return self
        finally:
            self.algorithm = algorithm
        return self if algorithm == "brute" else super()._fit(X, y)  # type: ignore[misc]


class NearestNeighbors(_Neighbors, _neighbors.NearestNeighbors):  # type: ignore[misc]
    """sklearn.neighbors.NearestNeighbors."""


class KNeighborsTransformer(_Neighbors, _neighbors.KNeighborsTransformer):  # type: ignore[misc]
    """sklearn.neighbors.KNeighborsTransformer."""


class RadiusNeighborsTransformer(_Neighbors, _neighbors.RadiusNeighborsTransformer):  # type: ignore[misc]
    """sklearn.neighbors.RadiusNeighborsTransformer."""


class KNeighborsClassifier(_Neighbors, _neighbors.KNeighborsClassifier):  # type: ignore[misc]
    """sklearn.neighbors.KNeighborsClassifier."""


class KNeighborsRegressor(_Neighbors, _neighbors.KNeighborsRegressor):  # type: ignore[misc]
    """sklearn.neighbors.KNeighborsRegressor."""


class LocalOutlierFactor(_Neighbors, _neighbors.LocalOutlierFactor):  # type: ignore[misc]
    """sklearn.neighbors.LocalOutlierFactor."""


class DBSCAN(_cluster.DBSCAN):  # type: ignore[misc]
    """sklearn.cluster.DBSCAN: the same labels. No list of neighbours is made, so
    that memory does not grow with eps."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        points: Any = None if self.metric == "precomputed" else _validation.validate_data(self, X, accept_sparse="csr")
        if sample_weight is not None or not _is_searched(self, points):
            return super().fit(X, y, sample_weight)
        self._validate_params()
        threads = max(self.n_jobs or 0, 0)
        is_core = _lists.count_radius(points, None, self.eps, include_self=True, threads=threads) >= self.min_samples
        made_of = _arrays.points(points, "X", None, None, True)
        labels, _ = _kann.cluster(made_of, self.min_samples, options(1, made_of.shape[1], radius=self.eps, threads=threads), None)
        # Clusters in the order of their first core points
        core = np.flatnonzero(is_core)
        of_core, first, number = np.unique(labels[core], return_index=True, return_inverse=True)
        made = np.full(len(points), -1, np.intp)
        made[core] = np.argsort(np.argsort(first))[number]
        # A border point is in the first of the clusters that reach it
        border = np.flatnonzero((labels >= 0) & ~is_core)
        if len(border) > 0:
            found = _lists.search_radius(points[core], points[border], self.eps, threads=threads)
            made[border] = np.minimum.reduceat(made[core][found.ids], found.indptr[:-1])
        self.labels_, self.core_sample_indices_, self.components_ = made, core, points[core]
        return self
