// From which side a place is seen best: rays from its points towards the camera, against all triangles that are shown.

// Directions to look from, spread over the sphere; those from below the floor are left out unless nothing else is free.
export function directions(up) {
    const made = [];
    for (const height of [0.55, 0.2, 0.9, -0.3, -0.8])
        for (let i = 0; i < 8; i++) {
            const flat = Math.sqrt(1 - height * height);
            const angle = (i + (height === 0.2 ? 0.5 : 0)) * (Math.PI / 4);
            const d = [flat * Math.cos(angle), flat * Math.sin(angle)];
            made.push(up === 2 ? [d[0], d[1], height] : up === 1 ? [d[0], height, d[1]] : [height, d[0], d[1]]);
        }
    return made;
}

// How many bodies' surfaces a ray from a point crosses before it leaves; triangles nearer than `skip` do not count. `hit` is called with
// the number of each body that is crossed.
export function crossings(bodies, point, direction, skip, hit) {
    let count = 0;
    const [ox, oy, oz] = point;
    const [dx, dy, dz] = direction;
    bodies.forEach(({ xyz, triangles, centre, radius }, which) => {
        // Past the sphere around the body?
        const cx = centre[0] - ox;
        const cy = centre[1] - oy;
        const cz = centre[2] - oz;
        const along = cx * dx + cy * dy + cz * dz;
        if (cx * cx + cy * cy + cz * cz - along * along > radius * radius || along + radius < 0) return;
        let met = 0;
        for (let t = 0; t < triangles.length; t += 3) {
            const a = 3 * triangles[t];
            const b = 3 * triangles[t + 1];
            const c = 3 * triangles[t + 2];
            const ux = xyz[b] - xyz[a];
            const uy = xyz[b + 1] - xyz[a + 1];
            const uz = xyz[b + 2] - xyz[a + 2];
            const vx = xyz[c] - xyz[a];
            const vy = xyz[c + 1] - xyz[a + 1];
            const vz = xyz[c + 2] - xyz[a + 2];
            const px = dy * vz - dz * vy;
            const py = dz * vx - dx * vz;
            const pz = dx * vy - dy * vx;
            const det = ux * px + uy * py + uz * pz;
            if (det > -1e-12 && det < 1e-12) continue;
            const sx = ox - xyz[a];
            const sy = oy - xyz[a + 1];
            const sz = oz - xyz[a + 2];
            const u = (sx * px + sy * py + sz * pz) / det;
            if (u < 0 || u > 1) continue;
            const qx = sy * uz - sz * uy;
            const qy = sz * ux - sx * uz;
            const qz = sx * uy - sy * ux;
            const v = (dx * qx + dy * qy + dz * qz) / det;
            if (v < 0 || u + v > 1) continue;
            if ((vx * qx + vy * qy + vz * qz) / det > skip) met++;
        }
        count += met;
        if (met) hit?.(which);
    });
    return count;
}

// The direction with the fewest surfaces in front of the points; of equal ones the nearest to `preferred`. Also the bodies that are still
// in front.
export function bestDirection(bodies, points, skip, up, preferred) {
    let best = null;
    for (const direction of directions(up)) {
        const inFront = new Set();
        let count = 0;
        for (const point of points) count += crossings(bodies, point, direction, skip, (body) => inFront.add(body));
        const turn = 1 - direction.reduce((sum, x, k) => sum + x * preferred[k], 0);
        const below = direction[up] < 0 ? 0.6 : 0;
        const cost = count / points.length + 0.25 * turn + below;
        if (!best || cost < best.cost) best = { cost, direction, inFront, free: count === 0 };
    }
    return best;
}
