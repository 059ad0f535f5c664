# SPDX-License-Identifier: Apache-2.0
"""tools/lab/accuracy and tools/lab/seal with a stand-in for the command: what the pages say follows from the numbers.

    accuracy_test.py
"""
import csv
import json
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Writes the result that the test keeps for the program and size; `model` says that everything goes at one instruction per cycle.
SASSIM = """#!/bin/bash
if [ "$1" = model ]; then while (($#)); do [ "$1" != --csv ] || printf 'model,ipc\\nm,1\\n' >"$2"; shift; done; exit; fi
echo "$*" >>"$RESULTS/commands"
while (($#)); do case $1 in --json) out=$2;; size=*) size=${1#size=};; --) program=$(basename "$2");; esac; shift; done
[ -e "$RESULTS/$program.$size.json" ] || { echo "sassim: no such kernel" >&2; exit 4; }
cp "$RESULTS/$program.$size.json" "$out"
"""
RESOLVED = {"sm": {"count": 2, "processing_blocks": 4}, "clock": {"sm": 1000, "dram": 1000}, "launch": {"latency": 100},
            "memory": {"dram": {"channels": 1, "bus_bits": 64, "beats_per_clock": 2}}}
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"


def launch(cycles, instructions=800, **others):
    metrics = {"gpc__cycles_elapsed.max": cycles, "sm__cycles_active.max": cycles - 100, "smsp__inst_executed.sum": instructions,
               "dram__bytes_read.sum": 16000, "dram__bytes_write.sum": 0,
               "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 1000, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 0,
               STALL.format("wait"): 3.0, STALL.format("long_scoreboard"): 6.0, STALL.format("selected"): 1.0,
               "sm__throughput.avg.pct_of_peak_sustained_elapsed": 20.0, "dram__throughput.avg.pct_of_peak_sustained_elapsed": 70.0,
               "launch__waves_per_multiprocessor": 5.0}
    metrics.update(others)
    return metrics


