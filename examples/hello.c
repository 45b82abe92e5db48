// Drops a dart onto the ground and asks where the two catch.
#include "snag/snag.h"

#include <stdio.h>

int main(void)
{
    const float ground[] = {-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0};
    const uint32_t ground_triangles[] = {0, 1, 2, 0, 2, 3};
    const float dart[] = {0, 0, 1, 1, 0, 3, 0, 1, 3, -1, -1, 3};
    const float dart_dropped[] = {0, 0, -1, 1, 0, 1, 0, 1, 1, -1, -1, 1};
    const uint32_t dart_triangles[] = {0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3};

    snag_body_def a = snag_default_body_def(), b = snag_default_body_def();
    a.positions = snag_positions_f32(ground, 4), a.triangles = ground_triangles, a.triangle_count = 2;
    b.positions = snag_positions_f32(dart, 4), b.triangles = dart_triangles, b.triangle_count = 4;
    snag_world_def world_def = snag_default_world_def();
    snag_question_def question = snag_default_question_def(SNAG_INTERSECTIONS);

    snag_world *world = NULL;
    snag_body_id ground_body, dart_body;
    const snag_answer *answer = NULL;
    // Every call returns a status, and SNAG_OK is 0: the first call that fails ends the chain.
    if (snag_world_create(&world_def, &world) || snag_world_add(world, &a, &ground_body) || snag_world_add(world, &b, &dart_body) ||
        snag_world_begin_step(world) || snag_world_move(world, dart_body, snag_positions_f32(dart_dropped, 4)) ||
        snag_world_ask(world, &question, &answer))
        fprintf(stderr, "snag: %s\n", world ? snag_world_message(world) : "no world");

    for (size_t i = 0; answer && i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        printf("%s: ground triangle %u, dart triangle %u, at (%g, %g, %g)\n", snag_contact_kind_name(c->kind), c->a.index,
               c->b.index, c->point_a[0], c->point_a[1], c->point_a[2]);
    }
    snag_world_destroy(world);
    return answer ? 0 : 2;
}
