# SPDX-License-Identifier: Apache-2.0
"""Statistics of errors: what a page says of a set of kernels."""
import dataclasses
import math
import random

RESAMPLES = 2000


def percentile(values, percent):
    """The smallest value that at least `percent` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def mean(values):
    return sum(values) / len(values)


@dataclasses.dataclass(frozen=True)
class Summary:
    count: int
    mean: float             # of absolute errors
    interval: tuple         # 95 % of the means when programs are drawn anew
    bias: float             # mean of signed errors
    ratio: float            # geometric mean of simulated over measured
    p50: float
    p90: float
    p95: float
    worst: float
    worst_name: str


def bootstrap(by_program, seed=1):
    """95 % interval of the mean absolute error. Programs are drawn, not kernels: kernels of one program are alike."""
    programs = [sorted(abs(error) for error in errors) for _, errors in sorted(by_program.items())]
    draw = random.Random(seed)
    means = []
    for _ in range(RESAMPLES if len(programs) > 1 else 1):    # one program is always the one that is drawn
        drawn = [draw.choice(programs) for _ in programs]
        means.append(sum(map(sum, drawn)) / sum(map(len, drawn)))
    return percentile(means, 2.5), percentile(means, 97.5)


def summarise(kernels, error=lambda kernel: kernel.error):
    """Summary of the kernels that have such an error; None when none has."""
    rows = [(kernel, error(kernel)) for kernel in kernels]
    rows = [(kernel, value) for kernel, value in rows if value is not None]
    if not rows:
        return None
    by_program = {}
    for kernel, value in rows:
        by_program.setdefault(kernel.program, []).append(value)
    signed = [value for _, value in rows]
    sizes = [abs(value) for value in signed]
    worst = max(rows, key=lambda row: abs(row[1]))
    return Summary(len(rows), mean(sizes), bootstrap(by_program), mean(signed),
                   math.exp(mean([math.log(max(1 + value, 1e-9)) for value in signed])),
                   percentile(sizes, 50), percentile(sizes, 90), percentile(sizes, 95), abs(worst[1]), worst[0].name)


def speed_ups(kernels):
    """(small kernel, large kernel, error of large / small) of the kernels that were compared at both sizes."""
    small = {(k.program, k.kernel): k for k in kernels if k.size == "small"}
    found = []
    for large in kernels:
        other = small.get((large.program, large.kernel)) if large.size == "large" else None
        if other:
            simulated = (large.cycles[0] / large.launches) / (other.cycles[0] / other.launches)
            measured = (large.cycles[1] / large.launches) / (other.cycles[1] / other.launches)
            found.append((other, large, simulated / measured - 1))
    return found


def wrong_reason(kernel, cycles=0.10, distance=0.25):
    """Right cycles for the wrong reason: the time fits, what the warps waited for does not."""
    apart = kernel.stall_distance()
    return apart is not None and abs(kernel.error) <= cycles and apart > distance and len(set(kernel.top_reasons())) == 2
