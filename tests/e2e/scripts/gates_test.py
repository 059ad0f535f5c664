#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check, tools/lab/fuzz and tools/lab/pairs: what they hold, and that every parser is fuzzed."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
FUZZ = ROOT / "tests/fuzz"
LARGEST = 1_000_000


def parsers_of_sources():
    """(file of tests/fuzz/parsers, parser)."""
    return {(file.stem, name) for file in (FUZZ / "parsers").glob("*.cpp")
            for name in re.findall(r'^const Register \w+\(\s*"(\w+)"', file.read_text(), re.MULTILINE)}


class Parsers(unittest.TestCase):
    def test_every_parser_has_a_program_and_seeds(self):
        registered = parsers_of_sources()
        groups = re.findall(r"^sassim_fuzzers\((\w+) PARSERS ([a-z0-9_ ]+)", (FUZZ / "CMakeLists.txt").read_text(), re.MULTILINE)
        programs = {(group, name) for group, names in groups for name in names.split()}
        with tarfile.open(FUZZ / "seeds.tar.xz") as archive:
            seeds = {name.split("/")[0] for name in archive.getnames()}
        self.assertEqual(registered, programs)
        self.assertEqual({name for _, name in registered}, seeds)

    def test_seeds_are_small(self):
        with tarfile.open(FUZZ / "seeds.tar.xz") as archive:
            self.assertLess(sum(member.size for member in archive), LARGEST)

    def test_an_unknown_parser_is_refused(self):
        done = subprocess.run([ROOT / "tools/lab/fuzz", "nonsense"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such parser: nonsense; there are bundle, ", done.stderr)

    def test_the_page_has_a_row_for_each(self):
        page = (ROOT / "docs/robustness.md").read_text()
        for _, name in parsers_of_sources():
            self.assertIn(f"| `{name}` |", page)


@unittest.skipUnless(shutil.which("clang-format-14") and shutil.which("clang-tidy-14"),
                     "clang-format-14 and clang-tidy-14 are not here: tools/bootstrap --with-checks installs them")
class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("tools", "arch"):
            (self.root / name).mkdir()
        shutil.copy(ROOT / "tools/check", self.root / "tools/check")
        shutil.copy(ROOT / ".clang-format", self.root / ".clang-format")
        (self.root / "arch/old.cpp").write_text("int  old ;\n")
        self.git("init", "-q", "-b", "main")
        self.commit()

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments], cwd=self.root, check=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def check(self, *arguments):
        return subprocess.run([self.root / "tools/check", "--format-only", *arguments], capture_output=True, text=True)

    def test_changed_files_only(self):
        self.git("checkout", "-q", "-b", "branch")
        (self.root / "arch/new.cpp").write_text("int fine;\n")
        self.assertEqual(self.check().returncode, 0)
        (self.root / "arch/new.cpp").write_text("int  fine ;\n")
        self.commit()
        wrong = self.check()
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("arch/new.cpp", wrong.stderr)
        self.assertNotIn("arch/old.cpp", wrong.stderr)
        self.assertEqual(self.check("--fix").returncode, 0)
        self.assertEqual((self.root / "arch/new.cpp").read_text(), "int fine;\n")
        self.assertEqual(self.check().returncode, 0)

    def test_every_file_where_there_is_no_history(self):
        wrong = self.check()
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("arch/old.cpp", wrong.stderr)


COMMAND = """#!/bin/sh
echo {name} >>"{log}"
while [ $# -gt 1 ]; do [ "$1" != --host-json ] || echo '{host}' >"$2"; shift; done
exit {status}
"""


class Pairs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, name, seconds, status=0):
        host = json.dumps({"seconds": seconds, "warp_instructions": 3_000_000, "warp_instructions_per_second": 3_000_000 / seconds,
                           "command_seconds": seconds + 1, "command_warp_instructions_per_second": 3_000_000 / (seconds + 1),
                           "peak_rss_bytes": 50 << 20})
        file = self.folder / name
        file.write_text(COMMAND.format(name=name, log=self.folder / "log", host=host, status=status))
        file.chmod(0o755)
        return file

    def pairs(self, *words):
        return subprocess.run([ROOT / "tools/lab/pairs", *words], capture_output=True, text=True)

    def test_both_builds_run_in_turn_and_their_ratio_is_told(self):
        done = self.pairs(self.command("old", 2.0), self.command("new", 1.5), "--rounds", "3", "v100:a.sast")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"v100 a +2\.000 +1\.500 +0\.750 \(0\.75 to 0\.75\) +1\.50 +2\.00 +50 +50\n")
        self.assertEqual((self.folder / "log").read_text().split(), ["old", "new", "new", "old", "old", "new"])

    def test_what_cannot_be_compared_is_said(self):
        old = self.command("old", 2.0)
        failed = self.pairs(old, self.command("new", 1.5, status=4), "v100:a.sast")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("new run a.sast --config v100", failed.stderr)
        missing = self.pairs(old, self.folder / "none", "v100:a.sast")
        self.assertIn("No such file or directory", missing.stderr)
        self.assertEqual(self.pairs(old, old, "a.sast").returncode, 2)

    def test_accel_sim_runs_the_same_trace(self):
        accel = self.folder / "accel"
        accel.write_text(f'#!/bin/sh\ntouch litter\necho "$*" >"{self.folder}/accel.log"\necho "gpu_tot_sim_cycle = 4321"\n')
        accel.chmod(0o755)
        (self.folder / "a.config").touch()
        sassim = self.command("sassim", 1)

        def compared(kernels=1):
            kernel = {"metrics": {"gpc__cycles_elapsed.max": 4000}}
            (self.folder / "result").write_text(json.dumps({"kernels": [kernel] * kernels}))
            sassim.write_text('#!/bin/sh\nwhile [ $# -gt 1 ]; do '
                              f'[ "$1" != --json ] || cp "{self.folder}/result" "$2"; shift; done\n')
            return subprocess.run([ROOT / "tools/lab/pairs", "--accel-sim", f"{accel} -config a.config", sassim, "v100", "."],
                                  cwd=self.folder, capture_output=True, text=True)

        done = compared()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"sassim \d+\.\d\d \(4000 cycles\), Accel-Sim \d+\.\d\d \(4321 cycles\): ")
        self.assertEqual((self.folder / "accel.log").read_text(), f"-config {self.folder}/a.config -trace {self.folder}/kernelslist.g\n")
        self.assertFalse((self.folder / "litter").exists(), "it leaves files where it runs")
        self.assertIn("Accel-Sim simulated 1 kernels of 2", compared(2).stderr)
        accel.write_text("#!/bin/sh\n")
        done = compared()
        self.assertEqual(done.returncode, 1)
        self.assertIn("it simulated no kernel", done.stderr)

    def test_the_costs_of_the_command_are_measured(self):
        done = subprocess.run([ROOT / "tests/benchmarks/command", self.command("sassim", 2.0), "v100:a.sast", "--threads", "1,3"],
                              capture_output=True, text=True, env={**os.environ, "PATH": f"{self.without_valgrind()}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"v100 a +1 +1\.500 +1\.000 +50\nv100 a +3 +1\.500 +1\.000 +50\n\n"
                                      r"start, milliseconds: t4 1000, v100 1000, h200 1000\n")

    def without_valgrind(self):
        for name in ("python3", "sh", "env"):
            (self.folder / "bin").mkdir(exist_ok=True)
            (self.folder / "bin" / name).symlink_to(shutil.which(name))
        return self.folder / "bin"


if __name__ == "__main__":
    unittest.main()
