// The types: a program that uses the whole API compiles, and one that misuses it does not. `script/npm test` installs the compiler.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as snag from "snag";
import * as worker from "snag/worker";

const compiler = join(process.cwd(), "node_modules", "typescript", "bin", "tsc");
const skip = !existsSync(compiler) && "typescript is not installed";
const LINES = `
import { check, fix, load, readMesh, Response, SnagError, World, type Contact, type Filter } from "snag";
import * as worker from "snag/worker";
import { tool } from "snag/tool";

export async function use(file: File, positions: Float32Array, triangles: Uint32Array): Promise<number> {
    await load({ simd: true });
    const answer = await check(file);
    const world = await World.create({ maxMemory: 2 ** 28 });
    const cloth = world.add({ positions, triangles, radius: 1e-3, group: 1, mask: new Uint32Array(3), labels: [1], rest: positions });
    const seam = world.exclude({ sets: [[{ body: cloth, vertices: [1, 2] }, { body: cloth, vertices: [3] }]] });
    const filter: Filter = { bodies: (a, b) => a !== b, excludeRings: 2, exclusions: seam };
    const pairs = world.collect({ distance: 1e-3, margin: 1e-4 });
    const near = world.proximities({ distance: 1e-3, filter, candidates: pairs, ignoreRadius: true });
    const first: Contact | undefined = near.at(0);
    const depth: number = near.places()[0].depth;
    const distance: number | undefined = world.closest([[0, 0, 0]], { sign: true }).at(0)?.distance;
    const t: number | undefined = world.cast({ origin: [0, 0, 1], direction: [0, 0, -1] }, { bodies: cloth }).at(0)?.t;
    for (const hits of world.castAll([{ origin: [0, 0, 1], end: [0, 0, -1] }], { segments: true })) for (const { triangle } of hits) console.log(triangle);
    const side: "inside" | "outside" | "on" | "none" = cloth.contains([0, 0, 0])[0];
    const map = cloth.edit({ splitEdges: [{ vertices: [0, 1] }], remove: [4] });
    const hessian: Float64Array | undefined = world.derivatives(near, { mollifier: 1e-3 }).at(0)?.hessian;
    const response = new Response(world);
    const report = response.fix([{ body: cloth, positions: new Float64Array(9) }], { maxMove: 1, rigid: [cloth] });
    const outcome: string = report.places[0].outcome;
    const fixed = await fix([{ positions, triangles, held: [1, 2] }], { signal: new AbortController().signal });
    const there = await worker.World.create();
    const body = await there.add({ positions, triangles });
    const found = await there.closest(positions, { bodies: [body] });
    const mesh = await readMesh(new Uint8Array(3), "a.obj", { split: "parts" });
    const { code } = await tool(["check", "a.obj"], { files: { "a.obj": new Uint8Array(1) } });
    console.log(answer.length, first, depth, distance, t, side, map.firstVertex, hessian, outcome, fixed.bodies[0].positions, found.distances, mesh.note, new SnagError("stale", ""));
    return code;
}
`;
const WRONG = [
    ["world.proximities({ distanse: 1 });", /distanse/],
    ['world.ask("collisions");', /collisions/],
    ["world.closest(7);", /number/],
    ['world.cast({ origin: [0, 0, 0] });', /Rays/],
    ['const side: "left" = body.contains([0, 0, 0])[0];', /left/],
    ["body.edit({ removed: [1] });", /removed/],
    ["new Candidates();", /private/],
];

function compile(name, text, lib = "ES2022,DOM,DOM.Iterable") {
    writeFileSync(name, text);
    const made = spawnSync(process.execPath, [compiler, "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", lib, name], { encoding: "utf8" });
    return [made.status, made.stdout];
}

test("a program that uses the whole API compiles", { skip }, () => assert.deepEqual(compile("use.mts", LINES), [0, ""]));

test("misuse does not compile", { skip }, () => {
    const lines = WRONG.map(([line]) => `    { ${line} }`).join("\n");
    const [status, words] = compile("misuse.mts", `import { Candidates, type Body, type World } from "snag";\nexport function misuse(world: World, body: Body): void {\n${lines}\n}\n`);
    assert.notEqual(status, 0);
    WRONG.forEach(([line, expected], i) => assert.match(words.split("\n").filter((error) => error.startsWith(`misuse.mts(${i + 3},`)).join("\n"), expected, line));
});

test("every export is declared, and every declared value is exported", () => {
    const folder = join(process.cwd(), "node_modules", "snag", "types");
    assert.ok(readdirSync(folder).includes("snag.d.ts"));
    for (const [name, module] of [["snag", snag], ["worker", worker]]) {
        const declared = new Set([...readFileSync(join(folder, `${name}.d.ts`), "utf8").matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, word]) => word));
        assert.deepEqual([...declared].sort(), Object.keys(module).sort(), name);
    }
    const members = (Class) => Object.getOwnPropertyNames(Class.prototype);
    const text = readFileSync(join(folder, "snag.d.ts"), "utf8");
    for (const name of ["intersections", "closest", "cast", "exclude", "collect", "derivatives", "nested"]) assert.ok(members(snag.World).includes(name) && text.includes(`    ${name}(`), name);
});
