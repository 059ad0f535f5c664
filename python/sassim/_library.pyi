# SPDX-License-Identifier: Apache-2.0
"""Types of the extension (python/library.cpp)."""
from collections.abc import Sequence

version: str


def run(traces: Sequence[str], config: str, overrides: Sequence[str], caches: str, threads: int,
        allow_arch_mismatch: bool, timeout: float | None) -> str: ...
