// Builds the page that checks: one HTML file with the tool, its worker and the report page inside, which also opens from disk.
// usage: node web/check/build.mjs OUT.html      after script/npm, which makes the modules
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync, gunzipSync } from "node:zlib";
import { build } from "esbuild";
import { endings } from "../../npm/src/read.js";
import { tool } from "../../npm/src/tool.js";

const here = dirname(fileURLToPath(import.meta.url));
const npm = join(here, "..", "..", "npm");
const out = process.argv[2];
if (!out) {
    console.error("usage: node web/check/build.mjs OUT.html");
    process.exit(2);
}

async function bundle(entry) {
    const options = { entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, format: "iife", target: "es2022", charset: "ascii", logLevel: "error", external: ["node:*"], define: { "import.meta.url": '"file:///"' } };
    return (await build(options)).outputFiles[0].text;
}

function carry(name, bytes) {
    return `<script type="application/x-snag" data-carried="${name}">${deflateRawSync(bytes, { level: 9 }).toString("base64")}</script>\n`;
}

// Which files it reads, and whether it can fix, says the tool.
const { meshes, caches } = await endings();
const TOOL = ["tool", "tool-files", "tool-more"];
const modules = await Promise.all(TOOL.map((name) => readFile(join(npm, "wasm", `snag-${name}.wasm`))));
const overview = await tool(["--help"], { wasm: modules });
const settings = { meshes, caches, fixes: /^\s+(snag )?fix\b/m.test(overview.stdout) };
const parts = {
    settings: Buffer.from(JSON.stringify(settings)),
    worker: Buffer.from(await bundle("worker.js")),
    top: gunzipSync(await readFile(join(npm, "page", "top.gz"))),
    end: gunzipSync(await readFile(join(npm, "page", "end.gz"))),
    ...Object.fromEntries(TOOL.map((name, i) => [name, modules[i]])),
};
const [script, style] = [await bundle("check.js"), await bundle("style.css")];
if (/<\/script|<!--/i.test(script)) throw new Error("the bundle holds an end of <script>");
const page = (await readFile(join(here, "page.html"), "utf8"))
    .replace("/* style */", () => style)
    .replace("<!-- blocks -->\n", () => Object.entries(parts).map(([name, bytes]) => carry(name, bytes)).join(""))
    .replace("/* script */", () => script);
await writeFile(out, page);
