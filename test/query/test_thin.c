// What brute says of rods and points, judged by rationals (GMP) on small random bodies that mix all kinds of elements: the rule of
// mesh/proximity.h word for word, every pair of elements tried, no code of the library but its lists of elements.
#include "helpers/mixed.h"
#include "helpers/rational.h"
#include "helpers/rational_distance.h"
#include "helpers/rational_impact.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 3, ELEMENTS = 4 * MIXED_ELEMENTS + 16 };

// A body as the judge sees it. Triangles and edges are those of snag_body_info, so that they have its numbers.
typedef struct judged {
    mixed_body made;
    snag_body_id id;
    snag_body_info info;
    bool edge_is_rod[ELEMENTS], has_length[ELEMENTS], has_area[ELEMENTS];
    bool thin[MIXED_VERTICES], listed[MIXED_VERTICES], used[MIXED_VERTICES], at_edge[MIXED_VERTICES], at_triangle[MIXED_VERTICES];
} judged;

typedef struct scene {
    snag_world *world;
    judged body[BODIES];
    uint32_t count;
} scene;

// A contact as the judge and the library name it.
typedef struct naming {
    uint32_t body_a, kind_a, a, body_b, kind_b, b, kind;
} naming;

enum { MOST = 20000 };
typedef struct names {
    naming list[MOST];
    size_t count;
} names;

// ---- scenes ----

static const uint32_t *triangle(const judged *b, uint32_t t)
{
    return b->info.triangles + 3 * (size_t)t;
}

static const uint32_t *edge(const judged *b, uint32_t e)
{
    return b->info.edges + 2 * (size_t)e;
}

static bool same_place(const double *x, const double *y)
{
    return x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
}

static void look_at(judged *b, const snag_world *world)
{
    assert_int_equal(snag_world_body(world, b->id, &b->info), SNAG_OK);
    assert_int_equal(b->info.rod_count, b->made.edge_count);
    assert_int_equal(b->info.point_count, b->made.point_count);
    assert_true(b->info.edge_count <= ELEMENTS && b->info.triangle_count <= ELEMENTS);
    const double(*x)[3] = (const double(*)[3])b->made.x;
    for (uint32_t t = 0; t < b->info.triangle_count; t++) {
        const uint32_t *v = triangle(b, t);
        b->has_area[t] = !judge_is_collinear(x[v[0]], x[v[1]], x[v[2]]);
        for (int c = 0; c < 3; c++)
            b->at_triangle[v[c]] = b->used[v[c]] = true;
    }
    for (uint32_t e = 0; e < b->info.edge_count; e++) {
        const uint32_t *v = edge(b, e);
        b->has_length[e] = !same_place(x[v[0]], x[v[1]]);
        for (uint32_t r = 0; r < b->made.edge_count; r++) {
            const uint32_t *w = b->made.edges[r];
            b->edge_is_rod[e] |= (w[0] == v[0] && w[1] == v[1]) || (w[0] == v[1] && w[1] == v[0]);
        }
        for (int i = 0; i < 2; i++) {
            b->at_edge[v[i]] = b->used[v[i]] = true;
            b->thin[v[i]] |= b->edge_is_rod[e];
        }
    }
    for (uint32_t k = 0; k < b->made.tet_count; k++)
        for (int c = 0; c < 4; c++)
            b->used[b->made.tets[k][c]] = true;
    for (uint32_t p = 0; p < b->made.point_count; p++)
        b->listed[b->made.points[p]] = b->thin[b->made.points[p]] = b->used[b->made.points[p]] = true;
    if (b->made.triangle_count + b->made.tet_count + b->made.edge_count + b->made.point_count == 0)
        for (uint32_t v = 0; v < b->made.vertex_count; v++)
            b->used[v] = true;
}

static bool is_cloud(const judged *b)
{
    return b->made.triangle_count + b->made.tet_count + b->made.edge_count + b->made.point_count == 0;
}

// Whether a vertex stands in contacts of features.
static bool takes_part(const judged *b, uint32_t v)
{
    return is_cloud(b) || b->thin[v] || b->at_triangle[v];
}

static void make_scene(scene *s, uint32_t grid, uint32_t count, double thickness, snag__random *random)
{
    memset(s, 0, sizeof *s);
    s->world = scene_world(&(scene_options){.threads = 1});
    s->count = count;
    for (uint32_t i = 0; i < count; i++) {
        mixed_make(&s->body[i].made, grid, random);
        if (thickness > 0)
            mixed_thicken(&s->body[i].made, thickness, random);
        s->body[i].id = mixed_add(s->world, &s->body[i].made);
        look_at(&s->body[i], s->world);
    }
}

