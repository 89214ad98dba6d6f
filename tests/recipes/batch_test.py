"""docs/recipes/batch.md: a folder of frames, and frames that arrive one by one, against brute force."""

import recipe
from recipe import brute_force, numpy, scene

BATCH, TABLE, PAIRS, TAIL, DIALOGUE = recipe.blocks("batch.md", "sh python sh sh python")
FRAMES = ["000001", "000002", "000003"]
# Delivers each frame but the first only when the one before is answered: answers come one by one, or this hangs.
RECORD = """#!/bin/sh
for frame in 000001 000002 000003; do
  mv "delayed/$frame.ply" "$frame.ply"
  echo "$frame.ply" >> frames.txt
  while [ ! -e "to_map/$frame.knn.npz" ]; do sleep 0.02; done
done
"""


class BatchCase(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        self.map = scene(1, 900)
        self.write_ply("map.ply", self.map)
        self.frames = {name: scene(2 + i, 150 + i) for i, name in enumerate(FRAMES)}
        for name, points in self.frames.items():
            self.write_ply(f"frames/{name}.ply", points)

    def check_results(self, names):
        for name in names:
            self.assert_result(f"results/{name}.knn.npz", brute_force(self.map, self.frames[name], 1))

    def break_frame(self, name):
        whole = (self.folder / "frames" / f"{name}.ply").read_bytes()
        self.write(f"frames/{name}.ply", whole[:-4])

    def interrupted_and_broken(self):
        """A first run of which one result is there, and a frame that cannot be read."""
        self.write("results/000001.knn.npz", "stays")
        self.break_frame("000002")
        self.run_block(BATCH, exit_code=3)


class Batch(BatchCase):
    def test_every_frame_has_its_neighbours(self):
        output, _ = self.run_block(BATCH)
        self.assertEqual(sorted(output.split()), [f"results/{name}.knn.npz" for name in FRAMES])
        self.check_results(FRAMES)

    def test_the_same_command_goes_on_where_it_ended(self):
        self.run_block(BATCH)
        (self.folder / "results/000002.knn.npz").unlink()
        self.write("results/000001.knn.npz", "stays")
        self.run_block(BATCH)
        self.assertEqual((self.folder / "results/000001.knn.npz").read_text(), "stays")
        self.check_results(FRAMES[1:])

    def test_a_broken_frame_does_not_end_the_others(self):
        self.break_frame("000002")
        _, messages = self.run_block(BATCH, exit_code=3)
        self.assertIn("frames/000002.ply: vertex count 151 needs 1812 bytes, file holds 1808", messages)
        self.assertFalse((self.folder / "results/000002.knn.npz").exists())
        self.check_results(["000001", "000003"])

    def test_the_table_in_python(self):
        self.interrupted_and_broken()
        *rows, counts = [line.split("\t") for line in self.run_block(TABLE, "python")[0].splitlines()]
        self.assertEqual([row[:2] for row in rows], [[str(i + 1), f"frames/{name}.ply"] for i, name in enumerate(FRAMES)])
        self.assertEqual(counts, ["done: 1, skipped: 1, failed: 1, left: 0, ended_by: None"])
        self.assertEqual([rows[0][2], rows[2][2]], ["skipped", "done"])
        self.assertIn("vertex count 151", rows[1][2])

    def test_the_table_of_a_batch_that_was_given_up(self):
        self.break_frame("000001")
        for i in range(40):  # more than are read ahead
            self.write_ply(f"frames/1{i:05}.ply", scene(9, 50))
        code = BATCH.replace("--report", "--fail-fast --report")
        self.run_block(code, exit_code=3)
        rows = [line.split("\t") for line in self.run_block(TABLE, "python")[0].splitlines()]
        self.assertIn("vertex count", rows[0][2])
        self.assertRegex(rows[-1][0], r"^done: \d+, skipped: 0, failed: 1, left: [1-9]\d*, ended_by: failure$")

    def test_the_table_of_a_batch_that_was_interrupted(self):
        self.run_block(BATCH)
        lines = (self.folder / "results.jsonl").read_text().splitlines(keepends=True)
        self.write("results.jsonl", "".join(line for line in lines if '"job"' in line))
        rows = self.run_block(TABLE, "python")[0].splitlines()
        self.assertEqual((len(rows), rows[-1]), (len(FRAMES) + 1, "ended_by: a signal"))

    def test_other_pairs(self):
        self.run_block(PAIRS)
        for name, points in self.frames.items():
            self.assert_result(f"within/{name}.knn.npz", brute_force(points, points, 8, self_query=True))
        for before, name in zip(FRAMES, FRAMES[1:]):
            self.assert_result(f"steps/{name}.knn.npz", brute_force(self.frames[before], self.frames[name], 1))
        self.assertFalse((self.folder / "steps/000001.knn.npz").exists())


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
