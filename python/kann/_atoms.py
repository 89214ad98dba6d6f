"""neighbor_list(): the neighbours of atoms, as ASE and matscipy have them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays
from ._lists import Given
from ._search import options
from .errors import InputError, UsageError


class _WrongShape(InputError, TypeError):
    """matscipy raises a TypeError."""


def neighbor_list(quantities: str, atoms: Any = None, cutoff: Any = None, self_interaction: bool = False, *, positions: ArrayLike | None = None,
                  cell: ArrayLike | None = None, pbc: Any = None, numbers: ArrayLike | None = None, threads: int = 0) -> Any:
    """All pairs of atoms i and j nearer to each other than a cutoff, as
    neighbor_list() of ase.neighborlist and neighbour_list() of
    matscipy.neighbours give them: an array for each letter of
    `quantities`, or one array.

    i, j: the atoms, in the order of (i, d as float32, j).
    d: the distance, float64.
    D: the vector from i to j, n x 3: positions[j] - positions[i] + S @
        cell.
    S: the shift, n x 3: how often each vector of the cell is added.

    atoms: an Atoms of ASE, or none, with positions (n x 3), the cell (3 x
        3, or three sides) and pbc (whether it repeats along each of its
        vectors, or one value for all). Atoms may be outside of the cell.
    cutoff: a number; one for each atom, whose pairs are nearer than the
        sum of both; or a dictionary, such as {("H", "O"): 1.3, ("O", "O"):
        2}, with symbols or atomic numbers, in which other pairs are none.
        Without atoms, `numbers` are the atomic numbers.
    self_interaction: an atom is also a pair with itself, at the distance 0.

    Each image of an atom in the periodic cell counts, those of the atom
    itself among them. Raises UsageError, InputError.
    """
    unknown = set(quantities) - set("ijdDS") if isinstance(quantities, str) else {quantities}
    if unknown or not quantities:
        raise UsageError(f"quantities expects some of the letters i, j, d, D and S, got {quantities!r:.80}")
    if atoms is not None and not all(hasattr(atoms, name) for name in ("positions", "cell", "pbc", "numbers")):
        raise UsageError(f"atoms expects an Atoms of ASE, got {type(atoms).__name__}; arrays are given as positions=, cell= and pbc=")
    if atoms is not None:
        positions, cell, pbc, numbers = atoms.positions, np.asarray(atoms.cell), atoms.pbc, atoms.numbers
    if positions is None or cutoff is None:
        raise UsageError("neighbor_list() needs atoms, or positions, and a cutoff")
    places = _arrays.points(positions, "positions")
    if places.shape[1] != 3:
        raise InputError(f"positions: the shape is {places.shape}, and must be (n, 3)")
    if not np.isfinite(places).all():
        raise InputError("positions: NaN or infinite coordinates")
    largest, is_near = _cutoffs(cutoff, numbers, len(places))
    if np.isnan(largest):
        raise UsageError(f"cutoff expects numbers, got {cutoff!r:.80}")
    given = Given(places, None, None, None, False)
    box = _box(cell, pbc)
    # Pairs at the cutoff itself are none, there
    asked = options(1, 3, radius=max(float(np.nextafter(largest, 0)), 0), periodic=box, images="nearest" if box is None else "all",
                    include_self=self_interaction, threads=threads)
    none: Any = np.zeros(len(places) + 1, "i8"), np.zeros(0, "i4"), np.zeros(0, "f4"), {}
    indptr, ids, distances, _ = given.lists(asked, None) if largest > 0 else none
    wanted = [what for what, letter in (("distances", "d"), ("vectors", "D"), ("shifts", "S")) if letter in quantities or letter == "d" and is_near]
    far, vectors, shifts = given.vectors((indptr, ids, distances), asked, *wanted)
    found = {"i": np.repeat(np.arange(len(places)), np.diff(indptr)), "j": ids.astype(np.intp), "d": far, "D": vectors,
             "S": None if "S" not in quantities else np.zeros((len(ids), 3), np.intp) if box is None else shifts.astype(np.intp)}
    if is_near:
        is_kept = far < is_near(found["i"], found["j"])
        found = {letter: values if values is None else values[is_kept] for letter, values in found.items()}
    made = tuple(found[letter] for letter in quantities)
    return made if len(made) > 1 else made[0]


def _box(cell: Any, pbc: Any) -> NDArray[np.float64] | None:
    """The vectors by which a cell repeats, and 0 for others."""
    repeats = np.broadcast_to(np.asarray(False if pbc is None else pbc, bool), (3,))
    if not repeats.any():
        return None
    if cell is None or np.shape(cell) not in ((3,), (3, 3)):
        raise InputError(f"cell: the shape is {np.shape(cell)}, and must be (3, 3), or (3,), where pbc says that it repeats")
    vectors = np.asarray(cell, "f8")
    vectors = np.where(repeats[:, None], np.diag(vectors) if vectors.ndim == 1 else vectors, 0)
    if (repeats & ~vectors.any(1)).any():
        raise InputError("cell: a vector is 0 along which pbc says that it repeats")
    return vectors


def _cutoffs(cutoff: Any, numbers: ArrayLike | None, count: int) -> tuple[float, Any]:
    """The largest cutoff, and a function of i and j that gives that of pairs;
    None: it is the same for all."""
    if isinstance(cutoff, Mapping):
        if numbers is None:
            raise UsageError("cutoff: a dictionary needs atoms, or numbers")
        kinds, kind_of = np.unique(np.asarray(numbers), return_inverse=True)
        if np.shape(numbers) != (count,):
            raise InputError(f"numbers: the shape is {np.shape(numbers)}, and there are {count} atoms")
        of_kinds = np.full((len(kinds), len(kinds)), -1.0)
        for (a, b), limit in cutoff.items():
            for first, second in ((a, b), (b, a)):
                of_kinds[np.ix_(kinds == _number_of(first), kinds == _number_of(second))] = _arrays.number(limit, "cutoff")
        return float(of_kinds.max(initial=0)), lambda i, j: of_kinds[kind_of[i], kind_of[j]]
    if np.ndim(cutoff) == 0:
        return _arrays.number(cutoff, "cutoff"), None
    each = np.asarray(cutoff, "f8")
    if each.shape != (count,):
        raise _WrongShape(f"cutoff: the shape is {each.shape}, and there are {count} atoms")
    return float(2 * each.max(initial=0)), lambda i, j: each[i] + each[j]


def _number_of(element: Any) -> int:
    """The atomic number of a symbol, or the number itself."""
    if not isinstance(element, str):
        return _arrays.whole(element, "cutoff")
    try:
        return int(importlib.import_module("ase.data").atomic_numbers[element])
    except ImportError:
        raise UsageError(f"cutoff: the symbol {element!r} needs the package ase; give atomic numbers") from None
    except KeyError:
        raise UsageError(f"cutoff: no element has the symbol {element!r}") from None
