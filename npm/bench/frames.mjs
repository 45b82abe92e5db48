// The example's character in Node: what a frame of it costs at 100,000 triangles, skinning and search apart, on one thread.
// usage: node npm/bench/frames.mjs [DETAIL]      after script/npm; 1 is 100,000 triangles
import { register } from "node:module";
import { pathToFileURL } from "node:url";

// The example imports the package by its name.
const names = { snag: "../src/snag.js", "snag/three": "../src/three.js" };
const resolved = Object.fromEntries(Object.entries(names).map(([name, path]) => [name, new URL(path, import.meta.url).href]));
resolved.three = import.meta.resolve("three");
const hooks = `const names = ${JSON.stringify(resolved)}; export const resolve = (name, context, next) => (names[name] ? { url: names[name], shortCircuit: true } : next(name, context));`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`, pathToFileURL("./"));

const { World } = await import("snag");
const { dress, makeCharacter } = await import("../examples/garment.mjs");
const FRAMES = 120;
const cpu = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;

const character = makeCharacter(Number(process.argv[2] ?? 1));
const world = await World.create();
const { bodies } = dress(world, character);
const times = { skinning: [], search: [] };
let most = 0;
for (let frame = 0; frame < FRAMES; frame++) {
    character.pose(frame / 60);
    const start = cpu();
    for (const body of bodies) body.update();
    const posed = cpu();
    most = Math.max(most, world.intersections({ self: false }).length);
    times.search.push(cpu() - posed);
    times.skinning.push(posed - start);
}
console.log(`${character.triangles.toLocaleString("en")} triangles, ${FRAMES} frames, up to ${most} contacts, Node ${process.version}, processor time`);
for (const [name, list] of Object.entries(times)) {
    list.sort((a, b) => a - b);
    console.log(`${name.padEnd(9)} ${list[FRAMES / 2].toFixed(1)} ms in the middle frame, ${list.at(-Math.ceil(FRAMES / 20)).toFixed(1)} ms in the slowest twentieth (a frame at 60 a second has 16.7)`);
}
