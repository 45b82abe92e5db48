// snag bench page: writes the results of script/bench as one page, one CSV file and one JSON file, and compares them with an
// earlier run.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_rows.h"
#include "bench_speed.h"
#include "machine.h"
#include "page.h"
#include "lab.h"

// Flags a ratio to the limit that is worse by more than this factor.
#define ALLOWED 1.15

// Peers in column order.
static const char *const peers[] = {"embree", "embree-rebuild", "cgal", "cgal-mesh", "fcl", "bullet", "gts"};
enum { PEERS = sizeof peers / sizeof *peers };

typedef struct report {
    const bench_rows *rows;
    page *page;
    size_t cases, wins;  // pairs of peer and scene, and how many times the peer was faster than snag
} report;

// ---- groups --------------------------------------------------------------------------------------------------------

static bool is_peers(const bench_row *row)
{
    return strcmp(row->bench, "peers") == 0;
}

// The snag row that is compared with the peers.
static bool is_leader(const bench_row *row)
{
    return is_peers(row) && strcmp(row->method, strcmp(row->question, "penetrations") == 0 ? "hash" : "kdop") == 0 &&
           strcmp(row->question, "refit") != 0;
}

// The row of a method from the same run as the leader; NULL if there is none.
static const bench_row *partner(const report *r, const bench_row *leader, const char *question, const char *method)
{
    for (size_t i = 0; i < r->rows->count; i++) {
        const bench_row *row = &r->rows->rows[i];
        if (is_peers(row) && strcmp(row->scene, leader->scene) == 0 && strcmp(row->question, question) == 0 &&
            strcmp(row->method, method) == 0 && row->run_threads == leader->run_threads)
            return row;
    }
    return NULL;
}

// Whether a peer took part in a question on any scene; question NULL: in any question.
static bool takes_part(const report *r, const char *question, const char *method)
{
    for (size_t i = 0; i < r->rows->count; i++) {
        const bench_row *row = &r->rows->rows[i];
        if (is_peers(row) && strcmp(row->method, method) == 0 && (!question || strcmp(row->question, question) == 0))
            return true;
    }
    return false;
}

// Adds a column for each peer that took part.
static void add_columns(const report *r, const char *question, const char *group, char *columns, size_t size)
{
    for (int k = 0; k < PEERS; k++)
        if (takes_part(r, question, peers[k]))
            snprintf(columns + strlen(columns), size - strlen(columns), "|%s: %s", group, peers[k]);
}

static bool differs(const bench_row *row)
{
    return row->missing + row->extra > 0;
}

// ---- a question ----------------------------------------------------------------------------------------------------

typedef struct question_words {
    const char *question, *title, *words;
} question_words;

static const question_words asked[] = {
    {"intersections", "Static self-intersection", "Pairs of intersecting triangles; each pair is compared with snag's."},
    {"proximities", "Proximity candidates",
     "snag computes exact distances of vertices and edges; the peers only list pairs of triangles whose boxes, grown by the "
     "distance, overlap. Every contact found by snag must be among them."},
    {"distance", "Distance between two bodies", "The closest features of two bodies; distances agree to rounding."},
    {"penetrations", "Vertices in tetrahedra", "Vertices inside tetrahedra; each pair is compared with snag's."},
};
enum { QUESTIONS = sizeof asked / sizeof *asked };

static bool is_asked(const report *r, const char *question)
{
    for (size_t i = 0; i < r->rows->count; i++)
        if (is_leader(&r->rows->rows[i]) && strcmp(r->rows->rows[i].question, question) == 0)
            return true;
    return false;
}

