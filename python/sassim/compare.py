# SPDX-License-Identifier: Apache-2.0
"""Before and after: two runs beside each other, as `sassim compare` does."""
from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any, Union

import pandas as pd

from ._command import PathLike, call
from ._html import page
from .result import Result

Run = Union[Result, PathLike]


class Comparison:
    """What changed: `kernels`, `metrics`, `causes` and `lines` are tables with a value before and one after."""

    def __init__(self, data: Mapping[str, Any], text: str, broken: list[str]) -> None:
        self.data = data  #: what `compare --json` writes
        self.text = text  #: what the command printed
        self.broken = broken  #: limits of `fail_if` that are broken, in sentences

    @property
    def kernels(self) -> pd.DataFrame:
        """A row per kernel: cycles, duration and cause, before and after."""
        rows = []
        for kernel in self.data["kernels"]:
            before, after = kernel["cycles"]
            rows.append({"kernel": kernel["name"], "launch": kernel["launch"], "cycles_before": before, "cycles_after": after,
                         "change_pct": 100 * (after / before - 1) if before else float("nan"),
                         "bound_before": kernel["bound_by"][0], "bound_after": kernel["bound_by"][1]})
        return pd.DataFrame(rows)

    @property
    def metrics(self) -> pd.DataFrame:
        """A row per kernel and metric."""
        return self._pairs((kernel, name, pair) for kernel in self.data["kernels"] for name, pair in kernel["metrics"].items())

    @property
    def causes(self) -> pd.DataFrame:
        """Estimated cycles of each cause, a row per kernel and cause."""
        return self._pairs((kernel, cause["cause"], cause["cycles"]) for kernel in self.data["kernels"] for cause in kernel["causes"])

    @property
    def lines(self) -> pd.DataFrame:
        """Warp cycles of each SASS line."""
        return self._pairs((kernel, line["text"], line["warp_cycles"]) for kernel in self.data["kernels"] for line in kernel["sass_lines"])

    @staticmethod
    def _pairs(rows: Iterable[tuple[Mapping[str, Any], str, list[float]]]) -> pd.DataFrame:
        return pd.DataFrame([{"kernel": kernel["name"], "launch": kernel["launch"], "name": name, "before": pair[0], "after": pair[1]}
                             for kernel, name, pair in rows], columns=["kernel", "launch", "name", "before", "after"])

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return page("Before and after", self.broken, self.kernels)


def compare(before: Run, after: Run, *, renames: Mapping[str, str] | None = None, fail_if: Iterable[str] = ()) -> Comparison:
    """Compares two runs, each a Result or the file of `--json`.

    renames: {"old": "new"}, kernels that have another name in the second run.
    fail_if: limits such as "cycles > +2%"; those that are broken are in `.broken`.

    >>> change = sassim.compare(before, after, fail_if=["cycles > +2%"])
    >>> assert not change.broken
    >>> change.kernels
    """
    with tempfile.TemporaryDirectory(prefix="sassim-python-") as folder:
        out = pathlib.Path(folder) / "change.json"
        files = [_file(run, pathlib.Path(folder) / name) for run, name in ((before, "before.json"), (after, "after.json"))]
        limits = list(fail_if)
        words = [f"--rename={old}={new}" for old, new in (renames or {}).items()] + [f"--fail-if={limit}" for limit in limits]
        text = call(["compare", *files, f"--json={out}", *words], allowed=(0, 1))
        calm = call(["compare", *files, *[word for word in words if word.startswith("--rename")]]) if limits else text
        broken = text[len(calm):].splitlines() if text.startswith(calm) else []
        return Comparison(json.loads(out.read_text()), calm, broken)


def _file(run: Run, place: pathlib.Path) -> str:
    if not isinstance(run, Result):
        return os.fspath(run)
    place.write_text(run.text)
    return str(place)
