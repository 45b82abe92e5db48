"""Shapes made by arithmetic: for first steps, scenes and tests. Each gives positions and faces (or tetrahedra).

>>> import snag
>>> V, F = snag.shapes.torus(48, 16, 1.0, 0.3)
>>> V.shape, F.shape
((768, 3), (1536, 3))
"""
from __future__ import annotations

import ctypes
from ctypes import byref
from typing import Any

from . import _arrays as arrays
from . import _layout as L
from ._errors import from_status
from ._native import lib, text
from ._options import unsigned

__all__ = ["block", "box", "cylinder", "icosphere", "sheet", "sphere", "torus"]


def _make(name: str, *arguments: Any) -> Any:
    arrays.need_numpy()
    shape = L.snag_shape()
    kinds = L.FUNCTIONS["snag_shape_" + name][2]
    values = [unsigned(a, name) if k is ctypes.c_uint32 else float(a) for a, k in zip(arguments, kinds)]
    status = getattr(lib, "snag_shape_" + name)(*values, byref(shape))
    if status:
        raise from_status(status, f"{name}{tuple(arguments)}: too few cells, or a length that is not positive and finite" if status == 1
                          else f"{name}: {text(lib.snag_status_name(status))}")
    try:
        x = arrays.copied(shape.positions, (shape.vertex_count, 3), "f8")
        if shape.tet_count:
            return x, arrays.copied(shape.tets, (shape.tet_count, 4), "u4")
        return x, arrays.copied(shape.triangles, (shape.triangle_count, 3), "u4")
    finally:
        lib.snag_shape_free(byref(shape))


def sheet(columns: int, rows: int, width: float, height: float) -> Any:
    """A rectangle in the plane z = 0 about the origin, of columns x rows quads with alternating diagonals."""
    return _make("sheet", columns, rows, width, height)


def icosphere(subdivisions: int, radius: float) -> Any:
    """A sphere about the origin of 20 * 4^n triangles."""
    return _make("icosphere", subdivisions, radius)


def sphere(segments: int, rings: int, radius: float) -> Any:
    """A sphere of segments x rings cells with triangles at the poles along z."""
    return _make("sphere", segments, rings, radius)


def torus(segments: int, sides: int, radius: float, tube: float) -> Any:
    """A torus around z."""
    return _make("torus", segments, sides, radius, tube)


def box(cells: int, x: float, y: float, z: float) -> Any:
    """A closed box about the origin, each side cut into cells x cells quads."""
    return _make("box", cells, x, y, z)


def cylinder(segments: int, rings: int, radius: float, height: float) -> Any:
    """A closed cylinder along z about the origin."""
    return _make("cylinder", segments, rings, radius, height)


def block(nx: int, ny: int, nz: int, cell: float) -> Any:
    """A block of cubic cells with a corner at the origin, each cut into five tetrahedra: positions and (n, 4) tetrahedra."""
    return _make("block", nx, ny, nz, cell)
