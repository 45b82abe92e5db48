// Excluded pairs alone, many of them, of each kind of element: contacts of features and every pair, beside a plain loop over the pairs.
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS = 6, BODIES = 2, PAIRS = 3000, SETS = 6, OF_A_SET = 5 };

typedef struct rig {
    snag_world *world;
    snag_body_id ids[BODIES];
    snag_body_info info[BODIES];
    snag_excluded_pair pairs[PAIRS];
    snag_excluded_sets sets[SETS];
    uint32_t vertices[2 * SETS][OF_A_SET];
    size_t pair_count, set_count;
    const snag_exclusions *exclusions;
} rig;

// Which elements are excluded: vertices (their only items), edges, triangles with vertices, all of these, or sets, alone and with pairs of
// vertices.
enum { VERTICES, EDGES, TRIANGLES, MIXED, BY_SETS, SETS_AND_VERTICES, MODES };

static snag_element some_element(const rig *r, int body, int mode, snag__random *random)
{
    const snag_body_info *info = &r->info[body];
    snag_element_kind kind = mode == EDGES       ? SNAG_EDGE
                             : mode == TRIANGLES ? SNAG_TRIANGLE
                             : mode == MIXED     ? (snag_element_kind)snag__random_below(random, 3)
                                                 : SNAG_VERTEX;
    size_t count = kind == SNAG_VERTEX ? info->vertex_count : kind == SNAG_EDGE ? info->edge_count : info->triangle_count;
    snag_element element = {.kind = kind, .index = snag__random_below(random, (uint32_t)count)};
    if (kind == SNAG_EDGE)
        memcpy(element.vertex, info->edges + 2 * (size_t)element.index, 2 * sizeof *element.vertex);
    return element;
}

static void open_rig(rig *r, int mode, uint32_t number, snag__random *random)
{
    memset(r, 0, sizeof *r);
    r->world = scene_world(&(scene_options){.threads = 1 + number % 2, .isa = scene_isa(number)});
    for (int i = 0; i < BODIES; i++) {
        snag_shape sheet = scene_crumpled_sheet(CELLS, 0.15, random);
        assert_int_equal(scene_add(r->world, &sheet, SNAG_F64, NULL, &r->ids[i]), SNAG_OK);
        assert_int_equal(snag_world_body(r->world, r->ids[i], &r->info[i]), SNAG_OK);
        snag_shape_free(&sheet);
    }
    r->pair_count = mode == BY_SETS ? 0 : PAIRS;
    r->set_count = mode >= BY_SETS ? SETS : 0;
    for (size_t i = 0; i < r->pair_count; i++) {
        int a = (int)snag__random_below(random, BODIES), b = (int)snag__random_below(random, BODIES);
        r->pairs[i] = (snag_excluded_pair){r->ids[a], r->ids[b], some_element(r, a, mode, random),
                                           some_element(r, b, mode == TRIANGLES ? VERTICES : mode, random)};
    }
    for (size_t i = 0; i < 2 * r->set_count; i++)
        for (int k = 0; k < OF_A_SET; k++)
            r->vertices[i][k] = snag__random_below(random, (uint32_t)r->info[0].vertex_count);
    for (size_t i = 0; i < r->set_count; i++)
        r->sets[i] =
            (snag_excluded_sets){r->ids[i % 2], r->vertices[2 * i], OF_A_SET, r->ids[i / 2 % 2], r->vertices[2 * i + 1], OF_A_SET};
    snag_exclusion_def def = snag_default_exclusion_def();
    def.pairs = r->pairs;
    def.pair_count = r->pair_count;
    def.sets = r->sets;
    def.set_count = r->set_count;
    assert_int_equal(snag_world_exclude(r->world, &def, &r->exclusions), SNAG_OK);
}

// ---- the rule ----

static bool has(const uint32_t *v, int count, uint32_t one)
{
    for (int i = 0; i < count; i++)
        if (v[i] == one)
            return true;
    return false;
}

static int vertices_of(const rig *r, snag_body_id body, const snag_element *element, uint32_t v[3])
{
    const snag_body_info *info = &r->info[body.index == r->ids[1].index];
    const uint32_t *from = element->kind == SNAG_VERTEX ? &element->index
                           : element->kind == SNAG_EDGE ? element->vertex
                                                        : info->triangles + 3 * (size_t)element->index;
    memcpy(v, from, (1 + (size_t)element->kind) * sizeof *v);
    return 1 + (int)element->kind;
}

static bool holds(const snag_element *element, const uint32_t *v, int count, const snag_element *part)
{
    if (part->kind == SNAG_VERTEX)
        return has(v, count, part->index);
    if (part->kind == SNAG_EDGE)
        return has(v, count, part->vertex[0]) && has(v, count, part->vertex[1]);
    return element->kind == part->kind && element->index == part->index;
}

static bool holds_any(const uint32_t *v, int count, const uint32_t *set)
{
    for (int k = 0; k < OF_A_SET; k++)
        if (has(v, count, set[k]))
            return true;
    return false;
}