static void add_question_table(report *r, const question_words *q)
{
    char columns[400] = "scene|elements|contacts|threads|snag: ms|snag: / limit";
    add_columns(r, q->question, "peer / snag", columns, sizeof columns);
    page_table(r->page, q->question,
               "Milliseconds of snag, and time of each peer relative to snag (less than 1: the peer is faster)", columns);
    for (size_t i = 0; i < r->rows->count; i++) {
        const bench_row *row = &r->rows->rows[i];
        if (!is_leader(row) || strcmp(row->question, q->question) != 0)
            continue;
        page_row(r->page);
        page_cell(r->page, "%s", row->scene);
        page_number(r->page, row->elements, 0);
        page_number(r->page, row->contacts, 0);
        page_number(r->page, row->run_threads, 0);
        page_number(r->page, row->ms, 2);
        page_number(r->page, row->ms / row->limit_ms, 1);
        for (int k = 0; k < PEERS; k++) {
            if (!takes_part(r, q->question, peers[k]))
                continue;
            const bench_row *peer = partner(r, row, q->question, peers[k]);
            if (peer && differs(peer))
                page_cell(r->page, "differs");
            else
                page_number(r->page, peer ? peer->ms / row->ms : NAN, 2);
            r->cases += peer != NULL;
            r->wins += peer && peer->ms < row->ms;
        }
    }
}

// The scene name without its size: "sheet" for "sheet-100k"; "" if it has no size.
static void kind_of(const char *scene, char kind[64])
{
    const char *dash = strrchr(scene, '-');
    bool has_size = dash && dash[1] >= '0' && dash[1] <= '9' && strpbrk(dash, "kM");
    snprintf(kind, 64, "%.*s", has_size ? (int)(dash - scene) : 0, scene);
}

static void add_growth_series(report *r, const char *question, const char *kind, const char *method)
{
    page_series(r->page, method);
    for (size_t i = 0; i < r->rows->count; i++) {
        const bench_row *row = &r->rows->rows[i];
        char own[64];
        kind_of(row->scene, own);
        if (is_peers(row) && row->run_threads == 1 && strcmp(own, kind) == 0 && strcmp(row->question, question) == 0 &&
            strcmp(row->method, method) == 0)
            page_point(r->page, row->elements, row->ms);
    }
}

// Plots time over elements for scenes measured in at least three sizes, or else in two.
static void add_growth(report *r, const char *question)
{
    char best[64] = "";
    size_t most = 1;
    for (size_t i = 0; i < r->rows->count; i++) {
        const bench_row *row = &r->rows->rows[i];
        char kind[64], other[64];
        size_t sizes = 0;
        kind_of(row->scene, kind);
        for (size_t k = 0; k < r->rows->count && kind[0]; k++) {
            kind_of(r->rows->rows[k].scene, other);
            sizes += is_leader(&r->rows->rows[k]) && r->rows->rows[k].run_threads == 1 && strcmp(kind, other) == 0 &&
                     strcmp(r->rows->rows[k].question, question) == 0;
        }
        if (sizes > most && is_leader(row)) {
            most = sizes;
            snprintf(best, sizeof best, "%s", kind);
        }
    }
    if (!best[0])
        return;
    char id[64], caption[128];
    snprintf(id, sizeof id, "%s-growth", question);
    snprintf(caption, sizeof caption, "Growth: scene %s in several sizes, one thread, processor time", best);
    page_plot(r->page, id, caption, "elements", "ms a step", PAGE_LOG_X | PAGE_LOG_Y);
    add_growth_series(r, question, best, strcmp(question, "penetrations") == 0 ? "hash" : "kdop");
    for (int k = 0; k < PEERS; k++)
        add_growth_series(r, question, best, peers[k]);
}

// The bar chart shows only scenes of about this size, so that their names fit.
static bool is_middle(const bench_row *row)
{
    return row->elements >= 50000 && row->elements <= 200000;
}

// Time of each peer relative to snag, per scene.
static void add_bars(report *r, const char *question)
{
    enum { MOST = 6 };
    const bench_row *chosen[MOST];
    size_t count = 0;
    for (int only_middle = 1; only_middle >= 0 && count == 0; only_middle--)
        for (size_t i = 0; i < r->rows->count && count < MOST; i++) {
            const bench_row *row = &r->rows->rows[i];
            if (is_leader(row) && row->run_threads == 1 && strcmp(row->question, question) == 0 && (!only_middle || is_middle(row)))
                chosen[count++] = row;
        }
    char id[64];
    snprintf(id, sizeof id, "%s-bars", question);
    page_bars(r->page, id, "Time of each peer relative to snag, one thread (1: as fast as snag)", "peer / snag", 0);
    for (int k = 0; k < PEERS; k++) {
        page_series(r->page, peers[k]);
        for (size_t i = 0; i < count; i++) {
            const bench_row *peer = partner(r, chosen[i], question, peers[k]);
            if (peer)
                page_bar(r->page, chosen[i]->scene, peer->ms / chosen[i]->ms);
        }
    }
}

