# SPDX-License-Identifier: Apache-2.0
"""The page of tools/lab/ablation: what its results say of each mechanism."""
import dataclasses
import re

import ablation_mechanisms
from applications.errors import mean
from applications.launches import COUNTERS

MOVED = 0.01    # a kernel, a counter or a row that changes by more has moved

INTRODUCTION = """# What each mechanism of the H200's model is good for

Written by `tools/lab/ablation --seconds {seconds:g} --feature-seconds {feature_seconds:g} --more-seconds {more_seconds:g}
--warm {warm_count} --row-seconds {row_seconds:g} --out validation/results/ablation.md`
with sassim {version}, configuration `{hash}`. Each row of the table switches one mechanism off, by the settings that it names, and
leaves everything else as it is. The mechanisms are those that only the H200's model has, or that T4 and V100 carry over from it
(`tools/lab/ablation_mechanisms.py` says which, and what off means; a test finds keys that are missing there).

**Application kernels:** the {kernels} kernels of the development programs {programs},
`size=small`: those whose launches replay in less than {seconds:g} s of one core's time. Their traces are recorded once. All launches are
replayed with cold caches, and their cycles are compared with the profiles in `validation/measured/profiles/h200.tar.xz`. Error: the mean of the absolute errors of
the cycles. Bias: the mean of the signed errors. Moved: kernels whose cycles change by more than 1 %.

**Counters:** the kernels with a counter that changes by more than 1 %, and which counters: {counters}. The change is
relative to the value with everything on, or to {floors} for each launch if that is more.

**Warm launches:** with cold caches, a launch waits for DRAM, and a mechanism that acts at the same time can change nothing.
{warm}

**Other features:** {features} kernels of validation programs, which use what the development programs do not use:
{feature_list}. They were chosen by these features alone. No error of them is computed here, because validation programs must
not influence the model. The column has the kernels whose cycles change by more than 1 % with cold caches, and the largest change.

**More kernels:** {more}

**Microbenchmarks:** the rows of {rows}, which one core simulates in less than {row_seconds:g} s with
their default arguments. Rows within: rows whose difference from the H200's value is within their tolerance. Moved: rows that change by more than
1 %. Own benchmark: the microbenchmarks with which the mechanism was measured, if they are in the repository.
The column has the rows within tolerance with the mechanism and without it, and the rows moved. A dash: there is no such program.

**What the numbers do not say.** Values were chosen with all mechanisms on. Without one mechanism, the values of the others do not fit. So
an error that grows shows that this model needs the mechanism; it does not show that a simpler mechanism would be worse. An error that
shrinks a little does not show that the mechanism is wrong: the programs are few, and their errors were seen when values were chosen.
The columns of applications have small kernels only.
"""
WARM = ("Where nothing else moves outside the own benchmark, all launches of {programs} are replayed twice in a row with caches kept. Those of the "
        "second time, {launches}, are compared with everything on and with the mechanism off; there are no profiles of such runs, so no "
        "errors.")
MORE = ("{kernels} kernels of {programs}. They are run with cold caches for mechanisms that move nothing in the other columns\n"
        "(except rows of their own benchmark), to see whether anything needs these mechanisms. The column has how many move, and the largest change.")
NO_MORE = "none were run (`--more-seconds`)."
NOT_WARM = "Nothing was replayed with caches kept, so that mechanisms of a launch can look idle."
HEAD = ("| mechanism | switched off by | error | change | bias | kernels moved | largest move | counters moved | "
        "warm launches moved | other features | more kernels | rows within | rows moved | own benchmark |",
        "|---|---|---:|---:|---:|---:|---|---|---:|---|---|---:|---:|---|")


def points(value):
    text = f"{100 * value:+.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else text


def plain_name(mangled):
    """The function's own name, of a mangled one."""
    names = re.match(r"_ZN?(\d.*)", mangled)
    rest, found = names[1] if names else "", mangled.split("(")[0]
    while length := re.match(r"\d+", rest):
        end = length.end() + int(length[0])
        found, rest = rest[length.end():end], rest[end:]
    return found


def moved(before, after):
    return before != after if before == 0 else abs(after / before - 1) > MOVED


