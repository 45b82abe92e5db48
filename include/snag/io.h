// Readers and writers that keep the numbering of the file: vertex 7 of the file is vertex 7 of the result. A library of its own
// (snag_io); the core does not need it.
//
// Every object (mesh, cache, motion, file, ...) is owned by the caller, freed by its free or close function, which accepts NULL, and
// used by one thread at a time; different objects are independent. Memory comes from malloc. `error` may be NULL everywhere.
#ifndef SNAG_IO_H
#define SNAG_IO_H

#include "snag/base.h"
#include "snag/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// An error message that names the file and, for text, the line: "dress.obj:120: vertex 9000 does not exist; ...".
// After a mesh was read, `status` is SNAG_OK and `message` is a note on what was skipped, or "".
typedef struct snag_io_error {
    snag_status status;
    char message[512];
} snag_io_error;

// One body of a file. Its elements use local vertex numbers 0..vertex_count-1.
typedef struct snag_io_body {
    char *name;  // the object's name, or the file's without folder and ending
    size_t vertex_count;
    double *positions;  // x, y, z of each vertex
    uint32_t *vertex_numbers;  // the vertex's number in the file, counted from 0; NULL: the same as the local one
    size_t polygon_count;
    uint32_t *polygon_sizes;  // NULL: all are triangles
    uint32_t *polygon_vertices;  // local vertices of each polygon, one after the other
    uint32_t *polygon_numbers;  // the face's number in the file, counted from 0; NULL: the same as the local one
    size_t tet_count;
    uint32_t *tets;  // four local vertices each
    // The number in the file of the cell that it is, or is a part of: hexahedra, wedges and pyramids are cut into tetrahedra.
    // Volume cells of all kinds count together, from 0; NULL: the same as the local one.
    uint32_t *tet_numbers;
    // Lines (rods) and points of the file, as in snag_body_def; what only repeats a side of a face or cell, or a vertex of one, is not here.
    size_t edge_count;
    uint32_t *edges;  // two local vertices each
    size_t point_count;
    uint32_t *points;  // one local vertex each
    // What the file itself calls each vertex, where it has labels (Abaqus, Nastran, LS-DYNA, Ansys); polygon_numbers and
    // tet_numbers are then labels as well. NULL: there are none.
    uint32_t *vertex_labels;
    // With `label` of the options: for each tetrahedron, or if there are none each polygon, for each edge and each point the number of
    // its group, as in snag_body_def.labels: 0: none, else names are in snag_io_mesh.label_names. NULL: there are none.
    uint32_t *labels, *edge_labels, *point_labels;
    // Abaqus: how many bytes of `name` are that of its instance, within which the labels are unique; 0: it is in none.
    size_t instance_length;
} snag_io_body;

// All bodies of a file: one, or several where an OBJ names objects that share no vertex. Objects that share vertices are
// one body, named like the first of them. Two objects of the same name stay apart, and both keep it.
typedef struct snag_io_mesh {
    snag_io_body *bodies;
    size_t body_count;
    size_t vertex_count;  // of the whole file
    size_t face_count;
    size_t tet_count;
    size_t edge_count;  // rods: lines that are no side of a face or cell
    size_t point_count;
    // Elements that are left out: of other kinds (free-form surfaces, springs), lines and points that repeat a side or a vertex of
    // another element, and faces beside tetrahedra, most of which only repeat the boundary.
    size_t skipped;
    // Of these, what could collide and is not looked at: elements with an area or a volume of kinds that are not read, and faces
    // that hang on tetrahedra without being a face of one.
    size_t left_out;
    // Cells with nodes between their corners (second order and higher), which are looked at as if their edges were straight.
    size_t curved;
    // Cells of second order that are cut at their mid-nodes, by `curved` of the options.
    size_t curved_cut;
    bool labelled;  // the bodies have vertex_labels
    // Bodies of FBX and COLLADA files whose vertices could not be identified in the file: they are numbered by the first corner of a
    // face that uses them.
    size_t unnumbered;
    double metres;  // length of a unit in metres, if the file says it (3MF); else 0. Coordinates are not converted
    char **label_names;  // the name of label n is label_names[n - 1]
    size_t label_count;
} snag_io_mesh;

