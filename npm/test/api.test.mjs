// The rest of the library's calls: queries, filters, rods, edits, candidates, safe motion, places, fixing, derivatives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fix, Response, SnagError, World } from "snag";
import { foldedSheet } from "./sheet.mjs";
import { ball, box, sheet, throws as refused } from "./shapes.mjs";

const throws = (act, status, words) => refused(assert, SnagError, act, status, words);
const near = (x, y, slack = 1e-12) => assert.ok(Math.abs(x - y) <= slack, `${x} is not ${y}`);

test("closest points, with and without a sign", async () => {
    const world = await World.create();
    const cube = world.add({ ...box([-1, -1, -1], [1, 1, 1]), name: "cube" });
    const far = world.add(box([10, 0, 0], [11, 1, 1]));
    const found = world.closest([[0, 0.3, 0.5], [3, 0.2, 0.1], [9, 0.5, 0.5]], { sign: true });
    assert.equal(found.length, 3);
    assert.deepEqual([...found.distances], [-0.5, 2, 1]);
    assert.deepEqual([found.at(0).side, found.at(1).side, found.at(0).kind], ["inside", "outside", "vertex-face"]);
    assert.ok(found.at(0).body === cube && found.at(-1).body === far && found.at(0).element.kind === "triangle");
    [1, 0.2, 0.1].forEach((x, k) => near(found.points[3 + k], x));
    near(found.at(1).weight.reduce((sum, w) => sum + w), 1);
    assert.equal(world.closest([9, 0.5, 0.5], { bodies: cube }).at(0).distance, 8);
    assert.equal(world.closest([5, 5, 50], { within: 1 }).at(0), null);
    assert.equal(world.closest([5, 5, 50], { within: 1 }).distances[0], Infinity);
    assert.equal(world.closest([]).length, 0);
    // Results last, unlike answers.
    far.remove();
    assert.equal(found.at(2).body, far);
    await throws(() => world.closest([NaN, 0, 0]), "not finite", /point 0/);
    await throws(() => world.closest([0, 0, 0], { bodies: [far] }), "body", /./);
    await throws(() => world.closest([0, 0, 0], { limit: 3 }), "argument", /limit.*within/);
    await throws(() => world.closest("abc"), "argument", /points/);
});

test("rays, segments, first, any and all hits", async () => {
    const world = await World.create();
    const low = world.add(sheet(4, 0));
    const high = world.add(sheet(4, 1));
    const rays = [{ origin: [0.3, 0.2, 5], direction: [0, 0, -1] }, { origin: [5, 5, 5], direction: [0, 0, -1] }];
    const first = world.cast(rays);
    assert.ok(first.at(0).body === high && first.at(0).t === 4 && first.at(0).facing === 1 && first.at(1) === null);
    assert.deepEqual([...first.times], [4, Infinity]);
    assert.deepEqual([...world.castAny(rays)], [1, 0]);
    const all = world.castAll(rays);
    assert.deepEqual(all.toArray().map((hits) => hits.map(({ body, t }) => [body, t])), [[[high, 4], [low, 5]], []]);
    const arrays = world.cast({ origins: [0.3, 0.2, 5], directions: new Float32Array([0, 0, -1, 0, 0, 1]), limits: 4.5 });
    assert.deepEqual([arrays.at(0).t, arrays.at(1)], [4, null]);
    assert.equal(world.cast({ origin: [0.3, 0.2, 2], end: [0.3, 0.2, 0.5] }, { segments: true }).at(0).body, high);
    assert.equal(world.cast({ origin: [0.3, 0.2, 0.9], end: [0.3, 0.2, 0.5] }, { segments: true }).at(0), null);
    assert.equal(world.cast(rays[0], { bodies: [low] }).at(0).t, 5);
    await throws(() => world.cast({ origin: [0, 0, 0], direction: [0, 0, 0] }), "argument", /ray 0/);
    await throws(() => world.cast({ origin: [0, 0, 0] }), "argument", /direction/);
    await throws(() => world.cast({ origins: [0, 0, 0, 1, 1, 1], directions: [1, 2, 3] }), "argument", /one origin for all/);
});