def changes(base, now):
    """(change of the cycles, name) of those that moved, of {(kernel, program): cycles}; None: not run."""
    if now is None:
        return None
    found = [(now[key] / cycles - 1, f"{plain_name(key[0])} of {key[1]}") for key, cycles in base.items()]
    return [change for change in found if abs(change[0]) > MOVED]


def changes_text(found):
    if not found:
        return "" if found is None else "0"
    move, name = max(found, key=lambda change: (abs(change[0]), change[1]))
    return f"{len(found)}: {100 * move:+.1f} %, {name}"


def moved_kernels(kernels, base):
    """(change of the cycles, kernel) of those that moved."""
    before = {kernel.name: kernel.cycles[0] for kernel in base}
    changes = [(kernel.cycles[0] / before[kernel.name] - 1, kernel.name) for kernel in kernels]
    return [change for change in changes if abs(change[0]) > MOVED]


def moved_counters(kernels, base):
    """{kernel: counters that moved}, without the kernels of which none did."""
    before = {kernel.name: kernel for kernel in base}
    found = {}
    for kernel in kernels:
        same = before[kernel.name]
        for counter in COUNTERS:
            if counter.name in kernel.counters:
                was, now = same.counters[counter.name][0], kernel.counters[counter.name][0]
                if abs(now - was) > MOVED * max(was, counter.floor * kernel.launches):
                    found.setdefault(kernel.name, []).append(counter.name)
    return found


@dataclasses.dataclass(frozen=True)
class Run:
    """One program at one size."""
    program: str
    size: str = "small"

    @property
    def name(self):
        return f"{self.program}.{self.size}"

    def __str__(self):
        return self.program if self.size == "small" else f"{self.program} ({self.size})"


@dataclasses.dataclass(frozen=True)
class Results:
    """What was run with one mechanism off."""
    mechanism: object
    kernels: list   # of applications, with cold caches
    features: dict  # cycles of kernels of validation programs, by kernel and program
    rows: dict      # of microbenchmarks, by id
    warm: list      # cycles of launches with warm caches; None: not run
    more: dict      # cycles of more kernels, by kernel, program and size; None: not run


class Effect:
    """What one mechanism does: everything on against everything but this."""

    def __init__(self, results, base, common):
        self.mechanism, kernels, rows = results.mechanism, results.kernels, results.rows
        mechanism, base_kernels, base_rows = results.mechanism, base.kernels, base.rows
        errors = [kernel.error for kernel in kernels]
        self.error, self.bias = mean([abs(error) for error in errors]), mean(errors)
        self.change = self.error - mean([abs(kernel.error) for kernel in base_kernels])
        before = {kernel.name: kernel.cycles[0] for kernel in base_kernels}
        moves = [(kernel.cycles[0] / before[kernel.name] - 1, kernel.name) for kernel in kernels]
        self.kernels = len(moved_kernels(kernels, base_kernels))
        self.warm = None if results.warm is None else sum(map(moved, base.warm, results.warm))
        self.counters = moved_counters(kernels, base_kernels)
        self.features, self.more = changes(base.features, results.features), changes(base.more or {}, results.more)
        self.largest = max(moves, key=lambda move: (abs(move[0]), move[1]))
        self.count = len(kernels)
        of_common = {name: row for name, row in base_rows.items() if row["by"].split()[0] in common}
        own = {name: row for name, row in base_rows.items() if row["by"].split()[0] in mechanism.own}
        self.within, self.rows = self.count_rows(of_common, rows)
        self.outside = self.count_rows({name: row for name, row in of_common.items() if name not in own}, rows)[1]
        self.common = len(of_common)
        self.own = (len(own), sum(row["within"] for row in own.values()), *self.count_rows(own, rows)) if own else None

    @staticmethod
    def count_rows(before, after):
        """Rows within tolerance, and rows moved; a row that is no longer answered is out of tolerance and has moved."""
        pairs = [(row, after.get(name)) for name, row in before.items()]
        return (sum(bool(now) and now["within"] for _, now in pairs),
                sum(now is None or moved(row["simulated"], now["simulated"]) for row, now in pairs))

    def moves_outside(self):
        """Something moves that is not of its own benchmark."""
        return bool(self.kernels or self.counters or self.features or self.outside or self.warm or self.more)

    def counters_text(self):
        names = [counter.name for counter in COUNTERS if any(counter.name in moved for moved in self.counters.values())]
        return f"{len(self.counters)}: {', '.join(names)}" if names else "0"

    def own_text(self):
        if self.own is None:
            return "-"
        total, before, within, moves = self.own
        return f"{', '.join(self.mechanism.own)}: {before} and {within} of {total}, {moves} moved"

    def line(self):
        move, name = self.largest
        largest = f"{100 * move:+.1f} %, {name.split(',')[0].replace(' (', ' of ')}" if abs(move) >= 0.0005 else "none"
        return (f"| {self.mechanism.name}: {self.mechanism.what} | {', '.join(f'`{setting}`' for setting in self.mechanism.off)} | "
                f"{100 * self.error:.2f} % | {points(self.change)} | {100 * self.bias:+.2f} % | {self.kernels} | {largest} | "
                f"{self.counters_text()} | {'' if self.warm is None else self.warm} | {changes_text(self.features)} | "
                f"{changes_text(self.more)} | {self.within} | {self.rows} | {self.own_text()} |")


