// Occlusion queries against exact arithmetic on the surfaces of the data folder, in every format that is read, at rest and at the
// beginning, in the middle and at the end of their motions.
//     SNAG_DATA=FOLDER SNAG_GL_ALL=1 test_gl_data_gpu
// looks at all of them and prints a line for each file; without SNAG_GL_ALL at the small ones, and not as deep.
#define _GNU_SOURCE  // strdup
#include "helpers/gl_judge.h"
#include "helpers/test.h"
#include "snag/io.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 600 };  // triangles that every run has the time for

typedef struct file {
    char *path;
    bool used;
} file;

typedef struct survey {
    gl_judge judge;
    snag__random random;
    const char *root;
    bool all;
    file *files;
    size_t file_count;
    gl_score total;
    size_t surfaces, triangles, total_surfaces;  // of this file, and of all
    bool good;
} survey;

// ---- files below a folder ----

static void add_path(survey *s, const char *folder, const char *name)
{
    s->files = realloc(s->files, (s->file_count + 1) * sizeof *s->files);
    assert_non_null(s->files);
    file *f = &s->files[s->file_count++];
    *f = (file){.path = malloc(strlen(folder) + strlen(name) + 2)};
    assert_non_null(f->path);
    sprintf(f->path, "%s%s%s", folder, name[0] != 0 ? "/" : "", name);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const file *)a)->path, ((const file *)b)->path);
}

// Folders stay in the list: they are files that nothing reads.
static void list_files(survey *s)
{
    add_path(s, s->root, "");
    for (size_t i = 0; i < s->file_count; i++) {
        DIR *folder = opendir(s->files[i].path);
        for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
            if (entry->d_name[0] != '.')
                add_path(s, s->files[i].path, entry->d_name);
        if (folder != NULL)
            closedir(folder);
    }
    qsort(s->files, s->file_count, sizeof *s->files, by_path);
}

static void free_files(survey *s)
{
    for (size_t i = 0; i < s->file_count; i++)
        free(s->files[i].path);
    free(s->files);
}

// ---- surfaces ----

static void look_at(survey *s, const snag_body_info *body, const double *positions)
{
    if (body->triangle_count == 0 || (!s->all && body->triangle_count > SMALL))
        return;
    snag__sphere_geometry geometry = {(const double(*)[3])(const void *)positions,
                                      (const uint32_t(*)[3])(const void *)body->triangles, (uint32_t)body->triangle_count};
    static const gl_branches few = {.whole = 1, .branches = 1, .depth = 4}, many = {.whole = 3, .branches = 24, .depth = 6};
    gl_judge_tree(&s->judge, &geometry, s->all ? many : few, &s->random);
    s->surfaces++;
    s->triangles += body->triangle_count;
}

