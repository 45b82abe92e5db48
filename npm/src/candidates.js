// Candidates that last, and derivatives: what a solver asks between two steps. See snag/candidates.h and snag/derivatives.h.
import { readIndices, readNumbers } from "./arrays.js";
import { writeFilter } from "./filters.js";
import { ENUMS, STRUCTS } from "./layout.js";
import { camel, SnagError, STATUSES } from "./memory.js";
import { Derivatives } from "./records.js";

const KINDS = {
    vertexTriangle: ENUMS.snag_candidate_kind.SNAG_CANDIDATE_VERTEX_TRIANGLE,
    edgeEdge: ENUMS.snag_candidate_kind.SNAG_CANDIDATE_EDGE_EDGE,
    vertexEdge: ENUMS.snag_candidate_kind.SNAG_CANDIDATE_VERTEX_EDGE,
    vertexVertex: ENUMS.snag_candidate_kind.SNAG_CANDIDATE_VERTEX_VERTEX,
};
const KIND_COUNT = Object.keys(KINDS).length;
const NAMES = ["self", "between", "distance", "margin", "searchIfStale"];

// Pairs of elements that can matter, found once and asked about many times. `vertexTriangle` and `edgeEdge` are rows of four numbers: index of
// the body of a and of b, a, b.
export class Candidates {
    constructor(world, at) {
        this.world = world;
        this.at = at;
    }
    addressFor(world) {
        if (!this.at) throw new SnagError("argument", "the candidates were disposed");
        if (this.world !== world) throw new SnagError("body", "the candidates are of another world");
        return this.at;
    }
    get exports() {
        this.world.requireIdle();
        this.addressFor(this.world);
        return this.world.memory.exports;
    }
    get length() {
        return this.exports.snag_candidates_count(this.at) >>> 0;
    }
    get byteLength() {
        return this.exports.snag_candidates_bytes(this.at) >>> 0;
    }
    // Whether answers from it are those of a search.
    get complete() {
        return this.exports.snag_candidates_are_complete(this.at) !== 0;
    }
    list(kind) {
        let made = null;
        this.world.call((args, memory, exports) => {
            const count = args.room(4, "a count");
            const from = exports.snag_candidates_list(this.addressFor(this.world), kind, count) >>> 0;
            made = memory.copy(Uint32Array, from, 4 * memory.number("u32", count)) ?? new Uint32Array(0);
            return 0;
        });
        return made;
    }
    get vertexTriangle() {
        return this.list(KINDS.vertexTriangle);
    }
    get edgeEdge() {
        return this.list(KINDS.edgeEdge);
    }
    get vertexEdge() {
        return this.list(KINDS.vertexEdge);
    }
    get vertexVertex() {
        return this.list(KINDS.vertexVertex);
    }
    // Throws a SnagError "stale" if a vertex has strayed too far. moving: as for impacts, t0 counts too.
    check({ moving = false } = {}) {
        this.world.call((args, memory, { snag_candidates_check }) => snag_candidates_check(this.world.world, this.addressFor(this.world), moving ? 1 : 0));
    }
    // Adds the pairs of another set.
    merge(other) {
        this.world.call((args, memory, { snag_candidates_merge }) => {
            const status = snag_candidates_merge(this.addressFor(this.world), other.addressFor(this.world));
            if (status !== 0) throw new SnagError(STATUSES[status], `merge: ${STATUSES[status]}: both must be different sets, collected with the same filter`);
            return status;
        });
    }
    // Drops the pairs for which keep({ kind, bodyA, bodyB, a, b }) returns false.
    filter(keep) {
        const { world } = this;
        world.watched({}, () => {
            world.callback.keep = keep;
            world.call((args, memory, { snag_js_filter }) => snag_js_filter(this.addressFor(world)));
        });
    }
    dispose() {
        const { world, at } = this;
        this.at = 0;
        if (at && world.memory) world.call((args, memory, { snag_candidates_destroy }) => snag_candidates_destroy(at) ?? 0);
    }
}
if (Symbol.dispose) Candidates.prototype[Symbol.dispose] = Candidates.prototype.dispose;

