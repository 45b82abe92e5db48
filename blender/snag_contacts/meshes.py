"""Between Blender's meshes and arrays."""
import numpy as np


class Mesh:
    """An object's mesh as it is seen at the present frame: modifiers and armatures evaluated, in world coordinates."""

    def __init__(self, thing, depsgraph):
        if thing.mode == "EDIT":
            thing.update_from_editmode()
        evaluated = thing.evaluated_get(depsgraph)
        mesh = evaluated.to_mesh()
        try:
            self.matrix = np.array(evaluated.matrix_world, float)
            local = np.empty(3 * len(mesh.vertices))
            mesh.vertices.foreach_get("co", local)
            self.positions = local.reshape(-1, 3) @ self.matrix[:3, :3].T + self.matrix[:3, 3]
            self.sizes = np.empty(len(mesh.polygons), np.int32)
            mesh.polygons.foreach_get("loop_total", self.sizes)
            starts = np.empty(len(mesh.polygons), np.int32)
            mesh.polygons.foreach_get("loop_start", starts)
            corners = np.empty(len(mesh.loops), np.int32)
            mesh.loops.foreach_get("vertex_index", corners)
            first = np.cumsum(self.sizes) - self.sizes
            order = np.repeat(starts - first, self.sizes) + np.arange(int(self.sizes.sum()))
            self.corners = corners[order]
        finally:
            evaluated.to_mesh_clear()
        base = thing.data
        # Modifiers that only move vertices leave the faces as they are in the object's own mesh.
        self.same_faces = len(base.polygons) == len(self.sizes) and len(base.vertices) == len(self.positions)

    def add_to(self, world, name):
        return world.add(self.positions, polygons=(self.sizes, self.corners), name=name)

    def fits(self, body):
        return body.vertex_count == len(self.positions)

    def face_corners(self, face):
        first = self.starts[face]
        return self.corners[first:first + self.sizes[face]]

    @property
    def starts(self):
        if not hasattr(self, "_starts"):
            self._starts = np.cumsum(self.sizes) - self.sizes
        return self._starts


def mesh_objects(context, everything):
    """Meshes that can be seen: all of the scene, or those that are selected."""
    chosen = context.scene.objects if everything else context.selected_objects
    return [thing for thing in chosen if thing.type == "MESH" and not thing.hide_viewport and len(thing.data.polygons)]