static void add_questions(report *r)
{
    for (int i = 0; i < QUESTIONS; i++) {
        page_section(r->page, asked[i].question, asked[i].title);
        page_words(r->page, "%s", asked[i].words);
        if (!is_asked(r, asked[i].question)) {
            page_verdict(r->page, PAGE_SKIPPED, false, asked[i].title, "Not measured in this run.");
            continue;
        }
        add_question_table(r, &asked[i]);
        add_bars(r, asked[i].question);
        add_growth(r, asked[i].question);
    }
}

// ---- agreement -----------------------------------------------------------------------------------------------------

static void judge_agreement(report *r)
{
    page_section(r->page, "answers", "Do the answers agree?");
    size_t compared = 0, different = 0;
    char first[160] = "";
    for (size_t i = 0; i < r->rows->count; i++) {
        const bench_row *row = &r->rows->rows[i];
        if (!is_peers(row) || isnan(row->missing) || bench_row_is_ours(row))
            continue;
        compared++;
        different += differs(row);
        if (differs(row) && !first[0])
            snprintf(first, sizeof first, " First: %s on %s, %.0f missing and %.0f extra.", row->method, row->scene, row->missing,
                     row->extra);
    }
    page_verdict(r->page,
                 compared == 0    ? PAGE_SKIPPED
                 : different == 0 ? PAGE_HOLDS
                                  : PAGE_FAILS,
                 true, "The peers' answers equal snag's wherever the question is the same",
                 "%zu answers of peers were compared pair by pair before timing; %zu differ.%s docs/guide/bench.md explains known "
                 "differences.",
                 compared, different, first);
}

static void judge_speed(report *r)
{
    page_verdict(r->page,
                 r->cases == 0  ? PAGE_SKIPPED
                 : r->wins == 0 ? PAGE_HOLDS
                                : PAGE_FAILS,
                 true, "snag is faster than every peer on every scene", "A peer is faster in %zu of %zu cases%s", r->wins, r->cases,
                 r->wins > 0 ? ", all listed under \"Where a peer wins\"." : ".");
}

// ---- where a peer wins ---------------------------------------------------------------------------------------------

static void add_wins(report *r)
{
    page_section(r->page, "wins", "Where a peer wins");
    judge_speed(r);
    page_table(r->page, "time", "Every case in which a peer takes less time than snag",
               "scene|question|threads|peer|peer: ms|snag: ms|peer / snag");
    for (size_t i = 0; i < r->rows->count; i++)
        for (int k = 0; k < PEERS && is_leader(&r->rows->rows[i]); k++) {
            const bench_row *row = &r->rows->rows[i], *peer = partner(r, row, row->question, peers[k]);
            if (!peer || peer->ms >= row->ms)
                continue;
            page_row(r->page);
            page_cell(r->page, "%s", row->scene);
            page_cell(r->page, "%s%s", row->question, strcmp(row->question, "proximities") == 0 ? " (peer: candidates only)" : "");
            page_number(r->page, row->run_threads, 0);
            page_cell(r->page, "%s", peer->method);
            page_number(r->page, peer->ms, 2);
            page_number(r->page, row->ms, 2);
            page_number(r->page, peer->ms / row->ms, 2);
        }
    if (r->wins == 0) {
        page_row(r->page);
        page_cell(r->page, "none");
    }
    page_words(r->page, "For memory see its own section.");
}

// ---- update, memory, limit -------------------------------------------------------------------------------------------

