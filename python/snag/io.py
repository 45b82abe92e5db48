"""Readers and writers that keep the numbering of the file: vertex 7 of the file is vertex 7 of the array.

>>> import os, tempfile, snag
>>> V, F = snag.shapes.icosphere(2, 1.0)
>>> path = os.path.join(tempfile.mkdtemp(), "ball.obj")
>>> snag.io.write_obj(path, V, F, name="ball")
>>> mesh = snag.io.read(path)
>>> mesh
<snag.io.Mesh: 1 body, 162 vertices, 320 faces>
>>> (mesh.bodies[0].positions == V).all(), (mesh.bodies[0].faces == F).all()
(True, True)
"""
from __future__ import annotations

import ctypes
import operator
import os
import threading
import weakref
from ctypes import addressof, byref, c_size_t, c_void_p
from typing import Any, Iterator, NamedTuple, Sequence

from . import _arrays as arrays
from . import _layout as L
from ._errors import ArgumentError, StaleError
from ._names import Split, number
from ._native import Watch, check_io, lib, text
from ._options import unsigned

__all__ = ["Animation", "Cache", "Mesh", "MeshBody", "Motion", "Pc2Writer", "cache_endings", "mesh_endings", "read", "read_bytes",
           "sequence", "write_chunked", "write_glb", "write_obj", "write_pc2", "write_ply", "write_pvd", "write_vtu"]


def _path(path: Any) -> bytes:
    made = os.fsencode(os.fspath(path))
    if b"\0" in made:
        raise ArgumentError("a path holds no zero byte")
    return made


def mesh_endings() -> list[str]:
    """The endings of mesh files that can be read, such as ".obj"."""
    return text(lib.snag_io_mesh_endings()).split()


def cache_endings() -> list[str]:
    """The endings of animation caches that can be read."""
    return text(lib.snag_io_cache_endings()).split()


# ---- meshes --------------------------------------------------------------------------------------------------------

class _Owner:
    """What the C library gave, until it is closed or nobody needs it any more. Meshes and their bodies share it."""

    def __init__(self, free: Any, given: Any):
        self._end = weakref.finalize(self, free, given)
        self._end.atexit = False

    @property
    def closed(self) -> bool:
        return not self._end.alive

    def close(self) -> None:
        self._end()


class MeshBody:
    """One body of a file. Elements use local vertex numbers; `vertex_numbers` and the others lead back to the file's."""

    def __init__(self, owner: _Owner, address: int, index: int):
        self._owner = owner
        self._address = address
        self._raw = L.snag_io_body.from_address(address)
        self._index = index
        self.label_names: list[str] = []  # of the file it is in

    def _open(self) -> Any:
        if self._owner.closed:
            raise StaleError("the mesh is closed")
        return self._raw

    @property
    def name(self) -> str:
        """The object's name, or the file's without folder and ending."""
        at = self._open().name
        return text(ctypes.string_at(at)) if at else ""

    @property
    def vertex_count(self) -> int:
        return int(self._open().vertex_count)

    @property
    def face_count(self) -> int:
        return int(self._open().polygon_count)

    @property
    def tet_count(self) -> int:
        return int(self._open().tet_count)

    @property
    def positions(self) -> Any:
        """(n, 3) float64."""
        return arrays.copied(self._open().positions, (self.vertex_count, 3), "f8")

    @property
    def face_sizes(self) -> Any:
        """Vertices of each face."""
        arrays.need_numpy()
        at = self._open().polygon_sizes
        return arrays.copied(at, (self.face_count,), "u4") if at else arrays.np.full(self.face_count, 3, "u4")

    @property
    def face_vertices(self) -> Any:
        """Vertices of all faces, one after the other."""
        return arrays.copied(self._open().polygon_vertices, (int(self.face_sizes.sum(dtype="u8")),), "u4")

    @property
    def faces(self) -> Any:
        """(n, k) vertices of the faces, if all have as many; else ArgumentError: use face_sizes and face_vertices, or triangles."""
        sizes = self.face_sizes
        k = int(sizes[0]) if len(sizes) else 3
        if (sizes != k).any():
            raise ArgumentError("faces of different sizes make no array; world.add takes polygons=(body.face_sizes, body.face_vertices)")
        return self.face_vertices.reshape(-1, k)

    @property
    def tets(self) -> Any:
        """(n, 4) vertices of the tetrahedra."""
        return arrays.copied(self._open().tets, (self.tet_count, 4), "u4")

    @property
    def labels(self) -> Any:
        """With label= of `read`: for each tetrahedron, or if there are none each face, the number n of its label, whose name is
        label_names[n - 1]; 0: none. For labels= of world.add. None without labels."""
        at = self._open().labels
        return arrays.copied(at, (self.tet_count or self.face_count,), "u4") if at else None

    def _numbers(self, field: str, count: int) -> Any:
        arrays.need_numpy()
        at = getattr(self._open(), field)
        return arrays.copied(at, (count,), "u4") if at else arrays.np.arange(count, dtype="u4")

    @property
    def vertex_numbers(self) -> Any:
        """The number of each vertex in the file, counted from 0."""
        return self._numbers("vertex_numbers", self.vertex_count)

    @property
    def vertex_labels(self) -> Any:
        """Of formats that label their nodes (Abaqus, Nastran, ...): the label of each vertex; None of others."""
        arrays.need_numpy()
        at = self._open().vertex_labels
        return arrays.copied(at, (self.vertex_count,), "u4") if at else None

    @property
    def face_numbers(self) -> Any:
        """The number of each face in the file, counted from 0."""
        return self._numbers("polygon_numbers", self.face_count)

    @property
    def tet_numbers(self) -> Any:
        """The number of each tetrahedron in the file, counted from 0."""
        return self._numbers("tet_numbers", self.tet_count)

    def __repr__(self) -> str:
        if self._owner.closed:
            return "<snag.io.MeshBody: closed>"
        elements = f"{self.tet_count:,} tetrahedra" if self.tet_count else f"{self.face_count:,} faces"
        return f'<snag.io.MeshBody "{self.name}": {self.vertex_count:,} vertices, {elements}>'


