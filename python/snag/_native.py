"""Finds the shared libraries, checks that they are those that this package was made for, and declares their functions."""
from __future__ import annotations

import ctypes
import os
import sys
import types
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint32, c_void_p
from typing import Any

from . import _layout
from ._errors import from_status

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_SUFFIX = ".".join(_layout.VERSION.split(".")[:2])


def _names(library: str) -> list[str]:
    if library == "snag_python":
        return ["libsnag_python.so"]
    return [f"lib{library}.so.{_SUFFIX}", f"lib{library}.so"]


def _folders() -> list[str]:
    """Where libraries may be: as the environment says, in the wheel, or in the build folder of the sources."""
    given = os.environ.get("SNAG_LIBRARY_PATH")
    if given:
        return [given]
    sources = os.path.dirname(os.path.dirname(_PACKAGE))
    folders = [os.path.join(_PACKAGE, "native", "lib")]
    if os.path.exists(os.path.join(sources, "include", "snag", "base.h")):
        folders.append(os.path.join(sources, "build"))
    return folders


def _load(library: str) -> ctypes.CDLL:
    tried = []
    for folder in _folders():
        for name in _names(library):
            path = os.path.join(folder, name)
            tried.append(path)
            if os.path.exists(path):
                try:
                    return ctypes.CDLL(path)
                except OSError as error:
                    raise ImportError(f"snag: {path} cannot be loaded: {error}") from None
    if not os.environ.get("SNAG_LIBRARY_PATH"):
        for name in _names(library):  # installed for the whole system
            try:
                return ctypes.CDLL(name)
            except OSError:
                pass
    raise ImportError(f"snag: the library {library} is not there (looked for {', '.join(tried)}). Install the wheel, or build the "
                      "sources with script/build, or set SNAG_LIBRARY_PATH to the folder that holds it.")


def _mismatch(what: str) -> ImportError:
    return ImportError(f"snag: the libraries do not fit this package ({_layout.VERSION}): {what}. "
                       "Reinstall the wheel, or point SNAG_LIBRARY_PATH to libraries of the same version.")


