"""Answers that are larger than memory: contacts or pairs handed to a function in sorted blocks."""
from __future__ import annotations

import ctypes
import os
import weakref
from ctypes import addressof, byref, c_bool, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any

from . import _arrays as arrays
from . import _layout as L
from ._errors import ArgumentError
from ._native import check_io, lib
from ._options import unsigned

if TYPE_CHECKING:
    from ._world import World

WORDS = ("take", "block", "scratch", "memory")
_TAKE = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p, c_void_p, c_size_t)


def _make_scratch(folder: Any) -> Any:
    """A temporary file without a name. True: in the system's folder."""
    made, error = c_void_p(), L.snag_io_error()
    path = None if folder is True else os.fsencode(folder)
    check_io(lib.snag_io_scratch_create(path, byref(made), byref(error)), error)
    return made.value


class Sink:
    """One ask's `take`, with what must stay alive as long as the ask runs."""

    def __init__(self, world: "World", ask: Any, options: dict[str, Any], caught: list[BaseException]):
        take, block, scratch, memory = (options.pop(word, None) for word in WORDS)
        if take is None:
            given = next(word for word, value in zip(WORDS, (take, block, scratch, memory)) if value is not None)
            raise ArgumentError(f"{given} goes with take, a function of an array of contacts or pairs")
        if not callable(take):
            raise TypeError("take: a function of an array of contacts or pairs is needed")
        arrays.need_numpy()
        self._made = lib.snag_default_sink()
        self._made.block = unsigned(block or 0, "block", 64)
        self._made.memory = unsigned(memory or 0, "memory", 64)

        def call(_: Any, contacts: int | None, pairs: int | None, count: int) -> bool:
            try:
                rows = arrays.copied(contacts or pairs, (count,), arrays.CONTACT if contacts else arrays.PAIR)
                return take(rows) is not False
            except BaseException as error:  # it may not pass through C
                caught.append(error)
                world._watch.stop = 1
                return False

        self._call = _TAKE(call)
        self._made.take = ctypes.cast(self._call, c_void_p).value
        if scratch is not None and scratch is not False:
            storage = _make_scratch(scratch)
            weakref.finalize(self, lib.snag_io_scratch_destroy, storage)
            self._made.write = ctypes.cast(lib.snag_io_scratch_write, c_void_p).value
            self._made.read = ctypes.cast(lib.snag_io_scratch_read, c_void_p).value
            self._made.context = storage
        ask.sink = addressof(self._made)


def take_sink(world: "World", ask: Any, options: dict[str, Any], caught: list[BaseException]) -> Sink | None:
    """A sink for the ask if the options have one of its words, which are taken out of them."""
    return Sink(world, ask, options, caught) if any(options.get(word) is not None for word in WORDS) else None
