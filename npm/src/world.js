// The world: bodies, how they move, and questions about them. As in C, in JavaScript's habits: see snag/world.h and snag/question.h.
import { Answer } from "./answer.js";
import { readIndices, readPositions, SharedArray } from "./arrays.js";
import { ENUMS, STRUCTS } from "./layout.js";
import { Arguments, camel, indexOfName, ISAS, ISSUES, ELEMENTS, METHODS, OUTPUTS, QUESTIONS, SnagError, snake, STATUSES } from "./memory.js";
import { instantiate, load, loadedLibrary } from "./module.js";

const OK = ENUMS.snag_status.SNAG_OK;

// Options that a question takes by their own names: every number and flag of the C struct.
const PLAIN_OPTIONS = new Set(Object.entries(STRUCTS.snag_question_def.fields).filter(([name, [, type]]) => ["u8", "u32", "f64", "u64"].includes(type) && !["cookie", "budget_us"].includes(name)).map(([name]) => name));
const OTHER_OPTIONS = ["method", "output", "budget", "signal", "onProgress"];

export function abortError(signal) {
    return signal.reason ?? new DOMException("This operation was aborted", "AbortError");
}

// A body of a world. `user` is yours.
export class Body {
    constructor(world, id, name) {
        this.world = world;
        this.id = id;
        this.name = name;
        this.user = undefined;
    }
    // Positions at the end of the step; those at its begin stay.
    move(positions) {
        this.world.place("snag_world_move", this, positions);
    }
    // Positions at both ends of the step: put there without a motion.
    teleport(positions) {
        this.world.place("snag_world_teleport", this, positions);
    }
    remove() {
        this.world.remove(this);
    }
    get info() {
        return this.world.info(this);
    }
    get isRemoved() {
        return this.world.bodies.get(this.id[0]) !== this;
    }
}

export class World {
    // Loads the library first, if it is not yet.
    static async create(options = {}) {
        await load();
        return new World(options);
    }

    // maxMemory: bytes that the world may take, 4 GB if not given. threads: in how many parts work is split; one thread runs them.
    constructor({ maxMemory, threads = 1, number = 0, ...rest } = {}) {
        const unknown = Object.keys(rest)[0];
        if (unknown) throw new SnagError("argument", `World: unknown option "${unknown}"; use maxMemory, threads, number`);
        this.bodies = new Map();
        this.stamp = 0; // changes when the last answer is gone
        this.busy = false;
        this.callback = null;
        this.broken = null;
        this.memory = instantiate(loadedLibrary(), { progress: (done) => this.progressed(done) }, maxMemory);
        const args = new Arguments(this.memory);
        try {
            const def = args.struct("snag_world_def");
            this.memory.exports.snag_default_world_def(def);
            this.memory.set("snag_world_def", def, "threads", threads);
            this.memory.set("snag_world_def", def, "number", number);
            const out = args.room(4, "a world");
            const status = this.memory.exports.snag_world_create(def, out);
            if (status !== OK) throw new SnagError(STATUSES[status], `the world cannot be created: ${STATUSES[status]}`);
            this.world = this.memory.number("u32", out);
        } finally {
            args.end();
        }
    }

    // ---- calls ----

    // Runs `act` with memory for its arguments; what it returns is checked as a status.
    requireIdle() {
        if (!this.memory) throw new SnagError("argument", "the world was disposed");
        if (this.broken) throw new SnagError("argument", `the world stopped at an error inside of the module (${this.broken}); create a new one`);
        if (this.busy) throw new SnagError("busy", "the world is in the middle of a call: make this one when that has returned, not from its callback");
    }
    call(act) {
        this.requireIdle();
        this.busy = true;
        const args = new Arguments(this.memory);
        try {
            const status = act(args, this.memory, this.memory.exports);
            if (status !== OK) throw new SnagError(STATUSES[status], this.memory.text(this.memory.exports.snag_world_message(this.world)) || STATUSES[status]);
        } catch (error) {
            if (error instanceof WebAssembly.RuntimeError) {
                this.broken = error.message;
                throw new SnagError("memory", `the module stopped: ${error.message}; the world cannot be used any more, create a new one`);
            }
            throw error;
        } finally {
            if (!this.broken) args.end();
            this.busy = false;
        }
    }

    putPositions(args, memory, given, what) {
        const { data, count, stride, double } = readPositions(given, what);
        return { at: args.array(data, what), count, stride, double };
    }
    writePositions(memory, struct, { at, count, stride, double }) {
        const set = (field, value) => memory.set("snag_positions", struct, field, value);
        set("data", at);
        set("count", count);
        set("stride", stride);
        set("scalar", double ? 1 : 0);
    }
    putId(args, memory, body) {
        if (!(body instanceof Body) || body.world !== this) throw new SnagError("body", "a body of this world is expected");
        const at = args.struct("snag_body_id");
        memory.set("snag_body_id", at, "index", body.id[0]);
        memory.set("snag_body_id", at, "generation", body.id[1]);
        return at;
    }

