// Prints the sizes of the modules and of the package, and ends with 1 if one is above its limit.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

const KB = 1000;
// The library's modules are downloaded by pages. The tool's has the library, the readers and the tool in one; only the command loads it.
const DOWNLOADED = ["snag.wasm", "snag-more.wasm", "snag-scalar.wasm", "snag-scalar-more.wasm", "snag-io.wasm"];
const LIMITS = { ...Object.fromEntries(DOWNLOADED.map((name) => [name, [800, 280]])), "snag-tool.wasm": [1500, 620] };
const PACKAGE_LIMIT = 3000;

const here = new URL(".", import.meta.url);
let failed = false;
for (const [name, [most, packed]] of Object.entries(LIMITS)) {
    const bytes = readFileSync(new URL(`wasm/${name}`, here));
    const zipped = gzipSync(bytes, { level: 9 }).length;
    const over = bytes.length > most * KB || zipped > packed * KB;
    failed ||= over;
    console.log(`${name.padEnd(21)} ${(bytes.length / KB).toFixed(0).padStart(5)} KB, ${(zipped / KB).toFixed(0)} KB gzip, ${(brotliCompressSync(bytes).length / KB).toFixed(0)} KB brotli${over ? `  above its limit of ${most} and ${packed} KB` : ""}`);
}
const tgz = readdirSync(new URL("dist/", here)).find((name) => name.endsWith(".tgz"));
const size = statSync(new URL(`dist/${tgz}`, here)).size;
if (size > PACKAGE_LIMIT * KB) failed = true;
console.log(`${tgz.padEnd(21)} ${(size / KB).toFixed(0).padStart(5)} KB${size > PACKAGE_LIMIT * KB ? `  above its limit of ${PACKAGE_LIMIT} KB` : ""}`);
process.exitCode = failed ? 1 : 0;
