"""Filters of elements, labels and edits."""
import unittest

import snag
from support import needs_numpy, numpy as np


@needs_numpy
class Filters(unittest.TestCase):
    def setUp(self):
        self.world = snag.World(threads=1)
        self.V, self.F = snag.shapes.sheet(12, 12, 1, 1)

    def test_rings_and_rest_silence_a_thick_cloth(self):
        self.world.add(self.V, self.F, rest=self.V)
        d = 1.35 / 12
        self.assertGreater(len(self.world.proximities(distance=d)), 100)
        self.assertEqual(len(self.world.proximities(distance=d, exclude_rings=2)), 0)
        self.assertEqual(len(self.world.proximities(distance=d, exclude_rest=d)), 0)
        self.assertEqual(len(self.world.proximities(distance=d, exclude_rings=2, filter=lambda a, b: True)), 0)

    def test_groups_by_body_and_vertex(self):
        a = self.world.add(self.V, self.F, group=1, mask=2)
        b = self.world.add(self.V + [0, 0, 0.001], self.F, group=[2] * len(self.V), mask=1)
        found = self.world.proximities(distance=0.01)
        self.assertGreater(len(found), 0)
        self.assertTrue((found.body_a != found.body_b).all())
        with self.assertRaisesRegex(snag.ArgumentError, "the group of the body is 0"):
            self.world.add(self.V, self.F, group=0)
        with self.assertRaisesRegex(snag.ArgumentError, "one for each of the 169 vertices"):
            self.world.add(self.V, self.F, group=[1, 2])
        del a, b

    def test_exclusions(self):
        a, b = self.world.add(self.V, self.F), self.world.add(self.V + [0, 0, 0.001], self.F)
        everything = range(len(self.V))
        seam = self.world.exclude(sets=[((a, list(everything)), (b, list(everything)))])
        self.assertEqual(len(self.world.proximities(distance=0.01, exclusions=seam)), 0)
        seam.drop()
        with self.assertRaises(snag.StaleError):
            self.world.proximities(distance=0.01, exclusions=seam)
        with self.assertRaisesRegex(snag.VertexError, "vertex 999 does not exist"):
            self.world.exclude(pairs=[((a, "vertex", 0), (b, "vertex", 999))])
        with self.assertRaisesRegex(snag.ArgumentError, "an element is a body"):
            self.world.exclude(pairs=[((a, "corner", 0), (b, "vertex", 9))])

    def test_labels(self):
        body = self.world.add(self.V, self.F, labels=np.arange(len(self.F)) // 100)
        self.assertEqual(body.labels.tolist(), [i // 100 for i in range(len(self.F))])
        self.assertIsNone(self.world.add(self.V, self.F).labels)
        yarn = self.world.add(self.V[:4], edges=[[2, 1], [0, 1]], points=[3], edge_labels=[7, 8], point_labels=[9])
        self.assertEqual((yarn.rod_labels.tolist(), yarn.point_labels.tolist()), ([8, 7], [9]))
        with self.assertRaisesRegex(snag.ArgumentError, "edge_labels: one for each of the 1"):
            self.world.add(self.V[:4], edges=[[2, 1]], edge_labels=[7, 8])

    def test_edit(self):
        body = self.world.add(self.V, self.F)
        vertex = int(self.F[40][0])
        around = [i for i, f in enumerate(self.F) if vertex in f]
        made = body.edit(split_vertices=[(vertex, around[:2])], remove=[100])
        self.assertEqual((made.first_vertex, made.vertex_from.tolist(), body.vertex_count), (len(self.V), [vertex], len(self.V) + 1))
        self.assertEqual(made.triangles[100], 0xFFFFFFFF)
        body.positions = np.vstack([self.V, self.V[vertex]])
        with self.assertRaisesRegex(snag.VertexError, "triangle 100 was removed before"):
            body.edit(remove=[100])
        with self.assertRaisesRegex(snag.VertexError, "no triangle has the edge 0-168"):
            body.edit(split_edges=[(0, 168, 0.5)])


if __name__ == "__main__":
    unittest.main()
