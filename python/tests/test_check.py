"""snag.check says what the tool says."""
import csv
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

from support import DATA, needs_data, needs_numpy, numpy as np, run_python

import snag
from snag._tool import program

ENDINGS = (".obj", ".ply", ".off", ".stl", ".msh", ".mesh", ".vtk", ".vtu", ".node", ".3mf", ".gltf", ".glb", ".fbx", ".dae")

try:
    TOOL = program()
except FileNotFoundError:
    TOOL = None


def tool(*arguments):
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True)


@unittest.skipUnless(TOOL, "the tool is not built")
class AsTheTool(unittest.TestCase):
    def compare(self, *paths, pairs=False):
        with tempfile.TemporaryDirectory() as folder:
            listed = os.path.join(folder, "pairs.csv")
            done = tool("check", "--json", "--threads", "1", *(["--pairs", listed] if pairs else []), *paths)
            if done.returncode == 2 and not done.stdout:
                with self.assertRaises(snag.Error, msg=f"{paths}: {done.stderr}"):
                    snag.check(*paths, threads=1)
                return None
            told = json.loads(done.stdout)
            if len(told["frames"]) > 1:  # the tool plays the motion of such files, which check does not
                return None
            answer = snag.check(*paths, threads=1)
            self.assertEqual(len(answer), told["contacts_total"], paths)
            self.assertEqual(answer.complete, told["complete"], paths)
            self.assertEqual(answer.question, told["question"], paths)
            self.assertEqual(answer.degenerate, told["frames"][0]["degenerate"], paths)
            if pairs:
                with open(listed, newline="") as lines:
                    expected = sorted((tuple(sorted((line["a"], line["b"]))), line["kind"]) for line in csv.DictReader(lines))
                found = sorted((tuple(sorted((a, b))), c.kind) for c, (_, a, _, b) in zip(answer, answer.names()))
                self.assertEqual(found, expected, paths)
        return answer

    def test_polygons_volumes_and_both(self):
        with tempfile.TemporaryDirectory() as folder:
            cubes = os.path.join(folder, "cubes.obj")
            with open(cubes, "w") as out:
                for k in range(2):
                    out.write(f"o cube{k}\n")
                    for i in range(8):
                        out.write(f"v {(i & 1) + 0.5 * k} {(i >> 1 & 1) + 0.25 * k} {(i >> 2 & 1) + 0.3 * k}\n")
                    for face in ("1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"):
                        out.write("f " + " ".join(str(int(v) + 8 * k) for v in face.split()) + "\n")
            answer = self.compare(cubes, pairs=True)
            self.assertGreater(len(answer), 0)
            tets = os.path.join(folder, "block.mesh")
            with open(tets, "w") as out:
                out.write("MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 0\n2 0 0 0\n0 2 0 0\n0 0 2 0\n.3 .3 .3 0\n"
                          "Tetrahedra\n2\n1 2 3 4 0\n5 2 3 4 0\nEnd\n")
            self.compare(tets, pairs=True)
            answer = self.compare(tets, cubes, pairs=True)
            self.assertEqual(answer.question, "penetrations")
            self.assertTrue({"inside", "crossing"} & {c.kind for c in answer})

    def test_hexahedra_count_as_cells(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hex.vtk")
            corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
            shifts = [(0, 0, 0), (0.5, 0.4, 0.3), (0.2, 0.6, -0.5)]
            points = [tuple(c + s for c, s in zip(corner, shift)) for shift in shifts for corner in corners]
            with open(path, "w") as out:
                out.write(f"# vtk DataFile Version 3.0\nhex\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {len(points)} double\n")
                out.write("".join("%g %g %g\n" % p for p in points))
                out.write("CELLS 3 27\n" + "".join("8 " + " ".join(str(8 * k + i) for i in range(8)) + "\n" for k in range(3)))
                out.write("CELL_TYPES 3\n12\n12\n12\n")
            answer = self.compare(path, pairs=True)
            self.assertGreater(len(answer), 0)
            self.assertLess(len(answer), len(answer.world.penetrations()))

    @needs_data
    def test_all_files_of_the_data(self):
        seen = 0
        for path in sorted(pathlib.Path(DATA).rglob("*")):
            if path.suffix.lower() not in ENDINGS or path.stat().st_size > LARGEST:
                continue
            with self.subTest(path=str(path.relative_to(DATA))):
                seen += self.compare(path, pairs=path.stat().st_size < 200_000) is not None
        self.assertGreater(seen, 20)

    def test_python_m_snag(self):
        environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(snag.__file__)))
        done = subprocess.run([sys.executable, "-m", "snag", "--version"], capture_output=True, text=True, env=environment)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, f"snag {snag.__version__}"))
        done = subprocess.run([sys.executable, "-m", "snag", "check", "absent.obj"], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 2)

    @needs_numpy
    def test_show_writes_the_page(self):
        V, F = snag.shapes.icosphere(2, 1.0)
        answer = snag.check(np.vstack([V, V + [1, 0, 0]]), np.vstack([F, F + len(V)]), threads=1)
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.html")
            try:
                self.assertEqual(answer.show(page), page)
            except snag.Error as error:
                self.assertIn("page", str(error))  # a build without the page says so
                self.skipTest(str(error))
            self.assertGreater(os.path.getsize(page), 10000)

    @needs_numpy
    def test_picture_shows_what_catches(self):
        V, F = snag.shapes.icosphere(3, 1.0)
        both = np.vstack([F, F + len(V)])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "picture.png")
            red = []
            for apart in (1.0, 3.0):
                answer = snag.check(np.vstack([V, V + [apart, 0, 0]]), both, threads=1)
                self.assertEqual(answer.show(path), path)
                pixels = read_png(path)
                self.assertEqual(pixels.shape, (600, 900, 3))
                self.assertGreater(np.count_nonzero((pixels != 255).any(axis=2)), 50000)  # bodies on white paper
                red.append(np.count_nonzero(pixels[:, :, 0] > 2 * pixels[:, :, 1].astype(int)))
            self.assertGreater(red[0], 1000)
            self.assertEqual(red[1], 0)
        # Tetrahedra and vertices inside them, and bad input.
        V, T = snag.shapes.block(3, 3, 3, 1.0)
        answer = snag.check(np.vstack([V, V + 0.4]), tets=np.vstack([T, T + len(V)]), threads=1)
        self.assertTrue(len(answer) > 0 and answer.picture(width=64, height=64).startswith(b"\x89PNG"))
        for bad in (dict(width=0), dict(height=1 << 20), dict(direction=(0, 0, 1)), dict(direction=(1, float("nan"), 0)), dict(direction=1)):
            with self.assertRaises(snag.ArgumentError):
                answer.picture(**bad)


