"""What the buttons do. Each can be undone."""
import bpy
import numpy as np
import snag

from . import overlay
from .meshes import Mesh, mesh_objects
from .properties import numbers
from .search import Scene

# Places beyond these are counted, not listed.
MOST_PLACES = 500
ATTRIBUTE = "snag_contacts"


def _object_mode(context):
    if context.object is not None and context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


class SNAG_OT_check(bpy.types.Operator):
    """Look for contacts of the chosen objects"""
    bl_idname = "snag.check"
    bl_label = "Check"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        settings = context.scene.snag
        things = mesh_objects(context, settings.objects == "SCENE")
        if not things:
            self.report({"ERROR"}, "No mesh is selected" if settings.objects == "SELECTED" else "The scene has no mesh")
            return {"CANCELLED"}
        _object_mode(context)
        scene, places, total, incomplete = Scene(things), [], 0, 0
        present = context.scene.frame_current
        frames = range(context.scene.frame_start, context.scene.frame_end + 1) if settings.frames == "RANGE" else [present]
        manager = context.window_manager
        manager.progress_begin(0, len(frames))
        try:
            for i, frame in enumerate(frames):
                if settings.frames == "RANGE":
                    context.scene.frame_set(frame)
                scene.move(context.evaluated_depsgraph_get())
                answer = scene.ask(settings.question, settings.distance, settings.self_contacts)
                total += len(answer)
                incomplete += not answer.complete
                places += scene.places(answer, frame)
                if frame == present and settings.attribute:
                    self.write_attribute(scene, answer)
                manager.progress_update(i)
        except snag.Error as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            manager.progress_end()
            if settings.frames == "RANGE":
                context.scene.frame_set(present)
            scene.world.close()
        self.list_places(settings, places)
        settings.words = f"{total:,} contacts in {len(places):,} places" if total else "clean"
        self.report({"INFO"}, f"snag: {settings.words}, {len(things)} objects, {len(frames)} frames")
        overlay.show(context)
        return {"FINISHED"}

    @staticmethod
    def list_places(settings, places):
        settings.places.clear()
        settings["index"] = -1  # without selecting anything
        for place in places[:MOST_PLACES]:
            row = settings.places.add()
            row.frame, row.count = place.frame, place.count
            row.object_a, row.object_b = place.names[0], place.names[-1]
            row.faces_a = ",".join(map(str, sorted(place.faces[place.names[0]])))
            row.faces_b = ",".join(map(str, sorted(place.faces[place.names[-1]])))
            row.points = ",".join(f"{c:.7g}" for point in place.points[:2000] for c in point)
            row.centre = np.mean(place.points, axis=0)

    @staticmethod
    def write_attribute(scene, answer):
        counts = {thing.name: np.zeros(len(scene.meshes[thing.name].sizes), np.int32) for thing in scene.things}
        for side in "ab":
            for name, faces in scene.faces_of(answer, side):
                counts[name][faces] += 1
        for thing in scene.things:
            if not scene.meshes[thing.name].same_faces:
                continue
            attributes = thing.data.attributes
            there = attributes.get(ATTRIBUTE)
            if there is not None and (there.domain != "FACE" or there.data_type != "INT"):
                attributes.remove(there)
                there = None
            there = there or attributes.new(ATTRIBUTE, "INT", "FACE")
            there.data.foreach_set("value", counts[thing.name])


def _select_faces(context, chosen):
    """Selects faces, and nothing else, in edit mode. `chosen`: object -> face numbers."""
    _object_mode(context)
    for thing in context.selected_objects:
        thing.select_set(False)
    for thing, faces in chosen.items():
        mesh = thing.data
        mask = np.zeros(len(mesh.polygons), bool)
        mask[[f for f in faces if f < len(mask)]] = True
        mesh.vertices.foreach_set("select", np.zeros(len(mesh.vertices), bool))
        mesh.edges.foreach_set("select", np.zeros(len(mesh.edges), bool))
        mesh.polygons.foreach_set("select", mask)
        mesh.update()
        thing.select_set(True)
        context.view_layer.objects.active = thing
    context.tool_settings.mesh_select_mode = (False, False, True)
    bpy.ops.object.mode_set(mode="EDIT")


def _frame_view(context):
    if bpy.app.background:
        return
    for area in context.screen.areas:
        if area.type == "VIEW_3D":
            region = next(r for r in area.regions if r.type == "WINDOW")
            with context.temp_override(area=area, region=region):
                bpy.ops.view3d.view_selected()


