# SPDX-License-Identifier: Apache-2.0
"""Starts the command, stops it with a signal, and looks for what it leaves behind."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import uuid

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
OLD = '{"an": "earlier result"}\n'


def listen_to_signals():
    for number in SIGNALS[:3]:
        signal.signal(number, signal.SIG_DFL)


class StopTest(unittest.TestCase):
    """Every command has folders of its own for temporary files and for results, and a mark in its environment."""

    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="sassim-stop-")
        self.temporary = os.path.join(self.top, "tmp")
        self.results = os.path.join(self.top, "results")
        os.mkdir(self.temporary)
        os.mkdir(self.results)
        self.json = os.path.join(self.results, "result.json")
        self.mark = uuid.uuid4().hex

    def tearDown(self):
        for pid in self.alive():
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.top, ignore_errors=True)

    def start(self, command, begin=listen_to_signals):
        environment = dict(os.environ, TMPDIR=self.temporary, SASSIM_TEST_MARK=self.mark)
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                cwd=ROOT, start_new_session=True, preexec_fn=begin)

    def finish(self, command, status=0):
        process = self.start(command)
        _, errors = process.communicate(timeout=240)
        self.assertEqual(process.returncode, status, errors)
        return errors

    def alive(self):
        """Processes with the mark, whoever their parent is by now."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as stream:
                    if self.mark.encode() in stream.read():
                        found.append(int(pid))
            except OSError:
                continue
        return found

    def leftovers(self):
        return [f"process {pid}" for pid in self.alive()] + os.listdir(self.temporary)

    def assert_nothing_left(self, kept=("result.json",)):
        deadline = time.monotonic() + 30
        empty = 0    # in a row: a list of processes can miss one that begins or ends meanwhile
        while empty < 3 and time.monotonic() < deadline:
            left = self.leftovers()
            empty = 0 if left else empty + 1
            time.sleep(0.02)
        self.assertEqual(left, [])
        self.assertEqual(sorted(set(os.listdir(self.results)) - set(kept)), [])

    def write_old(self):
        with open(self.json, "w", encoding="utf-8") as stream:
            stream.write(OLD)

    def result(self, path=None):
        """The result file; None when it is what was there before."""
        with open(path or self.json, encoding="utf-8") as stream:
            text = stream.read()
        return None if text == OLD else json.loads(text)

    def wait_until_it_catches(self, process, number):
        """Before that a signal does what it does to any program."""
        while process.poll() is None:
            with open(f"/proc/{process.pid}/status", encoding="ascii") as stream:
                caught = next(line for line in stream if line.startswith("SigCgt"))
            if int(caught.split()[1], 16) >> (number - 1) & 1:
                return
            time.sleep(0.01)

    def stop(self, command, after, number):
        """Returns the result, and what the command said. It ends as the signal has it."""
        self.write_old()
        process = self.start(command)
        time.sleep(after)
        if process.poll() == 0:  # the machine is less busy than it was
            process.communicate()
            return self.stop(command, after / 2, number)
        process.send_signal(number)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, -number, errors)
        self.assert_nothing_left()
        return self.result(), errors
