#!/usr/bin/env node
// npx snag check FILE: the tool, with Node's files. Options, output and exit codes are those of the native one.
import { readFileSync, readSync, writeSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { nodeFiles, toInside } from "../src/files-node.js";
import { compileTool, runTool } from "../src/tool.js";

// Writes all, also to a pipe that is full for a moment.
function write(fd, bytes) {
    for (let done = 0; done < bytes.length; ) {
        try {
            done += writeSync(fd, bytes, done);
        } catch (error) {
            if (error.code !== "EAGAIN") throw error;
        }
    }
}

function readInput() {
    const room = new Uint8Array(65536);
    for (;;) {
        try {
            return room.subarray(0, readSync(0, room));
        } catch (error) {
            if (error.code === "EOF") return room.subarray(0, 0);
            if (error.code !== "EAGAIN") throw error;
        }
    }
}

// The parts of the report page, which only --report needs.
function page() {
    const folder = new URL("../page/", import.meta.url);
    return ["top", "end"].map((part) => gunzipSync(readFileSync(new URL(`${part}.gz`, folder))));
}

try {
    process.exitCode = runTool(await compileTool(), process.argv.slice(2).map(toInside), {
        files: nodeFiles,
        env: process.env,
        folder: toInside(process.cwd()),
        stdin: readInput,
        stdout: (bytes) => write(1, bytes),
        stderr: (bytes) => write(2, bytes),
        terminal: process.stderr.isTTY === true,
        page,
    });
} catch (error) {
    console.error(`snag: ${error.message}`);
    process.exitCode = 2;
}
