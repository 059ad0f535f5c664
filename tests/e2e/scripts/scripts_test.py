# SPDX-License-Identifier: Apache-2.0
"""tools/quickstart and tools/test in one clone, in either order, and what they say when they cannot.

    scripts_test.py BUILD_FOLDER

The scripts, CMake's configuration and ctest are the real ones. Only compiling everything once more, which takes many
minutes, is cut short: a program named cmake in front of the real one builds one small test program, whatever is asked
for, and puts the command that was built before in its place.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()

CMAKE = """#!/bin/sh
echo "$*" >>"{log}"
[ "$1" = --build ] || exec "{cmake}" "$@"
mkdir -p build/release
ln -sf "{build}/sassim" build/release/sassim
exec "{cmake}" --build --preset release --target test_unit_base
"""


def copy_tree(target):
    """What a clone has: the files that git tracks, and those that it soon will."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    if listed.returncode != 0:  # a tree without git
        shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns("build", ".git"))
        return
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


class ScriptsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="sassim-scripts-"))
        cls.clone = cls.folder / "clone"
        copy_tree(cls.clone)
        front = cls.folder / "front"
        front.mkdir()
        cls.log = cls.folder / "cmake.log"
        (front / "cmake").write_text(CMAKE.format(log=cls.log, cmake=shutil.which("cmake"), build=BUILD))
        (front / "cmake").chmod(0o755)
        cls.environment = {**os.environ, "PATH": f"{front}:{os.environ['PATH']}"}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def setUp(self):
        shutil.rmtree(self.clone / "build", ignore_errors=True)
        self.log.write_text("")

    def run_script(self, name, *arguments, environment=None):
        return subprocess.run([str(self.clone / "tools" / name), *arguments], cwd="/", capture_output=True, text=True,
                              env=environment or self.environment, check=False, timeout=300)

    def quickstart(self):
        done = self.run_script("quickstart", "--no-install")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("sgemm_tiled", done.stdout)
        self.assertIn("--target product", self.log.read_text(), "the README needs the command, the runtime and Python")

    def tests_run(self):
        done = self.run_script("test", "--no-install", "-R", "^Suggest\\.")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"100% tests passed, 0 tests failed out of [1-9]")

    def unbuilt_tests_fail(self):
        listed = subprocess.run(["ctest", "--preset", "release", "-L", "unit", "-E", "^(Layers|Lengths|Names|Paths)$"], cwd=self.clone,
                                capture_output=True, text=True, check=False)
        self.assertNotEqual(listed.returncode, 0, listed.stdout + listed.stderr)
        self.assertRegex(listed.stdout, r"test_unit_isa_NOT_BUILT \(Not Run\)")
        self.assertNotIn("test_unit_base_NOT_BUILT", listed.stdout, "this one was built")

    def selecting_no_test_fails(self):
        done = self.run_script("test", "--no-install", "-R", "no_test_has_this_name")
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("No tests were found", done.stdout + done.stderr)

    def test_quickstart_then_test(self):
        self.quickstart()
        self.unbuilt_tests_fail()
        self.tests_run()
        self.selecting_no_test_fails()

    def test_test_then_quickstart_then_test(self):
        self.tests_run()
        self.quickstart()
        listed = subprocess.run(["ctest", "--preset", "release", "-N", "-R", "^Suggest\\."], cwd=self.clone,
                                capture_output=True, text=True, check=False)
        self.assertRegex(listed.stdout, r"Total Tests: [1-9]", "quickstart does not undo what tools/test configured")
        self.tests_run()

    def test_release_notes_are_the_section_of_the_changelog(self):
        notes = lambda *words, **more: subprocess.run([ROOT / "tools/release_notes", *words], capture_output=True, text=True,
                                                      env={**os.environ, **more}, check=False)
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        versions = [line.split()[1].rstrip(",") for line in changelog.splitlines() if line.startswith("## ")]
        sections = dict(zip(versions, ("\n" + changelog).split("\n## ")[1:]))
        for version in versions[1:]:
            self.assertEqual(notes(version).stdout.strip(), sections[version].partition("\n")[2].strip())
        self.assertEqual(notes().stdout, notes(versions[1]).stdout, "the version of CMakeLists.txt is the last one released")
        linked = notes(SASSIM_REPOSITORY="https://example.org/sassim").stdout
        self.assertIn(f"](https://example.org/sassim/blob/v{versions[1]}/docs/", linked)
        self.assertNotRegex(linked, r"\]\(docs/")
        unknown = notes("0.0.9")
        self.assertEqual((unknown.returncode, unknown.stdout), (1, ""))
        self.assertIn(" ".join(versions), unknown.stderr)

    def test_without_cmake_they_say_what_to_do(self):
        bare = self.folder / "bare"
        bare.mkdir()
        for program in ("bash", "dirname", "env", "sed"):
            (bare / program).symlink_to(shutil.which(program))
        for script in ("quickstart", "test"):
            done = self.run_script(script, "--no-install", environment={"PATH": str(bare)})
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertEqual(done.stderr, f"{script}: there is no cmake: run tools/{script} without --no-install, "
                                          "which installs it\n")

    def test_an_unknown_option_of_quickstart_is_refused(self):
        done = self.run_script("quickstart", "--no-instal")
        self.assertEqual((done.returncode, done.stderr), (2, "quickstart: unknown option '--no-instal' (try --help)\n"))


if __name__ == "__main__":
    unittest.main()
