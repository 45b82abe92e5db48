// What the reader of a report can click, at four sizes of the screen, in light and dark: a place inside a closed body, whose shell becomes a
// ghost and whose section has a cap; colours, the time curve, a picture, a link.
// usage: node check_clicks.mjs TOOL
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openReport, startBrowser } from "./browser.mjs";
import { sheet, writeObj, writePc2 } from "./scenes.mjs";

const tool = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "snag-clicks-"));
const at = (name) => join(folder, name);
const settle = (page) => page.waitForFunction(() => !snagReport.view.flight && !snagReport.view.pending);

// Two sheets that cross in the middle of a closed box.
function makeScene() {
    const low = sheet(4, () => 0.5);
    const high = sheet(4, (x) => x);
    const corners = [];
    for (let i = 0; i < 8; i++) corners.push(i & 1 ? 2 : -1, i & 2 ? 2 : -1, i & 4 ? 2 : -1);
    const faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    writeObj(at("scene.obj"), [{ name: "shell", places: corners, faces }, { name: "low", ...low }, { name: "high", ...high }]);
    writePc2(at("high.pc2"), [0, 1, 2].map((f) => high.places.map((x, i) => x + (i % 3 ? 0.013 : 0.021 * f))));
    const run = spawnSync(tool, ["check", "--json", "scene.obj", "--cache", "high=high.pc2", "--report", "scene.html"], { encoding: "utf8", cwd: folder });
    assert.equal(run.status, 1, run.stderr);
    return JSON.parse(run.stdout);
}

// How many pixels of the view differ with and without the caps of sections.
function cappedPixels(page) {
    return page.evaluate(() => {
        const { view } = snagReport;
        const read = () => {
            view.drawInFull();
            const copy = document.createElement("canvas");
            [copy.width, copy.height] = [view.canvas.width, view.canvas.height];
            const pen = copy.getContext("2d");
            pen.drawImage(view.canvas, 0, 0);
            return pen.getImageData(0, 0, copy.width, copy.height).data;
        };
        const capped = view.parts[0].mesh.material.uniforms.capped;
        const before = capped.value;
        const shown = read();
        capped.value = 0;
        const open = read();
        capped.value = before;
        let different = 0;
        for (let i = 0; i < shown.length; i += 4) different += Math.abs(shown[i] - open[i]) + Math.abs(shown[i + 1] - open[i + 1]) > 6;
        return different;
    });
}

async function fliesAndGhosts(page, json) {
    assert.equal(json.places.length, 1);
    await page.click("#fit");
    await settle(page);
    await page.click(".place");
    await settle(page);
    const state = await page.evaluate(() => ({
        target: snagReport.report.fromView(snagReport.view.controls.target.toArray()),
        ghosts: snagReport.view.parts.map((part) => part.ghost),
        opacity: snagReport.view.parts[0].mesh.material.uniforms.opacity.value,
        id: snagReport.placeId,
    }));
    const [place] = json.places;
    assert.equal(state.id, place.id);
    state.target.forEach((x, k) => assert.ok(Math.abs(x - place.centre[k]) < 1e-4, `${state.target} is not ${place.centre}`));
    // The shell hides the place from every side.
    assert.deepEqual(state.ghosts, [true, false, false]);
    assert.ok(state.opacity < 0.3);
}

async function looks(page) {
    await page.click("#tab-look");
    for (const mode of ["place depth", "crossing length", "kind"]) {
        await page.selectOption("#colour", mode);
        if (mode !== "kind") assert.match(await page.textContent("#legend"), new RegExp(`${mode}$`));
    }
    assert.ok(!(await page.textContent("#frame-counts")).includes("ms"), "the time is shown only on wish");
    await page.click("#show-ms");
    assert.match(await page.textContent("#frame-counts"), /ms/);
    await page.click("#show-ms");
    // The section of a solid has a cap, that of a sheet has none.
    await page.keyboard.press("Escape");
    await page.click("#fit");
    await settle(page);
    assert.equal(await cappedPixels(page), 0);
    await page.click("#show-cut");
    assert.deepEqual(await page.evaluate(() => snagReport.view.parts.map((part) => part.mesh.material.uniforms.capped.value)), [1, 0, 0]);
    const near = await cappedPixels(page);
    await page.click("#cut-flip");
    const far = await cappedPixels(page);
    // One side is open towards the reader.
    assert.ok(Math.max(near, far) > 200, `${near} ${far}`);
    await page.click("#cut-flip");
    await page.click("#show-cut");
    await page.click("#tab-places");
}

async function shares(page) {
    const [shot] = await Promise.all([page.waitForEvent("download"), page.click("#shoot")]);
    await shot.saveAs(at("shot.png"));
    const picture = readFileSync(at("shot.png"));
    assert.equal(picture.subarray(1, 4).toString(), "PNG");
    assert.ok(picture.length > 1000);
    await page.click("#link");
    assert.match(await page.evaluate(() => location.hash), /^#frame=\d+.*&eye=.+&at=.+$/);
}

const browser = await startBrowser();
let failed = 0;
const json = makeScene();
for (const [width, height] of [[1400, 900], [820, 600], [844, 390], [390, 844]])
    for (const colorScheme of ["light", "dark"]) {
        const name = `${width} x ${height}, ${colorScheme}`;
        const began = performance.now();
        const { page, said } = await openReport(browser, at("scene.html"), { viewport: { width, height }, colorScheme, acceptDownloads: true });
        try {
            await fliesAndGhosts(page, json);
            await looks(page);
            await shares(page);
            assert.deepEqual(said, []);
            console.log(`ok   ${name} (${Math.round(performance.now() - began)} ms)`);
        } catch (error) {
            failed++;
            console.log(`FAIL ${name}\n${error.stack}`);
        }
        await page.context().close();
    }
await browser.close();
rmSync(folder, { recursive: true });
process.exit(failed ? 1 : 0);
