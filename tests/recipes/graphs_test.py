"""docs/recipes/graphs.md: rock salt, whose bonds are known, and batches of small clouds, against brute force."""

import csv

import recipe
from recipe import numpy

BONDS, MATRIX, IN_SCIPY, BATCHES, IN_NUMPY = recipe.blocks("graphs.md", "sh sh python sh python")


class Graphs(recipe.RecipeTest):
    def test_bonds_of_rock_salt(self):
        """Each ion has six neighbours of the other kind at half of the lattice constant, 5.64."""
        try:
            import scipy.sparse  # noqa: F401
        except ImportError:
            self.skipTest("scipy is not installed")
        places = numpy.stack(numpy.meshgrid(*[numpy.arange(4)] * 3), -1).reshape(-1, 3)
        atoms = numpy.random.default_rng(1).permutation(places)
        self.write("atoms.csv", "element,x,y,z\n" + "".join(
            f"{'Na' if sum(atom) % 2 else 'Cl'},{atom[0] * 2.82:.2f},{atom[1] * 2.82:.2f},{atom[2] * 2.82:.2f}\n" for atom in atoms))
        output, _ = self.run_block(BONDS)
        self.assertEqual(output.split()[-2:], ["384", "6"])
        with open(self.folder / "bonds.csv", newline="", encoding="utf-8") as file:
            bonds = [(int(row["query"]), int(row["id"])) for row in csv.DictReader(file)]
        apart = abs(atoms[:, None] - atoms[None])
        steps = numpy.minimum(apart, 4 - apart).sum(2)
        self.assertEqual(set(bonds), {(i, j) for i, j in zip(*numpy.nonzero(steps == 1)) if i < j})
        self.assertEqual(len(bonds), 192)
        self.run_block(MATRIX)
        self.assertEqual(self.run_block(IN_SCIPY, "python")[0],
                         "bonds per atom: [ 0  0  0  0  0  0 64]\nmolecules: 1\n")

    def test_batches(self):
        random = numpy.random.default_rng(2)
        batch = random.permutation(numpy.repeat(numpy.arange(20), random.integers(1, 40, 20)))
        points = random.random((len(batch), 3)).round(4)
        self.write("clouds.csv", "x,y,z,batch\n" + "".join(f"{x},{y},{z},{b}\n" for (x, y, z), b in zip(points, batch)))
        self.run_block(BATCHES)
        apart = numpy.sqrt(((points[:, None] - points[None]) ** 2).sum(2))
        apart[batch[:, None] != batch[None]] = numpy.inf
        numpy.fill_diagonal(apart, numpy.inf)
        edges = (apart <= .3).sum()
        nearest = sum(min(6, count - 1) for count in numpy.bincount(batch)[batch])
        self.assertEqual(self.run_block(IN_NUMPY, "python")[0],
                         f"radius graph: {edges} edges\nnearest graph: {nearest} edges\n")
        ids = numpy.load(self.folder / "nearest.npz")["ids"]
        for row, found in zip(apart, ids):
            self.assertEqual(found[found >= 0].tolist(),
                             [i for i in numpy.argsort(row, kind="stable")[:6] if row[i] < numpy.inf])


if __name__ == "__main__":
    recipe.main()