// What becomes a body of its own.
typedef enum snag_io_split {
    SNAG_IO_SPLIT_OBJECTS = 0,  // what the format calls an object: OBJ o, instances of Abaqus, pieces of VTU, nodes of a scene
    SNAG_IO_SPLIT_GROUPS = 1,  // OBJ g, physical groups of Gmsh, element sets of Abaqus, references of Medit
    SNAG_IO_SPLIT_MATERIALS = 2,  // OBJ usemtl, materials of Ansys
    SNAG_IO_SPLIT_PARTS = 3,  // parts of LS-DYNA, properties of Nastran, entities of Gmsh, types of Ansys, instances of Abaqus
    SNAG_IO_SPLIT_SHELLS = 4,  // what hangs together
    SNAG_IO_SPLIT_COUNT
} snag_io_split;

// How to read untrusted files. A small file can ask for any amount of memory (an array that a thousand parts share, a compressed
// stream of zeros), so memory is limited.
typedef struct snag_io_read_options {
    uint32_t cookie;  // set by snag_io_default_read_options; any other value is refused
    uint64_t most_bytes;  // of memory for the contents of a file; 0: 256 MB and 64 times its size
    // Called several times a second on the calling thread; return false to stop with SNAG_ERROR_LIMIT. Must not call the same reader.
    // NULL: never stop.
    bool (*go_on)(void *context);
    void *context;
    // FBX, COLLADA and USD are read by assimp, which crashes on some damaged files and needs unlimited memory and time for others. With
    // `isolate` it runs in a child process (fork) with most_bytes of memory beyond that of this process and isolate_seconds of time;
    // a crash becomes a status and a message. Only the calling thread exists in the child: do not call this while another thread
    // holds a lock that reading needs (glibc's own are safe). A program that reaps all its children (waitpid(-1)) must leave this one
    // alone. Other formats have our own readers, which are fuzzed and do not need it. Without `isolate`, do not give assimp untrusted
    // files.
    bool isolate;
    double isolate_seconds;  // 0: 30, and one more for each MB of the file
    const char *advice;  // appended to messages about limits: how the user can raise them; NULL: nothing
    // Groups that share vertices become bodies with vertices of their own at the same places, which touch. Files that hold motion
    // are always split into objects.
    snag_io_split split;
    // Labels of elements (snag_io_body.labels): their groups, materials or parts. SNAG_IO_SPLIT_OBJECTS and _SHELLS: none. With labels,
    // `split` must be the same, objects or shells, else SNAG_ERROR_ARGUMENT. Files that hold motion have no labels.
    snag_io_split label;
    // Cuts cells of second order at their mid-nodes, so that their sides are twice as many and follow the curve. Faces become triangles of
    // the same number, solids more tetrahedra of the same cell. A mid-node that is missing leaves its edge straight. Cells of higher order
    // stay straight, and are counted in snag_io_mesh.curved. false: by their corners.
    bool curved;
} snag_io_read_options;
// Only the cookie is set; all else is 0.
SNAG_API snag_io_read_options snag_io_default_read_options(void);

// Reads a mesh; the file's ending says the format (snag_io_mesh_endings); ".gz" may follow it. Only regular files are read. Free the mesh with
// snag_io_mesh_free. On failure *mesh is zero: SNAG_ERROR_ARGUMENT, _FILE, _FORMAT (damaged), _UNSUPPORTED (unknown format), _SIZE,
// _INDEX, _NOT_FINITE, _LIMIT, _MEMORY.
SNAG_API snag_status snag_io_read_mesh(const char *path, snag_io_mesh *mesh, snag_io_error *error);
SNAG_API snag_status snag_io_read_mesh_with(const char *path, const snag_io_read_options *options, snag_io_mesh *mesh,
                                            snag_io_error *error);
