"""docs/recipes/elevation.md: a scan of hills with a pond, made here, against splines that NumPy solves for."""

import subprocess

import recipe
from attributes_test import SCALE, las, records_of
from recipe import brute_force, numpy

RASTER, IN_PYTHON, AS_TEXT, GEOTIFF = recipe.blocks("elevation.md", "sh python sh sh")
STEP, K, RADIUS = 2, 16, 10
CORNER = numpy.array([636000.5, 849000.25])
SIZE = numpy.array([120, 70])
POND, SHORE = CORNER + (80, 30), 18  # its middle; how wide it is


def spline_value(xy, heights, centre):
    """A thin-plate spline with a polynomial of degree 1 through the points, at the centre (Wahba 1990)."""
    near = (xy - centre) / RADIUS
    squares = ((near[:, None] - near[None]) ** 2).sum(2)
    bend = lambda r2: numpy.where(r2 > 0, r2 * numpy.log(numpy.where(r2 > 0, r2, 1)), 0)
    polynomial = numpy.column_stack([numpy.ones(len(near)), near])
    system = numpy.block([[bend(squares), polynomial], [polynomial.T, numpy.zeros((3, 3))]])
    weights = numpy.linalg.solve(system, numpy.concatenate([heights, numpy.zeros(3)]))
    return bend((near**2).sum(1)) @ weights[:len(near)] + weights[len(near)]


class ElevationCase(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(21)
        xy = CORNER + random.uniform((0, 0), SIZE, (2500, 2))
        xy = xy[((xy - POND) ** 2).sum(1) > SHORE**2]
        z = 100 + 5 * numpy.sin(xy[:, 0] / 13) + 3 * numpy.cos(xy[:, 1] / 9) + random.normal(0, 0.05, len(xy))
        records = records_of(numpy.column_stack([xy, z]), 2, 0)
        self.write("scan.las", las(records))
        self.points = records["xyz"] * SCALE
        first = numpy.floor(self.points[:, :2].min(0) / STEP)
        self.columns, self.rows = (numpy.floor(self.points[:, :2].max(0) / STEP) - first + 1).astype(int)
        self.west, self.north = first[0] * STEP, (first[1] + self.rows) * STEP
        self.centres = numpy.array([(self.west + (column + 0.5) * STEP, self.north - (row + 0.5) * STEP)
                                    for row in range(self.rows) for column in range(self.columns)])
        ids, distances = brute_force(self.points[:, :2], self.centres, K)
        self.full = distances[:, -1] <= RADIUS
        self.empty = distances[:, 0] > RADIUS
        self.expected = [spline_value(self.points[row, :2], self.points[row, 2], centre)
                         for row, centre in zip(ids[self.full], self.centres[self.full])]

    def assert_heights(self, heights, tolerance):
        """One per cell, as rasters have them."""
        self.assertEqual(heights.shape, (self.rows, self.columns))
        self.assertGreater(self.empty.sum(), 10)
        self.assertGreater(self.full.mean(), 0.8)
        numpy.testing.assert_array_equal(numpy.isnan(heights.ravel()), self.empty)
        numpy.testing.assert_allclose(heights.ravel()[self.full], self.expected, rtol=tolerance)


class Elevation(ElevationCase):
    def test_heights_are_those_of_splines(self):
        self.run_block(RASTER)
        printed, _ = self.run_block(IN_PYTHON, "python")
        self.assertEqual(printed, f"{self.columns} x {self.rows} cells from {self.west:g}, {self.north:g}; "
                                  f"{self.empty.sum()} are empty\n")
        with numpy.load(self.folder / "dem.npz") as dem:
            self.assert_heights(dem["attr_z"].reshape(dem["grid_shape"]), 1e-9)
        self.assertTrue((self.folder / "dem.png").read_bytes().startswith(b"\x89PNG"))
        header = dict(line.split() for line in (self.folder / "dem.asc").read_text().splitlines()[:6])
        self.assertEqual([float(header[key]) for key in ("ncols", "nrows", "xllcorner", "yllcorner", "cellsize")],
                         [self.columns, self.rows, self.west, self.north - self.rows * STEP, STEP])
        heights = numpy.loadtxt(self.folder / "dem.asc", skiprows=6)
        self.assert_heights(numpy.where(heights == float(header["NODATA_value"]), numpy.nan, heights), 1e-5)

    def test_the_text_has_a_cell_per_line(self):
        self.run_block(AS_TEXT)
        table = numpy.genfromtxt(self.folder / "dem.csv", delimiter=",", names=True)
        self.assertEqual(table.dtype.names, ("x", "y", "z"))
        numpy.testing.assert_array_equal(numpy.column_stack([table["x"], table["y"]]), self.centres)
        self.assert_heights(table["z"].reshape(self.rows, self.columns), 1e-9)


class ElevationGdal(ElevationCase):
    def test_gdal_makes_a_geotiff(self):
        self.needs("gdal_translate")
        self.run_block(AS_TEXT)
        self.run_block(GEOTIFF)
        info = subprocess.run(["gdalinfo", "dem.tif"], cwd=self.folder, check=True, capture_output=True, text=True).stdout
        self.assertIn(f"Size is {self.columns}, {self.rows}\n", info)
        self.assertIn(f"Origin = ({self.west:.15f},{self.north:.15f})\n", info)
        self.assertIn(f"Pixel Size = ({STEP:.15f},{-STEP:.15f})\n", info)
        self.assertIn("NoData Value=nan\n", info)
        subprocess.run(["gdal_translate", "-q", "-of", "XYZ", "dem.tif", "back.xyz"], cwd=self.folder, check=True)
        heights = numpy.loadtxt(self.folder / "back.xyz")[:, 2].reshape(self.rows, self.columns)
        self.assert_heights(heights, 1e-6)  # float32


if __name__ == "__main__":
    recipe.main()