def verdicts(effects):
    silent = [effect for effect in effects if not effect.moves_outside()]
    lines = ["", "## Moves nothing outside its benchmark", "",
             "If one of these mechanisms is off, no application kernel moves by more than 1 %, cold or warm, nor does a counter of it, nor "
             "one of the other kernels, and no row except those of its own benchmark does. Mechanisms without a reason to stay are to be "
             "removed.", "", "| mechanism | rows of its own benchmark that move | why it stays |", "|---|---:|---|"]
    lines += [f"| {e.mechanism.name} | {e.own[3] if e.own else '-'} | {ablation_mechanisms.STAYS.get(e.mechanism.name, 'to be removed')} |" for e in silent]
    lines += ["", "## Removed", "", "These mechanisms were in the model and moved no kernel by 1 %. They were on in the runs of this page if its configuration has their keys.", ""]
    lines += [f"- {name} ({', '.join(f'`{key}`' for key in keys)}). Moved: {moves}." for name, keys, moves in ablation_mechanisms.REMOVED] or ["None."]
    better = sorted((e for e in effects if e.change < -0.0005), key=lambda e: e.change)
    lines += ["", "## Errors that shrink", "", "If one of these mechanisms is off, the mean error of the kernels is smaller by more than 0.05 points. No "
              "value was changed because of that: each value was measured by a probe, and the kernels are few.", ""]
    lines += [f"- {e.mechanism.name}: {points(e.change)} points, {e.kernels} of the kernels moved." for e in better] or ["None."]
    return lines


def page_of(results, options, version):
    programs, common = options.programs, options.rows
    base = results[0]
    everything = Effect(base, base, common)
    effects = [Effect(of_one, base, common) for of_one in results[1:]]
    effects.sort(key=lambda effect: (-effect.change, effect.mechanism.name))
    lines = [INTRODUCTION.format(
        version=version["version"], hash=version["hash"], kernels=everything.count, programs=", ".join(map(str, programs)),
        more_seconds=options.more_seconds, more=MORE.format(kernels=len(base.more), programs=", ".join(map(str, options.more))) if options.more else NO_MORE,
        feature_seconds=options.feature_seconds, features=len(base.features), feature_list="; ".join(
            f"{of.program} ({ablation_mechanisms.FEATURES[of.program][1]})" for of in options.features) or "none",
        counters=", ".join(counter.name for counter in COUNTERS), floors="its floor in `tools/lab/applications/launches.py`",
        seconds=options.seconds, rows=", ".join(common), row_seconds=options.row_seconds,
        warm_count=len(options.warm), warm=WARM.format(programs=", ".join(map(str, options.warm)), launches=len(base.warm)) if options.warm
        else NOT_WARM),
             f"With everything on: mean error {100 * everything.error:.2f} %, bias {100 * everything.bias:+.2f} %, {everything.within} of "
             f"{everything.common} rows within tolerance. Change: of the mean error, in points; largest first.", "", *HEAD]
    lines += [effect.line() for effect in effects]
    return "\n".join(lines + verdicts(effects)) + "\n"
