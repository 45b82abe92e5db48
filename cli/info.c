// snag info: describes meshes and their defects; without an input, this build.
#include "common/any_question.h"
#include "contacts.h"
#include "hints.h"
#include "json.h"
#include "skipped.h"
#include "snag/sim.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

// All issues are counted, and the first few of each kind are listed.
#define ISSUES_NAMED 8
#define ISSUE_BYTES 80

typedef struct info {
    const options *o;
    words *w;
    scene scene;
    snag_world *world;
    contact_list list;  // for element numbers
} info;

// ---- the build -----------------------------------------------------------------------------------------------------

static void print_build_json(const info *n, json *j)
{
    json_text(j, "snag", snag_version());
    json_count(j, "threads", snag_world_threads(n->world));
    json_text(j, "instruction_set", snag_isa_name(snag_world_isa(n->world)));
}

static void print_abilities_json(json *j)
{
    json_object(j, "methods");
    for (int m = SNAG_METHOD_AUTO; m < SNAG_METHOD_COUNT; m++) {
        json_flat_array(j, snag_method_name((snag_method)m));
        for (int q = 0; q < SNAG_QUESTION_COUNT; q++)
            if (snag_method_answers((snag_method)m, (snag_question)q))
                json_text(j, NULL, snag_question_name((snag_question)q));
        json_close_array(j);
    }
    json_close_object(j);
    json_flat_array(j, "scenes");
    for (size_t i = 0; snag_sim_scene_name(i); i++)
        json_text(j, NULL, snag_sim_scene_name(i));
    json_close_array(j);
}

static void print_build(const info *n)
{
    printf("snag %s, %u thread%s, instruction set %s\n\n", snag_version(), snag_world_threads(n->world),
           snag_world_threads(n->world) == 1 ? "" : "s", snag_isa_name(snag_world_isa(n->world)));
    printf("%-14s methods\n", "question");
    for (int q = 0; q < SNAG_QUESTION_COUNT; q++) {
        printf("%-14s", snag_question_name((snag_question)q));
        bool any = false;
        for (int m = SNAG_METHOD_AUTO + 1; m < SNAG_METHOD_COUNT; m++)
            if (snag_method_answers((snag_method)m, (snag_question)q)) {
                printf(" %s", snag_method_name((snag_method)m));
                any = true;
            }
        puts(any ? "" : " none yet");
    }
    puts("\ndemo scenes");
    for (size_t i = 0; snag_sim_scene_name(i); i++)
        printf("%-14s %s\n", snag_sim_scene_name(i), snag_sim_scene_words(i));
}

// ---- sphere trees and files of blocks ------------------------------------------------------------------------------

// Overlap partners tested per body: enough to build a typical tree. Testing all pairs would take quadratic time.
#define MOST_MET 8

static bool has_met_few(void *context, snag_body_id a, snag_body_id b)
{
    uint8_t *met = context;
    if (met[a.index] >= MOST_MET || met[b.index] >= MOST_MET)
        return false;
    met[a.index]++;
    met[b.index]++;
    return true;
}

// Asks for overlaps so that `spheres` builds its tree for each body. The pairs of spheres are not listed: there may be thousands
// per sphere.
static int ask_overlaps(const info *n)
{
    uint32_t highest = 0;
    for (size_t i = 0; i < n->scene.body_count; i++)
        if (scene_is_thin(&n->scene.bodies[i]))
            return EXIT_CLEAN;  // `spheres` does not know rods and points
    for (size_t i = 0; i < n->scene.body_count; i++)
        if (n->scene.bodies[i].id.index > highest)
            highest = n->scene.bodies[i].id.index;
    uint8_t *met = calloc((size_t)highest + 1, 1);
    if (!met)
        return words_out_of_memory(n->w);
    any_question ask = any_default(SNAG_OVERLAPS);
    ask.method = SNAG_METHOD_SPHERES;
    const snag_answer *answer;
    ask.candidates = true;
    ask.filter = has_met_few;
    ask.context = met;
    snag_status status = any_ask(n->world, &ask, &answer);
    free(met);
    return status == SNAG_OK ? EXIT_CLEAN : words_error(n->w, "%s", snag_world_message(n->world));
}

static snag_tree_info tree_of(const info *n, size_t i)
{
    snag_tree_info tree = {0};
    snag_world_tree(n->world, n->scene.bodies[i].id, &tree);
    return tree;
}

