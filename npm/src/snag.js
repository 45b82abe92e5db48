// snag finds where deforming meshes catch on each other and on themselves.
export { VERSION as version } from "./layout.js";
export { Answer, Block, CONTACT_OFFSETS, PAIR_OFFSETS } from "./answer.js";
export { SharedArray } from "./arrays.js";
export { Candidates } from "./candidates.js";
export { check } from "./check.js";
export { Exclusions } from "./filters.js";
export { fix } from "./fix.js";
export { SnagError } from "./memory.js";
export { hasVectors, load } from "./module.js";
export { meshEndings, readMesh } from "./read.js";
export { Response } from "./response.js";
export { Body, World } from "./world.js";