def _own_faces(thing, faces, points):
    """Faces of the object's own mesh. Where a modifier makes others, those that lie nearest."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    if Mesh(thing, depsgraph).same_faces:
        return faces
    back = np.linalg.inv(np.array(thing.matrix_world, float))
    found = set()
    for point in points:
        hit, _, _, face = thing.closest_point_on_mesh((back @ [*point, 1.0])[:3].tolist())
        if hit:
            found.add(face)
    return sorted(found)


def _select(context, rows):
    chosen = {}
    for row in rows:
        points = np.array([float(c) for c in row.points.split(",") if c]).reshape(-1, 3)
        for name, faces in ((row.object_a, row.faces_a), (row.object_b, row.faces_b)):
            thing = context.scene.objects.get(name)
            if thing is not None:
                chosen.setdefault(thing, set()).update(_own_faces(thing, numbers(faces), points))
    if not chosen:
        return False
    _select_faces(context, chosen)
    _frame_view(context)
    return True


class SNAG_OT_select_place(bpy.types.Operator):
    """Go to the frame, select the faces in contact, and look at them"""
    bl_idname = "snag.select_place"
    bl_label = "Select place"
    bl_options = {"REGISTER", "UNDO"}
    index: bpy.props.IntProperty()

    def execute(self, context):
        places = context.scene.snag.places
        if not 0 <= self.index < len(places):
            self.report({"ERROR"}, "There is no such place")
            return {"CANCELLED"}
        row = places[self.index]
        if context.scene.frame_current != row.frame:
            _object_mode(context)
            context.scene.frame_set(row.frame)
        if not _select(context, [row]):
            self.report({"ERROR"}, "The objects of this place are gone")
            return {"CANCELLED"}
        return {"FINISHED"}


class SNAG_OT_select_all(bpy.types.Operator):
    """Select all faces in contact at the present frame"""
    bl_idname = "snag.select_all"
    bl_label = "Select all"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        rows = [row for row in context.scene.snag.places if row.frame == context.scene.frame_current]
        if not rows or not _select(context, rows):
            self.report({"INFO"}, "Nothing is in contact at this frame")
            return {"CANCELLED"}
        return {"FINISHED"}


class SNAG_OT_untangle(bpy.types.Operator):
    """Move vertices of the selected objects, as little as it takes, until no faces intersect. What it takes becomes a shape key"""
    bl_idname = "snag.untangle"
    bl_label = "Fix"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        things = mesh_objects(context, False)
        if not things:
            self.report({"ERROR"}, "No mesh is selected")
            return {"CANCELLED"}
        _object_mode(context)
        scene = Scene(things)
        try:
            scene.move(context.evaluated_depsgraph_get())
            for thing in things:
                if not scene.meshes[thing.name].same_faces:
                    self.report({"ERROR"}, f"{thing.name}: a modifier changes its faces; apply it or turn it off first")
                    return {"CANCELLED"}
            moving, before = [], {}
            for thing in things:
                x = np.ascontiguousarray(scene.meshes[thing.name].positions)
                before[thing.name] = x.copy()
                moving.append(snag.Moving(scene.bodies[thing.name], x, inverse_masses=np.ones(len(x))))
            report = scene.world.untangle(moving)
        except snag.Error as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            scene.world.close()
        for thing, moved in zip(things, moving):
            self.add_shape_key(thing, scene.meshes[thing.name].matrix, moved.positions - before[thing.name])
        context.scene.snag.words = f"{report.tangled:,} pairs intersected, {report.left:,} still do"
        self.report({"INFO"}, "snag: " + context.scene.snag.words)
        return {"FINISHED"}

    @staticmethod
    def add_shape_key(thing, matrix, delta):
        if not delta.any():
            return
        if thing.data.shape_keys is None:
            thing.shape_key_add(name="Basis", from_mix=False)
        basis = thing.data.shape_keys.reference_key
        local = np.empty(3 * len(basis.data))
        basis.data.foreach_get("co", local)
        local += (delta @ np.linalg.inv(matrix[:3, :3]).T).reshape(-1)
        key = thing.shape_key_add(name="snag untangled", from_mix=False)
        key.data.foreach_set("co", local)
        key.value = 1
        thing.data.update()


class SNAG_OT_clear(bpy.types.Operator):
    """Empty the list"""
    bl_idname = "snag.clear"
    bl_label = "Clear"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        settings = context.scene.snag
        settings.places.clear()
        settings["index"] = -1
        settings.words = ""
        overlay.show(context)
        return {"FINISHED"}


_CLASSES = (SNAG_OT_check, SNAG_OT_select_place, SNAG_OT_select_all, SNAG_OT_untangle, SNAG_OT_clear)


def register():
    for cls in _CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
