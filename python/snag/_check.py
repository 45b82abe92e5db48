"""One call that answers as the tool does."""
from __future__ import annotations

import ctypes
import os
from typing import Any

from . import _arrays as arrays
from . import _layout as L
from . import io
from ._answer import Answer, face_of
from ._errors import ArgumentError
from ._names import Question, number
from ._native import lib
from ._body import Body
from ._world import World

_TRIANGLE, _TET = 2, 3


class CheckAnswer(Answer):
    """What snag.check found. `world` holds the bodies; `notes` says what was passed over in files."""
    __slots__ = ("world", "notes")

    world: World
    notes: list[str]

    def show(self, path: Any = None) -> Any:
        """The report page: inline in a notebook, else written to `path` (or a temporary file) and its name returned. A path that ends
        with .png gets a picture, and so does a machine without a browser if no path is given."""
        from ._show import show
        return show(self, path)

    def picture(self, path: Any = None, *, width: int = 900, height: int = 600, direction: Any = None) -> bytes:
        """A PNG of the bodies, with what catches in red, also through what lies in front of it; written to `path` if there is one.

        direction: from the bodies to the eye, with z up; None: where most of what catches is seen. No browser is needed.

        >>> import snag
        >>> V, F = snag.shapes.icosphere(3, 1.0)
        >>> import numpy
        >>> answer = snag.check(numpy.vstack([V, V + [1, 0, 0]]), numpy.vstack([F, F + len(V)]))
        >>> answer.picture(width=64, height=48)[1:4]
        b'PNG'
        """
        from ._picture import draw
        made = draw(self, width, height, direction)
        if path is not None:
            with open(path, "wb") as file:
                file.write(made)
        return made


def check(*inputs: Any, tets: Any = None, polygons: Any = None, question: str | None = None, threads: int = 0,
          most_bytes: int = 0, **options: Any) -> CheckAnswer:
    """Looks for contacts in mesh files, or in one mesh: snag.check("dress.obj"), snag.check("a.ply", "b.ply"), snag.check(V, F).

    Without a question surfaces are asked for intersections, volumes for penetrations, and both together for both, as `snag check`
    does. A polygon counts as one face. Options are those of the question's method of World, such as distance= or method=.

    >>> import snag
    >>> V, F = snag.shapes.icosphere(2, 1.0)
    >>> snag.check(V, F)
    <snag.Answer: intersections by kdop: 0 contacts, complete>
    >>> import numpy
    >>> len(snag.check(numpy.vstack([V, V + [1, 0, 0]]), numpy.vstack([F, F + len(V)])))
    126
    """
    world = World(threads=threads)
    notes: list[str] = []
    left_out = 0
    if inputs and isinstance(inputs[0], (str, bytes, os.PathLike)):
        if tets is not None or polygons is not None:
            raise ArgumentError("tets and polygons go with positions, not with files")
        for path in inputs:
            left_out += _add_file(world, path, most_bytes, notes)
    else:
        if not 1 <= len(inputs) <= 2:
            raise ArgumentError("check takes files, or positions and faces")
        world.add(inputs[0], inputs[1] if len(inputs) == 2 else None, tets=tets, polygons=polygons)
    found = _ask(world, question, options)
    made: CheckAnswer = object.__new__(CheckAnswer)
    for slot in Answer.__slots__[:-1]:
        setattr(made, slot, getattr(found, slot))
    made.world, made.notes = world, notes
    if left_out:
        made._raw.complete = False
    return made


def _add_file(world: World, path: Any, most_bytes: int, notes: list[str]) -> int:
    if lib.snag_io_is_cache(io._path(path)):
        raise ArgumentError(f"{os.fspath(path)!r} is an animation cache: read it with snag.io.Cache and move a body of a World by it, or "
                            "use the tool: python -m snag check MESH CACHE")
    if os.fspath(path).endswith(".snag" if isinstance(os.fspath(path), str) else b".snag"):
        world.add_source(path)
        return 0
    mesh = io.read(path, most_bytes=most_bytes)
    if mesh.note:
        notes.append(mesh.note)
    for part in mesh.bodies:
        world.add_mesh(part)
    return mesh.left_out


def _ask(world: World, question: str | None, options: dict[str, Any]) -> Answer:
    volumes = [body for body in world.bodies if body.tet_count]
    surfaces = [body for body in world.bodies if not body.tet_count and body.triangle_count]
    if question is None and volumes and surfaces:
        return _ask_both(world, volumes, options)
    asked = Question(number(Question, question)).name.lower() if question is not None else "penetrations" if volumes else "intersections"
    if asked == "proximities" and "distance" not in options:
        options = dict(options, distance=1e-3 * _diagonal(world))
    sources = [body for body in world.bodies if body.triangle_count and not body._info().triangles]
    if sources and asked == "intersections":
        options = dict({"method": "spheres", "self_contacts": False}, **options)
    answer: Answer = getattr(world, asked)(**options)
    if answer.output != "contacts" or not _merged_elements(answer):
        return answer
    return _merge(answer.copy())


