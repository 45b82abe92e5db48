// Compares snag with other libraries: which triangles of a moving surface intersect, or how far apart two bodies are. Times the
// whole step (update, search, exact test).
//
// All participants take turns on the same positions in one process. Before each measured step every participant is moved to the
// previous pose, so that none can find that nothing has moved. The answers are compared pair by pair before a time is printed.
// Prints median wall-clock and processor times, and the ratio to snag's kdop in the same round.
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/any_question.h"
#include "../cli/json.h"
#include "../cli/progress.h"
#include "measure.h"
#include "../surface_files.h"
#include "geom/geom.h"
#include "peer.h"
#include "peer_rows.h"
#include "proximity_check.h"
#include "refit.h"
#include "snag/io.h"
#include "tet_bench.h"

static const char usage[] =
    "usage: bench_peers [options] [MESH... | FOLDER | SCENE]\n"
    "\n"
    "Times snag and each peer that was installed when this was built, in turns: intersections; the distance of two bodies;\n"
    "proximities, of which the peers only list candidates; or penetrations, vertices in tetrahedra, on one thread.\n"
    "Several meshes, or the numbered meshes of a folder, are frames of one scene. SCENE is a built-in one and its size:\n"
    "sphere-10k, sheet-100k, cloth-ball-100k, cloth-twist-10k, ... Without input: frame 92 of cloth-ball in SNAG_DATA,\n"
    "reached from frame 93; without SNAG_DATA: sheet-100k; for distance: pair-100k; for penetrations: tets-100k (or another\n"
    "size, or A, B, C, D or E: the setups of the spatial hashing paper).\n"
    "\n"
    "  --question NAME   intersections, distance, proximities or penetrations [default: intersections]\n"
    "  --threads N[,N]   numbers of threads [default: 1,2]\n"
    "  --repeat N        repetitions of each step [default: 9]\n"
    "  --only NAME[,..]  only these peers (embree, embree-rebuild, cgal, cgal-mesh, fcl, bullet, gts)\n"
    "  --json FILE       write the rows there too\n"
    "\n"
    "Exit code: 0 all answers agree, 1 some differ, 2 error.\n";

// Number of k-DOP directions when the refit is measured alone.
#define REFIT_K 18

enum { MOST_WAYS = 16, MOST_TIMES = 4096, MOST_THREADS = 8 };

typedef struct request {
    snag_question question;
    uint32_t threads[MOST_THREADS];
    size_t thread_count;
    int repeats;
    const char *only, *json;
    const char **inputs;
    size_t input_count;
} request;

// One participant: snag, with or without contact details, or a peer.
typedef struct way {
    const char *name;
    const peer *peer;  // NULL: snag
    bool details;
    uint32_t threads;

    snag_world *world;
    snag_body_id *ids;
    void *state;
    size_t bytes;  // in use after the first step

    uint64_t *pairs;  // of the last step: lower triangle << 32 | higher
    size_t pair_count, pair_capacity, candidates;
    double distance;  // of the last step
    const snag_answer *answer;  // snag's, to proximities
    size_t missing, extra;  // compared with snag's, over all steps
    double wall[MOST_TIMES], cpu[MOST_TIMES], update[MOST_TIMES];
    size_t times;
} way;

typedef struct bench {
    const request *request;
    surface_scene scene;
    peer_mesh mesh;
    way *ways;
    size_t way_count;
    float (*boxes)[6];
    double limit[MOST_TIMES], refit_wall[MOST_TIMES], refit_cpu[MOST_TIMES];
    refit *refit;  // of snag's trees only
    progress progress;
    json json;
    FILE *json_file;
    bool differ;
} bench;

// ---- errors -------------------------------------------------------------------------------------------------------

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench_peers: %s\n", what);
    exit(2);
}

static void *must(void *memory)
{
    if (!memory)
        fail("out of memory");
    return memory;
}

// ---- snag ----------------------------------------------------------------------------------------------------------

