// An answer of the world, read where it lies in the module's memory.
import { STRUCTS } from "./layout.js";
import { CONTACTS, ELEMENTS, METHODS, OUTPUTS, PHASES, QUESTIONS, SnagError } from "./memory.js";

const CONTACT = STRUCTS.snag_contact;
const PAIR = STRUCTS.snag_pair;

// Offsets in bytes of the fields of a record, for those who read `records` themselves.
function offsets(struct) {
    return Object.freeze(Object.fromEntries(Object.entries(struct.fields).map(([name, [offset]]) => [name, offset])));
}
export const CONTACT_OFFSETS = offsets(CONTACT);
export const PAIR_OFFSETS = offsets(PAIR);

export class Answer {
    constructor(world, at) {
        const { memory } = world;
        const get = (field) => memory.get("snag_answer", at, field);
        this.world = world;
        this.stamp = world.stamp;
        this.struct = at;
        this.question = QUESTIONS[get("question")];
        this.method = METHODS[get("method")];
        this.output = OUTPUTS[get("output")];
        this.reason = memory.text(get("reason"));
        // How many contacts there are: all, also if the output lists none of them.
        this.length = get("count");
        this.complete = get("complete") !== 0;
        this.covered = get("covered");
        this.earliest = get("earliest");
        this.degenerate = get("degenerate");
        this.ratio = [get("ratio_low"), get("ratio"), get("ratio_high")];
        this.contacts = get("contacts");
        this.pairs = get("pairs");
        this.endedAt = get("ended");
        this.endedCount = get("ended_count");
        this.culprit = this.question === "impacts" && this.length ? this.pairAt(get("culprit")) : null;
    }

    // The memory, as long as it still holds this answer.
    get memory() {
        const { world } = this;
        if (world.stamp !== this.stamp) throw new SnagError("argument", "this answer is no longer there: the world was asked again, a body was removed, or the world was disposed. Take what you need (answer.toArray()) before that");
        return world.memory;
    }
    get listed() {
        return this.contacts || this.pairs ? this.length : 0;
    }

    // The records as they lie in memory: views that last until the next call of the world, in steps of `size` bytes, with the offsets of
    // their fields. Reading them allocates nothing, which counts for many contacts.
    get records() {
        const { memory } = this;
        const struct = this.contacts ? CONTACT : PAIR;
        const at = this.contacts || this.pairs;
        const view = (Type) => new Type(memory.memory.buffer, at, (this.listed * struct.size) / Type.BYTES_PER_ELEMENT);
        const made = { size: struct.size, offsets: this.contacts ? CONTACT_OFFSETS : PAIR_OFFSETS, u8: view(Uint8Array), u32: view(Uint32Array), f32: view(Float32Array) };
        return this.contacts ? { ...made, f64: view(Float64Array) } : made;
    }

    // The contact at a place, from 0; negative places count from the end.
    at(place) {
        const i = place < 0 ? this.listed + place : place;
        if (!(Number.isInteger(i) && i >= 0 && i < this.listed)) return undefined;
        return this.contacts ? this.contactAt(this.contacts + i * CONTACT.size) : this.pairAt(this.pairs + i * PAIR.size);
    }
    *[Symbol.iterator]() {
        for (let i = 0; i < this.listed; i++) yield this.at(i);
    }
    toArray() {
        return [...this];
    }

    element(at, body) {
        const { memory } = this;
        const made = { body, kind: ELEMENTS[memory.get("snag_element", at, "kind")], index: memory.get("snag_element", at, "index") };
        if (made.kind === "edge") made.vertices = memory.get("snag_element", at, "vertex");
        return made;
    }
    bodyOf(at) {
        return this.world.bodyOfIndex(this.memory.number("u32", at));
    }
    contactAt(at) {
        const { memory } = this;
        const get = (field) => memory.get("snag_contact", at, field);
        const made = {
            a: this.element(get("a"), this.bodyOf(get("body_a"))),
            b: this.element(get("b"), this.bodyOf(get("body_b"))),
            kind: CONTACTS[get("kind")],
            shared: get("shared"),
            value: get("value"),
            t: get("t"),
            pointA: get("point_a"),
            pointB: get("point_b"),
            normal: get("normal"),
            weight: get("weight"),
        };
        const phase = PHASES[get("phase")];
        if (phase !== "none") Object.assign(made, { id: memory.view.getBigUint64(at + CONTACT.fields.id[0], true), phase, age: get("age") });
        return made;
    }
    pairAt(at) {
        const { memory } = this;
        const get = (field) => memory.get("snag_pair", at, field);
        return {
            a: { body: this.world.bodyOfIndex(get("body_a")), kind: ELEMENTS[get("kind_a")], index: get("a") },
            b: { body: this.world.bodyOfIndex(get("body_b")), kind: ELEMENTS[get("kind_b")], index: get("b") },
            kind: CONTACTS[get("kind")],
            shared: get("shared"),
            value: get("value"),
        };
    }

    // With `track`: the contacts of the last answer that this one does not list.
    get ended() {
        const { memory } = this;
        const { size, fields } = STRUCTS.snag_ended_contact;
        return Array.from({ length: this.endedCount }, (_, i) => {
            const at = this.endedAt + i * size;
            const get = (field) => memory.get("snag_ended_contact", at, field);
            return {
                id: memory.view.getBigUint64(at + fields.id[0], true),
                a: { body: this.bodyOf(get("body_a")), kind: ELEMENTS[get("kind_a")], index: get("a") },
                b: { body: this.bodyOf(get("body_b")), kind: ELEMENTS[get("kind_b")], index: get("b") },
            };
        });
    }

    // Frees the world of a check; an answer of a world of yours stays as it is.
    dispose() {
        if (this.owned) this.world.dispose();
    }
}
if (Symbol.dispose) Answer.prototype[Symbol.dispose] = Answer.prototype.dispose;
