# SPDX-License-Identifier: Apache-2.0
"""sassim run, also with --jobs, and explore, stopped by every signal at random moments."""

import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import time
import unittest

from stopping import ROOT, SIGNALS, StopTest

SASSIM = os.path.abspath(sys.argv.pop(1))
STENCIL = os.path.join(ROOT, "traces/sm_70/stencil5.sast")


class Run(StopTest):
    KERNELS = 120

    def command(self, *more):
        return [SASSIM, "run", *[STENCIL] * self.KERNELS, "--no-skip", "--config", "v100", "-o", "sm.count=8", "--json", self.json, *more]

    def test_twenty_stops_leave_the_kernels_that_are_done(self):
        seconds = []
        for _ in range(2):
            began = time.monotonic()
            self.finish(self.command())
            seconds.append(time.monotonic() - began)
        undisturbed = min(seconds)  # other tests may slow one of them down
        whole = self.result()
        self.assertTrue(whole["complete"])
        self.assertEqual(len(whole["kernels"]), self.KERNELS)
        random.seed(18)
        partial = 0
        for turn in range(20):
            number = SIGNALS[turn % len(SIGNALS)]
            result, errors = self.stop(self.command(), undisturbed * random.uniform(0.02, 0.5), number)
            if result is None:  # killed, or stopped before it began
                continue
            self.assertNotEqual(number, signal.SIGKILL)
            count = len(result["kernels"])
            self.assertEqual(result["kernels"], whole["kernels"][:count])
            self.assertEqual(result["complete"], count == self.KERNELS)
            if result["complete"]:  # the signal came behind the last kernel
                continue
            self.assertIn(f"stopped by {number.name}: {count} of {self.KERNELS} kernels are done", errors)
            partial += count > 0
        self.assertGreaterEqual(partial, 3, "the stops came too early to show anything")

    def test_a_stop_says_what_the_running_kernel_had_done(self):
        table, page = os.path.join(self.results, "result.csv"), os.path.join(self.results, "page.html")
        lines = os.path.join(self.results, "lines.csv")
        profile = os.path.join(self.results, "profile.csv")
        command = [SASSIM, "run", os.path.join(os.path.dirname(SASSIM), "traces/sm_70/transpose_naive-large.sast"), "--config", "v100", "-o",
                   "sm.count=8", "--json", self.json, "--csv", table, "--csv-ncu", profile, "--html", page, "--csv-source", lines]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        shown = b""
        time.sleep(0.2)
        while process.poll() is None and not re.search(rb"this kernel: [1-9]\d* cycles", shown):
            process.send_signal(signal.SIGUSR1)
            if select.select([process.stderr], [], [], 0.2)[0]:
                shown += os.read(process.stderr.fileno(), 4096)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        result = self.result()
        self.assertFalse(result["complete"])
        running = result["running"]
        self.assertGreater(running["cycles"], 0)
        said = f"{running['cycles']} cycles, {running['blocks_ended']} of {running['blocks']} thread blocks had ended"
        self.assertRegex(out.splitlines()[-1], rf"^partial: the run was stopped after 0 launches, while transpose_naive.*: {said}$")
        with open(table, encoding="utf-8") as stream:
            rows = stream.read().splitlines()
        self.assertTrue(rows[1].endswith(",sassim__complete,,0"), rows)
        self.assertTrue(rows[2].endswith(f",sassim__running_cycles,cycle,{running['cycles']}"), rows)
        with open(lines, encoding="utf-8") as stream:
            row = stream.read().splitlines()[1]
        self.assertTrue(row.startswith(f'0,_Z15transpose_naivePKfPfi,0,"{out.splitlines()[-1]}",'), row)
        with open(profile, encoding="utf-8") as stream:
            self.assertEqual(stream.read(), f"==sassim== {out.splitlines()[-1]}\n")
        with open(page, encoding="utf-8") as stream:
            self.assertIn(f'"partial":"{out.splitlines()[-1]}"', stream.read())

    def test_a_signal_that_is_ignored_stays_ignored(self):
        process = self.start(self.command(), begin=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        while process.poll() is None:
            process.send_signal(signal.SIGHUP)
            time.sleep(0.05)
        process.stderr.close()
        self.assertEqual(process.returncode, 0)
        self.assertTrue(self.result()["complete"])

    def test_a_snapshot_is_printed_and_the_run_goes_on(self):
        process = self.start(self.command())
        answers = 0
        self.wait_until_it_catches(process, signal.SIGUSR1)
        time.sleep(0.2)
        while process.poll() is None and answers < 3:
            process.send_signal(signal.SIGUSR1)
            time.sleep(0.2)
            answers += 1
        _, errors = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 0, errors)
        self.assertTrue(self.result()["complete"])
        self.assertRegex(errors, rf"sassim: kernel \d+ of {self.KERNELS}, stencil5\n")
        self.assertRegex(errors, r"\n  \d+\.\d % of [0-9.]+ [kM] warp instructions in \d+ s, .* per second, \d+ s left\n")
        self.assertRegex(errors, r"\n  this kernel: \d+ cycles, \d+ of \d+ thread blocks have ended\n")

    def test_names_in_snapshots_are_mangled_on_request(self):
        process = self.start(self.command("--mangled"))
        self.wait_until_it_catches(process, signal.SIGUSR1)
        shown = b""
        while b"\n" not in shown and process.poll() is None:
            process.send_signal(signal.SIGUSR1)
            if select.select([process.stderr], [], [], 0.1)[0]:
                shown += os.read(process.stderr.fileno(), 4096)
        process.kill()
        process.communicate(timeout=60)
        self.assertRegex(shown.decode(), rf"sassim: kernel \d+ of {self.KERNELS}, _Z8stencil5\S+\n")

    def test_commands_without_a_snapshot_outlive_the_request(self):
        process = self.start([SASSIM, "validate", "--config", "t4", "--prepared", "--only", "t4.l2.size"])
        self.wait_until_it_catches(process, signal.SIGUSR1)
        for _ in range(5):
            process.send_signal(signal.SIGUSR1) if process.poll() is None else None
            time.sleep(0.05)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)

    def test_a_terminal_shows_percent_rate_and_time_left(self):
        shown = self.on_terminal(self.command())
        self.assertRegex(shown, r"\r\x1b\[K\d+\.\d % of [0-9.]+ [kM] warp instructions, [0-9.]+ [kM]/s, \d+ s left: kernel \d+ of \d+, stenc")
        percents = [float(text) for text in re.findall(r"\[K(\d+\.\d) %", shown)]
        self.assertEqual(percents, sorted(percents))
        self.assertGreater(len(percents), 2)

    def test_a_log_has_a_heartbeat(self):
        for seconds, beats in (("0.2", True), ("0", False), ("60", False)):
            done = subprocess.run(self.command(), cwd=ROOT, env={**os.environ, "SASSIM_HEARTBEAT": seconds}, capture_output=True, text=True, check=True)
            lines = re.findall(r"(?m)^sassim: \d+\.\d % of [0-9.]+ [kM] warp instructions, .*: kernel \d+ of \d+, stencil", done.stderr)
            self.assertEqual(bool(lines), beats, done.stderr)
            self.assertEqual(len(lines), done.stderr.count("\n"))

    def on_terminal(self, command):
        """What the command draws on standard error, when that is a terminal."""
        ours, its = pty.openpty()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its, cwd=ROOT)
        os.close(its)
        shown = b""
        while True:
            try:
                got = os.read(ours, 4096)
            except OSError:  # the last process that had it open has ended
                break
            if not got:
                break
            shown += got
        os.close(ours)
        self.assertEqual(process.wait(timeout=240), 0)
        return shown.decode()

    def test_a_file_that_cannot_be_written_takes_nothing_else_with_it(self):
        process = subprocess.run(self.command("--csv", "/dev/full"), cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(process.returncode, 3)
        self.assertIn("/dev/full: cannot be written: No space left on device", process.stderr)
        rows = re.findall(r"^ +\d+ +\d+ .*stencil5", process.stdout, re.MULTILINE)
        self.assertEqual(len(rows), self.KERNELS, "the report of every kernel is there")
        result = self.result()
        self.assertTrue(result["complete"])
        self.assertEqual(len(result["kernels"]), self.KERNELS)

    def test_files_are_written_when_nobody_reads_the_report(self):
        reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
        reader.wait()
        process = subprocess.run(self.command(), cwd=ROOT, stdout=reader.stdin, stderr=subprocess.PIPE, text=True, check=False)
        reader.stdin.close()
        self.assertEqual(process.returncode, 3)
        self.assertIn("standard output cannot be written", process.stderr)
        result = self.result()
        self.assertTrue(result["complete"])
        self.assertEqual(len(result["kernels"]), self.KERNELS)

    def test_what_differs_from_run_to_run_is_in_a_file_of_its_own(self):
        host = os.path.join(self.results, "host.json")
        files = []
        for threads in (1, 1024):
            self.finish(self.command("--threads", str(threads), "--host-json", host))
            with open(self.json, "rb") as stream:
                files.append(stream.read())
            with open(host, encoding="utf-8") as stream:
                said = json.load(stream)
            self.assertEqual(list(said), ["seconds", "threads", "warp_instructions", "warp_instructions_per_second",
                                          "peak_rss_bytes", "command_seconds", "command_warp_instructions_per_second"])
            self.assertLessEqual(said["threads"], min(threads, os.cpu_count()))
            self.assertGreater(said["command_seconds"], said["seconds"])
            self.assertAlmostEqual(said["command_warp_instructions_per_second"] * said["command_seconds"] / said["warp_instructions"], 1)
            self.assertEqual(said["warp_instructions"],
                             sum(kernel["warp_instructions"] for kernel in self.result()["kernels"]))
        self.assertEqual(files[0], files[1])


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one core has no second job")
class Jobs(StopTest):
    """Launches on two processes."""
    KERNELS = 60

    def command(self, *more):
        return [SASSIM, "run", *[STENCIL] * self.KERNELS, "--no-skip", "--config", "v100", "-o", "sm.count=8", "--json", self.json, *more]

    def children(self, process):
        """Waits until there are both."""
        while process.poll() is None:
            with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as stream:
                found = [int(pid) for pid in stream.read().split()]
            if len(found) == 2:
                return found
            time.sleep(0.005)
        self.fail("the run ended before it was seen")

    def test_stops_leave_the_kernels_that_are_done_and_no_process(self):
        self.finish(self.command())
        whole = self.result()
        began = time.monotonic()
        self.finish(self.command("--jobs", "2"))
        undisturbed = time.monotonic() - began
        self.assertEqual(self.result(), whole)
        random.seed(44)
        partial = 0
        for turn in range(8):
            number = SIGNALS[turn % len(SIGNALS)]
            result, errors = self.stop(self.command("--jobs", "2"), undisturbed * random.uniform(0.1, 0.6), number)
            if result is None:
                continue
            count = len(result["kernels"])
            self.assertEqual(result["kernels"], whole["kernels"][:count])
            self.assertEqual(result["complete"], count == self.KERNELS)
            if not result["complete"]:
                self.assertIn(f"stopped by {number.name}: {count} of {self.KERNELS} kernels are done", errors)
                partial += count > 0
        self.assertGreaterEqual(partial, 2, "the stops came too early to show anything")

    def test_a_process_that_is_killed_is_one_error(self):
        self.write_old()
        process = self.start(self.command("--jobs", "2"))
        killed = self.children(process)[1]
        time.sleep(0.1)
        os.kill(killed, signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)
        said = re.fullmatch(r"sassim: launch (\d+): the process that simulated it was ended by SIGKILL; if memory was short, "
                            r"fewer --jobs need less\n", errors)
        self.assertTrue(said, errors)
        self.assert_nothing_left()
        result = self.result()
        if int(said[1]) == 0:  # without a result the old file stays
            self.assertIsNone(result)
        else:
            self.assertFalse(result["complete"])
            self.assertEqual(len(result["kernels"]), int(said[1]))

    def test_a_snapshot_says_how_far_all_are(self):
        process = self.start(self.command("--jobs", "2"))
        self.children(process)
        time.sleep(0.2)
        if process.poll() is None:
            process.send_signal(signal.SIGUSR1)
        _, errors = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 0, errors)
        self.assertRegex(errors, rf"^sassim: kernel \d+ of {self.KERNELS}, (stencil5)?\n  \d+\.\d % of ")

    def test_host_values_count_all_processes(self):
        host = os.path.join(self.results, "host.json")
        self.finish(self.command("--host-json", host))
        with open(host, encoding="utf-8") as stream:
            alone = json.load(stream)
        self.finish(self.command("--jobs", "2", "--host-json", host))
        with open(host, encoding="utf-8") as stream:
            said = json.load(stream)
        self.assertEqual(said["jobs"], 2)
        self.assertEqual(said["warp_instructions"], alone["warp_instructions"])
        self.assertGreater(said["peak_rss_bytes"], 1.5 * alone["peak_rss_bytes"])


