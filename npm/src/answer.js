// An answer of the world, read where it lies in the module's memory.
import { STRUCTS } from "./layout.js";
import { camel, CONTACTS, ELEMENTS, METHODS, OUTPUTS, PHASES, QUESTIONS, SnagError } from "./memory.js";
import { readElement } from "./records.js";

const CONTACT = STRUCTS.snag_contact;
const PAIR = STRUCTS.snag_pair;

// Offsets in bytes of the fields of a record, for those who read `records` themselves.
function offsets(struct) {
    return Object.freeze(Object.fromEntries(Object.entries(struct.fields).map(([name, [offset]]) => [name, offset])));
}
export const CONTACT_OFFSETS = offsets(CONTACT);
export const PAIR_OFFSETS = offsets(PAIR);

// Contacts or pairs in memory: all of an answer, or a block that a question hands out.
export class Block {
    constructor(world, contacts, pairs, count) {
        this.world = world;
        this.stamp = world.stamp;
        this.contacts = contacts;
        this.pairs = pairs;
        this.length = count;
    }
    // The memory, as long as it still holds these.
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

    bodyOf(at) {
        return this.world.bodyOfIndex(this.memory.number("u32", at));
    }
    contactAt(at) {
        const { memory } = this;
        const get = (field) => memory.get("snag_contact", at, field);
        const made = {
            a: readElement(memory, get("a"), this.bodyOf(get("body_a"))),
            b: readElement(memory, get("b"), this.bodyOf(get("body_b"))),
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
}

export class Answer extends Block {
    constructor(world, at) {
        const { memory } = world;
        const get = (field) => memory.get("snag_answer", at, field);
        super(world, get("contacts"), get("pairs"), get("count")); // all contacts count, also if the output lists none of them
        this.struct = at;
        this.question = QUESTIONS[get("question")];
        this.method = METHODS[get("method")];
        this.output = OUTPUTS[get("output")];
        this.reason = memory.text(get("reason"));
        this.complete = get("complete") !== 0;
        this.covered = get("covered");
        this.earliest = get("earliest");
        this.degenerate = get("degenerate");
        this.ratio = [get("ratio_low"), get("ratio"), get("ratio_high")];
        this.endedAt = get("ended");
        this.endedCount = get("ended_count");
        this.statisticsAt = get("statistics");
        this.culprit = this.question === "impacts" && this.length ? this.pairAt(get("culprit")) : null;
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

    // Counters of the search; 0 where a method does not count.
    get statistics() {
        const { memory } = this;
        const names = ["candidates", "exact", "visited", "tested", "new_pairs", "regions_opened", "region_contacts"];
        return Object.fromEntries(names.map((name) => [camel(name), memory.get("snag_statistics", this.statisticsAt, name)]));
    }

    // Connected patches of contacts, the worst first: copies, whose `contacts` are places in this answer.
    places() {
        const { world } = this;
        if (!this.memory.exports) throw new SnagError("unsupported", "places: this answer is a copy from a worker; call world.places() right after the ask");
        let made = null;
        world.call((args, memory, { snag_answer_places }) => {
            const [out, count] = [args.room(4, "places"), args.room(4, "a count")];
            const status = snag_answer_places(world.world, this.struct, out, count);
            if (status === 0) made = Array.from({ length: memory.number("u32", count) }, (_, i) => this.readPlace(memory, memory.number("u32", out) + i * STRUCTS.snag_place.size));
            return status;
        });
        return made;
    }
    readPlace(memory, at) {
        const get = (field) => memory.get("snag_place", at, field);
        const plain = Object.fromEntries(["minimum", "maximum", "centre", "size", "length", "depth", "inside", "worst", "value"].map((field) => [field, get(field)]));
        return { id: memory.big("snag_place", at, "id"), a: this.bodyOf(get("body_a")), b: this.bodyOf(get("body_b")), contacts: memory.copy(Uint32Array, get("contacts"), get("contact_count")), ...plain };
    }

    // Frees the world of a check; an answer of a world of yours stays as it is.
    dispose() {
        if (this.owned) this.world.dispose();
    }
}
if (Symbol.dispose) Answer.prototype[Symbol.dispose] = Answer.prototype.dispose;
