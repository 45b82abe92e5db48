"""Points and rays: queries beside the questions. World and Body have them as methods."""
from __future__ import annotations

from ctypes import addressof, byref, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _arrays as arrays
from . import _layout as L
from ._arrays import np
from ._errors import ArgumentError
from ._native import lib

if TYPE_CHECKING:
    from ._body import Body

class Closest(NamedTuple):
    """The closest point of bodies to each of n points. Where nothing is within reach, `body` is 0 and `distance` infinite."""
    body: Any  # (n,) Body.index of the closest body
    element: Any  # (n,) its triangle; of a cloud a vertex
    element_kind: Any  # (n,) snag.Element
    kind: Any  # (n,) snag.Kind: vertex-vertex, vertex-edge or vertex-face
    side: Any  # (n,) 0 outside, 1 inside, 2 on the surface, 3 not asked for or open
    distance: Any  # (n,) with sign=True negative inside
    weight: Any  # (n, 3) barycentric
    point: Any  # (n, 3)


class Hits(NamedTuple):
    """Hits of rays. `ray` names the ray of each hit; of first hits it counts up, and `body` is 0 and `t` infinite where there is none."""
    ray: Any  # (m,)
    body: Any  # (m,) Body.index
    triangle: Any  # (m,)
    facing: Any  # (m,) 1 front, -1 back, 0 edge-on
    t: Any  # (m,)
    weight: Any  # (m, 3) barycentric
    point: Any  # (m, 3)


class Overlaps(NamedTuple):
    """What boxes or spheres meet. `triangle` is -1 where a shape lies inside a body without touching it."""
    shape: Any  # (m,)
    body: Any  # (m,) Body.index
    triangle: Any  # (m,)


class Nested(NamedTuple):
    """A body that lies wholly inside another."""
    inner: "Body"
    outer: "Body"
    gap: float  # the least distance of its vertices from the outer surface
    depth: float  # the largest
    deepest: int  # the vertex


if np is not None:
    CLOSEST = arrays._dtype(L.snag_closest, [
        ("body", "body.index", "u4"), ("element", "element.index", "u4"), ("element_kind", "element.kind", "i4"), ("kind", "kind", "i4"),
        ("side", "side", "i4"), ("distance", "distance", "f8"), ("weight", "weight", ("f8", 3)), ("point", "point", ("f8", 3))])
    HIT = arrays._dtype(L.snag_hit, [
        ("body", "body.index", "u4"), ("triangle", "triangle", "u4"), ("facing", "facing", "i4"), ("t", "t", "f8"),
        ("weight", "weight", ("f8", 3)), ("point", "point", ("f8", 3))])
    OVERLAP = arrays._dtype(L.snag_overlap, [("body", "body.index", "u4"), ("triangle", "triangle", "u4")])
    NESTED = arrays._dtype(L.snag_nested, [
        ("inner", "inner.index", "u4"), ("outer", "outer.index", "u4"), ("gap", "gap", "f8"), ("depth", "depth", "f8"),
        ("deepest", "deepest", "u4")])
    SIZE = np.dtype(np.uintp)


def _rows(x: Any, what: str, columns: int) -> Any:
    """(n, columns) doubles; one row may stand alone."""
    arrays.need_numpy()
    a = np.asarray(x, dtype=np.float64)
    if a.ndim == 1 and a.shape[0] == columns:
        a = a.reshape(1, columns)
    if a.ndim != 2 or a.shape[1] != columns:
        raise ArgumentError(f"{what}: an array of shape (n, {columns}) is needed, not {np.shape(x)}")
    return np.ascontiguousarray(a)


def _points(x: Any) -> tuple[L.snag_positions, Any]:
    arrays.need_numpy()
    a = arrays.as_array(x)
    return arrays.positions(a.reshape(1, 3) if a.shape == (3,) else a, "points")


