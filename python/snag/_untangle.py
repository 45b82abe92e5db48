"""Untangling in one call."""
from __future__ import annotations

from typing import Any

from . import _arrays as arrays
from ._response import Moving, Report
from ._world import World


def untangle(positions: Any, faces: Any, *, held: Any = None, threads: int = 0, **settings: Any) -> tuple[Any, Report]:
    """New positions of a surface that intersects itself, moved as little as it takes, and a report: `report.left` pairs of
    triangles still intersect. held: a mask of vertices that stay.

    >>> import snag
    >>> V, F = snag.shapes.sheet(12, 12, 1, 1)
    >>> V[84] += [0.2, 0.2, 0.0]; V[85] += [0, 0, 0.3]     # a corner pulled through its neighbours
    >>> report = snag.untangle(V, F, threads=1)[1]
    >>> report.left <= report.tangled
    True
    """
    arrays.need_numpy()
    np = arrays.np
    x = np.array(arrays.as_array(positions), np.float64, order="C")
    masses = np.ones(len(x))
    if held is not None:
        masses[np.asarray(held)] = 0
    with World(threads=threads) as world:
        body = world.add(x, faces)
        report = world.untangle(Moving(body, x, inverse_masses=masses), **settings)
    return x, report
