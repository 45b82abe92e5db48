import type { ColorRepresentation, LineSegments, Mesh } from "three";
import type { Answer, Body, World } from "./snag.js";

/** A mesh of three as a body of a world, in world coordinates; vertices at one place at rest count as one. */
export class ThreeBody {
    constructor(world: World, mesh: Mesh, options?: { name?: string; user?: unknown });
    readonly body: Body;
    readonly mesh: Mesh;
    /** Moves the body to where three draws the mesh now: morph targets, skinning, and the mesh's matrix. */
    update(): void;
    /** The corners of a triangle of the body, as vertices of the geometry. */
    cornersOf(triangle: number): [number, number, number];
    dispose(): void;
}

/** Adds a Mesh or SkinnedMesh to a world. */
export function addMesh(world: World, mesh: Mesh, options?: { name?: string; user?: unknown }): ThreeBody;

/** The contacts of an answer as lines: where surfaces cross, or between closest points. */
export class ContactLines extends LineSegments {
    constructor(options?: { color?: ColorRepresentation; most?: number; onTop?: boolean });
    /** How many contacts are shown: at most `most`. */
    readonly shown: number;
    update(answer: Answer): void;
    dispose(): void;
}

/** Colours the triangles of an answer; the materials need vertexColors: true. */
export class ContactColours {
    constructor(bodies: ThreeBody[], options?: { base?: ColorRepresentation; hit?: ColorRepresentation });
    update(answer: Answer): void;
}
