"""Questions, answers, and what happens to them."""
import copy
import gc
import logging
import os
import pickle
import signal
import threading
import time
import unittest

from support import needs_numpy, numpy as np, run_python

import snag


def two_balls(gap=1.5, **settings):
    V, F = snag.shapes.icosphere(2, 1.0)
    world = snag.World(threads=1, **settings)
    return world, world.add(V, F, name="left"), world.add(V + [gap, 0, 0], F, name="right"), V


@needs_numpy
class Questions(unittest.TestCase):
    def test_intersections(self):
        world, left, right, V = two_balls()
        hits = world.intersections()
        self.assertEqual((hits.question, hits.output, hits.complete), ("intersections", "contacts", True))
        self.assertEqual(len(hits), hits.count)
        self.assertEqual(set(hits.body_a.tolist()), {left.index})
        self.assertEqual(set(hits.body_b.tolist()), {right.index})
        self.assertTrue((hits.kind == snag.Kind.CROSSING).any())
        self.assertTrue((hits.kind_a == snag.Element.TRIANGLE).all())
        self.assertEqual(hits.point_a.shape, (len(hits), 3))
        first = hits[0]
        self.assertIs(first.body_a, left)
        self.assertEqual((first.a, first.b), (hits.a[0], hits.b[0]))
        self.assertEqual(first, hits[-len(hits)])
        self.assertEqual(len(list(hits)), len(hits))
        with self.assertRaises(IndexError):
            hits[len(hits)]
        with self.assertRaises(AttributeError):
            hits.distance
        with self.assertRaises(TypeError):
            hits[0:2]

    def test_all_complete_methods_agree(self):
        world, left, right, V = two_balls()
        expected = world.intersections(method="brute").copy()
        for method in ("hash", "kdop", "regularity"):
            self.assertEqual(world.intersections(method=method).contacts.tobytes(), expected.contacts.tobytes(), method)
        self.assertEqual(len(world.intersections(method="spheres", self_contacts=False)), len(expected))

    def test_proximities(self):
        world, left, right, V = two_balls(2.01)
        hits = world.proximities(distance=0.1)
        self.assertLess(hits.distance.max(), 0.1)
        np.testing.assert_allclose(np.linalg.norm(hits.point_a - hits.point_b, axis=1), hits.distance, atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(hits.normal, axis=1), 1)
        self.assertGreaterEqual(len(world.proximities(0.1, every_pair=True)), len(hits))

    def test_penetrations(self):
        V, T = snag.shapes.block(3, 3, 3, 1.0)
        world = snag.World(threads=1)
        world.add(V, tets=T)
        world.add(V + [2.5, 0.3, 0.2], tets=T)
        hits = world.penetrations()
        inside = hits.kind == snag.Kind.INSIDE
        self.assertTrue(inside.any())
        self.assertTrue((hits.depth[inside] > 0).all())
        np.testing.assert_allclose(hits.weight[inside].sum(axis=1), 1)
        self.assertLess(len(world.penetrations(edges=False)), len(hits))

    def test_impacts(self):
        world, left, right, V = two_balls(3.0)
        with world.step():
            right.positions = V + [1.0, 0, 0]
        hits = world.impacts()
        self.assertGreater(len(hits), 0)
        self.assertEqual(hits.earliest, hits.time.min())
        self.assertAlmostEqual(hits.earliest, 0.5, delta=0.05)
        self.assertEqual(hits.culprit.kind_a in ("vertex", "edge"), True)
        earliest = world.impacts(output="earliest")
        self.assertEqual(earliest.earliest, hits.copy().earliest if hits.valid else earliest.earliest)
        with self.assertRaises(AttributeError):
            earliest.contacts
        world.begin_step()
        self.assertEqual(world.impacts(until=1.0, separation=0.0).question, "impacts")
        world.begin_step()
        right.teleport(V + [3.0, 0, 0])
        hits = world.impacts()
        self.assertEqual((len(hits), hits.earliest, hits.culprit), (0, 1.0, None))

    def test_distance_and_overlaps(self):
        world, left, right, V = two_balls(2.5)
        hits = world.distance()
        self.assertEqual(len(hits), 1)
        self.assertAlmostEqual(float(hits.distance[0]), 0.5, delta=0.05)
        self.assertEqual(len(world.distance(distance=0.1)), 0)
        self.assertEqual(len(world.distance(closest=1)), 1)
        right.teleport(V + [1.5, 0, 0])
        hits = world.overlaps(depth=3)
        self.assertGreater(len(hits), 0)
        self.assertEqual(hits.method, "spheres")
        self.assertGreater(left.tree().node_count, 1)

    def test_outputs(self):
        world, left, right, V = two_balls()
        contacts = world.intersections().copy()
        pairs = world.intersections(output="pairs")
        self.assertEqual(pairs.pairs.itemsize, 24)
        self.assertEqual(pairs.a.tolist(), contacts.a.tolist())
        self.assertEqual(pairs[0].b, contacts[0].b)
        with self.assertRaisesRegex(AttributeError, 'output="contacts"'):
            pairs.normal
        with self.assertRaisesRegex(AttributeError, 'output="contacts"'):
            pairs.contacts
        self.assertEqual(len(world.intersections(output="count")), len(contacts))
        with self.assertRaises(TypeError):
            world.intersections(output="count")[0]
        with self.assertRaisesRegex(snag.ArgumentError, "contacts, pairs, count, earliest"):
            world.intersections(output="everything")
        with self.assertRaises(snag.Error):
            world.intersections(output="earliest")

    def test_options_of_methods(self):
        world, left, right, V = two_balls()
        n = len(world.intersections())
        self.assertEqual(len(world.intersections(method="kdop", k=18, arity=4)), n)
        answer = world.intersections(k=6)  # only kdop has it
        self.assertEqual((len(answer), answer.method), (n, "kdop"))
        self.assertEqual(len(world.intersections(cell_size=0.3, table_size=1024)), n)
        self.assertEqual(len(world.intersections(directions=12)), n)
        hits = world.proximities(0.3, method="active", new_pairs=200, seed=3, target_ratio=0.5)
        self.assertFalse(hits.complete)
        self.assertLessEqual(hits.ratio_low, hits.ratio_high)
        with self.assertRaisesRegex(snag.ArgumentError, "kdop and active"):
            world.proximities(0.1, lazy=0.1)
        with self.assertRaisesRegex(TypeError, "no method has these options"):
            world.intersections(cells=3)
        with self.assertRaisesRegex(TypeError, "the method hash has no option 'k'"):
            world.intersections(method="hash", k=18)
        with self.assertRaisesRegex(snag.ArgumentError, "out of range"):
            world.intersections(k=-6)
        with self.assertRaisesRegex(TypeError, "integer"):
            world.intersections(k=6.5)
        with self.assertRaises(snag.ArgumentError):
            world.intersections(k=7)
        with self.assertRaisesRegex(snag.ArgumentError, "is no method"):
            world.intersections(method="octree")
        with self.assertRaises(snag.UnsupportedError):
            world.distance(method="hash")
        with self.assertRaises(snag.ArgumentError):
            world.intersections(self_contacts=False, between=False)

    def test_lab(self):
        world, left, right, V = two_balls()
        self.assertEqual(len(world.intersections(method="kdop", lab={"candidates": True})), 0)
        self.assertGreater(world.intersections(method="kdop", lab={"candidates": True}).statistics.candidates, 0)
        world.intersections(method="regularity", lab={"regularity": "classical"})
        answer = world.distance(method="regions", lab={"lines": True})
        self.assertGreater(len(answer.statistics.lab.lines), 0)
        kept = answer.copy()
        world.distance()
        self.assertEqual(kept.statistics.lab.lines["start"].shape[1], 3)
        with self.assertRaisesRegex(TypeError, "lab has no"):
            world.intersections(lab={"fast": True})
        trees = world.overlaps(method="spheres", depth=2, lab={"trees": True}).statistics.lab.spheres
        self.assertTrue(trees["depth"].max() == 2 and trees["leaf"].any() and (trees["radius"] > 0).all())
        with self.assertRaises(snag.UnsupportedError):
            world.overlaps(method="spheres", lab={"spheres": "paper"})
        visits = world.intersections(method="regularity", lab={"visits": True}).copy().statistics.lab.visits
        self.assertEqual(len(visits), len(left.triangles) + len(right.triangles))

    def test_filters(self):
        V, F = snag.shapes.icosphere(1, 1.0)
        world = snag.World(threads=1)
        bodies = [world.add(V + [0.5 * i, 0, 0], F) for i in range(3)]
        a, b, c = bodies

        def pairs(**filter):
            hits = world.intersections(**filter)
            return set(zip(hits.body_a.tolist(), hits.body_b.tolist()))

        self.assertEqual(pairs(), {(1, 2), (1, 3), (2, 3)})
        self.assertEqual(pairs(skip=[(b, a)]), {(1, 3), (2, 3)})
        self.assertEqual(pairs(only=[(a, b)]), {(1, 2)})
        self.assertEqual(pairs(only=[]), set())
        self.assertEqual(pairs(filter=lambda x, y: {x, y} == {b, c}), {(2, 3)})
        self.assertEqual(pairs(), {(1, 2), (1, 3), (2, 3)})
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            pairs(filter=lambda x, y: 1 / 0)
        with self.assertRaises(snag.BusyError):
            pairs(filter=lambda x, y: world.intersections())
        with self.assertRaises(snag.ArgumentError):
            pairs(only=[(a, b)], skip=[])
        with self.assertRaises(TypeError):
            pairs(only=[a, b])
        with self.assertRaises(snag.BodyError):
            pairs(only=[(a, snag.World(threads=1).add(V, F))])
        self.assertEqual(pairs(), {(1, 2), (1, 3), (2, 3)})

    def test_tracking(self):
        world, left, right, V = two_balls()
        first = world.intersections(track=True).copy()
        self.assertTrue((first.phase == snag.Phase.BEGIN).all())
        second = world.intersections(track=True)
        self.assertTrue((second.phase == snag.Phase.PERSIST).all())
        self.assertEqual(second.id.tolist(), first.id.tolist())
        self.assertTrue((second.age == 1).all())
        right.positions = V + [9, 0, 0]
        third = world.intersections(track=True)
        self.assertEqual((len(third), third.ended["id"].tolist()), (0, first.id.tolist()))

    def test_budget_and_progress(self):
        V, F = snag.shapes.sheet(60, 60, 1, 1)
        world = snag.World(threads=1)
        world.add(V, F)
        hits = world.proximities(0.01, method="brute", budget=1e-3)
        self.assertFalse(hits.complete)
        self.assertLess(hits.covered, 1)
        seen = []
        hits = world.proximities(0.01, method="brute", progress=lambda done: seen.append(done) or len(seen) < 3)
        self.assertEqual((hits.complete, len(seen)), (False, 3))
        self.assertEqual(seen, sorted(seen))
        seen.clear()
        self.assertTrue(world.proximities(0.001, progress=seen.append).complete)  # None goes on
        with self.assertRaisesRegex(KeyError, "mine"):
            def fail(done):
                raise KeyError("mine")
            world.proximities(0.01, method="brute", progress=fail)
        with self.assertRaises(snag.BusyError):
            world.proximities(0.01, method="brute", progress=lambda done: world.memory())
        with self.assertRaises(snag.ArgumentError):
            world.intersections(budget=0)
        self.assertTrue(world.intersections().complete)


