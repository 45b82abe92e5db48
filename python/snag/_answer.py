"""Answers: arrays that look at the world's memory."""
from __future__ import annotations

import ctypes
import operator
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from . import _arrays as arrays
from . import _layout as L
from ._errors import StaleError
from ._names import Element, Kind, Method, Output, Phase, Question, name
from ._native import lib, text

if TYPE_CHECKING:
    import numpy as np

    from ._body import Body
    from ._world import World

_STALE = ("this answer is stale: the world was asked again, a body was removed, or the world was closed since. Read it before "
          "that, or keep it with answer.copy()")

METHODS = [name(Method, m) for m in range(len(Method))]
QUESTIONS = [name(Question, q) for q in range(len(Question))]
OUTPUTS = [name(Output, o) for o in range(len(Output))]
_CONTACT_SIZE, _PAIR_SIZE = ctypes.sizeof(L.snag_contact), ctypes.sizeof(L.snag_pair)
_ANSWER_SIZE = ctypes.sizeof(L.snag_answer)
_ANSWER_BYTES = ctypes.c_char * _ANSWER_SIZE


class Contact(NamedTuple):
    """One contact, for loops. Arrays are faster: `answer.a`, `answer.normal` and so on."""
    body_a: Any
    a: int
    kind_a: str
    body_b: Any
    b: int
    kind_b: str
    kind: str
    value: float
    t: float = 0.0
    point_a: tuple[float, ...] = ()
    point_b: tuple[float, ...] = ()
    normal: tuple[float, ...] = ()
    weight: tuple[float, ...] = ()
    vertex_a: tuple[int, ...] = ()
    vertex_b: tuple[int, ...] = ()
    shared: int = 0
    id: int = 0
    phase: str = "none"
    age: int = 0


class Place(NamedTuple):
    """A connected patch of contacts: see snag_place in snag/places.h."""
    id: int
    body_a: Any
    body_b: Any
    contacts: Any
    centre: tuple[float, ...]
    size: float
    length: float
    depth: float
    inside: float
    value: float
    worst: int
    minimum: tuple[float, ...]
    maximum: tuple[float, ...]


class LabResults(NamedTuple):
    """What the lab's rules tell: see snag/lab.h."""
    epsilon: tuple[float, ...]
    lines: Any
    spheres: Any
    visits: Any


class Statistics(NamedTuple):
    """How a search went. Zero where a method does not count it."""
    candidates: int
    exact: int
    visited: int
    tested: int
    new_pairs: int
    regions_opened: tuple[int, ...]
    region_contacts: int
    lab: LabResults


