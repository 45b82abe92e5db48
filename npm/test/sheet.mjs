// A sheet of n x n quads whose second half is folded back through the first.
export function foldedSheet(n, Type = Float64Array) {
    const positions = new Type(3 * (n + 1) * (n + 1));
    const triangles = new Uint32Array(6 * n * n);
    for (let j = 0; j <= n; j++)
        for (let i = 0; i <= n; i++) {
            const x = i / n;
            positions.set([x < 0.5 ? x : 1 - x, j / n, x < 0.5 ? 0.02 * Math.sin(9 * x + 5 * (j / n)) : 0.02 * Math.cos(11 * x - 7 * (j / n))], 3 * (j * (n + 1) + i));
        }
    for (let j = 0, at = 0; j < n; j++)
        for (let i = 0; i < n; i++, at += 6) {
            const v = j * (n + 1) + i;
            triangles.set([v, v + 1, v + n + 2, v, v + n + 2, v + n + 1], at);
        }
    return { positions, triangles };
}
