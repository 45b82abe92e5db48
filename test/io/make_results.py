"""Writes one mesh, two hexahedra and a tetrahedron that stands in them, in every format that meshio writes and snag reads; and the same with
three time steps, in which the tetrahedron comes down from above, as Exodus of every netCDF version and as XDMF."""
import os
import sys

import meshio
import netCDF4
import numpy as np

os.chdir(sys.argv[1])
grid = np.array([[i, j, k] for i in range(3) for j in range(2) for k in range(2)], float)
needle = np.array([[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [0.5, 1.5, 0.5], [0.5, 0.5, 3]])
points = np.vstack([grid, needle])


def corner(i, j, k):
    return 4 * i + 2 * j + k


hexes = np.array([[corner(i + a, b, c) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))] for i in range(2)])
tets = np.array([[12, 13, 14, 15]])
cells = [("hexahedron", hexes), ("tetra", tets)]
mesh = meshio.Mesh(points, cells)
for name in ("still.vtu", "still.vtk", "still.mesh", "still.inp", "still.bdf", "still.e", "still.med"):
    mesh.write(name)
mesh.write("still.msh", file_format="gmsh22")
for form in ("XML", "Binary", "HDF"):
    meshio.xdmf.write(f"still_{form}.xdmf", mesh, data_format=form)

TIMES = [0.0, 0.5, 2.0]


def displacement(step):
    moved = np.zeros((16, 3))
    moved[12:, 2] = 5 - 2.5 * step
    return moved


with meshio.xdmf.TimeSeriesWriter("moving.xdmf") as writer:
    writer.write_points_cells(points, cells)
    for step, time in enumerate(TIMES):
        writer.write_data(time, point_data={"displacement": displacement(step)})


def put_texts(variable, texts):
    for row, text in enumerate(texts):
        for column, letter in enumerate(text):
            variable[row, column] = letter


def write_exodus(path, version):
    data = netCDF4.Dataset(path, "w", format=version)
    sizes = {"time_step": None, "num_nodes": 16, "len_string": 33, "num_el_blk": 2, "num_nod_var": 4, "num_elem": 3,
             "num_el_in_blk1": 2, "num_nod_per_el1": 8, "num_el_in_blk2": 1, "num_nod_per_el2": 4}
    for name, size in sizes.items():
        data.createDimension(name, size)
    for axis, name in enumerate(("coordx", "coordy", "coordz")):
        data.createVariable(name, "f8", ("num_nodes",))[:] = points[:, axis]
    for block, (kind, connect) in enumerate((("HEX8", hexes), ("TETRA", tets)), 1):
        variable = data.createVariable(f"connect{block}", "i4", (f"num_el_in_blk{block}", f"num_nod_per_el{block}"))
        variable.elem_type = kind
        variable[:] = connect + 1
    put_texts(data.createVariable("eb_names", "S1", ("num_el_blk", "len_string")), ("bar", "needle"))
    data.createVariable("elem_num_map", "i4", ("num_elem",))[:] = [10, 20, 30]
    put_texts(data.createVariable("name_nod_var", "S1", ("num_nod_var", "len_string")), ("temperature", "disp_x", "disp_y", "disp_z"))
    time = data.createVariable("time_whole", "f8", ("time_step",))
    values = [data.createVariable(f"vals_nod_var{i}", "f8", ("time_step", "num_nodes")) for i in range(1, 5)]
    for step, at in enumerate(TIMES):
        time[step] = at
        values[0][step, :] = 300
        for axis in range(3):
            values[axis + 1][step, :] = displacement(step)[:, axis]
    data.close()


for number, version in enumerate(("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4")):
    write_exodus(f"moving_{number}.exo", version)

# A cell of second order whose mid-nodes stand out by a fifth, and above each of its faces, where a flat one would not reach, a needle.
KINDS = {
    "tetra10": ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "01 12 20 03 13 23", "012 013 123 023"),
    "hexahedron20": ([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
                     "01 12 23 30 45 56 67 74 04 15 26 37", "0123 4567 0154 1265 2376 3047"),
}
for kind, (corners, edges, faces) in KINDS.items():
    corners = np.array(corners, float)
    middle = corners.mean(axis=0)
    nodes = list(corners) + [middle + 1.2 * (corners[[int(c) for c in edge]].mean(axis=0) - middle) for edge in edges.split()]
    needles, tets = [], []
    for face in faces.split():
        mids = np.array([nodes[len(corners) + i] for i, edge in enumerate(edges.split()) if set(edge) <= set(face)])
        at = mids.mean(axis=0)
        flat = corners[[int(c) for c in face]].mean(axis=0)
        out = (at - flat) / np.linalg.norm(at - flat)
        side = np.cross(out, [0.3, 0.5, 0.8])
        tip = flat + 0.5 * (at - flat)
        tets.append(np.arange(4) + len(nodes) + len(needles))
        needles += [tip, tip + out + 0.1 * side, tip + out - 0.1 * side, tip + out + 0.1 * np.cross(out, side)]
    bulge = meshio.Mesh(np.round(np.array(nodes + needles), 6), [(kind, np.arange(len(nodes))[None, :]), ("tetra", np.array(tets))])
    for ending in ("vtu", "vtk", "inp", "bdf", "e", "med"):
        bulge.write(f"{kind}.{ending}")
    bulge.write(f"{kind}.msh", file_format="gmsh22")
    meshio.xdmf.write(f"{kind}.xdmf", bulge, data_format="XML")
