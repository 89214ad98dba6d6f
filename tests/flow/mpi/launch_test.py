#!/usr/bin/env python3
"""What the program says where processes were started together and MPI has not connected them, by the variables that
launchers set.

Usage: launch_test.py KANN
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

KANN = None
LAUNCHERS = ("OMPI_", "PMIX_", "PMI_", "MPI_", "SLURM_")
UNCONNECTED = "srun started 3 processes without MPI"


class Launch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "a.xyz").write_text("0 0 0\n1 0 0\n0 2 0\n")
        # A process has the name of the script that it runs
        self.srun = self.folder / "slurmstepd"
        self.srun.write_text('#!/bin/sh\n"$@"\nexit $?\n')
        self.srun.chmod(0o755)

    def search(self, *before, arguments=(), **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
        return subprocess.run([*before, KANN, "--data", "a.xyz", "-k", "1", "--exact", "--device", "cpu", "-o", "o.npz",
                               "--force", "--report", "r.json", *arguments], cwd=self.folder, capture_output=True,
                              text=True, check=False, timeout=60, env={**environment, **variables})

    def warnings(self):
        return json.loads((self.folder / "r.json").read_text())["warnings"]

    def test_one_process_of_a_launcher_is_no_reason_for_a_word(self):
        for variables in ({}, {"OMPI_COMM_WORLD_SIZE": "1"}, {"PMI_RANK": "0", "PMI_SIZE": "1"},
                          {"PMIX_RANK": "0", "PMIX_NAMESPACE": "slurm.pmix.7.0", "SLURM_STEP_NUM_TASKS": "1"},
                          {"SLURM_NTASKS": "3", "SLURM_PROCID": "0"}):
            run = self.search(self.srun, **variables)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(self.warnings(), [], variables)
            self.assertTrue((self.folder / "o.npz").exists())

    def test_processes_that_their_mpi_does_not_connect_are_refused(self):
        run = self.search(OMPI_COMM_WORLD_SIZE="3")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertRegex(run.stderr, "kann: error: 3 processes were started(, but not by the MPI of this| by MPI, but this program)")
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["error"]["exit_code"], 2)
        self.assertFalse((self.folder / "o.npz").exists())

    def test_srun_without_mpi_is_warned_of(self):
        run = self.search(self.srun, SLURM_STEP_NUM_TASKS="3", SLURM_PROCID="1")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(f"kann: warning: {UNCONNECTED}", run.stderr)
        self.assertEqual(len(self.warnings()), 1)
        self.assertIn(UNCONNECTED, self.warnings()[0])
        self.assertEqual(self.search(self.srun, arguments=["-q"], SLURM_STEP_NUM_TASKS="3").stderr, "")

    def test_parts_are_refused_without_mpi(self):
        run = self.search(self.srun, arguments=["--output-per-rank"], SLURM_STEP_NUM_TASKS="3", SLURM_PROCID="1")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn(f"kann: error: {UNCONNECTED}, which --output-per-rank needs", run.stderr)
        self.assertEqual([p.name for p in self.folder.glob("o*")], [])

    def test_what_a_script_under_srun_starts_is_its_own_affair(self):
        run = self.search(self.srun, "sh", "-c", '"$@"; exit $?', "-", SLURM_STEP_NUM_TASKS="3", SLURM_PROCID="1")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.warnings(), [])

    def test_help_is_given_all_the_same(self):
        run = self.search(self.srun, arguments=["--version"], SLURM_STEP_NUM_TASKS="3")
        self.assertEqual((run.returncode, run.stderr), (0, ""))


if __name__ == "__main__":
    KANN = sys.argv.pop(1)
    unittest.main()
