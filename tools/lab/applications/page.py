# SPDX-License-Identifier: Apache-2.0
"""The page of accuracy of one GPU: a headline for each set, what the errors depend on, baselines, every kernel."""
from applications.errors import mean, percentile, speed_ups, summarise, wrong_reason
from applications.launches import BUSY, COUNTERS, DRAM, LONG, RATES, SHOWN, TRAFFIC, WAVES
from applications.repeats import ENOUGH

INTRODUCTION = """# Accuracy of {config} on application kernels

`tools/lab/accuracy` writes this page. **Elapsed** cycles are `gpc__cycles_elapsed.max`, from the launch reaching the GPU to the last write;
**active** cycles are `sm__cycles_active.max`, those of the SM that worked longest, without the launch. Measured values are Nsight Compute's
(`../measured/profiles/`). Where a kernel was profiled at least {enough} times in a single pass (`../measured/profiles/<gpu>-repeats`), its measured cycles are the median of
these over the GPUs, and **interval** holds 95 % of them (all, of fewer than 40): noise exceeds error where half its width is more than the error. Otherwise
they are of one profile of many passes; counters with cold caches always are, and so are stalls, except where a kernel has at least two further profiles of its stall reasons
(`../measured/profiles/<gpu>-stalls`): they are then the medians, reason by reason. Each is compared with a run of its kind (`settings` in the `about.json` of the
repeated profiles say how theirs differs). A kernel that a program launches several times
counts once, with the sum of its cycles. The interval is where the mean lies in 95 % of {resamples} draws of other programs of the
kind (bootstrap). Bias is the mean signed error, negative where the simulator is too fast; the ratio is the geometric mean of simulated
over measured.

Development kernels were looked at while the model was built; validation kernels were not tuned to, but their errors
were seen while the model changed (`../README.md` says where they led to a probe). With **cold** caches the profiler flushes them before each pass. **Kept** caches hold
what the program's copies and earlier kernels left (`--caches keep`), in a single pass with fewer counters; their L2 is full of clean lines of other data when the program
starts (`tools/measurement/fill_l2.cu`). Caches **as found** are kept, too, but hold whatever was there: empty lines, which copies occupy, and dirty ones of other programs, not the same in
any two runs. `settings` in the profiles' `about.json` say how that is simulated. Profiles of these two kinds are repetitions like others, and counters are medians, too.

How far two counters can be trusted: Nsight's **L2 hit rate** divides hits of one pass by sectors of another one, and in the pass of the hits there are some 2400 of the
profiler for each launch. The configuration adds them, but of kernels with fewer than some 20,000 sectors the rate says little. The rate **of the L1s' sectors** has none of this.
**Bank conflicts** are those that addresses make; the GPU counts others, where
shuffles, stores and loads of several warps meet, up to 6 % of the accesses, so that a kernel without conflicts is 100 % off. Passes are what conflicts cost
([shared-memory](../measured/h200/shared-memory.md#shared-memory)).
"""
MOST_SHOWN = 10
OLDER = "From an earlier recording than the sections without this line."


def share(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def _within(name):
    counter = next(counter for counter in COUNTERS if counter.name == name)
    return lambda kernels: share([None if k.counter_error(counter) is None else abs(k.counter_error(counter)) <= counter.tolerance for k in kernels])


def _rate_within(name):
    rate = next(rate for rate in RATES if rate.name == name)
    return lambda kernels: share([None if (pair := k.rate(rate)) is None else abs(pair[0] - pair[1]) <= rate.tolerance for k in kernels])


def _distance(kernels):
    distances = [distance for k in kernels if (distance := k.stall_distance()) is not None]
    return percentile(distances, 50) if distances else None


def _top_reason(kernels):
    return share([len(set(k.top_reasons())) == 1 for k in kernels if k.stall_distance() is not None])


MEAN = "mean error of elapsed cycles"
# By caches: what is asked of the validation kernels, in words, how it is measured, and the percentage (or distance) to reach.
GOALS = {
    "cold": [(MEAN, lambda kernels: summarise(kernels).mean, "at most", 0.045),
             ("mean error of active cycles", lambda kernels: share([k.active_error and abs(k.active_error) for k in kernels]), "at most", 0.06),
             ("median distance of the stall distributions", _distance, "at most", 0.12),
             ("kernels whose top stall reason is right", _top_reason, "at least", 0.95),
             ("kernels with all L2 sectors within 10 %", _within("L2 sectors of all kinds"), "at least", 0.90),
             ("kernels whose L2 hit rate of the L1s' sectors is within 5 points", _rate_within("L2 hit rate of the L1s' sectors"), "at least", 0.90)],
    "full": [(MEAN, lambda kernels: summarise(kernels).mean, "at most", 0.055),
             ("bias of elapsed cycles, either way", lambda kernels: abs(summarise(kernels).bias), "at most", 0.02),
             ("kernels with DRAM bytes within 10 %", _within("DRAM bytes"), "at least", 0.85)],
}
GOALS["keep"] = GOALS["full"]


def percent(value, digits=1):
    return f"{100 * value:.{digits}f} %"


def signed(value):
    return "exact" if value == 0 else f"{100 * value:+.1f} %"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def summary_row(title, summary):
    return [title, str(summary.count), f"**{percent(summary.mean)}**", f"{percent(summary.interval[0])} to {percent(summary.interval[1])}",
            f"{100 * summary.bias:+.1f} %", f"{summary.ratio:.3f}", percent(summary.p50), percent(summary.p90), percent(summary.p95),
            f"{percent(summary.worst)} ({summary.worst_name})"]


SUMMARY_HEAD = ["", "kernels", "mean error", "95 % interval", "bias", "ratio", "P50", "P90", "P95", "worst"]


def rows_of(section, titles):
    """Rows of an earlier headline whose sets are not run again."""
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in section
            if any(line.startswith(f"| {title}, ") for title in titles)]


