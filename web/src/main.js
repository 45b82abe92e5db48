// The report page: opens the report and connects view, list, timeline and controls.
import { bodyColour, colourModes, kindColour, rampCss, rangeOf, severeIsHigh, SIDE_COLOURS } from "./colours.js";
import { KINDS, Report, VALUE_NAMES, contactPoint, contactValue, elementName, elementVertices, isIntersection } from "./data.js";
import { make } from "./dom.js";
import { Filter } from "./filter.js";
import { ContactList } from "./list.js";
import { count, counted, ms, six } from "./numbers.js";
import { PlaceList, placeFrames, placeMeasure, placeName } from "./places.js";
import { download, hashOf, picture, readHash } from "./share.js";
import { Timeline } from "./timeline.js";
import { View } from "./view.js";

const $ = (id) => document.getElementById(id);

// Skipped frames that are listed; the rest is counted.
const SKIPPED_SHOWN = 20;

// Texts for `not_searched` in the JSON.
const LEFT_OUT = {
    edges: "edges that pass through tetrahedra",
    surfaces: "intersecting triangles of surfaces",
    inside: "bodies completely inside a volume",
    self: "self-contacts",
    between: "contacts between bodies",
};

// Remembers the reader's settings, if the browser allows it.
const memory = {
    get(key) {
        try {
            return localStorage.getItem(`snag-${key}`);
        } catch {
            return null;
        }
    },
    set(key, value) {
        try {
            localStorage.setItem(`snag-${key}`, value);
        } catch {
            // A page opened from a file may not be allowed to store anything.
        }
    },
};

class Page {
    constructor(report) {
        this.report = report;
        this.place = -1;
        this.selected = -1;
        this.placeId = 0;    // the place that is chosen
        this.filter = new Filter(report);
        this.describe();
        this.view = new View($("view"), report, $("labels"), this.filter);
        this.view.onPick = (i) => this.choose(i, false);
        this.view.onBoxes = (boxes) => ($("boxes-level").textContent = `${this.view.options.boxDepth}${boxes ? ` · ${counted(boxes, "box").replace("boxs", "boxes")}` : ""}`);
        this.view.onLost = () => problem("The browser has lost the graphics context. Reload the page.");
        this.list = new ContactList($("list"), report, this.filter, (i) => this.choose(i, true));
        this.places = new PlaceList($("places"), report, (id) => this.choosePlace(id));
        this.timeline = new Timeline($("plot"), report, (i) => this.filter.frameCount(i), (place) => this.go(place));
        this.setTheme(memory.get("theme"));
        this.makeBodies();
        this.makeLook();
        this.makeTransport();
        this.makeAfter();
        this.makeTabs();
        this.makeFilters();
        this.refilter();
        addEventListener("keydown", (event) => this.key(event));
    }

    // ---- words ----

    get question() {
        return this.report.json.question;
    }

