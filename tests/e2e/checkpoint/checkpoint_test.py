#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sassim run --checkpoint-every and --resume: a resumed run ends with the bytes of the whole one, and other files are refused."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "timeline"))
import konata

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
TRACES = BUILD / "traces"
# Several launches in one run, so that a checkpoint holds finished ones as well.
RUNS = {
    "t4": ([TRACES / "sm_75/softmax.sast", TRACES / "sm_75/stencil9_shared.sast"], 2000),
    "v100": ([TRACES / "sm_70/reduce.sast", TRACES / "sm_70/reduce-2.sast"], 900),
    "h200": ([TRACES / "sm_90/sgemm_tiled.sast"], 1500),
}


def sassim(*arguments, status=0):
    done = subprocess.run([BUILD / "sassim", "run", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done


def events(path):
    """What a timeline shows, without the names of its rows."""
    shown = [e for e in json.loads(path.read_text())["traceEvents"] if e["ph"] in "XC"]
    return sorted(json.dumps(e, sort_keys=True) for e in shown)


class Checkpoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.at = pathlib.Path(cls.folder.name)
        cls.whole, cls.saved = {}, {}
        for gpu, (traces, every) in RUNS.items():
            plain, watched = cls.at / f"{gpu}.json", cls.at / f"{gpu}-saved.json"
            sassim(*traces, "--config", gpu, "--json", plain)
            sassim(*traces, "--config", gpu, "--json", watched, "--checkpoint-every", every, "--checkpoint-folder", cls.at / gpu,
                   "--threads", 2)
            assert plain.read_bytes() == watched.read_bytes()
            cls.whole[gpu] = plain.read_bytes()
            key = lambda path: tuple(map(int, re.search(r"launch(\d+)-cycle(\d+)", path.name).groups()))
            cls.saved[gpu] = sorted((cls.at / gpu).iterdir(), key=key)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def resume(self, gpu, file, *more, status=0):
        return sassim(*RUNS[gpu][0], "--config", gpu, "--resume", file, *more, status=status)

    def refused(self, pattern, *arguments):
        done = sassim(*arguments, status=3)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertRegex(done.stderr, pattern)

    def test_every_checkpoint_ends_with_the_bytes_of_the_whole_run(self):
        for gpu, files in self.saved.items():
            self.assertGreater(len(files), 3, gpu)
            for number, file in enumerate(files):
                again = self.at / "again.json"
                done = self.resume(gpu, file, "--json", again, "--threads", 1 + number % 2)
                self.assertIn("resumes at cycle", done.stderr)
                self.assertEqual(again.read_bytes(), self.whole[gpu], file.name)

    def test_counters_over_time_begin_with_the_launch(self):
        gpu, file = "t4", self.saved["t4"][1]
        args = lambda name: ("--json", self.at / f"{name}.json", "--html", self.at / f"{name}.html")
        sassim(*RUNS[gpu][0], "--config", gpu, *args("series"))
        self.resume(gpu, file, *args("series-again"))
        for kind in ("json", "html"):
            self.assertEqual((self.at / f"series.{kind}").read_bytes(), (self.at / f"series-again.{kind}").read_bytes())
        self.assertIn("series", json.loads((self.at / "series.json").read_text())["kernels"][0])

    def test_a_window_is_the_same_as_in_the_whole_run(self):
        gpu, file = "h200", self.saved["h200"][0]
        cycle = int(re.search(r"cycle(\d+)", file.name).group(1))
        window = f"{cycle + 1000}:{cycle + 2000}"
        files = lambda name: ("--timeline", self.at / f"{name}.t", "--konata", self.at / f"{name}.k", "--vcd",
                              self.at / f"{name}.vcd", "--window", window)
        sassim(*RUNS[gpu][0], "--config", gpu, *files("whole"))
        self.resume(gpu, file, *files("part"))
        self.assertGreater(len(events(self.at / "whole.t")), 500)
        self.assertEqual(events(self.at / "part.t"), events(self.at / "whole.t"))
        self.assertEqual((self.at / "part.k").read_bytes(), (self.at / "whole.k").read_bytes())
        self.assertGreater(len(konata.read(self.at / "part.k")), 50)
        self.assertEqual((self.at / "part.vcd").read_bytes(), (self.at / "whole.vcd").read_bytes())

    def test_a_window_before_the_checkpoint_is_refused(self):
        self.refused("--window", *RUNS["h200"][0], "--config", "h200", "--resume", self.saved["h200"][0], "--window", "10:20",
                     "--timeline", self.at / "early.json")

    def test_other_runs_are_refused(self):
        file, traces = self.saved["t4"][0], RUNS["t4"][0]
        self.refused("configuration", *traces, "--config", "t4", "-o", "sm.l1.hit_latency=40", "--resume", file)
        self.refused("--caches", *traces, "--config", "t4", "--caches", "keep", "--resume", file)
        self.refused("number of kernels", traces[0], "--config", "t4", "--resume", file)
        self.refused("trace", *reversed(traces), "--config", "t4", "--resume", file)

    def test_damaged_files_are_refused(self):
        file = self.saved["t4"][0]
        good, bad = file.read_bytes(), self.at / "bad.checkpoint"
        for name, content in (("empty", b""), ("a trace", RUNS["t4"][0][0].read_bytes()), ("cut", good[:-1]), ("cut", good[:30]),
                              ("longer", good + b"x"), ("version", good.replace(b"checkpoint 1", b"checkpoint 9", 1))):
            bad.write_bytes(content)
            self.refused("bad.checkpoint", *RUNS["t4"][0], "--config", "t4", "--resume", bad)
        for place in range(20, len(good), len(good) // 40):
            bad.write_bytes(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1:])
            self.refused("damaged|cut", *RUNS["t4"][0], "--config", "t4", "--resume", bad)
        self.refused("No such file", *RUNS["t4"][0], "--config", "t4", "--resume", self.at / "none.checkpoint")

    def test_the_last_ones_are_kept(self):
        folder = self.at / "kept"
        traces, every = RUNS["v100"]
        sassim(*traces, "--config", "v100", "--checkpoint-every", every, "--checkpoint-keep", 2, "--checkpoint-folder", folder)
        self.assertEqual({p.name for p in folder.iterdir()}, {p.name for p in self.saved["v100"][-2:]})
        for path in folder.iterdir():
            self.assertEqual(path.read_bytes(), (self.at / "v100" / path.name).read_bytes())


if __name__ == "__main__":
    unittest.main()
