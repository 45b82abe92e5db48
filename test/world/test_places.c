// Places are the connected components of a plain comparison of all contacts with all others; they do not depend on threads, on the
// order of faces or on how often they are asked for, and they keep their ids over frames.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 4 };

typedef struct stage {
    snag_world *world;
    snag_shape shapes[BODIES];
    snag_body_id ids[BODIES];
    snag__random random;
} stage;

static snag_status stage_open(stage *s, uint32_t threads, snag_allocator allocator)
{
    *s = (stage){.random = {41}};
    s->world = scene_world(&(scene_options){.threads = threads, .allocator = allocator});
    if (s->world == NULL)
        return SNAG_ERROR_MEMORY;
    s->shapes[0] = scene_crumpled_sheet(10, 0.1, &s->random);
    s->shapes[1] = scene_crumpled_sheet(9, 0.06, &s->random);
    assert_int_equal(snag_shape_block(3, 3, 2, 0.2, &s->shapes[2]), SNAG_OK);
    s->shapes[3] = scene_soup(16, 4, true, &s->random);
    snag_status status = SNAG_OK;
    for (int i = 0; i < BODIES && status == SNAG_OK; i++)
        status = scene_add(s->world, &s->shapes[i], SNAG_F64, NULL, &s->ids[i]);
    return status;
}

static void stage_close(stage *s)
{
    for (int i = 0; i < BODIES; i++)
        snag_shape_free(&s->shapes[i]);
    snag_world_destroy(s->world);
}

static any_question ask_for(snag_question question)
{
    any_question ask = any_default(question);
    if (question == SNAG_PROXIMITIES)
        ask.distance = 0.01;
    if (question == SNAG_OVERLAPS) {
        ask.method = SNAG_METHOD_SPHERES;
        ask.depth = 2;  // a few hundred spheres
    }
    return ask;
}

// ---- the oracle ----------------------------------------------------------------------------------------------------

