"""What a solver asks between two steps: candidates that last, derivatives, safe motion."""
from __future__ import annotations

import ctypes
import weakref
from ctypes import byref, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

from . import _arrays as arrays
from . import _layout as L
from ._errors import ArgumentError, from_status
from ._native import lib, text

try:
    import numpy as np
except ImportError:  # the package works without
    np = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from ._answer import Answer
    from ._body import Body
    from ._response import Moving, Report
    from ._world import World


class Candidates:
    """Pairs that can matter, found once by `World.collect` and asked many times: `world.proximities(d, candidates=pairs)`.

    `vertex_triangle` and `edge_edge` are (n, 4) arrays of uint32: body of a, body of b (`Body.index`), a, b; sorted, each pair once.
    """

    def __init__(self, world: "World", handle: int):
        self._world = world
        self._handle = handle
        self._end = weakref.finalize(self, lib.snag_candidates_destroy, handle)
        self._end.atexit = False

    def __len__(self) -> int:
        return int(lib.snag_candidates_count(self._handle))

    def __repr__(self) -> str:
        return f"<snag.Candidates: {len(self)} pairs>"

    def _list(self, kind: int) -> Any:
        arrays.need_numpy()
        count = c_size_t()
        at = lib.snag_candidates_list(self._handle, kind, byref(count))
        return arrays.copied(at, (count.value, 4), np.uint32)

    @property
    def vertex_triangle(self) -> Any:
        """Vertices (a) and triangles (b)."""
        return self._list(0)

    @property
    def edge_edge(self) -> Any:
        """Edges."""
        return self._list(1)

    @property
    def vertex_edge(self) -> Any:
        """Vertices (a) and rods (b, their number among the edges)."""
        return self._list(2)

    @property
    def vertex_vertex(self) -> Any:
        """Vertices, one of them a point or the end of a rod."""
        return self._list(3)

    @property
    def complete(self) -> bool:
        """Whether answers from them are those of a search."""
        return bool(lib.snag_candidates_are_complete(self._handle))

    @property
    def nbytes(self) -> int:
        """Bytes that the set holds."""
        return int(lib.snag_candidates_bytes(self._handle))

    def check(self, moving: bool = False) -> None:
        """Raises StaleError if a vertex has left what the set was collected for. moving: t0 counts too, as for impacts."""
        handle = self._world._enter()
        try:
            status = lib.snag_candidates_check(handle, self._handle, moving)
            if status:
                raise self._world._fail(status)
        finally:
            self._world._lock.release()

    def merge(self, other: "Candidates") -> None:
        """Adds the pairs of another set of the same world."""
        status = lib.snag_candidates_merge(self._handle, other._handle)
        if status:
            raise from_status(status, f"merge: {text(lib.snag_status_name(status))}: both must be different sets of one world, "
                                      "collected with the same filter")


class Derivatives(NamedTuple):
    """Squared distances and their derivatives, one row for each pair: see snag_derivative in snag/derivatives.h."""
    kind: Any  # (n,): numbers of snag.Kind
    point_count: Any  # (n,)
    body: Any  # (n, 4)
    vertex: Any  # (n, 4)
    squared: Any  # (n,)
    gradient: Any  # (n, 12)
    hessian: Any  # (n, 12, 12), or None
    mollifier: Any  # (n,)
    mollifier_gradient: Any  # (n, 12)
    mollifier_hessian: Any  # (n, 12, 12), or None
    edge_vertex: Any  # (n, 4)


