#!/usr/bin/env python3
"""Every product has the same bytes at every size: in memory, in pieces, in tiles, and by two ranks (with --thorough, by
one and three, too); and what is made in memory is what numpy computes.

Usage: products_test.py KANN
"""
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    # The numpy of the system belongs to its own Python
    system = "/usr/bin/python3"
    if os.path.realpath(sys.executable) == os.path.realpath(system) or not os.path.exists(system):
        print("SKIPPED: no numpy")
        sys.exit(77)
    os.execv(system, [system, *sys.argv])

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
from part import part_of  # noqa: E402

KANN = None
MPI = shutil.which("mpirun")
RANKS = (1, 2, 3) if os.environ.get("TEST_THOROUGH") else (2,)
DATA, QUERIES, K = 30_000, 100_000, 6
TYPES = [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("height", "<f4"), ("kind", "u1"), ("number", "<i4")]
NAMES = {"<f4": "float", "u1": "uchar", "<i4": "int"}


def write_ply(path, rows):
    head = "ply\nformat binary_little_endian 1.0\nelement vertex %d\n" % len(rows)
    head += "".join(f"property {NAMES[kind]} {name}\n" for name, kind in TYPES) + "end_header\n"
    path.write_bytes(head.encode() + rows.tobytes())


def make_cloud(seed, count):
    """Clusters, copies of points, some that are far away, and attributes."""
    r = np.random.default_rng(seed)
    rows = np.zeros(count, TYPES)
    centres = r.random((50, 3))
    points = centres[r.integers(0, 50, count)] + r.normal(0, .01, (count, 3))
    points[::97] = points[0]
    points[::1013] += 5
    for axis, name in enumerate("xyz"):
        rows[name] = points[:, axis]
    rows["height"] = np.sin(7 * points[:, 0]) + points[:, 2]
    rows["kind"] = r.integers(0, 5, count)
    rows["number"] = r.integers(-2**31, 2**31 - 1, count)
    return rows