static bool has(const uint32_t *vertices, int count, uint32_t v)
{
    for (int i = 0; i < count; i++)
        if (vertices[i] == v)
            return true;
    return false;
}

static void add_name(names *n, naming name)
{
    assert_true(n->count < MOST);
    n->list[n->count++] = name;
}

static int by_name(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(naming));
}

static void assert_same_names(names *expected, const scene *s, const snag_answer *answer)
{
    static names found;
    found.count = 0;
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        add_name(&found, (naming){c->body_a.index - 1, c->a.kind, c->a.index, c->body_b.index - 1, c->b.kind, c->b.index, c->kind});
    }
    (void)s;
    qsort(expected->list, expected->count, sizeof(naming), by_name);
    qsort(found.list, found.count, sizeof(naming), by_name);
    for (size_t i = 0; i < expected->count && i < found.count; i++)
        if (by_name(&expected->list[i], &found.list[i]) != 0) {
            const naming *e = &expected->list[i], *f = &found.list[i];
            print_message("judge: body %u kind %u %u, body %u kind %u %u, %u\n", e->body_a, e->kind_a, e->a, e->body_b, e->kind_b,
                          e->b, e->kind);
            print_message("brute: body %u kind %u %u, body %u kind %u %u, %u\n", f->body_a, f->kind_a, f->a, f->body_b, f->kind_b,
                          f->b, f->kind);
            break;
        }
    assert_int_equal(found.count, expected->count);
    assert_memory_equal(found.list, expected->list, found.count * sizeof(naming));
}

static const snag_answer *ask_brute(const scene *s, const snag_question_def *question)
{
    snag_question_def ask = *question;
    ask.method = SNAG_METHOD_BRUTE;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(s->world, &ask, &answer), SNAG_OK);
    return answer;
}

// ---- contacts of features ----

// An element of a body that a vertex looks at: a triangle with an area or a rod with a length.
typedef struct seen {
    bool rod;
    uint32_t index, corners[3];
    int count;
} seen;

static int elements_of(const judged *b, seen *list)
{
    int count = 0;
    for (uint32_t t = 0; t < b->info.triangle_count; t++)
        if (b->has_area[t])
            list[count++] = (seen){false, t, {triangle(b, t)[0], triangle(b, t)[1], triangle(b, t)[2]}, 3};
    for (uint32_t e = 0; e < b->info.edge_count; e++)
        if (b->edge_is_rod[e] && b->has_length[e])
            list[count++] = (seen){true, e, {edge(b, e)[0], edge(b, e)[1]}, 2};
    return count;
}

// The largest radius of some vertices.
static double radius_of(const judged *b, const uint32_t *vertices, int count)
{
    float most = 0;
    for (int i = 0; i < count && b->made.tapered; i++)
        most = fmaxf(most, b->made.radii[vertices[i]]);
    return b->made.tapered ? (double)most : b->made.radius;
}

// The same of a vertex and those that edges join it to.
static double ring_radius(const judged *b, uint32_t v)
{
    double most = radius_of(b, &v, 1);
    for (uint32_t e = 0; e < b->info.edge_count; e++)
        if (has(edge(b, e), 2, v))
            most = fmax(most, radius_of(b, edge(b, e), 2));
    return most;
}

// The corners of the feature of an element that is closest to p, as a set of vertices: bit v for vertex v.
static uint32_t closest_feature(const double *p, const judged *b, const seen *element, rational_distance *distance)
{
    const double *x[3] = {NULL};
    for (int i = 0; i < element->count; i++)
        x[i] = b->made.x[element->corners[i]];
    uint32_t feature, set = 0;
    if (element->rod) {
        rational_edge_edge((const double *const[2]){p, p}, x, distance);
        feature = distance->feature_b;
    } else {
        rational_vertex_triangle(p, x, distance);
        feature = distance->feature_b;
    }
    for (int i = 0; i < element->count; i++)
        if (feature >> i & 1)
            set |= 1u << element->corners[i];
    return set;
}

// Vertex v of a looks at everything of b.
typedef struct view {
    seen element[2 * ELEMENTS];
    uint32_t feature[2 * ELEMENTS];
    bool near[2 * ELEMENTS];
    int count;
} view;

static void look(const judged *a, uint32_t v, const judged *b, double d, view *out)
{
    seen all[2 * ELEMENTS];
    rational_distance distance;
    rational_distance_init(&distance);
    int count = elements_of(b, all);
    out->count = 0;
    for (int i = 0; i < count; i++) {
        if (a == b && has(all[i].corners, all[i].count, v))
            continue;
        out->element[out->count] = all[i];
        out->feature[out->count] = closest_feature(a->made.x[v], b, &all[i], &distance);
        double limit = d + (ring_radius(a, v) + radius_of(b, all[i].corners, all[i].count));
        out->near[out->count++] = rational_compare(&distance, limit) <= 0;
    }
    rational_distance_clear(&distance);
}

