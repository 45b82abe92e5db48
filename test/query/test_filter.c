// Filters of pairs: brute leaves out exactly the pairs that the rules of docs/guide/filters.md name, by a second implementation of
// them; and every other method gives what brute gives, on random bodies with random filters.
#include "helpers/failing_allocator.h"
#include "helpers/hull_distance.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "query/filter_question.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES = 4, SETS = 3, PAIRS = 40 };

// A body and all that filters know of it.
typedef struct thing {
    snag_shape shape;
    snag_body_id id;
    snag_body_info info;
    double *rest;
    uint32_t group, mask;
    uint32_t *groups, *masks;  // NULL: none
    uint8_t *near;  // [vertex][vertex]: how many edges apart, at most 16; 255: more
} thing;

typedef struct scene {
    snag_world *world;
    thing things[BODIES];
    snag_excluded_pair pairs[PAIRS];
    snag_excluded_sets sets[SETS];
    uint32_t set_vertices[2 * SETS][6];
    const snag_exclusions *exclusions;
} scene;

// ---- making ----

static void link(thing *t, uint32_t u, uint32_t v)
{
    size_t n = t->shape.vertex_count;
    t->near[u * n + v] = t->near[v * n + u] = u == v ? 0 : 1;
}

// Distances on the mesh, by the sides of all elements (Floyd and Warshall).
static void measure_mesh(thing *t)
{
    size_t n = t->shape.vertex_count;
    t->near = malloc(n * n);
    memset(t->near, 255, n * n);
    for (uint32_t v = 0; v < n; v++)
        link(t, v, v);
    for (size_t i = 0; i < t->shape.triangle_count && t->shape.tet_count == 0; i++)
        for (int c = 0; c < 3; c++)
            link(t, t->shape.triangles[3 * i + (size_t)c], t->shape.triangles[3 * i + (size_t)(c + 1) % 3]);
    for (size_t i = 0; i < t->shape.tet_count; i++)
        for (size_t c = 0; c < 4; c++)
            for (size_t d = 0; d < c; d++)
                link(t, t->shape.tets[4 * i + c], t->shape.tets[4 * i + d]);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                int way = t->near[i * n + k] + t->near[k * n + j];
                if (way < t->near[i * n + j])
                    t->near[i * n + j] = (uint8_t)way;
            }
}

static uint32_t some_bits(snag__random *random)
{
    return 1u | snag__random_below(random, 8) << 1;
}

static uint32_t *bits_by_vertex(size_t count, uint32_t common, snag__random *random)
{
    uint32_t *bits = malloc((count + 1) * sizeof *bits);
    for (size_t v = 0; v < count; v++)
        bits[v] = common | snag__random_below(random, 16) << 1;
    return bits;
}

static void add_thing(scene *s, thing *t, snag_shape shape, uint32_t round, snag__random *random)
{
    *t = (thing){.shape = shape, .group = some_bits(random), .mask = some_bits(random)};
    t->rest = malloc((3 * shape.vertex_count + 1) * sizeof *t->rest);
    for (size_t i = 0; i < 3 * shape.vertex_count; i++)
        t->rest[i] = shape.positions[i] + 0.05 * snag__random_unit(random);
    // Bit 8 is common to all vertices and in no other group: elements always have a group, and may meet nothing all the same.
    if (round % 3 == 1)
        t->groups = bits_by_vertex(shape.vertex_count, 1u << 8, random);
    if (round % 4 == 2)
        t->masks = bits_by_vertex(shape.vertex_count, 1u << 9, random);
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(shape.positions, shape.vertex_count);
    def.rest = snag_positions_f64(t->rest, shape.vertex_count);
    def.triangles = shape.tet_count == 0 ? shape.triangles : NULL;
    def.triangle_count = shape.tet_count == 0 ? shape.triangle_count : 0;
    def.tets = shape.tets;
    def.tet_count = shape.tet_count;
    def.group = t->group;
    def.mask = t->mask;
    def.vertex_groups = t->groups;
    def.vertex_masks = t->masks;
    assert_int_equal(snag_world_add(s->world, &def, &t->id), SNAG_OK);
    assert_int_equal(snag_world_body(s->world, t->id, &t->info), SNAG_OK);
    measure_mesh(t);
}