static bool body_is(snag_body_id a, snag_body_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

static uint32_t vertices_of(const snag_world *world, snag_body_id id, const snag_element *element, uint32_t v[4])
{
    snag_body_info info;
    assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
    const uint32_t *from = &element->index;
    uint32_t count = 1;
    if (element->kind == SNAG_EDGE) {
        from = element->vertex;
        count = 2;
    } else if (element->kind == SNAG_TRIANGLE) {
        from = info.triangles + 3 * (size_t)element->index;
        count = 3;
    } else if (element->kind == SNAG_TET) {
        from = info.tets + 4 * (size_t)element->index;
        count = 4;
    }
    memcpy(v, from, count * sizeof *v);
    return count;
}

// Whether two elements share a vertex; leaves only themselves.
static bool neighbours(const snag_world *world, snag_body_id x, const snag_element *a, snag_body_id y, const snag_element *b)
{
    uint32_t va[4], vb[4];
    if (!body_is(x, y))
        return false;
    uint32_t na = vertices_of(world, x, a, va), nb = vertices_of(world, y, b, vb);
    for (uint32_t i = 0; i < na; i++)
        for (uint32_t j = 0; j < nb; j++)
            if (va[i] == vb[j])
                return true;
    return false;
}

static bool belong_together(const snag_world *world, const snag_contact *x, const snag_contact *y)
{
    bool aa = neighbours(world, x->body_a, &x->a, y->body_a, &y->a), bb = neighbours(world, x->body_b, &x->b, y->body_b, &y->b);
    bool ab = neighbours(world, x->body_a, &x->a, y->body_b, &y->b), ba = neighbours(world, x->body_b, &x->b, y->body_a, &y->a);
    if (x->a.kind == SNAG_LEAF)
        return body_is(x->body_a, y->body_a) && body_is(x->body_b, y->body_b) && (aa || bb);
    return (aa && bb) || (ab && ba);
}

// Labels each contact with the first one of its group, by walking from neighbour to neighbour: slow, and plainly right.
static uint32_t *label(const snag_world *world, const snag_answer *answer)
{
    size_t n = answer->count;
    uint32_t *labels = malloc((n + 1) * sizeof *labels), *open = malloc((n + 1) * sizeof *open);
    assert_true(labels != NULL && open != NULL);
    memset(labels, 0xff, n * sizeof *labels);
    for (uint32_t first = 0; first < n; first++) {
        size_t count = 0;
        if (labels[first] != UINT32_MAX)
            continue;
        labels[first] = first;
        open[count++] = first;
        while (count > 0) {
            const snag_contact *from = &answer->contacts[open[--count]];
            for (uint32_t i = first + 1; i < n; i++)
                if (labels[i] == UINT32_MAX && belong_together(world, from, &answer->contacts[i])) {
                    labels[i] = first;
                    open[count++] = i;
                }
        }
    }
    free(open);
    return labels;
}

static void check_members(const snag_answer *answer, const snag_place *place, const uint32_t *labels, uint8_t *taken)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, length = 0;
    size_t members = 0;
    for (size_t i = 0; i < answer->count; i++)
        members += labels[i] == place->contacts[0];
    assert_int_equal(place->contact_count, members);
    for (size_t i = 0; i < place->contact_count; i++) {
        uint32_t index = place->contacts[i];
        const snag_contact *contact = &answer->contacts[index];
        assert_true(index < answer->count && taken[index] == 0);
        taken[index] = 1;
        assert_true(i == 0 || place->contacts[i - 1] < index);
        assert_int_equal(labels[index], place->contacts[0]);
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], fmin(contact->point_a[k], contact->point_b[k]));
            hi[k] = fmax(hi[k], fmax(contact->point_a[k], contact->point_b[k]));
        }
        if (contact->kind == SNAG_CROSSING)
            length += hypot(hypot(contact->point_b[0] - contact->point_a[0], contact->point_b[1] - contact->point_a[1]),
                            contact->point_b[2] - contact->point_a[2]);
    }
    assert_memory_equal(lo, place->minimum, sizeof lo);
    assert_memory_equal(hi, place->maximum, sizeof hi);
    assert_true(fabs(length - place->length) <= 1e-12 * (1 + length));
    assert_true(fabs(place->size - hypot(hypot(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2])) <= 1e-12);
}

// The worst contact and its value, and the order of places.
static void check_worst(const snag_answer *answer, const snag_place *places, size_t count)
{
    bool least = answer->question == SNAG_PROXIMITIES || answer->question == SNAG_IMPACTS || answer->question == SNAG_DISTANCE;
    for (size_t p = 0; p < count; p++) {
        const snag_place *place = &places[p];
        double worst = least ? INFINITY : -INFINITY;
        for (size_t i = 0; i < place->contact_count; i++) {
            const snag_contact *contact = &answer->contacts[place->contacts[i]];
            double value = answer->question == SNAG_IMPACTS ? contact->t
                           : contact->kind == SNAG_THROUGH  ? 0.5 * contact->value
                                                            : contact->value;
            worst = least ? fmin(worst, value) : fmax(worst, value);
        }
        if (answer->question != SNAG_INTERSECTIONS) {
            assert_true(place->value == worst);
            assert_true(place->depth == (least ? 0 : worst));
        } else {
            assert_true(place->value == place->depth && place->depth >= 0);
        }
        if (p > 0)
            assert_true(least ? (float)places[p - 1].value <= (float)place->value
                              : (float)places[p - 1].depth >= (float)place->depth);
    }
}

static size_t check_answer(snag_world *world, const snag_answer *answer)
{
    const snag_place *places = NULL;
    size_t count = 0, sum = 0;
    assert_int_equal(snag_answer_places(world, answer, &places, &count), SNAG_OK);
    uint32_t *labels = label(world, answer);
    uint8_t *taken = calloc(answer->count + 1, 1);
    assert_non_null(taken);
    for (size_t p = 0; p < count; p++) {
        check_members(answer, &places[p], labels, taken);
        assert_true(places[p].id != 0 && places[p].body_a.index <= places[p].body_b.index);
        for (size_t q = 0; q < p; q++)
            assert_true(places[q].id != places[p].id);
        sum += places[p].contact_count;
    }
    assert_int_equal(sum, answer->count);
    check_worst(answer, places, count);
    free(taken);
    free(labels);
    return count;
}

