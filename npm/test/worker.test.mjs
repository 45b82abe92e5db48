// The worker variant: answers as of the library, progress, abort, errors.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as here from "snag";
import { check, World } from "snag/worker";
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