static snag_element some_element(const thing *t, snag__random *random)
{
    snag_element element = {.kind = (snag_element_kind)snag__random_below(random, t->info.tet_count > 0 ? 4 : 3)};
    switch (element.kind) {
    case SNAG_VERTEX: element.index = snag__random_below(random, (uint32_t)t->info.vertex_count); break;
    case SNAG_EDGE:
        element.index = snag__random_below(random, (uint32_t)t->info.edge_count);
        // In either order, and its index is not read.
        element.vertex[element.index % 2] = t->info.edges[2 * element.index];
        element.vertex[1 - element.index % 2] = t->info.edges[2 * element.index + 1];
        element.index = 99;
        break;
    case SNAG_TRIANGLE: element.index = snag__random_below(random, (uint32_t)t->info.triangle_count); break;
    default: element.index = snag__random_below(random, (uint32_t)t->info.tet_count); break;
    }
    return element;
}

static void exclude_some(scene *s, snag__random *random)
{
    for (int i = 0; i < PAIRS; i++) {
        const thing *a = &s->things[snag__random_below(random, BODIES)], *b = &s->things[snag__random_below(random, BODIES)];
        s->pairs[i] = (snag_excluded_pair){a->id, b->id, some_element(a, random), some_element(b, random)};
    }
    for (int i = 0; i < 2 * SETS; i++)
        for (int k = 0; k < 6; k++)
            s->set_vertices[i][k] = snag__random_below(random, (uint32_t)s->things[i % BODIES].info.vertex_count);
    for (int i = 0; i < SETS; i++)
        s->sets[i] = (snag_excluded_sets){s->things[2 * i % BODIES].id,       s->set_vertices[2 * i],     6,
                                          s->things[(2 * i + 1) % BODIES].id, s->set_vertices[2 * i + 1], 6};
    snag_exclusion_def def = snag_default_exclusion_def();
    def.pairs = s->pairs;
    def.pair_count = PAIRS;
    def.sets = s->sets;
    def.set_count = SETS;
    assert_int_equal(snag_world_exclude(s->world, &def, &s->exclusions), SNAG_OK);
}

static void make_scene(scene *s, uint32_t round, snag__random *random)
{
    memset(s, 0, sizeof *s);
    s->world = scene_world(&(scene_options){.threads = 1 + round % 2, .isa = scene_isa(round)});
    snag_shape block;
    assert_int_equal(snag_shape_block(2, 2, 2, 0.2, &block), SNAG_OK);
    add_thing(s, &s->things[0], scene_crumpled_sheet(5, 0.2, random), round, random);
    add_thing(s, &s->things[1], scene_soup(12, round % 2 == 0 ? 0 : 4, true, random), round + 1, random);
    add_thing(s, &s->things[2], block, round + 2, random);
    add_thing(s, &s->things[3], scene_tet_soup(4, 0, random), round + 3, random);
    exclude_some(s, random);
    // Some motion, for impacts.
    for (int i = 0; i < BODIES; i++) {
        thing *t = &s->things[i];
        scene_shake(&t->shape, 0.1, random);
        assert_int_equal(snag_world_move(s->world, t->id, snag_positions_f64(t->shape.positions, t->shape.vertex_count)), SNAG_OK);
    }
}

static void free_scene(scene *s)
{
    for (int i = 0; i < BODIES; i++) {
        snag_shape_free(&s->things[i].shape);
        free(s->things[i].rest);
        free(s->things[i].groups);
        free(s->things[i].masks);
        free(s->things[i].near);
    }
    snag_world_destroy(s->world);
}

// ---- the rules again ----

static const thing *thing_of(const scene *s, snag_body_id id)
{
    int i = 0;
    while (s->things[i].id.index != id.index)
        i++;
    return &s->things[i];
}

