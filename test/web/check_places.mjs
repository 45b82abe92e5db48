// Places on the report page, as a reader clicks through them: at four sizes of the screen, in light and dark, held against --json.
// usage: node check_places.mjs TOOL
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { openReport, startBrowser } from "./browser.mjs";
import { sheet, writeObj, writePc2 } from "./scenes.mjs";

const tool = process.argv[2];
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = mkdtempSync(join(tmpdir(), "snag-places-"));
const at = (name) => join(folder, name);
const ODD = `<b>lid</b> & "co", 絹`;
const n = 8;

function check(expected, ...options) {
    const run = spawnSync(tool, ["check", "--json", ...options], { encoding: "utf8", maxBuffer: 1 << 28, cwd: folder });
    assert.equal(run.status, expected, run.stderr);
    return JSON.parse(run.stdout);
}

// A bumpy sheet over a wide floor; another one falls on it, with a name full of markup. The bumpy one crosses itself from the start.
function makeScene() {
    const bumpy = sheet(n, (x, y) => 0.12 * Math.sin(9 * x) * Math.cos(7 * y));
    const pin = bumpy.places.length / 3;
    bumpy.places.push(0.3, 0.3, -0.3, 0.36, 0.3, -0.3, 0.33, 0.33, 0.3);
    bumpy.faces.push([pin, pin + 1, pin + 2]);
    const lid = sheet(n, () => 0.5);
    const floor = sheet(1, () => -0.5);
    floor.places = floor.places.map((x, i) => (i % 3 === 2 ? x : 8 * x - 4));
    writeObj(at("scene.obj"), [{ name: "ground", ...bumpy }, { name: ODD, ...lid }, { name: "floor", ...floor }]);
    const frames = [];
    for (let f = 0; f < 12; f++) frames.push(lid.places.map((x, i) => (i % 3 === 2 ? 0.5 - 0.05 * f : x)));
    writePc2(at("fall.pc2"), frames);
}

const settle = (page) => page.waitForFunction(() => !snagReport.view.flight && !snagReport.view.pending);

// What the page shows at once: counts of list, badge, timeline and view.
function shown(page) {
    return page.evaluate(() => {
        const { filter, frame, list, view, timeline, report, places } = snagReport;
        let drawn = 0;
        for (let i = 0; i < frame.contacts.count; i++) drawn += view.isShown(frame.contacts, i);
        return {
            list: list.order.length,
            badge: Number(document.getElementById("tab-contacts").dataset.count.replaceAll(",", "")),
            label: Number(document.getElementById("frame-counts").dataset.contacts),
            timeline: timeline.counts(snagReport.place),
            view: drawn,
            places: places.places.length,
            all: report.frames.reduce((sum, _, i) => sum + filter.frameCount(i), 0),
        };
    });
}

async function agrees(page, what) {
    const now = await shown(page);
    for (const key of ["badge", "label", "timeline", "view"]) assert.equal(now[key], now.list, `${what}: ${JSON.stringify(now)}`);
    return now;
}

// All of the list, worst first, with the numbers of the JSON.
async function listsPlaces(page, json) {
    assert.equal(await page.getAttribute("#tab-places", "aria-selected"), "true");
    const rows = await page.$$eval(".place", (nodes) => nodes.map((node) => [Number(node.dataset.place), node.querySelector("b").textContent]));
    assert.deepEqual(rows, json.places.slice(0, rows.length).map((place) =>
        [place.id, place.body_a === place.body_b ? `${place.body_a} with itself` : `${place.body_a} – ${place.body_b}`]));
    assert.equal(await page.evaluate(() => window.hit), undefined);
    const worst = json.places[0];
    assert.equal(await page.textContent("#frame-name"), `Frame ${worst.worst}`);
    assert.equal(await page.evaluate(() => snagReport.placeId), worst.id);
}

async function fliesToAPlace(page, json) {
    const place = json.places.at(-1);
    await page.evaluate((id) => snagReport.choosePlace(id), place.id);
    await settle(page);
    const state = await page.evaluate(() => ({
        target: snagReport.report.fromView(snagReport.view.controls.target.toArray()),
        frame: snagReport.frame.frame,
        contact: snagReport.frame.contacts.place[snagReport.selected],
        range: snagReport.timeline.chosen,
    }));
    state.target.forEach((x, k) => assert.ok(Math.abs(x - place.centre[k]) < 1e-4, `${state.target} is not ${place.centre}`));
    assert.equal(state.frame, place.worst);
    assert.equal(state.contact, place.id);
    assert.deepEqual(state.range, [place.first, place.last]);
}

