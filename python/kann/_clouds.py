"""Clouds in files: read(), write() and Cloud."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _kann
from .errors import UsageError

Progress = Optional[Callable[[str, float], Any]]


class Cloud:
    """Points with attributes. `cloud["intensity"]` is an attribute,
    `list(cloud)` has their names.

    points: n x 2 or n x 3 coordinates, float32 or float64.
    attributes: arrays of n values each, by name.
    columns: the names of the columns that were read as coordinates; empty
        if there are none.
    sky: whether the coordinates are longitude and latitude, or ra and dec:
        searches are then on the sphere, unless they say sky=False.
    """

    def __init__(self, points: Any, attributes: Mapping[str, Any] | None = None, *, sky: bool = False) -> None:
        self.points: NDArray[Any] = _arrays.points(points, "points", bool(sky))
        self.attributes: dict[str, NDArray[Any]] = _arrays.named_arrays(attributes or {}, len(self.points))
        self.columns: list[str] = []
        self.sky = bool(sky)
        self._las: tuple[NDArray[Any], _kann.LasRecords] | None = None

    def __getitem__(self, name: str) -> NDArray[Any]:
        if not isinstance(name, str):
            raise TypeError("cloud[...] takes the name of an attribute; cloud.select(rows) is a part of the cloud")
        try:
            return self.attributes[name]
        except KeyError:
            raise KeyError(f"no attribute '{name}'; there are {', '.join(self.attributes) or 'none'}") from None

    def __setitem__(self, name: str, values: Any) -> None:
        self.attributes.update(_arrays.named_arrays({name: values}, len(self.points)))

    def __contains__(self, name: object) -> bool:
        return name in self.attributes

    def select(self, rows: Any) -> Cloud:
        """The points that a mask, a slice or row numbers choose, with their
        attributes, but without the records of a LAS file."""
        chosen = Cloud(self.points[rows], {name: values[rows] for name, values in self.attributes.items()}, sky=self.sky)
        chosen.columns = list(self.columns)
        return chosen

    def __iter__(self) -> Iterator[str]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.points)

    def _coordinate_names(self) -> list[str]:
        """Those of the file that was read, or of degrees; none: x, y and z."""
        has_names = len(self.columns) == self.points.shape[1] and not any(
            name.isdigit() or self.sky and _kann.degrees_per_unit(name) != 1 for name in self.columns)
        return _arrays.words(self.columns, "columns") if has_names else ["lon", "lat"] if self.sky else []

    def __repr__(self) -> str:
        place = "on the sky" if self.sky else f"{self.points.shape[1]}-D"
        return f"<kann.Cloud: {len(self)} points, {place}, attributes: {', '.join(self) or 'none'}>"


@dataclasses.dataclass(frozen=True)
class Grid:
    """points: the centres of all cells, n x 2 or n x 3 of float64: x runs
        fastest, from west to east, then y, from north to south, then z,
        upwards. shape: rows and columns, in 3-D layers before them:
        values.reshape(grid.shape) is a raster.
    origin: x of the west edge, y of the north edge and, in 3-D, z of the
        lowest face.
    """

    points: NDArray[np.float64]
    shape: tuple[int, ...]
    origin: tuple[float, ...]
    step: float


def grid(cloud: Any, step: float, *, threads: int = 0) -> Grid:
    """The smallest grid of squares (3-D: cubes) with sides of `step` that
    holds a cloud, for queries at the centres of its cells. The cells are
    aligned to multiples of `step`. Raises UsageError (the step, too many
    cells)."""
    points = _arrays.points(cloud, "cloud")
    side = _arrays.number(step, "step")
    return Grid(*_kann.grid(points, side, _arrays.threads(threads)), side)


def read(path: str | os.PathLike[str], *, columns: Sequence[str] = (), attributes: Sequence[str] | None = None,
         format: str | None = None, header: bool | None = None, sky: bool = False, threads: int = 0,
         progress: Progress = None) -> Cloud:
    """Reads a cloud: PLY, LAS, LAZ, PCD, text (XYZ, TXT, CSV), NPY, NPZ,
    fvecs, fbin or KITTI.

    columns: the columns that are x, y and, in 3-D, z, by name or number
        from 1; default: by their names.
    attributes: the other columns to read, by name; None: all; (): none,
        which is faster. Those that are not all numbers are text, or bool
        where they have True and False alone.
    format: "ply", "las", "csv" and so on; default: as extension and
        content say.
    header: whether the first line of a text file names its columns, where
        that is not clear.
    sky: True: the coordinates are longitude and latitude, or ra and dec, in
        degrees; hours and radians are converted, where names such as ra_h
        say them. Searches of the cloud are then on the sphere.

    Raises InputError (no such file, or what is wrong with it and where),
    UsageError, OutOfMemoryError.
    """
    if header is not None and not isinstance(header, (bool, np.bool_)):
        raise UsageError(f"header expects True or False, got {header!r}")
    read_ = _kann.read(_arrays.path(path), None if format is None else _arrays.word(format, "format"),
                       _arrays.words(columns, "columns"),
                       None if attributes is None else _arrays.words(attributes, "attributes"),
                       None if header is None else bool(header), bool(sky), _arrays.threads(threads),
                       _arrays.callback(progress))
    _arrays.warn(read_["warnings"])
    cloud = Cloud(read_["points"], sky=sky)
    for name, values in read_["attributes"].items():
        cloud.attributes[name] = _arrays.of_texts(values)
        if isinstance(values, tuple) and values[1] and {b"True", b"False"}.issuperset(values[1]):  # as pandas writes and reads them
            cloud.attributes[name] = cloud.attributes[name] == "True"
    for name in read_["booleans"]:
        cloud.attributes[name] = cloud.attributes[name] != 0
    cloud.columns = read_["columns"]
    if read_["las"] is not None:
        cloud._las = (cloud.points, read_["las"])
    return cloud


def write(path: str | os.PathLike[str], cloud: Any, attributes: Mapping[str, Any] | None = None, *,
          format: str | None = None, force: bool = False, threads: int = 0, progress: Progress = None) -> None:
    """Writes a cloud as PLY, LAS, LAZ or CSV, as the extension of the file or
    `format` says.

    cloud: a Cloud, or n x 2 or n x 3 coordinates.
    attributes: arrays of n values each, by name, in addition to those of
        the cloud, or in place of those with that name.
    force: replace a file that exists. Under its name, the file is whole or
        absent.

    In CSV, the coordinates have the names of `cloud.columns`, else x, y and
    z, or lon and lat on the sky, also in place of names of hours and
    radians. Only CSV has text, which is left out of other files, with a
    KannWarning. A cloud that was read from a LAS file is written to LAS
    with its records, header and coordinate system, as long as
    `cloud.points` is the array that was read. Raises UsageError (the file
    exists), InputError, ResourceError (the disk is full).
    """
    made = cloud if isinstance(cloud, Cloud) else Cloud(cloud)
    all_attributes = {**made.attributes, **(attributes or {})} if isinstance(attributes, (Mapping, type(None))) else attributes
    points = _arrays.points(made.points, "points")
    las = made._las[1] if made._las is not None and made._las[0] is made.points else None
    _arrays.warn(_kann.write(
        _arrays.path(path), None if format is None else _arrays.word(format, "format"), points,
        _arrays.stored(all_attributes, len(points)), made._coordinate_names(), las, bool(force), _arrays.threads(threads), _arrays.callback(progress)))
