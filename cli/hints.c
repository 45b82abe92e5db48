// What may be behind contacts that nobody expects.
//
// Places and elements are compared by hashes of 64 bits: two different ones of a million are taken for equal once in 10^7 files, and
// a hint is only a hint.
#include "hints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

// How many repeat an earlier one: a table of those that were seen, with 0 for a free slot. False without memory.
static bool count_repeats(const uint64_t *hashes, size_t count, size_t *repeats)
{
    size_t slots = 64;
    while (slots < 2 * count)
        slots *= 2;
    uint64_t *seen = calloc(slots, sizeof *seen);
    *repeats = 0;
    for (size_t i = 0; seen && i < count; i++) {
        uint64_t hash = hashes[i] ? hashes[i] : 1;
        size_t at = (size_t)(hash ^ hash >> 32) & (slots - 1);
        while (seen[at] && seen[at] != hash)
            at = (at + 1) & (slots - 1);
        *repeats += seen[at] == hash;
        seen[at] = hash;
    }
    free(seen);
    return seen != NULL;
}

static uint64_t hash_place(const double *p)
{
    uint64_t hash = 1;
    for (int k = 0; k < 3; k++) {
        double value = p[k] + 0.0;  // -0 is 0
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = mix(hash, bits);
    }
    return hash;
}

// Whichever vertex an element begins with, and whichever way it turns.
static uint64_t hash_element(const uint32_t *vertices, size_t count)
{
    uint64_t sum = count, product = 1;
    for (size_t i = 0; i < count; i++) {
        sum += mix(3, vertices[i]);
        product *= mix(5, vertices[i]) | 1;
    }
    return mix(sum, product);
}

static size_t corner_count(const snag_io_body *body, size_t polygon)
{
    return body->polygon_sizes ? body->polygon_sizes[polygon] : 3;
}

static bool find_coincident(const snag_io_body *body, size_t *found)
{
    uint64_t *hashes = malloc((body->vertex_count + 1) * sizeof *hashes);
    uint8_t *used = calloc(body->vertex_count + 1, 1);
    size_t count = 0;
    const uint32_t *corner = body->polygon_vertices;
    for (size_t p = 0; used && p < body->polygon_count; p++)
        for (size_t i = 0, size = corner_count(body, p); i < size; i++)
            used[*corner++] = 1;
    for (size_t i = 0; used && i < 4 * body->tet_count; i++)
        used[body->tets[i]] = 1;
    for (size_t v = 0; hashes && used && v < body->vertex_count; v++)
        if (used[v])
            hashes[count++] = hash_place(body->positions + 3 * v);
    bool room = hashes && used && count_repeats(hashes, count, found);
    free(hashes);
    free(used);
    return room;
}

static bool find_duplicates(const snag_io_body *body, size_t *found)
{
    size_t count = body->tet_count ? body->tet_count : body->polygon_count;
    uint64_t *hashes = malloc((count + 1) * sizeof *hashes);
    const uint32_t *corner = body->tet_count ? body->tets : body->polygon_vertices;
    for (size_t i = 0; hashes && i < count; i++) {
        size_t size = body->tet_count ? 4 : corner_count(body, i);
        hashes[i] = hash_element(corner, size);
        corner += size;
    }
    bool room = hashes && count_repeats(hashes, count, found);
    free(hashes);
    return room;
}

// Six times the volume within the faces, from the first vertex; of a closed surface that looks outward it is positive.
static double volume_within(const snag_io_body *body)
{
    double sum = 0;
    const double *o = body->positions;
    const uint32_t *corner = body->polygon_vertices;
    for (size_t p = 0; p < body->polygon_count; p++) {
        size_t size = corner_count(body, p);
        for (size_t i = 1; i + 1 < size; i++) {
            double e[3][3];
            const uint32_t triangle[3] = {corner[0], corner[i], corner[i + 1]};
            for (int r = 0; r < 3; r++)
                for (int k = 0; k < 3; k++)
                    e[r][k] = body->positions[3 * (size_t)triangle[r] + (size_t)k] - o[k];
            sum += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                   e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
        }
        corner += size;
    }
    return sum;
}

// Whether every side of a face has the opposite side of another, by their vertices: then the surface is closed, and all faces look the same way.
static bool is_closed(const snag_io_body *body)
{
    uint64_t sum = 0;
    const uint32_t *corner = body->polygon_vertices;
    for (size_t p = 0; p < body->polygon_count; p++) {
        size_t size = corner_count(body, p);
        for (size_t i = 0; i < size; i++) {
            uint32_t a = corner[i], b = corner[i + 1 < size ? i + 1 : 0];
            sum += mix(mix(7, a), b) - mix(mix(7, b), a);
        }
        corner += size;
    }
    return body->polygon_count > 0 && sum == 0;
}

bool hints_find(const scene_body *body, bool closed, body_hints *found)
{
    *found = (body_hints){0};
    if (body->source->polygon_count + body->source->tet_count == 0)
        return true;
    found->inward = body->source->tet_count == 0 && volume_within(body->source) < 0 && (closed || is_closed(body->source));
    return find_coincident(body->source, &found->coincident) && find_duplicates(body->source, &found->duplicates);
}

// ---- bodies that are there twice ----

typedef struct body_hash {
    uint64_t hash;
    size_t body;
} body_hash;

static int compare_bodies(const void *a, const void *b)
{
    const body_hash *x = a, *y = b;
    return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : (x->body > y->body) - (x->body < y->body);
}

// The vertices where the file puts them, and how many elements there are.
static uint64_t hash_body(const snag_io_body *body)
{
    uint64_t hash = mix(mix(body->vertex_count, body->polygon_count), body->tet_count + body->edge_count + body->point_count);
    for (size_t v = 0; v < body->vertex_count; v++)
        hash = mix(hash, hash_place(body->positions + 3 * v));
    return hash;
}

