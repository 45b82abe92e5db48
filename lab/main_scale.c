// snag-scale: what a world over many ranks would exchange, counted on a real distribution of elements without the ranks.
//
// Cuts the centres of triangles into parts by recursive coordinate bisection, as mpi/cut.c has Zoltan do, deals every triangle to all parts
// that its inflated box reaches and its neighbours along with it, as mpi/layout.c does, and counts: ghosts, neighbours, bytes. A model then says what a step
// costs, from figures that are given: see docs/design/scale.md.
#include "snag/io.h"
#include "snag/world.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PILE = 32, PARTS_OF_A_BOX = 64, LISTS = 32 };

static const char *const HELP =
    "usage: snag-scale [options] sheet MILLIONS | pile MILLIONS | FILE\n"
    "Counts ghosts, neighbours and bytes of a world that is cut into parts, one for each rank.\n"
    "\n"
    "  --parts N,N,...      numbers of parts [default: 8,64,512]\n"
    "  --distance EDGES     contact distance in mean edges [default: 0.5]\n"
    "  --margin EDGES       how far vertices may move before elements are dealt out again; mpi/layout.c takes 0.05 to 1 [default: "
    "1]\n"
    "  --search NS          processor time of a search for each triangle, measured by bench_ranks [default: 400]\n"
    "  --bandwidth GB       gigabytes a second of a rank's network [default: 5]\n"
    "  --latency US         microseconds of a message [default: 2]\n"
    "\n"
    "Examples:\n"
    "  snag-scale pile 10\n"
    "  snag-scale --parts 100 sheet 10              as many triangles for each part as 10^9 on 10^4 ranks\n"
    "\n"
    "Exit code: 0, or 2 for an error.\n";

typedef struct scene {
    double (*x)[3];
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    double edge;
} scene;

typedef struct options {
    double distance, margin, search, bandwidth, latency;
    uint32_t parts[LISTS];
    int part_lists;
} options;

// A node of the tree of cuts: below `at` on the axis go left. A leaf has no axis.
typedef struct cut {
    int axis;
    double at;
    uint32_t left, right, part;
} cut;

typedef struct cutting {
    const scene *s;
    float (*centres)[3];
    uint32_t *order;
    cut *cuts;
    uint32_t count;
} cutting;

typedef struct pairs {
    uint64_t *items;
    size_t count, room;
} pairs;

static void fail(const char *what)
{
    fprintf(stderr, "snag-scale: %s\n", what);
    exit(2);
}

static void *allocate(size_t count, size_t size)
{
    void *made = calloc(count > 0 ? count : 1, size);
    if (made == NULL)
        fail("out of memory");
    return made;
}

// ---- scenes --------------------------------------------------------------------------------------------------------

static void make_cloths(scene *s, double millions, int cloths)
{
    size_t cells = (size_t)sqrt(millions * 1e6 / 2 / cloths), side = cells + 1;
    if (cells < 2)
        fail("too few triangles");
    s->vertex_count = side * side * (size_t)cloths;
    s->triangle_count = 2 * cells * cells * (size_t)cloths;
    if (s->triangle_count > UINT32_MAX / 3)
        fail("too many triangles: give less than 1400 millions");
    s->x = allocate(s->vertex_count, sizeof *s->x);
    s->triangles = allocate(s->triangle_count, sizeof *s->triangles);
    s->edge = 1.0 / (double)cells;
    for (size_t i = 0; i < s->vertex_count; i++) {
        size_t cloth = i / (side * side), row = i / side % side, column = i % side;
        double turn = 0.02 * (double)cloth, u = (double)column * s->edge - 0.5, v = (double)row * s->edge - 0.5;
        s->x[i][0] = cos(turn) * u - sin(turn) * v;
        s->x[i][1] = sin(turn) * u + cos(turn) * v;
        s->x[i][2] = 0.5 * s->edge * (double)cloth + 0.05 * sin(9 * s->x[i][0]) * cos(7 * s->x[i][1]);
    }
    for (size_t t = 0; t < s->triangle_count; t++) {
        size_t cloth = t / (2 * cells * cells), k = t % (2 * cells * cells) / 2;
        uint32_t v = (uint32_t)(cloth * side * side + k / cells * side + k % cells), n = (uint32_t)side;
        const uint32_t lower[3] = {v, v + 1, v + n}, upper[3] = {v + 1, v + n + 1, v + n};
        memcpy(s->triangles[t], t % 2 == 0 ? lower : upper, sizeof lower);
    }
}

