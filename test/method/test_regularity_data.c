// Regularity on real surfaces and sequences: its answers are those of kdop, which other tests compare with brute, byte
// for byte, of each frame and of the moves between neighbouring ones. A few frames of each scene; with SNAG_EVERY_FRAME
// set all of them, a line for each scene, and brute's answers beside it for as long as brute does not take more than
// ten seconds of a scene.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "snag/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Caches: the folder with one for each body, or one file; NULL: the mesh does not move. Frames: as many as a test has
// time for.
typedef struct real_scene {
    const char *mesh, *caches;
    size_t frames;
} real_scene;

static const real_scene real_scenes[] = {
    {"clean/borromean.obj", NULL, 1},
    {"clean/doubletorus10k.obj", NULL, 1},
    {"clean/hopf.obj", NULL, 1},
    {"clean/two-cubes-close.ply", NULL, 1},
    {"mesh_mesh/env.obj", NULL, 1},
    {"mesh_mesh/rob.obj", NULL, 1},
    {"self_int/Generic_Twin_7081_right.obj", NULL, 1},
    {"self_int/dress-v7k-f14k.obj", NULL, 1},
    {"self_int/klein_bottle_blocky.obj", NULL, 1},
    {"self_int/octagonal_pocket.stl", NULL, 1},
    {"self_int/openscad-nonmanifold-crash.obj", NULL, 1},
    {"self_int/self_intersectA.obj", NULL, 1},
    {"self_int/self_intersectB.obj", NULL, 1},
    {"self_int/tshirt1900-biFolded.obj", NULL, 1},
    {"self_int/two-cubes-intersecting.ply", NULL, 1},
    {"self_int/two_spheres.obj", NULL, 1},
    {"ccd_scenes/cloth-ball/frames/cloth_ball92.ply", NULL, 1},
    {"ccd_scenes/cloth-ball/frames/cloth_ball93.ply", NULL, 1},
    {"ccd_scenes/cloth-funnel/frames/227.ply", NULL, 1},
    {"ccd_scenes/cloth-funnel/frames/228.ply", NULL, 1},
    {"ccd_scenes/rod-twist/frames/3036.ply", NULL, 1},
    {"ccd_scenes/rod-twist/frames/3037.ply", NULL, 1},
    {"sequences/Fox/Fox_Run.obj", "sequences/Fox/Fox_Run.pc2", 99},
    {"sequences/Fox/Fox_Survey.obj", "sequences/Fox/Fox_Survey.pc2", 99},
    {"sequences/RiggedFigure/RiggedFigure_anim0.obj", "sequences/RiggedFigure/RiggedFigure_anim0.pc2", 99},
    {"sequences/thick-cloth/t0.ply", NULL, 1},
    {"sequences/thick-cloth/t1.ply", NULL, 1},
    {"sequences/tshirt_iter2/60.obj", "sequences/tshirt_iter2/tshirt_iter2.pc2", 30},
    {"sequences/wolf_poses/wolf-1.obj", "sequences/wolf_poses/wolf_poses.pc2", 9},
    {"blender/cloth-drape/mesh_00.obj", "blender/cloth-drape", 3},
    {"blender/cloth-drape-noself/mesh_00.obj", "blender/cloth-drape-noself", 3},
    {"blender/cloth-twist/mesh_00.obj", "blender/cloth-twist", 3},
    {"blender/cloth-twist-noself/mesh_00.obj", "blender/cloth-twist-noself", 3},
    {"blender/dressed-figure/mesh_00.obj", "blender/dressed-figure", 3},
    {"blender/soft-pile/mesh_00.obj", "blender/soft-pile", 3},
    {"blender/soft-pile-sb/mesh_00.obj", "blender/soft-pile-sb", 3},
};

// Pairs of triangles that brute looks at for each scene and question, at most: some ten seconds of work.
static const double BRUTE_PAIRS = 1e10;

// What was seen of a scene.
typedef struct tally {
    size_t triangles, frames, frames_of_brute, contacts;
    double brute_pairs;
} tally;

static uint64_t hash_of(snag_world *world, snag_question question, snag_method method, size_t *contacts)
{
    any_question ask = any_default(question);
    ask.method = method;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    *contacts = answer->count;
    return scene_hash(answer);
}

static void compare(snag_world *world, snag_question question, bool with_brute, tally *sum)
{
    size_t contacts, same;
    uint64_t hash = hash_of(world, question, SNAG_METHOD_REGULARITY, &contacts);
    assert_true(hash_of(world, question, SNAG_METHOD_KDOP, &same) == hash && same == contacts);
    if (with_brute && sum->brute_pairs < BRUTE_PAIRS) {
        assert_true(hash_of(world, question, SNAG_METHOD_BRUTE, &same) == hash && same == contacts);
        sum->brute_pairs += 0.5 * (double)sum->triangles * (double)sum->triangles;
        sum->frames_of_brute++;
    }
    sum->contacts += contacts;
    sum->frames++;
}

