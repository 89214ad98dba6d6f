"""Found: what a search returns."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _kann, _tables
from ._edges import Edges
from .errors import InputError


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Found(Edges):
    """The result of a search of m queries.

    ids: m x k, int32: row numbers of the data, the nearest neighbour first;
        -1 where there is no neighbour.
    distances: m x k, float32, or dtype: Euclidean distances in the unit of
        the coordinates; inf where there is no neighbour. Where the queries
        are on a GPU, both are there, too: arrays of torch or cupy if these
        have made the queries, else arrays for DLPack.
    report: what the search did (device, method, times, warnings), with the
        keys that `kann --json` has for it.
    shifts: of a search with images="all", m x k x d, int32: the vector from
        query q to a neighbour is data[id] - queries[q] + shift @ box, with
        the vectors of the box as rows; else None.

    pairs(), edge_index() and csr() have the neighbours as a graph.
    """

    ids: Any
    distances: Any
    report: dict[str, Any]
    _rows: _kann.Neighbors | None
    shifts: NDArray[np.int32] | None = None

    def _host_rows(self) -> _kann.Neighbors:
        """What other functions of this package take. Raises InputError: the
        rows are on a GPU."""
        if self._rows is None:
            raise InputError("the rows are on a GPU; copy them to the host, as with "
                             "kann.Found.of(found.ids.cpu(), found.distances.cpu())")
        return self._rows

    @classmethod
    def of(cls, ids: Any, distances: Any, dimensions: int = 3) -> Found:
        """Rows that come from elsewhere, m x k each, such as from a file, for
        the functions that take rows. Makes a copy. Missing neighbours have
        the id -1."""
        return cls._of_rows(_kann.Neighbors(_arrays.row_numbers(ids), _arrays.converted(distances, "distances", "iuf", "f4")),
                            dimensions)

    @classmethod
    def _of_rows(cls, rows: _kann.Neighbors, dimensions: int) -> Found:
        made = {"data": {"dimensions": _arrays.small(dimensions, "dimensions")}, "k": rows.ids.shape[1]}
        return cls(rows.ids, rows.distances, made, rows)

    @classmethod
    def read(cls, path: Any, dimensions: int = 3) -> Found:
        """Rows from a file: a result of the command or a ground truth (npz,
        npy, bin, ibin, ivecs). The distances of NAME.npy are those in
        NAME.distances.npy, if that is there. Distances that are in no file
        are NaN. Raises UsageError (another extension), InputError."""
        name = _arrays.path(path)
        rows = _kann.read_neighbors(name)
        beside = name[:-4] + ".distances.npy"
        if name.lower().endswith(".npy") and os.path.exists(beside):
            rows = _kann.Neighbors(rows.ids, _distances_of(beside, rows.ids.shape))
        return cls._of_rows(rows, dimensions)

    def write(self, path: Any, *, force: bool = False, threads: int = 0) -> None:
        """Writes the rows as the command does: npz, npy, csv, tsv, bin, ivecs,
        ibin, fvecs or fbin, as the extension says. Under its name, the file
        is whole or absent. Raises UsageError (the file exists, and `force`
        was not given), ResourceError."""
        name = _arrays.path(path)
        if self.shifts is not None and not name.lower().endswith(".npz"):
            _arrays.warn([f"{name}: has no place for the shifts of images; npz has, and table()"])
        rows, is_float64 = self._host_rows(), self.distances.dtype == np.float64
        holds_float64 = name.lower().endswith((".npz", ".npy"))
        if is_float64 and not holds_float64:
            _arrays.warn([f"{name}: has distances of float32; npz and npy have float64, and table()"])
        _kann.write_neighbors(name, rows, self.distances if is_float64 and holds_float64 else None, self.shifts, json.dumps(self.report),
                              bool(force), _arrays.threads(threads))

    def __len__(self) -> int:
        return int(self.ids.shape[0])

    def _entries(self, module: Any) -> tuple[Any, Any, Any]:
        exist = self.ids >= 0
        query, rank = module.nonzero(exist, as_tuple=True) if module.__name__ == "torch" else module.nonzero(exist)
        return query, self.ids[query, rank], self.distances[query, rank]

    def table(self, queries: Any = None, data: Any = None) -> Any:
        """A table with a line for each neighbour: query and id (row numbers),
        rank (from 0) and distance, as in the CSV of the command.

        queries, data: what was searched, to have the columns of the query
            and of the neighbour beside these. A name that is there already
            begins with query_ or data_, as with --join.

        Returns arrays by name, which pandas.DataFrame(), pyarrow.table() and
        polars.DataFrame() take; or, where one of the clouds is a table of
        pandas, Arrow, polars or astropy, such a table. Raises UsageError (of
        two libraries), InputError (rows of another search).
        """
        self._host_rows()
        ids, distances = self.ids, self.distances
        query, rank = (places.astype("i4") for places in np.nonzero(ids >= 0))
        own = {"query": query, "rank": rank, "id": ids[query, rank], "distance": distances[query, rank]}
        if self.shifts is not None:
            own.update(_tables.of_shifts(self.shifts[query, rank]))
        return _tables.of_found(own, queries, data, (len(ids), self.report["data"].get("points")))

    def __reduce__(self) -> Any:
        """Pickles and copies have arrays of their own."""
        return _copy, (self.ids, self.distances, self.report, self._rows.distances if self._rows else None, self.shifts)

    def __repr__(self) -> str:
        m, k = self.ids.shape
        how = self.report.get("method", "")
        return f"<kann.Found: {m} x {k} neighbours{', ' if how else ''}{how}>"


def _distances_of(path: str, shape: tuple[int, ...]) -> NDArray[Any]:
    try:
        with open(path, "rb") as file:
            array = np.lib.format.read_array(file)
    except (OSError, ValueError, EOFError, MemoryError) as error:
        raise InputError(f"{path}: not an NPY array: {error}") from error
    if array.dtype.kind != "f" or array.shape != shape:
        raise InputError(f"{path}: {array.dtype} of the shape {array.shape} are not the distances of ids of the shape {shape}; "
                         "remove the file to read the ids alone")
    return np.ascontiguousarray(array, "f4")


def _copy(ids: Any, distances: Any, report: dict[str, Any], of_rows: Any, shifts: NDArray[np.int32] | None = None) -> Found:
    if of_rows is None:
        return Found(ids, distances, report, None)
    rows = _kann.Neighbors(np.ascontiguousarray(ids), np.ascontiguousarray(of_rows))
    return Found(rows.ids, rows.distances if distances.dtype == np.float32 else distances, report, rows, shifts)
