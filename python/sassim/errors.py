# SPDX-License-Identifier: Apache-2.0
"""What the command says went wrong, as exceptions: a class for each exit status, with the command's own message."""
from __future__ import annotations


class SassimError(Exception):
    """Base of all. `status` is the command's exit status; below 0, the signal that ended it."""

    status: int = 6

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        if status is not None:
            self.status = status


class CheckFailed(SassimError):
    """The command did its work, but a check failed."""

    status = 1


class UsageError(SassimError):
    """An option or argument that cannot be."""

    status = 2


class InputError(SassimError):
    """A trace, configuration or file that is not what it should be, or something that cannot be had."""

    status = 3


class NotSupported(SassimError):
    """An instruction or a call that the simulator does not have."""

    status = 4


class NoProgress(SassimError):
    """The simulated GPU stopped making progress."""

    status = 5


class InternalError(SassimError):
    """A mistake of the simulator."""

    status = 6


class Stopped(SassimError):
    """A signal ended the command."""

    status = -1


_CLASSES = {kind.status: kind for kind in (CheckFailed, UsageError, InputError, NotSupported, NoProgress, InternalError)}


def error_of(status: int, message: str) -> SassimError:
    """The exception for an exit status."""
    if status < 0:
        return Stopped(message, status)
    return _CLASSES.get(status, SassimError)(message, status)
