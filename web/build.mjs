// Bundles the page and writes it as a C source: what stands before the report's blocks, and what stands after them.
// usage: node build.mjs OUT.c             for the native tool
//        node build.mjs --parts FOLDER    the two parts as top.gz and end.gz, for the npm package and the page that checks
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const [first, folder] = process.argv.slice(2);
if (!first || (first === "--parts" && !folder)) {
    console.error("usage: node build.mjs OUT.c | --parts FOLDER");
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
const bottom = end.replace("/* script */", () => script);
if (first === "--parts") {
    await mkdir(folder, { recursive: true });
    for (const [name, text] of [["top", top], ["end", bottom]]) await writeFile(join(folder, `${name}.gz`), gzipSync(text, { level: 9 }));
} else {
    await writeFile(
        first,
        "// Made from web/ by build.mjs.\n#include <stddef.h>\n" + cArray("snag__page_top", top) + cArray("snag__page_end", bottom),
    );
}
