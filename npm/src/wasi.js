// The part of WASI (preview 1) that snag's modules use, on top of any file system with a few synchronous functions: Node's
// (files-node.js) or one in memory (files-memory.js). Modules of the library import four of these calls, the tool all of them.

const OK = 0;
const ERRNO = { EACCES: 2, EAGAIN: 6, EBADF: 8, EBUSY: 10, EEXIST: 20, EINTR: 27, EINVAL: 28, EIO: 29, EISDIR: 31, ELOOP: 32, EMFILE: 33, ENAMETOOLONG: 37, ENOENT: 44, ENOMEM: 48, ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54, ENOTEMPTY: 55, EPERM: 63, EPIPE: 64, EROFS: 69, ESPIPE: 70, EXDEV: 75 };
const TYPES = { device: 2, folder: 3, file: 4, link: 7 };
const ALL_RIGHTS = 0x1fffffffn;
const ROOT = 3; // the one folder that is open from the start: "/"

// Thrown by proc_exit to leave the module.
export class Exit extends Error {
    constructor(code) {
        super(`exit ${code}`);
        this.code = code;
    }
}

function failure(code) {
    return Object.assign(new Error(code), { code });
}

export class Wasi {
    // files: see files-memory.js. stdout and stderr get bytes, stdin() returns them (none at the end). terminal: whether stderr is one.
    constructor({ args = [], env = {}, files = null, stdin = () => new Uint8Array(0), stdout = () => {}, stderr = () => {}, terminal = false } = {}) {
        const text = new TextEncoder();
        this.args = args.map((word) => text.encode(`${word}\0`));
        this.env = Object.entries(env).map(([name, value]) => text.encode(`${name}=${value}\0`));
        this.files = files;
        const stream = (write) => ({ type: terminal ? "device" : "file", stream: true, write: (bytes) => (write(bytes), bytes.length) });
        this.open = new Map([[0, { type: "file", stream: true, rest: new Uint8Array(0), read: (into) => this.readInput(into, stdin) }], [1, stream(stdout)], [2, stream(stderr)], [ROOT, { type: "folder", path: "/" }]]);
        this.next = ROOT + 1;
        this.memory = null;
    }

    // The imports of a module; each call turns an error of the file system into a number.
    get imports() {
        const made = {};
        for (const name of Object.getOwnPropertyNames(Wasi.prototype)) {
            if (!/^(args|environ|clock|fd|path|poll|proc|random|sched)_/.test(name)) continue;
            made[name] = (...values) => {
                try {
                    return this[name](...values) ?? OK;
                } catch (error) {
                    if (error instanceof Exit || error instanceof WebAssembly.RuntimeError) throw error;
                    return ERRNO[error.code] ?? ERRNO.EIO;
                }
            };
        }
        return made;
    }

    // ---- memory ----

    get view() {
        return new DataView(this.memory.buffer);
    }
    bytes(at, size) {
        return new Uint8Array(this.memory.buffer, at >>> 0, size >>> 0);
    }
    text(at, size) {
        return new TextDecoder().decode(this.bytes(at, size).slice());
    }
    // Calls `act` on each buffer of an array of them, until one is not filled; writes the sum.
    vectors(at, count, sum, act) {
        let done = 0;
        for (let i = 0; i < count; i++) {
            const { view } = this;
            const part = this.bytes(view.getUint32(at + 8 * i, true), view.getUint32(at + 8 * i + 4, true));
            const got = act(part);
            done += got;
            if (got < part.length) break;
        }
        this.view.setUint32(sum, done, true);
    }
    list(items, pointers, at) {
        for (const item of items) {
            this.view.setUint32(pointers, at, true);
            this.bytes(at, item.length).set(item);
            pointers += 4;
            at += item.length;
        }
    }
    sizes(items, count, size) {
        this.view.setUint32(count, items.length, true);
        this.view.setUint32(size, items.reduce((sum, item) => sum + item.length, 0), true);
    }

    // ---- process ----

