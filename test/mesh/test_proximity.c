// The rule of proximity contacts against a plain reading of it with rationals, over small hostile meshes.
#include "base/random.h"
#include "geom/geom.h"
#include "helpers/rational_distance.h"
#include "mesh/proximity.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VERTICES = 12, TRIANGLES = 12, CONTACTS_MAX = 4000 };

// ---- small meshes ----

typedef struct small {
    double x[VERTICES][3];
    uint32_t triangles[TRIANGLES][3];
    uint32_t vertex_count, triangle_count;
} small;

static snag__mesh build(const small *s)
{
    snag_body_def def = {.positions = snag_positions_f64(&s->x[0][0], s->vertex_count),
                         .triangles = s->triangle_count ? &s->triangles[0][0] : NULL,
                         .triangle_count = s->triangle_count};
    snag_allocator allocator = snag__default_allocator();
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    return mesh;
}

static small random_small(snag__random *random, int kind)
{
    small s = {.vertex_count = 4 + snag__random_below(random, VERTICES - 4),
               .triangle_count = kind % 5 == 4 ? 0 : 1 + snag__random_below(random, TRIANGLES - 1)};
    for (uint32_t v = 0; v < s.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            s.x[v][k] = kind % 2 ? (double)snag__random_below(random, 3) : snag__random_unit(random) * 2;
    for (uint32_t t = 0; t < s.triangle_count; t++)
        do
            for (int c = 0; c < 3; c++)
                s.triangles[t][c] = snag__random_below(random, s.vertex_count);
        while (s.triangles[t][0] == s.triangles[t][1] || s.triangles[t][1] == s.triangles[t][2] ||
               s.triangles[t][0] == s.triangles[t][2]);
    return s;
}

// ---- the oracle: all pairs judged by rationals, then the rule word by word ----

// A pair of features: which is which follows from the sizes. Vertices ascending; of vertex-vertex the lower first.
typedef struct pair_of_features {
    int body_a, body_b;
    int count_a, count_b;
    uint32_t a[3], b[3];
    double distance;
} pair_of_features;

typedef struct judged {
    const small *body[2];
    bool same;
    // Per side that looks, vertex and triangle of the other side:
    uint32_t feature[2][VERTICES][TRIANGLES];
    bool within[2][VERTICES][TRIANGLES], flat[2][TRIANGLES];
    double distance[2][VERTICES][TRIANGLES];
} judged;

static bool has_corner(const small *s, uint32_t t, uint32_t v)
{
    return s->triangles[t][0] == v || s->triangles[t][1] == v || s->triangles[t][2] == v;
}

static bool is_flat(const small *s, uint32_t t, rational_distance *judge)
{
    for (int c = 0; c < 3; c++) {
        const double *p = s->x[s->triangles[t][c]], *q = s->x[s->triangles[t][(c + 1) % 3]],
                     *r = s->x[s->triangles[t][(c + 2) % 3]];
        rational_edge_edge((const double *const[2]){p, p}, (const double *const[2]){q, r}, judge);
        if (mpq_sgn(judge->squared) == 0)
            return true;
    }
    return false;
}

static void judge_all(judged *j, double d)
{
    rational_distance judge;
    rational_distance_init(&judge);
    for (int side = 0; side < 2; side++) {
        const small *from = j->body[side], *at = j->body[!side];
        for (uint32_t t = 0; t < at->triangle_count; t++) {
            const uint32_t *c = at->triangles[t];
            const double *const corner[3] = {at->x[c[0]], at->x[c[1]], at->x[c[2]]};
            j->flat[!side][t] = is_flat(at, t, &judge);
            for (uint32_t v = 0; v < from->vertex_count; v++) {
                rational_vertex_triangle(from->x[v], corner, &judge);
                j->feature[side][v][t] = judge.feature_b;
                j->within[side][v][t] = rational_compare(&judge, d) <= 0;
                j->distance[side][v][t] = sqrt(mpq_get_d(judge.squared));
            }
        }
    }
    rational_distance_clear(&judge);
}

static bool used(const small *s, uint32_t v)
{
    bool is_used = s->triangle_count == 0;
    for (uint32_t t = 0; t < s->triangle_count; t++)
        is_used = is_used || has_corner(s, t, v);
    return is_used;
}

static bool eligible(const judged *j, int side, uint32_t v, uint32_t t)
{
    return !j->flat[!side][t] && !(j->same && has_corner(j->body[!side], t, v));
}

// Whether vertex v of `side` sees the feature with these vertices as closest in every eligible triangle at it.
static bool sees(const judged *j, int side, uint32_t v, const uint32_t *vertices, int count, uint32_t *lowest)
{
    const small *at = j->body[!side];
    bool some = false;
    for (uint32_t t = 0; t < at->triangle_count; t++) {
        uint32_t corners = 0;
        for (int i = 0; i < count; i++)
            for (int c = 0; c < 3; c++)
                corners |= (uint32_t)(at->triangles[t][c] == vertices[i]) << c;
        if (__builtin_popcount(corners) != count || !eligible(j, side, v, t))
            continue;
        if (j->feature[side][v][t] != corners)
            return false;
        if (!some)
            *lowest = t;
        some = true;
    }
    return some;
}

static int compare_pairs(const void *a, const void *b)
{
    const pair_of_features *x = a, *y = b;
    return memcmp(x, y, offsetof(pair_of_features, distance));
}

static pair_of_features make_pair(int body_a, const uint32_t *a, int count_a, int body_b, const uint32_t *b, int count_b)
{
    pair_of_features p;
    memset(&p, 0, sizeof p);
    p.body_a = body_a;
    p.body_b = body_b;
    p.count_a = count_a;
    p.count_b = count_b;
    memcpy(p.a, a, (size_t)count_a * sizeof *a);
    memcpy(p.b, b, (size_t)count_b * sizeof *b);
    // Vertices of a feature ascending; of two vertices or two edges the lower side first.
    for (int side = 0; side < 2; side++)
        for (int i = 0, n = side ? count_b : count_a; i < n; i++)
            for (int k = i + 1; k < n; k++) {
                uint32_t *x = side ? p.b : p.a;
                if (x[k] < x[i]) {
                    uint32_t swap = x[i];
                    x[i] = x[k];
                    x[k] = swap;
                }
            }
    if (count_a == count_b && (body_b < body_a || (body_a == body_b && memcmp(p.b, p.a, sizeof p.a) < 0))) {
        pair_of_features turned = p;
        p.body_a = turned.body_b;
        p.body_b = turned.body_a;
        memcpy(p.a, turned.b, sizeof p.a);
        memcpy(p.b, turned.a, sizeof p.b);
    }
    return p;
}

static size_t oracle(const judged *j, double d, pair_of_features *out)
{
    size_t count = 0;
    for (int side = 0; side < (j->same ? 1 : 2); side++) {
        const small *from = j->body[side], *at = j->body[!side];
        int from_body = j->same ? 0 : side, at_body = j->same ? 0 : !side;
        for (uint32_t v = 0; v < from->vertex_count; v++)
            for (uint32_t t = 0; t < at->triangle_count && used(from, v); t++) {
                if (!eligible(j, side, v, t) || !j->within[side][v][t])
                    continue;
                uint32_t vertices[3], feature = j->feature[side][v][t], lowest = t;
                int n = 0;
                for (int c = 0; c < 3; c++)
                    if (feature >> c & 1)
                        vertices[n++] = at->triangles[t][c];
                if (n < 3 && (!sees(j, side, v, vertices, n, &lowest) || lowest != t))
                    continue;
                pair_of_features p = make_pair(from_body, &v, 1, at_body, vertices, n);
                p.distance = j->distance[side][v][t];
                bool known = false;  // two vertices may see each other
                for (size_t i = 0; i < count; i++)
                    known = known || compare_pairs(&out[i], &p) == 0;
                if (!known || n == 3)
                    out[count++] = p;
            }
    }
    // Edges, each pair once.
    rational_distance judge;
    rational_distance_init(&judge);
    for (uint32_t ta = 0; ta < j->body[0]->triangle_count; ta++)
        for (int ca = 0; ca < 3; ca++)
            for (uint32_t tb = 0; tb < j->body[1]->triangle_count; tb++)
                for (int cb = 0; cb < 3; cb++) {
                    if (j->flat[0][ta] || j->flat[1][tb])
                        continue;
                    const uint32_t a[2] = {j->body[0]->triangles[ta][ca], j->body[0]->triangles[ta][(ca + 1) % 3]};
                    const uint32_t b[2] = {j->body[1]->triangles[tb][cb], j->body[1]->triangles[tb][(cb + 1) % 3]};
                    if (j->same && (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]))
                        continue;
                    rational_edge_edge((const double *const[2]){j->body[0]->x[a[0]], j->body[0]->x[a[1]]},
                                       (const double *const[2]){j->body[1]->x[b[0]], j->body[1]->x[b[1]]}, &judge);
                    if (judge.feature_a != 3 || judge.feature_b != 3 || rational_compare(&judge, d) > 0)
                        continue;
                    pair_of_features p = make_pair(0, a, 2, !j->same, b, 2);
                    p.distance = sqrt(mpq_get_d(judge.squared));
                    bool known = false;
                    for (size_t i = 0; i < count; i++)
                        known = known || compare_pairs(&out[i], &p) == 0;
                    if (!known)
                        out[count++] = p;
                }
    rational_distance_clear(&judge);
    qsort(out, count, sizeof *out, compare_pairs);
    return count;
}

