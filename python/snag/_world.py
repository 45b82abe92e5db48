"""Worlds."""
from __future__ import annotations

import ctypes
import logging
import operator
import threading
import weakref
from ctypes import addressof, byref, c_void_p
from typing import Any, Callable, Iterable, NamedTuple, Sequence, Union

from . import _arrays as arrays
from . import _layout as L
from . import _fix
from ._answer import Answer
from ._body import Body
from ._errors import ArgumentError, BodyError, BusyError, OutOfMemoryError, StaleError, from_status
from ._names import Isa, Method, Output, Question, name, number
from ._filters import WORDS, Exclusions, exclude, set_body_bits, take_filter
from ._native import FILTER, LOG, PROGRESS, Watch, lib, text
from ._options import make_options, method_of_options, unsigned
from ._queries import WorldQueries
from ._fix import FixReport
from ._response import Moving, Report, Responder, _fill
from ._sink import take_sink
from ._solver import Candidates, WorldSolver

BodyPairs = Iterable["tuple[Body, Body]"]
Filter = Callable[["Body", "Body"], bool]
Progress = Callable[[float], Union[bool, None]]


class Memory(NamedTuple):
    """Bytes that a world holds, by what they are for."""
    bodies: int
    methods: int
    answers: int
    total: int


_DEFAULTS = [bytes(lib.snag_default_question_def(q)) for q in range(len(Question))]
_FILTER_DEFAULT = bytes(lib.snag_default_filter())
_OUTPUT = {member.name.lower(): int(member) for member in Output}
_METHOD = {member.name.lower(): int(member) for member in Method}
_PROGRESS, _FILTER = lib.progress, lib.filter
_ARGUMENT = 1


class _Step:
    """`with world.step():` has begun a step already; there is nothing to end."""
    __slots__ = ("_world",)

    def __init__(self, world: "World"):
        self._world = world

    def __enter__(self) -> "World":
        return self._world

    def __exit__(self, *_: Any) -> None:
        pass


def _destroy(handle: int, holder: int, _log: Any) -> None:
    lib.snag_world_destroy(handle)
    lib.snag_python_holder_close(holder)


