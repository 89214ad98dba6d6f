#!/usr/bin/env python3
"""--features are what numpy computes from the rows of the same result, by numpy.linalg.eigh.

Usage: numpy_features_test.py KANN
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    # The numpy of the system belongs to its own Python
    system = "/usr/bin/python3"
    if os.path.realpath(sys.executable) == os.path.realpath(system) or not os.path.exists(system):
        print("SKIPPED: no numpy")
        sys.exit(77)
    os.execv(system, [system, *sys.argv])

KANN = None
NAMES = "normals,curvature,linearity,planarity,sphericity,verticality,omnivariance,density"


def clouds():
    r = np.random.default_rng(5)
    sphere = r.normal(size=(5000, 3))
    sphere /= np.linalg.norm(sphere, axis=1)[:, None]
    rough = sphere + r.normal(0, .01, sphere.shape)
    yield "rough sphere", rough
    yield "rough sphere, float32", rough.astype("f4")
    yield "map coordinates", 100 * rough + (5e5, 5.4e6, 300)
    yield "in nanometres", rough * 1e-9
    yield "in light years", rough * 1e16
    yield "uniform", r.random((5000, 3))
    yield "flat", r.random((3000, 3)) * (1, 1, 0)
    yield "tilted and flat", r.random((3000, 2)) @ np.array([[1, .2, .3], [-.3, 1, .1]])
    yield "on a line", r.random((3000, 1)) * (1, 2, 3)
    yield "lattice", np.stack(np.meshgrid(*[np.arange(15.)] * 3), -1).reshape(-1, 3)
    yield "duplicates", r.permutation(np.repeat(r.random((300, 3)), 10, axis=0))
    for count in range(5):
        yield f"{count} points", r.random((count, 3))


def expected(points, rows, own):
    """Eigenvalues, ascending, and normals of the neighbourhoods, whose points number `rows` names."""
    if own:
        rows = np.c_[np.arange(len(points)), rows]
    there = rows >= 0
    near = points.astype("f8")[rows] - points.astype("f8")[rows[:, :1]]
    count = there.sum(1)
    centred = np.where(there[..., None], near - (near * there[..., None]).sum(1, keepdims=True) / count[:, None, None], 0)
    values, vectors = np.linalg.eigh(np.einsum("nki,nkj->nij", centred, centred) / count[:, None, None])
    return count, np.maximum(values, 0), vectors[:, :, 0]


class Numpy(unittest.TestCase):
    def found(self, points, *options):
        with tempfile.TemporaryDirectory() as folder:
            np.save(pathlib.Path(folder) / "p.npy", points)
            run = subprocess.run([KANN, "--device", "cpu", "--data", "p.npy", "--features", NAMES, "-o", "-",
                                  "--output-format", "npz", *options], cwd=folder, capture_output=True, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
            path = pathlib.Path(folder) / "o.npz"
            path.write_bytes(run.stdout)
            with np.load(path) as archive:
                return dict(archive)

    def check(self, points, found, rows, own):
        count, values, normals = expected(points, rows, own)
        few = count < 3
        for name in ("nx", "ny", "nz", "curvature", "linearity", "planarity", "sphericity", "verticality", "omnivariance"):
            self.assertTrue(np.isnan(found[name][few]).all(), name)
        one_place = ~few & (values[:, 2] == 0)
        self.assertTrue(np.isnan(found["linearity"][one_place]).all())
        judged = ~few & ~one_place
        least, middle, most = values[judged].T
        for name, want in (("curvature", least / (least + middle + most)), ("linearity", (most - middle) / most),
                           ("planarity", (middle - least) / most), ("sphericity", least / most)):
            np.testing.assert_allclose(found[name][judged], want, rtol=1e-6, atol=1e-7, err_msg=name)
        clear = least > 1e-6 * most
        np.testing.assert_allclose(found["omnivariance"][judged][clear], np.cbrt(least * middle * most)[clear], rtol=1e-8)
        apart = middle - least > 1e-3 * most
        got = np.stack([found[name][judged] for name in ("nx", "ny", "nz")], 1)[apart].astype("f8")
        want = normals[judged][apart]
        self.assertLess(np.linalg.norm(np.cross(got, want), axis=1).max(initial=0), 1e-6)
        self.assertTrue((got[:, 2] >= 0).all())
        np.testing.assert_allclose(found["verticality"][judged][apart], 1 - np.abs(want[:, 2]), atol=1e-6)

    def test_nearest(self):
        for name, points in clouds():
            for k in (3, 8, 30):
                with self.subTest(name, k=k):
                    found = self.found(points, "-k", str(k))
                    if len(points):
                        self.check(points, found, found["ids"], True)

    def test_all_within_a_radius(self):
        for name, points in clouds():
            if len(points) < 2:
                continue
            radius = float(np.ptp(points, axis=0).max()) / 10
            with self.subTest(name):
                found = self.found(points, "-k", "all", "--radius", repr(radius))
                begins = found["indptr"]
                lengths = np.diff(begins)
                rows = np.full((len(points), max(1, lengths.max())), -1)
                rows[np.arange(rows.shape[1]) < lengths[:, None]] = found["ids"]
                self.check(points, found, rows, True)
                np.testing.assert_allclose(found["density"], lengths / (4 / 3 * np.pi * radius**3), rtol=1e-12)


if __name__ == "__main__":
    KANN = os.path.abspath(sys.argv.pop(1))
    unittest.main()