int hints_note_twins(const scene *s, words *w)
{
    body_hash *hashes = malloc((s->body_count + 1) * sizeof *hashes);
    size_t count = 0, twins = 0;
    const char *names[2] = {NULL, NULL};
    if (!hashes)
        return words_out_of_memory(w);
    for (size_t i = 0; i < s->body_count; i++)
        if (s->bodies[i].source->polygon_count + s->bodies[i].source->tet_count || scene_is_thin(&s->bodies[i]))
            hashes[count++] = (body_hash){hash_body(s->bodies[i].source), i};
    qsort(hashes, count, sizeof *hashes, compare_bodies);
    for (size_t i = 1; i < count; i++)
        if (hashes[i].hash == hashes[i - 1].hash && twins++ == 0) {
            names[0] = s->bodies[hashes[i - 1].body].name;
            names[1] = s->bodies[hashes[i].body].name;
        }
    free(hashes);
    if (twins)
        words_note(w, "\"%s\" and \"%s\" are the same mesh at the same place%s; leave one out", names[0], names[1],
                   twins > 1 ? ", and they are not the only ones" : "");
    return EXIT_CLEAN;
}

// ---- sizes ----

// Metres and millimetres are 1000 apart; parts of one model seldom are.
static const double STRANGE_RATIO = 500;

static double diagonal_of(const snag_io_mesh *mesh)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t b = 0; b < mesh->body_count; b++)
        for (size_t i = 0; i < 3 * mesh->bodies[b].vertex_count; i++) {
            low[i % 3] = fmin(low[i % 3], mesh->bodies[b].positions[i]);
            high[i % 3] = fmax(high[i % 3], mesh->bodies[b].positions[i]);
        }
    double diagonal = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    return isfinite(diagonal) ? diagonal : 0;
}

void hints_note_sizes(const scene *s, words *w)
{
    const scene_file *small = NULL, *large = NULL;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < s->file_count && s->file_count > 1 && !w->quiet; i++) {
        double diagonal = s->files[i].on_disk ? 0 : diagonal_of(&s->files[i].mesh);
        if (diagonal > 0 && diagonal < least) {
            least = diagonal;
            small = &s->files[i];
        }
        if (diagonal > most) {
            most = diagonal;
            large = &s->files[i];
        }
    }
    if (small && large && most > STRANGE_RATIO * least)
        words_note(
            w, "%s is %.4g across, %s only %.4g; if they are in different units, scale one of them: coordinates are not converted",
            large->path, most, small->path, least);
}

// ---- inverted cells ----

static bool is_inverted(const snag_io_body *body, size_t k)
{
    double e[3][3];
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 3; i++)
            e[r][i] = body->positions[3 * (size_t)body->tets[4 * k + 1 + (size_t)r] + (size_t)i] -
                      body->positions[3 * (size_t)body->tets[4 * k] + (size_t)i];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]) <
           0;
}

// Parts of a cell that was cut have its number and follow each other.
void hints_note_inverted(const scene *s, words *w)
{
    size_t count = 0, all = 0;
    uint32_t first = 0;
    const char *name = NULL;
    for (size_t i = 0; i < s->body_count && !w->quiet; i++) {
        const snag_io_body *body = s->bodies[i].source;
        const uint32_t *numbers = body->tet_numbers;
        bool counted = false;
        for (size_t k = 0; k < body->tet_count; k++) {
            bool begins = k == 0 || !numbers || numbers[k] != numbers[k - 1];
            all += begins;
            counted &= !begins;
            if (counted || !is_inverted(body, k))
                continue;
            counted = true;
            if (count++ == 0) {
                first = numbers ? numbers[k] : (uint32_t)k;
                name = s->bodies[i].name;
            }
        }
    }
    if (count)
        words_note(w, "%zu of %zu cells are inverted, k%u of \"%s\" first; they are looked at all the same; `snag info` lists them",
                   count, all, (unsigned)first, name);
}

// ---- notes ----

int hints_note(const scene *s, words *w)
{
    size_t coincident[2] = {0, 0}, duplicates = 0;  // of surfaces and of volumes
    const char *first[2] = {NULL, NULL}, *doubled = NULL, *inward = NULL;
    if (w->quiet)
        return EXIT_CLEAN;
    for (size_t i = 0; i < s->body_count; i++) {
        body_hints found;
        int volume = s->bodies[i].source->tet_count > 0;
        if (!hints_find(&s->bodies[i], false, &found))
            return words_out_of_memory(w);
        if (found.coincident && !first[volume])
            first[volume] = s->bodies[i].name;
        if (found.duplicates && !doubled)
            doubled = s->bodies[i].name;
        if (found.inward && !inward)
            inward = s->bodies[i].name;
        coincident[volume] += found.coincident;
        duplicates += found.duplicates;
    }
    if (first[0] && !s->options->weld)
        words_note(w,
                   "%zu vertices stand exactly where another one of their body stands (\"%s\"); if they are meant to be one, "
                   "--weld joins them, and "
                   "faces that only meet there no longer count as touching",
                   coincident[0], first[0]);
    if (first[1])
        words_note(w,
                   "%zu vertices of volumes stand exactly where another one of their body stands (\"%s\"); if they are meant to be "
                   "one, join "
                   "them in the program that made the mesh",
                   coincident[1], first[1]);
    if (inward)
        words_note(w, "the faces of \"%s\" look inward; contacts are the same, but turn them if inside and outside matter", inward);
    if (duplicates)
        words_note(w, "%zu faces or cells have the same vertices as another one of their body (\"%s\"); `snag info` lists them",
                   duplicates, doubled);
    return hints_note_twins(s, w);
}
