"""docs/guide/results.md: the same table in each language, against brute force."""

import recipe
from recipe import brute_force, numpy, scene

(_, _, _, _, _, RESULTS, PYTHON_NPZ, PYTHON_NPY, R_BIN, R_CSV, JULIA, AWK) = recipe.blocks(
    "../guide/results.md", "console console console sh console sh python python r r julia sh")


class ResultsCase(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        self.map, self.scan = scene(1, 900), scene(2, 333)
        self.write_ply("map.ply", self.map)
        self.write_ply("scan.ply", self.scan)

    def check_table(self):
        path = self.folder / "table.csv"
        self.assertEqual(path.read_text().splitlines()[0], "nearest,mean")
        table = numpy.loadtxt(path, delimiter=",", skiprows=1)
        ids, distances = brute_force(self.map, self.scan, 8)
        numpy.testing.assert_array_equal(table[:, 0], ids[:, 0])
        numpy.testing.assert_allclose(table[:, 1], distances.mean(1), rtol=1e-6)


class ResultsPython(ResultsCase):
    def test_npz(self):
        self.run_block(RESULTS)
        self.assertEqual(self.run_block(PYTHON_NPZ, "python")[0], "8 neighbours in map.ply\n")
        self.check_table()

    def test_npy(self):
        self.run_block(RESULTS)
        self.run_block(PYTHON_NPY, "python")
        self.check_table()


class ResultsR(ResultsCase):
    def test_bin(self):
        self.needs("Rscript")
        self.run_block(RESULTS)
        self.run_block(R_BIN, "r")
        self.check_table()

    def test_csv(self):
        self.needs("Rscript")
        self.run_block(RESULTS)
        self.run_block(R_CSV, "r")
        self.check_table()


class ResultsJulia(ResultsCase):
    def test_bin(self):
        self.needs("julia")
        self.run_block(RESULTS)
        self.run_block(JULIA, "julia")
        self.check_table()


class ResultsAwk(ResultsCase):
    def test_csv(self):
        self.needs("awk")
        self.run_block(AWK)
        self.check_table()


if __name__ == "__main__":
    recipe.main()
