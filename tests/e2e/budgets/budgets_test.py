#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The test programs of a layer together take no more processor time than the layer's budget (tests/CMakeLists.txt).

Processor time, since a busy machine makes everything wait; it still differs by a factor of two between machines and hours, which the
budgets leave room for.
"""
import pathlib
import resource
import subprocess
import sys
import tempfile

BUDGETS = {"unit": 12, "stage": 60, "micro": 110}    # seconds
SKIPPED = 77


def seconds_of(program, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    programs = [line.split(" ", 1) for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]
    missing = [program for _, program in programs if not pathlib.Path(program).exists()]
    if missing or {layer for layer, _ in programs} != set(BUDGETS):
        print(f"not built: {', '.join(missing)}" if missing else "a layer has no programs")
        return SKIPPED if missing else 1
    over = 0
    with tempfile.TemporaryDirectory(prefix="sassim-budgets-") as folder:
        for layer, budget in BUDGETS.items():
            took = sorted(((seconds_of(program, folder), pathlib.Path(program).name) for of, program in programs if of == layer), reverse=True)
            total = sum(seconds for seconds, _ in took)
            over += total > budget
            print(f"{layer}: {total:.1f} s of {budget} s{' TOO MUCH' if total > budget else ''}: "
                  + ", ".join(f"{name} {seconds:.1f}" for seconds, name in took[:3]))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