static uint32_t set_of(const seen *element)
{
    uint32_t set = 0;
    for (int i = 0; i < element->count; i++)
        set |= 1u << element->corners[i];
    return set;
}

// Whether `feature` is closest in every element that contains it and is near enough, and there is one. `lowest` becomes the lowest
// triangle that contains it, `elements` how many elements do.
static bool counts(const view *from, uint32_t feature, uint32_t *lowest, int *elements)
{
    *lowest = UINT32_MAX;
    *elements = 0;
    bool agree = true, near = false;
    for (int i = 0; i < from->count; i++) {
        if ((set_of(&from->element[i]) & feature) != feature)
            continue;
        ++*elements;
        agree = agree && (!from->near[i] || from->feature[i] == feature);
        near |= from->near[i];
        if (!from->element[i].rod && from->element[i].index < *lowest)
            *lowest = from->element[i].index;
    }
    return agree && near;
}

static bool are_joined(const judged *b, uint32_t v, uint32_t w)
{
    for (uint32_t e = 0; e < b->info.edge_count; e++)
        if (has(edge(b, e), 2, v) && has(edge(b, e), 2, w))
            return true;
    return false;
}

static bool vertices_within(const double *x, const double *y, double d)
{
    rational_distance distance;
    rational_distance_init(&distance);
    rational_edge_edge((const double *const[2]){x, x}, (const double *const[2]){y, y}, &distance);
    bool within = rational_compare(&distance, d) <= 0;
    rational_distance_clear(&distance);
    return within;
}

static bool sees_vertex(const judged *a, uint32_t v, const judged *b, uint32_t w, double d, uint32_t *lowest)
{
    view seen_by_v;
    int elements;
    look(a, v, b, d, &seen_by_v);
    bool agree = counts(&seen_by_v, 1u << w, lowest, &elements);
    if (elements == 0)
        return b->thin[w] && (a != b || !are_joined(a, v, w)) &&
               vertices_within(a->made.x[v], b->made.x[w], d + (ring_radius(a, v) + radius_of(b, &w, 1)));
    return agree;
}

// Pairs of vertices, each once.
static void judge_vertices(const scene *s, uint32_t i, uint32_t j, double d, names *out)
{
    const judged *a = &s->body[i], *b = &s->body[j];
    for (uint32_t v = 0; v < a->made.vertex_count; v++)
        for (uint32_t w = i == j ? v + 1 : 0; w < b->made.vertex_count; w++) {
            if (!takes_part(a, v) || !takes_part(b, w))
                continue;
            uint32_t at_w, at_v;
            bool v_sees = sees_vertex(a, v, b, w, d, &at_w), w_sees = sees_vertex(b, w, a, v, d, &at_v);
            if (!v_sees && !w_sees)
                continue;
            if (at_w == UINT32_MAX && at_v == UINT32_MAX)
                add_name(out, (naming){i, SNAG_VERTEX, v, j, SNAG_VERTEX, w, SNAG_VERTEX_VERTEX});
            else if (at_w != UINT32_MAX)
                add_name(out, (naming){i, SNAG_VERTEX, v, j, SNAG_TRIANGLE, at_w, SNAG_VERTEX_VERTEX});
            else
                add_name(out, (naming){j, SNAG_VERTEX, w, i, SNAG_TRIANGLE, at_v, SNAG_VERTEX_VERTEX});
        }
}

// Faces and edges that a vertex is closest to.
static void judge_vertex(const scene *s, uint32_t i, uint32_t v, uint32_t j, double d, names *out)
{
    const judged *b = &s->body[j];
    view seen_by_v;
    look(&s->body[i], v, b, d, &seen_by_v);
    for (int k = 0; k < seen_by_v.count; k++)
        if (!seen_by_v.element[k].rod && seen_by_v.near[k] && seen_by_v.feature[k] == set_of(&seen_by_v.element[k]))
            add_name(out, (naming){i, SNAG_VERTEX, v, j, SNAG_TRIANGLE, seen_by_v.element[k].index, SNAG_VERTEX_FACE});
    for (uint32_t e = 0; e < b->info.edge_count; e++) {
        uint32_t ends = 1u << edge(b, e)[0] | 1u << edge(b, e)[1], lowest;
        int elements;
        if (!counts(&seen_by_v, ends, &lowest, &elements) || elements == 0)
            continue;
        if (lowest != UINT32_MAX)
            add_name(out, (naming){i, SNAG_VERTEX, v, j, SNAG_TRIANGLE, lowest, SNAG_VERTEX_EDGE});
        else
            add_name(out, (naming){i, SNAG_VERTEX, v, j, SNAG_EDGE, e, SNAG_VERTEX_EDGE});
    }
}