static bool is_excluded(const rig *r, snag_body_id of_a, const snag_element *a, snag_body_id of_b, const snag_element *b)
{
    uint32_t va[3], vb[3];
    int na = vertices_of(r, of_a, a, va), nb = vertices_of(r, of_b, b, vb);
    for (size_t i = 0; i < r->pair_count; i++) {
        const snag_excluded_pair *p = &r->pairs[i];
        if (p->body_a.index == of_a.index && p->body_b.index == of_b.index && holds(a, va, na, &p->a) && holds(b, vb, nb, &p->b))
            return true;
    }
    for (size_t i = 0; i < r->set_count; i++) {
        const snag_excluded_sets *s = &r->sets[i];
        if (s->body_a.index == of_a.index && s->body_b.index == of_b.index && holds_any(va, na, s->vertices_a) &&
            holds_any(vb, nb, s->vertices_b))
            return true;
    }
    return false;
}

static bool is_left_out(const rig *r, const snag_contact *c)
{
    return is_excluded(r, c->body_a, &c->a, c->body_b, &c->b) || is_excluded(r, c->body_b, &c->b, c->body_a, &c->a);
}

// ---- asking ----

static snag_contact *contacts_of(rig *r, snag_method method, bool filtered, bool every_pair, size_t *count)
{
    snag_filter filter = snag_default_filter();
    filter.exclusions = r->exclusions;
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.method = method;
    ask.distance = 0.08;
    ask.every_pair = every_pair;
    ask.filter = filtered ? &filter : NULL;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(r->world, &ask, &answer), SNAG_OK);
    *count = answer->count;
    snag_contact *contacts = malloc((*count + 1) * sizeof *contacts);
    if (*count > 0)
        memcpy(contacts, answer->contacts, *count * sizeof *contacts);
    return contacts;
}

// Contacts that depend on no other pair: two edges, and the inside of a triangle.
static bool stands_alone(const snag_contact *c, bool every_pair)
{
    return every_pair || c->kind == SNAG_EDGE_EDGE || c->kind == SNAG_VERTEX_FACE;
}

// Compares the contacts that stand alone with those of the unfiltered question; returns how many were left out.
static size_t compare(const rig *r, const snag_contact *all, size_t count, const snag_contact *left, size_t left_count,
                      bool every_pair)
{
    size_t out = 0, next = 0;
    for (size_t i = 0; i < count; i++) {
        if (!stands_alone(&all[i], every_pair))
            continue;
        if (is_left_out(r, &all[i])) {
            out++;
            continue;
        }
        while (next < left_count && !stands_alone(&left[next], every_pair))
            next++;
        assert_true(next < left_count);
        assert_memory_equal(&left[next].a, &all[i].a, sizeof all[i].a);
        assert_memory_equal(&left[next].b, &all[i].b, sizeof all[i].b);
        next++;
    }
    while (next < left_count && !stands_alone(&left[next], every_pair))
        next++;
    assert_int_equal(next, left_count);
    for (size_t i = 0; i < left_count; i++)
        assert_false(is_left_out(r, &left[i]));
    return out;
}

static void each_kind_is_left_out_of_every_answer(void **state)
{
    (void)state;
    snag__random random = {81};
    for (int mode = 0; mode < MODES; mode++) {
        size_t out[2] = {0, 0};
        for (uint32_t number = 0; number < 5; number++) {
            rig r;
            open_rig(&r, mode, number, &random);
            for (int every = 0; every < 2; every++) {
                size_t count, left_count, other_count;
                snag_contact *all = contacts_of(&r, SNAG_METHOD_BRUTE, false, every, &count);
                snag_contact *left = contacts_of(&r, SNAG_METHOD_BRUTE, true, every, &left_count);
                out[every] += compare(&r, all, count, left, left_count, every);
                for (int method = SNAG_METHOD_HASH; method <= SNAG_METHOD_KDOP; method++) {
                    if (!snag_method_answers((snag_method)method, SNAG_PROXIMITIES))
                        continue;
                    snag_contact *other = contacts_of(&r, (snag_method)method, true, every, &other_count);
                    assert_int_equal(other_count, left_count);
                    assert_memory_equal(other, left, left_count * sizeof *left);
                    free(other);
                }
                free(all);
                free(left);
            }
            snag_world_destroy(r.world);
        }
        assert_true(out[0] > 0 && out[1] > 10);
    }
}

// Whether the vertex of a pair has a contact of features that is as close.
static bool has_contact(const snag_contact *pair, const snag_contact *contacts, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const snag_contact *c = &contacts[k];
        // The vertex may stand on either side of a contact of two vertices.
        bool vertex = c->a.kind == SNAG_VERTEX && c->body_a.index == pair->body_a.index && c->a.index == pair->a.index;
        bool other = c->kind == SNAG_VERTEX_VERTEX && c->body_b.index == pair->body_a.index;
        if ((vertex || other) && c->value <= pair->value * (1 + 1e-9) + 1e-12)
            return true;
    }
    return false;
}

static void no_pair_that_is_left_in_goes_without_a_contact(void **state)
{
    (void)state;
    snag__random random = {82};
    for (int mode = 0; mode < MODES; mode++)
        for (uint32_t number = 0; number < 3; number++) {
            rig r;
            open_rig(&r, mode, number, &random);
            size_t pair_count, count;
            snag_contact *pairs = contacts_of(&r, SNAG_METHOD_KDOP, true, true, &pair_count);
            snag_contact *contacts = contacts_of(&r, SNAG_METHOD_KDOP, true, false, &count);
            for (size_t i = 0; i < pair_count; i++)
                assert_true(pairs[i].a.kind != SNAG_VERTEX || has_contact(&pairs[i], contacts, count));
            free(pairs);
            free(contacts);
            snag_world_destroy(r.world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_left_out_of_every_answer),
        cmocka_unit_test(no_pair_that_is_left_in_goes_without_a_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
