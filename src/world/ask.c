// A question's way: checked, given to a method, and answered.
#include "geom/flat.h"
#include "geom/geom.h"
#include "method/turns.h"
#include "world/world.h"

#include <math.h>

snag_question_def snag_default_question_def(snag_question question)
{
    // Spheres of one body always meet their neighbours: that is no answer.
    return (snag_question_def){.question = question, .self = question != SNAG_OVERLAPS, .between = true, .details = true,
                               .tolerance = 1e-6};
}

bool snag_method_answers(snag_method method, snag_question question)
{
    if ((unsigned)question >= SNAG_QUESTION_COUNT)
        return false;
    return snag__method_choose(method, question) != NULL;
}

snag_method snag_method_auto(snag_question question)
{
    return snag_method_answers(SNAG_METHOD_AUTO, question) ? snag__method_choose(SNAG_METHOD_AUTO, question)->method
                                                           : SNAG_METHOD_AUTO;
}

bool snag_method_finds_self(snag_method method, snag_question question)
{
    return snag_method_answers(method, question) && !snag__method_choose(method, question)->between;
}

static bool is_length(double x)
{
    return isfinite(x) && x >= 0;
}

// Who answers: the method asked for, or the fastest that can.
static const snag__method *method_of(const snag_world *world, const snag_question_def *def)
{
    const snag__method *spheres = world->source_count > 0 ? snag__method_choose(SNAG_METHOD_SPHERES, def->question) : NULL;
    if (def->method == SNAG_METHOD_AUTO && spheres != NULL)
        return spheres;
    // `regularity` leaves to `kdop` what that is quicker at, to begin with all.
    if (def->method == SNAG_METHOD_AUTO && snag__takes_turns(def))
        return &snag__regularity;
    return snag__method_choose(def->method, def->question);
}

static snag_status check_question(snag_world *world, const snag_question_def *def)
{
    if ((unsigned)def->question >= SNAG_QUESTION_COUNT)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: there is no question %d", (int)def->question);
    if ((unsigned)def->method >= SNAG_METHOD_COUNT)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: there is no method %d", (int)def->method);
    if (!is_length(def->distance))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: the distance must be finite and not negative, not %g", def->distance);
    if (!is_length(def->within))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: the distance of bodies must be finite and not negative, not %g",
                          def->within);
    if (!is_length(def->tolerance))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: the tolerance must be finite and not negative, not %g", def->tolerance);
    if (!is_length(def->separation))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: the separation must be finite and not negative, not %g", def->separation);
    if (def->k != 0 && def->k != 6 && def->k != 14 && def->k != 18 && def->k != 26)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: k must be 6, 14, 18 or 26, not %u", def->k);
    if (def->arity != 0 && def->arity != 2 && def->arity != 4 && def->arity != 8)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: the arity must be 2, 4 or 8, not %u", def->arity);
    if (!is_length(def->lazy))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: the margin of lazy updates must be finite and not negative, not %g",
                          def->lazy);
    if ((unsigned)def->regularity >= SNAG_REGULARITY_MODE_COUNT)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: there is no mode %d of regularity", (int)def->regularity);
    if (def->directions != 0 && def->directions != 6 && def->directions != 12 && def->directions != 32 && def->directions != 62)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: the directions must be 6, 12, 32 or 62, not %u", def->directions);
    if ((unsigned)def->regions >= SNAG_REGIONS_RULE_COUNT)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: there is no rule %d of regions", (int)def->regions);
    if (def->regions == SNAG_REGIONS_PAPER && (def->question != SNAG_DISTANCE || def->method != SNAG_METHOD_REGIONS))
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "ask: the paper's rule is for distance by regions");
    if (def->epsilon_count > SNAG_REGION_LEVELS)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: there are at most %d epsilons, not %u", (int)SNAG_REGION_LEVELS,
                          def->epsilon_count);
    for (uint32_t i = 0; i < def->epsilon_count; i++)
        if (!is_length(def->epsilon[i]) || (i > 0 && def->epsilon[i] > def->epsilon[i - 1]))
            return snag__fail(world, SNAG_ERROR_ARGUMENT,
                              "ask: epsilon %u must be finite, not negative and not larger than the one before, not %g", i + 1,
                              def->epsilon[i]);
    if (!is_length(def->cell_size))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: the cell size must be finite and not negative, not %g", def->cell_size);
    if (!(def->target_ratio >= 0 && def->target_ratio <= 1))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: the target ratio must be 0 to 1, not %g", def->target_ratio);
    if (def->depth > SNAG_DEPTH_MAX)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: the depth must be 0 to %d, not %u", SNAG_DEPTH_MAX, def->depth);
    if ((unsigned)def->backend >= SNAG_BACKEND_COUNT)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: there is no backend %d", (int)def->backend);
    if (!snag_backend_built_in(def->backend))
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "ask: this build has no backend %s",
                          snag_backend_name(def->backend));
    if (def->track && def->question == SNAG_OVERLAPS)
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "ask: overlaps cannot be tracked: leaves are not elements");
    if (def->pairs_only && (def->edges || (def->question != SNAG_INTERSECTIONS && def->question != SNAG_PENETRATIONS)))
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED,
                          "ask: only intersections, and penetrations without edges, are listed as pairs (pairs_only)");
    if (def->pairs_only && def->track)
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "ask: pairs cannot be tracked: ask for contacts (without pairs_only)");
    if (world->source_count > 0 && method_of(world, def) != &snag__spheres)
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED,
                          "ask: there are bodies that stay on disk, and only the method spheres reads them");
    if (!snag_method_answers(def->method, def->question))
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "method %s cannot answer %s", snag_method_name(def->method),
                          snag_question_name(def->question));
    const snag__method *method = method_of(world, def);
    if (def->candidates && (!method->counts_candidates || def->question == SNAG_DISTANCE))
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "method %s does not count candidates of %s", snag_method_name(method->method),
                          snag_question_name(def->question));
    if (def->self && method->between)
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED,
                          "method %s finds contacts between bodies only: ask it without contacts of a body with itself (self)",
                          snag_method_name(method->method));
    return SNAG_OK;
}

