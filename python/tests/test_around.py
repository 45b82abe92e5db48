"""Shapes, scenes, files and response."""
import os
import pathlib
import tempfile
import unittest

from support import needs_numpy, numpy as np

import snag


@needs_numpy
class Shapes(unittest.TestCase):
    def test_all(self):
        for V, F in (snag.shapes.sheet(3, 4, 1, 2), snag.shapes.icosphere(1, 1), snag.shapes.sphere(8, 6, 1), snag.shapes.torus(8, 6, 1, 0.2),
                     snag.shapes.box(2, 1, 2, 3), snag.shapes.cylinder(8, 2, 1, 2)):
            self.assertEqual((V.dtype, F.dtype, V.shape[1], F.shape[1]), (np.float64, np.uint32, 3, 3))
            self.assertEqual(int(F.max()), len(V) - 1)
            self.assertEqual(len(snag.check(V, F, threads=1)), 0)
        V, T = snag.shapes.block(1, 1, 1, 1.0)
        self.assertEqual((V.shape, T.shape), ((8, 3), (5, 4)))
        for bad in ((0, 1, 1, 1), (1, 1, -1, 1), (1, 1, float("nan"), 1)):
            with self.assertRaises(snag.ArgumentError):
                snag.shapes.sheet(*bad)
        with self.assertRaises(TypeError):
            snag.shapes.sheet(1.5, 1, 1, 1)


@needs_numpy
class Scenes(unittest.TestCase):
    def test_steps_are_the_same_bytes(self):
        runs = []
        for threads in (1, 2):
            sim = snag.Sim("cloth-ball", size=0.1, threads=threads)
            for _ in range(3):
                report = sim.step()
            self.assertEqual(report.step, 3)
            runs.append([b.positions.tobytes() for b in sim.bodies])
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(sim.positions(0).tobytes(), runs[0][0])
        self.assertGreater(sim.thickness, 0)
        self.assertGreater(sim.mean_edge, 0)
        self.assertGreaterEqual(sim.measure(sim.thickness).crossing, 0)
        self.assertTrue(any(body.moves for body in sim.bodies))

    def test_words_on_what_is_wrong(self):
        with self.assertRaisesRegex(snag.ArgumentError, "cloth-ball"):
            snag.Sim("cloth-bell")
        with self.assertRaises(snag.Error):
            snag.Sim(size=-1)
        with self.assertRaises(IndexError):
            snag.Sim(size=0.1, threads=1).positions(99)
        self.assertTrue(all(scene.words and scene.steps for scene in snag.scenes()))


