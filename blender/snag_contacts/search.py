"""Searches, and contacts grouped into places. Knows nothing of panels."""
import numpy as np
import snag

from .meshes import Mesh


class Place:
    """Contacts that hang together: faces of one or two objects at one frame."""

    def __init__(self, frame, names):
        self.frame, self.names = frame, names
        self.faces = {name: set() for name in names}
        self.points = []
        self.count = 0


class Scene:
    """A world of some objects, moved from frame to frame."""

    def __init__(self, things, threads=0):
        self.things = things
        self.world = snag.World(threads=threads)
        self.bodies, self.meshes = {}, {}

    def move(self, depsgraph):
        """Brings all bodies to where the objects are now."""
        self.world.begin_step()
        for thing in self.things:
            mesh = self.meshes[thing.name] = Mesh(thing, depsgraph)
            body = self.bodies.get(thing.name)
            if body is not None and (not mesh.fits(body) or body.user != (len(mesh.sizes), len(mesh.corners))):
                body.remove()  # a modifier has changed the faces
                body = None
            if body is None:
                body = self.bodies[thing.name] = mesh.add_to(self.world, thing.name)
                body.user = len(mesh.sizes), len(mesh.corners)
            else:
                body.positions = mesh.positions

    def diagonal(self):
        every = np.vstack([mesh.positions for mesh in self.meshes.values()])
        return float(np.linalg.norm(every.max(axis=0) - every.min(axis=0))) or 1.0

    def ask(self, question, distance, self_contacts=True, **options):
        if question == "PROXIMITIES":
            return self.world.proximities(distance or 1e-3 * self.diagonal(), self_contacts=self_contacts, **options)
        if question == "IMPACTS":
            return self.world.impacts(tolerance=1e-6 * self.diagonal(), self_contacts=self_contacts, **options)
        return self.world.intersections(self_contacts=self_contacts, **options)

    def faces_of(self, answer, side):
        """For each contact the faces of its element: of a triangle one, of a vertex or an edge those around it."""
        indices, kinds, bodies = (getattr(answer, field + side) for field in ("", "kind_", "body_"))
        ends = getattr(answer, "vertex_" + side)
        around = {}
        made = []
        for index, kind, body, pair in zip(indices.tolist(), kinds.tolist(), bodies.tolist(), ends.tolist()):
            b = self.world.body(body)
            if kind == snag.Element.TRIANGLE:
                if body not in around:
                    around[body] = {}
                faces = around[body].get("faces")
                if faces is None:
                    faces = around[body]["faces"] = b.triangle_faces.tolist()
                made.append((b.name, [faces[index]]))
                continue
            stars = around.setdefault(body, {}).get("stars")
            if stars is None:
                stars = around[body]["stars"] = _stars(self.meshes[b.name])
            vertices = [index] if kind == snag.Element.VERTEX else pair
            faces = set(stars[vertices[0]]).intersection(*(stars[v] for v in vertices[1:]))
            made.append((b.name, sorted(faces)))
        return made

    def places(self, answer, frame):
        """Contacts grouped by what hangs together, the largest group first."""
        if not len(answer):
            return []
        a, b = self.faces_of(answer, "a"), self.faces_of(answer, "b")
        points = (0.5 * (answer.point_a + answer.point_b)).tolist()
        groups = _Groups()
        for (name_a, faces_a), (name_b, faces_b) in zip(a, b):
            keys = [(name, v) for name, faces in ((name_a, faces_a), (name_b, faces_b)) for face in faces
                    for v in self.meshes[name].face_corners(face).tolist()]
            groups.join(keys)
        found = {}
        for (name_a, faces_a), (name_b, faces_b), point in zip(a, b, points):
            names = tuple(sorted({name_a, name_b}))
            some_vertex = int(self.meshes[name_a].face_corners(faces_a[0])[0]) if faces_a else 0
            place = found.setdefault((names, groups.root((name_a, some_vertex))), None) or Place(frame, names)
            found[names, groups.root((name_a, some_vertex))] = place
            place.faces[name_a].update(faces_a)
            place.faces[name_b].update(faces_b)
            place.points.append(point)
            place.count += 1
        return sorted(found.values(), key=lambda place: (-place.count, place.names))


def _stars(mesh):
    """For each vertex the faces around it."""
    stars = [[] for _ in range(len(mesh.positions))]
    faces = np.repeat(np.arange(len(mesh.sizes)), mesh.sizes)
    for vertex, face in zip(mesh.corners.tolist(), faces.tolist()):
        stars[vertex].append(face)
    return stars


class _Groups:
    """Union-find."""

    def __init__(self):
        self.parent = {}

    def root(self, key):
        parent = self.parent
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    def join(self, keys):
        roots = [self.root(key) for key in keys]
        for other in roots[1:]:
            self.parent[self.root(other)] = self.root(roots[0])
