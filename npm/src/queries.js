// Points, rays, boxes and spheres: snag/queries.h. Results are copies, and last.
import { readNumbers } from "./arrays.js";
import { STRUCTS } from "./layout.js";
import { camel, SIDES, SnagError } from "./memory.js";
import { ClosestPoints, Hits, Lists, OverlapItems } from "./records.js";

const WATCHED = ["bodies", "budget", "signal", "onProgress"];

function refuseUnknown(options, names, what) {
    const unknown = Object.keys(options).find((key) => !names.includes(key));
    if (unknown) throw new SnagError("argument", `${what}: unknown option "${unknown}"; use one of ${names.join(", ")}`);
}

// Writes what the defs of all queries have: bodies, budget, progress.
function writeDef(world, args, memory, struct, options, progress) {
    const def = args.struct(struct);
    memory.exports[struct.replace("snag_", "snag_default_")](def);
    const set = (field, value) => memory.set(struct, def, field, value);
    if (options.bodies !== undefined) {
        const list = Array.isArray(options.bodies) ? options.bodies : [options.bodies];
        set("bodies", world.putIds(args, memory, list));
        set("body_count", list.length);
    }
    if (options.budget !== undefined) set("budget_us", Math.round(1000 * options.budget));
    if (progress) set("progress", progress);
    return def;
}

// Runs a query; `act` gets the arguments, and a place for the number of queries that were answered.
function query(world, options, names, what, act) {
    refuseUnknown(options, [...names, ...WATCHED], what);
    let made = null;
    world.watched(options, (progress) =>
        world.call((args, memory, exports) => {
            const answered = args.room(4, "a count");
            const result = act({ args, memory, exports, answered, progress });
            if (result.status === 0) made = result.read();
            return result.status;
        }),
    );
    return made;
}

const bodiesOf = (world) => {
    const bodies = new Map(world.bodies);
    return (index) => bodies.get(index) ?? null;
};

// The closest point on bodies to each point. sign: distances inside of closed bodies are negative. within: bodies farther away are not seen.
export function closest(world, points, { sign = false, within, ...options } = {}) {
    return query(world, options, ["sign", "within"], "closest", ({ args, memory, exports, answered, progress }) => {
        const def = writeDef(world, args, memory, "snag_closest_def", options, progress);
        memory.set("snag_closest_def", def, "sign", sign ? 1 : 0);
        if (within !== undefined) memory.set("snag_closest_def", def, "within", within);
        const [at, count] = world.putPoints(args, memory, points);
        const { size } = STRUCTS.snag_closest;
        const results = args.room(count * size, "closest points");
        const status = exports.snag_world_closest(world.world, def, at, results, answered);
        return { status, read: () => new ClosestPoints(memory.bytes(results, size * memory.number("u32", answered)).slice().buffer, bodiesOf(world)) };
    });
}

// Rays as records: [{ origin, direction, limit }], or { origins, directions, limits } with arrays of x, y, z.
function readRays(rays, segments) {
    const end = segments ? 1 : Infinity;
    const list = Array.isArray(rays) || !rays?.origins ? (Array.isArray(rays) ? rays : [rays]) : null;
    if (list) {
        const made = new Float64Array(7 * list.length);
        list.forEach((ray, i) => {
            if (!ray?.origin || !(ray.direction || ray.end)) throw new SnagError("argument", `rays: ray ${i} needs { origin, direction }, with three numbers each; a segment { origin, end }`);
            made.set([...ray.origin, ...(ray.direction ?? ray.end), ray.limit ?? end], 7 * i);
        });
        return made;
    }
    const origins = readNumbers(rays.origins, Float64Array, null, "origins");
    const directions = readNumbers(rays.directions ?? rays.ends, Float64Array, null, "directions");
    const count = directions.length / 3;
    if (!Number.isInteger(count) || (origins.length !== directions.length && origins.length !== 3)) throw new SnagError("argument", `rays: ${origins.length} numbers of origins and ${directions.length} of directions; give three of each for every ray, or one origin for all`);
    const limits = typeof rays.limits === "object" && rays.limits ? readNumbers(rays.limits, Float64Array, count, "limits") : null;
    const made = new Float64Array(7 * count);
    for (let i = 0; i < count; i++) {
        const from = origins.length === 3 ? 0 : 3 * i;
        for (let k = 0; k < 3; k++) {
            made[7 * i + k] = origins[from + k];
            made[7 * i + 3 + k] = directions[3 * i + k];
        }
        made[7 * i + 6] = limits ? limits[i] : (rays.limits ?? end);
    }
    return made;
}

function castWith(world, rays, options, what, act) {
    const { segments = false, ...rest } = options;
    const given = readRays(rays, segments);
    return query(world, rest, ["segments"], what, (call) => {
        const { args, memory, progress } = call;
        const def = writeDef(world, args, memory, "snag_cast_def", rest, progress);
        memory.set("snag_cast_def", def, "segments", segments ? 1 : 0);
        return act({ ...call, def, at: args.array(given, "rays"), count: given.length / 7 });
    });
}

// The first hit of each ray. segments: directions are the other ends.
export function cast(world, rays, options = {}) {
    return castWith(world, rays, options, "cast", ({ args, memory, exports, answered, def, at, count }) => {
        const { size } = STRUCTS.snag_hit;
        const hits = args.room(count * size, "hits");
        const status = exports.snag_world_cast(world.world, def, at, count, hits, answered);
        return { status, read: () => new Hits(memory.bytes(hits, size * memory.number("u32", answered)).slice().buffer, bodiesOf(world)) };
    });
}