// The same from memory; `name` is used in messages, and its ending says the format.
SNAG_API snag_status snag_io_parse_mesh(const char *name, const void *data, size_t size, snag_io_mesh *mesh, snag_io_error *error);
SNAG_API snag_status snag_io_parse_mesh_with(const char *name, const void *data, size_t size, const snag_io_read_options *options,
                                             snag_io_mesh *mesh, snag_io_error *error);
SNAG_API void snag_io_mesh_free(snag_io_mesh *mesh);

// Whether the ending is that of a mesh format, or of a cache format.
SNAG_API bool snag_io_is_mesh(const char *path);
SNAG_API bool snag_io_is_cache(const char *path);
// Whether it is the second file of a mesh that another one names too (TetGen's .ele and .face beside .node, a PVD beside the files
// that it lists), so that a list of files shows the mesh twice.
SNAG_API bool snag_io_is_companion(const char *path);
// The endings that this build can read, for messages: ".obj .ply ...". Static.
SNAG_API const char *snag_io_mesh_endings(void);
SNAG_API const char *snag_io_cache_endings(void);

// Adds one body of a file to a world as a volume (if it has tetrahedra) or a surface, with its rods and points. The world copies it. Errors as for
// snag_world_add, with the world's message.
SNAG_API snag_status snag_io_add_body(snag_world *world, const snag_io_body *body, snag_body_id *id);
// The same as a def, to be changed before snag_world_add; it borrows the arrays of the body. NULL: a def without elements.
SNAG_API snag_body_def snag_io_body_def(const snag_io_body *body);

// An animation cache (PC2, MDD): positions of all vertices of one body for each frame, read frame by frame. If a file is shorter than its
// header says, the frames that it has can be read; a file without a frame, or one that is longer, is refused.
typedef struct snag_io_cache snag_io_cache;
SNAG_API snag_status snag_io_cache_open(const char *path, snag_io_cache **cache, snag_io_error *error);
SNAG_API void snag_io_cache_close(snag_io_cache *cache);
SNAG_API size_t snag_io_cache_vertex_count(const snag_io_cache *cache);
SNAG_API size_t snag_io_cache_frame_count(const snag_io_cache *cache);
// How many frames the file has: all, unless it is truncated. Frames after them cannot be read.
SNAG_API size_t snag_io_cache_held_count(const snag_io_cache *cache);
// Reads frame `frame` (counted from 0) into `xyz` (3 * vertex_count floats). On failure the contents of `xyz` are undefined.
SNAG_API snag_status snag_io_cache_read(snag_io_cache *cache, size_t frame, float *xyz, snag_io_error *error);

// Opens a cache in memory, which must stay valid until the cache is closed. The ending of `name` says the format.
SNAG_API snag_status snag_io_cache_open_memory(const char *name, const void *data, size_t size, snag_io_cache **cache,
                                               snag_io_error *error);

// A file with animated meshes: by nodes, skins and morph targets (glTF; FBX, COLLADA and others if the library was built with assimp),
// or by a displacement at each time step (Exodus, XDMF, MED). In the former, vertices at one point that always move together are merged
// and have the number of the lowest; a body's vertex_count is then less than the number in its file.
typedef struct snag_io_motion snag_io_motion;
typedef struct snag_io_animation {
    const char *name;  // "" if it has none; owned by the motion
    double seconds;  // duration
    double rate;  // frames per second; 0: the file does not say
    // Result files have frames of their own, at these ascending times, which are the times of snag_io_motion_pose; owned by the motion.
    // 0 and NULL for others.
    size_t frame_count;
    const double *times;
} snag_io_animation;
// In place of an animation's number: all of them at once, as exporters split one motion into an action for each object.
#define SNAG_IO_ALL_ANIMATIONS SIZE_MAX
// Whether the ending is that of a format that may contain motion. All of them are mesh formats too.
SNAG_API bool snag_io_is_motion(const char *path);
SNAG_API snag_status snag_io_motion_open(const char *path, snag_io_motion **motion, snag_io_error *error);
SNAG_API snag_status snag_io_motion_open_with(const char *path, const snag_io_read_options *options, snag_io_motion **motion,
                                              snag_io_error *error);
