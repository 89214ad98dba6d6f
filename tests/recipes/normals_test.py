"""docs/recipes/normals.md: normals against numpy's, and the points that are left."""

import recipe
from recipe import brute_force, numpy, scene

TO_CLOUD, TO_TABLE, IN_PYTHON = recipe.blocks("normals.md", "sh sh python")
SCANNER = numpy.array((5, 10, 2))
K = 20


class Normals(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        self.points = scene(7, 1200)
        self.write_ply("scan.ply", self.points)
        points = self.points.astype("f8")
        near = points[numpy.c_[numpy.arange(len(points)), brute_force(points, points, K, self_query=True)[0]]]
        near -= near.mean(1, keepdims=True)
        self.values, vectors = numpy.linalg.eigh(numpy.einsum("nki,nkj->nij", near, near) / (K + 1))
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