static void add_updates(report *r)
{
    static const char *const updaters[] = {"embree", "embree-rebuild", "fcl", "bullet", "gts"};
    page_section(r->page, "update", "Update of each frame");
    page_words(r->page,
               "Time to update the acceleration structure for new positions: snag's refit of k-DOPs (k = 18), Embree's refit "
               "and its fastest rebuild, FCL's refit of 16-DOPs, Bullet's update of every leaf, a new tree in GTS. The limit "
               "is one pass that reads the triangles and writes their boxes.");
    page_table(
        r->page, "update", "Milliseconds, one thread",
        "scene|elements|limit|snag: refit|snag: / limit|peers: embree|peers: embree-rebuild|peers: fcl|peers: bullet|peers: gts");
    for (size_t i = 0; i < r->rows->count; i++) {
        const bench_row *row = &r->rows->rows[i];
        if (!is_leader(row) || row->run_threads != 1 || strcmp(row->question, "intersections") != 0)
            continue;
        const bench_row *refit = partner(r, row, "refit", "kdop");
        page_row(r->page);
        page_cell(r->page, "%s", row->scene);
        page_number(r->page, row->elements, 0);
        page_number(r->page, row->limit_ms, 3);
        page_number(r->page, refit ? refit->ms : NAN, 3);
        page_number(r->page, refit ? refit->ms / refit->limit_ms : NAN, 1);
        for (size_t k = 0; k < sizeof updaters / sizeof *updaters; k++) {
            const bench_row *peer = partner(r, row, "intersections", updaters[k]);
            page_number(r->page, peer ? peer->update_ms : NAN, 3);
        }
    }
}

static void add_memory(report *r)
{
    page_section(r->page, "memory", "Memory");
    char columns[400] = "scene|question|elements|snag";
    add_columns(r, NULL, "peers", columns, sizeof columns);
    page_table(r->page, "memory", "Bytes per element after the first step, one thread", columns);
    for (size_t i = 0; i < r->rows->count; i++) {
        const bench_row *row = &r->rows->rows[i];
        if (!is_leader(row) || row->run_threads != 1)
            continue;
        page_row(r->page);
        page_cell(r->page, "%s", row->scene);
        page_cell(r->page, "%s", row->question);
        page_number(r->page, row->elements, 0);
        page_number(r->page, row->bytes / row->elements, 0);
        for (int k = 0; k < PEERS; k++) {
            const bench_row *peer = partner(r, row, row->question, peers[k]);
            if (takes_part(r, NULL, peers[k]))
                page_number(r->page, peer ? peer->bytes / peer->elements : NAN, 0);
        }
    }
}

static void add_tool_rows(report *r)
{
    page_section(r->page, "methods", "snag's methods compared with the limit");
    page_words(r->page,
               "Every method for each question, and the spatial hashing paper's algorithm, measured by `snag bench`. The limit "
               "is one pass that reads the elements and writes their boxes; no method that visits every element can be faster.");
    page_table(r->page, "methods", "Milliseconds per step (move and question)",
               "scene|question|method|threads|elements|contacts|ms|/ limit|bytes an element");
    for (size_t i = 0; i < r->rows->count; i++) {
        const bench_row *row = &r->rows->rows[i];
        if (is_peers(row) || bench_speed_is_row(row))
            continue;
        page_row(r->page);
        page_cell(r->page, "%s", row->scene);
        page_cell(r->page, "%s", row->question);
        page_cell(r->page, "%s", row->method);
        page_number(r->page, row->threads, 0);
        page_number(r->page, row->elements, 0);
        page_number(r->page, row->contacts, 0);
        page_number(r->page, row->ms, 3);
        page_number(r->page, row->ms / row->limit_ms, 1);
        page_number(r->page, row->bytes / row->elements, 0);
    }
}

// ---- comparing -----------------------------------------------------------------------------------------------------

static const bench_row *find_same(const bench_rows *rows, const bench_row *wanted)
{
    for (size_t i = 0; i < rows->count; i++)
        if (bench_row_is_same(&rows->rows[i], wanted))
            return &rows->rows[i];
    return NULL;
}

// Compares only one-thread rows: they are in processor time, which other programs do not affect.
static bool is_comparable(const bench_row *row)
{
    return bench_row_is_ours(row) && row->threads == 1 && row->run_threads == 1 && row->limit_ms > 0 && row->ms > 0;
}

static void add_worse(report *r, const bench_row *now, const char *what, double was, double is)
{
    page_row(r->page);
    page_cell(r->page, "%s", now->scene);
    page_cell(r->page, "%s%s", now->question, what);
    page_cell(r->page, "%s", now->method);
    page_number(r->page, was, 2);
    page_number(r->page, is, 2);
    page_number(r->page, is / was, 2);
}