test("inside, winding, enclosure, boxes, spheres, nested bodies", async () => {
    const world = await World.create();
    const room = world.add({ ...box([-2, -2, -2], [2, 2, 2]), name: "room" });
    const marble = world.add({ ...ball(12, 8, 0.5), name: "marble" });
    const open = world.add(sheet(2, 7));
    assert.deepEqual(room.contains([[0, 0, 0], [3, 0, 0], [2, 0, 0]]), ["inside", "outside", "on"]);
    assert.deepEqual([...room.winding([0, 0, 0, 9, 9, 9])], [1, 0]);
    assert.deepEqual(room.enclosure, { volume: false, closed: true, oriented: true, openEdges: 0, unbalancedEdges: 0 });
    assert.equal(open.enclosure.closed, false);
    await throws(() => open.contains([0, 0, 0]), "unsupported", /./);
    const boxes = world.overlapBoxes([{ min: [-0.1, -0.1, -0.1], max: [0.1, 0.1, 0.1] }, { min: [50, 0, 0], max: [51, 1, 1] }]);
    assert.deepEqual(boxes.toArray(), [[{ body: room, triangle: null }, { body: marble, triangle: null }], []]);
    const touched = world.overlapSpheres({ center: [2, 0, 0], radius: 0.5 }, { elements: true }).at(0);
    assert.ok(touched.length >= 2 && touched.every(({ body, triangle }) => body === room && triangle !== null));
    assert.equal(world.overlapSpheres(new Float64Array([0, 0, 7, 0.1])).at(0)[0].body, open);
    const [pair] = world.nested();
    assert.ok(pair.inner === marble && pair.outer === room && pair.gap > 1.4 && pair.depth < 2.1);
    await throws(() => world.overlapBoxes([{ min: [1, 0, 0], max: [0, 1, 1] }]), "argument", /box 0/);
    await throws(() => world.overlapBoxes([{ min: [1, 0, 0] }]), "argument", /\{ min, max \}/);
    await throws(() => world.overlapSpheres([{ center: [0, 0, 0], radius: -1 }]), "argument", /sphere 0/);
});

test("queries stop by budget, progress and signal", async () => {
    const world = await World.create();
    world.add(ball(60, 40));
    const points = Float64Array.from({ length: 3 * 60000 }, (_, i) => Math.sin(i * 12.9898) * 3);
    const seen = [];
    assert.equal(world.closest(points, { onProgress: (done) => seen.push(done) }).length, 60000);
    assert.ok(seen.length > 0);
    assert.ok(world.closest(points, { budget: 0.001 }).length < 60000);
    const controller = new AbortController();
    assert.throws(() => world.closest(points, { signal: controller.signal, onProgress: () => controller.abort() }), { name: "AbortError" });
    assert.throws(() => world.closest(points, { onProgress() { throw new TypeError("mine"); } }), /mine/);
    await throws(() => world.closest(points, { onProgress: () => world.nested() }), "busy", /callback/);
});