// Where the caches of a scene's bodies are. Returns how many frames all of them have.
static size_t open_caches(const char *data, const real_scene *scene, const snag_io_mesh *mesh, snag_io_cache **caches)
{
    size_t frames = SIZE_MAX;
    for (size_t i = 0; i < mesh->body_count; i++) {
        char path[1024];
        snag_io_error error;
        bool folder = strstr(scene->caches, ".pc2") == NULL;
        snprintf(path, sizeof path, folder ? "%s/%s/%s.pc2" : "%s/%s", data, scene->caches, mesh->bodies[i].name);
        assert_int_equal(snag_io_cache_open(path, &caches[i], &error), SNAG_OK);
        size_t count = snag_io_cache_frame_count(caches[i]);
        frames = count < frames ? count : frames;
    }
    return frames;
}

static void move_to_frame(snag_world *world, snag_io_cache **caches, const snag_body_id *ids, size_t bodies, size_t frame)
{
    assert_int_equal(snag_world_begin_step(world), SNAG_OK);
    for (size_t i = 0; i < bodies; i++) {
        snag_io_error error;
        size_t count = snag_io_cache_vertex_count(caches[i]);
        float *xyz = malloc(3 * count * sizeof *xyz);
        assert_int_equal(snag_io_cache_read(caches[i], frame, xyz, &error), SNAG_OK);
        assert_int_equal(snag_world_move(world, ids[i], snag_positions_f32(xyz, count)), SNAG_OK);
        free(xyz);
    }
}

static tally compare_scene(const char *data, const real_scene *scene, snag_question question, bool every_frame)
{
    char path[1024];
    snag_io_mesh mesh;
    snag_io_error error;
    tally sum = {0};
    snprintf(path, sizeof path, "%s/%s", data, scene->mesh);
    assert_int_equal(snag_io_read_mesh(path, &mesh, &error), SNAG_OK);
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id *ids = malloc((mesh.body_count + 1) * sizeof *ids);
    snag_io_cache **caches = calloc(mesh.body_count + 1, sizeof(snag_io_cache *));
    for (size_t b = 0; b < mesh.body_count; b++) {
        snag_body_info info;
        assert_int_equal(snag_io_add_body(world, &mesh.bodies[b], &ids[b]), SNAG_OK);
        assert_int_equal(snag_world_body(world, ids[b], &info), SNAG_OK);
        sum.triangles += info.triangle_count;
    }
    // A move leads from its frame to the next.
    size_t all = scene->caches != NULL ? open_caches(data, scene, &mesh, caches) : 1, step = question == SNAG_IMPACTS;
    size_t most = step && scene->frames > 2 ? 2 : scene->frames;
    all -= step;
    size_t frames = every_frame || all < most ? all : most;
    for (size_t frame = 0; frame < frames; frame++) {
        // From the first to the last, evenly.
        size_t chosen = frames > 1 ? frame * (all - 1) / (frames - 1) : 0;
        for (size_t k = 0; scene->caches != NULL && k <= step; k++)
            move_to_frame(world, caches, ids, mesh.body_count, chosen + k);
        compare(world, question, every_frame, &sum);
    }
    for (size_t b = 0; scene->caches != NULL && b < mesh.body_count; b++)
        snag_io_cache_close(caches[b]);
    free(caches);
    free(ids);
    snag_world_destroy(world);
    snag_io_mesh_free(&mesh);
    return sum;
}

static const char *data_folder(void)
{
    const char *data = getenv("SNAG_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/GROUND_TRUTH.md", data != NULL ? data : "");
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        print_message("SNAG_DATA does not lead to the data: this test is skipped\n");
        skip();
    }
    fclose(file);
    return data;
}

// All scenes, or those that move.
static size_t compare_scenes(snag_question question)
{
    const char *data = data_folder();
    bool every_frame = getenv("SNAG_EVERY_FRAME") != NULL;
    size_t contacts = 0, frames = 0;
    for (size_t i = 0; i < sizeof real_scenes / sizeof *real_scenes; i++) {
        if (question == SNAG_IMPACTS && real_scenes[i].caches == NULL)
            continue;
        tally sum = compare_scene(data, &real_scenes[i], question, every_frame);
        if (every_frame)
            print_message("%-48s %7zu triangles %4zu %s as kdop, %4zu of them as brute, %9zu contacts\n", real_scenes[i].mesh,
                          sum.triangles, sum.frames, question == SNAG_IMPACTS ? "moves" : "frames", sum.frames_of_brute,
                          sum.contacts);
        contacts += sum.contacts;
        frames += sum.frames;
    }
    if (every_frame)
        print_message("%zu frames, %zu contacts\n", frames, contacts);
    return contacts;
}

static void every_surface_and_sequence_of_the_data(void **state)
{
    (void)state;
    assert_true(compare_scenes(SNAG_INTERSECTIONS) > 10000);
}

static void moves_between_frames_of_every_sequence_of_the_data(void **state)
{
    (void)state;
    assert_true(compare_scenes(SNAG_IMPACTS) > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_surface_and_sequence_of_the_data),
        cmocka_unit_test(moves_between_frames_of_every_sequence_of_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
