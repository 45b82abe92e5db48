// The command-line tool as a function: snag-tool.wasm on Node's files or on files in memory.
import { MemoryFiles } from "./files-memory.js";
import { SnagError } from "./memory.js";
import { compile, hasVectors } from "./module.js";
import { Exit, Wasi } from "./wasi.js";

export { MemoryFiles };

export async function compileTool(source) {
    if (!hasVectors()) throw new SnagError("unsupported", "this engine has no 128-bit vectors (WebAssembly SIMD), which snag's tool needs; use Node 18 or later, or a browser of 2023 or later");
    return compile(source ?? new URL("../wasm/snag-tool.wasm", import.meta.url));
}

// Runs `snag ARGS` and returns its exit code: 0 clean, 1 contacts found, 2 error. page: [top, end], the report page as bytes (or a function
// that returns them). onProgress(done) is called in frames and searches, and returns false to stop.
export function runTool(module, args, { files, env = {}, folder = "/", stdin, stdout, stderr, terminal, page = [new Uint8Array(0), new Uint8Array(0)], onProgress = () => true }) {
    const wasi = new Wasi({ args: ["snag", ...args], env: { ...env, PWD: folder }, files, stdin, stdout, stderr, terminal });
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
    const { exports } = new WebAssembly.Instance(module, { snag: host, wasi_snapshot_preview1: wasi.imports });
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
    const module = await compileTool(wasm);
    const files = new MemoryFiles();
    for (const [name, bytes] of Object.entries(given)) files.add(name, bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes);
    const before = new Set(files.files.keys());
    const texts = { stdout: [], stderr: [] };
    const code = runTool(module, args, { ...options, files, stdout: (bytes) => texts.stdout.push(bytes), stderr: (bytes) => texts.stderr.push(bytes) });
    const decode = (parts) => {
        const decoder = new TextDecoder();
        return parts.map((bytes) => decoder.decode(bytes, { stream: true })).join("") + decoder.decode();
    };
    const written = Object.fromEntries([...files.files].filter(([name]) => !before.has(name)).map(([name, contents]) => [name.slice(1), contents.bytes]));
    return { code, stdout: decode(texts.stdout), stderr: decode(texts.stderr), files: written };
}
