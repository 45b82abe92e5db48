"""What the tests share."""
import os
import subprocess
import sys
import unittest

try:
    import numpy
except ImportError:
    numpy = None

TESTS = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(TESTS)
ROOT = os.path.dirname(PACKAGE)
DATA = os.environ.get("SNAG_DATA") or os.path.join(os.path.dirname(ROOT), "shared", "data")

needs_numpy = unittest.skipIf(numpy is None, "NumPy is not installed")
needs_data = unittest.skipUnless(os.path.isdir(DATA), f"{DATA} is not there")


def run_python(code, *arguments, env=None, timeout=120):
    """Runs code in a fresh interpreter that finds the same package."""
    import snag
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(snag.__file__)), **(env or {}))
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=environment, timeout=timeout)


def libraries():
    """The core library and the helper that the package uses."""
    import snag
    return snag._native.lib.core._name, snag._native.lib.python._name
