// Meshes animated by nodes, skins and morph targets. The glTF reader and assimp fill a rig, and poses are evaluated from it.
#ifndef SNAG_IO_RIG_H
#define SNAG_IO_RIG_H

#include "mesh.h"

#define SNAG__RIG_NONE UINT32_MAX
#define SNAG__RIG_ALL (UINT32_MAX - 1)

typedef struct snag__rig_node {
    uint32_t parent;  // SNAG__RIG_NONE: a root
    bool has_matrix;  // else by translation, rotation and scale
    double matrix[16];  // column-major
    double translation[3], rotation[4], scale[3];  // rotation: x, y, z, w
} snag__rig_node;

// The joints that move the vertices of a body.
typedef struct snag__rig_skin {
    uint32_t *joints;  // nodes
    double *inverses;  // inverse bind matrices: 16 numbers per joint, from the mesh to the joint
    size_t joint_count;
} snag__rig_skin;

typedef struct snag__rig_body {
    char *name;  // NULL: named like the file
    uint32_t node;
    uint32_t skin;  // SNAG__RIG_NONE: moved by its node alone
    size_t vertex_count;
    double *positions;  // rest positions
    size_t target_count;  // morph targets
    double *targets;  // target by target: one offset per vertex
    double *target_weights;  // default weights, if no animation sets them; NULL: 0
    size_t influence_count;  // joints per vertex
    uint32_t *joints;  // indices into the skin, influence_count per vertex
    double *weights;  // weights of the joints
    size_t polygon_count;
    uint32_t *sizes;  // NULL: all are triangles
    uint32_t *corners;
    uint32_t *edges;  // lines and points, as in the builder
    size_t edge_count;
    size_t face_count;  // polygons in the file, including dropped ones; 0: polygon_count
    uint32_t *polygon_numbers;  // numbers among these; NULL: all are there
    bool keeps_numbers;  // vertices are those of the file, even if two coincide; else those of an exporter
    // Set by snag__rig_finish: vertices at the same position that always move together are merged.
    size_t kept_count;
    uint32_t *kept;  // the lowest vertex of each
    double *weights_now;  // target weights in the last pose
} snag__rig_body;

typedef enum snag__rig_path {
    SNAG__RIG_TRANSLATION,
    SNAG__RIG_ROTATION,
    SNAG__RIG_SCALE,
    SNAG__RIG_WEIGHTS,
} snag__rig_path;

typedef enum snag__rig_curve { SNAG__RIG_LINEAR, SNAG__RIG_STEP, SNAG__RIG_CUBIC } snag__rig_curve;

typedef struct snag__rig_track {
    uint32_t node;
    snag__rig_path path;
    snag__rig_curve curve;
    size_t key_count, width;  // width: numbers per value
    double *times;  // ascending
    double *values;  // cubic curves have three values per key: in-tangent, value, out-tangent
} snag__rig_track;

typedef struct snag__rig_animation {
    char *name;  // NULL: none
    double seconds;  // time of its last key
    double rate;  // frames per second; 0: unknown
    snag__rig_track *tracks;
    size_t track_count;
} snag__rig_animation;

typedef struct snag__rig {
    snag__rig_node *nodes;
    size_t node_count;
    snag__rig_skin *skins;
    size_t skin_count;
    snag__rig_body *bodies;
    size_t body_count;
    snag__rig_animation *animations;
    size_t animation_count;
    size_t skipped;  // elements that are not read
    size_t unnumbered;  // bodies whose vertices could not be found in the file
    uint32_t *order;  // node order, parents first; set by snag__rig_order
    double *globals;  // 16 numbers per node, of the last pose
} snag__rig;

void snag__rig_free(snag__rig *rig);

// Call after adding all nodes. Rejects a node that is its own ancestor.
snag_status snag__rig_order(snag__rig *rig, const snag__source *source);

// Validates the reader's data (nodes are a forest, numbers are in range and finite), merges duplicate vertices and makes the mesh
// in its rest pose. On failure the message is in source->error.
snag_status snag__rig_finish(snag__rig *rig, const snag__source *source, snag_io_mesh *mesh);

// Evaluates all nodes at a time of an animation (SNAG__RIG_NONE: rest pose; SNAG__RIG_ALL: all animations).
void snag__rig_pose(snag__rig *rig, uint32_t animation, double seconds);
// Positions of a body's kept vertices in the last pose: three doubles each.
void snag__rig_positions(const snag__rig *rig, size_t index, double *xyz);

#endif
