# SPDX-License-Identifier: Apache-2.0
"""tools/measure with stand-ins for nvidia-smi, nvcc and the programs that it builds, and what validate makes of its file.

    measure_test.py BUILD_FOLDER
"""
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
SASSIM = pathlib.Path(sys.argv.pop(1)).resolve() / "sassim"

SMI = """#!/bin/bash
[ -z "$FAKE_SMI_ERROR" ] || { echo "$FAKE_SMI_ERROR"; exit 9; }
answer() { case $1 in name) echo "$FAKE_GPU";; compute_cap) echo "$FAKE_ARCH";; driver_version) echo 550.1;; clocks.max.mem) echo "[N/A]";; *) echo 1590;; esac; }
for argument; do case $argument in --query-gpu=*) fields=${argument#--query-gpu=};; esac; done
out=
for field in ${fields//,/ }; do out+="${out:+, }$(answer $field)"; done
echo "$out"
"""
# A program is a script that prints what the test put into the folder `printed` under its name.
NVCC = """#!/bin/bash
[ "$1" != --version ] || { echo "Cuda compilation tools, release ${FAKE_CUDA:-11.8}, V1"; exit; }
echo "$*" >>"$FAKE/nvcc.log"
while (($#)); do case $1 in -o) target=$2; shift;; *.cu) name=$(basename "$1" .cu);; esac; shift; done
printf '#!/bin/bash\\necho "$CUDA_VISIBLE_DEVICES" >"$FAKE/device"\\n[ "$1" = mix=smem ] || . "$FAKE/printed/%s"\\n' "$name" >"$target"
chmod +x "$target"
"""


