"""docs/recipes/clusters.md: the objects of a made-up street, and of the frame in data/, against a search of all pairs."""

import pathlib

import recipe
from recipe import numpy

ABOVE, TO_OBJECTS, BOXES = recipe.blocks("clusters.md", "python sh python")
FRAME = pathlib.Path(__file__).resolve().parents[2] / "data" / "lidar_source.npy"


def components(points, radius, least):
    """The label of each core point by flood filling, and -1 for noise; -2 for points at edges."""
    near = [numpy.flatnonzero(((points - point) ** 2).sum(1) <= radius ** 2) for point in points]
    is_core = numpy.array([len(row) >= least for row in near])
    labels = numpy.full(len(points), -2)
    for start in numpy.flatnonzero(is_core):
        waiting = [start] if labels[start] == -2 else []
        while waiting:
            point = waiting.pop()
            if labels[point] == -2:
                labels[point] = start
                waiting += near[point][is_core[near[point]]].tolist()
    labels[[not is_core[row].any() for row in near]] = -1
    return labels


class Clusters(recipe.RecipeTest):
    def objects_of(self, frame):
        numpy.save(self.folder / "frame.npy", frame)
        self.run_block(ABOVE, "python")
        _, messages = self.run_block(TO_OBJECTS)
        self.run_block(BOXES, "python")
        self.assert_is_picture("objects.png")
        boxes = numpy.loadtxt(self.folder / "boxes.csv", delimiter=",", skiprows=1, ndmin=2)
        return numpy.load(self.folder / "above.npy"), numpy.load(self.folder / "objects.npz")["cluster"], boxes, messages

    def test_objects_on_a_street(self):
        random = numpy.random.default_rng(3)
        places = [(-12, 4), (0, -6), (9, 5), (20, 0)]
        cars = [random.uniform((x - 2, y - 1, 0.6), (x + 2, y + 1, 1.6), (400, 3)) for x, y in places]
        street = random.uniform((-30, -15, 0), (30, 15, 0.05), (4000, 3))
        alone = [(-25, -10, 2), (28, 12, 3)]
        points, label, boxes, messages = self.objects_of(numpy.concatenate([street, alone, *cars]).astype("f4"))
        self.assertEqual(len(points), 1602)
        self.assertIn("4 clusters within 1 (MIN 10), the largest of 400 points, and 2 noise points", messages)
        self.assertEqual(label.tolist(), [-1] * 2 + [0] * 400 + [1] * 400 + [2] * 400 + [3] * 400)
        for box, car in zip(boxes, cars):
            numpy.testing.assert_allclose(box, [400, *car.min(0), *car.max(0)], rtol=1e-5)

    def test_objects_of_the_frame(self):
        points, label, boxes, _ = self.objects_of(numpy.load(FRAME)[::3])
        want = components(points.astype("f8"), 1, 10)
        numpy.testing.assert_array_equal(label == -1, want == -1)
        pairs = numpy.unique(numpy.stack((label, want))[:, want != -2], axis=1)
        self.assertEqual(len(pairs[0]), len(set(pairs[0])))
        self.assertEqual(len(pairs[1]), len(set(pairs[1])))
        self.assertEqual(boxes[:, 0].tolist(), numpy.bincount(label[label >= 0]).tolist())
        self.assertGreater(len(boxes), 3)


if __name__ == "__main__":
    recipe.main()
