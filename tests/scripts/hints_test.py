"""The commands that kann prints for files that it does not read keep everything: hints_test.py KANN ENVIRONMENT.

Each file is made here, and converted by the command of the message about it; kann then has every column of it, with the
same float64 values. The packages that the commands install are in the folder ENVIRONMENT, from PyPI. Exit code 77:
skipped, as they cannot be installed.
"""

import io
import os
import pathlib
import re
import subprocess
import sys
import unittest

import formats_test
from folder_case import FolderCase

PACKAGES = ("numpy", "pye57", "pandas", "pyarrow", "astropy", "openpyxl", "pyvista", "rasterio", "geopandas", "h5py")
COUNT = 6


class HintsTest(FolderCase):
    def setUp(self):
        super().setUp()
        os.chdir(self.folder)
        os.symlink(pathlib.Path(sys.executable).parent.parent, "v")
        # With as many digits as Excel and shapefiles hold
        self.points = (numpy.random.default_rng(3).normal(size=(COUNT, 3)) + (500000, 5400000, 100)).round(8)
        self.red, self.ratio = numpy.arange(COUNT) + 250 - COUNT, (numpy.arange(COUNT) / 7).round(12)
        self.names = ["a", "007", "1E1", "", "c d", "e"]
        self.columns = {"red": self.red, "ratio": self.ratio, "text": self.names}
        self.frame = pandas.DataFrame({**dict(zip("xyz", self.points.T)), **self.columns})

    def check(self, file, output, points=None, **columns):
        """The command that the message about the file prints writes the output, which has the points and columns."""
        with self.subTest(file):
            message = subprocess.run([KANN, "--data", file], capture_output=True, text=True, check=False).stderr
            command = re.search("(?:convert it|per point): (.*)", message)[1]
            if install := re.match(r"python3 -m venv v && v/bin/pip install (.*?) && (.*)", command):
                self.assertLessEqual(set(install[1].replace("'", "").split()), set(PACKAGES))
                command = install[2]
            if command.startswith("numpy"):
                command = f"v/bin/python -c 'import numpy; {command}'"
            subprocess.run(["bash", "-c", command], check=True, capture_output=True)
            search = [KANN, "--data", output, "-k", "1", "-o", "-", "--output-format", "cloud-csv"]
            written = io.StringIO(subprocess.run(search, capture_output=True, text=True, check=True).stdout)
            table = pandas.read_csv(written, dtype={"text": str}, keep_default_na=False, float_precision="round_trip")
            numpy.testing.assert_array_equal(table[table.columns[:3]], self.points if points is None else points)
            for column, values in columns.items():
                numpy.testing.assert_array_equal(table[column], values, column)
            os.remove(output)

    def test_tables(self):
        table = astropy.table.Table.from_pandas(self.frame)
        table.write("a.fits")
        table.write("a.xml", format="votable")
        self.frame.to_parquet("a.parquet")
        self.frame.to_feather("a.feather")
        self.frame.to_excel("a.xlsx", sheet_name="b c", index=False)
        for name in "a.fits", "a.xml", "a.parquet", "a.feather", "a.xlsx":
            self.check(name, "a_b c.csv" if name == "a.xlsx" else "a.csv", **self.columns)

    def test_points_of_maps(self):
        points = geopandas.GeoDataFrame(self.columns, geometry=geopandas.points_from_xy(*self.points.T), crs=25832)
        points.to_csv("w.csv", index=False)
        points.to_file("p.gpkg")
        points.to_file("p.shp")
        for name in "w.csv", "p.gpkg", "p.shp":
            self.check(name, name[0] + "_xyz.csv", **self.columns)

    def test_raster_without_cells_of_nodata(self):
        cells = numpy.arange(12, dtype="f4").reshape(3, 4) / 3
        cells[1, 2] = -9999
        with rasterio.open("a.tif", "w", driver="GTiff", height=3, width=4, count=2, dtype="float32", nodata=-9999,
                           transform=rasterio.transform.from_origin(500000.125, 5400000.5, 0.25, 0.25)) as raster:
            raster.write(numpy.stack([cells, cells + 100]))
        rows, columns = numpy.nonzero(cells != -9999)
        z = cells[rows, columns]
        self.check("a.tif", "a.npy", numpy.column_stack([500000.25 + columns / 4, 5400000.375 - rows / 4, z]), band2=z + 100)

    def test_scans_with_poses(self):
        local, place = self.points.round() - self.points[0].round() + 0.25, numpy.array([1e6, 2e6, 3e6])
        both = numpy.vstack([local[:, [2, 0, 1]] + start * place for start in (0, 1)])
        fields = {f"cartesian{axis}": values for axis, values in zip("XYZ", local.T)}
        fields.update({f"color{colour}": self.red.astype("u1") for colour in ("Red", "Green", "Blue")})
        rows = numpy.column_stack([local, self.ratio, *[self.red] * 3])
        rows = numpy.vstack([rows[:2], numpy.zeros((2, 7)), rows[2:]])  # two directions without an echo
        with pye57.E57("a.e57", mode="w") as e57, open("a.ptx", "w") as ptx:
            for start in (0, 1):
                e57.write_scan_raw(fields, rotation=numpy.full(4, 0.5), translation=start * place)
                ptx.write("2\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 0 0\n0 0 1 0\n1 0 0 0\n")
                numpy.savetxt(ptx, [[*start * place, 1]])
                numpy.savetxt(ptx, rows)
        scan, red = [0] * COUNT + [1] * COUNT, [*self.red] * 2
        self.check("a.e57", "a.csv", both, colorRed=red, scan=scan)
        self.check("a.ptx", "a_xyz.txt", both, intensity=[*self.ratio] * 2, r=red, scan=numpy.add(scan, 1))

    def test_meshes(self):
        mesh = pyvista.PolyData(self.points)
        mesh["ratio"], mesh["rgb"] = self.ratio, numpy.column_stack([self.red] * 3)
        for name in "a.vtk", "a.vtp":
            mesh.save(name)
            self.check(name, "a.npy", ratio=self.ratio, rgb_2=self.red)
        rows = ["%r %r %r" % tuple(map(float, row)) for row in self.points]
        red = [f"{row} {red} 1 2" for row, red in zip(rows, self.red)]
        for name, lines, columns in (("a.obj", ["# x", *("v " + row for row in red), "f 1 2 3"], {"r": self.red}),
                                     ("b.obj", [*("v " + row for row in rows), "vn 0 0 1"], {}),
                                     ("c.off", ["COFF", "6 1 0", *(row + " 9" for row in red), "3 0 1 2"], {"red": self.red}),
                                     ("d.off", ["OFF", "# x", "6 1 0", "", *rows, "3 0 1 2"], {})):
            pathlib.Path(name).write_text("\n".join(lines))
            self.check(name, name[0] + "_xyz.txt", **columns)

    def test_others(self):
        rows = ["%d %r %r %r %d 1 2 .5" % (i, *map(float, row), self.red[i]) for i, row in enumerate(self.points)]
        lines = [f"{row}{' 7 8' * i}" for i, row in enumerate(rows)]  # with tracks of 0 to 5 images
        pathlib.Path("points3D.txt").write_text("\n".join(["# 3D point list with one line of data per point:", *lines]))
        self.check("points3D.txt", "points3D_xyz.txt", r=self.red, track_length=range(COUNT))
        with h5py.File("a.h5", "w") as file:
            file["NAME"] = self.points
        self.check("a.h5", "a.npy")
        numpy.column_stack([self.points.round(), self.ratio]).astype("f4").tofile("a.bin")
        self.check("a.bin", "a.npy", self.points.round())


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        python = formats_test.python_with_packages(pathlib.Path(sys.argv[2]), PACKAGES)
        sys.exit(subprocess.run([python, __file__, "--inside", *sys.argv[1:]], check=False).returncode)
    import astropy.table
    import geopandas
    import h5py
    import numpy
    import pandas
    import pye57
    import pyvista
    import rasterio

    KANN = os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
