"""scripts/answers with a program whose result is its options, without those that no answer may depend on."""

import hashlib
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "answers"
# Made in memory with 40 MB, in tiles with 30 MB. $FAULT is what it does wrong, and $META what else it writes
PROGRAM = r"""#!/usr/bin/env python3
import os, sys, zipfile
words, fault = sys.argv[1:], os.environ.get("FAULT")
if "--version" in words:
    print("kann 1")
    sys.exit()
value = lambda name: words[words.index(name) + 1] if name in words else None
asked = " ".join(map(os.path.basename, words[:words.index("--device")]))
if "broken" in asked:
    print("a note\nkann: error: it broke\na last line", file=sys.stderr)
    sys.exit(3)
budget = int(value("--max-memory") or 10 ** 9)
if budget < 30e6:
    why = "not in tiles" if "--group" in words else "this search needs at least 30 MB"
    print(f"kann: error: host memory: {budget} B is too little; {why}", file=sys.stderr)
    sys.exit(4)
tiles = " in 7 tiles" if budget < 40e6 else ""
if "--stats" in words:
    print(f"   queries  neighbours  mean per query\n         1  {len(asked):>10}  {len(asked):>14}")
else:
    with zipfile.ZipFile(value("-o"), "w") as archive:
        archive.writestr("meta.npy", asked + os.environ.get("META", ""))
        archive.writestr("ids.npy", asked + (tiles if fault == "tiles" else ""))
        archive.writestr("distances.npy", "near" if fault == "distances" else "far")
print(f"kann: searched on CPU{tiles}: read 1 ms", file=sys.stderr)
"""
MPIRUN = '#!/bin/sh\nshift 2\nexec "$@"\n'  # one rank speaks for all
WAYS = ["memory", "less memory", "least memory", "2 ranks"]


class AnswersTest(unittest.TestCase):
    def call(self, *arguments, only="^exact k=8$", **environment):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in ("the kann", PROGRAM), ("mpirun", MPIRUN):
                path = pathlib.Path(folder) / name
                path.write_text(text)
                path.chmod(0o755)
            path = {"PATH": f"{folder}:{os.environ['PATH']}"}
            done = subprocess.run([SCRIPT, f"{folder}/the kann", *arguments, "--only", only], capture_output=True,
                                  text=True, check=False, env=os.environ | path | environment)
        return done, [line.split("  ") for line in done.stdout.splitlines()]

    def test_prints_the_hash_of_the_arrays(self):
        done, lines = self.call("data/a.ply", "--threads", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        wanted = hashlib.sha256(b"distances.npyfarids.npy--data a.ply --exact -k 8 --invalid skip").hexdigest()
        self.assertEqual(lines[0], [wanted, "a.ply", "self", "exact k=8", "memory"])

    def test_another_array_is_another_line_and_another_meta_is_not(self):
        _, lines = self.call("a.ply")
        self.assertEqual(self.call("a.ply", META="2 ms")[1], lines)
        for line, other in zip(lines, self.call("a.ply", FAULT="distances")[1], strict=True):
            self.assertNotEqual(line[0], other[0])
            self.assertEqual(line[1:], other[1:])

    def test_searches_each_cloud_alone_and_with_the_next_one_and_clouds_of_its_own(self):
        _, lines = self.call("a.ply", "b.ply", "c.ply")
        self.assertEqual([tuple(line[1:3]) for line in lines],
                         [("a.ply", "self"), ("b.ply", "self"), ("c.ply", "self"), ("a.ply", "b.ply"),
                          ("b.ply", "c.ply")] +
                         [(f"{shape}-{data}.ply", query and f"{shape}-{query}.ply" or "self")
                          for shape in ("cube", "sphere") for data, query in ((30000, 0), (100000, 0), (30000, 100000))])

    def test_no_search_is_made_twice(self):
        _, lines = self.call(only=" R$|^half|=(4|7)")
        hashes = [line[0] for line in lines if line[4] == "memory" and "count" not in line[3]]
        self.assertGreater(len(hashes), 30)
        self.assertEqual(len(set(hashes)), len(hashes))

    def test_compares_the_ways_to_make_a_search(self):
        done, lines = self.call(only="^half lists$")
        self.assertEqual((done.returncode, done.stderr), (0, "2 in memory, 4 in tiles, 2 by ranks\n"))
        self.assertEqual([line[4] for line in lines], 2 * WAYS)
        self.assertEqual([len({line[0] for line in lines[i:i + 4]}) for i in (0, 4)], [1, 1])

    def test_another_answer_in_tiles_is_an_error(self):
        done, lines = self.call(only="^half lists$", FAULT="tiles")
        self.assertEqual(done.returncode, 1)
        differing = [line for line in done.stderr.splitlines() if line.startswith("differs from the answer in memory:")]
        self.assertEqual([line.split("  ")[1:] for line in differing], [line for line in lines if line[4][0] == "l"])

    def test_prints_counts_and_the_messages_of_searches_that_fail(self):
        done, lines = self.call(only="^half count$")
        self.assertEqual({line[0].isdigit() for line in lines}, {True})
        done, lines = self.call(only="^group in a box$")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line[4] for line in lines], 2 * (WAYS[:1] + WAYS[2:]))
        self.assertEqual(lines[1][0], "exit 4: kann: error: host memory: … is too little; not in tiles")
        self.assertEqual(self.call("broken.ply")[1][0],
                         ["exit 3: kann: error: it broke", "broken.ply", "self", "exact k=8", "memory"])

    def test_adds_the_paper_on_a_cuda_device(self):
        on_cpu, on_cuda = ({line[3] for line in self.call("--device", device, only="=8$")[1]}
                           for device in ("cpu", "cuda:1"))
        self.assertEqual(on_cuda - on_cpu, {"paper k=8"})


if __name__ == "__main__":
    unittest.main()
