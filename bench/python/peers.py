"""Times kann beside other Python packages, in one process: build and query, as a user would call them.

  python3 bench/python/peers.py                  all packages that can be imported
  python3 bench/python/peers.py --json out.json
  taskset -c 0 python3 bench/python/peers.py --processor     by one core that has other work, too

Each line is the best of some runs, with the median after it, in milliseconds. A run makes the index and searches it, unless
the line says "query". `self`: the queries are the data, and the packages may find each point itself; kann does not. The
distances of the exact packages are compared with those of the first one. On a GPU, clouds and rows stay there, and a run
ends when the rows are there.
"""

import argparse
import json
import statistics
import sys
import time

import numpy as np

import kann

SIZES, NEIGHBOURS = (100_000, 1_000_000), (1, 8, 32)


def surface(n, seed):
    """Points on a rolling surface of 100 x 100 units, as a scan has them, with some noise."""
    r = np.random.default_rng(seed)
    x, y = r.random((2, n)) * 100
    z = 3 * np.sin(x / 7) * np.cos(y / 9) + r.normal(0, .02, n)
    return np.stack([x, y, z], 1).astype(np.float32)


def sweep(n, seed, angle=0.):
    """A LiDAR-like sweep: rings around a sensor, dense near it."""
    r = np.random.default_rng(seed)
    a, e = r.random(n) * 2 * np.pi, np.repeat(np.linspace(-.4, .05, 64), -(-n // 64))[:n]
    d = np.minimum(80, 1.8 / np.maximum(1e-3, -np.sin(e))) * (1 + .1 * np.sin(5 * a)) + r.normal(0, .02, n)
    c, s = np.cos(angle), np.sin(angle)
    x, y = d * np.cos(e) * np.cos(a), d * np.cos(e) * np.sin(a)
    return np.stack([c * x - s * y, s * x + c * y, d * np.sin(e)], 1).astype(np.float32)


def host_packages(data, queries, k):
    """Pairs of a name and a function that searches; the distances, nearest first."""
    yield "kann", lambda: kann.search(data, queries, k=k, device="cpu").distances
    own = queries if queries is not None else data
    try:
        from scipy.spatial import cKDTree
        yield "scipy cKDTree", lambda: cKDTree(data).query(own, k=k, workers=-1)[0].reshape(len(own), k)
    except ImportError:
        pass
    try:
        from pykdtree.kdtree import KDTree
        yield "pykdtree", lambda: KDTree(data).query(own, k=k)[0].reshape(len(own), k)
    except ImportError:
        pass
    try:
        import os

        import small_gicp
        threads = len(os.sched_getaffinity(0))

        def gicp():
            tree = small_gicp.KdTree(small_gicp.PointCloud(data.astype(np.float64)), num_threads=threads)
            _, squared = tree.batch_knn_search(own.astype(np.float64), k, num_threads=threads)
            return np.sqrt(np.asarray(squared).reshape(len(own), k))
        yield "small_gicp", gicp
    except ImportError:
        pass
    try:
        from sklearn.neighbors import NearestNeighbors
        tree = NearestNeighbors(n_neighbors=k, algorithm="kd_tree", n_jobs=-1)
        yield "scikit-learn", lambda: tree.fit(data).kneighbors(own)[0]
    except ImportError:
        pass
    try:
        import open3d.core

        def tensors():  # the legacy KDTreeFlann takes one query a call
            search = open3d.core.nns.NearestNeighborSearch(open3d.core.Tensor.from_numpy(data))
            search.knn_index()
            return np.sqrt(search.knn_search(open3d.core.Tensor.from_numpy(own), k)[1].numpy())
        yield "Open3D", tensors
    except ImportError:
        pass


def device_packages(data, queries, k):
    """The same on a GPU."""
    try:
        import torch
    except ImportError:
        return
    if not torch.cuda.is_available():
        return
    d_data = torch.from_numpy(data).cuda()
    d_queries = None if queries is None else torch.from_numpy(queries).cuda()
    own = d_data if d_queries is None else d_queries

    def on_device():
        found = kann.search(d_data, d_queries, k=k)
        torch.cuda.synchronize()
        return found.distances

    yield "kann, GPU", on_device

    def brute_force():
        rows = []
        for block in own.split(max(1, 2**28 // len(d_data))):
            squared = (block * block).sum(1, keepdim=True) - 2 * block @ d_data.T + (d_data * d_data).sum(1)
            rows.append(squared.topk(k, largest=False)[0].clamp_(min=0).sqrt_())
        torch.cuda.synchronize()
        return torch.cat(rows)

    if len(data) * len(own) <= 10**11:
        yield "torch, brute force, GPU", brute_force
    try:
        import jax
        import jztree.knn
        j_data, j_queries = jax.numpy.asarray(data), None if queries is None else jax.numpy.asarray(queries)
        search = jax.jit(lambda x, q: jztree.knn.knn(x, k=k, part_query=q))
        yield "jztree, GPU", lambda: jax.block_until_ready(search(j_data, j_queries))[0]
    except ImportError:
        pass


def timed(search, repeat, clock):
    """The rows, and the milliseconds of each of some calls after the first."""
    rows, times = search(), []
    for _ in range(repeat):
        start = clock()
        search()
        times.append((clock() - start) * 1e3)
        if sum(times) > 5000:
            break
    return rows, times


def host(rows):
    return np.asarray(rows.cpu() if hasattr(rows, "cpu") else rows, np.float64)


def compare(name, data, queries, repeat, clock, records):
    for k in NEIGHBOURS:
        first = None
        for package, search in [*host_packages(data, queries, k), *device_packages(data, queries, k)]:
            try:
                rows, times = timed(search, repeat, clock)
            except Exception as error:  # another package's limits
                print(f"{name:24} k {k:3} {package:24} {type(error).__name__}: {str(error)[:80]}", flush=True)
                continue
            wrong = ""
            if queries is not None:
                rows = host(rows)
                first = rows if first is None else first
                share = np.mean(~np.isclose(rows, first, rtol=1e-4, atol=1e-4))
                wrong = f", {share:.2%} of the distances differ" if share > 1e-4 else ""
            best, median = min(times), statistics.median(times)
            print(f"{name:24} k {k:3} {package:24} {best:10.2f} {median:10.2f} ms{wrong}", flush=True)
            records.append({"cloud": name, "k": k, "package": package, "best_ms": best, "median_ms": median})


def compare_icp_step(repeat, clock, records):
    """Queries of a step of ICP: a sweep against a map whose index was made before."""
    import scipy.spatial
    cloud = np.concatenate([sweep(110_000, seed, .001 * seed) + np.float32([seed, 0, 0]) for seed in range(7)])
    scan = sweep(114_000, 99) + np.float32([3.3, .1, 0])
    index, tree = kann.Index(cloud), scipy.spatial.cKDTree(cloud)
    ways = [("kann", lambda: index.query(scan, k=1, device="cpu")),
            ("scipy cKDTree", lambda: tree.query(scan, k=1, workers=-1))]
    try:
        import torch
        if torch.cuda.is_available():
            d_index, d_scan = kann.Index(torch.from_numpy(cloud).cuda()), torch.from_numpy(scan).cuda()
            ways.append(("kann, GPU", lambda: (d_index.search(d_scan, k=1), torch.cuda.synchronize())))
    except ImportError:
        pass
    for package, search in ways:
        _, times = timed(search, repeat, clock)
        best, median = min(times), statistics.median(times)
        print(f"{'ICP step, query':24} k   1 {package:24} {best:10.2f} {median:10.2f} ms", flush=True)
        records.append({"cloud": "icp step", "k": 1, "package": package, "best_ms": best, "median_ms": median})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], default=SIZES)
    parser.add_argument("--processor", action="store_true", help="take the time of the processor, not that of a clock")
    options = parser.parse_args()
    records, clock = [], time.process_time if options.processor else time.perf_counter
    for n in options.sizes:
        data = surface(n, 1)
        compare(f"surface {n}, self", data, None, options.repeat, clock, records)
        compare(f"sweep {n // 10} in map {n}", data=np.concatenate([sweep(n // 2, 1), sweep(n - n // 2, 2, .01)]),
                queries=sweep(n // 10, 3), repeat=options.repeat, clock=clock, records=records)
    compare_icp_step(options.repeat, clock, records)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(records, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