class Explore(StopTest):
    POINTS = 12

    def command(self, out):
        return [SASSIM, "explore", STENCIL, "--config", "v100", "--vary", "l2.latency=30..80:10", "--vary",
                "l1.hit_latency=28,30", "--jobs", "2", "-o", "sm.count=4", "--out", out]

    def points(self, out):
        path = os.path.join(out, "points.json")
        return self.result(path) if os.path.exists(path) else None

    def test_twenty_stops_lose_no_point(self):
        whole = os.path.join(self.results, "whole")
        began = time.monotonic()
        self.finish(self.command(whole))
        undisturbed = time.monotonic() - began
        random.seed(24)
        stops, partial, study = 0, 0, 0
        while stops < 20:
            study += 1
            out = os.path.join(self.results, f"study-{study}")
            for attempt in range(8):
                number = SIGNALS[stops % len(SIGNALS)]
                process = self.start(self.command(out))
                time.sleep(undisturbed * random.uniform(0.1, 0.4))
                process.send_signal(number)
                process.communicate(timeout=60)
                if process.returncode == 0:
                    break
                self.assertEqual(process.returncode, -number)
                self.assert_nothing_left(os.listdir(self.results))
                stops += 1
                points = self.points(out)
                if points is None:
                    continue
                done = [point for point in points["points"] if point["status"] == "done"]
                if points["complete"]:
                    self.assertEqual(len(done), self.POINTS)    # all may be done when the stop comes, and the study not
                self.assertGreater(len(done), 0)
                partial += 1
            self.finish(self.command(out))
            self.assertEqual(self.points(out), self.points(whole))
        self.assertGreaterEqual(partial, 5, "the stops came too early to show anything")


if __name__ == "__main__":
    unittest.main(verbosity=2)