static bool edge_takes_part(const judged *b, uint32_t e)
{
    bool part = b->edge_is_rod[e] && b->has_length[e];
    for (uint32_t t = 0; t < b->info.triangle_count; t++)
        part |= b->has_area[t] && has(triangle(b, t), 3, edge(b, e)[0]) && has(triangle(b, t), 3, edge(b, e)[1]);
    return part;
}

static void judge_edges(const scene *s, uint32_t i, uint32_t j, double d, names *out)
{
    const judged *a = &s->body[i], *b = &s->body[j];
    rational_distance distance;
    rational_distance_init(&distance);
    for (uint32_t e = 0; e < a->info.edge_count; e++)
        for (uint32_t f = i == j ? e + 1 : 0; f < b->info.edge_count; f++) {
            const uint32_t *v = edge(a, e), *w = edge(b, f);
            if (!edge_takes_part(a, e) || !edge_takes_part(b, f) || (i == j && (has(v, 2, w[0]) || has(v, 2, w[1]))))
                continue;
            rational_edge_edge((const double *const[2]){a->made.x[v[0]], a->made.x[v[1]]},
                               (const double *const[2]){b->made.x[w[0]], b->made.x[w[1]]}, &distance);
            if (distance.feature_a == 3 && distance.feature_b == 3 &&
                rational_compare(&distance, d + (radius_of(a, v, 2) + radius_of(b, w, 2))) <= 0)
                add_name(out, (naming){i, SNAG_EDGE, e, j, SNAG_EDGE, f, SNAG_EDGE_EDGE});
        }
    rational_distance_clear(&distance);
}

static void contacts_of_features(void **state)
{
    (void)state;
    static names expected;
    snag__random random = {1};
    size_t all = 0, of_rods = 0, of_points = 0;
    for (uint32_t round = 0; round < 150; round++) {
        scene s;
        uint32_t grid = round % 3 == 2 ? 0 : 2 + round % 4;
        double d = grid > 0 ? 1.0 + round % 2 : 0.3;
        make_scene(&s, grid, 1 + round % BODIES, round % 2 == 0 ? 0 : d / 2, &random);
        expected.count = 0;
        for (uint32_t i = 0; i < s.count; i++)
            for (uint32_t j = 0; j < s.count; j++) {
                for (uint32_t v = 0; v < s.body[i].made.vertex_count; v++)
                    if (takes_part(&s.body[i], v))
                        judge_vertex(&s, i, v, j, d, &expected);
                if (i <= j) {
                    judge_edges(&s, i, j, d, &expected);
                    judge_vertices(&s, i, j, d, &expected);
                }
            }
        snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
        ask.distance = d;
        const snag_answer *answer = ask_brute(&s, &ask);
        assert_same_names(&expected, &s, answer);
        all += answer->count;
        for (size_t i = 0; i < answer->count; i++) {
            of_rods += answer->contacts[i].a.kind == SNAG_VERTEX && answer->contacts[i].b.kind == SNAG_EDGE;
            of_points += answer->contacts[i].b.kind == SNAG_VERTEX;
        }
        snag_world_destroy(s.world);
    }
    assert_true(all > 8000 && of_rods > 2000 && of_points > 800);
}

// ---- every pair of elements ----

static bool is_lone(const judged *b, uint32_t v)
{
    return b->listed[v] && !b->at_edge[v];
}

// Calls `decide` for every pair of elements that proximities (every_pair) and impacts know.
typedef bool decide_pair(const scene *s, void *context, uint32_t i, snag_element_kind kind_a, uint32_t a, uint32_t j,
                         snag_element_kind kind_b, uint32_t b, snag_contact_kind *kind);

static void judge_pair(const scene *s, decide_pair *decide, void *context, naming name, names *out)
{
    snag_contact_kind kind = SNAG_UNRESOLVED;
    if (decide(s, context, name.body_a, (snag_element_kind)name.kind_a, name.a, name.body_b, (snag_element_kind)name.kind_b, name.b,
               &kind)) {
        name.kind = kind;
        add_name(out, name);
    }
}

