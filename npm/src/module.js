// Loads the modules: once each, from the package's files or from what the caller gives.
import { Memory, SnagError } from "./memory.js";
import { Wasi } from "./wasi.js";

// A module that uses one instruction of 128-bit vectors: (i8x16.popcnt (i8x16.splat (i32.const 0))).
const VECTORS = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);

export function hasVectors() {
    return WebAssembly.validate(VECTORS);
}

const FIRST_PAGES = 64; // 4 MB: stack, tables and a small scene
const MOST_PAGES = 65536;

export async function compile(source) {
    if (source instanceof WebAssembly.Module) return source;
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
    const url = source instanceof URL ? source : new URL(source, import.meta.url);
    if (url.protocol === "file:" && typeof process === "object") {
        const { readFile } = await import("node:fs/promises");
        return WebAssembly.compile(await readFile(url));
    }
    const response = await fetch(url);
    if (!response.ok) throw new SnagError("file", `${url}: ${response.status} ${response.statusText}; serve snag's .wasm files beside its scripts, or pass them to load()`);
    // Servers that do not know .wasm send another type, which compileStreaming refuses.
    return WebAssembly.compile(await response.arrayBuffer());
}

let library = null; // { first, second }: what load() was given, or a promise of its modules
let readers = null;

// The library is two modules that share a memory: the first answers questions, the second has the other calls.
// Whole names, which bundlers look for.
function libraryFiles(simd = hasVectors()) {
    return simd
        ? [new URL("../wasm/snag.wasm", import.meta.url), new URL("../wasm/snag-more.wasm", import.meta.url)]
        : [new URL("../wasm/snag-scalar.wasm", import.meta.url), new URL("../wasm/snag-scalar-more.wasm", import.meta.url)];
}

// wasm without more: the second is one that the package does not know.
export async function compileLibrary({ wasm, more, simd }) {
    const [first, second] = libraryFiles(simd);
    const modules = await Promise.all([compile(wasm ?? first), more === false || (wasm && !more) ? null : compile(more ?? second)]);
    return { first: modules[0], second: modules[1], left: more === false };
}

// Loads the library; the first call decides. wasm, more, io: a URL, bytes or a WebAssembly.Module in place of the package's own files;
// more: false leaves out snag-more.wasm, for pages that only ask questions. simd: false takes the modules without vectors, true refuses to
// run without them.
export async function load({ wasm, more, io, simd } = {}) {
    if (io) readers = compile(io);
    if (!library || wasm || more !== undefined || simd !== undefined) {
        if (simd && !hasVectors()) throw new SnagError("unsupported", "this engine has no 128-bit vectors (WebAssembly SIMD); leave out simd: true, or use a newer engine");
        const loading = compileLibrary({ wasm, more, simd });
        library = loading;
        // A failure is told here; the next call tries again.
        loading.then((modules) => (library = library === loading ? modules : library), () => (library = library === loading ? null : library));
    }
    await library;
}

export async function loadReaders() {
    readers ??= compile(new URL("../wasm/snag-io.wasm", import.meta.url));
    return (readers = await readers);
}

// What the first module calls in place of functions of another one (a Module, or a function that throws why there is none): makes the
// instance of the other, which puts its functions into the table, and calls the one that was meant.
export function placeholders(other, exports) {
    let made = false;
    const call = (slot) => (...values) => {
        if (typeof other === "function") other();
        if (!made) new WebAssembly.Instance(other, { primary: exports() });
        made = true;
        return exports().table.get(slot)(...values);
    };
    return new Proxy({}, { get: (_, slot) => call(Number(slot)) });
}

// A new instance of a module, or of the library's two, with a memory of its own. `host` gets what the module calls in JavaScript.
export function instantiate(modules, host = {}, maxMemory = MOST_PAGES * 65536) {
    const most = Math.floor(maxMemory / 65536);
    if (!(most >= FIRST_PAGES && most <= MOST_PAGES)) throw new SnagError("argument", `maxMemory: 4 MB to 4 GB in bytes, not ${maxMemory}`);
    const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: most });
    const wasi = new Wasi();
    wasi.memory = memory;
    const { first, second = null, left } = modules;
    const refuse = () => {
        throw new SnagError("unsupported", `this call is in snag-more.wasm, which was not loaded: ${left ? "leave out more: false of load()" : "pass it to load() too, as more"}`);
    };
    const { exports } = new WebAssembly.Instance(first ?? modules, { env: { memory }, snag: host, wasi_snapshot_preview1: wasi.imports, placeholder: placeholders(second ?? refuse, () => exports) });
    exports._initialize();
    return new Memory(memory, exports);
}

export function loadedLibrary() {
    if (!library?.first) throw new SnagError("argument", "snag is not loaded yet: await load() first, or use await World.create()");
    return library;
}
