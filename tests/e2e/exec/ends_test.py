# SPDX-License-Identifier: Apache-2.0
"""How programs end under sassim exec: every kernel is in the results, or the command says what is lost and ends with 1."""

import filecmp
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

SASSIM, PROGRAMS = (os.path.abspath(path) for path in (sys.argv.pop(1), sys.argv.pop(1)))
GPUS, THREADS = ("t4", "v100", "h200"), (1, 2, 7)
UNFINISHED = "not finished: "
IS_ROOT = os.geteuid() == 0
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
if SANITIZED:  # AddressSanitizer would make an ordinary end of a segmentation fault
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"

# Objects that launch a kernel when they are destroyed, in all orders of their making and their end: before the program's
# kernels are registered, before the first call of CUDA, after the last one, in libraries, in threads.
IN_PROGRAM = ["object", "first-user", "before", "after", "atexit-before", "atexit-after", "destructor", "linked-object",
              "linked-local", "linked-destructor"]
IN_LOADED = ["loaded-object", "loaded-local", "loaded-destructor"]

# (work before the end, the end): kernels in the results, and what the command says if that is not all. A status of the
# program of its own counts as said, too.
ENDS = {
    ("plain", "return"): (1, None),
    ("plain", "_exit"): (1, None),
    ("streams", "return"): (2, None),
    ("streams", "exit"): (2, None),
    ("streams", "quick_exit"): (2, None),
    ("streams", "_exit"): (0, "kernel work and 1 launch behind it were " + UNFINISHED),
    ("streams", "abort"): (0, UNFINISHED),
    ("streams", "kill"): (0, UNFINISHED),
    ("streams", "execv"): (0, UNFINISHED),
    ("half", "return"): (2, None),
    ("half", "_exit"): (1, "kernel work was " + UNFINISHED),
    ("waited", "return"): (2, None),
    ("waited", "_exit"): (2, None),
    ("event", "return"): (2, None),
    ("event", "_exit"): (2, None),
    ("copied", "return"): (2, None),
    ("copied", "_exit"): (2, None),
    ("waited", "exit-handler-_exit"): (2, None),
    ("streams", "exit-handler-_exit"): (2, None),
    ("waited", "abort"): (2, "was killed by SIGABRT"),
    ("waited", "terminate"): (2, "was killed by SIGABRT"),
    ("waited", "segv"): (2, "was killed by SIGSEGV"),
    ("waited", "kill"): (2, "was killed by SIGKILL"),
    ("waited", "execv"): (2, None),
    ("waited", "execv-cuda"): (4, None),
    ("streams", "reset"): (2, None),
    ("streams", "reset-twice"): (2, None),
    ("streams", "profiler-stop"): (2, None),
    ("streams", "pthread_exit"): (3, None),
    ("nothing", "pthread_exit"): (1, None),
    ("streams", "joined"): (3, None),
    ("streams", "openmp"): (5, None),
    ("streams", "exit-in-thread"): (3, None),
    ("streams", "exit-in-callback"): (2, None),
    ("streams", "exit-in-handler"): (2, None),
    ("streams", "fork"): (4, None),
    ("streams", "fork-_exit"): (3, None),
    ("streams", "fork-in-thread"): (25, None),
    ("streams", "vfork"): (4, None),
    ("streams", "system"): (4, None),
    ("streams", "popen"): (4, None),
    ("streams", "daemon"): (3, None),
    ("streams", "close-descriptors"): (5, None),
    ("nothing", "close-descriptors"): (3, None),
    ("streams", "no-descriptors"): (5, None),
    ("nothing", "no-descriptors"): (0, "kernels are lost, because"),
    ("streams", "chdir"): (5, None),
    ("nothing", "chdir"): (3, None),
    ("streams", "remove-session"): (5, None),
    ("waited", "remove-session"): (3, "2 launches are missing in the results: the program has removed the folder"),
    ("nothing", "remove-session"): (3, None),
}
if IS_ROOT:
    ENDS |= {
        ("streams", "setuid"): (5, None),
        ("nothing", "setuid"): (3, None),
        ("streams", "chroot"): (5, None),
        ("nothing", "chroot"): (0, "kernels are lost, because"),
    }