async function filtersEverything(page, json) {
    const everything = await agrees(page, "no filter");
    assert.equal(everything.all, json.contacts_total);
    await page.click("#only-between");
    const between = await agrees(page, "between");
    const pairs = json.pairs_of_bodies.filter((pair) => pair.body_a !== pair.body_b);
    assert.equal(between.all, pairs.reduce((sum, pair) => sum + pair.contacts, 0));
    assert.equal(between.places, pairs.reduce((sum, pair) => sum + pair.places, 0));
    await page.click("#only-self");
    const self = await agrees(page, "self");
    assert.equal(self.all, json.contacts_total - between.all);
    await page.click("#reset");
    assert.deepEqual(await agrees(page, "reset"), everything);
    await page.fill("#find", "<b>lid");
    assert.equal((await agrees(page, "search")).all, between.all);
    await page.fill("#find", "");
    // The legend switches kinds.
    const kinds = await page.$$("#legend button");
    assert.ok(kinds.length > 0);
    await kinds[0].click();
    assert.ok((await agrees(page, "a kind hidden")).list < everything.list);
    await page.click("#reset");
    await page.click("#tab-bodies");
    await page.click(".body:nth-child(2) input");
    assert.equal((await agrees(page, "a body hidden")).all, self.all);
    await page.click(".body:nth-child(2) input");
    await page.click("#tab-places");
    assert.deepEqual(await agrees(page, "all again"), everything);
}

// Words that are cut off, too small, or outside of the window.
function illegible() {
    const wrong = [];
    if (document.documentElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const query of ["#title", "#summary", "#frame-name", "#tab-places", "#tab-contacts", ".place b", ".place small"]) {
        const node = document.querySelector(query);
        const box = node.getBoundingClientRect();
        if (box.width < 20 || box.height < 10 || box.left < 0 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)
            wrong.push(`${query} ${JSON.stringify(box)}`);
        if (parseFloat(getComputedStyle(node).fontSize) < 11) wrong.push(`${query} is small`);
    }
    const label = document.getElementById("frame-name");
    if (label.scrollWidth > label.clientWidth + 1) wrong.push("the frame label is cut off");
    return wrong;
}

async function clicksThrough(browser, json, size, colorScheme) {
    const { page, said } = await openReport(browser, at("scene.html"), { viewport: size, colorScheme, acceptDownloads: true });
    assert.deepEqual(await page.evaluate(illegible), []);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
    await listsPlaces(page, json);
    await fliesToAPlace(page, json);
    await page.keyboard.press("Escape");
    await filtersEverything(page, json);
    assert.deepEqual(said, []);
    await page.context().close();
}

