"""A thick cloth, a rope over it, and a tear: what filters, rods and edits look like."""
import numpy as np

import snag

V, F = snag.shapes.sheet(40, 40, 1, 1)
edge = 1 / 40
x = np.linspace(-0.4, 0.4, 60)

world = snag.World(threads=1)
cloth = world.add(V, F, name="cloth", rest=V, radius=0.3 * edge)
rope = world.add(np.stack([x, 0 * x, 0 * x + 0.02], axis=1), edges=[[i, i + 1] for i in range(59)], name="rope", radius=0.01)

# A cloth thicker than its edges is near itself everywhere; two rings of neighbours are no contacts.
itself = [(cloth, cloth)]
near, left_over = (len(world.proximities(1.2 * edge, only=itself, exclude_rings=rings)) for rings in (0, 2))
print(f"{near:,} contacts of the flat cloth with itself, {left_over} without two rings of neighbours")
print(f"{len(world.proximities(0.0))} contacts within the thickness of cloth and rope")

# A tear: the triangles on one side of a line get vertices of their own, and then move away.
line = np.flatnonzero(np.isclose(V[:, 0], 0) & (V[:, 1] > 0))
left = V[cloth.triangles].mean(axis=1)[:, 0] < 0
of_vertex = {v: np.flatnonzero(left & (cloth.triangles == v).any(axis=1)) for v in line}
made = cloth.edit(split_vertices=[(v, elements) for v, elements in of_vertex.items()])
print(f"{len(made.vertex_from)} vertices were split; the last new one lies on vertex {made.vertex_from[-1]}")

# More contacts than memory holds arrive in sorted blocks; each is an array of its own.
sizes = []
world.proximities(1.2 * edge, output="pairs", take=lambda pairs: sizes.append(len(pairs)), block=1000, scratch=True)
print(f"{sum(sizes):,} pairs in {len(sizes)} blocks")
