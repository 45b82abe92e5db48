// A character and its garment, made here: two skinned tubes on one skeleton that bends and twists. The garment is bound a little more
// stiffly than the body, so that it catches where the body bends most.
import { Bone, BufferAttribute, BufferGeometry, Float32BufferAttribute, MeshStandardMaterial, Skeleton, SkinnedMesh, Uint16BufferAttribute } from "three";
import { addMesh, ContactColours, ContactLines } from "snag/three";

const BONES = 6;
const HEIGHT = 1.8;

// A tube of `around` x `rings` quads. Its radius varies along it; weights fall off linearly between bones, over `stiffness` of a bone.
function tube(around, rings, radius, from, to, stiffness) {
    const positions = [];
    const skinIndices = [];
    const skinWeights = [];
    const triangles = [];
    for (let j = 0; j <= rings; j++) {
        const y = from + ((to - from) * j) / rings;
        const along = Math.min(Math.max((y / HEIGHT) * BONES - 0.5, 0), BONES - 1);
        const low = Math.min(Math.floor(along), BONES - 2);
        const share = Math.min(Math.max((along - low - 0.5) / stiffness + 0.5, 0), 1);
        for (let i = 0; i <= around; i++) {
            // The first and the last column are one seam, as texture coordinates make it.
            const angle = (2 * Math.PI * (i % around)) / around;
            const r = radius(y, angle);
            positions.push(r * Math.cos(angle), y, r * Math.sin(angle));
            skinIndices.push(low, low + 1, 0, 0);
            skinWeights.push(1 - share, share, 0, 0);
        }
    }
    for (let j = 0; j < rings; j++)
        for (let i = 0; i < around; i++) {
            const v = j * (around + 1) + i;
            triangles.push(v, v + around + 1, v + 1, v + 1, v + around + 1, v + around + 2);
        }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
    geometry.setAttribute("skinIndex", new Uint16BufferAttribute(skinIndices, 4));
    geometry.setAttribute("skinWeight", new Float32BufferAttribute(skinWeights, 4));
    geometry.setIndex(new BufferAttribute(new Uint32Array(triangles), 1));
    geometry.computeVertexNormals();
    return geometry;
}

function makeSkeleton() {
    const bones = [];
    for (let i = 0; i < BONES; i++) {
        const bone = new Bone();
        bone.position.y = i ? HEIGHT / BONES : 0.5 * (HEIGHT / BONES);
        if (i) bones[i - 1].add(bone);
        bones.push(bone);
    }
    return bones;
}

// detail 1: 100,000 triangles in both. Returns the meshes for the scene, and pose(seconds).
export function makeCharacter(detail = 1) {
    const bones = makeSkeleton();
    const waist = (y) => 0.2 + 0.05 * Math.cos((2 * Math.PI * y) / HEIGHT);
    const n = (count) => Math.max(8, Math.round(count * Math.sqrt(detail)));
    const body = new SkinnedMesh(tube(n(180), n(160), waist, 0, HEIGHT, 1, 0), new MeshStandardMaterial({ color: 0xd9b8a0, vertexColors: true, roughness: 0.7 }));
    const folds = (y, angle) => waist(y) + 0.012 + 0.006 * Math.sin(14 * angle + 3 * y) + 0.05 * Math.max(0, 0.7 - y);
    const garment = new SkinnedMesh(tube(n(180), n(118), folds, 0.35, 1.45, 0.35), new MeshStandardMaterial({ color: 0xffffff, vertexColors: true, roughness: 0.9, transparent: true, opacity: 0.85, side: 2 }));
    body.name = "character";
    garment.name = "garment";
    body.add(bones[0]);
    body.updateMatrixWorld(true);
    const skeleton = new Skeleton(bones);
    body.bind(skeleton);
    garment.bind(skeleton, body.matrixWorld);
    const pose = (seconds) => {
        bones.forEach((bone, i) => {
            if (!i) return;
            bone.rotation.z = 0.35 * Math.sin(1.3 * seconds + 0.6 * i);
            bone.rotation.y = 0.25 * Math.sin(0.9 * seconds + 0.4 * i);
        });
        body.updateMatrixWorld(true);
        garment.updateMatrixWorld(true);
    };
    return { body, garment, pose, triangles: (body.geometry.index.count + garment.geometry.index.count) / 3 };
}

// Connects a character to a world: update(seconds) poses it, asks where the garment catches, and lights it up.
export function dress(world, character) {
    character.pose(0);
    const bodies = [addMesh(world, character.body), addMesh(world, character.garment)];
    const lines = new ContactLines();
    const colours = new ContactColours(bodies, { base: 0xffffff, hit: 0xff3020 });
    const update = (seconds) => {
        character.pose(seconds);
        for (const body of bodies) body.update();
        const start = performance.now();
        const answer = world.intersections({ self: false });
        const searched = performance.now() - start;
        lines.update(answer);
        colours.update(answer);
        return { contacts: answer.length, searched };
    };
    return { bodies, lines, colours, update };
}
