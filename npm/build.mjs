// Writes build-wasm/build.ninja, which compiles the modules of the package with clang and wasi-libc, and runs it.
//
//     snag.wasm         the library with 128-bit vectors      snag-scalar.wasm        the same without
//     snag-more.wasm    its calls beside questions            snag-scalar-more.wasm   the same without
//     snag-io.wasm      the readers of mesh files
//     snag-tool.wasm    the command-line tool, with all of it: with snag-tool-files.wasm and snag-tool-more.wasm one program
//     golden*.wasm      test/golden, for the tests
//
// usage: node npm/build.mjs [TARGET...]      ZLIB names the folder of zlib's sources (script/npm fetches them)
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, "build-wasm");
const zlib = process.env.ZLIB ?? join(out, "zlib");
process.chdir(root);

const launcher = process.env.CMAKE_C_COMPILER_LAUNCHER ?? "";
const base = [
    "--target=wasm32-wasi -std=c17 -ffp-contract=off -fvisibility=hidden -ffunction-sections -fdata-sections",
    "-mbulk-memory -mnontrapping-fptoint -msign-ext -ftls-model=local-exec", // else errno's model is one that needs a dynamic linker
    "-Iinclude -I. -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_SIGNAL -Wno-psabi",
].join(" ");
const SIMD = "-msimd128 -DSNAG_ONLY_SIMD128=1";
// Code outside of the kernels is small: a module is downloaded. Kernels and what they call back are where the time goes.
const SMALL = "-Oz";
const FAST = "-O2"; // -O3 makes modules 70 KB larger, and nothing faster
const HOT = /^src\/geom\/(?!(.*_)?exact\.c|impact_(gap|hulls)\.c)/; // tests of single pairs, but those by integers, which few pairs need

const sources = (...folders) => folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith(".c")).sort().map((name) => `${folder}/${name}`));
// assimp, with the processes that it runs in, is not for a browser; tool.c has
// the terminal that a module sees.
const LEFT_OUT = new Set(["io/assimp.c", "io/isolate.c", "cli/main.c", "cli/terminal.c"]);

// Modules are downloaded: none is large. split.mjs makes modules of their own of these objects.
// Of the library, what asking questions does not need:
const MORE = "src_(response|probe|world_(queries|query_lists|derivatives|edit|candidates|collect|nested|place.*)|geom_(derivatives|ray)|mesh_edit)[_.]";
// Of the tool, files and what is made of them; and its verbs with what is called once a step, or by few.
const TOOL_FILES = "build-wasm/io/|/src_mesh_";
const TOOL_MORE = "build-wasm/(cli|sim)/|/src_(response|probe|world|geom_(derivatives|ray)|method_(active|hash|regions|regularity|spheres)|bound_surface_tree)[_.]";

const features = "--enable-bulk-memory --enable-simd --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals";
// Below 1024 lies the end of the stack: no object has an address that small.
const shrink = `${features} -Oz --low-memory-unused --strip-debug --strip-producers`;
const joinObjects = "clang-14 --target=wasm32-wasi $objects -o $out.full -Wl,--gc-sections,--stack-first,-z,stack-size=1048576 $flags -lwasi-emulated-mman";
const rules = [
    `rule cc\n  command = ${launcher} clang-14 ${base} $flags -MMD -MF $out.d -c $in -o $out\n  depfile = $out.d\n  deps = gcc\n  description = wasm $in`,
    `rule link\n  command = ${joinObjects} && wasm-opt ${shrink} $out.full -o $out\n  description = wasm $out`,
    `rule split\n  command = ${joinObjects.replaceAll("$out", "$whole")} -Wl,-Map=$whole.map && node npm/split.mjs $split -- ${shrink}\n  description = wasm $out`,
];
const edges = [];
const made = new Set();

// Compiles `files` with `flags` into a folder of its own; returns the objects.
function compile(kind, files, flagsOf) {
    return files.map((file) => {
        const object = join(out, kind, `${file.replace(/^\//, "").replaceAll("/", "_")}.o`);
        if (!made.has(object)) edges.push(`build ${object}: cc ${file.startsWith("/") ? file : join(root, file)}\n  flags = ${flagsOf(file)}`);
        made.add(object);
        return object;
    });
}

