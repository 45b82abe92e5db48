"""Finds where meshes catch, in Blender: a panel in the sidebar of the 3D view."""
import os
import sys

bl_info = {
    "name": "snag contacts",
    "description": "Finds where meshes intersect each other and themselves, over a frame range, and frees them",
    "author": "The snag authors",
    "version": (0, 2, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > snag",
    "category": "Mesh",
}

# As an extension (Blender 4.2 and later) the wheel is installed by Blender; before that it lies unpacked beside this file.
_bundled = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bundled")
if os.path.isdir(_bundled) and _bundled not in sys.path:
    sys.path.insert(0, _bundled)

from . import live, operators, overlay, panel, properties  # noqa: E402

_PARTS = (properties, operators, live, panel, overlay)


def register():
    for part in _PARTS:
        part.register()


def unregister():
    for part in reversed(_PARTS):
        part.unregister()