static void judge_all_pairs(const scene *s, decide_pair *decide, void *context, names *out)
{
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t j = 0; j < s->count; j++) {
            const judged *a = &s->body[i], *b = &s->body[j];
            for (uint32_t v = 0; v < a->made.vertex_count; v++) {
                for (uint32_t t = 0; t < b->info.triangle_count; t++)
                    if (a->used[v] && !(i == j && has(triangle(b, t), 3, v)))
                        judge_pair(s, decide, context, (naming){i, SNAG_VERTEX, v, j, SNAG_TRIANGLE, t, 0}, out);
                for (uint32_t e = 0; e < b->info.edge_count && is_lone(a, v); e++)
                    if (b->edge_is_rod[e])
                        judge_pair(s, decide, context, (naming){i, SNAG_VERTEX, v, j, SNAG_EDGE, e, 0}, out);
                for (uint32_t w = i == j ? v + 1 : 0; w < b->made.vertex_count && i <= j && is_lone(a, v); w++)
                    if (is_lone(b, w))
                        judge_pair(s, decide, context, (naming){i, SNAG_VERTEX, v, j, SNAG_VERTEX, w, 0}, out);
            }
            for (uint32_t e = 0; e < a->info.edge_count; e++)
                for (uint32_t f = i == j ? e + 1 : 0; f < b->info.edge_count && i <= j; f++)
                    if (!(i == j && (has(edge(a, e), 2, edge(b, f)[0]) || has(edge(a, e), 2, edge(b, f)[1]))))
                        judge_pair(s, decide, context, (naming){i, SNAG_EDGE, e, j, SNAG_EDGE, f, 0}, out);
        }
}

// The vertices of an element; a vertex is an edge from it to itself, except against a triangle.
static void vertices_of(const judged *b, snag_element_kind kind, uint32_t index, uint32_t v[3])
{
    v[0] = v[1] = v[2] = index;
    if (kind == SNAG_EDGE) {
        memcpy(v, edge(b, index), 2 * sizeof *v);
        v[2] = v[0];
    }
    if (kind == SNAG_TRIANGLE)
        memcpy(v, triangle(b, index), 3 * sizeof *v);
}

static int bits_of(uint32_t set)
{
    return (int)(set & 1) + (int)(set >> 1 & 1) + (int)(set >> 2 & 1);
}

static bool edge_of_area(const judged *b, uint32_t e)
{
    bool part = b->edge_is_rod[e];
    for (uint32_t t = 0; t < b->info.triangle_count; t++)
        part |= b->has_area[t] && has(triangle(b, t), 3, edge(b, e)[0]) && has(triangle(b, t), 3, edge(b, e)[1]);
    return part;
}

static bool is_near(const scene *s, void *context, uint32_t i, snag_element_kind kind_a, uint32_t a, uint32_t j,
                    snag_element_kind kind_b, uint32_t b, snag_contact_kind *kind)
{
    const double d = *(const double *)context;
    const judged *ja = &s->body[i], *jb = &s->body[j];
    uint32_t v[3] = {0}, w[3] = {0};
    vertices_of(ja, kind_a, a, v);
    vertices_of(jb, kind_b, b, w);
    const double *x[2] = {ja->made.x[v[0]], ja->made.x[v[1]]}, *y[3] = {jb->made.x[w[0]], jb->made.x[w[1]], jb->made.x[w[2]]};
    if ((kind_b == SNAG_TRIANGLE && !jb->has_area[b]) || (kind_a == SNAG_EDGE && (!edge_of_area(ja, a) || !edge_of_area(jb, b))))
        return false;
    rational_distance distance;
    rational_distance_init(&distance);
    if (kind_b == SNAG_TRIANGLE)
        rational_vertex_triangle(x[0], y, &distance);
    else
        rational_edge_edge(x, y, &distance);
    int corners =
        (kind_a == SNAG_VERTEX ? 1 : bits_of(distance.feature_a)) * 4 + (kind_b == SNAG_VERTEX ? 1 : bits_of(distance.feature_b));
    int count_a = kind_a == SNAG_EDGE ? 2 : 1, count_b = kind_b == SNAG_TRIANGLE ? 3 : kind_b == SNAG_EDGE ? 2 : 1;
    bool near = rational_compare(&distance, d + (radius_of(ja, v, count_a) + radius_of(jb, w, count_b))) <= 0;
    *kind = corners == 5                   ? SNAG_VERTEX_VERTEX
            : corners == 6 || corners == 9 ? SNAG_VERTEX_EDGE
            : corners == 7                 ? SNAG_VERTEX_FACE
                                           : SNAG_EDGE_EDGE;
    rational_distance_clear(&distance);
    return near;
}

