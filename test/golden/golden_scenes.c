// The scenes of the golden test: made here, and read from files.
#include "golden/golden.h"
#include "helpers/hard.h"
#include "helpers/scenes.h"
#include "helpers/soup.h"
#include "helpers/surfaces.h"
#include "helpers/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUESTION(question) (1u << (question))

// ---- building ----

static void open_scene(golden_scene *scene, const char *name, golden_depth depth)
{
    memset(scene, 0, sizeof *scene);
    snprintf(scene->name, sizeof scene->name, "%s", name);
    scene->scalar = SNAG_F64;
    scene->depth = depth;
}

// Shapes are made with functions of libm, whose last bit differs between machines: rounded, they are the same everywhere.
static void round_positions(snag_shape *shape)
{
    for (size_t i = 0; i < 3 * shape->vertex_count; i++)
        shape->positions[i] = nearbyint(shape->positions[i] * 0x1p24) * 0x1p-24;
}

// Takes over the shape.
static void add_shape(golden_scene *scene, snag_shape shape)
{
    golden_body *body = &scene->bodies[scene->body_count++];
    body->shape = shape;
    body->vertex_count = shape.vertex_count;
}

static void add_rounded(golden_scene *scene, snag_shape shape)
{
    round_positions(&shape);
    add_shape(scene, shape);
}

static double *new_frame(golden_scene *scene)
{
    size_t vertices = 0;
    for (size_t i = 0; i < scene->body_count; i++)
        vertices += scene->bodies[i].vertex_count;
    double *x = malloc((3 * vertices + 1) * sizeof *x);
    assert_non_null(x);
    assert_true(scene->frame_count < GOLDEN_FRAMES);
    return scene->frames[scene->frame_count++] = x;
}

// The shapes as they are now become a frame.
static void add_frame(golden_scene *scene)
{
    double *x = new_frame(scene);
    for (size_t i = 0; i < scene->body_count; x += 3 * scene->bodies[i++].vertex_count)
        memcpy(x, scene->bodies[i].shape.positions, 3 * scene->bodies[i].vertex_count * sizeof *x);
}

static double mean_edge(const double *x, const uint32_t *corners, size_t count, uint32_t each)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double *p = &x[3 * (size_t)corners[each * i]], *q = &x[3 * (size_t)corners[each * i + 1]];
        sum += sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
    }
    return count > 0 ? sum / (double)count : 0;
}

// The mean of the bodies' means, each over the first edges of their elements.
static void measure_edge(golden_scene *scene)
{
    const double *x = scene->frames[0];
    double sum = 0;
    for (size_t i = 0; i < scene->body_count; x += 3 * scene->bodies[i++].vertex_count) {
        const golden_body *b = &scene->bodies[i];
        if (b->io && b->io->tet_count > 0)
            sum += mean_edge(x, b->io->tets, b->io->tet_count, 4);
        else if (b->io && !b->io->polygon_sizes)
            sum += mean_edge(x, b->io->polygon_vertices, b->io->polygon_count, 3);
        else if (b->io)
            sum += mean_edge(x, b->io->polygon_vertices, b->io->polygon_count / 2, 4);
        else if (b->shape.tet_count > 0)
            sum += mean_edge(x, b->shape.tets, b->shape.tet_count, 4);
        else
            sum += mean_edge(x, b->shape.triangles, b->shape.triangle_count, 3);
    }
    scene->edge = sum / (double)scene->body_count;
}

static void show(golden_scene *scene, void (*visit)(const golden_scene *scene))
{
    if (scene->edge == 0)
        measure_edge(scene);
    scene->near = scene->near == 0 ? 0.125 : scene->near;
    visit(scene);
    for (size_t i = 0; i < scene->frame_count; i++)
        free(scene->frames[i]);
    for (size_t i = 0; i < scene->body_count; i++)
        snag_shape_free(&scene->bodies[i].shape);
    for (int i = 0; i < 2; i++)
        snag_io_mesh_free(&scene->meshes[i]);
}

// ---- made ----

