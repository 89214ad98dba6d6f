"""Times graphs of tensors and training steps beside other Python packages, in one process, on a GPU or the CPU.

  python3 bench/python/graphs.py                  packages that can be imported, on a GPU if there is one
  python3 bench/python/graphs.py --json out.json --sizes 1000,10000 --device cpu

A line is a graph of points that fill a cube: the k nearest of each (`rows`), all within a radius that has so many (`lists`), or
rows of 64 clouds of 2,000 points (`batch`). A call makes all that it needs, of points in memory of the device, and its result
stays there. Best and median of some calls, in milliseconds. Up to 20,000 points, the edges are compared, as sets, with those of
the distances of all pairs. Then come steps of training, which make a graph each time: by kann, and by torch alone.
"""

import argparse
import json
import statistics
import sys
import time

import numpy as np
import torch

import kann
import kann.torch


try:
    import scipy.spatial
except ImportError:
    scipy = None
try:
    import torch_cluster
except ImportError:
    torch_cluster = None
try:
    import jax
    import jztree.knn
except ImportError:
    jztree = None
MOST_PAIRS = {"torch, all pairs": 4 * 10**8, "torch_cluster": 2 * 10**10}  # in some seconds
COMPARED_POINTS = 20_000


def cube(n, device, seed=1):
    return torch.from_numpy(np.random.default_rng(seed).random((n, 3), np.float32)).to(device)