@needs_numpy
class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.V, self.F = snag.shapes.icosphere(2, 1.0)

    def test_what_is_written_is_read(self):
        for ending, write in ((".obj", snag.io.write_obj), (".ply", snag.io.write_ply)):
            write(self.folder / f"ball{ending}", self.V, self.F)
            body = snag.io.read(self.folder / f"ball{ending}").bodies[0]
            self.assertTrue((body.positions == self.V).all())
            self.assertTrue((body.faces == self.F).all())
            self.assertEqual(body.vertex_numbers.tolist(), list(range(len(self.V))))
        snag.io.write_ply(self.folder / "colour.ply", self.V.astype(np.float32), self.F, rgb=np.zeros((len(self.F), 3)))
        snag.io.write_glb(self.folder / "ball.glb", self.V, self.F, name="ball")
        self.assertEqual(snag.io.read(str(self.folder / "ball.glb")).bodies[0].face_count, len(self.F))
        with snag.io.Motion(self.folder / "ball.glb") as motion:
            self.assertEqual(len(motion.bodies), 1)
        V, T = snag.shapes.block(2, 1, 1, 1.0)
        snag.io.write_vtu(self.folder / "block.vtu", V, T, {"number": range(len(T))})
        self.assertEqual(snag.io.read(self.folder / "block.vtu").bodies[0].tets.tolist(), T.tolist())
        snag.io.write_pvd(self.folder / "all.pvd", ["block.vtu"], [0.0])

    def test_polygons_and_objects(self):
        text = b"o one\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nf 1 2 3 4\nf 2 5 3\no two\nv 0 0 5\nv 1 0 5\nv 0 1 5\nf 6 7 8\n"
        mesh = snag.io.read_bytes("two.obj", text)
        one, two = mesh.bodies
        self.assertEqual((one.name, two.name), ("one", "two"))
        self.assertEqual((one.face_sizes.tolist(), one.face_vertices.tolist()), ([4, 3], [0, 1, 2, 3, 1, 4, 2]))
        self.assertEqual((two.vertex_numbers.tolist(), two.face_numbers.tolist()), ([5, 6, 7], [2]))
        with self.assertRaisesRegex(snag.ArgumentError, "different sizes"):
            one.faces
        self.assertIsNone(one.vertex_labels)
        with self.assertRaisesRegex(snag.ArgumentError, "objects, groups"):
            snag.io.read_bytes("two.obj", text, split="halves")
        loose = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 5\nv 1 0 5\nv 0 1 5\nf 1 2 3\nf 4 5 6\n"
        self.assertEqual(len(snag.io.read_bytes("loose.obj", loose).bodies), 1)
        self.assertEqual(len(snag.io.read_bytes("loose.obj", loose, split="shells").bodies), 2)
        world = snag.World(threads=1)
        self.assertEqual(world.add_mesh(one).triangle_count, 3)
        self.assertEqual(world.add(one.positions, polygons=(one.face_sizes, one.face_vertices)).triangle_count, 3)
        mesh.close()
        with self.assertRaises(snag.StaleError):
            one.positions

    def test_elements_are_labelled(self):
        text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nusemtl red\nf 1 2 4\nusemtl blue\nf 1 3 4\nusemtl red\nf 2 3 4\n"
        mesh = snag.io.read_bytes("four.obj", text, label="materials")
        names = [None] + mesh.label_names
        self.assertEqual(sorted(mesh.label_names), ["blue", "red"])
        if snag.io.arrays.np is not None:
            self.assertEqual([names[n] for n in mesh.bodies[0].labels], [None, "red", "blue", "red"])
            self.assertIsNone(snag.io.read_bytes("four.obj", text).bodies[0].labels)
        self.assertEqual(snag.io.read_bytes("four.obj", text).label_names, [])
        for bad in ("objects", "shells", "colours", 7):
            with self.assertRaises(snag.ArgumentError):
                snag.io.read_bytes("four.obj", text, label=bad)
        with self.assertRaises(snag.ArgumentError):
            snag.io.read_bytes("four.obj", text, label="materials", split="groups")

    def test_add_file(self):
        snag.io.write_obj(self.folder / "ball.obj", self.V, self.F, name="ball")
        world = snag.World(threads=1)
        body, = world.add_file(self.folder / "ball.obj")
        self.assertEqual((body.name, body.triangle_count), ("ball", len(self.F)))
        self.assertEqual(body.source.label_names, [])

    def test_add_file_with_labels(self):
        text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nusemtl red\nf 1 2 4\nusemtl blue\nf 1 3 4\nusemtl red\nf 2 3 4\n"
        (self.folder / "four.obj").write_text(text)
        world = snag.World(threads=1)
        body, = world.add_file(self.folder / "four.obj", label="materials")
        names = body.source.label_names
        self.assertEqual(sorted(names), ["blue", "red"])
        if snag.io.arrays.np is not None:
            self.assertEqual([names[n - 1] if n else None for n in body.labels], [None, "red", "blue", "red"])
            plain, = world.add_file(self.folder / "four.obj")
            self.assertIsNone(plain.labels)
        with self.assertRaises(snag.ArgumentError):
            world.add_file(self.folder / "four.obj", label="colours")

    def test_sources_stay_on_disk(self):
        snag.io.write_chunked(self.folder / "ball.snag", self.V, self.F)
        world = snag.World(threads=1)
        world.add_source(self.folder / "ball.snag", name="disk")
        world.add(self.V + [1.5, 0, 0], self.F)
        self.assertGreater(len(world.intersections(method="spheres", self_contacts=False)), 0)
        with self.assertRaises(snag.UnsupportedError):
            world.intersections(method="kdop")
        with self.assertRaises(snag.UnsupportedError):
            world.body("disk").positions = self.V

    def test_caches(self):
        path = self.folder / "ball.pc2"
        snag.io.write_pc2(path, [self.V * s for s in (1, 2, 3)])
        with snag.io.Cache(path) as cache:
            self.assertEqual((len(cache), cache.vertex_count), (3, len(self.V)))
            self.assertTrue((cache[-1] == (3 * self.V).astype(np.float32)).all())
            self.assertEqual(len(list(cache)), 3)
            with self.assertRaises(IndexError):
                cache[3]
        with self.assertRaises(snag.StaleError):
            cache[0]
        with self.assertRaises(ZeroDivisionError):
            with snag.io.Pc2Writer(self.folder / "half.pc2", 1) as out:
                out.write([[0, 0, 0]])
                1 / 0
        self.assertFalse((self.folder / "half.pc2").exists())
        with self.assertRaises(snag.MismatchError):
            with snag.io.Pc2Writer(self.folder / "half.pc2", 2) as out:
                out.write([[0, 0, 0]])

    def test_sequences(self):
        for i in (0, 2, 10):
            snag.io.write_obj(self.folder / f"frame_{i}.obj", self.V, self.F)
        names = [os.path.basename(p) for p in snag.io.sequence(self.folder)]
        self.assertEqual(names, ["frame_0.obj", "frame_2.obj", "frame_10.obj"])

    def test_words_on_what_is_wrong(self):
        with self.assertRaisesRegex(snag.FileError, "absent.obj") as caught:
            snag.io.read(self.folder / "absent.obj")
        self.assertIsInstance(caught.exception, OSError)
        (self.folder / "bad.obj").write_text("v 0 0 0\nf 1 2 3\n")
        with self.assertRaisesRegex(snag.Error, "bad.obj:2"):
            snag.io.read(self.folder / "bad.obj")
        with self.assertRaises(snag.UnsupportedError):
            snag.io.read(self.folder / "mesh.xyz")
        with self.assertRaises(snag.LimitError):
            snag.io.write_obj(self.folder / "ball.obj", self.V, self.F)
            snag.io.read(self.folder / "ball.obj", most_bytes=1000)
        for bad in ("a\0b.obj",):
            with self.assertRaises(snag.ArgumentError):
                snag.io.read(bad)
        with self.assertRaises(TypeError):
            snag.io.read(3)
        with self.assertRaises(snag.ArgumentError):
            snag.io.write_obj(self.folder / "x.obj", self.V, self.F + 1)
        self.assertIn(".obj", snag.io.mesh_endings())
        self.assertIn(".pc2", snag.io.cache_endings())


