// What was dropped or chosen: a list of { path, file } with paths from the folder that was dropped, and which of them the tool is given.

export const MOST_BYTES = 3 * 2 ** 30; // of all files: WebAssembly has 4 GB, and the mesh has to fit beside its file

async function entriesOf(folder) {
    const reader = folder.createReader();
    const all = [];
    for (;;) {
        // A call returns a hundred entries at most.
        const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (!some.length) return all;
        all.push(...some);
    }
}

async function addEntry(entry, path, list) {
    if (entry.isFile) list.push({ path: `${path}${entry.name}`, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    else for (const inner of await entriesOf(entry)) await addEntry(inner, `${path}${entry.name}/`, list);
}

// Files and folders of a drop. The items are gone after the event, so entries are taken from all of them at once.
export async function filesOfDrop(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (!entries.length) return filesOfList(transfer.files);
    const list = [];
    for (const entry of entries) await addEntry(entry, "", list);
    return list;
}

export function filesOfList(files) {
    return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

const ending = (path) => path.toLowerCase().replace(/\.gz$/, "").match(/\.[^./]*$/)?.[0] ?? "";

// The arguments for the tool: meshes and caches, without files that another one names. A folder with one mesh and its motions is given as such.
export function argumentsOf(list, { meshes, caches }) {
    const of = (endings) => list.map(({ path }) => path).filter((path) => endings.includes(ending(path)));
    const names = new Set(list.map(({ path }) => path));
    const found = of(meshes).filter((path) => !(/\.(ele|face)$/i.test(path) && names.has(path.replace(/\.[^.]*$/, ".node"))));
    const moved = of(caches);
    if (!found.length) throw new Error(`There is no mesh among the files. snag reads ${meshes.join(" ")}`);
    const folder = found[0].split("/")[0];
    const isFolder = list.every(({ path }) => path.startsWith(`${folder}/`));
    if (isFolder && found.length === 1 && moved.length) return [folder];
    if (found.length === 1) return [...found, ...moved];
    // A cache moves the mesh before it: the one with its name, if there is one.
    const stem = (path) => path.replace(/^.*\//, "").replace(/\..*$/, "");
    const placed = new Set();
    const args = found.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).flatMap((mesh) => {
        const own = moved.filter((cache) => stem(cache) === stem(mesh));
        own.forEach((cache) => placed.add(cache));
        return [mesh, ...own];
    });
    const lost = moved.filter((cache) => !placed.has(cache));
    if (lost.length) throw new Error(`No mesh has the name of ${lost.join(", ")}. Name a cache like the mesh that it moves, such as dress.obj and dress.pc2.`);
    return args;
}