def headline(sets, older=()):
    """One table for all sets: elapsed and active cycles."""
    rows = list(older)
    for title, kernels in sets:
        for what, error in (("elapsed", lambda k: k.error), ("active", lambda k: k.active_error)):
            summary = summarise(kernels, error)
            if summary:
                rows.append(summary_row(f"{title}, {what}", summary))
    return ["## All sets", ""] + table(SUMMARY_HEAD, rows)


def goals(kernels, asked):
    rows = []
    for what, measure, relation, goal in asked:
        value = measure(kernels)
        if value is not None:
            written = (lambda number: f"{number:.2f}") if what.startswith("median") else percent
            reached = value <= goal if relation == "at most" else value >= goal
            rows.append([what, f"{relation} {written(goal)}", written(value), "reached" if reached else "missed"])
    return table(["goal of the validation kernels", "asked", "measured here", ""], rows) if rows else []


def groups(kernels):
    """Elapsed error by what kernels have in common."""
    kinds = [("small", lambda k: k.size == "small"), ("large", lambda k: k.size == "large"),
             ("under one wave of blocks", lambda k: 0 < k.waves < 1), ("one to four waves", lambda k: 1 <= k.waves < WAVES),
             ("four waves or more", lambda k: k.waves >= WAVES), (f"busy: {BUSY} % of some peak", lambda k: k.busy()),
             (f"over {TRAFFIC / 1e6:.0f} MB of DRAM traffic", lambda k: k.traffic > TRAFFIC),
             (f"over {LONG / 1e6:.0f} ms", lambda k: k.nanoseconds > LONG),
             ("any of these four", lambda k: k.fills_gpu()), ("none of these four", lambda k: not k.fills_gpu())]
    kinds += [(f"bound by {bound}", lambda k, bound=bound: k.bound() == bound)
              for bound in ("compute", "L1", "L2", "DRAM", "latency or launch")]
    rows = []
    for title, belongs in kinds:
        summary = summarise([k for k in kernels if belongs(k)])
        if summary:
            rows.append([title, str(summary.count), percent(summary.mean), f"{100 * summary.bias:+.1f} %", percent(summary.p90),
                         f"{percent(summary.worst)} ({summary.worst_name})"])
    if not any(k.peaks for k in kernels):
        rows = rows[:2]
    return table(["elapsed cycles by", "kernels", "mean error", "bias", "P90", "worst"], rows)


def growth(kernels):
    found = speed_ups(kernels)
    if not found:
        return []
    sizes = [abs(error) for _, _, error in found]
    worst = max(found, key=lambda row: abs(row[2]))
    return [f"Time of the large size over time of the small one ({len(found)} kernels): mean error {percent(mean(sizes))}, P90 "
            f"{percent(percentile(sizes, 90))}, worst {signed(worst[2])} ({worst[1].kernel}, {worst[1].program}).", ""]


def interval(k):
    """Where the repetitions lie, relative to their median; whether the error is smaller than that."""
    if k.spread is None:
        return ""
    return (f"{100 * (k.spread.low / k.spread.median - 1):+.1f} to {100 * (k.spread.high / k.spread.median - 1):+.1f} %" +
            (", **noise exceeds error**" if k.within_noise() else ""))


