"""Exceptions, one for each status of the C library."""
from __future__ import annotations

import enum

from . import _layout

Status = enum.IntEnum("Status", {name.replace("SNAG_ERROR_", "").replace("SNAG_", ""): value  # type: ignore[misc]
                                 for name, value in _layout.snag_status.items()})
Status.__doc__ = "Why a call of the library failed."


class Error(Exception):
    """A call that the library refused. The world is as it was before the call.

    `status` is the library's status, and the text is its message.
    """

    status: "Status | None" = None

    def __init__(self, message: str = "", status: "Status | None" = None):
        super().__init__(message)
        if status is not None:
            self.status = status


class ArgumentError(Error, ValueError):
    """A value out of its range, or values that do not fit together."""
    status = Status(1)


class OutOfMemoryError(Error, MemoryError):
    """Memory could not be allocated."""
    status = Status(2)


class SizeError(Error, OverflowError):
    """More elements than an index can count."""
    status = Status(3)


class VertexError(Error, IndexError):
    """An element names a vertex that does not exist."""
    status = Status(4)


class NotFiniteError(Error, ValueError):
    """A coordinate is NaN or infinite."""
    status = Status(5)


class BodyError(Error, LookupError):
    """A body that was removed, or one of another world."""
    status = Status(6)


class MismatchError(Error, ValueError):
    """Positions that do not fit the mesh."""
    status = Status(7)


class UnsupportedError(Error, NotImplementedError):
    """This method cannot answer this question, or this file format is not known."""
    status = Status(8)


class FileError(Error, OSError):
    """A file that cannot be opened, read or written."""
    status = Status(9)


class FormatError(Error, ValueError):
    """A file whose contents are damaged."""
    status = Status(10)


class BusyError(Error, RuntimeError):
    """A call while another call of the same world is in progress: by another thread, or from a callback."""
    status = Status(11)


class LimitError(Error, RuntimeError):
    """Reading a file takes more memory or time than allowed."""
    status = Status(12)


class StaleError(Error, RuntimeError):
    """An answer that is no longer valid, candidates that no longer hold, or a world that is closed."""
    status = Status(13)


_BY_STATUS = {int(c.status): c for c in (ArgumentError, OutOfMemoryError, SizeError, VertexError, NotFiniteError, BodyError,
                                         MismatchError, UnsupportedError, FileError, FormatError, BusyError, LimitError, StaleError)
              if c.status is not None}


def from_status(status: int, message: str) -> Error:
    """The exception for a status."""
    return _BY_STATUS.get(status, Error)(message, Status(status) if status in _BY_STATUS else None)
