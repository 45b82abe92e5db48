// Scenes for the tests of the page, made here.
import { writeFileSync } from "node:fs";

// frames: arrays of x, y, z for all points
export function writePc2(path, frames) {
    const points = frames[0].length / 3;
    const bytes = Buffer.alloc(32 + frames.length * frames[0].length * 4);
    bytes.write("POINTCACHE2\0", 0, "latin1");
    bytes.writeInt32LE(1, 12);
    bytes.writeInt32LE(points, 16);
    bytes.writeFloatLE(0, 20);
    bytes.writeFloatLE(1, 24);
    bytes.writeInt32LE(frames.length, 28);
    let at = 32;
    for (const frame of frames) for (const x of frame) at = bytes.writeFloatLE(x, at);
    writeFileSync(path, bytes);
}

// A sheet of n x n quads over the unit square.
export function sheet(n, height) {
    const places = [];
    const faces = [];
    for (let j = 0; j <= n; j++) for (let i = 0; i <= n; i++) places.push(i / n, j / n, height(i / n, j / n));
    for (let j = 0; j < n; j++)
        for (let i = 0; i < n; i++) {
            const v = j * (n + 1) + i;
            faces.push([v, v + 1, v + n + 2, v + n + 1]);
        }
    return { places, faces };
}

export function writeObj(path, bodies) {
    let text = "";
    let first = 1;
    for (const { name, places, faces } of bodies) {
        text += `o ${name}\n`;
        for (let i = 0; i < places.length; i += 3) text += `v ${places[i]} ${places[i + 1]} ${places[i + 2]}\n`;
        for (const face of faces) text += `f ${face.map((v) => v + first).join(" ")}\n`;
        first += places.length / 3;
    }
    writeFileSync(path, text);
}
