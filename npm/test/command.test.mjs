// npx snag: the tool's options, output, files and exit codes; and the tool as a function.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { tool } from "snag/tool";

const folder = mkdtempSync(join(tmpdir(), "snag-"));
const OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 0.8 0.9 1\nf 1 2 3\nf 4 5 6\n";
writeFileSync(join(folder, "dress.obj"), OBJ);
writeFileSync(join(folder, "clean.obj"), OBJ.replaceAll("0.2 0.2", "5 5"));
const bin = join(process.cwd(), "node_modules", ".bin", "snag");
const snag = (args, options = {}) => spawnSync(bin, args, { cwd: folder, encoding: "utf8", ...options });
const native = process.env.SNAG_SOURCE && join(process.env.SNAG_SOURCE, "build", "snag");

test("exit codes and output", () => {
    const found = snag(["check", "dress.obj"]);
    assert.equal(found.status, 1);
    assert.match(found.stdout, /1 contact/);
    assert.equal(snag(["check", "clean.obj"]).status, 0);
    const missing = snag(["check", "nowhere.obj"]);
    assert.equal(missing.status, 2);
    assert.match(missing.stderr, /nowhere\.obj/);
    assert.match(snag(["chekc"]).stderr, /did you mean/);
    assert.match(snag(["check", "--help"]).stdout, /--question/);
    assert.match(snag(["--version"]).stdout, /^snag 0\./);
    assert.equal(snag(["check", "-"], { input: OBJ }).status, 1);
    assert.equal(snag(["repro"]).status, 2);
});

test("files that it writes", () => {
    assert.equal(snag(["check", "dress.obj", "--report", "report.html", "--pairs", "pairs.csv", "--json"]).status, 1);
    assert.match(readFileSync(join(folder, "pairs.csv"), "utf8"), /t0,dress,t1,crossing/);
    const report = readFileSync(join(folder, "report.html"), "utf8");
    assert.ok(report.startsWith("<!doctype html>") && report.includes('data-block="mesh"') && report.trimEnd().endsWith("</html>"));
    assert.ok(!existsSync(join(folder, "report.html.part0")));
    symlinkSync(join(folder, "dress.obj"), join(folder, "link.obj"));
    assert.equal(snag(["check", "link.obj"]).status, 1);
    assert.notEqual(snag(["check", "dress.obj", "--pairs", "no/such/folder.csv"]).status, 1);
});

test("the same words and files as the native tool", { skip: !native || !existsSync(native) }, () => {
    const both = [["check", "dress.obj"], ["check", "--json", "dress.obj", "clean.obj"], ["info", "dress.obj"], ["check", "--question", "proximities", "dress.obj"], ["check", "--no-self", "--no-between", "dress.obj"], ["check", "--help"]];
    // Times and numbers of threads differ from run to run, and pointers have half the size.
    const plain = (text) => text.replace(/[\d.e-]+ s\b/g, "S").replace(/"ms": [\d.e+-]+/g, '"ms"').replace(/\d+ threads?/g, "T").replace(/"threads": \d+/g, "T").replace(/\d+ bytes in memory/g, "B");
    for (const args of both) {
        const ours = snag(args);
        const theirs = spawnSync(native, args, { cwd: folder, encoding: "utf8" });
        assert.deepEqual([ours.status, plain(ours.stdout), plain(ours.stderr)], [theirs.status, plain(theirs.stdout), plain(theirs.stderr).replaceAll(native, "snag")], args.join(" "));
    }
    const report = (run, name) => (run(["check", "dress.obj", "--pairs", name]), readFileSync(join(folder, name), "utf8"));
    assert.equal(report(snag, "a.csv"), report((args) => spawnSync(native, args, { cwd: folder }), "b.csv"));
});

test("the tool as a function, on files in memory", async () => {
    const seen = [];
    const made = await tool(["check", "--json", "--pairs", "pairs.csv", "dress.obj"], { files: { "dress.obj": new TextEncoder().encode(OBJ) }, onProgress: (done) => void seen.push(done) });
    assert.equal(made.code, 1);
    assert.equal(JSON.parse(made.stdout).contacts_total, 1);
    assert.deepEqual(Object.keys(made.files), ["pairs.csv"]);
    const stopped = await tool(["check", "dress.obj"], { files: { "dress.obj": new TextEncoder().encode(OBJ) }, onProgress: () => false });
    assert.ok(stopped.code === 2 || stopped.code === 1);
});

test("a pipe that is closed early does not hang", () => {
    execFileSync("sh", ["-c", `${bin} check --help | head -1`], { cwd: folder, stdio: "pipe" });
});
