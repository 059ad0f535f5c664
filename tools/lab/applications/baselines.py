# SPDX-License-Identifier: Apache-2.0
"""What simple models say of the same kernels, so that a reader sees what the simulator adds.

Both get what the profiler counted (instructions, traffic, occupancy), which is more than they would know of a kernel that
nobody has run. To both is added what the configuration says an empty launch takes.
"""
import csv
import math
import pathlib
import subprocess
import tempfile

from applications.launches import INSTRUCTIONS, number

SECTOR = 32


def _ceiling(value):
    return max(1, math.ceil(value))


class Chip:
    """Peaks that follow from a configuration as a result file states it."""

    def __init__(self, config):
        gpu = config["resolved"]
        dram, self.name = gpu["memory"]["dram"], config["name"].split("+")[0]   # behind a + stand changes of single keys, of which no model says anything
        self.sms, self.blocks = gpu["sm"]["count"], gpu["sm"].get("processing_blocks", 4)
        clock = gpu["clock"]
        bytes_per_second = (dram["channels"] * dram.get("pseudo_channels", 1) * dram["bus_bits"] / 8 *
                            dram["beats_per_clock"] * clock["dram"])
        self.dram_bytes_per_cycle = bytes_per_second / clock["sm"]
        self.launch = gpu["launch"]["latency"]


def roofline(chip, measured):
    """Cycles of one launch: instructions at the rate of all schedulers, or bytes at the bandwidth of the DRAM pins."""
    issue = number(measured[INSTRUCTIONS]) / (chip.sms * chip.blocks)
    traffic = number(measured.get("dram__bytes_read.sum")) + number(measured.get("dram__bytes_write.sum"))
    return max(issue, traffic / chip.dram_bytes_per_cycle) + chip.launch


def _mix(chip, measured):
    """A kernel as a loop of one load and `alpha` other instructions: (alpha, warps per SM, transactions, SMs), or None."""
    accesses = number(measured.get("smsp__inst_executed_op_global_ld.sum")) + number(
        measured.get("smsp__inst_executed_op_global_st.sum"))
    if not accesses or "launch__occupancy_limit_warps" not in measured:
        return None
    numbers = [int(part) for part in measured["Block Size"].strip("() ").split(",")]
    blocks = math.prod(int(part) for part in measured["Grid Size"].strip("() ").split(","))
    warps = _ceiling(math.prod(numbers) / 32)
    limits = [number(measured[f"launch__occupancy_limit_{what}"]) for what in ("blocks", "registers", "shared_mem", "warps")]
    sms = min(chip.sms, blocks)
    resident = min(min(limits), _ceiling(blocks / sms)) * warps
    sectors = number(measured.get("l1tex__m_xbar2l1tex_read_sectors.sum")) + number(
        measured.get("l1tex__m_l1tex2xbar_write_sectors.sum"))
    alpha = max(0.0, number(measured[INSTRUCTIONS]) / accesses - 1)
    return alpha, resident, min(32.0, max(1.0, sectors * SECTOR / 128 / accesses)), sms


def analytic(sassim, chip, model, measured):
    """Cycles of one launch by a model of `sassim model`; None where it does not apply, as to a kernel without loads and stores."""
    mix = _mix(chip, measured)
    if mix is None:
        return None
    alpha, warps, transactions, sms = mix
    with tempfile.TemporaryDirectory() as folder:
        points = pathlib.Path(folder) / "points.csv"
        subprocess.run([str(sassim), "model", model, "--config", chip.name, "--alpha", f"{alpha:.6f}", "--warps", f"{warps:.0f}",
                        "--transactions", f"{transactions:.4f}", "--csv", str(points)], capture_output=True, check=True)
        with points.open(newline="") as file:
            row = next(csv.DictReader(file), None)
    if row is None:     # the model says nothing of so few warps, or of none that wait
        return None
    return number(measured[INSTRUCTIONS]) / (sms * float(row["ipc"])) + chip.launch
