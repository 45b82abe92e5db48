// A person to dress: head, trunk, arms and legs as one smooth closed surface that walks on the spot, and garments cut along its skin.
// A cage of quads is posed by bones, and subdivided (subdivide.h).
#ifndef SNAG_SIM_PERSON_H
#define SNAG_SIM_PERSON_H

#include "subdivide.h"

#define SNAG__CAGE_VERTICES 448
#define SNAG__CAGE_QUADS 448

typedef enum snag__bone {
    SNAG__PELVIS,
    SNAG__CHEST,
    SNAG__HEAD,
    SNAG__LEFT,  // the first bone of the left side, whose bones are in the order of snag__limb_bone
    SNAG__RIGHT = SNAG__LEFT + 5,
    SNAG__BONES = SNAG__RIGHT + 5,
} snag__bone;

typedef enum snag__limb_bone { SNAG__UPPER_ARM, SNAG__FOREARM, SNAG__THIGH, SNAG__SHIN, SNAG__FOOT } snag__limb_bone;

// Where a quad of the cage is: the rows of trunk, legs and arms count from the hips, the hip and the shoulder on.
typedef enum snag__region { SNAG__TRUNK, SNAG__LEG, SNAG__ARM, SNAG__OTHER } snag__region;

// A vertex of the cage: its place at rest, and the share of the second bone.
typedef struct snag__cage_vertex {
    double rest[3];
    uint8_t bones[2];
    double share;
} snag__cage_vertex;

typedef struct snag__person {
    snag__cage_vertex vertices[SNAG__CAGE_VERTICES];
    uint32_t quads[SNAG__CAGE_QUADS][4];
    struct {
        uint8_t region, row;
    } parts[SNAG__CAGE_QUADS];
    uint32_t vertex_count, quad_count;
    uint32_t soles[12];  // the lowest vertices of both feet
    snag__smooth smooth;
    snag__surface_grid skin;
} snag__person;

typedef enum snag__garment_kind { SNAG__DRESS, SNAG__SHIRT, SNAG__TROUSERS } snag__garment_kind;

typedef struct snag__garment {
    snag__surface_grid grid;  // the part that follows the skin; a dress has its skirt's vertices after these
    double *gaps;  // from the skin at rest
    uint32_t *waist;  // vertices of the upper border of trousers
    size_t waist_count;
} snag__garment;

// A person and its shape of about the given number of triangles, at time 0. False: out of memory; free the shape.
bool snag__person_make(snag__person *person, double triangles, snag_shape *shape, snag__sim_memory *memory);
// Poses the cage and its surface; then the skin's vertices.
void snag__person_move(snag__person *person, double time);
void snag__person_skin(const snag__person *person, double (*x)[3]);

// A garment around the person as it is posed: move it to time 0 first. False: out of memory; free the shape.
bool snag__garment_make(snag__garment *garment, snag__garment_kind kind, double triangles, const snag__person *person,
                        snag_shape *shape, snag__sim_memory *memory);
// Where a vertex of the garment would be if it stuck to the skin as it is posed.
void snag__garment_stick(const snag__garment *garment, const snag__person *person, uint32_t vertex, double x[3]);

#endif
