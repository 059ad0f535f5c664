# SPDX-License-Identifier: Apache-2.0
"""The Python package: what it gives is what the command says."""
import csv
import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import sassim
from sassim import _native

COMMAND = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[3]
TRACE = pathlib.Path(COMMAND).parent / "traces/sm_75/add_sums.sast"
SPMV = TRACE.parents[1] / "sm_70/spmv_scalar.sast"


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = pathlib.Path(cls.folder.name) / "result.json"
        subprocess.run([COMMAND, "run", TRACE, TRACE, "--config", "t4", "-o", "l1.hit_latency=40", "--json", cls.file],
                       check=True, stdout=subprocess.DEVNULL)
        cls.json = json.loads(cls.file.read_text())
        cls.result = sassim.run([TRACE, TRACE], "t4", {"l1.hit_latency": 40})

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_command_is_the_one_of_this_build(self):
        self.assertTrue(os.path.samefile(sassim.command(), COMMAND))

    def test_every_metric_is_that_of_the_json_file(self):
        self.assertEqual(len(self.result.metrics), 2)
        for number, kernel in enumerate(self.json["kernels"]):
            row = self.result.metrics.iloc[number]
            self.assertEqual(set(row.index), set(kernel["metrics"]))
            for name, value in kernel["metrics"].items():
                self.assertEqual(row[name], value, name)
        self.assertEqual(self.result.metrics.attrs["units"]["gpc__cycles_elapsed.max"], "cycle")
        self.assertEqual(self.result.cycles,
                         sum(kernel["metrics"]["gpc__cycles_elapsed.max"] for kernel in self.json["kernels"]))

    def test_lines_and_stalls_add_up(self):
        lines = self.result.lines
        for number, kernel in enumerate(self.json["kernels"]):
            own = lines[lines["kernel"] == number]
            self.assertEqual(list(own["pc"]), [line["pc"] for line in kernel["lines"]])
            self.assertEqual(list(own["executed"]), [line["executed"] for line in kernel["lines"]])
            self.assertTrue(all(own["sass"]))
            cycles = own[[name for name in self.result.stalls.columns if name in own]].to_numpy().sum()
            self.assertEqual(cycles, self.result.stalls.iloc[number].sum())

    def test_lines_have_the_columns_of_csv_source(self):
        path = pathlib.Path(self.folder.name) / "source.csv"
        subprocess.run([COMMAND, "run", TRACE, TRACE, "--config", "t4", "-o", "l1.hit_latency=40", "--csv-source", path],
                       check=True, stdout=subprocess.DEVNULL)
        with path.open(encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        lines = self.result.lines
        self.assertEqual(len(rows), len(lines))
        names = ["pc", "sass", "control", "file", "line", "executed", "threads", "requests", "sectors", "ideal_sectors",
                 "passes", "ideal_passes"]
        for name in names:
            # A spreadsheet would take @P0 EXIT for a formula: the file has '@P0 EXIT.
            self.assertEqual([row[name].removeprefix("'") for row in rows], [str(value) for value in lines[name]], name)
        self.assertEqual([row["waits_for"] for row in rows],
                         [" ".join(map(str, pcs)) for pcs in lines["waits_for"]])

    def test_what_bounds_each_kernel(self):
        self.assertEqual(list(self.result.bound),
                         [kernel["bound"]["sentence"] for kernel in self.json["kernels"]])

    def test_labels_are_those_of_the_json_file(self):
        self.assertEqual(self.result.config_name, self.json["config"]["name"])
        self.assertEqual(self.result.config, self.json["config"]["resolved"])
        self.assertEqual(self.result.version, sassim.__version__)
        self.assertEqual(self.result.caches, "cold")
        self.assertTrue(self.result.complete)
        self.assertEqual(self.result.kernels[0].trace_hash, self.json["kernels"][0]["trace_hash"])
        self.assertEqual(sassim.Result.read(self.file).cycles, self.result.cycles)

    def test_figures_are_drawn(self):
        for figure in (self.result.plot_stalls(), self.result.plot_lines()):
            bars = figure.axes[0].patches
            self.assertGreater(len(bars), 2)
            figure.savefig(pathlib.Path(self.folder.name) / "figure.png")
        widths = [bar.get_width() for bar in self.result.plot_stalls().axes[0].patches]
        self.assertAlmostEqual(sum(widths), 200, places=3, msg="two kernels of 100 %")


class InProcess(unittest.TestCase):
    """Traces run in this process, unless the library is missing or something else was asked for."""

    def without_library(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        shutil.copytree(pathlib.Path(sassim.__file__).parent, pathlib.Path(folder.name) / "sassim",
                        ignore=shutil.ignore_patterns("_library.*", "__pycache__"))
        return folder.name

    def run_without_library(self, code, **variables):
        return subprocess.run([sys.executable, "-c", f"import sassim\n{code}"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": self.without_library(), **variables})

    def test_no_process_is_started(self):
        before = subprocess.run
        self.addCleanup(setattr, subprocess, "run", before)
        subprocess.run = lambda *_, **__: self.fail("a process was started")
        self.assertGreater(sassim.run(TRACE, "t4").cycles, 1000)

    def test_the_result_is_that_of_the_command(self):
        for options in ({}, {"caches": "keep", "threads": 2}, {"allow_arch_mismatch": True}):
            inside, outside = (sassim.run([TRACE, TRACE], "t4", {"l2.latency": 90}, in_process=where, **options)
                               for where in (True, False))
            self.assertTrue(inside.metrics.equals(outside.metrics))
            self.assertTrue(inside.lines.equals(outside.lines))
            for label in ("config_name", "config_hash", "config", "version", "commit", "caches", "complete"):
                self.assertEqual(getattr(inside, label), getattr(outside, label), label)

    def test_a_timeout_ends_the_run(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            sassim.run([SPMV] * 50, "v100", timeout=0.2)

    def test_without_the_library_the_command_runs_and_a_warning_says_why(self):
        done = self.run_without_library(f"print(sassim.run('{TRACE}', 't4').cycles)", SASSIM_COMMAND="")
        self.assertNotEqual(done.returncode, 0, "the copy is in no build folder, and has no command either")
        self.assertIn("$SASSIM_COMMAND", done.stderr)
        self.assertRegex(done.stderr, r"libsassim cannot be loaded \(.*\): build the target sassim_python")
        done = self.run_without_library(f"print(sassim.run('{TRACE}', 't4').cycles)",
                                        PATH=f"{os.path.dirname(COMMAND)}:{os.environ['PATH']}")
        self.assertEqual(int(done.stdout), sassim.run(TRACE, "t4").cycles)
        self.assertIn("traces run in processes of the command", done.stderr)

    def test_who_asks_for_the_library_is_told_that_it_is_missing(self):
        done = self.run_without_library(f"sassim.run('{TRACE}', 't4', in_process=True)")
        self.assertIn("InputError: libsassim cannot be loaded", done.stderr)


class Errors(unittest.TestCase):
    def test_each_status_is_a_class_with_the_message_of_the_command(self):
        for kind, status, words, work in (
                (sassim.InputError, 3, "/nowhere.sast", lambda: sassim.run("/nowhere.sast", "t4")),
                (sassim.InputError, 3, "l1.sise", lambda: sassim.run(TRACE, "t4", {"l1.sise": 1})),
                (sassim.UsageError, 2, "--caches", lambda: sassim.run(TRACE, "t4", caches="warmish")),
                (sassim.InputError, 3, "--allow-arch-mismatch", lambda: sassim.run(TRACE, "v100")),
                (sassim.InputError, 3, "cannot be read", lambda: sassim.Result.read("/nowhere.json"))):
            with self.assertRaises(kind) as caught:
                work()
            self.assertEqual(caught.exception.status, status)
            self.assertIn(words, str(caught.exception))
            self.assertFalse(str(caught.exception).startswith("sassim:"))
            self.assertIsInstance(caught.exception, sassim.SassimError)

    def test_names_that_look_like_options_are_names(self):
        with tempfile.TemporaryDirectory() as folder:
            here = os.getcwd()
            self.addCleanup(os.chdir, here)
            os.chdir(folder)
            shutil.copy(TRACE, "--help")
            pathlib.Path("--version.yaml").write_text("base: t4\n")
            run = sassim.run("--help", "--version.yaml", {"l1.hit_latency": 40})
            self.assertEqual([len(run.kernels), run.config_name], [1, "--version+l1.hit_latency=40"])
            study = sassim.explore(["--help"], "--version.yaml", {"l2.latency": [60, 90]}, out="--out", jobs=1)
            self.assertEqual(list(study.points["status"]), ["done", "done"])
            self.assertTrue(os.path.isdir("--out"))
            for wrong, words in ((lambda: sassim.run("--json", "t4"), "--json: no such trace"),
                                 (lambda: sassim.run("--help", "--nothing"), "unknown configuration '--nothing'"),
                                 (lambda: sassim.run("--help", "t4", {"--json": "x"}), "unknown key '--json'"),
                                 (lambda: sassim.explore("--help", "t4", {"--json": [1]}), "'--json'"),
                                 (lambda: sassim.execute(["--json"], "t4"), "--json: no such program"),
                                 (lambda: sassim.run("--help", "t4", caches="--json"), "--json")):
                with self.assertRaises(sassim.SassimError) as caught:
                    wrong()
                self.assertIn(words, str(caught.exception))
            os.chdir(here)

    def test_a_result_without_an_end_is_refused(self):
        with self.assertRaises(sassim.InputError) as caught:
            sassim.Result.read("/dev/zero")
        self.assertIn("no end after 256 MiB, the limit for a result", str(caught.exception))

    def test_no_progress_has_a_class_of_its_own(self):
        with self.assertRaises(sassim.NoProgress):
            sassim._command.call(["run", str(TRACE), "--config", "t4", "--max-cycles", "10"])


class Studies(unittest.TestCase):
    def test_explore_gives_a_row_per_point(self):
        study = sassim.explore(TRACE, "t4", {"l2.latency": [60, 90], "l1.hit_latency": [32, 40]}, jobs=1)
        self.assertEqual(len(study.points), 4)
        self.assertEqual(study.keys, ["memory.l2.latency", "sm.l1.hit_latency"])
        self.assertTrue((study.points["status"] == "done").all())
        self.assertGreater(study.points["gpc__cycles_elapsed.max"].min(), 0)
        self.assertEqual(len(study.plot().axes[0].lines), 2, "a line per value of the other key")

    def test_a_point_that_fails_is_a_row(self):
        study = sassim.explore(TRACE, "t4", {"l2.size": ["4MiB", "4097KiB"]}, jobs=1)
        self.assertEqual(sorted(study.points["status"]), ["done", "failed"])

    def test_sweep(self):
        swept = sassim.sweep("t4", workload="sfu", alpha="0,8", warps="4,8", models="all", jobs=1)
        self.assertEqual(len(swept.points), 4)
        self.assertFalse(swept.errors.empty)
        self.assertEqual(len(swept.plot().axes[0].lines), 2)


class Package(unittest.TestCase):
    def test_the_example_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, ROOT / "python/examples/cache_size.py", SPMV, "v100", folder],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"spmv_scalar\S* on v100: \d+ cycles")
            self.assertEqual(sorted(os.listdir(folder)), ["lines.png", "sizes.png", "stalls.png"])

    def test_types_are_declared_for_what_there_is(self):
        package = pathlib.Path(sassim.__file__).parent
        self.assertTrue((package / "py.typed").exists())
        stub = (package / "_native.pyi").read_text()
        for name in dir(_native):
            if name.startswith("_"):
                continue
            self.assertRegex(stub, rf"(?m)(class|def) {name}\b|^{name}: ", name)
            if inspect.isclass(getattr(_native, name)):
                body = re.search(rf"class {name}:\n(.*?)(?=\n\w|\Z)", stub, re.S).group(1)
                declared = set(re.findall(r"def (\w+)", body))
                self.assertEqual(declared, {member for member in dir(getattr(_native, name)) if not member.startswith("_")})
        for name in sassim.__all__:
            function = getattr(sassim, name)
            if inspect.isfunction(function):
                self.assertIn("return", function.__annotations__, name)


class Data(unittest.TestCase):
    """Units, series, comparisons, validation, and what notebooks show."""

    @classmethod
    def setUpClass(cls):
        cls.before = sassim.run(ROOT / "tests/data/planted/bank_conflicts.sast", "t4")
        cls.after = sassim.run(ROOT / "tests/data/planted/mended/bank_conflicts.sast", "t4")

    def test_values_have_units(self):
        size = self.before.key("l1.size")
        self.assertEqual((size, size.unit, size.to("KiB"), repr(size)), (98304, "byte", 96, "98304 byte"))
        self.assertEqual(self.before.key("clock.sm").to("MHz"), 1590)
        self.assertEqual(self.before.key("launch.latency").unit, "cycle")
        self.assertEqual(self.before.key("sm.count"), 40)
        time = self.before.metric("gpu__time_duration.sum")
        self.assertAlmostEqual(time.to("us") * 1590, self.before.cycles, delta=2)
        for wrong in (lambda: size.to("MHz"), lambda: self.before.key("latency_of_nothing"), lambda: self.before.metric("cycles")):
            self.assertRaises(sassim.UsageError, wrong)

    def test_series_add_up(self):
        run = sassim.run(TRACE, "t4", series=True)
        series = run.series()
        self.assertEqual(series["smsp__inst_executed.sum"].sum(), run.metric("smsp__inst_executed.sum"))
        self.assertEqual(series.index.name, "cycle")
        self.assertRaises(sassim.UsageError, self.before.series)

    def test_before_and_after(self):
        change = sassim.compare(self.before, self.after, fail_if=["cycles > +2%"])
        row = change.kernels.iloc[0]
        self.assertEqual((row["cycles_before"], row["cycles_after"]), (self.before.cycles, self.after.cycles))
        self.assertEqual(change.broken, [])
        conflicts = change.metrics.set_index("name").loc["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"]
        self.assertGreater(conflicts["before"], 0)
        self.assertEqual(conflicts["after"], 0)
        self.assertEqual(change.causes.iloc[0]["name"], "bank_conflicts")
        worse = sassim.compare(self.after, self.before, fail_if=["cycles > +2%"])
        self.assertEqual(len(worse.broken), 1)
        self.assertIn("beyond 'cycles > +2%'", worse.broken[0])

    def test_validation(self):
        rows = sassim.validate("t4", only="t4.l2.size").targets.set_index("id")
        self.assertEqual(rows.loc["t4.l2.size", "simulated"], 4096)

    def test_limits_are_held_as_by_the_command(self):
        traces = [ROOT / "tests/data/planted/bank_conflicts.sast", ROOT / "tests/data/planted/fp64.sast"]
        checked = sassim.check(ROOT / "tests/data/planted/limits.yaml", traces=traces)
        self.assertEqual(checked.limits["held"].tolist(), [False, True, True])
        self.assertEqual(checked.limits.loc[0, ["gpu", "kernel", "limit"]].tolist(), ["t4", "bank_conflicts", "gpc__cycles_elapsed.max, at most 60000"])
        self.assertEqual(len(checked.broken), 1)
        self.assertIn(f"gpc__cycles_elapsed.max is {self.before.cycles}", checked.broken[0])
        self.assertIn("<table", checked._repr_html_())
        for wrong in ({}, {"program": ["./app"], "traces": traces}):
            self.assertRaises(sassim.UsageError, sassim.check, "limits.yaml", **wrong)

    def test_budgets_are_fixtures_of_pytest(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "conftest.py").write_text('pytest_plugins = ["sassim.pytest_plugin"]\n')
            (pathlib.Path(folder) / "test_kernels.py").write_text(f"""
import pathlib
planted = pathlib.Path({str(ROOT / "tests/data/planted")!r})
def test_held(budgets):
    budgets(planted / "limits.yaml", traces=[planted / "mended/bank_conflicts.sast", planted / "fp64.sast"])
def test_broken(budgets):
    budgets(planted / "limits.yaml", traces=[planted / "bank_conflicts.sast", planted / "fp64.sast"])
def test_simulated_once(simulate):
    first = simulate(planted / "fp64.sast", "t4")
    assert first is simulate(planted / "fp64.sast", "t4") and first is not simulate(planted / "fp64.sast", "t4", threads=2)
""")
            done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("1 failed, 2 passed", done.stdout)
        self.assertRegex(done.stdout, r"bank_conflicts: gpc__cycles_elapsed.max is \d+, limit: at most 60000")

    def test_notebooks_show_tables(self):
        shown = self.before._repr_html_()
        self.assertIn(f">{self.before.cycles}<", shown)
        self.assertIn("Bound by bank conflicts", shown)
        self.before.kernels  # the name of a kernel may be anything
        self.assertNotIn("<script", sassim.Result.parse(self.before.text.replace('"cold"', '"<script>"'))._repr_html_())

    def test_the_notebook_runs(self):
        book = json.loads((ROOT / "python/examples/tutorial.ipynb").read_text())
        cells = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
        self.assertGreater(len(cells), 6)
        here, names = os.getcwd(), {}
        os.chdir(ROOT)
        try:
            for cell in cells:
                exec(compile(cell, "tutorial.ipynb", "exec"), names)  # pylint: disable=exec-used
        finally:
            os.chdir(here)
        self.assertEqual(names["change"].broken, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