static int describe_chunked(const options *o, words *w)
{
    snag_io_chunked *file = NULL;
    snag_io_error error;
    if (o->inputs.count > 1)
        return words_error(w, "give a .snag file alone, not among %zu inputs", o->inputs.count);
    if (snag_io_chunked_open(o->inputs.items[0], &file, &error) != SNAG_OK)
        return words_error(w, "%s", error.message);
    snag_io_chunked_info about = snag_io_chunked_describe(file);
    size_t resident = about.block_count * (sizeof(snag_surface_block) + 2 * sizeof(uint64_t));
    if (o->json) {
        json j;
        json_begin(&j, stdout);
        json_object(&j, NULL);
        json_text(&j, "snag", snag_version());
        json_text(&j, "file", o->inputs.items[0]);
        json_count(&j, "triangles", about.triangle_count);
        json_count(&j, "blocks", about.block_count);
        json_count(&j, "bytes", (size_t)about.file_bytes);
        json_count(&j, "resident_bytes", resident);
        json_close_object(&j);
        json_end(&j);
    } else {
        words_put(stdout, o->inputs.items[0], 0);
        printf("\n  on disk    %zu triangles in %zu blocks, %llu bytes\n    in memory  %zu bytes: the block table\n",
               about.triangle_count, about.block_count, (unsigned long long)about.file_bytes, resident);
    }
    snag_io_chunked_close(file);
    return EXIT_CLEAN;
}

// ---- a body --------------------------------------------------------------------------------------------------------

// The element of an issue, and for a duplicate also the original.
static void issue_text(const contact_body *body, const snag_mesh_issue *issue, char *text, size_t size)
{
    element_text element = contacts_element(contacts_number(body, &issue->element));
    if (issue->kind != SNAG_ISSUE_DUPLICATE_TRIANGLE && issue->kind != SNAG_ISSUE_DUPLICATE_TET) {
        snprintf(text, size, "%s", element.text);
        return;
    }
    snag_element other = {issue->element.kind, issue->other, {0, 0}};
    snprintf(text, size, "%s=%s", element.text, contacts_element(contacts_number(body, &other)).text);
}

static size_t first_issue(const snag_mesh_report *report, int kind)
{
    size_t at = 0;
    while (at < report->issue_count && (int)report->issues[at].kind != kind)
        at++;
    return at;
}

// The next issue of a kind, counted up in `at`, that is not of the same cell as the last one: tetrahedra of a cell that was cut have one name.
static bool next_issue(const contact_body *body, const snag_mesh_report *report, int kind, size_t *at, char text[ISSUE_BYTES])
{
    char last[ISSUE_BYTES];
    memcpy(last, text, sizeof last);
    while (*at < report->issue_count && (int)report->issues[*at].kind == kind) {
        issue_text(body, &report->issues[(*at)++], text, ISSUE_BYTES);
        if (strcmp(text, last) != 0)
            return true;
    }
    return false;
}

static void print_issues_json(json *j, const contact_body *body, const snag_mesh_report *report)
{
    json_array(j, "issues");
    for (int kind = 0; kind < SNAG_ISSUE_KIND_COUNT; kind++) {
        if (report->counts[kind] == 0)
            continue;
        json_flat_object(j, NULL);
        json_text(j, "kind", snag_mesh_issue_name((snag_mesh_issue_kind)kind));
        json_count(j, "count", report->counts[kind]);
        json_array(j, "first");
        size_t at = first_issue(report, kind);
        char text[ISSUE_BYTES] = "";
        for (size_t i = 0; i < ISSUES_NAMED && next_issue(body, report, kind, &at, text); i++)
            json_text(j, NULL, text);
        json_close_array(j);
        json_close_object(j);
    }
    json_close_array(j);
}

static void print_body_json(const info *n, json *j, size_t i, const snag_mesh_report *report)
{
    const scene_body *body = &n->scene.bodies[i];
    json_object(j, NULL);
    json_text(j, "name", body->name);
    json_text(j, "file", n->scene.files[body->file].path);
    json_count(j, "vertices", body->info.vertex_count);
    json_count(j, "faces", body->source->polygon_count);
    json_count(j, "triangles", body->info.triangle_count);
    json_count(j, "edges", body->info.edge_count);
    json_count(j, "tets", body->info.tet_count);
    json_count(j, "rods", body->info.rod_count);
    json_count(j, "points", body->info.point_count);
    json_point(j, "minimum", report->minimum);
    json_point(j, "maximum", report->maximum);
    json_number(j, "mean_edge", report->mean_edge);
    json_bool(j, "closed", report->closed);
    json_count(j, "boundary_edges", report->boundary_edges);
    json_count(j, "components", report->components);
    json_count(j, "tree_spheres", tree_of(n, i).node_count);
    json_count(j, "tree_bytes", tree_of(n, i).bytes);
    print_issues_json(j, &n->list.bodies[i], report);
    if (body->cache != SCENE_NONE)
        json_text(j, "cache", n->scene.caches[body->cache].path);
    json_close_object(j);
}

