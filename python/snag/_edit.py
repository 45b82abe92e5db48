"""Editing a body: cutting, tearing, remeshing."""
from __future__ import annotations

from ctypes import addressof, byref
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _arrays as arrays
from . import _layout as L
from ._errors import ArgumentError, BodyError
from ._native import lib

if TYPE_CHECKING:
    from ._body import Body


class EditMap(NamedTuple):
    """New from old and old from new, after `Body.edit`. 0xffffffff where there is no number."""
    first_vertex: int
    vertex_from: Any     # by new vertex: the old one it was split from
    first_element: int
    element_from: Any    # by new triangle or tetrahedron: the old one it was split from
    edges: Any           # by old edge: its number now
    triangles: Any       # by old triangle: its number now


def _numbers(definition: Any, field: str, count: str, values: Any, columns: int | None, kept: list[Any]) -> None:
    made = arrays.indices(values, field, columns)
    kept.append(made)
    setattr(definition, field, arrays.address(made))
    setattr(definition, count, len(made))


def _splits(definition: Any, split_vertices: Any, split_edges: Any, kept: list[Any]) -> None:
    split_vertices, split_edges = list(split_vertices), list(split_edges)
    tears = (L.snag_split_vertex * max(1, len(split_vertices)))()
    for to, (vertex, elements) in zip(tears, split_vertices):
        listed = arrays.indices(elements, "split_vertices", None)
        kept.append(listed)
        to.vertex, to.elements, to.element_count = vertex, arrays.address(listed), len(listed)
    cuts = (L.snag_split_edge * max(1, len(split_edges)))()
    for to, (a, b, at) in zip(cuts, split_edges):
        to.vertex[0], to.vertex[1], to.at = a, b, at
    kept += [tears, cuts]
    definition.split_vertices, definition.split_vertex_count = addressof(tears), len(split_vertices)
    definition.split_edges, definition.split_edge_count = addressof(cuts), len(split_edges)


def edit(body: "Body", *, remove: Any, add: Any, rewire: Any, split_vertices: Any, split_edges: Any, vertices: Any, rest: Any, group: Any,
         mask: Any, labels: Any, remove_vertices: Any) -> EditMap:
    """See Body.edit."""
    arrays.need_numpy()
    corners = 4 if body.tet_count else 3
    definition = lib.snag_default_edit_def()
    kept: list[Any] = []
    if vertices is not None:
        definition.vertices, alive = arrays.positions(vertices, "vertices")
        kept.append(alive)
    if rest is not None:
        definition.rest, alive = arrays.positions(rest, "rest")
        kept.append(alive)
    for value, field in ((group, "vertex_groups"), (mask, "vertex_masks"), (labels, "added_labels")):
        if value is not None:
            made = arrays.indices(value, field, None)
            wanted = definition.vertices.count if field != "added_labels" else len(add) if add is not None else 0
            if len(made) != wanted:
                raise ArgumentError(f"{field}: {wanted} numbers are needed, not {len(made)}")
            kept.append(made)
            setattr(definition, field, arrays.address(made))
    if remove is not None:
        _numbers(definition, "removed", "removed_count", remove, None, kept)
    if add is not None:
        _numbers(definition, "added", "added_count", add, corners, kept)
    if rewire is not None:
        elements, new = rewire
        _numbers(definition, "rewired_vertices", "rewired_count", new, corners, kept)
        count = definition.rewired_count
        _numbers(definition, "rewired", "rewired_count", elements, None, kept)
        if count != definition.rewired_count:
            raise ArgumentError(f"rewire: {definition.rewired_count} elements, and vertices for {count}")
    if remove_vertices is not None:
        _numbers(definition, "removed_vertices", "removed_vertex_count", remove_vertices, None, kept)
    _splits(definition, split_vertices, split_edges, kept)
    return _run(body, definition)


def _run(body: "Body", definition: Any) -> EditMap:
    made = L.snag_edit_map()
    world = body._world
    handle = world._enter()
    try:
        if body._gone:
            raise BodyError(f"{body!r} was removed")
        status = lib.snag_world_edit(handle, body._id, byref(definition), byref(made))
        if status:
            raise world._fail(status)
        world._serial += 1

        def copy(at: Any, count: int) -> Any:
            return arrays.copied(at, (count,), arrays.U4)

        result = EditMap(made.first_vertex, copy(made.vertex_from, made.vertex_count), made.first_element,
                         copy(made.element_from, made.element_count), copy(made.edges, made.old_edge_count),
                         copy(made.triangles, made.old_triangle_count))
        body._count()
    finally:
        world._lock.release()
    return result
