"""A still picture of an answer, drawn by NumPy alone: for places without a browser."""
from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

from . import _arrays as arrays
from ._errors import ArgumentError

if TYPE_CHECKING:
    from ._check import CheckAnswer

np = arrays.np

# The colours of the report page (web/src/colours.js): bodies, and what catches.
_BODIES = ["#a9b4c2", "#d3c4a8", "#a7c0ab", "#c9b0c4", "#a6c2cc", "#d0b5a5", "#b5b9d6", "#c3c8a4"]
_CAUGHT = "#d62728"
_PAPER = "#ffffff"
_SHINE_THROUGH = 0.55  # how strongly what catches is seen through what lies in front of it
_CELLS = 1 << 22  # pixels looked at in one go


def _rgb(colour: str) -> Any:
    return np.array([int(colour[i:i + 2], 16) for i in (1, 3, 5)], float) / 255


def _caught_triangles(answer: "CheckAnswer") -> dict[int, Any]:
    """Of each body a mask of its triangles that take part in a contact."""
    masks = {body.index: np.zeros(body.triangle_count, bool) for body in answer.world.bodies}
    rows = answer.contacts if answer.output == "contacts" else answer.pairs
    for side in "ab":
        elements, kinds = rows[side], rows["kind_" + side]
        for body in answer.world.bodies:
            mine = rows["body_" + side] == body.index
            triangles = body.triangles
            mask = masks[body.index]
            mask[elements[mine & (kinds == 2)]] = True
            vertices = np.zeros(body.vertex_count, bool)
            vertices[elements[mine & (kinds == 0)]] = True
            edges = elements[mine & (kinds == 1)]
            vertices[body.edges[edges[edges < body.edge_count]].reshape(-1)] = True
            mask |= vertices[triangles].any(axis=1)
            if body.tet_count:
                mask |= np.isin(body.triangle_faces, elements[mine & (kinds == 3)])
    return masks


def _turn(direction: Any) -> Any:
    """Rows: right, up, and towards the eye, with z up."""
    back = direction / np.linalg.norm(direction)
    right = np.cross([0.0, 0, 1], back)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(back, right), back])


def _cover(corners: Any, width: int, height: int) -> Any:
    """Each pixel that the triangles cover: its number, its depth and its triangle, triangles of like size at a time."""
    low = np.maximum(np.floor(corners[:, :, :2].min(axis=1)).astype(int), 0)
    high = np.minimum(np.ceil(corners[:, :, :2].max(axis=1)).astype(int), [width - 1, height - 1])
    size = (high - low).max(axis=1) + 1
    seen = (high >= low).all(axis=1)
    power = np.ceil(np.log2(np.maximum(size, 1))).astype(int)
    for p in np.unique(power[seen]):
        group = np.flatnonzero(seen & (power == p))
        side = 1 << int(p)
        step = max(1, _CELLS // (side * side))
        grid_y, grid_x = np.divmod(np.arange(side * side), side)
        for first in range(0, len(group), step):
            some = group[first:first + step]
            x = low[some, 0, None] + grid_x
            y = low[some, 1, None] + grid_y
            a, b, c = corners[some, 0, None], corners[some, 1, None], corners[some, 2, None]
            # Signed areas: a pixel is covered if all three have the sign of the whole.
            u = (b[..., 0] - x) * (c[..., 1] - y) - (b[..., 1] - y) * (c[..., 0] - x)
            v = (c[..., 0] - x) * (a[..., 1] - y) - (c[..., 1] - y) * (a[..., 0] - x)
            w = (a[..., 0] - x) * (b[..., 1] - y) - (a[..., 1] - y) * (b[..., 0] - x)
            whole = u + v + w
            # Triangles smaller than a pixel must leave a trace too: what catches is often that small.
            inside = ((u * whole >= 0) & (v * whole >= 0) & (w * whole >= 0)) if side > 2 else np.ones(x.shape, bool)
            inside &= (x <= high[some, 0, None]) & (y <= high[some, 1, None])
            with np.errstate(divide="ignore", invalid="ignore"):
                depth = np.where(whole != 0, (u * a[..., 2] + v * b[..., 2] + w * c[..., 2]) / whole, a[..., 2])
            depth = np.clip(depth, np.minimum(np.minimum(a, b), c)[..., 2], np.maximum(np.maximum(a, b), c)[..., 2])
            yield (y * width + x)[inside], depth[inside], np.broadcast_to(some[:, None], x.shape)[inside]


def _nearest(corners: Any, width: int, height: int) -> tuple[Any, Any]:
    """For each pixel the triangle that is seen there, or -1, and its depth."""
    seen = np.full(width * height, -1)
    depths = np.full(width * height, -np.inf)
    for pixels, depth, triangles in _cover(corners, width, height):
        order = np.argsort(depth, kind="stable")  # of equal pixels the last assignment stays: the nearest
        pixels, depth, triangles = pixels[order], depth[order], triangles[order]
        best = np.full(width * height, -np.inf)
        best[pixels] = depth
        owner = np.full(width * height, -1)
        owner[pixels] = triangles
        nearer = best > depths
        seen[nearer], depths[nearer] = owner[nearer], best[nearer]
    return seen, depths


def _png(image: Any) -> bytes:
    height, width, _ = image.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), image.reshape(height, -1)], axis=1).tobytes()

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b"")