if SANITIZED:  # UndefinedBehaviorSanitizer needs a pipe to find out which memory can be read
    ENDS = {case: what for case, what in ENDS.items() if case[1] != "no-descriptors"}


class EndsTest(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="sassim-ends-")
        os.chmod(self.top, 0o755)
        self.runs = 0

    def tearDown(self):
        shutil.rmtree(self.top, ignore_errors=True)

    def run_program(self, gpu, threads, *program, at=(), temporary=None, options=()):
        """Returns the status, the result, what the command said, and the folder with the result and the program's files."""
        self.runs += 1
        folder = os.path.join(self.top, str(self.runs))
        os.makedirs(os.path.join(folder, "tmp"))
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        command = [SASSIM, "exec", "--config", gpu, "-o", "sm.count=2", "--threads", str(threads), "--json",
                   os.path.join(folder, "result.json"), *options, "--", os.path.join(PROGRAMS, program[0]), *program[1:]]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False,
                              env=dict(os.environ, ENDS_AT=" ".join(at), TMPDIR=temporary or os.path.join(folder, "tmp")),
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1])))
        with open(os.path.join(folder, "result.json"), encoding="utf-8") as stream:
            result = json.load(stream)
        self.assertNotIn("a launch failed", done.stdout)
        return done.returncode, result, done.stderr, folder

    def check(self, case, kernels, lost, *where, **more):
        status, result, said, folder = self.run_program(*where, **more)
        self.assertEqual((status, result["complete"]), (1, False) if lost else (0, True), f"{case}: {said}")
        self.assertEqual(len(result["kernels"]), kernels, f"{case}: {said}")
        for kernel in result["kernels"]:
            self.assertGreater(kernel["metrics"]["gpc__cycles_elapsed.max"], 0, case)
        if lost:
            self.assertIn(lost, said, case)
        self.assertEqual(os.listdir(os.path.join(folder, "tmp")), [], case)
        return os.path.join(folder, "result.json"), folder


