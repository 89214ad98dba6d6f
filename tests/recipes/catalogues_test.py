"""docs/recipes/catalogues.md: two surveys with scatter, extra and missing stars, against Vincenty's formula."""

import csv

import recipe
from recipe import numpy

MATCH, CHANCE, DOUBLES = recipe.blocks("catalogues.md", "sh sh sh")


def separations(a, b):
    """Of each star of `a` from each of `b`, in arcsec."""
    l = numpy.radians(a[:, None, 0] - b[None, :, 0])
    p, q = numpy.radians(a[:, None, 1]), numpy.radians(b[None, :, 1])
    x = numpy.cos(q) * numpy.sin(l)
    y = numpy.cos(p) * numpy.sin(q) - numpy.sin(p) * numpy.cos(q) * numpy.cos(l)
    z = numpy.sin(p) * numpy.sin(q) + numpy.cos(p) * numpy.cos(q) * numpy.cos(l)
    return numpy.degrees(numpy.arctan2(numpy.hypot(x, y), z)) * 3600


class Catalogues(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(1)
        gaia = numpy.stack((random.uniform(359.5, 360.5, 1500) % 360, random.uniform(-.5, .5, 1500)), 1)
        gaia[:100] = numpy.stack((random.uniform(0, 360, 100), 90 - random.uniform(0, .2, 100)), 1)
        gaia[100:130] = gaia[130:160] + random.normal(0, 1 / 3600, (30, 2))
        seen = gaia[random.permutation(1500)[:1000]]
        scatter = random.normal(0, .2 / 3600, seen.shape)
        scatter[:, 0] /= numpy.cos(numpy.radians(seen[:, 1]))
        observed = numpy.concatenate((seen + scatter, numpy.stack((random.uniform(0, .5, 200), random.uniform(-.5, .5, 200)), 1)))
        observed[:, 1] = observed[:, 1].clip(-90, 90)
        self.gaia, self.observed = gaia, observed
        self.write("gaia.csv", "source,ra,dec\n" + "".join(f"G{i:04},{x!r},{y!r}\n" for i, (x, y) in enumerate(gaia.tolist())))
        self.write("observed.csv", "name,ra,dec,mag\n" + "".join(f"\"S {i}\",{x!r},{y!r},{i % 9}\n"
                                                               for i, (x, y) in enumerate(observed.tolist())))

    def rows(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_pairs(self):
        self.run_block(MATCH)
        apart = separations(self.observed, self.gaia)
        nearest, back = apart.argmin(1), apart.argmin(0)
        near = apart.min(1) <= 1
        mutual = near & (back[nearest] == numpy.arange(len(nearest)))
        matched = self.rows("matched.csv")
        self.assertEqual([(row["name"], row["source"]) for row in matched],
                         [(f"S {i}", f"G{nearest[i]:04}") for i in numpy.flatnonzero(mutual)])
        for row, i in zip(matched, numpy.flatnonzero(mutual)):
            self.assertAlmostEqual(float(row["nn_distance"]), apart[i].min(), delta=1e-6)
        self.assertEqual([row["name"] for row in self.rows("unmatched.csv")],
                         [f"S {i}" for i in numpy.flatnonzero(~near)])

    def test_chance(self):
        lines = self.run_block(CHANCE)[0].splitlines()
        apart = separations(self.observed, self.gaia)
        counts = [int(line.split()[1]) for line in (lines[2], lines[5])]
        self.assertEqual(counts, [(apart <= radius).sum() for radius in (1, 60)])
        # The first 1,000 have been seen at places of Gaia's, the others have not
        false = (apart[1000:] <= 1).sum()
        self.assertLess(abs((counts[1] - counts[0]) / 3599 - false), 3)

    def test_double_stars(self):
        self.run_block(DOUBLES)
        apart = separations(self.gaia, self.gaia)
        pairs = {(int(row["query"]), int(row["id"])) for row in self.rows("doubles.csv")}
        self.assertEqual(pairs, {(i, j) for i, j in zip(*numpy.nonzero(apart <= 5)) if i < j})


if __name__ == "__main__":
    recipe.main()