test("groups, masks, filters and excluded pairs", async () => {
    const world = await World.create();
    const [a, b, c] = [0, 0.01, 0.02].map((height, i) => world.add({ ...sheet(4, height), group: 1 << i, mask: i === 2 ? [...Array(25)].map(() => 2) : 7 }));
    const pairsOf = (answer) => new Set([...answer].map((contact) => `${contact.a.body.id[0]}-${contact.b.body.id[0]}`));
    assert.deepEqual([...pairsOf(world.proximities({ distance: 0.03, self: false }))].sort(), ["1-2", "2-3"]);
    const asked = [];
    const filtered = world.proximities({ distance: 0.03, self: false, filter: { bodies: (x, y) => (asked.push([x, y]), x !== a && y !== a) } });
    assert.deepEqual([...pairsOf(filtered)], ["2-3"]);
    assert.ok(asked.length > 0 && asked.flat().every((body) => [a, b, c].includes(body)));
    const everything = world.proximities({ distance: 0.015, self: false }).length;
    const exclusions = world.exclude({ sets: [[{ body: a, vertices: [...Array(25).keys()] }, { body: b, vertices: [...Array(25).keys()] }]], pairs: [[{ body: b, kind: "triangle", index: 0 }, { body: c, kind: "triangle", index: 0 }]] });
    const fewer = world.proximities({ distance: 0.015, self: false, filter: { exclusions } });
    assert.deepEqual([...pairsOf(fewer)], ["2-3"]);
    assert.ok(fewer.length < everything);
    assert.throws(() => world.proximities({ distance: 0.03, filter: { bodies() { throw new RangeError("mine"); } } }), /mine/);
    await throws(() => world.proximities({ distance: 0.03, filter: { rings: 2 } }), "argument", /excludeRings/);
    await throws(() => world.proximities({ distance: 0.03, filter: { excludeRings: 99 } }), "argument", /16/);
    await throws(() => world.exclude({ pairs: [[{ body: a, kind: "vertex", index: 999 }, { body: b, kind: "vertex", index: 0 }]] }), "index", /999/);
    await throws(() => world.exclude({ pairs: [[{ body: a, kind: "edge", index: 1 }, { body: b, kind: "vertex", index: 0 }]] }), "argument", /vertices/);
    const other = await World.create();
    await throws(() => other.intersections({ filter: { exclusions } }), "argument", /another world/);
    exclusions.dispose();
    await throws(() => world.intersections({ filter: { exclusions } }), "argument", /disposed/);
    await throws(() => world.add({ ...sheet(1), group: 0 }), "argument", /group/);
    await throws(() => world.add({ ...sheet(1), mask: [1, 2] }), "argument", /mask: expected 4/);
});

test("rings and rest distances leave out neighbours", async () => {
    const world = await World.create();
    const folded = foldedSheet(10);
    world.add({ ...folded, rest: sheet(10).positions });
    const all = world.proximities({ distance: 0.2, everyPair: true, output: "count" }).length;
    const rings = world.proximities({ distance: 0.2, everyPair: true, output: "count", filter: { excludeRings: 3 } }).length;
    const rest = world.proximities({ distance: 0.2, everyPair: true, output: "count", filter: { excludeRest: 0.25 } }).length;
    assert.ok(rings < all && rest < all && rings > 0 && rest > 0, `${all} ${rings} ${rest}`);
});

test("rods, points, thickness and labels", async () => {
    const world = await World.create();
    const rod = world.add({ positions: [0.3, 0.3, -1, 0.3, 0.3, 1], edges: [0, 1], name: "rod" });
    const floor = world.add({ ...sheet(2, 0), labels: Uint32Array.from({ length: 8 }, (_, i) => 100 + i), radius: 0.05 });
    const dust = world.add({ positions: [0.6, 0.7, 0.12], points: [0], radius: [0.04] });
    const through = world.intersections();
    assert.ok(through.length >= 1 && [...through].every(({ a, b }) => a.body === rod && a.kind === "edge" && b.body === floor));
    assert.equal(floor.label(through.at(0).b), 100 + through.at(0).b.index);
    assert.equal(rod.label({ kind: "vertex", index: 0 }), 0);
    // 0.12 apart, 0.09 of it thickness.
    const close = world.proximities({ distance: 0.031 }).toArray().filter(({ a }) => a.body === dust);
    assert.equal(close.length, 1);
    assert.equal(world.proximities({ distance: 0.031, ignoreRadius: true }).toArray().filter(({ a }) => a.body === dust).length, 0);
    assert.deepEqual([rod.info.rods.length, dust.info.points.length], [1, 1]);
    near(dust.info.radius, 0.04, 1e-8);
    await throws(() => world.add({ ...sheet(1), radius: -1 }), "argument", /radius/);
    await throws(() => world.add({ ...sheet(1), labels: [1] }), "argument", /labels: expected 2/);
    await throws(() => world.add({ positions: [0, 0, 0], edges: [0, 0] }), "argument", /./);
});