SNAG_API snag_status snag_io_motion_open_memory(const char *name, const void *data, size_t size, snag_io_motion **motion,
                                                snag_io_error *error);
SNAG_API void snag_io_motion_close(snag_io_motion *motion);
// The bodies in their rest pose; owned by the motion and valid until it is closed.
SNAG_API const snag_io_mesh *snag_io_motion_mesh(const snag_io_motion *motion);
SNAG_API size_t snag_io_motion_animation_count(const snag_io_motion *motion);
SNAG_API snag_io_animation snag_io_motion_animation(const snag_io_motion *motion, size_t animation);
// Poses all bodies at a time of an animation; before its first key and after its last one they do not move. SNAG_ERROR_ARGUMENT for an
// animation that does not exist or a time that is not finite.
SNAG_API snag_status snag_io_motion_pose(snag_io_motion *motion, size_t animation, double seconds, snag_io_error *error);
// Writes a body's vertices in the last pose to `xyz` (3 * vertex_count doubles). SNAG_ERROR_ARGUMENT, _NOT_FINITE.
SNAG_API snag_status snag_io_motion_positions(const snag_io_motion *motion, size_t body, double *xyz, snag_io_error *error);

// Lists the files of a numbered sequence: of a pattern such as "cloth_%04d.obj" or "cloth_*.obj", or all mesh files of a folder, sorted
// by the number in their name; or the files that a PVD of several time steps lists, in the order of time. The frames are the files that exist; on success error->message notes missing numbers, or is "". Free
// `paths` with snag_io_paths_free.
SNAG_API snag_status snag_io_sequence(const char *pattern_or_folder, char ***paths, size_t *count, snag_io_error *error);
SNAG_API void snag_io_paths_free(char **paths, size_t count);

// Names in files are bytes and need not be UTF-8. Returns the length of the UTF-8 sequence at the start of the zero-terminated `text` and
// writes its character to *code; if it is not valid, returns 0 and writes the byte.
SNAG_API size_t snag_io_utf8(const char *text, uint32_t *code);

// Writers. They write to a temporary file beside the target ("cloth.obj.part0") and rename it at the end, so that no half-written file
// is left. Symbolic links are followed: their target is replaced. Numbers in text have 17 significant digits (floats 9), so that reading
// them gives the same bits. Names are written as UTF-8: invalid bytes become U+FFFD. Errors: SNAG_ERROR_ARGUMENT, _FILE, _MEMORY.
typedef struct snag_io_surface {
    snag_positions positions;
    const uint32_t *triangles;
    size_t triangle_count;
    const char *name;  // OBJ object name; NULL: none, or surface_N where there are several
    const uint8_t *rgb;  // PLY and glTF: three bytes per triangle; NULL: none, or white beside coloured surfaces
    // PLY: face property `place`; glTF: vertex attribute `_PLACE`, the lowest number of the triangles at a vertex. A number per triangle,
    // 0 for none; NULL: none, or 0 beside surfaces that have them.
    const int32_t *places;
} snag_io_surface;

// A mesh that was read, in the format of the ending: .obj .ply .off .stl .mesh .inp .vtu. STL has triangles only, and floats. Polygons and
// tetrahedra are written as they are; vertices in the order of their numbers, elements body by body, and labels in an .inp where each is there once.
SNAG_API snag_status snag_io_write_mesh(const char *path, const snag_io_mesh *mesh, snag_io_error *error);

// Surfaces as OBJ, one object each.
SNAG_API snag_status snag_io_write_obj(const char *path, const snag_io_surface *surfaces, size_t surface_count,
                                       snag_io_error *error);
// Binary little-endian PLY; float or double as the positions are.
SNAG_API snag_status snag_io_write_ply(const char *path, const snag_io_surface *surfaces, size_t surface_count,
                                       snag_io_error *error);

// Writes a surface as a file of blocks that can be read one by one (.snag), for bodies that stay on disk. Triangles are sorted so that
// neighbours are together, and numbered in that order. `numbers` are the numbers that the user knows (NULL: the indices given here).
SNAG_API snag_status snag_io_chunked_write(const char *path, const snag_io_surface *surface, const uint32_t *numbers,
                                           snag_io_error *error);