// Polygons and volumes become triangles in a world: its boundary is what touches.
static void read_file(scene *s, const char *path)
{
    snag_io_mesh mesh;
    snag_io_error error;
    snag_world *world;
    snag_world_def def = snag_default_world_def();
    if (snag_io_read_mesh(path, &mesh, &error) != SNAG_OK)
        fail(error.message);
    snag_body_id *ids = allocate(mesh.body_count, sizeof *ids);
    if (snag_world_create(&def, &world) != SNAG_OK)
        fail("out of memory");
    for (size_t b = 0; b < mesh.body_count; b++) {
        snag_body_info info;
        if (snag_io_add_body(world, &mesh.bodies[b], &ids[b]) != SNAG_OK || snag_world_body(world, ids[b], &info) != SNAG_OK)
            fail(snag_world_message(world));
        s->vertex_count += info.vertex_count;
        s->triangle_count += info.triangle_count;
    }
    if (s->triangle_count == 0)
        fail("the file has no triangles");
    s->x = allocate(s->vertex_count, sizeof *s->x);
    s->triangles = allocate(s->triangle_count, sizeof *s->triangles);
    size_t vertices = 0, triangles = 0;
    double sum = 0;
    for (size_t b = 0; b < mesh.body_count; b++) {
        snag_body_info info;
        snag_world_body(world, ids[b], &info);
        memcpy(s->x[vertices], mesh.bodies[b].positions, 3 * info.vertex_count * sizeof(double));
        for (size_t i = 0; i < 3 * info.triangle_count; i++)
            s->triangles[triangles + i / 3][i % 3] = (uint32_t)vertices + info.triangles[i];
        vertices += info.vertex_count;
        triangles += info.triangle_count;
    }
    for (size_t t = 0; t < s->triangle_count; t++) {
        const double *a = s->x[s->triangles[t][0]], *b = s->x[s->triangles[t][1]];
        sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    }
    s->edge = sum / (double)s->triangle_count;
    snag_world_destroy(world);
    snag_io_mesh_free(&mesh);
    free(ids);
}

// ---- cutting -------------------------------------------------------------------------------------------------------

// Puts the element of rank `k` on the axis at its place, smaller ones before it (Hoare's selection).
static void select_nth(const cutting *c, size_t first, size_t count, size_t k, int axis)
{
    uint32_t *order = c->order + first;
    size_t low = 0, high = count - 1;
    while (low < high) {
        float pivot = c->centres[order[(low + high) / 2]][axis];
        size_t i = low, j = high;
        for (;;) {
            while (c->centres[order[i]][axis] < pivot)
                i++;
            while (c->centres[order[j]][axis] > pivot)
                j--;
            if (i >= j)
                break;
            uint32_t swap = order[i];
            order[i++] = order[j];
            order[j--] = swap;
        }
        size_t last_low = c->centres[order[j]][axis] > pivot ? j - 1 : j;
        if (k <= last_low)
            high = last_low == high ? high - 1 : last_low;
        else
            low = last_low + 1;
    }
}

static int longest_axis(const cutting *c, size_t first, size_t count)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++) {
            float x = c->centres[c->order[i]][k];
            lo[k] = x < lo[k] ? x : lo[k];
            hi[k] = x > hi[k] ? x : hi[k];
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (hi[k] - lo[k] > hi[axis] - lo[axis])
            axis = k;
    return axis;
}

