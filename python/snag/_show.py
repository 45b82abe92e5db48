"""The report page of an answer."""
from __future__ import annotations

import html
import os
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

from . import _arrays as arrays
from . import io
from ._errors import ArgumentError, Error
from ._tool import program

if TYPE_CHECKING:
    from ._check import CheckAnswer


def _in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


def show(answer: "CheckAnswer", path: Any = None) -> Any:
    """Writes the bodies as they stand, and has the tool make its page of them."""
    arrays.need_numpy()
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for body in answer.world.bodies:
            if body.tet_count or not body.triangle_count:
                raise ArgumentError("show draws surfaces; for tetrahedra use the tool: python -m snag check FILE --report PAGE.html")
            positions = body.source.positions if body.source is not None else body.positions
            files.append(os.path.join(folder, f"{body.index}.obj"))
            io.write_obj(files[-1], positions, body.triangles, name=body.name)
        target = os.fspath(path) if path is not None else os.path.join(tempfile.gettempdir(), f"snag-{os.getpid()}.html")
        done = subprocess.run([program(), "check", "--question", answer.question, "--report", target, *files], capture_output=True,
                              text=True)
        if done.returncode not in (0, 1):
            raise Error(done.stderr.strip() or "the tool could not make the page")
    if path is None and _in_notebook():
        from IPython.display import HTML
        with open(target) as page:
            text = page.read()
        os.unlink(target)
        return HTML(f'<iframe srcdoc="{html.escape(text)}" width="100%" height="600" style="border:0"></iframe>')
    return target