// The living bodies in the order of their ids, and the number of each one's first element and of the one behind the last.
static bool gather_bodies(snag_world *world, snag__ask *ask)
{
    snag__scratch *scratch = &world->scratch;
    if (!snag__buffer_reserve(&world->allocator, &scratch->bodies, 0, world->body_count + 1u, sizeof(snag__body *)) ||
        !snag__buffer_reserve(&world->allocator, &scratch->first_element, 0, world->body_count + 1u, sizeof(uint32_t)))
        return false;
    snag__body **bodies = scratch->bodies.data;
    uint32_t *first_element = scratch->first_element.data, number = 0;
    const snag__place *places = world->places.data;
    for (uint32_t i = 0; i < world->place_count; i++) {
        if (places[i].body == NULL)
            continue;
        const snag__mesh *mesh = &places[i].body->mesh;
        bodies[ask->body_count] = places[i].body;
        first_element[ask->body_count++] = number;
        number += mesh->vertex_count + mesh->edge_count + snag__triangle_count(places[i].body) + mesh->tet_count;
    }
    first_element[ask->body_count] = number;
    ask->bodies = bodies;
    ask->first_element = first_element;
    return true;
}

// Elements of zero size are counted once for each pose; a method that looks at all of them anyway may have done so. In worlds
// that note how far bodies move, a body whose triangles are all wide stays without for a while.
static size_t count_degenerate(snag__body *body, const snag__ask *ask)
{
    const snag__mesh *mesh = &body->mesh;
    bool tracked = ask->scratch->active.data != NULL || ask->scratch->regions.data != NULL;
    if (body->degenerate_pose == body->pose)
        return body->degenerate;
    if (!tracked || snag__body_travel_since(body, body->flat_travel, body->flat_jumps) >= body->flat_slack) {
        double width;
        body->degenerate = snag__count_flat((const double(*)[3])mesh->x_t1, (const uint32_t(*)[3])mesh->triangles,
                                            mesh->triangle_count, ask->parallel, ask->isa, &width);
        // Each corner may move by sqrt(3) times the way along an axis, and the width changes by twice that.
        body->flat_slack = tracked ? 0.28 * width : 0;
        body->flat_travel = body->travel;
        body->flat_jumps = body->jumps;
    }
    body->degenerate_pose = body->pose;
    return body->degenerate;
}

