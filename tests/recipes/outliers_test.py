"""docs/recipes/outliers.md: planted outliers, and rows without a return, against brute force; normals against numpy's."""

import recipe
from recipe import brute_force, numpy, scene

CLEAN, TO_CLOUD, TO_TABLE, IN_PYTHON = recipe.blocks("outliers.md", "sh sh sh python")
TO_FLAGS = "kann scan.npy --outliers 16,2 -o scan.npz"
OUTLIER_K, NORMAL_K = 16, 20
SCANNER = numpy.array((5, 10, 2))


class Outliers(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(12)
        dust = random.uniform((0, 0, 5), (30, 20, 25), (25, 3)).astype("f4")
        mixed = numpy.concatenate([scene(1, 1500), dust])
        order = random.permutation(len(mixed))
        self.points = mixed[order]
        mean = brute_force(self.points, self.points, OUTLIER_K, self_query=True)[1].mean(1)
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
        numpy.testing.assert_array_equal(numpy.load(self.folder / "scan.npz")["outlier"], dropped)

    def test_planted_outliers_are_dropped(self):
        self.check_cloud(self.points, self.outliers, CLEAN)

    def test_missing_points_are_dropped(self):
        self.check_cloud(*self.with_missing_rows(), CLEAN.replace("--outliers 16,2", "--outliers 16,2 --invalid skip"))

    def test_planted_outliers_are_flagged(self):
        self.check_flags(self.points, self.outliers, TO_FLAGS)

    def test_missing_points_are_flagged(self):
        self.check_flags(*self.with_missing_rows(), TO_FLAGS.replace("--outliers 16,2", "--outliers 16,2 --invalid skip"))


class Normals(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        self.points = scene(7, 1200)
        self.write_ply("scan.ply", self.points)
        points = self.points.astype("f8")
        near = points[numpy.c_[numpy.arange(len(points)), brute_force(points, points, NORMAL_K, self_query=True)[0]]]
        near -= near.mean(1, keepdims=True)
        self.values, vectors = numpy.linalg.eigh(numpy.einsum("nki,nkj->nij", near, near) / (NORMAL_K + 1))
        self.normals = vectors[:, :, 0]
        self.normals *= numpy.sign(((SCANNER - points) * self.normals).sum(1))[:, None]
        self.curvatures = self.values[:, 0] / self.values.sum(1)

    def test_normals_look_to_the_scanner(self):
        self.run_block(TO_CLOUD)
        cloud = self.read_ply("normals.ply")
        normals = numpy.stack([cloud[name] for name in ("nx", "ny", "nz")], 1)
        clear = self.values[:, 1] - self.values[:, 0] > 1e-3 * self.values[:, 2]
        self.assertGreater(clear.mean(), .9)
        sides = numpy.abs(((SCANNER - self.points) * self.normals).sum(1)) > 1e-3
        numpy.testing.assert_allclose(normals[clear & sides], self.normals[clear & sides], atol=1e-5)
        numpy.testing.assert_allclose(cloud["scalar_curvature"], self.curvatures, rtol=1e-5, atol=1e-9)

    def test_smooth_points_are_left(self):
        self.run_block(TO_TABLE)
        self.run_block(IN_PYTHON, "python")
        smooth = numpy.loadtxt(self.folder / "smooth.xyz")
        want = self.curvatures < .1
        self.assertTrue(0 < want.sum())
        self.assertEqual(len(smooth), want.sum())
        numpy.testing.assert_allclose(smooth[:, :3], self.points[want], rtol=1e-5)


if __name__ == "__main__":
    recipe.main()
