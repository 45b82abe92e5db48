// A coarser mesh on a subset of a body's vertices, so that it follows the body without updates: each free vertex absorbs a free
// neighbour, and the triangles with three different corners remain.

// The triangles of each vertex: those of v are list[first[v]] .. list[first[v + 1] - 1].
function trianglesOfVertices(triangles, vertexCount) {
    const first = new Uint32Array(vertexCount + 1);
    for (const v of triangles) first[v + 1]++;
    for (let v = 0; v < vertexCount; v++) first[v + 1] += first[v];
    const list = new Uint32Array(triangles.length);
    const next = first.slice();
    for (let i = 0; i < triangles.length; i++) list[next[triangles[i]]++] = (i / 3) | 0;
    return { first, list };
}

function freeNeighbour(v, triangles, { first, list }, owner) {
    for (let i = first[v]; i < first[v + 1]; i++)
        for (let c = 0; c < 3; c++) {
            const w = triangles[3 * list[i] + c];
            if (w !== v && owner[w] < 0) return w;
        }
    return v;
}

// About half as many triangles.
function collapse(triangles, vertexCount) {
    const around = trianglesOfVertices(triangles, vertexCount);
    const owner = new Int32Array(vertexCount).fill(-1);
    for (let v = 0; v < vertexCount; v++)
        if (owner[v] < 0) owner[freeNeighbour(v, triangles, around, owner)] = owner[v] = v;
    const kept = [];
    for (let i = 0; i < triangles.length; i += 3) {
        const a = owner[triangles[i]];
        const b = owner[triangles[i + 1]];
        const c = owner[triangles[i + 2]];
        if (a !== b && b !== c && c !== a) kept.push(a, b, c);
    }
    return Uint32Array.from(kept);
}

// At most about `most` triangles; very small meshes are not simplified.
export function coarseTriangles(body, most) {
    let triangles = body.triangles;
    while (triangles.length / 3 > Math.max(most, 100)) {
        const fewer = collapse(triangles, body.vertexCount);
        if (fewer.length === 0 || fewer.length > 0.9 * triangles.length) break;
        triangles = fewer;
    }
    return triangles;
}
