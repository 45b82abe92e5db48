// three.js and snag: bodies from meshes (skinned, morphed and instanced as three draws them), and contacts as an object for the scene.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, LineBasicMaterial, LineSegments, Matrix4, Vector3 } from "three";
import { SnagError } from "./memory.js";

// Indices of the triangles of a geometry; all vertices in order, if it has none.
function trianglesOf(geometry) {
    const { index, attributes } = geometry;
    const start = geometry.drawRange.start;
    const end = Math.min(index ? index.count : attributes.position.count, start + geometry.drawRange.count);
    const count = Math.max(0, end - start - ((end - start) % 3));
    return index ? Uint32Array.from({ length: count }, (_, i) => index.getX(start + i)) : Uint32Array.from({ length: count }, (_, i) => start + i);
}

// Seams of texture coordinates and normals double vertices, which tear a surface open: those at one place (at rest) count as one.
// Returns for each vertex of the geometry its vertex of the body, and one vertex of the geometry for each of the body.
function weld(attribute) {
    const seen = new Map();
    const bodyVertex = new Uint32Array(attribute.count);
    const source = [];
    for (let i = 0; i < attribute.count; i++) {
        const key = `${attribute.getX(i)},${attribute.getY(i)},${attribute.getZ(i)}`;
        let v = seen.get(key);
        if (v === undefined) {
            v = source.length;
            seen.set(key, v);
            source.push(i);
        }
        bodyVertex[i] = v;
    }
    return { bodyVertex, source: Uint32Array.from(source) };
}

const point = new Vector3();

// A mesh of three as a body of a world. update() moves the body to where the mesh is now, in world coordinates.
export class ThreeBody {
    constructor(world, mesh, options = {}) {
        if (!mesh?.isMesh || !mesh.geometry?.attributes?.position) throw new SnagError("argument", "addMesh: a Mesh or SkinnedMesh with positions is expected");
        if (mesh.isInstancedMesh || mesh.isBatchedMesh) throw new SnagError("unsupported", "addMesh: instanced and batched meshes are many bodies; add a Mesh for each instance that can catch");
        const { bodyVertex, source } = weld(mesh.geometry.attributes.position);
        const corners = trianglesOf(mesh.geometry);
        this.mesh = mesh;
        this.source = source;
        this.bodyVertex = bodyVertex;
        this.corners = corners;
        // The world's own memory: posing writes there, and the move copies nothing on the way.
        this.shared = world.allocate(Float32Array, 3 * source.length);
        this.pose();
        this.body = world.add({ positions: this.shared, triangles: corners.map((v) => bodyVertex[v]), name: options.name ?? (mesh.name || undefined), user: options.user ?? this });
    }

    // Writes where three draws each vertex: morph targets, then skinning, then the matrix of the mesh.
    pose() {
        const { mesh, source } = this;
        mesh.updateWorldMatrix(true, false);
        const out = this.shared.view;
        if (mesh.isSkinnedMesh && !mesh.morphTargetInfluences?.some((x) => x)) return this.poseSkinned(out);
        const matrix = mesh.matrixWorld;
        for (let v = 0; v < source.length; v++) {
            mesh.getVertexPosition(source[v], point).applyMatrix4(matrix);
            out[3 * v] = point.x;
            out[3 * v + 1] = point.y;
            out[3 * v + 2] = point.z;
        }
        return undefined;
    }

    // Skinning as three does it, for all vertices at once: matrices of the bones are blended, not points, so that a vertex costs one
    // product. Ten times as fast as getVertexPosition.
    poseSkinned(out) {
        const { mesh, source } = this;
        const { position, skinIndex, skinWeight } = mesh.geometry.attributes;
        const bones = this.boneMatrices();
        const m = new Float64Array(12);
        for (let v = 0; v < source.length; v++) {
            const i = source[v];
            m.fill(0);
            for (let k = 0; k < 4; k++) {
                const weight = skinWeight.getComponent(i, k);
                if (weight === 0) continue;
                const from = 12 * skinIndex.getComponent(i, k);
                for (let e = 0; e < 12; e++) m[e] += weight * bones[from + e];
            }
            const x = position.getX(i);
            const y = position.getY(i);
            const z = position.getZ(i);
            out[3 * v] = m[0] * x + m[3] * y + m[6] * z + m[9];
            out[3 * v + 1] = m[1] * x + m[4] * y + m[7] * z + m[10];
            out[3 * v + 2] = m[2] * x + m[5] * y + m[8] * z + m[11];
        }
    }
    // For each bone: matrixWorld * bindMatrixInverse * bone * boneInverse * bindMatrix, its upper three rows by columns.
    boneMatrices() {
        const { mesh } = this;
        const { bones, boneInverses } = mesh.skeleton;
        const made = new Float64Array(12 * bones.length);
        const matrix = new Matrix4();
        const outer = new Matrix4().multiplyMatrices(mesh.matrixWorld, mesh.bindMatrixInverse);
        bones.forEach((bone, b) => {
            bone.updateWorldMatrix(true, false);
            matrix.multiplyMatrices(outer, bone.matrixWorld).multiply(boneInverses[b]).multiply(mesh.bindMatrix);
            for (let column = 0; column < 4; column++) for (let row = 0; row < 3; row++) made[12 * b + 3 * column + row] = matrix.elements[4 * column + row];
        });
        return made;
    }

