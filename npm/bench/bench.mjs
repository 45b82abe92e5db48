// Self-intersections of one mesh in Node: snag as WebAssembly (with vectors and without), the native library with vectors of the same
// width (also of none: build-novectors, which script/npm bench makes), and three-mesh-bvh, in turns in one run. Times are processor time, the least of the repetitions: other load only adds.
// usage: node npm/bench/bench.mjs [MESH]      after script/npm and script/build; cloth-ball of ../shared/data, or a folded sheet
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BufferAttribute, BufferGeometry, Matrix4 } from "three";
import { MeshBVH } from "three-mesh-bvh";
import { foldedSheet } from "../test/sheet.mjs";
import { load, readMesh, World } from "../src/snag.js";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const data = process.env.SNAG_DATA ?? join(root, "..", "shared", "data");
const scratch = mkdtempSync(join(tmpdir(), "snag-bench-"));

function sheetFile() {
    const { positions, triangles } = foldedSheet(215);
    const rows = (array, letter, more) => Array.from({ length: array.length / 3 }, (_, i) => `${letter} ${[0, 1, 2].map((k) => array[3 * i + k] + more).join(" ")}`);
    const path = join(scratch, "sheet.obj");
    writeFileSync(path, [...rows(positions, "v", 0), ...rows(triangles, "f", 1)].join("\n"));
    return path;
}
const clothBall = join(data, "ccd_scenes/cloth-ball/frames/cloth_ball92.ply");
const path = process.argv[2] ?? (existsSync(clothBall) ? clothBall : sheetFile());
const [body] = (await readMesh(readFileSync(path), basename(path))).bodies;
const triangles = body.triangles ?? new Uint32Array(0);

const cpu = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
function timed(act) {
    const start = cpu();
    const result = act();
    return [cpu() - start, result];
}

// ---- the contestants: each returns [milliseconds of one step, contacts] ----

async function wasm(simd, output) {
    await load({ simd });
    const world = new World();
    const sheet = world.add(body);
    return () => timed(() => {
        sheet.move(body.positions);
        return world.intersections({ output }).length;
    });
}

function native(isa, folder = "build") {
    const program = join(scratch, `native-${folder}`);
    const library = join(root, folder);
    if (!existsSync(join(library, "libsnag.so"))) return null;
    execFileSync("cc", ["-std=gnu17", "-O2", `-I${root}/include`, `${root}/npm/bench/native.c`, `-L${library}`, `-Wl,-rpath,${library}`, "-lsnag_io", "-lsnag", "-o", program]);
    return () => {
        const run = spawnSync(program, [path, "8", isa], { encoding: "utf8" });
        if (run.status !== 0) throw new Error(run.stderr);
        return [Math.min(...run.stdout.trim().split("\n").slice(2).map(Number)), Number(run.stderr)];
    };
}

// Refits its tree and tests all pairs of triangles whose boxes meet and that share no vertex.
function meshBvh() {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(Float32Array.from(body.positions), 3));
    geometry.setIndex(new BufferAttribute(triangles.slice(), 1));
    const bvh = new MeshBVH(geometry);
    const index = geometry.index.array;
    const identity = new Matrix4();
    const sharesVertex = (i, j) => {
        for (let k = 0; k < 3; k++) for (let l = 0; l < 3; l++) if (index[3 * i + k] === index[3 * j + l]) return true;
        return false;
    };
    return () => timed(() => {
        let found = 0;
        bvh.refit();
        bvh.bvhcast(bvh, identity, {
            intersectsTriangles(a, b, i, j) {
                if (i < j && !sharesVertex(i, j) && a.intersectsTriangle(b)) found++;
                return false;
            },
        });
        return found;
    });
}

// three-mesh-bvh lists pairs, and nothing about them: so does snag beside it.
const contestants = { "snag, wasm simd128": await wasm(true, "contacts"), "  the same, pairs only": await wasm(true, "pairs"), "snag, wasm scalar": await wasm(false, "contacts"), "snag, native x86-64-v2": native("x86-64-v2"), "snag, native scalar": native("scalar"), "  without any vectors": native("scalar", "build-novectors"), "three-mesh-bvh 0.9": meshBvh() };
const best = {};
const found = {};
const ROUNDS = Number(process.env.ROUNDS ?? 6);
for (let round = 0; round < ROUNDS; round++)
    for (const [name, step] of Object.entries(contestants)) {
        if (!step || (name.startsWith("three") && round > 1)) continue;
        const repeats = /wasm|same/.test(name) ? 4 : 1;
        for (let i = 0; i < repeats; i++) {
            const [ms, contacts] = step();
            best[name] = Math.min(best[name] ?? Infinity, ms);
            found[name] = contacts;
        }
    }

await load({ simd: true });
const apart = new World();
apart.add(body);
const separate = [...apart.intersections()].filter(({ shared }) => shared === 0).length;
console.log(`${basename(path)}: ${(triangles.length / 3).toLocaleString("en")} triangles, self-intersections, one thread, Node ${process.version}`);
for (const [name, ms] of Object.entries(best)) console.log(`${name.padEnd(24)} ${ms.toFixed(1).padStart(9)} ms ${String(found[name]).padStart(8)} contacts`);
const ratio = (a, b) => (best[a] && best[b] ? (best[a] / best[b]).toFixed(2) : "-");
console.log(`wasm / native, 128-bit:       ${ratio("snag, wasm simd128", "snag, native x86-64-v2")}   (bar: at most 3)`);
// GCC makes 128-bit vectors of the native scalar code, also of kernels: the same width as scalar modules have is none at all.
console.log(`wasm / native, no vectors:    ${ratio("snag, wasm scalar", "  without any vectors")}   (bar: at most 3); beside scalar code that GCC vectorised ${ratio("snag, wasm scalar", "snag, native scalar")}`);
console.log(`three-mesh-bvh / wasm:        ${ratio("three-mesh-bvh 0.9", "  the same, pairs only")}   (bar: at least 20)`);
console.log(`pairs without a shared vertex: snag ${separate}, three-mesh-bvh ${found["three-mesh-bvh 0.9"]} (float arithmetic, no exact test; it does not look at pairs that share a vertex)`);
