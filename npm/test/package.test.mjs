// The package as it was packed: the library's calls, errors, memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { foldedSheet } from "./sheet.mjs";
import { check, load, meshEndings, readMesh, Response, SnagError, version, World } from "snag";

const CROSSING = "o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\no right\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 0.8 0.9 1\no left\nf 1 2 3\no right\nf 4 5 6\n";
const POSITIONS = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, -1, 0.2, 0.2, 1, 0.8, 0.9, 1];
const TRIANGLES = [0, 1, 2, 3, 4, 5];

async function throws(act, status, words) {
    await assert.rejects(async () => act(), (error) => {
        assert.ok(error instanceof SnagError, `${error.stack}`);
        assert.equal(error.status, status, error.message);
        assert.match(error.message, words);
        return true;
    });
}

test("a file in two lines", async () => {
    const start = performance.now();
    const answer = await check(new TextEncoder().encode(CROSSING).buffer, "dress.obj");
    const ms = performance.now() - start;
    assert.equal(answer.length, 1);
    assert.equal(answer.question, "intersections");
    assert.equal(answer.at(0).kind, "crossing");
    assert.deepEqual([answer.nameOf(answer.at(0).a), answer.at(0).a.body.name], ["t0", "left"]);
    assert.deepEqual([answer.nameOf(answer.at(0).b), answer.at(-1).b.body.name], ["t1", "right"]);
    assert.deepEqual(answer.at(0).pointA, [0.2, 0.2, 0]);
    console.log(`loading to the first answer: ${ms.toFixed(1)} ms`);
    answer.dispose();
    await throws(() => answer.at(0), "argument", /disposed/);
});

test("meshes of all kinds of arrays give the same answer", async () => {
    const forms = [
        { positions: POSITIONS, triangles: TRIANGLES },
        { positions: new Float32Array(POSITIONS), indices: new Uint16Array(TRIANGLES) },
        { positions: new Float64Array(POSITIONS), triangles: new Int32Array(TRIANGLES) },
        { positions: { data: new Float64Array(POSITIONS.flatMap((x, i) => (i % 3 === 2 ? [x, 7, 7] : [x]))), stride: 5 }, triangles: [[0, 1, 2], [3, 4, 5]] },
        { positions: new Float64Array(POSITIONS), polygons: { sizes: [3, 3], vertices: TRIANGLES } },
    ];
    for (const mesh of forms) {
        const answer = await check(mesh);
        assert.equal(answer.length, 1);
        assert.deepEqual([answer.at(0).a.index, answer.at(0).b.index], [0, 1]);
    }
});

test("all questions, outputs and tracking", async () => {
    const world = await World.create();
    const sheet = world.add({ ...foldedSheet(20), name: "sheet", user: { mine: 1 } });
    assert.equal(sheet.user.mine, 1);
    assert.equal(sheet.info.triangleCount, 800);
    const contacts = world.intersections();
    assert.ok(contacts.length > 10 && contacts.complete && contacts.method !== "auto" && contacts.reason.length > 5);
    const first = contacts.toArray();
    assert.equal(first.length, contacts.length);
    assert.ok(first.every(({ a, b }) => a.body === sheet && b.body === sheet && a.kind === "triangle"));
    const { records } = contacts;
    assert.equal(records.u32[records.offsets.a / 4 + 1], first[0].a.index);
    for (const method of ["brute", "hash", "kdop", "regularity"]) assert.equal(world.intersections({ method }).length, first.length);
    const pairs = world.intersections({ output: "pairs" });
    assert.deepEqual(pairs.toArray().map(({ a, b }) => [a.index, b.index]), first.map(({ a, b }) => [a.index, b.index]));
    const count = world.intersections({ output: "count" });
    assert.deepEqual([count.length, count.at(0)], [first.length, undefined]);
    const near = world.proximities({ distance: 0.01, track: true });
    assert.ok(near.length > 0 && near.at(0).phase === "begin" && near.at(0).id > 0n);
    const later = world.proximities({ distance: 0.005, track: true });
    assert.ok(later.ended.length > 0 && [...later].every(({ phase }) => phase === "persist"));
    await throws(() => near.at(0), "argument", /no longer there/);
    const moved = foldedSheet(20).positions.map((x, i) => (i % 3 === 2 ? -x : x));
    world.beginStep();
    sheet.move(moved);
    const impacts = world.impacts();
    assert.ok(impacts.length > 0 && impacts.earliest < 1 && impacts.culprit.a.body === sheet);
    assert.equal(world.impacts({ output: "earliest" }).earliest, impacts.earliest);
    sheet.teleport(moved);
    assert.equal(world.impacts({ tolerance: 1e-9 }).culprit === null || world.impacts().earliest <= 1, true);
    const far = world.add({ positions: POSITIONS.map((x) => x + 5), triangles: TRIANGLES });
    assert.ok(world.distance().at(0).value > 3);
    const tets = world.add({ positions: [0, 0, -1, 1, 0, -1, 0, 1, -1, 0, 0, 1], tets: [0, 1, 2, 3] });
    assert.ok(world.penetrations().length > 0);
    assert.ok(world.memoryUse.total > 10000);
    const report = world.check(sheet);
    assert.equal(report.closed, false);
    assert.equal(report.counts["non-manifold-edge"], 0);
    far.remove();
    assert.ok(far.isRemoved && !tets.isRemoved);
    world.dispose();
    world.dispose();
});

