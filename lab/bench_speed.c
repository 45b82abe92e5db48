#include "bench_speed.h"

#include <math.h>
#include <string.h>

// The rows in the order of the page.
static const struct {
    const char *row, *words;
    bool cold;
} shown[] = {
    {"every-pair", "proximities, every pair within a thousandth of the diagonal, as pairs", false},
    {"merged", "the same, each contact of features once, with details", false},
    {"earliest", "the earliest impact to the next frame", false},
    {"impacts", "all impacts to the next frame, as pairs", false},
    {"intersections", "intersecting triangles, as pairs", false},
    {"first", "cold: intersections of a new mesh, from add to the answer", true},
    {"tets", "penetrations of a million tetrahedra, as pairs", false},
};
enum { SHOWN = sizeof shown / sizeof *shown };

bool bench_speed_is_row(const bench_row *row)
{
    return strcmp(row->bench, "speed") == 0;
}

static const bench_row *find(const bench_rows *rows, const char *name, double threads)
{
    for (size_t i = 0; i < rows->count; i++)
        if (bench_speed_is_row(&rows->rows[i]) && strcmp(rows->rows[i].question, name) == 0 && rows->rows[i].threads == threads)
            return &rows->rows[i];
    return NULL;
}

// A peer's answer to the same question on the same frame, in the same run.
static const bench_row *peer_of(const bench_rows *rows, const char *name, const char *peer)
{
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->rows[i];
        if (strcmp(row->bench, "peers") == 0 && strcmp(name, row->question) == 0 && strcmp(row->method, peer) == 0 &&
            row->run_threads == 1 && strncmp(row->scene, "cloth-ball-92", 13) == 0)
            return row;
    }
    return NULL;
}

static void add_chart(page *p, const bench_rows *rows)
{
    page_bars(p, "speed-bars", "Milliseconds of a step on cloth-ball 92 (92,230 triangles) and of a million tetrahedra", "ms",
              PAGE_LOG_Y);
    for (int threads = 1; threads <= 2; threads++) {
        page_series(p, threads == 1 ? "snag, one thread" : "snag, two threads");
        for (int i = 0; i < SHOWN; i++) {
            const bench_row *row = find(rows, shown[i].row, threads);
            if (row)
                page_bar(p, shown[i].row, row->ms);
        }
    }
    static const char *const peers[] = {"embree", "cgal"};
    for (int k = 0; k < 2; k++) {
        const bench_row *peer = peer_of(rows, "intersections", peers[k]);
        if (!peer)
            continue;
        char name[48];
        snprintf(name, sizeof name, "%s, one thread", peers[k]);
        page_series(p, name);
        page_bar(p, "intersections", peer->ms);
        // CGAL keeps nothing from step to step, so that its first answer takes no longer.
        if (strcmp(peers[k], "cgal") == 0)
            page_bar(p, "first", peer->ms);
    }
}

static void add_times(page *p, const bench_rows *rows)
{
    page_table(p, "speed", "Milliseconds; a step is a move, or cold the adding, and then the question",
               "row|what|threads|contacts|whole|add or move|question|/ limit");
    for (int i = 0; i < SHOWN; i++)
        for (int threads = 1; threads <= 2; threads++) {
            const bench_row *row = find(rows, shown[i].row, threads);
            if (!row)
                continue;
            page_row(p);
            page_cell(p, "%s", shown[i].row);
            page_cell(p, "%s", shown[i].words);
            page_number(p, threads, 0);
            page_number(p, row->contacts, 0);
            page_number(p, row->ms, 2);
            page_number(p, row->update_ms, 2);
            page_number(p, row->ms - row->update_ms, 2);
            page_number(p, row->ms / row->limit_ms, 1);
        }
}

static void add_bytes(page *p, const bench_rows *rows)
{
    static const struct {
        const char *row, *words;
    } held[] = {
        {"memory", "after one question: intersections"},
        {"intersections", "warm, intersections"},
        {"memory-all", "after intersections, proximities of both kinds, impacts and distance, with their answers"},
        {"tets", "warm, a million tetrahedra"},
    };
    page_table(p, "speed-bytes", "Bytes an element that a world holds, answers included", "row|what|elements|bytes an element");
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        const bench_row *row = find(rows, held[i].row, 1);
        if (!row)
            continue;
        page_row(p);
        page_cell(p, "%s", held[i].row);
        page_cell(p, "%s", held[i].words);
        page_number(p, row->elements, 0);
        page_number(p, row->bytes / row->elements, 0);
    }
}

void bench_speed_add(page *p, const bench_rows *rows)
{
    bool any = false;
    for (size_t i = 0; i < rows->count; i++)
        any = any || bench_speed_is_row(&rows->rows[i]);
    if (!any)
        return;
    page_section(p, "speed", "What simulations ask");
    add_chart(p, rows);
    page_words(p, "The rows of `build-bench/bench_rows`, each in a process of its own. `script/bench --baseline COMMIT` runs the "
                  "same ones by an "
                  "older library in turns with this one. The limit is one pass that reads the elements and writes their boxes.");
    add_times(p, rows);
    add_bytes(p, rows);
}
