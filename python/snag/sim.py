"""Scenes that deform, from the simulator that the demo runs.

>>> import snag
>>> sim = snag.Sim("cloth-ball", size=0.1, threads=1)
>>> sim
<snag.Sim "cloth-ball": 2 bodies, step 0>
>>> report = sim.step()
>>> report.step, report.fraction
(1, 1.0)
"""
from __future__ import annotations

import ctypes
import threading
import weakref
from ctypes import byref, c_void_p
from typing import Any, NamedTuple, Sequence

from . import _arrays as arrays
from . import _layout as L
from ._errors import from_status
from ._names import Method, SimResponse, SimTakes, name, number
from ._native import lib, text
from ._options import unsigned

__all__ = ["Scene", "Sim", "SimBody", "SimDepth", "SimReport", "scenes"]


class Scene(NamedTuple):
    """A scene that the simulator knows. `takes` says what models it takes in place of its own."""
    name: str
    words: str
    steps: int
    takes: str
    edits: bool  # tears or cuts bodies while it runs


class SimBody(NamedTuple):
    """A body of a scene as it stands now."""
    name: str
    positions: Any
    triangles: Any
    tets: Any
    moves: bool
    edits: int  # how often its vertices and elements have changed, in scenes that tear or cut


SimReport = NamedTuple("SimReport", [(f[0], float if f[1] is ctypes.c_double else int)  # type: ignore[misc]
                                     for f in L.snag_sim_report._fields_])
SimReport.__doc__ = "What the last step was like: see snag_sim_report in snag/sim.h."


class SimDepth(NamedTuple):
    """How deep bodies are in each other."""
    inside: int
    worst: float
    mean: float
    crossing: int


def scenes() -> list[Scene]:
    """All scenes.

    >>> import snag
    >>> "cloth-ball" in [scene.name for scene in snag.scenes()]
    True
    """
    made: list[Scene] = []
    while True:
        i = len(made)
        scene = lib.snag_sim_scene_name(i)
        if scene is None:
            return made
        made.append(Scene(text(scene), text(lib.snag_sim_scene_words(i)), lib.snag_sim_scene_steps(i),
                          name(SimTakes, lib.snag_sim_scene_takes(i)), lib.snag_sim_scene_edits(i)))


class Sim:
    """A scene that deforms. The same settings give the same bytes. Threads that use one wait for each other.

    tear: for scenes that tear, the stretch at which cloth rips, above 1; 0: the scene's own.
    models: for scenes that take some, a list of (V, F) or (V, T) with four columns, in place of the scene's own bodies.
    """

    def __init__(self, scene: str = "cloth-ball", *, size: float = 1.0, seed: int | None = None, response: str = "scene",
                 method: str = "auto", response_ratio: float = 1.0, new_pairs: int = 0, threads: int = 0,
                 step_seconds: float = 0.0, adaptive: bool = False, tear: float = 0.0, models: Sequence[Any] = ()):
        definition = lib.snag_default_sim_def()
        definition.scene = scene.encode()
        definition.size = float(size)
        if seed is not None:
            definition.seed = unsigned(seed, "seed", 64)
        definition.response = number(SimResponse, response)
        definition.method = number(Method, method)
        definition.response_ratio = float(response_ratio)
        definition.new_pairs = unsigned(new_pairs, "new_pairs")
        definition.threads = unsigned(threads, "threads")
        definition.step_seconds = float(step_seconds)
        definition.adaptive = bool(adaptive)
        definition.tear = float(tear)
        kept = []
        listed = (L.snag_sim_model * len(models))()
        for c, (positions, elements) in zip(listed, models):
            x = arrays.as_array(positions)
            x = arrays.doubles(x, "model", (len(x), 3), False)
            elements = arrays.as_array(elements)
            e = arrays.indices(elements, "model", 4 if elements.ndim == 2 and elements.shape[1] == 4 else 3)
            kept.append((x, e))
            c.positions, c.vertex_count = arrays.address(x), len(x)
            if e.shape[1] == 4:
                c.tets, c.tet_count = arrays.address(e), len(e)
            else:
                c.triangles, c.triangle_count = arrays.address(e), len(e)
        if models:
            definition.models, definition.model_count = ctypes.addressof(listed), len(models)
        message = ctypes.create_string_buffer(512)
        definition.message, definition.message_size = ctypes.addressof(message), 512
        made = c_void_p()
        status = lib.snag_sim_create(byref(definition), byref(made))
        if status:
            words = text(message.value)
            if not words and scene not in [s.name for s in scenes()]:
                words = f"there is no scene {scene!r}; there are: {', '.join(s.name for s in scenes())}"
            raise from_status(status, words or f"the scene cannot be made: {text(lib.snag_status_name(status))}")
        self.scene = scene
        self._lock = threading.Lock()
        self._handle = made.value
        self._end = weakref.finalize(self, lib.snag_sim_destroy, made.value)
        self._end.atexit = False

    def step(self) -> Any:
        """Advances by one step of the scene, and says what it was like."""
        with self._lock:
            status = lib.snag_sim_step(self._handle)
            if status:
                raise from_status(status, text(lib.snag_sim_message(self._handle)))
            return self._report()

    @property
    def report(self) -> Any:
        """What the last step was like."""
        with self._lock:
            return self._report()

    def _report(self) -> Any:
        raw = lib.snag_sim_last_step(self._handle)
        return SimReport(*(getattr(raw, f[0]) for f in raw._fields_))

    @property
    def bodies(self) -> list[SimBody]:
        """The bodies as they stand now, as copies."""
        with self._lock:
            return [self._body(i) for i in range(lib.snag_sim_body_count(self._handle))]

    def _body(self, index: int) -> SimBody:
        raw = lib.snag_sim_body_at(self._handle, index)
        return SimBody(text(raw.name), arrays.copied(raw.positions, (raw.vertex_count, 3), "f8"),
                       arrays.copied(raw.triangles, (raw.triangle_count, 3), "u4"),
                       arrays.copied(raw.tets, (raw.tet_count, 4), "u4") if raw.tet_count else None, bool(raw.moves),
                       raw.edits)

    def positions(self, index: int) -> Any:
        """Positions of one body, as a copy."""
        with self._lock:
            raw = lib.snag_sim_body_at(self._handle, index)
            if not raw.positions:
                raise IndexError(f"the scene has no body {index}")
            return arrays.copied(raw.positions, (raw.vertex_count, 3), "f8")

    def measure(self, reach: float) -> SimDepth:
        """How deep bodies are in each other, up to `reach` below closed surfaces."""
        made = L.snag_sim_depth()
        with self._lock:
            status = lib.snag_sim_measure(self._handle, float(reach), byref(made))
        if status:
            raise from_status(status, text(lib.snag_status_name(status)))
        return SimDepth(made.inside, made.worst, made.mean, made.crossing)

    @property
    def thickness(self) -> float:
        """The distance that the surfaces of this scene keep."""
        return float(lib.snag_sim_thickness(self._handle))

    @property
    def mean_edge(self) -> float:
        """The mean length of the edges of what moves."""
        return float(lib.snag_sim_mean_edge(self._handle))

    def __reduce__(self) -> Any:
        raise TypeError("a Sim cannot be pickled; make it in the process that runs it")

    def __repr__(self) -> str:
        count = lib.snag_sim_body_count(self._handle)
        return f'<snag.Sim "{self.scene}": {count} bodies, step {self.report.step}>'
