"""docs/recipes/change.md: a planted car and a felled tree, in map coordinates, against brute force."""

import recipe
from recipe import brute_force, numpy, scene

LOOK, CHANGED = recipe.blocks("change.md", "sh sh")
THRESHOLD = 0.5
CORNER = (636000.123, 4851000.456, 100)


class ChangeCase(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(11)
        site = scene(1, 3000) * (0.4, 0.4, 1) + CORNER  # 12 m x 8 m, points 0.2 m apart
        car = random.uniform((0.5, 3, 1), (2.5, 4, 2), (40, 3)) + CORNER
        tree = random.uniform((9, 6, 2), (10, 7, 5), (60, 3)) + CORNER
        epochs = {"epoch1": numpy.concatenate([tree, site[:2000]]), "epoch2": numpy.concatenate([site[1000:], car])}
        self.epochs, self.lines = {}, {}
        for name, points in epochs.items():
            points = random.permutation(points)
            self.lines[name] = [f"{x:.3f} {y:.3f} {z:.3f} {i % 256}" for i, (x, y, z) in enumerate(points)]
            self.write(f"{name}.xyz", "\n".join(self.lines[name]) + "\n")
            self.epochs[name] = numpy.array([line.split()[:3] for line in self.lines[name]], "f8")

    def changed(self, before, after):
        """By brute force: which points of `after` are far from all of `before`, and all their distances."""
        distances = brute_force(self.epochs[before], self.epochs[after], 1)[1][:, 0]
        return distances > THRESHOLD, distances


class Change(ChangeCase):
    def test_what_appeared_and_what_vanished(self):
        self.run_block(CHANGED)
        for change, before, after, planted in ("appeared", "epoch1", "epoch2", 40), ("vanished", "epoch2", "epoch1", 60):
            changed = self.changed(before, after)[0]
            self.assertGreaterEqual(changed.sum(), planted)
            self.assertLess(changed.sum(), planted + 20, "a sparse corner may look changed, most of the ground may not")
            cloud = self.read_ply(f"{change}.ply")
            numpy.testing.assert_array_equal(numpy.stack([cloud[axis] for axis in "xyz"], 1), self.epochs[after][changed])
            numpy.testing.assert_array_equal(cloud[cloud.dtype.names[3]], numpy.flatnonzero(changed) % 256)

    def test_text_has_them_too(self):
        self.run_block(CHANGED.replace(".ply", ".csv --output-format cloud-csv"))
        lines = (self.folder / "appeared.csv").read_text().splitlines()
        self.assertEqual(len(lines), 1 + self.changed("epoch1", "epoch2")[0].sum())


class ChangeThreshold(ChangeCase):
    def test_the_table_the_pictures_and_the_cloud_are_of_the_distances(self):
        output, messages = self.run_block(LOOK)
        self.assertEqual(output, "distances.ply\n")
        distances = self.changed("epoch1", "epoch2")[1]
        lines = [line.split() for line in messages.splitlines()]
        header = next(i for i, words in enumerate(lines) if words[1] == "rank")
        self.assertEqual(lines[header][6:8], ["median", "p95"])
        row = lines[header + 1][1:]
        self.assertEqual(int(row[1]), len(distances))
        self.assertAlmostEqual(float(row[5]), numpy.percentile(distances, 50, method="inverted_cdf"), 5)
        self.assertAlmostEqual(float(row[6]), numpy.percentile(distances, 95, method="inverted_cdf"), 5)
        cloud = self.read_ply("distances.ply")
        numpy.testing.assert_array_equal(numpy.stack([cloud[axis] for axis in "xyz"], 1), self.epochs["epoch2"])
        numpy.testing.assert_allclose(cloud["scalar_nn_distance"], distances, rtol=1e-6)
        self.assert_is_picture("distances.png")


if __name__ == "__main__":
    recipe.main()