static void soups(void (*visit)(const golden_scene *scene))
{
    static const uint32_t grids[] = {0, 2, 4};
    snag__random random = {101};
    for (int i = 0; i < 3; i++) {
        golden_scene scene;
        char name[32];
        snprintf(name, sizeof name, "soup-grid-%u", grids[i]);
        open_scene(&scene, name, GOLDEN_ALL);
        add_shape(&scene, scene_soup(18, grids[i], true, &random));
        add_shape(&scene, scene_soup(7, grids[i], false, &random));
        add_shape(&scene, scene_tet_soup(4, grids[i], &random));
        add_frame(&scene);
        for (int frame = 1; frame < 2; frame++) {
            for (size_t b = 0; b < scene.body_count; b++)
                for (size_t k = 0; k < 3 * scene.bodies[b].vertex_count; k++)
                    scene.bodies[b].shape.positions[k] +=
                        grids[i] ? ((double)snag__random_below(&random, 3) - 1) / grids[i] : snag__random_range(&random, -0.1, 0.1);
            add_frame(&scene);
        }
        scene.edge = 0.5;
        show(&scene, visit);
    }
}

// Soups at the ends of the range of doubles, and in one plane.
static void extremes(void (*visit)(const golden_scene *scene))
{
    static const double scales[] = {0x1p-900, 0x1p-100, 0x1p100, 0x1p900, 0};
    snag__random random = {102};
    for (int i = 0; i < 5; i++) {
        golden_scene scene;
        char name[32];
        snprintf(name, sizeof name, "extreme-%d", i);
        open_scene(&scene, name, GOLDEN_ALL);
        add_shape(&scene, scene_soup(20, 3, true, &random));
        add_shape(&scene, scene_tet_soup(4, 3, &random));
        for (size_t b = 0; b < scene.body_count; b++) {
            if (scales[i] != 0)
                snag_shape_transform(&scene.bodies[b].shape, scales[i], scales[i], 0, 0);
            else
                for (size_t v = 0; v < scene.bodies[b].vertex_count; v++)
                    scene.bodies[b].shape.positions[3 * v + 2] = 0.25;
        }
        add_frame(&scene);
        scene.edge = scales[i] != 0 ? 0.5 * scales[i] : 0.5;
        show(&scene, visit);
    }
}

// Pairs of triangles made to break predicates.
static void hard_pairs(void (*visit)(const golden_scene *scene))
{
    snag__random random = {103};
    hard_soup *soup = calloc(1, sizeof *soup);
    for (int i = 0; i < 60; i++) {
        hard_pair pair;
        hard_triangle_pair(&random, &pair);
        hard_soup_add(soup, &pair);
    }
    golden_scene scene;
    open_scene(&scene, "hard-pairs", GOLDEN_ALL);
    scene.questions = QUESTION(SNAG_INTERSECTIONS);
    snag_shape shape = {.vertex_count = 6 * soup->count, .triangle_count = 2 * soup->count};
    shape.positions = malloc(sizeof soup->positions);
    shape.triangles = malloc(sizeof soup->triangles);
    memcpy(shape.positions, soup->positions, sizeof soup->positions);
    memcpy(shape.triangles, soup->triangles, sizeof soup->triangles);
    free(soup);
    add_shape(&scene, shape);
    add_frame(&scene);
    scene.edge = 1;
    show(&scene, visit);
}

// Sheets, a block of tetrahedra and a sphere that shake; one rests in each step, and one jumps.
static void sheets_and_block(snag_scalar scalar, void (*visit)(const golden_scene *scene))
{
    snag__random random = {104};
    golden_scene scene;
    snag_shape block, ball;
    open_scene(&scene, scalar == SNAG_F32 ? "sheets-f32" : "sheets-f64", GOLDEN_ALL);
    scene.scalar = scalar;
    assert_int_equal(snag_shape_block(3, 2, 3, 0.2, &block), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(1, 0.3, &ball), SNAG_OK);
    add_rounded(&scene, scene_crumpled_sheet(9, 0.12, &random));
    add_rounded(&scene, scene_crumpled_sheet(7, 0.05, &random));
    add_rounded(&scene, block);
    add_rounded(&scene, ball);
    add_frame(&scene);
    for (size_t frame = 1; frame < 5; frame++) {
        for (size_t b = 0; b < scene.body_count; b++) {
            if (b == frame)
                continue;
            scene_shake(&scene.bodies[b].shape, 0.02, &random);
            if (frame == 3 && b == 2)
                snag_shape_transform(&scene.bodies[b].shape, 1, 0.5, 0, 0);
            round_positions(&scene.bodies[b].shape);
        }
        add_frame(&scene);
    }
    show(&scene, visit);
}

