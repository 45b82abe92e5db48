#define _DEFAULT_SOURCE
#include "tet_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "tet_rig.h"
#include "peer.h"
#include "peer_rows.h"

enum { MOST_WAYS = 8, MOST_TIMES = 64 };

// One participant: snag's hash, or a peer.
typedef struct way {
    const char *name;
    const peer *peer;  // NULL: snag
    void *state;
    double wall[MOST_TIMES], cpu[MOST_TIMES], update[MOST_TIMES];
    size_t contacts, candidates, bytes, differences;
} way;

typedef struct tet_peers {
    tet_rig rig;
    peer_mesh mesh;
    const snag_answer *answer;  // snag's, for the current step
    way ways[MOST_WAYS];
    size_t way_count;
    double limit[MOST_TIMES];
} tet_peers;

// ---- one step ------------------------------------------------------------------------------------------------------

static bool step_snag(tet_peers *t, way *w, size_t i)
{
    double wall = measure_ms(CLOCK_MONOTONIC), cpu = measure_cpu_ms();
    bool good = tet_rig_move(&t->rig) == SNAG_OK;
    w->update[i] = measure_cpu_ms() - cpu;
    good = good && tet_rig_ask(&t->rig, SNAG_METHOD_HASH, 0, 0, &t->answer) == SNAG_OK;
    w->cpu[i] = measure_cpu_ms() - cpu;
    w->wall[i] = measure_ms(CLOCK_MONOTONIC) - wall;
    w->contacts = good ? t->answer->count : 0;
    w->candidates = good ? t->answer->statistics->candidates : 0;
    return good;
}

static void step_peer(tet_peers *t, way *w, size_t i)
{
    double wall = measure_ms(CLOCK_MONOTONIC), cpu = measure_cpu_ms();
    w->peer->update(w->state);
    w->update[i] = measure_cpu_ms() - cpu;
    peer_answer found = w->peer->search(w->state);
    w->cpu[i] = measure_cpu_ms() - cpu;
    w->wall[i] = measure_ms(CLOCK_MONOTONIC) - wall;
    w->contacts = found.count;
    w->candidates = found.candidates;
    if (tet_rig_agree(&t->rig, t->answer, (const paper_pair *)found.pairs, found.count))
        return;
    size_t ours = t->answer->count;
    w->differences += ours > found.count ? ours - found.count : found.count > ours ? found.count - ours : 1;
    printf("    %s finds %zu pairs, snag %zu, and they are not the same\n", w->name, found.count, ours);
}

static bool step(tet_peers *t, int number, size_t i)
{
    tet_rig_lay(&t->rig, number);
    tet_rig_write_boxes(&t->rig);
    double start = measure_cpu_ms();
    tet_rig_write_boxes(&t->rig);
    t->limit[i] = measure_cpu_ms() - start;
    for (size_t k = 0; k < t->way_count; k++) {
        if (t->ways[k].peer)
            step_peer(t, &t->ways[k], i);
        else if (!step_snag(t, &t->ways[k], i))
            return false;
    }
    return true;
}

// ---- participants --------------------------------------------------------------------------------------------------

static bool open_scene(const char *scene, tet_rig *rig)
{
    size_t count = 0;
    if (strncmp(scene, "tets-", 5) == 0) {
        char *end;
        count = (size_t)strtoul(scene + 5, &end, 10);
        count *= *end == 'k' ? 1000 : *end == 'M' ? 1000000 : 0;
        if (count == 0 || count > 100000000)
            return false;
    }
    return tet_rig_open(rig, count > 0 ? NULL : scene, count, 1, 0);
}

static void add_peer(tet_peers *t, const peer *p)
{
    size_t before = peer_heap_bytes();
    way *w = &t->ways[t->way_count];
    *w = (way){.name = p->name, .peer = p, .state = p->create(&t->mesh, 1)};
    if (!w->state) {
        printf("%s cannot take this mesh\n", p->name);
        return;
    }
    p->search(w->state);
    w->bytes = peer_heap_bytes() - before + (p->bytes ? p->bytes(w->state) : 0);
    t->way_count++;
}

static void add_ways(tet_peers *t, const char *only)
{
    t->ways[t->way_count++] = (way){.name = "hash"};
    for (size_t i = 0; i < peer_table_count; i++)
        for (size_t k = 0; k < PEER_WAYS; k++) {
            const peer *p = peer_table[i].peers[k];
            if (p && p->question == SNAG_PENETRATIONS && peer_is_wanted(only, p->name) && t->way_count < MOST_WAYS)
                add_peer(t, p);
        }
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static void print_rows(tet_peers *t, const char *scene, size_t times, json *j)
{
    double limit = measure_median(t->limit, times), snag = 0;
    printf("%-15s%11s%11s%11s%11s%9s%9s%8s  %s\n", "method", "wall ms", "cpu ms", "update ms", "candidates", "pairs", "cpu /", "MB",
           "answer");
    for (size_t k = 0; k < t->way_count; k++) {
        way *w = &t->ways[k];
        peer_row row = {
            .scene = scene,
            .question = snag_question_name(SNAG_PENETRATIONS),
            .method = w->name,
            .elements = t->rig.scene.tet_count,
            .threads = 1,
            .run_threads = 1,
            .wall = measure_median(w->wall, times),
            .cpu = measure_median(w->cpu, times),
            .update = measure_median(w->update, times),
            .limit = limit,
            .contacts = w->contacts,
            .candidates = w->candidates,
            .bytes = w->peer ? w->bytes : t->rig.bytes,
            .extra = w->differences,
        };
        snag = k == 0 ? row.cpu : snag;
        printf("%-15s%11.3f%11.3f%11.3f%11zu%9zu%9.2f%8.1f  %s\n", row.method, row.wall, row.cpu, row.update, row.candidates,
               row.contacts, row.cpu / snag, 1e-6 * (double)row.bytes, w->differences > 0 ? "differs" : "the same");
        if (j)
            peer_row_write(j, &row);
    }
    printf("limit (reads tetrahedra, writes boxes): %.3f ms\n\n", limit);
}

tet_bench_result tet_bench(const char *scene, int repeats, const char *only, json *j)
{
    tet_peers *t = calloc(1, sizeof *t);
    if (!t || !open_scene(scene, &t->rig)) {
        free(t);
        return TET_BENCH_FAILED;
    }
    t->mesh = (peer_mesh){.positions = (const double(*)[3])t->rig.x,
                          .vertex_count = t->rig.mesh.vertex_count,
                          .tets = (const uint32_t(*)[4])t->rig.tets,
                          .tet_count = t->rig.mesh.tet_count};
    printf("%s: %zu tetrahedra, %zu vertices, %zu bodies\n", scene, t->rig.scene.tet_count, t->rig.scene.vertex_count,
           t->rig.scene.body_count);
    add_ways(t, only);
    size_t times = (size_t)(repeats < MOST_TIMES ? repeats : MOST_TIMES);
    bool good = step(t, 0, 0), differs = false;  // the first step builds the data structures
    for (size_t i = 0; i < times && good; i++)
        good = step(t, (int)i + 1, i);
    if (good)
        print_rows(t, scene, times, j);
    for (size_t k = 0; k < t->way_count; k++) {
        differs = differs || t->ways[k].differences > 0;
        if (t->ways[k].peer)
            t->ways[k].peer->destroy(t->ways[k].state);
    }
    tet_rig_close(&t->rig);
    free(t);
    return !good ? TET_BENCH_FAILED : differs ? TET_BENCH_DIFFERS : TET_BENCH_AGREES;
}
