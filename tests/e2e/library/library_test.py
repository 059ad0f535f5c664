# SPDX-License-Identifier: Apache-2.0
"""Programs outside the tree find the installed library with CMake, and get what the command says.

    library_test.py BUILD_FOLDER
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
TURING = BUILD / "traces/sm_75/add_sums.sast"
VOLTA = BUILD / "traces/sm_70/vector_add.sast"


def run(*words, status=0, cwd=None, **variables):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SASSIM_")}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, cwd=cwd,
                          env={**environment, **variables})
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="sassim-library-")
        cls.top = pathlib.Path(cls.folder.name)
        cls.prefix = cls.top / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        shutil.copytree(HERE / "example", cls.top / "example")
        cls.programs = cls.top / "build"
        run("cmake", "-S", cls.top / "example", "-B", cls.programs, f"-DCMAKE_PREFIX_PATH={cls.prefix}", "-GNinja")
        run("cmake", "--build", cls.programs)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def json_of_command(self, trace, config):
        file = self.top / "command.json"
        run(self.prefix / "bin/sassim", "run", trace, "--config", config, "--json", file)
        return file.read_bytes()

    def test_an_example_runs_and_observes(self):
        done = run(self.programs / "cache_sizes", VOLTA, "v100", "32KiB", "128KiB")
        self.assertRegex(done.stdout, r"(?s)^32KiB \d+ cycles, [\d.]+ % of L1 sectors hit\n128KiB \d+ cycles")
        self.assertRegex(done.stderr, r"launch 0, \d+ blocks of .*vector_add")
        told = [tuple(map(int, found)) for found in
                re.findall(r"cycles (\d+) to (\d+): (\d+) instructions", done.stderr.split("launch 0")[1])]
        self.assertGreaterEqual(len(told), 1)
        self.assertEqual(told[0][0], 0)
        file = self.top / "sized.json"
        run(self.prefix / "bin/sassim", "run", VOLTA, "--config", "v100", "-o", "l1.size=32KiB", "--json", file)
        self.assertIn(f'"smsp__inst_executed.sum":{sum(row[2] for row in told)},', file.read_text())

    def test_several_gpus_in_one_process_give_the_bytes_of_the_command(self):
        out = self.top / "several"
        out.mkdir()
        done = run(self.programs / "several_gpus", out, TURING, "t4", VOLTA, "v100")
        expected = [self.json_of_command(TURING, "t4"), self.json_of_command(VOLTA, "v100")]
        for way in ("first", "second", "thread", "together"):
            for number in (0, 1):
                self.assertEqual((out / f"{way}{number}.json").read_bytes(), expected[number], f"{way} {number}")
        errors = done.stdout.splitlines()
        for line, words in zip(errors, (r"^3 nowhere\.sast: ", r"^3 .*unknown configuration 'nothing'", r"^3 .*l1\.sise.*did you mean",
                                        r"^5 .*after 10 cycles", r"^2 no metric '.*mox' \(did you mean 'gpc__cycles_elapsed\.max'",
                                        r"^2 .*System::run", r"^2 .*two works", r"^the observer threw 42")):
            self.assertRegex(line, words)
        self.assertEqual(len(errors), 8)

    def test_a_platform_has_the_gpu_as_a_module_and_is_its_memory(self):
        lines = [run(self.programs / "platform", VOLTA, "v100", latency).stdout.splitlines() for latency in (100, 600)]
        (cycles, read), (later, _) = [map(int, re.match(r"(\d+) cycles, (\d+) bytes read, \d+ [pnu]?s$", first).groups())
                                      for first, _ in lines]
        self.assertGreater(later, cycles + 500)
        reads, writes, moved = map(int, re.match(r"(\d+) reads, (\d+) writes, (\d+) bytes", lines[0][1]).groups())
        self.assertGreater(reads, 0)
        self.assertEqual(writes, 0, "what the kernel writes stays in the L2")
        self.assertLessEqual(moved, read)
        self.assertGreater(moved, read - 1024, "all but what the launch reads before it starts")

    def test_only_its_own_names_are_visible(self):
        library = self.prefix / "lib/libsassim.so"
        names = [line.split(" ", 1)[1] for line in run("nm", "-DC", "--defined-only", "--format=posix", library).stdout.splitlines()
                 for line in [re.sub(r"^(.*) ([A-Za-z]) [0-9a-f]+.*$", r"\2 \1", line)]]
        self.assertEqual([name for name in names if "sc_main" in name], [])
        known = re.compile(r"^(sassim_library_of_version_\d+_\d+_\d+|(non-virtual thunk to |vtable for |typeinfo (name )?for |VTT for )?"
                           r"sassim::(Configuration|Trace|Metrics|Gpu|System|GpuModule|Error|Observer)\b.*)$")
        self.assertEqual([name for name in names if not known.match(name)], [])
        self.assertIn("sassim::Gpu::run(", "\n".join(names))

    def test_headers_need_no_other_file_of_the_tree(self):
        for header in sorted((self.prefix / "include/sassim").glob("*.h")):
            for name in re.findall(r'#include ["<]([^">]+)', header.read_text().split("#ifdef SASSIM_INSIDE")[0]):
                self.assertRegex(name, r"^(sassim/\w+\.h|\w+|tlm_utils/\w+\.h)$", header.name)
        names = {path.name for path in (self.prefix / "include/sassim").iterdir()}
        self.assertEqual(names, {"configuration.h", "error.h", "gpu.h", "gpu_module.h", "result.h", "sassim.h", "trace.h", "version.h"})

    def test_the_error_outside_is_the_error_inside(self):
        def definitions(text):
            text = text[text.index("enum class ExitStatus"):]
            text = text[:text.index("  ExitStatus status_;\n};")]
            return "".join(re.sub(r"//[^\n]*", "", text).split())
        self.assertEqual(definitions((ROOT / "include/sassim/error.h").read_text()),
                         definitions((ROOT / "sim/base/error.h").read_text()))

    def test_a_library_of_another_version_is_refused_by_name(self):
        other = self.top / "other"
        other.mkdir()
        soname = re.search(r"SONAME.*\[(.*)\]", run("readelf", "-d", self.prefix / "lib/libsassim.so").stdout).group(1)
        (other / "other.cpp").write_text('extern "C" const char sassim_library_of_version_99_0_0[] = "99.0.0";\n')
        run("c++", "-shared", "-fPIC", f"-Wl,-soname,{soname}", "-o", other / soname, other / "other.cpp")
        refused = run(self.programs / "cache_sizes", VOLTA, "v100", "32KiB", status=127, LD_LIBRARY_PATH=str(other))
        version = re.search(r'SASSIM_VERSION "(.*)"', (self.prefix / "include/sassim/version.h").read_text()).group(1)
        self.assertIn(f"undefined symbol: sassim_library_of_version_{version.replace('.', '_')}", refused.stderr)
        self.assertEqual(soname, "libsassim.so." + ".".join(version.split(".")[:2]))
        # And headers of another version do not link.
        headers = self.top / "headers/sassim"
        shutil.copytree(self.prefix / "include/sassim", headers)
        text = (headers / "version.h").read_text()
        (headers / "version.h").write_text(text.replace(f"of_version_{version.replace('.', '_')}", "of_version_98_0_0"))
        done = subprocess.run(["c++", "-std=c++17", f"-I{headers.parent}", str(HERE / "example/cache_sizes.cpp"), "-o", str(other / "x"),
                               f"-L{self.prefix}/lib", "-lsassim"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("sassim_library_of_version_98_0_0", done.stderr)

    def test_another_version_is_not_found_by_cmake(self):
        (self.top / "wants").mkdir()
        (self.top / "wants/CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(x LANGUAGES CXX)\n"
                                                       "find_package(sassim 98.1 REQUIRED)\n")
        done = subprocess.run(["cmake", "-S", self.top / "wants", "-B", self.top / "wants/build", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                              capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("98.1", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