static void many_bodies(void (*visit)(const golden_scene *scene))
{
    snag__random random = {105};
    golden_scene scene;
    open_scene(&scene, "many-bodies", GOLDEN_ALL);
    for (uint32_t i = 0; i < 18; i++) {
        snag_shape soup = i % 3 == 2 ? scene_tet_soup(i / 3, 0, &random) : scene_soup(2 * i, 0, true, &random);
        // One after the other: compilers differ in the order of arguments.
        double z = snag__random_unit(&random), y = snag__random_unit(&random), x = snag__random_unit(&random);
        snag_shape_transform(&soup, 0.25, x, y, z);
        add_shape(&scene, soup);
    }
    add_frame(&scene);
    for (size_t b = 0; b < scene.body_count; b++)
        scene_shake(&scene.bodies[b].shape, 0.03, &random);
    add_frame(&scene);
    scene.edge = 0.125;
    show(&scene, visit);
}

// Surfaces without an inside, with slits, flipped, repeated and collapsed triangles.
static void odd_surfaces(void (*visit)(const golden_scene *scene))
{
    snag__random random = {106};
    for (int i = 0; i < 4; i++) {
        golden_scene scene;
        char name[32];
        snprintf(name, sizeof name, "odd-surface-%d", i);
        open_scene(&scene, name, GOLDEN_ALL);
        snag_shape shape = i == 0   ? surface_moebius(40, 3)
                           : i == 1 ? surface_klein(16, 8)
                           : i == 2 ? surface_spiral(40, 3, 0.4, 1, 0.2, 2)
                                    : surface_roll(8, 2, 0.01);
        if (i == 1)
            surface_slit(&shape, &random);
        if (i == 2)
            surface_repeat_triangles(&shape, 6, &random);
        if (i == 3)
            surface_flip_triangles(&shape, 0.2, &random);
        surface_collapse(&shape, 3, &random);
        add_rounded(&scene, shape);
        add_frame(&scene);
        for (int frame = 1; frame < 3; frame++) {
            surface_bend(&scene.bodies[0].shape, 0.1, &random);
            round_positions(&scene.bodies[0].shape);
            add_frame(&scene);
        }
        show(&scene, visit);
    }
}

// Larger, so that trees have some depth, several tasks find work and answers have many blocks.
static void cloth_over_blocks(void (*visit)(const golden_scene *scene))
{
    snag__random random = {107};
    golden_scene scene;
    snag_shape sheet, ball, block;
    open_scene(&scene, "cloth-over-blocks", GOLDEN_MOST);
    assert_int_equal(snag_shape_sheet(40, 40, 2, 2, &sheet), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(3, 0.5, &ball), SNAG_OK);
    assert_int_equal(snag_shape_block(8, 8, 4, 0.125, &block), SNAG_OK);
    snag_shape_transform(&block, 1, -0.6, -0.5, 0.1);
    add_rounded(&scene, sheet);
    add_rounded(&scene, ball);
    add_rounded(&scene, block);
    surface_bend(&scene.bodies[0].shape, 0.2, &random);
    for (int frame = 0; frame < 4; frame++) {
        for (size_t b = 0; b < 3; b++) {
            if (b != 1)
                surface_bend(&scene.bodies[b].shape, 0.05, &random);
            round_positions(&scene.bodies[b].shape);
        }
        add_frame(&scene);
    }
    show(&scene, visit);
}

void golden_made_scenes(void (*visit)(const golden_scene *scene))
{
    soups(visit);
    extremes(visit);
    hard_pairs(visit);
    sheets_and_block(SNAG_F64, visit);
    sheets_and_block(SNAG_F32, visit);
    many_bodies(visit);
    odd_surfaces(visit);
    cloth_over_blocks(visit);
}

// ---- files ----

typedef struct file_scene {
    const char *name;
    const char *mesh;
    const char *second;  // a second mesh: other bodies, or with `moves` the next frame of the same ones
    const char *cache;  // frames of the first body
    uint32_t first, frames, stride;
    golden_depth depth;
    bool moves;
    uint32_t questions;
} file_scene;

