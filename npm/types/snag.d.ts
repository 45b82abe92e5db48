/** The version of the library, such as "0.2.0". */
export const version: string;

export type Question = "intersections" | "proximities" | "penetrations" | "impacts" | "distance" | "overlaps";
export type Method = "auto" | "brute" | "hash" | "regions" | "kdop" | "active" | "regularity" | "spheres";
export type Output = "contacts" | "pairs" | "count" | "earliest";
export type ContactKind =
    | "crossing" | "touching" | "coplanar" | "vertex-vertex" | "vertex-edge" | "vertex-face" | "edge-edge" | "inside" | "unresolved" | "through" | "overlap";
export type Status =
    | "argument" | "memory" | "size" | "index" | "not finite" | "body" | "mismatch" | "unsupported" | "file" | "format" | "busy" | "limit";

/** An error of the library: its message says what is wrong and what to do. */
export class SnagError extends Error {
    readonly status: Status;
    constructor(status: Status, message: string);
}

type Source = URL | string | BufferSource | WebAssembly.Module;

/** Loads the library; the first call decides. Without it the package's own files are used, with 128-bit vectors where the engine has them. */
export function load(options?: { wasm?: Source; io?: Source; simd?: boolean }): Promise<void>;
/** Whether this engine has 128-bit vectors. */
export function hasVectors(): boolean;

export type NumberArray = Float32Array | Float64Array;
/** x, y, z of each vertex: one array, points, a part of an interleaved array (stride and offset count numbers), or an array in the world's memory. */
export type Positions =
    | NumberArray
    | number[]
    | [number, number, number][]
    | SharedArray<Float32Array>
    | SharedArray<Float64Array>
    | { data: NumberArray | SharedArray<Float32Array> | SharedArray<Float64Array>; stride?: number; offset?: number; count?: number };
export type Indices = Uint32Array | Uint16Array | Uint8Array | Int32Array | number[] | number[][] | SharedArray<Uint32Array>;

/** One body: triangles (`indices` is another name), polygons or tetrahedra, or none of them. */
export interface Mesh {
    positions: Positions;
    triangles?: Indices;
    indices?: Indices;
    polygons?: { sizes: Indices; vertices: Indices };
    tets?: Indices;
    name?: string;
    /** Vertices with equal coordinates count as one, for triangle soups such as STL. */
    weld?: boolean;
    user?: unknown;
}

/** An array in the memory of a world: what is written to its view needs no copy when it is given to that world. */
export class SharedArray<T> {
    readonly length: number;
    /** A view of the present memory. Take it anew after each call of the world: growing memory detaches older ones. */
    readonly view: T;
    free(): void;
}

export interface AskOptions {
    method?: Method;
    output?: Output;
    self?: boolean;
    between?: boolean;
    /** Proximities: pairs at this distance or closer. Distance: skip bodies farther apart (0: no limit). */
    distance?: number;
    separation?: number;
    tolerance?: number;
    until?: number;
    closest?: number;
    everyPair?: boolean;
    edges?: boolean;
    track?: boolean;
    /** Stop after about this many milliseconds; `complete` of the answer is false then. */
    budget?: number;
    signal?: AbortSignal;
    /** The part that is done, 0 to 1. */
    onProgress?: (done: number) => void;
}

export interface Element<B = Body> {
    body: B;
    kind: "vertex" | "edge" | "triangle" | "tet" | "leaf";
    index: number;
    /** Of an edge. */
    vertices?: [number, number];
}

export interface Pair<B = Body> {
    a: Element<B>;
    b: Element<B>;
    kind: ContactKind;
    shared: number;
    value: number;
}

export interface Contact<B = Body> extends Pair<B> {
    t: number;
    pointA: [number, number, number];
    pointB: [number, number, number];
    normal: [number, number, number];
    weight: [number, number, number, number];
    /** With `track`. */
    id?: bigint;
    phase?: "begin" | "persist";
    age?: number;
}

/** Offsets in bytes of the fields of `Answer.records`. */
export const CONTACT_OFFSETS: Readonly<Record<string, number>>;
export const PAIR_OFFSETS: Readonly<Record<string, number>>;

/** An answer. That of a world lasts until it is asked again, a body is removed, or it is disposed of. */
export class Answer<B = Body> implements Iterable<Contact<B>> {
    readonly question: Question;
    readonly method: Exclude<Method, "auto">;
    readonly output: Output;
    /** Why this method. */
    readonly reason: string;
    /** How many contacts there are. */
    readonly length: number;
    /** False if the budget ended the search. */
    readonly complete: boolean;
    readonly covered: number;
    /** Impacts: the earliest time, 1 if there is none. */
    readonly earliest: number;
    readonly culprit: Pair<B> | null;
    readonly degenerate: number;
    readonly ratio: [low: number, estimate: number, high: number];
    readonly ended: { id: bigint; a: Element<B>; b: Element<B> }[];
    /** Views of the records as they lie in memory, `size` bytes each; valid until the next call of the world. */
    readonly records: { size: number; offsets: Readonly<Record<string, number>>; u8: Uint8Array; u32: Uint32Array; f32: Float32Array; f64?: Float64Array };
    at(place: number): Contact<B> | undefined;
    [Symbol.iterator](): Iterator<Contact<B>>;
    toArray(): Contact<B>[];
    /** Of a check: the element as its file numbers it, such as "t12". */
    nameOf?(element: Element<B>): string;
    /** Of a check: what was skipped in the file, or "". */
    note?: string;
    /** Of a check: frees its world. */
    dispose(): void;
}

