// Any points as one polygon: it has two triangles less than corners, and unless it is said to cross itself they tile
// it.
#include "geom/geom.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                                                            \
    if (!(condition))                                                                                                              \
    abort()

enum { MOST_CORNERS = 160 };

typedef struct input {
    double x[MOST_CORNERS][3];
    uint32_t vertices[MOST_CORNERS];
    uint32_t count;
    bool flat;  // z = 0
} input;

// The first byte says how coordinates are read: as bytes on a grid of 4 or of 256 steps with z = 0, where corners meet
// and edges lie upon edges; or as floats or doubles of three coordinates.
static bool read_input(const uint8_t *data, size_t size, input *in)
{
    if (size == 0)
        return false;
    int mode = data[0] % 4;
    size_t one = mode < 2 ? 1 : mode == 2 ? sizeof(float) : sizeof(double), dimensions = mode < 2 ? 2 : 3;
    size_t count = (size - 1) / (one * dimensions);
    if (count < 3)
        return false;
    memset(in, 0, sizeof *in);
    in->flat = mode < 2;
    in->count = count < MOST_CORNERS ? (uint32_t)count : MOST_CORNERS;
    for (uint32_t i = 0; i < in->count; i++) {
        in->vertices[i] = i;
        for (size_t k = 0; k < dimensions; k++) {
            const uint8_t *at = data + 1 + (i * dimensions + k) * one;
            float narrow;
            switch (mode) {
            case 0: in->x[i][k] = *at % 4; break;
            case 1: in->x[i][k] = *at; break;
            case 2: memcpy(&narrow, at, sizeof narrow), in->x[i][k] = narrow; break;
            default: memcpy(&in->x[i][k], at, sizeof in->x[i][k]); break;
            }
            if (!isfinite(in->x[i][k]))
                return false;
        }
    }
    return true;
}

static snag__mesh split(const input *in)
{
    snag__mesh mesh;
    snag__mesh_error error = {""};
    snag_allocator allocator = snag__default_allocator();
    snag_body_def def = {.positions = snag_positions_f64(&in->x[0][0], in->count),
                         .polygon_sizes = &in->count,
                         .polygon_vertices = in->vertices,
                         .polygon_count = 1};
    MUST(snag__mesh_from_def(&def, &allocator, &mesh, &error) == SNAG_OK);
    MUST(mesh.triangle_count == in->count - 2);
    return mesh;
}

// Each edge of the loop is once the edge of a triangle, and each other edge is two times, once in each direction.
static void check_edges(const input *in, const snag__mesh *mesh)
{
    static int8_t runs[MOST_CORNERS][MOST_CORNERS];
    memset(runs, 0, sizeof runs);
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            runs[mesh->triangles[t][k]][mesh->triangles[t][(k + 1) % 3]]++;
            runs[mesh->triangles[t][(k + 1) % 3]][mesh->triangles[t][k]]--;
        }
    for (uint32_t a = 0; a < in->count; a++)
        for (uint32_t b = 0; b < in->count; b++)
            MUST(runs[a][b] == (b == (a + 1) % in->count) - (a == (b + 1) % in->count));
}

static int turn_of(const input *in, const uint32_t t[3])
{
    return snag__orient2d(in->x[t[0]], in->x[t[1]], in->x[t[2]], 2);
}

static bool side_parts(const input *in, const uint32_t a[3], const uint32_t b[3], int turn)
{
    for (int i = 0; i < 3; i++) {
        bool parts = true;
        for (int k = 0; k < 3 && parts; k++)
            parts = snag__orient2d(in->x[a[i]], in->x[a[(i + 1) % 3]], in->x[b[k]], 2) * turn <= 0;
        if (parts)
            return true;
    }
    return false;
}

static void check_tiles(const input *in, const snag__mesh *mesh)
{
    int turn = 0;
    for (uint32_t t = 0; t < mesh->triangle_count && turn == 0; t++)
        turn = turn_of(in, mesh->triangles[t]);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *a = mesh->triangles[t];
        MUST(turn_of(in, a) == turn || turn_of(in, a) == 0);
        for (uint32_t s = 0; s < t && turn_of(in, a) != 0; s++) {
            const uint32_t *b = mesh->triangles[s];
            MUST(turn_of(in, b) == 0 || side_parts(in, a, b, turn) || side_parts(in, b, a, turn));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static input in;
    if (!read_input(data, size, &in))
        return 0;
    snag__mesh mesh = split(&in);
    check_edges(&in, &mesh);
    if (in.flat && mesh.crossed_count == 0)
        check_tiles(&in, &mesh);
    snag__mesh_free(&mesh);
    return 0;
}
