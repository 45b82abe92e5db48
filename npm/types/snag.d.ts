/** The version of the library, such as "0.2.0". */
export const version: string;

export type Question = "intersections" | "proximities" | "penetrations" | "impacts" | "distance" | "overlaps";
export type Method = "auto" | "brute" | "hash" | "regions" | "kdop" | "active" | "regularity" | "spheres";
export type Output = "contacts" | "pairs" | "count" | "earliest";
export type ContactKind =
    | "crossing" | "touching" | "coplanar" | "vertex-vertex" | "vertex-edge" | "vertex-face" | "edge-edge" | "inside" | "unresolved" | "through" | "overlap";
export type Status =
    | "argument" | "memory" | "size" | "index" | "not finite" | "body" | "mismatch" | "unsupported" | "file" | "format" | "busy" | "limit" | "stale";

/** An error of the library: its message says what is wrong and what to do. */
export class SnagError extends Error {
    readonly status: Status;
    constructor(status: Status, message: string);
}

type Source = URL | string | BufferSource | WebAssembly.Module;

/** Loads the library; the first call decides. Without it the package's own files are used, with 128-bit vectors where the engine has them.
 * wasm, more, io: snag.wasm, snag-more.wasm and snag-io.wasm from elsewhere. more: false leaves snag-more.wasm out: questions alone then work, other calls throw. */
export function load(options?: { wasm?: Source; more?: Source | false; io?: Source; simd?: boolean }): Promise<void>;
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

export type Point = [number, number, number];
export type Numbers = number[] | Float32Array | Float64Array | Uint32Array | Int32Array | Uint16Array | Uint8Array;

