// Colours of contacts and bodies. Bodies are muted so that contacts stand out, in light and in dark.
import { KINDS, VALUE_NAMES } from "./data.js";

// The same as in exported meshes: `loud` in cli/highlight.c. docs/guide/report.md lists them.
const KIND_COLOURS = {
    crossing: "#d62728",
    touching: "#ff9800",
    coplanar: "#f0cd14",
    "vertex-vertex": "#8e44ad",
    "vertex-edge": "#673ab7",
    "vertex-face": "#1e64dc",
    "edge-edge": "#0096a7",
    inside: "#d62728",
    unresolved: "#ff5722",
    through: "#e91e63",
    overlap: "#1e64dc",
};

const BODY_COLOURS = ["#a9b4c2", "#d3c4a8", "#a7c0ab", "#c9b0c4", "#a6c2cc", "#d0b5a5", "#b5b9d6", "#c3c8a4"];

// From mild to severe. Distances and times run the other way: small is severe.
const RAMP = ["#3b3fb6", "#8b3fc4", "#d1418f", "#f2664b", "#fbb13c", "#fff07c"];

// The two sides of the selected contact.
export const SIDE_COLOURS = ["#1f8fff", "#ff9d1f"];
export const NORMAL_COLOUR = "#18b26b";

export function rgb(hex) {
    const number = parseInt(hex.slice(1), 16);
    return [(number >> 16) / 255, ((number >> 8) & 255) / 255, (number & 255) / 255];
}

const KIND_RGB = KINDS.map((name) => rgb(KIND_COLOURS[name]));
const RAMP_RGB = RAMP.map(rgb);

export function bodyColour(i) {
    return BODY_COLOURS[i % BODY_COLOURS.length];
}

export function kindColour(kind) {
    return KIND_COLOURS[KINDS[kind]];
}

export function rampCss(reversed) {
    return `linear-gradient(to right, ${(reversed ? [...RAMP].reverse() : RAMP).join(", ")})`;
}

function rampColour(part) {
    const at = Math.min(Math.max(part, 0), 1) * (RAMP_RGB.length - 1);
    const low = Math.min(Math.floor(at), RAMP_RGB.length - 2);
    return RAMP_RGB[low].map((x, k) => x + (at - low) * (RAMP_RGB[low + 1][k] - x));
}

// Colour of a level out of a number of levels.
export function levelColour(level, levels) {
    return rampColour(levels > 1 ? 0.85 * (level / (levels - 1)) : 0);
}

const UNKNOWN = [0.55, 0.55, 0.58];

// The colour modes available for a question.
export function colourModes(question) {
    const value = VALUE_NAMES[question];
    return [
        { id: "kind", name: "Kind", works: true },
        { id: "depth", name: "Depth", works: value === "depth" },
        { id: "distance", name: "Distance", works: value === "distance" },
        { id: "time", name: "Time of impact", works: value === "time" },
        { id: "place depth", name: "Depth of the place", works: question === "intersections" || question === "penetrations" },
        { id: "crossing length", name: "Length of the crossing", works: question === "intersections" || question === "penetrations" },
    ];
}

// Modes that colour a contact by what is measured of its place, in its worst frame.
const PLACE_MODES = { "place depth": "depth", "crossing length": "length" };

// Whether large values of a mode are the severe ones.
export function severeIsHigh(mode) {
    return mode === "depth" || mode in PLACE_MODES;
}

// Lowest and highest value of the report for a mode.
export function rangeOf(report, mode) {
    if (PLACE_MODES[mode]) {
        const values = [...report.places.values()].map((place) => place[PLACE_MODES[mode]] ?? 0);
        return [0, values.reduce((most, x) => Math.max(most, x), 0)];
    }
    const [low, high] = mode === "time" ? report.index.time : report.index.value;
    return low === null ? [0, 0] : [low, high];
}

// Returns a function from a contact's index to its colour.
export function contactColours(report, contacts, mode) {
    if (mode === "kind") return (i) => KIND_RGB[contacts.kind[i]];
    const values = mode === "time" ? contacts.time : contacts.value;
    const [low, high] = rangeOf(report, mode);
    const span = high > low ? high - low : 1;
    if (PLACE_MODES[mode]) {
        const measure = PLACE_MODES[mode];
        return (i) => rampColour(((report.places.get(contacts.place[i])?.[measure] ?? 0) - low) / span);
    }
    return (i) => {
        if (i >= contacts.detailed) return UNKNOWN;
        const part = (values[i] - low) / span;
        return rampColour(severeIsHigh(mode) ? part : 1 - part);
    };
}
