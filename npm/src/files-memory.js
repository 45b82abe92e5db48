// Files in memory, for pages: what was dropped goes in, what the tool writes comes out. Paths are absolute, with single slashes.

function failure(code) {
    return Object.assign(new Error(code), { code });
}

// A file's bytes; writing doubles the room, so that a long report costs no quadratic copying.
class Contents {
    constructor(bytes) {
        this.room = bytes;
        this.size = bytes.length;
    }
    get bytes() {
        return this.room.subarray(0, this.size);
    }
    resize(size) {
        if (size > this.room.length) {
            const larger = new Uint8Array(Math.max(size, 2 * this.room.length, 4096));
            larger.set(this.bytes);
            this.room = larger;
        }
        if (size > this.size) this.room.fill(0, this.size, size);
        this.size = size;
    }
    read(into, position) {
        const part = this.bytes.subarray(position, position + into.length);
        into.set(part);
        return part.length;
    }
    write(from, position) {
        if (position + from.length > this.size) this.resize(position + from.length);
        this.room.set(from, position);
        return from.length;
    }
    stat() {
        return { type: "file", size: this.size, ino: this.number };
    }
    close() {}
}

export class MemoryFiles {
    constructor() {
        this.files = new Map();
        this.folders = new Set(["/"]);
        this.count = 0;
    }

    // Adds a file and the folders above it. The bytes are used as they are, not copied.
    add(path, bytes) {
        const name = path.startsWith("/") ? path : `/${path}`;
        for (let at = name.indexOf("/", 1); at > 0; at = name.indexOf("/", at + 1)) this.folders.add(name.slice(0, at));
        this.put(name, new Contents(bytes));
        return name;
    }
    put(path, contents) {
        contents.number = ++this.count;
        this.files.set(path, contents);
    }
    // The bytes of a file, or null.
    get(path) {
        return this.files.get(path)?.bytes ?? null;
    }
    find(path) {
        const found = this.files.get(path);
        if (!found) throw failure(this.folders.has(path) ? "EISDIR" : "ENOENT");
        return found;
    }
    parent(path) {
        const folder = path.slice(0, Math.max(1, path.lastIndexOf("/")));
        if (!this.folders.has(folder)) throw failure("ENOENT");
        return folder;
    }

    stat(path) {
        return this.folders.has(path) ? { type: "folder", size: 0 } : this.find(path).stat();
    }
    open(path, { create, truncate }) {
        if (create && !this.files.has(path)) {
            this.parent(path);
            this.put(path, new Contents(new Uint8Array(0)));
        }
        const found = this.find(path);
        if (truncate) found.resize(0);
        return found;
    }
    list(path) {
        const start = path === "/" ? "/" : `${path}/`;
        const inside = (name) => name !== "/" && name.startsWith(start) && !name.slice(start.length).includes("/");
        return [...[...this.folders].filter(inside).map((name) => ({ name: name.slice(start.length), type: "folder" })), ...[...this.files.keys()].filter(inside).map((name) => ({ name: name.slice(start.length), type: "file" }))];
    }
    makeFolder(path) {
        if (this.folders.has(path) || this.files.has(path)) throw failure("EEXIST");
        this.parent(path);
        this.folders.add(path);
    }
    removeFolder(path) {
        if (!this.folders.has(path)) throw failure("ENOENT");
        if (this.list(path).length) throw failure("ENOTEMPTY");
        this.folders.delete(path);
    }
    remove(path) {
        this.find(path);
        this.files.delete(path);
    }
    rename(from, to) {
        const contents = this.find(from);
        this.parent(to);
        this.files.delete(from);
        this.files.set(to, contents);
    }
    readLink() {
        throw failure("EINVAL");
    }
}