static void must_succeed(const way *w, snag_status status)
{
    if (status != SNAG_OK)
        fail(w->world ? snag_world_message(w->world) : snag_status_name(status));
}

static void start_snag(bench *b, way *w)
{
    snag_world_def def = snag_default_world_def();
    def.threads = w->threads;
    must_succeed(w, snag_world_create(&def, &w->world));
    w->ids = must(calloc(b->scene.body_count, sizeof *w->ids));
    must_succeed(w, surface_scene_add(&b->scene, 0, w->world, w->ids));
}

static const snag_answer *ask_snag(const bench *b, way *w)
{
    any_question ask = any_default(b->request->question);
    ask.method = SNAG_METHOD_KDOP;
    // Without details the answer is as short as the peers'. A distance is one contact; its value is compared as a double.
    ask.output = w->details || ask.question == SNAG_DISTANCE ? SNAG_OUTPUT_CONTACTS : SNAG_OUTPUT_PAIRS;
    ask.distance = b->scene.distance;
    const snag_answer *answer = NULL;
    must_succeed(w, any_ask(w->world, &ask, &answer));
    return answer;
}

// ---- answers -------------------------------------------------------------------------------------------------------

static int by_pair(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void reserve_pairs(way *w, size_t count)
{
    if (count > w->pair_capacity) {
        free(w->pairs);
        w->pairs = must(malloc(count * sizeof *w->pairs));
        w->pair_capacity = count;
    }
    w->pair_count = count;
}

static void keep_pair(way *w, size_t i, uint64_t a, uint64_t b)
{
    w->pairs[i] = a < b ? a << 32 | b : b << 32 | a;
}

static size_t place_of(const bench *b, const way *w, uint32_t body)
{
    size_t i = 0;
    while (w->ids[i].index != body)
        i++;
    return b->scene.bodies[i].first_triangle;
}

static void keep_answer(const bench *b, way *w, const snag_answer *answer)
{
    if (answer->question == SNAG_DISTANCE) {
        w->distance = answer->count > 0 ? answer->contacts[0].value : 0;
        w->pair_count = answer->count;
        return;
    }
    if (answer->question == SNAG_PROXIMITIES) {
        w->answer = answer;
        w->candidates = answer->statistics->candidates;
        w->pair_count = answer->count;
        return;
    }
    reserve_pairs(w, answer->count);
    for (size_t i = 0; i < answer->count; i++) {
        if (answer->pairs != NULL) {
            const snag_pair *p = &answer->pairs[i];
            keep_pair(w, i, place_of(b, w, p->body_a) + p->a, place_of(b, w, p->body_b) + p->b);
        } else {
            const snag_contact *c = &answer->contacts[i];
            keep_pair(w, i, place_of(b, w, c->body_a.index) + c->a.index, place_of(b, w, c->body_b.index) + c->b.index);
        }
    }
    w->candidates = answer->statistics->candidates;
    qsort(w->pairs, w->pair_count, sizeof *w->pairs, by_pair);
}

static void keep_peer_answer(way *w, peer_answer found)
{
    if (w->peer->question == SNAG_DISTANCE) {
        w->distance = found.distance;
        w->pair_count = found.count;
        return;
    }
    reserve_pairs(w, found.count);
    for (size_t i = 0; i < found.count; i++)
        keep_pair(w, i, found.pairs[i][0], found.pairs[i][1]);
    w->candidates = found.candidates;
    qsort(w->pairs, w->pair_count, sizeof *w->pairs, by_pair);
}

// ---- differences ---------------------------------------------------------------------------------------------------

// Possible reasons for a disagreement on a pair: shared vertices, and how the triangles meet by snag's exact test.
static void describe_pair(const bench *b, uint64_t pair, char *text, size_t size)
{
    static const char *const meetings[] = {"apart", "crossing", "touching", "coplanar", "of zero area"};
    const uint32_t *va = b->mesh.triangles[pair >> 32], *vb = b->mesh.triangles[(uint32_t)pair];
    const double *a[3], *c[3];
    int shared = 0;
    for (int i = 0; i < 3; i++) {
        a[i] = b->mesh.positions[va[i]];
        c[i] = b->mesh.positions[vb[i]];
        for (int j = 0; j < 3; j++)
            shared += va[i] == vb[j];
    }
    snprintf(text, size, "%d shared vertices, %s", shared, meetings[snag__triangles_meet(a, va, c, vb)]);
}

static void print_difference(const bench *b, const way *w, const char *what, uint64_t pair, size_t count)
{
    enum { SHOWN = 5 };
    char how[64];
    describe_pair(b, pair, how, sizeof how);
    if (count < SHOWN)
        printf("    %s %s t%u t%u: %s\n", w->name, what, (uint32_t)(pair >> 32), (uint32_t)pair, how);
    else if (count == SHOWN)
        printf("    ... and more\n");
}

// Distances must agree up to rounding.
static void compare_distances(const way *snag, way *w)
{
    double most = 1e-9 * snag->distance;
    if (w->distance - snag->distance <= most && snag->distance - w->distance <= most)
        return;
    w->extra++;
    printf("    %s finds the distance %.17g, snag %.17g\n", w->name, w->distance, snag->distance);
}

static void compare_pairs(bench *b, const way *snag, way *w)
{
    size_t i = 0, j = 0;
    while (i < snag->pair_count || j < w->pair_count) {
        bool ours = j == w->pair_count || (i < snag->pair_count && snag->pairs[i] < w->pairs[j]);
        bool theirs = i == snag->pair_count || (j < w->pair_count && w->pairs[j] < snag->pairs[i]);
        if (ours)
            print_difference(b, w, "misses", snag->pairs[i], w->missing++);
        else if (theirs)
            print_difference(b, w, "adds", w->pairs[j], w->extra++);
        i += !theirs;
        j += !ours;
    }
}

static void compare(bench *b, way *w)
{
    const way *snag = &b->ways[0];
    if (b->request->question == SNAG_PROXIMITIES && w->peer)
        w->missing += proximity_check(&b->mesh, snag->world, snag->ids, snag->answer, w->pairs, w->pair_count, w->name);
    else if (b->request->question == SNAG_PROXIMITIES)
        w->missing += w->pair_count != snag->pair_count;
    else if (b->request->question == SNAG_DISTANCE)
        compare_distances(snag, w);
    else
        compare_pairs(b, snag, w);
    b->differ = b->differ || w->missing > 0 || w->extra > 0;
}

// ---- measuring -----------------------------------------------------------------------------------------------------

static void go_to(bench *b, size_t pose)
{
    b->mesh.positions = (const double(*)[3])b->scene.poses[pose];
}

// Moves one participant to a pose without timing it.
static void lead(bench *b, way *w, size_t pose)
{
    go_to(b, pose);
    if (w->peer) {
        w->peer->update(w->state);
        return;
    }
    must_succeed(w, surface_scene_move(&b->scene, pose, w->world, w->ids));
    ask_snag(b, w);
}

// Waits until threads that spin for more work have gone to sleep.
static void settle(void)
{
    usleep(3000);
}

static void measure(bench *b, way *w, size_t pose)
{
    lead(b, w, pose - 1);
    go_to(b, pose);
    settle();
    const snag_answer *answer = NULL;
    peer_answer found = {0};
    clockid_t clock = measure_clock(w->threads);
    double wall = measure_ms(CLOCK_MONOTONIC), cpu = measure_ms(CLOCK_PROCESS_CPUTIME_ID), begin = measure_ms(clock), update;
    if (w->peer) {
        w->peer->update(w->state);
        update = measure_ms(clock) - begin;
        found = w->peer->search(w->state);
    } else {
        must_succeed(w, surface_scene_move(&b->scene, pose, w->world, w->ids));
        update = measure_ms(clock) - begin;
        answer = ask_snag(b, w);
    }
    size_t i = w->times++;
    w->wall[i] = measure_ms(CLOCK_MONOTONIC) - wall;
    w->cpu[i] = measure_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    w->update[i] = update;
    if (answer)
        keep_answer(b, w, answer);
    else
        keep_peer_answer(w, found);
}

static bool start(bench *b, way *w)
{
    size_t before = peer_heap_bytes();
    go_to(b, 0);
    if (w->peer)
        w->state = w->peer->create(&b->mesh, w->threads);
    else
        start_snag(b, w);
    if (w->peer && !w->state)
        return false;
    if (w->peer)
        w->peer->search(w->state);
    else
        ask_snag(b, w);
    w->bytes = peer_heap_bytes() - before + (w->peer && w->peer->bytes ? w->peer->bytes(w->state) : 0);
    return true;
}

// Starts all participants; leaves out those that cannot take the mesh.
static void start_all(bench *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->way_count; i++) {
        if (start(b, &b->ways[i]))
            b->ways[kept++] = b->ways[i];
        else
            printf("%s cannot take this mesh\n", b->ways[i].name);
    }
    b->way_count = kept;
}

