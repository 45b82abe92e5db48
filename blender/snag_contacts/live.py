"""The live check: while the animation plays, a part of the contacts is found within a time budget (the method `active`)."""
import time

import bpy
import numpy as np
from bpy.app.handlers import persistent

from . import overlay
from .meshes import mesh_objects
from .search import Scene

_scene = None
last = {"frame": None, "contacts": 0, "milliseconds": 0.0}


@persistent
def _on_frame(scene, depsgraph=None):
    global _scene
    settings = scene.snag
    if not settings.live:
        return
    context = bpy.context
    things = mesh_objects(context, settings.objects == "SCENE")
    if not things:
        overlay.live_points = None
        return
    if _scene is None or _scene.things != things:
        stop()
        _scene = Scene(things)
    try:
        began = time.perf_counter()
        _scene.move(depsgraph or context.evaluated_depsgraph_get())
        answer = _scene.ask("PROXIMITIES", settings.distance, settings.self_contacts, method="active", budget=1e-3 * settings.budget)
        overlay.live_points = np.array(0.5 * (answer.point_a + answer.point_b))
        last.update(frame=scene.frame_current, contacts=len(answer), milliseconds=1e3 * (time.perf_counter() - began))
    except ReferenceError:  # an object was removed
        stop()


def stop():
    global _scene
    if _scene is not None:
        _scene.world.close()
    _scene = None
    overlay.live_points = None


def switch(on):
    handlers = bpy.app.handlers.frame_change_post
    if on and _on_frame not in handlers:
        handlers.append(_on_frame)
    elif not on:
        if _on_frame in handlers:
            handlers.remove(_on_frame)
        stop()


def register():
    pass


def unregister():
    switch(False)