// An open file of blocks.
typedef struct snag_io_chunked snag_io_chunked;
typedef struct snag_io_chunked_info {
    size_t triangle_count, block_count;
    uint64_t file_bytes;
    uint64_t read_bytes;  // since it was opened
} snag_io_chunked_info;

// Opening reads the table of blocks but no triangles. If the file shrinks or changes afterwards, reading it gives SNAG_ERROR_FILE or
// SNAG_ERROR_FORMAT.
SNAG_API snag_status snag_io_chunked_open(const char *path, snag_io_chunked **file, snag_io_error *error);
SNAG_API void snag_io_chunked_close(snag_io_chunked *file);
SNAG_API snag_io_chunked_info snag_io_chunked_describe(const snag_io_chunked *file);
// Writes the corners of a block's triangles: nine numbers each, at most 256 triangles.
SNAG_API snag_status snag_io_chunked_read(snag_io_chunked *file, size_t block, double *corners, snag_io_error *error);
// Writes the number that the user knows for a triangle.
SNAG_API snag_status snag_io_chunked_number(snag_io_chunked *file, size_t triangle, uint32_t *number, snag_io_error *error);
// A def for snag_world_add_source, after which the body owns the file and closes it. For NULL a def that is refused.
SNAG_API snag_source_def snag_io_chunked_source(snag_io_chunked *file);

// Any other file, written to a temporary file and renamed at the end like those above. With keep = false, or if something could not be
// written, nothing is left of it, and an existing file stays. Closing always frees.
typedef struct snag_io_file snag_io_file;
SNAG_API snag_status snag_io_file_create(const char *path, snag_io_file **file, snag_io_error *error);
SNAG_API snag_status snag_io_file_write(snag_io_file *file, const void *bytes, size_t size, snag_io_error *error);
SNAG_API snag_status snag_io_file_close(snag_io_file *file, bool keep, snag_io_error *error);

// Binary glTF (.glb), for viewers. Positions are floats; triangles of one colour share a material.
SNAG_API snag_status snag_io_write_glb(const char *path, const snag_io_surface *surfaces, size_t surface_count,
                                       snag_io_error *error);

// A part of a VTU file: vertices and cells of one kind, and per field a number for each cell.
typedef struct snag_io_grid {
    snag_positions positions;
    const uint32_t *cells;
    size_t cell_count;
    uint32_t corners;  // of a cell: 3 triangles, 4 tetrahedra
    const int32_t *const *fields;  // as many arrays as there are names
    const double *depths;  // field `depth`: a number for each cell; NULL: none, or 0 beside grids that have them
} snag_io_grid;
// VTK's XML format for unstructured grids, which ParaView opens.
SNAG_API snag_status snag_io_write_vtu(const char *path, const snag_io_grid *grids, size_t grid_count,
                                       const char *const *field_names, size_t field_count, snag_io_error *error);

// ParaView's list of the files of a sequence. Names are relative to the list.
SNAG_API snag_status snag_io_write_pvd(const char *path, const char *const *names, const double *times, size_t count,
                                       snag_io_error *error);

// Writes a PC2 cache frame by frame; closing sets the frame count in the header.
typedef struct snag_io_pc2 snag_io_pc2;
SNAG_API snag_status snag_io_pc2_create(const char *path, size_t vertex_count, snag_io_pc2 **pc2, snag_io_error *error);
SNAG_API snag_status snag_io_pc2_write(snag_io_pc2 *pc2, snag_positions positions, snag_io_error *error);
// With keep = false the file is removed; so is a file without a frame, which is an error. Always frees.
SNAG_API snag_status snag_io_pc2_close(snag_io_pc2 *pc2, bool keep, snag_io_error *error);

