// The same calls, answered by a worker thread: a page stays responsive. Each returns a promise.
import { Channel } from "./channel.js";
import { numberIn } from "./check.js";
import { SnagError } from "./memory.js";
import { compile, compileLibrary } from "./module.js";
import { unpackAnswer } from "./pack.js";
import { passed, passing } from "./passing.js";

let modules = null; // compiled once and handed to every worker

function compileModules({ io, ...given } = {}) {
    return Promise.all([compileLibrary(given), compile(io ?? new URL("../wasm/snag-io.wasm", import.meta.url))]).then(([{ first, second }, readers]) => ({ wasm: first, more: second ?? false, io: readers }));
}

// wasm, more, io: URLs, bytes or modules in place of the package's own files; more: false leaves snag-more.wasm out.
export async function load(given) {
    if (!modules || given) {
        const loading = compileModules(given);
        modules = loading;
        // A failure is told here; the next call tries again.
        loading.catch(() => (modules = modules === loading ? null : modules));
    }
    await modules;
}

async function openChannel() {
    await load();
    const channel = await Channel.open();
    await channel.call("load", [await modules]);
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
    // The elements as the world numbers them: copies.
    info() {
        return this.world.pass("info", [this]);
    }
    enclosure() {
        return this.world.pass("enclosure", [this]);
    }
}
for (const name of ["contains", "winding", "label", "edit"])
    Body.prototype[name] = function call(value) {
        return this.world.pass(name, [this, value]);
    };

// Something that the worker keeps: candidates or exclusions.
class Handle {
    constructor(world, number) {
        this.world = world;
        this.number = number;
    }
    dispose() {
        return this.world.channel.closed ? Promise.resolve() : this.world.channel.call("forget", [this.number]);
    }
}
export class Exclusions extends Handle {}
export class Candidates extends Handle {
    // How many pairs there are and whether answers are complete; with `lists` the pairs, too.
    info({ lists = false } = {}) {
        return this.world.pass("candidatesInfo", [this, lists]);
    }
    check(options) {
        return this.world.pass("candidatesCheck", [this, options]);
    }
    merge(other) {
        return this.world.pass("candidatesMerge", [this, other]);
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

    // Calls a function of the worker's world with bodies and handles among its values; options of the last value stay here.
    async pass(name, values, here) {
        const bodies = new Map(this.bodies);
        const send = (value) => {
            if (value instanceof Body || value instanceof Handle) {
                if (value.world !== this) throw new SnagError("body", "a body of this world is expected");
                return value instanceof Body ? { snagBody: value.number } : { snagHandle: value.number };
            }
            return undefined;
        };
        const receive = (value) => {
            if (value.snagBody) return bodies.get(value.snagBody) ?? null;
            if (value.snagHandle) return new (value.type === "candidates" ? Candidates : Exclusions)(this, value.snagHandle);
            return undefined;
        };
        const sent = values.map((value) => passing(value, send));
        return passed(await this.channel.call("pass", [name, sent], here), receive, (index) => bodies.get(index) ?? null);
    }
    // The answer is a copy: it lasts.
    async ask(question, options) {
        const [sent, here] = split(options);
        const bodies = new Map(this.bodies);
        return unpackAnswer(await this.pass("ask", [question, sent], here), (index) => bodies.get(index) ?? null);
    }
    check(body) {
        return this.channel.call("check", [body.number]);
    }
    // The places of the last answer, the worst first.
    places() {
        return this.pass("places", []);
    }
    nested() {
        return this.pass("nested", []);
    }
    exclude(pairs) {
        return this.pass("exclude", [pairs]);
    }
    collect(options) {
        return this.pass("collect", [options ?? {}]);
    }
    candidates(lists) {
        return this.pass("candidates", [lists ?? {}]);
    }
    // Of candidates, or of the last answer if they are left out.
    derivatives(pairs, options = {}) {
        return this.pass("derivatives", [pairs ?? null, options]);
    }
    dispose() {
        this.channel.close("the world was disposed", new SnagError("argument", "the world was disposed"));
    }
}
for (const question of ["intersections", "proximities", "penetrations", "impacts", "distance", "overlaps"])
    World.prototype[question] = function ask(options) {
        return this.ask(question, options);
    };
for (const name of ["closest", "cast", "castAny", "castAll", "overlapBoxes", "overlapSpheres"])
    World.prototype[name] = function query(values, options) {
        const [sent, here] = split(options);
        return this.pass(name, [values, sent], here);
    };
if (Symbol.dispose) World.prototype[Symbol.dispose] = World.prototype.dispose;

let spare = null; // the worker of the last check, for the next one

// Runs one call in a worker that is kept for the next one.
async function inSpare(name, data, second, options, act) {
    const [sent, watched] = split(typeof second === "object" && second ? second : options);
    const channel = spare && !spare.closed ? spare : await openChannel();
    spare = null;
    try {
        return act(await channel.call(name, typeof second === "string" ? [data, second, sent] : [data, sent], watched));
    } finally {
        if (spare || channel.closed) channel.close("done");
        else spare = channel;
    }
}

// As check of "snag", in a worker.
export function check(data, name, options = {}) {
    return inSpare("checkFile", data, name, options, ({ block, bodies, note }) => {
        const answer = unpackAnswer(block, (index) => bodies.find((body) => body.index === index) ?? null);
        answer.note = note;
        answer.nameOf = (element) => numberIn(element.body.file, element.body, element);
        return answer;
    });
}

// As fix of "snag", in a worker.
export function fix(data, name, options = {}) {
    return inSpare("fixFile", data, name, options, (made) => made);
}