static void stop(way *w)
{
    if (w->peer)
        w->peer->destroy(w->state);
    snag_world_destroy(w->world);
    free(w->ids);
    free(w->pairs);
}

// Reads the previous pose first to warm the cache, as for all participants.
static void measure_limit(bench *b, size_t pose, size_t i)
{
    surface_scene_write_boxes(&b->scene, pose - 1, b->boxes);
    double cpu = measure_ms(CLOCK_PROCESS_CPUTIME_ID);
    surface_scene_write_boxes(&b->scene, pose, b->boxes);
    b->limit[i] = measure_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu;
}

static void measure_refit(bench *b, size_t pose, size_t i)
{
    if (!refit_move(b->refit, pose - 1) || !refit_run(b->refit) || !refit_move(b->refit, pose))
        fail("a refit failed");
    settle();
    double wall = measure_ms(CLOCK_MONOTONIC), cpu = measure_ms(CLOCK_PROCESS_CPUTIME_ID);
    if (!refit_run(b->refit))
        fail("a refit failed");
    b->refit_wall[i] = measure_ms(CLOCK_MONOTONIC) - wall;
    b->refit_cpu[i] = measure_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu;
}

static size_t measure_all(bench *b)
{
    size_t times = 0, steps = (size_t)b->request->repeats * (b->scene.pose_count - 1);
    words w = {.program = "bench_peers"};
    progress_begin(&b->progress, &w, "step", steps);
    for (int repeat = 0; repeat < b->request->repeats; repeat++)
        for (size_t pose = 1; pose < b->scene.pose_count && times < MOST_TIMES; pose++, times++) {
            measure_limit(b, pose, times);
            measure_refit(b, pose, times);
            for (size_t i = 0; i < b->way_count; i++) {
                progress_show(&b->progress, times, (double)i / (double)b->way_count);
                measure(b, &b->ways[i], pose);
                if (i > 0 && repeat == 0)
                    compare(b, &b->ways[i]);
            }
        }
    progress_end(&b->progress);
    return times;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static peer_row row_of(const bench *b, way *w, double limit, uint32_t run_threads)
{
    return (peer_row){
        .scene = b->scene.name,
        .elements = b->scene.triangle_count,
        .run_threads = run_threads,
        .question = snag_question_name(b->request->question),
        .method = w->name,
        .threads = w->threads,
        .wall = measure_median(w->wall, w->times),
        .cpu = measure_median(w->cpu, w->times),
        .update = measure_median(w->update, w->times),
        .limit = limit,
        .contacts = w->pair_count,
        .candidates = w->candidates,
        .bytes = w->bytes,
        .missing = w->missing,
        .extra = w->extra,
    };
}

// Candidates may include pairs that are not contacts, but must include all contacts.
static const char *judgement(const bench *b, const way *w)
{
    if (w->missing + w->extra > 0)
        return "differs";
    return b->request->question == SNAG_PROXIMITIES && w->peer ? "holds all" : "the same";
}

// The median of the ratios of times taken in turn: when the machine is slow for a while, it is slow for both.
static double ratio_of(const double *times, const double *to, size_t count)
{
    double ratios[MOST_TIMES];
    for (size_t i = 0; i < count; i++)
        ratios[i] = times[i] / to[i];
    return measure_median(ratios, count);
}

static void print_rows(bench *b, size_t times, uint32_t threads)
{
    printf("%-15s%8s%11s%11s%11s%11s%9s%9s%9s%8s  %s\n", "method", "threads", "wall ms", "cpu ms", "update ms", "candidates",
           "pairs", "wall /", "cpu /", "MB", "answer");
    double limit = measure_median(b->limit, times), wall[MOST_WAYS], cpu[MOST_WAYS];
    for (size_t i = 0; i < b->way_count; i++) {
        wall[i] = ratio_of(b->ways[i].wall, b->ways[0].wall, times);
        cpu[i] = ratio_of(b->ways[i].cpu, b->ways[0].cpu, times);
    }
    for (size_t i = 0; i < b->way_count; i++) {
        peer_row r = row_of(b, &b->ways[i], limit, threads);
        printf("%-15s%8u%11.3f%11.3f%11.3f%11zu%9zu%9.2f%9.2f%8.1f  %s\n", r.method, r.threads, r.wall, r.cpu, r.update,
               r.candidates, r.contacts, wall[i], cpu[i], 1e-6 * (double)r.bytes, judgement(b, &b->ways[i]));
        if (b->json_file)
            peer_row_write(&b->json, &r);
    }
    peer_row refit_row = {
        .scene = b->scene.name,
        .elements = b->scene.triangle_count,
        .run_threads = threads,
        .question = "refit",
        .method = "kdop",
        .threads = threads,
        .wall = measure_median(b->refit_wall, times),
        .cpu = measure_median(b->refit_cpu, times),
        .limit = limit,
    };
    if (b->json_file)
        peer_row_write(&b->json, &refit_row);
    printf("limit (reads triangles, writes boxes): %.3f ms; refit of snag's trees, k = %d, %u thread%s: wall %.3f ms, "
           "cpu %.3f ms, %.2f times the limit\n\n",
           limit, REFIT_K, threads, threads == 1 ? "" : "s", refit_row.wall, refit_row.cpu,
           (threads == 1 ? refit_row.cpu : refit_row.wall) / limit);
    fflush(stdout);
}

// ---- participants --------------------------------------------------------------------------------------------------

static bool peer_answers(const peer *p, snag_question question)
{
    return p->question == question || (question == SNAG_PROXIMITIES && p->candidates);
}

static void add_way(bench *b, const char *name, const peer *p, bool details, uint32_t threads)
{
    if (b->way_count == MOST_WAYS)
        fail("too many peers");
    b->ways[b->way_count++] = (way){.name = name, .peer = p, .details = details, .threads = threads};
}

static void add_ways(bench *b, uint32_t threads)
{
    add_way(b, "kdop", NULL, false, threads);
    add_way(b, "kdop-details", NULL, true, threads);
    if (threads > 1)
        add_way(b, "kdop-alone", NULL, false, 1);
    for (size_t i = 0; i < peer_table_count; i++)
        for (size_t k = 0; k < PEER_WAYS; k++) {
            const peer *p = peer_table[i].peers[k];
            if (p && peer_answers(p, b->request->question) && peer_is_wanted(b->request->only, p->name))
                add_way(b, p->name, p, false, p->threads ? threads : 1);
        }
}

static void print_peers(snag_question question)
{
    for (size_t i = 0; i < peer_table_count; i++) {
        if (!peer_table[i].peers[0])
            printf("left out: what %s brings was not installed when this was built\n", peer_table[i].package);
        for (size_t k = 0; k < PEER_WAYS; k++) {
            const peer *p = peer_table[i].peers[k];
            if (p && peer_answers(p, question))
                printf("%-15s%s: %s%s\n", p->name, p->version,
                       question == SNAG_PROXIMITIES ? "lists candidates only, without distances" : p->words,
                       p->threads ? "" : "; one thread only");
        }
    }
    printf("\n");
}

static void bench_threads(bench *b, uint32_t threads)
{
    b->ways = must(calloc(MOST_WAYS, sizeof *b->ways));
    b->way_count = 0;
    add_ways(b, threads);
    b->refit = must(refit_create(&b->scene, REFIT_K, threads));
    start_all(b);
    print_rows(b, measure_all(b), threads);
    refit_free(b->refit);
    for (size_t i = 0; i < b->way_count; i++)
        stop(&b->ways[i]);
    free(b->ways);
}

// ---- input ---------------------------------------------------------------------------------------------------------

static const char *next_text(int argc, char **argv, int *i)
{
    if (*i + 1 >= argc) {
        fprintf(stderr, "bench_peers: %s needs a value\n%s", argv[*i], usage);
        exit(2);
    }
    return argv[++*i];
}

static uint32_t number_of(const char *text, char **end)
{
    errno = 0;
    unsigned long value = strtoul(text, end, 10);
    if (*end == text || errno || value == 0 || value > 1024 || *text == '-')
        fail("numbers of threads and repetitions lie between 1 and 1024");
    return (uint32_t)value;
}

static void parse_threads(request *r, const char *text)
{
    r->thread_count = 0;
    for (char *end = NULL;; text = end + 1) {
        if (r->thread_count == MOST_THREADS)
            fail("too many numbers of threads");
        r->threads[r->thread_count++] = number_of(text, &end);
        if (*end != ',')
            return;
    }
}

static void parse_question(request *r, const char *text)
{
    if (!snag_question_from_name(text, &r->question) || (r->question != SNAG_INTERSECTIONS && r->question != SNAG_DISTANCE &&
                                                         r->question != SNAG_PROXIMITIES && r->question != SNAG_PENETRATIONS))
        fail("the question is intersections, distance, proximities or penetrations");
}

static void parse(request *r, int argc, char **argv)
{
    *r = (request){.threads = {1, 2}, .thread_count = 2, .repeats = 9};
    r->inputs = must(calloc((size_t)argc + 1, sizeof *r->inputs));
    char *end;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            exit(0);
        } else if (strcmp(argv[i], "--threads") == 0)
            parse_threads(r, next_text(argc, argv, &i));
        else if (strcmp(argv[i], "--question") == 0)
            parse_question(r, next_text(argc, argv, &i));
        else if (strcmp(argv[i], "--repeat") == 0)
            r->repeats = (int)number_of(next_text(argc, argv, &i), &end);
        else if (strcmp(argv[i], "--only") == 0)
            r->only = next_text(argc, argv, &i);
        else if (strcmp(argv[i], "--json") == 0)
            r->json = next_text(argc, argv, &i);
        else if (argv[i][0] == '-') {
            fprintf(stderr, "bench_peers: there is no option %s\n%s", argv[i], usage);
            exit(2);
        } else
            r->inputs[r->input_count++] = argv[i];
    }
}

