// The list of contacts: sortable and searchable; only visible rows exist in the DOM.
import { kindColour } from "./colours.js";
import { KINDS, VALUE_NAMES, contactValue, elementName } from "./data.js";
import { make } from "./dom.js";
import { count as grouped, short } from "./numbers.js";

const ROW = 30;

export class ContactList {
    constructor(root, report, filter, onChoose) {
        this.root = root;
        this.report = report;
        this.filter = filter;
        this.onChoose = onChoose;
        this.sort = { by: "order", down: false };
        this.selected = -1;
        this.valueName = VALUE_NAMES[report.json.question];
        this.head = make("div", "head");
        this.scroller = make("div", "scroller");
        this.scroller.tabIndex = 0;
        this.scroller.setAttribute("role", "listbox");
        this.scroller.setAttribute("aria-label", "Contacts of this frame");
        this.space = make("div", "space");
        this.note = make("p", "empty");
        this.capped = make("p", "capped");
        this.scroller.append(this.space);
        root.append(this.head, this.scroller, this.note, this.capped);
        root.classList.toggle("valued", !!this.valueName);
        this.makeHead();
        this.scroller.addEventListener("scroll", () => this.show());
        this.scroller.addEventListener("click", (event) => {
            const row = event.target.closest("[data-contact]");
            if (row) this.onChoose(Number(row.dataset.contact));
        });
        new ResizeObserver(() => this.show()).observe(this.scroller);
    }

    makeHead() {
        const columns = [["a", "A"], ["b", "B"], ["kind", "Kind"]];
        if (this.valueName) columns.push(["value", this.valueName[0].toUpperCase() + this.valueName.slice(1)]);
        for (const [by, name] of columns) {
            const button = make("button", "", name);
            button.type = "button";
            button.dataset.by = by;
            button.addEventListener("click", () => {
                this.sort = this.sort.by !== by ? { by, down: false } : this.sort.down ? { by: "order", down: false } : { by, down: true };
                this.refresh();
            });
            this.head.append(button);
        }
    }

    setFrame(frame) {
        this.contacts = frame.contacts;
        this.selected = -1;
        this.names = null;
        const { count, detailed } = this.contacts;
        this.capped.hidden = detailed >= count;
        const what = this.report.json.question === "distance" ? "distances" : "contacts";
        this.capped.textContent =
            `All ${grouped(count)} ${what} are listed and highlighted; points, normals and values are stored only for the first ${grouped(detailed)}. --pairs writes all of them.`;
        this.scroller.scrollTop = 0;
        this.refresh();
    }

    name(side, i) {
        return elementName(this.report, side, i);
    }

    bodyName(side, i) {
        return this.report.bodies[side.body[i]].name;
    }

    // Sort sides by body, then by kind of element, then by number in the file.
    sideKey(side, i) {
        const body = this.report.bodies[side.body[i]];
        const numbers = [body.vertexNumbers, body.vertexNumbers, body.triangleNumbers, body.tetNumbers][side.element[i]];
        return (side.body[i] * 8 + side.element[i]) * 2 ** 32 + (numbers ? numbers[side.index[i]] : side.index[i]);
    }

    refresh() {
        const { contacts } = this;
        let order = [];
        for (let i = 0; i < contacts.count; i++) if (this.filter.contact(contacts, i)) order.push(i);
        const { by, down } = this.sort;
        if (by !== "order") {
            const keys = new Float64Array(contacts.count);
            for (const i of order)
                keys[i] =
                    by === "kind" ? contacts.kind[i]
                    : by === "value" ? contactValue(this.report, contacts, i)
                    : this.sideKey(contacts[by], i);
            const sign = down ? -1 : 1;
            // Contacts without a value come last in either order.
            order.sort((i, j) => (Number.isNaN(keys[i]) - Number.isNaN(keys[j])) || sign * (keys[i] - keys[j]) || i - j);
        }
        this.order = order;
        for (const button of this.head.children) {
            const on = button.dataset.by === by;
            button.setAttribute("aria-sort", on ? (down ? "descending" : "ascending") : "none");
        }
        this.space.style.height = `${order.length * ROW}px`;
        this.root.classList.toggle("none", order.length === 0);
        this.note.textContent = contacts.count === 0 ? (this.report.json.question === "distance" ? "No distances in this frame." : "No contacts in this frame.") : "Nothing matches.";
        this.show();
    }

    show() {
        if (!this.order) return;
        const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW) - 4);
        const last = Math.min(this.order.length, first + Math.ceil(this.scroller.clientHeight / ROW) + 8);
        const rows = [];
        for (let place = first; place < last; place++) rows.push(this.row(place));
        this.space.replaceChildren(...rows);
    }

    row(place) {
        const i = this.order[place];
        const { contacts } = this;
        const row = make("div", "contact");
        row.style.top = `${place * ROW}px`;
        row.dataset.contact = i;
        row.setAttribute("role", "option");
        row.setAttribute("aria-selected", i === this.selected);
        for (const side of [contacts.a, contacts.b]) {
            const cell = make("span", "side");
            cell.append(make("b", "", this.name(side, i)));
            if (this.report.bodies.length > 1) cell.append(make("small", "", this.bodyName(side, i)));
            cell.title = `${this.bodyName(side, i)} ${this.name(side, i)}`;
            row.append(cell);
        }
        const kind = make("span", "kind", KINDS[contacts.kind[i]]);
        kind.style.setProperty("--kind", kindColour(contacts.kind[i]));
        row.append(kind);
        if (this.valueName) row.append(make("span", "value", short(contactValue(this.report, contacts, i))));
        return row;
    }

    select(i) {
        this.selected = i;
        const place = this.order.indexOf(i);
        if (place >= 0) {
            const top = place * ROW;
            const { scrollTop, clientHeight } = this.scroller;
            if (top < scrollTop || top + ROW > scrollTop + clientHeight) this.scroller.scrollTop = top - clientHeight / 2 + ROW;
        }
        this.show();
    }

    // The contact `by` rows below.
    next(by) {
        if (!this.order.length) return -1;
        const place = this.order.indexOf(this.selected);
        if (place < 0) return this.order[by > 0 ? 0 : this.order.length - 1];
        return this.order[Math.min(Math.max(place + by, 0), this.order.length - 1)];
    }
}