test("edits keep numbers and answers", async () => {
    const world = await World.create();
    const cloth = world.add(sheet(3, 0));
    const before = cloth.info.triangleCount;
    const cut = cloth.edit({ splitEdges: [{ vertices: [0, 5], at: 0.5 }] });
    assert.deepEqual([cut.firstVertex, cut.firstElement, cut.elementFrom.length, cut.vertexFrom[0]], [16, before, 2, 0]);
    assert.equal(cloth.info.triangleCount, before + 2);
    const tear = cloth.edit({ splitVertices: [{ vertex: 5, elements: [findTriangle(cloth, 5)] }] });
    assert.equal(tear.vertexFrom[0], 5);
    assert.equal(cloth.info.vertexCount, 18);
    const added = cloth.edit({ vertices: [0.1, 0.1, -0.5, 0.2, 0.1, 0.5, 0.1, 0.2, 0.5], add: [18, 19, 20], remove: [before - 1] });
    assert.equal(added.triangles[before - 1], 0xffffffff);
    const answer = world.intersections();
    const crossing = [...answer].filter(({ kind }) => kind === "crossing"); // the torn vertex touches where it was
    assert.ok(crossing.length > 0 && crossing.every(({ a, b }) => [a.index, b.index].includes(added.firstElement)));
    cloth.edit({ rewire: { elements: [added.firstElement], vertices: [18, 20, 19] } });
    await throws(() => answer.at(0), "argument", /no longer there/);
    await throws(() => cloth.edit({ remove: [9999] }), "index", /9999/);
    await throws(() => cloth.edit({ removed: [1] }), "argument", /remove/);
    await throws(() => cloth.edit({ splitEdges: [{ vertices: [0, 1], at: 1.5 }] }), "argument", /./);
    assert.equal(world.intersections().length > 0, true);
});
function findTriangle(body, vertex) {
    const { triangles } = body.info;
    return Math.floor(triangles.indexOf(vertex) / 3);
}

test("candidates answer as a search does, until they are stale", async () => {
    const world = await World.create({ number: 5 });
    const { positions, triangles } = foldedSheet(16);
    const body = world.add({ positions, triangles });
    const set = world.collect({ distance: 0.02, margin: 0.01 });
    assert.ok(set.length > 0 && set.complete && set.byteLength > 16 * set.length);
    assert.equal(set.vertexTriangle.length + set.edgeEdge.length, 4 * set.length);
    body.move(positions.map((x, i) => x + 0.005 * Math.sin(i)));
    const bytes = (answer) => Buffer.from(answer.records.u8).toString("base64");
    const searched = bytes(world.proximities({ distance: 0.02 }));
    assert.equal(bytes(world.proximities({ distance: 0.02, candidates: set })), searched);
    set.check();
    body.move(positions.map((x, i) => x + 0.1 * Math.sin(i)));
    await throws(() => set.check(), "stale", /vertex/);
    await throws(() => world.proximities({ distance: 0.02, candidates: set }), "stale", /./);
    await throws(() => world.proximities({ distance: 0.5, candidates: world.collect({ distance: 0.1 }) }), "argument", /distance/);
    const own = world.candidates({ vertexTriangle: set.vertexTriangle.subarray(0, 40) });
    assert.deepEqual([own.length, own.complete], [10, false]);
    const more = world.candidates({ edgeEdge: [[1, 1, 0, 9]] });
    own.merge(more);
    assert.equal(own.length, 11);
    own.filter(({ kind }) => kind === "edge-edge");
    assert.equal(own.length, 1);
    assert.throws(() => own.filter(() => { throw new TypeError("mine"); }), /mine/);
    assert.equal(own.length, 1);
    await throws(() => own.merge(own), "argument", /different/);
    await throws(() => world.candidates({ edgeEdge: [1, 1, 0] }), "argument", /multiple of 4/);
    await throws(() => world.candidates({ edgeEdge: [1, 1, 0, 99999] }), "index", /./);
    await throws(() => world.collect({ margin: -1 }), "argument", /margin/);
    await throws(() => world.collect({ margins: 1 }), "argument", /margin/);
    own.dispose();
    own.dispose();
    await throws(() => own.length, "argument", /disposed/);
});