// False: not the name of a built-in scene.
static bool make_built_in(const char *text, surface_scene *scene)
{
    size_t triangles, kind = surface_scene_parse(text, &triangles);
    if (kind == SIZE_MAX)
        return false;
    if (surface_scene_make(surface_scene_kind(kind), triangles > 0 ? triangles : 100000, scene) != SNAG_OK)
        fail("the scene could not be made");
    return true;
}

static void read_meshes(const char *const *paths, size_t count, surface_scene *scene)
{
    char message[512];
    if (surface_scene_read(paths, count, scene, message) != SNAG_OK)
        fail(message);
}

static void read_cloth_ball(const char *data, surface_scene *scene)
{
    char frames[2][1024];
    for (int i = 0; i < 2; i++)
        snprintf(frames[i], sizeof frames[i], "%s/ccd_scenes/cloth-ball/frames/cloth_ball%d.ply", data, 93 - i);
    read_meshes((const char *const[]){frames[0], frames[1]}, 2, scene);
}

static void open_scene(const request *r, surface_scene *scene)
{
    const char *data = getenv("SNAG_DATA");
    if (r->input_count == 0 && r->question == SNAG_DISTANCE) {
        if (!make_built_in("pair-100k", scene))
            fail("out of memory");
    } else if (r->input_count == 0 && data && *data)
        read_cloth_ball(data, scene);
    else if (r->input_count == 0) {
        printf("SNAG_DATA is not set: a built-in scene instead of cloth-ball\n");
        if (!make_built_in("sheet-100k", scene))
            fail("out of memory");
    } else if (r->input_count == 1 && !snag_io_is_mesh(r->inputs[0])) {
        if (make_built_in(r->inputs[0], scene))
            return;
        char **paths;
        size_t count;
        snag_io_error error;
        if (snag_io_sequence(r->inputs[0], &paths, &count, &error) != SNAG_OK)
            fail(error.message);
        read_meshes((const char *const *)paths, count, scene);
        snag_io_paths_free(paths, count);
    } else
        read_meshes(r->inputs, r->input_count, scene);
}