static void compare(report *r, const bench_rows *old, const char *path, size_t *worse)
{
    size_t compared = 0, unknown = 0;
    page_section(r->page, "compare", "Compared with an earlier run");
    page_table(r->page, "compare", "Ratios to the limit, and bytes, that got worse by more than 15 %",
               "scene|question|method|before|now|now / before");
    *worse = 0;
    for (size_t i = 0; i < r->rows->count; i++) {
        const bench_row *now = &r->rows->rows[i], *before = is_comparable(now) ? find_same(old, now) : NULL;
        if (!is_comparable(now))
            continue;
        if (!before || !is_comparable(before)) {
            unknown++;
            continue;
        }
        compared++;
        double was = before->ms / before->limit_ms, is = now->ms / now->limit_ms;
        if (is > ALLOWED * was) {
            ++*worse;
            add_worse(r, now, "", was, is);
        }
        was = before->bytes / before->elements;
        is = now->bytes / now->elements;
        if (bench_speed_is_row(now) && is > ALLOWED * was) {
            ++*worse;
            add_worse(r, now, ", bytes an element", was, is);
        }
    }
    if (*worse == 0) {
        page_row(r->page);
        page_cell(r->page, "none");
    }
    page_verdict(r->page,
                 compared == 0 ? PAGE_SKIPPED
                 : *worse == 0 ? PAGE_HOLDS
                               : PAGE_FAILS,
                 true, "No ratio to the limit got worse by more than 15 %",
                 "%zu single-thread rows compared with %s: %zu are worse, %zu have no counterpart.", compared, path, *worse,
                 unknown);
}

// ---- the page ------------------------------------------------------------------------------------------------------

static void add_head(report *r)
{
    for (size_t i = 0; i < r->rows->fact_count; i++)
        page_fact(r->page, r->rows->facts[i].name, "%s", r->rows->facts[i].value);
    for (size_t i = 0; i < r->rows->left_out_count; i++)
        page_fact(r->page, "left out", "%s: %s", r->rows->left_out[i].name, r->rows->left_out[i].value);
    page_fact(
        r->page, "how measured",
        "all variants take turns in one process on the same positions; medians; one thread: processor time, two: wall-clock time");
}

static int print_result(const report *r, const options *o, const char *folder, size_t worse)
{
    if (o->json)
        page_write_json(r->page, stdout);
    else
        page_write_verdicts(r->page, stdout);
    if (!o->json)
        printf("\nReport: %s/bench.html\n", folder);
    return worse > 0 ? EXIT_CONTACTS : EXIT_CLEAN;
}

static int make_page(const bench_rows *rows, const bench_rows *old, const options *o, const char *folder, words *w)
{
    report r = {.rows = rows, .page = page_new("snag compared with other libraries")};
    size_t worse = 0;
    if (!r.page)
        return words_out_of_memory(w);
    add_head(&r);
    bench_speed_add(r.page, rows);
    add_questions(&r);
    judge_agreement(&r);
    add_wins(&r);
    add_updates(&r);
    add_memory(&r);
    add_tool_rows(&r);
    if (old)
        compare(&r, old, o->compare, &worse);
    // Write the page first; then overwrite its JSON with that of the rows.
    int result = page_write_folder(r.page, folder, "bench", w);
    if (result == EXIT_CLEAN)
        result = bench_rows_write(rows, folder, w);
    if (result == EXIT_CLEAN)
        result = print_result(&r, o, folder, worse);
    page_free(r.page);
    return result;
}

int bench_page(const options *o, words *w)
{
    if (o->inputs.count != 2)
        return words_error(w, "give the folder with the results: snag bench page FOLDER");
    const char *folder = o->inputs.items[1];
    bench_rows rows = {0}, old = {0};
    int result = bench_rows_read_folder(folder, &rows, w);
    if (result == EXIT_CLEAN && o->compare)
        result = bench_rows_read(o->compare, &old, w);
    if (result == EXIT_CLEAN)
        result = make_page(&rows, o->compare ? &old : NULL, o, folder, w);
    bench_rows_free(&rows);
    bench_rows_free(&old);
    return result;
}