test("both modules and any number of parts give the same bytes", async () => {
    const bytes = async (simd, threads) => {
        await load({ simd });
        const world = new World({ threads, number: 1 });
        world.add(foldedSheet(30, Float32Array));
        const isa = world.isa;
        const made = ["intersections", "proximities"].map((question) => Buffer.from(world.ask(question, question === "proximities" ? { distance: 0.01 } : {}).records.u8).toString("base64"));
        return [isa, ...made];
    };
    const [wide, scalar, two] = [await bytes(true, 1), await bytes(false, 1), await bytes(true, 2)];
    assert.deepEqual([wide[0], scalar[0]], ["simd128", "scalar"]);
    assert.deepEqual(scalar.slice(1), wide.slice(1));
    assert.deepEqual(two.slice(1), wide.slice(1));
    await load({ simd: true });
});

test("an array in the world's memory is not copied", async () => {
    const world = await World.create();
    const { positions, triangles } = foldedSheet(10);
    const shared = world.allocate(Float64Array, positions.length);
    shared.view.set(positions);
    const sheet = world.add({ positions: shared, triangles });
    const { length } = world.intersections();
    shared.view.forEach((x, i, all) => (all[i] = i % 3 === 2 ? 0.5 * Math.floor(i / 3) : x));
    sheet.move(shared);
    assert.notEqual(world.intersections().length, length);
    shared.free();
    await throws(() => shared.view, "argument", /freed/);
});

test("files: formats, notes, splitting, messages", async () => {
    assert.ok((await meshEndings()).includes(".glb"));
    const mesh = await readMesh(CROSSING, "dress.obj");
    assert.deepEqual(mesh.bodies.map(({ name, positions }) => [name, positions.length]), [["left", 9], ["right", 9]]);
    assert.equal((await readMesh(CROSSING.replaceAll("o ", "g "), "dress.obj", { split: "groups" })).bodies.length, 2);
    await throws(() => readMesh("v 1 2 3\nf 1 1 9000\n", "dress.obj"), "index", /^dress\.obj:2: .*9000/);
    await throws(() => readMesh("x", "dress.xyz"), "unsupported", /dress\.xyz/);
    await throws(() => readMesh(CROSSING), "argument", /name/);
    await throws(() => check(12, "a.obj"), "argument", /bytes of a file/);
    await throws(() => readMesh(new Uint8Array(84), "lie.stl"), "format", /lie\.stl/);
    // A header that promises a billion triangles: refused by what the file holds, not by running out of memory.
    const lie = new Uint8Array(84 + 50);
    new DataView(lie.buffer).setUint32(80, 1e9, true);
    await throws(() => readMesh(lie, "lie.stl"), "format", /lie\.stl/);
});

