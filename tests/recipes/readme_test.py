"""README.md: its first command with the lines that read the result, and its six commands, as they are printed."""

import json

import recipe
from recipe import brute_force, numpy

ROOT = recipe.PAGES.parents[1]
FIRST, READ, _, COMMANDS, _ = recipe.blocks("../../README.md", "console python bash bash python")


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


if __name__ == "__main__":
    recipe.main()