static void every_pair_of_elements(void **state)
{
    (void)state;
    static names expected;
    snag__random random = {2};
    size_t all = 0;
    for (uint32_t round = 0; round < 100; round++) {
        scene s;
        uint32_t grid = round % 3 == 2 ? 0 : 2 + round % 4;
        double d = grid > 0 ? 1.0 : 0.2;
        make_scene(&s, grid, 1 + round % BODIES, round % 2 == 0 ? 0 : d / 2, &random);
        expected.count = 0;
        judge_all_pairs(&s, is_near, &d, &expected);
        snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
        ask.distance = d;
        ask.every_pair = true;
        const snag_answer *answer = ask_brute(&s, &ask);
        assert_same_names(&expected, &s, answer);
        all += answer->count;
        snag_world_destroy(s.world);
    }
    assert_true(all > 5000);
}

static bool meets_on_the_way(const scene *s, void *context, uint32_t i, snag_element_kind kind_a, uint32_t a, uint32_t j,
                             snag_element_kind kind_b, uint32_t b, snag_contact_kind *kind)
{
    (void)context;
    const judged *ja = &s->body[i], *jb = &s->body[j];
    bool face = kind_b == SNAG_TRIANGLE;
    uint32_t v[3] = {0}, w[3] = {0};
    vertices_of(ja, kind_a, a, v);
    vertices_of(jb, kind_b, b, w);
    double t0[4][3], t1[4][3], low, high;
    for (int c = 0; c < 4; c++) {
        int at_a = face ? 1 : 2;
        const judged *of = c < at_a ? ja : jb;
        uint32_t vertex = c < at_a ? v[c] : w[c - at_a];
        memcpy(t0[c], of->made.x_t0[vertex], sizeof t0[c]);
        memcpy(t1[c], of->made.x[vertex], sizeof t1[c]);
    }
    *kind = face                  ? SNAG_VERTEX_FACE
            : kind_a == SNAG_EDGE ? SNAG_EDGE_EDGE
            : kind_b == SNAG_EDGE ? SNAG_VERTEX_EDGE
                                  : SNAG_VERTEX_VERTEX;
    return rational_impact_first(!face, (const double(*)[3])t0, (const double(*)[3])t1, &low, &high);
}

static void impacts_of_all_pairs(void **state)
{
    (void)state;
    static names expected;
    snag__random random = {3};
    size_t all = 0, of_points = 0;
    for (uint32_t round = 0; round < 40; round++) {
        scene s;
        make_scene(&s, 2 + round % 3, 1 + round % 2, 0, &random);
        expected.count = 0;
        judge_all_pairs(&s, meets_on_the_way, NULL, &expected);
        snag_question_def ask = snag_default_question_def(SNAG_IMPACTS);
        const snag_answer *answer = ask_brute(&s, &ask);
        assert_same_names(&expected, &s, answer);
        all += answer->count;
        for (size_t i = 0; i < answer->count; i++)
            of_points += answer->contacts[i].a.kind == SNAG_VERTEX && answer->contacts[i].b.kind != SNAG_TRIANGLE;
        snag_world_destroy(s.world);
    }
    assert_true(all > 1000 && of_points > 100);
}

// ---- intersections, penetrations, distance ----

static judge_meeting rod_meets(const judged *a, uint32_t e, const judged *b, uint32_t t)
{
    double corner[3][3];
    for (int c = 0; c < 3; c++)
        memcpy(corner[c], b->made.x[triangle(b, t)[c]], sizeof corner[c]);
    const double *p = a->made.x[edge(a, e)[0]], *q = a->made.x[edge(a, e)[1]];
    judge_meeting meeting = judge_segment_triangle(p, q, (const double(*)[3])corner);
    bool in_plane =
        judge_orient3d(corner[0], corner[1], corner[2], p) == 0 && judge_orient3d(corner[0], corner[1], corner[2], q) == 0;
    return meeting == JUDGE_TOUCHING && in_plane ? JUDGE_COPLANAR : meeting;
}

// Of a rod that shares one vertex: it also meets the triangle in a point near that vertex. Grids are so coarse that a thousandth of the
// way is near.
static bool goes_into(const judged *b, uint32_t e, uint32_t t)
{
    const uint32_t *v = edge(b, e);
    uint32_t shared = has(triangle(b, t), 3, v[0]) ? v[0] : v[1], other = v[0] ^ v[1] ^ shared;
    double corner[3][3], near[3];
    for (int c = 0; c < 3; c++)
        memcpy(corner[c], b->made.x[triangle(b, t)[c]], sizeof corner[c]);
    for (int k = 0; k < 3; k++)  // exact for small whole numbers
        near[k] = b->made.x[shared][k] + (b->made.x[other][k] - b->made.x[shared][k]) * 0x1p-10;
    return judge_segment_triangle(near, near, (const double(*)[3])corner) != JUDGE_APART;
}

