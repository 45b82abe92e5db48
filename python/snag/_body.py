"""Bodies: what a world holds of a mesh, where it is, and what may be changed of it."""
from __future__ import annotations

import weakref
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple

from . import _arrays as arrays
from . import _layout as L
from ._edit import EditMap, edit
from ._errors import BodyError, StaleError, from_status
from ._native import lib, text
from ._queries import BodyQueries

if TYPE_CHECKING:
    from ._world import World


class Tree(NamedTuple):
    """The sphere tree that the method `spheres` keeps of a body."""
    level_count: int
    node_count: int
    bytes: int
    levels_made: int
    triangles_read: int
    blocks_read: int


class MeshReport(NamedTuple):
    """What a check of a mesh says. `counts` has a number for each kind of issue that was found."""
    counts: dict[str, int]
    issues: Any
    boundary_edges: int
    components: int
    closed: bool
    minimum: tuple[float, ...]
    maximum: tuple[float, ...]
    mean_edge: float


class Body(BodyQueries):
    """A mesh in a world. `body.positions = X` moves it; `body.teleport(X)` puts it there without a motion.

    The world owns its bodies: keep the world, too."""
    __slots__ = ("_world_reference", "_id", "_gone", "_positions", "_name", "vertex_count", "triangle_count", "edge_count", "tet_count", "rod_count", "point_count",
                 "source", "user", "__weakref__")

    def __init__(self, world: "World", id: Any, user: Any):
        # A strong one would leave the memory of both to the garbage collector, which knows nothing of its size.
        self._world_reference = weakref.ref(world)
        self._id = id
        self._gone = False
        self._positions: Any = None
        self.user = user
        self.source: Any = None
        self._name = text(self._info().name)
        self._count()

    def _count(self) -> None:
        info = self._info()
        self.vertex_count: int = info.vertex_count
        self.rod_count: int = info.rod_count
        self.point_count: int = info.point_count
        self.triangle_count: int = info.triangle_count
        self.edge_count: int = info.edge_count
        self.tet_count: int = info.tet_count

    @property
    def _world(self) -> "World":
        world = self._world_reference()
        if world is None:
            raise StaleError("the world of this body is gone: keep it in a variable as long as its bodies are used")
        return world

    def _info(self) -> Any:
        info = L.snag_body_info()
        if self._world._handle is None:
            raise StaleError("the world is closed")
        status = lib.snag_world_body(self._world._handle, self._id, byref(info))
        if status:
            raise BodyError("the body was removed")
        return info

    @property
    def world(self) -> "World":
        """The world that the body is in."""
        return self._world

    @property
    def index(self) -> int:
        """What `answer.body_a` and `answer.body_b` name the body by."""
        return int(self._id.index)

    @property
    def name(self) -> str:
        """As given to add, or "body N"."""
        return self._name

    @property
    def removed(self) -> bool:
        """Whether the body is no longer in its world."""
        return self._gone

    # ---- where it is ----

    @property
    def positions(self) -> Any:
        """The array that was given last, itself. Setting it moves the body: t1 becomes the new positions, t0 stays."""
        return self._positions

    @positions.setter
    def positions(self, x: Any) -> None:
        self._put(lib.snag_world_move, x)

    def move(self, x: Any) -> None:
        """Sets t1, as `body.positions = x` does. The positions are copied."""
        self._put(lib.snag_world_move, x)

    def teleport(self, x: Any) -> None:
        """Sets t0 and t1 alike: the body is put there without a motion."""
        self._put(lib.snag_world_teleport, x)

    def _put(self, call: Any, x: Any) -> None:
        c, kept = arrays.positions(x)
        world = self._world
        handle = world._enter()
        try:
            if self._gone:
                raise BodyError(f"{self!r} was removed")
            status = call(handle, self._id, c)
            if status:
                raise world._fail(status)
        finally:
            world._lock.release()
        self._positions = kept

    def remove(self) -> None:
        """Takes the body out of its world."""
        self._world.remove(self)

    def edit(self, *, remove: Any = None, add: Any = None, rewire: Any = None, split_vertices: Iterable[Any] = (),
             split_edges: Iterable[Any] = (), vertices: Any = None, rest: Any = None, group: Any = None, mask: Any = None,
             labels: Any = None, remove_vertices: Any = None) -> EditMap:
        """Changes the elements of a body of triangles or tetrahedra; what stays keeps its number.

        vertices: (n, 3), new vertices, which count on from the old ones; then come those of the splits. rest, group, mask: of new vertices,
        where the body has them. remove: elements. add: (n, 3) or (n, 4), new elements; labels: theirs. rewire: (elements, vertices), for
        elements that get other vertices. split_vertices: (vertex, elements): these elements get a vertex of their own, a tear.
        split_edges: (a, b, at): a new vertex on the edge, and two elements for each one there. remove_vertices: vertices that are
        left without elements. Move the body with positions of all vertices afterwards.

        >>> import snag
        >>> world = snag.World(threads=1)
        >>> sheet = world.add([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]])
        >>> made = sheet.edit(split_edges=[(1, 2, 0.5)])
        >>> sheet.vertex_count, sheet.triangle_count, made.element_from.tolist()
        (5, 4, [0, 1])
        """
        return edit(self, remove=remove, add=add, rewire=rewire, split_vertices=split_vertices, split_edges=split_edges,
                    vertices=vertices, rest=rest, group=group, mask=mask, labels=labels, remove_vertices=remove_vertices)

    # ---- its mesh ----

    def _view(self, field: str, count: int, columns: int) -> Any:
        arrays.need_numpy()
        at = getattr(self._info(), field)
        made = arrays.view(self._world._holder, at, count * columns, arrays.U4)
        return made.reshape(-1, columns) if columns > 1 else made

    @property
    def triangles(self) -> Any:
        """(n, 3) vertices of the triangles; of a volume its boundary, of polygons what they were split into."""
        return self._view("triangles", self.triangle_count, 3)

    @property
    def edges(self) -> Any:
        """(n, 2) vertices of the edges, the lower first, sorted."""
        return self._view("edges", self.edge_count, 2)

    @property
    def rods(self) -> Any:
        """Rows of `edges` that are rods."""
        return self._view("rods", self._info().rod_count, 1)

    @property
    def points(self) -> Any:
        """Vertices that are points."""
        return self._view("points", self._info().point_count, 1)

    @property
    def radius(self) -> float:
        """Half the thickness of the body: the largest radius of its vertices."""
        return self._info().radius

    @property
    def tets(self) -> Any:
        """(n, 4) vertices of the tetrahedra."""
        return self._view("tets", self.tet_count, 4)

    @property
    def triangle_faces(self) -> Any:
        """For each triangle the polygon that it is a part of, or of a volume its tetrahedron."""
        if not self._info().triangle_faces:
            arrays.need_numpy()
            return arrays.np.arange(self.triangle_count, dtype=arrays.np.uint32)
        return self._view("triangle_faces", self.triangle_count, 1)

    @property
    def labels(self) -> Any:
        """The label of each triangle: that of its face or tetrahedron, as given to add. None without labels."""
        if not self._info().labels:
            return None
        faces = self.triangle_faces
        return self._view("labels", int(faces.max()) + 1 if len(faces) else 0, 1)[faces]

    @property
    def rod_labels(self) -> Any:
        """The label of each of `rods`, as given to add as edge_labels. None without."""
        return self._view("rod_labels", self.rod_count, 1) if self._info().rod_labels else None

    @property
    def point_labels(self) -> Any:
        """The label of each of `points`, as given to add. None without."""
        return self._view("point_labels", self.point_count, 1) if self._info().point_labels else None

    def check(self) -> MeshReport:
        """What is wrong with the mesh, at t1. It reports and repairs nothing.

        >>> import snag
        >>> V, F = snag.shapes.box(2, 1, 1, 1)
        >>> world = snag.World(threads=1)
        >>> report = world.add(V, F[1:]).check()
        >>> report.closed, report.boundary_edges, report.counts
        (False, 3, {})
        """
        made = c_void_p()
        world = self._world
        handle = world._enter()
        try:
            status = lib.snag_world_check(handle, self._id, byref(made))
            if status:
                raise world._fail(status)
            raw = L.snag_mesh_report.from_address(made.value or 0)
            counts = {text(lib.snag_mesh_issue_name(i)): c for i, c in enumerate(raw.counts) if c}
            issues = None
            if arrays.HAVE_NUMPY:
                issues = arrays.copied(raw.issues, (raw.issue_count,), arrays.ISSUE)
            return MeshReport(counts, issues, raw.boundary_edges, raw.components, bool(raw.closed), tuple(raw.minimum),
                              tuple(raw.maximum), raw.mean_edge)
        finally:
            world._lock.release()

    def tree(self) -> Tree:
        """The sphere tree that the method `spheres` keeps of the body."""
        made = L.snag_tree_info()
        world = self._world
        handle = world._enter()
        try:
            status = lib.snag_world_tree(handle, self._id, byref(made))
            if status:
                raise world._fail(status)
        finally:
            world._lock.release()
        return Tree(*(getattr(made, f) for f in Tree._fields))

    def __reduce__(self) -> Any:
        raise TypeError("a Body cannot be pickled, since it belongs to a World of this process; pickle its positions and faces")

    def __repr__(self) -> str:
        parts = [f"{self.vertex_count:,} vertices", f"{self.triangle_count:,} triangles"]
        if self.tet_count:
            parts.append(f"{self.tet_count:,} tetrahedra")
        for count, what in ((self.rod_count, "rod"), (self.point_count, "point")):
            if count:
                parts.append(f"{count:,} {what}{'s' if count > 1 else ''}")
        return f'<snag.Body {self.index} "{self.name}": {", ".join(parts)}{", removed" if self._gone else ""}>'


def weld(positions: Any) -> Any:
    """For each vertex the lowest-numbered vertex with equal coordinates.

    >>> import snag
    >>> snag.weld([[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    array([0, 1, 0], dtype=uint32)
    """
    c, kept = arrays.positions(positions)
    made = arrays.np.empty(len(kept), arrays.np.uint32)
    status = lib.snag_mesh_weld(c, None, arrays.address(made))
    if status:
        raise from_status(status, f"weld: {text(lib.snag_status_name(status))}")
    return made


__all__ = ["Body", "MeshReport", "Tree", "weld"]
