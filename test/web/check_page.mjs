// Opens reports of the tool as a reader would, and holds what they show against --json and --pairs.
// usage: node check_page.mjs TOOL [first]      first: stop at the first test that fails
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openReport, startBrowser } from "./browser.mjs";
import { sheet, writeObj, writePc2 } from "./scenes.mjs";

const tool = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "snag-web-"));
const at = (name) => join(folder, name);

function check(expected, ...options) {
    const run = spawnSync(tool, ["check", "--json", ...options], { encoding: "utf8", maxBuffer: 1 << 28, cwd: folder });
    assert.equal(run.status, expected, run.stderr);
    return JSON.parse(run.stdout);
}

// Lines of --pairs as arrays; names with commas and quotes are read as RFC 4180 says.
function readPairs(name) {
    const rows = [];
    for (const [line] of readFileSync(at(name), "utf8").matchAll(/(?:"(?:[^"]|"")*"|[^\n])+/g))
        rows.push([...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((m) => m[1].replace(/^"|"$/g, "").replaceAll('""', '"')));
    return rows.slice(1).map((row) => row.slice(0, 14));
}

const EVIL = `"><img src=x onerror=hit=1></script><script>hit=1</script>'&amp;, шёлк 絹 🧵`;
const n = 12;

// Quads in two bodies of one file: a sheet that falls through another, bumpy one.
function makeScene() {
    const bumpy = sheet(n, (x, y) => 0.05 * Math.sin(9 * x) * Math.cos(7 * y));
    const flat = sheet(n, () => 0.4);
    writeObj(at("scene.obj"), [
        { name: "ground", ...bumpy },
        { name: EVIL, ...flat },
    ]);
    const frames = [];
    for (let f = 0; f < 20; f++) frames.push(flat.places.map((x, i) => (i % 3 === 2 ? 0.4 - 0.03 * f : x)));
    writePc2(at("fall.pc2"), frames);
}

// How much of the canvas is drawn, and how much of it in the colours of contacts.
function pixels(page) {
    return page.evaluate(() => {
        const { view } = window.snagReport;
        view.drawInFull();
        const copy = document.createElement("canvas");
        copy.width = view.canvas.width;
        copy.height = view.canvas.height;
        const pen = copy.getContext("2d");
        pen.drawImage(view.canvas, 0, 0);
        const { data } = pen.getImageData(0, 0, copy.width, copy.height);
        let drawn = 0;
        let red = 0;
        let solid = 0;
        let light = 0;
        const colours = new Set();
        for (let i = 0; i < data.length; i += 4) {
            if (data[i + 3] < 30) continue;
            drawn++;
            if (data[i + 3] > 200) solid++;
            light += data[i] + data[i + 1] + data[i + 2];
            if (data[i] > 1.6 * data[i + 1] && data[i] > 1.6 * data[i + 2]) red++;
            if (colours.size < 1000) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        }
        return { drawn, red, solid, light: light / (drawn || 1) / 765, colours: colours.size, all: copy.width * copy.height };
    });
}

// What the page says of every contact of the frame it shows, in the columns of --pairs.
function shownContacts(page) {
    return page.evaluate(() => {
        const { list, frame, report } = window.snagReport;
        const rows = [];
        for (let i = 0; i < frame.contacts.count; i++) {
            const { a, b, value, time, details } = frame.contacts;
            const middle = report.json.question === "intersections";
            const point = [0, 1, 2].map((k) => 0 + (middle ? 0.5 * details[k][i] + 0.5 * details[3 + k][i] : details[k][i]));
            rows.push([
                list.bodyName(a, i), list.name(a, i), list.bodyName(b, i), list.name(b, i), value[i], time[i], ...point,
                details[6][i], details[7][i], details[8][i],
            ]);
        }
        return rows;
    });
}

async function holdsAgainstPairs(page, pairs, json) {
    for (const told of json.frames) {
        await page.evaluate((frame) => snagReport.go(snagReport.report.frames.findIndex((f) => f.frame === frame)), told.frame);
        assert.equal(await page.getAttribute("#frame-counts", "data-contacts"), String(told.contacts));
        const expected = pairs
            .filter((row) => Number(row[0]) === told.frame)
            .map((row) => [...row.slice(1, 5), ...row.slice(6).map(Number)]);
        // Of many contacts points and normals are floats.
        if (expected.length > 2000) for (const row of expected) for (let i = 6; i < row.length; i++) row[i] = Math.fround(row[i]);
        assert.deepEqual(await shownContacts(page), expected, `frame ${told.frame}`);
    }
}

// A vertex that hits a face does so at the time and the place that the contact names.
async function showsBodiesAtTheImpact(page) {
    const far = await page.evaluate(async () => {
        const { report, view } = snagReport;
        await snagReport.go(report.frames.findLastIndex((frame) => frame.contacts > 0));
        const { a, details } = snagReport.frame.contacts;
        let i = 0;
        while (a.element[i] !== 0 || report.bodies[a.body[i]].name === "ground") i++;
        snagReport.choose(i, false);
        await snagReport.poseAtImpact(i);
        const shown = report.fromView([...view.positions[a.body[i]].subarray(3 * a.index[i], 3 * a.index[i] + 3)]);
        const now = report.fromView([...snagReport.frame.positions[a.body[i]].subarray(3 * a.index[i], 3 * a.index[i] + 3)]);
        const hit = [0, 1, 2].map((k) => details[k][i]);
        snagReport.choose(-1, false);
        await snagReport.poseAtImpact(-1);
        return [shown, now].map((place) => Math.hypot(...place.map((x, k) => x - hit[k]))).concat(view.positions === snagReport.frame.positions);
    });
    assert.ok(far[0] < 1e-5 && far[1] > 1e-3 && far[2] === true, far.join());
}

async function sortsByValue(page) {
    await page.click("#tab-contacts");
    for (const sign of [1, -1]) {
        await page.click(".head button[data-by=value]");
        const values = await page.evaluate(() => snagReport.list.order.map((i) => snagReport.frame.contacts.value[i]));
        assert.ok(values.length > 10 && new Set(values).size > 5);
        assert.ok(values.every((x, i) => i === 0 || sign * (x - values[i - 1]) >= 0), values.slice(0, 9).join());
        const shown = await page.$$eval(".contact .value", (cells) => cells.slice(0, 9).map((cell) => Number(cell.textContent.replace("−", "-"))));
        shown.forEach((x, i) => assert.ok(Math.abs(x - values[i]) <= 1e-3 * Math.abs(values[i]) + 1e-9, `${shown}`));
    }
}

const tests = {
    async "a report shows the scene, and its numbers are those of --json and --pairs"(browser) {
        makeScene();
        const json = check(1, "scene.obj", "--cache", `${EVIL}=fall.pc2`, "--pairs", "pairs.csv", "--report", "scene.html");
        const { page, said } = await openReport(browser, at("scene.html"));
        // Names are text and nothing else.
        assert.equal(await page.textContent("#title"), `ground, ${EVIL}`);
        assert.equal(await page.evaluate(() => window.hit), undefined);
        assert.equal(await page.title(), `ground, ${EVIL} – snag`);
        assert.equal(await page.textContent("#total"), `${json.contacts_total.toLocaleString("en")} contacts`);
        // It opens on the worst place, in its worst frame.
        assert.ok(json.places[0].worst > 0);
        assert.equal(await page.textContent("#frame-name"), `Frame ${json.places[0].worst}`);
        assert.equal(await page.getAttribute(".place[aria-selected=true]", "data-place"), String(json.places[0].id));
        assert.deepEqual(await page.evaluate(() => snagReport.report.json), { ...json, frames: await page.evaluate(() => snagReport.report.json.frames) });
        const drawn = await pixels(page);
        assert.ok(drawn.drawn > 0.08 * drawn.all && drawn.colours > 50 && drawn.red > 50, JSON.stringify(drawn));
        await holdsAgainstPairs(page, readPairs("pairs.csv"), json);
        assert.deepEqual(said, []);
        await page.keyboard.press("Escape");
        await page.click("#tab-contacts");
        this.json = json;
        this.page = page;
        this.said = said;
    },

    async "scrubbing, stepping and playing change the frame and its counts"() {
        const { page, json } = this;
        const box = await (await page.$("#plot")).boundingBox();
        assert.ok(!(await page.textContent("#frame-counts")).includes("ms"), "the time is shown only on wish");
        await page.keyboard.press("m");
        for (const place of [3, 15, 19, 0]) {
            await page.mouse.click(box.x + 10 + ((place + 0.5) / 20) * (box.width - 20), box.y + 30);
            await page.waitForFunction((name) => document.getElementById("frame-name").textContent === name, `Frame ${place}`);
            assert.equal(await page.getAttribute("#frame-counts", "data-contacts"), String(json.frames[place].contacts));
            const text = await page.textContent("#frame-counts");
            const reported = await page.evaluate((i) => snagReport.report.json.frames[i].ms, place);
            assert.ok(Math.abs(parseFloat(text.split("·")[1]) - reported) <= 0.006 * reported + 0.0005, text);
        }
        await page.keyboard.press("m");
        await page.keyboard.press("ArrowRight");
        await page.waitForFunction(() => document.getElementById("frame-name").textContent === "Frame 1");
        await page.keyboard.press(".");
        const first = json.frames.find((frame) => frame.contacts > 0).frame;
        await page.waitForFunction((frame) => document.getElementById("frame-name").textContent === `Frame ${frame}`, first);
        await page.keyboard.press("Space");
        await page.waitForFunction((frame) => snagReport.place > frame + 2, first);
        await page.keyboard.press("Space");
        assert.equal(await page.evaluate(() => snagReport.playing), false);
    },

    async "a click on a contact flies there and shows the two elements with their ids"() {
        const { page, json } = this;
        const frame = json.frames.findIndex((told) => told.contacts > 20);
        await page.evaluate((place) => snagReport.go(place), frame);
        const camera = () => page.evaluate(() => [...snagReport.view.camera.position, ...snagReport.view.controls.target]);
        const before = await camera();
        await page.locator(".contact").nth(3).click();
        const row = readPairs("pairs.csv").filter((pair) => Number(pair[0]) === json.frames[frame].frame)[3];
        assert.deepEqual(await page.$$eval("#card .element b", (nodes) => nodes.map((node) => node.textContent)), [row[2], row[4]]);
        await page.waitForFunction(() => !snagReport.view.flight);
        const after = await camera();
        assert.ok(Math.hypot(...before.map((x, i) => x - after[i])) > 0.05);
        const target = await page.evaluate(() => snagReport.report.fromView(snagReport.view.controls.target.toArray()));
        target.forEach((x, k) => assert.ok(Math.abs(x - Number(row[8 + k])) < 1e-5, `${target} is not where ${row} is`));
        // Faces are quads: each shows the four vertices that the file gives it.
        const quads = readFileSync(at("scene.obj"), "utf8").split("\n").filter((line) => line.startsWith("f "));
        const shown = await page.$$eval("#card .element small", (nodes) => nodes.map((node) => node.textContent));
        [row[2], row[4]].forEach((name, side) => {
            const expected = quads[Number(name.slice(1))].slice(2).split(" ").map((v) => `v${v - 1}`);
            assert.deepEqual(shown[side].split(" ").sort(), expected.sort());
        });
        await page.keyboard.press("i");
        assert.equal(await page.getAttribute("#isolate", "aria-pressed"), "true");
        await page.waitForFunction(() => !snagReport.view.flight);
        await page.evaluate(() => snagReport.view.drawInFull());
        const labels = await page.$$eval(".label", (nodes) => nodes.filter((node) => node.style.display !== "none").map((node) => node.textContent));
        assert.ok(labels.includes(row[2]) && labels.includes(row[4]) && labels.some((text) => text.startsWith("v")), labels.join());
        await page.keyboard.press("Escape");
        assert.equal(await page.isVisible("#card"), false);
    },

    async "the list is sorted and searched"() {
        const { page } = this;
        const names = (column) => page.$$eval(".contact", (rows, c) => rows.map((row) => row.children[c].querySelector("b").textContent), column);
        await page.click(".head button[data-by=b]");
        const up = (await names(1)).map((name) => Number(name.slice(1)));
        assert.deepEqual(up, [...up].sort((x, y) => x - y));
        await page.click(".head button[data-by=b]");
        const down = (await names(1)).map((name) => Number(name.slice(1)));
        assert.deepEqual(down, [...down].sort((x, y) => y - x));
        assert.notDeepEqual(up, down);
        await page.click(".head button[data-by=b]");
        const wanted = (await names(0))[2];
        await page.fill("#find", wanted);
        assert.ok((await names(0)).every((name, i, all) => name === wanted && all.length > 0));
        await page.fill("#find", "nothing of the kind");
        assert.equal(await page.isVisible("#list .empty"), true);
        await page.fill("#find", "");
        await page.keyboard.press("Escape");
    },

    async "bodies, wireframe, section plane, boxes and normals come and go"() {
        const { page } = this;
        await page.keyboard.press("f");
        await page.waitForFunction(() => !snagReport.view.flight);
        const full = await pixels(page);
        const differs = async (what, act) => {
            await act();
            const now = await pixels(page);
            const changed = Math.abs(now.drawn - full.drawn) + Math.abs(now.colours - full.colours) + Math.abs(now.red - full.red);
            assert.ok(changed > 20, `${what} changes nothing: ${JSON.stringify(now)}`);
            return now;
        };
        await page.click("#tab-bodies");
        const hidden = await differs("hiding a body", () => page.click(".body:nth-child(1) input"));
        assert.ok(hidden.drawn < full.drawn && hidden.red < full.red, JSON.stringify([hidden, full]));
        await page.click(".body:nth-child(1) input");
        const cutAway = await differs("the section plane", () => page.keyboard.press("s"));
        assert.ok(cutAway.drawn < 0.8 * full.drawn);
        await page.keyboard.press("s");
        for (const key of ["w", "x", "b"]) {
            await differs(`key ${key}`, () => page.keyboard.press(key));
            await page.keyboard.press(key);
        }
        await page.click("#tab-look");
        await page.keyboard.press("b");
        assert.match(await page.textContent("#boxes-level"), /^4 · 32 boxes$/);
        await page.keyboard.press("]");
        assert.match(await page.textContent("#boxes-level"), /^5 · 64 boxes$/);
        await page.keyboard.press("b");
        assert.deepEqual(await pixels(page), full);
        await page.keyboard.press("?");
        assert.equal(await page.isVisible("#help"), true);
        await page.keyboard.press("Escape");
        const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const light = await ground();
        await page.keyboard.press("t");
        assert.notEqual(await ground(), light);
        await page.keyboard.press("t");
        assert.deepEqual(this.said, []);
    },

    async "every key of the help does what it says"() {
        const { page, json } = this;
        const at = () => page.evaluate(() => snagReport.place);
        const press = async (key, place) => {
            await page.keyboard.press(key);
            await page.waitForFunction((wanted) => snagReport.place === wanted, place).catch(async () => {
                assert.equal(await at(), place, `after ${key}`);
            });
        };
        const some = json.frames.map((frame, i) => [i, frame.contacts]).filter(([, contacts]) => contacts > 0).map(([i]) => i);
        await press("End", 19);
        await press("Shift+ArrowLeft", 9);
        await press("ArrowLeft", 8);
        await press("Home", 0);
        await press("Shift+ArrowRight", 10);
        await press("End", 19);
        await press(",", some.filter((i) => i < 19).at(-1));
        const chosen = () => page.evaluate(() => snagReport.selected);
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("ArrowDown");
        assert.equal(await chosen(), 1);
        await page.keyboard.press("ArrowUp");
        assert.equal(await chosen(), 0);
        await page.keyboard.press("Escape");
        assert.equal(await chosen(), -1);
        // Every key that the help names is one that the page knows.
        const named = await page.$$eval("#help kbd", (nodes) => nodes.map((node) => node.textContent));
        const known = await page.evaluate(() => Object.keys(snagReport.keys));
        const spelled = { Space: " ", Esc: "Escape", "←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown" };
        for (const key of named.filter((name) => name !== "Shift")) assert.ok(known.includes(spelled[key] ?? (key.length === 1 ? key.toLowerCase() : key)), key);
    },

    // Numbers say that something is switched; what is drawn says that it is shown.
    async "what is chosen in the view is what is drawn"() {
        const { page } = this;
        const most = this.json.frames.reduce((best, frame, i, all) => (frame.contacts > all[best].contacts ? i : best), 0);
        await page.evaluate((place) => snagReport.go(place), most);
        await page.keyboard.press("f");
        await page.waitForFunction(() => !snagReport.view.flight);
        await page.click("#tab-look");
        const plain = await pixels(page);
        const changes = async (what, act, by) => {
            await act();
            const now = await pixels(page);
            assert.ok(by(now), `${what}: ${JSON.stringify([now, plain])}`);
        };
        const differ = (now) => Math.abs(now.red - plain.red) + Math.abs(now.drawn - plain.drawn) + 1e6 * Math.abs(now.light - plain.light) > 20;
        for (const id of ["show-elements", "show-points"]) {
            await changes(id, () => page.click(`#${id}`), differ);
            await page.click(`#${id}`);
        }
        assert.deepEqual(await pixels(page), plain);
        // The section plane: where, across which axis, and which side.
        const cuts = [];
        for (const act of [
            () => page.click("#show-cut"),
            () => page.fill("#cut-offset", "250"),
            () => page.click('#cut-axis [data-axis="1"]'),
            () => page.click("#cut-flip"),
        ]) {
            await act();
            const { drawn } = await pixels(page);
            assert.ok(drawn < plain.drawn && cuts.every((other) => Math.abs(other - drawn) > 50), `${drawn} of ${plain.drawn}, ${cuts}`);
            cuts.push(drawn);
        }
        assert.match(await page.textContent("#cut-at"), /^y = 0\.25/);
        await page.click("#cut-flip");
        await page.click('#cut-axis [data-axis="0"]');
        await page.click("#show-cut");
        // The other way up.
        const up = () => page.evaluate(() => snagReport.view.camera.up.toArray().join());
        const before = await up();
        await page.click('#up [aria-pressed="false"]');
        assert.notEqual(await up(), before);
        await page.click('#up [aria-pressed="false"]');
        assert.equal(await up(), before);
        assert.deepEqual(await pixels(page), plain);
        // Dark is darker on the canvas and in the plot too.
        const plot = () => page.evaluate(async () => {
            await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
            const canvas = document.querySelector("#plot canvas");
            const copy = document.createElement("canvas");
            [copy.width, copy.height] = [canvas.width, canvas.height];
            const pen = copy.getContext("2d");
            pen.drawImage(canvas, 0, 0);
            const { data } = pen.getImageData(0, 0, copy.width, copy.height);
            const columns = new Array(20).fill(0);
            let ink = 0;
            let inked = 0;
            for (let i = 0; i < data.length; i += 4) {
                const x = (i / 4) % canvas.width;
                inked += data[i + 3] > 200;
                ink += data[i + 3] > 200 ? data[i] + data[i + 1] + data[i + 2] : 0;
                const wide = canvas.clientWidth / canvas.width;
                const column = Math.floor(((x * wide - 10) / (canvas.clientWidth - 20)) * 20);
                if (data[i + 3] > 100 && data[i] > 1.5 * data[i + 1] && columns[column] !== undefined) columns[column]++;
            }
            return { columns, ink: ink / inked / 765 };
        });
        const light = await plot();
        await page.keyboard.press("t");
        await changes("dark", async () => {}, (now) => now.light < 0.95 * plain.light);
        const dark = await plot();
        assert.ok(dark.ink - light.ink > 0.02, `${dark.ink} ${light.ink}`);
        await page.keyboard.press("t");
        assert.ok(Math.abs((await plot()).ink - light.ink) < 0.005);
        // Bars are as high as the frames have contacts.
        const contacts = this.json.frames.map((frame) => frame.contacts);
        const tallest = Math.max(...light.columns);
        light.columns.forEach((pixelsOfBar, i) => {
            if (i !== most) assert.ok(Math.abs(pixelsOfBar / tallest - contacts[i] / contacts[most]) < 0.15, `frame ${i}: ${light.columns} of ${contacts}`);
        });
        // Alone, the two elements are nearly all that is left.
        await page.click("#tab-contacts");
        await page.locator(".contact").nth(0).click();
        await page.waitForFunction(() => !snagReport.view.flight);
        const among = await pixels(page);
        await page.click("#isolate");
        await page.waitForFunction(() => !snagReport.view.flight);
        const alone = await pixels(page);
        assert.ok(alone.solid < 0.7 * among.solid && alone.solid > 100, JSON.stringify([among, alone]));
        await page.click("#isolate");
        await page.keyboard.press("Escape");
        assert.deepEqual(this.said, []);
    },

    async "a phone shows all of it without scrolling sideways"(browser) {
        const { page, said } = await openReport(browser, at("scene.html"), {
            viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, colorScheme: "dark",
        });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        for (const id of ["view", "plot", "places", "play"]) {
            const box = await (await page.$(`#${id}`)).boundingBox();
            assert.ok(box.x >= 0 && box.x + box.width <= 361 && box.height > 20 && box.y + box.height <= 741, `${id} ${JSON.stringify(box)}`);
        }
        const drawn = await pixels(page);
        assert.ok(drawn.drawn > 0.05 * drawn.all && drawn.red > 20, JSON.stringify(drawn));
        await page.tap(".place");
        assert.equal(await page.isVisible("#card"), true);
        assert.deepEqual(said, []);
        await page.context().close();
    },

    async "every question has its numbers and its colours"(browser) {
        for (const [question, mode, options] of [
            ["proximities", "distance", ["--distance", "0.02", "--frames", "12:13"]],
            ["impacts", "time", ["--frames", "11:14"]],
            ["distance", "distance", ["--frames", "12"]],
            ["overlaps", "depth", ["--frames", "13"]],
        ]) {
            const name = `${question}.html`;
            const json = check(1, "scene.obj", "--cache", `${EVIL}=fall.pc2`, "--no-self", "--question", question,
                "--pairs", "pairs.csv", "--report", name, ...options);
            const { page, said } = await openReport(browser, at(name));
            await holdsAgainstPairs(page, readPairs("pairs.csv"), json);
            await page.evaluate(() => snagReport.go(snagReport.report.frames.findIndex((frame) => frame.contacts > 0)));
            await page.click("#tab-look");
            await page.selectOption("#colour", mode);
            assert.match(await page.textContent("#legend"), new RegExp(`${mode}$`));
            const capped = await page.evaluate(() => {
                const { contacts } = snagReport.frame;
                const { detailed } = contacts;
                contacts.detailed = 0;
                snagReport.showLegend();
                const text = document.getElementById("legend").textContent;
                contacts.detailed = detailed;
                snagReport.showLegend();
                return text;
            });
            assert.match(capped, new RegExp(`grey: [0-9,]+ without stored ${mode}$`));
            const byMode = await pixels(page);
            await page.selectOption("#colour", "kind");
            const byKind = await pixels(page);
            const differ = Math.abs(byMode.red - byKind.red) + 1e6 * Math.abs(byMode.light - byKind.light);
            assert.ok(byMode.colours > 20 && differ > 20, JSON.stringify([question, byMode, byKind]));
            if (question === "proximities") {
                await page.keyboard.press("n");
                assert.notDeepEqual(await pixels(page), byKind, "normals");
                await sortsByValue(page);
            }
            if (question === "distance") {
                await page.click("#show-regions");
                assert.notDeepEqual(await pixels(page), byKind, "lines between regions");
            }
            if (question === "impacts") await showsBodiesAtTheImpact(page);
            // Distances are found by regions, whose lines can be shown.
            if (question === "distance") assert.match(await page.textContent("#summary"), /^smallest distance [0-9.e−]+$/);
            if (question === "distance") assert.ok(await page.evaluate(() => snagReport.frame.lines.count > 0 && snagReport.view.hierarchy.visible));
            assert.equal(await page.isVisible("#regions-row"), question === "distance");
            assert.deepEqual(said, []);
            await page.context().close();
        }
    },

    async "a single clean mesh, and one of tetrahedra"(browser) {
        writeObj(at("clean.obj"), [{ name: "sheet", ...sheet(3, () => 0) }]);
        check(0, "clean.obj", "--report", "clean.html");
        const clean = await openReport(browser, at("clean.html"));
        assert.equal(await clean.page.textContent("#summary"), "clean");
        assert.ok((await pixels(clean.page)).drawn > 1000);
        assert.equal(await clean.page.isVisible("#plot"), false);
        assert.deepEqual(clean.said, []);
        writeFileSync(at("tets.mesh"), "MeshVersionFormatted 2\nDimension 3\nVertices\n8\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n" +
            "0.1 0.1 0.1 0\n2 0 0 0\n2 1 0 0\n2 0 1 0\nTetrahedra\n2\n1 2 3 4 0\n5 6 7 8 0\nEnd\n");
        const json = check(1, "tets.mesh", "--pairs", "pairs.csv", "--report", "tets.html");
        const tets = await openReport(browser, at("tets.html"));
        await holdsAgainstPairs(tets.page, readPairs("pairs.csv"), json);
        await tets.page.click("#tab-look");
        await tets.page.selectOption("#colour", "depth");
        await tets.page.keyboard.press("ArrowDown");
        assert.match(await tets.page.textContent("#card"), /k0.*depth/);
        assert.deepEqual(tets.said, []);
    },

    // A yarn through a sheet and a loose point: both are drawn, as thick as --thickness says, and picked like everything else.
    async "rods and points are drawn, as thick as they are"(browser) {
        writeFileSync(at("yarn.obj"), "o yarn\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 1 1 1\nv 0 1 1\nl 1 2 3\np 4\no sheet\n" +
            "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 5 6 7 8\n");
        const drawn = [];
        for (const thick of [0.01, 0.5]) {
            const json = check(1, "yarn.obj", "--thickness", `${thick}`, "--pairs", "pairs.csv", "--report", "yarn.html");
            const { page, said } = await openReport(browser, at("yarn.html"));
            await holdsAgainstPairs(page, readPairs("pairs.csv"), json);
            assert.deepEqual(await page.evaluate(() => snagReport.report.bodies.map((body) => [[...body.rods], [...body.points], body.radius])),
                [[[0, 1, 1, 2], [3], thick / 2], [[], [], thick / 2]]);
            await page.waitForFunction(() => !snagReport.view.flight && !snagReport.view.pending);
            // The sheet is hidden: what is left are the rods and the point.
            await page.evaluate(() => {
                const { view } = snagReport;
                view.filter.hiddenBodies.add(1);  // a page that is still busy would show it again
                view.refilter();
                view.set("elements", false);
                view.set("points", false);
            });
            drawn.push((await pixels(page)).drawn);
            await page.evaluate(() => snagReport.view.set("cut", true));
            assert.deepEqual(said, []);
            await page.context().close();
        }
        assert.ok(drawn[0] > 300 && drawn[1] > 4 * drawn[0], `${drawn}`);
    },

    async "what the demo writes stands upright, and --up has the last word"(browser) {
        const made = spawnSync(tool, ["demo", "--frames", "3", "--size", "0.1", "--out", "demo"], { encoding: "utf8", cwd: folder });
        assert.equal(made.status, 0, made.stderr);
        assert.match(made.stdout, /demo\/report\.html/);
        const up = async (name) => {
            const { page } = await openReport(browser, at(name));
            const axis = await page.evaluate(() => snagReport.view.upAxis);
            assert.equal(await page.getAttribute(`#up [data-axis="${axis}"]`, "aria-pressed"), "true");
            await page.context().close();
            return axis;
        };
        assert.equal(await up("demo/report.html"), 2);
        spawnSync(tool, ["check", "demo", "--report", "demo.html"], { cwd: folder });
        assert.equal(await up("demo.html"), 2);
        spawnSync(tool, ["check", "demo", "--up", "y", "--report", "demo.html"], { cwd: folder });
        assert.equal(await up("demo.html"), 1);
    },

    // Strips that cross strips: each triangle of one side meets each of the other.
    async "more contacts than details are kept of are all counted and listed, and the page says so"(browser) {
        const many = 150;
        let text = "";
        for (const [side, other] of [[0, 1], [1, 0]])
            for (let i = 0; i < many; i++) {
                const at = [(i + 0.5) / many, 0, 0];
                const corner = (along, height) => {
                    const place = [0, 0, height];
                    place[side] = at[0];
                    place[other] = along;
                    text += `v ${place.join(" ")}\n`;
                };
                corner(-1, -1);
                corner(2, -1);
                corner(0.5, 3);
                text += "f -3 -2 -1\n";
            }
        writeFileSync(at("many.obj"), text);
        const json = check(1, "many.obj", "--report", "many.html");
        assert.equal(json.contacts_total, many * many);
        assert.ok(many * many > 20000);
        const { page, said } = await openReport(browser, at("many.html"));
        assert.equal(await page.textContent("#total"), "22,500 contacts");
        assert.equal(await page.getAttribute("#frame-counts", "data-contacts"), "22500");
        await page.click("#tab-contacts");
        assert.equal(await page.isVisible(".capped"), true);
        assert.match(await page.textContent(".capped"), /All 22,500 contacts .* for the first 20,000/);
        assert.match(await page.textContent("#legend"), /22,500/);
        await page.evaluate(() => snagReport.choose(22499, false));
        assert.deepEqual(await page.$$eval("#card .element b", (nodes) => nodes.map((node) => node.textContent)), ["t149", "t299"]);
        assert.match(await page.textContent("#card"), /first 20,000 contacts/);
        assert.deepEqual(said, []);
        await page.context().close();
        // A frame with fewer has nothing to say.
        const few = await openReport(browser, at("scene.html"));
        assert.equal(await few.page.isVisible(".capped"), false);
        await few.page.context().close();
    },

    async "volumes beside surfaces show both kinds of contacts"(browser) {
        const bar = (x, y, z) => [...Array(8).keys()].map((i) => `${i & 1 ? x : -x} ${i & 2 ? y : -y} ${i & 4 ? z : -z} 0`).join("\n");
        const tets = "1 2 4 8 0\n1 4 3 8 0\n1 3 7 8 0\n1 7 5 8 0\n1 5 6 8 0\n1 6 2 8 0";
        const volume = (places) => `MeshVersionFormatted 2\nDimension 3\nVertices\n8\n${places}\nTetrahedra\n6\n${tets}\nEnd\n`;
        writeFileSync(at("along.mesh"), volume(bar(4, 1, 1)));
        writeFileSync(at("across.mesh"), volume(bar(0.9, 4, 0.9)));
        writeFileSync(at("wall.obj"), "v 3 -9 -9\nv 3 9 -9\nv 3 0 20\nf 1 2 3\n");
        const json = check(1, "along.mesh", "across.mesh", "wall.obj", "--report", "bars.html", "--pairs", "bars.csv");
        const kinds = new Set(readPairs("bars.csv").map((row) => row[5]));
        assert.deepEqual([...kinds].sort(), ["crossing", "through"]);
        const { page, said } = await openReport(browser, at("bars.html"));
        assert.match(await page.textContent("#about"), /penetrations and intersections, method/);
        assert.equal(await page.getAttribute("#frame-counts", "data-contacts"), String(json.contacts_total));
        // Where each contact is: the middle of a crossing, where an edge enters.
        const rows = readPairs("bars.csv");
        const cards = await page.evaluate((count) => {
            const facts = () => [...document.querySelectorAll("#card dl > div")].map((row) => [...row.children].map((cell) => cell.textContent));
            return [...Array(count).keys()].map((i) => (snagReport.choose(i, false), Object.fromEntries(facts())));
        }, rows.length);
        for (const [i, row] of rows.entries()) {
            assert.equal(cards[i].kind, row[5]);
            assert.equal("length inside" in cards[i], row[5] === "through");
            assert.equal("depth" in cards[i], false);
            const place = cards[i].at.replaceAll("−", "-").split(", ").map(Number);
            for (let k = 0; k < 3; k++) assert.ok(Math.abs(place[k] - Number(row[8 + k])) < 1e-4, `${i}: ${cards[i].at} is not ${row.slice(8, 11)}`);
        }
        assert.deepEqual(said, []);
        await page.context().close();
        check(0, "along.mesh", "across.mesh", "--no-edges", "--report", "none.html");
        const none = await openReport(browser, at("none.html"));
        assert.match(await none.page.textContent("#about"), /Not looked for: edges that pass through tetrahedra/);
        await none.page.context().close();
        // Ignored elements (here a hexahedron without volume) are reported, and nothing is called clean.
        writeFileSync(at("wedge.mesh"), volume(bar(4, 1, 1)).replace("End", "Hexahedra\n1\n1 2 4 3 1 2 4 3 0\nEnd"));
        check(2, "wedge.mesh", "--report", "wedge.html");
        const wedge = await openReport(browser, at("wedge.html"));
        assert.match(await wedge.page.textContent("#summary"), /no contacts found so far.*1 element ignored.*incomplete/);
        assert.match(await wedge.page.textContent("#about"), /Ignored: 1 element of wedge.mesh/);
        await wedge.page.context().close();
    },

    async "frames that are missing are told of"(browser) {
        const bytes = readFileSync(at("fall.pc2"));
        writeFileSync(at("cut.pc2"), bytes.subarray(0, 32 + Math.floor(((bytes.length - 32) * 2) / 20) + 7));
        const json = check(2, "scene.obj", "--cache", `${EVIL}=cut.pc2`, "--report", "cut.html");
        assert.equal(json.complete, false);
        const { page } = await openReport(browser, at("cut.html"));
        assert.match(await page.textContent("#summary"), /no contacts found so far.*18 frames skipped.*incomplete/);
        assert.match(await page.textContent("#about"), /Frames 2 to 19 were skipped: cut.pc2 is truncated/);
        assert.equal(await page.evaluate(() => snagReport.report.frameCount), 2);
        await page.context().close();
    },

    async "Ctrl-C leaves a whole report of the frames so far"(browser) {
        // Ten seconds of work, which is stopped once the report has grown by some frames.
        const frameCount = 500;
        const still = sheet(80, (x, y) => 0.05 * Math.sin(30 * x) * Math.cos(30 * y));
        writeObj(at("slow.obj"), [{ name: "slow", ...still }]);
        writePc2(at("slow.pc2"), new Array(frameCount).fill(still.places));
        const begun = () => (existsSync(at("slow.html.part0")) ? statSync(at("slow.html.part0")).size : 0);
        const run = spawn(tool, ["check", "-q", "slow.obj", "slow.pc2", "--method", "brute", "--threads", "1", "--report", "slow.html"], { cwd: folder, stdio: "ignore" });
        const ended = new Promise((done) => run.on("exit", done));
        let first = 0;
        for (let waits = 0; waits < 30000 && (first === 0 || begun() < first + 40000); waits++) {
            await new Promise((done) => setTimeout(done, 20));
            first = first || begun();
        }
        run.kill("SIGINT");
        assert.equal(await ended, 2);
        assert.deepEqual(readdirSync(folder).filter((name) => name.includes(".part")), []);
        const { page, said } = await openReport(browser, at("slow.html"));
        assert.match(await page.textContent("#summary"), /incomplete$/);
        const frames = await page.evaluate(() => snagReport.report.frameCount);
        assert.ok(frames > 0 && frames < frameCount, `${frames} frames`);
        assert.deepEqual(said, []);
        await page.context().close();
    },

    async "a file that was cut off or damaged says so"(browser) {
        const whole = readFileSync(at("scene.html"), "utf8");
        writeFileSync(at("cut.html"), whole.slice(0, whole.length * 0.5));
        const cut = await openReport(browser, at("cut.html"));
        assert.match(await cut.page.textContent("#summary"), /cut off/);
        await cut.page.context().close();
        // Nothing holds of a damaged block but that it is said.
        writeFileSync(at("damaged.html"), whole.replace(/(data-block="mesh">)..../, "$1AAAA"));
        const damaged = await openReport(browser, at("damaged.html"));
        assert.equal(await damaged.page.isVisible("#problem"), true);
        await damaged.page.context().close();
    },
};

// Whatever hangs, hangs not for long.
setTimeout(() => {
    console.log("FAIL the tests took too long");
    process.exit(1);
}, 3000000).unref();
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
        if (process.argv[3] === "first") break;
    }
}
await browser.close();
rmSync(folder, { recursive: true });
process.exit(failed ? 1 : 0);