def _ask_both(world: World, volumes: list[Body], options: dict[str, Any]) -> Answer:
    """Between volumes penetrations find all there is; intersections are for pairs in which a surface takes part."""
    if set(options) - {"method", "self_contacts", "between", "budget", "progress"}:
        raise ArgumentError("volumes beside surfaces are asked two questions; name one by question= to give it options")
    first = world.penetrations(**options).copy()
    second = world.intersections(skip=[(a, b) for a in volumes for b in volumes], **options).copy()
    if arrays.HAVE_NUMPY:
        # concatenate would order the fields anew
        joined = arrays.np.empty(len(first) + len(second), arrays.CONTACT)
        joined[:len(first)], joined[len(first):] = first._table, second._table
        first._table = joined
    else:
        table = (L.snag_contact * (len(first) + len(second)))()
        size = ctypes.sizeof(L.snag_contact)
        ctypes.memmove(table, first._table, size * len(first))
        ctypes.memmove(ctypes.addressof(table) + size * len(first), second._table, size * len(second))
        first._table = table
    first._count += second._count
    first._raw.complete = first._raw.complete and second._raw.complete
    first._raw.covered = (first._raw.covered + second._raw.covered) / 2
    first._raw.degenerate += second._raw.degenerate
    return _merge(first)


def _diagonal(world: World) -> float:
    reports = [body.check() for body in world.bodies if body.vertex_count]
    if not reports:
        return 1.0
    return float(sum((max(r.maximum[k] for r in reports) - min(r.minimum[k] for r in reports)) ** 2 for k in range(3)) ** 0.5) or 1.0


def _has_polygons(body: Body) -> bool:
    faces = body.triangle_count and body._info().triangle_faces
    return bool(faces) and face_of(body, body.triangle_count - 1) != body.triangle_count - 1


# ---- a polygon counts as one face, a hexahedron as one cell ----------------------------------------------------------------------------------
#
# Contacts of its triangles with the same other face are one contact: the strongest kind, the smallest distance, the earliest time
# or the largest depth.

def _rank(question: int, kind: int, kind_b: int, t: float, value: float) -> float:
    """The lower, the more a contact says."""
    if question == 0 or (question == 2 and kind_b == _TRIANGLE):
        return {0: -3.0, 2: -2.0}.get(kind, -1.0)
    return t if question == 3 else -value if question == 2 else value


def _merged_elements(answer: Answer) -> dict[tuple[int, int], Any]:
    """For bodies with polygons the face of each triangle, with cells that were cut into tetrahedra the cell of each of these."""
    made = {}
    for index, body in answer._bodies.items():
        if not body.tet_count and _has_polygons(body):
            made[index, _TRIANGLE] = (ctypes.c_uint32 * body.triangle_count).from_address(body._info().triangle_faces)
        cells = body.source._open().tet_numbers if body.tet_count and body.source is not None else None
        if cells:
            made[index, _TET] = (ctypes.c_uint32 * body.tet_count).from_address(cells)
    return made


def _merge(answer: Answer) -> Answer:
    faces = _merged_elements(answer)
    if not faces:
        return answer
    kept = _merged_rows(answer, faces) if arrays.HAVE_NUMPY else _merged_rows_slowly(answer, faces)
    if arrays.HAVE_NUMPY:
        answer._table = answer._table[kept]
    else:
        table = (L.snag_contact * len(kept))()
        for i, row in enumerate(kept):
            table[i] = answer._table[row]
        answer._table = table
    answer._count = len(kept)
    return answer


def _merged_rows(answer: Answer, faces: dict[tuple[int, int], Any]) -> Any:
    np = arrays.np
    t = answer._table

    def key(side: str) -> Any:
        made = t[side].astype(np.int64)
        for (index, kind), listed in faces.items():
            mask = (t["body_" + side] == index) & (t["kind_" + side] == kind)
            made[mask] = np.frombuffer(listed, np.uint32)[t[side][mask]]
        return made

    question = answer._raw.question
    strong = np.where(t["kind"] == 0, -3.0, np.where(t["kind"] == 2, -2.0, -1.0))
    if question == 0:
        rank = strong
    elif question == 2:
        rank = np.where(t["kind_b"] == _TRIANGLE, strong, -t["value"])
    else:
        rank = t["t"] if question == 3 else t["value"]
    columns = [t["body_a"], t["kind_a"], key("a"), t["body_b"], t["kind_b"], key("b")]
    order = np.lexsort([np.arange(len(t)), rank] + columns[::-1])
    first = np.ones(len(t), bool)
    if len(t):
        first[1:] = np.any([c[order][1:] != c[order][:-1] for c in columns], axis=0)
    return order[first]


def _merged_rows_slowly(answer: Answer, faces: dict[tuple[int, int], Any]) -> list[int]:
    question = answer._raw.question
    best: dict[Any, tuple[float, int]] = {}
    for i, c in enumerate(answer._table):
        key = []
        for body, side in ((c.body_a.index, c.a), (c.body_b.index, c.b)):
            listed = faces.get((body, side.kind))
            key += [body, side.kind, listed[side.index] if listed is not None else side.index]
        rank = (_rank(question, c.kind, c.b.kind, c.t, c.value), i)
        known = best.get(tuple(key))
        if known is None or rank < known:
            best[tuple(key)] = rank
    return [best[key][1] for key in sorted(best)]
