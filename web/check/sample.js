// A sample scene, made here: a cloth that sinks onto a ball, in 24 frames. It is a bit too low, so it catches on the ball, and its hem folds
// through itself.
const CELLS = 48;
const FRAMES = 24;

function sheet(frame) {
    const t = frame / (FRAMES - 1);
    const xyz = [];
    for (let j = 0; j <= CELLS; j++)
        for (let i = 0; i <= CELLS; i++) {
            const x = (2.4 * i) / CELLS - 1.2;
            const z = (2.4 * j) / CELLS - 1.2;
            const r = Math.hypot(x, z);
            const fall = 1.25 - 0.3 * t;
            // Over the ball it lies on it, outside it hangs in folds that get deeper.
            const hang = fall - 0.75 * t * Math.max(0, r - 0.55) ** 1.3;
            const fold = t * Math.max(0, r - 0.6) * Math.sin(9 * Math.atan2(z, x));
            const over = r < 0.97 ? Math.sqrt(0.97 * 0.97 - r * r) : 0;
            const twist = 1 - 0.25 * t * Math.max(0, r - 0.9);
            xyz.push(x * twist + 0.16 * fold * z, Math.max(hang, over) + 0.12 * fold, z * twist - 0.16 * fold * x);
        }
    return Float32Array.from(xyz);
}

function sheetObj() {
    const xyz = sheet(0);
    const lines = [];
    for (let i = 0; i < xyz.length; i += 3) lines.push(`v ${xyz[i]} ${xyz[i + 1]} ${xyz[i + 2]}`);
    for (let j = 0; j < CELLS; j++)
        for (let i = 0; i < CELLS; i++) {
            const v = 1 + j * (CELLS + 1) + i;
            lines.push(`f ${v} ${v + CELLS + 1} ${v + CELLS + 2} ${v + 1}`);
        }
    return lines.join("\n");
}

function ballObj() {
    const lines = [];
    const [around, rings] = [40, 24];
    for (let j = 0; j <= rings; j++)
        for (let i = 0; i < around; i++) {
            const a = (2 * Math.PI * i) / around;
            const b = (Math.PI * (j + 0.5)) / (rings + 1);
            lines.push(`v ${Math.sin(b) * Math.cos(a)} ${Math.cos(b)} ${Math.sin(b) * Math.sin(a)}`);
        }
    const at = (j, i) => 1 + j * around + (i % around);
    for (let j = 0; j < rings; j++) for (let i = 0; i < around; i++) lines.push(`f ${at(j, i)} ${at(j, i + 1)} ${at(j + 1, i + 1)} ${at(j + 1, i)}`);
    for (const j of [0, rings]) lines.push(`f ${Array.from({ length: around }, (_, i) => at(j, j ? i : around - 1 - i)).join(" ")}`);
    return lines.join("\n");
}

// PC2: a header of 32 bytes, then floats.
function sheetPc2() {
    const frames = Array.from({ length: FRAMES }, (_, i) => sheet(i));
    const count = frames[0].length / 3;
    const bytes = new Uint8Array(32 + FRAMES * count * 12);
    const view = new DataView(bytes.buffer);
    bytes.set(new TextEncoder().encode("POINTCACHE2\0"));
    view.setInt32(12, 1, true);
    view.setInt32(16, count, true);
    view.setFloat32(20, 0, true);
    view.setFloat32(24, 1, true);
    view.setInt32(28, FRAMES, true);
    frames.forEach((xyz, i) => xyz.forEach((value, k) => view.setFloat32(32 + 12 * count * i + 4 * k, value, true)));
    return bytes;
}

export function sampleFiles() {
    return [["cloth.obj", sheetObj()], ["cloth.pc2", sheetPc2()], ["ball.obj", ballObj()]].map(([path, data]) => ({ path, file: new Blob([data]) }));
}