static int vertices_of(const thing *t, const snag_element *element, uint32_t v[4])
{
    const uint32_t *from = element->kind == SNAG_VERTEX     ? &element->index
                           : element->kind == SNAG_EDGE     ? element->vertex
                           : element->kind == SNAG_TRIANGLE ? t->info.triangles + 3 * (size_t)element->index
                                                            : t->info.tets + 4 * (size_t)element->index;
    int count = 1 + (int)element->kind;
    memcpy(v, from, (size_t)count * sizeof *v);
    return count;
}

static uint32_t bits_of(const uint32_t *by_vertex, uint32_t of_body, const uint32_t *v, int count)
{
    uint32_t bits = by_vertex != NULL ? UINT32_MAX : of_body;
    for (int i = 0; i < count && by_vertex != NULL; i++)
        bits &= by_vertex[v[i]];
    return bits;
}

static bool has(const uint32_t *v, int count, uint32_t one)
{
    for (int i = 0; i < count; i++)
        if (v[i] == one)
            return true;
    return false;
}

// Whether an element has another one: itself, a vertex or an edge.
static bool has_element(const snag_element *element, const uint32_t *v, int count, const snag_element *part)
{
    if (part->kind == SNAG_VERTEX)
        return has(v, count, part->index);
    if (part->kind == SNAG_EDGE)
        return has(v, count, part->vertex[0]) && has(v, count, part->vertex[1]);
    return element->kind == part->kind && element->index == part->index;
}

static bool has_any(const uint32_t *v, int count, const uint32_t *set)
{
    for (int i = 0; i < 6; i++)
        if (has(v, count, set[i]))
            return true;
    return false;
}

static bool same(snag_body_id a, snag_body_id b)
{
    return a.index == b.index;
}

// One way round: the pair (a, b) of elements against excluded pairs (X, Y).
static bool is_excluded(const scene *s, snag_body_id body_a, const snag_element *a, snag_body_id body_b, const snag_element *b)
{
    uint32_t va[4], vb[4];
    int na = vertices_of(thing_of(s, body_a), a, va), nb = vertices_of(thing_of(s, body_b), b, vb);
    for (int i = 0; i < PAIRS; i++)
        if (same(s->pairs[i].body_a, body_a) && same(s->pairs[i].body_b, body_b) && has_element(a, va, na, &s->pairs[i].a) &&
            has_element(b, vb, nb, &s->pairs[i].b))
            return true;
    for (int i = 0; i < SETS; i++)
        if (same(s->sets[i].body_a, body_a) && same(s->sets[i].body_b, body_b) && has_any(va, na, s->sets[i].vertices_a) &&
            has_any(vb, nb, s->sets[i].vertices_b))
            return true;
    return false;
}

static bool is_allowed(const scene *s, const snag_filter *filter, const snag_contact *c)
{
    const thing *a = thing_of(s, c->body_a), *b = thing_of(s, c->body_b);
    uint32_t va[4], vb[4];
    int na = vertices_of(a, &c->a, va), nb = vertices_of(b, &c->b, vb);
    uint32_t group_a = bits_of(a->groups, a->group, va, na), mask_a = bits_of(a->masks, a->mask, va, na);
    uint32_t group_b = bits_of(b->groups, b->group, vb, nb), mask_b = bits_of(b->masks, b->mask, vb, nb);
    if ((group_a & mask_b) == 0 || (group_b & mask_a) == 0)
        return false;
    if (filter->exclusions != NULL &&
        (is_excluded(s, c->body_a, &c->a, c->body_b, &c->b) || is_excluded(s, c->body_b, &c->b, c->body_a, &c->a)))
        return false;
    const double *xa[4], *xb[4];
    for (int i = 0; i < na; i++)
        xa[i] = a->rest + 3 * (size_t)va[i];
    for (int k = 0; k < nb; k++)
        xb[k] = b->rest + 3 * (size_t)vb[k];
    for (int i = 0; i < na && a == b && filter->exclude_rings > 0; i++)
        for (int k = 0; k < nb; k++)
            if (a->near[va[i] * a->info.vertex_count + vb[k]] <= filter->exclude_rings)
                return false;
    return a != b || filter->exclude_rest == 0 || hull_distance(xa, na, xb, nb) > filter->exclude_rest;
}

