#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The test programs of a layer together take no more processor time than the layer's budget (tests/CMakeLists.txt).

Processor time, since a busy machine makes everything wait; but processors too differ by a factor of two and more, between machines and,
where others share the host, from minute to minute. So a fixed piece of work is timed beside each program, and a layer's seconds are counted as
those of a machine on which that piece takes STANDARD seconds. A faster machine gets no tighter budget.
"""
import pathlib
import resource
import subprocess
import sys
import tempfile

BUDGETS = {"unit": 15, "stage": 75}    # seconds
STANDARD = 0.3    # seconds of work_for_comparison() on a quiet core of an AMD EPYC
SKIPPED = 77


def seconds_of(who, work):
    before = resource.getrusage(who)
    work()
    after = resource.getrusage(who)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def work_for_comparison():
    """Arithmetic and memory beyond the small caches, as in a simulation."""
    table = {}
    for i in range(500_000):
        table[i * 7919 & 0x3ffff] = table.get(i & 0x3ffff, 0) + i


def measured(program, folder):
    """Seconds of the program, and of the piece of work before and after it."""
    beside = seconds_of(resource.RUSAGE_SELF, work_for_comparison)
    took = seconds_of(resource.RUSAGE_CHILDREN,
                      lambda: subprocess.run([program], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False))
    return took, (beside + seconds_of(resource.RUSAGE_SELF, work_for_comparison)) / 2


def main():
    programs = [line.split(" ", 1) for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]
    missing = [program for _, program in programs if not pathlib.Path(program).exists()]
    if missing or {layer for layer, _ in programs} != set(BUDGETS):
        print(f"not built: {', '.join(missing)}" if missing else "a layer has no programs")
        return SKIPPED if missing else 1
    over = 0
    with tempfile.TemporaryDirectory(prefix="sassim-budgets-") as folder:
        for layer, budget in BUDGETS.items():
            took = []
            for program in (program for of, program in programs if of == layer):
                seconds, beside = measured(program, folder)
                took.append((seconds / max(1, beside / STANDARD), seconds, pathlib.Path(program).name))
            took.sort(reverse=True)
            total = sum(seconds for seconds, _, _ in took)
            over += total > budget
            print(f"{layer}: {total:.1f} s of {budget} s{' TOO MUCH' if total > budget else ''}, {sum(took for _, took, _ in took):.1f} s here: "
                  + ", ".join(f"{name} {seconds:.1f}" for seconds, _, name in took[:3]))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
