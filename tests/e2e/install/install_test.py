# SPDX-License-Identifier: Apache-2.0
"""Commands find their data from any folder, built or installed, and write nothing that nobody asked for.

    install_test.py BUILD_FOLDER
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


def files_below(folder, without=()):
    found = set()
    for top, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in without]
        found |= {os.path.join(top, name) for name in files}
    return found


class DataTest(unittest.TestCase):
    """In an empty folder, with an empty home."""

    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="sassim-install-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.here = self.top / "here"
        self.here.mkdir()

    def run_program(self, program, *arguments, status=0, **variables):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SASSIM_", "XDG_"))}
        environment.update(variables)
        done = subprocess.run([str(program), *map(str, arguments)], cwd=self.here, capture_output=True, text=True,
                              check=False, timeout=240, env={**environment, "HOME": str(self.top / "home")})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def reads_all_its_data(self, program):
        """A published value, a stated one with its known gaps, prepared programs under the runtime, kept hardware."""
        stated = self.run_program(program, "validate", "--config", "t4", "--only", "t4.l2.size")
        self.assertIn("echo, a value of the configuration read back: 1 of 1 row within tolerance", stated.stdout)
        measured = self.run_program(program, "validate", "--config", "v100", "--prepared", "--only", "lat.i")
        self.assertRegex(measured.stdout, r"fitted, .*: \d+ of \d+ rows within tolerance", "the comments of keys are read")
        sass = self.run_program(program, "validate", "--config", "v100", "--only", "lat.fsetp")
        self.assertIn("1 of 1 row within tolerance", sass.stdout)
        out = self.top / "sweep"
        swept = self.run_program(program, "sweep", "--config", "h200", "--workload", "sfu", "--alpha", "0",
                                 "--warps", "8", "--models", "volkov", "--out", out)
        self.assertIn("simulator against hardware", swept.stdout)
        self.run_program(program, "run", ROOT / "traces/sm_70/vector_add.sast", "--config", "v100")
        self.assertEqual(files_below(self.here), set(), "nothing is written into the current folder unasked")


class BuildFolderTest(DataTest):
    def test_any_folder_will_do(self):
        before = files_below(ROOT, without=("build", ".git", "__pycache__"))
        self.reads_all_its_data(BUILD / "sassim")
        self.assertEqual(files_below(ROOT, without=("build", ".git", "__pycache__")), before)


class InstalledTest(DataTest):
    def setUp(self):
        super().setUp()
        self.prefix = self.top / "prefix"
        subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(self.prefix)], check=True,
                       stdout=subprocess.DEVNULL)
        self.program = self.prefix / "bin/sassim"
        self.data = self.prefix / "share/sassim"

    def test_it_finds_what_was_installed(self):
        self.reads_all_its_data(self.program)

    def test_the_commands_of_the_pages_work_in_the_installed_folder(self):
        """As the pages show them, in PREFIX/share/sassim, into which they write nothing."""
        before = files_below(self.prefix)
        ran = 0
        for page in ("docs/tutorial.md", "docs/ci.md", "docs/occupancy.md"):
            for block in re.findall(r"^```console$(.*?)^```$", (self.data / page).read_text(), flags=re.M | re.S):
                for command in re.findall(r"^\$ (.*)$", block, flags=re.M):
                    if "--what-if" in command:  # six seconds, and no other file than the rest
                        continue
                    command = command.replace("/tmp/", f"{self.here}/")
                    self.run_program("sh", "-c", f"cd '{self.data}' && {command}", PATH=f"{self.prefix}/bin:{os.environ['PATH']}")
                    ran += 1
        self.assertGreater(ran, 10)
        self.assertEqual(files_below(self.prefix), before)

    def test_every_gpu_that_was_measured_has_its_expected_error(self):
        done = self.run_program(self.program, "run", self.data / "traces/sm_75/vector_add.sast", "--config", "t4")
        self.assertRegex(done.stdout, r"Expected error of the cycles: \d")

    def test_the_python_package_runs_the_installed_command(self):
        package = self.prefix / "lib/sassim/python"
        if not package.exists():
            self.skipTest("the Python package was not built")
        trace = ROOT / "traces/sm_70/vector_add.sast"
        done = self.run_program("/usr/bin/python3", "-c", "import sassim; print(sassim.command()); "
                                f"print(sassim.run('{trace}', 'v100').cycles)", PYTHONPATH=str(package))
        command, cycles = done.stdout.split()
        self.assertEqual(command, str(self.program))
        self.assertGreater(int(cycles), 1000)

    # The source tree is there and has each of these: what is taken away from the installed program must be missed.
    def test_it_never_looks_into_the_tree_that_it_was_built_from(self):
        (self.data / "configs/chips/t4.yaml").unlink()
        self.assertIn("unknown configuration 't4'",
                      self.run_program(self.program, "config", "show", "t4", status=3).stderr)
        self.assertNotIn(str(ROOT), self.run_program(self.program, "config", "list").stdout)
        (self.data / "validation/measured/h200.json.xz").unlink()
        swept = self.run_program(self.program, "sweep", "--config", "h200", "--workload", "sfu", "--alpha", "0",
                                 "--warps", "4", "--models", "volkov", "--out", self.top / "sweep")
        self.assertNotIn("hardware", swept.stdout)
        shutil.rmtree(self.data / "validation")
        missed = self.run_program(self.program, "validate", "--config", "v100", "--only", "lat.i", status=3)
        self.assertIn(f"looked for {self.data}/validation;", missed.stderr)
        self.assertNotIn(str(ROOT), missed.stderr)
        shutil.rmtree(self.data)
        missed = self.run_program(self.program, "config", "list", status=3)
        self.assertIn(f"no configurations found in {self.data}/configs", missed.stderr)
        self.assertNotIn(str(ROOT), missed.stderr)

    def test_its_own_configuration_comes_first(self):
        config = self.data / "configs/chips/t4.yaml"
        text = config.read_text()
        self.assertIn("count: 40", text)
        config.write_text(text.replace("count: 40", "count: 7"))
        self.assertIn("count: 7\n", self.run_program(self.program, "config", "show", "t4").stdout)

    def test_folders_of_the_environment_come_before_its_own(self):
        mine = self.top / "mine"
        mine.mkdir()
        (self.data / "validation").rename(mine / "validation")
        self.assertIn("read back: 1 of 1 row within tolerance",
                      self.run_program(self.program, "validate", "--config", "t4", "--only", "t4.l2.size",
                                       SASSIM_VALIDATION=str(mine / "validation")).stdout)
        (mine / "t4.yaml").write_text("base: v100\nsample: none\nsm: {count: 3}\n")
        self.assertIn("count: 3\n", self.run_program(self.program, "config", "show", "t4", SASSIM_CONFIGS=str(mine)).stdout)

    def test_a_damaged_archive_is_an_error(self):
        archive = self.data / "validation/programs/prepared/programs.tar.xz"
        archive.write_bytes(archive.read_bytes()[:-1000])
        done = self.run_program(self.program, "validate", "--config", "v100", "--only", "lat.i", status=3)
        self.assertIn("prepared: damaged", done.stderr)
        self.assertEqual(files_below(self.top / "home"), set(), "nothing half unpacked stays")

    def test_recording_is_refused_before_anything_runs(self):
        done = self.run_program(self.program, "validate", "--config", "t4", "--record", status=2)
        self.assertIn("--record keeps results in a source tree", done.stderr)
        self.assertNotIn("running", done.stderr)


if __name__ == "__main__":
    unittest.main()
