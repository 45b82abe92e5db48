// A hierarchy of boxes over the triangles of a body, split at the median triangle along the longest side: shows what a level of a
// bounding volume hierarchy looks like. The tree is kept while the body moves; the boxes are refitted.

export class BoxTree {
    constructor(body, positions) {
        this.body = body;
        this.order = Uint32Array.from({ length: body.triangleCount }, (_, i) => i);
        this.centres = new Float32Array(3 * body.triangleCount);
        for (let t = 0; t < body.triangleCount; t++)
            for (let k = 0; k < 3; k++)
                this.centres[3 * t + k] =
                    (positions[3 * body.triangles[3 * t] + k] +
                        positions[3 * body.triangles[3 * t + 1] + k] +
                        positions[3 * body.triangles[3 * t + 2] + k]) / 3;
        this.levels = [[[0, body.triangleCount]]];
    }

    // Ranges of `order` at a level; levels are built on first use.
    level(depth) {
        while (this.levels.length <= depth) {
            const next = [];
            for (const [first, end] of this.levels.at(-1)) {
                if (end - first < 2) next.push([first, end]);
                else next.push(...this.halve(first, end));
            }
            this.levels.push(next);
        }
        return this.levels[depth];
    }

    halve(first, end) {
        const low = [Infinity, Infinity, Infinity];
        const high = [-Infinity, -Infinity, -Infinity];
        for (let i = first; i < end; i++)
            for (let k = 0; k < 3; k++) {
                const x = this.centres[3 * this.order[i] + k];
                if (x < low[k]) low[k] = x;
                if (x > high[k]) high[k] = x;
            }
        const sides = low.map((x, k) => high[k] - x);
        const axis = sides.indexOf(Math.max(...sides));
        const part = this.order.subarray(first, end);
        part.sort((s, t) => this.centres[3 * s + axis] - this.centres[3 * t + axis]);
        const middle = first + ((end - first) >> 1);
        return [[first, middle], [middle, end]];
    }

    // Six numbers per box: low x, y, z, high x, y, z.
    boxes(depth, positions) {
        const ranges = this.level(depth);
        const out = new Float32Array(6 * ranges.length);
        const { triangles } = this.body;
        ranges.forEach(([first, end], i) => {
            const box = out.subarray(6 * i, 6 * i + 6).fill(Infinity, 0, 3).fill(-Infinity, 3, 6);
            for (let j = first; j < end; j++)
                for (let c = 0; c < 3; c++)
                    for (let k = 0, v = 3 * triangles[3 * this.order[j] + c]; k < 3; k++) {
                        const x = positions[v + k];
                        if (x < box[k]) box[k] = x;
                        if (x > box[3 + k]) box[3 + k] = x;
                    }
        });
        return out;
    }
}
