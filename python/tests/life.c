// A random life of a world of 1,000 steps, from C: test_same_bytes.py lives the same in Python. Prints a hash of every answer.
#include "snag/snag.h"

#include <stdio.h>

static uint64_t state = 12345;

// Numbers that both languages make alike: 0..1.
static double next(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / 16777216.0;
}

static uint64_t hash(const void *data, size_t size)
{
    uint64_t made = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        made = (made ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    return made;
}

int main(void)
{
    snag_shape ball;
    snag_world *world = NULL;
    snag_world_def def = snag_default_world_def();
    def.number = 7;
    def.threads = 1;
    if (snag_shape_icosphere(1, 1.0, &ball) || snag_world_create(&def, &world))
        return 2;
    enum { BODIES = 4 };
    snag_body_id id[BODIES] = {{0, 0}};
    double x[3 * 64];
    for (int step = 0; step < 1000; step++) {
        int body = (int)(next() * BODIES);
        double shift[3] = {3 * next(), 3 * next(), 3 * next()};
        double act = next();
        for (size_t i = 0; i < 3 * ball.vertex_count; i++)
            x[i] = ball.positions[i] * (1 + 0.2 * (double)(i % 5)) + shift[i % 3];
        snag_positions positions = snag_positions_f64(x, ball.vertex_count);
        snag_status status = SNAG_OK;
        if (step % 7 == 0)
            status = snag_world_begin_step(world);
        if (id[body].index == 0) {
            snag_body_def bd = snag_default_body_def();
            bd.positions = positions, bd.triangles = ball.triangles, bd.triangle_count = ball.triangle_count;
            status |= snag_world_add(world, &bd, &id[body]);
        } else if (act < 0.1) {
            status |= snag_world_remove(world, id[body]);
            id[body] = (snag_body_id){0, 0};
        } else if (act < 0.2) {
            status |= snag_world_teleport(world, id[body], positions);
        } else {
            status |= snag_world_move(world, id[body], positions);
        }
        snag_question_def ask = snag_default_question_def((snag_question)(step % 5));
        const snag_answer *answer = NULL;
        ask.distance = ask.question == SNAG_PROXIMITIES ? 0.1 : 0;
        ask.track = ask.question == SNAG_PROXIMITIES;
        ask.output = step % 3 == 0 && !ask.track ? SNAG_OUTPUT_PAIRS : SNAG_OUTPUT_CONTACTS;
        if (status || snag_world_ask(world, &ask, &answer))
            return 2;
        bool pairs = ask.output == SNAG_OUTPUT_PAIRS;
        const void *data = pairs ? (const void *)answer->pairs : (const void *)answer->contacts;
        printf("%d %zu %016llx\n", step, answer->count,
               (unsigned long long)hash(data, answer->count * (pairs ? sizeof(snag_pair) : sizeof(snag_contact))));
    }
    snag_world_destroy(world);
    snag_shape_free(&ball);
    return 0;
}