    describe() {
        const { json, bodies } = this.report;
        const names = json.bodies.map((body) => body.name);
        const title = names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", ");
        document.title = `${title} – snag`;
        $("title").textContent = title;
        const withContacts = this.report.frames.filter((frame) => frame.contacts > 0);
        const summary = $("summary");
        summary.replaceChildren();
        const total = make("b", json.contacts_total ? "found" : json.complete ? "clean" : "");
        total.id = "total";
        // Bodies apart are no contacts: describeDistance tells their distance instead.
        total.textContent = json.contacts_total ? counted(json.contacts_total, "contact") : json.complete ? "clean" : "no contacts found so far";
        summary.append(total);
        const move = json.question === "impacts" ? "move" : "frame";
        const many = this.report.frames.length;
        if (many > 1 && json.contacts_total) summary.append(` in ${count(withContacts.length)} of ${counted(many, move)}`);
        else if (many > 1) summary.append(` in ${counted(many, move)}`);
        const worst = json.places?.[0];
        if (worst && json.contacts_total)
            summary.append(` · ${counted(json.places.length, "place")}, the worst: ${[placeName(worst), placeFrames(worst, many > 1)].filter(Boolean).join(", ")}`);
        if (json.ignored) summary.append(make("span", "warning", `${count(json.ignored)} ignored`));
        if (json.question === "distance") this.describeDistance(summary);
        const skipped = json.skipped ?? [];
        const lost = skipped.reduce((sum, { frame, last }) => sum + (last ?? frame) - frame + 1, 0);
        if (lost) summary.append(make("span", "warning", `${counted(lost, "frame")} skipped`));
        if (json.skipped_elements) summary.append(make("span", "warning", `${counted(json.skipped_elements, "element")} ignored`));
        if (!json.complete) summary.append(make("span", "warning", "incomplete"));
        const triangles = bodies.reduce((sum, body) => sum + body.triangleCount, 0);
        $("about").textContent =
            `${json.questions.join(" and ")}, method ${json.method}, ${counted(json.threads, "thread")}; ` +
            `${counted(json.bodies.length, "body").replace("bodys", "bodies")}, ${counted(triangles, "triangle")}. snag ${json.snag}.`;
        for (const { file, skipped_elements: elements } of json.files)
            if (elements) $("about").append(make("span", "skipped", `Ignored: ${counted(elements, "element")} of ${file}; contacts with them are not found.`));
        const leftOut = json.not_searched.map((name) => LEFT_OUT[name] ?? name);
        if (leftOut.length) $("about").append(make("span", "skipped", `Not looked for: ${leftOut.join("; ")}.`));
        for (const { frame, last, reason } of skipped.slice(0, SKIPPED_SHOWN)) {
            const which = last === undefined ? `Frame ${frame} was` : `Frames ${frame} to ${last} were`;
            $("about").append(make("span", "skipped", `${which} skipped: ${reason}`));
        }
        const more = skipped.length - SKIPPED_SHOWN;
        if (more > 0) $("about").append(make("span", "skipped", `${counted(more, "frame")} more skipped; --json lists them.`));
    }

    // Every pair of bodies has a distance: show the smallest.
    describeDistance(summary) {
        const known = this.report.frames.filter((frame) => typeof frame.distance === "number");
        if (!known.length) return;
        const nearest = known.reduce((best, frame) => (frame.distance < best.distance ? frame : best));
        const words = known.length > 1 ? ` in frame ${nearest.frame}` : "";
        summary.replaceChildren(make("b", nearest.distance > 0 ? "" : "found", `smallest distance ${six(nearest.distance)}`), words);
    }

    describeFrame(frame) {
        $("frame-name").textContent = `Frame ${frame.frame}`;
        $("frame-name").title = frame.file ?? "";
        const shown = this.filter.count(frame.contacts);
        const all = frame.contacts.count;
        const noun = this.question === "distance" ? "distance" : "contact";
        const parts = [shown === all ? counted(all, noun) : `${count(shown)} of ${counted(all, noun)}`];
        if (this.timeline.showMs) parts.push(ms(this.report.frames[this.place].ms));
        const told = this.report.frames[this.place];
        if (told.earliest !== undefined && told.earliest < 1) parts.push(`free until ${six(told.earliest)}`);
        if (told.distance !== undefined && told.distance !== null) parts.push(`distance ${six(told.distance)}`);
        if (told.file) parts.push(told.file);
        if (frame.isAfter) parts.push("after the fix");
        $("frame-counts").textContent = parts.join(" · ");
        $("frame-counts").dataset.contacts = shown;
        $("tab-contacts").dataset.count = count(shown);
    }

    // ---- frames ----

    async go(place) {
        if (!this.report.frameCount) return;
        const wanted = Math.min(Math.max(place, 0), this.report.frameCount - 1);
        this.wanted = wanted;
        const frame = await this.report.frame(wanted);
        if (this.wanted !== wanted || this.place === wanted) return;
        this.place = wanted;
        this.showFrame(frame);
    }

    // Shows a frame as it was, or as it was fixed.
    showFrame(read) {
        const frame = this.after && read.after ? read.after : read;
        this.whole = read;
        this.frame = frame;
        this.selected = -1;
        this.view.setFrame(frame);
        this.view.select(-1, false);
        this.list.setFrame(frame);
        this.timeline.set(this.place);
        this.describeFrame(frame);
        if (frame.lines.count) $("regions-row").hidden = false;
        this.showLegend();
        this.showCard();
    }

    // ---- before and after a fix ----

    makeAfter() {
        const { index, afterElements } = this.report;
        $("fixed").hidden = !afterElements.length;
        if (!afterElements.length) return;
        $("show-before").addEventListener("click", () => this.setAfter(false));
        $("show-after").addEventListener("click", () => this.setAfter(true));
        $("summary").append(" · after the fix: ", make("b", index.after_left ? "found" : "clean", index.after_left ? `${count(index.after_left)} left` : "clean"));
    }

    setAfter(on) {
        if (!this.report.afterElements.length || on === Boolean(this.after)) return;
        this.after = on;
        $("show-before").setAttribute("aria-pressed", !on);
        $("show-after").setAttribute("aria-pressed", on);
        if (this.whole) this.showFrame(this.whole);
    }

    play(on = !this.playing) {
        this.playing = on && this.report.frameCount > 1;
        $("play").classList.toggle("on", this.playing);
        $("play").setAttribute("aria-label", this.playing ? "Stop" : "Play");
        if (!this.playing) return;
        let before = performance.now();
        const step = async (now) => {
            if (!this.playing) return;
            const due = Math.floor(((now - before) / 1000) * Number($("speed").value));
            if (due > 0) {
                before = now;
                // Wait for a slow frame instead of skipping it; playback just slows down.
                await this.go((this.place + 1) % this.report.frameCount);
            }
            requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    }

    goToContacts(by) {
        for (let i = this.place + by; i >= 0 && i < this.report.frameCount; i += by)
            if (this.filter.frameCount(i) > 0) return this.go(i);
        return undefined;
    }

    // ---- places ----

    // Goes to a place in its worst frame, or stays in this one if it is there and `stay`.
    async choosePlace(id, stay = false) {
        const place = this.report.places.get(id);
        this.placeId = place ? id : 0;
        this.filter.place = 0;
        this.places.select(this.placeId);
        this.timeline.chosen = place ? [place.first, place.last] : null;
        if (!place) {
            this.view.setGhosts([]);
            return this.refilter();
        }
        const here = stay && this.frame && this.frame.frame >= place.first && this.frame.frame <= place.last;
        const at = here ? this.place : this.report.frames.findIndex((frame) => frame.frame === place.worst);
        if (at >= 0 || !this.frame) await this.go(Math.max(at, 0));
        if (this.placeId !== id) return undefined;
        const worst = this.worstContact(place);
        this.choose(worst, false);
        this.view.flyToPlace(place);
        this.timeline.draw();
        return undefined;
    }

    // The contact of a place that the JSON names, in its worst frame; else the first one.
    worstContact(place) {
        const { contacts } = this.frame;
        let first = -1;
        for (let i = 0; i < contacts.count; i++) {
            if (contacts.place[i] !== place.id) continue;
            const names = [elementName(this.report, contacts.a, i), elementName(this.report, contacts.b, i)];
            if ((names[0] === place.a && names[1] === place.b) || (names[0] === place.b && names[1] === place.a)) return i;
            if (first < 0) first = i;
        }
        return first;
    }

    // ---- what is shown ----

    refilter() {
        this.view.refilter();
        if (this.frame) {
            this.list.refresh();
            this.describeFrame(this.frame);
        }
        const places = this.filter.places();
        this.places.set(places);
        $("tab-places").dataset.count = count(places.length);
        this.timeline.draw();
        this.showLegend();
        $("reset").hidden = !this.filter.on;
    }

    makeFilters() {
        for (const id of ["self", "between"])
            $(`only-${id}`).addEventListener("click", () => {
                // A switch of three states: both, or one of them.
                const alone = this.filter[id] && !this.filter[id === "self" ? "between" : "self"];
                this.filter.self = alone || id === "self";
                this.filter.between = alone || id === "between";
                $("only-self").setAttribute("aria-pressed", this.filter.self && !this.filter.between);
                $("only-between").setAttribute("aria-pressed", this.filter.between && !this.filter.self);
                this.refilter();
            });
        $("reset").addEventListener("click", () => this.resetFilter());
        $("find").addEventListener("input", () => {
            this.filter.find($("find").value);
            this.refilter();
        });
        const alone = this.report.bodies.length < 2;
        $("only").hidden = alone || this.question === "distance" || this.question === "overlaps";
        if (this.question === "distance") {
            $("tab-contacts").textContent = "Distances";
            $("tab-places").hidden = true;
            $("tab-contacts").click();
        }
    }

    resetFilter() {
        Object.assign(this.filter, { hiddenKinds: new Set(), hiddenBodies: new Set(), self: true, between: true, words: [], place: 0 });
        $("find").value = "";
        for (const id of ["only-self", "only-between"]) $(id).setAttribute("aria-pressed", false);
        for (const toggle of $("pane-bodies").querySelectorAll("input")) toggle.checked = true;
        this.refilter();
    }

    // ---- sharing ----

    say(text) {
        $("note").textContent = text;
        $("note").hidden = false;
        clearTimeout(this.saying);
        this.saying = setTimeout(() => ($("note").hidden = true), 3500);
    }

    async link() {
        const hash = hashOf(this);
        history.replaceState(null, "", hash);
        try {
            await navigator.clipboard.writeText(location.href);
            this.say("Link to this view copied");
        } catch {
            this.say("The address of this page is now a link to this view");
        }
    }

    shoot() {
        const words = [$("title").textContent, this.frame ? `frame ${this.frame.frame}` : ""].filter(Boolean).join(" · ");
        return download(picture(this, words), `snag-frame-${this.frame?.frame ?? 0}.png`);
    }

    // ---- the chosen contact ----

    choose(i, fly) {
        this.selected = i;
        this.list.select(i);
        this.view.select(i, fly && i >= 0);
        this.showCard();
        if (this.question === "impacts") this.poseAtImpact(i);
    }

    // An impact happens between the previous frame and this one: show the bodies at that time.
    async poseAtImpact(i) {
        const { place } = this;
        const time = i >= 0 && place > 0 ? contactValue(this.report, this.frame.contacts, i) : 1;
        const before = time < 1 ? await this.report.frame(place - 1) : null;
        if (this.place !== place || this.selected !== i) return;
        this.view.pose(before, time);
    }

    isolate(on = !this.view.isolated) {
        this.view.setIsolated(on);
        this.showCard();
    }

    // What is known of the place of the contact.
    placeFacts(fact, i) {
        const place = this.report.places.get(this.frame.contacts.place[i]);
        if (!place || this.question === "distance") return;
        const number = this.report.json.places.indexOf(place) + 1;
        fact("place", [`${number} of ${count(this.report.json.places.length)}`, placeMeasure(place), placeFrames(place, this.report.frames.length > 1)].filter(Boolean).join(", "));
    }

    showCard() {
        const card = $("card");
        card.hidden = this.selected < 0;
        document.body.classList.toggle("chosen", this.selected >= 0);
        if (this.selected < 0) return this.coverView();
        const i = this.selected;
        const { contacts } = this.frame;
        const ids = make("div", "ids");
        [contacts.a, contacts.b].forEach((side, s) => ids.append(this.side(side, i, s)));
        const facts = make("dl");
        const fact = (name, value) => {
            const row = make("div");
            row.append(make("dt", "", name), make("dd", "", value));
            facts.append(row);
        };
        const kind = KINDS[contacts.kind[i]];
        fact("kind", kind);
        this.placeFacts(fact, i);
        const valueName = VALUE_NAMES[this.question];
        if (valueName && i < contacts.detailed && !isIntersection(contacts.kind[i]))
            fact(kind === "through" ? "length inside" : valueName, six(contactValue(this.report, contacts, i)));
        fact("at", contactPoint(this.report, contacts, i, this.frame.positions).map(six).join(", "));
        if (i < contacts.detailed) {
            const normal = [6, 7, 8].map((k) => contacts.details[k][i]);
            if (normal.some((x) => x !== 0)) fact("normal", normal.map((x) => x.toFixed(4).replace("-", "−")).join(", "));
        } else {
            fact("note", `details are stored only for the first ${count(contacts.detailed)} contacts of a frame`);
        }
        card.replaceChildren(ids, facts, this.cardButtons());
        this.coverView();
    }

    // A card as wide as the view hides the scene below it.
    coverView() {
        const card = $("card");
        const wide = card.offsetWidth > 0.6 * $("stage").clientWidth;
        this.view.covered = this.selected >= 0 && wide ? card.offsetHeight : 0;
        this.view.draw();
    }

    side(side, i, s) {
        const body = this.report.bodies[side.body[i]];
        const made = make("div", "element");
        made.style.setProperty("--side", SIDE_COLOURS[s]);
        const name = make("b", "", elementName(this.report, side, i));
        const vertices = elementVertices(this.report, side, i).map((v) => `v${body.vertexNumbers[v]}`);
        made.append(name, make("span", "of", body.name));
        if (vertices.length > 1) made.append(make("small", "", vertices.join(" ")));
        return made;
    }

    cardButtons() {
        const row = make("div", "buttons");
        const button = (text, title, act, pressed) => {
            const made = make("button", "plain", text);
            made.type = "button";
            made.title = title;
            if (pressed !== undefined) made.setAttribute("aria-pressed", pressed);
            made.addEventListener("click", act);
            row.append(made);
            return made;
        };
        const what = this.question === "distance" ? "distance" : "contact";
        button("‹", `Previous ${what} (↑)`, () => this.choose(this.list.next(-1), true)).setAttribute("aria-label", `Previous ${what}`);
        button("›", `Next ${what} (↓)`, () => this.choose(this.list.next(1), true)).setAttribute("aria-label", `Next ${what}`);
        button("Isolate", "Show only the two elements (I)", () => this.isolate(), this.view.isolated).id = "isolate";
        button("Close", "Deselect (Esc)", () => this.choose(-1, false));
        return row;
    }

    // ---- controls ----

    makeBodies() {
        const pane = $("pane-bodies");
        this.report.bodies.forEach((body, i) => {
            const told = this.report.json.bodies[i];
            const row = make("label", "body");
            const swatch = make("i");
            swatch.style.background = bodyColour(i);
            const words = make("span", "words");
            words.append(make("b", "", body.name));
            const counts = [counted(body.vertexCount, "vertex").replace("vertexs", "vertices"), counted(body.triangleCount, "triangle")];
            if (body.tetCount) counts.push(counted(body.tetCount, "tet"));
            if (told.degenerate) counts.push(`${count(told.degenerate)} degenerate`);
            words.append(make("small", "", counts.join(" · ")));
            const toggle = make("input");
            toggle.type = "checkbox";
            toggle.setAttribute("role", "switch");
            toggle.checked = true;
            toggle.addEventListener("change", () => {
                if (toggle.checked) this.filter.hiddenBodies.delete(i);
                else this.filter.hiddenBodies.add(i);
                this.refilter();
            });
            row.append(swatch, words, toggle);
            pane.append(row);
        });
    }

    toggle(id, option, also) {
        const box = $(id);
        box.addEventListener("change", () => {
            this.view.set(option, box.checked);
            also?.(box.checked);
            const icon = $(id.replace("show-", ""));
            if (icon && icon !== box && icon.tagName === "BUTTON") icon.setAttribute("aria-pressed", box.checked);
        });
    }

    flip(id) {
        const box = $(id);
        box.checked = !box.checked;
        box.dispatchEvent(new Event("change"));
    }

    segments(id, act) {
        const root = $(id);
        root.addEventListener("click", (event) => {
            const button = event.target.closest("button");
            if (!button) return;
            this.press(id, button.dataset.axis);
            act(Number(button.dataset.axis));
        });
    }

    press(id, axis) {
        for (const button of $(id).children) button.setAttribute("aria-pressed", button.dataset.axis === String(axis));
    }

    makeLook() {
        const colour = $("colour");
        for (const mode of colourModes(this.question)) {
            const option = make("option", "", mode.name);
            option.value = mode.id;
            option.disabled = !mode.works;
            colour.append(option);
        }
        colour.addEventListener("change", () => {
            this.view.set("colour", colour.value);
            this.showLegend();
        });
        this.toggle("show-elements", "elements");
        this.toggle("show-points", "points");
        this.toggle("show-normals", "normals");
        this.toggle("show-wire", "wire");
        this.toggle("show-xray", "xray");
        this.toggle("show-cut", "cut", () => this.showCutPlace());
        this.toggle("cut-flip", "cutFlip");
        this.toggle("show-boxes", "boxes");
        this.toggle("show-regions", "regions");
        for (const id of ["wire", "xray", "cut"]) $(id).addEventListener("click", () => this.flip(`show-${id}`));
        $("fit").addEventListener("click", () => this.view.home());
        $("cut-offset").addEventListener("input", () => {
            if (!$("show-cut").checked) this.flip("show-cut");
            this.view.set("cutOffset", $("cut-offset").value / 1000);
            this.showCutPlace();
        });
        this.segments("cut-axis", (axis) => {
            this.view.set("cutAxis", axis);
            this.showCutPlace();
        });
        this.segments("up", (axis) => {
            this.view.setUp(axis);
        });
        $("boxes-depth").addEventListener("input", () => {
            if (!$("show-boxes").checked) this.flip("show-boxes");
            this.view.set("boxDepth", Number($("boxes-depth").value));
        });
        this.view.onBoxes(0);
        this.showCutPlace();
        $("theme").addEventListener("click", () => this.turnTheme());
        $("help-open").addEventListener("click", () => $("help").showModal());
        $("shoot").addEventListener("click", () => this.shoot());
        $("link").addEventListener("click", () => this.link());
        $("show-ms").addEventListener("change", () => {
            this.timeline.showMs = $("show-ms").checked;
            document.querySelector(".key.ms").hidden = !this.timeline.showMs;
            this.timeline.draw();
            if (this.frame) this.describeFrame(this.frame);
        });
    }

    showCutPlace() {
        const axis = this.view.options.cutAxis;
        const place = [0, 0, 0];
        place[axis] = this.view.cutPlace();
        $("cut-at").textContent = `${"xyz"[axis]} = ${six(this.report.fromView(place)[axis])}`;
    }

    showLegend() {
        const legend = $("legend");
        const mode = this.view.options.colour;
        legend.replaceChildren();
        if (!this.frame || !this.frame.contacts.count) return;
        if (mode === "kind") {
            const { kind } = this.frame.contacts;
            const counts = new Map();
            for (const k of kind) counts.set(k, (counts.get(k) ?? 0) + 1);
            for (const [k, n] of [...counts].sort((x, y) => x[0] - y[0])) {
                const item = make("button", "item");
                item.type = "button";
                item.title = `Show or hide ${KINDS[k]} contacts`;
                item.setAttribute("aria-pressed", !this.filter.hiddenKinds.has(k));
                item.addEventListener("click", () => {
                    if (!this.filter.hiddenKinds.delete(k)) this.filter.hiddenKinds.add(k);
                    this.refilter();
                });
                item.style.setProperty("--kind", kindColour(k));
                item.append(make("span", "", KINDS[k]), make("small", "", count(n)));
                legend.append(item);
            }
            return;
        }
        const [low, high] = rangeOf(this.report, mode);
        const ramp = make("span", "ramp");
        ramp.style.background = rampCss(!severeIsHigh(mode));
        legend.append(make("small", "", six(low)), ramp, make("small", "", six(high)), make("span", "", mode));
        const { count: all, detailed } = this.frame.contacts;
        if (detailed < all && !mode.includes(" ")) legend.append(make("small", "", `grey: ${count(all - detailed)} without stored ${mode}`));
    }

    makeTransport() {
        const many = this.report.frameCount > 1;
        document.body.classList.toggle("single", !many);
        document.querySelector(".key.contacts").textContent = `contacts, up to ${count(this.timeline.mostContacts())}`;
        document.querySelector(".key.ms").hidden = true;
        document.querySelector(".key.ms").textContent = `time, up to ${ms(this.timeline.most("ms"))}`;
        $("play").addEventListener("click", () => this.play());
        $("back").addEventListener("click", () => this.go(this.place - 1));
        $("forth").addEventListener("click", () => this.go(this.place + 1));
    }

    makeTabs() {
        const tabs = [...document.querySelectorAll("[role=tab]")];
        const open = (tab) => {
            for (const other of tabs) {
                other.setAttribute("aria-selected", other === tab);
                $(other.getAttribute("aria-controls")).hidden = other !== tab;
            }
            if (tab.id === "tab-contacts") this.list.show();
            if (tab.id === "tab-places") this.places.show();
            $("filters").hidden = tab.id !== "tab-contacts" && tab.id !== "tab-places";
        };
        for (const tab of tabs) tab.addEventListener("click", () => open(tab));
    }

    chooseUp(frame) {
        const axis = this.report.upAxis(frame);
        this.press("up", axis);
        this.view.setUp(axis);
    }

    // ---- light and dark ----

    get dark() {
        return document.documentElement.dataset.theme === "dark";
    }

    // The reader's choice, else the system's setting, which may change at any time.
    setTheme(chosen) {
        const system = matchMedia("(prefers-color-scheme: dark)");
        document.documentElement.dataset.theme = chosen ?? (system.matches ? "dark" : "light");
        this.view.setDark(this.dark);
        this.timeline.draw();
        system.onchange = () => this.setTheme(memory.get("theme"));
    }

    turnTheme() {
        const theme = this.dark ? "light" : "dark";
        memory.set("theme", theme);
        this.setTheme(theme);
    }

    // ---- keyboard ----

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
        const typing = event.target.matches("input[type=search], select");
        if (typing) {
            if (event.key === "Escape") event.target.blur();
            return;
        }
        if (event.target.matches("input[type=range]") && event.key.startsWith("Arrow")) return;
        if (event.key === " " && event.target.matches("button, input, label")) return;
        const act = this.keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!act) return;
        event.preventDefault();
        act(event);
    }

    keys = {
        " ": () => this.play(),
        ArrowLeft: (event) => this.go(this.place - (event.shiftKey ? 10 : 1)),
        ArrowRight: (event) => this.go(this.place + (event.shiftKey ? 10 : 1)),
        Home: () => this.go(0),
        End: () => this.go(this.report.frameCount - 1),
        ",": () => this.goToContacts(-1),
        ".": () => this.goToContacts(1),
        ArrowUp: () => this.step(-1),
        ArrowDown: () => this.step(1),
        p: () => this.shoot(),
        l: () => this.link(),
        m: () => this.flip("show-ms"),
        i: () => this.isolate(),
        Escape: () => {
            this.choose(-1, false);
            this.choosePlace(0);
        },
        a: () => this.setAfter(!this.after),
        f: () => this.view.home(),
        w: () => this.flip("show-wire"),
        x: () => this.flip("show-xray"),
        s: () => this.flip("show-cut"),
        n: () => this.flip("show-normals"),
        b: () => this.flip("show-boxes"),
        "[": () => this.boxLevel(-1),
        "]": () => this.boxLevel(1),
        t: () => this.turnTheme(),
        "?": () => $("help").showModal(),
    };

    // The next place or contact, whichever list is open.
    step(by) {
        if (!$("pane-places").hidden) return this.choosePlace(this.places.next(by));
        return this.choose(this.list.next(by), true);
    }

    boxLevel(by) {
        $("boxes-depth").value = Number($("boxes-depth").value) + by;
        $("boxes-depth").dispatchEvent(new Event("input"));
    }
}