static void print_issues(const contact_body *body, const snag_mesh_report *report)
{
    if (report->issue_count == 0)
        puts("  issues     none");
    for (int kind = 0; kind < SNAG_ISSUE_KIND_COUNT; kind++) {
        if (report->counts[kind] == 0)
            continue;
        printf("  issue      %s: %zu (", snag_mesh_issue_name((snag_mesh_issue_kind)kind), report->counts[kind]);
        size_t at = first_issue(report, kind);
        char text[ISSUE_BYTES] = "";
        for (size_t i = 0; i < ISSUES_NAMED && next_issue(body, report, kind, &at, text); i++)
            printf("%s%s", i ? ", " : "", text);
        puts(next_issue(body, report, kind, &at, text) ? ", ...)" : ")");
    }
}

static int print_body(const info *n, size_t i, const snag_mesh_report *report)
{
    const scene *s = &n->scene;
    const scene_body *body = &s->bodies[i];
    const double *low = report->minimum, *high = report->maximum;
    words_put(stdout, body->name, 0);
    fputs("  (", stdout);
    words_put(stdout, s->files[body->file].path, 0);
    puts(")");
    printf("  elements   %zu vertices, %zu edges, ", body->info.vertex_count, body->info.edge_count);
    if (body->source->polygon_count != body->info.triangle_count && !body->info.tet_count)
        printf("%zu faces in ", body->source->polygon_count);
    printf("%zu triangles", body->info.triangle_count);
    if (body->info.tet_count)
        printf(" at the boundary of %zu tetrahedra", body->info.tet_count);
    if (body->info.rod_count || body->info.point_count)
        printf(", %zu rods, %zu points", body->info.rod_count, body->info.point_count);
    printf("\n  box        (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)\n", low[0], low[1], low[2], high[0], high[1], high[2]);
    printf("  mean edge  %.6g\n", report->mean_edge);
    printf("  shape      %s, %zu part%s", report->closed ? "closed" : "not closed", report->components,
           report->components == 1 ? "" : "s");
    if (report->boundary_edges)
        printf(", %zu boundary edge%s", report->boundary_edges, report->boundary_edges == 1 ? "" : "s");
    snag_tree_info tree = tree_of(n, i);
    printf("\n  spheres    %zu in the tree where bodies meet, %zu bytes in memory\n", tree.node_count, tree.bytes);
    print_issues(&n->list.bodies[i], report);
    body_hints hints;
    if (!hints_find(body, report->closed, &hints))
        return words_out_of_memory(n->w);
    if (hints.coincident && !n->o->weld)
        printf("  hint       %zu vertices stand exactly where another one stands; %s\n", hints.coincident,
               body->info.tet_count ? "join them in the program that made the mesh" : "--weld joins them");
    if (hints.inward)
        puts("  hint       its faces look inward; turn them if inside and outside matter");
    return EXIT_CLEAN;
}

static int print_bodies(const info *n, json *j)
{
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < n->scene.body_count && result == EXIT_CLEAN; i++) {
        const snag_mesh_report *report;
        if (snag_world_check(n->world, n->scene.bodies[i].id, &report) != SNAG_OK)
            return words_error(n->w, "%s: %s", n->scene.files[n->scene.bodies[i].file].path, snag_world_message(n->world));
        if (j)
            print_body_json(n, j, i, report);
        else
            result = print_body(n, i, report);
    }
    return result;
}

// ---- caches --------------------------------------------------------------------------------------------------------

static void print_moved_bodies(const scene *s, size_t cache)
{
    const char *before = ", moves ";
    for (size_t i = 0; i < s->body_count; i++)
        if (s->bodies[i].cache == cache) {
            fputs(before, stdout);
            words_put(stdout, s->bodies[i].name, 0);
            before = ", ";
        }
    putchar('\n');
}

static void print_caches(const scene *s)
{
    for (size_t i = 0; i < s->cache_count; i++) {
        const scene_cache *cache = &s->caches[i];
        words_put(stdout, cache->path, 0);
        printf("  %zu frame%s of %zu points", cache->frame_count, cache->frame_count == 1 ? "" : "s", cache->vertex_count);
        if (cache->held_count < cache->frame_count)
            printf(", truncated after %zu", cache->held_count);
        print_moved_bodies(s, i);
    }
    if (s->frame_path_count)
        printf("%zu frame%s, one file each; showing the first\n", s->frame_count, s->frame_count == 1 ? "" : "s");
}

