// Values that go from one thread to the other: bodies, results and handles become plain objects there and back. Arrays are copied by the
// engine, or given away.
import { SnagError } from "./memory.js";
import { ClosestPoints, Derivatives, Hits, Lists, OverlapItems } from "./records.js";

const RECORDS = { ClosestPoints, Hits, OverlapItems, Derivatives };

const isPlain = (value) => Array.isArray(value) || (value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype);

// replace(value): what is sent in its place, or undefined if it needs no other form.
export function passing(value, replace) {
    if (typeof value === "function") throw new SnagError("argument", "a function cannot be sent to a worker: filter bodies by group and mask, or use the World of \"snag\", which calls it");
    const replaced = replace(value);
    if (replaced !== undefined) return replaced;
    if (value instanceof Lists) return { snagLists: value.start, items: passing(value.items, replace) };
    for (const [name, Type] of Object.entries(RECORDS)) if (value instanceof Type) return { snagRecords: name, buffer: value.buffer, hessians: value.hessians, mollifierHessians: value.mollifierHessians };
    if (!isPlain(value)) return value;
    if (Array.isArray(value)) return value.every((item) => typeof item === "number") ? value : value.map((item) => passing(item, replace));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, passing(item, replace)]));
}

// restore(value): the object that a plain one stands for, or undefined.
export function passed(value, restore, bodyOfIndex) {
    if (!isPlain(value)) return value;
    const restored = restore(value);
    if (restored !== undefined) return restored;
    if (Array.isArray(value)) return value.every((item) => typeof item === "number") ? value : value.map((item) => passed(item, restore, bodyOfIndex));
    if (value.snagLists) return new Lists(value.snagLists, passed(value.items, restore, bodyOfIndex));
    if (value.snagRecords) return new RECORDS[value.snagRecords](value.buffer, bodyOfIndex, value.hessians, value.mollifierHessians);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, passed(item, restore, bodyOfIndex)]));
}
