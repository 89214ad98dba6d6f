"""Neighbours as the edges of a graph, in the forms that other libraries take."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from ._device import is_on_device, library_of
from .errors import InputError, UsageError


def go_to_queries(flow: str) -> bool:
    """Whether messages go from the neighbours to the queries, as
    torch_geometric says it."""
    if not isinstance(flow, str) or flow not in ("source_to_target", "target_to_source"):
        raise UsageError(f'flow expects "source_to_target" or "target_to_source", got {flow!r:.80}')
    return flow == "source_to_target"


class Edges:
    """What results have in common, in host memory and as arrays of torch or
    cupy on a GPU: edges between the queries and those neighbours that exist.
    Raises InputError: arrays of other libraries."""

    ids: Any
    distances: Any
    report: dict[str, Any]
    shifts: Any

    def _entries(self, module: Any) -> tuple[Any, Any, Any]:
        """The query of each neighbour, the neighbour and the distance, query
        after query."""
        raise NotImplementedError

    def _of_library(self) -> tuple[str, Any, tuple[Any, Any, Any]]:
        """The library of the arrays, its module, and the entries."""
        library = library_of(self.ids) or "numpy"
        if library == "numpy" and is_on_device(self.ids):
            raise InputError("edges are for arrays of torch, cupy and NumPy")
        module = sys.modules[library]
        return library, module, self._entries(module)

    def pairs(self) -> Any:
        """The pairs (query, id), a row for each neighbour: int32."""
        library, module, (queries, ids, _) = self._of_library()
        return module.stack((queries.to(ids.dtype) if library == "torch" else queries.astype(ids.dtype), ids), 1)

    def edge_index(self, flow: str = "source_to_target") -> Any:
        """The edges as torch_geometric has them, 2 x E, int64: in the first
        row the neighbours, from which messages go, and in the second the
        queries; with flow="target_to_source", the other way round."""
        is_reversed, pairs = go_to_queries(flow), self.pairs()
        edges = (pairs.long() if hasattr(pairs, "long") else pairs.astype("i8")).T
        return edges[[1, 0]] if is_reversed else edges

    def csr(self) -> Any:
        """The distances as a sparse matrix of a row for each query and a column
        for each point of the data (of Found.of() and Found.read(), up to the
        largest id): of scipy, cupy or torch. Raises InputError:
        images="all", which has several for one point."""
        if self.shifts is not None:
            raise InputError("a matrix has one place for all images of a point; table() has a line for each")
        library, module, (queries, ids, distances) = self._of_library()
        points = self.report["data"].get("points")
        shape = len(self), int(points if points is not None else ids.max() + 1 if len(ids) else 0)  # type: ignore[arg-type]
        if library == "torch":  # which wants the columns of a row to ascend
            order = module.argsort(queries * max(shape[1], 1) + ids)
            indptr = module.searchsorted(queries, module.arange(shape[0] + 1, device=ids.device))
            return module.sparse_csr_tensor(indptr, ids.long()[order], distances[order], shape)
        sparse = importlib.import_module("scipy.sparse" if library == "numpy" else "cupyx.scipy.sparse")
        indptr = module.searchsorted(queries, module.arange(shape[0] + 1))
        return sparse.csr_matrix((distances, ids, indptr), shape=shape)