// ---- what the library says ----

static pair_of_features named_pair(const snag__mesh *a, int body_a, const snag__mesh *b, int body_b, const snag__proximity *p)
{
    uint32_t vertices[3];
    int n = 0;
    for (int c = 0; c < 3; c++)
        if (p->feature >> c & 1)
            vertices[n++] = b->triangles[p->triangle][c];
    assert_int_equal(p->kind, n == 1 ? SNAG_VERTEX_VERTEX : n == 2 ? SNAG_VERTEX_EDGE : SNAG_VERTEX_FACE);
    snag_contact contact;
    snag__vertex_triangle_contact(a, p->vertex, b, p->triangle, p->feature, &contact);
    pair_of_features pair = make_pair(body_a, &p->vertex, 1, body_b, vertices, n);
    pair.distance = contact.value;
    double length = 0, gap = 0;
    for (int k = 0; k < 3; k++) {
        length += contact.normal[k] * contact.normal[k];
        gap += contact.normal[k] * (contact.point_a[k] - contact.point_b[k]);
    }
    assert_true(fabs(length - 1) < 1e-14 && fabs(gap - contact.value) < 1e-14);
    return pair;
}

// Whether the higher vertex of a vertex-vertex pair, which is the vertex side here, has no triangle that could be
// named.
static bool higher_has_no_triangle(const pair_of_features *pair, const snag__mesh *higher)
{
    for (uint32_t t = 0; t < higher->triangle_count; t++) {
        const uint32_t *c = higher->triangles[t];
        bool own = c[0] == pair->b[0] || c[1] == pair->b[0] || c[2] == pair->b[0];
        bool both = pair->body_a == pair->body_b && (c[0] == pair->a[0] || c[1] == pair->a[0] || c[2] == pair->a[0]);
        if (own && !both && !snag__is_collinear(higher->x_t1[c[0]], higher->x_t1[c[1]], higher->x_t1[c[2]]))
            return false;
    }
    return true;
}