def _choose(world: Any, definition: Any, bodies: Any) -> Any:
    """Sets the bodies of a def. Returns what must live during the call."""
    if bodies is None:
        return None
    chosen = [bodies] if hasattr(bodies, "_id") else list(bodies)
    ids = (L.snag_body_id * max(1, len(chosen)))(*(world._own(body)._id for body in chosen))
    definition.bodies = addressof(ids)
    definition.body_count = len(chosen)
    return ids


def _call(world: Any, function: Any, *arguments: Any) -> None:
    handle = world._enter()
    try:
        status = function(handle, *arguments)
        if status:
            raise world._fail(status)
    finally:
        world._lock.release()


def _list(world: Any, function: Any, lists: Any, item: Any, *arguments: Any) -> tuple[Any, Any]:
    """Calls a function that returns lists: which query each item is of, and copies of the items."""
    made = c_void_p()
    handle = world._enter()
    try:
        status = function(handle, *arguments, byref(made))
        if status:
            raise world._fail(status)
        raw = lists.from_address(made.value or 0)
        start = arrays.copied(raw.start, (raw.answered + 1,), SIZE)
        items = arrays.copied(raw.items, (int(start[-1]),), item)
    finally:
        world._lock.release()
    return np.repeat(np.arange(len(start) - 1), np.diff(start.astype(np.int64))), items


