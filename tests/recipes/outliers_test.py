"""docs/recipes/outliers.md: planted outliers, and rows without a return, against brute force."""

import recipe
from recipe import brute_force, numpy, scene

SEARCH, IN_PYTHON, WITH_AWK = recipe.blocks("outliers.md", "sh python sh")
K = 16


class OutliersCase(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(12)
        dust = random.uniform((0, 0, 5), (30, 20, 25), (25, 3)).astype("f4")
        mixed = numpy.concatenate([scene(1, 1500), dust])
        self.order = random.permutation(len(mixed))
        self.points = mixed[self.order]
        self.planted = self.order >= 1500

    def outliers(self, points):
        """By brute force: which points are none of a neighbourhood."""
        mean = brute_force(points, points, K, self_query=True)[1].mean(1)
        return mean > mean.mean() + 2 * mean.std(ddof=1)

    def expected(self):
        outliers = self.outliers(self.points)
        self.assertTrue(outliers[self.planted].all())
        self.assertLess(outliers.sum(), 2 * self.planted.sum())
        return outliers

    def with_missing_rows(self):
        """The points with a NaN before each tenth, and which of these rows are outliers or missing."""
        rows, dropped = [], []
        for i, (point, outlier) in enumerate(zip(self.points, self.expected())):
            if i % 10 == 0:
                rows.append([numpy.nan] * 3)
                dropped.append(True)
            rows.append(point)
            dropped.append(outlier)
        return numpy.array(rows, "f4"), numpy.array(dropped)


class Outliers(OutliersCase):
    def check(self, points, dropped):
        numpy.testing.assert_array_equal(numpy.load(self.folder / "clean.npy"), points[~dropped])
        rows = [int(row) for row in (self.folder / "outliers.txt").read_text().split()]
        self.assertEqual(rows, numpy.flatnonzero(dropped).tolist())

    def test_planted_outliers(self):
        numpy.save(self.folder / "scan.npy", self.points)
        self.run_block(SEARCH)
        output, _ = self.run_block(IN_PYTHON, "python")
        expected = self.expected()
        self.check(self.points, expected)
        self.assertTrue(output.startswith(f"{expected.sum()} of {len(self.points)} points have"), output)
        self.assertTrue(output.endswith("; 0 have no neighbours\n"), output)

    def test_missing_points_are_dropped(self):
        points, dropped = self.with_missing_rows()
        numpy.save(self.folder / "scan.npy", points)
        self.run_block(SEARCH.replace("--exact", "--exact --invalid skip"))
        output, _ = self.run_block(IN_PYTHON, "python")
        self.check(points, dropped)
        missing = len(points) - len(self.points)
        self.assertIn(f"{dropped.sum() - missing} of {len(self.points)} points have", output)
        self.assertTrue(output.endswith(f"; {missing} have no neighbours\n"), output)


class OutliersAwk(OutliersCase):
    def check(self, points, dropped, code):
        self.needs("awk")
        lines = [" ".join(map(repr, map(float, point))) + " a word" for point in points]
        self.write("scan.xyz", "\n".join(lines) + "\n")
        self.run_block(code)
        for name, wanted in ("clean.xyz", ~dropped), ("outliers.xyz", dropped):
            expected = [line for line, is_wanted in zip(lines, wanted) if is_wanted]
            self.assertEqual((self.folder / name).read_text().splitlines(), expected)

    def test_planted_outliers(self):
        self.check(self.points, self.expected(), WITH_AWK)

    def test_missing_points_are_dropped(self):
        points, dropped = self.with_missing_rows()
        self.check(points, dropped, WITH_AWK.replace("--exact", "--exact --invalid skip"))


if __name__ == "__main__":
    recipe.main()
