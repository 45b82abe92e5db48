"""Runs in Blender: installs the add-on's zip, and compares what it finds and selects with what the tool says.

usage: blender -b --factory-startup --python-exit-code 3 --python drive.py -- ZIP
"""
import csv
import math
import os
import subprocess
import sys
import tempfile

import bpy

ZIP = sys.argv[sys.argv.index("--") + 1]
bpy.ops.preferences.addon_install(filepath=ZIP, overwrite=True)
bpy.ops.preferences.addon_enable(module="snag_contacts")
import snag  # noqa: E402  the add-on's own
from snag._tool import program  # noqa: E402

assert "snag_contacts" in os.path.abspath(snag.__file__), snag.__file__


def fresh():
    if bpy.context.object and bpy.context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.ops.snag.clear()


def two_balls():
    """Quads and triangles, turned and scaled, that intersect."""
    fresh()
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=10, location=(0, 0, 0))
    bpy.context.object.name = "left"
    bpy.ops.mesh.primitive_uv_sphere_add(segments=18, ring_count=8, location=(1.2, 0.1, 0.3), rotation=(0.3, 0.2, 0.1), scale=(1.1, 0.8, 1))
    bpy.context.object.name = "right"
    bpy.ops.object.select_all(action="SELECT")
    bpy.context.view_layer.update()
    return [bpy.data.objects["left"], bpy.data.objects["right"]]