// ---- asking ----

static snag_filter some_filter(const scene *s, uint32_t round, snag__random *random)
{
    snag_filter filter = snag_default_filter();
    filter.exclude_rings = round % 2 == 0 ? snag__random_below(random, 5) : 0;
    filter.exclude_rest = round % 3 == 0 ? 0.2 * snag__random_unit(random) : 0;
    filter.exclusions = round % 4 != 1 ? s->exclusions : NULL;
    return filter;
}

// The contacts that bodies without groups and masks have, by brute: what filters take from.
static void ask_unfiltered(const scene *s, const snag_question_def *def, snag_contact **contacts, size_t *count)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    for (int i = 0; i < BODIES; i++) {
        const thing *t = &s->things[i];
        snag_body_id id;
        assert_int_equal(scene_add(world, &t->shape, SNAG_F64, NULL, &id), SNAG_OK);
    }
    snag_question_def ask = *def;
    ask.method = SNAG_METHOD_BRUTE;
    ask.filter = NULL;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    *count = answer->count;
    *contacts = malloc((*count + 1) * sizeof **contacts);
    memcpy(*contacts, answer->contacts, *count * sizeof **contacts);
    snag_world_destroy(world);
}

static bool same_elements(const snag_contact *x, const snag_contact *y)
{
    return same(x->body_a, y->body_a) && same(x->body_b, y->body_b) && x->a.kind == y->a.kind && x->a.index == y->a.index &&
           x->b.kind == y->b.kind && x->b.index == y->b.index && x->kind == y->kind;
}

static void brute_leaves_out_what_the_rules_say(void **state)
{
    (void)state;
    static const snag_question questions[] = {SNAG_INTERSECTIONS, SNAG_PROXIMITIES, SNAG_PENETRATIONS};
    snag__random random = {41};
    size_t left_in[3] = {0}, left_out[3] = {0};
    for (uint32_t round = 0; round < 24; round++) {
        scene s;
        make_scene(&s, round, &random);
        snag_filter filter = some_filter(&s, round, &random);
        for (int q = 0; q < 3; q++) {
            snag_question_def ask = question_of(questions[q], &filter);
            ask.method = SNAG_METHOD_BRUTE;
            const snag_answer *answer = NULL;
            assert_int_equal(snag_world_ask(s.world, &ask, &answer), SNAG_OK);
            snag_contact *all;
            size_t count, next = 0;
            ask_unfiltered(&s, &ask, &all, &count);
            for (size_t i = 0; i < count; i++) {
                if (!is_allowed(&s, &filter, &all[i])) {
                    left_out[q]++;
                    continue;
                }
                assert_true(next < answer->count && same_elements(&answer->contacts[next], &all[i]));
                next++;
            }
            assert_int_equal(next, answer->count);
            left_in[q] += next;
            free(all);
        }
        free_scene(&s);
    }
    for (int q = 0; q < 3; q++)
        assert_true(left_in[q] > 30 && left_out[q] > 30);
}

static void compare_methods(const scene *s, const snag_question_def *def)
{
    snag_question_def ask = *def;
    ask.method = SNAG_METHOD_BRUTE;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(s->world, &ask, &answer), SNAG_OK);
    size_t count = answer->count;
    double earliest = answer->earliest;
    snag_contact *contacts = malloc((count + 1) * sizeof *contacts);
    if (count)
        memcpy(contacts, answer->contacts, count * sizeof *contacts);
    for (int method = 0; method < SNAG_METHOD_COUNT; method++) {
        ask.method = (snag_method)method;
        if (method == SNAG_METHOD_ACTIVE || !snag_method_answers(ask.method, ask.question) ||
            (ask.self && !snag_method_finds_self(ask.method, ask.question)))
            continue;
        assert_int_equal(snag_world_ask(s->world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->count, count);
        assert_true(answer->earliest == earliest);
        assert_memory_equal(answer->contacts, contacts, count * sizeof *contacts);
    }
    free(contacts);
}

