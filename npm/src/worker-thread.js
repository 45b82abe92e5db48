// The side of the worker: runs the calls of channel.js, one after the other, in a world of its own.
import { check } from "./check.js";
import { load } from "./module.js";
import { packAnswer } from "./pack.js";
import { World } from "./world.js";

const PROGRESS_MS = 33; // no more messages than a page can draw

let flag = null; // shared with the other side: the number of the call that is to stop
let world = null;
const bodies = new Map();

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

const CALLS = {
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
    ask: (watching, question, options) => packed(world.ask(question, { ...options, ...watching })),
    check: (watching, number) => ({ result: world.check(bodies.get(number)) }),
    async checkFile(watching, data, name, options) {
        const answer = await (typeof name === "string" ? check(data, name, { ...options, ...watching }) : check(data, { ...name, ...watching }));
        const { result: block, transfer } = packed(answer);
        const described = [...answer.files].map(([body, { vertexNumbers, polygonNumbers, tetNumbers, tets }]) => ({ index: body.id[0], name: body.name, triangleFaces: body.info.triangleFaces.slice(), file: { vertexNumbers, polygonNumbers, tetNumbers, tets: Boolean(tets) } }));
        const { note } = answer;
        answer.dispose();
        return { result: { block, bodies: described, note }, transfer };
    },
};

async function receive(message, post) {
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
        last = last.then(() => receive(message, post));
    };
}
if (typeof process === "object" && process.versions?.node) {
    const { parentPort } = await import("node:worker_threads");
    parentPort.on("message", listen((message, transfer) => parentPort.postMessage(message, transfer)));
} else {
    const receiver = listen((message, transfer) => self.postMessage(message, transfer ?? []));
    self.onmessage = (event) => receiver(event.data);
}
