// The verbs and options of the tool, one row each. A row here is all that parsing, --help, the manual pages and the shell
// completions need to know of an option; a member of `options` holds its value.
#include "verbs.h"

#define AT(member) offsetof(options, member)
// Verbs that answer in words or as JSON, by threads.
#define ALL_VERBS (VERB_CHECK | VERB_INFO | VERB_DEMO | VERB_BENCH | VERB_SIM | VERB_REPRO | VERB_CONVERT)

const option option_table[] = {
    {"question", 0, "NAME", VERB_CHECK, OPTION_QUESTION, AT(question),
     "what to ask: intersections, proximities, penetrations, impacts, distance or overlaps",
     "intersections; penetrations if a body has tetrahedra, and both if there are surfaces too"},
    {"question", 0, "NAME", VERB_BENCH, OPTION_QUESTION, AT(question),
     "surfaces: measure this question only: intersections, proximities, impacts, distance or overlaps", "all"},
    {"method", 0, "NAME", VERB_CHECK | VERB_DEMO | VERB_SIM, OPTION_METHOD, AT(method),
     "how to search: brute, hash, regions, kdop, active, regularity, spheres or auto (snag info lists what answers "
     "what)",
     "auto"},
    {"method", 0, "NAME", VERB_BENCH, OPTION_METHOD, AT(method),
     "surfaces: measure this method only (snag info lists what answers what)", "all that answer"},
    {"distance", 0, "D", VERB_CHECK, OPTION_LENGTH, AT(distance),
     "proximities: list pairs at this distance or closer; distance: bodies this close count as contacts",
     "proximities: 1/1000 of the scene's diagonal; distance: 0"},
    {"distance", 0, "D", VERB_BENCH, OPTION_LENGTH, AT(distance), "surfaces: how close a pair of proximities is",
     "a tenth of the mean edge"},
    {"within", 0, "D", VERB_CHECK, OPTION_POSITIVE, AT(within),
     "distance: leave out pairs of bodies that are farther apart than this", "none is left out"},
    {"closest", 0, "N", VERB_CHECK, OPTION_COUNT, AT(closest), "distance: list the N pairs of bodies closest to each other", "all"},
    {"every-pair", 0, NULL, VERB_CHECK, OPTION_ON, AT(every_pair),
     "proximities: list every vertex-triangle and edge-edge pair, not each contact of features once", NULL},
    {"edges", 0, NULL, VERB_CHECK, OPTION_ON, AT(edges),
     "penetrations: also list edges that pass through a tetrahedron with neither end in it", "on"},
    {"no-edges", 0, NULL, VERB_CHECK, OPTION_ON, AT(no_edges), "penetrations: look for vertices in tetrahedra only", NULL},
    {"tolerance", 0, "D", VERB_CHECK, OPTION_POSITIVE, AT(tolerance),
     "impacts: how far before the true contact a reported time may lie, as a length", "1e-6 of the scene's diagonal"},
    {"separation", 0, "D", VERB_CHECK, OPTION_LENGTH, AT(separation), "impacts: report when a gap falls to this, not only at 0",
     "0"},
    {"target", 0, "R", VERB_CHECK, OPTION_RATIO, AT(target), "active: find about this part of all contacts, 0 to 1",
     "as many as come up"},
    {"regularity", 0, "certified|paper|classical", VERB_CHECK, OPTION_TEXT, AT(regularity),
     "regularity: certified is complete, paper leaves the contour test out (contacts may be missing), classical is boxes alone",
     "certified"},
    {"directions", 0, "N", VERB_CHECK, OPTION_COUNT, AT(directions), "regularity: directions to sample: 6, 12, 32 or 62", "32"},
    {"depth", 0, "N", VERB_CHECK, OPTION_COUNT, AT(depth), "spheres: levels of the tree below its root, at most 10",
     "overlaps: 5; intersections: as deep as helps"},
    {"idle", 0, "N", VERB_CHECK, OPTION_COUNT, AT(idle), "spheres: branches that no sphere has met for N frames are deleted", "64"},
    {"backend", 0, "cpu|gl", VERB_CHECK, OPTION_TEXT, AT(backend),
     "spheres: who tells which boxes a surface meets: exact arithmetic, or occlusion queries of OpenGL", "cpu"},
    {"new-pairs", 0, "N", VERB_CHECK | VERB_SIM, OPTION_COUNT, AT(new_pairs), "active: how many pairs to start in each step",
     "200"},
    {"seed", 0, "N", VERB_CHECK, OPTION_COUNT, AT(seed), "active: the same number, the same pairs", "1"},
    {"seed", 0, "N", VERB_SIM, OPTION_COUNT, AT(seed), "how things lie at the start: the same number, the same run", "1"},
    {"steps", 0, "N", VERB_SIM, OPTION_COUNT, AT(sim_steps), "how many steps to run", "as many as the scene is meant for"},
    {"dt", 0, "SECONDS", VERB_SIM, OPTION_POSITIVE, AT(step_seconds),
     "how long a step is; it is cut into the scene's number of parts, and those that explode again", "what the scene is made for"},
    {"response", 0, "scene|none|contacts|impacts", VERB_SIM, OPTION_TEXT, AT(response),
     "what becomes of contacts: nothing; what is too close or inside is pushed apart; or also what would meet on the way is "
     "stopped before, so that nothing ever crosses",
     "scene: what the scene is made for"},
    {"response-ratio", 0, "R", VERB_SIM, OPTION_RATIO, AT(response_ratio),
     "contacts: respond to this part of them only, chosen at random", "1"},
    {"adaptive", 0, NULL, VERB_SIM, OPTION_ON, AT(adaptive),
     "cut each step so that nothing moves further than half an edge in a part", NULL},
    {"budget", 0, "TIME", VERB_CHECK, OPTION_TIME, AT(budget_us),
     "the time that the search of one frame may take, such as 500 (microseconds), 20ms or 3s; what is found until then is "
     "reported, and the next frame follows",
     "no limit"},
    {"limit", 0, "TIME", VERB_CHECK, OPTION_TIME, AT(limit_us),
     "the time that reading and all frames together may take, such as 30s or 10min; what is found until then is reported",
     "no limit"},
    {"input-memory", 0, "SIZE", VERB_CHECK | VERB_INFO | VERB_CONVERT, OPTION_BYTES, AT(input_memory),
     "the memory that an input may take while it is read, such as 4G; a small file that becomes a large mesh, or that keeps an "
     "importer busy for long, is refused otherwise",
     "256M, and 64 times the file's size"},
    {"first", 0, NULL, VERB_CHECK, OPTION_ON, AT(first), "stop after the first frame that has contacts", NULL},
    {"strict", 0, NULL, VERB_CHECK, OPTION_ON, AT(strict),
     "stop at a frame that is missing or damaged, instead of reporting it and going on with the next", NULL},
    {"pure", 0, NULL, VERB_CHECK, OPTION_ON, AT(pure), "active: start pairs anywhere, without a tree", NULL},
    {"self", 0, NULL, VERB_CHECK, OPTION_ON, AT(self), "look for contacts of a body with itself", "on"},
    {"no-self", 0, NULL, VERB_CHECK, OPTION_OFF, AT(self), "leave out contacts of a body with itself", NULL},
    {"between", 0, NULL, VERB_CHECK, OPTION_ON, AT(between), "look for contacts between bodies", "on"},
    {"no-between", 0, NULL, VERB_CHECK, OPTION_OFF, AT(between), "leave out contacts between bodies", NULL},
    {"sequence", 0, NULL, VERB_CHECK | VERB_INFO | VERB_BENCH, OPTION_ON, AT(sequence),
     "the inputs are the frames of one scene: files in the order given, a pattern ('cloth_*.obj', cloth_%04d.obj) or a "
     "folder of numbered files",
     NULL},
    {"cache", 0, "NAME=FILE", VERB_CHECK | VERB_INFO, OPTION_TEXTS, AT(caches),
     "move the body NAME by the cache FILE (PC2, MDD); may be given again", NULL},
    {"fps", 0, "N", VERB_CHECK | VERB_INFO | VERB_BENCH, OPTION_POSITIVE, AT(fps),
     "files that hold their own motion (glTF, FBX, ...): how many frames of a second to look at", "what the file says, or 30"},
    {"animation", 0, "NAME", VERB_CHECK | VERB_INFO | VERB_BENCH, OPTION_TEXT, AT(animation),
     "the same: which animation to play, by its name or its number from 0; all: all at once, as exporters split a motion into "
     "actions",
     "the first"},
    {"frames", 0, "A:B", VERB_CHECK | VERB_BENCH, OPTION_RANGE, AT(frames),
     "look at frames A to B only, both included, counted from 0; also A:, :B and N", "all"},
    {"split", 0, "objects|groups|materials|parts|shells", VERB_CHECK | VERB_INFO, OPTION_TEXT, AT(split),
     "what becomes a body: objects of the file; groups (OBJ g, physical groups, element sets); materials; parts (LS-DYNA, "
     "properties of "
     "Nastran, entities of Gmsh); or shells, what hangs together",
     "objects"},
    {"weld", 0, NULL, VERB_CHECK | VERB_INFO, OPTION_ON, AT(weld),
     "vertices with equal coordinates count as one, for triangle soups (STL files always are welded)", NULL},
    {"pairs", 0, "FILE.csv", VERB_CHECK, OPTION_TEXT, AT(pairs), "write a line for each contact to FILE.csv", NULL},
    {"csv-safe", 0, NULL, VERB_CHECK, OPTION_ON, AT(csv_safe),
     "pairs: put an apostrophe before names that begin with = + - or @, which spreadsheets take for formulas", NULL},
    {"ply", 0, "FILE.ply", VERB_CHECK, OPTION_TEXT, AT(ply),
     "write the meshes with what is in contact in colour, as PLY; of several frames as FILE_0000.ply and so on", NULL},
    {"glb", 0, "FILE.glb", VERB_CHECK, OPTION_TEXT, AT(glb), "the same as binary glTF", NULL},
    {"vtu", 0, "FILE.vtu", VERB_CHECK, OPTION_TEXT, AT(vtu),
     "the same for ParaView, with fields `contacts`, `number` and `body` of each cell, and FILE.pvd as the list of frames", NULL},
    {"hierarchy", 0, "FILE.obj", VERB_CHECK, OPTION_TEXT, AT(hierarchy),
     "regions: write the lines between regions that were compared, an object for each frame and level", NULL},
    {"report", 0, "FILE.html", VERB_CHECK, OPTION_TEXT, AT(report),
     "write a page that shows the scene, its frames and its contacts in any browser", NULL},
    {"up", 0, "y|z", VERB_CHECK, OPTION_TEXT, AT(up), "report: the axis that points up",
     "z of what snag has written, y of glTF; else where a floor lies, or y"},
    {"scene", 0, "NAME", VERB_DEMO, OPTION_TEXT, AT(scene), "which scene to simulate", "cloth-ball"},
    {"scene", 0, "NAMES", VERB_BENCH, OPTION_TEXT, AT(bench_scene),
     "which scenes to measure. surfaces: sphere, pair, sheet, cloth-ball, cloth-twist, alone (10k and 100k triangles) or with "
     "a size (sheet-100k, sphere-1M), or a mesh file or folder; tets: letters of A to E, the setups of the spatial "
     "hashing paper, and M, a million tetrahedra",
     "all"},
    {"repeat", 0, "N", VERB_BENCH, OPTION_COUNT, AT(repeat), "surfaces: replay each scene so often",
     "up to 5 times, in some seconds"},
    {"compare", 0, "OLD.json", VERB_BENCH, OPTION_TEXT, AT(compare),
     "page: flag every ratio to the limit that is worse by more than 15 % than in this bench.json", NULL},
    {"frames", 0, "N", VERB_DEMO, OPTION_COUNT, AT(frame_count), "how many frames to simulate, 24 to a second", "48"},
    {"size", 0, "X", VERB_DEMO | VERB_SIM, OPTION_POSITIVE, AT(size),
     "how fine the scene is: the number of elements grows in proportion to it", "1"},
    {"data", 0, "FOLDER", VERB_SIM, OPTION_TEXT, AT(sim_data),
     "models of files in place of the scene's own: those that a list in the folder, models.txt, names for the scene, else all mesh "
     "files in the folder; which scenes take what is said above",
     NULL},
    {"models", 0, "LIST", VERB_SIM, OPTION_TEXT, AT(sim_models),
     "the list of models to use with --data, in place of models.txt in the folder", NULL},
    {"out", 'o', "FOLDER", VERB_DEMO, OPTION_TEXT, AT(out), "where to write the sequence", "demo-out"},
    {"out", 'o', "PATH", VERB_SIM, OPTION_TEXT, AT(sim_out),
     "write the motion: to a folder, as mesh_00.obj and a NAME.pc2 for each body, or to FILE.pc2, all bodies in one, with FILE.obj",
     NULL},
    {"out", 'o', "FOLDER", VERB_REPRO, OPTION_TEXT, AT(repro_out), "where to write the page and its data", "repro-out"},
    {"out", 'o', "FILE", VERB_CONVERT, OPTION_TEXT, AT(convert_out), "the file to write: .snag, .obj, .off, .mesh, .inp or .vtu",
     NULL},
    {"quick", 0, NULL, VERB_REPRO, OPTION_ON, AT(quick), "small scenes and few steps: under a minute, with rough times", NULL},
    {"threads", 0, "N", ALL_VERBS & ~(unsigned)VERB_REPRO, OPTION_THREADS, AT(threads),
     "how many threads to use; 0: one for each processor", "0"},
    {"json", 0, NULL, ALL_VERBS, OPTION_ON, AT(json), "print one JSON object instead of words", NULL},
    {"jsonl", 0, NULL, VERB_CHECK, OPTION_ON, AT(jsonl),
     "print JSON lines: one for the scene, one for each frame with its contacts as soon as it is done, and one for the end", NULL},
    {"quiet", 'q', NULL, ALL_VERBS, OPTION_ON, AT(quiet), "no progress bar, no notes: only the result, and errors", NULL},
    {"help", 'h', NULL, ALL_VERBS, OPTION_ON, AT(help), "print this help", NULL},
};
const size_t option_table_count = sizeof option_table / sizeof option_table[0];