static void places_are_what_a_plain_comparison_says(void **state)
{
    (void)state;
    stage s;
    assert_int_equal(stage_open(&s, 2, (snag_allocator){0}), SNAG_OK);
    static const size_t at_least[SNAG_QUESTION_COUNT] = {4, 4, 1, 4, 3, 1};
    for (int q = 0; q < SNAG_QUESTION_COUNT; q++) {
        any_question ask = ask_for((snag_question)q);
        const snag_answer *answer = NULL;
        assert_int_equal(snag_world_begin_step(s.world), SNAG_OK);
        for (int i = 0; i < BODIES; i++) {
            scene_shake(&s.shapes[i], 0.01, &s.random);
            snag_positions x = snag_positions_f64(s.shapes[i].positions, s.shapes[i].vertex_count);
            assert_int_equal(snag_world_move(s.world, s.ids[i], x), SNAG_OK);
        }
        assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
        assert_true(check_answer(s.world, answer) >= at_least[q]);
    }
    stage_close(&s);
}

// ---- depth ---------------------------------------------------------------------------------------------------------

// An upright triangle reaches a quarter below a flat one.
static void how_far_to_go_is_the_shorter_side(void **state)
{
    (void)state;
    static const uint32_t corners[3] = {0, 1, 2};
    static const double flat[9] = {-4, -4, 0, 4, -4, 0, 0, 6, 0};
    static const double upright[9] = {-0.5, 0, -0.25, 0.5, 0, -0.25, 0, 0, 3};
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    for (int i = 0; i < 2; i++) {
        snag_body_def def = snag_default_body_def();
        snag_body_id id;
        def.positions = snag_positions_f64(i ? upright : flat, 3);
        def.triangles = corners;
        def.triangle_count = 1;
        assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    }
    any_question ask = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    const snag_place *places = NULL;
    size_t count = 0;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(snag_answer_places(world, answer, &places, &count), SNAG_OK);
    assert_int_equal(count, 1);
    assert_true(fabs(places[0].depth - 0.25) < 1e-12);
    assert_true(fabs(places[0].length - 1.0 * 3 / 3.25) < 1e-12);
    snag_world_destroy(world);
}

// A ball pushed into another closed one: as deep as its lowest vertex is below the other's surface. Into an open sheet: by pairs.
static void depth_in_a_closed_body_is_that_of_the_deepest_vertex(void **state)
{
    (void)state;
    snag_shape box, ball;
    snag_body_id ids[2];
    assert_int_equal(snag_shape_box(5, 4, 4, 4, &box), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(3, 0.5, &ball), SNAG_OK);
    double lowest = 0;
    for (size_t v = 0; v < ball.vertex_count; v++)
        lowest = fmin(lowest, ball.positions[3 * v + 2]);
    for (size_t v = 0; v < ball.vertex_count; v++)
        ball.positions[3 * v + 2] += 2 + 0.2;  // the top of the box is at 2
    for (int open = 0; open < 2; open++) {
        snag_world *world = scene_world(&(scene_options){.threads = 2});
        box.triangle_count -= (size_t)open;
        assert_int_equal(scene_add(world, &box, SNAG_F64, "box", &ids[0]), SNAG_OK);
        assert_int_equal(scene_add(world, &ball, SNAG_F64, "ball", &ids[1]), SNAG_OK);
        any_question ask = any_default(SNAG_INTERSECTIONS);
        const snag_answer *answer = NULL;
        const snag_place *places = NULL;
        size_t count = 0;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(snag_answer_places(world, answer, &places, &count), SNAG_OK);
            assert_int_equal(count, 1);
            // The open box has no inside, but the ball has: no vertex of the box is in it.
            assert_true(open ? places[0].inside == 0 : fabs(places[0].inside + lowest + 0.2) < 1e-9);
            assert_true(open ? places[0].depth < 0.2 && places[0].depth > 0 : places[0].depth == places[0].inside);
        }
        snag_world_destroy(world);
    }
    snag_shape_free(&box);
    snag_shape_free(&ball);
}

