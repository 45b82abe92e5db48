"""snag finds where deforming meshes catch: on each other and on themselves.

>>> import snag
>>> V, F = snag.shapes.sheet(20, 20, 1, 1)              # positions and triangles, as NumPy arrays
>>> world = snag.World(threads=1)
>>> cloth = world.add(V, F)
>>> with world.step():                                  # a step of your simulation
...     cloth.positions = V * [0.5, 1, 1]
>>> hits = world.proximities(distance=1e-3)             # also .intersections(), .impacts(), ...
>>> len(hits), hits.normal.shape
(0, (0, 3))

`snag.check("dress.obj")` looks at files, `python -m snag` is the tool. Everything else is in `World`, `Body` and `Answer`.
"""
from __future__ import annotations

from . import _layout
from ._errors import (ArgumentError, BodyError, BusyError, Error, FileError, FormatError, LimitError, MismatchError, NotFiniteError,
                      OutOfMemoryError, SizeError, StaleError, Status, UnsupportedError, VertexError)
from ._native import lib as _lib
from ._names import Element, Issue, Kind, Method, Output, Phase, Question
from ._answer import Answer, Contact, LabResults, Place, Statistics, kind_name
from ._queries import Closest, Hits, Nested, Overlaps
from ._response import Moving, Report
from ._solver import Candidates, Derivatives
from ._body import Body, MeshReport, Tree, weld
from ._world import Memory, World
from . import io, shapes
from .sim import Scene, Sim, SimBody, SimDepth, scenes
from ._check import CheckAnswer, check
from ._untangle import untangle
from ._fix import FixPlace, FixReport, fix

__version__ = _layout.VERSION


def methods() -> dict[str, list[str]]:
    """Each method, with the questions that it answers.

    >>> import snag
    >>> snag.methods()["regularity"]
    ['intersections', 'impacts']
    """
    return {m.name.lower(): [q.name.lower() for q in Question if _lib.snag_method_answers(m, q)] for m in Method}


for _class in (Error, ArgumentError, BodyError, BusyError, FileError, FormatError, LimitError, MismatchError, NotFiniteError,
               OutOfMemoryError, SizeError, StaleError, UnsupportedError, VertexError, Answer, CheckAnswer, Contact, LabResults, Place,
               Statistics, Moving, Report, Candidates, Derivatives, Closest, Hits, Nested, Overlaps, Body, Memory, MeshReport, Tree, World, Scene, Sim, SimBody, SimDepth, check, untangle, fix, FixPlace, FixReport, weld,
               Status, Element, Issue, Kind, Method, Output, Phase, Question):
    _class.__module__ = "snag"  # so that messages and help name what people import
del _class

__all__ = ["Answer", "ArgumentError", "Body", "BodyError", "BusyError", "Candidates", "CheckAnswer", "Closest", "Contact", "Derivatives", "Element", "Error", "FileError",
           "FixPlace", "FixReport", "FormatError", "Hits", "Issue", "Kind", "LabResults", "LimitError", "Memory", "MeshReport", "Method", "MismatchError", "Moving",
           "Nested", "NotFiniteError", "Output", "OutOfMemoryError", "Overlaps", "Phase", "Place", "Question", "Report", "Scene", "Sim", "SimBody", "SimDepth",
           "SizeError", "StaleError", "Statistics", "Status", "Tree", "UnsupportedError", "VertexError", "World", "check", "fix", "io",
           "kind_name", "methods", "scenes", "shapes", "untangle", "weld"]