// One line of the CSV of contacts, with the names that the user knows.
typedef struct snag_io_pair {
    uint64_t frame;
    const char *body_a, *body_b;
    const char *a, *b;  // "v7", "t12", "k5", "e3-9"
    const char *kind;
    double value, t;
    double point[3], normal[3];
    uint64_t place;  // id of its place (snag/places.h); 0: none, and an empty field
    const char *object_a, *object_b;  // a and b as numbered within their objects; NULL: empty fields
    const char *label_a, *label_b;  // names of the labels of a and b, see snag_io_pairs_set_labelled; NULL: empty fields
} snag_io_pair;

// Writes the CSV of contacts: a header line, then a line for each pair in the given order. Names with a comma, a quote or a line break
// are quoted (RFC 4180).
typedef struct snag_io_pairs snag_io_pairs;
SNAG_API snag_status snag_io_pairs_create(const char *path, snag_io_pairs **pairs, snag_io_error *error);
// Spreadsheets run a cell that begins with = + - or @ as a formula. With `safe`, names that begin with one of these, a tab or a carriage
// return get an apostrophe in front. Off by default, since it changes names.
SNAG_API void snag_io_pairs_set_safe(snag_io_pairs *pairs, bool safe);
// Adds the columns label_a and label_b at the end. Call it before the first pair; off by default.
SNAG_API void snag_io_pairs_set_labelled(snag_io_pairs *pairs, bool labelled);
SNAG_API snag_status snag_io_pairs_write(snag_io_pairs *pairs, const snag_io_pair *pair, snag_io_error *error);
SNAG_API snag_status snag_io_pairs_close(snag_io_pairs *pairs, bool keep, snag_io_error *error);

// JSON (RFC 8259) as a tree, for programs that read the output of `snag ... --json`. A value is a handle, valid as long as the tree; 0 is
// the whole document, which is never a member, so that 0 as a result means "none". Reading a value as another type (members of a number,
// the text of an array) gives 0, "" or the default. Texts are UTF-8, owned by the tree.
typedef struct snag_io_json snag_io_json;
// On failure *json is NULL and the message names the line.
SNAG_API snag_status snag_io_json_read(const char *path, snag_io_json **json, snag_io_error *error);
SNAG_API snag_status snag_io_json_parse(const char *name, const char *text, size_t size, snag_io_json **json, snag_io_error *error);
SNAG_API void snag_io_json_free(snag_io_json *json);
// The value of a member; the first if several have the name; 0 if there is none.
SNAG_API uint32_t snag_io_json_member(const snag_io_json *json, uint32_t object, const char *name);
SNAG_API bool snag_io_json_is_array(const snag_io_json *json, uint32_t value);
// The elements of an array or the values of an object's members: for (v = first(parent); v; v = next(parent, v)).
SNAG_API uint32_t snag_io_json_first(const snag_io_json *json, uint32_t parent);
SNAG_API uint32_t snag_io_json_next(const snag_io_json *json, uint32_t parent, uint32_t child);
// The name of such a member.
SNAG_API const char *snag_io_json_name(const snag_io_json *json, uint32_t object, uint32_t child);
SNAG_API const char *snag_io_json_text(const snag_io_json *json, uint32_t value);
SNAG_API double snag_io_json_number(const snag_io_json *json, uint32_t value, double otherwise);

// ---- storage for answers that are larger than memory ---------------------------------------------------------------

// A temporary file for a snag_sink: set its `write` and `read` to the functions below and its `context` to the storage, or call them from yours.
// The file has no name and is gone when the storage is destroyed or the program ends.
typedef struct snag_io_scratch snag_io_scratch;

// `folder` must exist; NULL: the system's folder for temporary files. SNAG_ERROR_ARGUMENT, _FILE, _MEMORY.
SNAG_API snag_status snag_io_scratch_create(const char *folder, snag_io_scratch **scratch, snag_io_error *error);
SNAG_API bool snag_io_scratch_write(void *scratch, uint64_t offset, const void *bytes, size_t size);
SNAG_API bool snag_io_scratch_read(void *scratch, uint64_t offset, void *bytes, size_t size);
// NULL is allowed.
SNAG_API void snag_io_scratch_destroy(snag_io_scratch *scratch);

#ifdef __cplusplus
}
#endif

#endif
