// From contacts to corrections of positions: snag/response.h for one world. Arrays are Float64Arrays, corrected in place.
import { notDetached } from "./arrays.js";
import { STRUCTS } from "./layout.js";
import { camel, indexOfName, METHODS, OUTCOMES, SAFE, SnagError, snake, STATUSES } from "./memory.js";

// The numbers and flags of a def, by their C names.
const numbersOf = (struct) => new Set(Object.entries(STRUCTS[struct].fields).filter(([name, [, type]]) => ["u8", "u32", "f64", "u64"].includes(type) && !["cookie", "budget_us", "rigid_count"].includes(name)).map(([name]) => name));
const NUMBERS = { snag_response_def: numbersOf("snag_response_def"), snag_fix_def: numbersOf("snag_fix_def") };
const NAMED = { method: METHODS, safe: SAFE };
const ARRAYS = { positions: 3, velocities: 3, inverseMasses: 1, start: 3, bounds: 1 };
const WRITTEN = ["positions", "velocities", "bounds"];

function writeDef(memory, struct, def, options) {
    const named = Object.keys(NAMED).filter((name) => STRUCTS[struct].fields[name]);
    for (const [key, value] of Object.entries(options)) {
        if (value === undefined) continue;
        if (named.includes(key)) memory.set(struct, def, key, indexOfName(NAMED[key], value, key));
        else if (!NUMBERS[struct].has(snake(key))) throw new SnagError("argument", `unknown option "${key}"; use one of ${[...named, ...NUMBERS[struct]].map(camel).join(", ")}`);
        else memory.set(struct, def, snake(key), value);
    }
}

function readFields(memory, struct, at) {
    const made = {};
    for (const [name, [, type]] of Object.entries(STRUCTS[struct].fields)) {
        if (type === "u64") made[camel(name)] = Number(memory.big(struct, at, name));
        else if (["u8", "u32", "f64"].includes(type)) made[camel(name)] = memory.get(struct, at, name);
    }
    return made;
}

export class Response {
    constructor(world) {
        this.world = world;
        this.response = 0;
        world.call((args, memory, { snag_response_create }) => {
            const out = args.room(4, "a response");
            const status = snag_response_create(0, out);
            this.response = memory.number("u32", out);
            return status;
        });
    }

    // Writes the bodies; returns the arrays that come back: [typed array, its place].
    putBodies(args, memory, bodies, at) {
        const back = [];
        bodies.forEach((given, i) => {
            const struct = at + i * STRUCTS.snag_response_body.size;
            const set = (field, value) => memory.set("snag_response_body", struct, field, value);
            const { vertexCount } = given;
            this.world.copyId(memory, memory.get("snag_response_body", struct, "body"), given.body);
            set("vertex_count", vertexCount);
            for (const [name, per] of Object.entries(ARRAYS)) {
                const array = given[name];
                if (array === undefined || array === null) continue;
                if (!(array instanceof Float64Array) || notDetached(array, name).length !== per * vertexCount) throw new SnagError("argument", `${name} of ${given.body.name}: expected a Float64Array of ${per * vertexCount} numbers`);
                const place = args.array(array, name);
                set(snake(name), place);
                if (WRITTEN.includes(name)) back.push([array, place]);
            }
        });
        return back;
    }

    // Calls the library with the bodies' arrays in its memory, and copies back what it wrote. `act` gets the rest of the arguments.
    callWith(bodies, act) {
        if (!this.response) throw new SnagError("argument", "the response was disposed");
        const { world } = this;
        const listed = bodies.map((given) => ({ ...given, vertexCount: given.body.info.vertexCount }));
        world.call((args, memory, exports) => {
            const list = args.structs("snag_response_body", listed.length);
            const back = this.putBodies(args, memory, listed, list);
            const { status, read } = act(args, memory, exports, list, listed.length);
            if (status !== 0) throw new SnagError(STATUSES[status], memory.text(exports.snag_response_message(this.response)) || STATUSES[status]);
            for (const [array, place] of back) if (array.buffer !== memory.memory.buffer) array.set(new Float64Array(memory.memory.buffer, place, array.length));
            read?.();
            return status;
        });
    }
    run(name, bodies, options, answer) {
        let report = null;
        const { world } = this;
        const at = answer ? answer.memory && answer.struct : 0;
        try {
            this.callWith(bodies, (args, memory, exports, list, count) => {
                const def = args.struct("snag_response_def");
                exports.snag_default_response_def(def);
                writeDef(memory, "snag_response_def", def, options);
                const out = args.struct("snag_response_report");
                const rest = name === "bounds" ? [] : answer ? [at, out] : [out];
                const status = exports[`snag_response_${name}`](this.response, world.world, def, list, count, ...rest);
                return { status, read: () => (report = readFields(memory, "snag_response_report", out)) };
            });
        } finally {
            if (!answer) world.stamp++; // the others ask questions of their own
        }
        return report;
    }