# Name, options, output; the output "-" is standard output.
PRODUCTS = [
    ("npz", [], "o.npz"),
    ("csv", [], "o.csv"),
    ("ivecs", [], "o.ivecs"),
    ("npz on standard output", ["--output-format", "npz"], "-"),
    ("transfer to npz", ["--transfer", "height,kind", "--by", "mean"], "o.npz"),
    ("idw and vote", ["--transfer", "height,kind,number", "--by", "height=idw,kind=vote,number=nearest"], "o.npz"),
    ("rbf", ["--transfer", "height", "--by", "rbf"], "o.npz"),
    ("outliers", ["--outliers", "5,1"], "o.npz"),
    ("features", ["--features", "normals,curvature,omnivariance,density", "--orient", "1,2,3"], "o.npz"),
    ("features of rows", ["--features", "neighbours,median_distance,mean_distance", "--radius", ".003"], "o.npz"),
    ("features in a periodic box", ["--features", "normals,planarity", "--periodic", "1,1,1.2"], "o.npz"),
    ("picture of a feature", ["--picture", "p.png", "--picture-size", "300x200", "--picture-by", "linearity", "--features",
                              "linearity,verticality"], "o.ply"),
    ("cloud as PLY", ["--transfer", "height,number"], "o.ply"),
    ("cloud as LAS", ["--transfer", "kind"], "o.las"),
    ("cloud as CSV", ["--output-format", "cloud-csv"], "o.csv"),
    ("cloud without outliers", ["--outliers", "5,1", "--keep", "outlier = 0 and z < 4"], "o.ply"),
    ("joined table", ["--join", "left", "--radius", ".003"], "o.csv"),
    ("cloud of those without a neighbour", ["--keep", "neighbours = 0", "--radius", ".003"], "o.ply"),
    ("text with columns", ["--transfer", "height,kind", "--by", "height=idw,kind=vote", "--outliers", "5,1", "--radius",
                           ".003"], "o.csv"),
    ("text of some pairs", ["--keep", "kind in 1,3 and nn_distance > .001", "--features", "planarity", "--attributes",
                            "id,distance=d,planarity"], "o.tsv"),
    ("joined table with columns", ["--join", "inner", "--features", "normals", "--outliers", "5,1"], "o.csv"),
    ("table of some", ["--join", "inner", "--keep", "kind in 1,3 and nn_distance > .001"], "o.csv"),
    ("conditions on both", ["--where", "kind in 1,3 and z < 4", "--stats", "--verify", "50"], "o.npz"),
    ("cloud of what meets a condition", ["--where", "kind != 2", "--transfer", "height", "--outliers", "5,1"], "o.ply"),
    ("table of what meets a condition", ["--where", "kind != 2", "--join", "left", "--radius", ".003"], "o.csv"),
    ("picture of distances", ["--picture", "p.png", "--picture-size", "300x200"], "o.npz"),
    ("picture of an attribute", ["--picture", "p.png", "--picture-by", "kind", "--picture-size", "300x200"], "o.npz"),
    ("picture of what was transferred",
     ["--picture", "p.png", "--picture-size", "300x200", "--picture-by", "height", "--transfer", "height", "--by", "mean"],
     "o.ply"),
    ("compare where most rows are empty", ["--radius", "5e-4", "--compare", "near.npz"], "o.npz"),
    ("statistics", ["--stats"], "o.npz"),
    ("periodic statistics", ["--stats", "--periodic", "1,1,1.2"], "o.npz"),
    ("all images in a slanted box", ["--periodic", "1,1,1.2,.4,.3,-.2", "--images", "all"], "o.npz"),
    ("periodic check", ["--periodic", "1,1,1.2", "--verify", "300"], "o.npz"),
    ("check", ["--verify", "400", "--min-recall", "1"], "o.npz"),
    ("compare", ["--compare", "truth.npz", "--min-recall", ".9"], "o.npz"),
    ("compare with more neighbours", ["--compare", "long.ivecs"], "o.npz"),
]
OF_DATA = [  # of a search without --query
    ("local outlier factors", ["--features", "lof"], "o.npz"),
    ("picture of local outlier factors", ["--features", "lof,normals", "--picture", "p.png", "--picture-by", "lof",
                                          "--picture-size", "300x200"], "o.ply"),
]
LISTS = [
    ("lists", ["--k", "all", "--radius", ".001"], "o.npz"),
    ("pairs once as text", ["--k", "all", "--radius", ".001", "--pairs", "half"], "o.csv"),
    ("matrix in a periodic box", ["--k", "all", "--radius", ".001", "--periodic", "1,1,1.2"], "o.mtx"),
    ("cloud of lists", ["--k", "all", "--radius", ".001", "--features", "normals,sphericity"], "o.ply"),
    ("features and attributes of lists", ["--k", "all", "--radius", ".001", "--features", "normals,omnivariance,density",
                                          "--transfer", "height", "--by", "mean"], "o.npz"),
    ("features of the rows of lists", ["--k", "all", "--radius", ".001", "--features",
                                       "neighbours,median_distance,mean_distance"], "o.npz"),
    ("lists as text with columns", ["--k", "all", "--radius", ".001", "--features", "density", "--keep", "neighbours > 3"],
     "o.csv"),
    ("lists of what meets a condition", ["--k", "all", "--radius", ".001", "--where", "kind < 3"], "o.npz"),
    ("shifts of all images in a slanted box", ["--k", "all", "--radius", ".001", "--periodic", "1,1,1.2,.3,.2,.1", "--images",
                                               "all"], "o.npz"),
    ("lists on standard output", ["--k", "all", "--radius", ".001", "--output-format", "npz"], "-"),
]
CLUSTERS = [
    ("clusters", ["--cluster", ".002,5"], "o.npz"),
    ("friends of friends as text", ["--cluster", ".003"], "o.csv"),
    ("members of clusters as text", ["--cluster", ".003,4", "--keep", "cluster >= 0"], "o.csv"),
    ("clusters of a cloud", ["--cluster", ".002,5"], "o.ply"),
    ("clusters in a periodic box", ["--cluster", ".002,5", "--periodic", "1,1,1.2"], "o.npz"),
    ("clusters of what meets a condition", ["--cluster", ".002,5", "--where", "kind > 1"], "o.npz"),
    ("clusters on standard output", ["--cluster", ".004,40", "--output-format", "npz"], "-"),
    ("picture of clusters", ["--cluster", ".01,9", "--picture", "p.png", "--picture-size", "300x200"], "o.npz"),
]
GRIDS = [
    ("grid", ["--grid", ".05"], "o.npz"),
    ("raster", ["--grid", ".05", "--transfer", "height", "--by", "idw"], "o.npz"),
    ("cloud of a grid", ["--grid", ".06", "--transfer", "kind"], "o.ply"),
    ("picture of a grid", ["--grid", ".06", "--picture", "p.png", "--picture-size", "200x200"], "o.npz"),
]