// ---- main ----------------------------------------------------------------------------------------------------------

static void begin_json(bench *b)
{
    b->json_file = fopen(b->request->json, "w");
    if (!b->json_file) {
        fprintf(stderr, "bench_peers: %s: %s\n", b->request->json, strerror(errno));
        exit(2);
    }
    json_begin(&b->json, b->json_file);
    json_object(&b->json, NULL);
    peer_rows_write_head(&b->json);
    json_array(&b->json, "rows");
}

static void end_json(bench *b)
{
    json_close_array(&b->json);
    json_close_object(&b->json);
    json_end(&b->json);
    if (fclose(b->json_file) != 0)
        fail("the JSON file could not be written");
}

// Tetrahedra have their own scenes and rows.
static int bench_penetrations(bench *b)
{
    const request *r = b->request;
    if (r->json)
        begin_json(b);
    print_peers(r->question);
    tet_bench_result result =
        tet_bench(r->input_count > 0 ? r->inputs[0] : "tets-100k", r->repeats, r->only, r->json ? &b->json : NULL);
    if (r->json)
        end_json(b);
    free(r->inputs);
    if (result == TET_BENCH_FAILED)
        fail("the scene could not be made or measured");
    return result == TET_BENCH_DIFFERS ? 1 : 0;
}

