"""Points and rays in Python."""
import unittest

from support import needs_numpy

import snag


@needs_numpy
class Queries(unittest.TestCase):
    def setUp(self):
        import numpy as np
        self.np = np
        self.world = snag.World(threads=1)
        self.box = self.world.add(*snag.shapes.box(2, 2, 2, 2), name="box")
        V, F = snag.shapes.sheet(2, 2, 1, 1)
        self.sheet = self.world.add(V + [0, 0, 5], F, name="sheet")

    def test_closest(self):
        np = self.np
        points = np.array([[3, 0.25, 0.125], [0.5, 0.25, 0.125], [0.1, 0.2, 7]], np.float32)
        found = self.world.closest(points, sign=True)
        np.testing.assert_allclose(found.distance, [2, -0.5, 2], rtol=1e-6)
        self.assertEqual(found.body.tolist(), [self.box.index, self.box.index, self.sheet.index])
        self.assertEqual(found.side.tolist(), [0, 1, 3])
        self.assertEqual(found.point.shape, (3, 3))
        V = np.asarray(self.box.positions)[self.box.triangles[found.element[0]]]
        np.testing.assert_allclose(found.weight[0] @ V, found.point[0], atol=1e-12)
        only = self.world.closest(points, bodies=self.sheet)
        self.assertEqual(set(only.body.tolist()), {self.sheet.index})
        none = self.world.closest(points[0], within=1)
        self.assertTrue(none.body[0] == 0 and np.isinf(none.distance[0]))
        self.assertEqual(len(self.world.closest(np.zeros((0, 3))).distance), 0)

    def test_cast(self):
        np = self.np
        hits = self.world.cast([0.1, 0.2, 9], [[0, 0, -1], [0, 0, 1]])
        self.assertEqual(hits.body.tolist(), [self.sheet.index, 0])
        self.assertEqual(hits.t.tolist(), [4, float("inf")])
        every = self.world.cast([0.1, 0.2, 9], [[0, 0, -1], [0, 0, 1]], hits="all")
        self.assertEqual(every.ray.tolist(), [0, 0, 0])
        self.assertEqual(every.facing.tolist(), [1, 1, -1])
        np.testing.assert_array_equal(every.t, [4, 8, 10])
        self.assertEqual(self.world.cast([0.1, 0.2, 9], [[0, 0, -1], [0, 0, 1]], hits="any").tolist(), [True, False])
        self.assertEqual(self.world.cast([0.1, 0.2, 9], [0.1, 0.2, 6], segments=True, hits="any").tolist(), [False])
        self.assertEqual(self.world.cast([0.1, 0.2, 9], [0, 0, -1], limit=3.5, hits="any").tolist(), [False])
        self.assertEqual(self.world.cast([0.1, 0.2, 9], [0, 0, -1], bodies=[self.box]).t.tolist(), [8])

    def test_inside(self):
        np = self.np
        points = np.array([[0, 0, 0], [1, 0.5, 0.5], [2, 0, 0]])
        self.assertEqual(self.box.contains(points).tolist(), [1, 2, 0])
        self.assertEqual(self.box.winding(points[[0, 2]]).tolist(), [1, 0])
        with self.assertRaisesRegex(snag.UnsupportedError, "sheet is open"):
            self.sheet.contains(points)
        self.assertAlmostEqual(float(self.sheet.winding([[0, 0, 5 - 1e-9]])[0]), 0.5, places=6)
        self.box.positions = np.asarray(self.box.positions) + [10, 0, 0]
        self.assertEqual(self.box.contains(points).tolist(), [0, 0, 0])

    def test_shapes(self):
        found = self.world.overlap_spheres([[0, 0, 0, 0.25], [0, 0, 3, 2], [9, 9, 9, 1]])
        self.assertEqual(found.shape.tolist(), [0, 1, 1])
        self.assertEqual(found.body.tolist(), [self.box.index, self.box.index, self.sheet.index])
        self.assertEqual(found.triangle.tolist()[0], -1)
        found = self.world.overlap_boxes([[-1, -1, 4, 1, 1, 6]], elements=True)
        self.assertEqual(sorted(found.triangle.tolist()), list(range(self.sheet.triangle_count)))

    def test_nested(self):
        V, F = snag.shapes.icosphere(1, 0.25)
        ball = self.world.add(V, F)
        nested = self.world.nested()
        self.assertEqual([(n.inner, n.outer) for n in nested], [(ball, self.box)])
        self.assertTrue(0.75 <= nested[0].gap <= nested[0].depth < 1)

    def test_bad_input(self):
        np = self.np
        with self.assertRaisesRegex(snag.NotFiniteError, "point 1"):
            self.world.closest([[0, 0, 0], [0, np.nan, 0]])
        with self.assertRaisesRegex(snag.ArgumentError, "direction of ray 0 is zero"):
            self.world.cast([0, 0, 0], [0, 0, 0])
        with self.assertRaises(snag.ArgumentError):
            self.world.cast([[0, 0, 0], [0, 0, 0]], [[1, 0, 0], [1, 0, 0], [1, 0, 0]])
        with self.assertRaises(snag.ArgumentError):
            self.world.cast([0, 0, 0], [1, 0, 0], hits="some")
        with self.assertRaises(snag.ArgumentError):
            self.world.closest([[0, 0]])
        self.sheet.remove()
        with self.assertRaises(snag.BodyError):
            self.world.closest([[0, 0, 0]], bodies=[self.sheet])


if __name__ == "__main__":
    unittest.main()
