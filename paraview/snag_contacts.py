"""ParaView filter "snag contacts": where the cells of a mesh intersect, come close, or penetrate each other, over time.

Load it by Tools > Manage Plugins > Load New. It takes poly data and unstructured grids (triangles, polygons, tetrahedra).
First output: a point for each contact, with kind, value, normal and the two cells. Second output: the input, with the cell array
"snag_contacts", the number of contacts of each cell.
"""
import os
import sys

import numpy as np

_bundled = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bundled")
if os.path.isdir(_bundled) and _bundled not in sys.path:
    sys.path.insert(0, _bundled)

import snag  # noqa: E402
from paraview.util.vtkAlgorithm import smdomain, smhint, smproperty, smproxy  # noqa: E402
from vtkmodules.numpy_interface import dataset_adapter as dsa  # noqa: E402
from vtkmodules.util.numpy_support import vtk_to_numpy  # noqa: E402
from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase  # noqa: E402
from vtkmodules.vtkCommonCore import vtkPoints  # noqa: E402
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkDataObject, vtkDataSet, vtkPolyData, vtkUnstructuredGrid  # noqa: E402

TRIANGLE, POLYGON, QUAD, TETRA = 5, 7, 9, 10
QUESTIONS = ["intersections", "proximities", "penetrations"]


def cells_of(data):
    """Types, offsets and corners of all cells, in the order of their numbers."""
    if data.IsA("vtkUnstructuredGrid"):
        array = data.GetCells()
        return (vtk_to_numpy(data.GetCellTypesArray()), vtk_to_numpy(array.GetOffsetsArray()).astype(np.int64),
                vtk_to_numpy(array.GetConnectivityArray()).astype(np.int64))
    # Cells of poly data count vertices and lines first, then polygons; strips stand for several faces and are left out.
    array = data.GetPolys()
    before = data.GetNumberOfVerts() + data.GetNumberOfLines()
    offsets = vtk_to_numpy(array.GetOffsetsArray()).astype(np.int64)
    return (np.concatenate([np.zeros(before, np.uint8), np.full(len(offsets) - 1, POLYGON, np.uint8)]),
            np.concatenate([np.zeros(before, np.int64), offsets]), vtk_to_numpy(array.GetConnectivityArray()).astype(np.int64))


class Bodies:
    """The input as bodies of a world: its faces as one, its tetrahedra as another. Kept from time to time while cells are the same."""

    def __init__(self, types, offsets, corners, points):
        self.key = types.tobytes(), offsets.tobytes(), corners.tobytes(), len(points)
        self.world = snag.World()
        self.parts = []  # body, cells
        sizes = np.diff(offsets)
        self.left_out = int(np.count_nonzero(~np.isin(types, (0, 1, 2, 3, 4, TRIANGLE, POLYGON, QUAD, TETRA))))
        faces = np.flatnonzero(np.isin(types, (TRIANGLE, POLYGON, QUAD)) & (sizes >= 3))
        tets = np.flatnonzero(types == TETRA)
        if len(faces):
            taken = np.concatenate([np.arange(offsets[c], offsets[c + 1]) for c in faces])
            self.parts.append((self.world.add(points, polygons=(sizes[faces], corners[taken]), name="faces"), faces))
        if len(tets):
            self.parts.append((self.world.add(points, tets=corners[offsets[tets][:, None] + np.arange(4)], name="tets"), tets))

    def move(self, points):
        with self.world.step():
            for body, _ in self.parts:
                body.positions = points

    def cell_of(self, bodies, kinds, elements):
        """The cell of each element: of a face its cell, of a tetrahedron likewise; -1 of vertices and edges."""
        made = np.full(len(elements), -1, np.int64)
        for body, cells in self.parts:
            own = bodies == body.index
            triangles = own & (kinds == snag.Element.TRIANGLE)
            made[triangles] = cells[body.triangle_faces[elements[triangles]]]
            tets = own & (kinds == snag.Element.TET)
            made[tets] = cells[elements[tets]]
        return made