static size_t ask_mesh(const snag__mesh *mesh, bool same, double d, pair_of_features *out)
{
    size_t count = 0;
    for (int side = 0; side < (same ? 1 : 2); side++) {
        const snag__mesh *a = &mesh[side], *b = same ? a : &mesh[!side];
        int body_a = side, body_b = same ? side : !side;
        for (uint32_t v = 0; v < a->vertex_count; v++)
            for (uint32_t t = 0; t < b->triangle_count; t++) {
                snag__proximity p;
                if (!snag__proximity_vertex_triangle(a, v, b, t, side == 0, snag__limit_of(d), NULL, &p))
                    continue;
                assert_true(count < CONTACTS_MAX);
                const snag__mesh *vertex_mesh = p.swapped ? b : a, *triangle_mesh = p.swapped ? a : b;
                int vertex_body = p.swapped ? body_b : body_a, triangle_body = p.swapped ? body_a : body_b;
                out[count++] = named_pair(vertex_mesh, vertex_body, triangle_mesh, triangle_body, &p);
                if (p.kind == SNAG_VERTEX_VERTEX) {
                    // The lower (body, vertex) is the vertex side, unless the other has no triangle.
                    const pair_of_features *last = &out[count - 1];
                    bool lower = vertex_body == last->body_a && p.vertex == last->a[0];
                    assert_true(lower || higher_has_no_triangle(last, same ? a : &mesh[vertex_body]));
                }
            }
    }
    const snag__mesh *a = &mesh[0], *b = same ? a : &mesh[1];
    for (uint32_t ea = 0; ea < a->edge_count; ea++)
        for (uint32_t eb = same ? ea : 0; eb < b->edge_count; eb++) {
            bool exact = false;
            if (!snag__proximity_edge_edge(a, ea, b, eb, snag__limit_of(d), &exact))
                continue;
            snag_contact contact;
            snag__edge_edge_contact(a, ea, b, eb, &contact);
            assert_true(count < CONTACTS_MAX);
            out[count] = make_pair(0, a->edges[ea], 2, !same, b->edges[eb], 2);
            out[count++].distance = contact.value;
        }
    qsort(out, count, sizeof *out, compare_pairs);
    return count;
}

