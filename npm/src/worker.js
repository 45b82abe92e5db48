// The same calls, answered by a worker thread: a page stays responsive. Each returns a promise.
import { Channel } from "./channel.js";
import { numberIn } from "./check.js";
import { SnagError } from "./memory.js";
import { compile, hasVectors } from "./module.js";
import { unpackAnswer } from "./pack.js";

let modules = null; // compiled once and handed to every worker

function compileModules() {
    modules ??= Promise.all([compile(new URL(hasVectors() ? "../wasm/snag.wasm" : "../wasm/snag-scalar.wasm", import.meta.url)), compile(new URL("../wasm/snag-io.wasm", import.meta.url))]).then(([wasm, io]) => ({ wasm, io }));
    return modules;
}

// wasm, io: URLs, bytes or modules in place of the package's own files.
export async function load({ wasm, io } = {}) {
    if (!wasm && !io) return void (await compileModules());
    const own = await Promise.all([wasm && compile(wasm), io && compile(io)]);
    modules = compileModules().then((there) => ({ wasm: own[0] ?? there.wasm, io: own[1] ?? there.io }));
    await modules;
}

async function openChannel() {
    const given = await compileModules();
    const channel = await Channel.open();
    await channel.call("load", [given]);
    return channel;
}

// Splits what only this side knows from what is sent.
function split({ signal, onProgress, transfer, ...sent } = {}) {
    return [sent, { signal, onProgress, transfer }];
}

// The buffers of arrays, to be given away instead of copied.
function buffersOf(values) {
    const found = new Set();
    const visit = (value) => {
        if (ArrayBuffer.isView(value)) found.add(value.buffer);
        else if (value instanceof ArrayBuffer) found.add(value);
        else if (value && typeof value === "object" && !(typeof Blob !== "undefined" && value instanceof Blob)) Object.values(value).forEach(visit);
    };
    visit(values);
    return [...found].filter((buffer) => buffer instanceof ArrayBuffer);
}

export class Body {
    constructor(world, number, name) {
        this.world = world;
        this.number = number;
        this.name = name;
        this.user = undefined;
    }
    // transfer: true gives the array away, which saves a copy; it is empty then.
    move(positions, { transfer = false } = {}) {
        return this.world.channel.call("move", [this.number, positions], { transfer: transfer ? buffersOf([positions]) : [] });
    }
    teleport(positions, { transfer = false } = {}) {
        return this.world.channel.call("teleport", [this.number, positions], { transfer: transfer ? buffersOf([positions]) : [] });
    }
    async remove() {
        await this.world.channel.call("remove", [this.number]);
        this.world.bodies.delete(this.number);
    }
}

export class World {
    // A world in a worker of its own.
    static async create(options = {}) {
        const world = new World();
        world.channel = await openChannel();
        await world.channel.call("create", [options]);
        return world;
    }
    constructor() {
        this.bodies = new Map();
    }
    async add({ user, ...mesh }) {
        const { number, name } = await this.channel.call("add", [mesh]);
        const body = new Body(this, number, name);
        body.user = user;
        this.bodies.set(number, body);
        return body;
    }
    beginStep() {
        return this.channel.call("beginStep", []);
    }
    // The answer is a copy: it lasts.
    async ask(question, options) {
        const [sent, here] = split(options);
        const bodies = new Map(this.bodies);
        return unpackAnswer(await this.channel.call("ask", [question, sent], here), (index) => bodies.get(index) ?? null);
    }
    check(body) {
        return this.channel.call("check", [body.number]);
    }
    dispose() {
        this.channel.close("the world was disposed", new SnagError("argument", "the world was disposed"));
    }
}
for (const question of ["intersections", "proximities", "penetrations", "impacts", "distance", "overlaps"])
    World.prototype[question] = function ask(options) {
        return this.ask(question, options);
    };
if (Symbol.dispose) World.prototype[Symbol.dispose] = World.prototype.dispose;

let spare = null; // the worker of the last check, for the next one

// As check of "snag", in a worker.
export async function check(data, name, options = {}) {
    const here = typeof name === "object" && name ? name : options;
    const [sent, watched] = split(here);
    const channel = spare && !spare.closed ? spare : await openChannel();
    spare = null;
    const file = typeof name === "string" ? [data, name, sent] : [data, sent];
    try {
        const { block, bodies, note } = await channel.call("checkFile", file, watched);
        const answer = unpackAnswer(block, (index) => bodies.find((body) => body.index === index) ?? null);
        answer.note = note;
        answer.nameOf = (element) => numberIn(element.body.file, element.body, element);
        return answer;
    } finally {
        if (spare || channel.closed) channel.close("done");
        else spare = channel;
    }
}
