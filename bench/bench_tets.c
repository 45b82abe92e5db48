// Measures `hash`: cost compared with the limit and with the paper's algorithm, agreement, choice of parameters, growth, memory,
// bad cases, and threads.
//
//     bench_tets [agree|compare|sweep|growth|memory|bad|edges|threads]...        default: all
//
// One thread unless stated. Times are processor time (for threads: wall-clock time), minimum of interleaved repetitions. The output
// is pairs, since the paper's algorithm gives no contacts. The limit is one pass that reads the tetrahedra and writes their boxes.
#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "measure.h"
#include "one_world.h"
#include "tet_rig.h"

#include "geom/box.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5 };

// Opens a rig on one thread. The box arrays are padded for the widest kernel.
static void open_rig(tet_rig *rig, const char *name, snag__boxes *boxes)
{
    if (!tet_rig_open(rig, name, 0, 1, 0))
        exit(2);
    boxes->count = rig->scene.tet_count;
    for (int axis = 0; axis < 3; axis++) {
        boxes->lo[axis] = measure_array(snag__box_padded(boxes->count), sizeof(float));
        boxes->hi[axis] = measure_array(snag__box_padded(boxes->count), sizeof(float));
    }
}

static void close_rig(tet_rig *rig, snag__boxes *boxes)
{
    tet_rig_close(rig);
    for (int axis = 0; axis < 3; axis++) {
        free(boxes->lo[axis]);
        free(boxes->hi[axis]);
    }
}

static double time_limit(const tet_rig *rig, snag__boxes *boxes)
{
    double start = measure_cpu_ms();
    snag__box_kernels_for(snag__isa_best())->from_tets(NULL, rig->mesh.x, rig->mesh.tets, 0, rig->mesh.tet_count, 0, boxes);
    return measure_cpu_ms() - start;
}

static double time_paper(const tet_rig *rig, paper_variant variant, size_t *count)
{
    const paper_pair *pairs;
    double start = measure_cpu_ms();
    if (!paper_hash_step(rig->paper, &rig->mesh, variant, &pairs, count))
        exit(2);
    return measure_cpu_ms() - start;
}

static double time_question(snag_world *world, const any_question *ask, size_t *count)
{
    const snag_answer *answer = NULL;
    double start = measure_cpu_ms();
    if (any_ask(world, ask, &answer) != SNAG_OK) {
        fprintf(stderr, "%s\n", snag_world_message(world));
        exit(2);
    }
    *count = answer->count;
    return measure_cpu_ms() - start;
}

static double time_ask(snag_world *world, snag_method method, double cell, uint32_t table, size_t *count)
{
    any_question ask = any_default(SNAG_PENETRATIONS);
    ask.method = method;
    ask.cell_size = cell;
    ask.table_size = table;
    ask.output = SNAG_OUTPUT_PAIRS;
    return time_question(world, &ask, count);
}

