// Editing a body: cutting, tearing, remeshing. See snag/edit.h.
import { readIndices } from "./arrays.js";
import { STRUCTS } from "./layout.js";
import { SnagError } from "./memory.js";

const NAMES = ["vertices", "rest", "group", "mask", "remove", "splitVertices", "splitEdges", "rewire", "add", "labels", "removeVertices"];

function writeSplits(args, memory, set, splitVertices, splitEdges) {
    const tears = args.structs("snag_split_vertex", splitVertices.length);
    splitVertices.forEach(({ vertex, elements }, i) => {
        const at = tears + i * STRUCTS.snag_split_vertex.size;
        const listed = readIndices(elements, 1, "splitVertices: elements");
        memory.set("snag_split_vertex", at, "vertex", vertex);
        memory.set("snag_split_vertex", at, "elements", args.array(listed, "elements"));
        memory.set("snag_split_vertex", at, "element_count", listed.length);
    });
    const cuts = args.structs("snag_split_edge", splitEdges.length);
    splitEdges.forEach(({ vertices, at: where = 0.5 }, i) => {
        const at = cuts + i * STRUCTS.snag_split_edge.size;
        if (vertices?.length !== 2) throw new SnagError("argument", "splitEdges: an edge is { vertices: [a, b], at }");
        vertices.forEach((v, k) => memory.view.setUint32(at + STRUCTS.snag_split_edge.fields.vertex[0] + 4 * k, v, true));
        memory.set("snag_split_edge", at, "at", where);
    });
    set("split_vertices", tears);
    set("split_vertex_count", splitVertices.length);
    set("split_edges", cuts);
    set("split_edge_count", splitEdges.length);
}

function writeEdit(world, args, memory, def, corners, given) {
    const set = (field, value) => memory.set("snag_edit_def", def, field, value);
    const list = (pointer, count, array, per, expected) => {
        if (array === undefined || array === null) return 0;
        const made = readIndices(array, per, pointer);
        if (expected !== undefined && made.length / per !== expected) throw new SnagError("argument", `${pointer}: expected ${expected}, found ${made.length / per}`);
        set(pointer, made.length ? args.array(made, pointer) : 0);
        if (count) set(count, made.length / per);
        return made.length / per;
    };
    const put = (field) => (given[field] === undefined ? 0 : world.putPositionsAt(args, memory, memory.get("snag_edit_def", def, field), given[field], field));
    const count = put("vertices");
    put("rest");
    list("vertex_groups", null, given.group, 1, count);
    list("vertex_masks", null, given.mask, 1, count);
    list("removed", "removed_count", given.remove, 1);
    const added = list("added", "added_count", given.add, corners);
    list("added_labels", null, given.labels, 1, added);
    if (given.rewire) {
        const rewired = list("rewired", "rewired_count", given.rewire.elements, 1);
        list("rewired_vertices", null, given.rewire.vertices, corners, rewired);
    }
    list("removed_vertices", "removed_vertex_count", given.removeVertices, 1);
    writeSplits(args, memory, set, given.splitVertices ?? [], given.splitEdges ?? []);
}

// Numbers in the arrays of the map are 0xffffffff where there is none.
export function edit(world, body, given) {
    const unknown = Object.keys(given).find((key) => !NAMES.includes(key));
    if (unknown) throw new SnagError("argument", `edit: unknown option "${unknown}"; use one of ${NAMES.join(", ")}`);
    const corners = world.info(body).tetCount ? 4 : 3;
    let made = null;
    world.call((args, memory, exports) => {
        const def = args.struct("snag_edit_def");
        exports.snag_default_edit_def(def);
        writeEdit(world, args, memory, def, corners, given);
        const map = args.struct("snag_edit_map");
        const status = exports.snag_world_edit(world.world, world.putId(args, memory, body), def, map);
        if (status !== 0) return status;
        const get = (field) => memory.get("snag_edit_map", map, field);
        const list = (field, count) => memory.copy(Uint32Array, get(field), get(count)) ?? new Uint32Array(0);
        made = { firstVertex: get("first_vertex"), firstElement: get("first_element"), vertexFrom: list("vertex_from", "vertex_count"), elementFrom: list("element_from", "element_count"), edges: list("edges", "old_edge_count"), triangles: list("triangles", "old_triangle_count") };
        world.stamp++; // the last answer is gone
        return status;
    });
    return made;
}