    update() {
        this.pose();
        this.body.move(this.shared);
    }
    // The corners of a triangle of the body, as vertices of the geometry.
    cornersOf(triangle) {
        return [...this.corners.subarray(3 * triangle, 3 * triangle + 3)];
    }
    dispose() {
        this.body.remove();
        this.shared.free();
    }
}

// Adds a Mesh or SkinnedMesh to a world.
export function addMesh(world, mesh, options) {
    return new ThreeBody(world, mesh, options);
}

// The contacts of an answer as lines to add to the scene: where surfaces cross, or from one closest point to the other.
export class ContactLines extends LineSegments {
    constructor({ color = 0xff2d2d, most = 20000, onTop = true } = {}) {
        const geometry = new BufferGeometry();
        const attribute = new BufferAttribute(new Float32Array(6 * most), 3);
        attribute.setUsage(DynamicDrawUsage);
        geometry.setAttribute("position", attribute);
        geometry.setDrawRange(0, 0);
        super(geometry, new LineBasicMaterial({ color, depthTest: !onTop, transparent: onTop }));
        this.most = most;
        this.frustumCulled = false; // its box would have to be computed anew for each answer
        this.renderOrder = 1;
        this.shown = 0;
    }
    // Shows the first `most` contacts of an answer; `shown` says how many.
    update(answer) {
        const { position } = this.geometry.attributes;
        this.shown = Math.min(answer.output === "contacts" ? answer.length : 0, this.most);
        if (this.shown) {
            const { f64, size, offsets } = answer.records;
            const step = size / 8;
            const from = offsets.point_a / 8;
            for (let i = 0; i < this.shown; i++) for (let k = 0; k < 6; k++) position.array[6 * i + k] = f64[i * step + from + k];
        }
        position.needsUpdate = true;
        this.geometry.setDrawRange(0, 2 * this.shown);
    }
    dispose() {
        this.geometry.dispose();
        this.material.dispose();
    }
}

// Lights up the triangles of an answer: colours of the vertices, which the material must show (vertexColors: true).
export class ContactColours {
    constructor(bodies, { base = 0xffffff, hit = 0xff2d2d } = {}) {
        this.bodies = bodies;
        this.base = new Color(base);
        this.hit = new Color(hit);
        for (const { mesh } of bodies) {
            const count = mesh.geometry.attributes.position.count;
            const attribute = new BufferAttribute(new Float32Array(3 * count), 3);
            attribute.setUsage(DynamicDrawUsage);
            for (let i = 0; i < count; i++) this.base.toArray(attribute.array, 3 * i);
            mesh.geometry.setAttribute("color", attribute);
        }
        this.lit = bodies.map(() => []);
    }
    update(answer) {
        this.bodies.forEach(({ mesh }, b) => {
            const { color } = mesh.geometry.attributes;
            for (const v of this.lit[b]) this.base.toArray(color.array, 3 * v);
            this.lit[b].length = 0;
            color.needsUpdate = true;
        });
        if (!answer.listed) return;
        const { u32, u8, size, offsets } = answer.records;
        const isContacts = answer.output === "contacts";
        for (let i = 0; i < answer.listed; i++) {
            const at = (i * size) / 4;
            for (const side of ["a", "b"]) {
                const body = u32[at + offsets[`body_${side}`] / 4];
                const kind = isContacts ? u32[at + offsets[side] / 4] : u8[i * size + offsets[`kind_${side}`]];
                const index = u32[at + offsets[side] / 4 + (isContacts ? 1 : 0)];
                this.light(body, kind, index);
            }
        }
    }
    light(bodyIndex, kind, index) {
        const b = this.bodies.findIndex(({ body }) => body.id[0] === bodyIndex);
        if (b < 0 || kind !== 2) return; // triangles
        const { mesh } = this.bodies[b];
        for (const v of this.bodies[b].cornersOf(index)) {
            this.hit.toArray(mesh.geometry.attributes.color.array, 3 * v);
            this.lit[b].push(v);
        }
    }
}