static void every_method_leaves_out_the_same(void **state)
{
    (void)state;
    snag__random random = {42};
    for (uint32_t round = 0; round < 40; round++) {
        scene s;
        make_scene(&s, round, &random);
        snag_filter filter = some_filter(&s, round, &random);
        for (int q = 0; q < SNAG_QUESTION_COUNT; q++) {
            if (!snag_method_answers(SNAG_METHOD_BRUTE, (snag_question)q))
                continue;
            snag_question_def ask = question_of((snag_question)q, &filter);
            ask.every_pair = round % 2 == 0;
            ask.self = round % 5 != 4;
            compare_methods(&s, &ask);
            ask.self = false;
            ask.closest = q == SNAG_DISTANCE ? 2 : 0;
            compare_methods(&s, &ask);
        }
        snag_question_def earliest = question_of(SNAG_IMPACTS, &filter);
        earliest.output = SNAG_OUTPUT_EARLIEST;
        const snag_answer *answer = NULL;
        assert_int_equal(snag_world_ask(s.world, &earliest, &answer), SNAG_OK);
        free_scene(&s);
    }
}

static bool is_on_surface(const thing *t, uint32_t v)
{
    for (size_t i = 0; i < 3 * t->info.triangle_count; i++)
        if (t->info.triangles[i] == v)
            return true;
    return false;
}

// With one contact for each pair of features: for every pair that is left in and within the distance there is a contact of the same
// vertex, or of the edges, that is as close.
static void no_pair_that_is_left_in_goes_without_a_contact(void **state)
{
    (void)state;
    snag__random random = {43};
    size_t checked = 0;
    for (uint32_t round = 0; round < 12; round++) {
        scene s;
        make_scene(&s, round, &random);
        snag_filter filter = some_filter(&s, round, &random);
        snag_question_def ask = question_of(SNAG_PROXIMITIES, &filter);
        const snag_answer *answer = NULL;
        assert_int_equal(snag_world_ask(s.world, &ask, &answer), SNAG_OK);
        size_t count = answer->count;
        snag_contact *pairs = malloc((count + 1) * sizeof *pairs);
        memcpy(pairs, answer->contacts, count * sizeof *pairs);
        ask.every_pair = false;
        assert_int_equal(snag_world_ask(s.world, &ask, &answer), SNAG_OK);
        for (size_t i = 0; i < count; i++) {
            // Vertices inside of tetrahedra have no contacts of features.
            if (pairs[i].a.kind != SNAG_VERTEX || !is_on_surface(thing_of(&s, pairs[i].body_a), pairs[i].a.index))
                continue;
            bool found = false;
            for (size_t k = 0; k < answer->count && !found; k++) {
                const snag_contact *c = &answer->contacts[k];
                // The vertex may stand on either side of a contact of two vertices.
                bool vertex = c->a.kind == SNAG_VERTEX && same(c->body_a, pairs[i].body_a) && c->a.index == pairs[i].a.index;
                bool other = c->kind == SNAG_VERTEX_VERTEX && same(c->body_b, pairs[i].body_a);
                found = (vertex || other) && c->value <= pairs[i].value * (1 + 1e-9) + 1e-12;
            }
            assert_true(found);
            checked++;
        }
        free(pairs);
        free_scene(&s);
    }
    assert_true(checked > 200);
}

// ---- what filters are for ----

static size_t count_contacts(snag_world *world, const snag_filter *filter, double distance)
{
    snag_question_def ask = question_of(SNAG_PROXIMITIES, filter);
    ask.every_pair = false;
    ask.distance = distance;
    ask.output = SNAG_OUTPUT_COUNT;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    return answer->count;
}

