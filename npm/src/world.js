// The world: bodies, how they move, and questions about them. As in C, in JavaScript's habits: see snag/world.h and snag/question.h.
import { Answer, Block } from "./answer.js";
import { readIndices, readNumbers, readPositions, SharedArray } from "./arrays.js";
import { candidates, collect, derivatives } from "./candidates.js";
import { edit } from "./edit.js";
import { exclude, writeFilter } from "./filters.js";
import { ENUMS, STRUCTS } from "./layout.js";
import { Arguments, BACKENDS, camel, indexOfName, ISAS, ISSUES, ELEMENTS, METHODS, OUTPUTS, QUESTIONS, SnagError, snake, STATUSES } from "./memory.js";
import { instantiate, load, loadedLibrary } from "./module.js";
import { cast, castAll, castAny, closest, contains, enclosure, nested, overlapBoxes, overlapSpheres, winding } from "./queries.js";

const OK = ENUMS.snag_status.SNAG_OK;

// Options that a question takes by their own names: every number and flag of the C struct.
const PLAIN_OPTIONS = new Set(Object.entries(STRUCTS.snag_question_def.fields).filter(([name, [, type]]) => ["u8", "u32", "f64", "u64"].includes(type) && !["cookie", "budget_us"].includes(name)).map(([name]) => name));
const OTHER_OPTIONS = ["method", "output", "filter", "candidates", "options", "onBlock", "blockSize", "budget", "signal", "onProgress"];
// Methods that have options of their own.
const WITH_OPTIONS = METHODS.filter((method) => STRUCTS[`snag_${method}_options`]);

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
    // Which side of it points are on: "inside", "outside" or "on". An open surface is refused: ask for winding numbers.
    contains(points) {
        return contains(this.world, this, points);
    }
    winding(points) {
        return winding(this.world, this, points);
    }
    get enclosure() {
        return enclosure(this.world, this);
    }
    // The number that `labels` of its mesh gave to an element, as contacts name it.
    label(element) {
        return this.world.label(this, element);
    }
    // Cuts, tears, remeshes: { vertices, remove, splitVertices, splitEdges, rewire, add, removeVertices }. Returns new numbers of old elements.
    edit(changes) {
        return edit(this.world, this, changes);
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
        const host = {
            progress: (done) => this.progressed(done),
            bodies: (a, b) => this.called("bodies", this.bodyOfIndex(a), this.bodyOfIndex(b)),
            take: (contacts, pairs, count) => this.called("take", contacts, pairs, count),
            keep: (kind, bodyA, bodyB, a, b) => this.called("keep", { kind: kind ? "edge-edge" : "vertex-triangle", bodyA: this.bodyOfIndex(bodyA), bodyB: this.bodyOfIndex(bodyB), a, b }),
        };
        this.memory = instantiate(loadedLibrary(), host, maxMemory);
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
    putPositionsAt(args, memory, struct, given, what) {
        const put = this.putPositions(args, memory, given, what);
        this.writePositions(memory, struct, put);
        return put.count;
    }
    // Points of a query: the address of their struct, and how many there are.
    putPoints(args, memory, points) {
        const at = args.struct("snag_positions");
        return [at, this.putPositionsAt(args, memory, at, points, "points")];
    }
    copyId(memory, at, body) {
        if (!(body instanceof Body) || body.world !== this) throw new SnagError("body", "a body of this world is expected");
        memory.set("snag_body_id", at, "index", body.id[0]);
        memory.set("snag_body_id", at, "generation", body.id[1]);
    }
    putIds(args, memory, bodies) {
        const { size } = STRUCTS.snag_body_id;
        const at = args.room(bodies.length * size, "bodies"); // not NULL, which would be all bodies
        bodies.forEach((body, i) => this.copyId(memory, at + i * size, body));
        return at;
    }
    putId(args, memory, body) {
        return this.putIds(args, memory, [body]);
    }

    // ---- bodies ----

    // positions: see arrays.js. One of triangles (or `indices`, as GPUs call them), polygons ({ sizes, vertices }) and tets, or none; `edges`
    // are rods, `points` particles. radius, group and mask: a number, or an array with one for each vertex.
    add({ positions, triangles, indices, tets, polygons, edges, points, radius, group, mask, labels, rest, name, weld = false, user }) {
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
            const vertexCount = this.putPositionsAt(args, memory, memory.get("snag_body_def", def, "positions"), positions, "positions");
            let elements = list("triangles", "triangle_count", triangles ?? indices, 3) / 3;
            elements += list("tets", "tet_count", tets, 4) / 4;
            list("edges", "edge_count", edges, 2);
            list("points", "point_count", points, 1);
            if (polygons) {
                const sizes = readIndices(polygons.sizes, 1, "polygons.sizes");
                const needed = sizes.reduce((sum, size) => sum + size, 0);
                const there = list("polygon_vertices", null, polygons.vertices, 1);
                if (needed !== there) throw new SnagError("argument", `polygons: their sizes add up to ${needed}, and there are ${there} vertices`);
                elements += list("polygon_sizes", "polygon_count", sizes, 1);
            }
            for (const [value, one, many, Type, what] of [[radius, "radius", "radii", Float32Array, "radius"], [group, "group", "vertex_groups", Uint32Array, "group"], [mask, "mask", "vertex_masks", Uint32Array, "mask"]]) {
                if (typeof value === "number") set(one, value);
                else if (value !== undefined) set(many, args.array(readNumbers(value, Type, vertexCount, what), what));
            }
            if (labels !== undefined) set("labels", args.array(readNumbers(labels, Uint32Array, elements, "labels"), "labels"));
            if (rest !== undefined) this.putPositionsAt(args, memory, memory.get("snag_body_def", def, "rest"), rest, "rest");
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
                rods: view("rods", get("rod_count")),
                points: view("points", get("point_count")),
                radius: get("radius"),
            };
            return status;
        });
        return made;
    }

    label(body, { kind, index }) {
        let label = 0;
        this.call((args, memory, { snag_world_label }) => {
            const element = args.struct("snag_element");
            memory.set("snag_element", element, "kind", indexOfName(ELEMENTS, kind, "kind"));
            memory.set("snag_element", element, "index", index);
            label = snag_world_label(this.world, this.putId(args, memory, body), element) >>> 0;
            return OK;
        });
        return label;
    }

    // Pairs that never meet: pairs of elements, and sets of vertices. For `filter` of questions.
    exclude(pairs) {
        return exclude(this, pairs);
    }

    // ---- time ----

    // The positions of all bodies become those at the begin of the step.
    beginStep() {
        this.call((args, memory, { snag_world_begin_step }) => snag_world_begin_step(this.world));
    }
    place(name, body, positions) {
        this.call((args, memory, exports) => {
            const at = args.struct("snag_positions");
            this.putPositionsAt(args, memory, at, positions, "positions");
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

    // Runs `act` with what its callbacks need; it gets the address of the C callback for progress, or 0 if nobody waits for it.
    watched({ signal, onProgress }, act) {
        this.requireIdle();
        if (signal?.aborted) throw abortError(signal);
        this.callback = { signal, onProgress, error: null };
        try {
            const made = act(signal || onProgress ? this.memory.exports.snag_js_progress() : 0);
            if (this.callback.error) throw this.callback.error;
            if (signal?.aborted) throw abortError(signal);
            return made;
        } finally {
            this.callback = null;
        }
    }
    // Calls a function of the caller's; an error in it is thrown when the module has returned.
    called(name, ...values) {
        const { callback } = this;
        const afterError = name === "keep" ? 1 : 0; // nothing more is dropped, searched or handed out
        if (!callback?.[name] || callback.error) return afterError;
        try {
            return callback[name](...values) === false ? 0 : 1;
        } catch (error) {
            callback.error = error;
            return afterError;
        }
    }

    writeQuestion(args, memory, def, options) {
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
        if (options.filter) set("filter", writeFilter(this, args, memory, options.filter));
        if (options.candidates) set("candidates", options.candidates.addressFor(this));
        if (options.options) set("options", this.writeMethodOptions(args, memory, options.method, options.options));
        if (options.onBlock) set("sink", this.writeSink(args, memory, options));
    }
    writeMethodOptions(args, memory, method, options) {
        if (!WITH_OPTIONS.includes(method)) throw new SnagError("argument", `options: name a method that has some: ${WITH_OPTIONS.join(", ")}`);
        const struct = `snag_${method}_options`;
        const names = Object.keys(STRUCTS[struct].fields).filter((field) => field !== "head");
        const at = args.struct(struct);
        memory.exports[`snag_default_${method}_options`](at);
        for (const [key, value] of Object.entries(options)) {
            if (!names.includes(snake(key))) throw new SnagError("argument", `options of ${method}: unknown "${key}"; use one of ${names.map(camel).join(", ")}`);
            memory.set(struct, at, snake(key), key === "backend" ? indexOfName(BACKENDS, value, "backend") : value);
        }
        return at;
    }
    // Contacts in blocks: onBlock gets each as an answer that lasts as long as the call.
    writeSink(args, memory, { onBlock, blockSize = 0 }) {
        const at = args.struct("snag_sink");
        memory.exports.snag_default_sink(at);
        memory.set("snag_sink", at, "take", memory.exports.snag_js_take());
        memory.set("snag_sink", at, "block", blockSize);
        this.callback.take = (contacts, pairs, count) => onBlock(new Block(this, contacts, pairs, count));
        return at;
    }

    // Asks a question: "intersections", "proximities", "penetrations", "impacts", "distance", "overlaps". The answer lasts until the next one.
    // budget: milliseconds. signal: an AbortSignal; abort it from onProgress, or use snag/worker. onProgress(done): 0 to 1.
    ask(question, options = {}) {
        const number = indexOfName(QUESTIONS, question, "question");
        let answer = null;
        this.watched(options, (progress) =>
            this.call((args, memory, exports) => {
                const def = args.struct("snag_question_def");
                exports.snag_default_question_def(def, number);
                this.writeQuestion(args, memory, def, options);
                // Errors in callbacks end the search by it, too.
                if (progress || options.filter?.bodies) memory.set("snag_question_def", def, "progress", progress || exports.snag_js_progress());
                const out = args.room(4, "an answer");
                const status = exports.snag_world_ask(this.world, def, out);
                // The last answer stays only where the question itself was refused.
                if (!["argument", "unsupported", "busy", "stale", "body"].includes(STATUSES[status])) this.stamp++;
                if (status === OK) answer = new Answer(this, memory.number("u32", out));
                return status;
            }),
        );
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

    // ---- queries, and what solvers need: see queries.js and candidates.js ----

    closest(points, options) {
        return closest(this, points, options);
    }
    cast(rays, options) {
        return cast(this, rays, options);
    }
    castAny(rays, options) {
        return castAny(this, rays, options);
    }
    castAll(rays, options) {
        return castAll(this, rays, options);
    }
    overlapBoxes(boxes, options) {
        return overlapBoxes(this, boxes, options);
    }
    overlapSpheres(spheres, options) {
        return overlapSpheres(this, spheres, options);
    }
    nested() {
        return nested(this);
    }
    collect(options) {
        return collect(this, options);
    }
    candidates(lists) {
        return candidates(this, lists);
    }
    derivatives(pairs, options) {
        return derivatives(this, pairs, options);
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
