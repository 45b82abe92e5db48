// Which pairs take part: excluded pairs, and the filter of a question. See snag/filter.h.
import { readIndices } from "./arrays.js";
import { STRUCTS } from "./layout.js";
import { ELEMENTS, SnagError } from "./memory.js";

const NAMES = ["bodies", "excludeRings", "excludeRest", "exclusions"];

// Pairs that never meet, made by World.exclude; for `filter` of questions.
export class Exclusions {
    constructor(world, at) {
        this.world = world;
        this.at = at;
    }
    // The address, for a question of `world`.
    addressFor(world) {
        if (!this.at) throw new SnagError("argument", "the exclusions were disposed");
        if (this.world !== world) throw new SnagError("argument", "the exclusions are of another world");
        return this.at;
    }
    dispose() {
        const { world, at } = this;
        this.at = 0;
        if (at && world.memory) world.call((args, memory, { snag_world_drop_exclusions }) => snag_world_drop_exclusions(world.world, at));
    }
}
if (Symbol.dispose) Exclusions.prototype[Symbol.dispose] = Exclusions.prototype.dispose;

function writeElement(world, args, memory, pair, side, element) {
    const kind = ELEMENTS.indexOf(element?.kind);
    if (kind < 0 || (element.kind === "edge" ? element.vertices?.length !== 2 : !Number.isInteger(element.index))) throw new SnagError("argument", 'pairs: an element is { body, kind: "vertex", index } (or "triangle", "tet"), an edge { body, kind: "edge", vertices: [a, b] }');
    world.copyId(memory, memory.get("snag_excluded_pair", pair, `body_${side}`), element.body);
    const at = memory.get("snag_excluded_pair", pair, side);
    memory.set("snag_element", at, "kind", kind);
    if (element.kind !== "edge") memory.set("snag_element", at, "index", element.index);
    else element.vertices.forEach((v, i) => memory.view.setUint32(at + STRUCTS.snag_element.fields.vertex[0] + 4 * i, v, true));
}

// pairs: [[element, element]]; elements as in contacts. sets: [[{ body, vertices }, { body, vertices }]].
export function exclude(world, { pairs = [], sets = [] }) {
    let made = null;
    world.call((args, memory, exports) => {
        const def = args.struct("snag_exclusion_def");
        exports.snag_default_exclusion_def(def);
        const set = (field, value) => memory.set("snag_exclusion_def", def, field, value);
        const listed = args.structs("snag_excluded_pair", pairs.length);
        pairs.forEach(([a, b], i) => {
            writeElement(world, args, memory, listed + i * STRUCTS.snag_excluded_pair.size, "a", a);
            writeElement(world, args, memory, listed + i * STRUCTS.snag_excluded_pair.size, "b", b);
        });
        const groups = args.structs("snag_excluded_sets", sets.length);
        sets.forEach((both, i) => {
            const at = groups + i * STRUCTS.snag_excluded_sets.size;
            ["a", "b"].forEach((side, k) => {
                const vertices = readIndices(both[k]?.vertices, 1, "sets: vertices");
                world.copyId(memory, memory.get("snag_excluded_sets", at, `body_${side}`), both[k]?.body);
                memory.set("snag_excluded_sets", at, `vertices_${side}`, args.array(vertices, "sets"));
                memory.set("snag_excluded_sets", at, `count_${side}`, vertices.length);
            });
        });
        set("pairs", listed);
        set("pair_count", pairs.length);
        set("sets", groups);
        set("set_count", sets.length);
        const out = args.room(4, "exclusions");
        const status = exports.snag_world_exclude(world.world, def, out);
        if (status === 0) made = new Exclusions(world, memory.number("u32", out));
        return status;
    });
    return made;
}

// Writes a filter: { bodies(a, b), excludeRings, excludeRest, exclusions }. Returns its address.
export function writeFilter(world, args, memory, filter) {
    const unknown = Object.keys(filter).find((key) => !NAMES.includes(key));
    if (unknown) throw new SnagError("argument", `filter: unknown option "${unknown}"; use one of ${NAMES.join(", ")}`);
    const at = args.struct("snag_filter");
    memory.exports.snag_default_filter(at);
    const set = (field, value) => value !== undefined && memory.set("snag_filter", at, field, value);
    set("exclude_rings", filter.excludeRings);
    set("exclude_rest", filter.excludeRest);
    set("exclusions", filter.exclusions?.addressFor(world));
    if (filter.bodies) {
        world.callback.bodies = filter.bodies;
        set("bodies", memory.exports.snag_js_bodies());
    }
    return at;
}