static void rods_through_triangles(void **state)
{
    (void)state;
    static names expected;
    snag__random random = {4};
    size_t kinds[SNAG_CONTACT_KIND_COUNT] = {0}, sharing = 0;
    for (uint32_t round = 0; round < 400; round++) {
        scene s;
        make_scene(&s, 2 + round % 4, 1 + round % BODIES, 0.5, &random);
        expected.count = 0;
        for (uint32_t i = 0; i < s.count; i++)
            for (uint32_t j = 0; j < s.count; j++)
                for (uint32_t e = 0; e < s.body[i].info.edge_count; e++)
                    for (uint32_t t = 0; t < s.body[j].info.triangle_count; t++) {
                        const judged *a = &s.body[i], *b = &s.body[j];
                        if (!a->edge_is_rod[e] || !a->has_length[e] || !b->has_area[t])
                            continue;
                        judge_meeting meeting = rod_meets(a, e, b, t);
                        int shared = i == j ? has(triangle(b, t), 3, edge(a, e)[0]) + has(triangle(b, t), 3, edge(a, e)[1]) : 0;
                        if (meeting == JUDGE_APART || shared == 2 || (shared == 1 && !goes_into(b, e, t)))
                            continue;
                        sharing += shared == 1;
                        add_name(&expected, (naming){i, SNAG_EDGE, e, j, SNAG_TRIANGLE, t,
                                                     meeting == JUDGE_CROSSING   ? SNAG_CROSSING
                                                     : meeting == JUDGE_COPLANAR ? SNAG_COPLANAR
                                                                                 : SNAG_TOUCHING});
                    }
        snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
        const snag_answer *answer = ask_brute(&s, &ask);
        static snag_contact rods[MOST];
        snag_answer of_rods = {.contacts = rods};
        for (size_t i = 0; i < answer->count; i++) {
            const snag_contact *c = &answer->contacts[i];
            if (c->a.kind != SNAG_EDGE)
                continue;
            rods[of_rods.count++] = *c;
            kinds[c->kind]++;
            // The points lie on the edge, between its ends.
            const judged *a = &s.body[c->body_a.index - 1];
            for (int k = 0; k < 3; k++) {
                double low = fmin(a->made.x[c->a.vertex[0]][k], a->made.x[c->a.vertex[1]][k]);
                double high = fmax(a->made.x[c->a.vertex[0]][k], a->made.x[c->a.vertex[1]][k]);
                assert_true(c->point_a[k] >= low && c->point_a[k] <= high && c->point_b[k] >= low && c->point_b[k] <= high);
            }
        }
        assert_same_names(&expected, &s, &of_rods);
        snag_world_destroy(s.world);
    }
    assert_true(kinds[SNAG_CROSSING] > 20 && kinds[SNAG_TOUCHING] > 200 && kinds[SNAG_COPLANAR] > 200 && sharing > 5);
}

static void rods_and_points_in_tetrahedra(void **state)
{
    (void)state;
    static names expected;
    snag__random random = {5};
    size_t inside = 0, through = 0;
    for (uint32_t round = 0; round < 300; round++) {
        scene s;
        make_scene(&s, 2 + round % 4, 1 + round % BODIES, 0.5, &random);
        expected.count = 0;
        for (uint32_t i = 0; i < s.count; i++)
            for (uint32_t j = 0; j < s.count; j++)
                for (uint32_t k = 0; k < s.body[j].made.tet_count; k++) {
                    const judged *a = &s.body[i], *b = &s.body[j];
                    const uint32_t *tet = b->made.tets[k];
                    double corner[4][3], enters[3], leaves[3];
                    for (int c = 0; c < 4; c++)
                        memcpy(corner[c], b->made.x[tet[c]], sizeof corner[c]);
                    for (uint32_t v = 0; v < a->made.vertex_count; v++)
                        if (a->used[v] && !(i == j && has(tet, 4, v)) &&
                            judge_point_in_tet(a->made.x[v], (const double(*)[3])corner))
                            add_name(&expected, (naming){i, SNAG_VERTEX, v, j, SNAG_TET, k, SNAG_INSIDE});
                    for (uint32_t e = 0; e < a->info.edge_count; e++)
                        if (!(i == j && (has(tet, 4, edge(a, e)[0]) || has(tet, 4, edge(a, e)[1]))) &&
                            judge_segment_through_tet(a->made.x[edge(a, e)[0]], a->made.x[edge(a, e)[1]],
                                                      (const double(*)[3])corner, enters, leaves))
                            add_name(&expected, (naming){i, SNAG_EDGE, e, j, SNAG_TET, k, SNAG_THROUGH});
                }
        snag_question_def ask = snag_default_question_def(SNAG_PENETRATIONS);
        const snag_answer *answer = ask_brute(&s, &ask);
        assert_same_names(&expected, &s, answer);
        for (size_t i = 0; i < answer->count; i++)
            *(answer->contacts[i].kind == SNAG_INSIDE ? &inside : &through) += 1;
        snag_world_destroy(s.world);
    }
    assert_true(inside > 100 && through > 20);
}

