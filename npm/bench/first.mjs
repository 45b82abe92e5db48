// From a fresh Node to the first answer about a small file: importing the package, loading the modules, reading, asking. Five processes. On a busy
// machine the time that passes is mostly other programs' time: processor time, of all threads, is printed beside it.
// usage: node npm/bench/first.mjs      after script/npm
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 0.8 0.9 1\nf 1 2 3\nf 4 5 6\n";
if (process.argv[2] === "once") {
    const [start, used] = [performance.now(), process.cpuUsage()];
    const { check } = await import("../src/snag.js");
    if ((await check(OBJ, "dress.obj")).length !== 1) throw new Error("one contact was expected");
    const { user, system } = process.cpuUsage(used);
    console.log(JSON.stringify([performance.now() - start, (user + system) / 1000]));
} else {
    const times = Array.from({ length: 5 }, () => JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), "once"], { encoding: "utf8" })));
    const sorted = (k) => times.map((time) => time[k]).sort((a, b) => a - b).map((ms) => ms.toFixed(0)).join(", ");
    console.log(`loading to the first answer: ${sorted(0)} ms, of the processor ${sorted(1)} ms in all threads, Node ${process.version}   (bar: 100)`);
}