class _Scene:
    """All triangles of an answer's bodies, as they stand."""

    def __init__(self, answer: "CheckAnswer"):
        masks = _caught_triangles(answer)
        points, colours, caught = [], [], []
        for body in answer.world.bodies:
            if not body.triangle_count:
                continue
            x = np.asarray(body.source.positions if body.source is not None else body.positions, float)
            points.append(x[body.triangles])
            colours.append(np.tile(_rgb(_BODIES[body.index % len(_BODIES)]), (body.triangle_count, 1)))
            caught.append(masks[body.index])
        if not points:
            raise ArgumentError("there are no triangles to draw")
        self.points, self.colours, self.caught = np.concatenate(points), np.concatenate(colours), np.concatenate(caught)
        normal = np.cross(self.points[:, 1] - self.points[:, 0], self.points[:, 2] - self.points[:, 0])
        self.normals = normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]

    def project(self, direction: Any, width: int, height: int) -> tuple[Any, Any]:
        turn = _turn(np.asarray(direction, float))
        flat = self.points @ turn.T
        low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
        scale = 0.92 * min(width / max(high[0] - low[0], 1e-300), height / max(high[1] - low[1], 1e-300))
        made = (flat - (low + high) / 2) * scale
        made[..., 0] += width / 2
        made[..., 1] = height / 2 - made[..., 1]
        return made, turn

    def best_side(self) -> Any:
        """Of some directions the one that shows most of what catches."""
        directions = [[np.cos(t), np.sin(t), z] for z in (0.5, -0.4) for t in np.arange(6) * np.pi / 3 + 0.6]

        def shown(direction: Any) -> int:
            seen, _ = _nearest(self.project(direction, 160, 120)[0], 160, 120)
            return int(np.count_nonzero(self.caught[seen[seen >= 0]]))

        return max(directions, key=shown)


def draw(answer: "CheckAnswer", width: int, height: int, direction: Any) -> bytes:
    """A PNG: bodies in their colours, what catches in red, also through what lies in front of it."""
    arrays.need_numpy()
    if not (8 <= width <= 16384 and 8 <= height <= 16384):
        raise ArgumentError("picture: width and height are 8 to 16384 pixels")
    scene = _Scene(answer)
    if direction is None:
        direction = scene.best_side()
    elif np.shape(direction) != (3,) or not np.isfinite(direction).all() or not np.any(np.cross([0, 0, 1], direction)):
        raise ArgumentError("picture: direction is three numbers, where the eye is seen from the bodies, and not straight up or down")
    corners, turn = scene.project(direction, width, height)
    seen, _ = _nearest(corners, width, height)
    image = np.tile(_rgb(_PAPER), (width * height, 1))
    hit = seen >= 0
    light = 0.55 + 0.5 * np.abs(scene.normals @ turn.T @ np.array([0.25, 0.35, 0.9]))[:, None]
    red = _rgb(_CAUGHT)
    colour = np.where(scene.caught[:, None], red, scene.colours) * np.clip(light, 0, 1)
    image[hit] = colour[seen[hit]]
    if scene.caught.any():
        behind, _ = _nearest(corners[scene.caught], width, height)
        hidden = (behind >= 0) & ~(hit & scene.caught[np.maximum(seen, 0)])
        image[hidden] = image[hidden] * (1 - _SHINE_THROUGH) + red * _SHINE_THROUGH
    return _png((np.clip(image, 0, 1) * 255 + 0.5).astype(np.uint8).reshape(height, width, 3))
