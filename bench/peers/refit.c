// Times the refit of snag's trees alone.
#include "refit.h"

#include <stdlib.h>

#include "bound/bvh.h"

struct refit {
    const surface_scene *scene;
    snag_allocator allocator;
    snag__parallel parallel;
    snag__mesh *meshes;
    snag__bvh_body *bodies;
    uint64_t *poses;  // counts refits
    snag__bvh bvh;
    snag__buffer scratch;
    size_t mesh_count;
};

static snag_positions positions_of(const surface_scene *scene, size_t pose, size_t body)
{
    return snag_positions_f64(scene->poses[pose][scene->bodies[body].first_vertex], scene->bodies[body].vertex_count);
}

static bool add_mesh(refit *r, size_t body)
{
    const surface_body *from = &r->scene->bodies[body];
    uint32_t *triangles = malloc((from->triangle_count + 1) * 3 * sizeof *triangles);
    for (size_t i = 0; i < 3 * from->triangle_count && triangles; i++)
        triangles[i] = r->scene->triangles[from->first_triangle + i / 3][i % 3] - (uint32_t)from->first_vertex;
    snag_body_def def = snag_default_body_def();
    def.positions = positions_of(r->scene, 0, body);
    def.triangles = triangles;
    def.triangle_count = from->triangle_count;
    snag__mesh_error error;
    bool good = triangles && snag__mesh_from_def(&def, &r->allocator, &r->meshes[body], &error) == SNAG_OK;
    r->mesh_count += good;
    r->bodies[body] = (snag__bvh_body){.mesh = &r->meshes[body], .body = body + 1};
    free(triangles);
    return good;
}

refit *refit_create(const surface_scene *scene, uint32_t k, uint32_t threads)
{
    refit *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->scene = scene;
    r->allocator = snag__default_allocator();
    r->parallel.threads = threads;
    r->parallel.pool = threads > 1 ? snag__pool_create(&r->allocator, threads) : NULL;
    r->meshes = calloc(scene->body_count, sizeof *r->meshes);
    r->bodies = calloc(scene->body_count, sizeof *r->bodies);
    r->poses = calloc(scene->body_count, sizeof *r->poses);
    bool good = r->meshes && r->bodies && r->poses && (threads == 1 || r->parallel.pool);
    for (size_t i = 0; i < scene->body_count && good; i++)
        good = add_mesh(r, i);
    snag__tree_shape shape = {.k = k, .arity = 8};
    if (good && snag__bvh_build(&r->bvh, SNAG_TRIANGLE, shape, r->bodies, (uint32_t)scene->body_count, &r->allocator, &r->parallel,
                                &r->scratch))
        return r;
    refit_free(r);
    return NULL;
}

bool refit_move(refit *r, size_t pose)
{
    snag__mesh_error error;
    for (size_t i = 0; i < r->mesh_count; i++) {
        r->poses[i]++;
        if (snag__mesh_move(&r->meshes[i], positions_of(r->scene, pose, i), false, &snag__alone, NULL, &error) != SNAG_OK)
            return false;
    }
    return true;
}

bool refit_run(refit *r)
{
    snag__refit_def def = {.poses = r->poses};
    return snag__bvh_refit(&r->bvh, &def, &r->allocator, &r->parallel, snag__isa_best());
}

void refit_free(refit *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->mesh_count; i++)
        snag__mesh_free(&r->meshes[i]);
    snag__pool_destroy(&r->allocator, r->parallel.pool);
    snag__bvh_free(&r->allocator, &r->bvh);
    snag__buffer_free(&r->allocator, &r->scratch);
    free(r->meshes);
    free(r->bodies);
    free(r->poses);
    free(r);
}