// Whether each ray hits anything: 1 or 0.
export function castAny(world, rays, options = {}) {
    return castWith(world, rays, options, "castAny", ({ args, memory, exports, answered, def, at, count }) => {
        const any = args.room(count, "hits");
        const status = exports.snag_world_cast_any(world.world, def, at, count, any, answered);
        return { status, read: () => memory.bytes(any, memory.number("u32", answered)).slice() };
    });
}

// Lists as the library returns them, copied.
function readLists(world, memory, out, struct, Items, item) {
    const lists = memory.number("u32", out);
    const get = (field) => memory.get(struct, lists, field);
    const start = memory.copy(Uint32Array, get("start"), get("answered") + 1) ?? new Uint32Array(1);
    const bytes = start[start.length - 1] * STRUCTS[item].size;
    return new Lists(start, new Items(bytes ? memory.bytes(get("items"), bytes).slice().buffer : new ArrayBuffer(0), bodiesOf(world)));
}

// All hits of each ray, the first ones first.
export function castAll(world, rays, options = {}) {
    return castWith(world, rays, options, "castAll", ({ memory, exports, answered, def, at, count }) => {
        const status = exports.snag_world_cast_all(world.world, def, at, count, answered);
        return { status, read: () => readLists(world, memory, answered, "snag_hit_lists", Hits, "snag_hit") };
    });
}

function overlap(world, name, numbers, per, { elements = false, ...options }) {
    return query(world, options, ["elements"], name, ({ args, memory, exports, answered, progress }) => {
        const def = writeDef(world, args, memory, "snag_overlap_def", options, progress);
        memory.set("snag_overlap_def", def, "elements", elements ? 1 : 0);
        const status = exports[`snag_world_${name === "overlapBoxes" ? "overlap_boxes" : "overlap_spheres"}`](world.world, def, args.array(numbers, name), numbers.length / per, answered);
        return { status, read: () => readLists(world, memory, answered, "snag_overlap_lists", OverlapItems, "snag_overlap") };
    });
}

function readShapes(shapes, what, per, fields, valuesOf) {
    if (ArrayBuffer.isView(shapes)) {
        const made = readNumbers(shapes, Float64Array, null, what);
        if (made.length % per) throw new SnagError("argument", `${what}: ${made.length} numbers are no multiple of ${per}`);
        return made;
    }
    const list = Array.isArray(shapes) ? shapes : [shapes];
    return Float64Array.from(
        list.flatMap((shape, i) => {
            const values = valuesOf(shape ?? {});
            if (values.length !== per || values.some((x) => typeof x !== "number")) throw new SnagError("argument", `${what}: number ${i} needs ${fields}`);
            return values;
        }),
    );
}

// The bodies that each box meets, or with `elements` their triangles: [{ min, max }], or six numbers each.
export function overlapBoxes(world, boxes, options = {}) {
    const numbers = readShapes(boxes, "boxes", 6, "{ min, max }, with three numbers each", ({ min = [], max = [] }) => [...min, ...max]);
    return overlap(world, "overlapBoxes", numbers, 6, options);
}
// The same of spheres: [{ center, radius }], or four numbers each.
export function overlapSpheres(world, spheres, options = {}) {
    const numbers = readShapes(spheres, "spheres", 4, "{ center, radius }, with three numbers and one", ({ center = [], radius }) => [...center, radius]);
    return overlap(world, "overlapSpheres", numbers, 4, options);
}

// Which side of a body points are on: "inside", "outside" or "on".
export function contains(world, body, points) {
    let sides = null;
    world.call((args, memory, { snag_world_contains }) => {
        const [at, count] = world.putPoints(args, memory, points);
        const out = args.room(4 * count, "sides");
        const status = snag_world_contains(world.world, world.putId(args, memory, body), at, out);
        if (status === 0) sides = Array.from(new Int32Array(memory.memory.buffer, out, count), (side) => SIDES[side]);
        return status;
    });
    return sides;
}

export function winding(world, body, points) {
    let numbers = null;
    world.call((args, memory, { snag_world_winding }) => {
        const [at, count] = world.putPoints(args, memory, points);
        const out = args.room(8 * count, "winding numbers");
        const status = snag_world_winding(world.world, world.putId(args, memory, body), at, out);
        if (status === 0) numbers = memory.copy(Float64Array, out, count);
        return status;
    });
    return numbers;
}

// Whether a body encloses anything, and if not, why.
export function enclosure(world, body) {
    let made = null;
    world.call((args, memory, { snag_world_enclosure }) => {
        const at = args.struct("snag_enclosure");
        const status = snag_world_enclosure(world.world, world.putId(args, memory, body), at);
        made = Object.fromEntries(Object.entries(STRUCTS.snag_enclosure.fields).map(([name, [, type]]) => [camel(name), type === "u8" ? memory.get("snag_enclosure", at, name) !== 0 : memory.get("snag_enclosure", at, name)]));
        return status;
    });
    return made;
}

// Bodies that lie wholly inside others.
export function nested(world) {
    let made = null;
    world.call((args, memory, { snag_world_nested }) => {
        const [out, count] = [args.room(4, "a list"), args.room(4, "a count")];
        const status = snag_world_nested(world.world, out, count);
        if (status !== 0) return status;
        made = Array.from({ length: memory.number("u32", count) }, (_, i) => {
            const at = memory.number("u32", out) + i * STRUCTS.snag_nested.size;
            const get = (field) => memory.get("snag_nested", at, field);
            const body = (field) => world.bodyOfIndex(memory.number("u32", get(field)));
            return { inner: body("inner"), outer: body("outer"), gap: get("gap"), depth: get("depth"), deepest: get("deepest") };
        });
        return status;
    });
    return made;
}
