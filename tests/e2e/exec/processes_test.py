# SPDX-License-Identifier: Apache-2.0
"""sassim exec and the processes of a program: stopped, killed, forked, many launches."""

import csv
import json
import os
import random
import re
import select
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from stopping import SIGNALS, StopTest

SASSIM, PROGRAMS = (os.path.abspath(path) for path in (sys.argv.pop(1), sys.argv.pop(1)))
PROGRAM = os.path.join(PROGRAMS, "processes")
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
PATIENCE = 300 if SANITIZED else 60  # seconds
LATEST_STOP = 8 if SANITIZED else 1  # seconds; a sanitized program is as far then as another one after one


class ExecTest(StopTest):
    def command(self, *wish, options=(), program=PROGRAM):
        return [SASSIM, "exec", "--config", "v100", "-o", "sm.count=2", "--json", self.json, *options, "--", program, *wish]

    def exec(self, *wish, status=0, **options):
        errors = self.finish(self.command(*wish, **options), status)
        self.assert_nothing_left(os.listdir(self.results))
        return self.result(), errors


class Stopped(ExecTest):
    def test_twenty_stops_leave_nothing_behind(self):
        random.seed(3)
        written = launches = 0
        for turn in range(20):
            number = SIGNALS[turn % len(SIGNALS)]
            result, errors = self.stop(self.command("family"), random.uniform(0, LATEST_STOP), number)
            if result is None:  # killed, or stopped before it began
                continue
            self.assertNotEqual(number, signal.SIGKILL)
            self.assertFalse(result["complete"])
            self.assertIn(f"stopped by {number.name}", errors)
            for kernel in result["kernels"]:
                self.assertGreater(kernel["metrics"]["gpc__cycles_elapsed.max"], 0)
            written += 1
            launches += len(result["kernels"])
        self.assertGreaterEqual(written, 8)
        self.assertGreater(launches, 20)

    def test_a_snapshot_is_printed_and_the_program_goes_on(self):
        process = self.start(self.command("launch", "300"))
        while not any(name.startswith("sassim-exec-") for name in os.listdir(self.temporary)):
            time.sleep(0.01)
        while process.poll() is None:
            process.send_signal(signal.SIGUSR1)
            time.sleep(0.1)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertTrue(self.result()["complete"])
        self.assertRegex(errors, r"sassim: (process \S+: )?(kernel \d+, add\n|no kernel is running|no CUDA call has come)")
        done = re.findall(r"\n  so far: (\d+) launch(?:es are| is) done, of (\d+) cycles together\n", errors)
        self.assertEqual(done, sorted(done, key=lambda pair: int(pair[0])))
        self.assertGreater(int(done[-1][0]), 0)
        self.assertGreater(int(done[-1][1]), 0)
        self.assert_nothing_left(os.listdir(self.results))

    def children(self, process):
        try:
            with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as stream:
                return [int(child) for child in stream.read().split()]
        except OSError:
            return []

    def guard(self, process):
        """The newer process with the command's name."""
        while True:
            if children := self.children(process):
                return children[0]
            time.sleep(0.01)

    def snapshots_until(self, process, target, pattern):
        """Asks `target` for snapshots until one matches; returns all of them."""
        shown, deadline = "", time.monotonic() + PATIENCE
        self.guard(process)  # then the command listens
        while not re.search(pattern, shown):
            self.assertLess(time.monotonic(), deadline, shown)
            self.assertIsNone(process.poll(), shown)
            os.kill(target, signal.SIGUSR1)
            time.sleep(0.1)
            while select.select([process.stderr], [], [], 0)[0] and (got := os.read(process.stderr.fileno(), 4096)):
                shown += got.decode()
        return shown

    def test_the_newer_process_of_the_command_gives_snapshots_and_stops_too(self):
        for options, name in (((), "add"), (("--mangled",), "_Z3addPff")):
            process = self.start(self.command("large", "1", options=options))
            shown = self.snapshots_until(process, self.guard(process), r"recording, before it is timed: \S+ . warp instr")
            self.assertIn(f"sassim: kernel 1, {name}\n", shown)
            os.kill(self.guard(process), signal.SIGTERM)
            _, errors = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, -signal.SIGTERM)
            self.assertIn(f"kernel {name} was not finished: its process ended first", errors)
            self.assertTrue(self.result()["running"]["recording"])
            self.assert_nothing_left()

    def test_launches_that_wait_for_their_times_are_in_a_snapshot(self):
        process = self.start(self.command("streams", "30"))
        self.snapshots_until(process, process.pid, r"kernel (\d+), add\n.*\n  \1 launches have begun and are not done\n")
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0)

    def test_a_stop_says_what_ran_and_how_far_it_was(self):
        lines, table = (os.path.join(self.results, name) for name in ("lines.csv", "result.csv"))
        command = self.command("large", "2", options=("--csv-source", lines, "--csv", table))
        process = self.start(command)
        self.snapshots_until(process, process.pid, r"kernel 2, add\n.*\n  this kernel: [1-9]\d* cycles, \d+ of 65536 ")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        result = self.result()
        self.assertEqual((result["complete"], len(result["kernels"])), (False, 1))
        running = result["running"]
        self.assertEqual(running["name"], "_Z3addPff")
        self.assertGreater(running["cycles"], 0)
        self.assertGreater(running["warp_instructions"], 0)
        self.assertEqual(running["blocks"], 1 << 16)
        self.assertNotIn("recording", running)
        with open(table, encoding="utf-8") as stream:
            self.assertIn(f"1,_Z3addPff,sassim__running_cycles,cycle,{running['cycles']}\n", stream.read())
        with open(lines, encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        said = f"{running['cycles']} cycles, {running['blocks_ended']} of 65536 thread blocks had ended"
        self.assertEqual((rows[-1]["kernel"], rows[-1]["name"]), ("1", "_Z3addPff"))
        self.assertEqual(rows[-1]["sass"], f"partial: the run was stopped after 1 launch, while add(float*, float) ran: {said}")
        self.assertEqual({rows[-1][key] for key in ("pc", "executed", "threads", "selected", "drain")}, {"0"})
        self.assertNotIn("partial", rows[-2]["sass"])

    def test_a_program_that_does_not_listen_is_killed(self):
        process = self.start(self.command("deaf"))
        while not any(name.startswith("sassim-exec-") for name in os.listdir(self.temporary)):
            time.sleep(0.01)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)  # a second one does not wait
        began = time.monotonic()
        process.communicate(timeout=PATIENCE)
        self.assertLess(time.monotonic() - began, 4)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assert_nothing_left()
        self.assertFalse(self.result()["complete"])

    def test_the_guard_may_be_killed_too(self):
        self.write_old()
        process = self.start(self.command("family"))
        time.sleep(1)
        guards = self.children(process)
        self.assertEqual(len(guards), 1)
        os.kill(guards[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 6, errors)
        self.assert_nothing_left()

    def test_the_next_run_removes_what_a_killed_machine_left(self):
        folder = os.path.join(self.temporary, "sassim-exec-abcdef")
        os.mkdir(folder)
        with open(os.path.join(folder, "lock"), "w", encoding="utf-8"):
            pass
        self.exec("launch", "1")
        self.assertFalse(os.path.exists(folder))

    def test_what_a_program_leaves_running_is_ended(self):
        result, errors = self.exec("leave", status=1)
        self.assertIn("left 1 processes running", errors)
        self.assertIn("kernel add was not finished: its process ended first", errors)
        self.assertFalse(result["complete"])


class Ends(ExecTest):
    def test_results_outlive_every_way_to_end(self):
        for wish, status, complete, said in (("abort", 1, False, "was killed by SIGABRT"),
                                             ("_exit", 1, True, "ended with status 3"), ("launch", 0, True, "")):
            result, errors = self.exec(wish, status=status)
            self.assertEqual(len(result["kernels"]), 2, wish)
            self.assertEqual(result["complete"], complete, wish)
            self.assertIn(said, errors)
        result, _ = self.exec("execve")
        self.assertEqual(len(result["kernels"]), 2 + 1 + 2 + 3 + 4)

    def test_a_kernel_that_faults_is_in_the_results(self):
        for options, status in (((), 1), (("--allow-faults",), 0), (("--functional",), 1)):
            result, _ = self.exec("fault", status=status, options=options)
            kernel = result["kernels"][-1]
            self.assertEqual(len(result["kernels"]), 1 if options == ("--functional",) else 3)
            self.assertEqual((kernel["name"], kernel["grid"], kernel["block"]), ("_Z5strayPi", [1, 1, 1], [32, 1, 1]))
            self.assertEqual(kernel["metrics"], {})
            self.assertEqual(kernel["fault"]["kind"], "illegal address")
            self.assertIn("kernel _Z5strayPi, PC 0x", kernel["fault"]["message"])
            self.assertTrue(kernel["fault"]["sass"].startswith("STG"))
            self.assertEqual(kernel["fault"]["pc"] % 16, 0)

    def test_a_simulation_that_cannot_go_on_leaves_what_is_done(self):
        result, errors = self.exec("launch", "3", status=5, options=("--max-instructions", "20"))
        self.assertFalse(result["complete"])
        self.assertIn("kernel add was not finished", errors)


class Processes(ExecTest):
    def test_forked_processes_have_their_places(self):
        first, _ = self.exec("fork")
        with open(self.json, "rb") as stream:
            text = stream.read()
        self.assertEqual(len(first["kernels"]), 1 + 2 + 3 + 4)
        self.assertEqual((first["program"], first["arguments"]), (PROGRAM, ["fork"]), "as it was typed")
        self.exec("fork")
        with open(self.json, "rb") as stream:
            self.assertEqual(stream.read(), text, "who runs first does not matter")

    def test_traces_of_processes_and_of_runs_are_kept_apart(self):
        folder = os.path.join(self.results, "traces")
        os.remove(self.json) if os.path.exists(self.json) else None
        commands = [[SASSIM, "exec", "--config", "v100", "--functional", "--save-traces", folder, "--", PROGRAM, "fork"]] * 3
        processes = [self.start(command) for command in commands[:2]]
        for process in processes:
            _, errors = process.communicate(timeout=2 * PATIENCE)
            self.assertEqual(process.returncode, 0, errors)
        self.assertIn("run-", self.finish(commands[2]))
        names = {}
        for at, _, files in os.walk(folder):
            names[os.path.relpath(at, folder)] = sorted(files)
        one_run = ["0000-_Z3addPff.sast"] + [
            f"p1.{child}-{launch:04}-_Z3addPff.sast" for child in (1, 2, 3) for launch in range(child + 1)]
        self.assertEqual(names, {".": one_run, "run-2": one_run, "run-3": one_run})
        for at, _, files in os.walk(folder):
            for name in files:
                subprocess.run([SASSIM, "trace", "lint", os.path.join(at, name)], check=True, capture_output=True)


class Launches(ExecTest):
    def peak(self, count):
        """Memory in bytes of the largest process, and the size of the result file."""
        host = os.path.join(self.results, "host.json")
        process = self.start(self.command("launch", str(count), options=("--host-json", host)))
        process.stderr.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        with open(host, encoding="utf-8") as stream:
            in_program = json.load(stream)["peak_rss_bytes"]
        self.assertEqual(len(self.result()["kernels"]), count)
        return max(usage.ru_maxrss * 1024, in_program), os.path.getsize(self.json)

    def test_a_launch_costs_no_memory_and_few_bytes(self):
        few, many, most = 200, 1200, 10_000
        (small, first), (large, second) = self.peak(few), self.peak(many)
        slope = max(0, large - small) / (many - few)
        if not SANITIZED:  # AddressSanitizer keeps what is freed
            self.assertLess(large + slope * (most - many), 300 << 20)
            self.assertLess(slope, 4096, "bytes for each launch")
        self.assertLess((second - first) / (many - few), 20 << 10, "bytes of JSON for each launch")


class Notices(ExecTest):
    def test_a_program_without_cuda_is_told_of(self):
        script = os.path.join(self.results, "script")
        with open(script, "w", encoding="utf-8") as stream:
            stream.write("#!/bin/sh\nexit 0\n")
        os.chmod(script, stat.S_IRWXU)
        for program, reason in (("/bin/true", "'-cudart shared' against CUDA 11, 12 or 13?"), (script, "is a script")):
            result, errors = self.exec(program=program, status=4)
            self.assertIn("no CUDA calls came through sassim; ", errors)
            self.assertIn(reason, errors)
            self.assertEqual(result["kernels"], [])
            _, errors = self.exec(options=("--allow-none",), program=program)
            self.assertIn("no CUDA calls came through sassim; ", errors)
        _, errors = self.exec()
        self.assertEqual(errors, "", "it called nothing, but it would have been heard")

    def test_a_library_with_nvidias_runtime_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            program, library = os.path.join(folder, "program"), os.path.join(folder, "libcublas.so")
            run = lambda source, *options: subprocess.run(
                ["g++", "-x", "c++", "-", *options], input=source, text=True, check=True)
            run("int create() { return 0; }", "-shared", "-fPIC", "-Wl,-soname,libcublas.so.12", "-o", library)
            run("int create(); int main() { return create(); }", "-L" + folder, "-lcublas", "-o", program)
            errors = self.finish(self.command(program=program), 4)
        self.assertIn("needs libcublas.so.12, which has NVIDIA's CUDA runtime inside", errors)
        self.assertIn("-lcublas_static", errors)

    def test_kernels_of_several_streams_are_told_of_once(self):
        result, errors = self.exec("streams", "3")
        self.assertEqual(result["side_by_side"], {"kernels": 3, "of": 3, "streams": 3})
        self.assertNotIn("serialised", result)
        self.assertEqual(errors, "")
        for kernel in result["kernels"]:
            self.assertEqual((kernel["beside"]["group"], kernel["beside"]["kernels"]), (1, 3))
            self.assertIn("--serial", kernel["notes"][0])
        result, errors = self.exec("streams", "3", options=("--serial",))
        self.assertEqual(result["serialised"], {"kernels": 3, "streams": 3, "waited": 2})
        self.assertNotIn("side_by_side", result)
        self.assertIn("3 kernels of 3 streams ran one after the other (--serial)", errors)
        self.assertEqual(errors.count("\n"), 1)
        for wish in ("one-stream", "launch"):
            result, errors = self.exec(wish)
            self.assertNotIn("serialised", result)
            self.assertEqual(errors, "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
