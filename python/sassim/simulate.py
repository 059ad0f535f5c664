# SPDX-License-Identifier: Apache-2.0
"""Simulations: of traces in this process, of programs in processes of the command."""
from __future__ import annotations

import os
import subprocess
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence

from ._command import PathLike, Value, call, options, override_options, overrides_text, paths
from .errors import InputError, UsageError
from .result import Result


def run(traces: PathLike | Iterable[PathLike], config: str, overrides: Mapping[str, Value] | None = None, *,
        caches: str = "cold", threads: int = 1, allow_arch_mismatch: bool = False, timeout: float | None = None,
        in_process: bool | None = None, series: bool = False) -> Result:
    """Replays traces on a simulated GPU.

    traces: a path or several; config: a name ("t4") or a YAML file; overrides: changes, such as {"l1.size": "64KiB"};
    caches: "cold", "warm", "keep" or "replay", what each kernel finds in them; threads: of the host, without influence on results;
    allow_arch_mismatch: replay on another architecture; timeout: seconds; series: keep counters over time (Result.series).

    >>> result = sassim.run("traces/sm_75/sgemm_tiled.sast", "t4", {"l1.size": "64KiB"})
    >>> result.cycles, result.bound.iloc[0]

    It runs in this process, through libsassim. Without that library, or with $SASSIM_COMMAND, it runs in a process of the
    command; `in_process` decides for one of them. Raises an exception of sassim.errors with the command's message."""
    names = paths(traces)
    if series and in_process:
        raise UsageError("series=True runs the command: leave in_process out")
    if in_process or (in_process is None and not series and not os.environ.get("SASSIM_COMMAND")):
        try:
            from . import _library
        except ImportError as error:
            why = f"libsassim cannot be loaded ({error}): build the target sassim_python, or install sassim with cmake --install"
            if in_process:
                raise InputError(why) from error
            warnings.warn(f"{why}; traces run in processes of the command", RuntimeWarning, stacklevel=2)
        else:
            try:
                return Result.parse(_library.run(names, os.fspath(config), overrides_text(overrides), caches, threads,
                                                 allow_arch_mismatch, timeout))
            except TimeoutError as error:
                raise subprocess.TimeoutExpired("sassim.run", timeout or 0) from error
    chosen = options(config=config, caches=caches, threads=threads, allow_arch_mismatch=allow_arch_mismatch)
    return _result(["run", *chosen, *override_options(overrides)], names, timeout, series)


def execute(program: Sequence[PathLike], config: str, overrides: Mapping[str, Value] | None = None, *,
            caches: str = "keep", threads: int = 1, save_traces: PathLike | None = None,
            timeout: float | None = None) -> Result:
    """Runs a CUDA program (linked with -cudart shared) on a simulated GPU.

    program: the program and its arguments; config, overrides, threads, timeout: as of `run`; caches: "keep" by default, since
    the program's earlier kernels and copies count; save_traces: a folder for a trace of every launch.

    >>> result = sassim.execute(["./app", "n=1024"], "t4")
    >>> result.metrics["gpc__cycles_elapsed.max"]

    What the program prints is not kept. CheckFailed: it ended with another status than 0, or a kernel faulted."""
    chosen = options(config=config, caches=caches, threads=threads, save_traces=save_traces)
    return _result(["exec", *chosen, *override_options(overrides)], paths(program), timeout)


def _result(command: list[str], names: list[str], timeout: float | None, series: bool = False) -> Result:
    with tempfile.TemporaryDirectory(prefix="sassim-python-") as folder:
        file = os.path.join(folder, "result.json")
        page = os.path.join(folder, "page.html") if series else None
        call([*command, *options(json=file, html=page), "--", *names], timeout=timeout)
        return Result.read(file)