class Answer:
    """The answer to a question: `len(answer)` contacts, and arrays of what is known of them.

    The arrays look at the world's memory: nothing is copied, and they cannot be written. An answer is valid until the world is
    asked again, a body is removed or the world is closed; after that it raises StaleError. Arrays that were taken from it before
    then stay safe to read, but may show a later answer: `answer.copy()` keeps what is there now.

    >>> import snag
    >>> V, F = snag.shapes.sheet(4, 4, 1, 1)
    >>> world = snag.World(threads=1)
    >>> low, high = world.add(V, F, name="low"), world.add(V + [0, 0, 0.01], F, name="high")
    >>> hits = world.proximities(distance=0.02)
    >>> hits
    <snag.Answer: proximities by kdop: 25 contacts, complete>
    >>> hits.distance.max(), hits.normal.shape
    (0.01, (25, 3))
    >>> kept = hits.copy()
    >>> again = world.intersections()
    >>> len(kept), len(again)
    (25, 0)
    >>> hits.distance
    Traceback (most recent call last):
        ...
    snag.StaleError: this answer is stale: the world was asked again, a body was removed, or the world was closed since. Read it before that, or keep it with answer.copy()
    """

    __slots__ = ("_world", "_serial", "_address", "_raw", "_table", "_ended", "_statistics", "_bodies", "_count", "_numbers",
                 "_show", "__weakref__")

    def __init__(self, world: "World", address: int):
        self._world: World | None = world
        self._serial = world._serial
        self._address: int | None = address
        self._raw = L.snag_answer.from_buffer_copy(_ANSWER_BYTES.from_address(address))
        self._count = self._raw.count
        self._table: Any = None
        self._ended: Any = None
        self._statistics: Statistics | None = None
        self._bodies: dict[int, Body] = world._bodies
        self._numbers: Any = None
        self._show: Any = None

    # ---- whether it is still there ----

    @property
    def valid(self) -> bool:
        """Whether contacts can still be read."""
        return self._world is None or self._world._serial == self._serial

    def _must_be_valid(self) -> None:
        if self._world is not None and self._world._serial != self._serial:
            raise StaleError(_STALE)

    def copy(self) -> "Answer":
        """The same answer in memory of its own: it never becomes stale."""
        self._must_be_valid()
        statistics = self.statistics
        made: Answer = object.__new__(type(self))
        made._world, made._serial, made._address = None, 0, None
        made._raw, made._count, made._bodies = self._raw, self._count, dict(self._bodies)
        made._statistics = statistics
        made._numbers, made._show = self._numbers, self._show
        if arrays.HAVE_NUMPY:
            lines = statistics.lab.lines
            made._statistics = statistics._replace(
                lab=statistics.lab._replace(lines=lines.copy(), spheres=statistics.lab.spheres.copy(),
                                            visits=statistics.lab.visits.copy()))
            made._table = self._rows().copy() if self._listed else None
            made._ended = self.ended.copy()
        else:
            struct, at = (L.snag_contact, self._raw.contacts) if self._raw.output == 0 else (L.snag_pair, self._raw.pairs)
            made._ended = None
            made._table = (struct * (self._count if self._listed else 0))()
            if len(made._table):
                ctypes.memmove(made._table, at, ctypes.sizeof(made._table))
        return made

    def __reduce__(self) -> Any:
        raise TypeError("an Answer cannot be pickled, since it looks at memory of its world; pickle arrays of it, such as "
                        "answer.contacts.copy()")

    # ---- what it is ----

    @property
    def question(self) -> str:
        """The name of the question, such as "proximities"."""
        return QUESTIONS[self._raw.question]

    @property
    def method(self) -> str:
        """The method that answered; never "auto"."""
        return METHODS[self._raw.method]

    @property
    def output(self) -> str:
        """"contacts", "pairs", "count" or "earliest"."""
        return OUTPUTS[self._raw.output]

    @property
    def reason(self) -> str:
        """Why this method answered."""
        return text(self._raw.reason)

    @property
    def count(self) -> int:
        """How many contacts there are; also for outputs that do not list them."""
        return int(self._count)

    @property
    def complete(self) -> bool:
        """False if the budget, the progress callback or Ctrl-C ended the search; always false for `active`."""
        return bool(self._raw.complete)

    @property
    def covered(self) -> float:
        """The part that was searched, 0..1."""
        return float(self._raw.covered)

    @property
    def earliest(self) -> float:
        """Impacts: the earliest time, 1 if there is none: the largest step free of impacts."""
        self._only("impacts", "earliest")
        return float(self._raw.earliest)

    @property
    def culprit(self) -> Contact | None:
        """Impacts: the pair of the earliest time."""
        self._only("impacts", "culprit")
        pair = self._raw.culprit
        return self._pair(pair) if pair.body_a else None

    @property
    def degenerate(self) -> int:
        """Triangles of zero area (penetrations: tetrahedra of zero volume), which take part in no contact."""
        return int(self._raw.degenerate)

    @property
    def ratio(self) -> float:
        """The part of all contacts that is listed, as estimated; see also ratio_low and ratio_high."""
        return float(self._raw.ratio)

    @property
    def ratio_low(self) -> float:
        """Lower end of the interval that holds the true ratio in nine steps of ten."""
        return float(self._raw.ratio_low)

    @property
    def ratio_high(self) -> float:
        """Upper end of the interval that holds the true ratio in nine steps of ten."""
        return float(self._raw.ratio_high)

    @property
    def statistics(self) -> Statistics:
        """Counters of the search."""
        if self._statistics is None:
            self._must_be_valid()
            raw = L.snag_statistics.from_address(self._raw.statistics)
            lab = L.snag_lab_results.from_address(raw.lab)
            lines: Any = None
            spheres: Any = None
            visits: Any = None
            if arrays.HAVE_NUMPY and self._world is not None:
                lines = arrays.view(self._world._holder, lab.lines, lab.line_count, arrays.LINE)
                spheres = arrays.view(self._world._holder, lab.spheres, lab.sphere_count, arrays.SPHERE)
                visits = arrays.view(self._world._holder, lab.visits, lab.visit_count, arrays.VISIT)
            self._statistics = Statistics(raw.candidates, raw.exact, raw.visited, raw.tested, raw.new_pairs,
                                          tuple(raw.regions_opened), raw.region_contacts,
                                          LabResults(tuple(lab.epsilon), lines, spheres, visits))
        return self._statistics

    # ---- arrays ----

    @property
    def _listed(self) -> bool:
        """Whether the answer has what it counts, and `take` did not get it."""
        raw = self._raw
        return raw.output < 2 and (not self._count or bool(raw.contacts or raw.pairs))

    def _must_list(self) -> None:
        if self._raw.output > 1:
            raise AttributeError(f'an answer with output="{self.output}" lists no contacts; ask with output="contacts"')
        if not self._listed:
            raise AttributeError("the contacts of this answer were handed to take, in blocks; ask without take for an answer that lists them")

    def _rows(self) -> Any:
        table = self._table
        if self._world is not None and self._world._serial != self._serial:
            raise StaleError(_STALE)
        if table is None:
            arrays.need_numpy()
            self._must_list()
            assert self._world is not None
            if self._raw.output == 0:
                table = arrays.view(self._world._holder, self._raw.contacts, self._count, arrays.CONTACT)
            else:
                table = arrays.view(self._world._holder, self._raw.pairs, self._count, arrays.PAIR)
            self._table = table
        elif not arrays.HAVE_NUMPY:
            arrays.need_numpy()
        return table

    def _column(self, column: str) -> Any:
        rows = self._rows()
        try:
            return rows[column]
        except ValueError:
            raise AttributeError(f'pairs have no {column}; ask with output="contacts"') from None

    def _only(self, question: str, what: str) -> None:
        if QUESTIONS[self._raw.question] not in question.split():
            raise AttributeError(f"{self.question} have no {what}" if self.question != "distance" else f"distance has no {what}")

    @property
    def contacts(self) -> "np.ndarray[Any, Any]":
        """All contacts as one structured array, 192 bytes each."""
        if self._raw.output != 0:
            raise AttributeError(f'an answer with output="{self.output}" has no contacts; ask with output="contacts"')
        return self._rows()

    @property
    def pairs(self) -> "np.ndarray[Any, Any]":
        """All pairs as one structured array, 24 bytes each, of an answer with output="pairs"."""
        if self._raw.output != 1:
            raise AttributeError(f'an answer with output="{self.output}" has no pairs; ask with output="pairs"')
        return self._rows()

    @property
    def body_a(self) -> "np.ndarray[Any, Any]":
        """`Body.index` of the body of a."""
        return self._column("body_a")

    @property
    def body_b(self) -> "np.ndarray[Any, Any]":
        """`Body.index` of the body of b."""
        return self._column("body_b")

    @property
    def a(self) -> "np.ndarray[Any, Any]":
        """Element of a: vertex, edge, triangle or tetrahedron of its body, as kind_a says."""
        return self._column("a")

    @property
    def b(self) -> "np.ndarray[Any, Any]":
        """Element of b."""
        return self._column("b")

    @property
    def kind_a(self) -> "np.ndarray[Any, Any]":
        """What a is: compare with snag.Element."""
        return self._column("kind_a")

    @property
    def kind_b(self) -> "np.ndarray[Any, Any]":
        """What b is: compare with snag.Element."""
        return self._column("kind_b")

    @property
    def vertex_a(self) -> "np.ndarray[Any, Any]":
        """The two vertices of a where it is an edge, (n, 2)."""
        return self._column("vertex_a")

    @property
    def vertex_b(self) -> "np.ndarray[Any, Any]":
        """The two vertices of b where it is an edge, (n, 2)."""
        return self._column("vertex_b")

    @property
    def kind(self) -> "np.ndarray[Any, Any]":
        """The kind of each contact: compare with snag.Kind."""
        return self._column("kind")

    @property
    def shared(self) -> "np.ndarray[Any, Any]":
        """Intersections: how many vertices the two triangles share."""
        return self._column("shared")

    @property
    def value(self) -> "np.ndarray[Any, Any]":
        """Distance or depth; of pairs of impacts the time."""
        return self._column("value")

    @property
    def distance(self) -> "np.ndarray[Any, Any]":
        """Proximities and distance: the distance of each pair."""
        self._only("proximities distance", "distance")
        return self._column("value")

    @property
    def depth(self) -> "np.ndarray[Any, Any]":
        """Penetrations and overlaps: the depth."""
        self._only("penetrations overlaps", "depth")
        return self._column("value")

    @property
    def time(self) -> "np.ndarray[Any, Any]":
        """Impacts: the time in 0..1, never later than the true one."""
        self._only("impacts", "time")
        return self._column("value" if self._raw.output == 1 else "t")

    @property
    def point_a(self) -> "np.ndarray[Any, Any]":
        """The closest point on a, (n, 3); of intersections one end of the shared segment."""
        return self._column("point_a")

    @property
    def point_b(self) -> "np.ndarray[Any, Any]":
        """The closest point on b, (n, 3); of intersections the other end of the shared segment."""
        return self._column("point_b")

    @property
    def normal(self) -> "np.ndarray[Any, Any]":
        """Unit vectors from b towards a, (n, 3); zero where there is none."""
        return self._column("normal")

    @property
    def weight(self) -> "np.ndarray[Any, Any]":
        """Weights of the vertices, (n, 4): see snag_contact in snag/question.h."""
        return self._column("weight")

    @property
    def id(self) -> "np.ndarray[Any, Any]":
        """With track: a number that is the same as long as the contact persists."""
        return self._column("id")

    @property
    def phase(self) -> "np.ndarray[Any, Any]":
        """With track: compare with snag.Phase."""
        return self._column("phase")

    @property
    def age(self) -> "np.ndarray[Any, Any]":
        """With track: for how many asks the contact has persisted."""
        return self._column("age")

    @property
    def ended(self) -> "np.ndarray[Any, Any]":
        """With track: contacts of the last answer that are no longer there, as a structured array."""
        self._must_be_valid()
        if self._ended is None:
            arrays.need_numpy()
            assert self._world is not None
            self._ended = arrays.view(self._world._holder, self._raw.ended, self._raw.ended_count, arrays.ENDED)
        return self._ended

    def places(self) -> list[Place]:
        """The contacts in groups, the worst first: by pair of bodies, then by connected elements. `contacts` are indices into this
        answer. A place keeps its id from answer to answer of one world. Measured at the present positions: call it before you move on.

        >>> import snag
        >>> V, F = snag.shapes.sheet(4, 4, 1, 1)
        >>> world = snag.World(threads=1)
        >>> low, high = world.add(V, F, name="low"), world.add(V[:, [0, 2, 1]] * 0.7 + [0.01, 0.013, 0.017], F, name="upright")
        >>> worst = world.intersections().places()[0]
        >>> worst.body_a.name, worst.body_b.name, len(worst.contacts), round(worst.length, 6)
        ('low', 'upright', 13, 0.7)
        """
        self._must_be_valid()
        world = self._world
        if world is None or self._address is None:
            raise StaleError("a copy of an answer has no places; call places() before copy()")
        found, count = ctypes.c_void_p(), ctypes.c_size_t()
        handle = world._enter()
        try:
            status = lib.snag_answer_places(handle, self._address, ctypes.byref(found), ctypes.byref(count))
            if status:
                raise world._fail(status)
            rows: Any = (L.snag_place * count.value).from_address(found.value) if count.value and found.value else ()
            return [self._place(row) for row in rows]
        finally:
            world._lock.release()

    def _place(self, p: Any) -> Place:
        raw = (ctypes.c_uint32 * p.contact_count).from_address(p.contacts)
        contacts = arrays.np.array(raw, dtype="uint32") if arrays.HAVE_NUMPY else list(raw)
        return Place(int(p.id), self._body(p.body_a.index), self._body(p.body_b.index), contacts, tuple(p.centre), p.size, p.length,
                     p.depth, p.inside, p.value, int(p.worst), tuple(p.minimum), tuple(p.maximum))

    # ---- as a sequence ----

    def _body(self, index: int) -> Any:
        return self._bodies.get(index, index)

    def _pair(self, p: Any) -> Contact:
        return Contact(self._body(int(p.body_a)), int(p.a), name(Element, p.kind_a), self._body(int(p.body_b)), int(p.b),
                       name(Element, p.kind_b), kind_name(p.kind), float(p.value), shared=int(p.shared))

    def _contact(self, c: Any) -> Contact:
        return Contact(self._body(c.body_a.index), c.a.index, name(Element, c.a.kind), self._body(c.body_b.index), c.b.index,
                       name(Element, c.b.kind), kind_name(c.kind), c.value, c.t, tuple(c.point_a), tuple(c.point_b),
                       tuple(c.normal), tuple(c.weight), tuple(c.a.vertex), tuple(c.b.vertex), c.shared, c.id,
                       name(Phase, c.phase), c.age)

    def __len__(self) -> int:
        return int(self._count)

    def __bool__(self) -> bool:
        return self._count > 0

    def __getitem__(self, index: int) -> Contact:
        try:
            index = operator.index(index)
        except TypeError:
            raise TypeError("one contact is answer[3]; parts of arrays are answer.a[3:7], answer.normal[mask] and so on") from None
        if index < 0:
            index += self._count
        if not 0 <= index < self._count:
            raise IndexError("no such contact")
        self._must_be_valid()
        if self._raw.output > 1:
            raise TypeError(f'an answer with output="{self.output}" lists no contacts')
        if not self._listed:
            raise TypeError("the contacts of this answer were handed to take, in blocks")
        pairs = self._raw.output == 1
        if self._table is None:
            at = self._raw.pairs if pairs else self._raw.contacts
        else:
            at = arrays.address(self._table) if arrays.HAVE_NUMPY else ctypes.addressof(self._table)
        if pairs:
            return self._pair(L.snag_pair.from_address(at + index * _PAIR_SIZE))
        return self._contact(L.snag_contact.from_address(at + index * _CONTACT_SIZE))

    def __iter__(self) -> Iterator[Contact]:
        for i in range(len(self)):
            yield self[i]

    def names(self) -> Iterator[tuple[str, str, str, str]]:
        """Of each contact the bodies' names and the elements as the tool writes them: "v7", "t12", "k5", "e3-9", by the numbers
        of the file, counted from 0."""
        for contact in self:
            yield (contact.body_a.name, _element_name(contact.body_a, contact.kind_a, contact.a, contact.vertex_a),
                   contact.body_b.name, _element_name(contact.body_b, contact.kind_b, contact.b, contact.vertex_b))

    def __repr__(self) -> str:
        how = "complete" if self.complete else f"{100 * self.covered:.0f} % searched"
        stale = "" if self.valid else ", stale"
        noun = "pairs" if self._raw.output == 1 else "contacts"
        return f"<snag.Answer: {self.question} by {self.method}: {self._count:,} {noun}, {how}{stale}>"


