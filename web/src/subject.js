// What the view looks at: the subject without its floor, and a place from the side where it is seen best.
import { Vector3 } from "three";
import { coarseTriangles } from "./coarse.js";
import { bestDirection } from "./visibility.js";

// A body is a floor if it is this flat and wider than all the rest.
const FLAT = 1e-3;
// Rays that look for the best side of a place meet a coarser mesh than this, from so many points.
const RAY_TRIANGLES = 12000;
const RAY_POINTS = 3;
// Not nearer to a place than this, in radii of the scene: what is around it tells where it is.
const LEAST_DISTANCE = 0.3;

// Whether every edge has two triangles: then a section through the body is solid.
export function isClosed(body) {
    const sides = new Map();
    for (let t = 0; t < body.triangleCount; t++)
        for (let c = 0; c < 3; c++) {
            const v = body.triangles[3 * t + c];
            const w = body.triangles[3 * t + ((c + 1) % 3)];
            const key = v < w ? v * body.vertexCount + w : w * body.vertexCount + v;
            sides.set(key, (sides.get(key) ?? 0) + 1);
        }
    for (const count of sides.values()) if (count !== 2) return false;
    return body.triangleCount > 0;
}

function boxOf(xyz) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < xyz.length; i++) {
        const k = i % 3;
        if (xyz[i] < low[k]) low[k] = xyz[i];
        if (xyz[i] > high[k]) high[k] = xyz[i];
    }
    return { low, high };
}

const sidesOf = (box) => box.high.map((x, k) => x - box.low[k]);

// Bodies that lie flat below all others.
function floorsOf(view, boxes) {
    const floors = new Set();
    boxes.forEach((box, i) => {
        const sides = sidesOf(box);
        const wide = Math.max(...sides);
        const others = boxes.filter((_, j) => j !== i && view.parts[j].visible);
        const widest = Math.max(0, ...others.map((other) => Math.max(...sidesOf(other))));
        if (others.length && sides[view.upAxis ?? 1] <= FLAT * wide && wide > 1.2 * widest) floors.add(i);
    });
    return floors;
}

// The box of what is to be seen: all bodies over all frames, or, if there is a floor or a body is hidden, the others in this frame.
export function subjectOf(view) {
    const boxes = view.positions ? view.positions.map(boxOf) : [];
    const floors = floorsOf(view, boxes);
    const seen = boxes.filter((box, i) => !floors.has(i) && view.parts[i].visible && box.low[0] <= box.high[0]);
    if (!seen.length || (!floors.size && view.parts.every((part) => part.visible))) return { centre: new Vector3(), half: view.report.half };
    const low = [0, 1, 2].map((k) => Math.min(...seen.map((box) => box.low[k])));
    const high = [0, 1, 2].map((k) => Math.max(...seen.map((box) => box.high[k])));
    return { centre: new Vector3(...low.map((x, k) => (x + high[k]) / 2)), half: low.map((x, k) => Math.max((high[k] - x) / 2, 1e-4)) };
}

// The bodies that are shown, as rays need them.
function rayBodies(view, shown) {
    const all = view.report.bodies.reduce((sum, body) => sum + body.triangleCount, 0);
    return shown.map((i) => {
        const part = view.parts[i];
        const xyz = view.positions[i];
        const box = boxOf(xyz);
        const centre = box.low.map((x, k) => (x + box.high[k]) / 2);
        if (all > RAY_TRIANGLES) part.rays ??= coarseTriangles(part.body, (part.body.triangleCount / all) * RAY_TRIANGLES);
        return { xyz, triangles: part.rays ?? part.body.triangles, centre, radius: Math.hypot(...box.high.map((x, k) => x - centre[k])) };
    });
}

// Contacts of a place in the frame that is shown.
function contactsOf(view, place) {
    const { contacts } = view.frame;
    const own = [];
    for (let i = 0; i < contacts.count; i++) if (contacts.place[i] === place.id) own.push(i);
    return own;
}

// From where to look at a place: direction, distance, and the bodies that are in front even from there.
export function bestSide(view, place) {
    const { contacts } = view.frame;
    const own = contactsOf(view, place);
    const chosen = own.filter((_, i) => i % Math.max(1, Math.ceil(own.length / RAY_POINTS)) === 0);
    const points = chosen.length ? chosen.map((i) => [...view.places.subarray(3 * i, 3 * i + 3)]) : [view.report.toView(place.centre)];
    const size = Math.max(place.size / view.report.radius, 1e-4);
    const away = view.camera.position.clone().sub(view.controls.target).normalize();
    const shown = [...view.parts.keys()].filter((i) => view.parts[i].visible && view.parts[i].body.triangleCount > 0);
    const best = bestDirection(rayBodies(view, shown), points, 0.02 * size + 1e-5, view.upAxis ?? 1, away.toArray());
    // The bodies of the place stay solid, unless it is between two of them: then the one in front hides the other.
    const bodies = new Set(own.flatMap((i) => [contacts.a.body[i], contacts.b.body[i]]));
    const ghosts = [...best.inFront].map((i) => shown[i]).filter((i) => !bodies.has(i) || bodies.size > 1);
    return { direction: best.direction, distance: Math.max(LEAST_DISTANCE, Math.min(3, 3 * size)), ghosts, free: best.free };
}
