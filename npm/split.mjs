// Splits a linked module in two: what answers questions, and what programs that ask for nothing else need not download. A function
// goes where its source file goes; wasm-split makes the two modules one program again, with one memory and one table.
//
// usage: node npm/split.mjs FULL.wasm FULL.map FIRST.wasm SECOND.wasm PATTERN FLAG...
// FULL.map is the linker's map, PATTERN says of "object file:(function)" what goes into the second module, FLAGs are wasm-opt's.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const IMPORTS = 2;
const CODE = 10;
const FUNCTION_NAMES = 1;

class Reader {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }
    byte() {
        return this.bytes[this.at++];
    }
    number() {
        let value = 0;
        for (let shift = 0; ; shift += 7) {
            const byte = this.byte();
            value += (byte & 127) * 2 ** shift;
            if (byte < 128) return value;
        }
    }
    text() {
        const size = this.number();
        this.at += size;
        return this.bytes.subarray(this.at - size, this.at).toString();
    }
    limits() {
        if (this.number() & 1) this.number();
        this.number();
    }
}

function number(value) {
    const bytes = [];
    do bytes.push((value & 127) | (value > 127 ? 128 : 0));
    while ((value >>>= 7));
    return Buffer.from(bytes);
}
const sized = (...parts) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([number(body.length), body]);
};

// How many functions a module imports, and how many it has; and the module without custom sections.
function look(bytes) {
    const kept = [bytes.subarray(0, 8)];
    let imported = 0;
    let own = 0;
    const reader = new Reader(bytes);
    reader.at = 8;
    while (reader.at < bytes.length) {
        const start = reader.at;
        const section = reader.byte();
        const size = reader.number();
        const end = reader.at + size;
        if (section === IMPORTS)
            for (let left = reader.number(); left > 0; left--) {
                reader.text();
                reader.text();
                const kind = reader.byte();
                if (kind === 0) imported++;
                if (kind === 1) reader.byte();
                if (kind === 1 || kind === 2) reader.limits();
                else if (kind === 3) reader.at += 2;
                else reader.number();
            }
        if (section === CODE) own = reader.number();
        if (section !== 0) kept.push(bytes.subarray(start, end));
        reader.at = end;
    }
    return { imported, own, kept };
}

// "object file:(function)" of all functions, in the order of the module.
function functionsOf(map) {
    const lines = map.slice(map.indexOf(" CODE\n"), map.indexOf(" DATA\n")).split("\n");
    return lines.map((line) => line.match(/^ +- +[0-9a-f]+ +[0-9a-f]+ {9}(\S.*:\(.*\))$/)?.[1]).filter(Boolean);
}

const [full, mapFile, first, second, pattern, ...flags] = process.argv.slice(2);
const { imported, own, kept } = look(readFileSync(full));
const functions = functionsOf(readFileSync(mapFile, "utf8"));
if (functions.length !== own) throw new Error(`${mapFile} has ${functions.length} functions, ${full} ${own}`);

// Static functions of different files share names: each gets one of its own, by its number.
const names = Array.from({ length: imported + own }, (_, i) => Buffer.concat([number(i), sized(Buffer.from(`f${i}`))]));
const section = sized(sized(Buffer.from("name")), Buffer.from([FUNCTION_NAMES]), sized(number(names.length), ...names));
const named = `${first}.named`;
writeFileSync(named, Buffer.concat([...kept, Buffer.from([0]), section]));
execFileSync("wasm-opt", [...flags, "-g", named, "-o", named]);

// What goes into the second module: what survived of its files, but for what the first one calls (also where wasm-opt made one function of
// two equal ones).
const features = flags.filter((flag) => flag.startsWith("--enable"));
const graph = execFileSync("wasm-opt", [...features, "--print-call-graph", named, "-o", `${first}.graph`], { encoding: "utf8", maxBuffer: 2 ** 26 });
const calls = [...graph.matchAll(/"(f\d+)" -> "(f\d+)"; \/\/ call/g)].map(([, from, to]) => [from, to]);
const text = readFileSync(named).toString("latin1");
const survived = (name) => text.includes(String.fromCharCode(name.length) + name);
const later = new Set(functions.map((f, i) => (f.match(pattern) ? `f${imported + i}` : "")).filter((name) => name && survived(name)));
for (let more = true; more; ) {
    const needed = calls.filter(([from, to]) => !later.has(from) && later.has(to));
    for (const [, to] of needed) later.delete(to);
    more = needed.length > 0;
}
writeFileSync(`${first}.later`, [...later].join("\n"));
execFileSync("wasm-split", [...features, "--split-funcs", `@${first}.later`, named, "-o1", first, "-o2", second]);
for (const half of [first, second]) execFileSync("wasm-opt", [...flags, half, "-o", half]);
