// The materials. Shading uses screen-space derivatives of the position, so no normals are stored or updated, and a mesh looks
// faceted.
import { DoubleSide, GLSL3, ShaderMaterial, Vector3, Vector4 } from "three";

// Shared by all materials: the section plane, in view units; everything beyond it is not drawn.
export const cut = { value: new Vector4(1, 0, 0, 0) };

const CUT_VERTEX = `
#ifdef CUT
out vec3 place;
#endif
`;
const CUT_FRAGMENT = `
#ifdef CUT
in vec3 place;
uniform vec4 cut;
#define CUT_AWAY if (dot(cut.xyz, place) > cut.w) discard;
#else
#define CUT_AWAY
#endif
`;
const CUT_SET = `
#ifdef CUT
place = position;
#endif
`;

// Bodies have a tint and no vertex colours, highlights the reverse: one shader for both, since each takes time to compile.
const SURFACE_VERTEX = `${CUT_VERTEX}
in vec3 colour;
out vec3 eye;
out vec3 paint;
void main() {
    vec4 seen = modelViewMatrix * vec4(position, 1.0);
    eye = seen.xyz;
    paint = colour;
    ${CUT_SET}
    gl_Position = projectionMatrix * seen;
}`;

const SURFACE_FRAGMENT = `${CUT_FRAGMENT}
in vec3 eye;
in vec3 paint;
uniform vec3 tint;
uniform float opacity;
uniform float contrast;
uniform float capped;
out vec4 drawn;
void main() {
    CUT_AWAY
    vec3 n = normalize(cross(dFdx(eye), dFdy(eye)));
    vec3 base = paint + (gl_FrontFacing ? tint : tint * vec3(0.80, 0.78, 0.76));
    float key = max(dot(n, vec3(0.36, 0.62, 0.70)), 0.0);
    float fill = max(dot(n, vec3(-0.60, -0.10, 0.79)), 0.0);
    float light = 1.06 + contrast * (0.56 * key + 0.26 * fill - 0.52);
    // The inside of a solid, seen through a section, is the cap of the section: one flat colour.
    drawn = vec4(capped > 0.5 && !gl_FrontFacing ? 0.72 * tint + 0.08 : base * light, opacity);
}`;

function surface({ tint = [0, 0, 0], contrast = 1, ...rest }) {
    return new ShaderMaterial({
        glslVersion: GLSL3,
        side: DoubleSide,
        uniforms: { cut, tint: { value: new Vector3(...tint) }, opacity: { value: 1 }, contrast: { value: contrast }, capped: { value: 0 } },
        vertexShader: SURFACE_VERTEX,
        fragmentShader: SURFACE_FRAGMENT,
        ...rest,
    });
}

// Capsules: `position` is a direction of unit length, from the end at `from` where its x is negative, else from the one at `to`.
const ROD_VERTEX = `${CUT_VERTEX}
in vec3 from;
in vec3 to;
out vec3 eye;
out vec3 paint;
uniform float radius;
uniform float pixel;
void main() {
    vec3 x = to - from;
    x = dot(x, x) > 0.0 ? normalize(x) : vec3(1.0, 0.0, 0.0);
    vec3 y = normalize(cross(x, abs(x.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(0.0, 1.0, 0.0)));
    vec3 end = position.x < 0.0 ? from : to;
    float depth = (projectionMatrix * modelViewMatrix * vec4(end, 1.0)).w;
    float wide = max(radius, 1.1 * pixel * depth / projectionMatrix[1][1]);
    vec3 at = end + wide * (position.x * x + position.y * y + position.z * cross(x, y));
    vec4 seen = modelViewMatrix * vec4(at, 1.0);
    eye = seen.xyz;
    paint = vec3(0.0);
#ifdef CUT
    place = at;
#endif
    gl_Position = projectionMatrix * seen;
}`;

// Set `pixel` to the size of a pixel, the height of the view being 2.
export function rodMaterial(tint, radius) {
    const made = surface({ tint, vertexShader: ROD_VERTEX });
    made.uniforms.radius = { value: radius };
    made.uniforms.pixel = { value: 0 };
    return made;
}

export function bodyMaterial(tint) {
    return surface({ tint, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
}

export function highlightMaterial() {
    return surface({ contrast: 0.7 });
}

const FLAT_VERTEX = `${CUT_VERTEX}
in vec3 colour;
out vec3 paint;
uniform float size;
void main() {
    paint = colour;
    ${CUT_SET}
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = size;
}`;

const FLAT_FRAGMENT = `${CUT_FRAGMENT}
in vec3 paint;
uniform float opacity;
uniform vec3 rim;
uniform float rimmed;
uniform float isRound;
out vec4 drawn;
void main() {
    CUT_AWAY
    float r = isRound > 0.5 ? 2.0 * length(gl_PointCoord - 0.5) : 0.0;
    if (r > 1.0) discard;
    drawn = vec4(r > rimmed ? rim : paint, opacity);
}`;

// Lines and round points with vertex colours.
export function flatMaterial({ round = false, opacity = 1, hidden = false }) {
    return new ShaderMaterial({
        glslVersion: GLSL3,
        uniforms: {
            cut, size: { value: 1 }, opacity: { value: opacity }, isRound: { value: round ? 1 : 0 },
            rim: { value: new Vector3(1, 1, 1) }, rimmed: { value: 2 },
        },
        vertexShader: FLAT_VERTEX,
        fragmentShader: FLAT_FRAGMENT,
        transparent: true,
        depthTest: !hidden,
        depthWrite: !hidden && opacity >= 1,
    });
}

const LINE_VERTEX = `${CUT_VERTEX}
void main() {
    ${CUT_SET}
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const LINE_FRAGMENT = `${CUT_FRAGMENT}
uniform vec3 tint;
uniform float opacity;
out vec4 drawn;
void main() {
    CUT_AWAY
    drawn = vec4(tint, opacity);
}`;

// Lines of one colour, sharing a body's positions.
export function lineMaterial(tint, opacity) {
    return new ShaderMaterial({
        glslVersion: GLSL3,
        uniforms: { cut, tint: { value: new Vector3(...tint) }, opacity: { value: opacity } },
        vertexShader: LINE_VERTEX,
        fragmentShader: LINE_FRAGMENT,
        transparent: true,
        depthWrite: false,
    });
}

export function setCut(material, on) {
    if (!!material.defines.CUT === on) return;
    if (on) material.defines.CUT = 1;
    else delete material.defines.CUT;
    material.needsUpdate = true;
}
