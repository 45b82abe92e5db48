"""Arrays in and out. NumPy is imported if it is there; what needs it says so."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from . import _layout as L
from ._errors import ArgumentError, VertexError
from ._native import lib

try:
    import numpy as np
except ImportError:
    if not TYPE_CHECKING:
        np = None

HAVE_NUMPY = np is not None


def need_numpy() -> None:
    """Arrays are NumPy's; the rest of the package works without."""
    if np is None:
        raise ImportError("snag: arrays need NumPy, which is not installed (pip install numpy). Without it snag.check(path) and "
                          "python -m snag work.")


def as_array(x: Any) -> Any:
    """An array that shares the memory of x where x allows: the buffer protocol, __array__, or DLPack."""
    if type(x) is np.ndarray:
        return x
    if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__") or hasattr(x, "__array__") or \
            hasattr(x, "__array_interface__"):
        return np.asarray(x)
    return np.from_dlpack(x)


# ---- in ------------------------------------------------------------------------------------------------------------

def positions(x: Any, what: str = "positions") -> tuple[L.snag_positions, Any]:
    """The C view of an (n, 3) array, and the array that must live as long. Copies only what C cannot walk through."""
    if np is None:
        need_numpy()
    a = as_array(x)
    if a.ndim != 2 or a.shape[1] != 3:
        hint = "; use X.reshape(-1, 3)" if a.ndim == 1 and a.size % 3 == 0 and a.size else ""
        raise ArgumentError(f"{what}: an array of shape (vertices, 3) is needed, not {a.shape}{hint}")
    kind, size = a.dtype.kind, a.dtype.itemsize
    if kind != "f" or size not in (4, 8) or not a.dtype.isnative:
        if kind == "f" and size < 8:
            a = a.astype(np.float32)
        elif kind == "f" and size == 8 or kind in "iu":
            a = a.astype(np.float64)
        else:
            raise TypeError(f"{what}: float32 or float64 is needed, not {a.dtype}; use X.astype(numpy.float64)")
        size = a.dtype.itemsize
    row, column = a.strides
    if a.shape[0] and (column != size or row < 3 * size or row % size or not a.flags.aligned):
        a = np.ascontiguousarray(a)
        row = a.strides[0]
    return L.snag_positions(a.__array_interface__["data"][0], a.shape[0], row, 0 if size == 4 else 1), a


def indices(x: Any, what: str, columns: int | None) -> Any:
    """A C-contiguous uint32 array of vertex numbers: (n, columns), or flat if columns is None."""
    need_numpy()
    a = as_array(x)
    if columns is not None and a.size == 0:
        return np.zeros((0, columns), np.uint32)
    if columns is None and a.ndim != 1 or columns is not None and (a.ndim != 2 or a.shape[1] != columns):
        shape = "(n,)" if columns is None else f"(n, {columns})"
        raise ArgumentError(f"{what}: an array of shape {shape} is needed, not {a.shape}")
    if a.dtype != np.uint32:
        if a.dtype.kind not in "iu":
            raise TypeError(f"{what}: integers are needed, not {a.dtype}; use F.astype(numpy.uint32)")
        if a.size and a.dtype.kind == "i" and a.min() < 0:
            row = int(np.argmax((a < 0).reshape(len(a), -1).any(axis=1)))
            raise VertexError(f"{what}: element {row} has a negative vertex number; vertices count from 0")
        if a.size and int(a.max()) > 0xFFFFFFFF:
            raise VertexError(f"{what}: vertex numbers have 32 bits")
        return a.astype(np.uint32, order="C")
    return np.ascontiguousarray(a)


def polygons(faces: Any) -> tuple[Any, Any]:
    """Sizes and vertices of polygons: of an (n, k) array, a pair (sizes, vertices), or a list of lists."""
    need_numpy()
    if isinstance(faces, tuple) and len(faces) == 2 and np.ndim(faces[1]) == 1 and np.ndim(faces[0]) == 1 and \
            np.sum(faces[0]) == len(faces[1]):
        return indices(faces[0], "polygon sizes", None), indices(faces[1], "polygon vertices", None)
    if isinstance(faces, np.ndarray) and faces.ndim == 2:
        sizes = np.full(len(faces), faces.shape[1], np.uint32)
        return sizes, indices(faces, "polygons", faces.shape[1]).reshape(-1)
    sizes = np.array([len(face) for face in faces], np.uint32)
    flat = np.concatenate([np.asarray(face) for face in faces]) if len(sizes) else np.zeros(0, np.uint32)
    return sizes, indices(flat, "polygon vertices", None)


def address(a: Any) -> int:
    return int(a.__array_interface__["data"][0]) if a.size else 0


