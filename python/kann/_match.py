"""Joins: pairs of points of two clouds."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _kann, _tables
from ._device import through_host
from ._lists import Given, Lists
from ._search import Progress, options
from .errors import InputError, UsageError


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Matches:
    """Pairs of a query and a data point, in the order of (query, distance,
    id).

    queries: int32: the row numbers of the queries.
    ids: int32: those of the data.
    distances: float32, or dtype: in the unit of the coordinates, or of
        `unit`.
    report: what the search did, with the keys that `kann --json` has for
        it.
    """

    queries: NDArray[np.int32]
    ids: NDArray[np.int32]
    distances: NDArray[Any]
    report: dict[str, Any]

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<kann.Matches: {len(self)} pairs>"


@through_host
def match(data: Any, queries: Any = None, radius: float | None = None, *, k: int | str | None = None,
          mutual: bool = False, one_to_one: bool = False, periodic: _arrays.Box | None = None, sky: bool | None = None,
          unit: str | None = None, group: Any = None, other_group: Any = None, device: str = "auto", threads: int = 0,
          invalid: str = "error", dtype: Any = np.float32, progress: Progress = None) -> Matches:
    """Joins two clouds: pairs each of `queries` with its nearest point of
    `data`, as the command does with --join inner.

    data: n x 2 or n x 3 coordinates, a Cloud or an Index.
    queries: m x 2 or m x 3, in the same unit. None: the data themselves,
        where no point is in a pair with itself.
    radius: no pair is farther apart; without it, every query has a pair.
    k: each query is paired with so many nearest points; "all": with all
        within the radius. None: 1, and with one_to_one 8.
    mutual: only pairs of which each is the nearest of the other.
    one_to_one: each point is in one pair at most. Of the pairs that k
        allows, the one with the smallest (distance, query, id) is kept, all
        others of its two points are dropped, and so on. A KannWarning says
        for how many queries a larger k might find a pair; with k="all"
        there are none.

    Other options, and what is raised, are as in kann.search(). Arrays on a
    GPU are copied to the host, and the result back.
    """
    is_all = isinstance(k, str) and k == "all"
    if mutual and (is_all or k not in (None, 1)):
        raise UsageError(f"mutual is about the nearest neighbour of each point: leave out k, got {k!r}")
    if is_all and radius is None:
        raise UsageError('k="all" needs a radius')
    in_row = k if k is not None else 8 if one_to_one and not mutual else 1
    sky, is_float64 = _arrays.on_sphere(sky, data, queries), _arrays.is_float64(dtype)
    given = Given(data, queries, group, other_group, sky)
    asked = options(1 if is_all else in_row, given.points.shape[1], radius=_arrays.limit(radius) if is_all else radius, periodic=periodic, sky=sky,
                    unit=unit, device=device, threads=threads, invalid=invalid)
    found = _pairs(given, asked, in_row, is_all, mutual, one_to_one, progress)
    if is_float64:
        asking = given.points if given.queries is None else given.queries
        each = np.arange(len(found.ids) + 1)
        distances, *_ = _kann.vectors_of_lists(given.points, asking[found.queries], each, found.ids, found.distances, asked, ["distances"])
        found = dataclasses.replace(found, distances=distances)
    return found


def _pairs(given: Given, asked: _kann.SearchOptions, in_row: Any, is_all: bool, mutual: bool, one_to_one: bool, progress: Progress) -> Matches:
    if is_all:
        indptr, ids, distances, report = given.lists(asked, progress)
        _arrays.warn(report["warnings"])
        if one_to_one:
            return _matches(_kann.one_to_one_lists(indptr, ids, distances, len(given.points)), report)
        return Matches(Lists(indptr, ids, distances, report).pairs()[:, 0], ids, distances, report)
    rows, report = given.rows(asked, progress)
    _arrays.warn(report["warnings"])
    if mutual:
        of_data = rows
        if given.queries is not None:
            swapped = None if given.groups is None else (given.groups[1], given.groups[0], *given.groups[2:])
            of_data, _ = _kann.search(given.queries, given.points, swapped, None, asked, _arrays.callback(progress))
        return _matches(_kann.mutual_pairs(rows, of_data), report)
    if one_to_one:
        rows, cut_off = _kann.one_to_one_pairs(rows, len(given.points))
        if cut_off > 0:
            _arrays.warn([f"one_to_one: {cut_off} of {len(rows.ids)} queries have lost their "
                          f"{in_row} nearest neighbour{'' if in_row == 1 else 's'} to others, "
                          f'and may have a pair with one farther away; give k="all"{" and a radius" if report.get("radius") is None else ""}, '
                          "or a larger k"])
    return _matches(rows, report)


def join(left: Any, right: Any = None, k: int | str | None = None, *, radius: float | None = None, how: str = "inner",
         match: str | None = None, periodic: _arrays.Box | None = None, sky: bool | None = None, unit: str | None = None,
         group: Any = None, other_group: Any = None, device: str = "auto", threads: int = 0, invalid: str = "error",
         progress: Progress = None) -> Any:
    """A table with the columns of two clouds, as the command writes it with
    --join: with the same names, and lines in the same order.

    left: the queries: a table of pandas, Arrow, polars, DuckDB or astropy,
        arrays by name, a structured array, a Cloud or m x 2 or m x 3
        coordinates, whose columns are x, y and z. The names of the columns
        say which are coordinates, as in kann.search().
    right: the data, likewise. None: `left`, where no point is in a pair
        with itself.
    how: "inner": a line for each pair; "left": also one for each query
        without a pair; "anti": the queries without a pair, with their own
        columns alone.
    match: "mutual" or "one-to-one", as kann.match() has them.
    group, other_group: the name of a column of both; or as in match().

    Other options are as in kann.match(right, left). The columns of the
    query come first, then those of the data point, nn_id (its row number)
    and nn_distance. Names of both sides, and these two, become query_NAME
    and data_NAME. What is missing is as the library has it: NaN in pandas,
    null in Arrow, masked in NumPy and astropy.

    Returns a table of the library of the clouds (of NumPy: arrays by
    name). Raises what match() raises, and UsageError for tables of two
    libraries.
    """
    for name, value, known in (("how", how, ("inner", "left", "anti")), ("match", match, (None, "mutual", "one-to-one"))):
        if value not in known:
            raise UsageError(f"{name} expects one of {', '.join(map(str, known))}, got {value!r:.80}")
    queries = _tables.opened(left, "left")
    data = queries if right is None else _tables.opened(right, "right")
    sides = [queries] if right is None else [data, queries]
    labels = [_labels(name, sides) if isinstance(name, str) else name for name in (group, other_group)]
    found = _match(data.cloud, None if right is None else queries.cloud, radius, k=k, mutual=match == "mutual",
                   one_to_one=match == "one-to-one", periodic=periodic, sky=sky, unit=unit, group=labels[0], other_group=labels[1],
                   device=device, threads=threads, invalid=invalid, progress=progress)
    lines, pairs = found.queries, np.arange(len(found))
    if how != "inner":
        alone = np.setdiff1d(np.arange(len(queries)), lines)
        if how == "anti":
            return queries.beside([queries.rows(alone)], queries.names)
        order = np.argsort(np.append(lines, alone), kind="stable")
        lines, pairs = np.append(lines, alone)[order], np.append(pairs, np.full(len(alone), -1))[order]
    return _tables.of_pairs({"query_": (queries, lines), "data_": (data, np.append(found.ids, -1)[pairs])},
                            {"nn_id": found.ids, "nn_distance": found.distances}, pairs)


_match = match  # for join(), whose option has its name


def _labels(name: str, sides: list[_tables.Table]) -> Any:
    """The values of a column, as match() takes them."""
    for side in sides:
        if name not in side.names:
            raise InputError(f"there is no column '{name}' of groups, but {', '.join(side.names):.200}")
    values = tuple(np.asarray(side.table[name]) for side in sides)
    return values if len(values) > 1 else values[0]


def _matches(rows: _kann.Neighbors, report: dict[str, Any]) -> Matches:
    is_pair = rows.ids >= 0
    return Matches(np.nonzero(is_pair)[0].astype("i4"), rows.ids[is_pair], rows.distances[is_pair], report)