def _free_mesh(raw: Any) -> None:
    lib.snag_io_mesh_free(byref(raw))


class Mesh:
    """All bodies of a file. `note` says what was passed over in it."""

    def __init__(self, raw: Any, note: str):
        self._raw = raw
        self.note = note
        self._owner = _Owner(_free_mesh, raw)
        size = ctypes.sizeof(L.snag_io_body)
        self.bodies = [MeshBody(self._owner, raw.bodies + i * size, i) for i in range(raw.body_count)]
        self.vertex_count: int = raw.vertex_count
        self.face_count: int = raw.face_count
        self.tet_count: int = raw.tet_count
        self.skipped: int = raw.skipped
        self.left_out: int = raw.left_out
        self.curved: int = raw.curved
        self.curved_cut: int = raw.curved_cut
        self.metres: float = raw.metres
        names = (c_void_p * raw.label_count).from_address(raw.label_names) if raw.label_count else ()
        self.label_names: list[str] = [text(ctypes.string_at(at)) for at in names]  # of label n: [n - 1]
        for body in self.bodies:
            body.label_names = self.label_names

    @property
    def closed(self) -> bool:
        return self._owner.closed

    def close(self) -> None:
        """Frees the mesh. One that nobody needs any more is freed by itself."""
        self._owner.close()

    def __enter__(self) -> "Mesh":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a Mesh cannot be pickled; pickle its arrays, or read the file again")

    def __repr__(self) -> str:
        n = len(self.bodies)
        parts = [f"{n} bod{'y' if n == 1 else 'ies'}", f"{self.vertex_count:,} vertices"]
        parts.append(f"{self.tet_count:,} tetrahedra" if self.tet_count else f"{self.face_count:,} faces")
        return f"<snag.io.Mesh: {', '.join(parts)}>"


def _read_options(watch: Watch, most_bytes: int, isolate: bool, seconds: float, split: str = "objects",
                  curved: bool = False, label: str | None = None) -> Any:
    options = lib.snag_io_default_read_options()
    options.most_bytes = unsigned(most_bytes, "most_bytes", 64)
    options.isolate = bool(isolate)
    options.split = number(Split, split)
    if label is not None:
        if label not in ("groups", "materials", "parts"):
            raise ArgumentError(f'label must be "groups", "materials" or "parts", not {label!r}')
        options.label = number(Split, label)
    options.curved = bool(curved)
    options.isolate_seconds = float(seconds)
    options.go_on = lib.go_on
    options.context = addressof(watch)
    return options


