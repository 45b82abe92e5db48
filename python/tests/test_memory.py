"""Nothing leaks, and large answers are not copied."""
import gc
import os
import resource
import tempfile
import tracemalloc
import unittest

from support import needs_numpy, numpy as np

import snag


def life(V, F):
    world = snag.World(threads=1)
    body = world.add(V, F)
    with world.step():
        body.positions = V
    hits = world.intersections(progress=lambda done: None, filter=lambda a, b: True)
    kept = hits.a, hits.contacts, hits.statistics
    world.proximities(0.1).normal.sum()
    return world, kept


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


@needs_numpy
class Leaks(unittest.TestCase):
    def test_ten_thousand_worlds(self):
        V, F = snag.shapes.sheet(2, 2, 1, 1)
        for _ in range(200):
            life(V, F)
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        bytes_before = resident() if os.path.exists("/proc/self/statm") else 0
        for i in range(10000):
            world, kept = life(V, F)
            if i % 3 == 0:
                world.close()
        del world, kept
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        self.assertLess(grown, 100_000)
        if bytes_before:
            self.assertLess(resident() - bytes_before, 20_000_000)

    def test_worlds_go_without_the_garbage_collector(self):
        """It knows nothing of the memory that a world holds."""
        V, F = snag.shapes.icosphere(4, 1.0)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.ply")
            snag.io.write_ply(path, V, F)
            gc.collect()
            gc.disable()
            try:
                ends = []
                for make in (lambda: life(V, F), lambda: snag.check(path, threads=1), lambda: snag.check(V, F, threads=1)):
                    made = make()
                    ends.append((made[0] if isinstance(made, tuple) else made.world)._end)
                    del made
                mesh = snag.io.read(path)
                owner = mesh._owner._end
                part = mesh.bodies[0]
                del mesh
                self.assertEqual(part.face_count, len(F))  # a body keeps its mesh
                del part
                self.assertEqual([end.alive for end in ends] + [owner.alive], [False] * 4)
            finally:
                gc.enable()

    def test_the_allocator_gets_everything_back(self):
        world, kept = life(*snag.shapes.icosphere(3, 1.0))
        blocks, size = world._blocks()
        self.assertGreater(blocks, 0)
        self.assertGreaterEqual(size, world.memory().bodies)
        view = world.bodies[0].edges
        world.close()
        # The array holds one block, and the world is gone: reading it is safe.
        self.assertGreater(int(view.max()), 0)

    def test_removed_bodies_give_their_memory_back(self):
        V, F = snag.shapes.icosphere(4, 1.0)
        world = snag.World(threads=1)
        world.add(V, F)
        world.intersections(method="kdop")
        for _ in range(5):
            world.add(V + [5, 0, 0], F).remove()
            world.intersections(method="kdop")
        before = world._blocks()
        for _ in range(50):
            body = world.add(V + [5, 0, 0], F)
            held = body.triangles
            body.remove()
            world.intersections(method="kdop")
        del held
        self.assertLessEqual(world._blocks()[1], before[1] * 1.1)


@needs_numpy
class Copies(unittest.TestCase):
    def test_a_million_contacts_are_not_copied(self):
        n = 120
        V, F = snag.shapes.sheet(n, n, 1, 1)
        world = snag.World(threads=2)
        world.add(V, F)
        world.add(V + [0, 0, 1e-3], F)
        distance = 0.008
        while True:
            hits = world.proximities(distance, every_pair=True, self_contacts=False)
            if len(hits) >= 1_000_000:
                break
            distance *= 1.1
        gc.collect()
        tracemalloc.start()
        tables = hits.contacts, hits.normal, hits.a, hits.distance
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertEqual(tables[0].nbytes, 192 * len(hits))
        self.assertLess(size, 100_000)
        self.assertEqual(tables[0].__array_interface__["data"][0], hits._raw.contacts)
        self.assertTrue(np.shares_memory(tables[0], tables[1]))


if __name__ == "__main__":
    unittest.main()
