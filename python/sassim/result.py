# SPDX-License-Identifier: Apache-2.0
"""What a simulation gives."""
from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd

from . import _native
from ._command import PathLike, paths

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CYCLES = "gpc__cycles_elapsed.max"
_STALL = ("sassim__warp_cycles_", ".sum")
_LINE = ["kernel", "pc", "sass", "control", "file", "line", "executed", "threads", "requests", "sectors",
         "ideal_sectors", "passes", "ideal_passes", "waits_for"]


class Result:
    """The kernels of one run: `cycles`, and tables of metrics, stall reasons and lines of SASS."""

    def __init__(self, native: _native.RunResult) -> None:
        self._native = native

    @classmethod
    def read(cls, path: PathLike) -> Result:
        """What `sassim run --json` or `sassim exec --json` has written."""
        return cls(_native.read_result(paths(path)[0]))

    @classmethod
    def parse(cls, text: str) -> Result:
        """The same from text."""
        return cls(_native.parse_result(text, "result"))

    @property
    def kernels(self) -> list[_native.Kernel]:
        return self._native.kernels

    @property
    def config_name(self) -> str:
        return self._native.config_name

    @property
    def config_hash(self) -> str:
        return self._native.config_hash

    @property
    def config(self) -> dict[str, Any]:
        """Every key of the configuration with its value."""
        return json.loads(self._native.config_json)

    @property
    def version(self) -> str:
        return self._native.version

    @property
    def commit(self) -> str:
        return self._native.commit

    @property
    def caches(self) -> str:
        """What each kernel found in the caches: cold, warm, keep, ..."""
        return self._native.caches

    @property
    def complete(self) -> bool:
        """False: the run was stopped; the kernels that were done are there."""
        return self._native.complete

    @property
    def cycles(self) -> int:
        """Of all kernels together."""
        return round(sum(kernel.metrics.get(CYCLES, 0) for kernel in self.kernels))

    @property
    def metrics(self) -> pd.DataFrame:
        """A row per kernel, a column per metric; `.attrs["units"]` has the units."""
        frame = pd.DataFrame([kernel.metrics for kernel in self.kernels], index=self._index())
        frame.attrs["units"] = {name: unit for kernel in self.kernels for name, unit in kernel.units.items()}
        return frame

    @property
    def bound(self) -> pd.Series:
        """What bounds each kernel, as the report says it; empty for a kernel that faulted or ran beside others."""
        return pd.Series([kernel.bound for kernel in self.kernels], index=self._index(), dtype="object", name="bound")

    @property
    def stalls(self) -> pd.DataFrame:
        """Warp cycles: a row per kernel, a column per reason."""
        names = [name for name in self.metrics.columns if name.startswith(_STALL[0])]
        return self.metrics[names].rename(columns=lambda name: name[len(_STALL[0]):-len(_STALL[1])]).fillna(0)

    @property
    def lines(self) -> pd.DataFrame:
        """Lines of SASS that were executed: the columns of `--csv-source`, and warp cycles by reason."""
        rows = [{"kernel": number, **{name: getattr(line, name) for name in _LINE[1:]}, **line.stalls}
                for number, kernel in enumerate(self.kernels) for line in kernel.lines]
        frame = pd.DataFrame(rows, columns=None if rows else _LINE)
        reasons = frame.columns.difference(_LINE, sort=False)
        frame[reasons] = frame[reasons].fillna(0).astype("int64")
        return frame

    def compare(self, profiles: PathLike | Iterable[PathLike]) -> pd.DataFrame:
        """Beside exports of `ncu --csv --page raw`: a row per kernel and quantity."""
        return pd.DataFrame(_native.compare(self._native, paths(profiles)))

    def plot_stalls(self) -> Figure:
        """Where warps spent their time, a bar per kernel."""
        from .figures import stall_figure
        return stall_figure(self.stalls, self.config_name)

    def plot_lines(self, kernel: int = 0, count: int = 15) -> Figure:
        """The lines of a kernel with the most warp cycles."""
        from .figures import line_figure
        lines = self.lines
        return line_figure(lines[lines["kernel"] == kernel].drop(columns="kernel"), list(self.stalls.columns),
                           self.kernels[kernel].name, count)

    def _index(self) -> pd.Index:
        return pd.MultiIndex.from_tuples([(number, kernel.name) for number, kernel in enumerate(self.kernels)],
                                         names=["kernel", "name"])

    def __repr__(self) -> str:
        return f"<sassim.Result: {len(self.kernels)} kernels on {self.config_name}, {self.cycles} cycles>"
