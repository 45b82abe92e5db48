"""Frees a surface that intersects itself. usage: untangle.py [IN.obj OUT.obj]"""
import sys

import numpy as np

import snag

if len(sys.argv) == 3:
    body = snag.io.read(sys.argv[1]).bodies[0]
    V, F = body.positions, body.faces
else:  # without files: a sheet with a fold that was pushed through the rest
    V, F = snag.shapes.sheet(40, 40, 1, 1)
    bump = np.exp(-40 * ((V[:, 0] - 0.1) ** 2 + V[:, 1] ** 2))
    V[:, 0] -= 0.35 * bump
    V[:, 2] += 0.02 * np.sin(20 * V[:, 0])

X, report = snag.untangle(V, F)
print(f"{report.tangled} pairs of triangles intersected, {report.left} still do; no vertex moved more than {report.largest_move:.3g}")
if len(sys.argv) == 3:
    snag.io.write_obj(sys.argv[2], X, F)