def span(numbers):
    """'3 to 10', or '3' where all are the same."""
    found = sorted(set(numbers))
    return f"{found[0]} to {found[-1]}" if len(found) > 1 else f"{found[0]}"


def repeated(kernels):
    """What repeated profiles say of the measured values."""
    found = [k for k in kernels if k.spread]
    if not found:
        return []
    noise, between = [k.spread.noise for k in found], [k.spread.between for k in found if k.spread.hosts > 1]
    outside = [abs(k.spread.outside(k.cycles[0])) for k in found]
    single = [abs(k.profiled[1] / k.spread.median - 1) for k in found]
    lines = [f"Measured {span(k.spread.repetitions for k in found)} times on {span(k.spread.hosts for k in found)} GPUs ({len(found)} of {len(kernels)} kernels), a single pass "
             f"each time: half the interval that holds 95 % of the repetitions is {percent(percentile(noise, 50))} of the median of elapsed cycles in the "
             f"median kernel and {percent(percentile(noise, 90))} at P90" +
             (f"; the GPUs' own medians are apart by {percent(percentile(between, 50))} and {percent(percentile(between, 90))}" if between else "") +
             f". The simulated value is within the interval for {sum(o == 0 for o in outside)} kernels ({percent(mean([o == 0 for o in outside]), 0)}); "
             f"the mean distance to the interval is {percent(mean(outside))}. The noise exceeds the error of {sum(k.within_noise() for k in found)} kernels. "
             f"The profile that has all counters, in many passes, differs from the median by {percent(mean(single))} in the mean "
             f"(bias {100 * mean([k.profiled[1] / k.spread.median - 1 for k in found]):+.1f} %).", ""]
    return lines


def repeated_counter(kernels, counter):
    """How many kernels are within the tolerance or the interval of repetitions, if there are any."""
    found = [k for k in kernels if counter.name in k.counter_spreads and counter.name in k.counters]
    return f"; {sum(k.counter_fits(counter) for k in found)} of {len(found)} repeated ones with the interval" if found else ""


def repetitions_among_each_other(kernels):
    """How well the GPU agrees with itself where its DRAM traffic depends on what others left in the L2."""
    found = [k for k in kernels if len(k.counter_repeats.get(DRAM.name, [])) > ENOUGH - 1]
    total = sum(len(k.counter_repeats[DRAM.name]) for k in found)
    if not total:
        return []
    near = share([abs(k.counter_error(DRAM)) <= DRAM.tolerance for k in found])
    fits = share([k.counter_fits(DRAM) for k in found])
    theirs = [sum(counts) / total for counts in zip(*(k.repeats_that_fit(DRAM) for k in found))]
    return [f"DRAM bytes of the {len(found)} repeated kernels are within {percent(DRAM.tolerance, 0)} of what is measured for {percent(near)}, and "
            f"there or between the repetitions for {percent(fits)}. Of {total} repetitions on the GPU itself {percent(theirs[0])} are within "
            f"{percent(DRAM.tolerance, 0)} of the others' median, {percent(theirs[1])} there or between the others.", ""]


def counters(kernels):
    rows = []
    for counter in COUNTERS:
        errors = [error for k in kernels if (error := k.counter_error(counter)) is not None]
        if errors:
            rows.append([counter.name, str(len(errors)), str(sum(error == 0 for error in errors)),
                         f"{sum(abs(error) <= counter.tolerance for error in errors)} (within {percent(counter.tolerance, 0)})" + repeated_counter(kernels, counter),
                         f"{100 * mean(errors):+.2f} %", percent(percentile([abs(e) for e in errors], 90))])
    for rate in RATES:
        pairs = [pair for k in kernels if (pair := k.rate(rate)) is not None]
        if pairs:
            apart = [ours - theirs for ours, theirs in pairs]
            rows.append([f"{rate.name}, {rate.unit}", str(len(apart)), str(sum(abs(a) < 0.05 for a in apart)),
                         f"{sum(abs(a) <= rate.tolerance for a in apart)} (within {rate.tolerance})", f"{mean(apart):+.2f}",
                         f"{percentile([abs(a) for a in apart], 90):.1f}"])
    return table(["counter", "kernels", "exact", "within tolerance", "bias", "P90"], rows) if rows else []