#define SURFACE (QUESTION(SNAG_INTERSECTIONS) | QUESTION(SNAG_PROXIMITIES))
#define MOVING (SURFACE | QUESTION(SNAG_IMPACTS))
#define BODIES (MOVING | QUESTION(SNAG_DISTANCE) | QUESTION(SNAG_OVERLAPS))
#define VOLUME (QUESTION(SNAG_PENETRATIONS) | QUESTION(SNAG_INTERSECTIONS))
static const file_scene file_scenes[] = {
    {"twin", "self_int/Generic_Twin_7081_right.obj", .depth = GOLDEN_CORE, .questions = QUESTION(SNAG_INTERSECTIONS)},
    {"dress", "self_int/dress-v7k-f14k.obj", .depth = GOLDEN_CORE, .questions = SURFACE},
    {"klein-bottle", "self_int/klein_bottle_blocky.obj", .depth = GOLDEN_CORE, .questions = SURFACE},
    {"pocket-stl", "self_int/octagonal_pocket.stl", .depth = GOLDEN_CORE, .questions = SURFACE},
    {"openscad", "self_int/openscad-nonmanifold-crash.obj", .depth = GOLDEN_MOST, .questions = QUESTION(SNAG_INTERSECTIONS)},
    {"self-a", "self_int/self_intersectA.obj", .depth = GOLDEN_CORE, .questions = SURFACE},
    {"self-b", "self_int/self_intersectB.obj", .depth = GOLDEN_CORE, .questions = SURFACE},
    {"tshirt-folded", "self_int/tshirt1900-biFolded.obj", .depth = GOLDEN_MOST, .questions = SURFACE},
    {"cubes", "self_int/two-cubes-intersecting.ply", .depth = GOLDEN_MOST, .questions = SURFACE},
    {"spheres", "self_int/two_spheres.obj", .depth = GOLDEN_MOST, .questions = BODIES},
    {"rob-env", "mesh_mesh/rob.obj", "mesh_mesh/env.obj", .depth = GOLDEN_MOST,
     .questions = QUESTION(SNAG_INTERSECTIONS) | QUESTION(SNAG_DISTANCE) | QUESTION(SNAG_OVERLAPS)},
    {"four-cubes", "self_int/two-cubes-intersecting.ply", "clean/two-cubes-close.ply", .depth = GOLDEN_MOST, .questions = BODIES},
    {"armadillo", "tets/armadillo_4k.node", "tets/cow_head.msh", .depth = GOLDEN_CORE, .questions = VOLUME},
    {"banana-link", "tets/banana.vtk", "tets/link.msh", .depth = GOLDEN_CORE, .questions = VOLUME},
    {"ditto", "tets/ditto.vtk", "self_int/two-cubes-intersecting.ply", .depth = GOLDEN_CORE, .questions = VOLUME},
    {"bridge", "tets/archbridge.mesh", .depth = GOLDEN_CORE, .questions = VOLUME},
    {"sphere12k", "tets/sphere12K.vtk", .depth = GOLDEN_CORE, .questions = VOLUME},
    {"fox-run", "sequences/Fox/Fox_Run.obj", .cache = "sequences/Fox/Fox_Run.pc2", .frames = 4, .stride = 1, .depth = GOLDEN_MOST,
     .questions = MOVING},
    {"rigged-figure", "sequences/RiggedFigure/RiggedFigure_anim0.obj", .cache = "sequences/RiggedFigure/RiggedFigure_anim0.pc2",
     .frames = 4, .stride = 2, .depth = GOLDEN_MOST, .questions = MOVING},
    {"thick-cloth", "sequences/thick-cloth/t0.ply", "sequences/thick-cloth/t1.ply", .depth = GOLDEN_MOST, .moves = true,
     .questions = MOVING},
    {"tshirt", "sequences/tshirt_iter2/60.obj", .cache = "sequences/tshirt_iter2/tshirt_iter2.pc2", .frames = 4, .stride = 1,
     .depth = GOLDEN_MOST, .questions = MOVING},
    {"wolf", "sequences/wolf_poses/wolf-1.obj", .cache = "sequences/wolf_poses/wolf_poses.pc2", .frames = 2, .stride = 1,
     .depth = GOLDEN_CORE, .questions = SURFACE},
    {"cloth-ball-92", "ccd_scenes/cloth-ball/frames/cloth_ball92.ply", "ccd_scenes/cloth-ball/frames/cloth_ball93.ply",
     .depth = GOLDEN_CORE, .moves = true, .questions = MOVING},
    {"cloth-funnel-227", "ccd_scenes/cloth-funnel/frames/227.ply", "ccd_scenes/cloth-funnel/frames/228.ply", .depth = GOLDEN_CORE,
     .moves = true, .questions = MOVING},
    {"rod-twist-3036", "ccd_scenes/rod-twist/frames/3036.ply", "ccd_scenes/rod-twist/frames/3037.ply", .depth = GOLDEN_CORE,
     .moves = true, .questions = MOVING},
    {"hopf", "clean/hopf.obj", "clean/borromean.obj", .depth = GOLDEN_CORE,
     .questions = QUESTION(SNAG_DISTANCE) | QUESTION(SNAG_OVERLAPS) | QUESTION(SNAG_INTERSECTIONS)},
};