int main(int argc, char **argv)
{
    request r;
    parse(&r, argc, argv);
    bench b = {.request = &r};
    if (r.question == SNAG_PENETRATIONS)
        return bench_penetrations(&b);
    open_scene(&r, &b.scene);
    b.mesh = (peer_mesh){
        (const double(*)[3])b.scene.poses[0],
        b.scene.vertex_count,
        (const uint32_t(*)[3])b.scene.triangles,
        b.scene.triangle_count,
        NULL,
        0,
        b.scene.bodies,
        b.scene.body_count,
        r.question == SNAG_PROXIMITIES ? 0.5 * b.scene.distance : 0,
    };
    if (r.question == SNAG_DISTANCE && b.scene.body_count != 2)
        fail("distance is measured between two bodies");
    b.boxes = must(malloc(b.scene.triangle_count * sizeof *b.boxes));
    if (r.json)
        begin_json(&b);
    print_peers(r.question);
    printf("%s: %zu triangles, %zu bodies, %zu poses\n", b.scene.name, b.scene.triangle_count, b.scene.body_count,
           b.scene.pose_count);
    for (size_t i = 0; i < r.thread_count; i++)
        bench_threads(&b, r.threads[i]);
    if (r.json)
        end_json(&b);
    surface_scene_free(&b.scene);
    free(b.boxes);
    free(r.inputs);
    return b.differ ? 1 : 0;
}
