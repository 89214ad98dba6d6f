"""Searches of arrays that are on a GPU: of torch, cupy, jax and all others that have DLPack or
__cuda_array_interface__. Nothing is copied to the host."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from . import _arrays, _kann
from .errors import DeviceError, Error, InputError, UsageError

# DLPack's numbers for the memory of a CUDA device, and for memory that it shares with the host
_CUDA, _CUDA_MANAGED = 2, 13
# The default stream of CUDA, as DLPack and __cuda_array_interface__ number it
_DEFAULT_STREAM = 1

# The longest rows of a search in groups there
MOST_IN_GROUPS = 64

Function = TypeVar("Function", bound=Callable[..., Any])


class Array:
    """Numbers on a GPU, for results where torch and cupy have not made the
    data: torch.from_dlpack(), cupy.asarray(), jax.dlpack.from_dlpack()
    and others take it without a copy. The numbers are complete, so no stream
    has to wait for them."""

    def __init__(self, shape: tuple[int, ...], type_name: str, device: int) -> None:
        self.shape, self._type = shape, type_name
        self._values, self._address = _kann.allocate(shape, type_name, device)

    def __dlpack__(self, **options: Any) -> Any:
        return self._values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._values.__dlpack_device__()
        return device

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self._type, "data": (self._address, False), "version": 3,
                "strides": None, "stream": None}

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<kann array of the shape {self.shape} on cuda:{self.__dlpack_device__()[1]}>"


def is_on_device(values: Any) -> bool:
    """Whether `values` are an array in the memory of a CUDA device."""
    if library_of(values) == "torch":
        return bool(values.is_cuda)
    if hasattr(values, "__dlpack_device__"):
        try:
            return int(values.__dlpack_device__()[0]) in (_CUDA, _CUDA_MANAGED)
        except Exception:  # such as an array of jax that is on several devices
            pass
    return hasattr(values, "__cuda_array_interface__")


@contextlib.contextmanager
def _asking(name: str) -> Iterator[None]:
    """Makes an InputError of what goes wrong when an array is asked what it
    is: it may raise and say anything."""
    try:
        yield
    except (Error, MemoryError):
        raise
    except Exception as error:
        raise InputError(f"{name}: not an array of numbers: {type(error).__name__}: {error}") from error


def library_of(values: Any) -> str:
    """"torch" or "cupy" for their arrays, also for those of subclasses."""
    for base in type(values).__mro__:
        if (base.__module__, base.__name__) == ("torch", "Tensor"):
            return "torch"
        if base.__module__.partition(".")[0] == "cupy":
            return "cupy"
    return ""


def _on_its_device(values: Any) -> contextlib.AbstractContextManager[Any]:
    """Makes the device of an array of cupy current, which has a current stream
    for each device."""
    device: contextlib.AbstractContextManager[Any] = values.device if library_of(values) == "cupy" else contextlib.nullcontext()
    return device


def _stream_of(values: Any, name: str) -> int:
    """The stream that the user of an array is working on. For arrays of other
    libraries than torch and cupy, which do not show theirs, this is the
    stream that the array names, or the default stream."""
    library = library_of(values)
    if library == "torch":
        return int(sys.modules["torch"].cuda.current_stream(values.device).cuda_stream) or _DEFAULT_STREAM
    with _asking(name), _on_its_device(values):
        if library == "cupy":
            return int(sys.modules["cupy"].cuda.get_current_stream().ptr) or _DEFAULT_STREAM
        if hasattr(values, "__dlpack__"):
            return _DEFAULT_STREAM
        stream = int(values.__cuda_array_interface__.get("stream") or _DEFAULT_STREAM)
        if not 0 < stream < 2**64:
            raise ValueError(f"{stream} is no stream")
        return stream


def _exported(values: Any, name: str, stream: int) -> Any:
    """The array as the extension module takes it, ready for work on a stream."""
    with _asking(name):
        if library_of(values) == "torch":  # a third of the time of __dlpack__(); the stream is the tensor's own
            return sys.modules["torch"].utils.dlpack.to_dlpack(values.detach())
        if hasattr(values, "__dlpack__"):
            with _on_its_device(values):
                capsule = values.__dlpack__(stream=stream)
            if not repr(capsule).startswith('<capsule object "dltensor'):  # that of an array which was taken is "used_dltensor"
                raise TypeError(f"__dlpack__() returned {capsule!r:.60}")
            return capsule
        interface = values.__cuda_array_interface__
        shape, strides, kind = tuple(interface["shape"]), interface.get("strides"), str(interface["typestr"])
        size = int(kind[2:])
        in_values = [] if strides is None else [int(step) // size for step in strides]
        return _kann.array_at(int(interface["data"][0]), [int(n) for n in shape], in_values, kind, values)


_TYPES = {"int32": "<i4", "int64": "<i8", "float32": "<f4"}


def _empty(like: Any, shape: tuple[int, ...], kind: str, device: int) -> Any:
    """An array for a result, of the library that has made the array `like`."""
    library = library_of(like)
    if library == "torch":
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, kind), device=like.device)
    if library == "cupy":
        with _on_its_device(like):
            return sys.modules["cupy"].empty(shape, kind)
    return Array(shape, _TYPES[kind], device)


def _needs_gradient(*arrays: Any) -> bool:
    """Whether distances between these are to be differentiated."""
    return (any(library_of(array) == "torch" and array.requires_grad for array in arrays)
            and bool(sys.modules["torch"].is_grad_enabled()))


def _refuse_on_host(values: Any, name: str, device: str) -> None:
    if not is_on_device(values):
        raise InputError(f"{name}: the array is in host memory, and the data are on {device}")


def are_for_host(options: dict[str, Any]) -> bool:
    """Whether some of these options are none of searches on a GPU."""
    return any(value is not None and not (isinstance(value, (bool, int, str)) and value in (0, "auto", "exact", "nearest", "f4"))
               for value in options.values())


def through_host(function: Function) -> Function:
    """Lets a function of arrays in host memory take arrays on a GPU: it gets
    copies, and of torch and cupy the arrays of the result go to the GPU, too."""
    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        like = next((array for value in (*arguments, *options.values()) if is_on_device(array := _array_of(value))), None)
        if like is None:
            return function(*arguments, **options)
        return _to_device(function(*map(_to_host, arguments), **{name: _to_host(value) for name, value in options.items()}), like)
    return cast(Function, call)


def _array_of(value: Any) -> Any:
    """The data of an index, and everything else as it is."""
    return value.data if getattr(value, "_on_device", None) else value


def _to_host(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_to_host, value))
    array = _array_of(value)
    if not is_on_device(array):
        return value
    if _needs_gradient(array):
        raise InputError("a tensor requires a gradient, and this search has none; pass its detach()")
    with _asking("an array on a GPU"), _on_its_device(array):
        copy = array.cpu().numpy() if library_of(array) == "torch" else array.get() if library_of(array) == "cupy" else np.asarray(array)
        if copy.dtype == object:
            raise TypeError("copy it to the host first")
    return copy if array is value else type(value)(copy, sky=value.sky, invalid=value._invalid)


def _to_device(found: Any, like: Any) -> Any:
    """What a function returns, with its arrays beside the array `like`."""
    if isinstance(found, np.ndarray):
        if library_of(like) == "torch":
            return sys.modules["torch"].from_numpy(found).to(like.device)
        with _on_its_device(like):
            return sys.modules["cupy"].asarray(found) if library_of(like) == "cupy" else found
    if isinstance(found, tuple):
        return tuple(_to_device(part, like) for part in found)
    if isinstance(found, dict):
        return {name: _to_device(part, like) for name, part in found.items()}
    if dataclasses.is_dataclass(found) and not isinstance(found, type):
        arrays = {field.name: value for field in dataclasses.fields(found) if isinstance(value := getattr(found, field.name), np.ndarray)}
        return dataclasses.replace(found, **{name: _to_device(value, like) for name, value in arrays.items()})
    return found


def groups_there(group: Any, queries: Any) -> tuple[Any, Any] | None:
    """The numbers of the groups of the data and of the queries as an index
    takes them; None: those are no signed whole numbers on a GPU."""
    if group is None:
        return None, None
    pair = [_numbers_there(numbers) for numbers in (group if isinstance(group, tuple) else (group,))]
    if len(pair) != (1 if queries is None else 2) or any(numbers is None for numbers in pair):
        return None
    return pair[0], None if queries is None else pair[1]


def _numbers_there(numbers: Any) -> Any:
    """Whole numbers on a GPU, one after another; None for others."""
    library = library_of(numbers)
    if not library:
        interface = getattr(numbers, "__cuda_array_interface__", {})
        return numbers if interface.get("typestr") in ("<i4", "<i8") and interface.get("strides") is None else None
    if not is_on_device(numbers) or str(numbers.dtype).removeprefix("torch.") not in ("int8", "int16", "int32", "int64"):
        return None
    with _on_its_device(numbers):
        if numbers.dtype.itemsize < 4:
            numbers = numbers.to(sys.modules["torch"].int32) if library == "torch" else numbers.astype("i4")
        return numbers.contiguous() if library == "torch" else sys.modules["cupy"].ascontiguousarray(numbers)


class Index:
    """An index over an array on a GPU. With groups, a number for each point,
    the neighbours of a query are of its group."""

    def __init__(self, data: Any, invalid: str, group: Any = None) -> None:
        self.data, self._group = data, group
        self._process = os.getpid()
        stream = _stream_of(data, "data")
        self._index = _kann.TensorIndex(_exported(data, "data", stream), stream, _arrays.word(invalid, "invalid"),
                                        None if group is None else _exported(group, "group", stream))

    @property
    def name(self) -> str:
        return f"cuda:{self._index.device}"

    @property
    def shape(self) -> tuple[int, int]:
        return self._index.size, self._index.dimensions

    def _asked(self, queries: Any, include_self: bool) -> tuple[Any, int, Any]:
        """Whose neighbours are wanted, the stream, and the queries as the
        extension module takes them."""
        if os.getpid() != self._process:
            raise DeviceError("CUDA does not work in the child of a fork; multiprocessing's spawn starts processes without one")
        asked = self.data if queries is None else queries
        _refuse_on_host(asked, "queries", self.name)
        stream = _stream_of(asked, "queries")
        return asked, stream, None if queries is None and not include_self else _exported(asked, "queries", stream)

    def _exported_group(self, queries: Any, include_self: bool, group: Any, stream: int) -> Any:
        """The groups of the queries that _asked() has exported."""
        numbers = group if queries is not None else self._group if include_self else None
        return None if numbers is None else _exported(numbers, "group", stream)

    def rows(self, queries: Any, k: int, include_self: bool, radius: float | None, out: Any, group: Any = None) -> tuple[Any, Any]:
        """(ids, distances) of the search of `queries`, which are in the groups
        `group`, or of the data."""
        asked, stream, exported = self._asked(queries, include_self)
        has_gradient = _needs_gradient(self.data, asked)
        if has_gradient and out is not None:
            raise UsageError("out: distances that torch is to differentiate have no place there; pass detach() of the points")
        ids, distances = _queued(asked, k, out, stream, self._index.device,
                                 lambda ids, distances: self._index.queue(exported, ids, distances, k, radius, stream,
                                                                          self._exported_group(queries, include_self, group, stream)))
        return ids, self._measured(asked, None, ids) if has_gradient else distances

    def _measured(self, asked: Any, query_of: Any, ids: Any) -> Any:
        """Distances that torch may differentiate."""
        if not library_of(self.data) == library_of(asked) == "torch":
            raise InputError("data: of tensors with a gradient, the other points must be tensors, too")
        return importlib.import_module("kann.torch").measured(self.data, asked[:, None] if query_of is None else asked[query_of], ids)

    def lists(self, queries: Any, radius: float, include_self: bool, counts: bool, group: Any = None, out: Any = None) -> tuple[Any, Any, Any]:
        """(indptr, ids, distances) of all neighbours within the radius; the
        last two are None if they are only counted. With `out`, they go there,
        but for rows that end beyond it."""
        asked, stream, exported = self._asked(queries, include_self)
        device = self._index.device

        def empty(place: int, size: int, kind: str) -> tuple[Any, Any]:
            made = out[place] if out else _empty(asked, (size,), kind, device)
            return made, _exported(made, "out", stream)

        indptr, begins = empty(0, _count(asked) + 1, "int64")
        total = self._index.count(exported, radius, begins, stream, self._exported_group(queries, include_self, group, stream))
        if counts:
            return indptr, None, None
        (ids, taken), (distances, measured) = empty(1, total, "int32"), empty(2, total, "float32")
        # What was exported has been taken
        begins, exported = _exported(indptr, "out", stream), None if exported is None else _exported(asked, "queries", stream)
        self._index.list(exported, radius, begins, taken, measured, stream, self._exported_group(queries, include_self, group, stream))
        _wait_unless_queued(asked, stream, device)
        if _needs_gradient(self.data, asked):
            distances = self._measured(asked, importlib.import_module("kann.torch").queries_of(indptr, ids), ids)
        return indptr, ids, distances


def in_groups(data: Any, invalid: str, group: Any) -> Index | None:
    """An index over an array on a GPU in groups; None: their numbers are too far
    apart."""
    try:
        return Index(data, invalid, group)
    except UsageError:  # what else is wrong with the data, a search on the host says, too
        return None


class HostIndex:
    """An index over an array in host memory, for queries on a GPU."""

    def __init__(self, index: _kann.Index, shape: tuple[int, int]) -> None:
        self._index, self.shape = index, shape

    def rows(self, queries: Any, k: int, include_self: bool, radius: float | None, out: Any, group: Any = None) -> tuple[Any, Any]:
        """(ids, distances) of the search of `queries`."""
        if _needs_gradient(queries):
            raise InputError("queries: the tensor requires a gradient, and the data are in host memory; pass queries.detach()")
        stream = _stream_of(queries, "queries")
        exported = _exported(queries, "queries", stream)
        with _asking("queries"):
            device = int((queries if hasattr(queries, "__dlpack_device__") else exported).__dlpack_device__()[1])
        return _queued(queries, k, out, stream, device,
                       lambda ids, distances: _kann.queue(self._index, exported, ids, distances, k, radius, stream))


def report_of(index: Index | HostIndex, queries: Any, radius: float | None) -> dict[str, Any]:
    points, dimensions = index.shape
    return {"data": {"points": points, "dimensions": dimensions}, "self_query": queries is None, "radius": radius,
            "method": "exact", "device": {"kind": "cuda"}, "warnings": []}


def _count(queries: Any) -> int:
    with _asking("queries"):
        shape = tuple(getattr(queries, "shape", None) or queries.__cuda_array_interface__["shape"])
    return int(shape[0]) if shape else 0


def _wait_unless_queued(queries: Any, stream: int, device: int) -> None:
    """The own stream of other libraries than torch and cupy would not wait for
    the rows, nor keep the queries."""
    if not library_of(queries):
        _kann.wait_for(stream, device)


def _queued(queries: Any, k: int, out: Sequence[Any] | None, stream: int, device: int, queue: Any) -> tuple[Any, Any]:
    if out is not None and (not isinstance(out, tuple) or len(out) != 2 or not all(is_on_device(array) for array in out)):
        raise UsageError("out expects two arrays on the GPU of the queries: (ids, distances)")
    shape = _count(queries), k
    ids, distances = out or (_empty(queries, shape, "int32", device), _empty(queries, shape, "float32", device))
    queue(_exported(ids, "out", stream), _exported(distances, "out", stream))
    _wait_unless_queued(queries, stream, device)
    return ids, distances
