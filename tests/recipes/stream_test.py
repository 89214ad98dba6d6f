"""docs/recipes/stream.md: frames that arrive one by one, against brute force."""

import recipe
from recipe import brute_force, numpy, scene

TAIL, DIALOGUE = recipe.blocks("stream.md", "sh python")
FRAMES = ["000001", "000002", "000003"]
# Delivers each frame but the first only when the one before is answered: answers come one by one, or this hangs.
RECORD = """#!/bin/sh
for frame in 000001 000002 000003; do
  mv "delayed/$frame.ply" "$frame.ply"
  echo "$frame.ply" >> frames.txt
  while [ ! -e "to_map/$frame.knn.npz" ]; do sleep 0.02; done
done
"""


class StreamCase(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        self.map = scene(1, 900)
        self.write_ply("map.ply", self.map)
        # Frame i is 0.1 m · i above the map's ground: fewer points of it are near the map.
        self.frames = {name: scene(2 + i, 150) + numpy.array([0, 0, 0.1 * i], "f4") for i, name in enumerate(FRAMES)}


class StreamTail(StreamCase):
    def test_each_frame_is_answered_before_the_next_arrives(self):
        for name, points in self.frames.items():
            self.write_ply(f"delayed/{name}.ply", points)
        self.write("record", RECORD)
        (self.folder / "record").chmod(0o755)
        output, _ = self.run_block(TAIL)
        self.assertEqual(output.split(), [f"to_map/{name}.knn.npz" for name in FRAMES])
        for name, points in self.frames.items():
            self.assert_result(f"to_map/{name}.knn.npz", brute_force(self.map, points, 1))


class StreamDialogue(StreamCase):
    def overlap(self, name):
        return f"frames/{name}.ply\t{(brute_force(self.map, self.frames[name], 1)[1] < 0.2).mean():.3f} of the points " \
               "within 0.2 m of the map"

    def test_overlaps(self):
        for name, points in self.frames.items():
            self.write_ply(f"frames/{name}.ply", points)
        output, messages = self.run_block(DIALOGUE, "python")
        self.assertEqual(output.splitlines(), [self.overlap(name) for name in FRAMES])
        self.assertEqual(messages, "")
        self.assertEqual(len(set(map(self.overlap, FRAMES))), len(FRAMES), output)

    def test_a_broken_frame_is_an_answer_too(self):
        for name, points in self.frames.items():
            self.write_ply(f"frames/{name}.ply", points)
        self.write("frames/000002.ply", "no cloud")
        lines = self.run_block(DIALOGUE, "python", exit_code=3)[0].splitlines()
        self.assertEqual([lines[0], lines[2]], [self.overlap("000001"), self.overlap("000003")])
        self.assertTrue(lines[1].startswith("frames/000002.ply:1: not a PLY file"), lines[1])


if __name__ == "__main__":
    recipe.main()
