"""Features of neighbourhoods for a network, and a layer that takes the neighbours together. With torch, or with numpy
where torch is not installed."""

import kann
import numpy

try:
    import torch as xp
except ImportError:
    xp = numpy

random = numpy.random.default_rng(1)
ground = random.uniform((0, 0, 0), (30, 20, 0.05), (8000, 3))
wall = random.uniform((10, 5, 0), (10.05, 15, 3), (4000, 3))
poles = random.uniform((0, 0, 0), (0.1, 0.1, 6), (1500, 3)) + random.integers(1, 6, (1500, 1)) * (5, 3, 0)
points = numpy.concatenate([ground, wall, poles]).astype("f4")
classes = numpy.repeat([0, 1, 2], [8000, 4000, 1500])

# How the neighbours of a point are spread along their three main directions, and how dense they are
found = kann.search(points, k=16)
offsets = points[found.ids] - points[:, None]  # n x 16 x 3, which many networks take as they are
spread, directions = numpy.linalg.eigh(offsets.transpose(0, 2, 1) @ offsets)
least, middle, largest = numpy.sqrt(spread.clip(0)).T
features = numpy.stack([(largest - middle) / largest, (middle - least) / largest, least / largest,
                        abs(directions[:, 2, 0]), abs(directions[:, 2, 2]), numpy.log(kann.densities(found))], 1)

# Tensors share the memory of the arrays. edges is what torch_geometric calls edge_index
x, ids = (xp.from_numpy(a) if xp is not numpy else a for a in (features, found.ids.astype("i8")))
edges = numpy.stack([found.ids.ravel(), numpy.repeat(numpy.arange(len(points)), 16)])

# A layer of a graph network, the largest values among the neighbours, and a classifier by least squares
layer = xp.hstack([x, xp.amax(x[ids], 1), xp.amin(x[ids], 1), x[:, :1] ** 0])
labels = xp.eye(3, dtype=x.dtype)[classes]
guessed = (layer @ (xp.linalg.pinv(layer[::2]) @ labels[::2])).argmax(1)
right = (guessed == labels.argmax(1))[1::2]
print(f"{int(right.sum()) / len(right):.0%} of the points have the right class; {edges.shape[1]} edges, {xp.__name__}")
