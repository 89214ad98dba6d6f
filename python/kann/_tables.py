"""Tables with the columns of clouds beside what was found, in the library that the columns came in."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays
from .errors import InputError, UsageError


class Table:
    """Columns: here, arrays by name; in classes below, those of a library.

    cloud: what a search takes for the points.
    """

    def __init__(self, table: Any, names: Iterable[Any], cloud: Any = None) -> None:
        self.table, self.names = table, [str(name) for name in names]
        self.cloud = table if cloud is None else cloud

    def __len__(self) -> int:
        return len(next(iter(self.table.values()), ()) if isinstance(self.table, dict) else self.table)

    def of(self, columns: dict[str, Any]) -> Table:
        """Arrays as a table of the same library."""
        return type(self)(getattr(type(self.table), "from_pydict", type(self.table))(columns), columns)

    def rows(self, rows: NDArray[Any]) -> Any:
        """These rows of the table. For -1, values are missing in the way of
        the library: NaN, null or masked."""
        has_row = rows >= 0
        if has_row.all():
            return {name: column[rows] for name, column in self.table.items()}
        made = {name: np.ma.MaskedArray(np.zeros((len(rows), *column.shape[1:]), column.dtype), mask=True)
                for name, column in self.table.items()}
        for name, column in made.items():
            column[has_row] = self.table[name][rows[has_row]]
        return made

    def beside(self, tables: list[Any], names: list[str]) -> Any:
        """A table of the columns of several, with these names."""
        return dict(zip(names, (column for table in tables for column in table.values())))


class _Pandas(Table):
    def rows(self, rows: NDArray[Any]) -> Any:
        numbered = self.table.reset_index(drop=True)
        return (numbered.iloc[rows] if (rows >= 0).all() else numbered.reindex(rows)).reset_index(drop=True)

    def beside(self, tables: list[Any], names: list[str]) -> Any:
        return importlib.import_module("pandas").concat(tables, axis=1).set_axis(names, axis=1)


class _Astropy(Table):
    def rows(self, rows: NDArray[Any]) -> Any:
        if (rows >= 0).all():
            return self.table[rows]
        other = "_".join(["", *self.names])  # in a row with this column alone, all others are masked
        made = importlib.import_module("astropy.table").vstack([self.table, type(self.table)({other: [0]})])[rows]
        made.remove_column(other)
        return made

    def beside(self, tables: list[Any], names: list[str]) -> Any:
        return type(self.table)([table[name] for table in tables for name in table.colnames], names=names)


class _Polars(Table):
    def rows(self, rows: NDArray[Any]) -> Any:
        polars = importlib.import_module("polars")
        places = polars.Series(rows)
        return self.table.select(polars.all().gather(places.set(places < 0, None)))

    def beside(self, tables: list[Any], names: list[str]) -> Any:
        columns = (column for table in tables for column in table.get_columns())
        return type(self.table)([column.alias(name) for name, column in zip(names, columns)])


class _Arrow(Table):
    def rows(self, rows: NDArray[Any]) -> Any:
        return self.table.take(importlib.import_module("pyarrow").array(rows, mask=rows < 0))

    def beside(self, tables: list[Any], names: list[str]) -> Any:
        return type(self.table).from_arrays([column for table in tables for column in table.columns], names=names)


def opened(values: Any, name: str) -> Table:
    """The columns of a cloud. Raises InputError."""
    if hasattr(values, "colnames"):  # and iloc, too
        return _Astropy(values, values.colnames)
    if hasattr(values, "iloc") and hasattr(values, "columns"):  # no Series
        return _Pandas(values, values.columns)
    if hasattr(values, "get_columns"):
        return _Polars(values, values.columns)
    if hasattr(values, "__arrow_c_stream__"):
        table = _arrays.arrow(values, name)
        return _Arrow(table, table.column_names)
    fields = getattr(getattr(values, "dtype", None), "names", None)
    if fields or isinstance(values, Mapping):
        columns = {str(title): np.atleast_1d(values[title]) for title in fields or values}
    elif type(values).__name__ == "Cloud":
        columns = {**dict(zip(values._coordinate_names() or "xyz", values.points.T)), **values.attributes}
    else:
        columns = dict(zip("xyz", _arrays.points(values, name).T))
    if len({len(column) for column in columns.values()}) > 1:
        raise InputError(f"{name}: the columns have different lengths")
    return Table(columns, columns, values)


# Of "query_" and "data_", those that are asked for: the table, and the row number of each line, -1: none.
Sides = dict[str, tuple[Table, NDArray[Any]]]


def of_pairs(sides: Sides, own: dict[str, Any], pairs: NDArray[Any], is_first: bool = False) -> Any:
    """A table with a line for each of `pairs`: the columns of the sides and
    `own`, with the names that --join gives them. Raises UsageError.

    own: arrays of what each pair has. pairs: the number of the pair of each
        line, -1: none.
    is_first: whether `own` comes before the sides.
    """
    kind = next((table for table, _ in sides.values() if type(table) is not Table), Table({}, ()))
    names = list(own) if is_first else []
    tables = []
    for prefix, (table, rows) in sides.items():
        others = {*own, *(name for other, (beside, _) in sides.items() if other != prefix for name in beside.names)}
        for title in (ours := table.names):
            name = title
            while name in others or name in names or name != title and name in ours:
                name = prefix + name
            names.append(name)
        if type(table) not in (Table, type(kind)):
            raise UsageError("the queries and the data are tables of different libraries; convert one of them")
        tables.append((table if type(table) is type(kind) else kind.of(table.table)).rows(rows))
    tables.insert(0 if is_first else len(tables), kind.of(own).rows(pairs))
    return kind.beside(tables, names if is_first else [*names, *own])


def of_shifts(shifts: NDArray[Any]) -> dict[str, Any]:
    """The columns of the shifts of images, as the CSV of the command has them."""
    return {f"shift_{'abc'[axis]}": shifts[:, axis] for axis in range(shifts.shape[1])}


def of_found(own: dict[str, Any], queries: Any, data: Any, counts: tuple[int, int | None]) -> Any:
    """What table() of Found and Lists returns. Raises UsageError, InputError.

    counts: how many queries and points the search had; None: not known.
    """
    sides: Sides = {}
    for values, name, rows, count in ((queries, "queries", own["query"], counts[0]), (data, "data", own["id"], counts[1])):
        if values is None:
            continue
        table = opened(values, name)
        if len(table) != (len(table) if count is None else count) or len(table) <= rows.max(initial=-1):
            raise InputError(f"{name}: there are {len(table)} rows, which are not those of the search")
        sides["query_" if name == "queries" else "data_"] = (table, rows)
    return of_pairs(sides, own, np.arange(len(own["id"])), True)
