"""Turns what users pass into the arrays that the extension module takes, or says what is wrong with it."""

from __future__ import annotations

import contextlib
import importlib
import operator
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _kann
from .errors import InputError, KannWarning, UsageError

# The types of coordinates that are converted, and to what. Whole numbers up to 16 bits are exact in float32.
_CONVERTED = {"e": "f4", "b": "f4", "B": "f4", "h": "f4", "H": "f4",
              "i": "f8", "I": "f8", "l": "f8", "L": "f8", "q": "f8", "Q": "f8"}


def host_array(values: Any, name: str) -> NDArray[Any]:
    """`values` as a NumPy array, without a copy where that is possible."""
    if getattr(values, "requires_grad", False):
        raise InputError(f"{name}: the tensor requires a gradient, and this search has none; kann.torch.search() has, or pass {name}.detach()")
    is_masked = isinstance(values, np.ma.MaskedArray) or hasattr(values, "unmasked")  # the second is astropy's
    if is_masked and np.any(values.mask):
        raise InputError(f"{name}: masked arrays are not taken, as the mask would be lost; pass {name}.filled(numpy.nan) "
                         'and invalid="skip"')
    if not isinstance(values, np.ndarray) and hasattr(values, "__cuda_array_interface__"):
        raise InputError(f"{name}: the array is on a GPU; copy it to the host, as with {name}.cpu()")
    try:
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{name}: not an array of numbers: {error}") from error


