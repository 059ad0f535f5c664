#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sassim run --timeline, --konata and --vcd: what the files say is what the result says."""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import konata

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[3]
TRACES = [str(BUILD / "traces/sm_70" / name) for name in ("softmax.sast", "sgemm_tiled.sast")]


def read_vcd(path):
    """A value change dump: {signal's full name: [(time, value), ...]}"""
    names, changes, scope, time = {}, {}, [], 0
    with open(path, encoding="utf-8") as file:
        words = (word for line in file for word in line.split())
        for word in words:
            if word == "$scope":
                next(words)
                scope.append(next(words))
            elif word == "$upscope":
                scope.pop()
            elif word == "$var":
                next(words), next(words)
                key, name = next(words), next(words)
                names.setdefault(key, ".".join(scope + [name]))
                changes[names[key]] = []
            elif word in ("$comment", "$version", "$timescale", "$date"):
                while next(words) != "$end":
                    pass
            elif word[0] == "#":
                if int(word[1:]) < time:
                    raise ValueError(f"time goes back to {word}")
                time = int(word[1:])
            elif word[0] == "b":
                changes[names[next(words)]].append((time, int(word[1:], 2)))
            elif word[0] in "01":
                changes[names[word[1:]]].append((time, int(word[0])))
    if scope:
        raise ValueError("a scope is open at the end")
    return changes