def read_png(path):
    with open(path, "rb") as file:
        data = file.read()
    width, height = struct.unpack(">II", data[16:24])
    at = data.index(b"IDAT") + 4
    rows = zlib.decompress(data[at:at + struct.unpack(">I", data[at - 8:at - 4])[0]])
    return np.frombuffer(rows, np.uint8).reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)


# Some seconds; SNAG_TEST_LARGEST=100000000 takes all of them.
LARGEST = int(os.environ.get("SNAG_TEST_LARGEST", "500000"))


class WithoutNumPy(unittest.TestCase):
    """The same in an interpreter that has no NumPy."""

    def test_files_can_be_checked(self):
        code = """
import sys
sys.modules["numpy"] = None
import snag
with open(sys.argv[1], "w") as out:
    out.write("v 0 0 0\\nv 1 0 0\\nv 1 1 0\\nv 0 1 0\\nv .5 .5 -1\\nv .5 .6 1\\nv .6 .5 1\\nf 1 2 3 4\\nf 5 6 7\\n")
answer = snag.check(sys.argv[1], threads=1)
assert len(answer) == 1 and answer, answer
contact, = answer
assert (contact.a, contact.b, contact.kind) == (0, 2, "crossing"), contact
assert list(answer.names()) == [("x", "t0", "x", "t1")], list(answer.names())
assert answer.complete and answer.statistics.candidates > 0
kept = answer.copy()
answer.world.intersections()
assert kept[0] == contact and len(kept) == 1
for act in (lambda: answer.a, lambda: kept.normal, lambda: kept.contacts, lambda: snag.shapes.sheet(1, 1, 1, 1),
            lambda: snag.World(threads=1).add([[0, 0, 0]]), lambda: answer.world.bodies[0].triangles, lambda: snag.weld([[0, 0, 0]]),
            lambda: snag.io.read(sys.argv[1]).bodies[0].positions, lambda: snag.untangle([], [])):
    try:
        act()
    except ImportError as error:
        assert "pip install numpy" in str(error), error
    else:
        raise AssertionError(act)
world = snag.World(threads=1)
body, = world.add_file(sys.argv[1])
assert body.check().boundary_edges == 7, body.check()
assert len(world.intersections(output="pairs")) >= 1
print(repr(world), repr(answer))
"""
        with tempfile.TemporaryDirectory() as folder:
            done = run_python(code, os.path.join(folder, "x.obj"))
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(TOOL and os.path.isdir(DATA), "needs the tool and the data")
    def test_counts_are_the_same(self):
        files = [p for p in sorted(pathlib.Path(DATA).rglob("*")) if p.suffix.lower() in (".obj", ".msh") and p.stat().st_size < 100_000][:12]
        code = """
import sys
sys.modules["numpy"] = None
import snag
print([len(snag.check(path, threads=1)) for path in sys.argv[1:]])
"""
        done = run_python(code, *map(str, files))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), [json.loads(tool("check", "--json", p).stdout)["contacts_total"] for p in files])


if __name__ == "__main__":
    unittest.main()
