"""Runs in pvpython: the plugin on data over time, and files that snag writes without it. usage: pvpython drive.py PLUGIN"""
import inspect
import os
import subprocess
import sys
import tempfile

# ParaView 5.11.0 wants a function that Python 3.11 no longer has, and then loads no Python plugin at all; 5.11.1 does without.
if not hasattr(inspect, "getargspec"):
    inspect.getargspec = inspect.getfullargspec

import numpy as np
from paraview import servermanager
from paraview import simple as pv
from vtkmodules.numpy_interface import dataset_adapter as dsa

pv.LoadPlugin(os.path.abspath(sys.argv[1]), remote=False, ns=globals())
import snag  # noqa: E402  the plugin's own
from snag._tool import program  # noqa: E402

folder = tempfile.mkdtemp()
V, F = snag.shapes.icosphere(2, 1.0)
both = np.vstack([F, F + len(V)])
times = []
for k in range(5):  # two balls that come together
    X = np.vstack([V, V + [2.6 - 0.3 * k, 0.05, 0.02]])
    snag.io.write_vtu(os.path.join(folder, f"balls_{k}.vtu"), X, both)
    times.append(len(snag.check(X, both, threads=1)))
snag.io.write_pvd(os.path.join(folder, "balls.pvd"), [f"balls_{k}.vtu" for k in range(5)], [float(k) for k in range(5)])
assert times[0] == 0 and times[-1] > 0, times

reader = pv.PVDReader(FileName=os.path.join(folder, "balls.pvd"))
contacts = snagcontacts(Input=reader)  # noqa: F821  loaded by the plugin


def fetch(source, port=0):
    return dsa.WrapDataObject(servermanager.Fetch(source, idx=port))


for k in range(5):
    contacts.UpdatePipeline(float(k))
    found, marked = fetch(contacts), fetch(contacts, 1)
    n = found.GetNumberOfPoints()
    assert n == times[k], (k, n, times)
    counts = np.asarray(marked.CellData["snag_contacts"])
    assert counts.sum() == 2 * n and len(counts) == len(both)
    if n:
        a = np.asarray(found.PointData["cell_a"])
        assert (counts[a] > 0).all() and a.max() < len(both)
print("drive: contacts over time", times)

contacts.Question = "proximities"
contacts.Distance = 0.5
contacts.UpdatePipeline(1.0)
values = np.asarray(fetch(contacts).PointData["value"])
assert len(values) and values.max() <= 0.5
print("drive: proximities", len(values))

# ---- tetrahedra ----
B, T = snag.shapes.block(3, 3, 3, 1.0)
X = np.vstack([B, B + [2.5, 0.3, 0.2]])
tets = np.vstack([T, T + len(B)])
snag.io.write_vtu(os.path.join(folder, "blocks.vtu"), X, tets)
blocks = snagcontacts(Input=pv.XMLUnstructuredGridReader(FileName=[os.path.join(folder, "blocks.vtu")]))  # noqa: F821
blocks.Question = "penetrations (tetrahedra)"
blocks.UpdatePipeline()
assert fetch(blocks).GetNumberOfPoints() == len(snag.check(X, tets=tets, threads=1)) > 0
print("drive: tetrahedra", fetch(blocks).GetNumberOfPoints())

# ---- poly data ----
sphere = pv.Sphere(ThetaResolution=24, PhiResolution=24)
clean = snagcontacts(Input=sphere)  # noqa: F821
clean.UpdatePipeline()
assert fetch(clean).GetNumberOfPoints() == 0 and len(fetch(clean, 1).CellData["snag_contacts"]) > 0
print("drive: poly data")

# ---- what the tool writes opens without the plugin ----
snag.io.write_obj(os.path.join(folder, "balls.obj"), np.vstack([V, V + [1.5, 0, 0]]), both)
done = subprocess.run([program(), "check", "--vtu", os.path.join(folder, "out.vtu"), os.path.join(folder, "balls.obj")],
                      capture_output=True, text=True)
assert done.returncode == 1, done.stderr
out = pv.XMLUnstructuredGridReader(FileName=[os.path.join(folder, "out.vtu")])
out.UpdatePipeline()
written = np.asarray(fetch(out).CellData["contacts"])
assert len(written) == len(both) and written.sum() > 0
print("drive: all passed")
