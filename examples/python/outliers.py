"""Normals by principal components, and outliers, with numpy: what is usually done to a scan first."""

import kann
import numpy

random = numpy.random.default_rng(1)
ground = random.uniform((0, 0, 0), (30, 20, 0.02), (20_000, 3))
dust = random.uniform((0, 0, 5), (30, 20, 25), (25, 3))
kann.write("scan.ply", numpy.concatenate([ground, dust]), {"is_dust": numpy.arange(20_025) >= 20_000})

scan = kann.read("scan.ply")
found = kann.search(scan, k=16)

# A point is an outlier if its neighbours are much farther away than those of others
flags = kann.outliers(found, sigma=2).is_outlier
print(f"{flags[scan['is_dust'] == 1].sum()} of {scan['is_dust'].sum()} planted outliers found")

# The normal of a point is the direction in which its neighbours differ least
neighbors = scan.points[found.ids]  # n x 16 x 3
offsets = neighbors - neighbors.mean(1, keepdims=True)
normals = numpy.linalg.eigh(offsets.transpose(0, 2, 1) @ offsets)[1][:, :, 0]
normals *= numpy.sign(normals[:, 2:])
print(f"the normals of {(normals[:, 2] > 0.99).mean():.0%} of the points are upright")

clean = {name: scan[name][~flags] for name in scan}
kann.write("clean.ply", scan.points[~flags], clean | {f"n{axis}": normals[~flags, i] for i, axis in enumerate("xyz")})
