// The worker of the page: runs the tool on the files that were dropped.
import { MemoryFiles, runTool } from "../../npm/src/tool.js";

const PROGRESS_MS = 40;

// A drop may hold a thousand frames: all are read before the tool runs, which asks for them without waiting.
async function readAll(files, list) {
    for (const { path, file } of list) files.add(`/in/${path}`, new Uint8Array(await file.arrayBuffer()));
}

self.onmessage = async ({ data: { modules, list, args, page } }) => {
    try {
        const files = new MemoryFiles();
        files.makeFolder("/out");
        await readAll(files, list);
        const texts = { stdout: "", stderr: "" };
        const decoder = { stdout: new TextDecoder(), stderr: new TextDecoder() };
        const put = (name) => (bytes) => (texts[name] += decoder[name].decode(bytes, { stream: true }));
        let last = 0;
        const code = runTool(modules, args, {
            files,
            folder: "/in",
            page,
            stdout: put("stdout"),
            stderr: put("stderr"),
            onProgress(done) {
                const now = performance.now();
                if (now - last > PROGRESS_MS) self.postMessage({ progress: done });
                if (now - last > PROGRESS_MS) last = now;
                return true;
            },
        });
        const written = [...files.files].filter(([name]) => name.startsWith("/out/")).map(([name, contents]) => [name.slice(5), contents.bytes.slice()]);
        self.postMessage({ code, ...texts, written }, written.map(([, bytes]) => bytes.buffer));
    } catch (error) {
        self.postMessage({ error: error.message });
    }
};
