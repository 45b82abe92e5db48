// From contacts to corrections of positions: snag/response.h for one world. Arrays are Float64Arrays, corrected in place.
import { notDetached } from "./arrays.js";
import { STRUCTS } from "./layout.js";
import { camel, indexOfName, METHODS, SnagError, snake, STATUSES } from "./memory.js";

const NUMBERS = new Set(Object.entries(STRUCTS.snag_response_def.fields).filter(([name, [, type]]) => ["u8", "u32", "f64", "u64"].includes(type) && name !== "cookie").map(([name]) => name));
const ARRAYS = { positions: 3, velocities: 3, inverseMasses: 1, start: 3 };

function writeDef(memory, def, options) {
    for (const [key, value] of Object.entries(options)) {
        if (value === undefined) continue;
        if (key === "method") memory.set("snag_response_def", def, "method", indexOfName(METHODS, value, "method"));
        else if (!NUMBERS.has(snake(key))) throw new SnagError("argument", `unknown option "${key}"; use one of method, ${[...NUMBERS].map(camel).join(", ")}`);
        else memory.set("snag_response_def", def, snake(key), value);
    }
}

function readReport(memory, at) {
    const { fields } = STRUCTS.snag_response_report;
    const made = {};
    for (const [name, [offset, type]] of Object.entries(fields)) made[camel(name)] = type === "u64" ? Number(memory.view.getBigUint64(at + offset, true)) : memory.get("snag_response_report", at, name);
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
            const id = memory.get("snag_response_body", struct, "body");
            const { vertexCount } = given;
            const from = this.world.putId(args, memory, given.body);
            memory.bytes(id, STRUCTS.snag_body_id.size).set(memory.bytes(from, STRUCTS.snag_body_id.size));
            set("vertex_count", vertexCount);
            for (const [name, per] of Object.entries(ARRAYS)) {
                const array = given[name];
                if (array === undefined || array === null) continue;
                if (!(array instanceof Float64Array) || notDetached(array, name).length !== per * vertexCount) throw new SnagError("argument", `${name} of ${given.body.name}: expected a Float64Array of ${per * vertexCount} numbers`);
                const place = args.array(array, name);
                set(snake(name), place);
                if (name === "positions" || name === "velocities") back.push([array, place]);
            }
        });
        return back;
    }

    run(name, bodies, options, answer) {
        let report = null;
        if (!this.response) throw new SnagError("argument", "the response was disposed");
        const { world } = this;
        const listed = bodies.map((given) => ({ ...given, vertexCount: given.body.info.vertexCount }));
        const at = answer ? answer.memory && answer.struct : 0;
        world.call((args, memory, exports) => {
            const def = args.struct("snag_response_def");
            exports.snag_default_response_def(def);
            writeDef(memory, def, options);
            const list = args.room(listed.length * STRUCTS.snag_response_body.size, "bodies");
            memory.bytes(list, listed.length * STRUCTS.snag_response_body.size).fill(0);
            const back = this.putBodies(args, memory, listed, list);
            const out = args.struct("snag_response_report");
            const values = answer ? [at, out] : [out];
            const status = exports[name](this.response, world.world, def, list, listed.length, ...values);
            if (status !== 0) throw new SnagError(STATUSES[status], memory.text(exports.snag_response_message(this.response)) || STATUSES[status]);
            for (const [array, place] of back) if (array.buffer !== memory.memory.buffer) array.set(new Float64Array(memory.memory.buffer, place, array.length));
            report = readReport(memory, out);
            return status;
        });
        if (!answer) world.stamp++; // advance and untangle ask questions of their own
        return report;
    }

    // Responds to an answer about proximities or penetrations: [{ body, positions, velocities, inverseMasses }].
    apply(answer, bodies, options = {}) {
        return this.run("snag_response_apply", bodies, options, answer);
    }
    // Makes a step without intersections: bodies also have `start`, and options dt.
    advance(bodies, options = {}) {
        return this.run("snag_response_advance", bodies, options, null);
    }
    // Separates surfaces that intersect: moves positions until none do, if it can; `left` of the report says how many remain.
    untangle(bodies, options = {}) {
        return this.run("snag_response_untangle", bodies, options, null);
    }
    dispose() {
        if (this.response && this.world.memory) this.world.memory.exports.snag_response_destroy(this.response);
        this.response = 0;
    }
}
if (Symbol.dispose) Response.prototype[Symbol.dispose] = Response.prototype.dispose;