def read(path: Any, *, most_bytes: int = 0, isolate: bool = True, seconds: float = 0.0, split: str = "objects",
         curved: bool = False, label: str | None = None) -> Mesh:
    """Reads a mesh file, by its ending.

    split: what becomes a body of its own: "objects", "groups", "materials", "parts" or "shells" (what hangs together). curved: cut cells of
    second order at their mid-nodes; otherwise they are read by their corners. label: "groups", "materials" or "parts" of the file label the
    elements: see MeshBody.labels and Mesh.label_names. most_bytes: memory for what is made of it; 0 for 256 MB, and
    64 times its size on top. isolate: read FBX, COLLADA and USD in a child process, for `seconds` at most, since their importer crashes on some damaged files."""
    watch, raw, error = Watch(), L.snag_io_mesh(), L.snag_io_error()
    options = _read_options(watch, most_bytes, isolate, seconds, split, curved, label)
    status = lib.snag_io_read_mesh_with(_path(path), byref(options), byref(raw), byref(error))
    watch.raise_caught()
    check_io(status, error)
    return Mesh(raw, text(error.message))


def read_bytes(name: str, data: Any, *, most_bytes: int = 0, isolate: bool = True, seconds: float = 0.0,
               split: str = "objects", curved: bool = False, label: str | None = None) -> Mesh:
    """Reads a mesh from memory; the ending of `name` says the format."""
    held = bytes(data)
    watch, raw, error = Watch(), L.snag_io_mesh(), L.snag_io_error()
    options = _read_options(watch, most_bytes, isolate, seconds, split, curved, label)
    status = lib.snag_io_parse_mesh_with(name.encode(), held, len(held), byref(options), byref(raw), byref(error))
    watch.raise_caught()
    check_io(status, error)
    return Mesh(raw, text(error.message))


# ---- motion --------------------------------------------------------------------------------------------------------

class Cache:
    """An animation cache (PC2, MDD): `len(cache)` frames, and `cache[k]` the (n, 3) float32 positions of frame k."""

    def __init__(self, path: Any):
        made, error = c_void_p(), L.snag_io_error()
        check_io(lib.snag_io_cache_open(_path(path), byref(made), byref(error)), error)
        self._handle = made.value
        self._end = weakref.finalize(self, lib.snag_io_cache_close, made.value)
        self._end.atexit = False
        self._lock = threading.Lock()
        self.vertex_count: int = lib.snag_io_cache_vertex_count(self._handle)
        self.frame_count: int = lib.snag_io_cache_frame_count(self._handle)

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._end()

    def __enter__(self) -> "Cache":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __len__(self) -> int:
        """Frames that are there: fewer than frame_count if the file is truncated."""
        return int(lib.snag_io_cache_held_count(self._handle)) if self._end.alive else 0

    def __getitem__(self, frame: int) -> Any:
        arrays.need_numpy()
        made = arrays.np.empty((self.vertex_count, 3), arrays.np.float32)
        error = L.snag_io_error()
        with self._lock:
            if not self._end.alive:
                raise StaleError("the cache is closed")
            frame = operator.index(frame)
            if frame < 0:
                frame += len(self)
            if not 0 <= frame < len(self):
                raise IndexError(f"the cache has {len(self)} frames")
            check_io(lib.snag_io_cache_read(self._handle, frame, arrays.address(made), byref(error)), error)
        return made

    def __iter__(self) -> Iterator[Any]:
        for k in range(len(self)):
            yield self[k]

    def __reduce__(self) -> Any:
        raise TypeError("a Cache cannot be pickled; open the file in the process that reads it")

    def __repr__(self) -> str:
        return f"<snag.io.Cache: {len(self)} frames of {self.vertex_count:,} vertices>"


class Animation(NamedTuple):
    """An animation of a file: it goes from 0 to `seconds`; rate 0 if the file does not say. Result files have frames of their own, at
    `times`, and are posed at these; empty for others."""
    name: str
    seconds: float
    rate: float
    times: tuple[float, ...] = ()