def residue(kernels):
    """What the lines that the profiler leaves in the L2 change, where a run without them was made."""
    without = [k.without_residue() for k in kernels]
    moved = [(k, bare) for k, bare in zip(kernels, without) if (k.cycles, k.bare_counters) != (bare.cycles, {name: k.counters[name][0] for name in k.bare_counters})]
    if not moved:
        return []
    rows = []
    for what, chosen in ((f"all {len(kernels)}", list(zip(kernels, without))), (f"the {len(moved)} that it changes", moved)):
        for title, side in (("with", 0), ("without", 1)):
            some = [pair[side] for pair in chosen]
            summary = summarise(some)
            cells = [f"{what}, {title}", percent(summary.mean), f"{100 * summary.bias:+.1f} %"]
            for name in ("DRAM bytes", "DRAM bytes written"):
                counter = next(counter for counter in COUNTERS if counter.name == name)
                errors = [error for k in some if (error := k.counter_error(counter)) is not None]
                cells += [f"{sum(abs(error) <= counter.tolerance for error in errors)} of {len(errors)}"]
            rows.append(cells)
    return ["With and without the written lines that the profiler leaves in the L2 (`environment.flushed` as the host has it, and 0):", ""] + table(
        ["kernels", "mean error of elapsed cycles", "bias", "DRAM bytes within 10 %", "bytes written within 10 %"], rows)


def stalls(kernels):
    distances = [(distance, k) for k in kernels if (distance := k.stall_distance()) is not None]
    if not distances:
        return []
    right = sum(len(set(k.top_reasons())) == 1 for _, k in distances)
    wrong = [k.name for _, k in distances if wrong_reason(k)]
    medians = [k.stall_profiles for _, k in distances if k.stall_profiles > 1]
    several = f", of which {len(medians)} have medians of {span(medians)} profiles" if medians else ""
    lines = [f"Why warps waited ({len(distances)} kernels{several}): the distance between the two distributions of warp cycles by reason, "
             f"per issued instruction, is {percentile([d for d, _ in distances], 50):.2f} in the median and "
             f"{percentile([d for d, _ in distances], 90):.2f} at P90 (0: the same; 1: as much is wrong as there is). The top reason is "
             f"right in {right} ({percent(right / len(distances), 0)}). Cycles within 10 % with a distance above 0.25 and another top "
             f"reason, right for the wrong reason: {len(wrong)}" + (f" ({', '.join(wrong[:8])}{', ...' if len(wrong) > 8 else ''})." if wrong else "."), ""]
    return lines


def baselines(rows):
    """`rows`: (name of the model, kernels it applies to, Summary of the model, Summary of the simulator on the same)."""
    if not rows:
        return []
    return ["Simple models on the same kernels; they are given the measured instructions, traffic and occupancy:", ""] + table(
        ["model", "kernels", "mean error", "bias", "P90", "simulator's mean error on these"],
        [[name, str(count), percent(model.mean), f"{100 * model.bias:+.1f} %", percent(model.p90), percent(ours.mean)]
         for name, count, model, ours in rows])


def rows_of_kernels(kernels):
    """Those that err most."""
    chosen = sorted(kernels, key=lambda k: -abs(k.error))[:MOST_SHOWN]
    lines = [] if len(chosen) == len(kernels) else [
        f"The {MOST_SHOWN} of the {len(kernels)} kernels that err most; the table beside this page (`.csv.xz`, which pandas reads) has all.", ""]
    rows, shown = [], any(k.spread for k in kernels)
    for k in chosen:
        rows.append([k.name, str(k.launches), f"{k.cycles[0] / k.launches:.0f}", f"{k.cycles[1] / k.launches:.0f}", signed(k.error), *([interval(k)] if shown else []),
                     signed(k.active_error) if k.active_error is not None else "",
                     *[signed(error) if (error := k.counter_error(counter)) is not None else "" for counter in SHOWN]])
    return lines + table(["kernel", "launches", "cycles simulated", "measured", "error", *(["interval"] if shown else []), "active", *[c.name for c in SHOWN]], rows)


def section(title, kernels, failures, baseline_rows=(), asked=()):
    lines = [f"## {title}", ""]
    if kernels:
        lines += goals(kernels, asked) + groups(kernels) + growth(kernels) + repeated(kernels) + counters(kernels) + repetitions_among_each_other(kernels) + residue(kernels) + stalls(kernels) + baselines(baseline_rows) + rows_of_kernels(kernels)
    lines += [f"Not compared: {failure}" for failure in failures] + ([""] if failures else [])
    return lines


def sections_of(page):
    """The sections of a page that is there, by title."""
    if not page or not page.exists():
        return {}
    parts = page.read_text().split("\n## ")[1:]
    return {part.splitlines()[0]: ["## " + line if i == 0 else line for i, line in enumerate(part.rstrip().splitlines())]
            for part in parts}