function problem(text) {
    $("problem").textContent = text;
    $("problem").hidden = false;
    document.body.classList.remove("loading");
}

// Of distances the frame with the smallest one.
function nearestFrame(report) {
    const known = report.frames.map((frame) => (typeof frame.distance === "number" ? frame.distance : Infinity));
    return Math.max(0, known.indexOf(Math.min(...known)));
}

async function start() {
    const report = await Report.open(document);
    const page = new Page(report);
    // Start where a link says, else at the worst place, else at the first frame.
    const asked = readHash(location.hash);
    const at = report.frames.findIndex((frame) => frame.frame === asked.frame);
    if (report.frameCount) page.chooseUp(await report.frame(0));
    const worst = report.json.question === "distance" ? undefined : report.json.places?.[0]?.id;
    const place = asked.frame === undefined || asked.place ? (asked.place ?? worst ?? 0) : 0;
    // Only one frame is read before the first picture: the one that is shown.
    if (at >= 0 || !report.places.has(place)) await page.go(Math.max(at, 0));
    if (asked.frame === undefined || asked.place) await page.choosePlace(place, at >= 0);
    if (report.json.question === "distance" && asked.frame === undefined) await page.go(nearestFrame(report));
    if (asked.eye && asked.at) page.view.look(asked.eye, asked.at);
    else if (!page.placeId) page.view.home(false);
    if (!report.frameCount) problem("The report has no frames: the run was stopped before the first one.");
    page.view.resize();
    // For scripts that measure or control the page.
    page.shownAfter = performance.now();
    window.snagReport = page;
    document.body.classList.remove("loading");
}

document.body.dataset.started = "yes";
start().catch((error) => {
    console.error(error);
    problem(`The report cannot be shown: ${error.message}`);
});
