// Fixes meshes in one call, as `snag fix` does for a single frame: new positions, and what became of each place.
import { copyPositions } from "./arrays.js";
import { givenMeshes } from "./check.js";
import { SnagError } from "./memory.js";
import { Response } from "./response.js";
import { abortError, World } from "./world.js";

// Which vertices stay: true for all of them, or their numbers.
function massesOf(held, count) {
    const masses = new Float64Array(count).fill(1);
    if (held === true) return undefined;
    for (const v of held ?? []) {
        if (!(Number.isInteger(v) && v >= 0 && v < count)) throw new SnagError("index", `held: ${v} is no vertex; there are ${count}`);
        masses[v] = 0;
    }
    return masses;
}

// Fixes a file, or meshes ({ positions, triangles }, with `held: true` or the vertices that stay, `rigid: true` for one that moves as a whole).
// Returns { bodies, report }: bodies are the meshes with new positions. To write a file, use tool(["fix", ...]) of snag/tool.
export async function fix(data, name, options = {}) {
    const { meshes, maxMemory, rest } = await givenMeshes(data, name, options);
    if (rest.signal?.aborted) throw abortError(rest.signal);
    const world = await World.create({ maxMemory });
    try {
        const listed = meshes.map(({ held, rigid, ...mesh }) => {
            const body = world.add(mesh);
            const positions = copyPositions(mesh.positions, "positions");
            return { body, mesh, rigid, moving: { body, positions, inverseMasses: massesOf(held, positions.length / 3) } };
        });
        const response = new Response(world);
        const report = response.fix(listed.map(({ moving }) => moving), { ...rest, rigid: listed.filter(({ rigid }) => rigid).map(({ body }) => body) });
        const numberOf = new Map(listed.map(({ body }, i) => [body, i]));
        // The world is gone when this returns: places name the meshes by their numbers.
        const places = report.places.map(({ a, b, ...place }) => ({ a: numberOf.get(a), b: numberOf.get(b), ...place }));
        return { bodies: listed.map(({ mesh, moving }) => ({ ...mesh, positions: moving.positions })), report: { ...report, places } };
    } finally {
        world.dispose();
    }
}
