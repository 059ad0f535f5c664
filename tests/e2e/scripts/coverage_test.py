# SPDX-License-Identifier: Apache-2.0
"""tools/lab/coverage tells apart how programs end. The command is a stand-in that runs the program as it is.

    coverage_test.py
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Ends as `sassim exec` does: with 1 if the program failed, unless the program's status is one of the command's own.
COMMAND = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
"$@"
status=$?
[ $status = 0 ] && exit 0
[ $status -ge 128 ] && { echo "sassim: $1 was killed by SIGABRT"; exit 1; }
[ $status -ge 4 ] && exit $status
echo "sassim: $1 ended with status $status"
exit 1
"""

PROGRAMS = {
    "checks": ("echo 'Test PASSED'", "verifies"),
    "quiet": ("exit 0", "runs"),
    "by_status": ("exit 0", "verifies"),
    "bad_result": ("echo 'Test PASSED'; echo 'Test FAILED'", "wrong"),
    "bad_status": ("exit 1", "wrong"),
    "says_nothing": ("exit 0", "wrong"),
    "lacks": ("echo 'sassim: cuda: cudaX is not supported by this runtime; it returns cudaErrorNotSupported'; exit 1", "refused"),
    "copes": ("echo 'sassim: cuda: cudaX is not supported by this runtime'; echo 'Test PASSED'", "verifies"),
    "opcode": ("echo \"sassim: opcode TMML in kernel k at PC 0x10 ('TMML R0', sm_70): the opcode is not supported\"; exit 4", "refused"),
    "other_gpu": ("echo 'needs compute capability 8.0, waived'; exit 2", "waived"),
    "dies": ("kill -ABRT $$", "crashed"),
    "stuck": ("exit 5", "hangs"),
    "endless": ("echo $$ >pid; while :; do :; done", "slow"),
}
OPTIONS = {"quiet": "passed: nothing", "by_status": "passed: status", "endless": "limit: 0.3"}


class CoverageTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sassim-coverage-"))
        self.command = self.folder / "sassim"
        self.script(self.command, COMMAND)
        lines = ["folder: 'programs/{name}'", "command: ./{name} argument", "passed: Test PASSED", "left_out: {draws: needs a screen}",
                 "programs:"]
        for name, (code, _) in PROGRAMS.items():
            (self.folder / "programs" / name).mkdir(parents=True)
            self.script(self.folder / "programs" / name / name, f"#!/bin/sh\n[ \"$1\" = argument ] || exit 1\n{code}\n")
            lines.append(f"  - {{name: {name}{', ' + OPTIONS[name] if name in OPTIONS else ''}}}")
        lines.append("  - missing")
        self.list = self.folder / "list.yaml"
        self.list.write_text("\n".join(lines) + "\n")

    @staticmethod
    def script(path, text):
        path.write_text(text)
        path.chmod(0o755)

    def coverage(self, *more):
        return subprocess.run([sys.executable, ROOT / "tools/lab/coverage", self.list, "--root", self.folder, "--sassim", self.command,
                               *more], capture_output=True, text=True, check=False)

    def test_each_outcome(self):
        page = self.folder / "page.md"
        done = self.coverage("--config", "t4", "--config", "h200", "--jobs", "4", "--out", page, "--logs", self.folder / "logs")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        text = page.read_text()
        for name, (_, outcome) in {**PROGRAMS, "missing": ("", "absent")}.items():
            self.assertRegex(text, rf"(?m)^\| {name} \| {outcome} \| {outcome} \|", name)
        self.assertRegex(text, r"(?m)^\| lacks .*cudaX is not supported by this runtime")
        self.assertRegex(text, r"(?m)^\| opcode .*opcode TMML in kernel k")
        self.assertIn("Left out: draws (needs a screen).", text)
        self.assertRegex(text, r"(?m)^\| t4 \| 3 \| 1 \| 1 \| 2 \| 3 \| 1 \| 1 \| 1 \| 1 \| 5 \|$")
        self.assertFalse(pathlib.Path("/proc", (self.folder / "programs/endless/pid").read_text().strip(), "exe").exists(),
                         "a slow program still runs")
        self.assertIn("Test PASSED", (self.folder / "logs" / "checks-h200.log").read_text())

    def test_only_some(self):
        done = self.coverage("--config", "t4", "--only", "^(checks|lacks)$")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("checks", done.stdout)
        self.assertNotIn("endless", done.stdout)
        self.assertNotEqual(self.coverage("--only", "^nobody$").returncode, 0)

    def test_a_folder_of_programs_that_verify_themselves(self):
        for name, code in {"right": "exit 0", "wrong": "exit 1",
                           "newer": "echo 'sassim: cuda: cudaLaunchKernel: the program has no machine code for sm_37 (...)'; exit 1"}.items():
            self.script(self.folder / "programs" / name, f"#!/bin/sh\n{code}\n")
        (self.folder / "programs" / "notes.txt").write_text("no program\n")
        self.list = self.folder / "programs"
        page = self.folder / "page.md"
        done = self.coverage("--config", "k80", "--out", page)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        text = page.read_text()
        for line in ("| right | verifies |", "| wrong | wrong |", "| newer | refused | cudaLaunchKernel: the program has no machine code"):
            self.assertIn(line, text)
        self.assertNotIn("notes.txt", text)

    def test_every_list_of_the_project_can_be_read(self):
        for path in sorted((ROOT / "tools/lab/programs").glob("*.yaml")):
            done = subprocess.run([sys.executable, ROOT / "tools/lab/coverage", path, "--root", self.folder, "--sassim", self.command,
                                   "--config", "t4"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{path}: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    unittest.main()