static void print_caches_json(json *j, const scene *s)
{
    json_array(j, "caches");
    for (size_t i = 0; i < s->cache_count; i++) {
        const scene_cache *cache = &s->caches[i];
        json_flat_object(j, NULL);
        json_text(j, "file", cache->path);
        json_count(j, "frames", cache->frame_count);
        json_count(j, "whole_frames", cache->held_count);
        json_count(j, "vertices", cache->vertex_count);
        json_array(j, "bodies");
        for (size_t b = 0; b < s->body_count; b++)
            if (s->bodies[b].cache == i)
                json_text(j, NULL, s->bodies[b].name);
        json_close_array(j);
        json_close_object(j);
    }
    json_close_array(j);
    json_count(j, "frames", s->frame_count);
}

// ---- animations ----------------------------------------------------------------------------------------------------

static void print_animations(const scene *s)
{
    for (size_t i = 0; i < s->file_count; i++)
        for (size_t a = 0; s->files[i].motion && a < snag_io_motion_animation_count(s->files[i].motion); a++) {
            snag_io_animation animation = snag_io_motion_animation(s->files[i].motion, a);
            words_put(stdout, s->files[i].path, 0);
            fputs("  animation ", stdout);
            words_put(stdout, animation.name[0] ? animation.name : "unnamed", 0);
            printf(", %.4g s", animation.seconds);
            if (s->files[i].times)
                printf(", %zu frames", s->files[i].frame_count);
            else if (a == s->files[i].animation)
                printf(", %zu frames at %.4g per second", s->files[i].frame_count, s->files[i].rate);
            putchar('\n');
        }
}

static void print_animations_json(json *j, const scene *s)
{
    json_array(j, "animations");
    for (size_t i = 0; i < s->file_count; i++)
        for (size_t a = 0; s->files[i].motion && a < snag_io_motion_animation_count(s->files[i].motion); a++) {
            snag_io_animation animation = snag_io_motion_animation(s->files[i].motion, a);
            json_flat_object(j, NULL);
            json_text(j, "file", s->files[i].path);
            json_text(j, "name", animation.name);
            json_number(j, "seconds", animation.seconds);
            json_close_object(j);
        }
    json_close_array(j);
}

// ---- the verb ------------------------------------------------------------------------------------------------------

static int print_json(const info *n)
{
    json j;
    int result = EXIT_CLEAN;
    json_begin(&j, stdout);
    json_object(&j, NULL);
    print_build_json(n, &j);
    if (n->o->inputs.count) {
        json_array(&j, "bodies");
        result = print_bodies(n, &j);
        json_close_array(&j);
        skipped_json(&j, &n->scene);
        print_caches_json(&j, &n->scene);
        print_animations_json(&j, &n->scene);
    } else {
        print_abilities_json(&j);
    }
    json_close_object(&j);
    json_end(&j);
    return result;
}

static int print_words(const info *n)
{
    if (n->o->inputs.count == 0) {
        print_build(n);
        return EXIT_CLEAN;
    }
    int result = print_bodies(n, NULL);
    skipped_print(stdout, &n->scene);
    if (result == EXIT_CLEAN)
        print_caches(&n->scene);
    print_animations(&n->scene);
    return result;
}

static int open_inputs(info *n)
{
    int result = scene_open(n->o, true, n->w, &n->scene);
    if (result == EXIT_CLEAN)
        result = scene_add(&n->scene, n->o, n->world, n->w);
    if (result == EXIT_CLEAN)
        result = scene_go(&n->scene, n->world, 0, true, n->w);
    if (result != EXIT_CLEAN)
        return result;
    hints_note_sizes(&n->scene, n->w);
    if (!contacts_begin_scene(&n->list, &n->scene))
        return words_out_of_memory(n->w);
    result = hints_note_twins(&n->scene, n->w);
    return result == EXIT_CLEAN ? ask_overlaps(n) : result;
}

int verb_info(const options *o, words *w)
{
    if (o->inputs.count && scene_is_chunked(o->inputs.items[0]))
        return describe_chunked(o, w);
    info n = {.o = o, .w = w};
    int result = scene_create_world(o, &n.world, w);
    if (result == EXIT_CLEAN && o->inputs.count)
        result = open_inputs(&n);
    if (result == EXIT_CLEAN)
        result = o->json ? print_json(&n) : print_words(&n);
    contacts_free(&n.list);
    scene_close(&n.scene);
    snag_world_destroy(n.world);
    return result;
}