test("derivatives are those of differences", async () => {
    const world = await World.create();
    const { positions, triangles } = sheet(3, 0);
    world.add({ positions, triangles });
    const lifted = sheet(3, 0.05).positions.map((x, i) => x + (i % 3 < 2 ? 0.11 : 0.003 * Math.sin(i)));
    const upper = world.add({ positions: lifted, triangles });
    const answer = world.proximities({ distance: 0.06, self: false });
    const made = world.derivatives(answer, { mollifier: 1e-3 });
    assert.equal(made.length, answer.length);
    assert.equal(made.hessians.length, 144 * answer.length);
    const first = made.at(0);
    near(first.squared, answer.at(0).value ** 2, 1e-12);
    // Move one point along an axis, and ask again.
    const k = first.points.findIndex(({ body }) => body === upper);
    const step = 1e-6;
    const squaredAt = (by) => {
        upper.move(lifted.map((x, i) => (i === 3 * first.points[k].vertex + 2 ? x + by : x)));
        return squaredOf(world, first);
    };
    const slope = (squaredAt(step) - squaredAt(-step)) / (2 * step);
    near(slope, first.gradient[3 * k + 2], 1e-6);
    const set = world.collect({ distance: 0.06 });
    assert.equal(world.derivatives(set, { hessians: false }).length, set.length);
    assert.equal(world.derivatives(set, { hessians: false }).hessians, null);
    await throws(() => world.derivatives(answer), "argument", /no longer there/);
    await throws(() => world.derivatives(set, { mollifier: -1 }), "argument", /mollifier/);
    await throws(() => world.derivatives(world.proximities({ distance: 0.06, output: "count" })), "argument", /./);
    await throws(() => world.derivatives(null), "argument", /answer or candidates/);
});
// The squared distance of the same points, by the question itself.
function squaredOf(world, { points }) {
    const found = world.proximities({ distance: 0.07, self: false });
    const made = world.derivatives(found, { hessians: false });
    for (const one of made) if (one.points.length === points.length && one.points.every(({ body, vertex }, i) => body === points[i].body && vertex === points[i].vertex)) return one.squared;
    return NaN;
}

test("places: the worst first", async () => {
    const world = await World.create();
    const floor = world.add({ ...sheet(8, 0), name: "floor" });
    world.add(ball(10, 8, 0.2, [0.2, 0.2, 0.1]));
    world.add(ball(10, 8, 0.1, [0.8, 0.8, 0.05]));
    const answer = world.intersections();
    const places = answer.places();
    assert.equal(places.length, 2);
    assert.ok(places[0].depth > places[1].depth && places[0].a === floor && places[0].length > 0 && places[0].id > 0n);
    assert.equal(places.reduce((sum, { contacts }) => sum + contacts.length, 0), answer.length);
    near(places[0].centre[0], 0.2, 0.05);
    assert.deepEqual(world.intersections().places().map(({ id }) => id), places.map(({ id }) => id));
    assert.ok(places[0].contacts.includes(places[0].worst));
    assert.deepEqual(world.intersections({ filter: { bodies: () => false } }).places(), []);
    await throws(() => world.intersections({ output: "count" }).places(), "unsupported", /./);
});

test("blocks, method options and counters", async () => {
    const world = await World.create();
    world.add(foldedSheet(20));
    const whole = world.intersections().toArray().map(({ a, b }) => [a.index, b.index]);
    const pieces = [];
    const answer = world.intersections({ blockSize: 7, onBlock: (block) => void pieces.push(block.toArray().map(({ a, b }) => [a.index, b.index])) });
    assert.deepEqual(pieces.flat(), whole);
    assert.ok(pieces.every(({ length }) => length <= 7) && pieces.length > 1);
    assert.deepEqual([answer.length, answer.listed, answer.complete], [whole.length, 0, true]);
    assert.equal(world.intersections({ blockSize: 7, onBlock: () => false }).complete, false);
    assert.throws(() => world.intersections({ onBlock() { throw new RangeError("mine"); } }), /mine/);
    const tuned = world.intersections({ method: "kdop", options: { k: 18, arity: 4 } });
    assert.ok(tuned.length === whole.length && tuned.statistics.candidates >= whole.length);
    await throws(() => world.intersections({ method: "kdop", options: { k: 7 } }), "argument", /./);
    await throws(() => world.intersections({ method: "kdop", options: { kay: 7 } }), "argument", /arity/);
    await throws(() => world.intersections({ options: { k: 18 } }), "argument", /kdop/);
});

