// Prints the sizes of the modules and of the package, and ends with 1 if one is above its limit.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

const KB = 1000;
const LIMIT = [800, 280];
const MODULES = ["snag", "snag-more", "snag-scalar", "snag-scalar-more", "snag-io", "snag-tool", "snag-tool-files", "snag-tool-more"];
const PACKAGE_LIMIT = 3000;

const here = new URL(".", import.meta.url);
let failed = false;
const [most, packed] = LIMIT;
for (const name of MODULES.map((module) => `${module}.wasm`)) {
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