class Products(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        write_ply(cls.folder / "data.ply", make_cloud(1, DATA))
        write_ply(cls.folder / "query.ply", make_cloud(2, QUERIES))
        base = ["--data", "data.ply", "--query", "query.ply", "--exact"]
        for name, more in (("truth.npz", ["-k", str(K)]), ("long.ivecs", ["-k", "9"]),
                           ("near.npz", ["-k", str(K), "--radius", "5e-4"])):
            cls.run_kann([*base, *more, "-o", name])

    @classmethod
    def run_kann(cls, arguments, before=()):
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}
        run = subprocess.run([*before, KANN, "--device", "cpu", *arguments], cwd=cls.folder, capture_output=True,
                             check=False, env=environment, timeout=300)
        if run.returncode != 0:
            raise AssertionError(f"{before} {arguments}: {run.returncode}\n{run.stderr.decode()}")
        return run

    def made(self, arguments, output, before=()):
        """All that a run has made, but for times: files, standard output, and what the report says of checks."""
        for path in self.folder.iterdir():
            if path.name[:2] in ("o.", "p.", "h.", "r."):
                path.unlink()
        report = ["--report", "r.json"]
        k = [] if "--k" in arguments or "--cluster" in arguments else ["-k", str(K)]
        run = self.run_kann([*arguments, *k, "-o", output, "--force", *report], before)
        made = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.name[:2] in ("o.", "p.", "h.")}
        made["stdout"] = run.stdout
        told = json.loads((self.folder / "r.json").read_text())
        for key in ("verify", "compare"):
            if told.get(key):
                told[key].pop("seconds", None)
        made["report"] = {key: told.get(key) for key in ("verify", "compare", "statistics", "transfer", "outliers",
                                                         "picture", "clusters", "warnings")}
        return made, told

    def compare_ways(self, name, search, options, output, parts, budget=None):
        """`parts`: what the small budget divides, "pieces" or "count" of tiles in the report; "" is either."""
        is_large = "--features" in options and {"--periodic", "--picture"} & set(options)
        budget = budget or ("27MB" if is_large else "24MB")
        want, _ = self.made([*search, "--exact", *options], output)
        ways = [("a small budget", ["--max-memory", budget], ())]
        ways += [(f"{n} ranks", ["--threads", "1"], ("mpirun", "-n", str(n))) for n in RANKS]
        for way, more, before in ways if MPI else ways[:1]:
            with self.subTest(product=name, way=way):
                got, told = self.made([*search, "--exact", *options, *more], output, before)
                if not before:
                    self.assertIsNotNone(told.get("tiles"), f"{name}: it was made in memory")
                    self.assertGreater(told["tiles"].get(parts, 2), 1, f"{name}: {parts}")
                elif way != "1 ranks":
                    self.assertEqual(told["tiles"]["ranks"], int(way[0]))
                self.assertEqual(want.keys(), got.keys())
                for key in want:
                    self.assertEqual(want[key], got[key], f"{name}, {way}: {key} differs")

    def test_pieces(self):
        for name, options, output in part_of(PRODUCTS):
            parts = "count" if "--periodic" in options else "pieces"
            self.compare_ways(name, ["--data", "data.ply", "--query", "query.ply"], options, output, parts)

    def test_tiles(self):
        for name, options, output in part_of([p for p in PRODUCTS if "--compare" not in p[1]] + OF_DATA):
            self.compare_ways(name, ["--data", "query.ply"], options, output, "count")

    def test_lists(self):
        for name, options, output in part_of(LISTS):
            budget = "22.5MB" if {"--features", "--images"} & set(options) else "18MB"
            self.compare_ways(name, ["--data", "query.ply"], options, output, "count", budget)

    def test_clusters(self):
        write_ply(self.folder / "many.ply", make_cloud(4, 300_000))
        for name, options, output in part_of(CLUSTERS):
            self.compare_ways(name, ["--data", "many.ply"], options, output, "count", "24MB")

    def test_counts(self):
        for options in ([], ["--pairs", "half"], ["--periodic", ".002,.003,1", "--images", "all", "--pairs", "half"]):
            search = ["--data", "data.ply", "--k", "all", "--radius", ".001", "--stats", *options]
            want = self.run_kann(search).stdout
            for n in RANKS if MPI else ():
                self.assertEqual(self.run_kann([*search, "--threads", "1"], ("mpirun", "-n", str(n))).stdout, want)

    def test_grids(self):
        for name, options, output in part_of(GRIDS):
            self.compare_ways(name, ["--data", "data.ply"], options, output, "")

    def test_rows_without_a_neighbour(self):
        """Blocks whose rows name no point at all."""
        search = ["--data", "data.ply", "--query", "query.ply", "--exact", "--radius", "1e-30", "--invalid", "skip"]
        write_ply(self.folder / "far.ply", make_cloud(3, 50_000))
        far = np.fromfile(self.folder / "far.ply", TYPES, offset=(self.folder / "far.ply").stat().st_size - 50_000 * 21)
        far["x"] += 100
        write_ply(self.folder / "far.ply", far)
        search[3] = "far.ply"
        self.run_kann([*search, "-k", "2", "-o", "none.npz", "--force"])
        for options in (["--compare", "none.npz"], ["--transfer", "height,kind", "--by", "mean"]):
            codes = [subprocess.run([KANN, "--device", "cpu", *search, "-k", "2", "--force", "-o", f"o.{i}.npz", *options,
                                     *more], cwd=self.folder, capture_output=True, check=False).returncode
                     for i, more in enumerate(([], ["--max-memory", "19MB"]))]
            self.assertEqual(codes[0], codes[1], options)
            self.assertEqual((self.folder / "o.0.npz").read_bytes(), (self.folder / "o.1.npz").read_bytes())

    def test_a_condition_gives_the_rows_of_a_cloud_without_the_others(self):
        data, queries = make_cloud(1, DATA), make_cloud(2, QUERIES)
        chosen = np.flatnonzero((data["kind"] != 2) & (data["z"] > np.float32(.25)))
        asked = np.flatnonzero(np.isin(queries["kind"], (0, 3)))
        write_ply(self.folder / "some.ply", data[chosen])
        write_ply(self.folder / "asked.ply", queries[asked])
        k = ["-k", str(K), "--exact", "--force"]
        self.run_kann(["some.ply", "asked.ply", *k, "-o", "o.some.npz"])
        some = np.load(self.folder / "o.some.npz")
        for more in ([], ["--max-memory", "24MB"]):
            self.run_kann(["data.ply", "query.ply", "--where", "kind != 2 and z > .25", "--query-where", "kind in 0,3",
                           *k, *more, "-o", "o.npz"])
            found = np.load(self.folder / "o.npz")
            np.testing.assert_array_equal(found["ids"][asked], chosen[some["ids"]])
            np.testing.assert_array_equal(found["distances"][asked], some["distances"])
            others = np.delete(found["ids"], asked, 0)
            self.assertTrue(len(others) > 0 and (others == -1).all())

    def test_text_has_the_columns_of_an_npz_in_each_line_of_a_query(self):
        asked = ["data.ply", "query.ply", "-k", str(K), "--radius", ".006", "--features", "neighbours,planarity",
                 "--transfer", "height,kind", "--by", "mean,vote", "--outliers", "5,1", "--force"]
        self.run_kann([*asked, "-o", "o.npz"])
        self.run_kann([*asked, "-o", "o.csv"])
        self.run_kann([*asked, "-o", "o.tsv", "--keep", "nn_distance < .003 and planarity > .5", "--attributes",
                       "query,id,distance"])
        want = np.load(self.folder / "o.npz")
        with open(self.folder / "o.csv") as lines:
            names = lines.readline().strip().split(",")
            got = np.genfromtxt(lines, delimiter=",", names=names)  # an empty cell is NaN
        self.assertEqual(names[:4], ["query", "rank", "id", "distance"])
        self.assertEqual(set(names[4:]), {"neighbours", "outlier", "planarity", "height", "kind"})
        np.testing.assert_array_equal(got["query"], np.repeat(np.arange(QUERIES), K))
        np.testing.assert_array_equal(got["rank"], np.tile(np.arange(K), QUERIES))
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

    def test_a_picture_is_in_the_budget(self):
        search = ["--data", "data.ply", "--exact", "-k", "1", "-o", "o.npz", "--force", "--picture", "p.png",
                  "--picture-size", "3000x3000", "--max-memory"]
        run = subprocess.run([KANN, "--device", "cpu", *search, "30MB"], cwd=self.folder, capture_output=True, text=True,
                             check=False)
        self.assertEqual(run.returncode, 4, run.stderr)
        named = run.stderr.rsplit("at least ", 1)[1].replace(" ", "").strip()
        self.run_kann([*search, named, "--report", "r.json"])
        peak = json.loads((self.folder / "r.json").read_text())["memory_peak_bytes"]["host"]
        self.assertLessEqual(peak, float(named[:-2]) * 1e6)

    def test_what_is_made_in_memory_is_what_numpy_computes(self):
        data, queries = make_cloud(1, DATA), make_cloud(2, QUERIES)
        run = self.run_kann(["--data", "data.ply", "--query", "query.ply", "--exact", "-k", str(K), "-o", "-",
                             "--output-format", "npz", "--outliers", "5,1", "--transfer", "height,kind", "--by",
                             "height=mean,kind=vote"])
        found = np.load(io.BytesIO(run.stdout))
        rows = np.arange(0, QUERIES, 401)
        points = np.stack([data[a].astype("f8") for a in "xyz"], 1)
        for row in rows:
            off = points - np.array([queries[a][row] for a in "xyz"], "f8")
            order = np.lexsort((np.arange(DATA), (off**2).sum(1)))[:K]
            np.testing.assert_array_equal(np.sort(found["ids"][row]), np.sort(order))
        np.testing.assert_allclose(found["attr_height"], data["height"][found["ids"]].astype("f8").mean(1), rtol=1e-6,
                                   atol=1e-6)
        kinds = data["kind"][found["ids"]]
        counts = np.stack([(kinds == kind).sum(1) for kind in range(5)], 1)
        self.assertTrue((counts[np.arange(QUERIES), found["attr_kind"]] == counts.max(1)).all())
        means = found["distances"][:, :5].astype("f8").mean(1).astype("f4").astype("f8")
        limit = means.mean() + means.std(ddof=1)
        clear = np.abs(means - limit) > 1e-9
        np.testing.assert_array_equal(found["outlier"][clear], (means > limit)[clear])


if __name__ == "__main__":
    KANN = os.path.abspath(sys.argv.pop(1))
    unittest.main()
