# SPDX-License-Identifier: Apache-2.0
"""sassim explore as a user sees it, killed, interrupted and resumed."""

import collections
import json
import os
import random
import re
import signal
import time
import unittest

from study import BUILD, ROOT, StudyTest

# Few SMs, and all of each L1 for data: sizes matter although the trace is short.
SMALL = ["-o", "sm.count=2", "-o", "l1.detected_loss=0", "-o", "occupancy.carveouts=[0]", "-o",
         "occupancy.shared_per_block=0"]
LRU = ["-o", "l1.replacement=lru", "-o", "l2.replacement=lru"]
L1_SIZES = ["16KiB", "32KiB", "96KiB", "128KiB", "256KiB"]
L2_SIZES = ["1.5MiB", "3MiB", "5MiB", "6MiB", "48MiB"]


def hit_rate(row, cache):
    return float(row[f"{cache}_lookup_hit.sum"]) / float(row[f"{cache}.sum"])


class Sizes(StudyTest):
    def assert_never_falls(self, rows, l1_sizes, l2_sizes, slack=0.0):
        """What is on its way to the L2 counts as found: a larger cache has it earlier."""
        rates = {}
        for row in rows:
            self.assertEqual(row["status"], "done")
            rates[row["sm.l1.size"], row["memory.l2.size"]] = (hit_rate(row, "l1tex__t_sectors"), hit_rate(row, "lts__t_sectors"))
        self.assertEqual(len(rates), len(l1_sizes) * len(l2_sizes))
        for l2 in l2_sizes:
            for small, large in zip(l1_sizes, l1_sizes[1:]):
                self.assertLessEqual(rates[small, l2][0], rates[large, l2][0] + slack, (small, large, l2))
        for l1 in l1_sizes:
            for small, large in zip(l2_sizes, l2_sizes[1:]):
                self.assertLessEqual(rates[l1, small][1], rates[l1, large][1] + slack, (l1, small, large))

    def test_every_size_of_l1_and_l2_runs_and_larger_ones_hit_no_less_under_lru(self):
        done = self.explore("--vary", "l1.size=" + ",".join(L1_SIZES), "--vary", "l2.size=" + ",".join(L2_SIZES), *LRU)
        self.assert_never_falls(self.rows(), L1_SIZES, L2_SIZES)
        self.assertIn("l2.size has no effect here (1.5MiB to 48MiB: ", done.out)  # it all fits
        for stem in ("cycles", "l1_hit_rate", "l2_hit_rate", "l2_traffic", "dram_traffic"):
            self.assertTrue(self.file(stem + ".svg").startswith(b"<"), stem)
            self.assertTrue(self.file(stem + ".png").startswith(b"\x89PNG"), stem)

    def test_hit_rates_rise_where_sizes_matter(self):
        l1_sizes, l2_sizes = ["2KiB", "4KiB", "16KiB"], ["16KiB", "32KiB", "64KiB", "128KiB"]
        self.explore("--vary", "l1.size=" + ",".join(l1_sizes), "--vary", "l2.size=" + ",".join(l2_sizes), "-o",
                     "l2.slices=8", "-o", "l2.ways=4", "-o", "memory.dram.channels=4", *SMALL, *LRU)
        rows = self.rows()
        # A faster L2 lets fewer loads meet in the L1, so that it is asked for a few others.
        self.assert_never_falls(rows, l1_sizes, l2_sizes, slack=0.01)
        rates = [hit_rate(row, "lts__t_sectors") for row in rows]
        self.assertGreater(rates[3], rates[0] + 0.01)
        dram = [float(row["dram__bytes.sum"]) for row in rows if row["sm.l1.size"] == "16KiB"]
        self.assertGreater(dram[0], 1.5 * dram[-1])

    def test_points_json_says_what_was_varied_and_every_metric(self):
        self.explore("--vary", "l1.hit_latency=28,40", "--vary", "l2.latency=30,60", "--zip", "-o", "sm.count=8")
        study = json.loads(self.file("points.json"))
        self.assertEqual(study["schema"], "sassim-points/1")
        self.assertEqual([point["values"] for point in study["points"]],
                         [{"sm.l1.hit_latency": "28", "memory.l2.latency": "30"},
                          {"sm.l1.hit_latency": "40", "memory.l2.latency": "60"}])
        first, second = (point["metrics"]["gpc__cycles_elapsed.max"] for point in study["points"])
        self.assertLess(first, second)
        self.assertGreater(len(study["points"][0]["metrics"]), 100)