    // ---- bodies ----

    // positions: see arrays.js. One of triangles (or `indices`, as GPUs call them), polygons ({ sizes, vertices }) and tets, or none.
    add({ positions, triangles, indices, tets, polygons, name, weld = false, user }) {
        let body = null;
        this.call((args, memory, { snag_default_body_def, snag_world_add }) => {
            const def = args.struct("snag_body_def");
            snag_default_body_def(def);
            const set = (field, value) => memory.set("snag_body_def", def, field, value);
            const list = (pointer, count, given, per) => {
                const array = readIndices(given, per, pointer);
                set(pointer, array.length ? args.array(array, pointer) : 0);
                if (count) set(count, array.length / per);
                return array.length;
            };
            this.writePositions(memory, memory.get("snag_body_def", def, "positions"), this.putPositions(args, memory, positions, "positions"));
            list("triangles", "triangle_count", triangles ?? indices, 3);
            list("tets", "tet_count", tets, 4);
            if (polygons) {
                const sizes = readIndices(polygons.sizes, 1, "polygons.sizes");
                const needed = sizes.reduce((sum, size) => sum + size, 0);
                const there = list("polygon_vertices", null, polygons.vertices, 1);
                if (needed !== there) throw new SnagError("argument", `polygons: their sizes add up to ${needed}, and there are ${there} vertices`);
                list("polygon_sizes", "polygon_count", sizes, 1);
            }
            set("weld", weld ? 1 : 0);
            if (name !== undefined) set("name", args.text(name));
            const id = args.struct("snag_body_id");
            const status = snag_world_add(this.world, def, id);
            if (status !== OK) return status;
            body = new Body(this, [memory.get("snag_body_id", id, "index"), memory.get("snag_body_id", id, "generation")], name ?? `body ${memory.get("snag_body_id", id, "index")}`);
            return status;
        });
        body.user = user;
        this.bodies.set(body.id[0], body);
        return body;
    }
    remove(body) {
        this.call((args, memory, { snag_world_remove }) => snag_world_remove(this.world, this.putId(args, memory, body)));
        this.bodies.delete(body.id[0]);
        this.stamp++;
    }
    bodyOfIndex(index) {
        return this.bodies.get(index) ?? null;
    }

    // Elements as the world numbers them: views that last until the next call.
    info(body) {
        let made = null;
        this.call((args, memory, { snag_world_body }) => {
            const at = args.struct("snag_body_info");
            const status = snag_world_body(this.world, this.putId(args, memory, body), at);
            if (status !== OK) return status;
            const get = (field) => memory.get("snag_body_info", at, field);
            const view = (field, count) => (get(field) ? new Uint32Array(memory.memory.buffer, get(field), count) : new Uint32Array(0));
            made = {
                vertexCount: get("vertex_count"),
                triangleCount: get("triangle_count"),
                edgeCount: get("edge_count"),
                tetCount: get("tet_count"),
                triangles: view("triangles", 3 * get("triangle_count")),
                triangleFaces: view("triangle_faces", get("triangle_count")),
                edges: view("edges", 2 * get("edge_count")),
                tets: view("tets", 4 * get("tet_count")),
            };
            return status;
        });
        return made;
    }

    // ---- time ----

    // The positions of all bodies become those at the begin of the step.
    beginStep() {
        this.call((args, memory, { snag_world_begin_step }) => snag_world_begin_step(this.world));
    }
    place(name, body, positions) {
        this.call((args, memory, exports) => {
            const at = args.struct("snag_positions");
            this.writePositions(memory, at, this.putPositions(args, memory, positions, "positions"));
            return exports[name](this.world, this.putId(args, memory, body), at);
        });
    }
    // An array in the world's memory, for positions that are written there and need no copy.
    allocate(Type, length) {
        if (!this.memory) throw new SnagError("argument", "the world was disposed");
        return new SharedArray(this.memory, Type, length);
    }

    // ---- questions ----

    progressed(done) {
        const { callback } = this;
        if (!callback || callback.error) return callback ? 0 : 1;
        try {
            if (callback.signal?.aborted) return 0;
            callback.onProgress?.(done);
            return callback.signal?.aborted ? 0 : 1;
        } catch (error) {
            callback.error = error; // must not unwind the module: thrown when it has returned
            return 0;
        }
    }

