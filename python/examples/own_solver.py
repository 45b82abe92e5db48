"""A cloth of twenty lines that falls onto a ball: positions and velocities are yours, snag corrects them."""
import numpy as np

import snag

V, F = snag.shapes.sheet(24, 24, 1, 1)
B, G = snag.shapes.icosphere(3, 0.25)
x = V + [0.02, 0.01, 0.3]
v = np.zeros_like(x)
masses = np.ones(len(x))
dt = 0.01

world = snag.World(threads=1)  # meshes as small as these need no more
cloth, ball = world.add(x, F, name="cloth"), world.add(B, G, name="ball")
i, j = cloth.edges.T.astype(int)
length = np.linalg.norm(x[i] - x[j], axis=1)
share = 1 / np.bincount(np.concatenate([i, j]))  # each vertex takes the mean of what its edges want

impacts = 0
for step in range(100):
    start = x.copy()
    v[:, 2] -= 9.81 * dt
    x += v * dt
    for _ in range(20):  # edges keep their lengths
        d = x[j] - x[i]
        now = np.linalg.norm(d, axis=1)
        move = (0.5 * (now - length) / now)[:, None] * d
        np.add.at(x, i, move * share[i, None] * 2)
        np.add.at(x, j, -move * share[j, None] * 2)
    v[:] = (x - start) / dt
    # The step without a crossing: x and v become what is possible.
    report = world.advance([snag.Moving(cloth, x, velocities=v, inverse_masses=masses, start=start), snag.Moving(ball, B)],
                           dt=dt, thickness=0.005)
    impacts += report.impacts

print(f"{impacts} impacts were resolved, {len(world.intersections())} pairs of triangles intersect")
