import type { Answer, AskOptions, CheckOptions, FileData, Mesh, MeshReport, Positions, Question, WorldOptions } from "./snag.js";

/** Compiles the modules ahead of the first call. wasm, io: in place of the package's own files. */
export function load(options?: { wasm?: URL | string | BufferSource | WebAssembly.Module; io?: URL | string | BufferSource | WebAssembly.Module }): Promise<void>;

export class Body {
    readonly world: World;
    readonly name: string;
    user: unknown;
    /** transfer: gives the array away, which saves a copy. */
    move(positions: Positions, options?: { transfer?: boolean }): Promise<void>;
    teleport(positions: Positions, options?: { transfer?: boolean }): Promise<void>;
    remove(): Promise<void>;
}

/** A world in a worker of its own. Answers are copies, and last. */
export class World {
    static create(options?: WorldOptions): Promise<World>;
    add(mesh: Mesh): Promise<Body>;
    beginStep(): Promise<void>;
    ask(question: Question, options?: AskOptions): Promise<Answer<Body>>;
    intersections(options?: AskOptions): Promise<Answer<Body>>;
    proximities(options?: AskOptions): Promise<Answer<Body>>;
    penetrations(options?: AskOptions): Promise<Answer<Body>>;
    impacts(options?: AskOptions): Promise<Answer<Body>>;
    distance(options?: AskOptions): Promise<Answer<Body>>;
    overlaps(options?: AskOptions): Promise<Answer<Body>>;
    check(body: Body): Promise<MeshReport>;
    dispose(): void;
}

export function check(data: FileData, name: string, options?: CheckOptions): Promise<Answer<{ name: string }>>;
export function check(data: File | Mesh | Mesh[], options?: CheckOptions): Promise<Answer<{ name: string }>>;
