// What the reader wants to see: kinds, bodies, self-contacts or contacts between bodies, and words to find. One filter for list, badge,
// timeline and view.
import { KINDS, elementName } from "./data.js";

const ELEMENT = /^([vtks]\d+|e\d+-\d+)$/;

export class Filter {
    constructor(report) {
        this.report = report;
        this.hiddenKinds = new Set();
        this.hiddenBodies = new Set();
        this.self = true;
        this.between = true;
        this.words = [];
        this.place = 0;    // only this place; 0: all
        this.index = new Map(report.json.bodies.map((body, i) => [body.name, i]));
    }

    get on() {
        return this.hiddenKinds.size > 0 || this.hiddenBodies.size > 0 || !this.self || !this.between || this.words.length > 0 || this.place > 0;
    }

    find(text) {
        this.words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
    }

    // Whether two bodies, by number, may meet.
    pair(a, b) {
        if (this.hiddenBodies.has(a) || this.hiddenBodies.has(b)) return false;
        return a === b ? this.self : this.between;
    }

    // Whether every word is in one of the texts. A name of an element, such as t12, must be the whole text.
    matches(texts, words = this.words) {
        return words.every((word) => texts.some((text) => (ELEMENT.test(word) ? text === word : text.toLowerCase().includes(word))));
    }

    contact(contacts, i) {
        const { a, b, kind } = contacts;
        if (this.hiddenKinds.has(kind[i]) || !this.pair(a.body[i], b.body[i])) return false;
        if (this.place && contacts.place[i] !== this.place) return false;
        if (!this.words.length) return true;
        const name = (side) => this.report.bodies[side.body[i]].name;
        return this.matches([name(a), name(b), KINDS[kind[i]], elementName(this.report, a, i), elementName(this.report, b, i)]);
    }

    // A place of the JSON. Which elements it has is known only for its worst contact, so names of elements are left to its contacts.
    placeShown(place, kinds = null) {
        const a = this.index.get(place.body_a);
        const b = this.index.get(place.body_b);
        if (!this.pair(a, b) || (kinds && !kinds.some((k) => !this.hiddenKinds.has(k)))) return false;
        const words = this.words.filter((word) => !ELEMENT.test(word));
        return this.matches([place.body_a, place.body_b, place.kind, `place ${place.id}`], words);
    }

    count(contacts) {
        if (!this.on) return contacts.count;
        let count = 0;
        for (let i = 0; i < contacts.count; i++) if (this.contact(contacts, i)) count++;
        return count;
    }

    // Contacts of a frame, from the tally: without reading the frame.
    frameCount(frame) {
        if (!this.on) return this.report.frames[frame].contacts;
        const tally = this.report.tally[frame];
        let count = 0;
        for (let i = 0; i < tally.length; i += 3) {
            const place = this.report.places.get(tally[i]);
            if (!place || (this.place && tally[i] !== this.place) || this.hiddenKinds.has(tally[i + 1])) continue;
            if (this.placeShown(place)) count += tally[i + 2];
        }
        return count;
    }

    // The kinds that each place has in any frame, by id.
    placeKinds() {
        if (this.kinds) return this.kinds;
        this.kinds = new Map();
        for (const tally of this.report.tally)
            for (let i = 0; i < tally.length; i += 3) {
                if (!this.kinds.has(tally[i])) this.kinds.set(tally[i], []);
                const kinds = this.kinds.get(tally[i]);
                if (!kinds.includes(tally[i + 1])) kinds.push(tally[i + 1]);
            }
        return this.kinds;
    }

    places() {
        const kinds = this.placeKinds();
        return (this.report.json.places ?? []).filter((place) => this.placeShown(place, kinds.get(place.id)));
    }
}
