"""scripts/answers with a program that writes its arguments as the result, and fails for a cloud named broken."""

import hashlib
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "answers"
PROGRAM = r"""#!/bin/bash
[[ $* != *broken* ]] || { echo 'a note' >&2; echo 'kann: error: it broke' >&2; exit 3; }
printf '%s ' "$@"
"""


class AnswersTest(unittest.TestCase):
    def call(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "the kann"
            program.write_text(PROGRAM)
            program.chmod(0o755)
            done = subprocess.run([SCRIPT, program, *arguments], capture_output=True, text=True, check=False)
        return done, [line.split("  ") for line in done.stdout.splitlines()]

    def test_prints_the_hash_of_what_the_program_writes(self):
        done, lines = self.call("data/a.ply", "--threads", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        words = ("--data data/a.ply -o - --output-format npz --quiet --invalid skip --device cpu --threads 2"
                 " --method exact -k 8 ")
        self.assertIn([hashlib.sha256(words.encode()).hexdigest(), "a.ply", "self", "exact k=8"], lines)
        self.assertEqual(len({line[0] for line in lines}), len(lines))  # no search twice

    def test_searches_each_cloud_alone_and_with_the_next_one(self):
        _, lines = self.call("a.ply", "b.ply", "c.ply")
        self.assertEqual(list(dict.fromkeys((data, query) for _, data, query, _ in lines)),
                         [("a.ply", "self"), ("b.ply", "self"), ("c.ply", "self"), ("a.ply", "b.ply"),
                          ("b.ply", "c.ply")])

    def test_prints_the_message_of_a_search_that_fails(self):
        done, lines = self.call("broken.ply", "b.ply")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(lines[0], ["exit 3: kann: error: it broke", "broken.ply", "self", "shifted-sort k=1"])

    def test_adds_the_paper_on_a_cuda_device(self):
        on_cpu, on_cuda = ({line[3] for line in self.call("a.ply", "--device", device)[1]}
                           for device in ("cpu", "cuda:1"))
        self.assertEqual(on_cuda - on_cpu, {"paper k=4", "paper k=8"})

    def test_refuses_to_run_without_a_cloud(self):
        self.assertEqual(self.call()[0].returncode, 2)


if __name__ == "__main__":
    unittest.main()