// The batches say the same as one candidate at a time, for every instruction set.
static void check_batches(const snag__mesh *a, const snag__mesh *b, bool a_first, double d)
{
    static uint32_t pairs[VERTICES * TRIANGLES * 9][2], index[SNAG__PROXIMITY_BATCH];
    static snag__proximity out[SNAG__PROXIMITY_BATCH];
    for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
        if (!snag__isa_available((snag_isa)isa))
            continue;
        const snag__distance_kernels *kernels = snag__distance_kernels_for((snag_isa)isa);
        size_t count = 0, exact = 0, at = 0;
        for (uint32_t t = 0; t < b->triangle_count; t++)
            for (uint32_t v = 0; v < a->vertex_count; v++) {
                pairs[count][0] = t;
                pairs[count++][1] = v;
            }
        assert_true(count <= SNAG__PROXIMITY_BATCH);
        const uint32_t(*all)[2] = (const uint32_t(*)[2])pairs;
        size_t found = snag__proximity_vertex_triangles(kernels, a, b, a_first, all, count, snag__limit_of(d), NULL, out, &exact);
        for (size_t i = 0; i < count; i++) {
            snag__proximity one;
            if (!snag__proximity_vertex_triangle(a, pairs[i][1], b, pairs[i][0], a_first, snag__limit_of(d), NULL, &one))
                continue;
            assert_true(at < found && out[at].kind == one.kind && out[at].swapped == one.swapped && out[at].vertex == one.vertex &&
                        out[at].triangle == one.triangle && out[at].feature == one.feature);
            at++;
        }
        assert_int_equal(at, found);

        for (uint32_t ea = 0; ea < a->edge_count; ea++) {
            count = at = 0;
            for (uint32_t eb = a == b ? ea + 1 : 0; eb < b->edge_count; eb++) {
                pairs[count][0] = ea;
                pairs[count++][1] = eb;
            }
            found = snag__proximity_edge_edges(kernels, a, b, all, count, snag__limit_of(d), index, &exact);
            for (size_t i = 0; i < count; i++) {
                bool hard = false;
                if (snag__proximity_edge_edge(a, ea, b, pairs[i][1], snag__limit_of(d), &hard))
                    assert_true(at < found && index[at++] == i);
            }
            assert_int_equal(at, found);
        }
    }
}

