import type {
    Answer, AskOptions, BodyInfo, Boxes, CheckOptions, ClosestPoints, CollectOptions, DerivativeOptions, Derivatives, Edit, EditMap, Element, Enclosure, ExcludedPairs,
    FileData, Filter, FixedMeshes, FixMesh, FixOptions, Hit, Hits, Indices, Lists, Mesh, MeshReport, NestedPair, OverlapItem, Place, Positions, QueryOptions, Question,
    Rays, Side, Spheres, Split, WorldOptions,
} from "./snag.js";

type Source = URL | string | BufferSource | WebAssembly.Module;
/** Compiles the modules ahead of the first call. wasm, more, io: in place of the package's own files; more: false leaves snag-more.wasm out. */
export function load(options?: { wasm?: Source; more?: Source | false; io?: Source }): Promise<void>;

export class Body {
    readonly world: World;
    readonly name: string;
    user: unknown;
    /** transfer: gives the array away, which saves a copy. */
    move(positions: Positions, options?: { transfer?: boolean }): Promise<void>;
    teleport(positions: Positions, options?: { transfer?: boolean }): Promise<void>;
    remove(): Promise<void>;
    /** Copies of the elements as the world numbers them. */
    info(): Promise<BodyInfo>;
    enclosure(): Promise<Enclosure>;
    contains(points: Positions): Promise<Side[]>;
    winding(points: Positions): Promise<Float64Array>;
    label(element: { kind: Element["kind"]; index: number }): Promise<number>;
    edit(changes: Edit): Promise<EditMap>;
}

export class Exclusions {
    private constructor();
    dispose(): Promise<void>;
}
export class Candidates {
    private constructor();
    info(options?: { lists?: boolean }): Promise<{ length: number; complete: boolean; byteLength: number; vertexTriangle?: Uint32Array; edgeEdge?: Uint32Array; vertexEdge?: Uint32Array; vertexVertex?: Uint32Array }>;
    check(options?: { moving?: boolean }): Promise<void>;
    merge(other: Candidates): Promise<void>;
    dispose(): Promise<void>;
}

/** Functions cannot be sent to a worker: no `bodies` of a filter, no `onBlock`. */
type WorkerFilter = Omit<Filter, "bodies" | "exclusions"> & { exclusions?: Exclusions };
export type WorkerAskOptions = Omit<AskOptions, "filter" | "candidates" | "onBlock" | "blockSize"> & { filter?: WorkerFilter; candidates?: Candidates };

/** A world in a worker of its own. Answers are copies, and last. */
export class World {
    static create(options?: WorldOptions): Promise<World>;
    readonly bodies: ReadonlyMap<number, Body>;
    add(mesh: Mesh): Promise<Body>;
    beginStep(): Promise<void>;
    ask(question: Question, options?: WorkerAskOptions): Promise<Answer<Body>>;
    intersections(options?: WorkerAskOptions): Promise<Answer<Body>>;
    proximities(options?: WorkerAskOptions): Promise<Answer<Body>>;
    penetrations(options?: WorkerAskOptions): Promise<Answer<Body>>;
    impacts(options?: WorkerAskOptions): Promise<Answer<Body>>;
    distance(options?: WorkerAskOptions): Promise<Answer<Body>>;
    overlaps(options?: WorkerAskOptions): Promise<Answer<Body>>;
    /** The places of the last answer. */
    places(): Promise<Place<Body>[]>;
    closest(points: Positions, options?: QueryOptions<Body> & { sign?: boolean; within?: number }): Promise<ClosestPoints<Body>>;
    cast(rays: Rays, options?: QueryOptions<Body> & { segments?: boolean }): Promise<Hits<Body>>;
    castAny(rays: Rays, options?: QueryOptions<Body> & { segments?: boolean }): Promise<Uint8Array>;
    castAll(rays: Rays, options?: QueryOptions<Body> & { segments?: boolean }): Promise<Lists<Hit<Body>>>;
    overlapBoxes(boxes: Boxes, options?: QueryOptions<Body> & { elements?: boolean }): Promise<Lists<OverlapItem<Body>>>;
    overlapSpheres(spheres: Spheres, options?: QueryOptions<Body> & { elements?: boolean }): Promise<Lists<OverlapItem<Body>>>;
    nested(): Promise<NestedPair<Body>[]>;
    exclude(pairs: ExcludedPairs<Body>): Promise<Exclusions>;
    collect(options?: Omit<CollectOptions, "filter">): Promise<Candidates>;
    candidates(lists: { vertexTriangle?: Indices; edgeEdge?: Indices; vertexEdge?: Indices; vertexVertex?: Indices }): Promise<Candidates>;
    /** Of candidates, or of the last answer. */
    derivatives(pairs?: Candidates | null, options?: DerivativeOptions): Promise<Derivatives<Body>>;
    check(body: Body): Promise<MeshReport>;
    dispose(): void;
}

export function check(data: FileData, name: string, options?: CheckOptions): Promise<Answer<{ name: string }>>;
export function check(data: File | Mesh | Mesh[], options?: CheckOptions): Promise<Answer<{ name: string }>>;
export function fix(data: FileData, name: string, options?: FixOptions & { split?: Split; maxMemory?: number }): Promise<FixedMeshes>;
export function fix(data: File | FixMesh | FixMesh[], options?: FixOptions & { split?: Split; maxMemory?: number }): Promise<FixedMeshes>;
