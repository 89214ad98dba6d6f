"""docs/recipes/outliers.md: planted outliers, and rows without a return, against brute force."""

import recipe
from recipe import brute_force, numpy, scene

TO_CLOUD, TO_FLAGS, IN_PYTHON = recipe.blocks("outliers.md", "sh sh python")
K = 16


class Outliers(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(12)
        dust = random.uniform((0, 0, 5), (30, 20, 25), (25, 3)).astype("f4")
        mixed = numpy.concatenate([scene(1, 1500), dust])
        order = random.permutation(len(mixed))
        self.points = mixed[order]
        mean = brute_force(self.points, self.points, K, self_query=True)[1].mean(1)
        self.outliers = mean > mean.mean() + 2 * mean.std(ddof=1)
        planted = order >= 1500
        self.assertTrue(self.outliers[planted].all())
        self.assertLess(self.outliers.sum(), 2 * planted.sum())

    def with_missing_rows(self):
        """The points with a NaN before each tenth, and which of these rows are outliers or missing."""
        rows, dropped = [], []
        for i, (point, outlier) in enumerate(zip(self.points, self.outliers)):
            if i % 10 == 0:
                rows.append([numpy.nan] * 3)
                dropped.append(True)
            rows.append(point)
            dropped.append(outlier)
        return numpy.array(rows, "f4"), numpy.array(dropped)

    def check_cloud(self, points, dropped, code):
        self.write_ply("scan.ply", points)
        _, messages = self.run_block(code)
        clean = self.read_ply("clean.ply")
        numpy.testing.assert_array_equal(numpy.stack([clean[axis] for axis in "xyz"], 1), points[~dropped])
        self.assertIn(f"; {dropped.sum()} outliers (mean distance > ", messages)
        self.assert_is_picture("outliers.png")

    def check_flags(self, points, dropped, code):
        numpy.save(self.folder / "scan.npy", points)
        self.run_block(code)
        self.run_block(IN_PYTHON, "python")
        numpy.testing.assert_array_equal(numpy.load(self.folder / "clean.npy"), points[~dropped])
        rows = [int(row) for row in (self.folder / "outliers.txt").read_text().split()]
        self.assertEqual(rows, numpy.flatnonzero(dropped).tolist())

    def test_planted_outliers_are_dropped(self):
        self.check_cloud(self.points, self.outliers, TO_CLOUD)

    def test_missing_points_are_dropped(self):
        self.check_cloud(*self.with_missing_rows(), TO_CLOUD.replace("--outliers 16,2", "--outliers 16,2 --invalid skip"))

    def test_planted_outliers_are_flagged(self):
        self.check_flags(self.points, self.outliers, TO_FLAGS)

    def test_missing_points_are_flagged(self):
        self.check_flags(*self.with_missing_rows(), TO_FLAGS.replace("--outliers 16,2", "--outliers 16,2 --invalid skip"))


if __name__ == "__main__":
    recipe.main()
