"""The report page of an answer, or a picture of it."""
from __future__ import annotations

import html
import os
import subprocess
import tempfile
import webbrowser
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


def _has_browser() -> bool:
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


class Page:
    """The page inline; front ends that draw no pages (qtconsole, a terminal with pictures) take the picture."""

    def __init__(self, answer: "CheckAnswer", page: str):
        self._page = page
        self._answer = answer

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self._page)}" width="100%" height="600" style="border:0"></iframe>'

    def _repr_png_(self) -> bytes:
        return self._answer.picture()


def _write_page(answer: "CheckAnswer", target: str) -> None:
    """Writes the bodies as they stand, and has the tool make its page of them."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for body in answer.world.bodies:
            if body.tet_count or not body.triangle_count:
                raise ArgumentError("show draws pages of surfaces; for others: answer.picture(), or the tool: python -m snag check FILE "
                                    "--report PAGE.html")
            positions = body.source.positions if body.source is not None else body.positions
            files.append(os.path.join(folder, f"{body.index}.obj"))
            io.write_obj(files[-1], positions, body.triangles, name=body.name)
        done = subprocess.run([program(), "check", "--question", answer.question, "--report", target, *files], capture_output=True,
                              text=True)
        if done.returncode not in (0, 1):
            raise Error(done.stderr.strip() or "the tool could not make the page")


def show(answer: "CheckAnswer", path: Any = None) -> Any:
    arrays.need_numpy()
    notebook = path is None and _in_notebook()
    if path is None:
        ending = "html" if notebook or _has_browser() else "png"
        target = os.path.join(tempfile.gettempdir(), f"snag-{os.getpid()}.{ending}")
    else:
        target = os.fspath(path)
    if target.lower().endswith(".png"):
        answer.picture(target)
        return target
    _write_page(answer, target)
    if not notebook:
        return target
    with open(target, encoding="utf-8") as file:
        text = file.read()
    os.unlink(target)
    return Page(answer, text)
