"""Arrays go in as they are, and what does not fit is refused with a word."""
import array
import unittest

from support import needs_numpy, numpy as np

import snag

TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


@needs_numpy
class Positions(unittest.TestCase):
    def setUp(self):
        self.V, self.F = snag.shapes.icosphere(2, 1.0)
        self.world = snag.World(threads=1)
        self.body = self.world.add(self.V, self.F)
        self.other = self.world.add(self.V + [0.5, 0, 0], self.F)
        self.expected = len(self.world.intersections())

    def check(self, X):
        self.body.teleport(self.V + 9)
        self.body.teleport(X)
        self.assertEqual(len(self.world.intersections()), self.expected)

    def test_float64_is_not_copied(self):
        self.check(self.V)
        self.assertIs(self.body.positions, self.V)

    def test_float32(self):
        X = self.V.astype(np.float32)
        self.body.teleport(X)
        self.assertIs(self.body.positions, X)
        self.assertGreater(len(self.world.intersections()), 0)

    def test_strided_rows_are_not_copied(self):
        wide = np.zeros((len(self.V), 8))
        wide[:, 2:5] = self.V
        X = wide[:, 2:5]
        self.check(X)
        self.assertIs(self.body.positions, X)
        every_second = np.zeros((2 * len(self.V), 3))
        every_second[::2] = self.V
        X = every_second[::2]
        self.check(X)
        self.assertIs(self.body.positions, X)

    def test_structured_arrays(self):
        records = np.zeros(len(self.V), [("id", "i8"), ("x", "f8", 3), ("flag", "u1", 8)])
        records["x"] = self.V
        self.check(records["x"])
        packed = np.zeros(len(self.V), [("flag", "u1"), ("x", "f8", 3)])  # not aligned
        packed["x"] = self.V
        self.check(packed["x"])

    def test_fortran_order_negative_strides_and_broadcasts(self):
        self.check(np.asfortranarray(self.V))
        self.check(self.V[::-1].copy()[::-1])
        self.check(self.V[:, ::-1].copy()[:, ::-1])
        self.body.teleport(np.broadcast_to([9.0, 9, 9], self.V.shape))
        self.assertEqual(len(self.world.intersections()), 0)

    def test_read_only(self):
        X = self.V.copy()
        X.flags.writeable = False
        self.check(X)

    def test_other_byte_order_and_sizes(self):
        self.check(self.V.astype(">f8"))
        self.body.teleport(np.round(self.V * 100).astype(np.int32))
        self.body.teleport(self.V.astype(np.float16))

    def test_buffer_protocol_and_lists(self):
        flat = array.array("d", self.V.reshape(-1))
        self.check(memoryview(flat).cast("b").cast("d", self.V.shape))
        self.check(self.V.tolist())

    def test_dlpack(self):
        class Tensor:
            def __init__(self, x):
                self.x = x

            def __dlpack__(self, **options):
                return self.x.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.x.__dlpack_device__()

        self.check(Tensor(self.V))

    def test_wrong_shapes_and_kinds(self):
        for X, words in ((self.V.reshape(-1), "reshape"), (self.V[:, :2], "shape"), (self.V[None], "shape"), (3.0, "shape")):
            with self.assertRaisesRegex(snag.ArgumentError, words):
                self.body.positions = X
        for X in (self.V.astype(complex), self.V.astype(object), self.V > 0, np.full(self.V.shape, "1"), self.V.astype(np.longdouble)):
            with self.assertRaisesRegex(TypeError, "float32 or float64"):
                self.body.positions = X
        with self.assertRaisesRegex(snag.MismatchError, "vertices"):
            self.body.positions = self.V[1:]

    def test_not_finite(self):
        for bad in (np.nan, np.inf, -np.inf):
            X = self.V.copy()
            X[7, 1] = bad
            with self.assertRaisesRegex(snag.NotFiniteError, "vertex 7") as caught:
                self.body.positions = X
            self.assertEqual(caught.exception.status, snag.Status.NOT_FINITE)
            self.assertIsInstance(caught.exception, ValueError)
        self.check(self.V)


@needs_numpy
class Faces(unittest.TestCase):
    def setUp(self):
        self.world = snag.World(threads=1)

    def test_all_integer_types(self):
        for kind in "bhilqBHILQ":
            self.assertEqual(self.world.add(TRIANGLE, np.array([[0, 1, 2]], kind)).triangle_count, 1)
        self.assertEqual(self.world.add(TRIANGLE, np.array([[0, 1, 2]], ">i4")).triangle_count, 1)
        self.assertEqual(self.world.add(TRIANGLE, np.asfortranarray([[0, 1, 2], [2, 1, 0]])).triangles[1].tolist(), [2, 1, 0])

    def test_bad_indices(self):
        with self.assertRaisesRegex(snag.VertexError, "element 1 has a negative"):
            self.world.add(TRIANGLE, [[0, 1, 2], [0, 1, -1]])
        with self.assertRaisesRegex(snag.VertexError, "vertex 3 does not exist"):
            self.world.add(TRIANGLE, [[0, 1, 3]])
        with self.assertRaisesRegex(snag.VertexError, "32 bits"):
            self.world.add(TRIANGLE, [[0, 1, 1 << 40]])
        for faces in ([[0.0, 1.0, 2.0]], [[True, False, True]], [["a", "b", "c"]]):
            with self.assertRaisesRegex(TypeError, "integers"):
                self.world.add(TRIANGLE, faces)
        for faces in ([0, 1, 2], [[0, 1]], [[[0, 1, 2]]]):
            with self.assertRaisesRegex(snag.ArgumentError, "shape"):
                self.world.add(TRIANGLE, faces)
        self.assertEqual(len(self.world.bodies), 0)

    def test_polygons(self):
        V = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 2, 0]]
        quads = np.array([[0, 1, 2, 3]])
        self.assertEqual(self.world.add(V, quads).triangle_count, 2)
        self.assertEqual(self.world.add(V, polygons=quads).triangle_count, 2)
        self.assertEqual(self.world.add(V, polygons=[[0, 1, 2, 3], [2, 4, 3]]).triangle_count, 3)
        body = self.world.add(V, polygons=([4, 3], [0, 1, 2, 3, 2, 4, 3]))
        self.assertEqual(body.triangle_faces.tolist(), [0, 0, 1])
        self.assertEqual(self.world.add(V, polygons=[]).triangle_count, 0)
        with self.assertRaises(snag.ArgumentError):
            self.world.add(V, polygons=[[0, 1]])
        with self.assertRaisesRegex(snag.ArgumentError, "faces, or polygons, or tets"):
            self.world.add(V, quads, tets=[[0, 1, 2, 4]])

    def test_tets_and_clouds(self):
        V, T = snag.shapes.block(2, 2, 2, 1.0)
        body = self.world.add(V, tets=T)
        self.assertEqual((body.tet_count, body.triangle_count), (40, 48))
        self.assertTrue((body.tets == T).all())
        self.assertEqual(body.triangles.shape, (48, 3))
        self.assertEqual(body.edges.shape[1], 2)
        self.assertEqual(self.world.add(V).triangle_count, 0)
        self.assertEqual(self.world.add(np.zeros((0, 3))).vertex_count, 0)

    def test_body_arrays_outlive_the_body(self):
        V, F = snag.shapes.icosphere(3, 1.0)
        body = self.world.add(V, F)
        triangles, edges = body.triangles, body.edges
        self.assertFalse(triangles.flags.writeable)
        body.remove()
        self.world.close()
        self.assertTrue((triangles == F).all())
        self.assertEqual(int(edges.max()), len(V) - 1)


if __name__ == "__main__":
    unittest.main()
