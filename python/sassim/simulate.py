# SPDX-License-Identifier: Apache-2.0
"""Simulations, each in a process of its own."""
from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence

from ._command import PathLike, Value, call, override_options, paths
from .result import Result


def run(traces: PathLike | Iterable[PathLike], config: str, overrides: Mapping[str, Value] | None = None, *,
        caches: str = "cold", threads: int = 1, allow_arch_mismatch: bool = False, timeout: float | None = None) -> Result:
    """Replays traces on a simulated GPU: a name ("t4") or a YAML file, with changes such as {"l1.size": "64KiB"}.

    Raises an exception of sassim.errors with the command's message."""
    options = ["--caches", caches, "--threads", str(threads)] + (["--allow-arch-mismatch"] if allow_arch_mismatch else [])
    return _result(["run", *paths(traces), "--config", config, *override_options(overrides), *options], [], (0,), timeout)


def execute(program: Sequence[PathLike], config: str, overrides: Mapping[str, Value] | None = None, *,
            caches: str = "keep", threads: int = 1, save_traces: PathLike | None = None,
            timeout: float | None = None) -> Result:
    """Runs a CUDA program and its arguments (linked with -cudart shared) on a simulated GPU.

    What the program prints is not kept. CheckFailed: it ended with another status than 0, or a kernel faulted."""
    options = ["--caches", caches, "--threads", str(threads)]
    if save_traces is not None:
        options += ["--save-traces", os.fspath(save_traces)]
    return _result(["exec", "--config", config, *override_options(overrides), *options], ["--", *paths(program)], (0,),
                   timeout)


def _result(command: list[str], behind: list[str], allowed: tuple[int, ...], timeout: float | None) -> Result:
    with tempfile.TemporaryDirectory(prefix="sassim-python-") as folder:
        file = os.path.join(folder, "result.json")
        call([*command, "--json", file, *behind], allowed=allowed, timeout=timeout)
        return Result.read(file)
