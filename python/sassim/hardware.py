# SPDX-License-Identifier: Apache-2.0
"""The simulated GPU beside measured and published values, as `sassim validate` does."""
from __future__ import annotations

import json
import pathlib
from typing import Any

import pandas as pd

from ._command import PathLike, call, options
from ._html import page
from .study import _folder


class Validation:
    """`targets` has a row per value: expected, simulated, error, tolerance, within; `summary` the totals."""

    def __init__(self, data: dict[str, Any], text: str, config: str) -> None:
        self.targets = pd.json_normalize(data["targets"])
        self.summary = data["summary"]
        self.text = text  #: what the command printed
        self._config = config

    def __repr__(self) -> str:
        return f"<sassim.Validation: {len(self.targets)} rows of {self._config}>"

    def _repr_html_(self) -> str:
        columns = [name for name in ("id", "quantity", "expected", "simulated", "unit", "error", "within", "origin", "source") if name in self.targets]
        return page(f"Validation of {self._config}", self.text.splitlines()[-1:], self.targets[columns])


def validate(config: str, *, only: str | None = None, prepared: bool = True, hardware: PathLike | None = None,
             out: PathLike | None = None) -> Validation:
    """Runs microbenchmarks on the simulated GPU and compares with published and measured values.

    only: a pattern for the rows, such as "lat."; prepared: use the programs that come with sassim, without CUDA;
    hardware: a file of tools/measure, instead of what comes along; out: a folder for the page.

    >>> sassim.validate("t4", only="t4.l2.size").targets[["id", "expected", "simulated"]]
    """
    with _folder(out) as folder:
        text = call(["validate", *options(config=config, only=only, prepared=prepared, hardware=hardware, out=folder)], allowed=(0, 1))
        return Validation(json.loads((pathlib.Path(folder) / "validation.json").read_text()), text, config)
