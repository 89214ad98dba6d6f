"""Turns what users pass into the arrays that the extension module takes, or says what is wrong with it."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import InputError, UsageError

# The types of coordinates that are converted, and to what. Whole numbers up to 16 bits are exact in float32.
_CONVERTED = {"e": "f4", "b": "f4", "B": "f4", "h": "f4", "H": "f4",
              "i": "f8", "I": "f8", "l": "f8", "L": "f8", "q": "f8", "Q": "f8"}


def host_array(values: Any, name: str) -> np.ndarray:
    """`values` as a NumPy array, without a copy where that is possible."""
    if getattr(values, "requires_grad", False):
        raise InputError(f"{name}: the tensor requires a gradient, and a search has none; pass {name}.detach()")
    if isinstance(values, np.ma.MaskedArray):
        raise InputError(f"{name}: masked arrays are not taken, as the mask would be lost; pass {name}.filled(numpy.nan) "
                         'and invalid="skip"')
    if not isinstance(values, np.ndarray) and hasattr(values, "__cuda_array_interface__"):
        raise InputError(f"{name}: the array is on a GPU; copy it to the host, as with {name}.cpu()")
    try:
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{name}: not an array of numbers: {error}") from error


def _native(array: np.ndarray) -> np.ndarray:
    """The array itself where it is aligned, in C order and in the byte order of the machine; else a copy that is."""
    return np.require(array, None if array.dtype.isnative else array.dtype.newbyteorder("="), ["C", "A"])


def points(values: Any, name: str) -> np.ndarray:
    """Coordinates as n x 2 or n x 3 of float32 or float64 in C order; a copy only of other types and orders."""
    array = host_array(getattr(values, "points", values) if type(values).__name__ == "Cloud" else values, name)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        hint = ""
        if array.ndim == 2 and array.shape[0] in (2, 3):
            hint = f"; {name}.T has that shape"
        elif array.ndim == 1 and array.dtype.names:
            hint = "; the array has fields, which numpy.lib.recfunctions.structured_to_unstructured() turns into columns"
        elif array.ndim == 2 and array.shape[1] > 3:
            hint = f"; {name}[:, :3] takes the first three columns"
        raise InputError(f"{name}: the shape is {array.shape}, and points are n x 2 or n x 3{hint}")
    code = array.dtype.char
    if code in _CONVERTED:
        return np.ascontiguousarray(array, _CONVERTED[code])
    if code not in ("f", "d"):
        raise InputError(f"{name}: coordinates are numbers of the types float32 and float64 (or whole numbers, or float16), "
                         f"not {array.dtype}")
    return _native(array)


def same_dimensions(data: np.ndarray, queries: np.ndarray) -> None:
    if data.shape[1] != queries.shape[1]:
        raise InputError(f"queries: the points have {queries.shape[1]} coordinates, and those of the data {data.shape[1]}")


def named_arrays(attributes: Mapping[str, Any], count: int) -> list[tuple[str, np.ndarray]]:
    """Attributes by name, each with `count` values, in C order and of a type that a cloud can have."""
    if not isinstance(attributes, Mapping):
        raise UsageError(f"attributes expects names and arrays, such as {{'intensity': values}}, got {type(attributes).__name__}")
    made = []
    for name, values in attributes.items():
        array = host_array(values, f"attribute '{name}'")
        if array.shape != (count,):
            raise InputError(f"attribute '{name}': the shape is {array.shape}, and there are {count} points")
        if array.dtype.char == "?":
            array = array.astype("u1")
        elif array.dtype.char == "e":
            array = array.astype("f4")
        elif array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
            raise InputError(f"attribute '{name}': values are whole numbers, float32 or float64, not {array.dtype}")
        made.append((str(name), _native(array)))
    return made


def whole(value: Any, name: str) -> int:
    """A whole number that 64 bits hold."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{name} expects a whole number, got {value!r}") from None
    if abs(number) >= 2**63:
        raise UsageError(f"{name} expects a whole number below 2**63, got {number}")
    return number


def number(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name} expects a number, got {value!r}") from None


def small(value: Any, name: str) -> int:
    """A whole number that 32 bits hold."""
    made = whole(value, name)
    if abs(made) >= 2**31:
        raise UsageError(f"{name} expects a whole number below 2**31, got {made}")
    return made


def output(array: Any, name: str, shape: tuple[int, int], dtype: str) -> np.ndarray:
    """An array of the caller that a result fits into."""
    fits = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == np.dtype(dtype) and array.flags.writeable
    if not fits:
        got = f"{array.dtype} of the shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise UsageError(f"out: the {name} need a writable NumPy array of {np.dtype(dtype)} of the shape {shape}, got {got}")
    return array
