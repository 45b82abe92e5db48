// The 3D view: bodies, highlights, the camera and its animations. It draws only when something has changed.
import {
    BufferAttribute, BufferGeometry, DynamicDrawUsage, LineSegments, Mesh, PerspectiveCamera, Points, Scene, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import { BoxTree } from "./boxes.js";
import { coarseTriangles } from "./coarse.js";
import { NORMAL_COLOUR, SIDE_COLOURS, bodyColour, contactColours, levelColour, rgb } from "./colours.js";
import { EDGE, LEAF, TET, TRIANGLE, VERTEX, contactPoint, elementVertices, trianglesOfFace } from "./data.js";
import { makeLabels, placeLabels } from "./labels.js";
import { Rods } from "./rods.js";
import { bestSide, isClosed, subjectOf } from "./subject.js";
import { bodyMaterial, cut, flatMaterial, highlightMaterial, lineMaterial, setCut } from "./materials.js";

const TET_FACES = [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3];
// Supersampling smooths the edges when nothing moves. While it moves, draw at screen resolution; if a frame then takes longer
// than this, draw a coarser mesh, then fewer pixels.
const FULL_PIXELS = 2;
const SLOW_MS = 28;
const LEAST_PIXELS = 0.5;
const COARSE_TRIANGLES = [Infinity, 30000, 8000];
const FLIGHT_MS = 480;
const PICK_PIXELS = 14;
// Distances that are drawn as lines: the smallest ones. All of a scene of a hundred bodies would be a tangle.
const DISTANCES_SHOWN = 12;

// Growing arrays of points and colours that become a geometry.
class Painted {
    constructor() {
        this.places = [];
        this.colours = [];
    }
    add(xyz, at, colour) {
        this.places.push(xyz[at], xyz[at + 1], xyz[at + 2]);
        this.colours.push(colour[0], colour[1], colour[2]);
    }
    geometry() {
        const made = new BufferGeometry();
        made.setAttribute("position", new BufferAttribute(new Float32Array(this.places), 3));
        made.setAttribute("colour", new BufferAttribute(new Float32Array(this.colours), 3));
        return made;
    }
}

function addTet(painted, xyz, corners, colour) {
    for (const c of TET_FACES) painted.add(xyz, 3 * corners[c], colour);
}

function uniqueEdges(body) {
    const seen = new Set();
    const edges = [];
    for (let t = 0; t < body.triangleCount; t++)
        for (let c = 0; c < 3; c++) {
            const v = body.triangles[3 * t + c];
            const w = body.triangles[3 * t + ((c + 1) % 3)];
            const key = v < w ? v * body.vertexCount + w : w * body.vertexCount + v;
            if (seen.has(key)) continue;
            seen.add(key);
            edges.push(v, w);
        }
    return new Uint32Array(edges);
}

// A sphere as its circles around x, y and z.
function circles({ centre, radius }) {
    const STEPS = 48;
    const segments = [];
    for (let axis = 0; axis < 3; axis++)
        for (let i = 0; i < 2 * STEPS; i++) {
            const angle = (2 * Math.PI * ((i + 1) >> 1)) / STEPS;
            const place = [...centre];
            place[(axis + 1) % 3] += radius * Math.cos(angle);
            place[(axis + 2) % 3] += radius * Math.sin(angle);
            segments.push(...place);
        }
    return segments;
}

export class View {
    constructor(canvas, report, labels, filter) {
        this.canvas = canvas;
        this.report = report;
        this.filter = filter;
        this.labels = labels;
        this.renderer = new WebGLRenderer({ canvas, antialias: false, alpha: true, powerPreference: "high-performance" });
        this.renderer.setClearColor(0, 0);
        this.renderer.debug.checkShaderErrors = false;    // the check would wait for every shader in turn
        this.scene = new Scene();
        this.scene.matrixAutoUpdate = false;
        this.camera = new PerspectiveCamera(40, 1, 0.001, 100);
        this.makeControls();
        this.options = {
            colour: "kind", elements: true, points: true, normals: false, wire: false, xray: false,
            cut: false, cutAxis: 0, cutOffset: 0.5, cutFlip: false, boxes: false, boxDepth: 4, regions: false,
        };
        this.selected = -1;
        this.isolated = false;
        this.pixels = 1;
        this.coarse = 0;
        this.covered = 0;    // pixels at the bottom
        this.makeBodies();
        this.makeHighlights();
        this.listen();
    }

    // ---- setup ----

    makeBodies() {
        this.parts = this.report.bodies.map((body, i) => {
            const geometry = new BufferGeometry();
            const positions = new BufferAttribute(new Float32Array(3 * body.vertexCount), 3).setUsage(DynamicDrawUsage);
            geometry.setAttribute("position", positions);
            geometry.setIndex(new BufferAttribute(body.triangles, 1));
            const tint = rgb(bodyColour(i));
            const mesh = new Mesh(geometry, bodyMaterial(tint));
            mesh.frustumCulled = false;
            this.scene.add(mesh);
            const rods = Rods.of(body, body.radius / this.report.radius, tint);
            if (rods) this.scene.add(rods.mesh);
            return { body, mesh, rods, tint, positions, indices: [geometry.index], visible: true, ghost: false, wire: null, boxes: null, tree: null };
        });
    }

    makeHighlights() {
        const empty = new BufferGeometry();
        const make = (Kind, material, order) => {
            const made = new Kind(empty, material);
            made.frustumCulled = false;
            made.renderOrder = order;
            made.visible = false;
            this.scene.add(made);
            return made;
        };
        // Contacts behind a surface show through faintly, so that none is hidden.
        this.faces = make(Mesh, highlightMaterial(), 1);
        this.lines = make(LineSegments, flatMaterial({}), 3);
        this.linesBehind = make(LineSegments, flatMaterial({ opacity: 0.35, hidden: true }), 2);
        this.points = make(Points, flatMaterial({ round: true }), 5);
        this.pointsBehind = make(Points, flatMaterial({ round: true, opacity: 0.28, hidden: true }), 4);
        this.hierarchy = make(LineSegments, flatMaterial({ opacity: 0.55, hidden: true }), 2);
        this.normals = make(LineSegments, flatMaterial({ opacity: 0.9 }), 3);
        this.chosenFaces = make(Mesh, highlightMaterial(), 6);
        this.chosenFaces.material.depthTest = false;
        this.chosenFaces.material.transparent = true;
        this.chosenFaces.material.uniforms.opacity.value = 0.55;
        this.chosenPoints = make(Points, flatMaterial({ round: true, hidden: true }), 9);
        // The two sides, and the normal.
        this.outlines = [...SIDE_COLOURS, NORMAL_COLOUR].map((colour) => {
            const made = new LineSegments2(new LineSegmentsGeometry(), new LineMaterial({ color: colour, linewidth: 2.5, depthTest: false }));
            made.renderOrder = 8;
            made.frustumCulled = false;
            made.visible = false;
            this.scene.add(made);
            return made;
        });
    }

    // The controls read the camera's up vector when they are created.
    makeControls() {
        const target = this.controls?.target;
        this.controls?.dispose();
        this.controls = new OrbitControls(this.camera, this.canvas);
        if (target) this.controls.target.copy(target);
        this.controls.enableDamping = false;
        this.controls.zoomToCursor = true;
        this.controls.minDistance = 1e-5;
        this.controls.maxDistance = 40;
        this.controls.addEventListener("start", () => this.move());
        this.controls.addEventListener("change", () => this.draw());
        this.controls.addEventListener("end", () => this.rest());
    }

    listen() {
        new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement);
        let pressed = null;
        this.canvas.addEventListener("pointerdown", (event) => (pressed = [event.clientX, event.clientY]));
        this.canvas.addEventListener("pointerup", (event) => {
            if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4) this.pick(event);
            pressed = null;
        });
        this.canvas.addEventListener("webglcontextlost", (event) => {
            event.preventDefault();
            this.onLost?.();
        });
    }

    // ---- frames ----

    setFrame(frame) {
        this.frame = frame;
        this.startMoving();
        this.rest();
        this.selected = -1;
        this.positions = frame.positions;
        this.putBodies();
        this.paint();
        this.paintHierarchy();
        this.paintChosen();
        this.updateBoxes();
        this.draw();
    }

    // Interpolates the bodies between the previous frame and this one; without a previous frame, uses this one.
    pose(before, time) {
        const between = (now, then) => (now === then ? now : now.map((x, i) => then[i] + time * (x - then[i])));
        this.positions = before ? this.frame.positions.map((now, i) => between(now, before.positions[i])) : this.frame.positions;
        this.putBodies();
        this.paint();
        this.paintChosen();
        this.draw();
    }

    putBodies() {
        this.parts.forEach((part, i) => {
            if (part.shown === this.positions[i]) return;
            part.shown = this.positions[i];
            part.positions.array.set(part.shown);
            part.positions.needsUpdate = true;
            part.rods?.put(part.shown);
        });
    }

    isShown(contacts, i) {
        return this.filter.contact(contacts, i) && (!this.nearest || this.nearest.has(i) || i === this.selected);
    }

    // Of distances only the smallest are drawn.
    chooseNearest() {
        const { contacts } = this.frame;
        this.nearest = null;
        if (this.report.json.question !== "distance" || contacts.count <= DISTANCES_SHOWN) return;
        const order = Array.from({ length: contacts.count }, (_, i) => i).filter((i) => this.filter.contact(contacts, i));
        order.sort((i, j) => (contacts.value[i] ?? Infinity) - (contacts.value[j] ?? Infinity));
        this.nearest = new Set(order.slice(0, DISTANCES_SHOWN));
    }

    // The filter has changed.
    refilter() {
        for (const [i, part] of this.parts.entries()) part.visible = !this.filter.hiddenBodies.has(i);
        if (this.frame) this.paint();
        this.applyLook();
        this.updateBoxes();
        this.draw();
    }

    replace(object, painted, visible) {
        object.geometry.dispose();
        object.geometry = painted.geometry();
        object.visible = visible && painted.places.length > 0;
    }

    // Everything coloured by contacts.
    paint() {
        const { contacts } = this.frame;
        this.chooseNearest();
        const colours = contactColours(this.report, contacts, this.options.colour);
        const faces = new Painted();
        const lines = new Painted();
        const points = new Painted();
        const normals = new Painted();
        const painted = this.parts.map((part) => new Uint8Array(part.body.triangleCount));
        this.places = new Float32Array(3 * contacts.count);
        for (let i = 0; i < contacts.count; i++) {
            this.places.set(this.report.toView(contactPoint(this.report, contacts, i, this.frame.positions)), 3 * i);
            if (!this.isShown(contacts, i)) continue;
            const colour = colours(i);
            for (const side of [contacts.a, contacts.b]) this.paintElement(side, i, colour, faces, lines, painted);
            this.paintContact(contacts, i, colour, lines, points, normals);
        }
        this.sizePoints();
        const { elements, points: dots, normals: spikes } = this.options;
        this.replace(this.faces, faces, elements && !this.isolated);
        this.replace(this.lines, lines, dots && !this.isolated);
        this.replace(this.linesBehind, lines, dots && !this.isolated);
        this.replace(this.points, points, dots && !this.isolated);
        this.replace(this.pointsBehind, points, dots && !this.isolated);
        this.replace(this.normals, normals, spikes && !this.isolated);
    }

    paintHierarchy() {
        const { count, level, ends } = this.frame.lines;
        const lines = new Painted();
        const levels = level.reduce((most, l) => Math.max(most, l), 0) + 1;
        for (let i = 0; i < count; i++)
            for (const k of [0, 3])
                lines.add(this.report.toView([ends[k][i], ends[k + 1][i], ends[k + 2][i]]), 0, levelColour(level[i], levels));
        this.replace(this.hierarchy, lines, this.options.regions);
    }

    paintElement(side, i, colour, faces, lines, painted) {
        const body = side.body[i];
        const xyz = this.positions[body];
        const mesh = this.report.bodies[body];
        const index = side.index[i];
        if (side.element[i] === TRIANGLE) {
            const [first, last] = trianglesOfFace(mesh, index);
            for (let t = first; t <= last; t++) {
                if (painted[body][t]) continue;
                painted[body][t] = 1;
                for (let c = 0; c < 3; c++) faces.add(xyz, 3 * mesh.triangles[3 * t + c], colour);
            }
        } else if (side.element[i] === EDGE) {
            lines.add(xyz, 3 * index, colour);
            lines.add(xyz, 3 * side.end[i], colour);
        } else if (side.element[i] === TET) {
            addTet(faces, xyz, mesh.tets.subarray(4 * index, 4 * index + 4), colour);
        }
    }

    paintContact(contacts, i, colour, lines, points, normals) {
        points.add(this.places, 3 * i, colour);
        if (i >= contacts.detailed) return;
        const d = contacts.details;
        const ends = [0, 3].map((k) => this.report.toView([d[k][i], d[k + 1][i], d[k + 2][i]]));
        lines.add(ends[0], 0, colour);
        lines.add(ends[1], 0, colour);
        const normal = [d[6][i], d[7][i], d[8][i]];
        if (!normal[0] && !normal[1] && !normal[2]) return;
        const from = this.places.subarray(3 * i, 3 * i + 3);
        normals.add(from, 0, colour);
        normals.add(from.map((x, k) => x + 0.05 * normal[k]), 0, colour);
    }

    // ---- the selected contact ----

    select(i, fly) {
        this.selected = i;
        if (i < 0) this.isolated = false;
        this.paintChosen();
        this.applyLook();
        if (i >= 0 && fly) this.flyToContact(i);
        this.draw();
    }

    setIsolated(on) {
        this.isolated = on && this.selected >= 0;
        this.applyLook();
        if (this.isolated) this.flyToContact(this.selected);
        this.draw();
    }

    // The elements of a contact, in view units: for each side its vertices, edges and triangles.
    sides(i) {
        const { contacts } = this.frame;
        return [contacts.a, contacts.b].map((side) => {
            const body = this.report.bodies[side.body[i]];
            return {
                side,
                body,
                xyz: this.positions[side.body[i]],
                element: side.element[i],
                vertices: elementVertices(this.report, side, i),
                sphere: side.element[i] === LEAF ? this.sphere(i, side === contacts.b ? 1 : 0) : null,
            };
        });
    }

    // The sphere of a leaf, in view units; without details it is a point.
    sphere(i, s) {
        const { details, detailed } = this.frame.contacts;
        if (i >= detailed) return { centre: [...this.places.subarray(3 * i, 3 * i + 3)], radius: 0 };
        const centre = this.report.toView([0, 1, 2].map((k) => details[3 * s + k][i]));
        return { centre, radius: details[9 + s][i] / this.report.radius };
    }

    paintChosen() {
        const faces = new Painted();
        const points = new Painted();
        this.labelled = [];
        this.outlines.forEach((outline) => (outline.visible = false));
        if (this.selected >= 0) {
            this.sides(this.selected).forEach((side, s) => this.paintSide(side, s, faces, points));
            this.paintNormal();
            points.add(this.places, 3 * this.selected, [1, 1, 1]);
        }
        this.replace(this.chosenFaces, faces, true);
        this.replace(this.chosenPoints, points, true);
        makeLabels(this);
    }

    paintSide(side, s, faces, points) {
        const { body, xyz, vertices, element } = side;
        const colour = rgb(SIDE_COLOURS[s]);
        const segments = [];
        const join = (v, w) => segments.push(...xyz.subarray(3 * v, 3 * v + 3), ...xyz.subarray(3 * w, 3 * w + 3));
        const index = side.side.index[this.selected];
        if (element === TRIANGLE) {
            const [first, last] = trianglesOfFace(body, index);
            for (let t = first; t <= last; t++)
                for (let c = 0; c < 3; c++) {
                    faces.add(xyz, 3 * body.triangles[3 * t + c], colour);
                    join(body.triangles[3 * t + c], body.triangles[3 * t + ((c + 1) % 3)]);
                }
        } else if (element === TET) {
            addTet(faces, xyz, vertices, colour);
            for (let k = 0; k < 4; k++) for (let l = k + 1; l < 4; l++) join(vertices[k], vertices[l]);
        } else if (element === EDGE) {
            join(vertices[0], vertices[1]);
        } else if (element === VERTEX) {
            points.add(xyz, 3 * vertices[0], colour);
        } else if (element === LEAF) {
            segments.push(...circles(side.sphere));
        }
        if (segments.length) this.outline(s, segments);
        this.labelled.push({ ...side, s });
    }

    outline(which, segments) {
        const outline = this.outlines[which];
        outline.geometry.dispose();
        outline.geometry = new LineSegmentsGeometry().setPositions(segments);
        outline.visible = true;
    }

    // Length of the normal: the size of the elements.
    paintNormal() {
        const { contacts } = this.frame;
        const i = this.selected;
        if (i >= contacts.detailed) return;
        const normal = [6, 7, 8].map((k) => contacts.details[k][i]);
        if (!normal.some((x) => x !== 0)) return;
        const from = [...this.places.subarray(3 * i, 3 * i + 3)];
        const long = 0.6 * this.sizeOf(i);
        this.outline(2, [...from, ...from.map((x, k) => x + long * normal[k])]);
    }

    // The extent of a contact's elements around it.
    sizeOf(i) {
        const place = new Vector3(...this.places.subarray(3 * i, 3 * i + 3));
        let size = 0;
        for (const { xyz, vertices, sphere } of this.sides(i)) {
            for (const v of vertices) size = Math.max(size, place.distanceTo(new Vector3(...xyz.subarray(3 * v, 3 * v + 3))));
            if (sphere) size = Math.max(size, place.distanceTo(new Vector3(...sphere.centre)) + sphere.radius);
        }
        return size;
    }

    // ---- looks ----

    set(option, value) {
        this.options[option] = value;
        this.applyLook();
        if (option === "colour" && this.frame) this.paint();
        if (option.startsWith("box")) this.updateBoxes();
        this.draw();
    }

    applyLook() {
        const o = this.options;
        const faint = this.isolated ? 0.06 : o.xray ? 0.22 : 1;
        for (const part of this.parts) {
            const seen = part.ghost ? Math.min(faint, 0.16) : faint;
            // Which bodies are solid is counted only once a section is shown.
            if (o.cut) part.closed ??= isClosed(part.body);
            for (const object of [part.mesh, part.rods?.mesh]) if (object) this.applyOpacity(part, object, seen);
            part.mesh.material.uniforms.capped.value = o.cut && part.closed ? 1 : 0;
            this.applyWire(part);
        }
        const has = (object) => object.geometry.getAttribute("position")?.count > 0;
        this.faces.visible = o.elements && !this.isolated && has(this.faces);
        for (const object of [this.lines, this.linesBehind, this.points, this.pointsBehind])
            object.visible = o.points && !this.isolated && has(object);
        this.hierarchy.visible = o.regions && !this.isolated && has(this.hierarchy);
        this.normals.visible = (o.normals || this.isolated) && !this.isolated && has(this.normals);
        for (const object of [this.faces, this.lines, this.linesBehind, this.points, this.pointsBehind, this.normals, this.hierarchy])
            setCut(object.material, o.cut);
        this.applyCut();
    }

    applyOpacity(part, object, seen) {
        const { material } = object;
        material.uniforms.opacity.value = seen;
        material.transparent = seen < 1;
        material.depthWrite = seen >= 1;
        object.visible = part.visible;
        material.uniforms.tint.value.fromArray(part.tint).multiplyScalar(this.dark ? 0.78 : 1);
        setCut(material, this.options.cut);
    }

    applyWire(part) {
        const on = this.options.wire && part.visible && !this.isolated;
        if (on && !part.wire) {
            const geometry = new BufferGeometry();
            geometry.setAttribute("position", part.positions);
            geometry.setIndex(new BufferAttribute(uniqueEdges(part.body), 1));
            part.wire = new LineSegments(geometry, lineMaterial([0.1, 0.12, 0.15], part.body.triangleCount > 20000 ? 0.16 : 0.32));
            part.wire.frustumCulled = false;
            this.scene.add(part.wire);
        }
        if (!part.wire) return;
        part.wire.visible = on;
        part.wire.material.uniforms.tint.value.set(...(this.dark ? [0.02, 0.02, 0.03] : [0.1, 0.12, 0.15]));
        setCut(part.wire.material, this.options.cut);
    }

    applyCut() {
        const { cutAxis, cutFlip } = this.options;
        const sign = cutFlip ? -1 : 1;
        cut.value.set(0, 0, 0, sign * this.cutPlace());
        cut.value.setComponent(cutAxis, sign);
    }

    // Position of the section plane, in view units.
    cutPlace() {
        return (2 * this.options.cutOffset - 1) * this.report.half[this.options.cutAxis];
    }

    setDark(dark) {
        this.dark = dark;
        this.applyLook();
        this.draw();
    }

    // Returns how many boxes are shown.
    updateBoxes() {
        const { boxes: on, boxDepth } = this.options;
        this.boxCount = 0;
        for (const part of this.parts) {
            if (part.boxes) part.boxes.visible = false;
            if (!on || !part.visible || !part.shown || part.body.triangleCount === 0) continue;
            part.tree ??= new BoxTree(part.body, part.shown);
            const boxes = part.tree.boxes(boxDepth, part.shown);
            this.boxCount += boxes.length / 6;
            this.showBoxes(part, boxes);
        }
        this.onBoxes?.(this.boxCount);
    }

    showBoxes(part, boxes) {
        const EDGES = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7];
        const count = boxes.length / 6;
        const corners = new Float32Array(72 * count);
        for (let i = 0, at = 0; i < count; i++)
            for (const corner of EDGES)
                for (let k = 0; k < 3; k++) corners[at++] = boxes[6 * i + (corner & (1 << k) ? 3 : 0) + k];
        if (!part.boxes) {
            part.boxes = new LineSegments(new BufferGeometry(), lineMaterial(rgb("#2f7bf0"), 0.6));
            part.boxes.frustumCulled = false;
            this.scene.add(part.boxes);
        }
        part.boxes.geometry.dispose();
        part.boxes.geometry = new BufferGeometry();
        part.boxes.geometry.setAttribute("position", new BufferAttribute(corners, 3));
        part.boxes.visible = true;
    }

    // ---- the camera ----

    setUp(axis) {
        this.camera.up.set(0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0);
        this.makeControls();
        this.upAxis = axis;
        this.home(false);
    }

    // Shows everything but the floor, from slightly above.
    home(fly = true) {
        const towards = (this.upAxis === 2 ? new Vector3(0.55, -0.75, 0.42) : new Vector3(0.55, 0.42, 0.75)).normalize();
        const { centre, half } = subjectOf(this);
        this.setGhosts([]);
        this.fly(centre, centre.clone().addScaledVector(towards, this.distanceToSee(towards, half)), fly);
    }

    setGhosts(bodies) {
        const wanted = new Set(bodies);
        this.parts.forEach((part, i) => (part.ghost = wanted.has(i)));
        this.applyLook();
    }

    // Flies to the side from which a place is seen best; whatever is still in front of it becomes a ghost.
    flyToPlace(place, slowly = true) {
        const side = bestSide(this, place);
        this.setGhosts(side.ghosts);
        const target = new Vector3(...this.report.toView(place.centre));
        this.fly(target, target.clone().addScaledVector(new Vector3(...side.direction), side.distance), slowly);
        return side;
    }

    // Camera distance at which all corners of the scene's box are visible.
    distanceToSee(towards, half) {
        const upright = Math.tan((this.camera.fov * Math.PI) / 360) * 0.92;
        const level = upright * (this.camera.aspect || 1);
        const right = new Vector3().crossVectors(this.camera.up, towards).normalize();
        const up = new Vector3().crossVectors(towards, right);
        const corner = new Vector3();
        let most = 0.1;
        for (let i = 0; i < 8; i++) {
            corner.fromArray(half.map((x, k) => (i & (1 << k) ? x : -x)));
            const aside = Math.max(Math.abs(corner.dot(right)) / level, Math.abs(corner.dot(up)) / upright);
            most = Math.max(most, corner.dot(towards) + aside);
        }
        return most;
    }

    flyToContact(i) {
        const target = new Vector3(...this.places.subarray(3 * i, 3 * i + 3));
        const size = this.sizeOf(i);
        const distance = Math.max(1e-4, Math.min(2.5, size * (this.isolated ? 3.6 : 9)));
        const away = this.camera.position.clone().sub(this.controls.target).normalize();
        this.fly(target, target.clone().add(away.multiplyScalar(distance)), true);
    }

    // Puts the camera where a link says.
    look(eye, at) {
        this.fly(new Vector3(...at), new Vector3(...eye), false);
    }

    fly(target, position, slowly) {
        if (!slowly || matchMedia("(prefers-reduced-motion: reduce)").matches) {
            this.flight = null;
            this.controls.target.copy(target);
            this.camera.position.copy(position);
            this.controls.update();
            this.draw();
            return;
        }
        this.flight = {
            start: performance.now(),
            target: [this.controls.target.clone(), target],
            position: [this.camera.position.clone(), position],
        };
        this.startMoving();
        this.draw();
    }

    advanceFlight(now) {
        if (!this.flight) return;
        const part = Math.min(1, (now - this.flight.start) / FLIGHT_MS);
        const eased = part < 0.5 ? 4 * part ** 3 : 1 - (2 - 2 * part) ** 3 / 2;
        this.controls.target.lerpVectors(...this.flight.target, eased);
        this.camera.position.lerpVectors(...this.flight.position, eased);
        if (part >= 1) {
            this.flight = null;
            this.rest();
        }
        this.controls.update();
        this.draw();
    }

    // The contact near the pointer, if any.
    pick(event) {
        if (!this.frame) return;
        const box = this.canvas.getBoundingClientRect();
        const { contacts } = this.frame;
        const seen = new Vector3();
        let best = -1;
        let least = PICK_PIXELS;
        let depth = Infinity;
        for (let i = 0; i < contacts.count; i++) {
            if (!this.isShown(contacts, i)) continue;
            seen.fromArray(this.places, 3 * i).project(this.camera);
            if (seen.z > 1) continue;
            const x = box.left + (0.5 + 0.5 * seen.x) * box.width;
            const y = box.top + (0.5 - 0.5 * seen.y) * box.height;
            const far = Math.hypot(x - event.clientX, y - event.clientY);
            if (far < least - 2 || (far < least + 2 && far < PICK_PIXELS && seen.z < depth)) {
                best = i;
                least = Math.min(least, far);
                depth = seen.z;
            }
        }
        this.onPick?.(best);
    }

    // ---- drawing ----

    resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
        if (!width || !height) return;
        this.width = width;
        this.height = height;
        this.camera.aspect = width / height;
        this.applyPixels();
        this.draw();
    }

    applyPixels() {
        const screen = Math.min(2, window.devicePixelRatio || 1);
        const ratio = this.pixels > 1 ? FULL_PIXELS : screen * this.pixels;
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(this.width, this.height, false);
        this.outlines.forEach((outline) => outline.material.resolution.set(this.width, this.height));
        this.ratio = ratio;
        for (const part of this.parts) if (part.rods) part.rods.mesh.material.uniforms.pixel.value = 2 / this.height;
        this.sizePoints();
    }

    // Draw many points small and without a rim, so that they read as a curve.
    sizePoints() {
        const many = this.frame ? this.frame.contacts.count > 300 : false;
        for (const [object, size] of [[this.points, many ? 4 : 7], [this.pointsBehind, many ? 3 : 5], [this.chosenPoints, 11]])
            object.material.uniforms.size.value = size * (this.ratio ?? 1);
        this.points.material.uniforms.rimmed.value = many ? 2 : 0.68;
        this.chosenPoints.material.uniforms.rimmed.value = 0.68;
    }

    // Something moves: reduce the quality.
    move() {
        this.flight = null;
        this.startMoving();
    }

    startMoving() {
        clearTimeout(this.resting);
        if (this.moving) return;
        this.moving = true;
        this.lastDrawn = 0;
        this.settling = 1;
        this.pixels = this.spared?.pixels ?? 1;
        this.setCoarse(this.spared?.coarse ?? 0);
        this.applyPixels();
    }

    // Draws in full quality once nothing moves.
    rest() {
        clearTimeout(this.resting);
        this.resting = setTimeout(() => this.drawInFull(), 160);
    }

    drawInFull() {
        this.moving = false;
        this.pixels = FULL_PIXELS;
        this.setCoarse(0);
        this.applyPixels();
        this.render();
    }

    // Reduces the quality a little each time a frame is too slow, and remembers the level for the next motion.
    adapt(now) {
        const took = now - (this.lastDrawn || now);
        this.lastDrawn = now;
        if (!this.moving || took <= 0 || took > 1000) return;
        // Ignore the first frames after a change, which are slower because of it.
        if (this.settling > 0) {
            this.settling--;
            return;
        }
        this.slowness = 0.7 * (this.slowness ?? took) + 0.3 * took;
        if (this.slowness < SLOW_MS) return;
        this.slowness = undefined;
        this.settling = 3;
        if (this.triangleCount() > COARSE_TRIANGLES[this.coarse + 1]) this.setCoarse(this.coarse + 1);
        else if (this.pixels > LEAST_PIXELS) this.pixels = Math.max(LEAST_PIXELS, this.pixels * 0.75);
        else return;
        this.spared = { pixels: this.pixels, coarse: this.coarse };
        this.applyPixels();
    }

    triangleCount() {
        return this.parts.reduce((sum, part) => sum + (part.visible ? part.mesh.geometry.index.count / 3 : 0), 0);
    }

    // Level of detail of the bodies: 0 is the full mesh.
    setCoarse(level) {
        if (this.coarse === level) return;
        this.coarse = level;
        const all = this.report.bodies.reduce((sum, body) => sum + body.triangleCount, 0);
        for (const part of this.parts) {
            part.indices[level] ??= new BufferAttribute(
                coarseTriangles(part.body, (part.body.triangleCount / all) * COARSE_TRIANGLES[level]), 1);
            part.mesh.geometry.setIndex(part.indices[level]);
        }
    }

    draw() {
        if (this.pending) return;
        this.pending = requestAnimationFrame((now) => {
            this.pending = 0;
            this.adapt(now);
            this.advanceFlight(now);
            this.render();
        });
    }

    render() {
        if (!this.width) return;
        const distance = this.camera.position.distanceTo(this.controls.target);
        this.camera.near = Math.max(distance * 0.01, 1e-6);
        this.camera.far = distance + 4;
        // Centre the target in the area not covered by the card.
        this.camera.setViewOffset(this.width, this.height, 0, this.covered / 2, this.width, this.height);
        this.camera.updateProjectionMatrix();
        this.renderer.render(this.scene, this.camera);
        placeLabels(this);
        this.drawn = (this.drawn ?? 0) + 1;
    }
}