class WorldSolver:
    """The part of World that solvers need."""

    def collect(self: Any, distance: float = 1e-6, *, margin: float = 0.0, self_contacts: bool = True, between: bool = True,
                search_if_stale: bool = False) -> Candidates:
        """Finds all pairs that can come within a distance on the way from t0 to t1, or while vertices stray from it by the margin.

        Questions with `candidates=` then skip the search, and give the same bytes. When a vertex strays farther they raise StaleError,
        or search if `search_if_stale`. Answers become stale."""
        definition = lib.snag_default_collect_def()
        definition.distance = distance
        definition.margin = margin
        definition.self = bool(self_contacts)
        definition.between = bool(between)
        definition.search_if_stale = bool(search_if_stale)
        made = c_void_p()
        handle = self._enter()
        try:
            self._serial += 1
            status = lib.snag_world_collect(handle, byref(definition), byref(made))
            if status:
                raise self._fail(status)
            return Candidates(self, made.value or 0)
        finally:
            self._lock.release()

    def candidates(self: Any, *, vertex_triangle: Any = (), edge_edge: Any = (), vertex_edge: Any = (), vertex_vertex: Any = ()) -> Candidates:
        """A set of pairs of your own: (n, 4) arrays of body of a, body of b (`Body.index`), a, b. Answers are about these pairs alone."""
        arrays.need_numpy()
        lists = [arrays.indices(pairs, what, 4) if len(pairs) else np.zeros((0, 4), np.uint32)
                 for pairs, what in ((vertex_triangle, "vertex_triangle"), (edge_edge, "edge_edge"), (vertex_edge, "vertex_edge"),
                                     (vertex_vertex, "vertex_vertex"))]
        pointers = (c_void_p * len(lists))(*(arrays.address(a) for a in lists))
        counts = (c_size_t * len(lists))(*(len(a) for a in lists))
        made = c_void_p()
        handle = self._enter()
        try:
            self._serial += 1
            status = lib.snag_candidates_create(handle, pointers, counts, byref(made))
            if status:
                raise self._fail(status)
            return Candidates(self, made.value or 0)
        finally:
            self._lock.release()

    def derivatives(self: Any, pairs: "Answer | Candidates", *, hessian: bool = True, mollifier: float = 0.0) -> Derivatives:
        """Squared distances at t1 of the pairs of an answer or a set, with gradients and Hessians after the points' coordinates.

        mollifier: its factor for nearly parallel edges; 1e-3 in incremental potential contact, 0: none."""
        arrays.need_numpy()
        definition = lib.snag_default_derivatives_def()
        if isinstance(pairs, Candidates):
            definition.candidates = pairs._handle
            n = len(pairs)
        else:
            pairs._must_be_valid()
            if pairs._world is not self or pairs._address is None:
                raise ArgumentError("derivatives takes an answer of this world itself, not a copy")
            raw = L.snag_answer.from_address(pairs._address)
            n = int(raw.count)
            definition.contacts, definition.pairs = raw.contacts, raw.pairs
        definition.count = n
        definition.mollifier = mollifier
        hessians = np.zeros((n, 12, 12)) if hessian else None
        mollified = np.zeros((n, 12, 12)) if hessian and mollifier > 0 else None
        definition.hessians = arrays.address(hessians) if hessian and n else None
        definition.mollifier_hessians = arrays.address(mollified) if mollified is not None and n else None
        results = (L.snag_derivative * max(1, n))()
        handle = self._enter()
        try:
            status = lib.snag_world_derivatives(handle, byref(definition), results)
            if status:
                raise self._fail(status)
        finally:
            self._lock.release()
        fields = {}
        kinds: Any = [f[1] for f in L.snag_derivative._fields_]
        layout: Any = {"names": [f[0] for f in L.snag_derivative._fields_],
                       "formats": [np.dtype(kind) for kind in kinds],
                       "offsets": [getattr(L.snag_derivative, f[0]).offset for f in L.snag_derivative._fields_],
                       "itemsize": ctypes.sizeof(L.snag_derivative)}
        dtype = np.dtype(layout)
        raw_table: Any = results
        table = np.frombuffer(raw_table, dtype, n) if n else np.zeros(0, dtype)
        for field in dtype.names or ():
            fields[field] = table[field].copy()
        return Derivatives(hessian=hessians, mollifier_hessian=mollified, **fields)

    def truncate(self: Any, bodies: "Moving | Sequence[Moving]", **settings: Any) -> "Report":
        """Shortens the moves from `start` to `positions` until nothing crosses, and leaves in positions where vertices came to.

        Settings: safe ("half_spaces" or "bounds"), reach, thickness, rounds, dt; see snag/response.h. Answers become stale."""
        return self._respond("truncate", bodies, settings, None)

    def bounds(self: Any, reach: float, bodies: "Sequence[Body] | None" = None) -> "list[Any]":
        """How far each vertex may move from where it is, in any direction, so that nothing crosses if all vertices keep to it: an array
        for each body (all of them unless some are named), at most half the reach. Elements of bodies that are not named do not count.
        Answers become stale.

        >>> import snag
        >>> V, F = snag.shapes.sheet(4, 4, 1, 1)
        >>> world = snag.World(threads=1)
        >>> low, high = world.add(V, F), world.add(V + [0, 0, 0.01], F)
        >>> [round(float(b.min()), 6) for b in world.bounds(1.0)]
        [0.005, 0.005]
        """
        listed = list(self.bodies if bodies is None else bodies)
        for body in listed:
            self._own(body)
        handle = self._enter()
        try:
            self._serial += 1
            return self._responder_of().bounds(handle, listed, reach)
        finally:
            self._lock.release()
