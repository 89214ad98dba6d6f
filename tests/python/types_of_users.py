"""The calls of docs/guide/python.md in a script of a user who checks types: scripts/wheel has mypy look at it. It is not run."""

from pathlib import Path
from typing import Any

import kann
import numpy as np
from numpy.typing import NDArray


def searches(data: NDArray[np.float64], queries: NDArray[np.float32]) -> None:
    found = kann.search(data, queries, k=8)
    sums: NDArray[np.int32] = found.ids.sum(axis=0)
    nearest: NDArray[np.float32] = found.distances[:, 0]
    kann.search(data, method="exact", radius=0.5, periodic=(10, 10, 10), device="cuda", threads=4, invalid="skip")
    out = (np.empty((9, 8), np.int32), np.empty((9, 8), np.float32))
    kann.search(data, out=out, progress=lambda step, fraction: print(f"{step} {fraction:.0%}", sums, nearest))
    lists = kann.search_radius(index_of := kann.Index(data), queries, 0.5)
    neighbors: NDArray[np.int32] = lists[0]
    counts: NDArray[np.int64] = kann.count_radius(index_of, None, 0.5)
    print(neighbors, counts, lists.pairs())
    labels: NDArray[np.int32] = kann.cluster(data, 0.5, 10, periodic=(10, 10, 10), invalid="skip")
    print(labels)
    joined = kann.match(index_of, queries, 0.5, k="all", one_to_one=True, group=(data[:, 0], queries[:, 0]))
    both: NDArray[Any] = np.hstack((queries[joined.queries], data[joined.ids]))
    print(both[joined.distances > 0.1], len(joined))
    table: dict[str, NDArray[Any]] = kann.join(data, index_of, 2, how="left", radius=0.5, match="one-to-one", sky=False)
    print(table["nn_id"], found.table(queries, data), lists.table(data=data)["rank"])
    shapes: NDArray[Any] = kann.features(index_of, queries, k="all", radius=0.5, names="normals,curvature", group=None)["normals"]
    print(shapes)
    kann.search(data, k="8")  # type: ignore[arg-type]
    kann.search(data, progress=lambda step: None)  # type: ignore[arg-type, misc]
    index = kann.Index(data)
    distances, ids = index.query(queries, k=8)
    far: NDArray[np.float32] = distances[ids < index.n]
    wrong: NDArray[np.float64] = index.query(far, dtype=np.float64)[1]  # type: ignore[assignment]
    print(wrong, kann.KDTree(data, boxsize=1.0).query_pairs(0.1))


def arrays_on_a_gpu(tensor: Any) -> Any:
    found = kann.Index(tensor).search(tensor, k=8, out=(tensor, tensor))
    return kann.Found.of(found.ids.cpu(), found.distances.cpu())


def clouds() -> None:
    cloud = kann.read(Path("scan.las"), columns=["x", "y"], attributes=("intensity",))
    low: NDArray[Any] = cloud.select(cloud["intensity"] > 3).points
    kann.write("out.ply", cloud, {"intensity": low[:, 0]})
    found = kann.search(cloud, low)
    heights: NDArray[Any] = kann.transfer(cloud, low, found, {"z": low[:, 2]}, by="idw")["z"]
    is_outlier: NDArray[np.bool_] = kann.outliers(found, sigma=2).is_outlier
    means: NDArray[np.float32] = kann.mean_distances(found)
    densities: NDArray[np.float64] = kann.densities(found)
    print(kann.statistics(found)["ranks"], kann.histogram(found, "out.svg"), is_outlier, densities)
    image: NDArray[np.uint8] = kann.picture(cloud, means, "out.png", size=(64, 64), color_range=(0, 1))
    grid = kann.grid(low, 0.5)
    raster: NDArray[Any] = heights.reshape(grid.shape)
    print(image, raster, kann.verify(low, None, found)["recall"], kann.compare(low, None, found, "truth.npz")["recall"])
    found.write("out.npz", force=True)
    kann.Found.read("out.npz").write(Path("copy.npz"))


def errors(data: NDArray[np.float64]) -> int:
    try:
        kann.search(data)
    except kann.InputError as error:
        return error.exit_code
    except (kann.Error, kann.KannWarning):
        print(kann.cuda_reason(), kann.__version__)
    return 0
