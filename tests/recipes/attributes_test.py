"""docs/recipes/attributes.md: two LAS files made here, against brute force."""

import struct

import recipe
from recipe import brute_force, numpy, scene

LABEL, LABEL_AS_TEXT, COMPARE, COLOUR = recipe.blocks("attributes.md", "sh sh python sh")
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

    def read_las(self, name):
        """The records of a file of as many points as new.las, without extra bytes."""
        content = (self.folder / name).read_bytes()
        begin, = struct.unpack_from("<I", content, 96)
        size, count = struct.unpack_from("<HI", content, 105)
        self.assertEqual(count, len(self.new))
        rows = numpy.frombuffer(content, "u1", count * size, begin).reshape(count, size)
        return numpy.ascontiguousarray(rows[:, :RECORD.itemsize]).view(RECORD)[:, 0]

    def test_labels(self):
        output, _ = self.run_block(LABEL)
        self.assertIn("rank  queries", output)
        written = self.read_las("labelled.las")
        numpy.testing.assert_array_equal(written["xyz"], self.new["xyz"])
        numpy.testing.assert_array_equal(written["classification"], self.classes)
        self.assertLessEqual(numpy.abs(written["rgb"] - self.colours).max(), 0.51)
        self.assert_is_picture("colours.png")
        self.assert_is_picture("change.png")

    def test_classes_are_compared(self):
        self.run_block(LABEL_AS_TEXT)
        output, _ = self.run_block(COMPARE, "python")
        far = self.nearest > 3
        same = (numpy.array(self.classes) == self.new["classification"])[~far].mean()
        self.assertEqual(output, f"{same:.4f} of {(~far).sum()} points have the class of the points around them, "
                                 f"{far.sum()} have none within 3\n")
        self.assertGreater(far.sum(), 39)

    def test_colours_of_photographs(self):
        names = ("red", "green", "blue")
        photo = numpy.zeros(1500, [(axis, "<f8") for axis in "xyz"] + [(name, "u1") for name in names])
        random = numpy.random.default_rng(6)
        points = scene(3, len(photo)).astype("f8")
        colours = random.integers(0, 256, (len(photo), 3))
        for i in range(3):
            photo["xyz"[i]], photo[names[i]] = points[:, i], colours[:, i]
        header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(photo)}\n"
        header += "".join(f"property double {axis}\n" for axis in "xyz")
        header += "".join(f"property uchar {name}\n" for name in names) + "end_header\n"
        self.write("photo.ply", header.encode() + photo.tobytes())
        self.write("scan.las", las(self.new))

        _, messages = self.run_block(COLOUR)
        ids, distances = brute_force(points, self.new["xyz"] * SCALE, 4)
        weights = numpy.where(distances <= 0.5, 1 / distances**2, 0)
        is_black = weights.sum(1) == 0
        self.assertGreater(is_black.sum(), 39)
        expected = (weights[:, :, None] * colours[ids]).sum(1) / numpy.where(is_black, 1, weights.sum(1))[:, None]
        written = self.read_las("coloured.las")["rgb"]
        self.assertTrue((written[is_black] == 0).all())
        self.assertLessEqual(numpy.abs(written / 257 - expected).max(), 0.51, "they stay whole in 8 bits")
        self.assertIn(f"{is_black.sum()} of {len(self.new)} queries have no neighbour", messages)
        self.assert_is_picture("coloured.png")


if __name__ == "__main__":
    recipe.main()
