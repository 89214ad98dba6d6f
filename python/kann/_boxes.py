"""All neighbours within a radius in a periodic box, of tensors that are on a
GPU and stay there: the images of queries near a face are queries, too."""

from __future__ import annotations

import functools
import importlib
import itertools
import math
import operator
from typing import Any

from ._device import library_of


def lists(index: Any, queries: Any, radius: float, include_self: bool, counts: bool, groups: tuple[Any, Any], box: list[float],
          all_images: bool) -> Any:
    """As Index.lists() of a tensor, with the shifts after the distances, if all
    images count. None: the search is one for the host, which has all boxes and all
    messages. Here, points lie within a box with right angles as the host leaves
    them, and the radius is less than half of a side, so that no point is found
    twice."""
    asked = index.data if queries is None else queries
    if library_of(asked) != "torch" or asked.device != index.data.device:
        return None
    sides, data = _sides(box, asked.shape[-1]), index.data
    if sides is None or len(asked) * len(data) == 0 or asked.shape[-1] != data.shape[-1] or not 0 <= 2.001 * radius < min(sides) < math.inf:
        return None
    torch: Any = importlib.import_module("torch")
    extents = [torch.stack((points.amin(0), points.amax(0))).double().T.tolist() for points in ((data,) if queries is None else (data, asked))]
    if not _stay(sides, extents[0], extents[-1]):
        return None
    query_of, moves = _images(torch, asked.detach(), sides, extents[0], radius)
    lengths = torch.tensor([side if side < math.inf else 0 for side in sides], dtype=torch.float64, device=asked.device)
    images = asked[query_of].double() + moves * lengths
    with torch.no_grad():
        own, ids, distances = index.lists(queries, radius, include_self, counts, groups[1])
        begins, *found = index.lists(images, radius, False, counts, None if groups[0] is None else groups[queries is not None][query_of])
    sizes = own.diff().index_add(0, query_of, begins.diff())
    indptr = torch.cat((sizes.new_zeros(1), sizes.cumsum(0)))
    if counts:
        return indptr, None, None, None
    places = torch.cat((torch.arange(len(asked), device=asked.device).repeat_interleave(own.diff()),
                        len(asked) + torch.arange(len(query_of), device=asked.device).repeat_interleave(begins.diff())))
    ids, distances = torch.cat((ids, found[0])), torch.cat((distances, found[1]))
    query = torch.cat((torch.arange(len(asked), device=asked.device), query_of))[places]
    # In the order of (query, distance, id): the bits of floats that are not negative are in their order
    order = (distances.view(torch.int32).long() << 32 | ids).argsort()
    order = order[query[order].argsort(stable=True)]
    ids, distances, places = ids[order], distances[order], places[order]
    shifts = torch.cat((moves.new_zeros((len(asked), len(sides))), -moves))[places] if all_images else None
    if torch.is_grad_enabled() and (data.requires_grad or asked.requires_grad):
        kind = torch.result_type(data, asked)
        distances = importlib.import_module("kann.torch").measured(data, torch.cat((asked.double(), images))[places], ids).to(kind)
    return indptr, ids, distances, shifts


def _sides(numbers: list[float], dimensions: int) -> list[float] | None:
    """The side along each axis, infinite where nothing repeats; None: the box
    is none of right angles in so many dimensions."""
    if len(numbers) == 9:
        numbers, others = numbers[::4], [x for i, x in enumerate(numbers) if i % 4]
    else:
        numbers, others = numbers[:3], numbers[3:]
    if any(others) or len(numbers) != dimensions or not all(0 <= side < math.inf for side in numbers):
        return None
    return [side or math.inf for side in numbers]


def _stay(sides: list[float], data: list[list[float]], queries: list[list[float]]) -> bool:
    """Whether the host searches the points where they are: src/search/periodic/
    placement.hpp has the rule."""
    for side, (low, high), (first, last) in zip(sides, data, queries):
        if not all(map(math.isfinite, (low, high, first, last))):
            return False
        if side == math.inf:
            continue
        middle = low / 2 + high / 2
        if not (high - low <= 1.25 * side and max(abs(low), abs(high)) <= 2 * side and low + side != high and high - side != low
                and max(abs(first - middle), abs(last - middle)) <= .63 * side):
            return False
    return True


def _images(torch: Any, queries: Any, sides: list[float], extent: list[list[float]], radius: float) -> tuple[Any, Any]:
    """The queries that have images near the data, ascending, and by how many
    sides each image is moved."""
    near: list[dict[int, Any]] = []  # by steps along the axis
    for axis, (side, (low, high)) in enumerate(zip(sides, extent)):
        x, reach = queries[:, axis].double(), radius + 1e-6 * (radius + abs(low) + abs(high))
        moved = {0: x} if side == math.inf else {0: x, -1: x - side, 1: x + side}
        near.append({step: (at >= low - reach) & (at <= high + reach) for step, at in moved.items()})
    moves = list(itertools.product(*near))[1:]  # without (0, 0, 0)
    are_near = torch.stack([functools.reduce(operator.and_, (near[axis][step] for axis, step in enumerate(move))) for move in moves], 1)
    query_of, which = are_near.nonzero(as_tuple=True)
    return query_of, torch.tensor(moves, dtype=torch.int32, device=queries.device)[which]
