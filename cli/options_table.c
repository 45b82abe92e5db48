// The verbs and options of the tool, one row each. Parsing, --help, the manual pages and the shell completions all read this
// table; the value of an option is stored in a member of `options`.
#include "parts.h"
#include "verbs.h"

#define AT(member) offsetof(options, member)
// Verbs that take --json, --quiet and --help.
#define ALL_VERBS                                                                                                                  \
    (VERB_CHECK | VERB_INFO | VERB_DEMO | VERB_BENCH | VERB_SIM | VERB_REPRO | VERB_CONVERT | VERB_PROBE | VERB_MERGE | VERB_FIX)

const option option_table[] = {
    {"question", 0, "NAME", VERB_CHECK, OPTION_QUESTION, AT(question),
     "what to look for: intersections, proximities, penetrations, impacts, distance or overlaps",
     "intersections for surfaces, penetrations for tetrahedra, both for a mixed scene"},
    {"question", 0, "NAME", VERB_BENCH, OPTION_QUESTION, AT(question),
     "surfaces: measure this question only: intersections, proximities, impacts, distance or overlaps", "all"},
    {"method", 0, "NAME", VERB_CHECK | VERB_DEMO | VERB_SIM, OPTION_METHOD, AT(method),
     "search method: brute, hash, regions, kdop, active, regularity, spheres or auto (snag info lists the methods for each "
     "question)",
     "auto"},
    {"method", 0, "NAME", VERB_BENCH, OPTION_METHOD, AT(method),
     "surfaces: measure this method only (snag info lists the methods for each question)", "all that answer the question"},
    {"distance", 0, "D", VERB_CHECK, OPTION_LENGTH, AT(distance),
     "proximities: list pairs no farther apart than D; distance: bodies no farther apart than D count as contacts",
     "proximities: 1/1000 of the scene's diagonal; distance: 0"},
    {"distance", 0, "D", VERB_BENCH, OPTION_LENGTH, AT(distance), "surfaces: the distance for proximities",
     "a tenth of the mean edge length"},
    {"within", 0, "D", VERB_CHECK, OPTION_POSITIVE, AT(within), "distance: leave out pairs of bodies farther apart than D",
     "no limit"},
    {"within", 0, "D", VERB_PROBE, OPTION_POSITIVE, AT(within), "points: ignore bodies farther away than D", "no limit"},
    {"points", 0, "FILE.csv", VERB_PROBE, OPTION_TEXT, AT(points),
     "points to find the closest surface for, one a line: x, y, z; a first line of words is skipped", NULL},
    {"rays", 0, "FILE.csv", VERB_PROBE, OPTION_TEXT, AT(rays),
     "rays, one a line: origin x, y, z, direction x, y, z, and if you like the largest multiple of the direction", NULL},
    {"segments", 0, NULL, VERB_PROBE, OPTION_ON, AT(segments), "rays: each line has the two ends of a segment", NULL},
    {"all-hits", 0, NULL, VERB_PROBE, OPTION_ON, AT(all_hits), "rays: list every hit, not only the first", NULL},
    {"no-nested", 0, NULL, VERB_CHECK, OPTION_ON, AT(no_nested), "do not look for bodies that lie wholly inside others", NULL},
    {"solid", 0, NULL, VERB_CHECK, OPTION_ON, AT(solid),
     "bodies are solid: one that lies wholly inside another counts like a contact for the exit code", NULL},
    {"closest", 0, "N", VERB_CHECK, OPTION_COUNT, AT(closest), "distance: list only the N closest pairs of bodies", "all"},
    {"every-pair", 0, NULL, VERB_CHECK, OPTION_ON, AT(every_pair),
     "proximities: list every vertex-triangle and edge-edge pair; without it, each pair of closest features is listed once", NULL},
    {"edges", 0, NULL, VERB_CHECK, OPTION_ON, AT(edges),
     "penetrations: also list edges that pass through a tetrahedron with both ends outside", "on"},
    {"no-edges", 0, NULL, VERB_CHECK, OPTION_ON, AT(no_edges), "penetrations: look for vertices in tetrahedra only", NULL},
    {"tolerance", 0, "D", VERB_CHECK, OPTION_POSITIVE, AT(tolerance),
     "impacts: how early a reported time may be, measured as a distance", "1e-6 of the scene's diagonal"},
    {"separation", 0, "D", VERB_CHECK, OPTION_LENGTH, AT(separation), "impacts: report when the gap shrinks to D instead of 0",
     "0"},
    {"thickness", 0, "D|NAME=D", VERB_CHECK, OPTION_TEXTS, AT(thickness),
     "proximities and impacts: bodies are D thick (rods: D across), all of them or the one of this name or pattern; can be "
     "repeated, "
     "and the last one counts. Without --question it asks for proximities",
     "no thickness"},
    {"exclude-rings", 0, "N", VERB_CHECK, OPTION_COUNT, AT(exclude_rings),
     "leave out pairs of one body that are neighbours on the mesh, up to N edges away (1 to 16)",
     "pairs that share a vertex, as each question says"},
    {"exclude-rest", 0, "D", VERB_CHECK, OPTION_POSITIVE, AT(exclude_rest),
     "leave out pairs of one body that are D or less apart in the first frame (animated files: in their rest pose)", "none"},
    {"no-contact", 0, "A,B", VERB_CHECK, OPTION_TEXTS, AT(no_contact),
     "do not look for contacts between the bodies A and B (names or patterns; A,A: its self-contacts); can be repeated", "none"},
    {"target", 0, "R", VERB_CHECK, OPTION_RATIO, AT(target), "active: find about this fraction of all contacts, 0 to 1",
     "no target"},
    {"k", 0, "6|14|18|26", VERB_CHECK | VERB_BENCH, OPTION_TEXT, AT(k), "kdop: directions of a bounding volume",
     "the best for the question"},
    {"arity", 0, "2|4|8", VERB_CHECK | VERB_BENCH, OPTION_TEXT, AT(arity), "kdop: children of a node", "the best"},
    {"lazy", 0, "D", VERB_CHECK | VERB_BENCH, OPTION_TEXT, AT(lazy),
     "kdop, active: do not update bounds of parts that moved by less than D, and inflate all bounds by D", "0"},
    {"cell", 0, "D", VERB_CHECK | VERB_BENCH, OPTION_TEXT, AT(cell), "hash: side of a cell", "chosen from the mesh"},
    {"table", 0, "N", VERB_CHECK | VERB_BENCH, OPTION_TEXT, AT(table), "hash: slots of the table", "chosen from the mesh"},
    {"epsilon", 0, "E1:E2:...", VERB_CHECK | VERB_BENCH, OPTION_TEXT, AT(epsilon),
     "regions, distance: the rule of the paper. Two regions are compared if their middle vertices are closer than the epsilon of "
     "their level; the last epsilon is for vertices. Collisions may be missed",
     "exact bounds"},
    {"sweep", 0, "NAME=V1,V2,...", VERB_BENCH, OPTION_TEXT, AT(sweep),
     "sweep: the option of a method and its values: k, arity, lazy, cell, table, epsilon, directions, regularity, depth, backend "
     "(cpu, gl, printed), new-pairs, target, or leaf (triangles in a leaf of the active pairs paper's own algorithm)",
     NULL},
    {"out", 'o', "FOLDER", VERB_BENCH, OPTION_TEXT, AT(bench_out),
     "sweep: write sweep.html with plots, sweep.json, sweep.md and CSV files to FOLDER", NULL},
    {"regularity", 0, "certified|paper|classical", VERB_CHECK, OPTION_TEXT, AT(regularity),
     "regularity: certified finds all contacts; paper skips the contour test and may miss some; classical uses bounding boxes only",
     "certified"},
    {"directions", 0, "N", VERB_CHECK, OPTION_COUNT, AT(directions), "regularity: number of sampled directions: 6, 12, 32 or 62",
     "32"},
    {"depth", 0, "N", VERB_CHECK, OPTION_COUNT, AT(depth), "spheres: levels of the tree below the root, at most 10",
     "overlaps: 5; intersections: as deep as helps"},
    {"idle", 0, "N", VERB_CHECK, OPTION_COUNT, AT(idle), "spheres: delete branches that met no other sphere for N frames", "64"},
    {"backend", 0, "cpu|gl", VERB_CHECK, OPTION_TEXT, AT(backend),
     "spheres: how to find the boxes that a surface meets: exact arithmetic (cpu) or OpenGL occlusion queries (gl)", "cpu"},
    {"new-pairs", 0, "N", VERB_CHECK | VERB_SIM, OPTION_COUNT, AT(new_pairs), "active: number of pairs to start in each step",
     "200"},
    {"seed", 0, "N", VERB_CHECK, OPTION_COUNT, AT(seed), "active: random seed; the same seed gives the same pairs", "1"},
    {"seed", 0, "N", VERB_SIM, OPTION_COUNT, AT(seed), "random seed of the start positions; the same seed gives the same run", "1"},
    {"steps", 0, "N", VERB_SIM, OPTION_COUNT, AT(sim_steps), "number of steps", "the scene's own"},
    {"dt", 0, "SECONDS", VERB_SIM, OPTION_POSITIVE, AT(step_seconds),
     "length of a step; it is divided into the scene's number of substeps, and a substep that explodes is halved",
     "the scene's own"},
    {"tear", 0, "X", VERB_SIM, OPTION_POSITIVE, AT(tear),
     "scenes that tear: the stretch at which cloth rips, above 1; at 1.5 it rips where it is half as long again",
     "the scene's own"},
    {"response", 0, "scene|none|contacts|impacts|bounds|half-spaces", VERB_SIM, OPTION_TEXT, AT(response),
     "response to contacts: none; contacts: push apart vertices that are too close or inside; impacts: also stop vertices before "
     "they hit during the step, so that surfaces never cross; bounds and half-spaces: hold vertices back within safe bounds, "
     "without a "
     "search for impacts (not with rigid bodies)",
     "scene: the scene's own"},
    {"response-ratio", 0, "R", VERB_SIM, OPTION_RATIO, AT(response_ratio),
     "contacts: respond only to this fraction of them, chosen at random", "1"},
    {"adaptive", 0, NULL, VERB_SIM, OPTION_ON, AT(adaptive),
     "divide each step so that no vertex moves farther than half an edge length in a substep", NULL},
    {"budget", 0, "TIME", VERB_CHECK, OPTION_TIME, AT(budget_us),
     "time limit for the search of one frame, such as 500 (microseconds), 20ms or 3s; contacts found by then are reported, and "
     "the next frame follows",
     "no limit"},
    {"limit", 0, "TIME", VERB_CHECK | VERB_FIX, OPTION_TIME, AT(limit_us),
     "time limit for the whole run including reading, such as 30s or 10min; contacts found by then are reported", "no limit"},
    {"input-memory", 0, "SIZE", VERB_CHECK | VERB_FIX | VERB_INFO | VERB_CONVERT | VERB_PROBE, OPTION_BYTES, AT(input_memory),
     "memory limit for reading an input, such as 4G; without it, a small file that expands to a large mesh or keeps an importer "
     "busy for long is refused",
     "256M plus 64 times the file size"},
    {"first", 0, NULL, VERB_CHECK, OPTION_ON, AT(first), "stop after the first frame that has contacts", NULL},
    {"strict", 0, NULL, VERB_CHECK, OPTION_ON, AT(strict),
     "stop at a missing or damaged frame instead of reporting it and skipping it", NULL},
    {"pure", 0, NULL, VERB_CHECK, OPTION_ON, AT(pure), "active: choose start pairs at random, without a tree", NULL},
    {"self", 0, NULL, VERB_CHECK, OPTION_ON, AT(self), "look for self-contacts", "on"},
    {"no-self", 0, NULL, VERB_CHECK, OPTION_OFF, AT(self), "do not look for self-contacts", NULL},
    {"between", 0, "A,B", VERB_CHECK, OPTION_TEXT, AT(between_names),
     "report only contacts between the bodies A and B (names as listed by snag info, or patterns such as 'cloth*')", "all bodies"},
    {"no-between", 0, NULL, VERB_CHECK, OPTION_OFF, AT(between), "do not look for contacts between bodies", NULL},
    {"only", 0, "NAMES", VERB_CHECK, OPTION_TEXT, AT(only),
     "report only contacts of these bodies with each other and with themselves: names or patterns, separated by commas",
     "all bodies"},
    {"ignore-initial", 0, NULL, VERB_CHECK, OPTION_ON, AT(ignore_initial),
     "leave out what is in contact in the first frame: a contact is left out if a neighbouring one was there", NULL},
    {"rest", 0, "FILE", VERB_CHECK, OPTION_TEXT, AT(rest),
     "ignore-initial: take what is in contact in this file, the same meshes in a rest pose, instead of the first frame", NULL},
    {"accept", 0, "FILE", VERB_CHECK, OPTION_TEXT, AT(accept),
     "write all contacts to FILE as a list for --ignore, also those that --ignore leaves out", NULL},
    {"ignore", 0, "FILE", VERB_CHECK, OPTION_TEXT, AT(ignore), "leave out contacts that a list written by --accept has", NULL},
    {"max-depth", 0, "D", VERB_CHECK, OPTION_LENGTH, AT(max_depth),
     "exit with 1 only if something is deeper than D (intersections, penetrations, overlaps)", "any contact counts"},
    {"max-contacts", 0, "N", VERB_CHECK, OPTION_WHOLE, AT(max_contacts), "exit with 1 only if a frame has more than N contacts",
     "any contact counts"},
    {"sequence", 0, NULL, VERB_CHECK | VERB_FIX | VERB_INFO | VERB_BENCH, OPTION_ON, AT(sequence),
     "the inputs are the frames of one scene: files in the order given, a pattern ('cloth_*.obj', cloth_%04d.obj) or a "
     "folder of numbered files",
     NULL},
    {"cache", 0, "NAME=FILE", VERB_CHECK | VERB_FIX | VERB_INFO | VERB_PROBE, OPTION_TEXTS, AT(caches),
     "move the body NAME with the cache FILE (PC2, MDD); can be repeated", NULL},
    {"fps", 0, "N", VERB_CHECK | VERB_FIX | VERB_INFO | VERB_BENCH, OPTION_POSITIVE, AT(fps),
     "animated files (glTF, FBX, ...): frames per second to check", "the file's own, else 30"},
    {"animation", 0, "NAME", VERB_CHECK | VERB_FIX | VERB_INFO | VERB_BENCH, OPTION_TEXT, AT(animation),
     "animated files: which animation to play, by name or by number from 0; all: all at once, since some exporters split a motion "
     "into actions",
     "the first"},
    {"frames", 0, "A:B", VERB_CHECK | VERB_FIX | VERB_BENCH, OPTION_RANGE, AT(frames),
     "only frames A to B, inclusive, counted from 0; also A:, :B and N", "all"},
    {"split", 0, "objects|groups|materials|parts|shells", VERB_CHECK | VERB_FIX | VERB_INFO | VERB_PROBE, OPTION_TEXT, AT(split),
     "how to split a file into bodies: by objects; groups (OBJ g, physical groups, element sets); materials; parts (LS-DYNA "
     "parts, Nastran properties, Gmsh entities); or shells (connected components)",
     "objects"},
    {"label", 0, "groups|materials|parts", VERB_CHECK, OPTION_TEXT, AT(label),
     "name the group, material or part of each element in the output, as --split sorts them, but leave the bodies as they are: "
     "columns "
     "label_a and label_b of --pairs, keys of --json and --jsonl",
     NULL},
    {"curved", 0, NULL, VERB_CHECK | VERB_FIX | VERB_INFO | VERB_PROBE | VERB_CONVERT, OPTION_ON, AT(curved),
     "cut cells of second order at their mid-nodes, so that they follow the curve; otherwise they are looked at by their corners",
     NULL},
    {"weld", 0, NULL, VERB_CHECK | VERB_FIX | VERB_INFO | VERB_PROBE, OPTION_ON, AT(weld),
     "merge vertices with equal coordinates, for triangle soups (STL files are always welded)", NULL},
    {"part", 0, "I/N", VERB_CHECK, OPTION_TEXT, AT(part),
     "search only part I of N: a stretch of the frames. `slurm`: the task of a job array. A part that is finished is not "
     "searched again; snag merge joins them",
     NULL},
    {"parts", 0, "FOLDER", VERB_CHECK, OPTION_TEXT, AT(parts), "the folder of the parts, for --part and --jobs", NULL},
    {"jobs", 0, "N", VERB_CHECK, OPTION_COUNT, AT(jobs),
     "search the frames in N processes at the same time; the outputs are those of one. With --batch: check N files at a time", "1"},
    {"batch", 0, NULL, VERB_CHECK, OPTION_ON, AT(batch),
     "each input is a list of files (one a line) or a folder: check every file in it on its own", NULL},
    {"summary", 0, "FILE.html", VERB_CHECK, OPTION_TEXT, AT(summary), "batch: write a page of all files, the worst first", NULL},
    {"watch", 0, NULL, VERB_MERGE, OPTION_ON, AT(watch), "wait until all parts are finished, and show how far they are", NULL},
    {"pairs", 0, "FILE.csv", VERB_CHECK | VERB_MERGE, OPTION_TEXT, AT(pairs), "write all contacts to FILE.csv, one line each",
     NULL},
    {"csv-safe", 0, NULL, VERB_CHECK | VERB_MERGE, OPTION_ON, AT(csv_safe),
     "pairs: put an apostrophe before names that begin with = + - or @, which spreadsheets would read as formulas", NULL},
    {"stream", 0, NULL, VERB_CHECK, OPTION_ON, AT(stream),
     "pairs: write contacts in blocks and keep none, so that there may be more than fit in memory; they are not grouped into "
     "places, and "
     "only --pairs, text and --json are written",
     NULL},
    {"scratch", 0, "FOLDER", VERB_CHECK, OPTION_TEXT, AT(scratch), "stream: where to put what does not fit in memory",
     "the system's folder for temporary files"},
    {"ply", 0, "FILE.ply", VERB_CHECK | VERB_MERGE, OPTION_TEXT, AT(ply),
     "write the meshes as PLY, elements in contact in colour; several frames become FILE_0000.ply and so on", NULL},
    {"glb", 0, "FILE.glb", VERB_CHECK | VERB_MERGE, OPTION_TEXT, AT(glb), "the same as binary glTF", NULL},
    {"vtu", 0, "FILE.vtu", VERB_CHECK | VERB_MERGE, OPTION_TEXT, AT(vtu),
     "the same for ParaView, with the cell fields `contacts`, `number`, `body`, `place` and `depth` (of the place), and FILE.pvd "
     "as the list of frames",
     NULL},
    {"select", 0, "FILE.py", VERB_CHECK | VERB_MERGE, OPTION_TEXT, AT(select),
     "write a script that selects the elements in contact in Blender, place by place", NULL},
    {"sets", 0, "FILE.inp", VERB_CHECK | VERB_MERGE, OPTION_TEXT, AT(sets),
     "write sets of the elements and nodes in contact for Abaqus and CalculiX, place by place: SNAG-1, SNAG-2 and so on", NULL},
    {"hierarchy", 0, "FILE.obj", VERB_CHECK, OPTION_TEXT, AT(hierarchy),
     "regions: write a line between each two regions that were compared, one object for each frame and level. spheres: write the "
     "spheres of the trees, each as three circles",
     NULL},
    {"after", 0, "PATH", VERB_CHECK, OPTION_TEXTS, AT(after),
     "report: the output of `snag fix` for these inputs; the page switches between before and after. A mesh and its cache are "
     "given by two "
     "--after",
     NULL},
    {"report", 0, "FILE.html", VERB_FIX, OPTION_TEXT, AT(report),
     "write a web page that shows what intersected, and switches between before and after", NULL},
    {"report", 0, "FILE.html", VERB_CHECK | VERB_MERGE, OPTION_TEXT, AT(report),
     "write a web page that shows the scene, its frames and its contacts in any browser", NULL},
    {"up", 0, "y|z", VERB_CHECK | VERB_MERGE | VERB_FIX, OPTION_TEXT, AT(up), "report: the axis that points up",
     "z for scenes written by snag, y for glTF; else guessed from a floor, or y"},
    {"scene", 0, "NAME", VERB_DEMO, OPTION_TEXT, AT(scene), "which scene to simulate", "cloth-ball"},
    {"scene", 0, "NAMES", VERB_BENCH, OPTION_TEXT, AT(bench_scene),
     "which scenes to measure. surfaces: sphere, pair, sheet, cloth-ball, cloth-twist, without a size (10k and 100k triangles) or "
     "with one (sheet-100k, sphere-1M), or a mesh file or folder; tets: letters A to E, the setups of the spatial hashing paper, "
     "and M, a million tetrahedra",
     "all"},
    {"repeat", 0, "N", VERB_BENCH, OPTION_COUNT, AT(repeat), "surfaces: how many times to replay each scene",
     "up to 5 times, within a few seconds"},
    {"compare", 0, "OLD.json", VERB_BENCH, OPTION_TEXT, AT(compare),
     "page: flag every ratio to the limit that is more than 15 % worse than in this bench.json", NULL},
    {"frames", 0, "N", VERB_DEMO, OPTION_COUNT, AT(frame_count), "number of frames to simulate, 24 per second", "48"},
    {"size", 0, "X", VERB_DEMO | VERB_SIM, OPTION_POSITIVE, AT(size),
     "resolution of the scene: the number of elements is proportional to it", "1"},
    {"data", 0, "FOLDER", VERB_SIM, OPTION_TEXT, AT(sim_data),
     "use models from files instead of the scene's own: those listed for the scene in the folder's models.txt, else all mesh "
     "files in the folder; see above for the models each scene takes",
     NULL},
    {"models", 0, "LIST", VERB_SIM, OPTION_TEXT, AT(sim_models),
     "list of models to use with --data instead of the folder's models.txt", NULL},
    {"out", 'o', "FOLDER", VERB_DEMO, OPTION_TEXT, AT(out), "output folder", "demo-out"},
    {"out", 'o', "PATH", VERB_SIM, OPTION_TEXT, AT(sim_out),
     "write the motion: to a folder, as mesh_00.obj and a NAME.pc2 for each body (scenes that tear or cut: frame_0000.obj, "
     "frame_0001.obj, ...); or to FILE.pc2 with FILE.obj, all bodies "
     "together",
     NULL},
    {"out", 'o', "FOLDER", VERB_REPRO, OPTION_TEXT, AT(repro_out), "output folder for the page and its data", "repro-out"},
    {"out", 'o', "FILE", VERB_CONVERT, OPTION_TEXT, AT(convert_out),
     "output file: .snag, .obj, .ply, .off, .stl, .mesh, .inp or .vtu", NULL},
    {"out", 'o', "PATH", VERB_FIX, OPTION_TEXT, AT(fix_out),
     "output: a mesh file (.obj .ply .off .stl .mesh .inp .vtu), of which several frames become FILE_0000.obj and so on; FILE.pc2, "
     "a "
     "cache of all frames, with FILE.obj beside it; or a folder, which gets mesh_00.obj and a NAME.pc2 for each body",
     NULL},
    {"pin", 0, "NAMES", VERB_FIX, OPTION_TEXTS, AT(pinned),
     "bodies that must not move: names or patterns such as 'body*', separated by commas; can be repeated", "none"},
    {"rigid", 0, "NAMES", VERB_FIX, OPTION_TEXTS, AT(rigid),
     "bodies that may move as a whole, but keep their shape; names as for --pin; can be repeated", "none"},
    {"max-move", 0, "D", VERB_FIX, OPTION_POSITIVE, AT(max_move),
     "no vertex moves farther than D from where it is in the input; places that would need more are left as they are", "no limit"},
    {"move-solids", 0, NULL, VERB_FIX, OPTION_ON, AT(move_solids),
     "where a sheet meets a solid, both give way; without it only the sheet moves", NULL},
    {"overwrite", 0, NULL, VERB_FIX, OPTION_ON, AT(overwrite), "allow --out to replace the input", NULL},
    {"quick", 0, NULL, VERB_REPRO, OPTION_ON, AT(quick), "small scenes and few steps: under a minute, rough timings", NULL},
    {"threads", 0, "N", ALL_VERBS & ~(unsigned)VERB_REPRO, OPTION_THREADS, AT(threads), "number of threads; 0: one per processor",
     "0"},
    {"json", 0, NULL, ALL_VERBS, OPTION_ON, AT(json), "print one JSON object instead of text", NULL},
    {"jsonl", 0, NULL, VERB_CHECK | VERB_MERGE, OPTION_ON, AT(jsonl),
     "print JSON lines: one for the scene, one for each frame with its contacts as soon as it is done, and a final summary", NULL},
    {"quiet", 'q', NULL, ALL_VERBS, OPTION_ON, AT(quiet), "no progress bar and no notes, only results and errors", NULL},
    {"help", 'h', NULL, ALL_VERBS, OPTION_ON, AT(help), "print this help", NULL},
};
const size_t option_table_count = sizeof option_table / sizeof option_table[0];