def kind_name(kind: int) -> str:
    """The name of a kind of contact, such as "crossing"."""
    return text(lib.snag_contact_kind_name(int(kind)))


def _element_name(body: "Body", kind: str, index: int, vertices: tuple[int, ...]) -> str:
    raw = body.source._open() if body.source is not None else L.snag_io_body()

    def of(field: str, i: int) -> int:
        at = getattr(raw, field)
        return int(ctypes.c_uint32.from_address(at + 4 * i).value) if at else i

    numbers = "vertex_labels" if raw.vertex_labels else "vertex_numbers"
    if kind == "vertex":
        return f"v{of(numbers, index)}"
    if kind == "edge":
        ends = sorted(of(numbers, v) for v in vertices)
        return f"e{ends[0]}-{ends[1]}"
    if kind == "tet":
        return f"k{of('tet_numbers', index)}"
    if kind == "leaf":
        return "s" + "".join(oct(index)[3:]) if index > 1 else "s"
    return f"t{index if body.tet_count else of('polygon_numbers', face_of(body, index))}"


def face_of(body: "Body", triangle: int) -> int:
    at = body._info().triangle_faces
    return int(ctypes.c_uint32.from_address(at + 4 * triangle).value) if at else triangle


__all__ = ["Answer", "Contact", "Kind", "LabResults", "Statistics", "kind_name"]