def _native(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself where it is aligned, in C order and in the byte order
    of the machine; else a copy that is."""
    if array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative:
        return array  # np.require() would take 2 µs for it
    return np.require(array, None if array.dtype.isnative else array.dtype.newbyteorder("="), ["C", "A"])


def coordinates(values: Any) -> Any:
    """The array of a Cloud or an Index; other values as they are."""
    attribute = {"Cloud": "points", "Index": "data"}.get(type(values).__name__)
    return getattr(values, attribute, values) if attribute else values


def arrow(values: Any, name: str) -> Any:
    """A pyarrow.Table of what has a stream of Arrow. Raises InputError."""
    try:
        return importlib.import_module("pyarrow").table(values)
    except ImportError:
        raise InputError(f"{name}: a table of Arrow needs the package pyarrow, which is not installed") from None
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: not a table: {error}") from error


def _unit_of(values: Any) -> Any:
    """The unit of an astropy Quantity or column; None if it has none."""
    unit = getattr(values, "unit", None)
    return unit if hasattr(unit, "physical_type") and unit != "" else None


def _in_unit(values: Any, unit: Any, name: str, sky: bool | None) -> NDArray[Any]:
    """`values` as an array: in `unit`, if they have one themselves. Raises
    InputError."""
    array, own = host_array(values, name), _unit_of(values)
    if own is None:
        return array
    if sky is False and own.is_equivalent("deg"):
        raise InputError(f"{name}: coordinates in {own} are angles, and distances are those of a plane; give sky=True")
    if own == unit or array.dtype.kind not in "iuf":
        return array
    if sky and own == "h":  # catalogues say hours where they mean hour angles
        return array * 15.0
    try:
        converted_: NDArray[Any] = own.to(unit, array.astype("f8"))
    except ValueError:
        raise InputError(f"{name}: the unit {own} cannot be converted to {unit}, the unit of "
                         f"{'angles with sky=True' if sky else 'the other coordinates'}") from None
    return converted_


def _columns_of(values: Any, name: str, sky: bool | None) -> dict[str, Any]:
    """The columns of a table, a structured array or a dictionary that are
    coordinates, by their names; empty for other values. Raises InputError."""
    said = (values if isinstance(values, Mapping) else (), getattr(getattr(values, "dtype", None), "names", ()),
            getattr(values, "columns", ()), getattr(values, "column_names", ()))
    lists = [list(names) for names in said if isinstance(names, Iterable)]
    names = next((names for names in lists if any(isinstance(column, str) for column in names)), None)
    if names is None:
        return {}
    axes = _kann.axes_of(words(names, name), sky, name)
    if not axes:
        wanted, example = ("longitude and latitude", '["lon", "lat"]') if sky else ("x, y and z", '["x", "y", "z"]')
        raise InputError(f"{name}: the columns do not say which are {wanted}: {', '.join(map(str, names)):.200}; choose them, "
                         f"as {name}[{example}] does, and rename those whose names say something else")
    return {str(names[axis]): values[names[axis]] for axis in axes}


def points_of(values: Any, name: str, sky: bool | None = None, like: Any = None) -> NDArray[Any]:
    """Coordinates as an array of any shape and type. Those with a unit are in
    degrees with `sky`, else a Quantity in the unit of the points `like` them,
    or their own. `sky` None: angles are as good as other coordinates, since
    nothing is searched."""
    if type(values) is np.ndarray and values.dtype.names is None:
        return values
    if isinstance(values, (str, bytes, os.PathLike)):
        raise InputError(f"{name}: not coordinates, but text; if it is a file, kann.read() reads it")
    values = coordinates(values)
    if hasattr(values, "__arrow_c_stream__") and not hasattr(values, "__array__"):  # as tables of DuckDB
        values = arrow(values, name)
    columns = _columns_of(values, name, sky)
    parts = list(columns.values()) or [values]
    own = next((unit for unit in map(_unit_of, parts) if unit is not None), None)
    unit = "deg" if sky else _unit_of(like) or own
    arrays = [_in_unit(part, unit, name, sky) for part in parts]
    if columns and any(array.ndim != 1 for array in arrays):
        raise InputError(f"{name}: a column of coordinates has not one number per point")
    array = np.stack([_floats(column, name) for column in arrays], axis=1) if columns else arrays[0]
    degrees = [1 if _unit_of(column) else _kann.degrees_per_unit(title) for title, column in columns.items()]
    if sky and any(factor != 1 for factor in degrees):
        array = array * degrees
    return array if sky or own is None else array << unit


def points(values: Any, name: str, sky: bool | None = None, like: Any = None, may_be_line: bool = False) -> NDArray[Any]:
    """Those of points_of() as n x 2 or n x 3 of float32 or float64 in C order;
    a copy only of other types, units and orders. Those on a line are n x 1, and
    get a second coordinate, 0."""
    array = points_of(values, name, sky, like)
    if may_be_line and array.ndim == 2 and array.shape[1] == 1 and not sky:
        numbers_of = _floats(array, name)
        return np.concatenate((numbers_of, np.zeros_like(numbers_of)), 1)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        hint = ""
        if array.ndim == 2 and array.shape[0] in (2, 3):
            hint = f"; {name}.T has that shape"
        elif array.ndim == 2 and array.shape[1] > 3:
            hint = f"; {name}{'.iloc' if hasattr(values, 'iloc') else ''}[:, :3] takes the first three columns"
        raise InputError(f"{name}: the shape is {array.shape}, and points are n x 2 or n x 3{hint}")
    return _native(_floats(array, name))


def columns_of(data: Any, made: NDArray[Any], sky: bool | None) -> int:
    """How many coordinates the points had that points() has made of `data`."""
    may_be_line = made.shape[1] == 2 and (len(made) == 0 or made[0, 1] == 0)
    return int(points_of(data, "data", sky).shape[1]) if may_be_line else made.shape[1]


def clouds(data: Any, queries: Any, sky: bool | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """The points of the data, and of the queries."""
    made = points(data, "data", sky, None, True)
    return made, None if queries is None else queries_for(made, queries, sky, columns_of(data, made, sky))


def queries_for(data: NDArray[Any], queries: Any, sky: bool | None, columns: int) -> NDArray[Any] | None:
    """The points of queries in the unit of the data: one point, or those of an
    array of any shape, one after another; None if the data are the queries.
    Raises InputError: they have other coordinates than the data."""
    if queries is None:
        return None
    asked = points_of(queries, "queries", sky, data)
    if asked.ndim not in (0, 2) and asked.shape[-1] == columns:
        asked = asked.reshape(-1, columns)
    made = points(asked, "queries", sky, data, columns == 1)
    if asked.shape[1] != columns:
        raise InputError(f"queries: the points have {asked.shape[1]} coordinates, and those of the data {columns}")
    return made


def _floats(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Coordinates as float32 or float64."""
    code = array.dtype.char
    if code in _CONVERTED:
        _refuse_inexact(array, name)
        return array.astype(_CONVERTED[code], "C")
    if code not in ("f", "d"):
        raise InputError(f"{name}: coordinates are numbers of the types float32 and float64 (or whole numbers, or float16), "
                         f"not {array.dtype}")
    return array


def _refuse_inexact(array: NDArray[Any], name: str) -> None:
    """Raises InputError where a whole number is past 2^53, as kann.read() does: float64 may round it."""
    limit = 2**53
    if array.dtype.itemsize < 8 or not array.size or -limit <= int(array.min()) and int(array.max()) <= limit:
        return
    is_inexact = array > limit
    if array.dtype.kind == "i":
        is_inexact |= array < -limit
    raise InputError(f"{name}: row {is_inexact.reshape(len(array), -1).any(axis=1).argmax()} has a whole number past 2^53, which float64 does not "
                     "hold exactly; subtract the same origin from all points")


def of_texts(values: Any) -> NDArray[Any]:
    """Values of an attribute: an array, or of text the number of each value's
    text, and the texts."""
    if not isinstance(values, tuple):
        return np.asarray(values)
    made: NDArray[Any] = np.array([text.decode(errors="surrogateescape") for text in values[1]], "U")[values[0]]
    return made


def named_arrays(attributes: Mapping[str, Any], count: int) -> dict[str, NDArray[Any]]:
    """Attributes by name, each with `count` values, in C order and of a type
    that a cloud can have."""
    if not isinstance(attributes, Mapping):
        raise UsageError(f"attributes expects names and arrays, such as {{'intensity': values}}, got {type(attributes).__name__}")
    made = {}
    for name, values in attributes.items():
        array = host_array(values, f"attribute '{name}'")
        if array.shape != (count,):
            hint = ""
            if array.ndim == 2 and len(array) == count:
                hint = f"; name each column, as dict(zip(('nx', 'ny', 'nz'), {name}.T)) does"
            raise InputError(f"attribute '{name}': the shape is {array.shape}, and there are {count} points{hint}")
        if array.dtype.kind in "OT" and all(isinstance(value, str) for value in array):  # as pandas has text
            array = array.astype("U")
        if array.dtype.char == "e":
            array = array.astype("f4")
        elif array.dtype.kind not in "bU" and (array.dtype.kind not in "iuf" or array.dtype.itemsize > 8):
            raise InputError(f"attribute '{name}': values are whole numbers, float32, float64 or text, not {array.dtype}")
        made[word(str(name), "attributes")] = _native(array)
    return made


def stored(attributes: Mapping[str, Any], count: int) -> list[tuple[str, NDArray[Any], list[bytes]]]:
    """Attributes as the extension module takes them: of texts, it takes their
    numbers and, sorted, all that are different. Text 0 is empty."""
    made: list[tuple[str, NDArray[Any], list[bytes]]] = []
    for name, array in named_arrays(attributes, count).items():
        if array.dtype.kind == "U":
            distinct, numbers = np.unique(np.append("", array), return_inverse=True)
            made.append((name, numbers[1:].astype("i4"), [text.encode(errors="surrogateescape") for text in distinct.tolist()]))
        else:
            made.append((name, array.view("u1") if array.dtype.char == "?" else array, []))
    return made


def word(value: Any, name: str) -> str:
    """Text that the extension module takes."""
    if not isinstance(value, str):
        raise UsageError(f"{name} expects text, got {value!r}")
    if "\0" in value or not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise UsageError(f"{name} expects text in UTF-8 without null characters, got {value!r}")
    return value


def words(values: Any, name: str) -> list[str]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise UsageError(f'{name} expects several names, such as ["x", "y"], got {values!r}')
    return [word(str(value), name) for value in values]


def path(value: Any) -> str:
    try:
        return word(os.fsdecode(value), "path")
    except TypeError:
        raise UsageError(f"path expects the name of a file, got {value!r}") from None


def whole(value: Any, name: str, least: int | None = None) -> int:
    """A whole number that 64 bits hold."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{name} expects a whole number, got {value!r}") from None
    if abs(number) >= 2**63:
        raise UsageError(f"{name} expects a whole number below 2**63, got {number}")
    if least is not None and number < least:
        raise UsageError(f"{name} expects a whole number of at least {least}, got {number}")
    return number


# A periodic box: its sides, with three tilts behind them if it is slanted, or the vectors by which it repeats
Box = Union[float, Sequence[float], Sequence[Sequence[float]], NDArray[Any]]


def box(periodic: Box | None, dimensions: int) -> list[float]:
    """The numbers of a periodic box as the extension module takes them; none if
    nothing repeats."""
    if periodic is None:
        return []
    if getattr(periodic, "requires_grad", False):
        raise InputError("periodic: a box is a constant; pass its detach(), and make vectors of it from the shifts to differentiate them")
    try:
        values = np.asarray(periodic)
    except ValueError:  # rows of different lengths
        values = np.zeros(0)
    if isinstance(periodic, bool) or values.shape not in ((), (1,), (2,), (3,), (6,), (9,), (3, 3)) or values.dtype.kind not in "iuf":
        raise UsageError("periodic expects a side for each coordinate, such as (10, 10, 10), three tilts behind them, or three "
                         f"vectors, got {periodic!r:.80}")
    given, shape = np.ravel(values).astype("f8").tolist(), values.shape
    made = given * dimensions if shape == () else given + [0.0] * (shape == (1,))  # points on a line have two coordinates
    return made if any(side != 0 for side in made) else []


def number(value: Any, name: str) -> float:
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise UsageError(f"{name} expects a number, got {' '.join(repr(value).split()):.80}")


def limit(radius: Any) -> float:
    """The radius of a search for all neighbours within it. An infinite one is
    the largest number: no squared distance overflows."""
    given = number(radius, "radius")
    return sys.float_info.max if given == float("inf") else given


# Radii, smallest radii and excluded points of each query
Limits = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]
PerQuery = Union[float, Sequence[float], NDArray[Any]]


def are_several(radius: Any) -> bool:
    """Whether each query has a radius of its own."""
    return np.ndim(radius) > 0


def limits(radius: Any, min_radius: Any, exclude: Any, queries: int) -> tuple[Any, Limits | None]:
    """The radius of all queries, or None and the limits of each. Raises
    UsageError, InputError."""
    if not are_several(radius) and min_radius is None and exclude is None:
        return radius, None

    def numbers_of(values: Any, name: str) -> NDArray[Any]:
        if values is None:
            return np.empty(0)
        if np.ndim(values) == 0:
            return np.array([number(values, name)])
        if _unit_of(values) is not None:
            raise UsageError(f"{name} expects numbers, in the unit of distances, and these have the unit {_unit_of(values)}")
        array = converted(values, name, "iuf", "f8")
        if array.size not in (1, queries):
            raise UsageError(f"{name} expects a number, or one for each of the {queries} queries, got an array of the shape {array.shape}")
        return array.reshape(-1)

    left_out = np.empty(0, "i8") if exclude is None else converted(exclude, "exclude", "iu", "i8")
    if exclude is not None and (left_out.ndim not in (1, 2) or len(left_out) != queries):
        raise UsageError(f"exclude expects a row number, or a row of several, for each of the {queries} queries, got an array of the shape {left_out.shape}")
    if len(wrong := left_out[(left_out < -1) | (left_out >= 2**31)]):
        raise InputError(f"exclude: {wrong[0]} is none of the rows of the data, and -1 stands for none")
    one, each = (None if queries else 0.0, radius) if are_several(radius) else (radius, None)
    return one, (numbers_of(each, "radius"), numbers_of(min_radius, "min_radius"), left_out.astype("i4"))


def in_order(indptr: NDArray[np.int64], distances: NDArray[Any], ids: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """(distances, ids) of rows in the order of these distances, where those of
    float32 are equal."""
    descends = np.zeros(len(distances), bool)
    descends[1:] = distances[1:] < distances[:-1]
    descends[indptr[:-1][indptr[:-1] < len(distances)]] = False
    if not descends.any():
        return distances, ids
    row_of = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((ids, distances, row_of))
    return distances[order], ids[order]


def numbers(values: Any, name: str, count: int) -> list[float]:
    if isinstance(values, str) or np.shape(values) != (count,):
        raise UsageError(f"{name} expects {count} numbers, got {values!r:.80}")
    return [number(value, name) for value in values]


def small(value: Any, name: str) -> int:
    """A whole number that 32 bits hold."""
    made = whole(value, name)
    if abs(made) >= 2**31:
        raise UsageError(f"{name} expects a whole number below 2**31, got {made}")
    return made


def threads(value: Any) -> int:
    made = small(value, "threads")
    if made < 0:
        raise UsageError(f"threads expects a whole number of at least 0 (all of the machine), got {made}")
    return made


def converted(values: Any, name: str, kinds: str, dtype: str) -> NDArray[Any]:
    """Numbers of some kinds as an array of another type, in C order."""
    array = host_array(values, name)
    if array.dtype.kind not in kinds:
        raise InputError(f"{name}: not numbers that {np.dtype(dtype)} can stand for, but {array.dtype}")
    return np.ascontiguousarray(array, dtype)


def row_numbers(ids: Any) -> NDArray[Any]:
    array = host_array(ids, "ids")
    if array.size and array.dtype.kind in "iu" and not -1 <= int(array.min()) <= int(array.max()) < 2**31:
        raise InputError("ids: row numbers are -1 (missing) to 2**31 - 1")
    return converted(array, "ids", "iu", "i4")


@contextlib.contextmanager
def without_options() -> Iterator[None]:
    """Leaves out of a message which option of kann.search() helps, for
    functions that have not got it."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error).partition("; use ")[0]) from None


def warn(messages: Iterable[str]) -> None:
    """Shows warnings at the line that calls the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    for message in messages:
        warnings.warn(message, KannWarning, stacklevel=level)


def callback(progress: Any) -> Any:
    if progress is not None and not callable(progress):
        raise UsageError(f"progress expects a function of a step and a fraction, got {progress!r}")
    return progress


def is_float64(dtype: Any) -> bool:
    """Whether distances of this type are float64, not float32. Raises
    UsageError: they are neither."""
    try:
        code = "" if dtype is None else np.dtype(dtype).char  # None would be float64
    except TypeError:
        code = ""
    if code not in ("f", "d"):
        raise UsageError(f"dtype expects numpy.float32 or numpy.float64, got {dtype!r:.80}")
    return code == "d"


def output(array: Any, name: str, shape: tuple[int, int], dtype: str) -> NDArray[Any]:
    """An array of the caller that a result fits into."""
    if not (isinstance(array, np.ndarray) and array.shape == shape and array.dtype == np.dtype(dtype) and array.flags.writeable):
        got = f"{array.dtype} of the shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise UsageError(f"out: the {name} need a writable NumPy array of {np.dtype(dtype)} of the shape {shape}, got {got}")
    return array


def on_sphere(sky: Any, *clouds: Any) -> bool:
    """Whether a search is on the sphere: as `sky` says or, if it is None, as
    the clouds do, those that are a Cloud or an Index. Raises UsageError."""
    if sky is not None and not isinstance(sky, (bool, np.bool_)):
        raise UsageError(f"sky expects True or False, got {sky!r:.80}")
    told = {cloud.sky for cloud in clouds if type(cloud).__name__ in ("Cloud", "Index")}
    if sky is None and len(told) > 1:
        raise UsageError("one of the clouds was read with sky=True, the other was not; give sky=True or sky=False")
    return bool(sky) if sky is not None else True in told


# Labels of the data and of the queries, whether neighbours are of other groups, and the set that each of these is in
Groups = tuple[NDArray[np.int64], NDArray[np.int64], bool, NDArray[np.int64]]


def groups(group: Any, other_group: Any, data: int, queries: int | None) -> Groups | None:
    """Labels of so many points of the data and of the queries, from the
    values that group and other_group have for them. Raises UsageError,
    InputError."""
    given = {name: values for name, values in (("group", group), ("other_group", other_group)) if values is not None}
    labels = [_labels_of_sides(values, name, data, queries) for name, values in given.items()]
    if len(labels) < 2:
        return (*labels[0], other_group is not None, np.empty(0, "i8")) if labels else None
    # Those that differ in either value are other groups, and those with the same value of group a set of these
    own, other = (np.concatenate(sides) for sides in labels)
    width = other.max(initial=0) + 1
    present = (own >= 0) & (other >= 0)
    distinct, places = np.unique((own * width + other)[present], return_inverse=True)
    both = np.full(len(own), -1, "i8")
    both[present] = places
    return both[:data], both[data:], True, distinct // width


def _labels_of_sides(given: Any, name: str, data: int, queries: int | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if queries is not None and not (isinstance(given, tuple) and len(given) == 2):
        raise UsageError(f"{name} expects two arrays, of the data and of the queries: (a, b)")
    sides = [_group_values(side, name) for side in (given if queries is not None else (given, ()))]
    for (side, _), count, noun in zip(sides, (data, queries or 0), ("data", "queries")):
        if side.shape != (count,):
            raise InputError(f"{name}: the values of the {noun} have the shape {side.shape}, and must have ({count},)")
    values: dict[Any, int] = {}
    labels = [np.where(is_none, -1, _labels(side, name, values)) for side, is_none in sides]
    kinds = {float if isinstance(value, (int, np.floating)) else type(value) for value in values}
    if len(kinds) > 1:
        raise InputError(f"{name}: values are all numbers, all text or all bytes, and these are mixed")
    return labels[0], labels[1]


def _group_values(values: Any, name: str) -> tuple[NDArray[Any], Any]:
    """Them as an array, and which are masked."""
    is_none, bare = False, values
    if isinstance(values, np.ma.MaskedArray) or hasattr(values, "unmasked"):
        is_none, bare = values.mask, values.data if isinstance(values, np.ma.MaskedArray) else values.unmasked
    # NumPy would make text of the NaN in a list, and round large numbers
    if isinstance(bare, (list, tuple)) and any(isinstance(value, (str, bytes)) or isinstance(value, int) and abs(value) >= 2**63 for value in bare):
        array = np.empty(len(bare), object)
        array[:] = bare
        return array, is_none
    return host_array(bare, name), is_none


def _labels(side: NDArray[Any], name: str, values: dict[Any, int]) -> NDArray[np.int64]:
    """The number that each value has in `values`, which receives new ones; -1
    for NaN, None and empty text. Python compares numbers of all types by
    their values, where numpy.concatenate() would round them to one type."""
    if side.dtype.kind not in "biufUSO":
        raise InputError(f"{name} expects numbers or text, got {side.dtype}")
    if side.dtype.kind == "O":  # as pandas has text
        distinct, places = side.tolist(), np.arange(len(side))
        for value in distinct:
            if not (value is None or isinstance(value, str) or isinstance(value, float) and value != value):
                raise InputError(f"{name}: an array of objects has text, None and NaN alone, got {value!r:.80}; convert it, "
                                 "as with astype(float) or astype(str)")
    else:
        found, places = np.unique(side, return_inverse=True)
        distinct = found.tolist()
    labels = [-1 if value is None or value != value or isinstance(value, (str, bytes)) and not value
              else values.setdefault(value, len(values)) for value in distinct]
    return np.array(labels, "i8")[places.reshape(-1)]