const tests = {
    async "four sizes, light and dark"(browser) {
        makeScene();
        const json = check(1, "scene.obj", "--cache", `${ODD}=fall.pc2`, "--report", "scene.html");
        assert.ok(json.places.length > 1 && json.pairs_of_bodies.length > 1);
        this.json = json;
        for (const [width, height] of [[1400, 900], [820, 600], [844, 390], [390, 844]])
            for (const scheme of ["light", "dark"]) await clicksThrough(browser, json, { width, height }, scheme);
        for (const width of [360, 2560]) {
            const { page } = await openReport(browser, at("scene.html"), { viewport: { width, height: 800 } });
            assert.deepEqual(await page.evaluate(illegible), [], `${width}`);
            await page.context().close();
        }
    },

    async "the best side, ghosts, floor, colours, caps"(browser) {
        const { page, said } = await openReport(browser, at("scene.html"));
        const { json } = this;
        // The side is free, or what is in front is a ghost.
        const sides = await page.evaluate(async (ids) => {
            const found = [];
            for (const id of ids) {
                await snagReport.choosePlace(id);
                const { view, report } = snagReport;
                const side = view.flyToPlace(report.places.get(id), false);
                found.push(side.free || view.parts.some((part) => part.ghost) || side.ghosts.length === 0);
            }
            return found;
        }, json.places.slice(0, 6).map((place) => place.id));
        assert.ok(sides.every(Boolean));
        // The floor is eight times as wide and yet does not decide how far away the camera is.
        await page.keyboard.press("Escape");
        await page.keyboard.press("f");
        await settle(page);
        const far = await page.evaluate(() => snagReport.view.camera.position.distanceTo(snagReport.view.controls.target) * snagReport.report.radius);
        assert.ok(far < 4.5, `${far}`);
        await page.click("#tab-look");
        for (const mode of ["place depth", "crossing length"]) {
            await page.selectOption("#colour", mode);
            assert.match(await page.textContent("#legend"), new RegExp(`${mode}$`));
        }
        await page.selectOption("#colour", "kind");
        assert.deepEqual(said, []);
        await page.context().close();
    },

    async "a picture, and a link that opens on the same view"(browser) {
        const { page, said } = await openReport(browser, at("scene.html"), { acceptDownloads: true });
        await page.evaluate((id) => snagReport.choosePlace(id), this.json.places[1].id);
        await settle(page);
        const [shot] = await Promise.all([page.waitForEvent("download"), page.click("#shoot")]);
        const path = at("shot.png");
        await shot.saveAs(path);
        assert.equal(readFileSync(path).subarray(1, 4).toString(), "PNG");
        assert.ok(statSync(path).size > 3000);
        await page.click("#link");
        const hash = await page.evaluate(() => location.hash);
        assert.match(hash, /^#frame=\d+&place=\d+&eye=.+&at=.+$/);
        const camera = (p) => p.evaluate(() => [...snagReport.view.camera.position, ...snagReport.view.controls.target, snagReport.placeId, snagReport.place]);
        const before = await camera(page);
        const again = await openReport(browser, `${at("scene.html")}${hash}`);
        await settle(again.page);
        const after = await camera(again.page);
        before.forEach((x, i) => assert.ok(Math.abs(x - after[i]) < 1e-5, `${before} ${after}`));
        // Nonsense in a link is ignored.
        const odd = await openReport(browser, `${at("scene.html")}#frame=99&place=abc&eye=1,2&at=NaN,0,0`);
        assert.deepEqual(odd.said, []);
        assert.deepEqual(said, []);
        for (const { page: p } of [again, odd, { page }]) await p.context().close();
    },

    async "a still mesh has no frame bar, and distances are no contacts"(browser) {
        check(1, "scene.obj", "--report", "still.html");
        const still = await openReport(browser, at("still.html"));
        assert.equal(await still.page.isVisible("#timeline"), false);
        await still.page.context().close();
        const boxes = [];
        for (let i = 0; i < 30; i++) {
            const tile = sheet(1, () => 0);
            tile.places = tile.places.map((x, k) => 0.1 * x + (k % 3 === 0 ? (i % 6) * 0.3 : k % 3 === 1 ? Math.floor(i / 6) * 0.3 : 0.01 * i));
            boxes.push({ name: `tile ${i}`, ...tile });
        }
        writeObj(at("tiles.obj"), boxes);
        check(0, "tiles.obj", "--question", "distance", "--report", "distance.html");
        const { page, said } = await openReport(browser, at("distance.html"));
        assert.match(await page.textContent("#summary"), /^smallest distance/);
        assert.equal(await page.isVisible("#tab-places"), false);
        assert.match(await page.textContent("#tab-contacts"), /^Distances/);
        const words = await page.evaluate(() => ["summary", "frame-counts", "panel"].map((id) => document.getElementById(id).innerText).join(" "));
        assert.ok(!/contact/i.test(words.replace(/Contacts\n/g, "")), words);
        // Not a tangle: only the smallest distances are drawn, all are listed.
        const counts = await page.evaluate(() => {
            const { contacts } = snagReport.frame;
            let drawn = 0;
            for (let i = 0; i < contacts.count; i++) drawn += snagReport.view.isShown(contacts, i);
            return [drawn, snagReport.list.order.length, contacts.count];
        });
        assert.deepEqual(counts, [12, 435, 435]);
        assert.deepEqual(said, []);
        await page.context().close();
    },

    // One colour code: the page's and that of exported meshes.
    "kinds have one colour everywhere"() {
        const page = Object.fromEntries([...readFileSync(join(root, "web/src/colours.js"), "utf8").matchAll(/^ {4}"?([a-z-]+)"?: "(#[0-9a-f]{6})",$/gm)].map((m) => [m[1], m[2]]));
        const source = readFileSync(join(root, "cli/highlight.c"), "utf8");
        const loud = source.slice(source.indexOf("loud["));
        let compared = 0;
        for (const [, name, r, g, b] of loud.matchAll(/\[SNAG_([A-Z_]+)\] = \{(\d+), (\d+), (\d+)\}/g)) {
            const hex = `#${[r, g, b].map((x) => Number(x).toString(16).padStart(2, "0")).join("")}`;
            assert.equal(page[name.toLowerCase().replace("_", "-")], hex, name);
            compared++;
        }
        assert.equal(compared, 11);
    },
};

setTimeout(() => {
    console.log("FAIL the tests took too long");
    process.exit(1);
}, 1500000).unref();
const browser = await startBrowser();
const state = {};
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
    const began = performance.now();
    try {
        await test.call(state, browser);
        console.log(`ok   ${name} (${Math.round(performance.now() - began)} ms)`);
    } catch (error) {
        failed++;
        console.log(`FAIL ${name}\n${error.stack}`);
    }
}
await browser.close();
rmSync(folder, { recursive: true });
process.exit(failed ? 1 : 0);
