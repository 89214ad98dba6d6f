"""docs/recipes/attributes.md: two LAS files made here, against brute force."""

import struct

import recipe
from recipe import brute_force, numpy, scene

LABEL, LABEL_AS_TEXT, COMPARE = recipe.blocks("attributes.md", "sh sh python")
SCALE = 0.001
RECORD = numpy.dtype([("xyz", "<i4", 3), ("intensity", "<u2"), ("returns", "u1"), ("classification", "u1"),
                      ("angle", "i1"), ("user", "u1"), ("source", "<u2"), ("rgb", "<u2", 3)])


def las(records):
    """LAS 1.2, point format 2 (ASPRS 2008): colours, and a class of five bits."""
    header = bytearray(227)
    header[:4], header[24:26] = b"LASF", b"\x01\x02"
    struct.pack_into("<HIIBHI", header, 94, 227, 227, 0, 2, RECORD.itemsize, len(records))
    struct.pack_into("<6d", header, 131, SCALE, SCALE, SCALE, 0, 0, 0)
    return bytes(header) + records.tobytes()


def records_of(points, classes, colours):
    records = numpy.zeros(len(points), RECORD)
    records["xyz"] = numpy.rint(points / SCALE)
    records["returns"], records["classification"], records["rgb"] = 0b001001, classes, colours
    return records


class Attributes(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(5)
        old = scene(1, 1200).astype("f8")
        self.old = records_of(old, 2 + (old[:, 2] > 0.5) * 4, random.integers(0, 65536, (len(old), 3)))
        new = numpy.concatenate([scene(2, 800), random.uniform((0, 0, 50), (9, 9, 60), (40, 3))]).astype("f8")
        self.new = records_of(new, 2 + (new[:, 2] > 0.5) * 4, 7)
        self.write("old.las", las(self.old))
        self.write("new.las", las(self.new))
        ids, distances = brute_force(self.old["xyz"] * SCALE, self.new["xyz"] * SCALE, 8)
        weights = 1 / distances**2
        colours = self.old["rgb"][ids].astype("f8")
        self.colours = (weights[:, :, None] * colours).sum(1) / weights.sum(1)[:, None]
        self.classes = []
        for row in self.old["classification"][ids]:
            counts = [numpy.count_nonzero(row == one) for one in row]
            self.classes.append(row[int(numpy.argmax(counts))])
        self.nearest = distances[:, 0]

    def test_labels(self):
        output, _ = self.run_block(LABEL)
        self.assertIn("rank    queries", output)
        content = (self.folder / "labelled.las").read_bytes()
        begin, = struct.unpack_from("<I", content, 96)
        size, count = struct.unpack_from("<HI", content, 105)
        self.assertEqual(count, len(self.new))
        rows = numpy.frombuffer(content, "u1", count * size, begin).reshape(count, size)
        written = numpy.ascontiguousarray(rows[:, :RECORD.itemsize]).view(RECORD)[:, 0]
        numpy.testing.assert_array_equal(written["xyz"], self.new["xyz"])
        numpy.testing.assert_array_equal(written["classification"], self.classes)
        self.assertLessEqual(numpy.abs(written["rgb"] - self.colours).max(), 0.51)
        for picture in "colours.png", "change.png":
            self.assertTrue((self.folder / picture).read_bytes().startswith(b"\x89PNG"))

    def test_classes_are_compared(self):
        self.run_block(LABEL_AS_TEXT)
        output, _ = self.run_block(COMPARE, "python")
        far = self.nearest > 3
        same = (numpy.array(self.classes) == self.new["classification"])[~far].mean()
        self.assertEqual(output, f"{same:.4f} of {(~far).sum()} points have the class of the points around them, "
                                 f"{far.sum()} have none within 3\n")
        self.assertGreater(far.sum(), 39)


if __name__ == "__main__":
    recipe.main()