    writeQuestion(memory, def, options) {
        const set = (field, value) => memory.set("snag_question_def", def, field, value);
        for (const [key, value] of Object.entries(options)) {
            if (value === undefined || OTHER_OPTIONS.includes(key)) continue;
            const field = snake(key);
            if (!PLAIN_OPTIONS.has(field)) throw new SnagError("argument", `unknown option "${key}"; use one of ${[...OTHER_OPTIONS, ...[...PLAIN_OPTIONS].map(camel)].join(", ")}`);
            if (typeof value !== "number" && typeof value !== "boolean") throw new SnagError("argument", `${key}: expected a number or a boolean, found ${typeof value}`);
            set(field, value);
        }
        if (options.method !== undefined) set("method", indexOfName(METHODS, options.method, "method"));
        if (options.output !== undefined) set("output", indexOfName(OUTPUTS, options.output, "output"));
        if (options.budget !== undefined) set("budget_us", Math.round(1000 * options.budget));
    }

    // Asks a question: "intersections", "proximities", "penetrations", "impacts", "distance", "overlaps". The answer lasts until the next one.
    // budget: milliseconds. signal: an AbortSignal; abort it from onProgress, or use snag/worker. onProgress(done): 0 to 1.
    ask(question, options = {}) {
        const { signal, onProgress } = options;
        this.requireIdle();
        if (signal?.aborted) throw abortError(signal);
        const number = indexOfName(QUESTIONS, question, "question");
        this.callback = { signal, onProgress, error: null };
        let answer = null;
        try {
            this.call((args, memory, exports) => {
                const def = args.struct("snag_question_def");
                exports.snag_default_question_def(def, number);
                this.writeQuestion(memory, def, options);
                if (signal || onProgress) memory.set("snag_question_def", def, "progress", exports.snag_js_progress());
                const out = args.room(4, "an answer");
                const status = exports.snag_world_ask(this.world, def, out);
                // The last answer stays only where the question itself was refused.
                if (!["argument", "unsupported", "busy"].includes(STATUSES[status])) this.stamp++;
                if (status === OK) answer = new Answer(this, memory.number("u32", out));
                return status;
            });
            if (this.callback.error) throw this.callback.error;
            if (signal?.aborted) throw abortError(signal);
        } finally {
            this.callback = null;
        }
        return answer;
    }
    intersections(options) {
        return this.ask("intersections", options);
    }
    proximities(options) {
        return this.ask("proximities", options);
    }
    penetrations(options) {
        return this.ask("penetrations", options);
    }
    impacts(options) {
        return this.ask("impacts", options);
    }
    distance(options) {
        return this.ask("distance", options);
    }
    overlaps(options) {
        return this.ask("overlaps", options);
    }

    // What is wrong with a mesh: edges of three triangles, flipped ones, triangles without area and the like.
    check(body) {
        let made = null;
        this.call((args, memory, { snag_world_check }) => {
            const out = args.room(4, "a report");
            const status = snag_world_check(this.world, this.putId(args, memory, body), out);
            if (status === OK) made = this.readReport(memory.number("u32", out));
            return status;
        });
        return made;
    }
    readReport(at) {
        const { memory } = this;
        const get = (field) => memory.get("snag_mesh_report", at, field);
        const counts = Object.fromEntries(ISSUES.map((name, i) => [name, get("counts")[i]]));
        const issues = Array.from({ length: get("issue_count") }, (_, i) => {
            const issue = get("issues") + i * STRUCTS.snag_mesh_issue.size;
            const element = memory.get("snag_mesh_issue", issue, "element");
            return { kind: ISSUES[memory.get("snag_mesh_issue", issue, "kind")], element: { kind: ELEMENTS[memory.get("snag_element", element, "kind")], index: memory.get("snag_element", element, "index") }, other: memory.get("snag_mesh_issue", issue, "other") };
        });
        return { counts, issues, boundaryEdges: get("boundary_edges"), components: get("components"), closed: get("closed") !== 0, minimum: get("minimum"), maximum: get("maximum"), meanEdge: get("mean_edge") };
    }

    // ---- the world itself ----

    get isa() {
        return ISAS[this.memory.exports.snag_world_isa(this.world)];
    }
    // Bytes that the world holds, by purpose.
    get memoryUse() {
        let made = null;
        this.call((args, memory, { snag_world_memory }) => {
            const at = args.struct("snag_memory");
            const status = snag_world_memory(this.world, at);
            made = Object.fromEntries(["bodies", "methods", "answers", "total"].map((field) => [field, memory.get("snag_memory", at, field)]));
            return status;
        });
        return made;
    }
    // Gives all memory back. Nothing else may be called then; a second dispose does nothing.
    dispose() {
        if (this.busy) throw new SnagError("busy", "the world is in the middle of a call: dispose of it when that has returned");
        if (!this.memory) return;
        this.memory = null;
        this.bodies.clear();
        this.stamp++;
    }
}
if (Symbol.dispose) World.prototype[Symbol.dispose] = World.prototype.dispose;
