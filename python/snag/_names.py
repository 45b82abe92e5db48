"""Names for the numbers of the C library."""
from __future__ import annotations

import enum
from typing import Any

from . import _layout as L
from ._errors import ArgumentError


def _enum(name: str, values: dict[str, int], prefix: str, doc: str) -> Any:
    made = enum.IntEnum(name, {key[len(prefix):]: value for key, value in values.items()  # type: ignore[misc]
                               if not key.endswith("_COUNT") or key == "SNAG_OUTPUT_COUNT"})
    made.__doc__ = doc
    return made


Question = _enum("Question", L.snag_question, "SNAG_", "What is asked.")
Method = _enum("Method", L.snag_method, "SNAG_METHOD_", "How candidate pairs are found.")
Kind = _enum("Kind", L.snag_contact_kind, "SNAG_", "The kind of a contact: `answer.kind == snag.Kind.CROSSING`.")
Element = _enum("Element", L.snag_element_kind, "SNAG_", "The kind of an element: `answer.kind_a == snag.Element.VERTEX`.")
Phase = _enum("Phase", L.snag_contact_phase, "SNAG_PHASE_", "Where a tracked contact stands in its life.")
Output = _enum("Output", L.snag_output, "SNAG_OUTPUT_", "How much an answer says.")
Isa = _enum("Isa", L.snag_isa, "SNAG_ISA_", "Instruction sets.")
Backend = _enum("Backend", L.snag_backend, "SNAG_BACKEND_", "Of the method spheres.")
Issue = _enum("Issue", L.snag_mesh_issue_kind, "SNAG_ISSUE_", "What `Body.check` finds in a mesh.")
Regularity = _enum("Regularity", L.snag_regularity_mode, "SNAG_REGULARITY_", "Modes of the lab's regularity.")
Regions = _enum("Regions", L.snag_regions_rule, "SNAG_REGIONS_", "Rules of the lab's regions.")
Spheres = _enum("Spheres", L.snag_spheres_rule, "SNAG_SPHERES_", "Rules of the lab's spheres.")
Split = _enum("Split", L.snag_io_split, "SNAG_IO_SPLIT_", "What of a file becomes a body of its own.")
SimResponse = _enum("SimResponse", L.snag_sim_response, "SNAG_SIM_RESPONSE_", "What a scene does about contacts.")
SimTakes = _enum("SimTakes", L.snag_sim_takes, "SNAG_SIM_TAKES_", "What models a scene takes in place of its own.")

_TABLES: dict[Any, dict[Any, int]] = {}


def number(kind: Any, value: Any) -> int:
    """The number for a name such as "kdop", or for a member of the enum."""
    table = _TABLES.get(kind)
    if table is None:
        table = _TABLES[kind] = {}
        for member in kind:
            table[member] = table[member.name.lower()] = table[member.name.lower().replace("_", "-")] = int(member)
    try:
        return table[value]
    except (KeyError, TypeError):
        names = ", ".join(member.name.lower().replace("_", "-") for member in kind)
        raise ArgumentError(f"{value!r} is no {kind.__name__.lower()}; these are: {names}") from None


def name(kind: Any, value: int) -> str:
    return str(kind(value).name.lower().replace("_", "-"))
