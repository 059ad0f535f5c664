# SPDX-License-Identifier: Apache-2.0
"""Studies of many simulations, as `sassim explore` and `sassim sweep` do them."""
from __future__ import annotations

import contextlib
import pathlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from ._command import PathLike, Value, call, options, override_options, paths, text_of
from ._html import page

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Study:
    """Points of a study: `points` has a row per point, a column per varied key and per metric."""

    def __init__(self, points: pd.DataFrame, keys: Sequence[str], text: str) -> None:
        self.points = points
        self.keys = list(keys)
        self.text = text  #: what the command printed

    def plot(self, y: str = "gpc__cycles_elapsed.max", x: str | None = None) -> Figure:
        """`y` over the key `x` (default: the one with the most values), a line per setting of the other keys."""
        from .figures import points_figure
        return points_figure(self.points, self.keys, y, x)

    def _repr_html_(self) -> str:
        wanted = [*self.keys, "status", "gpc__cycles_elapsed.max", "ipc", "l1tex__t_sector_hit_rate.pct", "sassim__lts_sector_hit_rate.pct"]
        return page(f"{len(self.points)} points over {', '.join(self.keys)}", [], self.points[[name for name in wanted if name in self.points]])

    def __repr__(self) -> str:
        return f"<sassim.Study: {len(self.points)} points over {', '.join(self.keys)}>"


class Sweep(Study):
    """Throughput over occupancy; `errors` compares analytic models with it."""

    def __init__(self, points: pd.DataFrame, errors: pd.DataFrame, text: str) -> None:
        super().__init__(points, ["alpha", "warps"], text)
        self.errors = errors

    def plot(self, y: str = "ipc", x: str | None = "warps") -> Figure:
        return super().plot(y, x)


def explore(traces: PathLike | Iterable[PathLike], config: str, vary: Mapping[str, Iterable[Value]],
            overrides: Mapping[str, Value] | None = None, *, out: PathLike | None = None, jobs: int | None = None,
            caches: str = "cold", together: bool = False) -> Study:
    """Replays traces on every combination of the values of `vary` (`together`: first values, second values, ...).

    traces, config, overrides, caches: as of `run`; vary: {"l1.size": ["32KiB", "64KiB"]}; jobs: points at a time.

    >>> study = sassim.explore("kernel.sast", "v100", {"l1.size": ["32KiB", "64KiB", "128KiB"]})
    >>> study.points[["sm.l1.size", "gpc__cycles_elapsed.max"]]

    With `out` the study is kept in that folder, and goes on from there when it is started again. A point that fails is a
    row whose status is not "done"."""
    axes = [f"--vary={key}={','.join(map(text_of, values))}" for key, values in vary.items()]
    with _folder(out) as folder:
        text = call(["explore", *options(config=config, caches=caches, zip=together, jobs=jobs or None, out=folder), *axes,
                     *override_options(overrides), "--", *paths(traces)], allowed=(0, 1))
        points = pd.read_csv(folder / "points.csv")
        return Study(points, list(points.columns[:points.columns.get_loc("status")]), text)


def sweep(config: str, *, workload: str = "memory", alpha: str = "0,1,2,4..512", warps: str | None = None,
          models: str | None = None, overrides: Mapping[str, Value] | None = None, out: PathLike | None = None,
          jobs: int | None = None) -> Sweep:
    """Throughput over occupancy for a mix of one load (or MUFU, or LDS) and `alpha` dependent adds.

    workload: "memory", "sfu" or "shared"; alpha, warps: lists as the command takes them, such as "0,1,2,4..512"; models: "all" or
    names of analytic models.

    >>> sassim.sweep("v100", workload="sfu", alpha="0,8", warps="4,8,16").points
    """
    with _folder(out) as folder:
        text = call(["sweep", *options(config=config, workload=workload, alpha=alpha, warps=warps, models=models,
                                       jobs=jobs or None, out=folder), *override_options(overrides)], allowed=(0, 1))
        return Sweep(pd.read_csv(folder / "points.csv"), pd.read_csv(folder / "errors.csv"), text)


@contextlib.contextmanager
def _folder(out: PathLike | None) -> Iterator[pathlib.Path]:
    if out is not None:
        yield pathlib.Path(out)
        return
    with tempfile.TemporaryDirectory(prefix="sassim-study-") as name:
        yield pathlib.Path(name)