static void check_coverage(const judged *j, const pair_of_features *contacts, size_t count)
{
    for (int side = 0; side < (j->same ? 1 : 2); side++) {
        int body = j->same ? 0 : side;
        for (uint32_t v = 0; v < j->body[side]->vertex_count; v++)
            for (uint32_t t = 0; t < j->body[!side]->triangle_count && used(j->body[side], v); t++) {
                if (!eligible(j, side, v, t) || !j->within[side][v][t])
                    continue;
                bool covered = false;
                for (size_t i = 0; i < count && !covered; i++) {
                    const pair_of_features *c = &contacts[i];
                    bool mine = (c->count_a == 1 && c->body_a == body && c->a[0] == v) ||
                                (c->count_b == 1 && c->body_b == body && c->b[0] == v);
                    covered = mine && c->distance <= j->distance[side][v][t] * (1 + 1e-12);
                }
                assert_true(covered);
            }
    }
}

static void contacts_are_those_of_the_rule(void **state)
{
    (void)state;
    snag__random random = {21};
    static judged j;
    static pair_of_features expected[CONTACTS_MAX], found[CONTACTS_MAX];
    size_t by_size[4][4] = {{0}};
    for (int round = 0; round < 160; round++) {
        small bodies[2] = {random_small(&random, round), random_small(&random, round + (round % 3 == 0))};
        bool same = round % 2 == 0;
        j.body[0] = &bodies[0];
        j.body[1] = same ? &bodies[0] : &bodies[1];
        j.same = same;
        double d = round % 4 < 2 ? 0.5 : round % 8 == 2 ? 0 : 1;
        judge_all(&j, d);
        size_t expected_count = oracle(&j, d, expected);
        snag__mesh mesh[2] = {build(&bodies[0]), build(&bodies[1])};
        size_t count = ask_mesh(mesh, same, d, found);
        assert_int_equal(count, expected_count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(compare_pairs(&found[i], &expected[i]), 0);
            assert_true(fabs(found[i].distance - expected[i].distance) <= 1e-12);
            by_size[found[i].count_a][found[i].count_b]++;
        }
        check_coverage(&j, found, count);
        check_batches(&mesh[0], same ? &mesh[0] : &mesh[1], true, d);
        if (!same)
            check_batches(&mesh[1], &mesh[0], false, d);
        snag__mesh_free(&mesh[0]);
        snag__mesh_free(&mesh[1]);
    }
    assert_true(by_size[1][1] > 100 && by_size[1][2] > 200 && by_size[1][3] > 100 && by_size[2][2] > 200);
}

// ---- renumbering ----

static small renumber(const small *s, snag__random *random, uint32_t old_of[VERTICES])
{
    small r = *s;
    for (uint32_t v = 0; v < VERTICES; v++)
        old_of[v] = v;
    for (uint32_t v = s->vertex_count - 1; v > 0; v--) {
        uint32_t w = snag__random_below(random, v + 1), swap = old_of[v];
        old_of[v] = old_of[w];
        old_of[w] = swap;
    }
    for (uint32_t v = 0; v < s->vertex_count; v++)
        memcpy(r.x[v], s->x[old_of[v]], sizeof r.x[v]);
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        uint32_t turn = snag__random_below(random, 3);
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t v = 0; v < s->vertex_count; v++)
                if (old_of[v] == s->triangles[s->triangle_count - 1 - t][(c + turn) % 3])
                    r.triangles[t][c] = v;
    }
    return r;
}

