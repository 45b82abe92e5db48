// The native side of bench.mjs: moves and asks for self-intersections, on one thread with vectors of 128 bits, and prints the milliseconds
// of processor time of each repetition.
// usage: native MESH REPETITIONS [ISA]      ISA: x86-64-v2 if not given
#include "snag/io.h"
#include "snag/snag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

int main(int count, char **arguments)
{
    snag_io_mesh mesh;
    snag_io_error error;
    if (count < 3 || snag_io_read_mesh(arguments[1], &mesh, &error) != SNAG_OK) {
        fprintf(stderr, "native: %s\n", count < 3 ? "usage: native MESH REPETITIONS [ISA]" : error.message);
        return 2;
    }
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    def.isa = SNAG_ISA_X86_64_V2;
    for (int isa = SNAG_ISA_BEST; count > 3 && isa <= SNAG_ISA_NEON; isa++)
        if (strcmp(snag_isa_name((snag_isa)isa), arguments[3]) == 0)
            def.isa = (snag_isa)isa;
    snag_world *world = NULL;
    if (snag_world_create(&def, &world) != SNAG_OK) {
        fprintf(stderr, "native: this machine has no such instruction set\n");
        return 2;
    }
    snag_body_id body;
    const snag_answer *answer = NULL;
    snag_status status = snag_io_add_body(world, &mesh.bodies[0], &body);
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    snag_positions positions = snag_positions_f64(mesh.bodies[0].positions, mesh.bodies[0].vertex_count);
    for (int i = 0; i < atoi(arguments[2]) && status == SNAG_OK; i++) {
        double start = milliseconds();
        status = snag_world_move(world, body, positions);
        if (status == SNAG_OK)
            status = snag_world_ask(world, &ask, &answer);
        printf("%.3f\n", milliseconds() - start);
    }
    if (status != SNAG_OK)
        fprintf(stderr, "native: %s\n", snag_world_message(world));
    fprintf(stderr, "%zu\n", answer ? answer->count : 0);
    snag_world_destroy(world);
    snag_io_mesh_free(&mesh);
    return status == SNAG_OK ? 0 : 2;
}
