// Arrays that callers give: typed arrays of any kind, plain arrays, or a part of an interleaved buffer.
import { SnagError } from "./memory.js";

function isDetached(buffer) {
    try {
        return new Uint8Array(buffer).length !== buffer.byteLength;
    } catch {
        return true;
    }
}

export function notDetached(array, what) {
    if (isDetached(array.buffer)) throw new SnagError("argument", `${what}: its buffer is detached (was it transferred to a worker, or did the memory that it looked at grow?); pass a fresh array`);
    return array;
}

// An array in the module's own memory: what is written to its view needs no copy when it is given to the world.
export class SharedArray {
    constructor(memory, Type, length) {
        this.memory = memory;
        this.Type = Type;
        this.length = length;
        this.at = memory.allocate(length * Type.BYTES_PER_ELEMENT, "a shared array");
        this.view.fill(0);
    }
    // Growing memory detaches older views: take it anew each time.
    get view() {
        if (!this.at) throw new SnagError("argument", "the shared array was freed");
        return new this.Type(this.memory.memory.buffer, this.at, this.length);
    }
    free() {
        if (this.at) this.memory.free(this.at);
        this.at = 0;
    }
}

// Positions as { data, count, stride in bytes, double }: a Float32Array or Float64Array of x, y, z, a plain array (of numbers, or of
// points), a SharedArray, or { data, stride, offset, count } with numbers counted as elements, for interleaved buffers.
export function readPositions(given, what = "positions") {
    let from = given instanceof SharedArray ? given.view : given;
    let stride = 3;
    let offset = 0;
    let count = null;
    if (from && !ArrayBuffer.isView(from) && !Array.isArray(from) && from.data) {
        ({ stride = 3, offset = 0, count = null } = from);
        from = from.data instanceof SharedArray ? from.data.view : from.data;
    }
    if (Array.isArray(from)) from = Float64Array.from(Array.isArray(from[0]) ? from.flat() : from);
    if (!(from instanceof Float32Array || from instanceof Float64Array)) throw new SnagError("argument", `${what}: expected a Float32Array or a Float64Array of x, y, z, found ${describe(from)}`);
    notDetached(from, what);
    if (!(Number.isInteger(stride) && stride >= 3 && Number.isInteger(offset) && offset >= 0)) throw new SnagError("argument", `${what}: stride and offset count numbers: at least 3, and at least 0`);
    const room = from.length - offset;
    count ??= stride === 3 ? room / 3 : Math.floor((room + stride - 3) / stride);
    if (!Number.isInteger(count) || count < 0) throw new SnagError("argument", `${what}: ${from.length} numbers are not x, y, z of vertices`);
    if (count > 0 && (count - 1) * stride + 3 > room) throw new SnagError("argument", `${what}: ${count} vertices need ${(count - 1) * stride + 3} numbers, and there are ${room}`);
    const used = count ? (count - 1) * stride + 3 : 0;
    return { data: from.subarray(offset, offset + used), count, stride: stride * from.BYTES_PER_ELEMENT, double: from instanceof Float64Array };
}

// A copy of positions as x, y, z in doubles, one vertex after the other.
export function copyPositions(given, what) {
    const { data, count, stride } = readPositions(given, what);
    const step = stride / data.BYTES_PER_ELEMENT;
    return Float64Array.from({ length: 3 * count }, (_, i) => data[Math.floor(i / 3) * step + (i % 3)]);
}

function describe(value) {
    return value === null || value === undefined ? String(value) : value.constructor?.name ?? typeof value;
}

// Numbers as a typed array of one kind; count: how many there must be, or null.
export function readNumbers(given, Type, count, what) {
    let from = given instanceof SharedArray ? given.view : given;
    if (Array.isArray(from)) from = Type.from(from.flat());
    else if (!ArrayBuffer.isView(from) || from instanceof DataView) throw new SnagError("argument", `${what}: expected a ${Type.name}, found ${describe(from)}`);
    notDetached(from, what);
    if (count !== null && from.length !== count) throw new SnagError("argument", `${what}: expected ${count} numbers, found ${from.length}`);
    return from instanceof Type ? from : Type.from(from);
}

// Indices as a Uint32Array, `per` of them for each element.
export function readIndices(given, per, what) {
    if (given === undefined || given === null) return new Uint32Array(0);
    let from = given instanceof SharedArray ? given.view : given;
    if (Array.isArray(from)) from = from.flat();
    else if (ArrayBuffer.isView(from)) notDetached(from, what);
    else throw new SnagError("argument", `${what}: expected a Uint32Array, found ${describe(from)}`);
    if (from.length % per) throw new SnagError("argument", `${what}: ${from.length} indices are no multiple of ${per}`);
    if (from instanceof Uint32Array) return from;
    const bad = from.findIndex((index) => !(Number.isInteger(index) && index >= 0 && index < 4294967296));
    if (bad >= 0) throw new SnagError("index", `${what}: ${from[bad]} at ${bad} is no index of a vertex`);
    return Uint32Array.from(from);
}