class World(WorldQueries, WorldSolver):
    """Bodies, and the questions about them.

    A world is used by one thread at a time: a second one gets BusyError. Different worlds are independent, and long calls let
    other Python threads run. After os.fork a world works in the child too, if no other thread was in a call of it.

    threads: 0 for one on each processor. isa: the instruction set, such as "scalar"; the answer is the same for all. number: two
    worlds of the same number that get the same calls give the same answers, byte for byte. log: a function of level and message,
    or a logging.Logger.

    >>> import snag
    >>> V, F = snag.shapes.icosphere(3, 1.0)
    >>> with snag.World(threads=1) as world:
    ...     left, right = world.add(V, F, name="left"), world.add(V + [1.9, 0, 0], F, name="right")
    ...     print(world, len(world.intersections()) > 0)
    ...     with world.step():
    ...         right.positions = V + [2.5, 0, 0]
    ...     print(len(world.intersections()), round(float(world.distance().distance[0]), 3))
    <snag.World: 2 bodies, 2,560 triangles, 1 thread> True
    0 0.5
    """

    def __init__(self, *, threads: int = 0, isa: str = "best", number: int = 0,
                 log: "Callable[[int, str], Any] | logging.Logger | None" = None):
        self._lock = threading.Lock()
        self._serial = 0
        self._bodies: dict[int, Body] = {}
        self._watch = Watch()
        self._watch_address = addressof(self._watch)
        self._responder: Responder | None = None
        self._counts = [0, 0]
        definition = lib.snag_default_world_def()
        definition.threads = unsigned(threads, "threads")
        definition.isa = _number(Isa, isa)
        definition.number = unsigned(number, "number")
        callback = _make_log(log)
        if callback is not None:
            definition.log.write = ctypes.cast(callback, c_void_p).value
        self._holder: int = lib.snag_python_holder_create()
        if not self._holder:
            raise OutOfMemoryError("no memory for a world")
        definition.allocator = lib.snag_python_allocator(self._holder)
        made = c_void_p()
        status = lib.snag_world_create(byref(definition), byref(made))
        if status:
            lib.snag_python_holder_close(self._holder)
            words = {1: "more than 1024 threads", 8: f"the instruction set {isa!r} is not available here"}
            raise from_status(status, "the world cannot be made: " + words.get(status, text(lib.snag_status_name(status))))
        self._handle: int | None = made.value
        self._end = weakref.finalize(self, _destroy, made.value or 0, self._holder, callback)
        self._end.atexit = False  # a thread may be in a call when Python ends; the memory goes with the process

    # ---- calls ----

    def _enter(self) -> int:
        """Takes the world for a call. Every call is made between _enter and _lock.release."""
        if not self._lock.acquire(False):
            raise BusyError("the world is in another call: of another thread, or of the callback that this call is made from. "
                            "Make it when that call is over, or use a world for each thread")
        if self._handle is None:
            self._lock.release()
            raise StaleError("the world is closed")
        return self._handle

    def _fail(self, status: int) -> Exception:
        return from_status(status, text(lib.snag_world_message(self._handle)) or text(lib.snag_status_name(status)))

    def close(self) -> None:
        """Frees the world, its bodies and its answers. A world that nobody needs any more closes by itself."""
        if self._handle is None:
            return
        self._enter()
        try:
            self._serial += 1
            self._handle = None
            for body in self._bodies.values():
                body._gone = True
            self._bodies = {}
            if self._responder is not None:
                self._responder.close()
            self._end()
        finally:
            self._lock.release()

    @property
    def closed(self) -> bool:
        """Whether the world was closed."""
        return self._handle is None

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a World cannot be pickled, since its memory belongs to this process. Make it in the process that uses it, "
                        "and pickle positions and faces")

    def __repr__(self) -> str:
        if self._handle is None:
            return "<snag.World: closed>"
        bodies = list(self._bodies.values())
        parts = [f"{len(bodies)} bod{'y' if len(bodies) == 1 else 'ies'}"]
        triangles, tets = sum(b.triangle_count for b in bodies), sum(b.tet_count for b in bodies)
        parts.append(f"{triangles:,} triangles")
        if tets:
            parts.append(f"{tets:,} tetrahedra")
        parts.append(f"{self.threads} thread{'' if self.threads == 1 else 's'}")
        return f"<snag.World: {', '.join(parts)}>"

    # ---- what it is ----

    @property
    def threads(self) -> int:
        """Threads in use."""
        return int(lib.snag_world_threads(self._handle))

    @property
    def isa(self) -> str:
        """The instruction set in use."""
        return text(lib.snag_isa_name(lib.snag_world_isa(self._handle)))

    @property
    def busy(self) -> bool:
        """Whether a call is in progress, so that another would be refused."""
        return self._lock.locked()

    @property
    def bodies(self) -> "tuple[Body, ...]":
        """The bodies, by their index."""
        return tuple(self._bodies[i] for i in sorted(self._bodies))

    def body(self, key: "int | str") -> "Body":
        """The body of an index (as in `answer.body_a`), or of a name."""
        if isinstance(key, str):
            for body in self.bodies:
                if body.name == key:
                    return body
            raise BodyError(f"there is no body {key!r}; there are: {', '.join(b.name for b in self.bodies) or 'none'}")
        try:
            return self._bodies[operator.index(key)]
        except KeyError:
            raise BodyError(f"there is no body of index {key}") from None

    def memory(self) -> Memory:
        """Bytes that the world holds."""
        made = L.snag_memory()
        handle = self._enter()
        try:
            status = lib.snag_world_memory(handle, byref(made))
            if status:
                raise self._fail(status)
        finally:
            self._lock.release()
        return Memory(made.bodies, made.methods, made.answers, made.total)

    def _blocks(self) -> tuple[int, int]:
        """Blocks and bytes that the allocator has given out, pinned ones included."""
        blocks, size = ctypes.c_size_t(), ctypes.c_size_t()
        lib.snag_python_held(self._holder, byref(blocks), byref(size))
        return blocks.value, size.value

    # ---- bodies ----

    def add(self, positions: Any, faces: Any = None, *, tets: Any = None, polygons: Any = None, edges: Any = None,
            points: Any = None, radius: Any = 0.0, weld: bool = False, name: str | None = None, user: Any = None,
            group: Any = None, mask: Any = None, rest: Any = None, labels: Any = None, edge_labels: Any = None,
            point_labels: Any = None) -> "Body":
        """Adds a body: a surface, a volume of tetrahedra, or a cloud of vertices, with or without rods and points, or these alone.
        Everything is copied.

        positions: (n, 3), float32 or float64, of any strides. faces: (m, 3) triangles, or (m, k) polygons of k vertices each.
        polygons: a list of lists, or a pair of flat arrays (sizes, vertices). tets: (m, 4). edges: (m, 2), rods such as yarns and
        wires. points: (m,) vertices that are particles. radius: half the thickness, a number or one for each vertex. weld: vertices
        with equal coordinates count as one, for soups such as STL. user: anything, found again as body.user.

        group, mask: bits that say what may meet, for the body or for each vertex: (a.group & b.mask) and (b.group & a.mask); by
        default 1 and all bits. rest: (n, 3), the pose that `exclude_rest` speaks of. labels: a number for each face or tet;
        edge_labels and point_labels: the same for edges and points.

        >>> import snag
        >>> world = snag.World(threads=1)
        >>> world.add([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], polygons=[[0, 1, 2, 3]], name="quad")
        <snag.Body 1 "quad": 4 vertices, 2 triangles>
        >>> world.add([[0, 0, 0.2], [1, 1, 0.2], [1, 0, 0]], edges=[[0, 1]], points=[2], radius=0.1, name="yarn")
        <snag.Body 2 "yarn": 3 vertices, 0 triangles, 1 rod, 1 point>
        >>> len(world.proximities(0.1))
        3
        >>> world.add([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 3]])
        Traceback (most recent call last):
            ...
        snag.VertexError: new body: triangle 0: vertex 3 does not exist (the body has 3 vertices)
        """
        arrays.need_numpy()
        if sum(x is not None for x in (faces, tets, polygons)) > 1:
            raise ArgumentError("a body has faces, or polygons, or tets; add several bodies for several kinds")
        definition = lib.snag_default_body_def()
        definition.weld = bool(weld)
        definition.name = name.encode() if name is not None else None
        definition.positions, kept = arrays.positions(positions)
        elements = []
        if faces is not None:
            faces = arrays.as_array(faces)
            if faces.ndim == 2 and faces.shape[1] > 3:
                polygons = faces
            else:
                elements.append(arrays.indices(faces, "faces", 3))
                definition.triangles, definition.triangle_count = arrays.address(elements[0]), len(elements[0])
        if tets is not None:
            elements.append(arrays.indices(tets, "tets", 4))
            definition.tets, definition.tet_count = arrays.address(elements[0]), len(elements[0])
        if polygons is not None:
            elements += arrays.polygons(polygons)
            definition.polygon_sizes, definition.polygon_count = arrays.address(elements[0]), len(elements[0])
            definition.polygon_vertices = arrays.address(elements[1])
            if int(elements[0].sum(dtype="u8")) != len(elements[1]):
                raise ArgumentError("polygons: the sizes do not add up to the number of vertices")
        thin = self._add_thin(definition, edges, points, radius)
        elements += set_body_bits(definition, definition.positions.count, group, mask, labels, edge_labels, point_labels)
        if rest is not None:
            definition.rest, alive = arrays.positions(rest, "rest")
            elements.append(alive)
        made = self._add(lib.snag_world_add, byref(definition), user)
        made._positions = kept
        del thin, elements
        return made

    def exclude(self, pairs: Iterable[Any] = (), sets: Iterable[Any] = ()) -> Exclusions:
        """Prepares pairs that never meet, for the word `exclusions` of the questions.

        pairs: of elements, each a body, a kind and a number: ((cloth, "vertex", 3), (cloth, "edge", (7, 9))). All elements that have
        the one are kept from all that have the other. sets: of vertices: ((front, [0, 1, 2]), (back, [5, 6, 7])).

        >>> import snag
        >>> world = snag.World(threads=1)
        >>> V, F = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]
        >>> a, b = world.add(V, F), world.add(V, F)
        >>> len(world.intersections()), len(world.intersections(exclusions=world.exclude(sets=[((a, [0]), (b, [0]))])))
        (1, 0)
        """
        return exclude(self, pairs, sets)

    @staticmethod
    def _add_thin(definition: Any, edges: Any, points: Any, radius: Any) -> "list[Any]":
        """Sets rods, points and radii; returns the arrays, which must outlive the call."""
        kept = []
        if edges is not None:
            kept.append(arrays.indices(edges, "edges", 2))
            definition.edges, definition.edge_count = arrays.address(kept[-1]), len(kept[-1])
        if points is not None:
            kept.append(arrays.indices(points, "points", None))
            definition.points, definition.point_count = arrays.address(kept[-1]), len(kept[-1])
        if arrays.np.ndim(radius) == 0:
            definition.radius = float(radius)
            return kept
        kept.append(arrays.np.ascontiguousarray(radius, dtype=arrays.np.float32))
        if kept[-1].shape != (definition.positions.count,):
            raise ArgumentError(f"radius: a number or one for each of the {definition.positions.count} vertices is needed, not an "
                                f"array of shape {kept[-1].shape}")
        definition.radii = arrays.address(kept[-1])
        return kept

    def _add(self, call: Any, definition: Any, user: Any) -> "Body":
        made = L.snag_body_id()
        handle = self._enter()
        try:
            status = call(handle, definition, byref(made))
            if status:
                raise self._fail(status)
            body = Body(self, made, user)
            self._bodies[made.index] = body
        finally:
            self._lock.release()
        return body

    def add_file(self, path: Any, **options: Any) -> "list[Body]":
        """Adds all bodies of a mesh file, and returns them. Options are those of snag.io.read; with label="groups", "materials" or
        "parts" the bodies have `labels`, whose names are in `body.source.label_names`.

        `body.source` is the part of the file that each came from, by whose numbers `answer.names()` names elements."""
        from . import io
        return [self.add_mesh(part) for part in io.read(path, **options).bodies]

    def add_mesh(self, part: Any, user: Any = None) -> "Body":
        """Adds one body of a file that snag.io.read has read."""
        part._open()
        made = self._add(lib.snag_io_add_body, part._address, user)
        made.source = part
        return made

    def add_source(self, path: Any, *, name: str | None = None, user: Any = None) -> "Body":
        """Adds a surface that stays on disk: a file that `snag convert` or snag.io.write_chunked has written. Only the method
        `spheres` answers while it is in the world."""
        from . import io
        file = io._open_chunked(path)
        definition = lib.snag_io_chunked_source(file)
        if name is not None:
            definition.name = name.encode()
        try:
            return self._add(lib.snag_world_add_source, byref(definition), user)
        except BaseException:
            lib.snag_io_chunked_close(file)
            raise

    def remove(self, body: "Body") -> None:
        """Removes a body. Answers become stale."""
        self._own(body)
        handle = self._enter()
        try:
            status = lib.snag_world_remove(handle, body._id)
            if status:
                raise self._fail(status)
            self._serial += 1
            self._bodies.pop(body.index, None)
            body._gone = True
        finally:
            self._lock.release()

    def _own(self, body: "Body") -> "Body":
        if not isinstance(body, Body):
            raise TypeError(f"a snag.Body is needed, not {type(body).__name__}")
        if body._world_reference() is not self:
            raise BodyError(f"{body!r} is a body of another world")
        if body._gone:
            raise BodyError(f"{body!r} was removed")
        return body

    # ---- time ----

    def begin_step(self) -> None:
        """Starts a step: t0 of every body becomes its t1."""
        handle = self._enter()
        try:
            status = lib.snag_world_begin_step(handle)
            if status:
                raise self._fail(status)
        finally:
            self._lock.release()

    def step(self) -> _Step:
        """Starts a step, and lets moves of that step stand in a block: `with world.step(): body.positions = X`.

        Impacts are about the way from where bodies were when the step began to where they are now. A body that is not moved within
        the step rests."""
        self.begin_step()
        return _Step(self)

    # ---- questions ----

    def intersections(self, *, method: str = "auto", output: str = "contacts", self_contacts: bool = True, between: bool = True,
                      track: bool = False, filter: Filter | None = None, only: BodyPairs | None = None,
                      skip: BodyPairs | None = None, budget: float | None = None, progress: Progress | None = None,
                      lab: dict[str, Any] | None = None, **options: Any) -> Answer:
        """Triangle pairs that intersect, at t1: crossing, touching or coplanar, with the segment that they share.

        These words are the same for all questions. method: how candidates are found, such as "kdop"; complete methods give the
        same answer. output: "contacts", "pairs" (24 bytes each), "count", and for impacts "earliest". self_contacts, between:
        look for contacts of a body with itself, and between bodies. exclude_rings, exclude_rest, exclusions: filters of elements, see
        docs/guide/filters.md. track: contacts keep an id from ask to ask. filter: a function of two bodies that
        says whether to look at them (the same body twice: at it with itself); only, skip: the same as pairs of bodies. budget:
        seconds after which the search ends with what it has. progress: a function of the part that is done; False ends the search.
        take: a function that gets the contacts or pairs in sorted blocks, each an array of its own, instead of an answer that lists
        them; False ends it. With it: block, the most in an array; scratch, a folder for a temporary file (or True) that holds what
        is larger than memory bytes. lab: rules of the papers, see snag/lab.h. Other words are options of the method: k, arity, lazy (kdop), cell_size,
        table_size (hash), directions (regularity), new_pairs, seed, target_ratio, lazy (active), depth, idle, backend (spheres).
        """
        return self._ask(0, None, method, output, self_contacts, between, track, filter, only, skip, budget, progress, lab, options)

    def proximities(self, distance: float, *, every_pair: bool = False, candidates: Candidates | None = None, method: str = "auto", output: str = "contacts",
                    self_contacts: bool = True, between: bool = True, track: bool = False, filter: Filter | None = None,
                    only: BodyPairs | None = None, skip: BodyPairs | None = None, budget: float | None = None,
                    progress: Progress | None = None, lab: dict[str, Any] | None = None, **options: Any) -> Answer:
        """Vertex-triangle and edge-edge pairs at this distance or closer, at t1.

        every_pair: list every pair, not each contact of features once. candidates: answer from these pairs, without a search (see
        `collect`). For the others see `intersections`."""
        return self._ask(1, {"distance": distance, "every_pair": every_pair, "candidates": _handle_of(candidates)}, method, output, self_contacts, between, track,
                         filter, only, skip, budget, progress, lab, options)

    def penetrations(self, *, edges: bool = True, method: str = "auto", output: str = "contacts", self_contacts: bool = True,
                     between: bool = True, track: bool = False, filter: Filter | None = None, only: BodyPairs | None = None,
                     skip: BodyPairs | None = None, budget: float | None = None, progress: Progress | None = None,
                     lab: dict[str, Any] | None = None, **options: Any) -> Answer:
        """Vertices inside tetrahedra, and (with edges) edges that pass through one, at t1. For the others see `intersections`."""
        return self._ask(2, {"edges": edges}, method, output, self_contacts, between, track, filter, only, skip, budget, progress,
                         lab, options)

    def impacts(self, *, separation: float = 0.0, tolerance: float = 1e-6, until: float = 1.0, candidates: Candidates | None = None, method: str = "auto",
                output: str = "contacts", self_contacts: bool = True, between: bool = True, track: bool = False,
                filter: Filter | None = None, only: BodyPairs | None = None, skip: BodyPairs | None = None,
                budget: float | None = None, progress: Progress | None = None, lab: dict[str, Any] | None = None,
                **options: Any) -> Answer:
        """Vertex-triangle and edge-edge pairs that meet on the way from t0 to t1 (continuous collision detection).

        separation: report when the gap falls to this. tolerance: how far before the true contact a time may lie, as a distance.
        until: leave out later ones. candidates: answer from these pairs, see `collect`. `answer.earliest` is the largest step free of impacts. For the others see `intersections`."""
        return self._ask(3, {"separation": separation, "tolerance": tolerance, "until": until, "candidates": _handle_of(candidates)}, method, output, self_contacts,
                         between, track, filter, only, skip, budget, progress, lab, options)

    def distance(self, *, distance: float = 0.0, closest: int = 0, method: str = "auto", output: str = "contacts",
                 track: bool = False, filter: Filter | None = None, only: BodyPairs | None = None, skip: BodyPairs | None = None,
                 budget: float | None = None, progress: Progress | None = None, lab: dict[str, Any] | None = None,
                 **options: Any) -> Answer:
        """The closest features of each two bodies, at t1.

        distance: leave out bodies farther apart (0: none). closest: list this many pairs of bodies. For the others see
        `intersections`."""
        return self._ask(4, {"distance": distance, "closest": unsigned(closest, "closest")}, method, output, True, True, track,
                         filter, only, skip, budget, progress, lab, options)

    def overlaps(self, *, method: str = "auto", output: str = "contacts", filter: Filter | None = None,
                 only: BodyPairs | None = None, skip: BodyPairs | None = None, budget: float | None = None,
                 progress: Progress | None = None, lab: dict[str, Any] | None = None, **options: Any) -> Answer:
        """Leaf spheres of the bodies' sphere trees that overlap, at t1: quick and conservative. For the words see `intersections`."""
        return self._ask(5, None, method, output, False, True, False, filter, only, skip, budget, progress, lab, options)

    def _ask(self, question: int, values: dict[str, Any] | None, method: str, output: str, self_contacts: bool, between: bool,
             track: bool, filter: Filter | None, only: BodyPairs | None, skip: BodyPairs | None, budget: float | None,
             progress: Progress | None, lab: dict[str, Any] | None, options: dict[str, Any]) -> Answer:
        ask = L.snag_question_def.from_buffer_copy(_DEFAULTS[question])
        elements: Any = None
        caught: list[BaseException] = []
        kept: Any = take_sink(self, ask, options, caught) if options else None  # what C looks at must outlive the ask
        if options and any(word in options for word in WORDS):
            elements = L.snag_filter.from_buffer_copy(_FILTER_DEFAULT)
            take_filter(self, elements, options)
            ask.filter = addressof(elements)
        if method != "auto" or options or lab is not None:
            if method == "auto":
                method = method_of_options(options) if options else name(Method, lib.snag_method_auto(question))
            chosen = _METHOD.get(method)
            ask.method = chosen if chosen is not None else number(Method, method)
            if options or lab is not None:
                listed = make_options(name(Method, ask.method), options, lab)
                ask.options = addressof(listed[0])
                kept = kept, listed
        if output != "contacts":
            made = _OUTPUT.get(output)
            ask.output = made if made is not None else number(Output, output)
        ask.self = bool(self_contacts)
        ask.between = bool(between)
        if track:
            ask.track = True
        if values:
            for field, value in values.items():
                setattr(ask, field, value)
        if budget is not None:
            if not budget > 0:
                raise ArgumentError("budget: a positive number of seconds is needed")
            ask.budget_us = max(1, min(int(budget * 1e6), (1 << 63) - 1))
        watch = self._watch
        handle = self._enter()
        try:
            watch.stop = 0
            ask.progress = _PROGRESS
            ask.context = self._watch_address
            if filter is not None or only is not None or skip is not None:
                kept = kept, self._set_filter(ask, filter, only, skip, caught, elements)
            if progress is not None:
                kept = kept, self._set_progress(progress, caught)
            answer = c_void_p()
            status = lib.snag_world_ask(handle, byref(ask), byref(answer))
            if status != _ARGUMENT:
                self._serial += 1
            if watch.stop:
                if watch.value:
                    watch.raise_caught()
                if caught:
                    raise caught[0]
            if status:
                raise self._fail(status)
            return Answer(self, answer.value)  # type: ignore[arg-type]
        finally:
            if kept is not None or filter is not None or only is not None or skip is not None:
                watch.progress = watch.filter = watch.table = None
            self._lock.release()

    def _set_progress(self, progress: Progress, caught: list[BaseException]) -> Any:
        def call(done: float, go_on: Any) -> None:
            try:
                go_on[0] = 0 if progress(done) is False else 1
            except BaseException as error:
                caught.append(error)

        made = PROGRESS(call)
        self._watch.progress = ctypes.cast(made, c_void_p).value
        return made

    def _set_filter(self, ask: Any, filter: Filter | None, only: BodyPairs | None, skip: BodyPairs | None,
                    caught: list[BaseException], elements: Any) -> Any:
        if sum(x is not None for x in (filter, only, skip)) > 1:
            raise ArgumentError("give one of filter, only and skip")
        made = elements if elements is not None else L.snag_filter.from_buffer_copy(_FILTER_DEFAULT)
        made.bodies = _FILTER
        made.context = self._watch_address
        ask.filter = addressof(made)
        if filter is None:
            return made, self._set_table(only, skip)
        bodies, watch = self._bodies, self._watch
        function: Filter = filter

        def call(a: int, b: int, keep: Any) -> None:
            try:
                keep[0] = 1 if function(bodies[a], bodies[b]) else 0
            except BaseException as error:
                caught.append(error)
                watch.stop = 1

        callback = FILTER(call)
        watch.filter = ctypes.cast(callback, c_void_p).value
        return made, callback

    def _set_table(self, only: BodyPairs | None, skip: BodyPairs | None) -> Any:
        """Pairs of bodies as a table of bits that C reads."""
        width = max(self._bodies, default=0) + 1
        size = (width * width + 7) // 8
        table = bytearray((b"\0" if only is not None else b"\xff") * size)
        for pair in (only if only is not None else skip) or ():
            try:
                first, second = pair
            except (TypeError, ValueError):
                raise TypeError("only and skip are lists of pairs of bodies: skip=[(cloth, ball)]") from None
            a, b = self._own(first).index, self._own(second).index
            for bit in (a * width + b, b * width + a):
                if only is not None:
                    table[bit // 8] |= 1 << bit % 8
                else:
                    table[bit // 8] &= ~(1 << bit % 8)
        made = (ctypes.c_char * size).from_buffer(table)
        self._watch.table = addressof(made)
        self._watch.table_width = width
        return made

    # ---- response ----

    def apply(self, answer: Answer, bodies: "Moving | Sequence[Moving]", **settings: Any) -> Report:
        """Corrects positions and velocities in place by the contacts of an answer: proximities or penetrations.

        Settings: thickness, friction, dt, correction, iterations, spread, rings, ratio, seed; see snag/response.h."""
        return self._respond("apply", bodies, settings, answer)

    def advance(self, bodies: "Moving | Sequence[Moving]", *, dt: float, **settings: Any) -> Report:
        """Makes a step from `start` to `positions` without a crossing, and leaves in positions and velocities what it became.

        Settings: thickness, friction, correction, iterations, rounds, method; see snag/response.h. Answers become stale."""
        return self._respond("advance", bodies, dict(settings, dt=dt), None)

    def untangle(self, bodies: "Moving | Sequence[Moving]", **settings: Any) -> Report:
        """Moves positions, as little as it takes, until no two triangles intersect. `report.left` pairs still do.

        Settings: correction, iterations, spread, rings, seed, rounds, method. Answers become stale."""
        return self._respond("untangle", bodies, settings, None)

    def fix(self, bodies: "Moving | Sequence[Moving]", *, method: Any = "auto", max_move: float = 0, rigid: "Sequence[Body]" = (), single: bool = False,
            sheets_yield: bool = True, budget: float | None = None, progress: Progress | None = None) -> FixReport:
        """Frees surfaces that intersect, by moving positions near the places where they do, and accounts for each place.

        max_move: no vertex moves farther; 0: no limit. rigid: bodies that move as a whole. single: results are floats. sheets_yield: where a
        sheet meets a solid, only the sheet moves. budget: seconds. progress: a function of the part that is done; False ends the call.
        `start` of a Moving: where vertices were before, if positions are a guess. Ctrl-C ends it; what was freed by then stays. Answers become stale."""
        listed = [bodies] if isinstance(bodies, Moving) else list(bodies)
        for moving in listed:
            self._own(moving.body)
        for body in rigid:
            self._own(body)
        handle = self._enter()
        try:
            self._serial += 1
            return _fix.call(self._responder_of(), handle, listed, _fill, method=method, max_move=max_move, rigid=rigid, single=single,
                             sheets_yield=sheets_yield, budget=budget, progress=progress)
        finally:
            for moving in listed:
                moving.body._positions = moving.positions
            self._lock.release()

    def _responder_of(self) -> Responder:
        if self._responder is None:
            self._responder = Responder()
        return self._responder

    def _respond(self, what: str, bodies: Any, settings: dict[str, Any], answer: Answer | None) -> Report:
        listed = [bodies] if isinstance(bodies, Moving) else list(bodies)
        if answer is not None:
            answer._must_be_valid()
            if answer._world is not self or answer._address is None:
                raise ArgumentError("apply takes an answer of this world itself, not a copy")
        for moving in listed:
            self._own(moving.body)
        handle = self._enter()
        try:
            if answer is None:
                self._serial += 1
            report = self._responder_of().call(what, handle, listed, settings, answer._address if answer else None)
            for moving in listed:
                if answer is None:
                    moving.body._positions = moving.positions
            return report
        finally:
            self._lock.release()


def _handle_of(candidates: Candidates | None) -> int | None:
    return candidates._handle if candidates is not None else None


def _number(kind: Any, value: Any) -> int:
    return number(kind, value)


def _make_log(log: Any) -> Any:
    if log is None:
        return None
    if isinstance(log, logging.Logger):
        levels = [logging.DEBUG, logging.INFO, logging.WARNING]
        logger = log

        def write(_: Any, level: int, message: bytes) -> None:
            logger.log(levels[level], "%s", text(message))
    else:
        if not callable(log):
            raise TypeError("log: a function of level and message is needed, or a logging.Logger")

        def write(_: Any, level: int, message: bytes) -> None:
            log(level, text(message))
    return LOG(write)


__all__ = ["Memory", "World"]