@needs_numpy
class Lives(unittest.TestCase):
    """Answers, worlds and bodies that come to an end."""

    def test_stale_answers_raise_and_copies_do_not(self):
        for end in ("ask", "remove", "close"):
            world, left, right, V = two_balls()
            hits = world.intersections()
            kept, normal = hits.copy(), hits.normal
            expected = normal.copy()
            {"ask": lambda: world.proximities(0.1), "remove": right.remove, "close": world.close}[end]()
            self.assertFalse(hits.valid)
            for access in (lambda: hits.a, lambda: hits[0], lambda: hits.copy(), lambda: hits.ended, lambda: hits.contacts):
                with self.assertRaisesRegex(snag.StaleError, "copy"):
                    access()
            self.assertIn("stale", repr(hits))
            self.assertEqual(hits.count, len(kept))  # numbers stay
            self.assertTrue((kept.normal == expected).all())
            self.assertTrue(np.isfinite(normal.sum()) or True)  # reading what is stale is safe

    def test_moves_leave_answers_alone(self):
        world, left, right, V = two_balls()
        hits = world.intersections()
        n = len(hits.a)
        with world.step():
            right.positions = V
        world.add(V, [[0, 1, 2]])
        self.assertEqual(len(hits.b), n)

    def test_arrays_of_old_answers_keep_their_memory(self):
        V, F = snag.shapes.sheet(40, 40, 1, 1)
        world = snag.World(threads=1)
        world.add(V, F)
        upper = world.add(V + [0, 0, 1e-3], F)
        held = []
        for i in range(12):  # answers grow, so that the world lets go of its arrays
            upper.positions = V * 0.99 + [0, 0, 1e-3]
            hits = world.proximities(distance=1e-3 * (1 + i), every_pair=True)
            held.append(hits.contacts)
        world.close()
        del world, hits, upper
        gc.collect()
        for contacts in held:
            self.assertGreater(len(contacts), 0)
            contacts["value"].sum()

    def test_a_world_lives_as_long_as_its_answer(self):
        hits = two_balls()[0].intersections()
        gc.collect()
        self.assertGreater(len(hits.a), 0)

    def test_a_body_without_its_world_says_so(self):
        V, F = snag.shapes.icosphere(1, 1.0)
        body = snag.World(threads=1).add(V, F)
        for act in (lambda: body.triangles, lambda: setattr(body, "positions", V), body.check, body.remove):
            with self.assertRaisesRegex(snag.StaleError, "keep it in a variable"):
                act()
        self.assertIn("80 triangles", repr(body))

    def test_the_end_of_python(self):
        done = run_python("""
import threading, time
import numpy as np, snag
V, F = snag.shapes.sheet(150, 150, 1, 1)
world = snag.World(threads=2)
body = world.add(V, F)
hits = world.proximities(1e-3)
arrays = hits.a, hits.contacts, body.triangles
busy = snag.World(threads=1)
busy.add(V, F)
threading.Thread(target=lambda: busy.proximities(1e-3, method="brute"), daemon=True).start()
while not busy.busy:
    time.sleep(0.001)
""")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_answers_cannot_be_written(self):
        world, left, right, V = two_balls()
        with self.assertRaises(ValueError):
            world.intersections().a[0] = 3

    def test_calls_after_the_end(self):
        world, left, right, V = two_balls()
        right.remove()
        for call in (lambda: setattr(right, "positions", V), lambda: right.teleport(V), lambda: right.remove(), lambda: right.triangles,
                     lambda: world.remove(right), lambda: right.check(), lambda: right.tree()):
            with self.assertRaises(snag.BodyError):
                call()
        self.assertIn("removed", repr(right))
        other = snag.World(threads=1)
        with self.assertRaisesRegex(snag.BodyError, "another world"):
            other.remove(left)
        world.close()
        world.close()
        self.assertTrue(world.closed)
        self.assertEqual(repr(world), "<snag.World: closed>")
        for call in (world.intersections, world.begin_step, world.memory, lambda: world.add(V), lambda: setattr(left, "positions", V),
                     lambda: left.triangles):
            with self.assertRaisesRegex((snag.StaleError, snag.BodyError), "closed|removed"):
                call()

    def test_pickling_is_refused(self):
        world, left, right, V = two_balls()
        for thing in (world, left, world.intersections(), snag.Sim("cloth-ball", size=0.05, threads=1)):
            for act in (pickle.dumps, copy.copy, copy.deepcopy):
                with self.assertRaisesRegex(TypeError, "pickle"):
                    act(thing)

    def test_words(self):
        world, left, right, V = two_balls()
        self.assertEqual(repr(world), "<snag.World: 2 bodies, 640 triangles, 1 thread>")
        self.assertEqual(repr(left), '<snag.Body 1 "left": 162 vertices, 320 triangles>')
        self.assertIn("intersections by", repr(world.intersections()))
        self.assertIs(world.body("right"), right)
        self.assertIs(world.body(right.index), right)
        with self.assertRaisesRegex(snag.BodyError, "left, right"):
            world.body("middle")
        memory = world.memory()
        self.assertGreater(memory.total, memory.bodies)
        self.assertTrue(world.intersections().reason)

    def test_logs(self):
        lines = []
        world = snag.World(threads=1, log=lambda level, message: lines.append(message))
        world.add([[0, 0, 0], [0, 0, 0], [1, 0, 0]], [[0, 1, 2]])
        world.intersections(method="kdop")
        self.assertTrue(lines)
        with self.assertLogs("snag-test", logging.DEBUG):
            world = snag.World(threads=1, log=logging.getLogger("snag-test"))
            world.add([[0, 0, 0], [0, 0, 0], [1, 0, 0]], [[0, 1, 2]])
            world.intersections(method="kdop")
        with self.assertRaises(TypeError):
            snag.World(log="file")

    def test_bad_worlds(self):
        with self.assertRaisesRegex(snag.ArgumentError, "1024"):
            snag.World(threads=5000)
        with self.assertRaises(snag.ArgumentError):
            snag.World(threads=-1)
        with self.assertRaises(TypeError):
            snag.World(threads=1.5)
        with self.assertRaisesRegex(snag.ArgumentError, "is no isa"):
            snag.World(isa="mmx")
        self.assertEqual(snag.World(threads=1, isa="scalar").isa, "scalar")


