"""Excluded pairs, and the filters of questions."""
from __future__ import annotations

import weakref
from ctypes import addressof, byref, c_void_p
from typing import TYPE_CHECKING, Any

from . import _arrays as arrays
from . import _layout as L
from ._errors import ArgumentError, StaleError
from ._native import lib

if TYPE_CHECKING:
    from ._world import World

_KINDS = {"vertex": 0, "edge": 1, "triangle": 2, "tet": 3}


class Exclusions:
    """Pairs that never meet, made by `World.exclude`. Give them to questions: `world.proximities(..., exclusions=seam)`."""
    __slots__ = ("_world", "_address")

    def __init__(self, world: "World", address: int):
        self._world = weakref.ref(world)
        self._address: int | None = address

    def drop(self) -> None:
        """Frees them. Later questions must not use them any more."""
        world = self._world()
        if world is None or self._address is None:
            return
        handle = world._enter()
        try:
            status = lib.snag_world_drop_exclusions(handle, self._address)
            if status:
                raise world._fail(status)
            self._address = None
        finally:
            world._lock.release()

    def _of(self, world: "World") -> int:
        if self._address is None:
            raise StaleError("the exclusions were dropped")
        if self._world() is not world:
            raise ArgumentError("the exclusions are of another world")
        return self._address


def _element(what: Any) -> tuple[Any, L.snag_element]:
    try:
        body, kind, index = what
        element = L.snag_element(kind=_KINDS[kind])
    except (TypeError, ValueError, KeyError):
        raise ArgumentError('an element is a body, a kind ("vertex", "edge", "triangle", "tet") and its number, of an edge its two '
                            'vertices: (cloth, "vertex", 7)') from None
    if kind == "edge":
        element.vertex[0], element.vertex[1] = index
    else:
        element.index = index
    return body, element


def exclude(world: "World", pairs: Any, sets: Any) -> Exclusions:
    """See World.exclude."""
    definition = lib.snag_default_exclusion_def()
    pairs, sets, kept = list(pairs), list(sets), []
    made_pairs = (L.snag_excluded_pair * max(1, len(pairs)))()
    for to, pair in zip(made_pairs, pairs):
        (a, to.a), (b, to.b) = _element(pair[0]), _element(pair[1])
        to.body_a, to.body_b = world._own(a)._id, world._own(b)._id
    made_sets = (L.snag_excluded_sets * max(1, len(sets)))()
    for to, ((a, vertices_a), (b, vertices_b)) in zip(made_sets, sets):
        vertices_a, vertices_b = arrays.indices(vertices_a, "sets", None), arrays.indices(vertices_b, "sets", None)
        kept += [vertices_a, vertices_b]
        to.body_a, to.body_b = world._own(a)._id, world._own(b)._id
        to.vertices_a, to.count_a = arrays.address(vertices_a), len(vertices_a)
        to.vertices_b, to.count_b = arrays.address(vertices_b), len(vertices_b)
    definition.pairs, definition.pair_count = addressof(made_pairs), len(pairs)
    definition.sets, definition.set_count = addressof(made_sets), len(sets)
    made = c_void_p()
    handle = world._enter()
    try:
        status = lib.snag_world_exclude(handle, byref(definition), byref(made))
        if status:
            raise world._fail(status)
    finally:
        world._lock.release()
    return Exclusions(world, made.value or 0)


def set_body_bits(definition: Any, count: int, group: Any, mask: Any, labels: Any, edge_labels: Any = None,
                  point_labels: Any = None) -> list[Any]:
    """Groups, masks and labels of a body def: numbers, or arrays by vertex; labels by element. Returns what must live as long."""
    kept = []
    for value, one, many in ((group, "group", "vertex_groups"), (mask, "mask", "vertex_masks")):
        if value is None:
            continue
        if isinstance(value, int):
            setattr(definition, one, value)
            continue
        made = arrays.indices(value, many, None)
        if len(made) != count:
            raise ArgumentError(f"{one}: a number, or one for each of the {count} vertices is needed, not {len(made)}")
        setattr(definition, many, arrays.address(made))
        kept.append(made)
    if labels is not None:
        made = arrays.indices(labels, "labels", None)
        elements = definition.triangle_count + definition.tet_count + definition.polygon_count
        if len(made) != elements:
            raise ArgumentError(f"labels: one for each of the {elements} faces or tets is needed, not {len(made)}")
        definition.labels = arrays.address(made)
        kept.append(made)
    for value, field, wanted in ((edge_labels, "edge_labels", definition.edge_count), (point_labels, "point_labels", definition.point_count)):
        if value is None:
            continue
        made = arrays.indices(value, field, None)
        if len(made) != wanted:
            raise ArgumentError(f"{field}: one for each of the {wanted} is needed, not {len(made)}")
        setattr(definition, field, arrays.address(made))
        kept.append(made)
    return kept


def take_filter(world: "World", made: Any, options: dict[str, Any]) -> None:
    """Moves the filters of elements from the words of a question to its filter."""
    made.exclude_rings = options.pop("exclude_rings", 0)
    made.exclude_rest = options.pop("exclude_rest", 0.0)
    exclusions = options.pop("exclusions", None)
    if exclusions is not None:
        made.exclusions = exclusions._of(world)


WORDS = ("exclude_rings", "exclude_rest", "exclusions")