/** One body: triangles (`indices` is another name), polygons or tetrahedra, or none of them; edges and points beside them or alone. */
export interface Mesh {
    positions: Positions;
    triangles?: Indices;
    indices?: Indices;
    polygons?: { sizes: Indices; vertices: Indices };
    tets?: Indices;
    /** Rods: two vertices each. */
    edges?: Indices;
    /** Particles: one vertex each. */
    points?: Indices;
    /** Half the thickness: of the body, or of each vertex. */
    radius?: number | Numbers;
    /** Bits: two elements meet if (a.group & b.mask) && (b.group & a.mask). Of the body, or of each vertex. */
    group?: number | Numbers;
    mask?: number | Numbers;
    /** A number of yours for each triangle, polygon or tetrahedron, such as its material. */
    labels?: Numbers;
    /** The pose that `filter.excludeRest` speaks of. */
    rest?: Positions;
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

/** Which pairs take part in a question. */
export interface Filter {
    /** Return false to skip a pair of bodies; with a === b the self-contacts of a body. */
    bodies?: (a: Body, b: Body) => boolean | void;
    /** Leave out elements of one body that are at most this many edges apart, up to 16. */
    excludeRings?: number;
    /** Leave out elements of one body that are this close in its rest pose. */
    excludeRest?: number;
    exclusions?: Exclusions;
}

export interface Watched {
    /** Stop after about this many milliseconds. */
    budget?: number;
    signal?: AbortSignal;
    /** The part that is done, 0 to 1. */
    onProgress?: (done: number) => void;
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
    /** Proximities and impacts: as if all bodies had the radius 0. */
    ignoreRadius?: boolean;
    filter?: Filter;
    /** Answer from these pairs, without a search. */
    candidates?: Candidates;
    /** Of the method that is named, as in snag/methods.h: { k, arity, lazy } of kdop, and so on. */
    options?: Record<string, number | string>;
    /** Hands contacts or pairs out in blocks, which last as long as the call; the answer has their number. Return false to stop. */
    onBlock?: (block: Block) => boolean | void;
    blockSize?: number;
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

/** Contacts in a world's memory. */
export class Block<B = Body> implements Iterable<Contact<B>> {
    readonly length: number;
    /** Views of the records as they lie in memory, `size` bytes each; valid until the next call of the world. */
    readonly records: { size: number; offsets: Readonly<Record<string, number>>; u8: Uint8Array; u32: Uint32Array; f32: Float32Array; f64?: Float64Array };
    at(place: number): Contact<B> | undefined;
    [Symbol.iterator](): Iterator<Contact<B>>;
    toArray(): Contact<B>[];
}

/** A connected patch of contacts; see snag/places.h. */
export interface Place<B = Body> {
    id: bigint;
    a: B;
    b: B;
    /** Places in the answer. */
    contacts: Uint32Array;
    worst: number;
    value: number;
    minimum: Point;
    maximum: Point;
    centre: Point;
    size: number;
    length: number;
    depth: number;
    inside: number;
}

/** An answer. That of a world lasts until it is asked again, a body is removed, or it is disposed of. */
export class Answer<B = Body> extends Block<B> {
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
    readonly statistics: { candidates: number; exact: number; visited: number; tested: number; newPairs: number; regionsOpened: number[]; regionContacts: number };
    /** Connected patches of contacts, the worst first. */
    places(): Place<B>[];
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
    /** Indices into `edges`. */
    rods: Uint32Array;
    points: Uint32Array;
    radius: number;
}

export type Side = "outside" | "inside" | "on" | "none";

/** Results of a batch: copies, which last. Columns make no objects. */
export interface Records<T> extends Iterable<T> {
    readonly length: number;
    at(place: number): T | undefined;
    toArray(): T[];
    /** One field of all records by its C name, one after the other. */
    column(field: string): NumberArray | Uint32Array | Int32Array | Uint8Array;
}
export interface Closest<B = Body> {
    body: B;
    element: Element<B>;
    kind: ContactKind;
    /** With `sign`. */
    side: Side;
    /** With `sign` negative inside. */
    distance: number;
    weight: Point;
    point: Point;
}
/** null where no body is within reach: its distance is Infinity. */
export interface ClosestPoints<B = Body> extends Records<Closest<B> | null> {
    readonly distances: Float64Array;
    readonly points: Float64Array;
}
export interface Hit<B = Body> {
    body: B;
    triangle: number;
    /** 1: front, -1: back, 0: edge-on. */
    facing: number;
    t: number;
    weight: Point;
    point: Point;
}
/** null where a ray hits nothing: its time is Infinity. */
export interface Hits<B = Body> extends Records<Hit<B> | null> {
    readonly times: Float64Array;
    readonly points: Float64Array;
}
/** A list for each query: query i has items start[i] .. start[i + 1] - 1. */
export interface Lists<T> extends Iterable<T[]> {
    readonly length: number;
    readonly start: Uint32Array;
    at(place: number): T[] | undefined;
    toArray(): T[][];
}
/** triangle: null where the shape lies inside the body. */
export interface OverlapItem<B = Body> {
    body: B;
    triangle: number | null;
}
export interface NestedPair<B = Body> {
    inner: B;
    outer: B;
    gap: number;
    depth: number;
    deepest: number;
}
export interface Enclosure {
    volume: boolean;
    closed: boolean;
    oriented: boolean;
    openEdges: number;
    unbalancedEdges: number;
}
export interface QueryOptions<B = Body> extends Watched {
    /** All if not given. */
    bodies?: B | B[];
}
/** A ray; of a segment `end` is the other end. */
export type Ray = { origin: Numbers; limit?: number } & ({ direction: Numbers } | { end: Numbers });
export type Rays = Ray | Ray[] | { origins: Numbers; directions: Numbers; limits?: number | Numbers } | { origins: Numbers; ends: Numbers; limits?: number | Numbers };
export type Boxes = { min: Numbers; max: Numbers } | { min: Numbers; max: Numbers }[] | NumberArray;
export type Spheres = { center: Numbers; radius: number } | { center: Numbers; radius: number }[] | NumberArray;

/** What to change in a body; see snag/edit.h. */
export interface Edit {
    /** New vertices, with their rest pose, groups and masks. */
    vertices?: Positions;
    rest?: Positions;
    group?: Indices;
    mask?: Indices;
    remove?: Indices;
    splitVertices?: { vertex: number; elements: Indices }[];
    splitEdges?: { vertices: [number, number]; at?: number }[];
    rewire?: { elements: Indices; vertices: Indices };
    add?: Indices;
    labels?: Indices;
    removeVertices?: Indices;
}
/** New from old and old from new; 0xffffffff where there is no number. */
export interface EditMap {
    firstVertex: number;
    firstElement: number;
    vertexFrom: Uint32Array;
    elementFrom: Uint32Array;
    edges: Uint32Array;
    triangles: Uint32Array;
}

/** A named element, such as those of contacts. */
export type ElementOf<B = Body> = { body: B; kind: "vertex" | "triangle" | "tet"; index: number } | { body: B; kind: "edge"; vertices: [number, number] };
export interface ExcludedPairs<B = Body> {
    pairs?: [ElementOf<B>, ElementOf<B>][];
    /** All pairs of a vertex of the one and a vertex of the other. */
    sets?: [{ body: B; vertices: Indices }, { body: B; vertices: Indices }][];
}
/** Pairs that never meet, for `filter` of questions. */
export class Exclusions {
    private constructor();
    dispose(): void;
}

export interface CollectOptions {
    distance?: number;
    /** How far vertices may stray from their way. */
    margin?: number;
    self?: boolean;
    between?: boolean;
    filter?: Filter;
    /** A question to a set that does not hold searches instead of throwing. */
    searchIfStale?: boolean;
}
/** Pairs that can matter, found once and asked about many times. Rows of four: index of the body of a and of b, a, b. */
export class Candidates {
    private constructor();
    readonly length: number;
    readonly byteLength: number;
    readonly complete: boolean;
    readonly vertexTriangle: Uint32Array;
    readonly edgeEdge: Uint32Array;
    /** Vertices and rods. */
    readonly vertexEdge: Uint32Array;
    /** Vertices, one of them a point or the end of a rod. */
    readonly vertexVertex: Uint32Array;
    /** Throws a SnagError "stale" if a vertex has strayed too far. */
    check(options?: { moving?: boolean }): void;
    merge(other: Candidates): void;
    filter(keep: (pair: { kind: "vertex-triangle" | "edge-edge"; bodyA: Body; bodyB: Body; a: number; b: number }) => boolean): void;
    dispose(): void;
}
export interface Derivative<B = Body> {
    kind: ContactKind;
    points: { body: B; vertex: number }[];
    squared: number;
    gradient: number[];
    hessian?: Float64Array;
    mollifier: number;
    mollifierGradient?: number[];
    mollifierHessian?: Float64Array;
    edgeVertices?: number[];
}
/** Squared distances and their derivatives after the coordinates of at most four points; see snag/derivatives.h. */
export interface Derivatives<B = Body> extends Records<Derivative<B>> {
    readonly squared: Float64Array;
    /** 12 numbers each. */
    readonly gradients: Float64Array;
    /** 144 numbers each. */
    readonly hessians: Float64Array | null;
    readonly mollifierHessians: Float64Array | null;
}
export interface DerivativeOptions {
    hessians?: boolean;
    /** The factor of nearly parallel edges (1e-3 in incremental potential contact), or a threshold for each pair. */
    mollifier?: number | Numbers;
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
    /** Exactly; an open surface is refused. */
    contains(points: Positions): Side[];
    winding(points: Positions): Float64Array;
    readonly enclosure: Enclosure;
    label(element: { kind: Element["kind"]; index: number }): number;
    edit(changes: Edit): EditMap;
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
    readonly bodies: ReadonlyMap<number, Body>;
    closest(points: Positions, options?: QueryOptions & { sign?: boolean; within?: number }): ClosestPoints;
    /** The first hit of each ray. segments: directions are the other ends. */
    cast(rays: Rays, options?: QueryOptions & { segments?: boolean }): Hits;
    castAny(rays: Rays, options?: QueryOptions & { segments?: boolean }): Uint8Array;
    castAll(rays: Rays, options?: QueryOptions & { segments?: boolean }): Lists<Hit>;
    /** elements: every triangle, not each body once. */
    overlapBoxes(boxes: Boxes, options?: QueryOptions & { elements?: boolean }): Lists<OverlapItem>;
    overlapSpheres(spheres: Spheres, options?: QueryOptions & { elements?: boolean }): Lists<OverlapItem>;
    nested(): NestedPair[];
    exclude(pairs: ExcludedPairs): Exclusions;
    collect(options?: CollectOptions): Candidates;
    candidates(lists: { vertexTriangle?: Indices; edgeEdge?: Indices; vertexEdge?: Indices; vertexVertex?: Indices }): Candidates;
    derivatives(pairs: Answer | Candidates, options?: DerivativeOptions): Derivatives;
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
    /** advance and truncate: positions before the step. fix: where vertices were, if `positions` are a first guess. */
    start?: Float64Array;
    /** bounds: written. */
    bounds?: Float64Array;
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
    safe?: "half-spaces" | "bounds";
    reach?: number;
}

export type FixOutcome = "freed" | "held" | "max-move" | "time" | "shared" | "one-sided" | "parts" | "through" | "thin" | "stuck";
/** A place where surfaces intersected, and what became of it. */
export interface FixPlace<B = Body> {
    a: B;
    b: B;
    centre: Point;
    size: number;
    depth: number;
    length: number;
    contacts: number;
    left: number;
    moved: number;
    largestMove: number;
    outcome: FixOutcome;
    /** The outcome as a sentence. */
    why: string;
}
export interface FixReport<B = Body> {
    contacts: number;
    left: number;
    places: FixPlace<B>[];
    freed: number;
    moved: number;
    largestMove: number;
    meanEdge: number;
    largestEdges: number;
    asks: number;
    searchUs: number;
    complete: boolean;
}
export interface FixOptions extends Watched {
    method?: Method;
    /** No vertex moves farther; 0: no limit. */
    maxMove?: number;
    /** Results are representable as floats, and proved free as such. */
    single?: boolean;
    /** Where a sheet meets a solid, only the sheet moves. */
    sheetsYield?: boolean;
}

/** From contacts to corrections of positions and velocities: see snag/response.h. */
export class Response {
    constructor(world: World);
    apply(answer: Answer, bodies: ResponseBody[], options?: ResponseOptions): Record<string, number>;
    advance(bodies: ResponseBody[], options?: ResponseOptions): Record<string, number>;
    untangle(bodies: ResponseBody[], options?: ResponseOptions): Record<string, number>;
    truncate(bodies: ResponseBody[], options?: ResponseOptions): Record<string, number>;
    /** How far each vertex may move so that nothing crosses, for each body. */
    bounds(bodies: { body: Body; positions: Float64Array; bounds?: Float64Array }[], reach: number, options?: ResponseOptions): Float64Array[];
    fix(bodies: ResponseBody[], options?: FixOptions & { rigid?: Body[] }): FixReport;
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
export function readMesh(data: FileData, name: string, options?: { split?: Split; curved?: boolean; maxMemory?: number }): Promise<{
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
    /** Cut cells of second order at their mid-nodes. */
    curved?: boolean;
    maxMemory?: number;
}

/** Checks a file, or meshes, in one call. */
export function check(data: FileData, name: string, options?: CheckOptions): Promise<Answer>;
export function check(data: File | Mesh | Mesh[], options?: CheckOptions): Promise<Answer>;

/** A mesh to fix. held: true, or the vertices that stay. rigid: it moves as a whole. */
export type FixMesh = Mesh & { held?: true | number[] | Uint32Array; rigid?: boolean };
export interface FixedMeshes {
    /** The meshes with new positions. */
    bodies: (Mesh & { positions: Float64Array })[];
    /** Places name meshes by their numbers. */
    report: FixReport<number>;
}
/** Frees surfaces that intersect each other or themselves, by moving vertices near the places where they do. */
export function fix(data: FileData, name: string, options?: FixOptions & { split?: Split; maxMemory?: number }): Promise<FixedMeshes>;
export function fix(data: File | FixMesh | FixMesh[], options?: FixOptions & { split?: Split; maxMemory?: number }): Promise<FixedMeshes>;
