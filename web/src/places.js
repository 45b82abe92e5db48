// The list of places, the worst first; only visible rows exist in the DOM.
import { kindColour } from "./colours.js";
import { KINDS } from "./data.js";
import { make } from "./dom.js";
import { counted, short } from "./numbers.js";

const ROW = 58;

// "Cloth – Suzanne" or "Cloth with itself".
export function placeName(place) {
    return place.body_a === place.body_b ? `${place.body_a} with itself` : `${place.body_a} – ${place.body_b}`;
}

// "0.043 deep", "0.1 apart", "at time 0.5".
export function placeMeasure(place) {
    if (place.distance !== undefined) return `${short(place.distance)} apart`;
    if (place.t !== undefined) return `at time ${short(place.t)}`;
    const parts = [];
    if (place.depth > 0) parts.push(`${short(place.depth)} deep`);
    if (place.length > 0) parts.push(`crossing ${short(place.length)}`);
    return parts.join(", ");
}

// "frames 11–39, worst 27"; nothing for a single frame.
export function placeFrames(place, many) {
    if (!many) return "";
    return place.first === place.last ? `frame ${place.first}` : `frames ${place.first}–${place.last}, worst ${place.worst}`;
}

export class PlaceList {
    constructor(root, report, onChoose) {
        this.root = root;
        this.report = report;
        this.onChoose = onChoose;
        this.places = [];
        this.selected = 0;
        this.scroller = make("div", "scroller");
        this.scroller.tabIndex = 0;
        this.scroller.setAttribute("role", "listbox");
        this.scroller.setAttribute("aria-label", "Places, the worst first");
        this.space = make("div", "space");
        this.note = make("p", "empty");
        this.scroller.append(this.space);
        root.append(this.scroller, this.note);
        this.scroller.addEventListener("scroll", () => this.show());
        this.scroller.addEventListener("click", (event) => {
            const row = event.target.closest("[data-place]");
            if (row) this.onChoose(Number(row.dataset.place));
        });
        new ResizeObserver(() => this.show()).observe(this.scroller);
    }

    set(places) {
        this.places = places;
        this.space.style.height = `${places.length * ROW}px`;
        this.root.classList.toggle("none", places.length === 0);
        this.note.textContent = this.report.places.size ? "Nothing matches." : "No contacts: there are no places.";
        this.show();
    }

    show() {
        const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW) - 2);
        const last = Math.min(this.places.length, first + Math.ceil((this.scroller.clientHeight || 600) / ROW) + 4);
        const rows = [];
        for (let i = first; i < last; i++) rows.push(this.row(i));
        this.space.replaceChildren(...rows);
    }

    row(at) {
        const place = this.places[at];
        const row = make("div", "place");
        row.style.top = `${at * ROW}px`;
        row.dataset.place = place.id;
        row.setAttribute("role", "option");
        row.setAttribute("aria-selected", place.id === this.selected);
        row.style.setProperty("--kind", kindColour(Math.max(0, KINDS.indexOf(place.kind))));
        const name = make("b", "", placeName(place));
        const many = this.report.frames.length > 1;
        const frames = !many ? "" : place.first === place.last ? `frame ${place.first}` : `frames ${place.first}–${place.last}`;
        const facts = [placeMeasure(place).split(", ")[0], frames, counted(place.most, "contact")].filter(Boolean).join(" · ");
        row.title = [placeName(place), placeMeasure(place), placeFrames(place, many)].filter(Boolean).join("\n");
        row.append(name, make("small", "", facts));
        return row;
    }

    select(id) {
        this.selected = id;
        const at = this.places.findIndex((place) => place.id === id);
        if (at >= 0) {
            const { scrollTop, clientHeight } = this.scroller;
            if (at * ROW < scrollTop || (at + 1) * ROW > scrollTop + clientHeight) this.scroller.scrollTop = Math.max(0, at * ROW - clientHeight / 2 + ROW);
        }
        this.show();
    }

    // The place `by` rows below.
    next(by) {
        if (!this.places.length) return 0;
        const at = this.places.findIndex((place) => place.id === this.selected);
        return this.places[at < 0 ? 0 : Math.min(Math.max(at + by, 0), this.places.length - 1)].id;
    }
}