class MeasureTest(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="sassim-measure-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.clone = self.top / "clone"
        for name in ("tools", "validation/programs/micro", "validation/programs/applications/development"):
            shutil.copytree(ROOT / name, self.clone / name)
        shutil.copy2(ROOT / "validation/build", self.clone / "validation/build")
        (self.top / "printed").mkdir()
        self.stub("nvidia-smi", SMI)
        self.stub("nvcc", NVCC)
        self.environment = {"PATH": f"{self.top}:/usr/bin:/bin", "FAKE": str(self.top), "NVCC": str(self.top / "nvcc"),
                            "FAKE_GPU": "Tesla T4", "FAKE_ARCH": "7.5", "HOME": str(self.top)}
        self.prints("instruction_latency", '{"id": "lat.ffma", "value": 4, "unit": "cycles"}',
                    '{"id": "lat.fadd", "value": 5, "unit": "cycles"}')
        self.prints("volkov_mix", '{"id": "volkov.sfu.a0.w4", "value": 0.25, "unit": "groups/cycle/SM"}')

    def stub(self, name, text):
        (self.top / name).write_text(text)
        (self.top / name).chmod(0o755)

    def prints(self, program, *lines, status=0):
        (self.top / "printed" / program).write_text("cat <<'LINES'\n" + "\n".join(lines) + f"\nLINES\nexit {status}\n")

    def measure(self, *arguments, status=0, **changes):
        done = subprocess.run([sys.executable, str(self.clone / "tools/measure"), *map(str, arguments)], cwd=self.top,
                              env={**self.environment, **changes}, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        if status == 3:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("measure: "), done.stderr)
        return done

    def record(self, path="build/measured/t4.json"):
        data = (self.clone / path).read_bytes()
        return json.loads(lzma.decompress(data) if path.endswith(".xz") else data)

    def sassim(self, *arguments):
        done = subprocess.run([str(SASSIM), *map(str, arguments)], cwd=self.top, capture_output=True, text=True,
                              check=False, env={"PATH": "/usr/bin:/bin", "HOME": str(self.top)})
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        return done.stdout

    def test_a_t4_is_measured_and_compared(self):
        done = self.measure("--only", "instruction_latency|mix=sfu", "--repetitions", "2")
        self.assertIn("--config t4 --hardware " + str(self.clone / "build/measured/t4.json"), done.stdout)
        calls = (self.top / "nvcc.log").read_text()
        self.assertIn("arch=compute_75,code=sm_75", calls)
        self.assertIn("-cudart static", calls)
        self.assertEqual(len(calls.splitlines()), 2, "only what runs is built")
        record = self.record()
        self.assertEqual((record["gpu"], record["driver"]), ("Tesla T4", "550.1"))
        self.assertEqual(record["values"]["lat.ffma"], {"median": 4, "min": 4, "max": 4, "n": 2, "unit": "cycles",
                                                        "program": "instruction_latency", "run": "short"})
        self.assertEqual(record["values"]["volkov.sfu.a0.w4"]["run"], "short")
        self.assertEqual(record["values"]["volkov.sfu.a0.w4"]["full"], {"median": 0.25, "min": 0.25, "max": 0.25, "n": 2},
                         "the full run's value is beside the short one's")
        self.assertEqual(record["clocks"]["max_mem_mhz"], 0, "nvidia-smi does not know it")
        file = self.clone / "build/measured/t4.json"
        rows = self.sassim("validate", "--config", "t4", "--prepared", "--all", "--only", "t4.lat.f", "--hardware", file)
        self.assertRegex(rows, r"t4\.lat\.fadd +5 .*Tesla T4, driver 550\.1")
        swept = self.sassim("sweep", "--config", "t4", "--workload", "sfu", "--alpha", "0", "--warps", "4", "--models",
                            "volkov", "--hardware", file, "--out", self.top / "sweep")
        self.assertIn("simulator against hardware", swept)

    def test_a_sweep_draws_values_of_full_runs_only(self):
        file = self.top / "mixed.json"
        for marks, drawn in (({"run": "short"}, False), ({"run": "full"}, True),
                             ({"run": "short", "full": {"median": 0.125}}, True)):
            file.write_text(json.dumps({"schema": "sassim-hardware/1", "gpu": "Tesla T4", "date": "d", "seconds": {}, "values": {
                "volkov.sfu.a0.w4": {"median": 0.25, "unit": "groups/cycle/SM", "program": "volkov_mix mix=sfu", **marks}}}))
            swept = self.sassim("sweep", "--config", "t4", "--workload", "sfu", "--alpha", "0", "--warps", "4", "--models",
                                "volkov", "--hardware", file, "--out", self.top / "sweep")
            self.assertEqual("against hardware" in swept, drawn, swept)
            self.assertEqual("has no full run" in swept, not drawn, swept)

    def test_runs_of_other_hosts_join_like_with_like(self):
        sys.path.insert(0, str(ROOT / "tools"))
        from measurement import record_file  # pylint: disable=import-outside-toplevel
        value = {"median": 4, "min": 4, "max": 4, "n": 1, "unit": "cycles", "program": "p", "run": "short",
                 "full": {"median": 10, "min": 10, "max": 10, "n": 1}}
        record = {"schema": "sassim-hardware/1", "gpu": "g", "date": "d", "seconds": {}, "values": {"a": value, "b": value}}
        ours, other = self.top / "ours.json", self.top / "other.json"
        record_file.write(ours, record)
        faster = {**value, "median": 6, "max": 6, "full": {"median": 20, "min": 20, "max": 20, "n": 1}}
        record_file.write(other, {**record, "values": {"a": faster, "b": {**faster, "run": "full"}}})
        record_file.merge(ours, other)
        values = record_file.read(ours)["values"]
        self.assertEqual((values["a"]["median"], values["a"]["full"]["median"], values["a"]["run"]), (5, 15, "short"))
        self.assertEqual(values["b"]["median"], 4, "a full run is another quantity")

    def test_what_fails_now_keeps_its_older_values(self):
        self.measure("--only", "instruction_latency|mix=sfu")
        self.prints("instruction_latency", '{"id": "lat.ffma", "value": 6, "unit": "cycles"}')
        self.prints("volkov_mix", status=1)
        done = self.measure("--only", "instruction_latency|mix=sfu", status=1)
        self.assertIn("FAILED volkov_mix mix=sfu exit 1", done.stdout)
        values = self.record()["values"]
        self.assertEqual(values["lat.ffma"]["median"], 6)
        self.assertEqual((values["lat.fadd"]["median"], values["volkov.sfu.a0.w4"]["median"]), (5, 0.25))
        self.assertIn("date", values["lat.fadd"])
        self.assertNotIn("date", values["lat.ffma"])

    def test_a_run_without_values_writes_nothing(self):
        self.measure("--only", "instruction_latency")
        before = (self.clone / "build/measured/t4.json").read_bytes()
        for lines in (['{"id": "lat.ffma", "value": NaN, "unit": "cycles"}'], ["{broken"], [], ['{"value": 1}']):
            self.prints("instruction_latency", *lines)
            done = self.measure("--only", "instruction_latency", status=3)
            self.assertIn("nothing was measured; ", done.stderr)
            self.assertIn("FAILED instruction_latency it printed", done.stdout)
            self.assertEqual((self.clone / "build/measured/t4.json").read_bytes(), before)

    def test_without_a_gpu_it_says_what_to_do(self):
        empty = self.top / "empty"
        empty.mkdir()
        self.assertIn("run this where the GPU is", self.measure(status=3, PATH=str(empty)).stderr)
        broken = self.measure(status=3, FAKE_SMI_ERROR="NVIDIA-SMI has failed").stderr
        self.assertIn("no usable GPU 0", broken)
        self.assertIn("NVIDIA-SMI has failed", broken)

    def test_without_nvcc_it_uses_what_is_built_or_says_what_to_do(self):
        nothing = self.measure("--only", "instruction_latency", status=3, NVCC="/nowhere/nvcc").stderr
        self.assertIn("tools/bootstrap --with-cuda", nothing)
        volta = {"FAKE_GPU": "Tesla V100-SXM2-16GB", "FAKE_ARCH": "7.0", "FAKE_CUDA": "13.0"}
        self.assertIn("use CUDA 11.8 or 12", self.measure("--only", "instruction_latency", status=3, **volta).stderr)
        self.measure("--only", "instruction_latency", FAKE_CUDA="13.0")
        self.measure("--only", "instruction_latency", NVCC="/nowhere/nvcc")
        self.assertIn("no such folder", self.measure("--bin", "missing", status=3).stderr)

    def test_a_gpu_that_no_configuration_describes(self):
        done = self.measure("--only", "instruction_latency", FAKE_GPU="NVIDIA A2", FAKE_ARCH="8.6")
        self.assertIn("No configuration in configs/ describes this GPU (NVIDIA A2)", done.stdout)
        self.assertEqual(self.record("build/measured/a2.json")["gpu"], "NVIDIA A2")
        self.assertIn("--config NAME", self.measure("--record", status=3, FAKE_GPU="NVIDIA A2", FAKE_ARCH="8.6").stderr)
        self.assertIn("--arch sm_75", self.measure(status=3, FAKE_ARCH="[N/A]").stderr)

    def test_names_of_gpus(self):
        for name, config in (("NVIDIA T4", "t4"), ("Tesla V100-SXM2-16GB", "v100-sxm2"), ("Tesla V100-PCIE-16GB", "v100"),
                             ("NVIDIA H200", "h200"), ("NVIDIA TITAN V", "titan-v"),
                             ("NVIDIA GeForce RTX 2060", "rtx2060"), ("NVIDIA GeForce RTX 2060 SUPER", "geforce-rtx-2060-super"),
                             ("NVIDIA A100-SXM4-80GB", "a100-80"), ("NVIDIA GeForce RTX 3070 Ti", "rtx3070ti"), ("NVIDIA L40S", "l40s"),
                             ("NVIDIA T4G", "t4g"), ("NVIDIA H200 NVL", "h200-nvl")):
            self.measure("--only", "instruction_latency", FAKE_GPU=name)
            self.assertEqual(self.record(f"build/measured/{config}.json")["gpu"], name)
            unknown = config in ("t4g", "h200-nvl", "l40s", "geforce-rtx-2060-super")
            self.assertEqual((ROOT / f"configs/chips/{config}.yaml").exists(), not unknown)

    def test_a_kept_record_is_not_spoilt(self):
        kept = self.clone / "validation/measured/h200.json.xz"
        kept.parent.mkdir()
        text = json.dumps({"schema": "sassim-hardware/1", "gpu": "NVIDIA H200", "date": "2026-01-01", "seconds": {}, "series": {},
                           "values": {"lat.ffma": {"median": 4, "min": 4, "max": 4, "n": 9, "unit": "cycles", "program": "p",
                                                   "hosts": [4, 4, 4]}}})
        kept.write_bytes(lzma.compress(text.encode()))
        many = self.measure("--record", "--only", "instruction_latency", status=3, FAKE_GPU="NVIDIA H200", FAKE_ARCH="9.0")
        self.assertIn("values of several hosts", many.stderr)
        self.assertFalse((self.top / "device").exists(), "it says so before anything runs")
        other = self.measure("--out", kept, "--only", "instruction_latency", status=3)
        self.assertIn("is of another GPU (NVIDIA H200; this one is Tesla T4)", other.stderr)
        self.assertEqual(lzma.decompress(kept.read_bytes()).decode(), text)
        self.measure("--record", "--only", "instruction_latency")
        self.assertEqual(self.record("validation/measured/t4.json.xz")["gpu"], "Tesla T4")

    def test_another_gpu_of_the_machine(self):
        self.measure("--gpu", "3", "--only", "instruction_latency")
        self.assertEqual((self.top / "device").read_text(), "3\n")

    def test_programs_that_do_not_exist_are_a_usage_error(self):
        self.assertIn("no program has such a name", self.measure("--only", "instruction_latncy", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