class AccuracyTest(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="sassim-accuracy-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.clone = self.top / "clone"
        shutil.copytree(ROOT / "tools", self.clone / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        for folder in ("development", "validation", "sealed"):
            (self.clone / "validation/programs/applications" / folder).mkdir(parents=True)
        (self.clone / "validation/results").mkdir()
        (self.clone / "build/bin").mkdir(parents=True)
        (self.clone / ".gitignore").write_text("build/\n__pycache__/\n")
        (self.top / "results").mkdir()
        self.sassim = self.clone / "build/sassim"
        self.sassim.write_text(SASSIM)
        self.sassim.chmod(0o755)

    def program(self, name, size, simulated, measured, folder="development", suffix=""):
        """A program with launches (kernel, metrics) on both sides; `simulated` None: it fails."""
        (self.clone / "validation/programs/applications" / folder / f"{name}.cu").touch()
        (self.clone / "build/bin" / name).touch()
        if simulated is not None:
            kernels = [{"name": kernel, "metrics": metrics} for kernel, metrics in simulated]
            result = {"config": {"name": "g", "hash": "0123456789abcdef00", "resolved": RESOLVED}, "kernels": kernels}
            (self.top / "results" / f"{name}.{size}.json").write_text(json.dumps(result))
        profiles = self.clone / "validation/measured/profiles" / f"g{suffix}"
        profiles.mkdir(parents=True, exist_ok=True)
        names = ["Kernel Name", "Block Size", "Grid Size", *measured[0][1]]
        with (profiles / f"{name}.{size}.csv").open("w", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerows([names, ["" for _ in names]])
            for kernel, metrics in measured:
                writer.writerow([f"{kernel}(int)", "(64, 1, 1)", "(4, 1, 1)", *metrics.values()])

    def run_tool(self, tool, *arguments, status=0):
        done = subprocess.run([sys.executable, str(self.clone / "tools/lab" / tool), "--config", "g", "--sassim", str(self.sassim), "--bin",
                               str(self.clone / "build/bin"), "--work", str(self.clone / "build/work"), *arguments], cwd=self.top,
                              env={**os.environ, "RESULTS": str(self.top / "results")}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def page(self):
        self.run_tool("accuracy", "--out", str(self.clone / "page.md"))
        return (self.clone / "page.md").read_text()

    def recorded(self, *columns):
        """Of each kernel in the table beside the page, these columns."""
        rows = csv.DictReader(lzma.decompress((self.clone / "page.csv.xz").read_bytes()).decode().splitlines())
        return [tuple(row[column] for column in columns) for row in rows]

    def test_launches_of_a_kernel_count_with_the_sum_of_their_cycles(self):
        # +100 % of 1000 and -10 % of 9000 cycles: 2000 + 8100 of 10000 are +1 %, where the mean of errors would say 45 %.
        self.program("p", "small", [("k", launch(2000)), ("k", launch(8100))], [("k", launch(1000)), ("k", launch(9000))])
        self.assertIn("| k (p, small) | 2 | 5050 | 5000 | +1.0 % | +1.0 % | exact |", self.page())

    def test_a_hit_rate_is_that_of_all_launches_together(self):
        hits, sectors = "lts__t_sectors_srcunit_tex_lookup_hit.sum", "lts__t_sectors_srcunit_tex.sum"
        # 910 of 1100 against 500 of 1000. The mean of the launches' rates would say 50 against 50.
        self.program("p", "small", [("k", launch(1000, **{hits: 10, sectors: 100})), ("k", launch(1000, **{hits: 900, sectors: 1000}))],
                     [("k", launch(1000, **{hits: 400, sectors: 800})), ("k", launch(1000, **{hits: 100, sectors: 200}))])
        self.assertIn("| L2 hit rate of the L1s' sectors, points | 1 | 0 | 0 (within 5) | +32.73 | 32.7 |", self.page())

    def test_headline_bias_and_percentiles(self):
        for name, cycles in (("a", 1100), ("b", 900), ("c", 700)):
            self.program(name, "small", [("k", launch(cycles))], [("k", launch(1000))])
        text = self.page()
        self.assertRegex(text, r"cold caches, elapsed \| 3 \| \*\*16\.7 %\*\* \| .* \| -10\.0 % \| 0\.885 \| 10\.0 % \| 30\.0 % \| 30\.0 % \| "
                               r"30\.0 % \(k \(c, small\)\)")
        self.assertIn("| four waves or more | 3 |", text)
        self.assertIn("| bound by DRAM | 3 |", text)
        self.assertNotIn("bound by compute", text)

    def test_the_interval_is_the_same_in_every_run_and_holds_the_mean(self):
        for i, cycles in enumerate((1100, 1050, 1200, 1010)):
            self.program(f"p{i}", "small", [("k", launch(cycles))], [("k", launch(1000))])
        text = self.page()
        self.assertEqual(text, self.page())
        row = next(line for line in text.splitlines() if "cold caches, elapsed" in line).split(" | ")
        low, high = (float(value.split()[0]) for value in row[3].split(" to "))
        self.assertTrue(1.0 <= low < 9.0 < high <= 20.0, row)

    def test_growth_from_small_to_large(self):
        self.program("p", "small", [("k", launch(1000))], [("k", launch(1000))])
        self.program("p", "large", [("k", launch(6000))], [("k", launch(5000))])
        self.assertIn("(1 kernels): mean error 20.0 %", self.page())

    def test_stall_reasons(self):
        wrong = {STALL.format("wait"): 8.0, STALL.format("long_scoreboard"): 1.0}
        self.program("p", "small", [("k", launch(1000, **wrong))], [("k", launch(1000))])
        text = self.page()
        self.assertIn("is 1.00 in the median", text)        # |8 - 3| + |1 - 6| of 10
        self.assertIn("right in 0 (0 %)", text)
        self.assertIn("right for the wrong reason: 1 (k (p, small))", text)

    def test_baselines(self):
        # Roofline: 16000 bytes at 16 bytes per cycle, or 800 instructions at 8 per cycle, and the launch.
        self.program("p", "small", [("k", launch(1000))], [("k", launch(1000, **{
            "smsp__inst_executed_op_global_ld.sum": 100, "launch__occupancy_limit_blocks": 2, "launch__occupancy_limit_registers": 2,
            "launch__occupancy_limit_shared_mem": 2, "launch__occupancy_limit_warps": 2}))])
        text = self.page()
        self.assertIn("| roofline | 1 | 10.0 % | +10.0 % |", text)
        self.assertIn("| volkov | 1 | 50.0 % | -50.0 % |", text)    # 800 instructions on 2 SMs at 1 per cycle, and the launch

    def test_a_program_that_fails_is_named(self):
        self.program("p", "small", None, [("k", launch(1000))])
        self.assertIn("Not compared: p small: sassim: no such kernel", self.page())

    def test_check_tells_a_changed_kernel_and_that_nothing_was_compared(self):
        self.program("p", "small", [("k", launch(1000))], [("k", launch(1000))])
        self.page()
        record = str(self.clone / "page.csv.xz")
        self.assertIn("1 kernels compared", self.run_tool("accuracy", "--check", record).stdout)
        self.program("p", "small", [("k", launch(1020))], [("k", launch(1000))])
        done = self.run_tool("accuracy", "--check", record, status=1)
        self.assertIn("k (p, small): 1020 cycles (+2.0 %), recorded: 1000 (exact)", done.stdout)
        self.run_tool("accuracy", "--check", record, "--programs", "q", status=3)

    def test_the_chart_has_a_point_for_each_kernel(self):
        self.program("p", "small", [("k<1>", launch(1000))], [("k<1>", launch(1000))])
        self.page()
        chart = (self.clone / "page.svg").read_text()
        self.assertEqual((chart.count("<circle"), chart.count("h0")), (1, 1))     # the legend's, and the kernel's

    def test_of_kept_caches_the_page_has_the_worst_kernels_and_the_table_all(self):
        self.program("q", "small", [("k", launch(1000))], [("k", launch(1000))])
        for i in range(26):
            self.program(f"p{i}", "small", [("k", launch(1000 + 10 * i))], [("k", launch(1000))], suffix="-full")
        text = self.page()
        self.assertIn("The 10 of the 26 kernels that err most", text)
        self.assertEqual([f"| k (p{i}, small) |" in text for i in range(26)], [False] * 16 + [True] * 10)
        self.assertEqual(len(self.recorded("program")), 27)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(self.clone), *arguments], check=True,
                       capture_output=True)

    def test_a_sealed_program_is_run_once(self):
        self.program("s", "small", [("k", launch(1300))], [("k", launch(1000))], "sealed", "-sealed")
        self.assertIn("is not a git repository", self.run_tool("seal", status=3).stderr)
        self.git("init", "-q")
        self.assertIn("commit first", self.run_tool("seal", status=3).stderr)
        self.git("add", "-A")
        self.git("commit", "-qm", "programs")
        self.run_tool("seal")
        ledger = self.clone / "validation/results/ledger.md"
        text = ledger.read_text()
        self.assertIn("| g | s | small | k | 1300 | 1000 |  | +30.0 % | +33.3 % | yes | DRAM | 0.00 | long_scoreboard | exact |", text)
        self.assertIn("1 kernels of 1 programs; 1 of them keep the GPU busy", text)
        self.assertIn("configuration `0123456789abcdef`", text)
        self.git("add", "-A")
        self.git("commit", "-qm", "ledger")
        self.assertIn("not in the ledger yet", self.run_tool("seal", status=3).stderr)
        self.assertEqual(ledger.read_text(), text)
        self.program("t", "small", [("k", launch(1000))], [("k", launch(1000))], "sealed", "-sealed")
        self.git("add", "-A")
        self.git("commit", "-qm", "another")
        self.run_tool("seal")
        self.assertTrue(ledger.read_text().startswith(text.rstrip()))
        self.assertEqual(ledger.read_text().count("| g | s |"), 1)

    def sealed(self, **changes):
        """Two sealed programs, committed; `changes` are of the first one's profile."""
        self.program("s", "small", [("k", launch(1300))], [("k", launch(1000, **changes))], "sealed", "-sealed")
        self.program("t", "small", [("k", launch(1000))], [("k", launch(1000))], "sealed", "-sealed")
        self.git("init", "-q")
        self.commit()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "programs")

    def test_a_sealed_run_that_was_killed_resumes(self):
        self.sealed()
        log = self.top / "runs"
        stand_in = SASSIM.replace('cp "', f'echo $program >>{log}; [ $program = s ] || [ -e {self.top}/go ] || {{ kill -9 $PPID; exit; }}\ncp "')
        self.sassim.write_text(stand_in)
        self.run_tool("seal", "--jobs", "1", status=-9)
        ledger = self.clone / "validation/results/ledger.md"
        self.assertFalse(ledger.exists())
        (self.top / "go").touch()
        self.run_tool("seal", "--jobs", "1")
        self.assertEqual(log.read_text().split(), ["s", "t", "t"])
        self.assertIn("2 kernels of 2 programs", ledger.read_text())

    def test_what_a_sealed_run_cannot_compare_is_in_the_ledger(self):
        self.sealed(**{"dram__bytes_read.sum": 1000, "dram__throughput.avg.pct_of_peak_sustained_elapsed": 1.0,
                       "launch__waves_per_multiprocessor": 1.0})
        self.program("u", "small", None, [("k", launch(1000))], "sealed", "-sealed")
        self.program("v", "small", [("k", launch(1000))], [("k", launch(1000))] * 2, "sealed", "-sealed")
        self.program("w", "small", [("k", launch(1000))], [("k", launch(1000))], "sealed", "-sealed")
        self.sassim.write_text(SASSIM.replace('cp "', '[ $program != w ] || exec sleep 100\ncp "'))
        self.commit()
        self.run_tool("seal", "--limit", "3")
        text = (self.clone / "validation/results/ledger.md").read_text()
        self.assertIn("| g | u | small | sassim: no such kernel | | | | failed |", text.replace("|  |", "| |").replace("|  |", "| |"))
        self.assertIn("| g | w | small | more than 3 s |", text)
        self.assertIn("Not compared: v small: 1 launches simulated, 2 measured.", text)
        self.assertIn("3 kernels of 3 programs; 2 of them keep the GPU busy", text)
        self.assertRegex(text, r"\| s \| small \| k \| 1300 \| 1000 \| .* \| no \| latency or launch \|")
        self.assertIn("| none of these four | 1 |", text)

    def test_a_sealed_profile_that_cannot_be_compared_is_refused_before_anything_runs(self):
        self.sealed()
        profile = self.clone / "validation/measured/profiles/g-sealed/t.small.csv"
        profile.write_text(profile.read_text().replace("gpc__cycles_elapsed.max", "other"))
        self.commit()
        self.assertIn("t.small.csv: the profile has no gpc__cycles_elapsed.max", self.run_tool("seal", status=3).stderr)
        self.assertFalse((self.clone / "validation/results/ledger.md").exists())

    def repeats(self, host, elapsed, caches="cold", metrics=(), **about):
        """A file of repeated profiles of kernel k of p; `metrics`: of others than cycles, the value of every repetition."""
        folder = self.clone / "validation/measured/profiles/g-repeats"
        folder.mkdir(exist_ok=True)
        lines = ["# " + json.dumps({"schema": "sassim-repeats/1", "host": host, "caches": caches, **about}),
                 "program,size,kernel,launches,metric,repetitions,values"]
        for metric, values in (("gpc__cycles_elapsed.max", elapsed), *metrics):
            lines.append(f"p,small,k,1,{metric},{len(elapsed)},{' '.join(map(str, values))}")
        (folder / f"{host}.{caches}.csv").write_text("\n".join(lines) + "\n")

    def test_kernels_with_fewer_repetitions_and_gpus_are_told(self):
        for size in ("small", "large"):
            self.program("p", size, [("k", launch(1030))], [("k", launch(1000))])
        self.repeats("a", [1010, 1020, 1060])
        self.repeats("b", [1100, 1100])
        with (self.clone / "validation/measured/profiles/g-repeats/a.cold.csv").open("a") as file:
            file.write("p,large,k,1,gpc__cycles_elapsed.max,4,1000 1010 1020 1030\n")
        self.assertIn("Measured 4 to 5 times on 1 to 2 GPUs (2 of 2 kernels)", self.page())

    def test_the_median_of_repetitions_is_the_measured_value(self):
        self.program("p", "small", [("k", launch(1030))], [("k", launch(1000))])
        self.repeats("a", [1010, 1020, 1060])
        self.repeats("b", [1100, 1100])
        text = self.page()
        # Medians of the hosts: 1020 and 1100; all: 1010 to 1100.
        self.assertIn("| k (p, small) | 1 | 1030 | 1060 | -2.8 % | -4.7 to +3.8 %, **noise exceeds error** | +3.3 % |", text)
        self.assertIn("Measured 5 times on 2 GPUs (1 of 1 kernels)", text)
        self.assertIn("within the interval for 1 kernels (100 %); the mean distance to the interval is 0.0 %. The noise exceeds the error of 1 kernels", text)
        self.assertIn("the GPUs' own medians are apart by 7.5 %", text)
        self.assertIn("differs from the median by 5.7 % in the mean (bias -5.7 %)", text)
        self.assertIn("| bound by DRAM | 1 |", text)
        self.assertEqual(self.recorded("simulated", "measured", "low", "high"), [("1030", "1060", "-4.7", "+3.8")])

    def test_a_run_is_of_the_kind_of_the_profiles_that_it_is_compared_with(self):
        self.program("p", "small", [("k", launch(1000))], [("k", launch(1000))])
        self.program("q", "small", [("k", launch(1000))], [("k", launch(1000))])
        self.program("p", "small", [("k", launch(1000))], [("k", launch(1000))], "sealed", "-sealed")
        self.repeats("a", [1000, 1010, 1020])
        (self.clone / "validation/measured/profiles/g-repeats/about.json").write_text('{"settings": ["sm.x=single"]}')
        log = self.top / "log"
        self.sassim.write_text(SASSIM.replace("#!/bin/bash\n", f'#!/bin/bash\n[ "$1" = model ] || echo "$*" >>{log}\n'))
        self.page()
        runs = {line.split("/")[-1]: line for line in reversed(log.read_text().splitlines())}
        self.assertIn("-o sm.x=single", runs["p size=small"])
        self.assertNotIn("-o sm.x", runs["q size=small"])
        record = str(self.clone / "page.csv.xz")
        self.assertEqual(self.recorded("program", "settings"), [("p", "sm.x=single"), ("q", "")])
        # A record is compared with runs like its own, whatever profiles have come since.
        log.unlink()
        self.repeats("b", [1000, 1010, 1020])
        (self.clone / "validation/measured/profiles/g-repeats/b.cold.csv").write_text(
            (self.clone / "validation/measured/profiles/g-repeats/b.cold.csv").read_text().replace("p,small", "q,small"))
        self.run_tool("accuracy", "--check", record)
        runs = {line.split("/")[-1]: line for line in log.read_text().splitlines()}
        self.assertIn("-o sm.x=single", runs["p size=small"])
        self.assertNotIn("-o sm.x", runs["q size=small"])
        log.unlink()
        self.git("init", "-q")
        self.commit()
        self.run_tool("seal")
        self.assertIn("-o sm.x=single", log.read_text())

    def test_cycles_and_counters_are_each_of_a_run_of_their_kind(self):
        # Of a single pass: cycles. Of many passes: what the counters say. The result of a changed configuration names the change.
        many = {"smsp__inst_executed_op_global_ld.sum": 100, **{f"launch__occupancy_limit_{what}": 2 for what in ("blocks", "registers", "shared_mem", "warps")}}
        for folder, suffix in (("development", ""), ("sealed", "-sealed")):
            self.program("p", "small", [("k", launch(1000))], [("k", launch(1000, **many))], folder, suffix)
        result = json.loads((self.top / "results/p.small.json").read_text())
        result["config"]["name"] = "g+sm.x=single"
        result["kernels"][0]["metrics"].update({"gpc__cycles_elapsed.max": 1500, STALL.format("wait"): 9.0, "dram__bytes_read.sum": 400000})
        (self.top / "results/single.json").write_text(json.dumps(result))
        self.sassim.write_text(SASSIM.replace('cp "$RES', '[[ $all != *sm.x=single* ]] || { cp "$RESULTS/single.json" "$out"; exit; }\ncp "$RES').replace(
            "#!/bin/bash\n", '#!/bin/bash\nall=$*\n[[ $1 != model || $* != *+* ]] || { echo "unknown configuration" >&2; exit 3; }\n'))
        self.repeats("a", [1500, 1500, 1500])
        (self.clone / "validation/measured/profiles/g-repeats/about.json").write_text('{"settings": ["sm.x=single"]}')
        text = self.page()
        self.assertIn("| k (p, small) | 1 | 1500 | 1500 | exact |", text)
        self.assertIn("is 0.00 in the median", text)
        self.assertIn("| DRAM bytes | 1 | 1 |", text)
        self.assertIn("| volkov | 1 |", text)
        self.assertIn("1 kernels compared", self.run_tool("accuracy", "--check", str(self.clone / "page.csv.xz")).stdout)
        self.git("init", "-q")
        self.commit()
        self.run_tool("seal")
        self.assertIn("| g | p | small | k | 1500 | 1500 | +0.0 to +0.0 % | exact | exact | yes | DRAM | 0.00 | long_scoreboard | exact |",
                      (self.clone / "validation/results/ledger.md").read_text())

    def test_the_residue_of_the_profiler_is_reported_both_ways(self):
        wrote = {"dram__bytes_write.sum": 640000}
        self.program("p", "small", [("k", launch(1000, **wrote))], [("k", launch(1000, **wrote))])
        self.program("q", "small", [("k", launch(1000))], [("k", launch(1000))])
        result = json.loads((self.top / "results/p.small.json").read_text())
        result["config"]["resolved"]["environment"] = {"flushed": 4096}
        (self.top / "results/p.small.json").write_text(json.dumps(result))
        result["kernels"][0]["metrics"].update({"gpc__cycles_elapsed.max": 960, "dram__bytes_write.sum": 320000})
        (self.top / "results/bare.json").write_text(json.dumps(result))
        log = self.top / "log"
        self.sassim.write_text(SASSIM.replace('cp "$RES', '[[ $all != *flushed=0* ]] || { cp "$RESULTS/bare.json" "$out"; exit; }\ncp "$RES').replace(
            "#!/bin/bash\n", f'#!/bin/bash\nall=$*\n[ "$1" = model ] || echo "$*" >>{log}\n'))
        text = self.page()
        for row in ("| all 2, with | 0.0 % | +0.0 % | 2 of 2 | 2 of 2 |", "| all 2, without | 2.0 % | -2.0 % | 1 of 2 | 1 of 2 |",
                    "| the 1 that it changes, without | 4.0 % | -4.0 % | 0 of 1 | 0 of 1 |"):
            self.assertIn(row, text)
        self.assertEqual(log.read_text().count("-o environment.flushed=0"), 1, "q writes nothing to DRAM")
        log.unlink()
        self.run_tool("accuracy", "--check", str(self.clone / "page.csv.xz"))
        self.assertNotIn("flushed", log.read_text())

    def test_too_few_repetitions_and_those_of_other_caches_change_nothing(self):
        self.program("p", "small", [("k", launch(1100))], [("k", launch(1000))])
        self.repeats("a", [500, 500])
        self.repeats("b", [500, 500, 500, 500], "keep")
        self.assertIn("| k (p, small) | 1 | 1100 | 1000 | +10.0 % | +11.1 % |", self.page())
        (self.clone / "validation/measured/profiles/g-repeats/a.cold.csv").write_text("nothing\n")
        self.assertIn("a.cold.csv:1: expected a comment", self.run_tool("accuracy", status=3).stderr)

    def test_packed_profiles_are_read_as_the_files_were(self):
        self.program("p", "small", [("k", launch(1000))], [("k", launch(1000))], suffix="-full")
        self.program("q", "small", [("k", launch(1000))], [("k", launch(1000))])
        self.repeats("a", [1000, 1250, 1250], "full")
        profiles = self.clone / "validation/measured/profiles"
        (profiles / "g-full/about.json").write_text('{"cache_control": "full", "settings": ["environment.others_full=true"]}')
        before = self.page()
        self.pack()
        self.assertEqual(sorted(path.name for path in profiles.iterdir()), ["about.json", "g-full.tar.xz", "g-repeats.tar.xz", "g.tar.xz"])
        self.assertEqual(self.page(), before)
        packed = (profiles / "g-full.tar.xz").read_bytes()
        # What was measured since counts, beside the archive and in it.
        self.program("p", "small", None, [("k", launch(2000))], suffix="-full")
        (profiles / "g-full/about.json").write_text('{"cache_control": "full", "gpu": "another"}')
        after = self.page()
        self.assertIn("| k (p, small) | 1 | 1000 | 1625 |", after)
        self.assertIn("others_full=true", (self.top / "results/commands").read_text().splitlines()[-1], "a set that was measured again keeps its settings")
        self.pack("g-full")
        self.assertEqual(self.page(), after)
        self.assertEqual(json.loads((profiles / "about.json").read_text())["g-full"],
                         {"cache_control": "full", "gpu": "another", "settings": ["environment.others_full=true"]})
        # The same files give the same archive; with the caches in another state the settings do not hold.
        self.program("p", "small", None, [("k", launch(1000))], suffix="-full")
        (profiles / "g-full/about.json").write_text('{"cache_control": "none"}')
        self.pack("g-full")
        self.assertEqual((profiles / "g-full.tar.xz").read_bytes(), packed)
        self.assertEqual(json.loads((profiles / "about.json").read_text())["g-full"], {"cache_control": "none"})

    def test_damaged_archives_are_refused(self):
        self.program("p", "small", [("k", launch(1000))], [("k", launch(1000))])
        self.pack()
        archive = self.clone / "validation/measured/profiles/g.tar.xz"
        archive.write_bytes(archive.read_bytes()[:-40])
        self.assertIn("profiles/g.tar.xz: expected an archive that tools/lab/pack_profiles wrote", self.run_tool("accuracy", status=3).stderr)
        self.program("p", "small", None, [("k", launch(1000))])
        self.assertIn("profiles/g.tar.xz: expected", self.pack(status=3))
        self.assertIn("none: no such folder", self.pack("none", status=3))
        archive.unlink()
        (archive.parent / "about.json").write_text("{")
        self.assertIn("about.json: expected JSON", self.run_tool("accuracy", status=3).stderr)

    def pack(self, *sets, status=0):
        done = subprocess.run([sys.executable, str(self.clone / "tools/lab/pack_profiles"), *sets], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def test_goals_stand_beside_what_was_measured(self):
        wrong = {STALL.format("wait"): 4.0, STALL.format("long_scoreboard"): 5.0, "lts__t_sectors.sum": 2000}
        self.program("p", "small", [("k", launch(1040, **wrong))], [("k", launch(1000, **{"lts__t_sectors.sum": 1900}))])
        self.program("q", "small", [("k", launch(1100))], [("k", launch(1000))], suffix="-keep")
        text = self.page()
        for row in ("| mean error of elapsed cycles | at most 4.5 % | 4.0 % | reached |",
                    "| median distance of the stall distributions | at most 0.12 | 0.20 | missed |",
                    "| kernels whose top stall reason is right | at least 95.0 % | 100.0 % | reached |",
                    "| mean error of elapsed cycles | at most 5.5 % | 10.0 % | missed |",
                    "| bias of elapsed cycles, either way | at most 2.0 % | 10.0 % | missed |",
                    "| kernels with DRAM bytes within 10 % | at least 85.0 % | 100.0 % | reached |"):
            self.assertIn(row, text)

    def test_stalls_and_sectors_that_miss_their_goals(self):
        wrong = {STALL.format("wait"): 7.0, STALL.format("long_scoreboard"): 2.0, "lts__t_sectors.sum": 5000}
        self.program("p", "small", [("k", launch(1000, **wrong))], [("k", launch(1000, **{"lts__t_sectors.sum": 4000}))])
        text = self.page()
        self.assertIn("| median distance of the stall distributions | at most 0.12 | 0.80 | missed |", text)
        self.assertIn("| kernels whose top stall reason is right | at least 95.0 % | 0.0 % | missed |", text)
        self.assertIn("| kernels with all L2 sectors within 10 % | at least 90.0 % | 0.0 % | missed |", text)

    def test_stalls_are_medians_where_their_profile_was_repeated(self):
        wrong = {STALL.format("wait"): 8.0, STALL.format("long_scoreboard"): 1.0}
        self.program("p", "small", [("k", launch(1000, **wrong))], [("k", launch(1000))])
        folder = self.clone / "validation/measured/profiles/g-stalls"
        folder.mkdir(parents=True)
        for count, distance, said in ((1, "1.00", "(1 kernels)"), (2, "0.00", "(1 kernels, of which 1 have medians of 3 profiles)")):
            rows = [f"p,small,k,1,{STALL.format(reason)},{count},{' '.join([str(800 * cycles)] * count)}"
                    for reason, cycles in (("wait", 8), ("long_scoreboard", 1), ("selected", 1))]
            (folder / "a.cold.csv").write_text("\n".join(['# {"schema": "sassim-repeats/1", "host": "a", "caches": "cold"}',
                                                         "program,size,kernel,launches,metric,repetitions,values", *rows]) + "\n")
            text = self.page()
            self.assertIn(f"Why warps waited {said}", text)
            self.assertIn(f"is {distance} in the median", text)

    def test_counters_within_the_interval_of_repetitions(self):
        profile = [("k", launch(1000, **{"dram__bytes_read.sum": 400000}))]
        self.program("p", "small", [("k", launch(1000, **{"dram__bytes_read.sum": 300000}))], profile)
        reads = ("dram__bytes_read.sum", (290000, 400000, 410000)), ("dram__bytes_write.sum", (0, 0, 0))
        self.repeats("a", [1000, 1010, 1020], metrics=reads)
        self.assertIn("0 (within 10 %); 1 of 1 repeated ones with the interval", self.page())
        self.repeats("a", [1000, 1010, 1020], metrics=(reads[1], ("dram__bytes_read.sum", (310000, 400000, 410000))))
        self.assertIn("0 (within 10 %); 0 of 1 repeated ones with the interval", self.page())

    def test_kept_caches_are_simulated_and_compared_as_they_were_when_the_program_started(self):
        self.program("p", "small", [("k", launch(1000))], [("k", launch(1000))], suffix="-full")
        (self.clone / "validation/measured/profiles/g").mkdir()
        (self.clone / "validation/measured/profiles/g-full/about.json").write_text('{"settings": ["environment.others_full=true", "environment.profiled=3MiB"]}')
        self.repeats("a", [500, 500, 500], "keep")
        self.assertIn("| k (p, small) | 1 | 1000 | 1000 | exact | exact |", self.page())
        self.assertIn("--caches keep", (self.top / "results/commands").read_text())
        self.assertIn("-o environment.others_full=true -o environment.profiled=3MiB --", (self.top / "results/commands").read_text())
        self.repeats("b", [1000, 1250, 1250], "full")
        self.assertIn("| k (p, small) | 1 | 1000 | 1125 | -11.1 % | -11.1 to +11.1 % |", self.page(), "the profile is one more GPU")

    def test_repetitions_with_kept_caches_are_compared_among_each_other(self):
        self.program("p", "small", [("k", launch(1000, **{"dram__bytes_read.sum": 430000, "dram__bytes_write.sum": 0}))],
                     [("k", launch(1000, **{"dram__bytes_read.sum": 400000, "dram__bytes_write.sum": 0}))], suffix="-keep")
        (self.clone / "validation/measured/profiles/g").mkdir()
        self.repeats("b", [1000, 1000], "keep", metrics=(("dram__bytes_read.sum", (396000, 600000)), ("dram__bytes_write.sum", (0, 0))))
        text = self.page()
        self.assertIn("DRAM bytes of the 1 repeated kernels are within 10 % of what is measured for 100.0 %, and there or between the repetitions for "
                      "100.0 %. Of 3 repetitions on the GPU itself 0.0 % are within 10 % of the others' median, 33.3 % there or between the others.", text)
        self.assertIn("| DRAM bytes | 1 | 0 | 1 (within 10 %); 1 of 1 repeated ones with the interval | -4.23 % | 4.2 % |", text,
                      "the counter is the median of the GPUs, 449000")

    def test_sets_that_are_not_run_again_keep_section_and_headline(self):
        self.program("p", "small", [("k", launch(1100))], [("k", launch(1000))])
        self.program("q", "small", [("k", launch(1200))], [("k", launch(1000))], suffix="-full")
        self.page()
        self.program("q", "small", [("k", launch(1300))], [("k", launch(1000))], suffix="-full")
        self.run_tool("accuracy", "--caches", "full", "--out", str(self.clone / "page.md"))
        text = (self.clone / "page.md").read_text()
        self.assertEqual(text.count("| Development kernels, cold caches, elapsed | 1 | **10.0 %** |"), 1)
        self.assertEqual(text.count("| Development kernels, caches kept, elapsed | 1 | **30.0 %** |"), 1)
        cold, _, kept, *_ = text.split("\n## ")[2:]
        self.assertIn("From an earlier recording", cold)
        self.assertNotIn("From an earlier recording", kept)

    def test_only_some_sets_are_run(self):
        self.program("p", "small", [("k", launch(1100))], [("k", launch(1000))])
        self.program("v", "small", [("k", launch(1200))], [("k", launch(1000))], "validation", "-validation")
        self.page()
        self.program("v", "small", None, [("k", launch(1000))], "validation", "-validation")
        (self.top / "results/v.small.json").unlink()
        self.run_tool("accuracy", "--sets", "development", "--caches", "cold", "--out", str(self.clone / "page.md"))
        text = (self.clone / "page.md").read_text()
        self.assertIn("| k (v, small) | 1 | 1200 | 1000 | +20.0 %", text)
        self.assertIn("| Validation kernels, cold caches, elapsed | 1 | **20.0 %** |", text)
        self.assertEqual(text.count("From an earlier recording"), 5, "all but one")

    def test_reuse_renders_again_without_simulating(self):
        self.program("p", "small", [("k", launch(1100))], [("k", launch(1000))])
        text = self.page()
        self.sassim.write_text("#!/bin/bash\n[ $1 = model ] || exit 9\n")
        self.run_tool("accuracy", "--reuse", "--out", str(self.clone / "page.md"))
        self.assertEqual((self.clone / "page.md").read_text(), text)
        self.repeats("a", [1000, 1100, 1200])
        self.run_tool("accuracy", "--reuse", "--out", str(self.clone / "page.md"))
        self.assertIn("| k (p, small) | 1 | 1100 | 1100 | exact |", (self.clone / "page.md").read_text())


if __name__ == "__main__":
    unittest.main()