def doubles(x: Any, what: str, shape: tuple[int, ...], writeable: bool) -> Any:
    """An array that C may read or write in place: float64, C-contiguous."""
    need_numpy()
    if writeable and not isinstance(x, np.ndarray):
        raise TypeError(f"{what}: a NumPy array is needed, since it is changed in place")
    a = as_array(x)
    if a.shape != shape:
        raise ArgumentError(f"{what}: an array of shape {shape} is needed, not {a.shape}")
    fits = a.dtype == np.float64 and a.dtype.isnative and a.flags.c_contiguous and a.flags.aligned
    if not writeable:
        return a if fits else np.ascontiguousarray(a, dtype=np.float64)
    if not fits:
        raise TypeError(f"{what}: changed in place, so it must be a C-contiguous float64 array; use "
                        "numpy.ascontiguousarray(X, dtype=float)")
    if not a.flags.writeable:
        raise ArgumentError(f"{what}: changed in place, but the array is read-only; use X.copy()")
    return a


# ---- out -----------------------------------------------------------------------------------------------------------

class Memory:
    """A piece of a world's memory that NumPy looks at. It stays as long as an array needs it, whatever the world does."""
    __slots__ = ("__array_interface__", "_holder", "_block")

    def __init__(self, holder: int, at: int, size: int):
        self._holder = holder
        self._block = lib.snag_python_pin(holder, at)
        if not self._block:
            raise RuntimeError("snag: an answer that is not in the world's memory")
        self.__array_interface__ = {"version": 3, "typestr": "|u1", "shape": (size,), "data": (at, True)}

    def __del__(self, unpin: Any = lib.snag_python_unpin) -> None:  # kept here: when Python ends, modules are emptied first
        if getattr(self, "_block", None):
            unpin(self._holder, self._block)


def view(holder: int, at: int | None, count: int, dtype: Any) -> Any:
    """A read-only array over memory of a world."""
    if not count or not at:
        a = np.zeros(0, dtype)
        a.flags.writeable = False
        return a
    return np.asarray(Memory(holder, at, count * dtype.itemsize)).view(dtype)


def copied(at: int | None, shape: tuple[int, ...], dtype: Any) -> Any:
    """A copy of C memory."""
    need_numpy()
    a = np.empty(shape, dtype)
    if a.size and at:
        ctypes.memmove(a.__array_interface__["data"][0], at, a.nbytes)
    return a


def _dtype(struct: Any, fields: list[tuple[str, str, Any]]) -> Any:
    """A structured dtype: (name, path in the struct, NumPy's type)."""
    names, formats, offsets = [], [], []
    for name, path, kind in fields:
        offset, at = 0, struct
        for part in path.split("."):
            offset += getattr(at, part).offset
            at = dict((f[0], f[1]) for f in at._fields_)[part]
        names.append(name)
        formats.append(kind)
        offsets.append(offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ctypes.sizeof(struct)})


if np is not None:
    CONTACT = _dtype(L.snag_contact, [
        ("body_a", "body_a.index", "u4"), ("body_b", "body_b.index", "u4"),
        ("generation_a", "body_a.generation", "u4"), ("generation_b", "body_b.generation", "u4"),
        ("kind_a", "a.kind", "i4"), ("a", "a.index", "u4"), ("vertex_a", "a.vertex", ("u4", 2)),
        ("kind_b", "b.kind", "i4"), ("b", "b.index", "u4"), ("vertex_b", "b.vertex", ("u4", 2)),
        ("kind", "kind", "i4"), ("shared", "shared", "u4"), ("value", "value", "f8"), ("t", "t", "f8"),
        ("point_a", "point_a", ("f8", 3)), ("point_b", "point_b", ("f8", 3)), ("normal", "normal", ("f8", 3)),
        ("weight", "weight", ("f8", 4)), ("id", "id", "u8"), ("phase", "phase", "i4"), ("age", "age", "u4")])
    PAIR = _dtype(L.snag_pair, [(f[0], f[0], {"kind_a": "u1", "kind_b": "u1", "kind": "u1", "shared": "u1", "value": "f4"}.get(
        f[0], "u4")) for f in L.snag_pair._fields_])
    ENDED = _dtype(L.snag_ended_contact, [
        ("id", "id", "u8"), ("body_a", "body_a.index", "u4"), ("body_b", "body_b.index", "u4"), ("kind_a", "kind_a", "i4"),
        ("kind_b", "kind_b", "i4"), ("a", "a", "u4"), ("b", "b", "u4")])
    LINE = _dtype(L.snag_region_line, [
        ("body_a", "body_a.index", "u4"), ("body_b", "body_b.index", "u4"), ("level", "level", "u4"),
        ("start", "from", ("f8", 3)), ("end", "to", ("f8", 3))])
    SPHERE = _dtype(L.snag_tree_sphere, [
        ("body", "body.index", "u4"), ("depth", "depth", "u4"), ("leaf", "leaf", "?"), ("centre", "centre", ("f8", 3)),
        ("radius", "radius", "f8")])
    VISIT = _dtype(L.snag_patch_visit, [
        ("body", "body.index", "u4"), ("triangle", "triangle", "u4"), ("level", "level", "u4"), ("patch", "patch", "u4")])
    ISSUE = _dtype(L.snag_mesh_issue, [
        ("kind", "kind", "i4"), ("element_kind", "element.kind", "i4"), ("element", "element.index", "u4"),
        ("vertex", "element.vertex", ("u4", 2)), ("other", "other", "u4")])
    U4 = np.dtype("u4")