def brute_force_rows(x, k):
    rows = []
    for begin in range(0, len(x), block := max(1, 2**28 // len(x))):
        far = torch.cdist(x[begin:begin + block], x, compute_mode="donot_use_mm_for_euclid_dist")
        far[torch.arange(len(far)), torch.arange(begin, begin + len(far))] = torch.inf
        rows.append(far.topk(k, largest=False)[1])
    return torch.cat(rows)


def brute_force_lists(x, radius):
    edges = []
    for begin in range(0, len(x), block := max(1, 2**28 // len(x))):
        near = torch.cdist(x[begin:begin + block], x, compute_mode="donot_use_mm_for_euclid_dist") <= radius
        near[torch.arange(len(near)), torch.arange(begin, begin + len(near))] = False
        edges.append(near.nonzero() + torch.tensor([begin, 0], device=x.device))
    return torch.cat(edges).T


def of_rows(ids):
    return torch.stack((torch.arange(len(ids), device=ids.device).repeat_interleave(ids.shape[1]), ids.reshape(-1).long()))


def rows_by(x, k):
    """Pairs of a name and a call that has the edges (query, neighbour)."""
    yield "kann", lambda: of_rows(kann.search(x, k=k).ids if x.is_cuda else kann.torch.search(x, k=k)[0])
    if len(x)**2 <= MOST_PAIRS["torch, all pairs"]:
        yield "torch, all pairs", lambda: of_rows(brute_force_rows(x, k))
    if torch_cluster and len(x)**2 <= MOST_PAIRS["torch_cluster"]:
        yield "torch_cluster", lambda: torch_cluster.knn_graph(x, k, flow="target_to_source")
    host = x.cpu().numpy()
    if scipy:
        yield "scipy", lambda: of_rows(torch.from_numpy(scipy.spatial.cKDTree(host).query(host, k + 1, workers=-1)[1][:, 1:]))
    if jztree and x.is_cuda:
        points = jax.numpy.asarray(host)
        search = jax.jit(lambda p: jztree.knn.knn(p, k=k + 1))
        yield "jztree", lambda: of_rows(torch.from_dlpack(jax.block_until_ready(search(points))[1])[:, 1:])


def lists_by(x, radius):
    def of_lists():
        found = kann.search_radius(x, None, radius)
        return torch.as_tensor(found.edge_index("target_to_source"))

    yield "kann", of_lists
    if len(x)**2 <= MOST_PAIRS["torch, all pairs"]:
        yield "torch, all pairs", lambda: brute_force_lists(x, radius)
    if torch_cluster and len(x)**2 <= MOST_PAIRS["torch_cluster"]:
        yield "torch_cluster", lambda: torch_cluster.radius_graph(x, radius, max_num_neighbors=1000, flow="target_to_source")
    host = x.cpu().numpy()
    if scipy:
        yield "scipy", lambda: torch.from_numpy(scipy.spatial.cKDTree(host).query_pairs(radius, output_type="ndarray").T)


def batches_by(x, batch, k):
    yield "kann", lambda: kann.torch.knn_graph(x, k, batch, flow="target_to_source")
    if torch_cluster:
        yield "torch_cluster", lambda: torch_cluster.knn_graph(x, k, batch, flow="target_to_source")
    clouds = x.reshape(int(batch[-1]) + 1, -1, 3)
    size = clouds.shape[1]

    def all_pairs():
        far = torch.cdist(clouds, clouds, compute_mode="donot_use_mm_for_euclid_dist")
        far.diagonal(dim1=1, dim2=2).fill_(torch.inf)
        ids = far.topk(k, largest=False)[1] + size * torch.arange(len(clouds), device=x.device)[:, None, None]
        return of_rows(ids.reshape(-1, k))

    yield "torch, all pairs", all_pairs


def radius_of(n, neighbours):
    return float((neighbours / (n * 4 / 3 * np.pi)) ** (1 / 3))


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def timed(call, device, repeat):
    """The result, and the milliseconds of some calls after the first two."""
    result = call()
    call()
    synchronize(device)
    times = []
    while len(times) < repeat and sum(times) < 3000:
        start = time.perf_counter()
        call()
        synchronize(device)
        times.append((time.perf_counter() - start) * 1e3)
    return result, times


def compare(name, n, ways, device, repeat, records):
    want = None
    for package, call in ways:
        try:
            edges, times = timed(call, device, repeat)
        except Exception as error:  # a limit of another package
            print(f"{name:28} {package:20} {type(error).__name__}: {str(error)[:80]}", flush=True)
            continue
        codes = (edges[0] * n + edges[1]).sort()[0].cpu() if n <= COMPARED_POINTS and package != "scipy" else None
        remark = f"{edges.shape[1]} edges"
        if want is None:
            want = codes
        elif codes is not None and not torch.equal(codes, want):
            remark += f", {np.setxor1d(codes.numpy(), want.numpy()).size} of them not those of the first"
        print(f"{name:28} {package:20} {min(times):10.3f} {statistics.median(times):10.3f} ms, {remark}", flush=True)
        records.append({"graph": name, "package": package, "best_ms": min(times), "median_ms": statistics.median(times), "edges": edges.shape[1]})


class PointNetwork(torch.nn.Module):
    """Classifies clouds: two convolutions over the edges of a graph of 16 neighbours."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.ReLU(), torch.nn.Linear(32, 32))
        self.second = torch.nn.Sequential(torch.nn.Linear(67, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64))
        self.last = torch.nn.Linear(64, 10)

    def forward(self, x, ids, clouds):
        difference = x[ids] - x[:, None]
        features = self.first(torch.cat((x[:, None].expand_as(difference), difference), -1)).amax(1)
        pairs = torch.cat((features[:, None].expand(-1, ids.shape[1], -1), features[ids], difference), -1)
        return self.last(self.second(pairs).amax(1).reshape(clouds, -1, 64).amax(1))


def point_network_steps(device):
    """Steps of training with 32 clouds of 1,024 points, which are turned each time."""
    clouds, size, k = 32, 1024, 16
    x, batch = cube(clouds * size, device), torch.arange(clouds, device=device).repeat_interleave(size)
    wanted = torch.arange(clouds, device=device) % 10

    def by_kann(x):
        return kann.torch.search(x, k=k, group=batch)[0]

    def by_torch(x):
        blocks = x.reshape(clouds, size, 3)
        far = torch.cdist(blocks, blocks) + torch.eye(size, device=device) * 1e9
        return (far.topk(k, largest=False)[1] + size * torch.arange(clouds, device=device)[:, None, None]).reshape(-1, k)

    for compiles in (False, True):
        for name, neighbours in (("kann", by_kann), ("torch, all pairs", by_torch)):
            torch.manual_seed(1)
            network = PointNetwork().to(device)
            optimizer = torch.optim.SGD(network.parameters(), .01)

            def loss_of(turn, network=network, neighbours=neighbours):
                turned = x @ turn
                return torch.nn.functional.cross_entropy(network(turned, neighbours(turned.detach()), clouds), wanted)

            compiled = torch.compile(loss_of, fullgraph=True) if compiles else loss_of

            def step(optimizer=optimizer, compiled=compiled):
                optimizer.zero_grad()
                compiled(torch.linalg.qr(torch.randn(3, 3, device=device))[0]).backward()
                optimizer.step()

            yield f"{name}{', compiled' if compiles else ''}", step


def molecule_steps(device):
    """Steps of molecular dynamics: a graph of some 40 neighbours each, the energy by a network of distances, and forces."""
    n, neighbours = 4096, 40
    radius = radius_of(n, neighbours)
    for compiles in (False, True):
        for name in ("kann", "torch, all pairs"):
            torch.manual_seed(1)
            network = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.SiLU(), torch.nn.Linear(64, 1)).to(device)
            centres = torch.linspace(0, radius, 16, device=device)

            def energy_of(x, name=name, network=network, centres=centres):
                if name == "kann":
                    distances = kann.torch.search_radius(x, None, radius)[2]
                else:
                    first, second = brute_force_lists(x.detach(), radius)
                    distances = (x[first] - x[second]).square().sum(1).sqrt()
                waves = torch.exp(-((distances[:, None] - centres) * 16 / radius) ** 2)
                return (network(waves)[:, 0] * (1 - distances / radius) ** 2).sum()

            compiled = torch.compile(energy_of, fullgraph=name == "kann", dynamic=True) if compiles else energy_of
            start = cube(n, device)

            def step(compiled=compiled, start=start):
                x = start.clone().requires_grad_()
                forces, = torch.autograd.grad(compiled(x), x)
                start.add_(forces, alpha=1e-7)

            yield f"{name}{', compiled' if compiles else ''}", step


def compare_steps(name, steps, device, repeat, records):
    for way, step in steps:
        _, times = timed(step, device, repeat)
        print(f"{name:28} {way:28} {min(times):10.3f} {statistics.median(times):10.3f} ms", flush=True)
        records.append({"step": name, "package": way, "best_ms": min(times), "median_ms": statistics.median(times)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], default=[10**3, 10**4, 10**5, 10**6])
    parser.add_argument("--only", choices=["rows", "lists", "batches", "steps"])
    options = parser.parse_args()
    device, records = torch.device(options.device), []

    def wants(part):
        return options.only in (None, part)

    for n in options.sizes:
        x = cube(n, device)
        for k in (1, 8, 32) if wants("rows") else ():
            compare(f"rows {n}, k = {k}", n, rows_by(x, k), device, options.repeat, records)
        for neighbours in (8, 30, 200) if wants("lists") and n <= 10**6 else ():
            compare(f"lists {n}, {neighbours} neighbours", n, lists_by(x, radius_of(n, neighbours)), device, options.repeat, records)
    if wants("batches"):
        for clouds, size in ((64, 2000), (1000, 20)):
            batch = torch.arange(clouds, device=device).repeat_interleave(size)
            compare(f"batch {clouds} x {size}, k = 8", clouds * size, batches_by(cube(clouds * size, device), batch, 8), device, options.repeat, records)
    if wants("steps"):
        compare_steps("training, 32 clouds of 1,024", point_network_steps(device), device, options.repeat, records)
        compare_steps("dynamics of 4,096 atoms", molecule_steps(device), device, options.repeat, records)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(records, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