// ---- the order of faces --------------------------------------------------------------------------------------------

// Shuffles the faces of a shape, and turns each of them.
static void shuffle(snag_shape *shape, snag__random *random)
{
    for (size_t i = shape->triangle_count; i-- > 1;) {
        size_t j = (size_t)(snag__random_unit(random) * (double)(i + 1));
        uint32_t swap[3], *a = shape->triangles + 3 * i, *b = shape->triangles + 3 * j;
        memcpy(swap, a, sizeof swap);
        memcpy(a, b, sizeof swap);
        for (int k = 0; k < 3; k++)
            b[k] = swap[(k + 1) % 3];
    }
}

static size_t places_of_shape(const snag_shape *shape, snag_place *kept, size_t most)
{
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    snag_body_id id;
    const snag_answer *answer = NULL;
    const snag_place *places = NULL;
    size_t count = 0;
    any_question ask = any_default(SNAG_INTERSECTIONS);
    assert_int_equal(scene_add(world, shape, SNAG_F64, NULL, &id), SNAG_OK);
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(snag_answer_places(world, answer, &places, &count), SNAG_OK);
    assert_true(count <= most);
    if (count > 0)
        memcpy(kept, places, count * sizeof *places);
    snag_world_destroy(world);
    return count;
}

// Bit for bit what does not add up numbers, and within rounding what does.
static void expect_same_places(const snag_place *a, const snag_place *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(a[i].contact_count, b[i].contact_count);
        assert_true(a[i].depth == b[i].depth);
        assert_true(fabs(a[i].length - b[i].length) <= 1e-12 * (1 + b[i].length));
        for (int k = 0; k < 3; k++)
            assert_true(fabs(a[i].centre[k] - b[i].centre[k]) <= 1e-12 * (1 + fabs(b[i].centre[k])));
    }
}

static void places_do_not_depend_on_the_order_of_faces(void **state)
{
    (void)state;
    enum { MOST = 400 };
    static snag_place first[MOST], again[MOST];
    // The second sheet is of slivers, whose normals have few digits.
    for (int slivers = 0; slivers < 2; slivers++) {
        snag__random random = {99};
        snag_shape sheet = scene_crumpled_sheet(40, 0.12, &random);
        for (size_t v = 0; v < sheet.vertex_count && slivers; v++)
            sheet.positions[3 * v] *= 1e6;
        size_t count = places_of_shape(&sheet, first, MOST);
        assert_true(count > 3);
        for (int turn = 0; turn < 3; turn++) {
            shuffle(&sheet, &random);
            assert_int_equal(places_of_shape(&sheet, again, MOST), count);
            expect_same_places(again, first, count);
        }
        snag_shape_free(&sheet);
    }
}

// ---- ids -----------------------------------------------------------------------------------------------------------

static uint64_t hash_places(snag_world *world, const snag_answer *answer)
{
    const snag_place *places = NULL;
    size_t count = 0;
    uint64_t hash = 1469598103934665603u;
    assert_int_equal(snag_answer_places(world, answer, &places, &count), SNAG_OK);
    for (size_t i = 0; i < count; i++) {
        const uint64_t words[] = {places[i].id, places[i].contact_count, places[i].contacts[0], places[i].worst};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            hash = (hash ^ words[k]) * 1099511628211u;
    }
    return hash;
}

