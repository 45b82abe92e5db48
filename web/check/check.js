// The page that checks: files in, the report out. The tool itself does the work, as WebAssembly in a worker (worker.js); the report is
// the very page that `snag check --report` writes.
import { argumentsOf, filesOfDrop, filesOfList, MOST_BYTES } from "./inputs.js";
import { sampleFiles } from "./sample.js";

const $ = (id) => document.getElementById(id);

// ---- what the page carries ----

function bytesOfBase64(text) {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

async function carried(name) {
    const element = document.querySelector(`script[data-carried="${name}"]`);
    if (!element) throw new Error("This file is cut off: its end is missing. Copy or download it again.");
    const stream = new Blob([bytesOfBase64(element.textContent)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

const once = (make) => {
    let made = null;
    return () => (made ??= make());
};
const settings = once(async () => JSON.parse(new TextDecoder().decode(await carried("settings"))));
const page = once(() => Promise.all([carried("top"), carried("end")]));
const workerUrl = once(async () => URL.createObjectURL(new Blob([await carried("worker")], { type: "text/javascript" })));
const modules = once(async () => {
    const parts = await Promise.all(["tool", "tool-files", "tool-more"].map(carried));
    if (!parts.every((bytes) => WebAssembly.validate(bytes))) throw new Error("This browser cannot run snag: it lacks WebAssembly with 128-bit vectors (SIMD). Use a current Chrome, Edge, Firefox or Safari (16.4 or later), or `npx snag check` in a terminal.");
    return Promise.all(parts.map((bytes) => WebAssembly.compile(bytes)));
});

// ---- running the tool ----

let worker = null;

function stop() {
    worker?.terminate();
    worker = null;
}

// Runs the tool in a worker of its own, so that cancelling it is ending it. Resolves to { code, stdout, stderr, written }.
async function run(list, args) {
    const given = { modules: await modules(), list, args, page: await page() };
    stop();
    const running = new Worker(await workerUrl());
    worker = running;
    return new Promise((resolve, reject) => {
        running.onerror = (event) => reject(new Error(`snag stopped: ${event.message || "out of memory"}`));
        running.onmessage = ({ data }) => {
            if (data.progress !== undefined) {
                $("progress").value = data.progress;
                return;
            }
            if (worker === running) stop();
            if (data.error) reject(new Error(data.error));
            else resolve(data);
        };
        running.postMessage(given);
    });
}

// ---- what is shown ----

const state = { list: [], report: null, url: null, name: "" };

function show(name) {
    document.body.dataset.state = name;
    for (const id of ["again", "save", "other"]) $(id).hidden = name !== "found";
    if (name !== "found") $("fix").hidden = true;
}

function trouble(words) {
    $("message").textContent = words;
    show("trouble");
}

function showReport(bytes) {
    state.report = new Blob([bytes], { type: "text/html" });
    if (state.url) URL.revokeObjectURL(state.url);
    state.url = URL.createObjectURL(state.report);
    $("report").src = state.url;
}

function plural(n, word) {
    return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
}

function describe(json) {
    const total = json.contacts_total;
    $("count").textContent = total ? plural(total, "contact") : json.complete ? "clean" : "no contacts found so far";
    $("count").className = total ? "found" : json.complete ? "clean" : "";
    $("count").dataset.contacts = total;
    const frames = json.frames.length > 1 ? ` in ${plural(json.frames.length, "frame")}` : "";
    $("about").textContent = `${frames} · ${json.questions.join(" and ")} · ${json.bodies.map((body) => body.name).join(", ")}`;
}

// The tool's own words, without its name in front.
function words(stderr) {
    return stderr.replace(/^snag( check| fix)?: /gm, "").trim();
}

function chosenOptions() {
    const args = [];
    if ($("question").value) args.push("--question", $("question").value);
    if (!$("distance-row").hidden && $("distance").value !== "") args.push("--distance", $("distance").value);
    if ($("sequence").checked) args.push("--sequence");
    return args;
}

async function check(list) {
    try {
        state.list = list;
        const bytes = list.reduce((sum, { file }) => sum + file.size, 0);
        if (bytes > MOST_BYTES) throw new Error(`These files have ${(bytes / 2 ** 30).toFixed(1)} GB. A page has 4 GB of memory at most, and the mesh must fit beside its file. Use the native tool for them: snag check.`);
        const inputs = argumentsOf(list, await settings());
        state.name = inputs[0].replace(/^.*\//, "").replace(/\..*$/, "");
        $("doing").textContent = `Checking ${inputs.slice(0, 3).join(", ")}${inputs.length > 3 ? ` and ${inputs.length - 3} more` : ""} …`;
        $("progress").removeAttribute("value");
        show("busy");
        const made = await run(list, ["check", "--json", "--report", "/out/report.html", ...chosenOptions(), ...inputs]);
        const report = made.written.find(([name]) => name === "report.html")?.[1];
        if (made.code === 2 && !report) return trouble(words(made.stderr) || "snag ended with an error");
        showReport(report);
        describe(JSON.parse(made.stdout));
        $("notes").textContent = words(made.stderr);
        $("notes").hidden = !$("notes").textContent;
        show("found");
        $("fix").hidden = !((await settings()).fixes && inputs.length === 1 && made.code === 1);
    } catch (error) {
        trouble(error.message);
    }
}

function download(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// `snag fix` on the file, which is then saved; the page shows the fixed one.
async function fix() {
    try {
        const [input] = argumentsOf(state.list, await settings());
        const name = input.replace(/^.*\//, "").replace(/(\.[^.]*(\.gz)?)$/, "-fixed$1");
        $("doing").textContent = `Fixing ${input} …`;
        $("progress").removeAttribute("value");
        show("busy");
        const made = await run(state.list, ["fix", input, "-o", `/out/${name}`]);
        const fixed = made.written.find(([written]) => written === name)?.[1];
        if (!fixed) return trouble(words(made.stderr || made.stdout) || "snag could not fix it");
        const file = new Blob([fixed]);
        download(file, name);
        await check([{ path: name, file }]);
    } catch (error) {
        trouble(error.message);
    }
}

// ---- controls ----

function start() {
    const prevent = (event) => event.preventDefault();
    for (const type of ["dragenter", "dragover"])
        addEventListener(type, (event) => {
            prevent(event);
            document.body.classList.add("over");
        });
    addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("over"));
    addEventListener("drop", async (event) => {
        prevent(event);
        document.body.classList.remove("over");
        const list = filesOfDrop(event.dataTransfer);
        try {
            await check(await list);
        } catch (error) {
            trouble(error.message);
        }
    });
    for (const [button, input] of [["choose", "files"], ["choose-folder", "folder"]]) {
        $(button).addEventListener("click", () => $(input).click());
        $(input).addEventListener("change", () => {
            const list = filesOfList($(input).files);
            $(input).value = "";
            if (list.length) check(list);
        });
    }
    $("sample").addEventListener("click", () => check(sampleFiles()));
    $("again").addEventListener("click", () => check(state.list));
    $("fix").addEventListener("click", fix);
    $("save").addEventListener("click", () => download(state.report, `${state.name}-report.html`));
    for (const id of ["other", "back"]) $(id).addEventListener("click", () => show("empty"));
    $("cancel").addEventListener("click", () => {
        stop();
        show("empty");
    });
    $("question").addEventListener("change", () => {
        $("distance-row").hidden = !["proximities", "distance"].includes($("question").value);
        if (document.body.dataset.state === "found") check(state.list);
    });
    settings().then(({ meshes, caches }) => ($("endings").textContent = `Reads ${[...meshes, ...caches].join(" ")}`), (error) => trouble(error.message));
}

start();