// Nodes wait in the order of their numbers until they are cut; a node of one part is a leaf.
static void cut_all(cutting *c, uint32_t part_count)
{
    typedef struct range {
        size_t first, count;
        uint32_t part, parts;
    } range;
    range *ranges = allocate(2 * (size_t)part_count, sizeof *ranges);
    ranges[0] = (range){0, c->s->triangle_count, 0, part_count};
    c->count = 1;
    for (uint32_t node = 0; node < c->count; node++) {
        const range r = ranges[node];
        c->cuts[node] = (cut){.axis = -1, .part = r.part};
        if (r.parts == 1)
            continue;
        const uint32_t left_parts = r.parts / 2;
        const size_t left = (size_t)((double)r.count * left_parts / r.parts);
        if (left == 0 || left == r.count)
            fail("more parts than triangles");
        const int axis = longest_axis(c, r.first, r.count);
        select_nth(c, r.first, r.count, left, axis);
        c->cuts[node] = (cut){axis, c->centres[c->order[r.first + left]][axis], c->count, c->count + 1, 0};
        ranges[c->count++] = (range){r.first, left, r.part, left_parts};
        ranges[c->count++] = (range){r.first + left, r.count - left, r.part + left_parts, r.parts - left_parts};
    }
    free(ranges);
}

// The parts that a box reaches. Returns how many.
static int parts_of(const cut *cuts, const double lo[3], const double hi[3], uint32_t parts[PARTS_OF_A_BOX])
{
    uint32_t stack[64], depth = 1;
    int count = 0;
    stack[0] = 0;
    while (depth > 0) {
        const cut *c = &cuts[stack[--depth]];
        if (c->axis < 0) {
            if (count == PARTS_OF_A_BOX)
                fail("a triangle reaches too many parts: give fewer parts");
            parts[count++] = c->part;
            continue;
        }
        if (hi[c->axis] >= c->at)
            stack[depth++] = c->right;
        if (lo[c->axis] < c->at)
            stack[depth++] = c->left;
    }
    return count;
}

// ---- counting ------------------------------------------------------------------------------------------------------

static void add_pair(pairs *p, uint32_t high, uint32_t low)
{
    if (p->count == p->room) {
        p->room = 2 * p->room + 1024;
        p->items = realloc(p->items, p->room * sizeof *p->items);
        if (p->items == NULL)
            fail("out of memory");
    }
    p->items[p->count++] = (uint64_t)high << 32 | low;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_once(pairs *p)
{
    size_t kept = 0;
    if (p->count > 0)
        qsort(p->items, p->count, sizeof *p->items, compare);
    for (size_t i = 0; i < p->count; i++)
        if (i == 0 || p->items[i] != p->items[i - 1])
            p->items[kept++] = p->items[i];
    p->count = kept;
}

static size_t first_of(const pairs *p, uint32_t high)
{
    size_t low = 0, top = p->count;
    while (low < top) {
        size_t middle = (low + top) / 2;
        if (p->items[middle] < (uint64_t)high << 32)
            low = middle + 1;
        else
            top = middle;
    }
    return low;
}

// Which part a triangle's centre is in, and which others its inflated box reaches: by vertex, where they are not the vertex's first part.
static void deal(const scene *s, const cut *cuts, const float (*centres)[3], double reach, uint32_t *home, uint32_t *vertex_home,
                 pairs *reached)
{
    memset(vertex_home, 0xff, s->vertex_count * sizeof *vertex_home);
    for (size_t t = 0; t < s->triangle_count; t++) {
        double lo[3], hi[3], centre[3];
        uint32_t parts[PARTS_OF_A_BOX];
        for (int k = 0; k < 3; k++) {
            const double a = s->x[s->triangles[t][0]][k], b = s->x[s->triangles[t][1]][k], c = s->x[s->triangles[t][2]][k];
            lo[k] = fmin(a, fmin(b, c)) - reach;
            hi[k] = fmax(a, fmax(b, c)) + reach;
            centre[k] = centres[t][k];
        }
        home[t] = parts_of(cuts, centre, centre, parts) > 0 ? parts[0] : 0;
        int count = parts_of(cuts, lo, hi, parts);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) {
                uint32_t v = s->triangles[t][k];
                if (vertex_home[v] == UINT32_MAX)
                    vertex_home[v] = parts[i];
                else if (vertex_home[v] != parts[i])
                    add_pair(reached, v, parts[i]);
            }
    }
    sort_once(reached);
}

