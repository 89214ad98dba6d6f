#!/usr/bin/env python3
"""What the program makes in memory is what numpy computes; that it makes the same in every way is for ways_test.py.

Usage: numpy_test.py KANN
"""
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from clouds import MANY, clustered, make_clouds, np, write_ply

KANN = None
K = 6


class Products(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        make_clouds(cls.folder)

    def kann(self, *words, data="few.ply", queries="many.ply"):
        return subprocess.run([KANN, data, queries, "-k", str(K), "--device", "cpu", "--force", *words], cwd=self.folder,
                              capture_output=True, check=True)

    def test_rows_transfers_and_outliers(self):
        data, queries = clustered("few.ply"), clustered("many.ply")
        run = self.kann("-o", "-", "--output-format", "npz", "--outliers", "5,1", "--transfer", "height,kind", "--by",
                        "height=mean,kind=vote")
        found = np.load(io.BytesIO(run.stdout))
        points = np.stack([data[axis].astype("f8") for axis in "xyz"], 1)
        for row in range(0, MANY, 401):
            off = points - np.array([queries[axis][row] for axis in "xyz"], "f8")
            nearest = np.lexsort((np.arange(len(points)), (off**2).sum(1)))[:K]
            np.testing.assert_array_equal(found["ids"][row], nearest)
        np.testing.assert_allclose(found["attr_height"], data["height"][found["ids"]].astype("f8").mean(1), rtol=1e-6,
                                   atol=1e-6)
        kinds = data["kind"][found["ids"]]
        counts = np.stack([(kinds == kind).sum(1) for kind in range(5)], 1)
        self.assertTrue((counts[np.arange(MANY), found["attr_kind"]] == counts.max(1)).all())
        means = found["distances"][:, :5].astype("f8").mean(1).astype("f4").astype("f8")
        limit = means.mean() + means.std(ddof=1)
        clear = np.abs(means - limit) > 1e-9
        np.testing.assert_array_equal(found["outlier"][clear], (means > limit)[clear])

    def test_a_condition_gives_the_rows_of_a_cloud_without_the_others(self):
        data, queries = clustered("few.ply"), clustered("many.ply")
        chosen = np.flatnonzero((data["kind"] != 2) & (data["z"] > np.float32(.25)))
        asked = np.flatnonzero(np.isin(queries["kind"], (0, 3)))
        write_ply(self.folder / "some.ply", data[chosen])
        write_ply(self.folder / "asked.ply", queries[asked])
        self.kann("-o", "some.npz", data="some.ply", queries="asked.ply")
        self.kann("--where", "kind != 2 and z > .25", "--query-where", "kind in 0,3", "-o", "o.npz")
        some, found = np.load(self.folder / "some.npz"), np.load(self.folder / "o.npz")
        np.testing.assert_array_equal(found["ids"][asked], chosen[some["ids"]])
        np.testing.assert_array_equal(found["distances"][asked], some["distances"])
        others = np.delete(found["ids"], asked, 0)
        self.assertTrue(len(others) > 0 and (others == -1).all())

    def test_text_has_the_columns_of_an_npz_in_each_line_of_a_query(self):
        asked = ["--radius", ".006", "--features", "neighbours,planarity", "--transfer", "height,kind", "--by", "mean,vote",
                 "--outliers", "5,1"]
        self.kann(*asked, "-o", "o.npz")
        self.kann(*asked, "-o", "o.csv")
        self.kann(*asked, "-o", "o.tsv", "--keep", "nn_distance < .003 and planarity > .5", "--attributes",
                  "query,id,distance")
        want = np.load(self.folder / "o.npz")
        with open(self.folder / "o.csv") as lines:
            names = lines.readline().strip().split(",")
            got = np.genfromtxt(lines, delimiter=",", names=names)  # an empty cell is NaN
        self.assertEqual(names[:4], ["query", "rank", "id", "distance"])
        self.assertEqual(set(names[4:]), {"neighbours", "outlier", "planarity", "height", "kind"})
        np.testing.assert_array_equal(got["query"], np.repeat(np.arange(MANY), K))
        np.testing.assert_array_equal(got["rank"], np.tile(np.arange(K), MANY))
        np.testing.assert_array_equal(got["id"], want["ids"].ravel())
        np.testing.assert_array_equal(got["distance"].astype("f4"), want["distances"].ravel())
        for name in names[4:]:
            column = want["attr_" + name if name in ("height", "kind") else name]
            np.testing.assert_array_equal(got[name].astype(column.dtype), np.repeat(column, K), name)
        kept = (want["distances"] < np.float32(.003)) & (want["planarity"] > .5)[:, None]
        some = np.loadtxt(self.folder / "o.tsv", delimiter="\t", skiprows=1)
        np.testing.assert_array_equal(some[:, 0], np.nonzero(kept)[0])
        np.testing.assert_array_equal(some[:, 1], want["ids"][kept])
        self.assertTrue(0 < len(some) < want["ids"].size)


if __name__ == "__main__":
    KANN = os.path.abspath(sys.argv.pop(1))
    unittest.main()