test("safe motion: bounds and truncated moves", async () => {
    const world = await World.create();
    const [low, high] = [sheet(4, 0), sheet(4, 0.1)];
    const bodies = [low, high].map((mesh) => ({ body: world.add(mesh), positions: mesh.positions.slice(), start: mesh.positions, inverseMasses: new Float64Array(25).fill(1) }));
    const response = new Response(world);
    const bounds = response.bounds(bodies, 1);
    assert.ok(bounds.length === 2 && bounds[0].every((x) => x > 0.049 && x <= 0.05));
    bodies[1].positions.forEach((x, i, all) => (all[i] = i % 3 === 2 ? x - 0.5 : x));
    const report = response.truncate(bodies, { rounds: 3 });
    assert.ok(report.heldBack > 0);
    assert.equal(world.intersections().length, 0);
    assert.ok(bodies[1].positions[2] > bodies[0].positions[2]);
    await throws(() => response.truncate(bodies, { safe: "always" }), "argument", /half-spaces/);
    await throws(() => response.bounds(bodies, 0), "argument", /reach/);
    await throws(() => response.truncate(bodies.map(({ start, ...rest }) => rest)), "argument", /start/);
});

test("fix: bodies of a world, meshes, files", async () => {
    const [left, right] = [ball(16, 12, 1), ball(16, 12, 1, [1.9, 0, 0])];
    const { bodies, report } = await fix([left, { ...right, name: "right" }]);
    assert.ok(report.contacts > 0 && report.left === 0 && report.complete && report.places[0].outcome === "freed", JSON.stringify(report));
    assert.deepEqual([report.places[0].a, report.places[0].b, bodies[1].name], [0, 1, "right"]);
    assert.ok(bodies.every(({ positions }) => positions instanceof Float64Array) && report.largestMove > 0);
    const world = await World.create();
    for (const { positions, triangles } of bodies) world.add({ positions, triangles });
    assert.equal(world.intersections().length, 0);
    const kept = await fix([{ ...left, held: true }, right]);
    assert.ok(kept.bodies[0].positions.every((x, i) => x === left.positions[i]) && kept.report.left === 0);
    const stiff = await fix([left, { ...right, rigid: true }, ball(8, 6, 0.1, [9, 9, 9])]);
    const moved = [0, 1, 2].map((k) => stiff.bodies[1].positions[k] - right.positions[k]);
    assert.equal(stiff.report.left, 0);
    assert.ok(moved.every(Number.isFinite));
    const none = await fix(left, { maxMove: 1 });
    assert.deepEqual([none.report.contacts, none.report.places.length, none.bodies[0].positions], [0, 0, left.positions]);
    const text = [left, right].map(({ positions, triangles }, n) => `o b${n}\n${[...Array(positions.length / 3).keys()].map((v) => `v ${positions.subarray(3 * v, 3 * v + 3).join(" ")}`).join("\n")}\n${[...Array(triangles.length / 3).keys()].map((t) => `f ${[...triangles.subarray(3 * t, 3 * t + 3)].map((v) => v + 1 + (n * positions.length) / 3).join(" ")}`).join("\n")}\n`).join("");
    const file = await fix(text, "balls.obj");
    assert.deepEqual([file.report.left, file.bodies.map(({ name }) => name)], [0, ["b0", "b1"]]);
    const small = await fix([left, right], { maxMove: 1e-6 });
    assert.ok(small.report.left > 0 && small.report.largestMove <= 1e-6 && small.report.places[0].outcome !== "freed" && small.report.places[0].why.length > 10, JSON.stringify(small.report.places));
    await throws(() => fix([{ ...left, held: true }, { ...right, held: true }]), "argument", /held/);
    await throws(() => fix([{ ...left, held: [99999] }]), "index", /99999/);
    await throws(() => fix(left, { maxMoves: 1 }), "argument", /maxMove/);
    await assert.rejects(fix(left, { signal: AbortSignal.abort() }), { name: "AbortError" });
    const controller = new AbortController();
    await assert.rejects(fix([left, right], { signal: controller.signal, onProgress: () => controller.abort() }), { name: "AbortError" });
    const response = new Response(world);
    assert.equal(response.fix([...world.bodies.values()].map((body, i) => ({ body, positions: bodies[i].positions, inverseMasses: new Float64Array(body.info.vertexCount).fill(1) })), { budget: 1000 }).contacts, 0);
});
