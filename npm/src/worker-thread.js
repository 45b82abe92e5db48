// The side of the worker: runs the calls of channel.js, one after the other, in a world of its own.
import { Answer } from "./answer.js";
import { Candidates } from "./candidates.js";
import { check } from "./check.js";
import { Exclusions } from "./filters.js";
import { fix } from "./fix.js";
import { SnagError } from "./memory.js";
import { load } from "./module.js";
import { packAnswer } from "./pack.js";
import { passed, passing } from "./passing.js";
import { Body, World } from "./world.js";

const PROGRESS_MS = 33; // no more messages than a page can draw

let flag = null; // shared with the other side: the number of the call that is to stop
let world = null;
const bodies = new Map();
const handles = new Map(); // candidates and exclusions, by number
let handleCount = 0;
let lastAnswer = null;

// Signal and progress for a call, in place of those that cannot be sent.
function watch(id, watched, post) {
    if (!watched) return {};
    let last = 0;
    return {
        signal: { get aborted() { return flag !== null && Atomics.load(flag, 0) === id; }, reason: { aborted: true } },
        onProgress(done) {
            const now = performance.now();
            if (now - last < PROGRESS_MS) return;
            last = now;
            post({ id, progress: done });
        },
    };
}

// An answer as a block to send.
function packed(answer) {
    const block = packAnswer(answer.world.memory, answer.struct);
    return { result: block, transfer: [block] };
}

// ---- calls of the world with bodies and handles among their values ----

function receive(value) {
    if (value.snagBody) {
        if (!bodies.has(value.snagBody)) throw new SnagError("body", "the body was removed");
        return bodies.get(value.snagBody);
    }
    if (value.snagHandle) {
        if (!handles.has(value.snagHandle)) throw new SnagError("argument", "the candidates or exclusions were disposed");
        return handles.get(value.snagHandle);
    }
    return undefined;
}
function send(value) {
    if (value instanceof Body) return { snagBody: value.id[0] };
    if (value instanceof Candidates || value instanceof Exclusions) {
        handles.set(++handleCount, value);
        return { snagHandle: handleCount, type: value instanceof Candidates ? "candidates" : "exclusions" };
    }
    return undefined;
}
function answerThere() {
    if (!lastAnswer) throw new SnagError("argument", "ask a question first");
    return lastAnswer;
}

// What a name does; the others are functions of the world.
const PASSED = {
    info: (watching, body) => Object.fromEntries(Object.entries(body.info).map(([name, value]) => [name, ArrayBuffer.isView(value) ? value.slice() : value])),
    enclosure: (watching, body) => body.enclosure,
    contains: (watching, body, points) => body.contains(points),
    winding: (watching, body, points) => body.winding(points),
    label: (watching, body, element) => body.label(element),
    edit: (watching, body, changes) => body.edit(changes),
    ask: (watching, question, options) => (lastAnswer = world.ask(question, { ...options, ...watching })),
    places: () => answerThere().places(),
    nested: () => world.nested(),
    exclude: (watching, pairs) => world.exclude(pairs),
    collect: (watching, options) => world.collect(options),
    candidates: (watching, lists) => world.candidates(lists),
    derivatives: (watching, pairs, options) => world.derivatives(pairs ?? answerThere(), options),
    candidatesInfo: (watching, set, lists) => ({ length: set.length, complete: set.complete, byteLength: set.byteLength, ...(lists && { vertexTriangle: set.vertexTriangle, edgeEdge: set.edgeEdge, vertexEdge: set.vertexEdge, vertexVertex: set.vertexVertex }) }),
    candidatesCheck: (watching, set, options) => set.check(options),
    candidatesMerge: (watching, set, other) => set.merge(other),
};
for (const name of ["closest", "cast", "castAny", "castAll", "overlapBoxes", "overlapSpheres"]) PASSED[name] = (watching, values, options) => world[name](values, { ...options, ...watching });

const CALLS = {
    pass(watching, name, values) {
        const made = PASSED[name](watching, ...values.map((value) => passed(value, receive, null)));
        return made instanceof Answer ? packed(made) : { result: passing(made, send) };
    },
    forget(watching, number) {
        handles.get(number)?.dispose();
        handles.delete(number);
    },
    load: (watching, modules) => load(modules),
    create(watching, options) {
        world = new World(options);
    },
    add(watching, mesh) {
        const body = world.add(mesh);
        bodies.set(body.id[0], body);
        return { result: { number: body.id[0], name: body.name } };
    },
    move: (watching, number, positions) => bodies.get(number).move(positions),
    teleport: (watching, number, positions) => bodies.get(number).teleport(positions),
    remove(watching, number) {
        bodies.get(number).remove();
        bodies.delete(number);
    },
    beginStep: () => world.beginStep(),
    check: (watching, number) => ({ result: world.check(bodies.get(number)) }),
    async checkFile(watching, data, name, options) {
        const answer = await (typeof name === "string" ? check(data, name, { ...options, ...watching }) : check(data, { ...name, ...watching }));
        const { result: block, transfer } = packed(answer);
        const described = [...answer.files].map(([body, { vertexNumbers, polygonNumbers, tetNumbers, tets }]) => ({ index: body.id[0], name: body.name, triangleFaces: body.info.triangleFaces.slice(), file: { vertexNumbers, polygonNumbers, tetNumbers, tets: Boolean(tets) } }));
        const { note } = answer;
        answer.dispose();
        return { result: { block, bodies: described, note }, transfer };
    },
    async fixFile(watching, data, name, options) {
        const made = await (typeof name === "string" ? fix(data, name, { ...options, ...watching }) : fix(data, { ...name, ...watching }));
        return { result: made, transfer: made.bodies.map(({ positions }) => positions.buffer) };
    },
};

async function answer(message, post) {
    if (message.flag) {
        flag = new Int32Array(message.flag);
        return;
    }
    const { id, name, values, watched } = message;
    try {
        const made = (await CALLS[name](watch(id, watched, post), ...values)) ?? {};
        post({ id, result: made.result }, made.transfer ?? []);
    } catch (error) {
        post({ id, error: error?.aborted ? { aborted: true } : { status: error.status, message: error.message } });
    }
}

// Calls that arrive while one waits for its file stand in line.
let last = Promise.resolve();
function listen(post) {
    return (message) => {
        last = last.then(() => answer(message, post));
    };
}
if (typeof process === "object" && process.versions?.node) {
    const { parentPort } = await import("node:worker_threads");
    parentPort.on("message", listen((message, transfer) => parentPort.postMessage(message, transfer)));
} else {
    const receiver = listen((message, transfer) => self.postMessage(message, transfer ?? []));
    self.onmessage = (event) => receiver(event.data);
}