test("bad input is refused with words, and the world stays as it was", async () => {
    const world = await World.create();
    const sheet = world.add(foldedSheet(8));
    const { length } = world.intersections();
    const other = await World.create();
    const detached = new Float64Array(9);
    structuredClone(detached, { transfer: [detached.buffer] });
    const cases = [
        [() => world.add({ positions: [0, 0, 0], triangles: [0, 0, 9] }), "index", /9/],
        [() => world.add({ positions: [0, 0, NaN] }), "not finite", /vertex 0/],
        [() => world.add({ positions: [0, 0] }), "argument", /not x, y, z/],
        [() => world.add({ positions: "abc" }), "argument", /Float32Array/],
        [() => world.add({ positions: POSITIONS, triangles: [0, 1] }), "argument", /multiple of 3/],
        [() => world.add({ positions: POSITIONS, triangles: [0, 1, -2] }), "index", /-2/],
        [() => world.add({ positions: POSITIONS, polygons: { sizes: [3, 4], vertices: TRIANGLES } }), "argument", /add up to 7/],
        [() => world.add({ positions: detached }), "argument", /detached/],
        [() => world.add({ positions: { data: new Float32Array(9), stride: 6, count: 9 } }), "argument", /need/],
        [() => sheet.move(new Float64Array(3)), "mismatch", /vertices/],
        [() => other.remove(sheet), "body", /this world/],
        [() => world.ask("collisions"), "argument", /intersections/],
        [() => world.intersections({ method: "fast" }), "argument", /kdop/],
        [() => world.intersections({ distanse: 1 }), "argument", /distanse.*distance/],
        [() => world.intersections({ distance: "1" }), "argument", /number/],
        [() => world.proximities({ distance: -1 }), "argument", /distance/],
        [() => world.intersections({ self: false, between: false }), "argument", /self/],
        [() => world.overlaps({ method: "kdop" }), "unsupported", /kdop/],
        [() => new World({ memory: 1 }), "argument", /maxMemory/],
        [() => new World({ maxMemory: 5 }), "argument", /4 MB/],
    ];
    for (const [act, status, words] of cases) await throws(act, status, words);
    assert.equal(world.intersections().length, length);
});

test("progress, abort, errors in callbacks, two asks at once", async () => {
    const world = await World.create();
    world.add(foldedSheet(60));
    const seen = [];
    const { length } = world.proximities({ distance: 0.02, method: "brute", onProgress: (done) => seen.push(done) });
    assert.ok(seen.length > 0 && seen.every((done, i) => done >= (seen[i - 1] ?? 0) && done <= 1));
    const controller = new AbortController();
    assert.throws(() => world.proximities({ distance: 0.02, method: "brute", signal: controller.signal, onProgress: () => controller.abort() }), { name: "AbortError" });
    assert.throws(() => world.intersections({ signal: AbortSignal.abort() }), { name: "AbortError" });
    assert.throws(() => world.proximities({ distance: 0.02, method: "brute", onProgress() { throw new TypeError("mine"); } }), /mine/);
    await throws(() => world.proximities({ distance: 0.02, method: "brute", onProgress: () => world.intersections() }), "busy", /callback/);
    assert.equal(world.proximities({ distance: 0.02 }).length, length);
    assert.equal(world.proximities({ distance: 0.02, method: "brute", budget: 0.001 }).complete, false);
});

test("memory that cannot grow", async () => {
    const world = await World.create({ maxMemory: 8 << 20 });
    const small = world.add(foldedSheet(10));
    await throws(() => world.add(foldedSheet(400)), "memory", /memory/);
    assert.ok(world.intersections().length > 0 && !small.isRemoved);
    await throws(() => check(foldedSheet(400), { maxMemory: 8 << 20 }), "memory", /memory/);
});

test("response: pushed apart, a step without impacts, untangled", async () => {
    const world = await World.create();
    const mesh = foldedSheet(12);
    const sheet = world.add(mesh);
    const response = new Response(world);
    const inverseMasses = new Float64Array(mesh.positions.length / 3).fill(1);
    const { length } = world.intersections({ output: "count" });
    const positions = mesh.positions.slice();
    const untangled = response.untangle([{ body: sheet, positions, inverseMasses }]);
    assert.equal(untangled.tangled, length);
    assert.ok(untangled.left < length && untangled.largestMove > 0);
    assert.equal(world.intersections().length, untangled.left);
    const start = positions.slice();
    const wanted = start.map((x, i) => (i % 3 === 2 ? -x : x));
    const advanced = response.advance([{ body: sheet, positions: wanted, start, inverseMasses }], { dt: 1, thickness: 1e-5 });
    assert.ok(advanced.fraction > 0 && advanced.asks > 0);
    const near = world.proximities({ distance: 0.01 });
    const applied = response.apply(near, [{ body: sheet, positions: wanted, inverseMasses }], { thickness: 0.005 });
    assert.ok(applied.contacts + applied.leftOut === near.length);
    await throws(() => response.untangle([{ body: sheet, positions: new Float64Array(3) }]), "argument", /Float64Array of/);
    await throws(() => response.untangle([{ body: sheet, positions }]), "argument", /held/);
    await throws(() => response.untangle([{ body: sheet, positions, inverseMasses }], { thickness: -1 }), "argument", /thickness/);
    await throws(() => response.untangle([], { thicknes: 1 }), "argument", /thickness/);
    response.dispose();
    await throws(() => response.untangle([]), "argument", /disposed/);
});

test("versions agree", () => assert.match(version, /^0\.\d+\.\d+$/));