class Ends(EndsTest):
    def on_a_gpu(self, case, kernels, lost, *program, **more):
        """An end is not the GPU's: each case has another GPU and number of threads than the one before it."""
        gpu, threads = GPUS[self.runs % len(GPUS)], THREADS[self.runs // len(GPUS) % len(THREADS)]
        return self.check((case, gpu, threads), kernels, lost, gpu, threads, *program, **more)[1]

    def test_the_number_of_threads_changes_no_byte(self):
        for gpu, work, end, kernels, lost in (("t4", "streams", "return", 2, None), ("v100", "waited", "_exit", 2, None),
                                              ("h200", "half", "_exit", 1, UNFINISHED), ("t4", "half", "fork", 4, None)):
            results = [self.check((gpu, work, end), kernels, lost, gpu, threads, "ends", work, end)[0] for threads in THREADS]
            for other in results[1:]:
                self.assertTrue(filecmp.cmp(results[0], other, shallow=False), (gpu, work, end))

    def test_every_end(self):
        for (work, end), (kernels, lost) in ENDS.items():
            with self.subTest(work=work, end=end):
                folder = self.on_a_gpu((work, end), kernels, lost, "ends", work, end)
                for name in os.listdir(folder):
                    if name.startswith("mine-"):
                        with open(os.path.join(folder, name), encoding="utf-8") as stream:
                            self.assertEqual(stream.read(), "mine\n", "the log is in the program's own file")

    def test_every_place_of_a_last_launch(self):
        for place in IN_PROGRAM:
            with self.subTest(place=place):
                self.on_a_gpu(place, 3, None, "ends", "streams", "return", at=[place])
                self.check((place, "nothing"), 1, None, "v100", 2, "ends", "nothing", "return", at=[place])
        with self.subTest(place="thread-local"):  # of two threads
            self.on_a_gpu("thread-local", 4, None, "ends", "streams", "return", at=["thread-local"])
        with self.subTest(place="at_quick_exit"):
            self.on_a_gpu("at_quick_exit", 3, None, "ends", "streams", "quick_exit", at=["at_quick_exit"])

    def test_every_place_in_a_library_that_was_loaded(self):
        for place in IN_LOADED:
            for end in ("dlopen", "dlclose"):
                with self.subTest(place=place, end=end):
                    self.on_a_gpu((place, end), 3, None, "ends", "streams", end, at=[place])
        for place in ("object", "local", "thread-local", "atexit", "destructor"):
            with self.subTest(place=place, program="ends_host"):
                self.on_a_gpu(place, 2, None, "ends_host", place)

    def test_all_places_at_once(self):
        places = [*IN_PROGRAM, *IN_LOADED]
        self.on_a_gpu("all", 2 + len(places), None, "ends", "streams", "dlopen", at=places)
        self.on_a_gpu("all", 2 + len(places), None, "ends", "waited", "dlclose", at=places)


class Threads(EndsTest):
    """How many kernels there are depends on time, but none is cut off."""

    def test_threads_that_launch_while_the_program_ends(self):
        for at, gpu in enumerate(GPUS):
            status, result, said, _ = self.run_program(gpu, THREADS[at], "ends", "streams", "threads")
            self.assertEqual((status, result["complete"]), (0, True), said)
            self.assertGreater(len(result["kernels"]), 5)

    def test_an_exit_in_the_middle_of_a_call_says_what_is_lost(self):
        for at, gpu in enumerate(GPUS):
            status, result, said, _ = self.run_program(gpu, THREADS[at], "ends", "waited", "exit-in-call")
            self.assertEqual(len(result["kernels"]) >= 2, True)
            # Now and then the signal comes between two calls, when nothing is lost.
            self.assertEqual(status, 0 if result["complete"] else 1, said)
            self.assertEqual(UNFINISHED in said, not result["complete"], said)

    def test_an_exit_in_the_middle_of_a_call_that_waits_forever_is_ended_with_its_status(self):
        status, result, said, _ = self.run_program("v100", 2, "ends", "waited", "exit-in-call-waits")
        self.assertEqual((status, result["complete"]), (1, False), said)
        self.assertGreaterEqual(len(result["kernels"]), 2)
        self.assertIn("the program waits forever in exit()", said)
        self.assertIn("ended with status 7", said)
        self.assertIn(UNFINISHED, said)

    def test_calls_in_a_handler_that_interrupts_a_call_fail_and_damage_nothing(self):
        for at, gpu in enumerate(GPUS):
            command = [SASSIM, "exec", "--config", gpu, "-o", "sm.count=2", "--threads", str(THREADS[at]), "--",
                       os.path.join(PROGRAMS, "ends"), "waited", "cuda-in-handler"]
            done = subprocess.run(command, cwd=self.top, capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("calls were refused", done.stdout)


class TemporaryFolder(EndsTest):
    def test_a_relative_one_is_found_after_a_change_of_folders(self):
        status, result, said, folder = self.run_program("t4", 1, "ends", "streams", "chdir", temporary="tmp")
        self.assertEqual((status, len(result["kernels"])), (0, 5), said)
        self.assertEqual(os.listdir(os.path.join(folder, "tmp")), [])

    def test_one_that_is_not_there_is_bad_input(self):
        done = subprocess.run([SASSIM, "exec", "--config", "t4", "--", os.path.join(PROGRAMS, "ends"), "plain", "return"],
                              env=dict(os.environ, TMPDIR="/not/there"), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("TMPDIR names '/not/there', which is not a folder", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
