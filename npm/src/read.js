// Readers of mesh files: snag_io_parse_mesh in a module of its own, which is loaded with the first file.
import { notDetached } from "./arrays.js";
import { STRUCTS } from "./layout.js";
import { Arguments, indexOfName, SnagError, SPLITS, STATUSES } from "./memory.js";
import { instantiate, loadReaders } from "./module.js";

const MOST_FILE = 2 ** 32 - 2 ** 28; // what is left of 4 GB beside a small mesh

// The bytes of what a file may come as.
export async function bytesOf(data, name) {
    if (typeof Blob !== "undefined" && data instanceof Blob) {
        if (data.size > MOST_FILE) throw tooLarge(data.size, name);
        return new Uint8Array(await data.arrayBuffer());
    }
    if (data instanceof ArrayBuffer || (typeof SharedArrayBuffer !== "undefined" && data instanceof SharedArrayBuffer)) return notDetached(new Uint8Array(data), name);
    if (ArrayBuffer.isView(data)) return new Uint8Array(notDetached(data, name).buffer, data.byteOffset, data.byteLength);
    if (typeof data === "string") return new TextEncoder().encode(data);
    throw new SnagError("argument", `${name}: expected the bytes of a file (ArrayBuffer, typed array, Blob, or text), found ${data === null ? "null" : data?.constructor?.name ?? typeof data}`);
}

function tooLarge(size, name) {
    return new SnagError("memory", `${name}: ${(size / 2 ** 30).toFixed(1)} GB do not fit into the 4 GB that WebAssembly has; use the snag command (native) for it`);
}

// Reads a mesh: its bodies, with numbers as in the file. `name` says the format by its ending. split: "objects", "groups", "materials",
// "parts" or "shells". curved: cut cells of second order at their mid-nodes. maxMemory: bytes that reading may take.
export async function readMesh(data, name, { split, curved, maxMemory } = {}) {
    if (typeof name !== "string") throw new SnagError("argument", "readMesh: give the file's name; its ending says the format");
    const bytes = await bytesOf(data, name);
    if (bytes.length > MOST_FILE) throw tooLarge(bytes.length, name);
    const memory = instantiate(await loadReaders(), {}, maxMemory);
    return parse(memory, bytes, name, split, curved);
}

function parse(memory, bytes, name, split, curved) {
    const { exports } = memory;
    const args = new Arguments(memory);
    const mesh = args.struct("snag_io_mesh");
    const error = args.struct("snag_io_error");
    const options = args.struct("snag_io_read_options");
    exports.snag_io_default_read_options(options);
    memory.set("snag_io_read_options", options, "most_bytes", 2 ** 32 - 1);
    if (split !== undefined) memory.set("snag_io_read_options", options, "split", indexOfName(SPLITS, split, "split"));
    if (curved) memory.set("snag_io_read_options", options, "curved", 1);
    let status;
    try {
        status = exports.snag_io_parse_mesh_with(args.text(name), args.array(bytes, name), bytes.length, options, mesh, error);
    } catch (stopped) {
        if (!(stopped instanceof WebAssembly.RuntimeError)) throw stopped;
        throw new SnagError("memory", `${name}: reading it stopped: ${stopped.message}`);
    }
    const words = memory.text(error + STRUCTS.snag_io_error.fields.message[0]);
    if (status !== 0) throw new SnagError(STATUSES[status], words || `${name}: ${STATUSES[status]}`);
    const get = (field) => memory.get("snag_io_mesh", mesh, field);
    const bodies = Array.from({ length: get("body_count") }, (_, i) => readBody(memory, get("bodies") + i * STRUCTS.snag_io_body.size));
    return { name, bodies, note: words, skipped: get("skipped"), leftOut: get("left_out"), curved: get("curved"), metres: get("metres") };
}

// Copies one body out of the readers' memory, which is dropped afterwards.
function readBody(memory, at) {
    const get = (field) => memory.get("snag_io_body", at, field);
    const numbers = (field, count) => memory.copy(Uint32Array, get(field), count);
    const [vertices, polygons, tets] = [get("vertex_count"), get("polygon_count"), get("tet_count")];
    const sizes = numbers("polygon_sizes", polygons);
    const corners = sizes ? sizes.reduce((sum, size) => sum + size, 0) : 3 * polygons;
    const polygonVertices = numbers("polygon_vertices", corners);
    return {
        name: memory.text(get("name")),
        positions: memory.copy(Float64Array, get("positions"), 3 * vertices) ?? new Float64Array(0),
        triangles: !sizes && polygons && !tets ? polygonVertices : undefined,
        polygons: sizes && !tets ? { sizes, vertices: polygonVertices } : undefined,
        tets: tets ? numbers("tets", 4 * tets) : undefined,
        // The numbers in the file, or null where they are the same.
        vertexNumbers: numbers("vertex_numbers", vertices),
        polygonNumbers: numbers("polygon_numbers", polygons),
        tetNumbers: numbers("tet_numbers", tets),
    };
}

// The endings that can be read: meshes, and caches of motion.
export async function endings() {
    const memory = instantiate(await loadReaders());
    const list = (name) => memory.text(memory.exports[name]()).split(" ");
    return { meshes: list("snag_io_mesh_endings"), caches: list("snag_io_cache_endings") };
}

// Those of meshes: ".obj", ".ply", ...
export async function meshEndings() {
    return (await endings()).meshes;
}
