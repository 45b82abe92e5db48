"""Python gives the bytes that C gives."""
import os
import shutil
import subprocess
import tempfile
import unittest

from support import ROOT, TESTS, libraries, needs_numpy, numpy as np

import snag

COMPILER = shutil.which(os.environ.get("CC", "cc"))
INCLUDE = os.path.join(ROOT, "include")


class Numbers:
    def __init__(self):
        self.state = 12345

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 40) / 16777216.0


def digest(data):
    made = 14695981039346656037
    for byte in data:
        made = ((made ^ byte) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
    return made


def live():
    V, F = snag.shapes.icosphere(1, 1.0)
    scale = 1 + 0.2 * (np.arange(V.size) % 5).astype(float)
    numbers = Numbers()
    world = snag.World(threads=1, number=7)
    bodies = [None] * 4
    ask = [world.intersections, lambda **o: world.proximities(0.1, track=True, **o), world.penetrations, world.impacts, world.distance]
    for step in range(1000):
        body = int(numbers.next() * 4)
        shift = [3 * numbers.next() for _ in range(3)]
        act = numbers.next()
        X = (V.reshape(-1) * scale).reshape(-1, 3) + shift
        if step % 7 == 0:
            world.begin_step()
        if bodies[body] is None:
            bodies[body] = world.add(X, F)
        elif act < 0.1:
            bodies[body].remove()
            bodies[body] = None
        elif act < 0.2:
            bodies[body].teleport(X)
        else:
            bodies[body].positions = X
        pairs = step % 3 == 0 and step % 5 != 1
        answer = ask[step % 5](output="pairs" if pairs else "contacts")
        data = (answer.pairs if pairs else answer.contacts)
        raw = data.view(np.uint8).reshape(-1) if len(data) else np.zeros(0, np.uint8)
        yield step, len(answer), raw.tobytes()


@needs_numpy
@unittest.skipUnless(COMPILER and os.path.isdir(INCLUDE), "needs a C compiler and the headers")
class SameBytes(unittest.TestCase):
    def test_a_random_life_of_a_thousand_steps(self):
        with tempfile.TemporaryDirectory() as folder:
            program, library = os.path.join(folder, "life"), libraries()[0]
            subprocess.run([COMPILER, "-std=c17", "-O1", "-ffp-contract=off", "-I", INCLUDE, os.path.join(TESTS, "life.c"), "-o", program,
                            library, f"-Wl,-rpath,{os.path.dirname(library)}"], check=True)
            lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split("\n")
        contacts = 0
        for line, (step, count, data) in zip(lines, live()):
            expected_step, expected_count, expected = line.split()
            self.assertEqual((step, count), (int(expected_step), int(expected_count)))
            contacts += count
            # Hashing in Python is slow: every 50th step, and all that are short.
            if len(data) < 3000 or step % 50 == 0:
                self.assertEqual(f"{digest(data):016x}", expected, f"step {step}")
        self.assertEqual(step, 999)
        self.assertGreater(contacts, 10000)


if __name__ == "__main__":
    unittest.main()