@smproxy.filter(name="SnagContacts", label="snag contacts")
@smhint.xml('<OutputPort index="0" name="contacts"/><OutputPort index="1" name="marked"/>')
@smproperty.input(name="Input")
@smdomain.datatype(dataTypes=["vtkPolyData", "vtkUnstructuredGrid"], composite_data_supported=False)
class SnagContacts(VTKPythonAlgorithmBase):
    def __init__(self):
        VTKPythonAlgorithmBase.__init__(self, nInputPorts=1, nOutputPorts=2, outputType="vtkPolyData")
        self._question, self._distance, self._self = 0, 0.0, 1
        self._bodies = None

    def FillInputPortInformation(self, port, info):
        info.Set(self.INPUT_REQUIRED_DATA_TYPE(), "vtkDataSet")
        return 1

    def FillOutputPortInformation(self, port, info):
        info.Set(vtkDataObject.DATA_TYPE_NAME(), "vtkPolyData" if port == 0 else "vtkDataSet")
        return 1

    @smproperty.intvector(name="Question", default_values=0)
    @smdomain.xml('<EnumerationDomain name="enum"><Entry value="0" text="intersections"/><Entry value="1" text="proximities"/>'
                  '<Entry value="2" text="penetrations (tetrahedra)"/></EnumerationDomain>')
    def SetQuestion(self, value):
        self._question = value
        self.Modified()

    @smproperty.doublevector(name="Distance", default_values=0.0)
    def SetDistance(self, value):
        """Of proximities; 0: a thousandth of the mesh's size."""
        self._distance = value
        self.Modified()

    @smproperty.intvector(name="SelfContacts", label="Each with itself", default_values=1)
    @smdomain.xml('<BooleanDomain name="bool"/>')
    def SetSelfContacts(self, value):
        self._self = value
        self.Modified()

    def RequestDataObject(self, request, inputs, outputs):
        data = vtkDataSet.GetData(inputs[0])
        if data is None:
            return 0
        outputs.GetInformationObject(0).Set(vtkDataObject.DATA_OBJECT(), vtkPolyData())
        marked = vtkUnstructuredGrid() if data.IsA("vtkUnstructuredGrid") else vtkPolyData()
        outputs.GetInformationObject(1).Set(vtkDataObject.DATA_OBJECT(), marked)
        return 1

    def RequestData(self, request, inputs, outputs):
        data = vtkDataSet.GetData(inputs[0])
        contacts, marked = vtkDataSet.GetData(outputs, 0), vtkDataSet.GetData(outputs, 1)
        marked.ShallowCopy(data)
        counts = np.zeros(data.GetNumberOfCells(), np.int32)
        if data.GetNumberOfCells() and data.GetNumberOfPoints():
            self.search(data, contacts, counts)
        dsa.WrapDataObject(marked).CellData.append(counts, "snag_contacts")
        return 1

    def search(self, data, out, counts):
        types, offsets, corners = cells_of(data)
        points = np.asarray(vtk_to_numpy(data.GetPoints().GetData()))
        key = types.tobytes(), offsets.tobytes(), corners.tobytes(), len(points)
        if self._bodies is None or self._bodies.key != key:
            self._bodies = Bodies(types, offsets, corners, points)
        bodies = self._bodies
        bodies.move(points)
        if not bodies.parts:
            return
        question = QUESTIONS[self._question]
        options = {"self_contacts": bool(self._self)}
        if question == "proximities":
            size = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0))) or 1.0
            options["distance"] = self._distance or 1e-3 * size
        answer = getattr(bodies.world, question)(**options)
        cells = [bodies.cell_of(getattr(answer, "body_" + s), getattr(answer, "kind_" + s), getattr(answer, s)) for s in "ab"]
        for side in cells:
            np.add.at(counts, side[side >= 0], 1)
        self.write(out, answer, cells)

    @staticmethod
    def write(out, answer, cells):
        where = 0.5 * (answer.point_a + answer.point_b) if answer.question == "intersections" else answer.point_a
        points = vtkPoints()
        points.SetDataTypeToDouble()
        points.SetNumberOfPoints(len(answer))
        vertices = vtkCellArray()
        out.SetPoints(points)
        for i in range(len(answer)):
            vertices.InsertNextCell(1, [i])
        out.SetVerts(vertices)
        wrapped = dsa.WrapDataObject(out)
        if len(answer):
            wrapped.Points[:] = where
        for name, values in (("kind", answer.kind), ("value", answer.value), ("normal", answer.normal), ("cell_a", cells[0]),
                             ("cell_b", cells[1])):
            wrapped.PointData.append(np.ascontiguousarray(values), name)
