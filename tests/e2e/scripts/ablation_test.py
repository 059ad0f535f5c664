# SPDX-License-Identifier: Apache-2.0
"""tools/lab/ablation: with a stand-in for the command, what it runs and what its page says of it; with the command itself, that
each mechanism of its list can be switched off.

    ablation_test.py BUILD
"""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = None
MECHANISMS = '''
import dataclasses
@dataclasses.dataclass(frozen=True)
class Mechanism:
    name: str
    what: str
    off: tuple
    own: tuple = ()
PROGRAMS = {"add": 0.5, "sum": 1.5, "slow": 8}
LARGE = {"add": 6}
FEATURES = {"tex": (0.5, "textures"), "long": (9, "much code")}
ROWS = {"quick": 0.5, "deep": 4}
MECHANISMS = (Mechanism("needed", "does much", ("a.needed=none",)), Mechanism("local", "does little", ("a.local=0", "b.local=0"), ("deep",)),
              Mechanism("idle", "does nothing", ("a.idle=0",), ("deep",)), Mechanism("unseen", "nobody knows", ("a.unseen=0",)),
              Mechanism("lost", "nobody asks", ("a.lost=0",)), Mechanism("counted", "moves bytes", ("a.counted=0",)))
STAYS = {"idle": "it may be needed"}
REMOVED = (("gone", ("a.gone", "a.lost"), "one row"),)
'''
# Cycles and rows with everything on, and what each setting changes.
# In bash, which starts ten times as fast as Python.
SASSIM = """#!/bin/bash
echo "$*" >>"$CALLS"
has() { [[ " $all " == *" $1 "* ]]; }
all=$* verb=$1 trace=$2 program=$(($# - 1))
program=${!program##*/}
while (($#)); do case $1 in --save-traces) traces=$2;; --caches) caches=$2;; --json) json=$2;; --data) data=$2;; --out) out=$2;; esac; shift; done
if has a.idle=0 && [ "$BROKEN" ]; then echo "sassim: no such thing" >&2; exit 1; fi
case $verb in
exec) mkdir -p "$traces" && : >"$traces/0-$program.sast";;
run)
  cycles=980 bytes=64000
  if [[ $trace == *0-add* ]]; then cycles=1100; ! has a.needed=none || cycles=2200; fi
  if [[ $trace == *0-tex* ]] && has a.lost=0; then ((cycles += 98)); fi
  if [ $caches = keep ] && has a.unseen=0; then ((cycles += 100)); fi
  if has a.counted=0; then ((bytes += 656)); elif has a.idle=0; then ((bytes += 600)); fi
  kernel='{"name": "k", "metrics": {"gpc__cycles_elapsed.max": '$cycles', "sm__cycles_active.max": 9, "smsp__inst_executed.sum": 9,
    "dram__bytes_read.sum": 0, "dram__bytes_write.sum": '$bytes'}}'
  [ $caches != keep ] || kernel+=", $kernel"
  echo '{"version": "9.9", "config": {"hash": "f00d"}, "kernels": ['"$kernel"']}' >"$json";;
*)
  [ -e "$data/programs/prepared/MANIFEST" ] || exit 9
  rows='{"id": "h200.echo", "simulated": 1, "expected": 1, "within": true, "by": "key", "answer": "stated"}'
  row() {
    local value=10 within=true
    if has "$2"; then value=20 within=false; fi
    rows+=', {"id": "h200.'$1'.a", "simulated": '$value', "expected": 10, "within": '$within', "by": "'$1'", "answer": "measured"}'
  }
  subset=$(<"$data/subsets.yaml")
  [[ $subset != *"- quick"* ]] || row quick a.needed=none
  [[ $subset != *"- deep"* ]] || row deep a.local=0
  echo '{"targets": ['"$rows"']}' >"$out/validation.json"
  exit 1;;
esac
"""