def run(*arguments, status=0):
    done = subprocess.run([BUILD / "sassim", "run", "--config", "v100", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done


class Timeline(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.at = pathlib.Path(cls.folder.name)
        cls.files = ["--json", cls.at / "r.json", "--timeline", cls.at / "t.json", "--konata", cls.at / "k.log", "--vcd",
                     cls.at / "s.vcd"]
        run(*TRACES, *cls.files)
        cls.result = json.loads((cls.at / "r.json").read_text())
        cls.trace = json.loads((cls.at / "t.json").read_text())
        cls.rows = collections.defaultdict(list)
        for event in cls.trace["traceEvents"]:
            if event["ph"] == "X":
                cls.rows[event["pid"], event["tid"]].append(event)
        cls.names = {(e["pid"], e["tid"]): e["args"]["name"] for e in cls.trace["traceEvents"]
                     if e["ph"] == "M" and e["name"] == "thread_name"}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_watching_changes_no_result(self):
        plain = self.at / "plain.json"
        run(*TRACES, "--json", plain)
        watched = json.loads(json.dumps(self.result))
        for kernel in watched["kernels"]:
            del kernel["series"]
        self.assertEqual(json.loads(plain.read_text()), watched)

    def test_any_count_can_be_shown_over_time(self):
        chosen = ["sassim__warp_cycles_long_scoreboard.sum", "sassim__issue_slots_no_warp.sum", "sassim__dram_row_hits.sum",
                  "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"]
        run(*TRACES, "--json", self.at / "c.json", "--timeline", self.at / "c.trace", "--timeline-counters", ",".join(chosen))
        events = [e for e in json.loads((self.at / "c.trace").read_text())["traceEvents"] if e["ph"] == "C"]
        kernels = json.loads((self.at / "c.json").read_text())["kernels"]
        for name in chosen:
            values = [value for e in events if e["name"] == name for value in e["args"].values()]
            self.assertEqual(values, [value for kernel in kernels for value in kernel["series"]["counters"][name]], name)
            self.assertGreater(sum(value != 0 for value in values), 2, name)
            for kernel in kernels:
                self.assertEqual(sum(kernel["series"]["counters"][name]), kernel["metrics"][name], name)
        usual = [e for e in events if e["name"] not in chosen]
        self.assertEqual(usual, [e for e in self.trace["traceEvents"] if e["ph"] == "C"])

    def test_a_counter_that_cannot_be_shown_is_refused(self):
        for name, why in (("dram__bytes_raed.sum", "there is no such metric (did you mean 'dram__bytes_read.sum'?)"),
                          ("sm__cycles_active.max", "at the end of a launch only")):
            done = run(TRACES[0], "--timeline", self.at / "no.trace", "--timeline-counters", name, status=2)
            self.assertIn(f"--timeline-counters {name}: ", done.stderr)
            self.assertIn(why, done.stderr)
        done = run(TRACES[0], "--timeline-counters", "dram__bytes_read.sum", status=2)
        self.assertIn("--timeline-counters chooses what --timeline shows", done.stderr)

    def test_the_same_run_gives_the_same_bytes_with_any_threads(self):
        again = self.at / "again"
        again.mkdir()
        run(*TRACES, "--threads", 3, "--json", again / "r.json", "--timeline", again / "t.json", "--konata", again / "k.log",
            "--vcd", again / "s.vcd")
        for name in ("r.json", "t.json", "k.log", "s.vcd"):
            self.assertEqual((self.at / name).read_bytes(), (again / name).read_bytes(), name)

    def test_spans_of_a_row_do_not_overlap(self):
        for key, events in self.rows.items():
            events.sort(key=lambda e: e["ts"])
            for a, b in zip(events, events[1:]):
                self.assertLessEqual(a["ts"] + a["dur"], b["ts"], self.names.get(key))

    def test_the_states_of_a_warp_tile_its_life(self):
        checked = 0
        for (process, row), events in self.rows.items():
            if not self.names[process, row].endswith("state"):
                continue
            covered = collections.Counter()
            for life in self.rows[process, row - 1]:
                inside = [e for e in events if life["ts"] <= e["ts"] < life["ts"] + life["dur"]]
                self.assertEqual(sum(e["dur"] for e in inside), life["dur"])
                self.assertEqual(inside[0]["ts"], life["ts"])
                checked += 1
        self.assertGreater(checked, 100)

    def test_warps_and_blocks_are_those_of_the_metrics(self):
        warps = sum(e["dur"] for key, row in self.rows.items() if self.names[key].startswith("warp") and
                    not self.names[key].endswith("state") for e in row)
        self.assertEqual(warps, sum(k["metrics"]["sm__warps_active.sum"] for k in self.result["kernels"]))
        blocks = sum(len(row) for key, row in self.rows.items() if self.names[key].startswith("block"))
        self.assertEqual(blocks, sum(k["metrics"]["sm__ctas_launched.sum"] for k in self.result["kernels"]))

    def test_counters_are_those_of_the_metrics(self):
        for kernel in self.result["kernels"]:
            for name, values in kernel["series"]["counters"].items():
                self.assertEqual(sum(values), kernel["metrics"][name], name)
        dram = [e["args"] for e in self.trace["traceEvents"] if e["ph"] == "C" and e["name"] == "DRAM bytes"]
        self.assertEqual(sum(e["read"] for e in dram), sum(k["metrics"]["dram__bytes_read.sum"] for k in self.result["kernels"]))

    def test_kernels_follow_each_other(self):
        kernels = self.rows[1, 1]
        self.assertEqual([e["dur"] for e in kernels], [k["metrics"]["gpc__cycles_elapsed.max"] for k in self.result["kernels"]])

    def test_a_long_run_has_a_small_file(self):
        small = self.at / "small.json"
        run(*TRACES, "--timeline", small, "--timeline-spans", 6000)
        spans = [e for e in json.loads(small.read_text())["traceEvents"] if e["ph"] == "X"]
        self.assertLess(len(spans), 6000)
        self.assertGreater(len(spans), 1000)
        whole = sum(len(row) for row in self.rows.values())
        self.assertGreater(whole, 8000)  # so that something had to be joined
        self.assertTrue(any("longest of" in e.get("args", {}).get("shows", "") for e in spans))

    def test_a_window_and_sms_are_chosen(self):
        part = self.at / "part.json"
        run(*TRACES, "--timeline", part, "--window", "3000:4000", "--sms", "2,5", "--warps", "1", "--interval", 100)
        events = json.loads(part.read_text())["traceEvents"]
        spans = [e for e in events if e["ph"] == "X"]
        self.assertEqual({e["pid"] for e in spans}, {1, 12, 15})
        self.assertTrue(all(3000 <= e["ts"] and e["ts"] + e["dur"] <= 4000 for e in spans))
        states = {e["args"]["name"] for e in events if e["ph"] == "M" and "state" in str(e["args"].get("name"))}
        self.assertEqual(states, {"warp slot 1: state"})

    def test_konata_has_every_instruction_of_its_sm(self):
        instructions = konata.read(self.at / "k.log")
        self.assertGreater(len(instructions), 500)
        for instruction in instructions.values():
            stages = sorted(instruction.stages, key=lambda s: s[1])
            for a, b in zip(stages, stages[1:]):
                self.assertEqual(a[2], b[1], instruction.label)
            self.assertEqual((stages[0][1], stages[-1][2]), (instruction.begin, instruction.end))
            self.assertEqual([s[2] - s[1] for s in stages if s[0] == "issue"], [1])
        # A processing block issues one instruction in a cycle.
        issues = collections.Counter((i.thread % 4, s[1]) for i in instructions.values() for s in i.stages if s[0] == "issue")
        self.assertEqual(max(issues.values()), 1)
        self.assertTrue(any("LDG" in i.label for i in instructions.values()))

    def test_the_checker_of_konata_files_refuses(self):
        bad = self.at / "bad.log"
        for text in ("Kanata\t0004\nC=\t0\nI\t0\t0\t0\nS\t0\t0\tissue\n", "Kanata\t0004\nC=\t0\nC\t-1\n", "C=\t0\n"):
            bad.write_text(text)
            with self.assertRaises(ValueError):
                konata.read(bad)

    def test_the_signals_are_those_of_the_other_files(self):
        signals = read_vcd(self.at / "s.vcd")
        prefix = "SystemC.gpu.sm0."
        warps = signals[prefix + "warps"]
        self.assertEqual(max(value for _, value in warps), 8)
        self.assertEqual(warps[-1][1], 0)
        period = 1e12 / self.result["config"]["resolved"]["clock"]["sm"]
        pcs = collections.Counter()
        for part in range(4):
            issue = signals[f"{prefix}processing_block{part}.issue"]
            for (start, value), (end, _) in zip(issue, issue[1:]):
                pcs[part] += round((end - start) / period) if value else 0
        instructions = konata.read(self.at / "k.log")
        threads = collections.Counter(i.thread % 4 for i in instructions.values())
        self.assertEqual(pcs, threads)

    def test_a_window_behind_the_end_is_told_of_once(self):
        end = int(sum(k["metrics"]["gpc__cycles_elapsed.max"] for k in self.result["kernels"]))
        late = {"--timeline": self.at / "late.json", "--konata": self.at / "late.log", "--vcd": self.at / "late.vcd"}
        files = [word for pair in late.items() for word in pair]
        said = run(*TRACES, *files, "--window", f"{end}:").stderr
        self.assertEqual(said, f"sassim: nothing was recorded in {', '.join(map(str, late.values()))}: the run ended at cycle "
                               f"{end}, and --window begins at cycle {end}\n")
        self.assertEqual(run(*TRACES, *files, "--window", f"{end - 2000}:{end + 5}").stderr.count("the run ended"), 0)

    def test_an_option_without_its_file_is_refused(self):
        for option, value, needs in (("--window", "0:10", "--timeline or --konata or --vcd"), ("--sms", "0", "--timeline or --konata"),
                                     ("--warps", "0", "--timeline or --konata"), ("--vcd-sm", "0", "--vcd"),
                                     ("--interval", "100", "--timeline"), ("--timeline-spans", "100", "--timeline")):
            said = run(TRACES[0], option, value, status=2).stderr
            self.assertEqual(said, f"sassim: {option} chooses what {needs} shows, which is not given: add it, or leave "
                                   f"{option} out\n")
        self.assertIn("--vcd-sm chooses", run(TRACES[0], "--konata", self.at / "x", "--vcd-sm", 0, status=2).stderr)

    def test_what_cannot_be_is_refused(self):
        for arguments, text in ((["--vcd", self.at / "x.txt"], "must end in .vcd"), (["--timeline", self.at / "x", "--sms", "80"], "SMs 0 to 79"),
                                (["--timeline", self.at / "x", "--window", "5"], "FROM:TO"), (["--konata", self.at / "x", "--window", "5:5"], "ends before"),
                                (["--vcd", self.at / "x.vcd", "--vcd-sm", 80], "SMs 0 to 79")):
            self.assertIn(text, run(TRACES[0], *arguments, status=2).stderr)


if __name__ == "__main__":
    unittest.main()
