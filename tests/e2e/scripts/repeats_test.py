# SPDX-License-Identifier: Apache-2.0
"""tools/lab/repeat_profiles with stand-ins for nvidia-smi, ncu and the programs, and the statistics of what it writes.

    repeats_test.py
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOL = ROOT / "tools/lab/repeat_profiles"
sys.path.insert(0, str(ROOT / "tools/lab"))
from applications import repeats  # noqa: E402  pylint: disable=wrong-import-position

SMI = """#!/bin/bash
[ "$1" != -l ] || exec sleep 1000
while (($#)); do case $1 in --query-gpu=*) fields=${1#--query-gpu=};; -i) shift; gpu=$1;; esac; shift; done
answer() { case $1 in name) echo "NVIDIA H200";; count) echo "$FAKE_COUNT";; uuid) echo "GPU-secret-$gpu";; *) echo 580.1;; esac; }
out=
for field in ${fields//,/ }; do out+="${out:+, }$(answer $field)"; done
echo "$out"
"""
# Runs the command, then prints the launches of the program for each run that passed. The cycles count up from run to run.
NCU = """#!/usr/bin/env python3
import os, pathlib, subprocess, sys
fake, command = pathlib.Path(os.environ["FAKE"]), sys.argv[sys.argv.index("/bin/sh"):]
(fake / "ncu.log").open("a").write(os.environ["CUDA_VISIBLE_DEVICES"] + " " + " ".join(sys.argv[1:]) + "\\n")
(fake / "folders").open("a").write(os.environ["TMPDIR"] + "\\n")
done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
print("==PROF== Connected to process 1\\n" + done.stdout, end="")
asked = sys.argv[sys.argv.index("--metrics") + 1].split(",")
preload = [word for word in command if word.startswith("LD_PRELOAD=")]
name = pathlib.Path(command[6] if preload else command[4]).name
text = ["sassim_fill_l2"] * 2 * (bool(preload) and not (fake / "not_filled").exists()) + (fake / "launches" / name).read_text().split()
print(",".join(f'"{n}"' for n in ["ID", "Kernel Name", "profiler__replayer_passes", *asked]))
print(",".join('""' for _ in range(len(asked) + 3)))
for run in range(done.stdout.count("PASS")):
    for kernel in text if run < 2 or not (fake / "ragged").exists() else text[1:]:
        values = [f"{1000 + 10 * run:,}" if n == "gpc__cycles_elapsed.max" else "7.50" for n in asked]
        print(",".join(f'"{v}"' for v in ["0", kernel + "(int)", os.environ.get("FAKE_PASSES", "1"), *values]))
sys.exit(done.returncode)
"""
PROGRAM = """#!/bin/bash
echo $$ >>"$FAKE/$(basename "$0").pids"
. "$FAKE/do"
echo "$0: PASS"
"""


class RepeatsTest(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="sassim-repeats-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        for folder in ("bin", "programs", "launches"):
            (self.top / folder).mkdir()
        (self.top / "do").write_text("")
        for name, text in (("bin/nvidia-smi", SMI), ("bin/ncu", NCU)):
            self.script(name, text)
        self.program("alpha", "k k other")

    def script(self, name, text):
        (self.top / name).write_text(text)
        (self.top / name).chmod(0o755)

    def program(self, name, launches):
        self.script(f"programs/{name}", PROGRAM)
        (self.top / "launches" / name).write_text(launches)

    def profile(self, *arguments, status=0, **changes):
        shutil.rmtree(self.top / "out", ignore_errors=True)
        done = subprocess.run([sys.executable, str(TOOL), "--programs", str(self.top / "programs"), "--out", str(self.top / "out"),
                               *arguments], capture_output=True, text=True, check=False, timeout=60,
                              env={"PATH": f"{self.top}/bin:/usr/bin:/bin", "FAKE": str(self.top), "FAKE_COUNT": "1", **changes})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done, sorted((self.top / "out").glob("*"))

    def test_a_program_runs_as_often_as_asked_and_launches_are_summed(self):
        _, files = self.profile("--repetitions", "3", "--rounds", "2", "--sizes", "small")
        self.assertEqual(len(files), 1)
        about, samples = repeats.read(files[0])
        self.assertEqual((about["caches"], about["rounds"], about["passes"], about["failed"]), ("cold", 2, ["1"], []))
        self.assertNotIn("secret", files[0].read_text() + files[0].name)
        launches, metrics = samples["alpha", "small"]["k"]
        self.assertEqual((launches, metrics["gpc__cycles_elapsed.max"]), (2, [2000, 2020, 2040] * 2))
        self.assertEqual(metrics["sm__cycles_active.max"], [15] * 6)
        self.assertIn("sm__cycles_active.max,6,15\n", files[0].read_text(), "one value stands for equal ones")
        self.assertEqual(len(set((self.top / "alpha.pids").read_text().split())), 6, "a process for each repetition")
        calls = (self.top / "ncu.log").read_text().splitlines()
        self.assertEqual(len(calls), 2, "the profiler starts once in a round")
        self.assertIn("--cache-control all", calls[0])

    def test_the_l2_is_filled_before_the_program(self):
        done, _ = self.profile("--caches", "full", status=3)
        self.assertIn("has no fill_l2.so, which fills the L2: build the programs with validation/build --cudart static", done.stderr)
        self.script("programs/fill_l2.so", "")
        _, files = self.profile("--caches", "full", "--repetitions", "2", "--rounds", "1", "--sizes", "small")
        about, samples = repeats.read(files[0])
        self.assertEqual((about["caches"], about["failed"], list(samples)), ("full", [], [("alpha", "small")]))
        self.assertEqual({kernel: count for kernel, (count, _) in samples["alpha", "small"].items()}, {"k": 2, "other": 1})
        call = (self.top / "ncu.log").read_text().splitlines()[-1]
        self.assertIn("--cache-control none", call)
        self.assertIn(f" env LD_PRELOAD={self.top.resolve()}/programs/fill_l2.so {self.top}/programs/alpha size=small", call)
        (self.top / "not_filled").write_text("")
        done, _ = self.profile("--caches", "full", "--rounds", "1", "--sizes", "small", status=3)
        self.assertIn("alpha small: the L2 was filled 0 times: was fill_l2.so preloaded?", done.stdout)

    def test_stall_reasons_are_warp_cycles(self):
        self.profile("--stalls", "--caches", "keep", status=2)
        _, files = self.profile("--stalls", "--rounds", "2", "--sizes", "small", FAKE_PASSES="7")
        launches, metrics = repeats.read(files[0])[1]["alpha", "small"]["k"]
        self.assertEqual((launches, metrics["smsp__inst_executed.sum"]), (2, [15, 15]))
        self.assertEqual(metrics["smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"], [2 * 7.5 * 7.5] * 2)
        self.assertNotIn("gpc__cycles_elapsed.max", metrics)

    def test_each_gpu_of_the_machine_has_a_file(self):
        _, files = self.profile("--rounds", "1", FAKE_COUNT="2")
        self.assertEqual(len(files), 2)
        self.assertEqual(len({repeats.read(file)[0]["host"] for file in files}), 2)
        self.assertEqual(len({repeats.read(file)[0]["machine"] for file in files}), 1)
        self.assertEqual({line.split()[0] for line in (self.top / "ncu.log").read_text().splitlines()}, {"0", "1"})

    def test_programs_run_at_the_same_time_and_share_the_lock_of_their_gpu(self):
        self.program("beta", "b")
        (self.top / "do").write_text('touch "$0.here"\nfor _ in {1..200}; do [ -e "${0%/*}/alpha.here" ] && [ -e "${0%/*}/beta.here" ] '
                                     '&& break; sleep 0.05; done\n[ -e "${0%/*}/alpha.here" ] && [ -e "${0%/*}/beta.here" ] || exit 1\n')
        _, files = self.profile("--rounds", "1", "--sizes", "small", "--side-by-side", "2")
        about, samples = repeats.read(files[0])
        self.assertEqual((about["side_by_side"], sorted(samples)), (2, [("alpha", "small"), ("beta", "small")]))
        self.assertEqual(len(set((self.top / "folders").read_text().split())), 1)

    def test_kept_caches_need_a_single_pass(self):
        _, files = self.profile("--caches", "keep", "--rounds", "1")
        self.assertEqual(repeats.read(files[0])[0]["caches"], "keep")
        self.assertIn("--cache-control none", (self.top / "ncu.log").read_text())
        done, files = self.profile("--caches", "keep", "--rounds", "1", status=3, FAKE_PASSES="2")
        self.assertIn("the counters took 2 passes", done.stdout)
        self.assertEqual(files, [])

    def test_a_program_that_fails_is_named_and_the_others_stay(self):
        self.program("beta", "b")
        (self.top / "do").write_text('case $0 in */beta) exit 1;; esac\n')
        done, files = self.profile("--rounds", "2", "--sizes", "small", status=1)
        self.assertRegex(done.stdout, r"FAILED host [0-9a-f]{8}: beta small: exit status 1")
        about, samples = repeats.read(files[0])
        self.assertEqual(list(samples), [("alpha", "small")])
        self.assertEqual(len(about["failed"]), 1)
        self.assertEqual(len(samples["alpha", "small"]["k"][1]["gpc__cycles_elapsed.max"]), 2)

    def test_runs_with_other_launches_are_refused(self):
        (self.top / "ragged").touch()
        done, _ = self.profile("--repetitions", "3", "--rounds", "1", status=3)
        self.assertIn("they are not equally many in each", done.stdout)

    def test_the_time_limit_ends_programs_and_leaves_what_was_measured(self):
        (self.top / "do").write_text('case $2$1 in size=large) exec sleep 1000;; esac\n')
        began = time.monotonic()
        _, files = self.profile("--seconds", "4", "--rounds", "1")
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(list(repeats.read(files[0])[1]), [("alpha", "small")])
        pid = int((self.top / "alpha.pids").read_text().split()[-1])
        self.assertFalse(os.path.exists(f"/proc/{pid}") and "sleep" in pathlib.Path(f"/proc/{pid}/cmdline").read_text())

    def test_what_earlier_calls_did_not_reach_comes_first(self):
        self.program("beta", "b")
        _, files = self.profile("--rounds", "1", "--names", "alpha", "--sizes", "small")
        (self.top / "earlier").mkdir()
        files[0].rename(self.top / "earlier" / files[0].name)
        (self.top / "ncu.log").unlink()
        self.profile("--rounds", "1", "--sizes", "small", "--after", str(self.top / "earlier"))
        self.assertEqual([line.split()[-2].split("/")[-1] for line in (self.top / "ncu.log").read_text().splitlines()], ["beta", "alpha"])

    def test_what_is_missing_is_one_line(self):
        for arguments, words in ((["--names", "none"], "has no program none"), (["--programs", "/nowhere"], "validation/build --cudart static")):
            done, _ = self.profile(*arguments, status=3)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(words, done.stderr)
        self.profile("--repetitions", "0", status=2)
        self.profile("--side-by-side", "0", status=2)

    def test_a_damaged_file_is_named_with_its_line(self):
        _, files = self.profile("--repetitions", "2", "--rounds", "1")
        text = files[0].read_text()
        for damaged, place in ((text.replace("sassim-repeats/1", "x"), ":1:"), (text.replace("size,", "", 1), ":2:"),
                               (text.replace(",2,2000 2020\n", ",3,2000 2020\n", 1), ":3:")):
            files[0].write_text(damaged)
            with self.assertRaisesRegex(repeats.Damaged, str(files[0]) + place):
                repeats.read(files[0])

    def test_spread(self):
        # Every host counts the same, however many repetitions it gave.
        few = repeats.spread({"a": [100.0, 102.0, 104.0], "b": [110.0]})
        self.assertEqual((few.median, few.low, few.high, few.hosts, few.repetitions), (106.0, 100.0, 110.0, 2, 4))
        self.assertAlmostEqual(few.between, 8 / 106)
        self.assertAlmostEqual(few.noise, 5 / 106)
        self.assertEqual(few.outside(105), 0)
        self.assertAlmostEqual(few.outside(116), 6 / 106)
        self.assertAlmostEqual(few.outside(90), -10 / 106)
        many = repeats.spread({"a": [float(v) for v in range(101)]})
        self.assertEqual((many.low, many.high, many.median), (2.5, 97.5, statistics.median(range(101))))


if __name__ == "__main__":
    unittest.main()