class Motion:
    """A file whose meshes move by themselves (glTF; FBX and COLLADA where snag was built with assimp; Exodus, XDMF and MED
    with a displacement)."""

    def __init__(self, path: Any, *, most_bytes: int = 0, isolate: bool = True, seconds: float = 0.0):
        watch, made, error = Watch(), c_void_p(), L.snag_io_error()
        options = _read_options(watch, most_bytes, isolate, seconds)
        status = lib.snag_io_motion_open_with(_path(path), byref(options), byref(made), byref(error))
        watch.raise_caught()
        check_io(status, error)
        self._handle = made.value
        self._owner = _Owner(lib.snag_io_motion_close, made.value)
        self._lock = threading.Lock()
        raw = L.snag_io_mesh.from_address(lib.snag_io_motion_mesh(self._handle))
        size = ctypes.sizeof(L.snag_io_body)
        self.bodies = [MeshBody(self._owner, raw.bodies + i * size, i) for i in range(raw.body_count)]
        self.animations = []
        for i in range(lib.snag_io_motion_animation_count(self._handle)):
            a = lib.snag_io_motion_animation(self._handle, i)
            times = (ctypes.c_double * a.frame_count).from_address(a.times)[:] if a.frame_count else ()
            self.animations.append(Animation(text(a.name), a.seconds, a.rate, tuple(times)))

    @property
    def closed(self) -> bool:
        return self._owner.closed

    def close(self) -> None:
        """Frees it."""
        with self._lock:
            self._owner.close()

    def __enter__(self) -> "Motion":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def pose(self, seconds: float, animation: int = 0) -> list[Any]:
        """Positions of all bodies at a time of an animation."""
        arrays.need_numpy()
        error = L.snag_io_error()
        made = []
        with self._lock:
            if self.closed:
                raise StaleError("the file is closed")
            check_io(lib.snag_io_motion_pose(self._handle, unsigned(animation, "animation"), float(seconds), byref(error)), error)
            for i, body in enumerate(self.bodies):
                x = arrays.np.empty((body.vertex_count, 3), arrays.np.float64)
                check_io(lib.snag_io_motion_positions(self._handle, i, arrays.address(x), byref(error)), error)
                made.append(x)
        return made

    def __reduce__(self) -> Any:
        raise TypeError("a Motion cannot be pickled; open the file in the process that reads it")

    def __repr__(self) -> str:
        return f"<snag.io.Motion: {len(self.bodies)} bodies, {len(self.animations)} animations>"


def sequence(pattern_or_folder: Any) -> list[str]:
    """Files of a numbered sequence, by number: of a pattern such as "cloth_%04d.obj" or "cloth_*.obj", or of a folder."""
    paths, count, error = c_void_p(), c_size_t(), L.snag_io_error()
    check_io(lib.snag_io_sequence(_path(pattern_or_folder), byref(paths), byref(count), byref(error)), error)
    try:
        listed: Any = (ctypes.c_char_p * count.value).from_address(paths.value or 0) if count.value else []
        return [os.fsdecode(p) for p in listed]
    finally:
        lib.snag_io_paths_free(paths, count)


# ---- writing -------------------------------------------------------------------------------------------------------

def _surface(positions: Any, faces: Any, name: str | None, rgb: Any) -> tuple[Any, Any]:
    made = L.snag_io_surface()
    made.positions, x = arrays.positions(positions)
    f = arrays.indices(faces, "faces", 3)
    if f.size and int(f.max()) >= len(x):
        raise ArgumentError(f"faces: there is no vertex {int(f.max())}")
    made.triangles, made.triangle_count = arrays.address(f), len(f)
    if name is not None:
        made.name = name.encode()
    colours = None
    if rgb is not None:
        colours = arrays.np.ascontiguousarray(rgb, arrays.np.uint8)
        if colours.shape != (len(f), 3):
            raise ArgumentError(f"rgb: an array of shape ({len(f)}, 3) is needed, not {colours.shape}")
        made.rgb = arrays.address(colours)
    return made, (x, f, colours)


def _write(function: Any, path: Any, positions: Any, faces: Any, name: str | None, rgb: Any) -> None:
    made, kept = _surface(positions, faces, name, rgb)
    error = L.snag_io_error()
    check_io(function(_path(path), byref(made), 1, byref(error)), error)
    del kept


def write_obj(path: Any, positions: Any, faces: Any, *, name: str | None = None) -> None:
    """Writes triangles as OBJ. Reading it gives the same bits."""
    _write(lib.snag_io_write_obj, path, positions, faces, name, None)


def write_ply(path: Any, positions: Any, faces: Any, *, name: str | None = None, rgb: Any = None) -> None:
    """Writes triangles as binary PLY; rgb: (n, 3) bytes, a colour for each triangle."""
    _write(lib.snag_io_write_ply, path, positions, faces, name, rgb)


