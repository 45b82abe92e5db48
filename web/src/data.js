// Reads the blocks of a report: the mesh, the frames, and the output of `--json`. docs/design/report-format.md describes the format.

const BODY_RESTS = 0;
const BODY_KEY = 1;

export const VERTEX = 0;
export const EDGE = 1;
export const TRIANGLE = 2;
export const TET = 3;
export const LEAF = 4;

function bytesOfBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

async function inflate(element) {
    const stream = new DecompressionStream("deflate-raw");
    const writer = stream.writable.getWriter();
    // Errors here are reported by the reader below.
    writer.write(bytesOfBase64(element.textContent)).catch(() => {});
    writer.close().catch(() => {});
    return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

// Reads the numbers of a block in order; a column is stored byte plane by byte plane.
class Reader {
    constructor(bytes) {
        this.data = bytes;
        this.at = 0;
    }
    get ended() {
        return this.at === this.data.length;
    }
    bytes(count) {
        if (this.at + count > this.data.length) throw new Error("a block of the report is too short");
        this.at += count;
        return this.data.subarray(this.at - count, this.at);
    }
    u8() {
        return this.bytes(1)[0];
    }
    u32() {
        return this.column32(1)[0];
    }
    f64() {
        return this.column64(1)[0];
    }
    column32(count) {
        const planes = this.bytes(4 * count);
        const out = new Uint32Array(count);
        const two = 2 * count;
        const three = 3 * count;
        for (let i = 0; i < count; i++)
            out[i] = planes[i] | (planes[count + i] << 8) | (planes[two + i] << 16) | (planes[three + i] << 24);
        return out;
    }
    column64(count) {
        const planes = this.bytes(8 * count);
        const out = new Uint8Array(8 * count);
        for (let i = 0; i < count; i++) for (let k = 0; k < 8; k++) out[8 * i + k] = planes[k * count + i];
        return new Float64Array(out.buffer);
    }
    floats(count) {
        return new Float32Array(this.column32(count).buffer);
    }
    // Each number was stored as its difference from the one `stride` before it.
    sums(count, stride) {
        const out = this.column32(count);
        for (let i = stride; i < count; i++) out[i] += out[i - stride];
        return out;
    }
    foldedSums(count) {
        const out = this.column32(count);
        let before = 0;
        for (let i = 0; i < count; i++) {
            before = (before + unfold(out[i])) | 0;
            out[i] = before;
        }
        return out;
    }
}

function unfold(value) {
    return (value >>> 1) ^ -(value & 1);
}

function readMesh(reader, count) {
    const bodies = [];
    for (let i = 0; i < count; i++) {
        const vertexCount = reader.u32();
        const triangleCount = reader.u32();
        const tetCount = reader.u32();
        const rodCount = reader.u32();
        const pointCount = reader.u32();
        bodies.push({
            vertexCount,
            triangleCount,
            tetCount,
            radius: reader.f64(),
            triangles: reader.sums(3 * triangleCount, 3),
            tets: reader.sums(4 * tetCount, 4),
            rods: reader.sums(2 * rodCount, 2),
            points: reader.sums(pointCount, 1),
            vertexNumbers: reader.sums(vertexCount, 1),
            triangleNumbers: reader.sums(triangleCount, 1),
            tetNumbers: reader.sums(tetCount, 1),
        });
    }
    return bodies;
}

function readSide(reader, count) {
    return {
        element: reader.bytes(count),
        body: reader.foldedSums(count),
        index: reader.foldedSums(count),
        end: reader.foldedSums(count),
    };
}

// Contacts as columns. Those after `detailed` have no value, time, points and normal.
function readContacts(reader, question) {
    const count = reader.u32();
    const detailed = reader.u32();
    const a = readSide(reader, count);
    const b = readSide(reader, count);
    const kind = reader.bytes(count);
    const place = reader.foldedSums(count);
    const exact = reader.u8();
    const value = reader.column64(detailed);
    const time = reader.column64(detailed);
    const details = [];
    const columns = question === "overlaps" ? 11 : 9;
    for (let i = 0; i < columns; i++) details.push(exact ? reader.column64(detailed) : reader.floats(detailed));
    return { count, detailed, a, b, kind, place, value, time, details };
}

// Lines between the regions compared by the method regions, with their level; other methods have none.
function readLines(reader) {
    const count = reader.ended ? 0 : reader.u32();
    const level = reader.bytes(count);
    const ends = [];
    for (let i = 0; i < 6; i++) ends.push(reader.floats(count));
    return { count, level, ends };
}

// Except for key frames, frames are differences from the previous one; decoded frames are cached up to this many bytes.
const KEPT_BYTES = 256 << 20;

export class Report {
    static async open(document) {
        const report = new Report();
        report.frameElements = [];
        report.afterElements = [];    // of a scene that was fixed: one for each frame
        const single = {};
        for (const element of document.querySelectorAll("script[data-block]")) {
            if (element.dataset.block === "frame") report.frameElements.push(element);
            else if (element.dataset.block === "after") report.afterElements.push(element);
            else single[element.dataset.block] = element;
        }
        if (!single.json || !single.frames || !single.index) throw new Error("the report is incomplete: its end is missing");
        const text = new TextDecoder();
        const parsed = async (element) => JSON.parse(text.decode(await inflate(element)));
        [report.json, report.index] = await Promise.all([parsed(single.json), parsed(single.index)]);
        // A report of a run stopped before its first frame has no mesh.
        report.bodies = single.mesh ? readMesh(new Reader(await inflate(single.mesh)), report.json.bodies.length) : [];
        report.bodies.forEach((body, i) => (body.name = report.json.bodies[i].name));
        const told = new Map(report.json.frames.map((frame) => [frame.frame, frame]));
        report.frames = (await parsed(single.frames)).map((number) => told.get(number));
        report.tally = await parsed(single.tally);
        report.places = new Map((report.json.places ?? []).map((place) => [place.id, place]));
        report.chooseScale();
        report.kept = new Map();
        report.keptBytes = 0;
        report.queue = Promise.resolve();
        report.last = -1;
        return report;
    }

    // The view uses units of the scene's size around its centre, so that floats suffice for any scale and position.
    chooseScale() {
        const { low, high } = this.index;
        const known = low[0] !== null;
        this.centre = known ? low.map((x, k) => x / 2 + high[k] / 2) : [0, 0, 0];
        const half = known ? low.map((x, k) => high[k] / 2 - x / 2) : [1, 1, 1];
        this.radius = Math.hypot(...half) || 1;
        this.half = half.map((x) => x / this.radius);
    }
    toView(point) {
        return point.map((x, k) => (x - this.centre[k]) / this.radius);
    }
    fromView(point) {
        return point.map((x, k) => x * this.radius + this.centre[k]);
    }

    // The up axis: the tool's if known, else the normal of a flat body that looks like a floor, else y.
    upAxis(frame) {
        if (this.index.up) return "xyz".indexOf(this.index.up);
        let widest = 0;
        let up = 1;
        for (const xyz of frame.positions) {
            const low = [Infinity, Infinity, Infinity];
            const high = [-Infinity, -Infinity, -Infinity];
            for (let i = 0; i < xyz.length; i++) {
                low[i % 3] = Math.min(low[i % 3], xyz[i]);
                high[i % 3] = Math.max(high[i % 3], xyz[i]);
            }
            const sides = high.map((x, k) => x - low[k]);
            const thin = sides.indexOf(Math.min(...sides));
            const wide = Math.max(...sides);
            if (thin === 0 || wide <= widest || sides[thin] > 1e-3 * wide) continue;
            widest = wide;
            up = thin;
        }
        return up;
    }

    get frameCount() {
        return this.frameElements.length;
    }

    // The frame at an index of the list: positions of each body, and its contacts. Frames are decoded one at a time.
    frame(place) {
        const read = this.queue.then(() => this.readTo(place));
        this.queue = read.catch(() => {});
        return read;
    }

    async readTo(place) {
        if (this.kept.has(place)) return this.kept.get(place);
        let from = place - (place % this.index.key_frames);
        if (this.last < place && this.last >= from) from = this.last + 1;
        let made = null;
        for (let i = from; i <= place; i++) {
            const after = this.afterElements[i] && new Reader(await inflate(this.afterElements[i]));
            made = this.readFrame(i, new Reader(await inflate(this.frameElements[i])), after);
        }
        return made;
    }

    readFrame(place, reader, after) {
        const before = this.lastFrame;
        const positions = this.bodies.map((body, i) => this.readPositions(reader, body, before?.positions[i]));
        const contacts = readContacts(reader, this.json.question);
        const frame = { place, ...this.frames[place], positions, contacts, lines: readLines(reader) };
        if (after) frame.after = this.readAfter(frame, after);
        this.last = place;
        this.lastFrame = frame;
        this.keep(frame);
        return frame;
    }

    // The frame as it was fixed: stored as changes from the frame itself, from which the next frame goes on.
    readAfter(frame, reader) {
        const positions = this.bodies.map((body, i) => {
            const { origin, step, steps } = body;
            body.steps = steps.slice();
            const read = this.readPositions(reader, body, frame.positions[i]);
            Object.assign(body, { origin, step, steps });
            return read;
        });
        return { ...frame, positions, contacts: readContacts(reader, this.json.question), isAfter: true };
    }

    readPositions(reader, body, before) {
        const state = reader.u8();
        if (state === BODY_RESTS) return before;
        const count = body.vertexCount;
        if (state === BODY_KEY) {
            body.origin = [reader.f64(), reader.f64(), reader.f64()];
            body.step = reader.f64();
            body.steps = new Int32Array(3 * count);
        }
        const changes = reader.column32(3 * count);
        const out = new Float32Array(3 * count);
        const scale = body.step / this.radius;
        for (let k = 0; k < 3; k++) {
            const start = (body.origin[k] - this.centre[k]) / this.radius;
            let change = 0;
            for (let i = 0, at = k * count; i < count; i++, at++) {
                change = (change + unfold(changes[at])) | 0;
                body.steps[at] += change;
                out[3 * i + k] = start + scale * body.steps[at];
            }
        }
        return out;
    }

    keep(frame) {
        const size = frame.positions.reduce((sum, xyz) => sum + xyz.byteLength, 0) + 120 * frame.contacts.count;
        frame.size = size;
        for (const [place, old] of this.kept) {
            if (this.keptBytes + size <= KEPT_BYTES) break;
            this.kept.delete(place);
            this.keptBytes -= old.size;
        }
        this.kept.set(frame.place, frame);
        this.keptBytes += size;
    }
}

// ---- contacts as users see them ----

export function elementName(report, side, i) {
    const body = report.bodies[side.body[i]];
    const index = side.index[i];
    switch (side.element[i]) {
        case VERTEX:
            return `v${body.vertexNumbers[index]}`;
        case EDGE: {
            const [low, high] = [body.vertexNumbers[index], body.vertexNumbers[side.end[i]]].sort((x, y) => x - y);
            return `e${low}-${high}`;
        }
        case TRIANGLE:
            return `t${body.triangleNumbers[index]}`;
        case TET:
            return `k${body.tetNumbers[index]}`;
        default:
            return `s${index.toString(8).slice(1)}`;
    }
}

// The triangles of the face that contains a triangle: the triangles of a polygon are consecutive and share its number.
export function trianglesOfFace(body, triangle) {
    const number = body.triangleNumbers[triangle];
    let first = triangle;
    let last = triangle;
    while (first > 0 && body.triangleNumbers[first - 1] === number) first--;
    while (last + 1 < body.triangleCount && body.triangleNumbers[last + 1] === number) last++;
    return [first, last];
}

// The vertices of a contact's element, as indices in its body; a leaf is a sphere and has none.
export function elementVertices(report, side, i) {
    const body = report.bodies[side.body[i]];
    const index = side.index[i];
    switch (side.element[i]) {
        case VERTEX:
            return [index];
        case EDGE:
            return [index, side.end[i]];
        case TRIANGLE: {
            const [first, last] = trianglesOfFace(body, index);
            return [...new Set(body.triangles.subarray(3 * first, 3 * last + 3))];
        }
        case TET:
            return [...body.tets.subarray(4 * index, 4 * index + 4)];
        default:
            return [];
    }
}

// Names of kinds, in the order of snag_contact_kind.
export const KINDS = [
    "crossing", "touching", "coplanar", "vertex-vertex", "vertex-edge", "vertex-face", "edge-edge", "inside", "unresolved", "through", "overlap",
];

// Whether a kind is an intersection of two triangles. Scenes of volumes and surfaces have these and others in one list.
export function isIntersection(kind) {
    return kind <= KINDS.indexOf("coplanar");
}

// The meaning of a contact's value, by question; none for intersections.
export const VALUE_NAMES = { proximities: "distance", distance: "distance", penetrations: "depth", overlaps: "depth", impacts: "time" };

export function contactValue(report, contacts, i) {
    if (i >= contacts.detailed || isIntersection(contacts.kind[i])) return NaN;
    return report.json.question === "impacts" ? contacts.time[i] : contacts.value[i];
}

// Where a contact is: the middle of an intersection's segment, else the point on a. In the file's coordinates.
export function contactPoint(report, contacts, i, positions) {
    if (i >= contacts.detailed) return middleOfElements(report, contacts, i, positions);
    const d = contacts.details;
    const middle = isIntersection(contacts.kind[i]);
    return [0, 1, 2].map((k) => (middle ? 0.5 * d[k][i] + 0.5 * d[3 + k][i] : d[k][i]));
}

function middleOfElements(report, contacts, i, positions) {
    const sum = [0, 0, 0];
    const vertices = elementVertices(report, contacts.a, i);
    if (!vertices.length) return report.centre;
    const xyz = positions[contacts.a.body[i]];
    for (const v of vertices) for (let k = 0; k < 3; k++) sum[k] += xyz[3 * v + k] / vertices.length;
    return report.fromView(sum);
}