static void read_mesh(const char *folder, const char *path, snag_io_mesh *mesh)
{
    char full[1024];
    snag_io_error error;
    snprintf(full, sizeof full, "%s/%s", folder, path);
    if (snag_io_read_mesh(full, mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
}

static void add_mesh_bodies(golden_scene *scene, const snag_io_mesh *mesh)
{
    for (size_t i = 0; i < mesh->body_count && scene->body_count < GOLDEN_BODIES; i++)
        scene->bodies[scene->body_count++] = (golden_body){.io = &mesh->bodies[i], .vertex_count = mesh->bodies[i].vertex_count};
}

static void add_mesh_frame(golden_scene *scene, const snag_io_mesh *next)
{
    double *x = new_frame(scene);
    for (size_t i = 0; i < scene->body_count; x += 3 * scene->bodies[i++].vertex_count) {
        const double *from = next ? next->bodies[i].positions : scene->bodies[i].io->positions;
        memcpy(x, from, 3 * scene->bodies[i].vertex_count * sizeof *x);
    }
}

static void add_cache_frames(golden_scene *scene, const char *folder, const file_scene *file)
{
    char full[1024];
    snag_io_error error;
    snag_io_cache *cache = NULL;
    snprintf(full, sizeof full, "%s/%s", folder, file->cache);
    if (snag_io_cache_open(full, &cache, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    size_t count = snag_io_cache_vertex_count(cache);
    assert_int_equal(count, scene->bodies[0].vertex_count);
    float *xyz = malloc(3 * count * sizeof *xyz);
    for (uint32_t i = 0; i < file->frames; i++) {
        assert_int_equal(snag_io_cache_read(cache, file->first + (size_t)i * file->stride, xyz, &error), SNAG_OK);
        double *x = new_frame(scene);
        for (size_t k = 0; k < 3 * count; k++)
            x[k] = xyz[k];
    }
    free(xyz);
    snag_io_cache_close(cache);
}

static void show_files(const char *folder, const file_scene *file, void (*visit)(const golden_scene *scene))
{
    golden_scene scene;
    char name[64];
    snprintf(name, sizeof name, "data/%s", file->name);
    open_scene(&scene, name, file->depth);
    scene.questions = file->questions;
    scene.near = 1.0 / 32;
    read_mesh(folder, file->mesh, &scene.meshes[0]);
    if (file->second)
        read_mesh(folder, file->second, &scene.meshes[1]);
    add_mesh_bodies(&scene, &scene.meshes[0]);
    if (file->second && !file->moves)
        add_mesh_bodies(&scene, &scene.meshes[1]);
    if (file->cache)
        add_cache_frames(&scene, folder, file);
    else
        add_mesh_frame(&scene, NULL);
    if (file->moves)
        add_mesh_frame(&scene, &scene.meshes[1]);
    show(&scene, visit);
}

void golden_file_scenes(void (*visit)(const golden_scene *scene))
{
    const char *folder = getenv("SNAG_DATA");
    for (size_t i = 0; folder && i < sizeof file_scenes / sizeof *file_scenes; i++)
        show_files(folder, &file_scenes[i], visit);
}