    args_get(pointers, at) {
        this.list(this.args, pointers, at);
    }
    args_sizes_get(count, size) {
        this.sizes(this.args, count, size);
    }
    environ_get(pointers, at) {
        this.list(this.env, pointers, at);
    }
    environ_sizes_get(count, size) {
        this.sizes(this.env, count, size);
    }
    clock_time_get(clock, precision, at) {
        const ms = clock === 0 ? Date.now() : performance.now();
        this.view.setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
    }
    clock_res_get(clock, at) {
        this.view.setBigUint64(at, 1000n, true);
    }
    random_get(at, size) {
        // For names of temporary files; Node 18 has no global crypto.
        const bytes = this.bytes(at, size);
        for (let i = 0; i < size; i++) bytes[i] = Math.random() * 256;
    }
    poll_oneoff() {
        throw failure("ENOSYS");
    }
    sched_yield() {}
    proc_exit(code) {
        throw new Exit(code);
    }

    // ---- open files ----

    at(fd) {
        const file = this.open.get(fd);
        if (!file) throw failure("EBADF");
        return file;
    }
    handle(fd) {
        const file = this.at(fd);
        if (file.type === "folder") throw failure("EISDIR");
        return file;
    }
    readInput(into, stdin) {
        const input = this.open.get(0);
        if (!input.rest.length) input.rest = stdin();
        const got = Math.min(into.length, input.rest.length);
        into.set(input.rest.subarray(0, got));
        input.rest = input.rest.subarray(got);
        return got;
    }
    fd_read(fd, vectors, count, sum) {
        const file = this.handle(fd);
        this.vectors(vectors, count, sum, (part) => {
            const got = file.stream ? file.read(part) : file.handle.read(part, file.position);
            if (!file.stream) file.position += got;
            return got;
        });
    }
    fd_write(fd, vectors, count, sum) {
        const file = this.handle(fd);
        this.vectors(vectors, count, sum, (part) => {
            if (file.stream) return file.write(part.slice());
            const done = file.handle.write(part, file.position);
            file.position += done;
            return done;
        });
    }
    fd_pread(fd, vectors, count, offset, sum) {
        const file = this.handle(fd);
        let position = Number(offset);
        this.vectors(vectors, count, sum, (part) => {
            const got = file.handle.read(part, position);
            position += got;
            return got;
        });
    }
    fd_pwrite(fd, vectors, count, offset, sum) {
        const file = this.handle(fd);
        let position = Number(offset);
        this.vectors(vectors, count, sum, (part) => {
            const done = file.handle.write(part, position);
            position += done;
            return done;
        });
    }
    fd_seek(fd, offset, from, at) {
        const file = this.handle(fd);
        if (file.stream) throw failure("ESPIPE");
        const start = from === 0 ? 0 : from === 1 ? file.position : file.handle.stat().size;
        const position = start + Number(offset);
        if (position < 0) throw failure("EINVAL");
        file.position = position;
        this.view.setBigUint64(at, BigInt(position), true);
    }
    fd_tell(fd, at) {
        this.view.setBigUint64(at, BigInt(this.handle(fd).position), true);
    }
    fd_close(fd) {
        const file = this.at(fd);
        this.open.delete(fd);
        file.handle?.close();
    }
    fd_sync(fd) {
        this.at(fd);
    }
    fd_datasync(fd) {
        this.at(fd);
    }
    fd_renumber(from, to) {
        this.open.set(to, this.at(from));
        this.open.delete(from);
    }
    fd_fdstat_get(fd, at) {
        const file = this.at(fd);
        const { view } = this;
        view.setUint8(at, TYPES[file.type]);
        view.setUint16(at + 2, 0, true);
        // libc takes a device that cannot seek or tell for a terminal.
        view.setBigUint64(at + 8, file.stream ? ALL_RIGHTS & ~0x24n : ALL_RIGHTS, true);
        view.setBigUint64(at + 16, ALL_RIGHTS, true);
    }
    fd_fdstat_set_flags() {}
    fd_filestat_get(fd, at) {
        const file = this.at(fd);
        this.writeStat(file.handle ? file.handle.stat() : file.stream ? { type: file.type, size: 0 } : this.files.stat(file.path, true), at);
    }
    fd_filestat_set_size(fd, size) {
        this.handle(fd).handle.resize(Number(size));
    }
    fd_filestat_set_times() {}
    fd_prestat_get(fd, at) {
        if (fd !== ROOT || !this.files) throw failure("EBADF");
        this.view.setUint32(at, 0, true);
        this.view.setUint32(at + 4, 1, true);
    }
    fd_prestat_dir_name(fd, at) {
        this.bytes(at, 1)[0] = 47; // "/"
    }
    fd_readdir(fd, at, size, cookie, sum) {
        const folder = this.at(fd);
        if (folder.type !== "folder") throw failure("ENOTDIR");
        if (cookie === 0n || !folder.entries) folder.entries = [{ name: ".", type: "folder" }, { name: "..", type: "folder" }, ...this.files.list(folder.path)];
        const out = new Uint8Array(size);
        let used = 0;
        for (let i = Number(cookie); i < folder.entries.length && used < size; i++) {
            const name = new TextEncoder().encode(folder.entries[i].name);
            const entry = new Uint8Array(24 + name.length);
            const view = new DataView(entry.buffer);
            view.setBigUint64(0, BigInt(i + 1), true);
            view.setUint32(16, name.length, true);
            view.setUint8(20, TYPES[folder.entries[i].type] ?? 0);
            entry.set(name, 24);
            const part = entry.subarray(0, size - used);
            out.set(part, used);
            used += part.length;
        }
        this.bytes(at, used).set(out.subarray(0, used));
        this.view.setUint32(sum, used, true);
    }

