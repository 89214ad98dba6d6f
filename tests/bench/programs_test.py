"""programs_test.py BUILD PART: the bench program of this part of scripts/bench runs at a tiny size on the CPU, its
checks hold, and its JSON has the keys that scripts/tables and scripts/plot read, and a line for each record."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
COMMANDS = {
    "park": ["bench_park_tables", "--max-log2", "10", "--cpu-repeat", "1"],
    "scans": ["bench_scans"],
    "targets": ["bench_targets", "--log2", "10", "--ugly-log2", "10", "--max-log2", "10", "--repeat", "1",
                "--judged-queries", "100"],
    "recall": ["bench_recall", "--log2", "10", "--repeat", "1", "--quick", "--only", "defaults", "--only",
               "sweep/uniform", "--cloud", str(DATA / "floor_plan.npy"), "--pair", str(DATA / "lidar_target.ply"),
               str(DATA / "lidar_source.ply"), "--judged-queries", "100"],
    "cpu": ["bench_cpu", "--log2", "10", "--k", "8", "--repeat", "1"],
    "rbf": ["bench_rbf", "--log2", "10", "--k", "8", "--repeat", "1"],
    "lu": ["bench_lu", "--check"],
    "sobel": ["bench_sobel", "--check"],
    "matvec": ["bench_matvec", "--check"],
    "whole": [str(ROOT / "scripts" / "whole-program"), "--log2", "10", "--repeat", "1"],
}
HAS_RECORDS = {"park", "targets", "recall", "cpu", "rbf", "whole"}  # the others need a GPU


def main():
    build, part = pathlib.Path(sys.argv[1]), sys.argv[2]
    program, *arguments = COMMANDS[part]
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "out.json"
        command = [str(build / "bench" / program) if "/" not in program else program, *arguments, "--device", "cpu"]
        if part == "whole":
            command += ["--build", str(build)]
        done = subprocess.run([*command, "--json", str(output)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "2"})
        print(done.stdout)
        assert done.returncode == 0, f"exit code {done.returncode}"
        text = output.read_text()
    content = json.loads(text)
    assert content["version"] == 1 and content["complete"]
    assert content["device"]["name"] and content["kann"]["commit"] and content["date"].endswith("Z")
    assert all(check["holds"] for check in content["checks"])
    assert bool(content["records"]) == (part in HAS_RECORDS)
    if content["records"]:
        lines = text.partition('"records":[\n')[2].splitlines()
        assert [json.loads(line.rstrip(",")) for line in lines[:-2]] == content["records"]
    if part not in HAS_RECORDS:
        assert content["skipped"] and "skipped: all " in done.stdout


if __name__ == "__main__":
    main()
