// Runs a WebAssembly program of the build (layouts, golden hashes) with Node's files, as if it were native.
// usage: node npm/run.mjs PROGRAM.wasm [ARGUMENT...]
import { readFileSync, writeSync } from "node:fs";
import { nodeFiles } from "./src/files-node.js";
import { Exit, Wasi } from "./src/wasi.js";

const [program, ...args] = process.argv.slice(2);
const wasi = new Wasi({
    args: [program, ...args],
    env: { ...process.env, PWD: process.cwd() },
    files: nodeFiles,
    stdout: (bytes) => writeSync(1, bytes),
    stderr: (bytes) => writeSync(2, bytes),
});
const module = new WebAssembly.Module(readFileSync(program));
const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.imports });
wasi.memory = instance.exports.memory;
try {
    instance.exports._start();
} catch (error) {
    if (!(error instanceof Exit)) throw error;
    process.exitCode = error.code;
}
