// One warm step, for tools that count instructions: script/instructions runs it under callgrind, which counts only while
// measured_step is on the stack.
//
//     bench_step intersections|proximities|impacts|tets [ISA]      ISA: scalar, v2, v3 (default) or best
//
// Cloth: frames 92 and 93 of cloth-ball in SNAG_DATA, 46,598 triangles; tets: the scene M, 1,011,500 tetrahedra. One thread. A step
// moves all bodies and asks once, with `auto`. Only add, move and ask depend on the API.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/any_question.h"
#include "snag/io.h"
#include "snag/snag.h"
#include "tet_scenes.h"

enum { WARM_STEPS = 3 };

static void die(const char *what)
{
    fprintf(stderr, "bench_step: %s\n", what);
    exit(2);
}

typedef struct stepper {
    snag_world *world;
    any_question question;
    // Cloth: two frames; the steps alternate between them.
    snag_io_mesh frames[2];
    snag_body_id cloth;
    // Or tetrahedra.
    tet_scene tets;
    snag_body_id *ids;
    size_t contacts;
} stepper;

static void check(const stepper *s, snag_status status)
{
    if (status != SNAG_OK)
        die(s->world ? snag_world_message(s->world) : snag_status_name(status));
}

static snag_positions frame_of(const stepper *s, int step)
{
    const snag_io_body *body = &s->frames[step % 2].bodies[0];
    return snag_positions_f64(body->positions, body->vertex_count);
}

static void move(stepper *s, int step)
{
    if (s->ids)
        check(s, tet_scene_move(&s->tets, s->world, s->ids));
    else {
        check(s, snag_world_begin_step(s->world));
        check(s, snag_world_move(s->world, s->cloth, frame_of(s, step)));
    }
}

static void ask(stepper *s)
{
    const snag_answer *answer = NULL;
    check(s, any_ask(s->world, &s->question, &answer));
    s->contacts = answer->count;
}

// Computes the scene's next pose, which is not part of the step.
static void prepare(stepper *s, int step)
{
    if (s->ids)
        tet_scene_pose(&s->tets, step);
}

// Not static, to keep its name: callgrind finds it by name.
__attribute__((noinline)) void measured_step(stepper *s, int step);
__attribute__((noinline)) void measured_step(stepper *s, int step)
{
    move(s, step);
    ask(s);
}

static void read_frame(const char *name, snag_io_mesh *mesh)
{
    char path[1024];
    snag_io_error error;
    const char *folder = getenv("SNAG_DATA");
    snprintf(path, sizeof path, "%s/ccd_scenes/cloth-ball/frames/%s", folder ? folder : ".", name);
    if (snag_io_read_mesh(path, mesh, &error) != SNAG_OK)
        die(error.message);
}

static void add(stepper *s, bool tets)
{
    if (tets) {
        if (!tet_scene_make("M", 0, &s->tets))
            die("out of memory");
        s->ids = calloc(s->tets.body_count, sizeof *s->ids);
        tet_scene_pose(&s->tets, 0);
        check(s, tet_scene_add(&s->tets, s->world, s->ids));
        return;
    }
    read_frame("cloth_ball92.ply", &s->frames[0]);
    read_frame("cloth_ball93.ply", &s->frames[1]);
    check(s, snag_io_add_body(s->world, &s->frames[0].bodies[0], &s->cloth));
}

static snag_isa isa_of(const char *name)
{
    static const snag_isa all[] = {SNAG_ISA_BEST, SNAG_ISA_SCALAR, SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3, SNAG_ISA_X86_64_V4};
    static const char *const names[] = {"best", "scalar", "v2", "v3", "v4"};
    for (int i = 0; i < 5; i++)
        if (strcmp(name, names[i]) == 0)
            return all[i];
    die("the instruction set is one of scalar, v2, v3, v4, best");
    return SNAG_ISA_BEST;
}

int main(int argc, char **argv)
{
    bool tets = argc > 1 && strcmp(argv[1], "tets") == 0;
    snag_question question = SNAG_PENETRATIONS;
    if (argc < 2 || argc > 3 || (!tets && !snag_question_from_name(argv[1], &question)))
        die("usage: bench_step intersections|proximities|impacts|tets [ISA]");
    stepper s = {.question = any_default(question)};
    s.question.distance = 1e-3;
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    def.isa = isa_of(argc > 2 ? argv[2] : "v3");
    check(&s, snag_world_create(&def, &s.world));
    add(&s, tets);
    for (int step = 1; step <= WARM_STEPS; step++) {
        prepare(&s, step);
        move(&s, step);
        ask(&s);
    }
    prepare(&s, WARM_STEPS + 1);
    measured_step(&s, WARM_STEPS + 1);
    printf("%s: %zu contacts\n", argv[1], s.contacts);
    snag_world_destroy(s.world);
    snag_io_mesh_free(&s.frames[0]);
    snag_io_mesh_free(&s.frames[1]);
    tet_scene_free(&s.tets);
    free(s.ids);
    return 0;
}
