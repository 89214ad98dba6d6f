"""kann.neighbor_list() against brute force over all images in NumPy, in slanted cells that repeat along some of their vectors.
tests/python/peers runs ASE's own tests on it."""

import itertools
import types
import unittest

import kann
import numpy


def brute_force(positions, cell, pbc, limit_of, self_interaction):
    """(i, j, d, D, S) of all pairs, for cells of which no image farther than three of them counts."""
    pairs = []
    for shift in itertools.product(*[range(-3, 4) if repeats else (0,) for repeats in pbc]):
        vectors = positions[None] - positions[:, None] + numpy.array(shift) @ cell
        distances = numpy.sqrt((vectors**2).sum(2))
        is_pair = distances < limit_of
        if not any(shift) and not self_interaction:
            numpy.fill_diagonal(is_pair, False)
        pairs += [(i, j, distances[i, j], *vectors[i, j], *shift) for i, j in zip(*numpy.nonzero(is_pair))]
    return numpy.array(sorted(pairs, key=lambda pair: (*pair[:2], *pair[6:]))).reshape(-1, 9)


class Atoms(unittest.TestCase):
    def test_pairs_are_those_of_brute_force(self):
        random = numpy.random.default_rng(7)
        for case in range(60):
            count, pbc = int(random.integers(0, 20)), random.random(3) < 0.6
            cell = numpy.diag(random.uniform(3, 5, 3)) + (case % 2) * random.uniform(-0.6, 0.6, (3, 3))
            positions = random.random((count, 3)) @ cell + (case % 5 == 0) * random.normal(size=(count, 3))
            if case % 3 == 0:
                cell, positions = numpy.diag([3.0, 3, 4]), numpy.floor(positions)
            numbers, each = random.integers(1, 4, count), random.uniform(0, 1.5, count)
            of_kinds = numpy.full((4, 4), -1.0)
            of_kinds[1, 2] = of_kinds[2, 1] = 2.5
            of_kinds[3, 3] = 1.5
            for cutoff, limits in ((2.0, 2.0), (each, each[:, None] + each), ({(2, 1): 2.5, (3, 3): 1.5}, of_kinds[numbers][:, numbers])):
                for itself in (False, True):
                    with self.subTest(case=case, cutoff=cutoff, itself=itself):
                        want = brute_force(positions, cell, pbc, limits, itself)
                        atoms = types.SimpleNamespace(positions=positions, cell=cell, pbc=pbc, numbers=numbers)
                        i, j, d, vectors, shifts = kann.neighbor_list("ijdDS", atoms, cutoff, itself)
                        self.assertTrue((numpy.lexsort((d, i)) == numpy.arange(len(i))).all())
                        order = numpy.lexsort((*shifts.T[::-1], j, i))
                        got = numpy.column_stack((i, j, d, vectors, shifts))[order]
                        numpy.testing.assert_allclose(got, want, atol=1e-12)
                        again = kann.neighbor_list("Sj", cutoff=cutoff, self_interaction=itself, positions=positions, cell=cell, pbc=pbc, numbers=numbers)
                        self.assertEqual([part.tolist() for part in again], [shifts.tolist(), j.tolist()])

    def test_refuses(self):
        points = numpy.random.default_rng(1).random((9, 3))
        for error, message, options in (
                (kann.UsageError, "quantities expects some of the letters i, j, d, D and S, got 'ix'", {"quantities": "ix"}),
                (kann.UsageError, "quantities expects", {"quantities": ""}),
                (kann.UsageError, "needs atoms, or positions, and a cutoff", {"positions": None}),
                (kann.UsageError, "needs atoms, or positions, and a cutoff", {"cutoff": None}),
                (kann.UsageError, "cutoff expects numbers, got nan", {"cutoff": numpy.nan}),
                (kann.UsageError, "cutoff: a dictionary needs atoms, or numbers", {"cutoff": {(1, 1): 1}}),
                (kann.InputError, r"cutoff: the shape is \(2,\), and there are 9 atoms", {"cutoff": [1, 2]}),
                (kann.InputError, r"numbers: the shape is \(3,\), and there are 9 atoms", {"cutoff": {(1, 1): 1}, "numbers": [1, 1, 1]}),
                (kann.InputError, r"positions: the shape is \(9, 2\)", {"positions": points[:, :2]}),
                (kann.InputError, "positions: NaN", {"positions": points * numpy.nan}),
                (kann.InputError, r"cell: the shape is \(\)", {"pbc": True}),
                (kann.InputError, "cell: a vector is 0", {"pbc": True, "cell": (1, 0, 1)})):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                kann.neighbor_list(**{"quantities": "ij", "positions": points, "cutoff": 0.5, **options})


if __name__ == "__main__":
    unittest.main()
