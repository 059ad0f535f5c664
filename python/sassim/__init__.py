# SPDX-License-Identifier: Apache-2.0
"""sassim, a cycle-level simulator of NVIDIA GPUs, from Python.

    import sassim
    result = sassim.run("traces/sm_75/sgemm_tiled.sast", "t4", {"l1.size": "64KiB"})
    result.cycles, result.metrics, result.stalls, result.lines
    study = sassim.explore("trace.sast", "v100", {"l1.size": ["32KiB", "64KiB", "128KiB"]})
    study.points; study.plot().savefig("sizes.png")
    sassim.compare(result, sassim.run("traces/sm_75/sgemm_tiled.sast", "t4")).kernels
"""
from ._command import command
from ._native import Kernel, Line, version as __version__
from .check import Checked, check
from .compare import Comparison, compare
from .errors import (CheckFailed, InputError, InternalError, NoProgress, NotSupported, SassimError, Stopped, UsageError)
from .hardware import Validation, validate
from .quantity import Quantity
from .result import Result
from .simulate import execute, run
from .study import Study, Sweep, explore, sweep

__all__ = ["CheckFailed", "Checked", "Comparison", "InputError", "InternalError", "Kernel", "Line", "NoProgress", "NotSupported", "Quantity",
           "Result", "SassimError", "Stopped", "Study", "Sweep", "UsageError", "Validation", "check", "command", "compare", "execute",
           "explore", "run", "sweep", "validate"]