static snag_world *world_of(const tet_scene *scene, uint32_t threads, snag_body_id *ids)
{
    snag_world_def def = snag_default_world_def();
    def.threads = threads;
    snag_world *world = NULL;
    if (snag_world_create(&def, &world) != SNAG_OK || tet_scene_add(scene, world, ids) != SNAG_OK)
        exit(2);
    return world;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

// ---- agree: exactly the same pairs as the paper's algorithm ----

static void agree_scene(const char *name)
{
    snag__boxes boxes;
    tet_rig rig;
    open_rig(&rig, name, &boxes);
    size_t contacts = 0;
    bool same = true;
    enum { STEPS = 3 };
    for (int step = 0; step < STEPS; step++) {
        const snag_answer *answer = NULL;
        const paper_pair *found;
        size_t count;
        if (tet_rig_pose(&rig, 4 * step) != SNAG_OK || tet_rig_ask(&rig, SNAG_METHOD_HASH, 0, 0, &answer) != SNAG_OK ||
            !paper_hash_step(rig.paper, &rig.mesh, PAPER_BARYCENTRIC, &found, &count))
            exit(2);
        same = same && tet_rig_agree(&rig, answer, found, count);
        contacts += answer->count;
    }
    printf("%s: %d steps, %zu contacts, %s the paper's way\n", name, STEPS, contacts, same ? "the same as by" : "NOT those of");
    close_rig(&rig, &boxes);
}

static void agree(void)
{
    static const char *const names[] = {"A", "B", "C", "D", "E", "M"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        agree_scene(names[i]);
}

// ---- compare ----

static void compare_scene(const char *name)
{
    snag__boxes boxes;
    tet_rig rig;
    open_rig(&rig, name, &boxes);
    double limit = INFINITY, way[3] = {INFINITY, INFINITY, INFINITY}, hash = INFINITY, kdop = INFINITY;
    size_t count = 0, paper_count = 0, kdop_count = 0;
    bool small = rig.scene.tet_count < 100000;
    for (int step = 0; step < REPEATS; step++) {
        tet_rig_pose(&rig, step);
        limit = least(limit, time_limit(&rig, &boxes));
        for (int variant = 0; variant < (small ? 3 : 2); variant++) {
            size_t found;
            way[variant] = least(way[variant], time_paper(&rig, (paper_variant)variant, &found));
            if (variant == 0)
                paper_count = found;
        }
        hash = least(hash, time_ask(rig.world, SNAG_METHOD_HASH, 0, 0, &count));
        kdop = least(kdop, time_ask(rig.world, SNAG_METHOD_KDOP, 0, 0, &kdop_count));
        if (count != paper_count || count != kdop_count)
            printf("  the counts differ: hash %zu, kdop %zu, paper %zu\n", count, kdop_count, paper_count);
    }
    printf("%s: %zu tetrahedra, %zu vertices, %zu contacts; ms: limit %.3f, hash %.3f, kdop %.3f, paper %.3f (half-spaces "
           "%.3f, one pass %.3f); hash: %.1f ns a tetrahedron, paper / hash %.1f, hash / limit %.1f\n",
           name, rig.scene.tet_count, rig.scene.vertex_count, count, limit, hash, kdop, way[0], way[1], small ? way[2] : NAN,
           1e6 * hash / (double)rig.scene.tet_count, way[0] / hash, hash / limit);
    close_rig(&rig, &boxes);
}

static void compare(void)
{
    static const char *const names[] = {"A", "B", "C", "D", "E", "M"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        compare_scene(names[i]);
}

// ---- sweep of cell and table sizes ----

// Times the second of two asks, so that earlier measurements leave no trace in the caches.
static double time_again(snag_world *world, double cell, uint32_t table)
{
    size_t count;
    time_ask(world, SNAG_METHOD_HASH, cell, table, &count);
    return time_ask(world, SNAG_METHOD_HASH, cell, table, &count);
}

static void sweep_scene(const char *name)
{
    static const double cells[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6};
    static const double tables[] = {0.1, 0.5, 1, 2, 8};
    enum { CELLS = sizeof cells / sizeof *cells, TABLES = sizeof tables / sizeof *tables };
    tet_scene scene;
    if (!tet_scene_make(name, 0, &scene))
        exit(2);
    snag_body_id *ids = measure_array(scene.body_count, sizeof *ids);
    snag_world *world = world_of(&scene, 1, ids);
    double time[CELLS][TABLES], best = INFINITY, chosen = INFINITY;
    for (size_t c = 0; c < CELLS; c++)
        for (size_t t = 0; t < TABLES; t++)
            time[c][t] = INFINITY;
    for (int step = 0; step < 2 * REPEATS; step++) {
        for (size_t c = 0; c < CELLS; c++)
            for (size_t t = 0; t < TABLES; t++) {
                uint32_t table = (uint32_t)(tables[t] * (double)scene.vertex_count) + 1;
                time[c][t] = least(time[c][t], time_again(world, cells[c], table));
            }
        chosen = least(chosen, time_again(world, 0, 0));
    }
    printf("%s: ms by cell size (rows, in sides of the cells of five tetrahedra) and table size (columns, in vertices)\n      ",
           name);
    for (size_t t = 0; t < TABLES; t++)
        printf(" %8.1f", tables[t]);
    for (size_t c = 0; c < CELLS; c++) {
        printf("\n  %4.1f", cells[c]);
        for (size_t t = 0; t < TABLES; t++) {
            printf(" %8.3f", time[c][t]);
            best = least(best, time[c][t]);
        }
    }
    printf("\n  the default: %.3f, %.0f %% above the best\n", chosen, 100 * (chosen / best - 1));
    snag_world_destroy(world);
    free(ids);
    tet_scene_free(&scene);
}

static void sweep(void)
{
    static const char *const names[] = {"A", "C", "D", "E", "M"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sweep_scene(names[i]);
        fflush(stdout);
    }
}

// ---- growth ----

static void growth(void)
{
    static const size_t sizes[] = {10000, 30000, 100000, 300000, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tet_scene scene;
        if (!tet_scene_make(NULL, sizes[i], &scene))
            exit(2);
        snag_body_id *ids = measure_array(scene.body_count, sizeof *ids);
        snag_world *world = world_of(&scene, 1, ids);
        double time = INFINITY;
        size_t count = 0;
        for (int step = 0; step < 2 * REPEATS; step++) {
            tet_scene_pose(&scene, step);
            tet_scene_move(&scene, world, ids);
            time = least(time, time_ask(world, SNAG_METHOD_HASH, 0, 0, &count));
        }
        printf("%8zu tetrahedra: %.2f ms, %.1f ns each, %zu contacts\n", scene.tet_count, time,
               1e6 * time / (double)scene.tet_count, count);
        snag_world_destroy(world);
        free(ids);
        tet_scene_free(&scene);
    }
}

// ---- memory ----

typedef struct counter {
    size_t bytes, calls;
} counter;

static void *count_allocate(void *context, size_t size, size_t alignment)
{
    counter *c = context;
    c->bytes += size;
    c->calls++;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void count_release(void *context, void *memory, size_t size)
{
    ((counter *)context)->bytes -= size;
    free(memory);
}

// Memory kept by the first search beyond the mesh. Asks for no contacts, so none are kept.
static void memory_of(const char *name)
{
    tet_scene scene;
    if (!tet_scene_make(name, 0, &scene))
        exit(2);
    counter c = {0};
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    def.allocator = (snag_allocator){count_allocate, count_release, &c};
    snag_world *world = NULL;
    snag_body_id *ids = measure_array(scene.body_count, sizeof *ids);
    if (snag_world_create(&def, &world) != SNAG_OK || tet_scene_add(&scene, world, ids) != SNAG_OK)
        exit(2);
    any_question ask = any_default(SNAG_PENETRATIONS);
    ask.method = SNAG_METHOD_HASH;
    ask.output = SNAG_OUTPUT_PAIRS;
    ask.filter = one_world_nothing;
    const snag_answer *answer = NULL;
    size_t mesh = c.bytes, calls[8];
    if (any_ask(world, &ask, &answer) != SNAG_OK)
        exit(2);
    double kept = (double)(c.bytes - mesh), allowed = 64.0 * (double)scene.vertex_count + 16.0 * (double)scene.tet_count;
    ask.filter = NULL;
    for (int step = 0; step < 8; step++) {
        size_t before = c.calls;
        tet_scene_pose(&scene, step);
        tet_scene_move(&scene, world, ids);
        any_ask(world, &ask, &answer);
        calls[step] = c.calls - before;
    }
    printf("%s: %.0f bytes beyond the mesh, %.0f %% of 64 a vertex and 16 a tetrahedron; allocations in steps 1 to 8:", name, kept,
           100 * kept / allowed);
    for (int step = 0; step < 8; step++)
        printf(" %zu", calls[step]);
    printf("\n");
    snag_world_destroy(world);
    free(ids);
    tet_scene_free(&scene);
}

static void memory(void)
{
    memory_of("E");
    memory_of("M");
}

// ---- edges through tetrahedra, in addition to vertices ----

static void edges_of(const char *name)
{
    tet_scene scene;
    if (!tet_scene_make(name, 0, &scene))
        exit(2);
    snag_body_id *ids = measure_array(scene.body_count, sizeof *ids);
    snag_world *world = world_of(&scene, 1, ids);
    any_question ask = any_default(SNAG_PENETRATIONS);
    ask.output = SNAG_OUTPUT_PAIRS;
    double ms[3] = {INFINITY, INFINITY, INFINITY};
    size_t count[3] = {0};
    for (int step = 0; step < REPEATS; step++)
        for (int way = 0; way < 3; way++) {
            ask.edges = way > 0;
            ask.method = way == 2 ? SNAG_METHOD_KDOP : SNAG_METHOD_HASH;
            ms[way] = least(ms[way], time_question(world, &ask, &count[way]));
        }
    printf("%s: hash %.2f ms, %zu contacts; with edges %.2f ms, %zu contacts; by kdop %.2f ms, %zu contacts\n", name, ms[0],
           count[0], ms[1], count[1], ms[2], count[2]);
    snag_world_destroy(world);
    free(ids);
    tet_scene_free(&scene);
}

static void edges(void)
{
    edges_of("E");
    edges_of("M");
}

// ---- threads ----

static double wall(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

// Runs the tasks one after the other and assigns their times to two threads, each task to the first free one: an estimate for two
// threads on an otherwise idle machine. A machine that is never idle allows no direct measurement.
typedef struct dealing {
    double alone, dealt;  // ms of all tasks
} dealing;

static void deal_out(void *context, uint32_t count, void (*task)(void *task_context, uint32_t index), void *task_context)
{
    dealing *d = context;
    double busy[2] = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        double start = measure_cpu_ms();
        task(task_context, i);
        double ms = measure_cpu_ms() - start;
        d->alone += ms;
        busy[busy[1] < busy[0]] += ms;
    }
    d->dealt += busy[0] > busy[1] ? busy[0] : busy[1];
}

static void deal_tasks(const tet_scene *scene)
{
    dealing d;
    snag_world_def def = snag_default_world_def();
    def.threads = 2;
    def.tasks = (snag_tasks){deal_out, &d};
    snag_world *world = NULL;
    snag_body_id *ids = measure_array(scene->body_count, sizeof *ids);
    if (snag_world_create(&def, &world) != SNAG_OK || tet_scene_add(scene, world, ids) != SNAG_OK)
        exit(2);
    double one = INFINITY, two = INFINITY;
    for (int try = 0; try < 4 * REPEATS; try++) {
        size_t count;
        d = (dealing){0};
        double ms = time_ask(world, SNAG_METHOD_HASH, 0, 0, &count);
        one = least(one, ms);
        two = least(two, ms - d.alone + d.dealt);
    }
    printf("M, pieces dealt out to two threads: one %.2f ms, two %.2f ms, %.2f times as fast\n", one, two, one / two);
    snag_world_destroy(world);
    free(ids);
}

static void threads(void)
{
    tet_scene scene;
    if (!tet_scene_make("M", 0, &scene))
        exit(2);
    deal_tasks(&scene);
    snag_body_id *ids = measure_array(scene.body_count, sizeof *ids);
    snag_world *worlds[2] = {world_of(&scene, 1, ids), world_of(&scene, 2, ids)};
    double best[2] = {INFINITY, INFINITY};
    for (int try = 0; try < 8 * REPEATS; try++)
        for (int w = 0; w < 2; w++) {
            size_t count;
            double start = wall();
            time_ask(worlds[w], SNAG_METHOD_HASH, 0, 0, &count);
            best[w] = least(best[w], wall() - start);
        }
    printf("M, by the clock on the wall: one thread %.2f ms, two %.2f ms, %.2f times as fast\n", best[0], best[1],
           best[0] / best[1]);
    snag_world_destroy(worlds[0]);
    snag_world_destroy(worlds[1]);
    free(ids);
    tet_scene_free(&scene);
}

// ---- bad cases: all on the mesh of about a million tetrahedra ----

typedef void spoil(tet_scene *scene);

static void leave(tet_scene *scene)
{
    (void)scene;
}

static void shift(tet_scene *scene)
{
    for (size_t i = 0; i < scene->body_count; i++)
        snag_shape_transform(&scene->bodies[i].shape, 1, 1e7, -1e7, 1e7);
}

static void mirror(tet_scene *scene)
{
    for (size_t i = 0; i < scene->body_count; i++)
        snag_shape_transform(&scene->bodies[i].shape, -1, 0, 0, 0);
}

static void flatten(tet_scene *scene)
{
    for (size_t i = 0; i < scene->body_count; i++)
        for (size_t v = 0; v < scene->bodies[i].shape.vertex_count; v++)
            scene->bodies[i].shape.positions[3 * v + 2] = 0.25;
}

static void make_negative(tet_scene *scene)
{
    for (size_t i = 0; i < scene->body_count; i++)
        snag_shape_transform(&scene->bodies[i].shape, 1, -1000, -1000, -1000);
}

// The vertices of flat tetrahedra fill a plane that cuts through all bodies.
static void flatten_one(tet_scene *scene)
{
    snag_shape *shape = &scene->bodies[1].shape;
    for (size_t v = 0; v < shape->vertex_count; v++)
        shape->positions[3 * v + 2] = 0.25;
}

// One body is shrunk to a millionth of its size: all its vertices are in one cell.
static void shrink_one(tet_scene *scene)
{
    snag_shape *shape = &scene->bodies[2].shape;
    snag_shape_transform(shape, 1e-6, shape->positions[0], shape->positions[1], shape->positions[2]);
}

// One vertex is very far away: a grid over the scene's box would have one cell for all others.
static void throw_one_away(tet_scene *scene)
{
    double *x = &scene->bodies[2].shape.positions[3 * (size_t)scene->bodies[2].shape.tets[4000]];
    x[0] = -1e12;
    x[1] = 1e12;
}

// One tetrahedron spans the whole scene.
static void enlarge_one(tet_scene *scene)
{
    snag_shape *shape = &scene->bodies[2].shape;
    for (int c = 0; c < 4; c++)
        for (int axis = 0; axis < 3; axis++)
            shape->positions[3 * shape->tets[4000 + c] + (size_t)axis] = c == axis + 1 ? 1000 : -300;
}

static void spoil_scene(const char *what, spoil *how, double cell, double even)
{
    tet_scene scene;
    if (!tet_scene_make("M", 0, &scene))
        exit(2);
    snag_body_id *ids = measure_array(scene.body_count, sizeof *ids);
    how(&scene);
    snag_world *world = world_of(&scene, 1, ids);
    double time = INFINITY;
    size_t count = 0;
    for (int step = 0; step < 2; step++) {
        tet_scene_move(&scene, world, ids);
        time = least(time, time_ask(world, SNAG_METHOD_HASH, cell, 0, &count));
    }
    printf("%-40s %9.2f ms, %zu contacts, %.2f times the even mesh\n", what, time, count, time / even);
    fflush(stdout);
    snag_world_destroy(world);
    free(ids);
    tet_scene_free(&scene);
}

static double time_even(void)
{
    tet_scene scene;
    if (!tet_scene_make("M", 0, &scene))
        exit(2);
    snag_body_id *ids = measure_array(scene.body_count, sizeof *ids);
    snag_world *world = world_of(&scene, 1, ids);
    double time = INFINITY;
    size_t count = 0;
    for (int step = 0; step < 4; step++) {
        tet_scene_move(&scene, world, ids);
        time = least(time, time_ask(world, SNAG_METHOD_HASH, 0, 0, &count));
    }
    snag_world_destroy(world);
    free(ids);
    tet_scene_free(&scene);
    return time;
}

static void bad(void)
{
    double even = time_even();
    spoil_scene("even", leave, 0, even);
    spoil_scene("coordinates near 1e7", shift, 0, even);
    spoil_scene("coordinates near -1000", make_negative, 0, even);
    spoil_scene("mirrored: all inverted", mirror, 0, even);
    spoil_scene("one huge tetrahedron", enlarge_one, 0, even);
    spoil_scene("one vertex at 1e12", throw_one_away, 0, even);
    spoil_scene("cells that hold all vertices asked for", leave, 1e9, even);
    spoil_scene("all vertices of one body in one cell", shrink_one, 0, even);
    spoil_scene("cells of a millionth of an edge asked for", leave, 1e-6, even);
    spoil_scene("one body a planar cloud", flatten_one, 0, even);
    spoil_scene("all in one plane", flatten, 0, even);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"agree", agree},   {"compare", compare}, {"sweep", sweep}, {"growth", growth},
                 {"memory", memory}, {"bad", bad},         {"edges", edges}, {"threads", threads}};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted = wanted || strcmp(argv[i], parts[p].name) == 0;
        if (wanted)
            parts[p].run();
    }
    return 0;
}
