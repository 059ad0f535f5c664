#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of a layer together take no more processor time than the layer's budget (tests/CMakeLists.txt).

    budgets_test.py PROGRAMS FOLDER    a file with a layer and a program in each line; where tests note what they took

Each test notes its time (tests/support/spent.cpp), so what ctest has just run is only added up. A program of which a test has noted nothing
since it was built or since the last check is run here. Processors differ by a factor of two and more, between machines and from minute to
minute: test programs also time a fixed piece of work, and seconds are counted as those of a machine on which it takes STANDARD seconds.
A faster machine gets no tighter budget.
"""
import pathlib
import resource
import subprocess
import sys
import tempfile

BUDGETS = {"unit": 19, "stage": 75}    # seconds, of tests in a process each
STANDARD = 0.0004    # seconds of compared() in spent.cpp on a quiet core of an AMD EPYC
SKIPPED = 77


def tests_of(program):
    """Their names, and the seconds that a start takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    names, suite = [], ""
    for line in listed.splitlines():
        name = line.split("#")[0].strip()
        if not line.startswith(" "):
            suite = name
        elif "DISABLED_" not in suite + name:
            names.append(suite + name)
    return names, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def noted(file):
    """By test: seconds, and those of the fixed piece of work. The last time counts."""
    lines = (line.split() for line in file.read_text().splitlines()) if file.exists() else ()
    return {name: (float(seconds), float(beside)) for name, seconds, beside in lines}


def measured(program, folder):
    """Seconds of all tests of a program, as they are and as on the standard machine."""
    file = folder / f"{program.name}.{program.stat().st_mtime_ns}"
    names, start = tests_of(program)
    tests = noted(file)
    if set(names) - set(tests):
        with tempfile.TemporaryDirectory(prefix="sassim-budgets-") as here:
            subprocess.run([program], cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        tests = noted(file)
    for old in folder.glob(f"{program.name}.*"):
        old.unlink()
    if not tests:
        sys.exit(f"{program.name} noted nothing")
    return start + sum(took for took, _ in tests.values()), start + sum(took / max(1, beside / STANDARD) for took, beside in tests.values())


def main():
    programs = [line.split(" ", 1) for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]
    missing = [program for _, program in programs if not pathlib.Path(program).exists()]
    if missing or {layer for layer, _ in programs} != set(BUDGETS):
        print(f"not built: {', '.join(missing)}" if missing else "a layer has no programs")
        return SKIPPED if missing else 1
    over = 0
    for layer, budget in BUDGETS.items():
        took = []
        for program in (pathlib.Path(program) for of, program in programs if of == layer):
            here, standard = measured(program, pathlib.Path(sys.argv[2]))
            took.append((standard, here, program.name))
        took.sort(reverse=True)
        total = sum(seconds for seconds, _, _ in took)
        over += total > budget
        print(f"{layer}: {total:.1f} s of {budget} s{' TOO MUCH' if total > budget else ''}, {sum(took for _, took, _ in took):.1f} s here: "
              + ", ".join(f"{name} {seconds:.1f}" for seconds, _, name in took[:3]))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
