// Small shapes for the tests.

// A closed box from `lo` to `hi`, outward.
export function box(lo, hi) {
    const positions = new Float64Array(24);
    for (let i = 0; i < 8; i++) for (let k = 0; k < 3; k++) positions[3 * i + k] = (i >> k) & 1 ? hi[k] : lo[k];
    const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    return { positions, triangles: new Uint32Array(quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])) };
}

// A flat sheet of n x n quads at a height.
export function sheet(n, height = 0) {
    const positions = Float64Array.from({ length: 3 * (n + 1) ** 2 }, (_, i) => [(Math.floor(i / 3) % (n + 1)) / n, Math.floor(i / 3 / (n + 1)) / n, height][i % 3]);
    const triangles = Uint32Array.from(Array.from({ length: n * n }, (_, i) => Math.floor(i / n) * (n + 1) + (i % n)).flatMap((v) => [v, v + 1, v + n + 2, v, v + n + 2, v + n + 1]));
    return { positions, triangles };
}

// A ball of 2 * around * (rings - 1) triangles.
export function ball(around, rings, radius = 1, centre = [0, 0, 0]) {
    const points = [[0, 0, radius]];
    for (let j = 1; j < rings; j++) for (let i = 0; i < around; i++) points.push([Math.sin((Math.PI * j) / rings) * Math.cos((2 * Math.PI * i) / around), Math.sin((Math.PI * j) / rings) * Math.sin((2 * Math.PI * i) / around), Math.cos((Math.PI * j) / rings)].map((x) => radius * x));
    points.push([0, 0, -radius]);
    const at = (j, i) => (j === 0 ? 0 : j === rings ? points.length - 1 : 1 + (j - 1) * around + (i % around));
    const triangles = [];
    for (let j = 0; j < rings; j++)
        for (let i = 0; i < around; i++) {
            if (j) triangles.push(at(j, i), at(j + 1, i), at(j, i + 1));
            if (j < rings - 1) triangles.push(at(j, i + 1), at(j + 1, i), at(j + 1, i + 1));
        }
    return { positions: Float64Array.from(points.flatMap((p) => p.map((x, k) => x + centre[k]))), triangles: Uint32Array.from(triangles) };
}

export async function throws(assert, SnagError, act, status, words) {
    await assert.rejects(async () => act(), (error) => {
        assert.ok(error instanceof SnagError, `${error.stack}`);
        assert.equal(error.status, status, error.message);
        assert.match(error.message, words);
        return true;
    });
}
