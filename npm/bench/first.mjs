// From a fresh Node to the first answer about a small file: importing the package, loading the modules, reading, asking. Five processes.
// usage: node npm/bench/first.mjs      after script/npm
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 0.8 0.9 1\nf 1 2 3\nf 4 5 6\n";
if (process.argv[2] === "once") {
    const start = performance.now();
    const { check } = await import("../src/snag.js");
    if ((await check(OBJ, "dress.obj")).length !== 1) throw new Error("one contact was expected");
    console.log(performance.now() - start);
} else {
    const times = Array.from({ length: 5 }, () => Number(execFileSync(process.execPath, [fileURLToPath(import.meta.url), "once"], { encoding: "utf8" }))).sort((a, b) => a - b);
    console.log(`loading to the first answer: ${times.map((ms) => ms.toFixed(0)).join(", ")} ms, Node ${process.version}   (bar: 100)`);
}
