"""Fixing: from surfaces that intersect to surfaces that do not, with an account of every place."""
from __future__ import annotations

import ctypes
from ctypes import addressof, byref
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Sequence

from . import _arrays as arrays
from . import _layout as L
from ._errors import ArgumentError
from ._names import Method, number
from ._native import lib, text

if TYPE_CHECKING:
    from ._body import Body
    from ._response import Moving

_PROGRESS = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_double)


class FixPlace(NamedTuple):
    """A place where surfaces intersected, and what became of it."""
    a: "Body"
    b: "Body"
    centre: tuple[float, float, float]
    size: float
    depth: float
    length: float
    contacts: int
    left: int
    moved: int
    largest_move: float
    outcome: str
    why: str


class FixReport(NamedTuple):
    """What a fix did: see snag_fix_report in snag/response.h. `places` has the worst first."""
    contacts: int
    left: int
    freed: int
    moved: int
    largest_move: float
    mean_edge: float
    largest_edges: float
    asks: int
    search_us: int
    complete: bool
    places: list[FixPlace]


class _Progress:
    """Calls the user's function; Ctrl-C and exceptions end the call, and are raised after it."""

    def __init__(self, function: "Callable[[float], Any] | None"):
        self.function = function
        self.error: BaseException | None = None
        self.call = _PROGRESS(self._call)

    def _call(self, _context: Any, done: float) -> bool:
        try:
            return self.function is None or self.function(done) is not False
        except BaseException as error:  # must not pass through C
            self.error = error
            return False


def _define(method: Any, max_move: float, rigid: "Sequence[Body]", single: bool, sheets_yield: bool, budget: float | None) -> Any:
    definition = lib.snag_default_fix_def()
    definition.method = number(Method, method)
    definition.max_move = float(max_move)
    definition.single, definition.sheets_yield = bool(single), bool(sheets_yield)
    ids = (L.snag_body_id * max(len(rigid), 1))(*(body._id for body in rigid))
    definition.rigid, definition.rigid_count = addressof(ids), len(rigid)
    if budget is not None:
        if not budget > 0:
            raise ArgumentError(f"budget must be positive, not {budget}")
        definition.budget_us = max(1, int(1e6 * budget))
    return definition, ids


def call(responder: Any, world: int, bodies: "list[Moving]", fill: Any, *, method: Any, max_move: float, rigid: "Sequence[Body]", single: bool,
         sheets_yield: bool, budget: float | None, progress: "Callable[[float], Any] | None") -> FixReport:
    arrays.need_numpy()
    definition, ids = _define(method, max_move, rigid, single, sheets_yield, budget)
    watch = _Progress(progress)
    definition.progress = ctypes.cast(watch.call, ctypes.c_void_p).value
    listed = (L.snag_response_body * len(bodies))()
    kept = [fill(c, moving, "fix") for c, moving in zip(listed, bodies)]
    report = L.snag_fix_report()
    status = lib.snag_response_fix(responder._handle, world, byref(definition), addressof(listed) if bodies else None, len(bodies), byref(report))
    del kept, ids
    if watch.error is not None:
        raise watch.error
    responder._check(status)
    return _read(report, {moving.body._id.index: moving.body for moving in bodies})


def _read(report: Any, by_index: "dict[int, Body]") -> FixReport:
    places = []
    listed = (L.snag_fix_place * report.place_count).from_address(report.places) if report.place_count else []
    for p in listed:
        places.append(FixPlace(by_index[p.body_a.index], by_index[p.body_b.index], (p.centre[0], p.centre[1], p.centre[2]), p.size, p.depth, p.length, p.contacts, p.left,
                               p.moved, p.largest_move, text(lib.snag_fix_outcome_name(p.outcome)), text(lib.snag_fix_outcome_sentence(p.outcome))))
    return FixReport(report.contacts, report.left, report.freed, report.moved, report.largest_move, report.mean_edge, report.largest_edges,
                     report.asks, report.search_us, report.complete, places)


def fix(positions: Any, faces: Any, *, held: Any = None, threads: int = 0, **settings: Any) -> tuple[Any, FixReport]:
    """New positions of a surface that intersects itself, and a report: `report.left` pairs of triangles still intersect, and
    `report.places` says for each place whether it was freed, or why not. held: a mask of vertices that stay. Settings are those of
    World.fix.

    >>> import snag
    >>> V, F = snag.shapes.icosphere(3, 1.0)
    >>> W, G = V * 1.0, F + len(V)
    >>> W[:, 0] += 1.9                                       # two balls that overlap, in one mesh
    >>> import numpy as np
    >>> X, report = snag.fix(np.vstack([V, W]), np.vstack([F, G]), threads=1)
    >>> report.left, [place.outcome for place in report.places]
    (0, ['freed'])
    """
    from ._response import Moving
    from ._world import World
    arrays.need_numpy()
    np = arrays.np
    x = np.array(arrays.as_array(positions), np.float64, order="C")
    masses = np.ones(len(x))
    if held is not None:
        masses[np.asarray(held)] = 0
    with World(threads=threads) as world:
        body = world.add(x, faces)
        report = world.fix(Moving(body, x, inverse_masses=masses), **settings)
    return x, report