// All parts that get a triangle: those that any triangle at one of its vertices reaches.
static int copies_of(const scene *s, size_t t, const uint32_t *vertex_home, const pairs *reached, uint32_t parts[PARTS_OF_A_BOX])
{
    int count = 0;
    for (int k = 0; k < 3; k++) {
        uint32_t v = s->triangles[t][k], part = vertex_home[v];
        for (size_t i = first_of(reached, v);; i++) {
            int known = 0;
            while (known < count && parts[known] != part)
                known++;
            if (known == count) {
                if (count == PARTS_OF_A_BOX)
                    fail("a triangle reaches too many parts: give fewer parts");
                parts[count++] = part;
            }
            if (i >= reached->count || reached->items[i] >> 32 != v)
                break;
            part = (uint32_t)reached->items[i];
        }
    }
    return count;
}

typedef struct counts {
    size_t ghosts, vertex_copies, most;  // of all parts; most: triangles of one part
    double neighbours;  // of a part, mean
    size_t neighbours_most;
} counts;

static counts count_all(const scene *s, const cut *cuts, const float (*centres)[3], double reach, uint32_t part_count)
{
    counts made = {0};
    uint32_t *home = allocate(s->triangle_count, sizeof *home), *vertex_home = allocate(s->vertex_count, sizeof *vertex_home);
    size_t *sizes = calloc(part_count, sizeof *sizes), *with = calloc(part_count, sizeof *with);
    pairs reached = {0}, copies = {0}, neighbours = {0};
    if (sizes == NULL || with == NULL)
        fail("out of memory");
    deal(s, cuts, centres, reach, home, vertex_home, &reached);
    for (size_t t = 0; t < s->triangle_count; t++) {
        uint32_t parts[PARTS_OF_A_BOX];
        int count = copies_of(s, t, vertex_home, &reached, parts);
        for (int i = 0; i < count; i++) {
            sizes[parts[i]]++;
            if (parts[i] == home[t])
                continue;
            made.ghosts++;
            add_pair(&neighbours, parts[i], home[t]);
            for (int k = 0; k < 3; k++)
                add_pair(&copies, s->triangles[t][k], parts[i]);
        }
        if (neighbours.count > (size_t)1 << 24)
            sort_once(&neighbours);
        if (copies.count > (size_t)1 << 26)
            sort_once(&copies);
    }
    sort_once(&neighbours);
    sort_once(&copies);
    made.vertex_copies = copies.count;
    for (size_t i = 0; i < neighbours.count; i++)
        with[neighbours.items[i] >> 32]++;
    for (uint32_t p = 0; p < part_count; p++) {
        made.most = sizes[p] > made.most ? sizes[p] : made.most;
        made.neighbours_most = with[p] > made.neighbours_most ? with[p] : made.neighbours_most;
    }
    made.neighbours = (double)neighbours.count / part_count;
    free(home);
    free(vertex_home);
    free(sizes);
    free(with);
    free(reached.items);
    free(copies.items);
    free(neighbours.items);
    return made;
}

static void print_counts(const scene *s, const options *o, uint32_t parts, const counts *c)
{
    const double n = (double)s->triangle_count, mean = (n + (double)c->ghosts) / parts;
    // Each rank: positions of its copies come in, those of its own elements that others search go out; every exchange begins with counts.
    const double bytes = 24 * ((double)s->vertex_count + (double)c->vertex_copies) / parts, table = 8.0 * parts;
    const double search = 1e-9 * o->search * (double)c->most, exchange = (bytes + 2 * table) / (1e9 * o->bandwidth),
                 messages = 1e-6 * o->latency * (c->neighbours + 2 * log2(parts > 1 ? parts : 2));
    const double one = 1e-9 * o->search * n;
    printf("%7u  %9.0f  %6.2f  %7.3f  %6.1f %4zu  %9.1f  %8.1f  %8.2f  %7.3f  %7.3f  %6.3f\n", parts, n / parts,
           100 * (double)c->ghosts / n, (double)c->most / mean, c->neighbours, c->neighbours_most, 1e-3 * bytes, 1e-3 * table,
           1e3 * search, 1e3 * exchange, 1e3 * messages, one / parts / (search + exchange + messages));
}

