// The memory of a module: structs by their names, text, arrays. Sizes and offsets are those of the compiler (layout.js).
import { ENUMS, STRUCTS } from "./layout.js";

const TYPES = {
    u8: [1, "getUint8", "setUint8"], i32: [4, "getInt32", "setInt32"], u32: [4, "getUint32", "setUint32"], pointer: [4, "getUint32", "setUint32"],
    f32: [4, "getFloat32", "setFloat32"], f64: [8, "getFloat64", "setFloat64"],
};

// "not finite" of SNAG_ERROR_NOT_FINITE, "x86-64-v2" of SNAG_ISA_X86_64_V2.
function plain(constant, prefix, gap) {
    return constant.slice(prefix.length).toLowerCase().replaceAll("_", gap);
}
function namesOf(values, prefix, gap = "-") {
    const names = [];
    for (const [constant, value] of Object.entries(values)) if (!constant.endsWith("_COUNT")) names[value] = plain(constant, prefix, gap);
    return names;
}
export const STATUSES = namesOf(ENUMS.snag_status, "SNAG_ERROR_", " ");
export const QUESTIONS = namesOf(ENUMS.snag_question, "SNAG_");
export const METHODS = namesOf(ENUMS.snag_method, "SNAG_METHOD_");
export const ISAS = namesOf(ENUMS.snag_isa, "SNAG_ISA_");
// SNAG_OUTPUT_COUNT is a form of output, the count of forms is SNAG_OUTPUT_FORM_COUNT.
export const OUTPUTS = ["contacts", "pairs", "count", "earliest"];
export const ELEMENTS = namesOf(ENUMS.snag_element_kind, "SNAG_");
export const CONTACTS = namesOf(ENUMS.snag_contact_kind, "SNAG_");
export const PHASES = namesOf(ENUMS.snag_contact_phase, "SNAG_PHASE_");
export const ISSUES = namesOf(ENUMS.snag_mesh_issue_kind, "SNAG_ISSUE_");
export const SPLITS = namesOf(ENUMS.snag_io_split, "SNAG_IO_SPLIT_");
export const SIDES = namesOf(ENUMS.snag_side, "SNAG_SIDE_");
export const SAFE = namesOf(ENUMS.snag_safe, "SNAG_SAFE_");
export const OUTCOMES = namesOf(ENUMS.snag_fix_outcome, "SNAG_FIX_");
export const BACKENDS = namesOf(ENUMS.snag_backend, "SNAG_BACKEND_");

// An error of the library: its message, and the name of its status, such as "not finite".
export class SnagError extends Error {
    constructor(status, message) {
        super(message);
        this.name = "SnagError";
        this.status = status;
    }
}

export class Memory {
    constructor(memory, exports) {
        this.memory = memory;
        this.exports = exports;
        this.shown = null;
    }
    // Growing the memory replaces its buffer: views are made anew then.
    get view() {
        if (this.shown?.buffer !== this.memory.buffer) this.shown = new DataView(this.memory.buffer);
        return this.shown;
    }
    allocate(size, what) {
        const at = this.exports.malloc(Math.max(size, 1)) >>> 0;
        if (at === 0) throw new SnagError("memory", `not enough memory for ${what}: ${size} bytes more; a module of WebAssembly has at most 4 GB. Use fewer or smaller bodies`);
        return at;
    }
    free(at) {
        this.exports.free(at);
    }
    bytes(at, size) {
        return new Uint8Array(this.memory.buffer, at, size);
    }
    text(at) {
        if (!at) return "";
        const all = new Uint8Array(this.memory.buffer, at);
        return new TextDecoder().decode(all.slice(0, all.indexOf(0)));
    }
    // A copy of numbers in the memory; null for NULL.
    copy(Type, at, count) {
        return at ? new Type(this.memory.buffer, at, count).slice() : null;
    }

    // ---- structs ----

    get(struct, at, field) {
        const [offset, type, length] = STRUCTS[struct].fields[field];
        if (!TYPES[type]) return at + offset;
        if (length > 1) return Array.from({ length }, (_, i) => this.number(type, at + offset + i * TYPES[type][0]));
        return this.number(type, at + offset);
    }
    big(struct, at, field) {
        return this.view.getBigUint64(at + STRUCTS[struct].fields[field][0], true);
    }
    number(type, at) {
        return this.view[TYPES[type][1]](at, true);
    }
    set(struct, at, field, value) {
        const [offset, type] = STRUCTS[struct].fields[field];
        if (type === "u64") this.view.setBigUint64(at + offset, BigInt(value), true);
        else this.view[TYPES[type][2]](at + offset, Number(value), true);
    }
}

// Memory for the arguments of one call, freed when it is over.
export class Arguments {
    constructor(memory) {
        this.memory = memory;
        this.blocks = [];
    }
    room(size, what) {
        const at = this.memory.allocate(size, what);
        this.blocks.push(at);
        return at;
    }
    struct(name) {
        const at = this.room(STRUCTS[name].size, name);
        this.memory.bytes(at, STRUCTS[name].size).fill(0);
        return at;
    }
    // An array of zeroed structs; NULL for none.
    structs(name, count) {
        if (!count) return 0;
        const at = this.room(count * STRUCTS[name].size, name);
        this.memory.bytes(at, count * STRUCTS[name].size).fill(0);
        return at;
    }
    text(text) {
        const bytes = new TextEncoder().encode(`${text}\0`);
        const at = this.room(bytes.length, "a name");
        this.memory.bytes(at, bytes.length).set(bytes);
        return at;
    }
    // The address of a typed array: its own where it lies in this memory, else that of a copy.
    array(array, what) {
        if (array.buffer === this.memory.memory.buffer) return array.byteOffset;
        const at = this.room(array.byteLength, what);
        this.memory.bytes(at, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
        return at;
    }
    end() {
        for (const at of this.blocks) this.memory.free(at);
        this.blocks.length = 0;
    }
}

// A number's place in a list of names, for options; the error lists the names.
export function indexOfName(names, value, what) {
    const found = names.indexOf(value);
    if (found < 0) throw new SnagError("argument", `${what}: unknown "${value}"; use one of ${names.filter(Boolean).join(", ")}`);
    return found;
}

// everyPair -> every_pair
export function snake(name) {
    return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
export function camel(name) {
    return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}
