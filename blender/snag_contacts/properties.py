"""What the panel keeps in the scene, so that undo and saving cover it."""
import bpy


class SnagPlace(bpy.types.PropertyGroup):
    frame: bpy.props.IntProperty()
    object_a: bpy.props.StringProperty()
    object_b: bpy.props.StringProperty()
    faces_a: bpy.props.StringProperty()  # numbers with commas between them
    faces_b: bpy.props.StringProperty()
    points: bpy.props.StringProperty()
    count: bpy.props.IntProperty()
    centre: bpy.props.FloatVectorProperty(size=3)


def _chosen(settings, context):
    if 0 <= settings.index < len(settings.places):
        bpy.ops.snag.select_place(index=settings.index)


class SnagSettings(bpy.types.PropertyGroup):
    objects: bpy.props.EnumProperty(
        name="Objects", items=[("SELECTED", "Selected", "Meshes that are selected"), ("SCENE", "Scene", "All meshes that can be seen")])
    frames: bpy.props.EnumProperty(
        name="Frames", items=[("CURRENT", "Current", "The present frame"), ("RANGE", "Range", "The scene's frame range")])
    question: bpy.props.EnumProperty(
        name="Look for", items=[("INTERSECTIONS", "Intersections", "Faces that intersect"),
                                ("PROXIMITIES", "Proximities", "Faces closer than a distance"),
                                ("IMPACTS", "Impacts", "What meets between one frame and the next")])
    distance: bpy.props.FloatProperty(name="Distance", min=0, subtype="DISTANCE", description="0: a thousandth of the scene's size")
    self_contacts: bpy.props.BoolProperty(name="Each with itself", default=True)
    attribute: bpy.props.BoolProperty(name="Write attribute", default=True,
                                      description="Contacts of each face at the present frame as the attribute snag_contacts")
    live: bpy.props.BoolProperty(name="Live while playing", update=lambda s, c: _switch_live(s))
    budget: bpy.props.FloatProperty(name="Budget (ms)", default=8, min=0.1, max=1000,
                                    description="Time that the live check may take in each frame")
    places: bpy.props.CollectionProperty(type=SnagPlace)
    index: bpy.props.IntProperty(default=-1, update=_chosen)
    words: bpy.props.StringProperty()


def _switch_live(settings):
    from . import live
    live.switch(settings.live)


def numbers(text):
    return [int(n) for n in text.split(",") if n]


_CLASSES = (SnagPlace, SnagSettings)


def register():
    for cls in _CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Scene.snag = bpy.props.PointerProperty(type=SnagSettings)


def unregister():
    del bpy.types.Scene.snag
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