static void ids_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t hashes[2][6];
    for (int run = 0; run < 2; run++) {
        stage s;
        assert_int_equal(stage_open(&s, run ? 4 : 1, (snag_allocator){0}), SNAG_OK);
        for (int step = 0; step < 6; step++) {
            const snag_answer *answer = NULL;
            any_question ask = ask_for(SNAG_INTERSECTIONS);
            scene_shake(&s.shapes[0], 0.02, &s.random);
            snag_positions x = snag_positions_f64(s.shapes[0].positions, s.shapes[0].vertex_count);
            assert_int_equal(snag_world_move(s.world, s.ids[0], x), SNAG_OK);
            assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
            hashes[run][step] = hash_places(s.world, answer);
        }
        stage_close(&s);
    }
    assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
}

// Two pins through one sheet. One leaves and returns, the other slides, both are the same places as before; a third place is new.
static void a_place_keeps_its_id_while_it_slides_and_when_it_returns(void **state)
{
    (void)state;
    snag_shape sheet, pin;
    snag_body_id ids[3];
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    assert_int_equal(snag_shape_sheet(20, 20, 1, 1, &sheet), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(2, 0.08, &pin), SNAG_OK);
    assert_int_equal(scene_add(world, &sheet, SNAG_F64, "sheet", &ids[0]), SNAG_OK);
    double at[2][3] = {{-0.25, -0.25, 0}, {0.25, 0.25, 0}};
    double *moved = malloc(pin.vertex_count * 3 * sizeof *moved);
    assert_non_null(moved);
    uint64_t first[2] = {0, 0};
    for (int step = 0; step < 8; step++) {
        for (int i = 0; i < 2; i++) {
            at[i][0] += i == 0 ? 0.03 : 0;
            at[i][2] = i == 1 && step >= 3 && step <= 5 ? 10 : 0.001 * step;
            for (size_t v = 0; v < 3 * pin.vertex_count; v++)
                moved[v] = pin.positions[v] + at[i][v % 3];
            snag_positions x = snag_positions_f64(moved, pin.vertex_count);
            if (step == 0) {
                snag_body_def def = snag_default_body_def();
                def.positions = x;
                def.triangles = pin.triangles;
                def.triangle_count = pin.triangle_count;
                assert_int_equal(snag_world_add(world, &def, &ids[1 + i]), SNAG_OK);
            } else {
                assert_int_equal(snag_world_move(world, ids[1 + i], x), SNAG_OK);
            }
        }
        any_question ask = any_default(SNAG_INTERSECTIONS);
        const snag_answer *answer = NULL;
        const snag_place *places = NULL;
        size_t count = 0;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(snag_answer_places(world, answer, &places, &count), SNAG_OK);
        assert_int_equal(count, step >= 3 && step <= 5 ? 1 : 2);
        for (size_t i = 0; i < count; i++) {
            int which = body_is(places[i].body_b, ids[1]) ? 0 : 1;
            if (step == 0)
                first[which] = places[i].id;
            assert_int_equal(places[i].id, first[which]);
        }
    }
    // A body in the slot of another is a new place.
    assert_int_equal(snag_world_remove(world, ids[2]), SNAG_OK);
    assert_int_equal(scene_add(world, &sheet, SNAG_F64, "new", &ids[2]), SNAG_OK);
    any_question ask = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    const snag_place *places = NULL;
    size_t count = 0;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(snag_answer_places(world, answer, &places, &count), SNAG_OK);
    for (size_t i = 0; i < count; i++)
        if (body_is(places[i].body_b, ids[2]))
            assert_true(places[i].id != first[1]);
    free(moved);
    snag_shape_free(&sheet);
    snag_shape_free(&pin);
    snag_world_destroy(world);
}

// ---- bad input -----------------------------------------------------------------------------------------------------

