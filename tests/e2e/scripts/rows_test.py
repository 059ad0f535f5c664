# SPDX-License-Identifier: Apache-2.0
"""tools/lab/accuracy --rows and tools/lab/three_gpus with a stand-in for the command: what they run, and what their pages say of it.

    rows_test.py
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Records one trace for each program (two for `twice`), and answers `run` with the result that is kept for the GPU. Notes its
# arguments, so that a test can see them.
SASSIM = """#!/usr/bin/env python3
import json, os, pathlib, sys
folder = pathlib.Path(os.environ["ANSWERS"])
arguments = sys.argv[1:]
with (folder / "calls").open("a") as calls:
    calls.write(" ".join(arguments) + "\\n")
after = lambda option: arguments[arguments.index(option) + 1]
if arguments[0] == "exec":
    (folder / "listings-of-exec").write_text(os.environ.get("SASSIM_LISTINGS", ""))
    traces = pathlib.Path(after("--save-traces"))
    traces.mkdir(parents=True)
    for i in range(2 if "twice" in arguments[-1] else 1):
        (traces / f"{i}.sast").touch()
elif "broken" in arguments[1]:
    sys.exit("sassim: this trace is broken")
else:
    answer = folder / (after("--config") + ".json")
    pathlib.Path(after("--json")).write_text(answer.read_text())
"""
ROWS = """
boards:
- {name: lively, generation: old, arch: sm_70, measured: launches in a row, settings: [clock.sm=1GHz], clock: 1000 MHz, source: here}
- {name: flushed, generation: old, arch: sm_70, measured: profiled, clock: 1200 MHz, source: there}
- {name: other, generation: new, arch: sm_75, measured: profiled, clock: 1 MHz, source: nowhere}
events:
- {kernel: add, program: add, arguments: "n=64", lively: 2.0}
- {kernel: add, program: add, arguments: "n=128", lively: 5.0}
profiles:
- {kernel: sum, program: sum, arguments: "", settings: [sm.count=5], flushed: 4000, l1: [1000, 3000], l2: [0, 100], dram: [0, 4000]}
"""

BOARDS = """
boards:
- {name: held, page: mine, arch: sm_70, measured: profiled, clocks: slow, clock: 500 MHz, source: here, worth: "Much.",
   first_contact: {sums: {rows: 2, mean: 9.5, bias: -1.5, worst: "-12.0 %, sum"}}}