export interface BodyInfo {
    vertexCount: number;
    triangleCount: number;
    edgeCount: number;
    tetCount: number;
    triangles: Uint32Array;
    triangleFaces: Uint32Array;
    edges: Uint32Array;
    tets: Uint32Array;
}

export class Body {
    readonly world: World;
    readonly name: string;
    user: unknown;
    readonly isRemoved: boolean;
    /** Elements as the world numbers them: views that last until the next call of the world. */
    readonly info: BodyInfo;
    /** Sets the positions at the end of the step. */
    move(positions: Positions): void;
    /** Sets the positions at both ends of the step: no motion. */
    teleport(positions: Positions): void;
    remove(): void;
}

export interface MeshReport {
    counts: Record<string, number>;
    issues: { kind: string; element: { kind: string; index: number }; other: number }[];
    boundaryEdges: number;
    components: number;
    closed: boolean;
    minimum: [number, number, number];
    maximum: [number, number, number];
    meanEdge: number;
}

export interface WorldOptions {
    /** Bytes that the world may take, 4 MB to 4 GB. */
    maxMemory?: number;
    /** In how many parts work is split; one thread runs them. The answer is the same. */
    threads?: number;
    number?: number;
}

/** Bodies, how they move, and questions about them. Each world has a memory of its own, given back when it is disposed of. */
export class World {
    /** Loads the library first, if it is not yet. */
    static create(options?: WorldOptions): Promise<World>;
    /** Needs `await load()` before. */
    constructor(options?: WorldOptions);
    add(mesh: Mesh): Body;
    remove(body: Body): void;
    beginStep(): void;
    allocate(type: Float32ArrayConstructor, length: number): SharedArray<Float32Array>;
    allocate(type: Float64ArrayConstructor, length: number): SharedArray<Float64Array>;
    allocate(type: Uint32ArrayConstructor, length: number): SharedArray<Uint32Array>;
    ask(question: Question, options?: AskOptions): Answer;
    intersections(options?: AskOptions): Answer;
    proximities(options?: AskOptions): Answer;
    penetrations(options?: AskOptions): Answer;
    impacts(options?: AskOptions): Answer;
    distance(options?: AskOptions): Answer;
    overlaps(options?: AskOptions): Answer;
    check(body: Body): MeshReport;
    readonly isa: "simd128" | "scalar";
    readonly memoryUse: { bodies: number; methods: number; answers: number; total: number };
    dispose(): void;
}

/** A body of a response with your arrays, corrected in place. Without inverse masses all its vertices are held, as in an obstacle. */
export interface ResponseBody {
    body: Body;
    positions: Float64Array;
    velocities?: Float64Array;
    inverseMasses?: Float64Array;
    /** advance: positions before the step. */
    start?: Float64Array;
}

export interface ResponseOptions {
    thickness?: number;
    friction?: number;
    dt?: number;
    correction?: number;
    iterations?: number;
    spread?: number;
    rings?: number;
    ratio?: number;
    seed?: number;
    rounds?: number;
    method?: Method;
}

/** From contacts to corrections of positions and velocities: see snag/response.h. */
export class Response {
    constructor(world: World);
    apply(answer: Answer, bodies: ResponseBody[], options?: ResponseOptions): Record<string, number>;
    advance(bodies: ResponseBody[], options?: ResponseOptions): Record<string, number>;
    untangle(bodies: ResponseBody[], options?: ResponseOptions): Record<string, number>;
    dispose(): void;
}

export type FileData = ArrayBuffer | ArrayBufferView | Blob | string;
export type Split = "objects" | "groups" | "materials" | "parts" | "shells";

export interface FileBody extends Mesh {
    positions: Float64Array;
    name: string;
    /** The numbers in the file; null where they are the same. */
    vertexNumbers: Uint32Array | null;
    polygonNumbers: Uint32Array | null;
    tetNumbers: Uint32Array | null;
}

/** Reads a mesh file; the name's ending says the format. */
export function readMesh(data: FileData, name: string, options?: { split?: Split; maxMemory?: number }): Promise<{
    name: string;
    bodies: FileBody[];
    note: string;
    skipped: number;
    leftOut: number;
    curved: number;
    metres: number;
}>;
/** The endings that can be read, such as ".obj". */
export function meshEndings(): Promise<string[]>;

export interface CheckOptions extends AskOptions {
    /** Intersections, or penetrations of tetrahedra, if not given. */
    question?: Question;
    split?: Split;
    maxMemory?: number;
}

/** Checks a file, or meshes, in one call. */
export function check(data: FileData, name: string, options?: CheckOptions): Promise<Answer>;
export function check(data: File | Mesh | Mesh[], options?: CheckOptions): Promise<Answer>;
