"""Options of methods and of the lab, as C wants them."""
from __future__ import annotations

import ctypes
import operator
from ctypes import addressof
from typing import Any

from . import _layout as L
from ._errors import ArgumentError
from ._names import Backend, Method, Regions, Regularity, Spheres, number
from ._native import lib

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "kdop": (L.snag_kdop_options, lib.snag_default_kdop_options),
    "hash": (L.snag_hash_options, lib.snag_default_hash_options),
    "regularity": (L.snag_regularity_options, lib.snag_default_regularity_options),
    "active": (L.snag_active_options, lib.snag_default_active_options),
    "spheres": (L.snag_spheres_options, lib.snag_default_spheres_options),
}
_OPTION_NAMES = {method: [f[0] for f in struct._fields_[1:]] for method, (struct, _) in _OPTIONS.items()}


def unsigned(value: Any, what: str, bits: int = 32) -> int:
    """ctypes would cut off what does not fit."""
    try:
        made = operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: an integer is needed, not {type(value).__name__}") from None
    if not 0 <= made < 1 << bits:
        raise ArgumentError(f"{what}: {made} is out of range")
    return made


def set_field(struct: Any, field: str, value: Any) -> None:
    kind = dict((f[0], f[1]) for f in struct._fields_)[field]
    if kind is ctypes.c_uint32 or kind is ctypes.c_uint64:
        value = unsigned(value, field, 8 * ctypes.sizeof(kind))
    elif kind is ctypes.c_bool:
        value = bool(value)
    elif kind is ctypes.c_double:
        value = float(value)
    setattr(struct, field, value)


def method_of_options(options: dict[str, Any]) -> str:
    fits = [method for method, names in _OPTION_NAMES.items() if all(o in names for o in options)]
    if len(fits) == 1:
        return fits[0]
    given = ", ".join(options)
    if fits:
        raise ArgumentError(f"{given}: options of {' and '.join(fits)}; say which by method=")
    everything = "; ".join(f"{method}: {', '.join(names)}" for method, names in _OPTION_NAMES.items())
    raise TypeError(f"{given}: no method has these options; of methods there are: {everything}")


def _make_lab(lab: dict[str, Any]) -> Any:
    made = lib.snag_default_lab()
    for field, value in lab.items():
        if field == "regularity":
            made.regularity = number(Regularity, value)
        elif field == "regions":
            made.regions = number(Regions, value)
        elif field == "spheres":
            made.spheres = number(Spheres, value)
        elif field == "epsilon":
            if len(value) > L.SNAG_REGION_LEVELS:
                raise ArgumentError(f"epsilon: at most {L.SNAG_REGION_LEVELS} levels")
            made.epsilon_count = len(value)
            for i, e in enumerate(value):
                made.epsilon[i] = float(e)
        elif field in ("vertex_distance", "lines", "pure", "candidates", "trees", "visits", "forced"):
            set_field(made, field, value)
        else:
            raise TypeError(f"lab has no {field!r}; there are: regularity, regions, epsilon, vertex_distance, lines, pure, "
                            "candidates, spheres, trees, visits, forced")
    return made


def make_options(method: str, options: dict[str, Any], lab: dict[str, Any] | None) -> tuple[Any, Any]:
    """The options of a method, and what must live as long."""
    if method in _OPTIONS:
        made = _OPTIONS[method][1]()
        head = made.head
    else:
        made = head = lib.snag_default_method_options(number(Method, method))
    for option, value in options.items():
        if option not in _OPTION_NAMES.get(method, ()):
            there = ", ".join(_OPTION_NAMES.get(method, ())) or "none"
            raise TypeError(f"the method {method} has no option {option!r}; there are: {there}")
        set_field(made, option, number(Backend, value) if option == "backend" else value)
    kept = None
    if lab is not None:
        kept = _make_lab(lab)
        head.lab = addressof(kept)
    return made, kept