static void contacts_do_not_depend_on_numbers(void **state)
{
    (void)state;
    snag__random random = {22};
    static pair_of_features before[CONTACTS_MAX], after[CONTACTS_MAX];
    for (int round = 0; round < 200; round++) {
        small first = random_small(&random, round);
        uint32_t old_of[VERTICES];
        small second = renumber(&first, &random, old_of);
        snag__mesh a = build(&first), b = build(&second);
        double d = round % 2 ? 1 : 0.5;
        size_t count = ask_mesh(&a, true, d, before);
        assert_int_equal(ask_mesh(&b, true, d, after), count);
        for (size_t i = 0; i < count; i++) {
            pair_of_features p = after[i];
            for (int c = 0; c < 3; c++) {
                p.a[c] = c < p.count_a ? old_of[p.a[c]] : 0;
                p.b[c] = c < p.count_b ? old_of[p.b[c]] : 0;
            }
            double distance = p.distance;
            p = make_pair(0, p.a, p.count_a, 0, p.b, p.count_b);
            p.distance = distance;
            after[i] = p;
        }
        qsort(after, count, sizeof *after, compare_pairs);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(compare_pairs(&before[i], &after[i]), 0);
            assert_memory_equal(&before[i].distance, &after[i].distance, sizeof(double));
        }
        snag__mesh_free(&a);
        snag__mesh_free(&b);
    }
}

// ---- named cases ----

static const small two_triangles = {
    .x = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}}, .triangles = {{0, 1, 2}, {0, 2, 3}}, .vertex_count = 4, .triangle_count = 2};

static size_t contacts_with_vertex(double x, double y, double z, double d, pair_of_features *found)
{
    small cloud = {.x = {{x, y, z}}, .vertex_count = 1};
    snag__mesh mesh[2] = {build(&cloud), build(&two_triangles)};
    size_t count = ask_mesh(mesh, false, d, found);
    snag__mesh_free(&mesh[0]);
    snag__mesh_free(&mesh[1]);
    return count;
}

static void a_vertex_has_one_contact_with_a_flat_sheet(void **state)
{
    (void)state;
    static pair_of_features found[CONTACTS_MAX];
    // Over the inside, near the shared edge: the face. Over the edge: the edge, once. Beyond a corner: the corner,
    // once.
    assert_int_equal(contacts_with_vertex(1.1, 1, 0.5, 0.6, found), 1);
    assert_true(found[0].count_b == 3 && found[0].b[0] == 0 && found[0].b[1] == 1 && found[0].b[2] == 2);
    assert_int_equal(contacts_with_vertex(1, 1, 0.5, 0.5, found), 1);
    assert_true(found[0].count_b == 2 && found[0].b[0] == 0 && found[0].b[1] == 2 && found[0].distance == 0.5);
    assert_int_equal(contacts_with_vertex(-0.3, 0, 0.4, 0.5, found), 0);  // 0.3^2 + 0.4^2 in double is above 0.5^2
    assert_int_equal(contacts_with_vertex(-0.25, 0, 0, 0.25, found), 1);
    assert_true(found[0].count_b == 1 && found[0].b[0] == 0 && found[0].distance == 0.25);
    assert_int_equal(contacts_with_vertex(1.1, 1, 0.5, 0.49, found), 0);
}

static void the_normal_at_distance_zero_is_that_of_the_triangle(void **state)
{
    (void)state;
    small cloud = {.x = {{1, 0.5, 0}}, .vertex_count = 1};
    snag__mesh a = build(&cloud), b = build(&two_triangles);
    snag__proximity p;
    assert_true(snag__proximity_vertex_triangle(&a, 0, &b, 0, true, snag__limit_of(0), NULL, &p));
    snag_contact contact;
    snag__vertex_triangle_contact(&a, 0, &b, 0, p.feature, &contact);
    assert_true(contact.value == 0 && contact.normal[0] == 0 && contact.normal[1] == 0 && contact.normal[2] == 1);
    snag__mesh_free(&a);
    snag__mesh_free(&b);
}

// ---- the closest features of two bodies ----

