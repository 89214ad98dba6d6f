"""docs/recipes/graphs.md: rock salt, whose bonds are known, small cells beside ASE, and batches of small clouds, against
brute force."""

import csv
import json
import subprocess

import recipe
from recipe import numpy

BONDS, CELL, VECTORS, BATCHES, IN_NUMPY = recipe.blocks("graphs.md", "sh sh python sh python")


class Graphs(recipe.RecipeTest):
    def test_bonds_of_rock_salt(self):
        """Each ion has six neighbours of the other kind at half of the lattice constant, 5.64."""
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


ASE = """
import json, sys
import numpy
from ase.neighborlist import primitive_neighbor_list
vectors, atoms = map(numpy.array, json.load(sys.stdin))
i, j, shifts = primitive_neighbor_list("ijS", (True, True, True), vectors, atoms, 4.5)
print(json.dumps([[int(n) for n in edge] for edge in zip(i, j, *shifts.T)]))
"""


class GraphsOfCells(recipe.RecipeTest):
    def edges(self, vectors, atoms):
        """(i, j, S) of the recipe, which are those of a sum over all images."""
        self.write("cell.csv", "x,y,z\n" + "".join(f"{x!r},{y!r},{z!r}\n" for x, y, z in atoms.tolist()))
        self.run_block(CELL)
        graph = numpy.load(self.folder / "cell.npz")
        i = numpy.repeat(numpy.arange(len(atoms)), numpy.diff(graph["indptr"]))
        found = sorted(zip(i.tolist(), graph["ids"].tolist(), *graph["shifts"].T.tolist()))
        steps, points = range(-4, 5), range(len(atoms))
        self.assertEqual(found, [(a, b, x, y, z) for a in points for b in points for x in steps for y in steps for z in steps
                                 if 0 < numpy.linalg.norm(atoms[b] - atoms[a] + [x, y, z] @ vectors) <= 4.5])
        own = sum(edge[0] == edge[1] for edge in found)
        self.assertEqual(self.run_block(VECTORS, "python")[0],
                         f"edges: {len(found)} to images of the atom itself: {own}\nas far as their vectors: True\n")
        return found

    def assert_as_ase(self, atoms):
        vectors = numpy.array([[4.1, 0, 0], [2.05, 3.55, 0], [0, 0, 6.7]])
        found = self.edges(vectors, atoms)
        python = recipe.python_with("ase")
        if not python:
            self.skipTest("Python has no ase")
        process = subprocess.run([python, "-c", ASE], input=json.dumps([vectors.tolist(), atoms.tolist()]), check=True,
                                 capture_output=True, text=True)
        self.assertEqual(found, sorted(map(tuple, json.loads(process.stdout))))

    def test_a_crystal(self):
        self.assert_as_ase(numpy.array([[0, 0, 0], [1 / 3, 1 / 3, .5]]) @ [[4.1, 0, 0], [2.05, 3.55, 0], [0, 0, 6.7]])

    def test_a_molecule_over_the_faces(self):
        self.assert_as_ase(numpy.array([[.01, .02, 6.65], [.96, .02, 6.65], [-.23, .94, 6.65]]))


if __name__ == "__main__":
    recipe.main()
