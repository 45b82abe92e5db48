// A picture of the view, and a link to it.

// The hash of a page that shows the same: frame, place, contact, and where the camera is.
export function hashOf(page) {
    const { camera, controls } = page.view;
    const numbers = (v) => [v.x, v.y, v.z].map((x) => Number(x.toPrecision(7))).join(",");
    const words = new URLSearchParams();
    if (page.frame) words.set("frame", page.frame.frame);
    if (page.placeId) words.set("place", page.placeId);
    words.set("eye", numbers(camera.position));
    words.set("at", numbers(controls.target));
    return `#${words.toString().replaceAll("%2C", ",")}`;
}

// What a hash asks for; whatever it does not say, or says wrongly, is undefined.
export function readHash(hash) {
    const words = new URLSearchParams(hash.replace(/^#/, ""));
    const number = (key) => (/^\d+$/.test(words.get(key) ?? "") ? Number(words.get(key)) : undefined);
    const point = (key) => {
        const parts = (words.get(key) ?? "").split(",").map(Number);
        return parts.length === 3 && words.get(key) && parts.every(Number.isFinite) ? parts : undefined;
    };
    return { frame: number("frame"), place: number("place"), eye: point("eye"), at: point("at") };
}

// The view on the stage's ground, with a line of words below.
export function picture(page, words) {
    const { view } = page;
    view.drawInFull();
    const style = getComputedStyle(document.documentElement);
    const made = document.createElement("canvas");
    made.width = view.canvas.width;
    made.height = view.canvas.height;
    const pen = made.getContext("2d");
    pen.fillStyle = style.getPropertyValue("--stage-a");
    pen.fillRect(0, 0, made.width, made.height);
    pen.drawImage(view.canvas, 0, 0);
    const size = Math.max(12, Math.round(made.height / 42));
    pen.font = `${size}px ${style.fontFamily}`;
    pen.fillStyle = style.getPropertyValue("--text");
    pen.fillText(words, size, made.height - size, made.width - 2 * size);
    return made;
}

export function download(canvas, name) {
    return new Promise((done) =>
        canvas.toBlob((blob) => {
            const link = document.createElement("a");
            link.href = URL.createObjectURL(blob);
            link.download = name;
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 10000);
            done();
        }, "image/png"),
    );
}
