"""The command-line tool."""
from __future__ import annotations

import os
import shutil
import sys

from . import _layout
from ._native import _PACKAGE, _folders


def program() -> str:
    """Where the tool is: in the wheel, in the build folder of the sources, or on the PATH."""
    places = [os.environ.get("SNAG_PROGRAM", ""), os.path.join(_PACKAGE, "native", "bin", "snag")]
    places += [os.path.join(folder, "snag") for folder in _folders()]
    for place in places:
        if place and os.path.isfile(place):
            if not os.access(place, os.X_OK):  # some programs unpack archives without permissions
                os.chmod(place, 0o755)
            return place
    found = shutil.which("snag")
    # The command of this package is a script that would start itself again and again.
    if found and open(found, "rb").read(4) == b"\x7fELF":
        return found
    raise FileNotFoundError(f"snag: the tool is not there. The wheel holds it; else build the sources of {_layout.VERSION} with "
                            "script/build, or set SNAG_PROGRAM to it.")


def main() -> None:
    """Runs the tool in place of this process."""
    try:
        path = program()
    except FileNotFoundError as error:
        sys.exit(str(error))
    os.execv(path, ["snag", *sys.argv[1:]])
