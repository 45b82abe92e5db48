"""Contacts drawn over the 3D view."""
import bpy
import numpy as np

live_points = None  # of the live check, in place of the list
_handle = None


def points_at(scene):
    """Points of the list at the present frame, or of the live check."""
    if scene.snag.live and live_points is not None:
        return live_points
    made = [float(c) for row in scene.snag.places if row.frame == scene.frame_current for c in row.points.split(",") if c]
    return np.array(made).reshape(-1, 3)


def _draw():
    import gpu
    from gpu_extras.batch import batch_for_shader
    points = points_at(bpy.context.scene)
    if not len(points):
        return
    name = "3D_UNIFORM_COLOR" if bpy.app.version < (4, 0, 0) else "UNIFORM_COLOR"
    shader = gpu.shader.from_builtin(name)
    batch = batch_for_shader(shader, "POINTS", {"pos": points.astype(np.float32).tolist()})
    gpu.state.point_size_set(7)
    gpu.state.depth_test_set("NONE")
    shader.bind()
    shader.uniform_float("color", (1.0, 0.2, 0.1, 0.9))
    batch.draw(shader)


def show(context):
    """Has the 3D views drawn anew."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def register():
    global _handle
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister():
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
