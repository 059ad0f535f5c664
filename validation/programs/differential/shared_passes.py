#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the passes of shared_passes.cu with Nsight Compute on this machine's GPU and prints the rows of
shared_passes_*.txt.xz: operation, bits, active lanes, passes, passes that bank conflicts cost, and the
element that each lane accesses.

  nvcc -O2 -arch=sm_90 -cudart static validation/programs/differential/shared_passes.cu -o shared_passes
  validation/programs/differential/shared_passes.py ./shared_passes >shared_passes_h100.txt
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

ACCESSES, STORED = 64 * 8, 4 * 8  # of each launch; stores that prepare the memory
METRICS = [f"l1tex__data_{what}_mem_shared_op_{op}.sum" for what in ("pipe_lsu_wavefronts", "bank_conflicts_pipe_lsu") for op in ("ld", "st")]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        patterns = pathlib.Path(folder) / "patterns"
        log = pathlib.Path(folder) / "ncu.csv"
        subprocess.run(["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw", "--print-units", "base",
                        "--metrics", ",".join(METRICS), "--log-file", str(log), sys.argv[1], str(patterns)], check=True)
        counted = [row for row in csv.DictReader(line for line in log.read_text().splitlines() if line.startswith('"')) if row["ID"]]
        rows = [line.split() for line in patterns.read_text().splitlines()]
    if len(counted) != len(rows):
        sys.exit(f"shared_passes: {len(rows)} patterns, but ncu counted {len(counted)} launches")
    for (op, bits, lanes, _, *elements), count in zip(rows, counted):
        passes, conflicts = (int(count[METRICS[i + (op == "st")]].replace(",", "")) for i in (0, 2))
        passes -= STORED if op == "st" else 0
        if passes % ACCESSES or conflicts % ACCESSES:
            sys.exit(f"shared_passes: {passes} passes of {ACCESSES} accesses: every access of a launch should take as many")
        print(op, bits, lanes, passes // ACCESSES, conflicts // ACCESSES, *elements)


if __name__ == "__main__":
    main()
