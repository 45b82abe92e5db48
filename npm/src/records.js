// Results of a batch: records that were copied out of a world's memory, as columns or one by one.
import { STRUCTS } from "./layout.js";
import { CONTACTS, ELEMENTS, Memory, SIDES } from "./memory.js";

const COLUMNS = { u8: Uint8Array, i32: Int32Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

// An element of a contact or a result: { body, kind, index }, of an edge also its vertices.
export function readElement(memory, at, body) {
    const made = { body, kind: ELEMENTS[memory.get("snag_element", at, "kind")], index: memory.get("snag_element", at, "index") };
    if (made.kind === "edge") made.vertices = memory.get("snag_element", at, "vertex");
    return made;
}

export class Records {
    // buffer: an ArrayBuffer with records of one struct and nothing else.
    constructor(struct, buffer, bodyOfIndex) {
        this.struct = struct;
        this.memory = new Memory({ buffer }, null);
        this.size = STRUCTS[struct].size;
        this.bodyOfIndex = bodyOfIndex;
        this.length = buffer.byteLength / this.size;
    }
    get buffer() {
        return this.memory.memory.buffer;
    }
    // One field of all records, one after the other; of a body its index, of an element its kind and index and vertices.
    column(field) {
        const [offset, type, length] = STRUCTS[this.struct].fields[field];
        const Type = COLUMNS[type] ?? Uint32Array;
        const per = COLUMNS[type] ? length : STRUCTS[type].size / 4;
        const all = new Type(this.buffer);
        const [step, first] = [this.size / Type.BYTES_PER_ELEMENT, offset / Type.BYTES_PER_ELEMENT];
        const made = new Type(per * this.length);
        for (let i = 0, to = 0; i < this.length; i++) for (let k = 0; k < per; k++) made[to++] = all[i * step + first + k];
        return made;
    }
    field(i, name) {
        return this.memory.get(this.struct, i * this.size, name);
    }
    bodyAt(i, name = "body") {
        return this.bodyOfIndex(this.memory.number("u32", this.field(i, name)));
    }
    // The record at a place, from 0; negative places count from the end.
    at(place) {
        const i = place < 0 ? this.length + place : place;
        return Number.isInteger(i) && i >= 0 && i < this.length ? this.read(i) : undefined;
    }
    *[Symbol.iterator]() {
        for (let i = 0; i < this.length; i++) yield this.read(i);
    }
    toArray() {
        return [...this];
    }
}

export class ClosestPoints extends Records {
    constructor(buffer, bodyOfIndex) {
        super("snag_closest", buffer, bodyOfIndex);
    }
    get distances() {
        return this.column("distance");
    }
    get points() {
        return this.column("point");
    }
    // null where no body is within reach.
    read(i) {
        const body = this.bodyAt(i);
        if (!body) return null;
        return {
            body,
            element: readElement(this.memory, this.field(i, "element"), body),
            kind: CONTACTS[this.field(i, "kind")],
            side: SIDES[this.field(i, "side")],
            distance: this.field(i, "distance"),
            weight: this.field(i, "weight"),
            point: this.field(i, "point"),
        };
    }
}

export class Hits extends Records {
    constructor(buffer, bodyOfIndex) {
        super("snag_hit", buffer, bodyOfIndex);
    }
    get times() {
        return this.column("t");
    }
    get points() {
        return this.column("point");
    }
    // null where a ray hits nothing.
    read(i) {
        const body = this.bodyAt(i);
        if (!body) return null;
        return { body, triangle: this.field(i, "triangle"), facing: this.field(i, "facing"), t: this.field(i, "t"), weight: this.field(i, "weight"), point: this.field(i, "point") };
    }
}

export class OverlapItems extends Records {
    constructor(buffer, bodyOfIndex) {
        super("snag_overlap", buffer, bodyOfIndex);
    }
    // triangle: null where the shape lies inside the body and meets none.
    read(i) {
        const triangle = this.field(i, "triangle");
        return { body: this.bodyAt(i), triangle: triangle === 0xffffffff ? null : triangle };
    }
}

// A list of records for each query.
export class Lists {
    constructor(start, items) {
        this.start = start; // query i has items start[i] .. start[i + 1] - 1
        this.items = items;
        this.length = start.length - 1;
    }
    at(place) {
        const i = place < 0 ? this.length + place : place;
        if (!(Number.isInteger(i) && i >= 0 && i < this.length)) return undefined;
        return Array.from({ length: this.start[i + 1] - this.start[i] }, (_, k) => this.items.read(this.start[i] + k));
    }
    *[Symbol.iterator]() {
        for (let i = 0; i < this.length; i++) yield this.at(i);
    }
    toArray() {
        return [...this];
    }
}

export class Derivatives extends Records {
    // hessians, mollifierHessians: Float64Arrays with 144 numbers for each record, or null.
    constructor(buffer, bodyOfIndex, hessians = null, mollifierHessians = null) {
        super("snag_derivative", buffer, bodyOfIndex);
        this.hessians = hessians;
        this.mollifierHessians = mollifierHessians;
    }
    get squared() {
        return this.column("squared");
    }
    get gradients() {
        return this.column("gradient");
    }
    read(i) {
        const count = this.field(i, "point_count");
        const isEdges = this.field(i, "edge_vertex").some(Boolean);
        const vertices = this.field(i, "vertex");
        const made = {
            kind: CONTACTS[this.field(i, "kind")],
            points: this.field(i, "body").slice(0, count).map((index, k) => ({ body: this.bodyOfIndex(index), vertex: vertices[k] })),
            squared: this.field(i, "squared"),
            gradient: this.field(i, "gradient"),
            mollifier: this.field(i, "mollifier"),
        };
        if (this.hessians) made.hessian = this.hessians.subarray(144 * i, 144 * (i + 1));
        if (isEdges) Object.assign(made, { mollifierGradient: this.field(i, "mollifier_gradient"), edgeVertices: this.field(i, "edge_vertex") });
        if (isEdges && this.mollifierHessians) made.mollifierHessian = this.mollifierHessians.subarray(144 * i, 144 * (i + 1));
        return made;
    }
}
