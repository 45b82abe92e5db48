"""At which frames does a garment catch? usage: garment.py [GARMENT.obj GARMENT.pc2 FIGURE.obj FIGURE.pc2]"""
import sys

import numpy as np

import snag

files = sys.argv[1:]
if not files:  # without files: a sheet that falls through a ball
    ball, sheet = snag.shapes.icosphere(3, 0.3), snag.shapes.sheet(30, 30, 1, 1)
    files = ["garment.obj", "garment.pc2", "figure.obj", "figure.pc2"]
    snag.io.write_obj(files[0], *sheet)
    snag.io.write_pc2(files[1], [sheet[0] + [0, 0, 0.5 - 0.02 * k] for k in range(50)])
    snag.io.write_obj(files[2], *ball)
    snag.io.write_pc2(files[3], [ball[0]] * 50)

world = snag.World()
garment, = world.add_file(files[0])
figure, = world.add_file(files[2])
with snag.io.Cache(files[1]) as garment_frames, snag.io.Cache(files[3]) as figure_frames:
    for frame in range(min(len(garment_frames), len(figure_frames))):
        with world.step():
            garment.positions = garment_frames[frame]
            figure.positions = figure_frames[frame]
        hits = world.intersections(skip=[(figure, figure)])  # the figure may touch itself
        if hits:
            own = np.count_nonzero(hits.body_a == hits.body_b)
            print(f"frame {frame}: {own} contacts of the garment with itself, {len(hits) - own} with the figure")