    // ---- paths ----

    // The absolute path, without "." and "..": programs in the module see one tree below "/".
    path(fd, at, size) {
        const folder = this.at(fd);
        if (folder.type !== "folder") throw failure("ENOTDIR");
        const parts = [];
        for (const part of `${folder.path}/${this.text(at, size)}`.split("/")) {
            if (part === "..") parts.pop();
            else if (part && part !== ".") parts.push(part);
        }
        return `/${parts.join("/")}`;
    }
    writeStat(stat, at) {
        const { view } = this;
        const time = BigInt(Math.round((stat.mtimeMs ?? 0) * 1e6));
        view.setBigUint64(at, BigInt(stat.dev ?? 0), true);
        view.setBigUint64(at + 8, BigInt(stat.ino ?? 0), true);
        view.setUint8(at + 16, TYPES[stat.type] ?? 0);
        view.setBigUint64(at + 24, BigInt(stat.nlink ?? 1), true);
        view.setBigUint64(at + 32, BigInt(stat.size), true);
        for (const k of [40, 48, 56]) view.setBigUint64(at + k, time, true);
    }
    path_filestat_get(fd, flags, path, size, at) {
        this.writeStat(this.files.stat(this.path(fd, path, size), (flags & 1) !== 0), at);
    }
    path_filestat_set_times() {}
    path_open(fd, lookup, path, size, how, rights, inherited, flags, at) {
        const name = this.path(fd, path, size);
        const [create, folder, exclusive, truncate] = [1, 2, 4, 8].map((bit) => (how & bit) !== 0);
        let type = null;
        try {
            ({ type } = this.files.stat(name, true));
        } catch (error) {
            if (!create || error.code !== "ENOENT") throw error;
        }
        if (type && create && exclusive) throw failure("EEXIST");
        if (folder && type !== "folder") throw failure("ENOTDIR");
        const write = (rights & 0x40n) !== 0n;
        if (type === "folder" && write) throw failure("EISDIR");
        const opened = type === "folder" ? { type, path: name } : { type: type ?? "file", handle: this.files.open(name, { write, create, exclusive, truncate }), position: 0 };
        if (flags & 1) opened.position = opened.handle.stat().size;
        this.open.set(this.next, opened);
        this.view.setUint32(at, this.next++, true);
    }
    path_create_directory(fd, path, size) {
        this.files.makeFolder(this.path(fd, path, size));
    }
    path_remove_directory(fd, path, size) {
        this.files.removeFolder(this.path(fd, path, size));
    }
    path_unlink_file(fd, path, size) {
        this.files.remove(this.path(fd, path, size));
    }
    path_rename(fd, path, size, toFd, to, toSize) {
        this.files.rename(this.path(fd, path, size), this.path(toFd, to, toSize));
    }
    path_readlink(fd, path, size, at, room, sum) {
        const target = new TextEncoder().encode(this.files.readLink(this.path(fd, path, size))).subarray(0, room);
        this.bytes(at, target.length).set(target);
        this.view.setUint32(sum, target.length, true);
    }
    path_symlink() {
        throw failure("ENOSYS");
    }
    path_link() {
        throw failure("ENOSYS");
    }
}