class WorldQueries:
    """Queries of a world: closest points, rays, boxes and spheres. All are exact, and about the present positions."""

    def closest(self, points: Any, *, bodies: "Body | list[Body] | None" = None, within: float = float("inf"),
                sign: bool = False) -> Closest:
        """The closest point of all bodies, or of some, to each of n points.

        sign: distances inside closed bodies are negative, and `side` tells which side of the closest body a point is on.

        >>> import snag
        >>> world = snag.World(threads=1)
        >>> ball = world.add(*snag.shapes.box(2, 2, 2, 2))
        >>> found = world.closest([[0, 0, 0.5], [3, 0.2, 0.1]], sign=True)
        >>> found.distance.round(6).tolist(), found.side.tolist()
        ([-0.5, 2.0], [1, 0])
        """
        view, keep = _points(points)
        definition = lib.snag_default_closest_def()
        definition.within, definition.sign = within, sign
        ids = _choose(self, definition, bodies)
        results = np.zeros(view.count, CLOSEST)
        _call(self, lib.snag_world_closest, byref(definition), view, arrays.address(results), None)
        del keep, ids
        return Closest(*(results[field] for field in Closest._fields))

    def cast(self, origins: Any, directions: Any, *, limit: Any = None, segments: bool = False, hits: str = "first",
             bodies: "Body | list[Body] | None" = None) -> Any:
        """Where rays hit. hits: "first" or "all" give Hits, "any" an array of booleans.

        limit: the largest multiple of the direction, one or n; without one rays have no end. segments: directions are the other ends.

        >>> import snag
        >>> world = snag.World(threads=1)
        >>> sheet = world.add(*snag.shapes.sheet(4, 4, 1, 1))
        >>> world.cast([[0.1, 0.2, 2]], [[0, 0, -1]]).t
        array([2.])
        """
        o, d = _rows(origins, "origins", 3), _rows(directions, "directions", 3)
        if len(o) == 1 and len(d) > 1:
            o = np.repeat(o, len(d), axis=0)
        if len(o) != len(d):
            raise ArgumentError(f"{len(o)} origins and {len(d)} directions: as many of one as of the other are needed")
        rays = np.empty((len(o), 7))
        rays[:, :3], rays[:, 3:6] = o, d
        rays[:, 6] = limit if limit is not None else 1.0 if segments else float("inf")
        definition = lib.snag_default_cast_def()
        definition.segments = segments
        ids = _choose(self, definition, bodies)
        where = byref(definition), arrays.address(rays), len(rays)
        if hits == "any":
            any_hit = np.zeros(len(rays), np.uint8)
            _call(self, lib.snag_world_cast_any, *where, arrays.address(any_hit), None)
            return any_hit.astype(bool)
        if hits == "all":
            ray, items = _list(self, lib.snag_world_cast_all, L.snag_hit_lists, HIT, *where)
        elif hits == "first":
            ray, items = np.arange(len(rays)), np.zeros(len(rays), HIT)
            _call(self, lib.snag_world_cast, *where, arrays.address(items), None)
        else:
            raise ArgumentError(f'hits: "first", "all" or "any", not {hits!r}')
        del ids
        return Hits(ray, *(items[field] for field in Hits._fields[1:]))

    def overlap_boxes(self, boxes: Any, *, elements: bool = False, bodies: "Body | list[Body] | None" = None) -> Overlaps:
        """Bodies, or with `elements` triangles, that boxes meet: n rows of lo x, y, z and hi x, y, z."""
        return self._overlap(lib.snag_world_overlap_boxes, _rows(boxes, "boxes", 6), elements, bodies)

    def overlap_spheres(self, spheres: Any, *, elements: bool = False, bodies: "Body | list[Body] | None" = None) -> Overlaps:
        """Bodies, or with `elements` triangles, that spheres meet: n rows of centre x, y, z and radius."""
        return self._overlap(lib.snag_world_overlap_spheres, _rows(spheres, "spheres", 4), elements, bodies)

    def _overlap(self, function: Any, rows: Any, elements: bool, bodies: Any) -> Overlaps:
        definition = lib.snag_default_overlap_def()
        definition.elements = elements
        ids = _choose(self, definition, bodies)
        shape, items = _list(self, function, L.snag_overlap_lists, OVERLAP, byref(definition), arrays.address(rows), len(rows))
        del ids
        return Overlaps(shape, items["body"], items["triangle"].astype(np.int32).astype(np.int64))

    def nested(self) -> list[Nested]:
        """Bodies that lie wholly inside others.

        >>> import snag
        >>> world = snag.World(threads=1)
        >>> room = world.add(*snag.shapes.box(1, 4, 4, 4), name="room")
        >>> ball = world.add(*snag.shapes.icosphere(1, 1), name="ball")
        >>> [(n.inner.name, n.outer.name) for n in world.nested()]
        [('ball', 'room')]
        """
        arrays.need_numpy()
        made, count = c_void_p(), c_size_t()
        handle = self._enter()  # type: ignore[attr-defined]
        try:
            status = lib.snag_world_nested(handle, byref(made), byref(count))
            if status:
                raise self._fail(status)  # type: ignore[attr-defined]
            rows = arrays.copied(made.value, (count.value,), NESTED)
        finally:
            self._lock.release()  # type: ignore[attr-defined]
        of = {body.index: body for body in self.bodies}  # type: ignore[attr-defined]
        return [Nested(of[int(r["inner"])], of[int(r["outer"])], float(r["gap"]), float(r["depth"]), int(r["deepest"])) for r in rows]


class BodyQueries:
    """Queries of one body."""
    __slots__ = ()

    def contains(self, points: Any) -> Any:
        """Which of n points lie inside the body, exactly: 0 outside, 1 inside, 2 on the surface. An open surface is refused.

        >>> import snag
        >>> world = snag.World(threads=1)
        >>> ball = world.add(*snag.shapes.icosphere(2, 1))
        >>> ball.contains([[0, 0, 0], [2, 0, 0]]).tolist()
        [1, 0]
        """
        view, keep = _points(points)
        sides = np.zeros(view.count, np.int32)
        world = self._world  # type: ignore[attr-defined]
        _call(world, lib.snag_world_contains, self._id, view, arrays.address(sides))  # type: ignore[attr-defined]
        del keep
        return sides

    def winding(self, points: Any) -> Any:
        """How often the surface winds around each of n points: integers if it is closed, else generalised winding numbers."""
        view, keep = _points(points)
        numbers = np.zeros(view.count)
        world = self._world  # type: ignore[attr-defined]
        _call(world, lib.snag_world_winding, self._id, view, arrays.address(numbers))  # type: ignore[attr-defined]
        del keep
        return numbers
