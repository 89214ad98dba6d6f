"""docs/guide/clouds.md: what is in a folder of files, against numpy."""

import recipe
from recipe import numpy, scene

_, _, INFO, TABLE, OVERLAPS, PLAN = recipe.blocks("../guide/clouds.md", "console console sh python python sh")


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


if __name__ == "__main__":
    recipe.main()
