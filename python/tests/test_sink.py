"""Answers in blocks, and bounds of safe motion."""
import tempfile
import unittest

import snag
from support import needs_numpy, numpy as np


def make_world():
    V, F = snag.shapes.sheet(30, 30, 1, 1)
    world = snag.World(threads=1)
    world.add(V, F, name="low"), world.add(V + [0.001, 0, 0.01], F, name="high")
    return world


@needs_numpy
class Blocks(unittest.TestCase):
    def test_blocks_are_the_answer(self):
        for output in ("contacts", "pairs"):
            for scratch in (None, True, tempfile.gettempdir()):
                world = make_world()
                whole = world.proximities(0.05, output=output).copy()
                blocks = []
                answer = world.proximities(0.05, output=output, take=blocks.append, block=100, scratch=scratch, memory=1 << 20)
                self.assertEqual(len(answer), len(whole))
                self.assertTrue(answer.complete)
                self.assertGreater(len(blocks), 3)
                self.assertLessEqual(max(map(len, blocks)), 100)
                self.assertEqual(b"".join(rows.tobytes() for rows in blocks), (whole.contacts if output == "contacts" else whole.pairs).tobytes())

    def test_the_answer_says_where_its_contacts_went(self):
        answer = make_world().proximities(0.05, take=lambda rows: None)
        with self.assertRaisesRegex(AttributeError, "handed to take"):
            answer.distance
        with self.assertRaisesRegex(TypeError, "handed to take"):
            answer[0]
        copy = answer.copy()
        self.assertEqual(len(copy), len(answer))
        with self.assertRaisesRegex(TypeError, "handed to take"):
            copy[0]

    def test_false_ends_it(self):
        seen = []
        answer = make_world().proximities(0.05, block=10, take=lambda rows: seen.append(len(rows)) or len(seen) < 3)
        self.assertEqual(seen, [10, 10, 10])
        self.assertFalse(answer.complete)

    def test_an_exception_comes_through_and_the_world_goes_on(self):
        world = make_world()
        whole = world.proximities(0.05).copy()

        def take(rows):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            world.proximities(0.05, take=take)
        self.assertEqual(world.proximities(0.05).contacts.tobytes(), whole.contacts.tobytes())

    def test_bad_words(self):
        world = make_world()
        with self.assertRaisesRegex(snag.ArgumentError, "goes with take"):
            world.proximities(0.05, block=5)
        with self.assertRaisesRegex(TypeError, "function"):
            world.proximities(0.05, take=5)
        with self.assertRaises(snag.Error):
            world.proximities(0.05, take=print, scratch="/no/such/folder")
        with self.assertRaises((ValueError, TypeError, snag.Error)):
            world.proximities(0.05, take=print, block=-1)


@needs_numpy
class Bounds(unittest.TestCase):
    def test_vertices_within_their_bounds_do_not_cross(self):
        world = make_world()
        bounds = world.bounds(1.0)
        self.assertEqual([len(b) for b in bounds], [body.vertex_count for body in world.bodies])
        random = np.random.default_rng(1)
        with world.step():
            for body, bound in zip(world.bodies, bounds):
                way = random.normal(size=(body.vertex_count, 3))
                way *= (bound / np.linalg.norm(way, axis=1))[:, None]
                body.positions = body.positions + way
        self.assertEqual(len(world.impacts(between=True)), 0)

    def test_bad_bounds(self):
        world = make_world()
        with self.assertRaises(snag.ArgumentError):
            world.bounds(0.0)
        with self.assertRaises(snag.Error):
            world.bounds(1.0, [make_world().bodies[0]])
        self.assertEqual(len(world.bounds(1.0, [world.bodies[0]])), 1)
