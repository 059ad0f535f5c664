# SPDX-License-Identifier: Apache-2.0
"""Limits of kernels, as `sassim check` holds them."""
from __future__ import annotations

import os
import pathlib
import tempfile
import xml.etree.ElementTree
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from ._command import PathLike, Value, call, options, override_options, paths
from ._html import page
from .errors import UsageError


class Checked:
    """`limits` has a row for each limit of each launch: gpu, kernel, limit, held, and why not; `broken` the sentences."""

    def __init__(self, junit: str, text: str) -> None:
        rows = []
        for suite in xml.etree.ElementTree.fromstring(junit).iter("testsuite"):
            for case in suite.iter("testcase"):
                failure = case.find("failure")
                why = "" if failure is None else failure.get("message", "")
                gpu = suite.get("name", "")
                rows.append((gpu, case.get("classname", "").removeprefix(gpu + "."), case.get("name", ""), failure is None, why))
        self.limits = pd.DataFrame(rows, columns=["gpu", "kernel", "limit", "held", "why"])
        self.broken = [line for line in text.splitlines() if line.startswith("broken ")]
        self.text = text  #: what the command printed

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return page("Limits", self.broken, self.limits)


def check(limits: PathLike, program: Sequence[PathLike] = (), *, traces: PathLike | Iterable[PathLike] = (),
          overrides: Mapping[str, Value] | None = None, caches: str | None = None, threads: int = 1) -> Checked:
    """Holds the kernels of a program, or of traces, to the limits of a file, on each GPU that the file names.

    program: the program and its arguments; traces: a path or several, instead of a program; others: as of `run`.

    >>> assert not sassim.check("limits.yaml", ["./app"]).broken
    """
    names = paths(traces)
    if bool(program) == bool(names):
        raise UsageError("check takes either a program or traces")
    with tempfile.TemporaryDirectory(prefix="sassim-python-") as folder:
        junit = pathlib.Path(folder) / "junit.xml"
        words = [*options(junit=junit, caches=caches, threads=threads), *override_options(overrides), *[f"--trace={name}" for name in names]]
        text = call(["check", *words, "--", os.fspath(limits), *map(os.fspath, program)], allowed=(0, 1))
        return Checked(junit.read_text(encoding="utf-8"), text)
