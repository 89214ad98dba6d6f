"""Clouds for tests, and the rows of ids that distances of all pairs of points give."""

import numpy


def points(count, dimensions=3, seed=1, dtype="f4"):
    return numpy.random.default_rng(seed).random((count, dimensions)).astype(dtype)


def batch(count, groups, seed=1):
    """Some numbers are missing, and some are negative."""
    return numpy.random.default_rng(seed).integers(-1, groups, count) * 3


def wanted(data, queries=None, k=None, radius=numpy.inf, groups=None, include_self=False):
    """The rows of ids by distance and id, of all pairs of points."""
    asked = data if queries is None else queries
    far = numpy.sqrt(((asked[:, None].astype("f8") - data[None].astype("f8")) ** 2).sum(2))
    if queries is None and not include_self:
        numpy.fill_diagonal(far, numpy.inf)
    if groups is not None:
        of_data, of_queries = groups if isinstance(groups, tuple) else (groups, groups)
        far[of_queries[:, None] != of_data[None]] = numpy.inf
    near = far <= min(radius, 1e300)
    order = numpy.argsort(far, axis=1, kind="stable")
    return [[int(i) for i in row if is_near[i]][:k] for row, is_near in zip(order, near)]


def edges_of(rows):
    return [(query, i) for query, row in enumerate(rows) for i in row]