@needs_numpy
class Response(unittest.TestCase):
    def sheets(self, gap=5e-4):
        V, F = snag.shapes.sheet(10, 10, 1, 1)
        world = snag.World(threads=1)
        return world, world.add(V, F), world.add(V + [0.03, 0.02, gap], F), V, V + [0.03, 0.02, gap]

    def test_apply(self):
        world, low, high, X, Y = self.sheets()
        hits = world.proximities(1e-3, self_contacts=False)
        before = Y.copy()
        v = np.tile([0.0, 0, -1], (len(Y), 1))
        report = world.apply(hits, [snag.Moving(low, X), snag.Moving(high, Y, velocities=v, inverse_masses=np.ones(len(Y)))],
                             thickness=1e-3, dt=0.01)
        self.assertGreater(report.contacts, 0)
        self.assertGreater((Y - before)[:, 2].max(), 0)
        self.assertGreater(v[:, 2].max(), -1)
        self.assertTrue(hits.valid)
        with self.assertRaisesRegex(snag.ArgumentError, "not a copy"):
            world.apply(hits.copy(), snag.Moving(low, X))

    def test_advance(self):
        world, low, high, X, Y = self.sheets(0.1)
        start = Y.copy()
        Y[:, 2] -= 0.2  # through the lower one
        v = (Y - start) / 0.01
        report = world.advance([snag.Moving(low, X), snag.Moving(high, Y, velocities=v, inverse_masses=np.ones(len(Y)), start=start)],
                               dt=0.01, thickness=1e-3)
        self.assertGreater(report.impacts, 0)
        self.assertEqual(report.fraction, 1)
        self.assertGreater(Y[:, 2].mean(), 0)
        self.assertEqual(len(world.intersections()), 0)

    def test_untangle(self):
        world, low, high, X, Y = self.sheets(0)
        Y = X.copy()
        Y[:, 2] += 0.02 * np.sin(9 * Y[:, 0] + 1)
        high.teleport(Y)
        self.assertGreater(len(world.intersections()), 0)
        ones = np.ones(len(X))
        report = world.untangle([snag.Moving(low, X, inverse_masses=ones), snag.Moving(high, Y, inverse_masses=ones)])
        self.assertGreater(report.tangled, 0)
        self.assertEqual(report.left, len(world.intersections()))

    def test_fix(self):
        world, low, high, X, Y = self.sheets(0)
        Y = X.copy()
        Y[:, 2] += 0.02 * np.sin(9 * Y[:, 0] + 1)
        high.teleport(Y)
        before, first = len(world.intersections()), X.copy()
        ones, told = np.ones(len(X)), []
        report = world.fix([snag.Moving(low, X), snag.Moving(high, Y, inverse_masses=ones)], progress=told.append)
        self.assertEqual((report.contacts, report.left), (before, 0))
        self.assertEqual(len(world.intersections()), 0)
        self.assertTrue(report.complete and told)
        self.assertTrue((X == first).all())
        self.assertEqual(sum(place.contacts for place in report.places), before)
        self.assertEqual({place.outcome for place in report.places}, {"freed"})
        self.assertEqual({place.a.name for place in report.places} | {place.b.name for place in report.places}, {low.name, high.name})
        with self.assertRaises(ZeroDivisionError):
            Z = X.copy()
            Z[:, 2] += 0.02 * np.sin(9 * Z[:, 0] + 1)
            world.fix([snag.Moving(low, X), snag.Moving(high, Z, inverse_masses=ones)], progress=lambda done: 1 / 0)
        for bad in ({"max_move": -1}, {"max_move": float("nan")}, {"budget": 0}, {"rigid": [low]}):
            with self.assertRaises(snag.ArgumentError):
                world.fix([snag.Moving(low, X), snag.Moving(high, Y, inverse_masses=ones)], **bad)
        with self.assertRaises(TypeError):
            world.fix(snag.Moving(high, Y, inverse_masses=ones), strength=3)
        with self.assertRaises(snag.BodyError):
            world.fix(snag.Moving(snag.World(threads=1).add(X), X))

    def test_fix_of_one_mesh(self):
        V, F = snag.shapes.box(6, 1, 1, 1)
        W = V + [0.9, 0.05, 0.03]
        held = np.arange(2 * len(V)) < len(V)
        X, report = snag.fix(np.vstack([V, W]), np.vstack([F, F + len(V)]), held=held, threads=1)
        self.assertEqual((report.left, report.freed), (0, 1))
        self.assertTrue((X[:len(V)] == V).all())

    def test_arrays_that_cannot_be_changed_in_place(self):
        world, low, high, X, Y = self.sheets()
        hits = world.proximities(1e-3)
        frozen = X.copy()
        frozen.flags.writeable = False
        for bad, error in ((X.astype(np.float32), TypeError), (np.asfortranarray(X), TypeError), (X.tolist(), TypeError),
                           (X[:5], snag.ArgumentError), (frozen, snag.ArgumentError)):
            with self.assertRaises(error):
                world.apply(hits, [snag.Moving(low, bad), snag.Moving(high, Y)])
        with self.assertRaisesRegex(TypeError, "no setting"):
            world.apply(hits, [snag.Moving(low, X)], strength=3)
        with self.assertRaisesRegex(snag.ArgumentError, "start"):
            world.advance(snag.Moving(low, X, inverse_masses=np.ones(len(X))), dt=0.1)
        with self.assertRaises(snag.BodyError):
            world.untangle(snag.Moving(snag.World(threads=1).add(X), X))


if __name__ == "__main__":
    unittest.main()
