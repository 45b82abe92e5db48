// Labels of the selected contact: names of its elements over the view.
import { Vector3 } from "three";
import { SIDE_COLOURS } from "./colours.js";
import { elementName } from "./data.js";

// Moves two overlapping labels apart vertically.
function keepApart(a, b) {
    const overlap = 24 - Math.abs(a.y - b.y);
    if (overlap <= 0 || Math.abs(a.x - b.x) > 90) return;
    const up = a.y <= b.y ? a : b;
    up.y -= overlap / 2;
    (up === a ? b : a).y += overlap / 2;
}

// Names of the selected contact's elements and of their vertices, for placeLabels.
export function makeLabels(view) {
    view.labels.replaceChildren();
    view.labelNodes = [];
    const add = (text, place, s, small, rise = "-50%") => {
        const node = document.createElement("span");
        node.className = small ? "label small" : "label";
        node.style.setProperty("--side", SIDE_COLOURS[s]);
        node.textContent = text;
        view.labels.append(node);
        view.labelNodes.push({ node, place: new Vector3(...place), small, rise });
    };
    for (const { side, body, xyz, vertices, sphere, s } of view.labelled) {
        const middle = sphere ? sphere.centre : [0, 0, 0];
        for (const v of vertices) for (let k = 0; k < 3; k++) middle[k] += xyz[3 * v + k] / vertices.length;
        // Place it beside the element instead of over it.
        add(elementName(view.report, side, view.selected), middle, s, false, vertices.length < 3 ? "-150%" : "-50%");
        if (vertices.length > 1)
            for (const v of vertices) add(`v${body.vertexNumbers[v]}`, xyz.subarray(3 * v, 3 * v + 3), s, true);
    }
}

// Puts the labels where their elements are seen.
export function placeLabels(view) {
    const { clientWidth: width, clientHeight: height } = view.canvas;
    const seen = new Vector3();
    const names = [];
    for (const label of view.labelNodes ?? []) {
        seen.copy(label.place).project(view.camera);
        label.hidden = seen.z > 1 || (label.small && !view.isolated) || Math.abs(seen.x) > 1.1 || Math.abs(seen.y) > 1.1;
        label.x = (0.5 + 0.5 * seen.x) * width;
        label.y = (0.5 - 0.5 * seen.y) * height;
        if (!label.small && !label.hidden) names.push(label);
    }
    if (names.length === 2) keepApart(...names);
    for (const { node, hidden, x, y, rise } of view.labelNodes ?? []) {
        node.style.display = hidden ? "none" : "";
        node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, ${rise})`;
    }
}