const layers = readFileSync("cmake/libraries.cmake", "utf8").match(/^set\(layers ([^)]*)\)/m)[1].split(/\s+/);
const core = sources(...layers.map((layer) => `src/${layer}`)).filter((file) => !LEFT_OUT.has(file));
function coreObjects(isa) {
    const wide = isa === "simd128" ? SIMD : "";
    const kernel = `-DSNAG_KERNEL_ISA=${isa}${isa === "scalar" ? " -DSNAG_KERNEL_SCALAR=1" : ""}`;
    return compile(isa, core, (file) => `-Isrc ${wide} ${file.endsWith("_kernel.c") ? `${FAST} ${kernel}` : HOT.test(file) ? "-O2" : SMALL}`);
}
const ioObjects = () => [
    ...compile("io", sources("io").filter((file) => !LEFT_OUT.has(file)), () => `${SMALL} -I${zlib}`),
    ...compile("io", ["adler32", "crc32", "deflate", "inffast", "inflate", "inftrees", "trees", "zutil"].map((name) => `${zlib}/${name}.c`), () => `${SMALL} -I${zlib} -w`),
];
const simObjects = () => compile("sim", sources("sim"), () => SMALL);

function link(name, objects, flags) {
    edges.push(`build ${join(out, name)}: link ${objects.join(" ")}\n  objects = ${objects.join(" ")}\n  flags = ${flags}`);
}
// parts: the modules beside the first and the patterns of what they hold.
function linkInParts(name, parts, objects, flags, options = "") {
    const first = join(out, name);
    const others = parts.map(([other]) => join(out, other));
    const split = `${options} ${first}.full ${first}.map ${first} ${parts.map(([, pattern], i) => `${others[i]} '${pattern.replaceAll("$", "$$")}'`).join(" ")}`;
    edges.push(`build ${first} ${others.join(" ")}: split ${objects.join(" ")} | npm/split.mjs\n  objects = ${objects.join(" ")}\n  flags = ${flags}\n  whole = ${first}\n  split = ${split}`);
}

// The public functions of headers, to be called from JavaScript.
function exportsOf(...headers) {
    const names = headers.flatMap((header) => [...readFileSync(`include/snag/${header}.h`, "utf8").matchAll(/^SNAG_API [^;(]*?(\bsnag_\w+)\(/gm)].map((found) => found[1]));
    return [...names, "malloc", "free"].map((name) => `-Wl,--export-if-defined=${name}`).join(" ");
}
// JavaScript makes the memory, so that it can say how much there may be.
const REACTOR = "-mexec-model=reactor -Wl,--import-memory";

export const LIBRARY_HEADERS = ["base", "world", "question", "mesh", "methods", "filter", "queries", "places", "edit", "candidates", "derivatives", "response"];
for (const [names, isa] of [[["snag.wasm", "snag-more.wasm"], "simd128"], [["snag-scalar.wasm", "snag-scalar-more.wasm"], "scalar"]])
    linkInParts(names[0], [[names[1], MORE]], [...coreObjects(isa), ...compile("js", ["npm/native/callbacks.c"], () => SMALL)], `${REACTOR} ${exportsOf(...LIBRARY_HEADERS)}`, "--keep-called");
link("snag-io.wasm", [...ioObjects(), ...coreObjects("scalar")], `${REACTOR} ${exportsOf("io")}`);
const toolParts = [["snag-tool-files.wasm", TOOL_FILES], ["snag-tool-more.wasm", TOOL_MORE]];
linkInParts("snag-tool.wasm", toolParts, [...coreObjects("simd128"), ...ioObjects(), ...simObjects(), ...compile("cli", [...sources("cli").filter((file) => !LEFT_OUT.has(file)), "cli/main.c", "npm/native/tool.c"], () => `${SMALL} -I${zlib} -DSNAG_REPORT=1`)], "-lwasi-emulated-signal");
const golden = ["test/golden/golden_api.c", "test/golden/golden_moves.c", "test/golden/golden_scenes.c", "test/golden/test_golden.c", "test/helpers/hard.c", "test/helpers/scenes.c", "test/helpers/soup.c", "test/helpers/surfaces.c"];
for (const isa of ["simd128", "scalar"])
    link(`golden-${isa}.wasm`, [...coreObjects(isa), ...ioObjects(), ...simObjects(), ...compile("golden", [...golden, ...sources("lab/papers", "sim/posed")], () => "-O1 -Isrc -Itest -Ibench -Ilab/papers -Isim/posed -Inpm/test/native")], "-lwasi-emulated-signal");

mkdirSync(out, { recursive: true });
writeFileSync(join(out, "build.ninja"), `builddir = ${out}\n${rules.join("\n")}\n${edges.join("\n")}\n`);
const targets = process.argv.slice(2).map((name) => join(out, name));
const wanted = targets.length ? targets : ["snag.wasm", "snag-scalar.wasm", "snag-io.wasm", "snag-tool.wasm"].map((name) => join(out, name));
process.exitCode = spawnSync("ninja", ["-f", join(out, "build.ninja"), "--quiet", ...wanted], { stdio: "inherit" }).status ?? 1;
