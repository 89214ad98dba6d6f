"""--by rbf gives what scipy.interpolate.RBFInterpolator gives.

  scipy_rbf_test.py KANN ENVIRONMENT [--device cuda]

scipy comes from PyPI into a virtual environment that is made in the folder ENVIRONMENT and kept there. Exit code 77:
skipped, as the packages cannot be installed.
"""

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests" / "scripts"))
import formats_test

PACKAGES = ("numpy", "scipy", "ase")  # the last is for tests/recipes
DATA = ROOT / "data"


def transfer(data, queries, values, k, kernel="thin_plate_spline", degree=1, smoothing=0.0, epsilon=1.0):
    """The values at the queries, (queries, attributes), and how many systems were singular."""
    names = [f"v{number}" for number in range(values.shape[1])]
    with tempfile.TemporaryDirectory() as folder:
        named = numpy.rec.fromarrays([*data.T, *values.T], names=[*"xyz"[:data.shape[1]], *names])
        numpy.save(f"{folder}/data.npy", named)
        numpy.save(f"{folder}/queries.npy", queries)
        rbf = f"kernel={kernel},degree={degree},smoothing={smoothing!r},epsilon={epsilon!r}"
        done = subprocess.run([KANN, "data.npy", "queries.npy", "-q", "-k", str(k), "--transfer", ",".join(names), "--by", "rbf",
                               "--rbf", rbf, "--device", DEVICE, "--threads", "2", "-o", "o.npz", "--report", "r.json"],
                              cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        report = json.loads(pathlib.Path(folder, "r.json").read_text())
        with numpy.load(f"{folder}/o.npz") as arrays:
            return numpy.stack([arrays[f"attr_{name}"] for name in names], 1), report["transfer"]["singular"]


def unambiguous(data, queries, k):
    """The queries whose k nearest are not a matter of rounding."""
    if k >= len(data):
        return numpy.full(len(queries), True)
    distances = scipy.spatial.cKDTree(data).query(queries, k + 1)[0]
    return distances[:, k] > distances[:, k - 1] * (1 + 1e-9)


def surface_values(points):
    unit = (points - points.mean(0)) / points.std(0).max()
    return numpy.stack([numpy.sin(3 * unit[:, 0]) * unit[:, 1] + 5, unit[:, -1] ** 2 - unit[:, 0]], 1)


class ScipyTest(unittest.TestCase):
    def check(self, data, queries, k, tolerance=1e-9, **options):
        values = surface_values(data)
        queries = queries[unambiguous(data, queries, k)]
        self.assertGreater(len(queries), 20)
        expected = scipy.interpolate.RBFInterpolator(data, values, neighbors=k, **options)(queries)
        got, singular = transfer(data, queries, values, k, **options)
        self.assertEqual(singular, 0)
        scale = numpy.maximum(numpy.abs(expected), numpy.abs(values).max(0))
        error = (numpy.abs(got - expected) / scale).max()
        self.worst = max(getattr(self, "worst", 0), error)
        self.assertLess(error, tolerance, f"k={k} {options}")

    def tearDown(self):
        print(f"{self.id()}: largest relative difference {getattr(self, 'worst', 0):.1e}")

    def test_random_clouds(self):
        random = numpy.random.default_rng(3)
        for d, k in itertools.product((2, 3), (1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64)):
            data, queries = random.random((500, d)) * 4, random.random((60, d)) * 4
            for kernel, lowest in (("thin_plate_spline", 1), ("cubic", 1), ("linear", 0), ("gaussian", -1)):
                for degree in range(lowest, 3):
                    monomials = [0, 1, 1 + d, (d + 1) * (d + 2) // 2][degree + 1]
                    if k < 3 * monomials:  # fewer come near the polynomial alone, which amplifies rounding
                        continue
                    for smoothing in (0.0, 0.1):
                        self.check(data, queries, k, kernel=kernel, degree=degree, smoothing=smoothing,
                                   epsilon=3.0 if kernel == "gaussian" else 1.0)

    def test_kernels_that_are_nearly_flat(self):
        """Of a Gaussian that is wide beside the distances, pivots are tiny, and LAPACK solves it all the same; on some
        processors, its rounding makes one of them 0."""
        random = numpy.random.default_rng(6)
        judged = 0
        for d, epsilon, k in itertools.product((2, 3), (0.1, 0.3, 0.5, 1.0), (8, 16, 32)):
            data, queries = random.random((400, d)), random.random((100, d))
            values = numpy.cos(2 * data[:, :1]) + data[:, 1:2]
            queries = queries[unambiguous(data, queries, k)]
            truth = numpy.cos(2 * queries[:, :1]) + queries[:, 1:2]
            try:
                theirs = scipy.interpolate.RBFInterpolator(data, values, neighbors=k, kernel="gaussian", epsilon=epsilon)(queries)
            except numpy.linalg.LinAlgError:
                continue
            judged += 1
            got, singular = transfer(data, queries, values, k, "gaussian", 1, 0.0, epsilon)
            self.assertEqual(singular, 0, f"{d}-D, epsilon {epsilon}, k {k}")
            # Both solutions are rounded, each in its own way, by as much as the systems amplify it
            error, their_error = numpy.median(numpy.abs(got - truth)), numpy.median(numpy.abs(theirs - truth))
            self.assertLess(error, 3 * their_error + 1e-9, f"{d}-D, epsilon {epsilon}, k {k}")
        self.assertGreaterEqual(judged, 12)  # of 24

    def test_real_clouds(self):
        for path in sorted(DATA.glob("*.npy")):
            points = numpy.load(path).astype("f8")
            if points.ndim != 2 or points.shape[1] not in (2, 3):
                continue
            points = numpy.unique(points, axis=0)
            chosen = numpy.random.default_rng(4).permutation(len(points))
            queries, data = points[chosen[:400]], points[chosen[400:]]
            scaled = data.std(0).max()  # scipy's systems are badly scaled in large units
            with self.subTest(path.name):
                self.check(data / scaled, queries / scaled, 16, smoothing=1e-3)


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        python = formats_test.python_with_packages(pathlib.Path(sys.argv[2]), PACKAGES)
        sys.exit(subprocess.run([python, __file__, "--inside", *sys.argv[1:]], check=False).returncode)
    import numpy
    import scipy.interpolate
    import scipy.spatial

    KANN = pathlib.Path(sys.argv[2]).resolve()
    DEVICE = "cuda" if sys.argv[-2:] == ["--device", "cuda"] else "cpu"
    unittest.main(argv=sys.argv[:1])
