"""The panel."""
import bpy


class SNAG_UL_places(bpy.types.UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_propname, index):
        same = item.object_a == item.object_b
        layout.label(text=item.object_a if same else f"{item.object_a} and {item.object_b}", icon="MESH_DATA")
        layout.label(text=f"{item.count}")
        layout.label(text=f"frame {item.frame}")


class SNAG_PT_panel(bpy.types.Panel):
    bl_label = "snag"
    bl_idname = "SNAG_PT_panel"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "snag"

    def draw(self, context):
        settings, layout = context.scene.snag, self.layout
        column = layout.column()
        column.prop(settings, "objects")
        column.prop(settings, "frames")
        column.prop(settings, "question")
        if settings.question == "PROXIMITIES" or settings.live:
            column.prop(settings, "distance")
        column.prop(settings, "self_contacts")
        column.prop(settings, "attribute")
        row = layout.row(align=True)
        row.operator("snag.check")
        row.operator("snag.untangle")
        if settings.words:
            layout.label(text=settings.words)
        if len(settings.places):
            layout.template_list("SNAG_UL_places", "", settings, "places", settings, "index", rows=5)
            row = layout.row(align=True)
            row.operator("snag.select_all")
            row.operator("snag.clear")
        box = layout.box()
        box.prop(settings, "live")
        if settings.live:
            from . import live
            box.prop(settings, "budget")
            box.label(text=f"{live.last['contacts']} contacts, {live.last['milliseconds']:.1f} ms")


_CLASSES = (SNAG_UL_places, SNAG_PT_panel)


def register():
    for cls in _CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
