# SPDX-License-Identifier: Apache-2.0
"""Where the command is, and how it is run, each time in a process of its own."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import Union

from .errors import InputError, error_of

PathLike = Union[str, "os.PathLike[str]"]
Value = Union[str, int, float, bool]


def command() -> str:
    """The `sassim` program: $SASSIM_COMMAND, or the one that this package was built or installed with, or the PATH's."""
    chosen = os.environ.get("SASSIM_COMMAND")
    if chosen:
        return chosen
    package = pathlib.Path(os.path.abspath(__file__)).parent
    places = [package.parents[1] / "sassim"]  # BUILD/python/sassim
    if len(package.parents) > 3:
        places.append(package.parents[3] / "bin" / "sassim")  # PREFIX/lib/sassim/python/sassim
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    found = shutil.which("sassim")
    if found is None:
        raise InputError(f"the program sassim is not in {', '.join(map(str, places))} nor on the PATH; name it in $SASSIM_COMMAND")
    return found


def text_of(value: Value) -> str:
    """As the command takes it: True is true."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def options(**given: Value | PathLike | None) -> list[str]:
    """--name=value for each that is not None; True is the flag alone, False nothing. A value that begins with a dash is no
    option to the command when it stands behind the '='."""
    words = []
    for name, value in given.items():
        name = "--" + name.replace("_", "-")
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            words.append(f"{name}={os.fspath(value) if isinstance(value, os.PathLike) else text_of(value)}")
    return words


def overrides_text(overrides: Mapping[str, Value] | None) -> list[str]:
    """KEY=VALUE for each."""
    return [f"{key}={text_of(value)}" for key, value in (overrides or {}).items()]


def override_options(overrides: Mapping[str, Value] | None) -> list[str]:
    """-oKEY=VALUE for each, in one word for the same reason."""
    return [f"-o{override}" for override in overrides_text(overrides)]


def paths(given: PathLike | Iterable[PathLike]) -> list[str]:
    """One path or many."""
    return [os.fspath(given)] if isinstance(given, (str, os.PathLike)) else [os.fspath(path) for path in given]


def call(arguments: Sequence[str], *, allowed: Iterable[int] = (0,), timeout: float | None = None) -> str:
    """Runs the command and returns what it printed. Raises the exception of its exit status unless it is `allowed`."""
    done = subprocess.run([command(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=timeout, check=False)
    if done.returncode not in allowed:
        message = "\n".join(line.removeprefix("sassim: ") for line in done.stderr.strip().splitlines())
        raise error_of(done.returncode, message or f"the command ended with status {done.returncode}")
    return done.stdout
