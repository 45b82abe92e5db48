// The command-line tool as a function: three modules that are one program, on Node's files or on files in memory.
import { MemoryFiles } from "./files-memory.js";
import { SnagError } from "./memory.js";
import { compile, hasVectors, placeholders } from "./module.js";
import { Exit, Wasi } from "./wasi.js";

export { MemoryFiles };

// Whole names, which bundlers look for.
const toolFiles = () => [new URL("../wasm/snag-tool.wasm", import.meta.url), new URL("../wasm/snag-tool-files.wasm", import.meta.url), new URL("../wasm/snag-tool-more.wasm", import.meta.url)];

// sources: of snag-tool.wasm, snag-tool-files.wasm and snag-tool-more.wasm. Returns their modules, for runTool.
export async function compileTool(sources = toolFiles()) {
    if (!hasVectors()) throw new SnagError("unsupported", "this engine has no 128-bit vectors (WebAssembly SIMD), which snag's tool needs; use Node 18 or later, or a browser of 2023 or later");
    if (!Array.isArray(sources) || sources.length !== 3) throw new SnagError("argument", "wasm: the tool is three modules, [snag-tool.wasm, snag-tool-files.wasm, snag-tool-more.wasm]");
    return Promise.all(sources.map(compile));
}

// Runs `snag ARGS` and returns its exit code: 0 clean, 1 contacts found, 2 error. page: [top, end], the report page as bytes (or a function
// that returns them). onProgress(done) is called in frames and searches, and returns false to stop.
export function runTool([first, files, more], args, { files: system, env = {}, folder = "/", stdin, stdout, stderr, terminal, page = [new Uint8Array(0), new Uint8Array(0)], onProgress = () => true }) {
    const wasi = new Wasi({ args: ["snag", ...args], env: { ...env, PWD: folder }, files: system, stdin, stdout, stderr, terminal });
    let parts = null;
    const host = {
        progress: (done) => (onProgress(done) === false ? 0 : 1),
        page(part, offset, to, size) {
            parts ??= typeof page === "function" ? page() : page;
            const piece = parts[part].subarray(offset, offset + size);
            new Uint8Array(wasi.memory.buffer, to >>> 0, piece.length).set(piece);
            return piece.length;
        },
    };
    const late = { placeholder: placeholders(files, () => exports), placeholder1: placeholders(more, () => exports) };
    const { exports } = new WebAssembly.Instance(first, { snag: host, wasi_snapshot_preview1: wasi.imports, ...late });
    wasi.memory = exports.memory;
    try {
        exports._start();
        return 0;
    } catch (error) {
        if (error instanceof Exit) return error.code;
        if (!(error instanceof WebAssembly.RuntimeError)) throw error;
        throw new SnagError("memory", `snag stopped: ${error.message}. If the scene is large: WebAssembly has at most 4 GB; the native tool has no such limit`);
    }
}

// Runs the tool on files in memory: { "dress.obj": bytes }. Returns { code, stdout, stderr, files }, with the files that it wrote.
export async function tool(args, { files: given = {}, wasm, ...options } = {}) {
    const modules = await compileTool(wasm);
    const files = new MemoryFiles();
    for (const [name, bytes] of Object.entries(given)) files.add(name, bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes);
    const before = new Set(files.files.keys());
    const texts = { stdout: [], stderr: [] };
    const code = runTool(modules, args, { ...options, files, stdout: (bytes) => texts.stdout.push(bytes), stderr: (bytes) => texts.stderr.push(bytes) });
    const decode = (parts) => {
        const decoder = new TextDecoder();
        return parts.map((bytes) => decoder.decode(bytes, { stream: true })).join("") + decoder.decode();
    };
    const written = Object.fromEntries([...files.files].filter(([name]) => !before.has(name)).map(([name, contents]) => [name.slice(1), contents.bytes]));
    return { code, stdout: decode(texts.stdout), stderr: decode(texts.stderr), files: written };
}
