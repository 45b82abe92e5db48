// Opens reports in chromium and takes pictures of them: see script/pictures.
// usage: pictures.mjs film REPORT FOLDER          one picture for each frame, then a flight to the worst place
//        pictures.mjs still REPORT FRAME FILE.png [TURN]  the view at a frame, without the controls, turned by so many degrees; FRAME may be
//                                                         worst
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openReport, startBrowser } from "../../test/web/browser.mjs";

const [what, report, third, fourth, turn = "0"] = process.argv.slice(2);
const browser = await startBrowser();
const settle = (page) => page.waitForFunction(() => !snagReport.view.flight && !snagReport.view.pending);

async function film() {
    mkdirSync(third, { recursive: true });
    const { page } = await openReport(browser, `${report}#frame=0`, { viewport: { width: 860, height: 540 }, colorScheme: "light" });
    let taken = 0;
    const take = async () => page.screenshot({ path: join(third, `${String(taken++).padStart(3, "0")}.png`) });
    await page.evaluate(() => snagReport.choosePlace(0));
    // From where the whole scene is seen in every frame.
    await page.evaluate(() => {
        const { view } = snagReport;
        view.home(false);
        // The cloth begins wide and ends small: nearer than all of it would need.
        const { camera, controls } = view;
        view.look(camera.position.clone().sub(controls.target).multiplyScalar(0.62).add(controls.target).toArray(), controls.target.toArray());
    });
    const frames = await page.evaluate(() => snagReport.report.frameCount);
    for (let i = 0; i < frames; i++) {
        await page.evaluate(async (place) => {
            await snagReport.go(place);
            snagReport.view.drawInFull();
        }, i);
        await take();
    }
    const worst = await page.evaluate(() => snagReport.report.json.places[0].id);
    const from = await page.evaluate(() => [...snagReport.view.camera.position, ...snagReport.view.controls.target]);
    await page.evaluate(async (id) => snagReport.choosePlace(id), worst);
    await settle(page);
    await page.evaluate(() => snagReport.choose(-1, false));
    const to = await page.evaluate(() => [...snagReport.view.camera.position, ...snagReport.view.controls.target]);
    for (let i = 1; i <= 10; i++) {
        const part = 1 - (1 - i / 10) ** 3;
        const now = from.map((x, k) => x + part * (to[k] - x));
        await page.evaluate((n) => {
            snagReport.view.look(n.slice(0, 3), n.slice(3));
            snagReport.view.drawInFull();
        }, now);
        await take();
    }
}

async function still() {
    const { page } = await openReport(browser, report, { viewport: { width: 1180, height: 620 }, colorScheme: "light" });
    await page.evaluate(async ([frame, degrees]) => {
        const { report: told } = snagReport;
        if (frame !== "worst") await snagReport.go(told.frames.findIndex((f) => f.frame === Number(frame)));
        snagReport.choose(-1, false);
        const { view } = snagReport;
        view.home(false);
        // As near as the bodies of this frame allow.
        const low = [Infinity, Infinity, Infinity];
        const high = [-Infinity, -Infinity, -Infinity];
        for (const xyz of view.positions)
            for (let i = 0; i < xyz.length; i++) {
                low[i % 3] = Math.min(low[i % 3], xyz[i]);
                high[i % 3] = Math.max(high[i % 3], xyz[i]);
            }
        const centre = low.map((x, k) => (x + high[k]) / 2);
        const towards = view.camera.position.clone().sub(view.controls.target).normalize().applyAxisAngle(view.camera.up, (degrees * Math.PI) / 180);
        const far = 0.92 * view.distanceToSee(towards, low.map((x, k) => (high[k] - x) / 2));
        view.look(towards.toArray().map((x, k) => centre[k] + far * x), centre);
        snagReport.view.drawInFull();
        document.querySelector(".tools").hidden = true;
    }, [third, Number(turn)]);
    await page.locator("#stage").screenshot({ path: fourth });
}

await (what === "film" ? film() : still());
await browser.close();
