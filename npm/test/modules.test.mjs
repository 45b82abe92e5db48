// The library's two modules: questions need the first alone; what is in the second says so where it was left out.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { foldedSheet } from "./sheet.mjs";
import { box, throws } from "./shapes.mjs";
import { check, load, Response, SnagError, World } from "snag";

const fileOf = (name) => readFileSync(createRequire(import.meta.url).resolve(`snag/wasm/${name}`));
const METHODS = ["brute", "spheres", "regularity", "regions", "active", "hash", "kdop"];
const TET = { positions: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.1, 0.1, 2, 0.1, 0.1, 0.1, 2, 0.1, 0.1, 0.1, 2], tets: [[0, 1, 2, 3], [4, 5, 6, 7]] };

// Every question by every method that takes it, a file, a mesh of tetrahedra and filters.
async function askAll() {
    const found = [];
    const world = await World.create();
    const mesh = foldedSheet(12);
    const sheet = world.add(mesh);
    const solid = world.add({ ...box([0, 0, -0.5], [0.7, 0.7, 0.5]), thickness: 0.01 });
    world.add({ positions: [0, 0, 0.1, 1, 1, 0.1], points: [0, 1] });
    world.beginStep();
    sheet.move(mesh.positions.map((x, i) => (i % 3 === 2 ? x + 0.1 : x)));
    world.exclude({ pairs: [[{ body: sheet, kind: "vertex", index: 0 }, { body: solid, kind: "vertex", index: 0 }]] });
    for (const question of ["intersections", "penetrations", "proximities", "distance", "impacts", "overlaps"])
        for (const method of ["auto", ...METHODS]) {
            try {
                const answer = world.ask(question, { method, distance: 0.05, depth: question === "penetrations" || undefined, ...(question === "impacts" && { tolerance: 1e-6 }) });
                found.push([question, answer.length, answer.complete]);
            } catch (error) {
                // A method that does not take the question, or an option that another one has: the library's own refusal.
                assert.ok(error instanceof SnagError, error.stack);
                assert.doesNotMatch(error.message, /snag-more/);
            }
        }
    world.check(sheet);
    solid.remove();
    world.dispose();
    const solids = await check(TET);
    found.push(["tets", solids.question, solids.length]);
    const near = await check(new TextEncoder().encode("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1e-4\nv 1 0 1e-4\nv 0 1 1e-4\nf 1 2 3 4\nf 5 6 7\n"), "near.obj", { question: "proximities" });
    found.push(["near", near.length]);
    return found;
}

for (const simd of [true, false])
    test(`questions need the first module alone, with simd: ${simd}`, async () => {
        await load({ simd });
        const whole = await askAll();
        assert.ok(whole.length > 15 && whole.every(([, count]) => count !== 0), JSON.stringify(whole));
        await load({ simd, more: false });
        assert.deepEqual(await askAll(), whole);
    });

test("what was left out says what to do, and the world lives on", async () => {
    await load({ more: false });
    const world = await World.create();
    world.add(foldedSheet(6));
    const count = world.intersections().length;
    await throws(assert, SnagError, () => world.closest([0, 0, 0]), "unsupported", /snag-more\.wasm.*leave out more: false/);
    await throws(assert, SnagError, () => new Response(world), "unsupported", /snag-more\.wasm/);
    assert.equal(world.intersections().length, count);
    await load({ wasm: fileOf("snag.wasm") });
    const other = await World.create();
    await throws(assert, SnagError, () => other.nested(), "unsupported", /pass it to load\(\) too, as more/);
});

test("both from bytes, and a file that is not there can be tried again", async () => {
    await assert.rejects(load({ wasm: new URL("missing.wasm", import.meta.url) }));
    await load({ wasm: fileOf("snag.wasm"), more: fileOf("snag-more.wasm") });
    const world = await World.create();
    world.add(foldedSheet(6));
    assert.equal(world.closest([0, 0, 0]).length, 1);
    const again = await World.create();
    again.add(foldedSheet(6));
    assert.equal(again.closest([0, 0, 0, 1, 0, 0]).length, 2);
});

test("an engine without vectors gets the scalar modules, and words where that does not do", async () => {
    const { validate } = WebAssembly;
    WebAssembly.validate = () => false;
    try {
        await throws(assert, SnagError, () => load({ simd: true }), "unsupported", /no 128-bit vectors.*leave out simd: true/);
        const { tool } = await import("snag/tool");
        await throws(assert, SnagError, () => tool(["check", "a.obj"]), "unsupported", /128-bit vectors.*Node 18/);
        await load({ more: fileOf("snag-scalar-more.wasm") });
        const world = await World.create();
        assert.equal(world.isa, "scalar");
        world.add(foldedSheet(6));
        assert.ok(world.intersections().length > 0 && world.closest([0, 0, 0]).length === 1);
    } finally {
        WebAssembly.validate = validate;
    }
});
