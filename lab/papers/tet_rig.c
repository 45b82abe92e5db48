#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "tet_rig.h"

#include <stdlib.h>
#include <string.h>

#include "measure.h"

static void join_positions(tet_rig *rig)
{
    size_t first = 0;
    for (size_t i = 0; i < rig->scene.body_count; i++) {
        const snag_shape *shape = &rig->scene.bodies[i].shape;
        memcpy(rig->x + first, shape->positions, 3 * shape->vertex_count * sizeof(double));
        first += shape->vertex_count;
    }
}

static void join_tets(tet_rig *rig)
{
    size_t first = 0, tet = 0;
    for (size_t i = 0; i < rig->scene.body_count; i++) {
        const snag_shape *shape = &rig->scene.bodies[i].shape;
        for (size_t k = 0; k < 4 * shape->tet_count; k++)
            rig->tets[tet + k / 4][k % 4] = (uint32_t)first + shape->tets[k];
        first += shape->vertex_count;
        tet += shape->tet_count;
    }
}

// First vertex of a world body in the mesh. Each world body groups equally many of the scene's bodies, which all have the same
// size.
static size_t first_vertex_of(const tet_rig *rig, size_t body)
{
    return rig->scene.vertex_count / rig->body_count * body;
}

static snag_positions positions_of(const tet_rig *rig, size_t body)
{
    return snag_positions_f64(rig->x[first_vertex_of(rig, body)], rig->scene.vertex_count / rig->body_count);
}

static snag_status add_grouped(tet_rig *rig)
{
    size_t count = rig->scene.tet_count / rig->body_count;
    uint32_t(*tets)[4] = malloc((count + 1) * sizeof *tets);
    snag_status status = tets ? SNAG_OK : SNAG_ERROR_MEMORY;
    for (size_t body = 0; body < rig->body_count && status == SNAG_OK; body++) {
        for (size_t k = 0; k < count; k++)
            for (int i = 0; i < 4; i++)
                tets[k][i] = rig->tets[body * count + k][i] - (uint32_t)first_vertex_of(rig, body);
        snag_body_def def = snag_default_body_def();
        def.positions = positions_of(rig, body);
        def.tets = tets[0];
        def.tet_count = count;
        status = snag_world_add(rig->world, &def, &rig->ids[body]);
    }
    free(tets);
    return status;
}

static bool start(tet_rig *rig, uint32_t threads, size_t bodies)
{
    const tet_scene *scene = &rig->scene;
    rig->body_count = bodies > 0 ? bodies : scene->body_count;
    if (scene->body_count % rig->body_count != 0)
        return false;
    rig->ids = malloc(scene->body_count * sizeof *rig->ids);
    rig->x = malloc(scene->vertex_count * sizeof *rig->x);
    rig->tets = malloc(scene->tet_count * sizeof *rig->tets);
    rig->boxes = malloc(scene->tet_count * sizeof *rig->boxes);
    if (!rig->ids || !rig->x || !rig->tets || !rig->boxes)
        return false;
    join_positions(rig);
    join_tets(rig);
    rig->mesh = (paper_mesh){(const double(*)[3])rig->x, scene->vertex_count, (const uint32_t(*)[4])rig->tets, scene->tet_count};
    rig->paper = paper_hash_new(&rig->mesh, 0, 0);
    snag_world_def def = snag_default_world_def();
    def.threads = threads;
    def.allocator = measure_allocator(&rig->bytes);
    if (!rig->paper || snag_world_create(&def, &rig->world) != SNAG_OK)
        return false;
    return (bodies > 0 ? add_grouped(rig) : tet_scene_add(scene, rig->world, rig->ids)) == SNAG_OK;
}

bool tet_rig_open(tet_rig *rig, const char *name, size_t tet_count, uint32_t threads, size_t bodies)
{
    memset(rig, 0, sizeof *rig);
    if (tet_scene_make(name, tet_count, &rig->scene) && start(rig, threads, bodies))
        return true;
    tet_rig_close(rig);
    return false;
}

void tet_rig_close(tet_rig *rig)
{
    snag_world_destroy(rig->world);
    paper_hash_free(rig->paper);
    free(rig->ids);
    free(rig->x);
    free(rig->tets);
    free(rig->boxes);
    tet_scene_free(&rig->scene);
    memset(rig, 0, sizeof *rig);
}

void tet_rig_lay(tet_rig *rig, int step)
{
    tet_scene_pose(&rig->scene, step);
    join_positions(rig);
}

snag_status tet_rig_move(tet_rig *rig)
{
    snag_status status = snag_world_begin_step(rig->world);
    for (size_t body = 0; body < rig->body_count && status == SNAG_OK; body++)
        status = snag_world_move(rig->world, rig->ids[body], positions_of(rig, body));
    return status;
}

snag_status tet_rig_pose(tet_rig *rig, int step)
{
    tet_rig_lay(rig, step);
    return tet_rig_move(rig);
}

void tet_rig_write_boxes(tet_rig *rig)
{
    for (size_t t = 0; t < rig->mesh.tet_count; t++)
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t *v = rig->tets[t];
            double lo = rig->x[v[0]][axis], hi = lo;
            for (int i = 1; i < 4; i++) {
                double x = rig->x[v[i]][axis];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            rig->boxes[t][axis] = (float)lo;
            rig->boxes[t][3 + axis] = (float)hi;
        }
}

snag_status tet_rig_ask(tet_rig *rig, snag_method method, double cell, uint32_t table, const snag_answer **answer)
{
    any_question ask = any_default(SNAG_PENETRATIONS);
    ask.method = method;
    ask.cell_size = cell;
    ask.table_size = table;
    ask.output = SNAG_OUTPUT_PAIRS;
    return any_ask(rig->world, &ask, answer);
}

bool tet_rig_agree(const tet_rig *rig, const snag_answer *answer, const paper_pair *found, size_t count)
{
    paper_pair *pairs = malloc((count + 1) * sizeof *pairs);
    if (!pairs)
        return false;
    if (count > 0)
        memcpy(pairs, found, count * sizeof *pairs);
    count = paper_pairs_sort(pairs, count);
    // All bodies have the same size, their ids count from 1, and contacts are sorted.
    size_t vertices = rig->scene.vertex_count / rig->body_count, tets = rig->scene.tet_count / rig->body_count;
    bool same = answer->count == count;
    for (size_t i = 0; i < count && same; i++) {
        const snag_pair *p = &answer->pairs[i];
        same = pairs[i].vertex == (p->body_a - 1) * vertices + p->a && pairs[i].tet == (p->body_b - 1) * tets + p->b;
    }
    free(pairs);
    return same;
}

double tet_rig_mean_edge(const tet_rig *rig)
{
    return paper_mean_edge(&rig->mesh);
}
