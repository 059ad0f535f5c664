# SPDX-License-Identifier: Apache-2.0
"""Runs `sassim explore` in a fresh folder and reads what it leaves."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
SASSIM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and os.path.exists(sys.argv[1]) else "sassim"
BUILD = os.path.dirname(SASSIM)
STENCIL = os.path.join(ROOT, "traces/sm_70/stencil5.sast")


class StudyTest(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="sassim-explore-")
        self.out = os.path.join(self.top, "out")

    def tearDown(self):
        shutil.rmtree(self.top, ignore_errors=True)

    def command(self, *options, trace=STENCIL, out=None):
        return [SASSIM, "explore", trace, "--config", "v100", "--out", out or self.out, *options]

    def start(self, *options, **names):
        return subprocess.Popen(self.command(*options, **names), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, cwd=ROOT, start_new_session=True)

    def explore(self, *options, status=0, **names):
        process = self.start(*options, **names)
        process.out, process.err = process.communicate(timeout=240)
        self.assertEqual(process.returncode, status, process.err + process.out)
        return process

    def file(self, name, out=None):
        with open(os.path.join(out or self.out, name), "rb") as stream:
            return stream.read()

    def rows(self, name="points.csv", out=None):
        with open(os.path.join(out or self.out, name), newline="") as stream:
            return list(csv.DictReader(stream))

    def journal(self):
        """The events on disk; a torn last line does not count."""
        events = []
        for line in self.file("campaign/journal").split(b"\n"):
            try:
                events.append(json.loads(line[17:]))
            except ValueError:
                continue
        return events

    def assert_same_study(self, one, other):
        for name in ("points.csv", "points.json", "index.html", "cycles.svg", "cycles.png"):
            self.assertEqual(self.file(name, one), self.file(name, other), name)