// The least distance of two bodies, of all pairs of a vertex that takes part and anything; 0 if something intersects.
static void judge_distance(const judged *a, const judged *b, mpq_t best, bool *found)
{
    rational_distance distance;
    rational_distance_init(&distance);
    *found = false;
    seen elements[2 * ELEMENTS];
    for (int side = 0; side < 2; side++) {
        const judged *from = side == 0 ? a : b, *to = side == 0 ? b : a;
        int count = elements_of(to, elements);
        for (uint32_t v = 0; v < from->made.vertex_count; v++) {
            for (int i = 0; i < count && takes_part(from, v); i++) {
                closest_feature(from->made.x[v], to, &elements[i], &distance);
                if (!*found || mpq_cmp(distance.squared, best) < 0)
                    mpq_set(best, distance.squared);
                *found = true;
            }
            for (uint32_t w = 0; w < to->made.vertex_count && takes_part(from, v); w++) {
                if (!takes_part(to, w) || !(from->thin[v] || to->thin[w]))
                    continue;
                rational_edge_edge((const double *const[2]){from->made.x[v], from->made.x[v]},
                                   (const double *const[2]){to->made.x[w], to->made.x[w]}, &distance);
                if (!*found || mpq_cmp(distance.squared, best) < 0)
                    mpq_set(best, distance.squared);
                *found = true;
            }
        }
        for (uint32_t e = 0; e < from->info.edge_count; e++)
            for (uint32_t t = 0; t < to->info.triangle_count; t++)
                if (edge_takes_part(from, e) && to->has_area[t] && rod_meets(from, e, to, t) != JUDGE_APART) {
                    mpq_set_ui(best, 0, 1);
                    *found = true;
                }
    }
    for (uint32_t e = 0; e < a->info.edge_count; e++)
        for (uint32_t f = 0; f < b->info.edge_count; f++) {
            if (!edge_takes_part(a, e) || !edge_takes_part(b, f))
                continue;
            rational_edge_edge((const double *const[2]){a->made.x[edge(a, e)[0]], a->made.x[edge(a, e)[1]]},
                               (const double *const[2]){b->made.x[edge(b, f)[0]], b->made.x[edge(b, f)[1]]}, &distance);
            if (!*found || mpq_cmp(distance.squared, best) < 0)
                mpq_set(best, distance.squared);
            *found = true;
        }
    rational_distance_clear(&distance);
}

static void distances_of_bodies(void **state)
{
    (void)state;
    snag__random random = {6};
    size_t apart = 0, touching = 0, none = 0;
    mpq_t best;
    mpq_init(best);
    for (uint32_t round = 0; round < 400; round++) {
        scene s;
        make_scene(&s, round % 2 == 0 ? 0 : 3 + round % 8, 2, 0.5, &random);
        // Half of them apart.
        if (round % 4 < 2) {
            for (uint32_t v = 0; v < s.body[1].made.vertex_count; v++)
                s.body[1].made.x[v][0] += round % 4 == 0 ? 1.5 : 12;
            assert_int_equal(
                snag_world_move(s.world, s.body[1].id, snag_positions_f64(&s.body[1].made.x[0][0], s.body[1].made.vertex_count)),
                SNAG_OK);
        }
        bool found;
        judge_distance(&s.body[0], &s.body[1], best, &found);
        snag_question_def ask = snag_default_question_def(SNAG_DISTANCE);
        ask.self = false;
        const snag_answer *answer = ask_brute(&s, &ask);
        assert_int_equal(answer->count, found);
        if (found) {
            double expected = sqrt(mpq_get_d(best));
            assert_true(fabs(answer->contacts[0].value - expected) <= 1e-7 * expected);
            *(expected > 0 ? &apart : &touching) += 1;
        } else {
            none++;
        }
        snag_world_destroy(s.world);
    }
    mpq_clear(best);
    assert_true(apart > 150 && touching > 80 && apart + touching + none == 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_of_features),          cmocka_unit_test(every_pair_of_elements),
        cmocka_unit_test(impacts_of_all_pairs),          cmocka_unit_test(rods_through_triangles),
        cmocka_unit_test(rods_and_points_in_tetrahedra), cmocka_unit_test(distances_of_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
