# SPDX-License-Identifier: Apache-2.0
"""Simulations, each in a process of its own."""
from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence

from ._command import PathLike, Value, call, options, override_options, paths
from .result import Result


def run(traces: PathLike | Iterable[PathLike], config: str, overrides: Mapping[str, Value] | None = None, *,
        caches: str = "cold", threads: int = 1, allow_arch_mismatch: bool = False, timeout: float | None = None) -> Result:
    """Replays traces on a simulated GPU: a name ("t4") or a YAML file, with changes such as {"l1.size": "64KiB"}.

    Raises an exception of sassim.errors with the command's message."""
    chosen = options(config=config, caches=caches, threads=threads, allow_arch_mismatch=allow_arch_mismatch)
    return _result(["run", *chosen, *override_options(overrides)], paths(traces), timeout)


def execute(program: Sequence[PathLike], config: str, overrides: Mapping[str, Value] | None = None, *,
            caches: str = "keep", threads: int = 1, save_traces: PathLike | None = None,
            timeout: float | None = None) -> Result:
    """Runs a CUDA program and its arguments (linked with -cudart shared) on a simulated GPU.

    What the program prints is not kept. CheckFailed: it ended with another status than 0, or a kernel faulted."""
    chosen = options(config=config, caches=caches, threads=threads, save_traces=save_traces)
    return _result(["exec", *chosen, *override_options(overrides)], paths(program), timeout)


def _result(command: list[str], names: list[str], timeout: float | None) -> Result:
    with tempfile.TemporaryDirectory(prefix="sassim-python-") as folder:
        file = os.path.join(folder, "result.json")
        call([*command, *options(json=file), "--", *names], timeout=timeout)
        return Result.read(file)
