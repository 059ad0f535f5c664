# SPDX-License-Identifier: Apache-2.0
"""Pairs the launches of a simulated program with those of its Nsight Compute profile.

A `Kernel` holds all launches of one kernel of one program at one size. Cycles and counters are sums over its launches;
rates are means, weighted with each launch's cycles; stall reasons are warp cycles.
"""
import csv
import dataclasses
import json
import pathlib
import statistics

from applications.repeats import spread

CYCLES = "gpc__cycles_elapsed.max"
ACTIVE = "sm__cycles_active.max"
INSTRUCTIONS = "smsp__inst_executed.sum"
L2_SECTORS = "lts__t_sectors_srcunit_tex.sum"
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
REASONS = ("barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle", "long_scoreboard",
           "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction", "not_selected", "selected",
           "short_scoreboard", "sleeping", "tex_throttle", "wait")


@dataclasses.dataclass(frozen=True)
class Counter:
    """A sum of metrics that both sides count."""
    name: str
    metrics: tuple      # alternatives: the first of which the profile has all
    floor: int          # an error is relative to the measured value, and at least to this for each launch
    tolerance: float


COUNTERS = (
    Counter("instructions", ((INSTRUCTIONS,),), 1, 0),
    Counter("L1 sectors", (("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),), 256, 0.05),
    # Between the SMs and the L2. A profile of one pass counts them in the L2, where loads that SMs share have become one.
    Counter("L2 sectors", (("l1tex__m_xbar2l1tex_read_sectors.sum", "l1tex__m_l1tex2xbar_write_sectors.sum"),
                           (L2_SECTORS,)), 1024, 0.05),
    Counter("DRAM bytes", (("dram__bytes_read.sum", "dram__bytes_write.sum"),), 65536, 0.10),
    Counter("DRAM bytes read", (("dram__bytes_read.sum",),), 65536, 0.10),
    Counter("DRAM bytes written", (("dram__bytes_write.sum",),), 65536, 0.10),
    Counter("bank conflicts", (("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",),), 256, 0.10),
    Counter("passes of shared loads and stores", (("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                                   "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),), 256, 0.05),
    Counter("L2 sectors of all kinds", (("lts__t_sectors.sum",),), 1024, 0.10),
    Counter("sectors between the halves", (("lts__t_sectors_srcunit_ltcfabric.sum",),), 1024, 0.10),
)
DRAM = next(counter for counter in COUNTERS if counter.name == "DRAM bytes")
SHOWN = COUNTERS[:4]    # beside each kernel; the others in the tables of all


@dataclasses.dataclass(frozen=True)
class Rate:
    name: str
    metrics: tuple      # one that is a rate, weighted with cycles; or two, in percent: the sum of the first over that of the second
    unit: str           # "points": the difference counts; "": the relative error
    tolerance: float


RATES = (
    Rate("L1 hit rate", ("l1tex__t_sector_hit_rate.pct",), "points", 5),
    # With the sectors that profiler and launch add: of kernels with few sectors it says little (validation/measured/h200/l2.md#hit-rates).
    Rate("L2 hit rate", ("lts__t_sector_hit_rate.pct",), "points", 5),
    Rate("L2 hit rate of the L1s' sectors", ("lts__t_sectors_srcunit_tex_lookup_hit.sum", "lts__t_sectors_srcunit_tex.sum"), "points", 5),
    Rate("achieved occupancy", ("sm__warps_active.avg.pct_of_peak_sustained_active",), "points", 5),
    Rate("issue slots used", ("smsp__issue_active.avg.pct_of_peak_sustained_active",), "points", 5),
)
PEAKS = {
    "compute": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "L1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "L2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "DRAM": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
}
BUSY = 60       # percent of a peak: the GPU has enough to do
WAVES = 4       # of blocks
MEDIAN_OF = 3   # profiles, from which on the median of their stalls is what was measured
TRAFFIC = 60e6  # bytes from and to DRAM: more than an H200's L2 holds
LONG = 1e6      # nanoseconds
CLASS_FROM = 40  # percent of a peak, below which no part of the GPU bounds a kernel


def number(text):
    try:
        return float(str(text).replace(",", ""))
    except ValueError:
        return 0.0


@dataclasses.dataclass
class Kernel:
    kernel: str
    program: str
    size: str
    launches: int = 0
    cycles: list = dataclasses.field(default_factory=lambda: [0.0, 0.0])        # simulated, measured
    active: list = dataclasses.field(default_factory=lambda: [0.0, 0.0])
    profiled: list = dataclasses.field(default_factory=lambda: [0.0, 0.0])      # cycles of the profile that counted: weights of rates
    spread: object = None                                                       # of repeated profiles, repeats.Spread
    active_spread: object = None
    settings: list = dataclasses.field(default_factory=list)                    # of the run, because of what it is compared with
    counter_spreads: dict = dataclasses.field(default_factory=dict)             # name: Spread
    counter_repeats: dict = dataclasses.field(default_factory=dict)             # name: the value of each repetition
    counters: dict = dataclasses.field(default_factory=dict)                    # name: [simulated, measured]
    rates: dict = dataclasses.field(default_factory=dict)                       # name: [simulated, measured], times cycles or sums of the part
    wholes: dict = dataclasses.field(default_factory=dict)                      # name: [simulated, measured], sums of which a rate is a part
    stalls: dict = dataclasses.field(default_factory=dict)                      # reason: [simulated, measured] warp cycles
    stall_profiles: int = 1                                                     # of which the measured ones are medians
    peaks: dict = dataclasses.field(default_factory=dict)                       # part: measured percent, times cycles
    waves: float = 0.0                                                          # these three: the largest of a launch
    traffic: float = 0.0                                                        # bytes from and to DRAM
    nanoseconds: float = 0.0
    bare_cycles: float = 0.0                                                    # these two: of the run whose L2 was left empty
    bare_counters: dict = dataclasses.field(default_factory=dict)               # name: simulated

    @property
    def name(self):
        return f"{self.kernel} ({self.program}, {self.size})"

    @property
    def error(self):
        return self.cycles[0] / self.cycles[1] - 1

    @property
    def active_error(self):
        return self.active[0] / self.active[1] - 1 if self.active[1] else None

    def repeat(self, repeats):
        """The median of repeated profiles becomes the measured value, where there are enough of them."""
        def of(profiled, *metrics):
            return repeats.sums(self.program, self.size, self.kernel, metrics, self.launches, profiled)
        cycles, active = of(self.cycles[1], CYCLES), of(self.active[1], ACTIVE)
        if cycles:
            self.spread = spread(cycles)
            self.cycles = [self.cycles[0], self.spread.median]
        if active:
            self.active_spread = spread(active)
            self.active = [self.active[0], self.active_spread.median]
        for counter in COUNTERS:
            profiled = self.counters.get(counter.name, [0, None])[1]
            if found := next(filter(None, (of(profiled, *names) for names in counter.metrics)), None):
                self.counter_repeats[counter.name] = [value for values in found.values() for value in values]
                self.counter_spreads[counter.name] = spread(found)
                if repeats.like_profiles and counter.name in self.counters:
                    self.counters[counter.name] = [self.counters[counter.name][0], self.counter_spreads[counter.name].median]

    def repeat_stalls(self, repeats):
        """With at least two further profiles, measured stalls become the medians of these and the first one."""
        found = {reason: repeats.values(self.program, self.size, self.kernel, STALL.format(reason), self.launches) for reason in self.stalls}
        further = min(map(len, found.values()), default=0)
        if further + 1 < MEDIAN_OF:
            return
        self.stall_profiles = 1 + further
        self.stalls = {reason: [ours, statistics.median([theirs, *found[reason]])] for reason, (ours, theirs) in self.stalls.items()}

    def within_noise(self):
        """The measured values differ by more than the simulated one is off."""
        return self.spread is not None and abs(self.error) < self.spread.noise

    def counter_error(self, counter):
        if counter.name not in self.counters:
            return None
        ours, theirs = self.counters[counter.name]
        return (ours - theirs) / max(theirs, counter.floor * self.launches)

    def without_residue(self):
        """The same kernel as it is simulated with nothing of the profiler in the L2."""
        return dataclasses.replace(self, cycles=[self.bare_cycles, self.cycles[1]],
                                   counters={name: [ours, self.counters[name][1]] for name, ours in self.bare_counters.items()})

    def counter_fits(self, counter):
        """Within the tolerance, or within the interval of repeated profiles."""
        found = self.counter_spreads.get(counter.name)
        return abs(self.counter_error(counter)) <= counter.tolerance or (
            found is not None and found.low <= self.counters[counter.name][0] <= found.high)

    def repeats_that_fit(self, counter):
        """How many repetitions are within the tolerance of the others' median, and how many there or between the others: what a GPU reaches."""
        values, near, fits = self.counter_repeats[counter.name], 0, 0
        for i, value in enumerate(values):
            others = values[:i] + values[i + 1:]
            middle = statistics.median(others)
            close = abs(value - middle) <= counter.tolerance * max(middle, counter.floor * self.launches)
            near += close
            fits += close or min(others) <= value <= max(others)
        return near, fits

    def rate(self, rate):
        """Simulated and measured; None where the profile does not tell."""
        pair = self.rates.get(rate.name)
        whole = self.wholes.get(rate.name, self.profiled)
        return [value / weight for value, weight in zip(pair, whole)] if pair and all(whole) else None

    def peak(self):
        """Part of the GPU that was busiest, and how busy in percent of its peak; None where the profile does not tell."""
        if not self.peaks:
            return None
        part = max(self.peaks, key=self.peaks.get)
        return part, self.peaks[part] / self.profiled[1]

    def bound(self):
        peak = self.peak()
        if peak is None:
            return "unknown"
        return peak[0] if peak[1] >= CLASS_FROM else "latency or launch"

    def busy(self):
        peak = self.peak()
        return peak is not None and peak[1] >= BUSY

    def fills_gpu(self):
        """The GPU has enough to do for long: any of four signs."""
        return self.waves >= WAVES or self.busy() or self.traffic > TRAFFIC or self.nanoseconds > LONG

    def stall_distance(self):
        """Sum of the absolute differences of warp cycles by reason, over the measured sum, per issued instruction."""
        if not self.stalls:
            return None
        total = sum(theirs for _, theirs in self.stalls.values())
        return sum(abs(ours - theirs) for ours, theirs in self.stalls.values()) / total if total else None

    def top_reasons(self):
        """Reason with the most warp cycles, of both sides; being selected is none."""
        waits = {reason: pair for reason, pair in self.stalls.items() if reason != "selected"}
        return tuple(max(waits, key=lambda reason: waits[reason][side]) for side in (0, 1))


def read_profile(path):
    """Launches of an export of `ncu --csv --page raw`, a path or a file of an archive: the row below the names holds units."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))[1:]


def _add(pairs, name, ours, theirs):
    pair = pairs.setdefault(name, [0.0, 0.0])
    pair[0] += ours
    pair[1] += theirs


def _sectors_of_one_pass(measured):
    """Reads and writes apart are all of them, where nothing is atomic."""
    parts = [f"lts__t_sectors_srcunit_tex_op_{op}.sum" for op in ("read", "write")]
    if all(part in measured for part in parts):
        measured[L2_SECTORS] = str(sum(number(measured[part]) for part in parts))


def _take(kernel, simulated, timed, bare, measured):
    ours, cycles = simulated["metrics"], (simulated["metrics"][CYCLES], number(measured[CYCLES]))
    _sectors_of_one_pass(measured)
    kernel.launches += 1
    kernel.cycles = [a + b for a, b in zip(kernel.cycles, (timed["metrics"][CYCLES], cycles[1]))]
    kernel.profiled = [a + b for a, b in zip(kernel.profiled, cycles)]
    if ACTIVE in measured:
        kernel.active = [a + b for a, b in zip(kernel.active, (timed["metrics"][ACTIVE], number(measured[ACTIVE])))]
    for counter in COUNTERS:
        names = next((names for names in counter.metrics if all(name in measured for name in names)), ())
        for name in names:
            _add(kernel.counters, counter.name, ours.get(name, 0), number(measured[name]))
    kernel.bare_cycles += bare["metrics"][CYCLES]
    for name in ("DRAM bytes", "DRAM bytes written"):
        if name in kernel.counters:
            names = next(counter.metrics[0] for counter in COUNTERS if counter.name == name)
            kernel.bare_counters[name] = kernel.bare_counters.get(name, 0) + sum(bare["metrics"].get(metric, 0) for metric in names)
    for rate in RATES:
        if any(metric not in measured or metric not in ours for metric in rate.metrics):
            continue
        of = [(ours[metric], number(measured[metric])) for metric in rate.metrics]
        if len(of) == 1:
            _add(kernel.rates, rate.name, of[0][0] * cycles[0], of[0][1] * cycles[1])
        else:
            _add(kernel.rates, rate.name, 100 * of[0][0], 100 * of[0][1])
            _add(kernel.wholes, rate.name, *of[1])
    for reason in REASONS:
        if (metric := STALL.format(reason)) in measured:
            _add(kernel.stalls, reason, ours.get(metric, 0) * ours[INSTRUCTIONS],
                 number(measured[metric]) * number(measured[INSTRUCTIONS]))
    for part, metric in PEAKS.items():
        if metric in measured:
            kernel.peaks[part] = kernel.peaks.get(part, 0) + number(measured[metric]) * cycles[1]
    kernel.waves = max(kernel.waves, number(measured.get("launch__waves_per_multiprocessor", 0)))
    kernel.traffic = max(kernel.traffic, sum(number(measured.get(f"dram__bytes_{way}.sum", 0)) for way in ("read", "write")))
    kernel.nanoseconds = max(kernel.nanoseconds, number(measured.get("gpu__time_duration.sum", 0)))


def kernels_of(program, size, result, profile, repeats=None, say=print, timed=None, bare=None, stalls=None):
    """Kernels of one program. `result` is of a run like those of the profile, `timed` of one like the repeated profiles: of it are the cycles;
    `bare` of one like `timed`, but with nothing of the profiler in the L2. `stalls`: repeated profiles of the stall reasons.
    `say` is called with what is not compared, since only one side has these launches."""
    simulated, measured = json.loads(pathlib.Path(result).read_text())["kernels"], read_profile(profile)
    cycles = json.loads(pathlib.Path(timed).read_text())["kernels"] if timed else simulated
    empty = json.loads(pathlib.Path(bare).read_text())["kernels"] if bare else cycles
    found = {}
    for ours, like_repeats, without, theirs in zip(simulated, cycles, empty, measured):
        name = theirs["Kernel Name"].split("(")[0].replace("void ", "")
        kernel = found.setdefault(name, Kernel(name, program, size))
        _take(kernel, ours, like_repeats, without, theirs)
    for kernel in found.values() if repeats and len(simulated) == len(measured) else ():
        kernel.repeat(repeats)
    for kernel in found.values() if stalls and len(simulated) == len(measured) else ():
        kernel.repeat_stalls(stalls)
    if len(simulated) != len(measured):
        say(f"{program} {size}: {len(simulated)} launches simulated, {len(measured)} measured")
    return list(found.values())