const verb_description verb_table[] = {
    {"check", VERB_CHECK, "[options] INPUT...", "find where meshes collide with each other and with themselves",
     "Each mesh file is one body, or several if its objects share no vertices: .obj .ply .off .stl .3mf .gltf .glb, .msh .mesh "
     ".vtk .vtu "
     ".vtp .pvtu .pvd, decks .inp .bdf .k .cdb, results .exo .xdmf .med, TetGen's .node and .ele, with assimp .fbx .dae, and most "
     "of these "
     "gzipped. `-` reads a mesh from standard input. "
     "Animated files are played (--animation, --fps). A cache file (.pc2 .mdd) moves the mesh before it. A folder with one mesh "
     "file and NAME.pc2 files is an animated scene. Two mesh files are two bodies, or with --sequence two frames of one scene.\n\n"
     "For impacts, each pair of consecutive frames is a move. The move from frame k to k + 1 is reported as frame k + 1, so a "
     "scene of n frames has n - 1 moves; --frames A:B checks the moves between frames A and B. A body whose cache ends before "
     "the scene does stays at its last frame.\n\n"
     "Elements are numbered as in their file, from 0: v7 (a vertex), e3-9 (an edge, by its vertices), t12 (a face, or a boundary "
     "triangle of a volume), k5 (a tetrahedron or another cell); those of decks have the deck's labels. A polygon is one face, "
     "however many triangles it was split into.\n\n"
     "Without --question, snag looks for intersections of surfaces, for penetrations of volumes, and for both in a "
     "mixed scene. The result says what was not looked for.\n\n"
     "A missing or damaged frame is reported and skipped, unless --strict. Ctrl-C, --limit, --budget and --first end the search "
     "early: contacts found so far are reported, and `complete` is false.\n\n"
     "Exit code: 0 clean; 1 contacts found; 2 error, stopped by Ctrl-C, or nothing found in an incomplete search. The question "
     "`distance` lists every pair of bodies and exits with 1 if any two are at distance 0 (with --distance D: at D or closer).",
     "  snag check dress.obj                               does the dress intersect itself?\n"
     "  snag check body.obj body.pc2 dress.obj dress.pc2   a dress on a moving body\n"
     "  snag check --pairs contacts.csv scene-folder      every contact of every frame, as a table\n"
     "  snag check --report dress.html dress.obj dress.pc2\n"
     "                                                     a web page that shows where and when\n"
     "  snag check --question distance cup.ply hand.ply   how far apart, and where\n"
     "  snag check --question impacts --sequence before.ply after.ply\n"
     "                                                     collisions during the move from one frame to the next\n"
     "  snag check --question proximities --method active --budget 500 scene-folder\n"
     "                                                     as many as half a millisecond per frame allows\n"
     "  snag check walk.glb --animation Walk --fps 60     a skinned figure, sampled finely\n"
     "  snag check scene-folder --first --limit 10min      are there any contacts at all?\n"
     "  snag check --sequence 'cloth_*.ply' --vtu out.pvd for ParaView, with contacts in colour\n"
     "  snag check --json --frames 10:20 scene-folder     for scripts\n"
     "  snag check --jobs 8 scene-folder                  all processors, frame by frame\n"
     "  snag check --batch assets --summary assets.html   every file of a folder, the worst first",
     true, true, verb_check},
    {"info", VERB_INFO, "[options] [INPUT...]", "describe meshes and caches, and list defects",
     "Prints element counts, bounding box, mean edge length, whether a mesh is closed, its number of parts, and its defects. A "
     "mesh moved by a cache is described at its first frame. Without an input: the version, the number of threads, the "
     "instruction set and the methods for each question.\n\n"
     "Exit code: 0, even if there are defects; 2 error.",
     "  snag info dress.obj\n"
     "  snag info --json scene-folder\n"
     "  snag info",
     false, true, verb_info},
    {"probe", VERB_PROBE, "[options] --points FILE.csv | --rays FILE.csv INPUT...",
     "closest surface of points, inside or outside, and where rays hit",
     "Inputs are those of `snag check`; a scene that moves is probed at its first frame. Tables are comma-separated, with blanks "
     "or "
     "semicolons instead if you like; lines that are empty or begin with # are skipped.\n\n"
     "For each point, the table on standard output has a line `point,body,element,feature,side,distance,px,py,pz`: the closest "
     "body and "
     "element (numbered as by `snag check`), whether a vertex, an edge or a face of it is closest, which side of that body the "
     "point is on (outside, "
     "inside, on, or none if the body is an open surface), the distance (negative inside) and the closest point. For each ray "
     "there is a line "
     "`ray,body,element,facing,t,px,py,pz`: facing is 1 for the front, -1 for the back, 0 for a face that is seen edge-on, and t "
     "is a "
     "multiple of the direction. Points and rays are numbered from 0; what is not found has an empty body. Everything is decided "
     "exactly.\n\n"
     "Exit code: 0 answered, whatever was found; 2 error.",
     "  snag probe part.stl --points samples.csv           signed distances\n"
     "  snag probe hall.obj --rays beams.csv --all-hits    every wall that a beam goes through\n"
     "  snag probe a.obj b.obj --rays r.csv --segments --json\n"
     "                                                     what is between two points",
     true, true, verb_probe},
    {"demo", VERB_DEMO, "[options]", "simulate a scene, check it frame by frame, and write it to a folder",
     "Writes to the folder: mesh_00.obj and a NAME.pc2 for each body, for other programs and for `snag check FOLDER`; "
     "contacts.csv, one line per contact; and demo.txt, the list of files written. Only files from an earlier demo are "
     "overwritten.\n\n"
     "Exit code: 0, even if contacts are found; 2 error.",
     "  snag demo\n"
     "  snag demo --frames 24 --out falling\n"
     "  snag check demo-out",
     false, false, verb_demo},
    {"merge", VERB_MERGE, "[options] FOLDER", "join the parts of a check into the outputs of one run",
     "Goes through all frames with the answers that `snag check --part I/N --parts FOLDER` left, instead of searching, and writes "
     "what one run "
     "would have written: text, --json, --jsonl, --pairs, --report and all other outputs, byte for byte apart from times. The "
     "input files must "
     "be where they were. Parts that are missing, unfinished, damaged or of another check are refused, and nothing is written.\n\n"
     "Exit code: as for `snag check`.",
     "  parallel snag check scene --part {}/8 --parts out ::: 1 2 3 4 5 6 7 8\n"
     "  snag merge out --json --pairs contacts.csv\n"
     "  snag merge out --watch --report report.html",
     true, true, verb_merge},
    {"bench", VERB_BENCH, "surfaces|tets|sweep|page [options] [INPUT...]",
     "measure each question against its lower bound and against the papers' algorithms",
     "surfaces: runs every question about surfaces with every method that answers it, on built-in scenes or on inputs as for "
     "`snag check`: mesh files, caches, folders. A scene is replayed frame by frame; moving the bodies and asking the question are "
     "timed together. A single mesh is moved into place from a slightly deformed pose. Methods that must agree are compared before "
     "a time is printed. `brute` is skipped where it takes long, unless --method asks for it. `active` finds a fraction of the "
     "proximities; its number of contacts shows how many.\n\n"
     "tets: vertices in tetrahedra, with hash, with kdop and with the spatial hashing paper's algorithm; also its half-space test "
     "and, up to 25,000 tetrahedra, the one-pass variants from the paper's comparison.\n\n"
     "sweep: one question about the inputs, over the values of an option of a method, which --sweep gives; the least time of three "
     "rounds, and what was searched. Contacts of complete methods must not depend on the value.\n\n"
     "page FOLDER: makes bench.html, bench.csv, bench.json and bench.md from the measurements that script/bench put into the "
     "folder.\n"
     "\n"
     "Times are medians of interleaved repetitions: processor time with --threads 1, else wall-clock time. The limit, a lower "
     "bound, is one pass that reads the elements and writes their boxes.\n\n"
     "Exit code: 0, even if contacts are found; 1 page --compare: a ratio got worse; 2 error, or methods disagree.",
     "  snag bench surfaces --scene sheet --threads 1     one scene, two sizes\n"
     "  snag bench surfaces --question impacts dress.obj dress.pc2\n"
     "  snag bench surfaces --sequence 'cloth_*.ply' --method kdop --json\n"
     "  snag bench tets --threads 1\n"
     "  snag bench tets --scene E,M --json\n"
     "  snag bench sweep --sweep k=6,14,18,26 --out sweep-out dress.obj dress.pc2\n"
     "  snag bench sweep --sweep cell=0.01,0.02,0.04 --frames :50 soft.vtu soft.pc2\n"
     "  snag bench page bench-out --compare old/bench.json",
     true, true, NULL},
    {"sim", VERB_SIM, "[options] [SCENE]", "simulate a scene with collision response and print a summary",
     "Without a scene: lists the scenes. The summary shows steps per second, the number of contacts responded to, how deep "
     "vertices penetrated other bodies and how many pairs of triangles crossed (both measured about 24 times during the run), "
     "the energy, and the share of solver, detection and response in the time. A step that explodes is divided into shorter "
     "ones; if that does not help, the run ends with an error that names the step and the body.\n\n"
     "The output folder can be read by `snag check FOLDER` and by other programs; only files from an earlier run are "
     "overwritten. The same scene, size and seed give the same motion, byte for byte, for any number of threads.\n\n"
     "With --data, models from files replace the scene's own. Scenes that take tetrahedra: soft-blocks, soft-pile, teschner-a, "
     "-b, -c, -e and -m. Surfaces: cloth-ball (for the ball), sphere, torus-ellipsoid, rodriguez, madera-a, -b and -c. Each "
     "model is scaled to the box of the one it replaces, and rotated by 90 degrees if it can then be larger. A figure, closed "
     "and with z up, and its garments, as objects of one file or as files in the order of their names, the figure first: "
     "dressed-figure, dressed-man, walking-figure, body-cloth and body-cloth-fine. cloth-twist, loop and teschner-d take no "
     "models: their deforming parts are pinned.\n\n"
     "A list of models is a text file: a line [SCENE SCENE ...] followed by one path per line, relative to the folder of "
     "--data; PATH#OBJECT takes one object of a file.\n\n"
     "Exit code: 0 the run finished, 2 error.",
     "  snag sim                                           list the scenes\n"
     "  snag sim cloth-ball --response impacts --out falling\n"
     "  snag sim dressed-figure --response-ratio 0.2       respond to a fifth of the contacts\n"
     "  snag sim walking-figure --method active --new-pairs 100 --json\n"
     "  snag sim soft-pile --data FOLDER                   tetrahedral models from files\n"
     "  snag sim rodriguez --data FOLDER --models LIST     the models listed for the scene",
     false, true, verb_sim},
    {"repro", VERB_REPRO, "[options] [PAPER...]", "run the experiments of the five papers and compare with the papers' numbers",
     "PAPER is teschner, madera, kimmerle, volino, rodriguez or all (the default). Writes to the folder: repro.html, a "
     "self-contained page with tables, plots and verdicts; repro.json; repro.md; and csv/ with a file for each table and plot. "
     "Each claim of a paper is judged from the data by a rule that the page shows: holds or does not hold, and by how much. "
     "Experiments that this build cannot run, and claims that the small scenes of --quick cannot tell, are skipped, with the "
     "reason. All papers take 10 to 25 minutes, on one thread.\n"
     "\n"
     "Exit code: 0 every judged claim holds, 1 some do not, 2 error.",
     "  snag repro --quick\n"
     "  snag repro teschner volino --out results\n"
     "  snag repro all --json >results.json",
     false, true, NULL},
    {"fix", VERB_FIX, "--out PATH [options] INPUT...", "move vertices until nothing intersects, and account for every place",
     "From meshes that intersect themselves or each other to meshes that do not. Only vertices near a place where surfaces "
     "intersect move; "
     "faces, numbers and everything else stay. Inputs are those of `snag check`: mesh files, caches, folders, sequences.\n\n"
     "Which side gives way is decided for whole curves of intersection: what is inside a closed surface goes out, sheets keep the "
     "order "
     "in which most of them lies, folds stay folds. Where a sheet meets a solid, the sheet moves (--move-solids: both). In a "
     "sequence each frame starts from the last one's correction, which fades where it is no longer needed, so that nothing "
     "jumps.\n\n"
     "The result says for each place: freed, and how far vertices moved; or not freed, and why: pinned, --max-move, --limit, faces "
     "with the same "
     "corners, a closed surface with one side, a surface that passes right through another, closed parts that are built into each "
     "other. What is not "
     "freed is as it was, unless three quarters of it are gone.\n\n"
     "What is written is read back and checked exactly before it gets its name; formats that store floats (.stl, .pc2) are fixed "
     "as floats. Ctrl-C "
     "writes nothing. --limit ends early: what was freed by then is written.\n\n"
     "Exit code: 0 nothing intersects in the output; 1 something is left; 2 error, or stopped by Ctrl-C.",
     "  snag fix dress.obj -o dress-fixed.obj              a garment that passes through itself\n"
     "  snag fix body.obj dress.obj -o free.obj --pin body   the dress moves, the body stays\n"
     "  snag fix dress.obj dress.pc2 -o fixed.pc2          every frame of a cache\n"
     "  snag fix scene-folder -o fixed --rigid 'rim*'      a folder as `snag demo` writes it\n"
     "  snag fix dress.obj -o free.obj --report fix.html   a page with before and after\n"
     "  snag fix part.stl -o part-fixed.stl --max-move 0.1 --json\n"
     "                                                     at most a tenth of a millimetre, for scripts",
     true, true, verb_fix},
    {"convert", VERB_CONVERT, "--out FILE INPUT",
     "write a mesh in another format, or as a file of blocks for bodies that stay on disk",
     "The ending of --out decides. OBJ, PLY, OFF, STL, Medit, Abaqus and VTU keep polygons, tetrahedra and numbers; cells that "
     "were cut into "
     "tetrahedra are written as tetrahedra.\n\n"
     "FILE.snag holds all triangles of the mesh in blocks: nearby triangles share a block, and each block can be read on its "
     "own. `snag check` treats such a file as a static body that stays on disk: the method spheres reads only the blocks near "
     "other bodies. Triangles are numbered in the order of the new file. `snag info` describes it.\n\n"
     "Exit code: 0 written, 2 error.",
     "  snag convert --out block.vtu block.inp.gz\n"
     "  snag convert --out city.snag city.ply\n"
     "  snag check city.snag car.obj car.pc2\n"
     "  snag info city.snag",
     true, true, verb_convert},
};
const size_t verb_table_count = sizeof verb_table / sizeof verb_table[0];