class Interrupted(StudyTest):
    VARY = ["--vary", "l2.latency=30..80:10", "--vary", "l1.hit_latency=28,30", "--jobs", "2", "-o", "sm.count=8"]

    def workers_left(self):
        left = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as stream:
                    words = stream.read().split(b"\0")
            except OSError:
                continue
            if b"point" in words and self.out.encode() in words:
                left.append(pid)
        return left

    def test_kill_9_at_any_moment_loses_nothing_and_runs_nothing_twice(self):
        whole = os.path.join(self.top, "whole")
        began = time.monotonic()
        self.explore(*self.VARY, out=whole)
        undisturbed = time.monotonic() - began
        random.seed(6)
        kills = 0
        while True:
            process = self.start(*self.VARY)
            try:
                process.communicate(timeout=random.uniform(0.02, 0.25) * undisturbed * (1 + kills / 8))
                break
            except TimeoutError:
                pass
            except Exception as error:  # subprocess.TimeoutExpired
                self.assertEqual(type(error).__name__, "TimeoutExpired")
            process.kill()
            process.communicate()
            kills += 1
            self.assertLess(kills, 60, "it gets nowhere")
            # One look without workers is enough: what was just being started may show up later, and ends by itself.
            deadline = time.monotonic() + 5
            while (left := self.workers_left()) and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(left, [], "workers outlive the command")
        self.assertEqual(process.returncode, 0)
        self.assertGreaterEqual(kills, 3)
        self.assert_same_study(whole, self.out)
        done, starts = set(), collections.Counter()
        for event in self.journal():
            if event["event"] == "start":
                self.assertNotIn(event["key"], done, "a finished point ran again")
                starts[event["key"]] += 1
            elif event["event"] == "done":
                done.add(event["key"])
        self.assertEqual(len(done), 12)
        self.assertLessEqual(sum(starts.values()), 12 + 2 * kills)

    def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(self):
        process = self.start(*self.VARY)
        while not (os.path.exists(os.path.join(self.out, "campaign/journal")) and
                   any(event["event"] == "done" for event in self.journal())):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertIn("run the same command again to resume", errors)
        self.assertEqual(self.workers_left(), [])
        before = sum(event["event"] == "done" for event in self.journal())
        self.assertLess(before, 12)
        done = self.explore(*self.VARY)
        # A worker may have ended a point that the journal does not know yet: its result is there and counts.
        counts = re.search(r"(\d+) points? simulated, (\d+) already done", done.out)
        simulated, kept = int(counts[1]), int(counts[2])
        self.assertEqual(simulated + kept, 12)
        self.assertIn(kept - before, (0, 1, 2), "two workers")


class Failing(StudyTest):
    def test_a_point_that_cannot_run_is_reported_and_stops_nobody(self):
        # The schema takes eight ports, the model holds four; 100 KiB is no whole number of lines in 64 slices.
        done = self.explore("--vary", "register_file.read_ports=1,8,4", "--vary", "l2.size=6MiB,100KiB", status=1)
        self.assertEqual([row["status"] for row in self.rows()],
                         ["done", "failed", "failed", "failed", "done", "failed"])
        self.assertIn("register_file.read_ports=8 l2.size=6MiB failed: sm.register_file: 2 banks with 8 read ports",
                      done.err)
        heading = next(line for line in done.out.splitlines() if "over best" in line)
        self.assertLess(len(heading), 120, "a long error does not widen the table")
        log = done.err.split("(log: ")[1].split(")")[0]
        with open(log) as stream:
            self.assertIn("8 read ports", stream.read())
        errors = [point.get("error", "") for point in json.loads(self.file("points.json"))["points"]]
        self.assertIn("100KiB is not a whole number of", errors[1])

    def test_mistakes_are_refused_before_anything_runs(self):
        for options, status, message in (
            (["--vary", "l1.sise=16KiB"], 3, "unknown key 'l1.sise' (did you mean 'l1.size'?)"),
            (["--vary", "l1.size=16KB"], 2, "could mean 1000 or 1024 bytes"),
            (["--vary", "l1.replacement=lur"], 3, "did you mean 'lru'?"),
            ([], 2, "nothing to explore"),
            (["--what-if", "--executor", "slrum"], 2, "slrum"),
        ):
            done = self.explore(*options, status=status)
            self.assertIn(message, done.err)
            self.assertEqual(done.err.count("\n"), 1, done.err)
            self.assertFalse(os.path.exists(self.out))


class Questions(StudyTest):
    def test_what_if_ranks_idealisations_by_cycles(self):
        trace = os.path.join(BUILD, "traces/sm_70/sgemm_tiled.sast")
        # With instruction caches as they are this short kernel loses less to them than warps gain or lose by chance.
        self.explore("--what-if", "-o", "sm.count=8", "-o", "sm.front_end.l1_latency=300", trace=trace)
        rows = self.rows("what_if.csv")
        self.assertEqual(len(rows), 18)
        self.assertEqual(rows[0]["idealisation"], "all of these")
        recovered = [float(row["recovered_cycles"]) for row in rows]
        self.assertEqual(recovered, sorted(recovered, reverse=True))
        by_name = {row["idealisation"]: float(row["recovered_cycles"]) for row in rows}
        self.assertGreater(by_name["perfect L1"], 0)
        self.assertGreater(by_name["perfect instruction cache"], 0)

    def test_miss_curves_agree_with_simulated_lru_caches(self):
        # Caches as the curves assume them: one set of LRU lines. The curve is of one
        # order of accesses and every simulated size has its own, the less so the more alike the slices' distances are:
        # 8 KiB is some 2 points off, the others less than 1.
        trace = os.path.join(BUILD, "traces/sm_70/transpose_naive.sast")
        done = self.explore("--miss-curves", "--vary", "l1.size=8KiB,16KiB,64KiB", "-o", "l1.sets=1", "-o",
                            "memory.crossbar.spread=0", *SMALL, *LRU, trace=trace)
        self.assertIn("LRU hits", done.out)
        curve = [(int(row["capacity_bytes"]), float(row["hit_rate"])) for row in self.rows("miss_curves.csv")
                 if row["cache"] == "l1"]
        self.assertEqual(curve, sorted(curve))
        for row in self.rows():
            size = int(row["sm.l1.size"][:-3]) * 1024
            exact = max([rate for capacity, rate in curve if capacity <= size], default=0)
            self.assertAlmostEqual(hit_rate(row, "l1tex__t_sectors"), exact, delta=0.03, msg=row["sm.l1.size"])
        self.assertLess(hit_rate(self.rows()[0], "l1tex__t_sectors") + 0.05,
                        hit_rate(self.rows()[2], "l1tex__t_sectors"), "sizes that make no difference show nothing")


if __name__ == "__main__":
    unittest.main(verbosity=2)
