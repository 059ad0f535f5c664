# SPDX-License-Identifier: Apache-2.0
"""Nsight Compute over application kernels: one CSV file per program and size."""
import csv
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import time

from measurement import gpu
from measurement.gpu import Trouble

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = ("ID", "Kernel Name", "Block Size", "Grid Size")
# With kept caches a kernel is profiled in a single pass: in a second it would find what it left itself. These counters fit into one.
METRICS = {"all": HERE / "ncu_metrics.txt", "none": HERE / "ncu_metrics_one_pass.txt", "full": HERE / "ncu_metrics_one_pass.txt"}
CONTROL = {"all": "all", "none": "none", "full": "none"}    # what --cache-control calls them
FILL, FILLS = "fill_l2.so", "sassim_fill_l2"    # tools/measurement/fill_l2.cu: the library beside the programs, and the kernel that it launches first


def find_ncu():
    for name in filter(None, (os.environ.get("NCU"), shutil.which("ncu"), "/usr/local/cuda/bin/ncu")):
        if os.access(name, os.X_OK):
            return name
    raise Trouble("there is no ncu: install Nsight Compute, or name the program in NCU")


def is_program(path):
    return path.is_file() and os.access(path, os.X_OK) and path.suffix != ".so"


def filling(folder):
    """What starts a program with an L2 that is full of clean lines: before the program and its arguments."""
    library = (folder / FILL).resolve()
    if not library.exists():
        raise Trouble(f"{folder} has no {FILL}, which fills the L2: build the programs with validation/build --cudart static")
    return ["env", f"LD_PRELOAD={library}"]


def without_filling(kernels, filled):
    """The numbers of the launches that are the program's. Throws RuntimeError if the L2 was not filled, or filled unasked."""
    own = [i for i, name in enumerate(kernels) if FILLS not in name]
    if not own:
        raise RuntimeError("the profile has no launch of the program itself")
    if (len(own) < len(kernels)) != filled:
        raise RuntimeError(f"the L2 was filled {len(kernels) - len(own)} times: was {FILL} preloaded?")
    return own


def programs(options):
    if options.kernels:
        if not options.kernels.is_dir():
            raise Trouble(f"{options.kernels}: no such folder: build the programs there with validation/build --cudart static")
        found = [p for p in options.kernels.iterdir() if is_program(p)]
    else:
        found = [options.bin / source.stem for source in (gpu.ROOT / "validation/programs/applications/development").glob("*.cu")]
        found = [p for p in found if p.exists()]
    if not found:
        raise Trouble(f"{options.kernels or options.bin} has no programs to profile")
    return sorted(found)


def launches(command, asked, options):
    """The rows of one profile, headings and units first. Throws RuntimeError with the reason why there are none."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit, check=False,
                          env=gpu.environment(options.gpu))
    rows = list(csv.reader(line for line in done.stdout.splitlines() if line.startswith('"')))
    if len(rows) < 3:
        said = (done.stdout + done.stderr).strip()
        hint = ("only an administrator may read this driver's counters: run this as root. " if "ERR_NVGPUCTRPERM" in said
                else "")
        raise RuntimeError(hint + said[-400:])
    passes = {row[rows[0].index("profiler__replayer_passes")] for row in rows[2:]
              } if "profiler__replayer_passes" in rows[0] else {"an unknown number of"}
    if options.ncu_caches != "all" and passes != {"1"}:
        raise RuntimeError(f"the counters took {', '.join(sorted(passes))} passes")
    # ncu adds several hundred attributes of the device; what was asked for is kept.
    keep = [i for i, name in enumerate(rows[0]) if name in asked or name in COLUMNS]
    own = without_filling([row[rows[0].index("Kernel Name")] for row in rows[2:]], options.ncu_caches == "full")
    return [[row[i] for i in keep] for row in rows[:2] + [rows[2 + i] for i in own]]


def profile(options, about):
    """Many passes with caches flushed before each, or with --ncu-caches none or full a single one. Returns what failed."""
    ncu, chosen = find_ncu(), programs(options)
    asked = [line.strip() for line in METRICS[options.ncu_caches].read_text().splitlines()
             if line.strip() and not line.startswith("#")]
    preload = filling(chosen[0].parent) if options.ncu_caches == "full" else []
    options.ncu.mkdir(parents=True, exist_ok=True)
    began, failed, kept = time.monotonic(), [], 0
    for binary in chosen:
        for size in options.sizes.split(","):
            if time.monotonic() - began > options.seconds:
                failed.append({"program": binary.name, "reason": "time limit"})
                continue
            command = [ncu, "--csv", "--page", "raw", "--clock-control", "none", "--cache-control", CONTROL[options.ncu_caches],
                       "--print-units", "base", "--metrics", ",".join(asked), *preload, str(binary), f"size={size}"]
            try:
                rows = launches(command, asked, options)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                failed.append({"program": binary.name, "reason": str(error)})
                continue
            with (options.ncu / f"{binary.name}.{size}.csv").open("w", newline="") as file:
                csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
            kept += 1
            print(f"ncu {binary.name} {size}: {len(rows) - 2} launches", flush=True)
    if kept:
        version = subprocess.run([ncu, "--version"], capture_output=True, text=True, check=False).stdout
        record = {"gpu": about["name"], "driver": about["driver_version"], "date": datetime.date.today().isoformat(),
                  "clock_control": "none", "cache_control": options.ncu_caches, "failed": failed,
                  "ncu": version.strip().splitlines()[-1:]}
        (options.ncu / "about.json").write_text(json.dumps(record, indent=1) + "\n")
    return failed
