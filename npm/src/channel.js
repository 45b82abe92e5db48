// One worker thread and the calls that wait for it: in browsers a Worker, in Node a thread of worker_threads.
import { SnagError } from "./memory.js";

const IS_NODE = typeof process === "object" && Boolean(process.versions?.node);

function makeFlag() {
    // Browsers share memory only with pages that are isolated from other origins (COOP and COEP headers).
    try {
        return new Int32Array(new SharedArrayBuffer(4));
    } catch {
        return null;
    }
}

async function startWorker() {
    const url = new URL("./worker-thread.js", import.meta.url);
    if (!IS_NODE) {
        const worker = new Worker(url, { type: "module" });
        return { post: (message, transfer) => worker.postMessage(message, transfer), end: () => worker.terminate(), hold() {}, listen: (onMessage, onError) => ((worker.onmessage = (event) => onMessage(event.data)), (worker.onerror = (event) => onError(event.message))) };
    }
    const { Worker: Thread } = await import("node:worker_threads");
    const thread = new Thread(url);
    thread.unref();
    return { post: (message, transfer) => thread.postMessage(message, transfer), end: () => thread.terminate(), hold: (on) => (on ? thread.ref() : thread.unref()), listen: (onMessage, onError) => (thread.on("message", onMessage), thread.on("error", (error) => onError(error.message))) };
}

export class Channel {
    static async open() {
        const channel = new Channel();
        channel.worker = await startWorker();
        channel.worker.listen((message) => channel.receive(message), (words) => channel.close(`the worker stopped: ${words || "out of memory?"}`));
        channel.flag = makeFlag();
        if (channel.flag) channel.worker.post({ flag: channel.flag.buffer });
        return channel;
    }
    constructor() {
        this.waiting = new Map();
        this.count = 0;
        this.closed = null;
    }

    // Calls a function of worker-thread.js. An abort stops the call; without shared memory it ends the thread, since nothing else
    // reaches one that computes.
    call(name, values, { signal, onProgress, transfer = [] } = {}) {
        if (this.closed) return Promise.reject(new SnagError("argument", this.closed));
        if (signal?.aborted) return Promise.reject(signal.reason);
        const id = ++this.count;
        return new Promise((resolve, reject) => {
            const abort = () => {
                if (this.flag) Atomics.store(this.flag, 0, id);
                else this.close("the call was aborted, and without shared memory that ends the worker: create the world again, or serve the page with the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp", signal.reason);
            };
            const done = (finish) => (value) => {
                signal?.removeEventListener("abort", abort);
                this.waiting.delete(id);
                if (!this.waiting.size) this.worker.hold(false);
                finish(value);
            };
            this.waiting.set(id, { resolve: done(resolve), reject: done(reject), onProgress, signal });
            signal?.addEventListener("abort", abort);
            this.worker.hold(true);
            try {
                this.worker.post({ id, name, values, watched: Boolean(signal || onProgress) }, transfer);
            } catch (error) {
                // A detached buffer cannot be sent.
                this.waiting.get(id).reject(new SnagError("argument", `${name}: ${error.message}`));
            }
        });
    }
    receive({ id, result, error, progress }) {
        const call = this.waiting.get(id);
        if (!call) return;
        if (progress !== undefined) {
            try {
                call.onProgress?.(progress);
            } catch (thrown) {
                if (this.flag) Atomics.store(this.flag, 0, id);
                call.reject(thrown);
            }
        } else if (error?.aborted) call.reject(call.signal?.reason ?? new DOMException("This operation was aborted", "AbortError"));
        else if (error) call.reject(error.status ? new SnagError(error.status, error.message) : new Error(error.message));
        else call.resolve(result);
    }
    close(words, reason) {
        if (this.closed) return;
        this.closed = words;
        this.worker.end();
        for (const call of [...this.waiting.values()]) call.reject(reason ?? new SnagError("memory", words));
    }
}
