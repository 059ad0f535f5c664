# SPDX-License-Identifier: Apache-2.0
"""sassim explore --executor slurm on a real Slurm of one node.

    slurm_test.py SASSIM FOLDER     the cluster lives below FOLDER while the tests run
"""

import os
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PLACE = os.path.abspath(sys.argv.pop(2))
sys.path.insert(0, os.path.join(HERE, "..", "explore"))

from study import StudyTest  # noqa: E402 (it takes the program from the command line)

CLUSTER = os.path.join(PLACE, "cluster")
LARGEST_ARRAY = 9  # tasks 0 to 8: small, so that campaigns meet the limit


def cluster(command):
    subprocess.run([os.path.join(HERE, "cluster"), command, CLUSTER], check=True,
                   env={**os.environ, "MAX_ARRAY_SIZE": str(LARGEST_ARRAY)})


def setUpModule():
    cluster("stop")
    cluster("start")
    os.environ["SLURM_CONF"] = os.path.join(CLUSTER, "slurm.conf")


def tearDownModule():
    cluster("stop")
    subprocess.run(["rm", "-rf", os.path.join(PLACE, "studies")], check=True)


def slurm(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class OnSlurm(StudyTest):
    SLURM = ["--executor", "slurm", "--poll", "0.3"]
    SIX = ["--vary", "l2.latency=30..80:10"]
    LATER = "--slurm-option=--begin=now+4"

    def setUp(self):
        super().setUp()
        # The compute node may see another /tmp: a study belongs on a file system that both share.
        self.out = os.path.join(PLACE, "studies", self.id())
        subprocess.run(["rm", "-rf", self.out], check=True)

    def tearDown(self):
        super().tearDown()
        subprocess.run(["rm", "-rf", self.out], check=True)

    def events(self, kind):
        return [event for event in self.journal() if event["event"] == kind]

    def wait_for_submission(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if os.path.exists(os.path.join(self.out, "campaign/journal")) and self.events("submitted"):
                return self.events("submitted")[0]["job"]
            time.sleep(0.05)
        self.fail("nothing was submitted")

    def test_gives_the_same_study_as_this_machine(self):
        here = os.path.join(self.top, "here")
        self.explore(*self.SIX, out=here)
        done = self.explore(*self.SIX, *self.SLURM)
        self.assert_same_study(here, self.out)
        self.assertIn("of 6 tasks", done.err)
        self.assertIn("6 points simulated, 0 already done", done.out)
        again = self.explore(*self.SIX, *self.SLURM)
        self.assertIn("0 points simulated, 6 already done", again.out)
        self.assertEqual(len(self.events("submitted")), 1)

    def test_an_array_is_never_larger_than_allowed(self):
        done = self.explore("--vary", "l2.latency=30..49:1", *self.SLURM)
        self.assertIn("submitted 20 points as job", done.err)
        self.assertIn("of 7 tasks", done.err)  # 8 tasks at most: three points each
        self.assertIn("20 points simulated", done.out)

    def test_a_point_that_fails_is_reported_and_stops_nobody(self):
        done = self.explore("--vary", "register_file.read_ports=1,8,4", *self.SLURM, "--chunk", "3", status=1)
        self.assertEqual([row["status"] for row in self.rows()], ["done", "failed", "done"])
        self.assertIn("read_ports=8 failed: sm.register_file: 2 banks with 8 read ports", done.err)

    def test_the_submitting_process_may_be_killed(self):
        first = self.start(*self.SIX, *self.SLURM, self.LATER)
        job = self.wait_for_submission()
        first.kill()
        first.communicate()
        done = self.explore(*self.SIX, *self.SLURM)
        self.assertIn(f"continues with job {job} of an earlier run", done.err)
        self.assertIn("6 points simulated", done.out)
        self.assertEqual(len(self.events("submitted")), 1)

    def test_killed_between_sbatch_and_the_journal_the_job_is_found_by_name(self):
        first = self.start(*self.SIX, *self.SLURM, self.LATER)
        job = self.wait_for_submission()
        first.kill()
        first.communicate()
        journal = os.path.join(self.out, "campaign/journal")
        with open(journal, "rb") as stream:
            lines = stream.read().split(b"\n")
        at = next(i for i, line in enumerate(lines) if b'"submitted"' in line)
        with open(journal, "wb") as stream:
            stream.write(b"\n".join(lines[:at]) + b"\n")
        done = self.explore(*self.SIX, *self.SLURM)
        self.assertIn(f"continues with job {job} of an earlier run", done.err)
        self.assertEqual(len(self.events("submitting")), 1)

    def test_results_that_came_while_nobody_watched_are_collected(self):
        first = self.start(*self.SIX, *self.SLURM)
        job = self.wait_for_submission()
        first.kill()
        first.communicate()
        deadline = time.monotonic() + 60
        while slurm("squeue", "-h", "-j", job) and time.monotonic() < deadline:
            time.sleep(0.1)
        done = self.explore(*self.SIX, *self.SLURM)
        self.assertIn("0 points simulated, 6 already done", done.out)
        self.assertEqual(len(self.events("submitted")), 1)

    def test_a_lost_point_is_run_again(self):
        process = self.start(*self.SIX, *self.SLURM, self.LATER)
        job = self.wait_for_submission()
        slurm("scancel", job + "_2")
        out, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        self.assertRegex(errors, f"l2.latency=50: lost in task {job}_2 .*; it is submitted again")
        self.assertIn("6 points simulated", out)
        self.assertEqual(len(self.events("submitted")), 2)
        self.assertEqual(len(self.events("lost")), 1)

    def test_what_sbatch_says_is_shown(self):
        done = self.explore(*self.SIX, *self.SLURM, "--slurm-option=--partition=nowhere", status=3)
        self.assertIn("sbatch rejected the job array", done.err)
        self.assertIn("invalid partition specified: nowhere", done.err)
        self.assertEqual(self.explore(*self.SIX, *self.SLURM).returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
