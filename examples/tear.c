// A sheet that tears: pulled apart at both ends, it gives way where its edges are stretched too far. Each tear is an edit of the body in
// the world, and contacts keep their ids through it.
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 24, STEPS = 40 };

typedef struct sheet {
    snag_world *world;
    snag_body_id body;
    double *x;  // three numbers for each vertex; room for all that tears may add
    size_t vertex_count;
} sheet;

static void check(const sheet *s, snag_status status)
{
    if (status == SNAG_OK)
        return;
    fprintf(stderr, "tear: %s\n", snag_world_message(s->world));
    exit(2);
}

// Pulls the two halves apart; the middle follows, stretched more and more.
static void pull(sheet *s, double by)
{
    for (size_t v = 0; v < s->vertex_count; v++) {
        double *x = s->x + 3 * v;
        x[0] += by * tanh(20 * x[0]);
        x[2] += 0.3 * by * sin(9 * x[1]);
    }
}

// Splits a vertex of the longest edge, if that is too long: triangles on the right of it get a vertex of their own.
static bool tear(sheet *s, double longest_allowed)
{
    snag_body_info info;
    check(s, snag_world_body(s->world, s->body, &info));
    double longest = longest_allowed;
    uint32_t at = SNAG_NO_NUMBER, list[64];
    for (size_t e = 0; e < info.edge_count; e++) {
        const double *a = s->x + 3 * (size_t)info.edges[2 * e], *b = s->x + 3 * (size_t)info.edges[2 * e + 1];
        double length = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        uint32_t v = info.edges[2 * e];
        size_t right = 0, all = 0;
        for (size_t t = 0; t < info.triangle_count && length > longest; t++) {
            const uint32_t *corner = info.triangles + 3 * t;
            if (corner[0] != v && corner[1] != v && corner[2] != v)
                continue;
            double middle = (s->x[3 * (size_t)corner[0]] + s->x[3 * (size_t)corner[1]] + s->x[3 * (size_t)corner[2]]) / 3;
            right += middle > s->x[3 * (size_t)v];
            all++;
        }
        if (right > 0 && right < all) {
            longest = length;
            at = v;
        }
    }
    if (at == SNAG_NO_NUMBER)
        return false;
    size_t count = 0;
    for (size_t t = 0; t < info.triangle_count && count < 64; t++) {
        const uint32_t *corner = info.triangles + 3 * t;
        double middle = (s->x[3 * (size_t)corner[0]] + s->x[3 * (size_t)corner[1]] + s->x[3 * (size_t)corner[2]]) / 3;
        if ((corner[0] == at || corner[1] == at || corner[2] == at) && middle > s->x[3 * (size_t)at])
            list[count++] = (uint32_t)t;
    }
    snag_split_vertex split = {at, list, count};
    snag_edit_def edit = snag_default_edit_def();
    edit.split_vertices = &split;
    edit.split_vertex_count = 1;
    snag_edit_map map;
    check(s, snag_world_edit(s->world, s->body, &edit, &map));
    // The new vertex starts where the old one is, and springs back a little.
    memcpy(s->x + 3 * map.first_vertex, s->x + 3 * (size_t)map.vertex_from[0], 3 * sizeof *s->x);
    s->x[3 * map.first_vertex] += 0.2 * longest;
    s->vertex_count = map.first_vertex + map.vertex_count;
    return true;
}

int main(void)
{
    sheet s = {0};
    snag_shape shape;
    snag_world_def world_def = snag_default_world_def();
    if (snag_world_create(&world_def, &s.world) != SNAG_OK || snag_shape_sheet(CELLS, CELLS, 1, 1, &shape) != SNAG_OK)
        return 2;
    s.vertex_count = shape.vertex_count;
    s.x = calloc(3 * 2 * shape.vertex_count, sizeof *s.x);
    if (s.x == NULL)
        return 2;
    memcpy(s.x, shape.positions, 3 * shape.vertex_count * sizeof *s.x);
    snag_body_def def = snag_default_body_def();
    def.name = "sheet";
    def.positions = def.rest = snag_positions_f64(s.x, s.vertex_count);
    def.triangles = shape.triangles;
    def.triangle_count = shape.triangle_count;
    check(&s, snag_world_add(s.world, &def, &s.body));
    snag_shape_free(&shape);

    // Both sides of a tear are close in the rest pose, so they do not report each other.
    snag_filter filter = snag_default_filter();
    filter.exclude_rest = 2.0 / CELLS;
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = 0.5 / CELLS;
    ask.track = true;
    ask.filter = &filter;
    size_t tears = 0, contacts = 0;
    for (int step = 0; step < STEPS; step++) {
        check(&s, snag_world_begin_step(s.world));
        pull(&s, 0.004);
        check(&s, snag_world_move(s.world, s.body, snag_positions_f64(s.x, s.vertex_count)));
        for (int i = 0; i < 8 && s.vertex_count < 2 * (CELLS + 1) * (CELLS + 1) && tear(&s, 2.5 / CELLS); i++)
            tears++;
        check(&s, snag_world_move(s.world, s.body, snag_positions_f64(s.x, s.vertex_count)));
        const snag_answer *answer = NULL;
        check(&s, snag_world_ask(s.world, &ask, &answer));
        contacts += answer->count;
    }
    printf("%d steps: %zu vertices torn, %zu now; %zu contacts on the way\n", (int)STEPS, tears, s.vertex_count, contacts);
    free(s.x);
    snag_world_destroy(s.world);
    return tears > 0 ? 0 : 1;
}
