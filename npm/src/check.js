// Checks a mesh in one call, as `snag check` does for a single frame.
import { load } from "./module.js";
import { readMesh } from "./read.js";
import { abortError, World } from "./world.js";

const DISTANCE_OF_DIAGONAL = 1e-3;
const TOLERANCE_OF_DIAGONAL = 1e-6;

// The element's number in its file, as the tool prints it: t12, v7, e3-9, k5.
export function numberIn(file, info, element) {
    const of = (numbers, index) => numbers?.[index] ?? index;
    switch (element.kind) {
        case "vertex":
            return `v${of(file.vertexNumbers, element.index)}`;
        case "edge": {
            const [low, high] = element.vertices.map((v) => of(file.vertexNumbers, v)).sort((x, y) => x - y);
            return `e${low}-${high}`;
        }
        case "triangle": {
            const face = info.triangleFaces[element.index];
            return file.tets ? `t${element.index}` : `t${of(file.polygonNumbers, face)}`;
        }
        default:
            return `k${of(file.tetNumbers, element.index)}`;
    }
}

function diagonalOf(world) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const body of world.bodies.values()) {
        const { minimum, maximum } = world.check(body);
        for (let k = 0; k < 3; k++) {
            low[k] = Math.min(low[k], minimum[k]);
            high[k] = Math.max(high[k], maximum[k]);
        }
    }
    const sides = high.map((x, k) => x - low[k]);
    return Math.hypot(...sides) || 0;
}

// Lengths that were not given are parts of the scene's size, as in the tool.
function withLengths(world, question, options) {
    if (question === "proximities" && options.distance === undefined) return { ...options, distance: DISTANCE_OF_DIAGONAL * diagonalOf(world) };
    if (question === "impacts" && options.tolerance === undefined) return { ...options, tolerance: TOLERANCE_OF_DIAGONAL * diagonalOf(world) };
    return options;
}

// Asks about bodies: meshes as for World.add, or as readMesh returns them.
export async function checkBodies(bodies, { question, maxMemory, ...options } = {}) {
    if (options.signal?.aborted) throw abortError(options.signal);
    const world = await World.create({ maxMemory });
    const files = new Map();
    for (const body of bodies) files.set(world.add(body), body);
    const asked = question ?? (bodies.some((body) => body.tets?.length) ? "penetrations" : "intersections");
    const answer = world.ask(asked, withLengths(world, asked, options));
    answer.owned = true;
    answer.files = files;
    answer.nameOf = (element) => numberIn(files.get(element.body), element.body.info, element);
    return answer;
}

// What a call on files or meshes was given: the meshes, the options, and what reading the file noted.
export async function givenMeshes(data, name, options) {
    const isMesh = Array.isArray(data) ? data.every((body) => body?.positions) : Boolean(data?.positions);
    const isFile = !isMesh && typeof name !== "string" && typeof data?.name === "string";
    const { split, curved, maxMemory, ...rest } = isMesh || isFile ? (typeof name === "object" && name ? name : options) : options;
    if (isMesh) return { meshes: Array.isArray(data) ? data : [data], maxMemory, rest };
    load().catch(() => {}); // while the file is read; who needs the library waits for it, and is told
    const { bodies, note } = await readMesh(data, isFile ? data.name : name, { split, curved, maxMemory });
    return { meshes: bodies, maxMemory, rest, note };
}

// Checks a file: its bytes and its name, whose ending says the format; a File needs no name. Or a mesh: { positions, triangles }, or an
// array of them. Options as for World.ask, with `question` ("intersections", or "penetrations" of tetrahedra, if not given), `split` and `curved`.
export async function check(data, name, options = {}) {
    const { meshes, maxMemory, rest, note } = await givenMeshes(data, name, options);
    const answer = await checkBodies(meshes, { ...rest, maxMemory });
    answer.note = note ?? "";
    return answer;
}
