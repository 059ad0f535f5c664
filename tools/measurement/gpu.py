# SPDX-License-Identifier: Apache-2.0
"""The GPU of this machine: what it is, which configuration describes it, and programs built for it."""
import os
import pathlib
import re
import shutil
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What nvidia-smi calls a GPU, and the configuration in configs/chips that describes it. Relatives with other clocks
# or another number of SMs (T4G, V100S, H200 NVL, RTX 2060 SUPER) are not these.
CONFIGURATIONS = [(r"\bT4\b", "t4"), (r"\bV100-SXM2\b", "v100-sxm2"), (r"\bV100-PCIE\b", "v100"), (r"\bH200\b(?! NVL)", "h200"),
                  (r"\bGV100\b", "gv100"), (r"\bTITAN V$", "titan-v"), (r"\bRTX 2080 Ti$", "rtx2080ti"), (r"\bRTX 2060$", "rtx2060"),
                  (r"\bGTX 1650$", "gtx1650"), (r"\bA100-SXM4-40GB$", "a100"), (r"\bA100-SXM4-80GB$", "a100-80"),
                  (r"\bA100 80GB PCIe$", "a100-pcie"), (r"\bA10$", "a10"), (r"\bA40$", "a40"), (r"\bRTX A6000$", "rtxa6000"),
                  (r"\bRTX 3060$", "rtx3060"), (r"\bRTX 3070$", "rtx3070"), (r"\bRTX 3070 Ti$", "rtx3070ti"),
                  (r"\bRTX 3080$", "rtx3080"), (r"\bRTX 3090$", "rtx3090"), (r"\bRTX 4090$", "rtx4090"), (r"\bL4$", "l4"),
                  (r"\bL40$", "l40"), (r"\bP100-PCIE-16GB$", "p100"), (r"\bP4$", "p4"), (r"\bM60$", "m60"), (r"\bGTX 1080$", "gtx1080"),
                  (r"\bGTX 1070 with Max-Q Design$", "gtx1070-max-q"), (r"\bGTX 980$", "gtx980"), (r"\bK80$", "k80"),
                  (r"\bGTX 680$", "gtx680")]


class Trouble(Exception):
    """Something that the user can mend; the message is one line that says how."""


def smi(fields, gpu=0):
    command = ["nvidia-smi", "--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits", "-i", str(gpu)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except FileNotFoundError:
        raise Trouble("no nvidia-smi, and so no driver of an NVIDIA GPU, is on this machine: run this where the GPU is. "
                      "Without a GPU, sassim validate compares with values that others have measured") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Trouble(f"nvidia-smi could not be run: {error}") from None
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip().splitlines() or ["nothing"]
        raise Trouble(f"nvidia-smi finds no usable GPU {gpu}: it ended with status {done.returncode} and said: {said[0]}")
    values = [part.strip() for part in done.stdout.strip().split(",")]
    if len(values) != len(fields):
        raise Trouble(f"nvidia-smi was asked for {', '.join(fields)} and said: {done.stdout.strip()[:100]!r}")
    return dict(zip(fields, values))


def whole(text):
    """A number that nvidia-smi may not know ("[N/A]"): then 0."""
    return int(text) if text.isdigit() else 0


def architecture(gpu):
    capability = smi(["compute_cap"], gpu)["compute_cap"]
    if not re.fullmatch(r"\d+\.\d", capability):
        raise Trouble(f"nvidia-smi says that the GPU's compute capability is {capability!r}: name it, such as --arch sm_75")
    return "sm_" + capability.replace(".", "")


def configuration_of(name):
    return next((config for pattern, config in CONFIGURATIONS if re.search(pattern, name)), None)


def file_name(name):
    """For a GPU that no configuration describes."""
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"^(nvidia|tesla)\s+", "", name.lower())).strip("-")


def environment(gpu):
    """CUDA's device 0 is then the GPU that nvidia-smi calls `gpu`."""
    return {**os.environ, "CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": str(gpu)}


def build_programs(folder, arch, names):
    """Brings `folder` up to date as far as that is possible; what it then lacks is for the caller to say."""
    nvcc = os.environ.get("NVCC") or ("/usr/bin/nvcc" if os.access("/usr/bin/nvcc", os.X_OK) else "nvcc")
    if shutil.which(nvcc) is None:
        if any((folder / name).exists() for name in names):
            return
        raise Trouble(f"{folder} has no programs for {arch}, and there is no {nvcc} to build them: tools/bootstrap --with-cuda "
                      "installs CUDA 11.8 on Debian; NVCC names another; or build them elsewhere with validation/build "
                      f"--cudart static --arch {arch} and name their folder with --bin")
    print(f"building programs for {arch} in {folder}", flush=True)
    done = subprocess.run([str(ROOT / "validation/build"), "--cudart", "static", "--arch", arch, "--out", str(folder),
                           "--jobs", str(os.cpu_count() or 1), *names], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    said = (done.stderr + done.stdout).strip()
    if not any((folder / name).exists() for name in names):
        raise Trouble(f"the programs could not be built for {arch}; validation/build said: {said[-600:]}")
    print(f"some programs could not be built; going on with the others:\n{said[-600:]}", flush=True)


class ClockWatch(threading.Thread):
    """Samples the SM clock while programs run."""

    def __init__(self, gpu):
        super().__init__(daemon=True)
        self.gpu, self.samples, self.stopped = gpu, [], threading.Event()

    def run(self):
        while not self.stopped.wait(0.5):
            try:
                self.samples.append(whole(smi(["clocks.sm"], self.gpu)["clocks.sm"]))
            except Trouble:
                pass