class AblationTest(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="sassim-ablation-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.clone, self.calls = self.top / "clone", self.top / "calls"
        shutil.copytree(ROOT / "tools", self.clone / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        (self.clone / "tools/lab/ablation_mechanisms.py").write_text(MECHANISMS)
        profiles = self.clone / "validation/measured/profiles/h200"
        for folder in (profiles, self.clone / "validation/programs/prepared", self.clone / "configs", self.clone / "build/bin"):
            folder.mkdir(parents=True)
        (self.clone / "configs/h200.yaml").write_text("a: 1\n")
        (self.clone / "validation/programs/prepared/MANIFEST").touch()
        (self.clone / "validation/measured/h200.json.xz").write_text("{}")
        self.sassim = self.clone / "build/sassim"
        self.sassim.write_text(SASSIM)
        self.sassim.chmod(0o755)
        for program in ("add", "sum", "tex"):
            (self.clone / "build/bin" / program).touch()
        for run in ("add.small", "sum.small", "add.large"):
            with (profiles / f"{run}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([["Kernel Name", "gpc__cycles_elapsed.max", "dram__bytes_read.sum", "dram__bytes_write.sum"], [""] * 4,
                                            [f"{run.split('.')[0]}_kernel(int)", "1000", "0", "64000"]])

    def run_tool(self, *arguments, status=0, **environment):
        self.calls.write_text("")
        done = subprocess.run([sys.executable, str(self.clone / "tools/lab/ablation"), "--sassim", str(self.sassim), "--bin",
                               str(self.clone / "build/bin"), *arguments], cwd=self.top, capture_output=True, text=True, check=False,
                              env={**os.environ, "CALLS": str(self.calls), **environment})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.ran = self.calls.read_text().splitlines()
        return done

    def test_the_page_says_what_each_mechanism_does(self):
        page = self.run_tool().stdout
        self.assertIn("sassim 9.9, configuration `f00d`", page)
        self.assertIn("mean error 6.00 %, bias +4.00 %, 1 of 1 rows within tolerance", page)
        self.assertIn("| needed: does much | `a.needed=none` | 61.00 % | +55.00 | +59.00 % | 1 | +100.0 %, add_kernel of add | 0 |  | 0 |  | 0 | 1 | - |", page)
        self.assertIn("| local: does little | `a.local=0`, `b.local=0` | 6.00 % | 0.00 | +4.00 % | 0 | none | 0 | 0 | 0 |  | 1 | 0 | "
                      "deep: 1 and 0 of 1, 1 moved |", page)
        self.assertIn("| local | 1 | to be removed |\n", page)
        self.assertIn("| idle | 0 | it may be needed |\n", page)
        self.assertFalse("| lost | " in page or "| unseen | " in page, "a kernel with another feature moves, a warm launch moves")
        self.assertIn("- gone (`a.gone`, `a.lost`). Moved: one row.", page)
        self.assertIn("| lost: nobody asks | `a.lost=0` | 6.00 % | 0.00 | +4.00 % | 0 | none | 0 |  | 1: +10.0 %, k of tex |  | 1 | 0 | - |", page)
        self.assertIn("| 0 | none | 2: DRAM bytes, DRAM bytes written |  | 0 |  | 1 | 0 | - |", page)
        self.assertIn("1 kernels of validation programs, which use what the development programs do not use:\ntex (textures).", page)
        self.assertIn("| unseen: nobody knows | `a.unseen=0` | 6.00 % | 0.00 | +4.00 % | 0 | none | 0 | 2 | 0 |  | 1 | 0 | - |", page)

    def test_results_are_used_again_until_what_they_depend_on_changes(self):
        page = self.run_tool().stdout
        self.assertEqual(len(self.ran), 3 + 2 * 7 + 7 + 7 + 3 + 2 * 4)     # traces, replays, features, rows, `deep` for three, warm replays
        self.assertEqual(sum(" -o a.local=0 -o b.local=0" in call for call in self.ran), 7)
        self.assertEqual(self.run_tool().stdout, page)
        self.assertEqual(self.ran, [])
        (self.clone / "configs/h200.yaml").write_text("a: 2\n")
        self.assertEqual(self.run_tool().stdout, page)
        self.assertEqual(len(self.ran), 39, "traces alone are kept")
        (self.clone / "build/bin/add").write_text("another program")
        self.run_tool()
        self.assertEqual(len(self.ran), 40, "and those of other programs")

    def test_a_command_that_fails_ends_it_and_the_next_run_goes_on(self):
        done = self.run_tool("--jobs", "1", status=1, BROKEN="1")
        self.assertIn("a.idle=0: exit status 1: sassim: no such thing", done.stderr)
        self.run_tool()
        self.assertFalse(any("-o a.needed=none" in call and "add" in call for call in self.ran), self.ran)

    def test_it_says_what_is_missing(self):
        (self.clone / "build/bin/sum").unlink()
        self.assertIn("validation/build --cudart shared --arch sm_90 sum makes it", self.run_tool(status=3).stderr)
        self.assertIn("no mechanism 'neded'; known: needed, local", self.run_tool("--only", "neded", status=2).stderr)
        self.run_tool("--only", "needed", "--out", "page.md", status=2)
        self.assertIn("the cheapest take 0.5 and 0.5 s", self.run_tool("--seconds", "0.1", status=2).stderr)

    def test_seconds_leave_out_what_takes_longer(self):
        page = self.run_tool("--seconds", "1").stdout
        self.assertIn("the 1 kernels of the development programs add,", page)
        self.assertFalse(any("sum" in call for call in self.ran), self.ran)
        self.assertIn("all launches of add are replayed twice", page)
        self.assertTrue(any("0-tex" in call for call in self.ran), self.ran)
        self.assertFalse(any("size=large" in call for call in self.ran), self.ran)
        page = self.run_tool("--seconds", "1", "--more-seconds", "7", "--feature-seconds", "0", "--warm", "0").stdout
        self.assertIn("**More kernels:** 3 kernels of sum, tex, add (large).", page)
        self.assertIn("| lost: nobody asks | `a.lost=0` | 10.00 % | 0.00 | +10.00 % | 0 | none | 0 | 0 | 0 | 1: +10.0 %, k of tex | 1 | 0 | - |", page)
        self.assertFalse(any("0-tex" in call and "a.needed=none" in call for call in self.ran), "it moves something already")
        page = self.run_tool("--seconds", "1", "--warm", "0", "--again").stdout
        self.assertIn("mechanisms of a launch can look idle", page)
        self.assertFalse(any("--caches keep" in call for call in self.ran), self.ran)


class MechanismsTest(unittest.TestCase):
    """Of the list itself, with the command that was built."""

    def setUp(self):
        sys.path.insert(0, str(ROOT / "tools/lab"))
        import ablation_mechanisms
        self.list = ablation_mechanisms
        self.sassim = pathlib.Path(BUILD) / "sassim"

    def show(self, *overrides):
        done = subprocess.run([str(self.sassim), "config", "show", "h200", *overrides], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{overrides}: {done.stderr}")
        return done.stdout

    def test_each_setting_of_each_mechanism_changes_the_h200(self):
        on = self.show()
        for mechanism in self.list.MECHANISMS:
            for setting in mechanism.off:
                with self.subTest(setting):
                    self.assertNotEqual(self.show("-o", setting), on, "it is off already")
            if len(mechanism.off) > 1:
                self.show(*[word for setting in mechanism.off for word in ("-o", setting)])

    def values(self, config):
        def flat(of, prefix=""):
            for key, value in of.items():
                yield from flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]
        done = subprocess.run([str(self.sassim), "config", "show", config, "--json"], capture_output=True, text=True, check=True)
        return dict(flat(json.loads(done.stdout)["resolved"]))

    def carried_from_an_h200(self, config):
        """Keys and groups whose comment says so."""
        done = subprocess.run([str(self.sassim), "config", "show", config, "--sources"], capture_output=True, text=True, check=True)
        path = []
        for line in done.stdout.splitlines():
            found = re.match(r"( *)([\w.]+):", line)
            path = path[:len(found[1]) // 2] + [found[2]]
            if "carried over: " in line and "H200" in line:
                yield ".".join(path)

    def test_the_list_has_every_key_that_only_the_h200_sets(self):
        h200, t4, v100 = (self.values(config) for config in ("h200", "t4", "v100"))
        alone = [key for key, value in h200.items()
                 if t4.get(key) == v100.get(key) != value and not key.startswith(("clock.", "memory.dram.type"))]
        carried = {key for config in ("t4", "v100") for key in self.carried_from_an_h200(config)}
        self.assertIn("sm.front_end.fill_cycles", carried)
        settled = {setting.split("=")[0] for mechanism in self.list.MECHANISMS for setting in mechanism.off}
        settled |= {key for keys in self.list.OTHER_VALUES.values() for key in keys}
        known = [key for key in h200 if any(f"{key}.".startswith(f"{name}.") for name in settled)]
        self.assertEqual([key for key in alone if key not in known], [], "add it to MECHANISMS, or to OTHER_VALUES")
        self.assertEqual(sorted(key for key in carried if not any(f"{name}.".startswith(f"{key}.") for name in [*settled, *known])), [])
        self.assertEqual(sorted(name for name in settled if not any(f"{key}.".startswith(f"{name}.") for key in h200)), [], "no such key")

    def test_mechanisms_and_keys_of_the_h200_stay_few(self):
        """A mechanism enters for a program: whoever adds one finds another that no program needs any more. Keys are those of 'config show',
        which leaves out what the GPU lacks, less those of models that it does not use and those for human readers."""
        values = self.values("h200")
        self.assertEqual((values["memory.model"], values["memory.dram.model"]), ("full", "ddr"))
        in_effect = values.keys() - {"memory.fixed_latency", "memory.dram.fixed_latency", "name", "description", "memory.dram.type"}
        self.assertLessEqual(len(self.list.MECHANISMS), 70)
        self.assertLessEqual(len(in_effect), 430)

    def test_programs_are_there_and_names_are_unique(self):
        for program in {*self.list.PROGRAMS, *self.list.LARGE}:
            self.assertTrue((ROOT / f"validation/programs/applications/development/{program}.cu").exists(), program)
        with tarfile.open(ROOT / "validation/programs/applications/validation.tar.xz") as archive:
            measured = [name.removesuffix(".cu") for name in archive.getnames()]
        for program in self.list.FEATURES:
            self.assertIn(program, measured)
        for program in {*self.list.ROWS, *(program for m in self.list.MECHANISMS for program in m.own)}:
            self.assertTrue((ROOT / f"validation/programs/micro/{program}.cu").exists(), program)
        names = [mechanism.name for mechanism in self.list.MECHANISMS]
        self.assertEqual([name for name in self.list.STAYS if name not in names], [])
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    BUILD = sys.argv.pop(1)
    unittest.main()