def write_glb(path: Any, positions: Any, faces: Any, *, name: str | None = None, rgb: Any = None) -> None:
    """Writes triangles as binary glTF; rgb: (n, 3) bytes, a colour for each triangle."""
    _write(lib.snag_io_write_glb, path, positions, faces, name, rgb)


def write_chunked(path: Any, positions: Any, faces: Any, *, numbers: Any = None) -> None:
    """Writes a surface in blocks (.snag), for world.add_source."""
    made, kept = _surface(positions, faces, None, None)
    error = L.snag_io_error()
    listed = arrays.indices(numbers, "numbers", None) if numbers is not None else None
    if listed is not None and len(listed) != made.triangle_count:
        raise ArgumentError("numbers: one for each triangle is needed")
    check_io(lib.snag_io_chunked_write(_path(path), byref(made), arrays.address(listed) if listed is not None else None, byref(error)),
             error)
    del kept


def _open_chunked(path: Any) -> int:
    made, error = c_void_p(), L.snag_io_error()
    check_io(lib.snag_io_chunked_open(_path(path), byref(made), byref(error)), error)
    return made.value or 0


def write_vtu(path: Any, positions: Any, cells: Any, fields: dict[str, Any] | None = None) -> None:
    """Writes triangles (n, 3) or tetrahedra (n, 4) for ParaView; fields: an int32 for each cell, by name."""
    c = arrays.as_array(cells)
    corners = c.shape[1] if c.ndim == 2 else 3
    made = L.snag_io_grid()
    made.positions, x = arrays.positions(positions)
    c = arrays.indices(c, "cells", corners)
    if corners not in (3, 4) or c.size and int(c.max()) >= len(x):
        raise ArgumentError("cells: triangles (n, 3) or tetrahedra (n, 4) of vertices that there are")
    made.cells, made.cell_count, made.corners = arrays.address(c), len(c), corners
    fields = fields or {}
    held = [arrays.np.ascontiguousarray(f, arrays.np.int32) for f in fields.values()]
    if any(f.shape != (len(c),) for f in held):
        raise ArgumentError("fields: one number for each cell is needed")
    listed = (c_void_p * max(1, len(held)))(*[arrays.address(f) for f in held])
    names = (ctypes.c_char_p * max(1, len(held)))(*[n.encode() for n in fields])
    made.fields = addressof(listed)
    error = L.snag_io_error()
    check_io(lib.snag_io_write_vtu(_path(path), byref(made), 1, addressof(names), len(held), byref(error)), error)


def write_pvd(path: Any, names: Sequence[str], times: Sequence[float]) -> None:
    """Writes ParaView's list of the files of a sequence. Names are as they stand beside the list."""
    if len(names) != len(times):
        raise ArgumentError("one time for each file is needed")
    listed = (ctypes.c_char_p * max(1, len(names)))(*[os.fsencode(n) for n in names])
    at = (ctypes.c_double * max(1, len(names)))(*times)
    error = L.snag_io_error()
    check_io(lib.snag_io_write_pvd(_path(path), addressof(listed), addressof(at), len(names), byref(error)), error)


class Pc2Writer:
    """Writes a PC2 cache frame by frame: `with snag.io.Pc2Writer(path, n) as out: out.write(X)`. An exception leaves no file."""

    def __init__(self, path: Any, vertex_count: int):
        made, error = c_void_p(), L.snag_io_error()
        check_io(lib.snag_io_pc2_create(_path(path), unsigned(vertex_count, "vertex_count", 64), byref(made), byref(error)), error)
        self._handle = made.value

    def write(self, positions: Any) -> None:
        """Adds a frame."""
        if self._handle is None:
            raise StaleError("the cache is closed")
        c, kept = arrays.positions(positions)
        error = L.snag_io_error()
        check_io(lib.snag_io_pc2_write(self._handle, c, byref(error)), error)

    def close(self, keep: bool = True) -> None:
        """Ends the file; with keep=False nothing is left of it."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            error = L.snag_io_error()
            check_io(lib.snag_io_pc2_close(handle, keep, byref(error)), error)

    def __enter__(self) -> "Pc2Writer":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.close(keep=kind is None)

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            error = L.snag_io_error()
            lib.snag_io_pc2_close(self._handle, False, byref(error))


def write_pc2(path: Any, frames: Sequence[Any]) -> None:
    """Writes a PC2 cache of all frames."""
    frames = list(frames)
    with Pc2Writer(path, len(arrays.as_array(frames[0])) if frames else 0) as out:
        for frame in frames:
            out.write(frame)