static void the_closest_features_do_not_depend_on_the_order(void **state)
{
    (void)state;
    snag__random random = {23};
    rational_distance judge, least;
    rational_distance_init(&judge);
    rational_distance_init(&least);
    for (int round = 0; round < 80; round++) {
        small bodies[2] = {random_small(&random, round), random_small(&random, round % 2)};
        for (uint32_t v = 0; v < bodies[1].vertex_count; v++)
            bodies[1].x[v][0] += 3;
        snag__mesh a = build(&bodies[0]), b = build(&bodies[1]);
        snag__closest forth = {0}, back = {0}, other = {0};
        bool any = false;
        for (int side = 0; side < 2; side++) {
            const small *from = &bodies[side], *at = &bodies[!side];
            const snag__mesh *mesh_v = side ? &b : &a, *mesh_t = side ? &a : &b;
            for (uint32_t v = 0; v < from->vertex_count; v++)
                for (uint32_t t = 0; t < at->triangle_count; t++) {
                    snag__closest_vertex_triangle(mesh_v, v, mesh_t, t, side, &forth);
                    snag__closest_vertex_triangle(mesh_v, from->vertex_count - 1 - v, mesh_t, at->triangle_count - 1 - t, side,
                                                  v % 2 ? &back : &other);
                    const double *const corner[3] = {at->x[at->triangles[t][0]], at->x[at->triangles[t][1]],
                                                     at->x[at->triangles[t][2]]};
                    if (!used(from, v) || is_flat(at, t, &judge))
                        continue;
                    rational_vertex_triangle(from->x[v], corner, &judge);
                    if (!any || mpq_cmp(judge.squared, least.squared) < 0)
                        mpq_set(least.squared, judge.squared);
                    any = true;
                }
        }
        for (uint32_t ea = 0; ea < a.edge_count; ea++)
            for (uint32_t eb = 0; eb < b.edge_count; eb++) {
                snag__closest_edge_edge(&a, ea, &b, eb, &forth);
                snag__closest_edge_edge(&a, a.edge_count - 1 - ea, &b, b.edge_count - 1 - eb, ea % 2 ? &back : &other);
                if (!any)
                    continue;
                rational_edge_edge((const double *const[2]){a.x_t1[a.edges[ea][0]], a.x_t1[a.edges[ea][1]]},
                                   (const double *const[2]){b.x_t1[b.edges[eb][0]], b.x_t1[b.edges[eb][1]]}, &judge);
                bool flat_only = !judge.unique;  // edges of flat triangles alone do not count: leave those to the ends
                if (!flat_only && judge.feature_a == 3 && judge.feature_b == 3 && mpq_cmp(judge.squared, least.squared) < 0 &&
                    forth.found && forth.kind == SNAG_EDGE_EDGE)
                    mpq_set(least.squared, judge.squared);
            }
        snag__closest_join(&back, &other);
        assert_true(forth.found == any && back.found == any);
        if (any) {
            assert_true(forth.kind == back.kind && forth.first == back.first && forth.second == back.second &&
                        forth.vertex_second == back.vertex_second);
            assert_memory_equal(&forth.gap, &back.gap, sizeof forth.gap);
            assert_true(rational_compare(&least, forth.gap.distance * (1 + 1e-12)) <= 0);
            assert_true(rational_compare(&least, forth.gap.distance * (1 - 1e-12)) >= 0);
            snag__closest_names names = snag__closest_name(&a, &b, &forth, NULL);
            snag_contact contact;
            const snag__mesh *vertex_side = names.vertex_second ? &b : &a, *triangle_side = names.vertex_second ? &a : &b;
            if (names.kind_a == SNAG_EDGE)
                snag__edge_edge_contact(&a, names.a, &b, names.b, &contact);
            else
                snag__vertex_triangle_contact(vertex_side, names.a, triangle_side, names.b, names.feature, &contact);
            assert_true(contact.value == forth.gap.distance);
        }
        snag__mesh_free(&a);
        snag__mesh_free(&b);
    }
    rational_distance_clear(&judge);
    rational_distance_clear(&least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_of_the_rule),
        cmocka_unit_test(contacts_do_not_depend_on_numbers),
        cmocka_unit_test(a_vertex_has_one_contact_with_a_flat_sheet),
        cmocka_unit_test(the_normal_at_distance_zero_is_that_of_the_triangle),
        cmocka_unit_test(the_closest_features_do_not_depend_on_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
