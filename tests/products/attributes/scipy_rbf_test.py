"""transfer() by radial basis functions gives what scipy.interpolate.RBFInterpolator gives.

  scipy_rbf_test.py PROGRAM ENVIRONMENT [--device cuda] [--time]

PROGRAM is transfer_arrays; scipy comes from PyPI into a virtual environment that is made in the folder ENVIRONMENT and
kept there. With --time, also how many times as fast it is on as many queries as points. Exit code 77: skipped, as the
packages cannot be installed.
"""

import itertools
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

PACKAGES = ("numpy", "scipy", "ase")  # the last is for tests/recipes
SKIPPED = 77
DATA = pathlib.Path(__file__).resolve().parents[3] / "data"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def python_with_packages(folder):
    """The interpreter of the environment, which is made where it is not there or not whole."""
    python, whole = folder / "bin" / "python", folder / "whole"
    wanted = " ".join(PACKAGES)
    if whole.exists() and whole.read_text() == wanted and python.exists():
        return python
    steps = ([sys.executable, "-m", "venv", "--clear", folder],
             [python, "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "10", *PACKAGES])
    for step in steps:
        try:
            done = subprocess.run(step, capture_output=True, text=True, timeout=300, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            skip(f"no virtual environment with {wanted}: {error}")
        if done.returncode:
            skip(f"no virtual environment with {wanted}: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
    whole.write_text(wanted)
    return python


def transfer(data, queries, values, k, kernel="thin_plate_spline", degree=1, smoothing=0.0, epsilon=1.0):
    """The values at the queries, (queries, attributes), and (seconds of the search, of the transfer, singular)."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(pathlib.Path(folder) / name) for name in ("data", "queries", "values", "out")]
        for path, array in zip(paths, (data, queries, values.T)):
            numpy.ascontiguousarray(array, "f8").tofile(path)
        done = subprocess.run([PROGRAM, str(data.shape[1]), *paths, str(k), kernel, str(degree), repr(smoothing),
                               repr(epsilon), DEVICE, "2"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return numpy.fromfile(paths[3]).reshape(values.shape[1], len(queries)).T, [float(x) for x in done.stdout.split()]


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
        got, (_, _, singular) = transfer(data, queries, values, k, **options)
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
            got, (_, _, singular) = transfer(data, queries, values, k, "gaussian", 1, 0.0, epsilon)
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

    def test_time(self):
        if not TIME:
            self.skipTest("only with --time")
        random = numpy.random.default_rng(5)
        for d, count, k in ((3, 100000, 16), (2, 100000, 16), (3, 20000, 50)):
            data, queries = random.random((count, d)), random.random((count, d))
            values = surface_values(data)[:, :1]

            def seconds_of_scipy():
                start = time.perf_counter()
                scipy.interpolate.RBFInterpolator(data, values, neighbors=k, degree=1)(queries)
                return time.perf_counter() - start

            theirs = min(seconds_of_scipy() for _ in range(2))
            search, rbf = numpy.min([transfer(data, queries, values, k)[1][:2] for _ in range(5)], 0)
            print(f"{d}-D, {count} × {count}, k = {k}: scipy {theirs:.3f} s, kann's search {search:.4f} s and transfer "
                  f"{rbf:.4f} s, {theirs / (search + rbf):.0f} times as fast, {theirs / rbf:.0f} without the search")


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        python = python_with_packages(pathlib.Path(sys.argv[2]))
        sys.exit(subprocess.run([python, __file__, "--inside", *sys.argv[1:]], check=False).returncode)
    import numpy
    import scipy.interpolate
    import scipy.spatial

    PROGRAM = sys.argv[2]
    DEVICE = "cuda" if "--device" in sys.argv and "cuda" in sys.argv else "cpu"
    TIME = "--time" in sys.argv
    unittest.main(argv=sys.argv[:1])
