// The worker variant: answers as of the library, progress, abort, errors.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as here from "snag";
import { check, fix, World } from "snag/worker";
import { ball, box, sheet } from "./shapes.mjs";
import { foldedSheet } from "./sheet.mjs";

const OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 0.8 0.9 1\nf 1 2 3\nf 4 5 6\n";

test("check in a worker", async () => {
    const answer = await check(new TextEncoder().encode(OBJ), "dress.obj");
    assert.equal(answer.length, 1);
    assert.deepEqual([answer.nameOf(answer.at(0).a), answer.at(0).b.body.name], ["t0", "dress"]);
    await assert.rejects(check("v 1 2 3\nf 1 2 3\n", "dress.obj"), { name: "SnagError", status: "index" });
    assert.equal((await check({ positions: new Float64Array(9), triangles: [0, 1, 2] }, { question: "intersections" })).degenerate, 1);
    const many = await Promise.all([OBJ, OBJ, OBJ].map((text) => check(text, "dress.obj")));
    assert.deepEqual(many.map(({ length }) => length), [1, 1, 1]);
});

test("a world in a worker gives the bytes of one here", async () => {
    const mesh = foldedSheet(40);
    const local = await here.World.create({ number: 1 });
    local.add(mesh);
    const expected = Buffer.from(local.proximities({ distance: 0.01, track: true }).records.u8);
    const world = await World.create({ number: 1 });
    const body = await world.add({ ...mesh, user: 5 });
    const answer = await world.proximities({ distance: 0.01, track: true });
    assert.ok(expected.equals(Buffer.from(answer.records.u8)));
    assert.ok(answer.at(0).a.body === body && body.user === 5);
    await world.beginStep();
    await body.move(mesh.positions.map((x) => -x), { transfer: true });
    assert.ok(answer.at(0).value <= 0.01, "an answer lasts");
    assert.equal((await world.check(body)).closed, false);
    await assert.rejects(body.move(new Float64Array(3)), { status: "mismatch" });
    await body.remove();
    assert.equal((await world.intersections()).length, 0);
    world.dispose();
    await assert.rejects(world.intersections(), /disposed/);
});

test("progress and abort reach a busy worker", async () => {
    const world = await World.create();
    await world.add(foldedSheet(150));
    const seen = [];
    const controller = new AbortController();
    const ask = world.proximities({ distance: 0.01, method: "brute", signal: controller.signal, onProgress(done) { seen.push(done); controller.abort(); } });
    await assert.rejects(ask, { name: "AbortError" });
    assert.equal(seen.length > 0, true);
    // The world is still there.
    assert.ok((await world.intersections()).length > 0);
    world.dispose();
});

test("queries, edits, filters and candidates in a worker", async () => {
    const [local, world] = [await here.World.create(), await World.create()];
    const mesh = box([-1, -1, -1], [1, 1, 1]);
    const there = local.add(mesh);
    const cube = await world.add(mesh);
    const points = Float64Array.from({ length: 30 }, (_, i) => 2 * Math.sin(i));
    const [mine, theirs] = [local.closest(points, { sign: true }), await world.closest(points, { sign: true })];
    assert.deepEqual(theirs.distances, mine.distances);
    assert.ok(theirs.at(0).body === cube && mine.at(0).body === there);
    assert.equal((await world.cast({ origin: [0.1, 0.2, 5], direction: [0, 0, -1] }, { bodies: [cube] })).at(0).t, 4);
    assert.deepEqual([...(await world.castAny([{ origin: [9, 9, 9], direction: [1, 0, 0] }]))], [0]);
    assert.equal((await world.castAll({ origin: [0.1, 0.2, 5], direction: [0, 0, -1] })).at(0).length, 2);
    assert.deepEqual(await cube.contains([0, 0, 0]), ["inside"]);
    assert.equal((await cube.winding([0, 0, 0]))[0], 1);
    assert.equal((await cube.enclosure()).closed, true);
    assert.equal((await world.overlapSpheres({ center: [0, 0, 0], radius: 0.1 })).at(0)[0].body, cube);
    const marble = await world.add(ball(8, 6, 0.2));
    assert.equal((await world.nested())[0].inner, marble);
    const cloth = await world.add({ ...sheet(4, 0.5), name: "cloth" });
    assert.ok((await world.intersections()).length > 0);
    assert.ok((await world.places())[0].b.name === "cloth" || (await world.places())[0].a.name === "cloth");
    const seam = await world.exclude({ sets: [[{ body: cube, vertices: [...Array(8).keys()] }, { body: cloth, vertices: [...Array(25).keys()] }]] });
    assert.equal((await world.intersections({ self: false, filter: { exclusions: seam } })).length, 0);
    await seam.dispose();
    await assert.rejects(world.intersections({ filter: { exclusions: seam } }), /disposed/);
    await assert.rejects(world.intersections({ filter: { bodies: () => true } }), { status: "argument", message: /function/ });
    assert.equal((await cloth.edit({ splitEdges: [{ vertices: [0, 6], at: 0.5 }] })).firstVertex, 25);
    assert.equal((await cloth.info()).triangleCount, 34);
    const set = await world.collect({ distance: 0.1 });
    const { length, complete, edgeEdge } = await set.info({ lists: true });
    assert.ok(length > 0 && complete && edgeEdge.length > 0);
    assert.equal((await world.proximities({ distance: 0.1, candidates: set })).length, (await world.proximities({ distance: 0.1 })).length);
    assert.ok((await world.derivatives()).at(0).squared >= 0);
    assert.equal((await world.derivatives(set, { hessians: false })).length, length);
    await set.check();
    await assert.rejects(world.closest([NaN, 0, 0]), { status: "not finite" });
    const other = await World.create();
    await assert.rejects(other.closest([0, 0, 0], { bodies: [cube] }), { status: "body" });
    other.dispose();
    world.dispose();
});

test("fix in a worker, with abort; two asks at once stand in line", async () => {
    const meshes = [ball(16, 12, 1), ball(16, 12, 1, [1.9, 0, 0])];
    const { report, bodies } = await fix(meshes);
    assert.ok(report.left === 0 && bodies[0].positions.length === meshes[0].positions.length);
    const controller = new AbortController();
    await assert.rejects(fix([ball(90, 70, 1), ball(90, 70, 1, [1.8, 0, 0])], { signal: controller.signal, onProgress: () => controller.abort() }), { name: "AbortError" });
    const world = await World.create();
    await world.add(foldedSheet(40));
    const [first, second] = await Promise.all([world.intersections(), world.proximities({ distance: 0.01 })]);
    assert.ok(first.question === "intersections" && second.question === "proximities" && first.length > 0 && second.length > 0);
    world.dispose();
});

test("without shared memory an abort ends the worker, and says so", async () => {
    const shared = globalThis.SharedArrayBuffer;
    globalThis.SharedArrayBuffer = undefined;
    try {
        const world = await World.create();
        await world.add(foldedSheet(150));
        const controller = new AbortController();
        const ask = world.proximities({ distance: 0.01, method: "brute", signal: controller.signal });
        setTimeout(() => controller.abort(), 30);
        await assert.rejects(ask, { name: "AbortError" });
        await assert.rejects(world.intersections(), /without shared memory.*create the world again.*Cross-Origin-Opener-Policy/);
        // The page goes on with a new one.
        const again = await World.create();
        await again.add(foldedSheet(10));
        assert.ok((await again.intersections()).length > 0);
        again.dispose();
    } finally {
        globalThis.SharedArrayBuffer = shared;
    }
});
