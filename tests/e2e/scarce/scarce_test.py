#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Nth allocation fails, for many N, and then all that follow it; the Nth thread cannot be started. Every command
ends with status 3 and one line that says so, never with a crash or as a defect of ours. scarce.cpp does it."""
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest

NO_MEMORY = "sassim: not enough memory: close other programs, or use fewer threads\n"
EVERY = 60    # the first allocations, one by one
SPREAD = 40   # and so many more, each later than the one before by the same factor


def numbers(last):
    few = range(1, min(EVERY, last) + 1)
    return sorted({*few, *(int(EVERY * (last / EVERY) ** (i / SPREAD)) for i in range(SPREAD + 1))})


class Scarce(unittest.TestCase):
    sassim = preloaded = trace = None

    def run_with(self, *arguments, **scarce):
        environment = {**os.environ, "LD_PRELOAD": self.preloaded, **{name: str(value) for name, value in scarce.items()}}
        return subprocess.run([self.sassim, *arguments], env=environment, capture_output=True, text=True, errors="replace",
                              timeout=300)

    def count(self, *arguments):
        with tempfile.NamedTemporaryFile() as file:
            done = self.run_with(*arguments, SCARCE_COUNT=file.name)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [int(word) for word in open(file.name).read().split()]

    def check_end(self, done, whole):
        """Whether the command was refused memory. Who asked may also do without: then nothing is missing."""
        if done.returncode == 0:
            self.assertEqual((done.stdout, done.stderr), (whole, ""))
            return False
        self.assertEqual(done.returncode, 3)
        if not re.match(r"sassim: of \d threads ", done.stderr):  # a thread takes memory, too
            self.assertEqual(done.stderr, NO_MEMORY)
        return True

    def check_memory(self, *arguments):
        allocations, _ = self.count(*arguments)
        self.assertGreater(allocations, 1000)
        whole = self.run_with(*arguments).stdout
        refused = 0
        for number in numbers(allocations):
            with self.subTest(failing=number):
                refused += self.check_end(self.run_with(*arguments, SCARCE_MEMORY=number), whole)
        self.assertGreater(refused, EVERY)
        for number in numbers(allocations)[::3]:
            with self.subTest(failing_from=number):
                self.check_end(self.run_with(*arguments, SCARCE_MEMORY=number, SCARCE_FOR_GOOD=1), whole)

    def test_run_without_memory(self):
        self.check_memory("run", self.trace, "--config", "v100")

    def test_run_with_threads_without_memory(self):
        self.check_memory("run", self.trace, "--config", "v100", "--threads", "3")

    def test_config_without_memory(self):
        self.check_memory("config", "show", "v100")

    def test_run_without_threads(self):
        _, created = self.count("run", self.trace, "--config", "v100", "--threads", "4")
        self.assertLess(created, min(4, os.cpu_count()))
        for number in range(1, created + 1):
            done = self.run_with("run", self.trace, "--config", "v100", "--threads", "4", SCARCE_THREAD=number)
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, rf"^sassim: of {created + 1} threads the system gives this process only {number}: .*\n$")

    def test_run_within_a_limit_of_address_space(self):
        statuses = set()
        for mib in (40, 60, 80, 120, 200, 4000):
            limit = (mib << 20, mib << 20)
            done = subprocess.run([self.sassim, "run", self.trace, "--config", "v100"], capture_output=True, text=True,
                                  preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_AS, limit))
            loaded = "error while loading shared libraries" not in done.stderr
            with self.subTest(mib=mib):
                if loaded and done.returncode != 0:
                    self.assertEqual((done.returncode, done.stderr), (3, NO_MEMORY))
            statuses.add(done.returncode)
        self.assertIn(0, statuses)


if __name__ == "__main__":
    Scarce.trace, Scarce.preloaded, Scarce.sassim = sys.argv.pop(), sys.argv.pop(), sys.argv.pop()
    unittest.main()