static void bad_input_is_refused_by_name(void **state)
{
    (void)state;
    stage s;
    const snag_answer *answer = NULL;
    const snag_place *places = NULL;
    size_t count = 7;
    assert_int_equal(stage_open(&s, 1, (snag_allocator){0}), SNAG_OK);
    any_question ask = any_default(SNAG_INTERSECTIONS);
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
    assert_int_equal(snag_answer_places(NULL, answer, &places, &count), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_answer_places(s.world, NULL, &places, &count), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_answer_places(s.world, answer, NULL, &count), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_answer_places(s.world, answer, &places, NULL), SNAG_ERROR_ARGUMENT);
    assert_true(places == NULL && count == 0);
    snag_contact *copy = malloc(answer->count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, answer->contacts, answer->count * sizeof *copy);
    snag_answer mine = *answer;
    mine.contacts = copy;
    copy[1].b.index = 1u << 30;
    assert_int_equal(snag_answer_places(s.world, &mine, &places, &count), SNAG_ERROR_INDEX);
    assert_non_null(strstr(snag_world_message(s.world), "contact 1"));
    copy[1] = answer->contacts[1];
    copy[1].a.kind = (snag_element_kind)77;
    assert_int_equal(snag_answer_places(s.world, &mine, &places, &count), SNAG_ERROR_INDEX);
    copy[1] = answer->contacts[1];
    copy[0].body_a.generation++;
    assert_int_equal(snag_answer_places(s.world, &mine, &places, &count), SNAG_ERROR_BODY);
    assert_non_null(strstr(snag_world_message(s.world), "contact 0"));
    mine.question = (snag_question)99;
    assert_int_equal(snag_answer_places(s.world, &mine, &places, &count), SNAG_ERROR_ARGUMENT);
    mine = *answer;
    mine.contacts = NULL;
    assert_int_equal(snag_answer_places(s.world, &mine, &places, &count), SNAG_ERROR_UNSUPPORTED);
    mine.count = 0;
    assert_int_equal(snag_answer_places(s.world, &mine, &places, &count), SNAG_OK);
    assert_int_equal(count, 0);
    free(copy);
    ask.output = SNAG_OUTPUT_PAIRS;
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
    assert_int_equal(snag_answer_places(s.world, answer, &places, &count), SNAG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(snag_world_message(s.world), "SNAG_OUTPUT_CONTACTS"));
    stage_close(&s);
}

static snag_status cycle(const snag_allocator *allocator, void *context)
{
    (void)context;
    stage s;
    snag_status status = stage_open(&s, 1, *allocator);
    for (int q = 0; q < 2 && status == SNAG_OK; q++) {
        any_question ask = ask_for((snag_question)q);
        const snag_answer *answer = NULL;
        const snag_place *places = NULL;
        size_t count = 0;
        status = any_ask(s.world, &ask, &answer);
        if (status == SNAG_OK)
            status = snag_answer_places(s.world, answer, &places, &count);
    }
    stage_close(&s);
    return status;
}

static void nothing_is_lost_when_any_allocation_fails(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(cycle, NULL) > 20);
}

static void a_warm_call_allocates_nothing(void **state)
{
    (void)state;
    failing_allocator memory_of;
    snag_allocator allocator = failing_allocator_start(&memory_of, 0);
    stage s;
    size_t calls = 0;
    assert_int_equal(stage_open(&s, 2, allocator), SNAG_OK);
    for (int step = 0; step < 4; step++) {
        if (step == 2)
            calls = memory_of.calls;
        for (int q = 0; q < 3; q++) {
            any_question ask = ask_for((snag_question)q);
            const snag_answer *answer = NULL;
            const snag_place *places = NULL;
            size_t count = 0;
            assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
            assert_int_equal(snag_answer_places(s.world, answer, &places, &count), SNAG_OK);
        }
    }
    assert_int_equal(memory_of.calls, calls);
    stage_close(&s);
    failing_allocator_assert_clean(&memory_of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_what_a_plain_comparison_says),
        cmocka_unit_test(how_far_to_go_is_the_shorter_side),
        cmocka_unit_test(depth_in_a_closed_body_is_that_of_the_deepest_vertex),
        cmocka_unit_test(places_do_not_depend_on_the_order_of_faces),
        cmocka_unit_test(ids_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(a_place_keeps_its_id_while_it_slides_and_when_it_returns),
        cmocka_unit_test(bad_input_is_refused_by_name),
        cmocka_unit_test(nothing_is_lost_when_any_allocation_fails),
        cmocka_unit_test(a_warm_call_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