- {name: held-host, page: mine, config: held, arch: sm_70, measured: host timer, weak: true, clock: 500 MHz, source: there}
profiles:
- {set: sums, kernel: sum, program: sum, arguments: "n=9", held: 20000, active: 9000, instructions: 800, l1_hit: 50, dram_bytes: 1000000, memory_pipe: 50}
- {set: sums, kernel: add, program: add, arguments: "n=9", held: 4000, instructions: 900, l1_hit: 10}
times:
- {set: hosts, kernel: add, program: add, arguments: "n=8 offset=3", held-host: 40.0}
not_compared:
- {board: held, set: others, rows: 7, why: too long}
"""


def kernel(cycles, **others):
    metrics = {"gpc__cycles_elapsed.max": cycles, "gpu__time_duration.sum": cycles * 1.0, "smsp__inst_executed.sum": 800,
               "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum": 1000,
               "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum": 3400,
               "lts__t_sectors_srcunit_tex_op_read.sum": 612, "dram__sectors_read.sum": 0, "dram__sectors_write.sum": 3000}
    return {"metrics": {**metrics, **others}}


class RowsTest(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="sassim-rows-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.clone = self.top / "clone"
        shutil.copytree(ROOT / "tools", self.clone / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        (self.clone / "validation/measured").mkdir(parents=True)
        (self.clone / "configs").mkdir()
        self.rows(ROWS)
        (self.clone / "validation/measured/t4-v100.yaml").write_text(BOARDS)
        for program in ("add", "sum", "twice"):
            path = self.clone / "build/validation/sm_70-shared" / program
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        self.sassim = self.top / "sassim"
        self.sassim.write_text(SASSIM)
        self.sassim.chmod(0o755)
        self.answer("lively", [kernel(9999), kernel(3000)], clock=1000)
        self.answer("flushed", [kernel(3000)], clock=1200)

    def rows(self, text):
        (self.clone / "validation/measured/volta-turing.yaml").write_text(text)

    def answer(self, gpu, kernels, clock=1000):
        resolved = {"clock": {"sm": clock * 1000000}, "sm": {"count": 2, "processing_blocks": 4}}
        (self.top / f"{gpu}.json").write_text(json.dumps({"config": {"resolved": resolved}, "kernels": kernels}))

    def run_tool(self, *arguments, tool="accuracy", status=0):
        done = subprocess.run([sys.executable, str(self.clone / "tools/lab" / tool), "--sassim", str(self.sassim), *arguments],
                              cwd=self.top, env={**os.environ, "ANSWERS": str(self.top)}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def calls(self, verb):
        lines = (self.top / "calls").read_text().splitlines()
        (self.top / "calls").unlink()
        return [line for line in lines if line.startswith(verb + " ")]

    def test_launches_in_a_row_count_the_second_one_in_microseconds(self):
        page = self.run_tool("--rows", "old", "--only", "lively").stdout
        self.assertIn("| add, n = 64 | 3.00 | 2.00 | +50.0 % |", page)
        self.assertIn("| add, n = 128 | 3.00 | 5.00 | -40.0 % |", page)
        self.assertIn("2 rows: mean error 45.0 %, 90th percentile 50.0 %, bias +5.0 %.", page)
        self.assertIn("Clock: 1000 MHz. Source: here.", page)
        self.assertNotIn("flushed", page)
        for call in self.calls("run"):
            self.assertEqual(call.split(" --config ")[0].count(".sast"), 2, "the first launch warms up")
            self.assertIn("--caches keep", call)
            self.assertIn("-o clock.sm=1GHz", call)

    def test_a_profile_counts_cycles_and_sectors_with_flushed_caches(self):
        page = self.run_tool("--rows", "old", "--only", "flushed", "-o", "sm.count=7").stdout
        # Errors of counters are relative to 2048 sectors at least: 512 more of 100 are a quarter of those.
        self.assertIn("| sum | 3000 | 4000 | -25.0 % | 1000 + 3400 (1000 + 3000) +10.0 % | 612 (0 + 100) +25.0 % | "
                      "0 + 3000 (0 + 4000) -25.0 % |", page)
        (call,) = self.calls("run")
        self.assertEqual(call.split(" --config ")[0].count(".sast"), 1)
        self.assertIn("--caches cold", call)
        self.assertLess(call.index("-o sm.count=5"), call.index("-o sm.count=7"), "what the command line says comes last")

    def board(self):
        """The page of a board whose two profiles take 15000 cycles, with the metrics that its rows ask for."""
        self.answer("held", [kernel(15000, **{
            "sm__cycles_active.avg": 9450, "l1tex__t_sector_hit_rate.pct": 52.5, "dram__bytes.sum": 800000, "sassim__dram_bytes_check.sum": 100000,
            "sassim__memory_stage_busy_cycles.sum": 12000, "launch__sm_count": 2, "sm__cycles_elapsed.max": 15000,
            "sassim__launch_overhead_cycles": 1000})], clock=500)
        return self.run_tool("--rows", "mine").stdout

    def test_a_board_is_compared_at_its_clocks_with_its_counters(self):
        page = self.board()
        self.assertIn("| sum, n = 9 | 15000 | 20000 | -25.0 % | 9450 / 9000 | 800 / 800 | 52.5 / 50.0 | 0.900 / 1.000 | 40.0 / 50.0 |", page)
        profiled = [call for call in self.calls("run") if "sum.n=9" in call]
        self.assertIn("--config held", profiled[0])
        self.assertIn("--clocks slow", profiled[0])

    def test_a_row_of_other_code_is_marked_and_counted_apart(self):
        page = self.board()
        self.assertIn("| add, n = 9 * | 15000 | 4000 | +275.0 % |", page)
        self.assertIn("| rows whose instructions are those that were measured | 1 | 25.0 % |", page)

    def test_sets_stand_beside_their_first_contact(self):
        self.assertIn("| sums | 2 | 150.0 % | +125.0 % | +275.0 %, add, n = 9 | 2 rows: 9.5 %, bias -1.5 %, worst -12.0 %, sum |", self.board())

    def test_counters_are_judged_in_long_rows_alone(self):
        page = self.board()
        self.assertIn("| L1 hit rate, % | 1 | 1 | 3 points | 2.5 points | +2.5 points |", page)
        self.assertIn("| DRAM with check bits, MB | 1 | 1 | 10 % | 10.0 % | -10.0 % |", page)
        self.assertIn("| memory pipes busy, % | 1 | 0 | 5 points | 10.0 points | -10.0 points |", page)

    def test_a_timer_of_the_host_sees_the_launch_and_is_in_no_mean_of_the_page(self):
        page = self.board()
        self.assertIn("| add, n = 8, offset = 3 | 32.00 | 40.00 | -20.0 % |", page)
        self.assertIn("**2 rows, mean error 150.0 %**", page)

    def test_a_line_is_the_same_among_few_rows_and_among_all(self):
        self.board()
        page = self.top / "page.md"
        self.run_tool("--rows", "mine", "--out", str(page))
        self.assertIn("1 rows compared with", self.run_tool("--rows", "mine", "--check", str(page), "--only", "held add").stdout)

    def test_rows_that_are_left_out_are_named(self):
        self.assertIn("| others | 7 | too long |", self.board())

    def test_a_trace_is_made_once_and_again_for_a_newer_program(self):
        for made in (1, 0):
            self.run_tool("--rows", "old", "--only", "flushed")
            self.assertEqual(len(self.calls("exec")), made)
        os.utime(self.clone / "build/validation/sm_70-shared/sum", (4e9, 4e9))
        self.run_tool("--rows", "old", "--only", "flushed")
        self.assertEqual(len(self.calls("exec")), 1)

    def test_a_board_may_have_programs_that_another_cuda_compiled(self):
        archive = self.clone / "validation/programs/prepared/ours.tar.xz"
        archive.parent.mkdir(parents=True)
        for name in ("programs/sum", "listings/1.sass"):
            file = self.top / name
            file.parent.mkdir()
            file.touch()
        with tarfile.open(archive, "w:xz") as content:
            for name in ("programs", "listings"):
                content.add(self.top / name, name)
        self.rows(ROWS.replace("{name: flushed,", "{name: flushed, prepared: ours,"))
        self.run_tool("--rows", "old", "--only", "flushed")
        unpacked = self.clone / "build/accuracy/prepared/ours"
        self.assertTrue(self.calls("exec")[0].endswith(f"-- {unpacked}/programs/sum"))
        self.assertEqual((self.top / "listings-of-exec").read_text(), f"{unpacked}/listings")
        self.run_tool("--rows", "old", "--only", "flushed")
        self.assertEqual(self.calls("exec"), [])
        os.utime(archive, (4e9, 4e9))
        self.run_tool("--rows", "old", "--only", "flushed")
        self.assertEqual(len(self.calls("exec")), 1)

    def test_rows_are_compared_with_a_page(self):
        page = self.top / "page.md"
        self.run_tool("--rows", "old", "--out", str(page))
        self.assertIn("3 rows compared", self.run_tool("--rows", "old", "--check", str(page)).stdout)
        self.answer("lively", [kernel(9999), kernel(3030)], clock=1000)
        moved = self.run_tool("--rows", "old", "--check", str(page), status=1).stdout
        self.assertIn("lively now: | add, n = 64 | 3.03 | 2.00 | +51.5 % |", moved)
        self.assertIn(f"3 rows compared with {page}: 2 differ", moved)
        self.assertIn(f"tools/lab/accuracy --rows old --out {page}", moved)
        self.assertIn("1 rows compared", self.run_tool("--rows", "old", "--check", str(page), "--only", "flushed").stdout)

    def test_what_is_wrong_is_said(self):
        def error(*arguments):
            return self.run_tool("--rows", *arguments, status=1).stderr
        self.assertIn("no rows of 'odl'; known: new, old, mine", error("odl"))
        self.assertIn("no row of 'old' has 'lovely' in its name", error("old", "--only", "lovely"))
        (self.clone / "build/validation/sm_70-shared/sum").unlink()
        self.assertIn("sum is missing: validation/build --arch sm_70 --cudart shared", error("old", "--only", "flushed"))
        self.rows(ROWS.replace("program: sum", "program: twice"))
        self.assertIn("exit status 0, 2 launches recorded, expected 0 and 1", error("old", "--only", "flushed"))

    def traces(self, names):
        for arch in ("sm_70", "sm_75", "sm_90"):
            folder = self.clone / "build/release/traces" / arch
            folder.mkdir(parents=True)
            for name in names:
                (folder / f"{name}.sast").touch()
        (self.clone / "build/release/traces/sm_70/alone.sast").touch()

    def side_by_side(self, dram):
        stall = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
        return kernel(1000, **{stall.format("selected"): 1.0, stall.format("wait"): 1.0, stall.format("barrier"): 3.0,
                               stall.format("drain"): 0.0, "sm__cycles_active.sum": 1000,
                               "l1tex__throughput.avg.pct_of_peak_sustained_active": 80.0,
                               "lts__throughput.avg.pct_of_peak_sustained_elapsed": 20.0,
                               "dram__throughput.avg.pct_of_peak_sustained_elapsed": dram})

    def test_three_gpus_side_by_side(self):
        self.traces(["one", "two"])
        for gpu, dram in (("t4", 90.0), ("v100", 30.0), ("h200", 10.0)):
            self.answer(gpu, [self.side_by_side(dram)])
        page = self.run_tool(tool="three_gpus").stdout
        # The L1's share is of the active cycles, half of those of two SMs. 800 instructions are a tenth of 8000 issue slots.
        waits = "barrier 75, wait 25"
        self.assertIn(f"| one | 1000 | 1.00 | DRAM 90 % | {waits} | 1000 | 1.00 | waiting, L1 40 % | {waits} | "
                      f"1000 | 1.00 | waiting, L1 40 % | {waits} |", page)
        self.assertIn("| two |", page)
        self.assertNotIn("| alone |", page)
        calls = self.calls("run")
        self.assertEqual(len(calls), 6)
        for gpu, arch in (("t4", "sm_75"), ("v100", "sm_70"), ("h200", "sm_90")):
            self.assertEqual(sum(f"{arch}/one.sast --config {gpu} " in call for call in calls), 1)

    def test_three_gpus_says_what_is_missing(self):
        self.assertIn("no trace in", self.run_tool(tool="three_gpus", status=3).stderr)
        self.traces(["broken"])
        self.assertIn("this trace is broken", self.run_tool(tool="three_gpus", status=1).stderr)


if __name__ == "__main__":
    unittest.main()
