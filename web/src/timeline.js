// The timeline: contacts and milliseconds of every frame; click to go there.
import { counted, ms, short } from "./numbers.js";

const PAD = { left: 10, right: 10, top: 8, bottom: 18 };

export class Timeline {
    // `counts` gives the contacts of a frame that are to be shown.
    constructor(root, report, counts, onGo) {
        this.root = root;
        this.report = report;
        this.counts = counts;
        this.showMs = false;    // the time of each frame as a curve, only on wish
        this.chosen = null;    // first and last frame of the place that is chosen
        this.canvas = root.querySelector("canvas");
        this.hint = root.querySelector("#plot-hint");
        this.onGo = onGo;
        this.place = 0;
        this.hover = -1;
        root.setAttribute("aria-valuemin", 0);
        root.setAttribute("aria-valuemax", Math.max(0, report.frameCount - 1));
        new ResizeObserver(() => this.draw()).observe(root);
        this.listen();
    }

    listen() {
        let dragging = false;
        const go = (event) => {
            const place = this.placeAt(event);
            if (place !== this.place) this.onGo(place);
        };
        this.root.addEventListener("pointerdown", (event) => {
            dragging = true;
            this.root.setPointerCapture(event.pointerId);
            go(event);
        });
        this.root.addEventListener("pointermove", (event) => {
            if (dragging) go(event);
            this.hover = this.placeAt(event);
            this.showHint();
            this.draw();
        });
        const end = () => {
            dragging = false;
        };
        this.root.addEventListener("pointerup", end);
        this.root.addEventListener("pointercancel", end);
        this.root.addEventListener("pointerleave", () => {
            this.hover = -1;
            this.hint.hidden = true;
            this.draw();
        });
    }

    get inner() {
        return { width: this.root.clientWidth - PAD.left - PAD.right, height: this.root.clientHeight - PAD.top - PAD.bottom };
    }

    placeAt(event) {
        const x = event.clientX - this.root.getBoundingClientRect().left - PAD.left;
        const place = Math.floor((x / this.inner.width) * this.report.frameCount);
        return Math.min(Math.max(place, 0), this.report.frameCount - 1);
    }

    showHint() {
        const frame = this.report.frames[this.hover];
        if (!frame) return;
        const words = [`frame ${frame.frame}`, this.words(this.hover)];
        if (this.showMs) words.push(ms(frame.ms));
        this.hint.textContent = words.join(" · ");
        this.hint.hidden = false;
        const x = PAD.left + ((this.hover + 0.5) / this.report.frameCount) * this.inner.width;
        const half = this.hint.offsetWidth / 2;
        this.hint.style.left = `${Math.min(Math.max(x, half + 4), this.root.clientWidth - half - 4)}px`;
    }

    words(place) {
        return this.report.json.question === "distance" ? `distance ${short(this.report.frames[place].distance ?? NaN)}` : counted(this.counts(place), "contact");
    }

    set(place) {
        this.place = place;
        const frame = this.report.frames[place];
        this.root.setAttribute("aria-valuenow", place);
        this.root.setAttribute("aria-valuetext", `frame ${frame.frame}, ${this.words(place)}`);
        this.draw();
    }

    draw() {
        const ratio = window.devicePixelRatio || 1;
        const { clientWidth: width, clientHeight: height } = this.root;
        if (!width || !height) return;
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        const pen = this.canvas.getContext("2d");
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        const style = getComputedStyle(this.root);
        const colour = (name) => style.getPropertyValue(name).trim();
        this.drawContacts(pen, colour);
        if (this.showMs) this.drawMs(pen, colour);
        this.drawMarks(pen, colour);
    }

    drawContacts(pen, colour) {
        const { frames } = this.report;
        const { width, height } = this.inner;
        const most = Math.max(1, this.mostContacts());
        const step = width / frames.length;
        const gap = step > 6 ? 1.5 : step > 3 ? 0.75 : 0;
        pen.fillStyle = colour("--accent");
        pen.globalAlpha = 0.82;
        frames.forEach((frame, i) => {
            const contacts = this.counts(i);
            if (!contacts) return;
            const tall = Math.max(2, (contacts / most) * height);
            const wide = Math.min(Math.max(step - gap, 0.6), 44);
            pen.fillRect(PAD.left + (i + 0.5) * step - wide / 2, PAD.top + height - tall, wide, tall);
        });
        pen.globalAlpha = 1;
        pen.fillStyle = colour("--line");
        pen.fillRect(PAD.left, PAD.top + height, width, 1);
        if (this.chosen) this.drawChosen(pen, colour, step);
    }

    // The frames of the chosen place, as a bar above.
    drawChosen(pen, colour, step) {
        const at = (number) => this.report.frames.findIndex((frame) => frame.frame === number);
        const [first, last] = this.chosen.map(at);
        if (first < 0 || last < 0) return;
        pen.fillStyle = colour("--second");
        pen.fillRect(PAD.left + first * step, PAD.top - 6, Math.max((last - first + 1) * step, 3), 3);
    }

    mostContacts() {
        let most = 0;
        for (let i = 0; i < this.report.frames.length; i++) most = Math.max(most, this.counts(i));
        return most;
    }

    most(key) {
        let most = 0;
        for (const frame of this.report.frames) most = Math.max(most, frame[key]);
        return most;
    }

    drawMs(pen, colour) {
        const { frames } = this.report;
        const { width, height } = this.inner;
        const most = this.most("ms");
        const step = width / frames.length;
        pen.strokeStyle = colour("--second");
        pen.lineWidth = 1.5;
        pen.lineJoin = "round";
        pen.beginPath();
        frames.forEach((frame, i) => {
            const x = PAD.left + (i + 0.5) * step;
            const y = PAD.top + height - (frame.ms / (most || 1)) * height * 0.94;
            if (i === 0) pen.moveTo(x, y);
            else pen.lineTo(x, y);
        });
        pen.stroke();
    }

    drawMarks(pen, colour) {
        const { frames } = this.report;
        const { width, height } = this.inner;
        const step = width / frames.length;
        const bottom = PAD.top + height;
        pen.font = `11px ${getComputedStyle(this.root).fontFamily}`;
        pen.fillStyle = colour("--muted");
        pen.textBaseline = "alphabetic";
        const every = niceStep(frames.length, width / 56);
        for (let i = 0; i < frames.length; i += every) {
            const label = String(frames[i].frame);
            const x = PAD.left + (i + 0.5) * step;
            pen.textAlign = x < 16 ? "left" : "center";
            pen.fillText(label, pen.textAlign === "left" ? PAD.left : x, bottom + 14);
        }
        if (this.hover >= 0) {
            pen.fillStyle = colour("--text");
            pen.globalAlpha = 0.12;
            pen.fillRect(PAD.left + this.hover * step, PAD.top - 4, Math.max(step, 1), height + 4);
            pen.globalAlpha = 1;
        }
        const x = PAD.left + (this.place + 0.5) * step;
        pen.fillStyle = colour("--text");
        pen.fillRect(x - 0.75, 2, 1.5, bottom - 2);
        pen.beginPath();
        pen.moveTo(x - 5, 1);
        pen.lineTo(x + 5, 1);
        pen.lineTo(x, 8);
        pen.fill();
    }
}

function niceStep(total, space) {
    const most = Math.max(space, 1);
    for (let power = 1; ; power *= 10)
        for (const factor of [1, 2, 5]) if (total / (factor * power) <= most) return factor * power;
}