// ---- options -------------------------------------------------------------------------------------------------------

static double positive(const char *name, const char *text)
{
    char *end;
    double value = text != NULL ? strtod(text, &end) : 0;
    if (text == NULL || *end != '\0' || !(value > 0) || !isfinite(value)) {
        fprintf(stderr, "snag-scale: %s needs a number above 0\n", name);
        exit(2);
    }
    return value;
}

static void read_parts(options *o, const char *text)
{
    o->part_lists = 0;
    for (char *end; text != NULL && *text != '\0'; text = *end == ',' ? end + 1 : end) {
        unsigned long value = strtoul(text, &end, 10);
        if (end == text || (*end != ',' && *end != '\0') || value < 2 || value > 1000000 || o->part_lists == LISTS)
            fail("--parts needs numbers from 2 to 1000000 with commas between them");
        o->parts[o->part_lists++] = (uint32_t)value;
    }
    if (o->part_lists == 0)
        fail("--parts needs numbers");
}

static int read_options(int argc, char **argv, options *o)
{
    const struct {
        const char *name;
        double *value;
    } numbers[] = {{"--distance", &o->distance},
                   {"--margin", &o->margin},
                   {"--search", &o->search},
                   {"--bandwidth", &o->bandwidth},
                   {"--latency", &o->latency}};
    int i = 1;
    for (; i < argc && strncmp(argv[i], "-", 1) == 0; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            fputs(HELP, stdout);
            exit(0);
        }
        if (strcmp(argv[i], "--parts") == 0) {
            read_parts(o, argv[i + 1]);
            i++;
            continue;
        }
        size_t k = 0;
        while (k < sizeof numbers / sizeof *numbers && strcmp(argv[i], numbers[k].name) != 0)
            k++;
        if (k == sizeof numbers / sizeof *numbers) {
            fprintf(stderr, "snag-scale: there is no option %s; see snag-scale --help\n", argv[i]);
            exit(2);
        }
        *numbers[k].value = positive(argv[i], argv[i + 1]);
        i++;
    }
    return i;
}

int main(int argc, char **argv)
{
    options o = {0.5, 1, 400, 5, 2, {8, 64, 512}, 3};
    scene s = {0};
    int at = read_options(argc, argv, &o);
    if (at >= argc) {
        fputs(HELP, stderr);
        return 2;
    }
    if (strcmp(argv[at], "sheet") == 0 || strcmp(argv[at], "pile") == 0)
        make_cloths(&s, positive(argv[at], argv[at + 1]), strcmp(argv[at], "pile") == 0 ? PILE : 1);
    else
        read_file(&s, argv[at]);
    cutting c = {&s, allocate(s.triangle_count, sizeof *c.centres), allocate(s.triangle_count, sizeof *c.order), NULL, 0};
    for (size_t t = 0; t < s.triangle_count; t++)
        for (int k = 0; k < 3; k++)
            c.centres[t][k] = (float)((s.x[s.triangles[t][0]][k] + s.x[s.triangles[t][1]][k] + s.x[s.triangles[t][2]][k]) / 3);
    printf("%zu triangles; model: %g ns a triangle, %g GB/s, %g us a message\n", s.triangle_count, o.search, o.bandwidth,
           o.latency);
    printf("  parts  triangles  ghosts  balance  neighbours   positions    counts    search  exchange  messages  efficiency\n");
    printf("         of a part       %%  most/mean  mean most  kB a rank  kB a rank        ms        ms        ms\n");
    for (int i = 0; i < o.part_lists; i++) {
        c.cuts = allocate(2 * (size_t)o.parts[i], sizeof *c.cuts);
        for (size_t t = 0; t < s.triangle_count; t++)
            c.order[t] = (uint32_t)t;
        cut_all(&c, o.parts[i]);
        counts made = count_all(&s, c.cuts, (const float(*)[3])c.centres, (0.5 * o.distance + o.margin) * s.edge, o.parts[i]);
        print_counts(&s, &o, o.parts[i], &made);
        fflush(stdout);
        free(c.cuts);
    }
    free(c.centres);
    free(c.order);
    free(s.x);
    free(s.triangles);
    return 0;
}
