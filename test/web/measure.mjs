// How large a report of 100,000 triangles over 60 frames is, how long it takes to load, and how fast it turns in chromium here,
// drawn in software. A command of its own, not a test: node test/web/measure.mjs BUILD/snag
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openReport, startBrowser } from "./browser.mjs";
import { sheet, writeObj, writePc2 } from "./scenes.mjs";

const FRAMES = 60;
const SIDE = 224;  // 100,352 triangles

// A cloth that sinks onto itself in waves, every vertex on a way of its own.
function place(x, y, f) {
    const t = f / FRAMES;
    const fold = Math.sin(14 * x + 6 * t) * Math.cos(11 * y - 3 * t);
    const tremble = 0.0005 * Math.sin(1000 * x * y + 50 * t);
    return [x + 0.04 * t * Math.sin(23 * y + 9 * t), y + 0.06 * t * Math.sin(31 * x), 0.12 * t * fold + tremble];
}

const tool = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), "snag-measure-"));
const flat = sheet(SIDE, () => 0);
writeObj(join(folder, "cloth.obj"), [{ name: "cloth", ...flat }]);
writePc2(
    join(folder, "cloth.pc2"),
    Array.from({ length: FRAMES }, (_, f) => {
        const frame = [];
        for (let i = 0; i < flat.places.length; i += 3) frame.push(...place(flat.places[i], flat.places[i + 1], f));
        return frame;
    }),
);
const report = join(folder, "cloth.html");
const began = performance.now();
const run = spawnSync(tool, ["check", "--json", "cloth.obj", "cloth.pc2", "--report", report], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
if (run.status > 1) throw new Error(run.stderr);
console.log(`written in ${((performance.now() - began) / 1000).toFixed(1)} s, ${JSON.parse(run.stdout).contacts_total} contacts`);
console.log(`size ${(statSync(report).size / 1e6).toFixed(1)} MB (at most 60)`);

const browser = await startBrowser();
async function load(when) {
    const opened = await openReport(browser, report, { viewport: { width: 1280, height: 800 } });
    const shown = await opened.page.evaluate(() => {
        // Reading a pixel waits until the picture is there.
        const gl = snagReport.view.renderer.getContext();
        snagReport.view.render();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
        return performance.now();
    });
    console.log(`load ${(shown / 1000).toFixed(2)} s to the first picture (at most 3), ${when}`);
    return opened;
}
const first = await load("in a browser that was just started");
await first.page.context().close();
const { page, said } = await load("in one that has drawn before");

// Turns around the scene as a drag does: a second to find out how much to draw, then three that count.
const turned = await page.evaluate(
    () =>
        new Promise((done) => {
            const { view } = snagReport;
            view.home(false);
            view.startMoving();
            const times = [];
            const start = performance.now();
            const step = (now) => {
                if (now - start > 1000) times.push(now);
                if (now - start > 4000) {
                    const fps = (1000 * (times.length - 1)) / (times.at(-1) - times[0]);
                    return done({ fps, pixels: view.pixels, width: view.width, height: view.height });
                }
                view.controls._rotateLeft(0.02);
                view.controls.update();
                view.draw();
                requestAnimationFrame(step);
            };
            requestAnimationFrame(step);
        }),
);
console.log(`turns at ${turned.fps.toFixed(0)} frames a second (at least 30), ${turned.width} x ${turned.height}, at ${Math.round(100 * turned.pixels)} % of the resolution`);

const played = await page.evaluate(async () => {
    const start = performance.now();
    for (let i = 0; i < 60; i++) await snagReport.go(i);
    return 60000 / (performance.now() - start);
});
console.log(`goes through ${played.toFixed(0)} frames a second`);
if (said.length) console.log(said.join("\n"));
await browser.close();
rmSync(folder, { recursive: true });
