# SPDX-License-Identifier: Apache-2.0
"""Repeated single-pass profiles of one GPU: a compact file, what it says of a kernel, and its statistics.

A file (*.csv, written by tools/lab/repeat_profiles) begins with a comment that holds a JSON object: the GPU's number (a hash of its UUID),
that of the machine, driver, profiler, caches. Then comes a row for each kernel and metric: the value of each repetition, summed over the kernel's
launches in the program, or one value where all repetitions gave the same.
"""
import csv
import dataclasses
import json
import statistics

from applications.profile_set import Damaged, ProfileSet

SCHEMA = "sassim-repeats/1"
COLUMNS = ["program", "size", "kernel", "launches", "metric", "repetitions", "values"]
ENOUGH = 3      # repetitions from which on their median is the measured value


def text_of(value):
    return str(round(value)) if value == int(value) or value >= 1000 else f"{value:.2f}"


def write(path, about, samples):
    """`samples`: (program, size) -> kernel -> (launches, metric -> values of the repetitions), in the order of the program."""
    part = path.with_name(path.name + ".tmp")
    with part.open("w", newline="") as file:
        file.write("# " + json.dumps({"schema": SCHEMA, **about}) + "\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for (program, size), kernels in sorted(samples.items()):
            for kernel, (launches, metrics) in kernels.items():
                for metric, values in metrics.items():
                    shown = values[:1] if len(set(values)) == 1 else values
                    out.writerow([program, size, kernel, launches, metric, len(values), " ".join(map(text_of, shown))])
    part.replace(path)


def read(path):
    """(what the file says of its GPU, rows as `write` takes them)."""
    with path.open(newline="") as file:
        first = file.readline()
        try:
            about = json.loads(first.removeprefix("# "))
        except ValueError:
            about = {}
        if not isinstance(about, dict) or about.get("schema") != SCHEMA or not {"host", "caches"} <= about.keys():
            raise Damaged(f"{path}:1: expected a comment with schema {SCHEMA}, host and caches, as tools/lab/repeat_profiles writes it")
        rows, samples = csv.DictReader(file), {}
        if rows.fieldnames != COLUMNS:
            raise Damaged(f"{path}:2: expected the columns {','.join(COLUMNS)}")
        for line, row in enumerate(rows, 3):
            try:
                values, count = [float(value) for value in row["values"].split()], int(row["repetitions"])
                if len(values) not in (1, count) or count < 1:
                    raise ValueError(f"{count} repetitions with {len(values)} values")
                kernels = samples.setdefault((row["program"], row["size"]), {})
                kernel = kernels.setdefault(row["kernel"], (int(row["launches"]), {}))
                kernel[1][row["metric"]] = values if len(values) == count else values * count
            except (ValueError, TypeError, AttributeError) as error:
                raise Damaged(f"{path}:{line}: {error}") from None
    return about, samples


@dataclasses.dataclass(frozen=True)
class Spread:
    """One metric of one kernel over all repetitions."""
    median: float
    low: float          # of the interval that holds 95 % of the repetitions, or all of them where they are few
    high: float
    hosts: int
    repetitions: int
    between: float      # the medians of the hosts: largest less smallest, over the median

    @property
    def noise(self):
        """Half the width of the interval, over the median."""
        return (self.high - self.low) / 2 / self.median if self.median else 0.0

    def outside(self, value):
        """How far a value is outside the interval, over the median: 0 within it, negative below it."""
        apart = value - self.high if value > self.high else value - self.low if value < self.low else 0.0
        return apart / self.median if self.median else 0.0


def _ranked(ordered, part):
    """A quantile by linear interpolation: the ends themselves where the values are few."""
    place = part * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def spread(by_host):
    """`by_host`: host -> values. Every host counts the same: the median is that of the hosts' medians."""
    medians = [statistics.median(values) for values in by_host.values()]
    together = sorted(value for values in by_host.values() for value in values)
    middle, few = statistics.median(medians), len(together) < 40
    low, high = (together[0], together[-1]) if few else (_ranked(together, 0.025), _ranked(together, 0.975))
    return Spread(middle, low, high, len(by_host), len(together), (max(medians) - min(medians)) / middle if middle else 0.0)


class Repeats:
    """All files of a set of profiles with the same state of the caches: cold, full or keep."""

    def __init__(self, folder, caches):
        profiles = ProfileSet(folder)
        self._values, self.hosts, self.machines = {}, [], set()
        self.like_profiles = caches != "cold"    # of a single pass, as the profiles of a set with kept caches are: each is one more repetition
        self._settings = profiles.settings() if caches == "cold" else []
        for path in profiles.glob("*.csv"):
            about, samples = read(path)
            if about["caches"] != caches:
                continue
            if about["host"] not in self.hosts:
                self.hosts.append(about["host"])
            self.machines.add(about.get("machine", about["host"]))
            for (program, size), kernels in samples.items():
                for kernel, (launches, metrics) in kernels.items():
                    for metric, values in metrics.items():
                        by_host = self._values.setdefault((program, size, kernel, metric), (launches, {}))
                        if by_host[0] != launches:
                            raise Damaged(f"{path}: {kernel} of {program} {size} has {launches} launches, {by_host[0]} in another file")
                        by_host[1].setdefault(about["host"], []).extend(values)

    def values(self, program, size, kernel, metric, launches):
        """All repetitions of all hosts; none where the number of launches is another one."""
        count, by_host = self._values.get((program, size, kernel, metric), (0, {}))
        return [value for values in by_host.values() for value in values] if count == launches else []

    def settings(self, program, size):
        """How a run differs that is compared with these profiles, as options of sassim: they are of a single pass, others of many."""
        enough = any(key[:2] == (program, size) and sum(map(len, by_host.values())) >= ENOUGH for key, (_, by_host) in self._values.items())
        return [word for setting in self._settings for word in ("-o", setting)] if enough else []

    def sums(self, program, size, kernel, metrics, launches, profiled=None):
        """The sums of the metrics, by GPU. None where there are too few repetitions, or of another number of launches. `profiled`: the
        value of the set's own profile, which counts if it is like the repetitions."""
        found = [self._values.get((program, size, kernel, metric), (0, {})) for metric in metrics]
        if any(count != launches for count, _ in found):
            return None
        sums = {host: [sum(values) for values in zip(*(by_host[host] for _, by_host in found))] for host in found[0][1]}
        if self.like_profiles and profiled is not None:
            sums["profile"] = [profiled]
        return sums if sum(map(len, sums.values())) >= ENOUGH else None
