// Before and after a fix, as a reader switches between them: at four sizes of the screen, in light and dark, held against `snag fix --json`.
// usage: node check_fix.mjs TOOL
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openReport, startBrowser } from "./browser.mjs";
import { sheet, writeObj, writePc2 } from "./scenes.mjs";

const tool = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "snag-fix-"));
const at = (name) => join(folder, name);
const n = 8;

function run(expected, ...words) {
    const done = spawnSync(tool, words, { encoding: "utf8", cwd: folder });
    assert.equal(done.status, expected, done.stderr);
    return done.stdout;
}

// Two sheets that pass through each other from the second frame on; one triangle twice, which nothing can free.
function makeScene(doubled) {
    // Triangles: `fix` counts pairs of them, and the page pairs of faces.
    const cut = ({ places, faces }) => ({ places, faces: faces.flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]) });
    const low = cut(sheet(n, () => 0));
    const high = cut(sheet(n, (x) => 0.2 * (x - 0.5) + 0.013));
    if (doubled) high.faces.push(high.faces[0]);
    writeObj(at("scene.obj"), [{ name: "low", ...low }, { name: "<i>high</i>", ...high }]);
    const frames = [];
    for (let f = 0; f < 4; f++) frames.push(high.places.map((x, i) => (i % 3 === 2 ? (f ? x : x + 1) : x + (i % 3 ? 0.021 : 0.037))));
    writePc2(at("high.pc2"), frames);
}

const tests = {
    async "the switch shows what was and what became of it"(browser) {
        makeScene(false);
        const json = JSON.parse(run(0, "fix", "--json", "scene.obj", "--cache", "<i>high</i>=high.pc2", "-o", "fixed.pc2", "--report", "fix.html"));
        assert.ok(json.contacts > 0 && json.left === 0);
        const sizes = [[1400, 900], [820, 600], [844, 390], [390, 844]];
        for (const [width, height] of sizes)
            for (const colorScheme of ["light", "dark"]) {
                const { page, said } = await openReport(browser, at("fix.html"), { viewport: { width, height }, colorScheme });
                assert.match(await page.textContent("#summary"), /after the fix: clean/);
                const box = await page.locator("#fixed").boundingBox();
                assert.ok(box && box.x >= 0 && box.x + box.width <= width, `the switch is on the screen of ${width}`);
                const now = () => page.evaluate(() => {
                    const { frame, list, view } = snagReport;
                    return { number: frame.frame, contacts: frame.contacts.count, list: list.order.length, z: [...view.parts[0].shown, ...view.parts[1].shown] };
                });
                const before = await now();
                assert.equal(before.contacts, json.frames[before.number].contacts);
                await page.click("#show-after");
                const after = await now();
                assert.equal(after.contacts, json.frames[after.number].left);
                assert.equal(after.list, 0);
                assert.notDeepEqual(after.z, before.z);
                assert.match(await page.textContent("#frame-counts"), /after the fix/);
                assert.equal(await page.getAttribute("#show-after", "aria-pressed"), "true");
                // It stays so from frame to frame, and frames are read in any order.
                for (const frame of [0, 3, 1]) {
                    await page.evaluate((f) => snagReport.go(f), frame);
                    assert.equal((await now()).contacts, 0);
                }
                await page.evaluate((f) => snagReport.go(f), before.number);
                assert.deepEqual((await now()).z, after.z);
                await page.keyboard.press("a");
                assert.deepEqual(await now(), before);
                assert.deepEqual(said, []);
                await page.context().close();
            }
    },
    async "what is left is shown after the fix too"(browser) {
        makeScene(true);
        const json = JSON.parse(run(1, "fix", "--json", "scene.obj", "-o", "fixed.obj", "--report", "left.html"));
        const { page, said } = await openReport(browser, at("left.html"));
        assert.match(await page.textContent("#summary"), new RegExp(`after the fix: ${json.left} left`));
        await page.click("#show-after");
        assert.ok((await page.evaluate(() => snagReport.frame.contacts.count)) > 0);
        assert.deepEqual(said, []);
        await page.context().close();
    },
    async "a report of a check has no switch, and --after gives it one"(browser) {
        run(1, "check", "scene.obj", "--report", "plain.html", "--quiet");
        const plain = await openReport(browser, at("plain.html"));
        assert.equal(await plain.page.isVisible("#fixed"), false);
        assert.equal(readFileSync(at("plain.html"), "utf8").includes('data-block="after"'), false);
        await plain.page.keyboard.press("a");
        assert.deepEqual(plain.said, []);
        await plain.page.context().close();
        run(1, "check", "scene.obj", "--after", "fixed.obj", "--report", "both.html", "--quiet");
        const both = await openReport(browser, at("both.html"));
        assert.equal(await both.page.isVisible("#fixed"), true);
        await both.page.context().close();
    },
};

const browser = await startBrowser();
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
    const began = performance.now();
    try {
        await test(browser);
        console.log(`ok   ${name} (${Math.round(performance.now() - began)} ms)`);
    } catch (error) {
        failed++;
        console.log(`FAIL ${name}\n${error.stack}`);
    }
}
await browser.close();
rmSync(folder, { recursive: true });
process.exit(failed ? 1 : 0);