const verb_description verb_table[] = {
    {"check", VERB_CHECK, "[options] INPUT...", "find where meshes catch on each other and on themselves",
     "Each mesh file (.obj .ply .off .stl .msh .mesh .vtk .vtu .3mf, TetGen's .node and .ele, .gltf .glb, and with assimp "
     ".fbx .dae) is one body, or several if its objects share no vertex. `-` is a mesh that comes by the standard "
     "input. Files that hold their own motion are played (--animation, --fps). A cache file (.pc2 .mdd) moves the mesh before it. "
     "A folder that holds one mesh file and "
     "NAME.pc2 files is a scene that moves. Two mesh files are two bodies, or with --sequence two frames of one "
     "scene.\n\n"
     "For impacts each two frames that follow one another are a move; the move from frame k to k + 1 is reported "
     "as frame k + 1, so a scene of n frames has n - 1 of them. With --frames A:B they are the moves among the "
     "frames A to B. A body whose cache ends before the scene does rests at its last frame.\n\n"
     "Elements are numbered as in their file, from 0: v7, e3-9 (an edge by its vertices), t12 (a face; the "
     "boundary triangle of a volume), k5 (a tetrahedron). A polygon counts as one face, however many triangles it "
     "was split into.\n\n"
     "Without --question, surfaces are asked for intersections, volumes of tetrahedra for penetrations, and a scene of both "
     "for both. What a question leaves out is named beside the result.\n\n"
     "A frame that is missing or damaged is reported and passed over, unless --strict. Ctrl-C, --limit, --budget and "
     "--first end the search early: what was found is reported, and `complete` is false.\n\n"
     "Exit code: 0 clean; 1 contacts found; 2 error, stopped by Ctrl-C, or nothing found where not everything was looked "
     "at. The question `distance` lists every two bodies and ends with "
     "1 if any two are at distance 0 (or at the distance given by --distance, or closer).",
     "  snag check dress.obj                              does the dress cut through itself?\n"
     "  snag check body.obj body.pc2 dress.obj dress.pc2  a dress on a body that moves\n"
     "  snag check --pairs contacts.csv scene-folder      every contact of every frame, as a table\n"
     "  snag check --report dress.html dress.obj dress.pc2\n"
     "                                                    a page that shows where and at which frame\n"
     "  snag check --question distance cup.ply hand.ply   how far apart, and where\n"
     "  snag check --question impacts --sequence before.ply after.ply\n"
     "                                                    what meets on the way from one frame to the next\n"
     "  snag check --question proximities --method active --budget 500 scene-folder\n"
     "                                                    what can be found in half a millisecond a frame\n"
     "  snag check walk.glb --animation Walk --fps 60     a skinned figure, sampled finely\n"
     "  snag check scene-folder --first --limit 10min     is there anything at all?\n"
     "  snag check --sequence 'cloth_*.ply' --vtu out.pvd for ParaView, with contacts in colour\n"
     "  snag check --json --frames 10:20 scene-folder     for scripts",
     true, true, verb_check},
    {"info", VERB_INFO, "[options] [INPUT...]", "describe meshes and caches, and what is wrong with them",
     "Counts, box, mean edge length, whether a mesh is closed and of how many parts, and what the mesh check "
     "finds. A mesh that a cache moves is described at its first frame. Without an input: the version, the "
     "threads, the instruction set and which method answers which question.\n\n"
     "Exit code: 0, whatever the mesh check finds; 2 error.",
     "  snag info dress.obj\n"
     "  snag info --json scene-folder\n"
     "  snag info",
     false, true, verb_info},
    {"demo", VERB_DEMO, "[options]", "simulate a scene, check it frame by frame, and write it to a folder",
     "The folder then holds mesh_00.obj and a NAME.pc2 for each body, which other programs can open and `snag "
     "check FOLDER` reads; contacts.csv with a line for each contact; and demo.txt, the list of what was written. "
     "A demo replaces only files that an earlier demo wrote there.\n\n"
     "Exit code: 0, although contacts are found: that is what it shows; 2 error.",
     "  snag demo\n"
     "  snag demo --frames 24 --out falling\n"
     "  snag check demo-out",
     false, false, verb_demo},
    {"bench", VERB_BENCH, "surfaces|tets|page [options] [INPUT...]",
     "measure questions beside their limits and the papers' own ways",
     "surfaces: every question about surfaces by every method that answers it, on built-in scenes or on the "
     "inputs, which are those of `snag check`: mesh files, caches, folders. A scene is replayed from pose to pose; "
     "a move and its question are timed together. One mesh alone is reached from a pose that is swayed a little. "
     "Methods that should find the same are compared before a time is printed. `brute` is left out where it takes "
     "long, unless it is asked for. `active` finds a part of the proximities: its contacts say how large a part.\n\n"
     "tets: vertices in tetrahedra, by hash and kdop and by the spatial hashing paper's own way, with the "
     "half-space test and, up to 25,000 tetrahedra, the one pass that it compares.\n\n"
     "page FOLDER: makes bench.html, bench.csv, bench.json and bench.md of what script/bench has measured into the folder.\n"
     "\n"
     "The time is the median of interleaved repetitions: of the processor with --threads 1, else of the clock on "
     "the wall. The limit is one pass that reads the elements and writes their boxes.\n\n"
     "Exit code: 0, although contacts are found; 1 page --compare: a ratio got worse; 2 error, or methods that differ.",
     "  snag bench surfaces --scene sheet --threads 1     one scene, two sizes\n"
     "  snag bench surfaces --question impacts dress.obj dress.pc2\n"
     "  snag bench surfaces --sequence 'cloth_*.ply' --method kdop --json\n"
     "  snag bench tets --threads 1\n"
     "  snag bench tets --scene E,M --json\n"
     "  snag bench page bench-out --compare old/bench.json",
     true, true, NULL},
    {"sim", VERB_SIM, "[options] [SCENE]", "simulate a scene with response to its contacts, and say how it went",
     "Without a scene: the list of scenes. The summary says how many steps a second were made, how many contacts were "
     "responded to, how deep vertices came into other bodies and how many pairs of triangles crossed (both measured some 24 "
     "times in the run), the energy, and what part of "
     "the time went into the solver, the detection and the response. A step that "
     "explodes is cut into shorter ones; if that does not help, the run ends and names the step and the body.\n\n"
     "A folder that is written is what `snag check FOLDER` reads and other programs open; only files that an earlier run "
     "wrote there are replaced. The same scene, size and seed give the same motion, byte for byte, for any number of threads.\n\n"
     "With --data, models of files stand for those that the scene makes. Tetrahedra: soft-blocks, soft-pile, teschner-a, -b, -c, "
     "-e "
     "and -m. Surfaces: cloth-ball (for the ball), sphere, torus-ellipsoid, rodriguez, madera-a, -b and -c. Each is scaled into "
     "the "
     "box of the one it replaces, and turned by quarters if it can then be larger. A figure, closed and with z up, and its "
     "garments, "
     "as objects of one file or as files in the order of their names, the figure first: dressed-figure, dressed-man, "
     "walking-figure, body-cloth and body-cloth-fine. cloth-twist, loop and teschner-d take none: what deforms in them is pinned "
     "where it is made.\n\n"
     "A list of models is a text: a line [SCENE SCENE ...], and below it a path a line, from the folder of --data on, with #OBJECT "
     "behind "
     "it for one object of a file.\n\n"
     "Exit code: 0 the run came to its end, 2 error.",
     "  snag sim                                          which scenes there are\n"
     "  snag sim cloth-ball --response impacts --out falling\n"
     "  snag sim dressed-figure --response-ratio 0.2      answer every fifth contact only\n"
     "  snag sim walking-figure --method active --new-pairs 100 --json\n"
     "  snag sim soft-pile --data FOLDER                  models of tetrahedra from files\n"
     "  snag sim rodriguez --data FOLDER --models LIST    those that a list names for the scene",
     false, true, verb_sim},
    {"repro", VERB_REPRO, "[options] [PAPER...]", "run the experiments of the five papers beside the papers' own numbers",
     "PAPER is teschner, madera, kimmerle, volino, rodriguez or all, which is meant without one. The folder then holds "
     "repro.html, a page with tables, plots and verdicts that needs no network; repro.json; repro.md; and csv/ with a file "
     "for each table and plot. Each shape that a paper claims is judged from the data: holds or does not hold, and by how "
     "much. What this build cannot run is skipped, with the reason. All papers take some minutes, on one thread.\n"
     "\n"
     "Exit code: 0 every shape that was judged holds, 1 some does not, 2 error.",
     "  snag repro --quick\n"
     "  snag repro teschner volino --out results\n"
     "  snag repro all --json >results.json",
     false, true, NULL},
    {"convert", VERB_CONVERT, "--out FILE INPUT",
     "write a mesh in another format, or as a surface in blocks for bodies that stay on disk",
     "By the ending of --out: OBJ, OFF, Medit, Abaqus and VTU keep polygons, tetrahedra and numbers; cells that are cut into "
     "tetrahedra are "
     "written as these. FILE.snag is a surface in blocks.\n\n"
     "Of a file in blocks: all triangles of the mesh file go into one file of blocks: triangles that lie near each other stand "
     "together, and a "
     "block can be read alone. `snag check` takes such a file as a body that rests and stays on disk: the method spheres "
     "reads only the blocks that other bodies come near to. Its triangles are numbered in the order of the new file. `snag info` "
     "describes it.\n\n"
     "Exit code: 0 written, 2 error.",
     "  snag convert --out block.vtu block.inp.gz\n"
     "  snag convert --out city.snag city.ply\n"
     "  snag check city.snag car.obj car.pc2\n"
     "  snag info city.snag",
     true, true, verb_convert},
};
const size_t verb_table_count = sizeof verb_table / sizeof verb_table[0];
