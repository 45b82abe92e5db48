"""Candidates, derivatives and safe motion."""
import unittest

from support import needs_numpy, numpy as np

import snag


def make_world():
    V, F = snag.shapes.sheet(8, 8, 1, 1)
    world = snag.World(threads=1)
    lower = world.add(V, F)
    upper = world.add(V + [0.02, 0.01, 0.05], F)
    return world, lower, upper, V, F


@needs_numpy
class Candidates(unittest.TestCase):
    def test_answers_are_the_same_bytes(self):
        world, lower, upper, V, _ = make_world()
        world.begin_step()
        upper.move(V + [0.02, 0.01, -0.05])
        pairs = world.collect(0.03)
        self.assertTrue(pairs.complete and len(pairs) == len(pairs.vertex_triangle) + len(pairs.edge_edge) > 0)
        self.assertGreaterEqual(pairs.nbytes, 16 * len(pairs))
        for part in (1, 0.5, 0.25):
            upper.move(V + [0.02, 0.01, 0.05 - 0.1 * part])
            full = world.impacts().raw.tobytes() if hasattr(snag.Answer, "raw") else world.impacts().time.tobytes()
            again = world.impacts(candidates=pairs)
            self.assertEqual(full, again.raw.tobytes() if hasattr(snag.Answer, "raw") else again.time.tobytes())
            near = world.proximities(0.03)
            values, count = near.value.tobytes(), len(near)
            near = world.proximities(0.03, candidates=pairs)
            self.assertEqual((values, count), (near.value.tobytes(), len(near)))
        pairs.check()
        upper.move(V + [0.5, 0, 0.3])
        with self.assertRaises(snag.StaleError):
            world.proximities(0.03, candidates=pairs)
        with self.assertRaises(snag.StaleError):
            pairs.check(moving=True)
        with self.assertRaises(snag.ArgumentError):
            world.proximities(0.2, candidates=pairs)
        with self.assertRaises(snag.ArgumentError):
            world.collect(-1)

    def test_own_pairs(self):
        world, lower, upper, _, _ = make_world()
        pairs = world.candidates(vertex_triangle=[[lower.index, upper.index, 0, 0], [lower.index, upper.index, 1, 2]])
        self.assertEqual((len(pairs), pairs.complete), (2, False))
        self.assertEqual(len(world.proximities(10, every_pair=True, candidates=pairs)), 2)
        more = world.candidates(edge_edge=[[lower.index, upper.index, 0, 0]])
        pairs.merge(more)
        self.assertEqual(len(pairs), 3)
        with self.assertRaises(snag.ArgumentError):
            pairs.merge(pairs)
        with self.assertRaises(snag.BodyError):
            world.candidates(vertex_triangle=[[77, 1, 0, 0]])
        with self.assertRaises(snag.BodyError):
            make_world()[0].proximities(1, candidates=pairs)


@needs_numpy
class Derivatives(unittest.TestCase):
    def test_against_differences(self):
        world, lower, upper, V, _ = make_world()
        near = world.proximities(0.06, every_pair=True)
        d = world.derivatives(near, mollifier=1e-3)
        self.assertTrue(np.allclose(np.sqrt(d.squared), near.value))
        self.assertEqual((d.gradient.shape, d.hessian.shape), ((len(near), 12), (len(near), 12, 12)))
        self.assertTrue(np.allclose(d.hessian, d.hessian.transpose(0, 2, 1)))
        # The distance to the plane below grows with height.
        faces = (d.kind == snag.Kind.VERTEX_FACE) & (d.body[:, 0] == upper.index)
        self.assertTrue(faces.any() and np.allclose(d.gradient[faces, 2], 0.1))
        pairs = world.collect(0.06)
        e = world.derivatives(pairs, hessian=False)
        self.assertEqual(len(e.squared), len(pairs))
        self.assertIsNone(e.hessian)
        with self.assertRaises(snag.ArgumentError):
            world.derivatives(pairs, mollifier=-1)


@needs_numpy
class SafeMotion(unittest.TestCase):
    def test_truncate(self):
        for safe in ("half_spaces", "bounds"):
            world, lower, upper, V, _ = make_world()
            start = V + [0.02, 0.01, 0.05]
            x = start - [0, 0, 0.3]
            mass = np.ones(len(V))
            report = world.truncate([snag.Moving(lower, V.copy()), snag.Moving(upper, x, inverse_masses=mass, start=start)], safe=safe,
                                    thickness=1e-4)
            self.assertGreater(report.held_back, 0)
            # Bounds hold every vertex above; half-spaces let those beyond the border slide around it.
            if safe == "bounds":
                self.assertTrue((x[:, 2] > 0).all() and (x[:, 2] < 0.05).all())
            self.assertEqual(len(world.intersections()), 0)
        with self.assertRaises(snag.ArgumentError):
            world.truncate(snag.Moving(upper, x, inverse_masses=mass, start=start), safe="magic")
        with self.assertRaises(snag.ArgumentError):
            world.truncate(snag.Moving(upper, x, inverse_masses=mass))


if __name__ == "__main__":
    unittest.main()