static void a_thick_cloth_does_not_report_itself_at_rest(void **state)
{
    (void)state;
    enum { CELLS = 40 };
    snag_shape sheet;
    assert_int_equal(snag_shape_sheet(CELLS, CELLS, 1, 1, &sheet), SNAG_OK);
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_def def = snag_default_body_def();
    def.positions = def.rest = snag_positions_f64(sheet.positions, sheet.vertex_count);
    def.triangles = sheet.triangles;
    def.triangle_count = sheet.triangle_count;
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    const double thickness = 1.35 / CELLS;
    assert_true(count_contacts(world, NULL, thickness) > 1000);
    snag_filter rings = snag_default_filter(), rest = snag_default_filter();
    rings.exclude_rings = 2;
    rest.exclude_rest = thickness;
    assert_int_equal(count_contacts(world, &rings, thickness), 0);
    assert_int_equal(count_contacts(world, &rest, thickness), 0);
    // Folded in half, it reports where its halves are close.
    for (size_t v = 0; v < sheet.vertex_count; v++) {
        double *x = sheet.positions + 3 * v;
        if (x[0] > 0) {
            x[0] = -x[0];
            x[2] += 0.5 * thickness;
        }
    }
    assert_int_equal(snag_world_move(world, id, snag_positions_f64(sheet.positions, sheet.vertex_count)), SNAG_OK);
    assert_true(count_contacts(world, &rings, thickness) > 500);
    assert_true(count_contacts(world, &rest, thickness) > 500);
    snag_shape_free(&sheet);
    snag_world_destroy(world);
}

static void groups_and_masks_of_bodies(void **state)
{
    (void)state;
    // Two crossing squares; each also crosses itself.
    static const double x[2][18] = {{0, 0, 0, 2, 0, 0, 0, 2, 0, 0.3, 0.3, -1, 0.3, 0.3, 1, 0.5, 0.6, 1},
                                    {0, 0, 0.1, 2, 0, 0.1, 0, 2, 0.1, 0.3, 0.4, -1, 0.3, 0.4, 1, 0.5, 0.7, 1}};
    static const uint32_t triangles[] = {0, 1, 2, 3, 4, 5};
    static const struct {
        uint32_t group[2], mask[2];
        bool self[2], between;
    } cases[] = {
        {{1, 1}, {~0u, ~0u}, {true, true}, true},
        {{1, 2}, {2, 1}, {false, false}, true},
        {{1, 2}, {1, 2}, {true, true}, false},
        {{1, 2}, {3, 1}, {true, false}, true},
        {{1, 2}, {2, 2}, {false, true}, false},
        {{3, 1}, {2, 1}, {true, true}, false},
        {{3, 1}, {2, 2}, {true, false}, false},
        {{3, 1}, {3, 2}, {true, false}, true},
        {{1u << 31, 5}, {4, 1u << 31}, {false, false}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snag_world *world = scene_world(&(scene_options){.threads = 1});
        snag_body_id ids[2];
        for (int b = 0; b < 2; b++) {
            snag_body_def def = snag_default_body_def();
            assert_true(def.group == 1 && def.mask == UINT32_MAX);
            def.positions = snag_positions_f64(x[b], 6);
            def.triangles = triangles;
            def.triangle_count = 2;
            def.group = cases[i].group[b];
            def.mask = cases[i].mask[b];
            assert_int_equal(snag_world_add(world, &def, &ids[b]), SNAG_OK);
        }
        for (int method = SNAG_METHOD_BRUTE; method < SNAG_METHOD_COUNT; method++) {
            snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
            ask.method = (snag_method)method;
            ask.self = snag_method_finds_self(ask.method, ask.question);
            const snag_answer *answer = NULL;
            if (!snag_method_answers(ask.method, ask.question) || method == SNAG_METHOD_ACTIVE)
                continue;
            assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
            bool self[2] = {false, false}, between = false;
            for (size_t k = 0; k < answer->count; k++) {
                bool same_body = same(answer->contacts[k].body_a, answer->contacts[k].body_b);
                between = between || !same_body;
                if (same_body)
                    self[answer->contacts[k].body_a.index - ids[0].index] = true;
            }
            assert_int_equal(between, cases[i].between);
            assert_true(!ask.self || (self[0] == cases[i].self[0] && self[1] == cases[i].self[1]));
        }
        snag_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brute_leaves_out_what_the_rules_say),
        cmocka_unit_test(every_method_leaves_out_the_same),
        cmocka_unit_test(no_pair_that_is_left_in_goes_without_a_contact),
        cmocka_unit_test(a_thick_cloth_does_not_report_itself_at_rest),
        cmocka_unit_test(groups_and_masks_of_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
