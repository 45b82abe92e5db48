// Node's file system with the functions that wasi.js asks for. On Windows "C:\a" is seen as "/C:/a".
import fs from "node:fs";

const WINDOWS = process.platform === "win32";

export function toInside(path) {
    return WINDOWS && /^[A-Za-z]:[\\/]/.test(path) ? `/${path.replaceAll("\\", "/")}` : path;
}

function toHost(path) {
    return WINDOWS && /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
}

function typeOf(entry) {
    if (entry.isFile()) return "file";
    if (entry.isDirectory()) return "folder";
    return entry.isSymbolicLink() ? "link" : "device";
}

function describe(stat) {
    return { type: typeOf(stat), size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino, dev: stat.dev, nlink: stat.nlink };
}

function handleOf(fd) {
    return {
        read: (into, position) => fs.readSync(fd, into, 0, into.length, position),
        write: (from, position) => fs.writeSync(fd, from, 0, from.length, position),
        stat: () => describe(fs.fstatSync(fd)),
        resize: (size) => fs.ftruncateSync(fd, size),
        close: () => fs.closeSync(fd),
    };
}

export const nodeFiles = {
    stat: (path, follow) => describe(follow ? fs.statSync(toHost(path)) : fs.lstatSync(toHost(path))),
    open(path, { write, create, exclusive, truncate }) {
        const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC } = fs.constants;
        const flags = (write ? O_RDWR : O_RDONLY) | (create ? O_CREAT : 0) | (exclusive ? O_EXCL : 0) | (truncate ? O_TRUNC : 0);
        return handleOf(fs.openSync(toHost(path), flags, 0o666));
    },
    list: (path) => fs.readdirSync(toHost(path), { withFileTypes: true }).map((entry) => ({ name: entry.name, type: typeOf(entry) })),
    makeFolder: (path) => fs.mkdirSync(toHost(path)),
    removeFolder: (path) => fs.rmdirSync(toHost(path)),
    remove: (path) => fs.unlinkSync(toHost(path)),
    rename: (from, to) => fs.renameSync(toHost(from), toHost(to)),
    readLink: (path) => fs.readlinkSync(toHost(path)),
};
