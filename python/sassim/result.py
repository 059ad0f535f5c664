# SPDX-License-Identifier: Apache-2.0
"""What a simulation gives."""
from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any

import pandas as pd

from . import _native
from ._command import PathLike, paths
from ._html import page
from .errors import UsageError
from .quantity import Quantity, key_units

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CYCLES = "gpc__cycles_elapsed.max"
_STALL = ("sassim__warp_cycles_", ".sum")
_LINE = ["kernel", "pc", "sass", "control", "file", "line", "executed", "threads", "requests", "sectors",
         "ideal_sectors", "passes", "ideal_passes", "waits_for"]


class Result:
    """The kernels of one run: `cycles`, and tables of metrics, stall reasons and lines of SASS."""

    def __init__(self, native: _native.RunResult, text: str) -> None:
        self._native = native
        self.text = text  #: the JSON of the result, as `--json` writes it

    @classmethod
    def read(cls, path: PathLike) -> Result:
        """What `sassim run --json` or `sassim exec --json` has written."""
        place = paths(path)[0]
        native = _native.read_result(place)  # refuses what is no result
        with _opened(place) as file:
            return cls(native, file.read())

    @classmethod
    def parse(cls, text: str) -> Result:
        """The same from text."""
        return cls(_native.parse_result(text, "result"), text)

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

    def key(self, name: str) -> Any:
        """A value of the configuration: a Quantity if the key has a unit, else as it is. The name may be the end of one,
        as in overrides: of several keys the shortest.

        >>> result.key("l1.size").to("KiB")
        """
        found = {key: value for key, value in _leaves(self.config) if key == name or key.endswith("." + name)}
        least = min((key.count(".") for key in found), default=0)
        found = {key: value for key, value in found.items() if key.count(".") == least}
        if len(found) != 1:
            raise UsageError(f"{name}: " + (f"could be any of {', '.join(sorted(found))}" if found else "the configuration has no such key"))
        key, value = found.popitem()
        unit = key_units().get(key)
        return Quantity(value, unit) if unit and isinstance(value, (int, float)) and not isinstance(value, bool) else value

    def metric(self, name: str, kernel: int = 0) -> Quantity:
        """A metric of one kernel, with its unit.

        >>> result.metric("gpu__time_duration.sum").to("us")
        """
        chosen = self.kernels[kernel]
        if name not in chosen.metrics:
            raise UsageError(f"{name}: kernel {kernel} has no such metric (sassim metrics lists them)")
        return Quantity(chosen.metrics[name], self.metrics.attrs["units"].get(name, ""))

    def series(self, kernel: int = 0) -> pd.DataFrame:
        """Counters of a kernel over time: a row per interval, a column per counter, the index in SM cycles. Only runs with
        `series=True` (`--html` or `--timeline` of the command) have them."""
        data = json.loads(self.text)["kernels"][kernel].get("series")
        if data is None:
            raise UsageError("this run has no counters over time: use run(..., series=True)")
        frame = pd.DataFrame(data["counters"])
        frame.index = pd.RangeIndex(0, len(frame) * data["interval"], data["interval"], name="cycle")
        return frame

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

    def _repr_html_(self) -> str:
        table = pd.DataFrame([{"kernel": kernel.name, "grid": "x".join(map(str, kernel.grid)), "block": "x".join(map(str, kernel.block)),
                               "cycles": round(kernel.metrics.get(CYCLES, 0)),
                               "us": kernel.metrics.get("gpu__time_duration.sum", float("nan")) / 1000,
                               "what bounds it": kernel.bound} for kernel in self.kernels])
        state = "" if self.complete else ", stopped before its end"
        return page(f"{len(self.kernels)} kernels on {self.config_name}: {self.cycles} cycles (caches {self.caches}{state})", [], table)

    def __repr__(self) -> str:
        return f"<sassim.Result: {len(self.kernels)} kernels on {self.config_name}, {self.cycles} cycles>"


def _opened(path: str) -> IO[str]:
    return lzma.open(path, "rt") if path.endswith(".xz") else open(path, encoding="utf-8")


def _leaves(config: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Every key with its value, by its full name."""
    for name, value in config.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
