// The page that checks, in Chromium: from disk and over http on loopback. What it shows is held against the tool's own JSON.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const source = process.env.SNAG_SOURCE ?? "";
const path = join(source, "npm", "dist", "check.html");
const hasBrowser = spawnSync("sh", ["-c", "command -v chromium"]).status === 0;
const skip = !existsSync(path) ? "script/npm builds the page" : !hasBrowser && "chromium is not installed";
const folder = mkdtempSync(join(tmpdir(), "snag-page-"));
const bin = join(process.cwd(), "node_modules", ".bin", "snag");

// Two sheets of quads, one of which sinks through the other.
function writeScene() {
    const n = 12;
    const sheet = (height) => Array.from({ length: (n + 1) ** 2 }, (_, i) => [(i % (n + 1)) / n, Math.floor(i / (n + 1)) / n, height((i % (n + 1)) / n, Math.floor(i / (n + 1)) / n)]);
    const bumpy = sheet((x, y) => 0.05 * Math.sin(9 * x) * Math.cos(7 * y));
    const flat = sheet(() => 0.3);
    const faces = Array.from({ length: n * n }, (_, i) => 1 + Math.floor(i / n) * (n + 1) + (i % n)).map((v) => [v, v + 1, v + n + 2, v + n + 1]);
    const obj = (points, name) => `o ${name}\n${points.map((p) => `v ${p.join(" ")}`).join("\n")}\n${faces.map((f) => `f ${f.join(" ")}`).join("\n")}\n`;
    writeFileSync(join(folder, "ground.obj"), obj(bumpy, "ground"));
    writeFileSync(join(folder, "cloth.obj"), obj(flat, "cloth"));
    const frames = 10;
    const pc2 = Buffer.alloc(32 + frames * flat.length * 12);
    pc2.write("POINTCACHE2\0");
    [1, flat.length].forEach((x, i) => pc2.writeInt32LE(x, 12 + 4 * i));
    pc2.writeFloatLE(1, 24);
    pc2.writeInt32LE(frames, 28);
    for (let f = 0; f < frames; f++) flat.forEach((p, i) => [p[0], p[1], p[2] - 0.05 * f].forEach((x, k) => pc2.writeFloatLE(x, 32 + 12 * (f * flat.length + i) + 4 * k)));
    writeFileSync(join(folder, "cloth.pc2"), pc2);
    return ["cloth.obj", "cloth.pc2", "ground.obj"];
}