static size_t count_flat_tets(snag__body *body)
{
    const snag__mesh *mesh = &body->mesh;
    const double(*x)[3] = (const double(*)[3])mesh->x_t1;
    if (body->flat_tets_pose == body->pose)
        return body->flat_tets;
    body->flat_tets = 0;
    for (uint32_t k = 0; k < mesh->tet_count; k++) {
        const uint32_t *v = mesh->tets[k];
        body->flat_tets += snag__orient3d(x[v[0]], x[v[1]], x[v[2]], x[v[3]]) == 0;
    }
    body->flat_tets_pose = body->pose;
    return body->flat_tets;
}

static void clear_lists(snag__scratch *scratch)
{
    for (int i = 0; i < SNAG__LISTS; i++) {
        snag__list *list = &scratch->lists[i];
        list->count = list->pair_count = list->exact_count = 0;
    }
}

// The answer of a method that finds a part. What writing the contacts took is kept for the next budget.
static void describe_part(const snag__ask *ask, uint64_t found_us, snag_answer *made)
{
    made->complete = false;
    made->covered = made->ratio = ask->ratio;
    made->ratio_low = ask->ratio_low;
    made->ratio_high = ask->ratio_high;
    made->new_pairs = ask->new_pairs;
    ask->scratch->finish_us = (double)(snag__ask_now(ask) - found_us);
    ask->scratch->finished = made->contact_count;
}

static snag_status find_answer(snag_world *world, const snag_question_def *def, const snag_answer **answer)
{
    if (def == NULL || answer == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: question and answer must not be NULL");
    snag_status status = check_question(world, def);
    if (status != SNAG_OK)
        return status;

    snag__ask ask = {
        .def = def,
        .allocator = &world->allocator,
        .parallel = &world->parallel,
        .isa = world->isa,
        .scratch = &world->scratch,
        .clock = &world->clock,
        .started_us = snag__clock_now(&world->clock),
    };
    const snag__method *method = method_of(world, def);
    snag_answer made = {.question = def->question};
    ask.by = method->method;
    if (!gather_bodies(world, &ask))
        return snag__fail(world, SNAG_ERROR_MEMORY, "ask: the allocator has no more memory");
    clear_lists(ask.scratch);
    status = method->find(&ask);
    for (uint32_t i = 0; i < ask.body_count && status == SNAG_OK && !method->partial && !method->blind; i++)
        made.degenerate += def->question == SNAG_PENETRATIONS ? count_flat_tets(ask.bodies[i])
                                                              : count_degenerate(ask.bodies[i], &ask);
    uint64_t found_us = snag__ask_now(&ask);
    if (status == SNAG_OK)
        status = snag__finish(&ask, &made);
    if (status == SNAG_OK && def->track)
        status = snag__track_contacts(&world->tracks, &ask, &made);
    if (status != SNAG_OK)
        return snag__fail(world, status, "ask: %s", ask.message[0] != 0 ? ask.message : snag_status_name(status));
    made.method = ask.by;
    made.call_count = ask.call_count;
    made.test_count = ask.test_count;
    for (int i = 0; i < SNAG_REGION_LEVELS; i++) {
        made.regions_opened[i] = ask.regions_opened[i];
        made.epsilon[i] = ask.epsilon[i];
    }
    made.region_contacts = ask.region_contacts;
    made.lines = ask.lines;
    made.line_count = ask.line_count;
    made.complete = !ask.stopped && !def->candidates && def->regions != SNAG_REGIONS_PAPER;
    made.covered = ask.stopped ? ask.done : 1;
    made.ratio = made.ratio_low = made.complete ? 1 : 0;
    made.ratio_high = 1;
    if (method->partial)
        describe_part(&ask, found_us, &made);
    if (method->end != NULL)
        method->end(&ask);
    world->answer = made;
    *answer = &world->answer;
    return SNAG_OK;
}

snag_status snag_world_ask(snag_world *world, const snag_question_def *def, const snag_answer **answer)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("ask"), &call);
    if (status != SNAG_OK)
        return status;
    snag__pool_expect(world->parallel.pool, true);
    status = find_answer(world, def, answer);
    snag__pool_expect(world->parallel.pool, false);
    return snag__call_end(world, &call, status);
}
