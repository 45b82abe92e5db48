// Rods and points of a body: capsules as thick as the body, and never thinner on the screen than a line. A point is a rod whose ends meet.
import { BufferAttribute, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, Mesh } from "three";
import { rodMaterial } from "./materials.js";

// Beyond this many, capsules get fewer sides.
const MANY = 20000;

// A capsule of unit radius around the x axis, as directions from its two ends: those with a negative x belong to the first end.
function capsule(sides, rings) {
    const directions = [];
    const index = [];
    for (let r = 0; r < 2 * rings; r++) {
        // Rings from one pole to the other; the two in the middle are at either end of the cylinder.
        const first = r < rings;
        const angle = (Math.PI / 2) * (first ? r / (rings - 1 || 1) : (r - rings) / (rings - 1 || 1));
        const along = first ? -Math.cos(angle) : Math.sin(angle);
        const across = first ? Math.sin(angle) : Math.cos(angle);
        for (let s = 0; s < sides; s++) {
            const turn = (2 * Math.PI * s) / sides;
            directions.push(first ? Math.min(along, -1e-6) : Math.max(along, 1e-6), across * Math.cos(turn), across * Math.sin(turn));
            if (r === 0) continue;
            const [a, b] = [(r - 1) * sides + s, (r - 1) * sides + ((s + 1) % sides)];
            index.push(a, a + sides, b, b, a + sides, b + sides);
        }
    }
    return { directions: new Float32Array(directions), index: new Uint16Array(index) };
}

// The vertices at the ends of each rod and, twice, of each point.
function endsOf(body) {
    const ends = new Uint32Array(body.rods.length + 2 * body.points.length);
    ends.set(body.rods);
    body.points.forEach((v, i) => ends.fill(v, body.rods.length + 2 * i, body.rods.length + 2 * i + 2));
    return ends;
}

export class Rods {
    // `radius` in view units.
    constructor(body, radius, tint) {
        this.ends = endsOf(body);
        const count = this.ends.length / 2;
        const shape = count > MANY ? capsule(4, 2) : capsule(10, 4);
        const geometry = new InstancedBufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(shape.directions, 3));
        geometry.setIndex(new BufferAttribute(shape.index, 1));
        this.sides = ["from", "to"].map((name) => {
            const places = new InstancedBufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage);
            geometry.setAttribute(name, places);
            return places;
        });
        geometry.instanceCount = count;
        this.mesh = new Mesh(geometry, rodMaterial(tint, radius));
        this.mesh.frustumCulled = false;
    }

    static of(body, radius, tint) {
        return body.rods.length + body.points.length ? new Rods(body, radius, tint) : null;
    }

    put(xyz) {
        this.sides.forEach((places, side) => {
            for (let i = 0; i < places.count; i++) {
                const v = 3 * this.ends[2 * i + side];
                for (let k = 0; k < 3; k++) places.array[3 * i + k] = xyz[v + k];
            }
            places.needsUpdate = true;
        });
    }
}