def faces_by_the_tool(things):
    """Writes what Blender sees as OBJ, and has the tool name the faces."""
    with tempfile.TemporaryDirectory() as folder:
        path, pairs = os.path.join(folder, "scene.obj"), os.path.join(folder, "pairs.csv")
        first_vertex, first_face, firsts = 1, 0, {}
        with open(path, "w") as out:
            for thing in things:
                evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
                mesh = evaluated.to_mesh()
                out.write(f"o {thing.name}\n")
                for v in mesh.vertices:
                    p = evaluated.matrix_world @ v.co
                    out.write(f"v {p.x!r} {p.y!r} {p.z!r}\n")
                for polygon in mesh.polygons:
                    out.write("f " + " ".join(str(first_vertex + v) for v in polygon.vertices) + "\n")
                firsts[thing.name] = first_face
                first_vertex += len(mesh.vertices)
                first_face += len(mesh.polygons)
                evaluated.to_mesh_clear()
        done = subprocess.run([program(), "check", "--pairs", pairs, path], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        found = {thing.name: set() for thing in things}
        with open(pairs, newline="") as lines:
            for line in csv.DictReader(lines):
                for side in "ab":
                    name = line["body_" + side]
                    found[name].add(int(line[side][1:]) - firsts[name])
        return found


def selected(things):
    if bpy.context.object.mode == "EDIT":
        bpy.ops.object.mode_set(mode="OBJECT")
    return {thing.name: {p.index for p in thing.data.polygons if p.select} for thing in things}


# ---- check, select, undo ----
things = two_balls()
expected = faces_by_the_tool(things)
assert all(expected.values()), expected
bpy.ops.ed.undo_push(message="balls")
assert bpy.ops.snag.check() == {"FINISHED"}
settings = bpy.context.scene.snag
assert len(settings.places) == 1, len(settings.places)
assert {settings.places[0].object_a, settings.places[0].object_b} == {"left", "right"}
bpy.ops.ed.undo_push(message="checked")
assert bpy.ops.snag.select_all() == {"FINISHED"}
assert bpy.context.object.mode == "EDIT"
assert selected(things) == expected, "selected other faces than the tool names"
bpy.ops.ed.undo_push(message="selected")
counts = {thing.name: [d.value for d in thing.data.attributes["snag_contacts"].data] for thing in things}
assert {name: {i for i, c in enumerate(values) if c} for name, values in counts.items()} == expected
print("drive: check and select agree with the tool")

bpy.ops.ed.undo()
bpy.ops.ed.undo()
things = [bpy.data.objects["left"], bpy.data.objects["right"]]
assert len(bpy.context.scene.snag.places) == 0, "undo left the list"
assert "snag_contacts" not in things[0].data.attributes, "undo left the attribute"
bpy.ops.ed.redo()
assert len(bpy.context.scene.snag.places) == 1, "redo did not bring the list back"
print("drive: undo and redo work")

# ---- clicking a place ----
bpy.context.scene.snag.index = 0
things = [bpy.data.objects["left"], bpy.data.objects["right"]]
assert selected(things) == expected

# ---- modifiers: those that move, and those that make other faces ----
things = two_balls()
things[1].modifiers.new("cast", "CAST").factor = 0.4
bpy.context.view_layer.update()
expected = faces_by_the_tool(things)
bpy.ops.snag.check()
bpy.ops.snag.select_all()
assert selected(things) == expected, "with a modifier"
things[0].modifiers.new("finer", "SUBSURF").levels = 1
bpy.ops.object.select_all(action="SELECT")
bpy.ops.snag.check()
bpy.ops.snag.select_all()
assert selected(things)["left"], "nothing was selected where a modifier makes other faces"
print("drive: modifiers")

# ---- a frame range with an armature-like motion ----
things = two_balls()
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, 12
things[1].location.x = 4
things[1].keyframe_insert("location", frame=1)
things[1].location.x = 0.5
things[1].keyframe_insert("location", frame=12)
scene.frame_set(1)
scene.snag.frames = "RANGE"
bpy.ops.snag.check()
frames = sorted({place.frame for place in scene.snag.places})
assert frames and frames[0] > 1 and frames[-1] == 12, frames
assert scene.frame_current == 1
scene.snag.index = 0
assert scene.frame_current == scene.snag.places[0].frame
expected = faces_by_the_tool(things)
assert selected(things) == {name: faces for name, faces in expected.items()}, "at another frame"
scene.snag.frames = "CURRENT"
print("drive: frame range", frames)

# ---- proximities and live ----
things = two_balls()
scene.snag.question, scene.snag.distance = "PROXIMITIES", 0.05
bpy.ops.snag.check()
assert len(scene.snag.places) >= 1
scene.snag.question = "INTERSECTIONS"
scene.snag.objects = "SCENE"
scene.snag.live = True
from snag_contacts import live  # noqa: E402
for frame in range(1, 13):
    scene.frame_set(frame)
assert live.last["frame"] == 12 and live.last["contacts"] > 0, live.last
assert live.last["milliseconds"] < 1000
scene.snag.live = False
scene.snag.objects = "SELECTED"
print("drive: live", live.last)

# ---- fix ----
fresh()
bpy.ops.mesh.primitive_grid_add(x_subdivisions=24, y_subdivisions=24, size=1)
sheet = bpy.context.object
for v in sheet.data.vertices:
    bump = math.exp(-40 * ((v.co.x - 0.1) ** 2 + v.co.y ** 2))
    v.co.x -= 0.35 * bump
    v.co.z += 0.02 * math.sin(20 * v.co.x)
bpy.context.view_layer.update()
assert faces_by_the_tool([sheet])[sheet.name], "the sheet is not tangled"
bpy.ops.ed.undo_push(message="tangled")
assert bpy.ops.snag.untangle() == {"FINISHED"}
bpy.context.view_layer.update()
assert sheet.data.shape_keys.key_blocks["snag untangled"].value == 1
left = faces_by_the_tool([sheet])[sheet.name]
assert not left, f"{len(left)} faces still intersect"
bpy.ops.ed.undo_push(message="fixed")
bpy.ops.ed.undo()
sheet = bpy.context.object
assert sheet.data.shape_keys is None, "undo left the shape key"
print("drive: fix becomes a shape key, and can be undone")

# ---- nothing to do ----
fresh()
try:
    bpy.ops.snag.check()
    raise AssertionError("a check of nothing")
except RuntimeError as error:
    assert "No mesh" in str(error), error
bpy.ops.preferences.addon_disable(module="snag_contacts")
print("drive: all passed")