let browser = null;
let server = null;
let origin = "";
before(async () => {
    if (skip) return;
    const { startBrowser } = await import(join(source, "test/web/browser.mjs"));
    browser = await startBrowser();
    server = createServer((request, response) => (request.url === "/check.html" ? response.setHeader("content-type", "text/html").end(readFileSync(path)) : response.writeHead(404).end()));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${server.address().port}/check.html`;
});
after(async () => {
    await browser?.close();
    server?.close();
});

async function open(url, before = () => {}) {
    const context = await browser.newContext({ viewport: { width: 1000, height: 700 }, acceptDownloads: true });
    context.setDefaultTimeout(60000);
    await context.addInitScript(before);
    const page = await context.newPage();
    const said = [];
    page.on("console", (message) => /error|warning/.test(message.type()) && said.push(message.text()));
    page.on("pageerror", (error) => said.push(error.message));
    page.on("request", (request) => !/^(file|data|blob):/.test(request.url()) && request.url() !== url && said.push(`request: ${request.url()}`));
    await page.goto(url);
    return { page, said };
}

// Drops files as a person does: a drag event with their contents.
async function drop(page, names) {
    const files = names.map((name) => ({ name, bytes: readFileSync(join(folder, name)).toString("base64") }));
    const transfer = await page.evaluateHandle((list) => {
        const made = new DataTransfer();
        for (const { name, bytes } of list) made.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
        return made;
    }, files);
    await page.dispatchEvent("body", "dragover", { dataTransfer: transfer });
    await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

const settled = (page) => page.waitForFunction(() => ["found", "trouble"].includes(document.body.dataset.state));
async function reportOf(page) {
    const frame = await (await page.waitForSelector("#report")).contentFrame();
    await frame.waitForFunction(() => window.snagReport || !document.body.classList.contains("loading"));
    return frame;
}
const toolJson = (args) => JSON.parse(spawnSync(bin, ["check", "--json", ...args], { cwd: folder, encoding: "utf8" }).stdout);

for (const [where, url] of [["from disk", () => `file://${path}`], ["over http", () => origin]]) {
    test(`drop, count, scrub, click, save, open again: ${where}`, { skip }, async () => {
        const names = writeScene();
        const expected = toolJson(names);
        const { page, said } = await open(url());
        assert.match(await page.textContent("#endings"), /\.glb/);
        await drop(page, names);
        await settled(page);
        assert.equal(await page.getAttribute("body", "data-state"), "found", await page.textContent("#message"));
        assert.equal(Number(await page.getAttribute("#count", "data-contacts")), expected.contacts_total);
        const frame = await reportOf(page);
        // Scrub: a frame's count is the tool's.
        const last = expected.frames.length - 1;
        await frame.evaluate((place) => window.snagReport.go(place), last);
        assert.equal(Number(await frame.getAttribute("#frame-counts", "data-contacts")), expected.frames[last].contacts);
        // Click: the first place of the list opens its card.
        const busy = expected.frames.findIndex(({ contacts }) => contacts > 0);
        await frame.evaluate((place) => window.snagReport.go(place), busy);
        await frame.click(".place");
        await frame.waitForFunction(() => !document.getElementById("card").hidden);
        // Save, and open what was saved.
        const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
        assert.equal(download.suggestedFilename(), "cloth-report.html");
        const saved = join(folder, `${where.replace(" ", "-")}.html`);
        await download.saveAs(saved);
        const again = await open(`file://${saved}`);
        await again.page.waitForFunction(() => window.snagReport);
        assert.equal(await again.page.evaluate(() => window.snagReport.report.json.contacts_total), expected.contacts_total);
        assert.deepEqual([...said, ...again.said], []);
    });
}

test("the sample, another question, and bad files: the page stays alive", { skip }, async () => {
    const { page, said } = await open(origin);
    await page.click("#sample");
    await settled(page);
    const count = Number(await page.getAttribute("#count", "data-contacts"));
    assert.ok(count > 0, await page.textContent("#message"));
    await page.selectOption("#question", "proximities");
    await page.waitForFunction((before) => document.body.dataset.state === "found" && Number(document.getElementById("count").dataset.contacts) !== before, count);
    await page.selectOption("#question", "");
    await settled(page);
    const bad = [
        ["broken.obj", "v 0 0 0\nf 1 2 3\n", /broken\.obj:2: .*vertex 2/],
        ["readme.txt", "hello", /no mesh among the files/],
        ["lie.stl", "x".repeat(84), /lie\.stl/],
    ];
    for (const [name, text, words] of bad) {
        writeFileSync(join(folder, name), text);
        await drop(page, [name]);
        await page.waitForFunction(() => document.body.dataset.state === "trouble");
        assert.match(await page.textContent("#message"), words);
        await page.click("#back");
    }
    // Four gigabytes: refused before they are read.
    await page.evaluate(() => {
        const list = [{ name: "huge.obj", size: 4 * 2 ** 30, webkitRelativePath: "" }];
        const input = document.getElementById("files");
        Object.defineProperty(input, "files", { configurable: true, get: () => list });
        input.dispatchEvent(new Event("change"));
        delete input.files;
    });
    assert.match(await page.textContent("#message"), /4\.0 GB.*native tool/s);
    await page.click("#back");
    // Cancel in the middle, then check something else.
    const stateAfter = await page.evaluate(async () => {
        document.getElementById("sample").click();
        while (document.body.dataset.state !== "busy") await new Promise((resolve) => setTimeout(resolve));
        document.getElementById("cancel").click();
        return document.body.dataset.state;
    });
    assert.equal(stateAfter, "empty");
    writeScene();
    await drop(page, ["ground.obj"]);
    await settled(page);
    assert.equal(await page.textContent("#count"), "clean");
    assert.deepEqual(said, []);
});

test("fix: the fixed file is saved, and the page shows it clean", { skip }, async () => {
    const { ball } = await import("./shapes.mjs");
    const [a, b] = [ball(16, 12, 1), ball(16, 12, 1, [1.9, 0, 0])];
    const rows = (array, letter, more) => Array.from({ length: array.length / 3 }, (_, i) => `${letter} ${[0, 1, 2].map((k) => array[3 * i + k] + more).join(" ")}`);
    writeFileSync(join(folder, "balls.obj"), ["o left", ...rows(a.positions, "v", 0), ...rows(a.triangles, "f", 1), "o right", ...rows(b.positions, "v", 0), ...rows(b.triangles, "f", 1 + a.positions.length / 3)].join("\n"));
    const { page, said } = await open(`file://${path}`);
    await drop(page, ["balls.obj"]);
    await settled(page);
    assert.equal(Number(await page.getAttribute("#count", "data-contacts")), toolJson(["balls.obj"]).contacts_total);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#fix")]);
    assert.equal(download.suggestedFilename(), "balls-fixed.obj");
    await download.saveAs(join(folder, "balls-fixed.obj"));
    await page.waitForFunction(() => document.body.dataset.state === "found");
    assert.equal(await page.textContent("#count"), "clean");
    assert.equal(await page.isVisible("#fix"), false);
    // What was saved is clean for the tool, too.
    assert.equal(toolJson(["balls-fixed.obj"]).contacts_total, 0);
    assert.deepEqual(said, []);
});

test("a browser without vectors is told so, and the page stays alive", { skip }, async () => {
    const { page, said } = await open(origin, () => (WebAssembly.validate = () => false));
    await page.click("#sample");
    await page.waitForFunction(() => document.body.dataset.state === "trouble");
    assert.match(await page.textContent("#message"), /SIMD.*current Chrome.*npx snag check/s);
    await page.click("#back");
    assert.equal(await page.getAttribute("body", "data-state"), "empty");
    assert.deepEqual(said, []);
});
