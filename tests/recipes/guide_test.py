"""Pages of docs/guide, and README.md: what is in a folder of files, against numpy; the tables of joins; results in each language,
against brute force; the commands of README.md, as they are printed."""

import json

import recipe
from recipe import brute_force, numpy, scene

_, _, INFO, TABLE, OVERLAPS, PLAN = recipe.blocks("../guide/clouds.md", "console console sh python python sh")
EXAMPLE, JOINED, ALONE = recipe.blocks("../guide/joins.md", "sh text text")
ROOT = recipe.PAGES.parents[1]
FIRST, READ, _, COMMANDS, _ = recipe.blocks("../../README.md", "console python bash bash python")
(_, _, _, _, _, RESULTS, PYTHON_NPZ, PYTHON_NPY, R_BIN, R_CSV, JULIA, AWK) = recipe.blocks(
    "../guide/results.md", "console console console sh console sh python python r r julia sh")


class Clouds(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        self.map = scene(1, 900)
        self.clouds = {"map": self.map, "q1": scene(2, 100), "q2": scene(3, 50) + numpy.float32(1000)}
        for name, points in self.clouds.items():
            self.write_ply(f"clouds/{name}.ply", points)
        self.write("clouds/table.csv", "x,y,z,class\n1,2,0,3\nnan,2,3,4\n")

    def break_one(self):
        self.write("clouds/broken.ply", "ply\n")

    def test_every_file_is_shown(self):
        output, _ = self.run_block(INFO)
        titles = [line for line in output.splitlines() if line and not line.startswith(" ")]
        self.assertEqual(titles, ["clouds/map.ply", "clouds/q1.ply", "clouds/q2.ply", "clouds/table.csv"])
        self.assertIn("  points      900 in 3-D\n", output)

    def test_a_broken_file_does_not_hide_the_others(self):
        self.break_one()
        output, messages = self.run_block(INFO, exit_code=3)
        self.assertIn("clouds/broken.ply:1: no end_header", messages)
        self.assertIn("clouds/q2.ply\n", output)

    def test_the_table(self):
        self.break_one()
        rows = [line.split("\t") for line in self.run_block(TABLE, "python")[0].splitlines()]
        self.assertEqual(rows[0], ["file", "points", "invalid", "system", "columns"])
        self.assertIn("no end_header", rows[1][1])
        self.assertEqual(rows[2:], [[f"clouds/{name}.ply", str(len(points)), "0", "-", "x,y,z"]
                                    for name, points in self.clouds.items()] + [["clouds/table.csv", "2", "1", "-", "x,y,z,class"]])

    def test_the_overlaps(self):
        self.write("clouds/table.csv", "x,y,z\n-50,-50,-50\n-40,-40,-40\n")
        output = self.run_block(TABLE + OVERLAPS, "python")[0].removeprefix(self.run_block(TABLE, "python")[0])
        boxes = {name: (points.min(0), points.max(0)) for name, points in self.clouds.items()}
        expected = [f"clouds/{a}.ply\tclouds/{b}.ply" for a, b in (("map", "q1"), ("map", "q2"), ("q1", "q2"))
                    if (numpy.maximum(boxes[a][0], boxes[b][0]) <= numpy.minimum(boxes[a][1], boxes[b][1])).all()]
        self.assertEqual(output.splitlines(), expected)
        self.assertEqual(len(expected), 1)

    def test_the_plan_makes_nothing(self):
        output, _ = self.run_block(PLAN)
        self.assertEqual([line.split(":")[0] for line in output.splitlines()], ["clouds/q1.ply", "clouds/q2.ply"])
        self.assertIn("; output results/q1.knn.npz\n", output)
        self.assertFalse((self.folder / "results").exists())


class Joins(recipe.RecipeTest):
    def test_tables(self):
        output, messages = self.run_block(EXAMPLE)
        self.assertEqual(output, "joined.csv\nalone.csv\n")
        self.assertNotIn("warning", messages)
        self.assertEqual((self.folder / "joined.csv").read_text(), JOINED)
        self.assertEqual((self.folder / "alone.csv").read_text(), ALONE)


class Readme(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        (self.folder / "data").symlink_to(ROOT / "data")
        (self.folder / "scripts").symlink_to(self.folder / "bin")
        self.environment["TMPDIR"] = str(self.folder)

    def test_the_first_command(self):
        command, path, summary = FIRST.splitlines()
        output, messages = self.run_block(command.removeprefix("$ "))
        self.assertEqual(output.splitlines(), [path])
        self.assertEqual(messages.split(" on ")[0], summary.split(" on ")[0])
        ids, distances = json.loads(self.run_block(READ + "print([ids[:99].tolist(), distances[:99].tolist()])", "python")[0])
        data, queries = (numpy.load(ROOT / "data" / f"lidar_{name}.npy") for name in ("target", "source"))
        expected = brute_force(data, queries[:99], 8)
        numpy.testing.assert_array_equal(ids, expected[0])
        numpy.testing.assert_allclose(distances, expected[1], rtol=1e-6)

    def test_the_six_commands(self):
        output, _ = self.run_block(COMMANDS, "bash")
        out = self.folder / output.split()[0].rpartition("/")[0]
        self.assertEqual(sorted(path.name for path in out.iterdir()), [
            "change.html", "change.ply", "clean.ply", "gate.json", "gate.npz", "heights.npz", "objects.ply", "pairs.csv"])
        change = self.read_ply(out / "change.ply")["scalar_nn_distance"]
        self.assertEqual(len((out / "pairs.csv").read_text().splitlines()) - 1, (change <= .1).sum())
        self.assertLess(len(self.read_ply(out / "clean.ply")), len(change))
        self.assertGreater(self.read_ply(out / "objects.ply")["scalar_cluster"].max(), 0)
        with numpy.load(out / "heights.npz") as heights:
            self.assertEqual(heights["attr_z"].size, heights["grid_shape"].prod())
        self.assertTrue(all(check["passed"] for check in json.loads((out / "gate.json").read_text())["checks"]))


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