// First, middle and last frame.
static void look_at_cache(survey *s, const char *path, const snag_body_info *body)
{
    snag_io_cache *cache = NULL;
    assert_int_equal(snag_io_cache_open(path, &cache, NULL), SNAG_OK);
    size_t frames = snag_io_cache_frame_count(cache), count = 3 * snag_io_cache_vertex_count(cache);
    const size_t wanted[3] = {0, frames / 2, frames - 1};
    float *read = malloc((count + 1) * sizeof *read);
    double *positions = malloc((count + 1) * sizeof *positions);
    assert_true(read != NULL && positions != NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(snag_io_cache_read(cache, wanted[i], read, NULL), SNAG_OK);
        for (size_t k = 0; k < count; k++)
            positions[k] = (double)read[k];
        look_at(s, body, positions);
    }
    free(read);
    free(positions);
    snag_io_cache_close(cache);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// A cache beside the mesh that has the body's name, or is about as many vertices as the only body.
static bool moves(const char *cache_path, const char *mesh_path, const snag_io_mesh *mesh, const snag_io_body *body)
{
    const char *name = name_of(cache_path), *ending = strrchr(name, '.');
    size_t folder = (size_t)(name - cache_path);
    if (strncmp(cache_path, mesh_path, folder) != 0 || strchr(mesh_path + folder, '/') != NULL)
        return false;
    snag_io_cache *cache = NULL;
    if (snag_io_cache_open(cache_path, &cache, NULL) != SNAG_OK)
        return false;
    bool fits = snag_io_cache_vertex_count(cache) == body->vertex_count;
    snag_io_cache_close(cache);
    size_t length = (size_t)(ending - name);
    bool named = strlen(body->name) == length && strncmp(body->name, name, length) == 0;
    return fits && (named || mesh->body_count == 1);
}

static void look_at_body(survey *s, const char *path, const snag_io_mesh *mesh, const snag_io_body *body,
                         const snag_body_info *info)
{
    look_at(s, info, body->positions);
    for (size_t i = 0; i < s->file_count; i++)
        if (snag_io_is_cache(s->files[i].path) && moves(s->files[i].path, path, mesh, body)) {
            look_at_cache(s, s->files[i].path, info);
            s->files[i].used = true;
        }
}

// What moves by itself: the beginning, the middle and the end of each animation.
static void look_at_motion(survey *s, snag_io_motion *motion, size_t body, const snag_body_info *info)
{
    const snag_io_mesh *mesh = snag_io_motion_mesh(motion);
    double *positions = malloc((3 * mesh->bodies[body].vertex_count + 1) * sizeof *positions);
    assert_non_null(positions);
    for (size_t a = 0; a < snag_io_motion_animation_count(motion); a++)
        for (int i = 0; i < 3; i++) {
            double seconds = snag_io_motion_animation(motion, a).seconds;
            assert_int_equal(snag_io_motion_pose(motion, a, 0.5 * i * seconds, NULL), SNAG_OK);
            assert_int_equal(snag_io_motion_positions(motion, body, positions, NULL), SNAG_OK);
            look_at(s, info, positions);
        }
    free(positions);
}

// Bodies with the triangles that the world sees: polygons are split, and volumes have a boundary.
static void look_at_bodies(survey *s, const char *path, const snag_io_mesh *mesh, snag_io_motion *motion)
{
    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    assert_int_equal(snag_world_create(&def, &world), SNAG_OK);
    for (size_t i = 0; i < mesh->body_count; i++) {
        snag_body_id id;
        snag_body_info info;
        assert_int_equal(snag_io_add_body(world, &mesh->bodies[i], &id), SNAG_OK);
        assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
        look_at_body(s, path, mesh, &mesh->bodies[i], &info);
        if (motion != NULL)
            look_at_motion(s, motion, i, &info);
    }
    snag_world_destroy(world);
}

static void look_at_file(survey *s, const char *path)
{
    snag_io_error error;
    snag_io_motion *motion = NULL;
    snag_io_mesh mesh = {0};
    s->judge.score = (gl_score){0};
    s->surfaces = s->triangles = 0;
    if (snag_io_is_motion(path) && snag_io_motion_open(path, &motion, &error) == SNAG_OK) {
        look_at_bodies(s, path, snag_io_motion_mesh(motion), motion);
        snag_io_motion_close(motion);
    } else if (snag_io_read_mesh(path, &mesh, &error) == SNAG_OK) {
        look_at_bodies(s, path, &mesh, NULL);
        snag_io_mesh_free(&mesh);
    } else {
        print_message("%s\n", error.message);
        s->good = false;
    }
    const gl_score *score = &s->judge.score;
    if (s->all)
        print_message("%-48s %3zu surfaces %8zu triangles %6zu nodes met %2zu missed %5.2f %% more\n", path + strlen(s->root) + 1,
                      s->surfaces, s->triangles, score->exact, score->missed, gl_extra_percent(score));
    s->total.exact += score->exact;
    s->total.missed += score->missed;
    s->total.extra += score->extra;
    s->total_surfaces += s->surfaces;
}

static void nodes_of_the_data_are_never_missed(void **state)
{
    (void)state;
    survey s = {.root = getenv("SNAG_DATA"), .all = getenv("SNAG_GL_ALL") != NULL, .random = {53}, .good = true};
    if (s.root == NULL) {
        print_message("skipped: SNAG_DATA names no folder of meshes\n");
        skip();
    }
    if (!gl_judge_begin(&s.judge))
        skip();
    list_files(&s);
    for (size_t i = 0; i < s.file_count; i++)
        if (snag_io_is_mesh(s.files[i].path) && !snag_io_is_companion(s.files[i].path))
            look_at_file(&s, s.files[i].path);
    for (size_t i = 0; i < s.file_count; i++)
        if (snag_io_is_cache(s.files[i].path) && !s.files[i].used) {
            print_message("%s moves no body beside it\n", s.files[i].path);
            s.good = false;
        }
    free_files(&s);
    gl_judge_end(&s.judge);
    print_message("%zu surfaces\n", s.total_surfaces);
    gl_assert_score(&s.total, "surfaces of the data", 10);
    assert_true(s.good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_of_the_data_are_never_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