// Makes a set; `act` fills the one whose address is at `out`.
function make(world, filter, act) {
    let made = null;
    world.watched({}, () =>
        world.call((args, memory, exports) => {
            const out = args.room(4, "candidates");
            memory.view.setUint32(out, 0, true);
            const status = act(args, memory, exports, out);
            if (status === 0) made = new Candidates(world, memory.number("u32", out));
            world.stamp++; // the last answer is gone
            return status;
        }),
    );
    return made;
}

// All pairs that can come within `distance` on the way from t0 to t1, or while vertices stray from it by `margin`.
export function collect(world, { filter, ...options } = {}) {
    const unknown = Object.keys(options).find((key) => !NAMES.includes(key));
    if (unknown) throw new SnagError("argument", `collect: unknown option "${unknown}"; use one of ${[...NAMES, "filter"].join(", ")}`);
    return make(world, filter, (args, memory, exports, out) => {
        const def = args.struct("snag_collect_def");
        exports.snag_default_collect_def(def);
        for (const name of Object.keys(STRUCTS.snag_collect_def.fields)) if (options[camel(name)] !== undefined) memory.set("snag_collect_def", def, name, options[camel(name)]);
        if (filter) memory.set("snag_collect_def", def, "filter", writeFilter(world, args, memory, filter));
        return exports.snag_world_collect(world.world, def, out);
    });
}

// A set of pairs of your own, such as those of another broad phase.
export function candidates(world, lists = {}) {
    const unknown = Object.keys(lists).find((key) => !(key in KINDS));
    if (unknown) throw new SnagError("argument", `candidates: unknown kind "${unknown}"; use ${Object.keys(KINDS).join(", ")}`);
    return make(world, undefined, (args, memory, exports, out) => {
        const [pointers, counts] = [args.room(4 * KIND_COUNT, "pairs"), args.room(4 * KIND_COUNT, "counts")];
        for (const [name, kind] of Object.entries(KINDS)) {
            const rows = readIndices(lists[name], 4, name);
            memory.view.setUint32(pointers + 4 * kind, rows.length ? args.array(rows, name) : 0, true);
            memory.view.setUint32(counts + 4 * kind, rows.length / 4, true);
        }
        return exports.snag_candidates_create(world.world, pointers, counts, out);
    });
}

// Squared distances of pairs at t1 with gradients and Hessians after the coordinates of their points. mollifier: its factor for nearly
// parallel edges, or an array with a threshold for each pair.
export function derivatives(world, pairs, { hessians = true, mollifier = 0 } = {}) {
    let made = null;
    const isSet = pairs instanceof Candidates;
    const isOwn = isSet ? pairs.addressFor(world) : pairs?.world === world && pairs.memory;
    if (!isOwn) throw new SnagError("argument", "derivatives: expected an answer or candidates of this world");
    const count = isSet ? pairs.length : pairs.listed;
    if (!isSet && count < pairs.length) throw new SnagError("argument", `derivatives: the answer lists nothing; ask for contacts or pairs, not ${pairs.output}`);
    world.call((args, memory, exports) => {
        const def = args.struct("snag_derivatives_def");
        exports.snag_default_derivatives_def(def);
        const set = (field, value) => memory.set("snag_derivatives_def", def, field, value);
        const { size } = STRUCTS.snag_derivative;
        if (isSet) set("candidates", pairs.at);
        else set(pairs.contacts ? "contacts" : "pairs", pairs.contacts || pairs.pairs);
        set("count", count);
        if (typeof mollifier === "number") set("mollifier", mollifier);
        else set("thresholds", args.array(readNumbers(mollifier, Float64Array, count, "mollifier"), "mollifier"));
        const results = args.room(count * size, "derivatives");
        const room = (wanted) => (wanted && count ? args.room(144 * 8 * count, "Hessians") : 0);
        const [own, mollified] = [room(hessians), room(hessians && mollifier)];
        set("hessians", own);
        set("mollifier_hessians", mollified);
        const status = exports.snag_world_derivatives(world.world, def, results);
        if (status !== 0) return status;
        const bodies = new Map(world.bodies);
        made = new Derivatives(memory.bytes(results, count * size).slice().buffer, (index) => bodies.get(index) ?? null, memory.copy(Float64Array, own, 144 * count), memory.copy(Float64Array, mollified, 144 * count));
        return status;
    });
    return made;
}
