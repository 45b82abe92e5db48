// snag/three: bodies where three draws them, contacts as lines and colours; and the example in Chromium.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { BoxGeometry, BufferGeometry, Mesh, Vector3 } from "three";
import { World } from "snag";
import { addMesh, ContactColours, ContactLines } from "snag/three";
import { dress, makeCharacter } from "./examples/garment.mjs";

function expected(mesh, vertex) {
    return mesh.getVertexPosition(vertex, new Vector3()).applyMatrix4(mesh.matrixWorld);
}

test("skinning as three does it", async () => {
    const world = await World.create();
    const character = makeCharacter(0.02);
    const { bodies } = dress(world, character);
    character.body.position.set(0.3, -0.2, 0.1);
    character.body.scale.setScalar(1.5);
    character.pose(1.7);
    for (const body of bodies) {
        const { mesh, source, shared } = body;
        body.update();
        const posed = shared.view;
        for (let v = 0; v < source.length; v += 7) {
            const p = expected(mesh, source[v]);
            assert.ok(Math.hypot(p.x - posed[3 * v], p.y - posed[3 * v + 1], p.z - posed[3 * v + 2]) < 1e-5);
        }
    }
    // The seam is closed: vertices at one place at rest are one.
    assert.ok(bodies[0].source.length < character.body.geometry.attributes.position.count);
});

test("a garment lights up where it catches", async () => {
    const world = await World.create();
    const character = makeCharacter(0.1);
    const { lines, update, bodies } = dress(world, character);
    const { contacts } = update(1.7);
    assert.ok(contacts > 0);
    assert.equal(lines.shown, contacts);
    const red = (mesh) => mesh.geometry.attributes.color.array.filter((x, i) => i % 3 === 1 && x < 0.5).length;
    assert.ok(red(character.garment) > 0 && red(character.body) > 0);
    bodies[1].dispose();
    assert.throws(() => bodies[1].update(), /freed/);
});

test("meshes with a matrix, morph targets, no index; what is refused", async () => {
    const world = await World.create();
    const box = new Mesh(new BoxGeometry(1, 1, 1));
    const other = new Mesh(new BoxGeometry(1, 1, 1).toNonIndexed());
    const a = addMesh(world, box, { name: "box" });
    const b = addMesh(world, other);
    assert.equal(a.body.info.vertexCount, 8);
    assert.equal(b.body.info.vertexCount, 8);
    const lines = new ContactLines({ most: 2 });
    other.position.set(3, 0, 0);
    b.update();
    assert.equal(world.intersections().length, 0);
    other.position.set(0.4, 0.3, 0.2);
    b.update();
    const answer = world.intersections();
    assert.ok(answer.length > 2);
    lines.update(answer);
    assert.equal(lines.shown, 2);
    new ContactColours([a, b]).update(world.intersections({ output: "pairs" }));
    lines.dispose();
    assert.throws(() => addMesh(world, new Mesh(new BufferGeometry())), { status: "argument" });
    assert.throws(() => addMesh(world, {}), { status: "argument" });
});

const source = process.env.SNAG_SOURCE ?? "";
const skip = !existsSync(join(source, "web/node_modules/playwright-core")) ? "playwright-core is in web/" : spawnSync("sh", ["-c", "command -v chromium"]).status !== 0 && "chromium is not installed";
test("the example in Chromium, from the package's own modules", { skip }, async (t) => {
    const root = process.cwd();
    const types = { html: "text/html", js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };
    const server = createServer((request, response) => {
        const path = join(root, new URL(request.url, "http://x").pathname.replace(/^\/examples/, "/test/examples"));
        if (!existsSync(path)) return response.writeHead(404).end();
        return response.setHeader("content-type", types[path.split(".").pop()] ?? "text/plain").end(readFileSync(path));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { startBrowser } = await import(join(source, "test/web/browser.mjs"));
    const browser = await startBrowser();
    t.after(async () => {
        await browser.close();
        server.close();
    });
    const page = await browser.newPage();
    page.setDefaultTimeout(60000);
    const said = [];
    page.on("console", (message) => message.type() === "error" && said.push(message.text()));
    page.on("pageerror", (error) => said.push(error.message));
    await page.goto(`http://127.0.0.1:${server.address().port}/examples/garment.html?detail=0.05`);
    await page.waitForFunction(() => window.shown?.frames > 3 && window.shown.contacts > 0);
    assert.deepEqual(said, []);
});
