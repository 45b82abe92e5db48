"""Response: from contacts to corrections of the user's own arrays."""
from __future__ import annotations

import weakref
from ctypes import addressof, byref, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _arrays as arrays
from . import _layout as L
from ._errors import ArgumentError, from_status
from ._names import Method, number
from ._native import lib, text
from ._options import set_field

if TYPE_CHECKING:
    from ._body import Body


class Moving:
    """One body as a simulation keeps it: arrays that the response corrects in place.

    positions, velocities: (n, 3) float64, C-contiguous. inverse_masses: (n,); 0 holds a vertex, None holds all of them, as those of
    an obstacle. start: advance and truncate only, where the vertices were before the step.
    """
    __slots__ = ("body", "positions", "velocities", "inverse_masses", "start")

    def __init__(self, body: "Body", positions: Any, *, velocities: Any = None, inverse_masses: Any = None, start: Any = None):
        self.body = body
        self.positions = positions
        self.velocities = velocities
        self.inverse_masses = inverse_masses
        self.start = start

    def __repr__(self) -> str:
        return f"<snag.Moving: {self.body!r}>"


class Report(NamedTuple):
    """What a response did: see snag_response_report in snag/response.h."""
    contacts: int
    left_out: int
    missing: float
    remaining: float
    largest_move: float
    asks: int
    search_us: int
    impacts: int
    merged: int
    excepted: int
    fraction: float
    held_back: int
    tangled: int
    left: int


_SAFE = ["bounds", "half_spaces"]
_SETTINGS = [f[0] for f in L.snag_response_def._fields_[1:]]


class Responder:
    """The C library's memory for responses, kept from call to call."""

    def __init__(self) -> None:
        made = c_void_p()
        status = lib.snag_response_create(None, byref(made))
        if status:
            raise from_status(status, "no memory for a response")
        self._handle = made.value
        self._end = weakref.finalize(self, lib.snag_response_destroy, made.value)
        self._end.atexit = False

    def close(self) -> None:
        self._end()

    def call(self, what: str, world: int, bodies: list[Moving], settings: dict[str, Any], answer: int | None) -> Report:
        arrays.need_numpy()
        definition = lib.snag_default_response_def()
        for setting, value in settings.items():
            if setting not in _SETTINGS:
                raise TypeError(f"{what} has no setting {setting!r}; there are: {', '.join(_SETTINGS)}")
            if setting == "method":
                definition.method = number(Method, value)
            elif setting == "safe":
                if value not in _SAFE:
                    raise ArgumentError(f"safe: {value!r} is none of {', '.join(_SAFE)}")
                definition.safe = _SAFE.index(value)
            else:
                set_field(definition, setting, value)
        listed = (L.snag_response_body * len(bodies))()
        kept = []
        for c, moving in zip(listed, bodies):
            kept.append(_fill(c, moving, what))
        report = L.snag_response_report()
        function = getattr(lib, "snag_response_" + what)
        arguments = [self._handle, world, byref(definition), addressof(listed) if bodies else None, len(bodies)]
        if what == "apply":
            arguments.append(answer)
        self._check(function(*arguments, byref(report)))
        return Report(*(getattr(report, field) for field in Report._fields))

    def bounds(self, world: int, bodies: "list[Body]", reach: float) -> "list[Any]":
        arrays.need_numpy()
        definition = lib.snag_default_response_def()
        set_field(definition, "reach", reach)
        listed = (L.snag_response_body * len(bodies))()
        made, kept = [], []
        for c, body in zip(listed, bodies):
            x = arrays.doubles(body.positions, f"{body.name}: positions", (body.vertex_count, 3), False)
            bound = arrays.np.empty(body.vertex_count)
            c.body, c.vertex_count, c.positions, c.bounds = body._id, body.vertex_count, arrays.address(x), arrays.address(bound)
            free = arrays.np.ones(body.vertex_count)  # held vertices count like all others
            c.inverse_masses = arrays.address(free)
            kept.append((x, free))
            made.append(bound)
        self._check(lib.snag_response_bounds(self._handle, world, byref(definition), addressof(listed) if bodies else None, len(bodies)))
        return made

    def _check(self, status: int) -> None:
        if status:
            raise from_status(status, text(lib.snag_response_message(self._handle)) or text(lib.snag_status_name(status)))


def _fill(c: Any, moving: Moving, what: str) -> Any:
    body, n = moving.body, moving.body.vertex_count
    named = f"{body.name}: "
    c.body, c.vertex_count = body._id, n
    x = arrays.doubles(moving.positions, named + "positions", (n, 3), True)
    c.positions = arrays.address(x)
    kept = [x]
    if moving.velocities is not None:
        kept.append(arrays.doubles(moving.velocities, named + "velocities", (n, 3), True))
        c.velocities = arrays.address(kept[-1])
    if moving.inverse_masses is not None:
        kept.append(arrays.doubles(moving.inverse_masses, named + "inverse_masses", (n,), False))
        c.inverse_masses = arrays.address(kept[-1])
    start = moving.start
    if what in ("advance", "truncate"):
        if start is None:
            if moving.inverse_masses is not None:
                raise ArgumentError(f"{named}{what} needs start, the positions before the step")
            start = x.copy()  # an obstacle that rests
        kept.append(arrays.doubles(start, named + "start", (n, 3), False))
        c.start = arrays.address(kept[-1])
    elif what == "fix" and start is not None:
        kept.append(arrays.doubles(start, named + "start", (n, 3), False))
        c.start = arrays.address(kept[-1])
    return kept
