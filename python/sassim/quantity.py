# SPDX-License-Identifier: Apache-2.0
"""Numbers with units: values of metrics and of configuration keys."""
from __future__ import annotations

import functools
import re

from ._command import call
from .errors import UsageError

_FACTORS = {
    "byte": {"byte": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "KB": 1e3, "MB": 1e6, "GB": 1e9},
    "Hz": {"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "nsecond": {"nsecond": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9},
    "byte/s": {"byte/s": 1, "B/s": 1, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12, "GiB/s": 2**30},
}


class Quantity(float):
    """A float that knows its unit: arithmetic gives plain floats, `to` converts, and it prints as "98304 byte".

    >>> Quantity(98304, "byte").to("KiB")
    96.0
    """

    unit: str

    def __new__(cls, value: float, unit: str = "") -> Quantity:
        number = super().__new__(cls, value)
        number.unit = unit
        return number

    def to(self, unit: str) -> float:
        """The number in another unit of the same kind, such as "KiB", "GHz", "us" or "GB/s"."""
        if unit == self.unit:
            return float(self)
        for names in _FACTORS.values():
            if self.unit in names and unit in names:
                return float(self) * names[self.unit] / names[unit]
        raise UsageError(f"{self.unit or 'a plain number'} cannot be converted to {unit}")

    def __repr__(self) -> str:
        number = f"{float(self):.15g}"
        return f"{number} {self.unit}" if self.unit else number

    __str__ = __repr__

    def __reduce__(self) -> tuple[type, tuple[float, str]]:
        return Quantity, (float(self), self.unit)


@functools.lru_cache(maxsize=1)
def key_units() -> dict[str, str]:
    """The unit of each key of a configuration that has one, by the values that the key takes."""
    units = {}
    keys = [line.split()[0] for line in call(["config", "explain", "--all"]).splitlines() if line.startswith("  ")]
    key = ""
    for line in call(["config", "explain", *keys]).splitlines():
        if not line.startswith(" "):
            key = line.strip()
        elif line.startswith("  values:"):
            for pattern, unit in ((r"[MG]B/s", "byte/s"), (r"[KMG]iB", "byte"), (r"[MG]Hz", "Hz"), (r"cycles", "cycle"), (r"\bns\b", "nsecond")):
                if re.search(pattern, line):
                    units[key] = unit
                    break
    return units