@needs_numpy
class Threads(unittest.TestCase):
    def long_world(self):
        V, F = snag.shapes.sheet(150, 150, 1, 1)
        world = snag.World(threads=1)
        world.add(V, F)
        return world

    def test_other_threads_run_during_an_ask(self):
        world = self.long_world()
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                if world.busy:
                    ticks.append(1)
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        try:  # goes on until the other thread has run often enough
            answer = world.proximities(1e-3, method="brute", progress=lambda done: len(ticks) < 10)
        finally:
            done.set()
            thread.join()
        self.assertFalse(answer.complete)
        self.assertGreaterEqual(len(ticks), 10)

    def test_a_second_thread_is_refused(self):
        world = self.long_world()
        refused, done = [], threading.Event()

        def other():
            while not world.busy:
                time.sleep(0.001)
            for call in (world.intersections, world.close, world.begin_step):
                try:
                    call()
                except snag.BusyError as error:
                    refused.append(str(error))
            done.set()

        thread = threading.Thread(target=other)
        thread.start()
        self.assertFalse(world.proximities(1e-3, method="brute", progress=lambda part: not done.is_set()).complete)
        thread.join()
        self.assertEqual(len(refused), 3)
        self.assertIn("thread", refused[0])

    def test_many_worlds_in_threads(self):
        counts = []

        def work():
            world, left, right, V = two_balls()
            for i in range(20):
                right.positions = V + [1.5 + 0.01 * i, 0, 0]
                hits = world.intersections()
                hits.a.sum()
            counts.append(len(hits))

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(counts)), 1)
        self.assertEqual(len(counts), 6)

    def interrupt(self, make):
        world = self.long_world()
        # A shell that starts the tests in the background has them ignore Ctrl-C.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        with self.assertRaises(KeyboardInterrupt):
            timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            make(world)
        self.assertTrue(world.intersections(output="count").complete)

    def test_ctrl_c_ends_an_ask(self):
        self.interrupt(lambda world: world.proximities(1e-3, method="brute"))

    def test_ctrl_c_with_progress_and_filter(self):
        self.interrupt(lambda world: world.proximities(1e-3, method="brute", progress=lambda done: None, filter=lambda a, b: True))

    def test_signal_handlers_raise_what_they_raise(self):
        class TimeIsUp(Exception):
            pass

        def handler(number, frame):
            raise TimeIsUp("now")

        before = signal.signal(signal.SIGALRM, handler)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with self.assertRaisesRegex(TimeIsUp, "now"):
                self.long_world().proximities(1e-3, method="brute")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_fork(self):
        world, left, right, V = two_balls()
        expected = world.intersections().contacts.tobytes()
        pool = snag.World(threads=2)
        pool.add(V, left.triangles)
        pool.intersections()
        child = os.fork()
        if child == 0:
            try:
                same = world.intersections().contacts.tobytes() == expected
                pool.intersections()
                pool.close()
                world.close()
                os._exit(0 if same else 1)
            except BaseException:
                os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(world.intersections().contacts.tobytes(), expected)


