// Starts Debian's chromium without a window, with graphics in software, and opens reports in it.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const { chromium } = createRequire(join(root, "web/package.json"))("playwright-core");

export async function startBrowser() {
    const executablePath = execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
    const args = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
    if (process.getuid() === 0) args.push("--no-sandbox");
    return chromium.launch({ executablePath, args });
}

// Opens a report and waits until it is shown. `said` collects errors and warnings of the page, and whatever it asks of a network.
export async function openReport(browser, path, options = {}) {
    const context = await browser.newContext({ viewport: { width: 960, height: 600 }, ...options });
    // A busy machine is no fault of the page.
    context.setDefaultTimeout(300000);
    const page = await context.newPage();
    const said = [];
    page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") said.push(message.text());
    });
    page.on("pageerror", (error) => said.push(error.message));
    page.on("request", (request) => {
        if (!/^(file|data|blob):/.test(request.url())) said.push(`request: ${request.url()}`);
    });
    await page.goto(`file://${path}`);
    await page.waitForFunction(() => window.snagReport || !document.body.classList.contains("loading"));
    return { page, said };
}