class Libraries:
    """All functions of the C libraries, by their names."""

    def __init__(self) -> None:
        self.core = _load("snag")
        self._check_version(self.core, "snag_version", "libsnag")
        self.python = _load("snag_python")
        self._check_version(self.python, "snag_python_version", "libsnag_python")
        self._check_sizes()
        self._bind("snag", self.core)
        self._check_cookies()
        self._bind_python()
        self._loaded = {"snag"}

    @staticmethod
    def _check_version(library: ctypes.CDLL, function: str, name: str) -> None:
        try:
            call = getattr(library, function)
        except AttributeError:
            raise _mismatch(f"{name} has no {function}") from None
        call.restype, call.argtypes = c_char_p, []
        version = (call() or b"").decode("ascii", "replace")
        if version != _layout.VERSION:
            raise _mismatch(f"{name} has version {version}")

    def _check_sizes(self) -> None:
        class Entry(ctypes.Structure):
            _fields_ = [("name", c_char_p), ("size", c_size_t)]

        for struct, (size, offsets) in _layout.SIZES.items():
            if ctypes.sizeof(struct) != size or [getattr(struct, f[0]).offset for f in struct._fields_] != offsets:
                raise _mismatch(f"{struct.__name__} has another layout on this platform")
        expected = {struct.__name__: size for struct, (size, _) in _layout.SIZES.items()}
        table = ctypes.addressof(c_void_p.in_dll(self.python, "snag_python_structs"))
        for i in range(len(expected) + 1):
            entry = Entry.from_address(table + i * ctypes.sizeof(Entry))
            if not entry.name:
                break
            name = entry.name.decode()
            if expected.pop(name, None) != entry.size:
                raise _mismatch(f"{name} has {entry.size} bytes")
        if expected:
            raise _mismatch(f"{next(iter(expected))} is missing")

    def _bind(self, library: str, handle: ctypes.CDLL) -> None:
        for name, (where, result, arguments) in _layout.FUNCTIONS.items():
            if where != library:
                continue
            try:
                function = getattr(handle, name)
            except AttributeError:
                raise _mismatch(f"there is no {name}") from None
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def _check_cookies(self) -> None:
        """Every def begins with a cookie that stands for its layout; a library with larger structs may not write past ours."""
        for name, (where, result, arguments) in _layout.FUNCTIONS.items():
            if where != "snag" or not name.startswith("snag_default_") or ctypes.sizeof(result) <= 16:
                continue

            class Room(ctypes.Structure):
                _fields_ = [("made", result), ("room", ctypes.c_char * 1024)]

            function = getattr(self.core, name)
            function.restype = Room
            made = function(*[0 for _ in arguments]).made
            function.restype = result
            cookie = made.head.cookie if hasattr(made, "head") else made.cookie
            if cookie >> 8 != _layout.COOKIE >> 8:
                raise _mismatch(f"{name} gives a def of another version")

    def _bind_python(self) -> None:
        p = self.python
        for name, result, arguments in (
                ("snag_python_holder_create", c_void_p, []),
                ("snag_python_holder_close", None, [c_void_p]),
                ("snag_python_allocator", _layout.snag_allocator, [c_void_p]),
                ("snag_python_pin", c_void_p, [c_void_p, c_void_p]),
                ("snag_python_unpin", None, [c_void_p, c_void_p]),
                ("snag_python_held", None, [c_void_p, POINTER(c_size_t), POINTER(c_size_t)]),
                ("snag_python_interpreter", None, [c_void_p])):
            function = getattr(p, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.progress = ctypes.cast(p.snag_python_progress, c_void_p).value
        self.go_on = ctypes.cast(p.snag_python_go_on, c_void_p).value
        self.filter = ctypes.cast(p.snag_python_filter, c_void_p).value
        if sys.implementation.name == "cpython":
            names = ("PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "PyErr_Fetch", "PyErr_NormalizeException")
            functions = (c_void_p * len(names))(*[ctypes.cast(getattr(ctypes.pythonapi, n), c_void_p).value for n in names])
            self.snag_python_interpreter(ctypes.byref(functions))

    def __getattr__(self, name: str) -> Any:
        """Files and scenes are in libraries of their own, which are loaded when they are first needed."""
        entry = _layout.FUNCTIONS.get(name)
        if entry is None or entry[0] in self.__dict__.get("_loaded", ()):
            raise AttributeError(name)
        library = entry[0]
        handle = _load(library)
        self._bind(library, handle)
        self._loaded.add(library)
        setattr(self, library, handle)
        return getattr(self, name)


class Watch(ctypes.Structure):
    """What callbacks of the C helper look at during a call."""
    _fields_ = [("progress", c_void_p), ("filter", c_void_p), ("table", c_void_p), ("table_width", c_uint32), ("stop", c_int),
                ("type", c_void_p), ("value", c_void_p), ("trace", c_void_p)]

    def raise_caught(self) -> None:
        """Raises what a signal handler raised during the call, such as KeyboardInterrupt."""
        if not getattr(self, "value"):
            return
        caught: list[Any] = [getattr(self, field) for field in ("type", "value", "trace")]
        objects = [ctypes.cast(at, ctypes.py_object) if at else None for at in caught]
        value, trace = objects[1].value, objects[2].value if objects[2] else None  # type: ignore[union-attr]
        for thing in objects:
            if thing is not None:
                ctypes.pythonapi.Py_DecRef(thing)
        self.type = self.value = self.trace = None
        if isinstance(trace, types.TracebackType):
            value = value.with_traceback(trace)
        raise value


PROGRESS = ctypes.CFUNCTYPE(None, c_double, POINTER(c_int))
FILTER = ctypes.CFUNCTYPE(None, c_uint32, c_uint32, POINTER(c_int))
LOG = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)

lib = Libraries()


def text(value: bytes | None) -> str:
    """Names in files are bytes and need not be UTF-8."""
    return (value or b"").decode("utf-8", "replace")


def check_io(status: int, error: Any) -> None:
    if status:
        raise from_status(status, text(error.message))


__all__ = ["FILTER", "LOG", "PROGRESS", "Watch", "c_bool", "check_io", "lib", "text"]
