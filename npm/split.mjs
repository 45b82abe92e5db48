// Splits a linked module in parts, so that none is large: the first has the memory, the table and what is not named otherwise, the others
// are instantiated when they are first called. A function goes where its source file goes; wasm-split makes the modules one program again.
//
// usage: node npm/split.mjs [--keep-called] FULL.wasm FULL.map FIRST.wasm (OTHER.wasm PATTERN)... -- FLAG...
// FULL.map is the linker's map, a PATTERN says of "object file:(function)" what goes into its module, FLAGs are wasm-opt's. --keep-called:
// what the first module calls by itself stays there, so that it serves without the others.
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

// How many functions a module imports, and how many it has; the module without custom sections; and the same with a table of any size.
function look(bytes) {
    const kept = [bytes.subarray(0, 8)];
    const anyTable = [bytes.subarray(0, 8)];
    let imported = 0;
    let own = 0;
    const reader = new Reader(bytes);
    reader.at = 8;
    while (reader.at < bytes.length) {
        const start = reader.at;
        const section = reader.byte();
        const size = reader.number();
        const body = reader.at;
        const end = reader.at + size;
        let widened = bytes.subarray(start, end);
        if (section === IMPORTS)
            for (let left = reader.number(); left > 0; left--) {
                reader.text();
                reader.text();
                const kind = reader.byte();
                if (kind === 0) imported++;
                if (kind === 1) {
                    reader.byte();
                    const limits = reader.at;
                    reader.number();
                    const least = number(reader.number());
                    reader.at = limits;
                    reader.limits();
                    widened = Buffer.concat([Buffer.from([IMPORTS]), sized(bytes.subarray(body, limits), Buffer.from([0]), least, bytes.subarray(reader.at, end))]);
                } else if (kind === 2) reader.limits();
                else if (kind === 3) reader.at += 2;
                else reader.number();
            }
        if (section === CODE) own = reader.number();
        if (section !== 0) kept.push(bytes.subarray(start, end));
        if (section !== 0) anyTable.push(widened);
        reader.at = end;
    }
    return { imported, own, kept, anyTable };
}

// "object file:(function)" of all functions, in the order of the module.
function functionsOf(map) {
    const lines = map.slice(map.indexOf(" CODE\n"), map.indexOf(" DATA\n")).split("\n");
    return lines.map((line) => line.match(/^ +- +[0-9a-f]+ +[0-9a-f]+ {9}(\S.*:\(.*\))$/)?.[1]).filter(Boolean);
}

const args = process.argv.slice(2);
const flags = args.splice(args.indexOf("--")).slice(1);
const keepCalled = args[0] === "--keep-called" && args.shift();
const [full, mapFile, first, ...rest] = args;
const others = rest.flatMap((file, i) => (i % 2 ? [] : [{ file, pattern: rest[i + 1] }]));
const { imported, own, kept } = look(readFileSync(full));
const functions = functionsOf(readFileSync(mapFile, "utf8"));
if (functions.length !== own) throw new Error(`${mapFile} has ${functions.length} functions, ${full} ${own}`);

// Static functions of different files share names: each gets one of its own, by its number.
const names = Array.from({ length: imported + own }, (_, i) => Buffer.concat([number(i), sized(Buffer.from(`f${i}`))]));
const section = sized(sized(Buffer.from("name")), Buffer.from([FUNCTION_NAMES]), sized(number(names.length), ...names));
const named = `${first}.named`;
writeFileSync(named, Buffer.concat([...kept, Buffer.from([0]), section]));
execFileSync("wasm-opt", [...flags, "-g", named, "-o", named]);

const features = flags.filter((flag) => flag.startsWith("--enable"));
const text = readFileSync(named).toString("latin1");
const survived = (name) => text.includes(String.fromCharCode(name.length) + name);

// Takes out what the functions that stay call (also where wasm-opt made one function of two equal ones).
function leaveCalled(later) {
    const graph = execFileSync("wasm-opt", [...features, "--print-call-graph", named, "-o", `${first}.graph`], { encoding: "utf8", maxBuffer: 2 ** 26 });
    const calls = [...graph.matchAll(/"(f\d+)" -> "(f\d+)"; \/\/ call/g)].map(([, from, to]) => [from, to]);
    for (let more = true; more; ) {
        const needed = calls.filter(([from, to]) => !later.has(from) && later.has(to));
        for (const [, to] of needed) later.delete(to);
        more = needed.length > 0;
    }
}

// One module after the other is split off; each has placeholders of a name of its own: placeholder, placeholder1, ...
let whole = named;
for (const [i, { file, pattern }] of others.entries()) {
    const later = new Set(functions.map((f, k) => (f.match(pattern) ? `f${imported + k}` : "")).filter((name) => name && survived(name)));
    if (keepCalled) leaveCalled(later);
    writeFileSync(`${file}.later`, [...later].join("\n"));
    const left = i + 1 < others.length ? `${first}.left${i}` : first;
    const own = ["--placeholder-namespace", `placeholder${i || ""}`, ...(i ? ["--export-prefix", `${i}%`] : [])];
    execFileSync("wasm-split", [...features, "-g", ...own, "--split-funcs", `@${file}.later`, whole, "-o1", left, "-o2", file]);
    whole = left;
}
for (const file of [first, ...others.map((other) => other.file)]) execFileSync("wasm-opt", [...flags, file, "-o", file]);
// The table grew with each split, which the modules split off before do not know.
for (const { file } of others) writeFileSync(file, Buffer.concat(look(readFileSync(file)).anyTable));
