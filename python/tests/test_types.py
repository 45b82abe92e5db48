"""Type hints hold, where mypy is installed."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

from support import PACKAGE, needs_numpy

SNIPPET = """
import numpy as np
import snag

world = snag.World(threads=1)
V, F = snag.shapes.icosphere(1, 1.0)
body: snag.Body = world.add(V, F)
with world.step():
    body.positions = V
hits: snag.Answer = world.proximities(distance=0.1, method="kdop", k=18)
total: float = float(hits.distance.sum())
n: int = len(snag.check("a.obj"))
"""


@needs_numpy
@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class Types(unittest.TestCase):
    def run_mypy(self, *arguments):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", cache, *arguments], capture_output=True, text=True,
                                  cwd=PACKAGE, env=dict(os.environ, MYPYPATH=PACKAGE))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_package(self):
        self.run_mypy("--strict", "--no-warn-return-any", "--implicit-reexport", "--ignore-missing-imports", "-p", "snag")

    def test_a_program(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as out:
            out.write(SNIPPET)
            out.flush()
            self.run_mypy("--ignore-missing-imports", out.name)


if __name__ == "__main__":
    unittest.main()