    // Responds to an answer about proximities or penetrations: [{ body, positions, velocities, inverseMasses }].
    apply(answer, bodies, options = {}) {
        return this.run("apply", bodies, options, answer);
    }
    // Makes a step without intersections: bodies also have `start`, and options dt.
    advance(bodies, options = {}) {
        return this.run("advance", bodies, options, null);
    }
    // Separates surfaces that intersect: moves positions until none do, if it can; `left` of the report says how many remain.
    untangle(bodies, options = {}) {
        return this.run("untangle", bodies, options, null);
    }
    // Safe motion: shortens the moves from `start` to `positions` until nothing crosses. safe: "half-spaces" or "bounds".
    truncate(bodies, options = {}) {
        return this.run("truncate", bodies, options, null);
    }
    // Safe motion: how far each vertex may move in any direction so that nothing crosses, at most half the reach. `positions` are those
    // that the world has. Writes `bounds` of the bodies, which it makes where there are none, and returns them.
    bounds(bodies, reach, options = {}) {
        const listed = bodies.map((given) => {
            const free = new Float64Array(given.body.info.vertexCount).fill(1); // held vertices count like all others
            return { ...given, inverseMasses: free, bounds: given.bounds ?? new Float64Array(free.length) };
        });
        this.run("bounds", listed, { ...options, reach }, null);
        return listed.map((given) => given.bounds);
    }

    // Frees surfaces that intersect, by moving vertices near the places where they do; says for each place what became of it.
    // rigid: bodies that move as a whole. maxMove, single, sheetsYield, method, budget (milliseconds), signal, onProgress. An abort keeps
    // what was freed, and throws.
    fix(bodies, { rigid = [], budget, signal, onProgress, ...options } = {}) {
        const { world } = this;
        let report = null;
        world.watched({ signal, onProgress }, (progress) => {
            try {
                this.callWith(bodies, (args, memory, exports, list, count) => {
                    const def = args.struct("snag_fix_def");
                    exports.snag_default_fix_def(def);
                    writeDef(memory, "snag_fix_def", def, options);
                    const set = (field, value) => memory.set("snag_fix_def", def, field, value);
                    set("rigid", world.putIds(args, memory, rigid));
                    set("rigid_count", rigid.length);
                    if (budget !== undefined) set("budget_us", Math.round(1000 * budget));
                    set("progress", progress);
                    const out = args.struct("snag_fix_report");
                    const status = exports.snag_response_fix(this.response, world.world, def, list, count, out);
                    return { status, read: () => (report = this.readFix(memory, exports, out)) };
                });
            } finally {
                world.stamp++;
            }
        });
        return report;
    }
    readFix(memory, exports, at) {
        const { placeCount, ...plain } = readFields(memory, "snag_fix_report", at);
        const { size } = STRUCTS.snag_fix_place;
        const places = Array.from({ length: placeCount }, (_, i) => {
            const place = memory.get("snag_fix_report", at, "places") + i * size;
            const get = (field) => memory.get("snag_fix_place", place, field);
            const body = (field) => this.world.bodyOfIndex(memory.number("u32", get(field)));
            return { a: body("body_a"), b: body("body_b"), ...readFields(memory, "snag_fix_place", place), centre: get("centre"), outcome: OUTCOMES[get("outcome")], why: memory.text(exports.snag_fix_outcome_sentence(get("outcome"))) };
        });
        return { ...plain, complete: plain.complete !== 0, places };
    }
    dispose() {
        if (this.response && this.world.memory) this.world.memory.exports.snag_response_destroy(this.response);
        this.response = 0;
    }
}
if (Symbol.dispose) Response.prototype[Symbol.dispose] = Response.prototype.dispose;