@needs_numpy
class RodsAndPoints(unittest.TestCase):
    def test_rods_points_and_radii(self):
        world = snag.World(threads=1)
        yarn = world.add([[0, 0, 0], [1, 0, 0], [2, 0, 0]], edges=[[0, 1], [1, 2]], radius=[0.1, 0.2, 0.3])
        dust = world.add([[0.5, 0, 0.35], [5, 5, 5]], points=[0, 1], radius=0.1)
        self.assertEqual((yarn.rods.tolist(), dust.points.tolist(), round(yarn.radius, 6)), ([0, 1], [0, 1], 0.3))
        near = world.proximities(0.06, self_contacts=False)
        self.assertEqual([(c.kind, c.kind_a, c.a, c.kind_b, c.b) for c in near], [("vertex-edge", "vertex", 0, "edge", 0)])
        self.assertEqual(len(world.proximities(0.04, self_contacts=False)), 0)

    def test_bad_input_names_the_element(self):
        world = snag.World(threads=1)
        with self.assertRaisesRegex(snag.Error, "edge 0 has vertex 1 at both ends"):
            world.add([[0, 0, 0], [1, 0, 0]], edges=[[1, 1]])
        with self.assertRaisesRegex(snag.Error, "point 1 is vertex 0, as point 0 is"):
            world.add([[0, 0, 0], [1, 0, 0]], points=[0, 0])
        with self.assertRaisesRegex(snag.Error, "vertex 1: the radius must be finite"):
            world.add([[0, 0, 0], [1, 0, 0]], edges=[[0, 1]], radius=[1, -1])
        with self.assertRaisesRegex(snag.ArgumentError, "one for each of the 2 vertices"):
            world.add([[0, 0, 0], [1, 0, 0]], edges=[[0, 1]], radius=[1, 1, 1])


if __name__ == "__main__":
    unittest.main()
