// Bundles the page and writes it as a C source: what stands before the report's blocks, and what stands after them.
// usage: node build.mjs OUT.c
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out) {
    console.error("usage: node build.mjs OUT.c");
    process.exit(2);
}

async function bundle(entry) {
    const made = await build({
        entryPoints: [join(here, "src", entry)],
        bundle: true,
        minify: true,
        write: false,
        format: "iife",
        target: "es2022",
        charset: "ascii",
        legalComments: "inline",
        logLevel: "warning",
    });
    return made.outputFiles[0].text;
}

// Nothing in the bundle may end the element that it stands in, or begin a comment that hides its end.
function fitForElement(text, element) {
    if (new RegExp(`</${element}|<!--`, "i").test(text)) throw new Error(`the bundle holds an end of <${element}>`);
    return text;
}

function cArray(name, text) {
    const bytes = Buffer.from(text, "utf8");
    const lines = [];
    for (let i = 0; i < bytes.length; i += 32) lines.push(Array.from(bytes.subarray(i, i + 32)).join(","));
    return (
        `extern const unsigned char ${name}[];\nextern const size_t ${name}_size;\n` +
        `const unsigned char ${name}[] = {\n${lines.join(",\n")}\n};\nconst size_t ${name}_size = ${bytes.length};\n`
    );
}

const script = fitForElement(await bundle("main.js"), "script");
const style = fitForElement(await bundle("style.css"), "style");
const page = await readFile(join(here, "src", "page.html"), "utf8");
const [top, end] = page.replace("/* style */", () => style).split("<!-- blocks -->\n");
if (end === undefined) throw new Error("page.html does not say where its blocks go");
await writeFile(
    out,
    "// Made from web/ by build.mjs.\n#include <stddef.h>\n" +
        cArray("snag__page_top", top) +
        cArray("snag__page_end", end.replace("/* script */", () => script)),
);
