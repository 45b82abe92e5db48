// snag_world_ask: reads and checks the question, lets the plan run a method, and finishes the answer.
#include "geom/geom.h"
#include "query/filter.h"
#include "world/collect.h"

#include <math.h>

// Fills in the living bodies in the order of their ids, and the numbers of their first elements.
static bool gather_bodies(snag_world *world, snag__ask *ask)
{
    snag__body **bodies;
    uint32_t *first_element, number = 0;
    const snag__room rooms[] = {
        {&world->scratch.bodies, &bodies, world->body_count + 1u, sizeof *bodies},
        {&world->scratch.first_element, &first_element, world->body_count + 1u, sizeof *first_element},
    };
    if (!snag__rooms_reserve(&world->method_memory.allocator, rooms, sizeof rooms / sizeof *rooms))
        return false;
    const snag__entry *entries = world->entries.data;
    for (uint32_t i = 0; i < world->entry_count; i++) {
        if (entries[i].body == NULL)
            continue;
        const snag__mesh *mesh = &entries[i].body->mesh;
        bodies[ask->body_count] = entries[i].body;
        first_element[ask->body_count++] = number;
        number += mesh->vertex_count + mesh->edge_count + snag__triangle_count(entries[i].body) + mesh->tet_count;
    }
    first_element[ask->body_count] = number;
    SNAG__ASSERT(ask->body_count == world->body_count && number == world->element_count);
    ask->bodies = bodies;
    ask->first_element = first_element;
    return true;
}

static void clear_lists(snag__scratch *scratch)
{
    for (int i = 0; i < SNAG__MAX_TASKS; i++) {
        snag__record_list *list = &scratch->lists[i];
        list->count = list->pair_count = list->exact_count = 0;
    }
}

bool snag__ask_begin(snag_world *world, const snag__question *question, snag__ask *ask)
{
    *ask = (snag__ask){
        .def = question,
        .kind = snag__kind_of(question->question),
        .allocator = &world->method_memory.allocator,
        .answer_allocator = &world->answer_memory.allocator,
        .parallel = &world->parallel,
        .log = &world->log,
        .isa = world->isa,
        .scratch = &world->scratch,
        .thin = world->thin_count > 0,
        .thick = world->thick_count > 0,
        .clock = &world->clock,
        .started_us = snag__clock_now(&world->clock),
    };
    if (!gather_bodies(world, ask))
        return false;
    clear_lists(ask->scratch);
    return true;
}

static size_t count_zero_volume_tets(snag__body *body)
{
    const snag__mesh *mesh = &body->mesh;
    const double(*x)[3] = (const double(*)[3])mesh->x_t1;
    if (body->zero_volume_pose == body->pose)
        return body->zero_volume_tets;
    body->zero_volume_tets = 0;
    for (uint32_t k = 0; k < mesh->tet_count; k++) {
        const uint32_t *v = mesh->tets[k];
        body->zero_volume_tets += snag__orient3d(x[v[0]], x[v[1]], x[v[2]], x[v[3]]) == 0;
    }
    body->zero_volume_pose = body->pose;
    return body->zero_volume_tets;
}

// Describes the answer of a partial method. The time it took to write the contacts is kept for the next budget.
static void describe_part(const snag__ask *ask, uint64_t found_us, snag_answer *made)
{
    SNAG__ASSERT(ask->ratio_low <= ask->ratio && ask->ratio <= ask->ratio_high);
    made->complete = false;
    made->covered = made->ratio = ask->ratio;
    made->ratio_low = ask->ratio_low;
    made->ratio_high = ask->ratio_high;
    ask->scratch->finish_us = (double)(snag__ask_now(ask) - found_us);
    ask->scratch->finished = made->count;
}

static size_t count_all_degenerate(const snag__ask *ask)
{
    size_t count = 0;
    if (ask->method->partial || ask->method->blind)
        return 0;
    for (uint32_t i = 0; i < ask->body_count; i++)
        count += ask->def->question == SNAG_PENETRATIONS
                     ? count_zero_volume_tets(ask->bodies[i]) - ask->bodies[i]->mesh.tet_holes
                     : snag__count_degenerate(ask, ask->bodies[i]) - ask->bodies[i]->mesh.triangle_holes;
    return count;
}

// Warns of degenerate input once, and again when there is more of it.
static void tell_degenerate(snag_world *world, const snag__ask *ask, size_t degenerate)
{
    if (degenerate > world->degenerate)
        snag__ask_log(ask, SNAG_LOG_WARNING, "%zu %s and take part in no pair: snag_world_check names them", degenerate,
                      ask->def->question == SNAG_PENETRATIONS ? "tetrahedra have no volume" : "triangles have no area");
    world->degenerate = degenerate;
}

static void describe(snag_world *world, const snag__ask *ask, snag_answer *made)
{
    const snag__question *question = ask->def;
    made->question = question->question;
    made->method = ask->method->method;
    made->reason = ask->reason;
    made->complete = !ask->stopped && !question->candidates &&
                     (question->set == NULL || snag__candidates_complete(question->set)) &&
                     question->regions != SNAG_REGIONS_PAPER && question->spheres != SNAG_SPHERES_PAPER;
    made->covered = ask->stopped ? ask->done : 1;
    made->ratio = made->ratio_low = made->complete ? 1 : 0;
    made->ratio_high = 1;
    world->statistics = ask->statistics;
    world->statistics.lab = &world->lab;
    world->lab = ask->lab;
    made->statistics = &world->statistics;
}

// Whether an ask gets by without links. Most meshes that are asked for intersections once are never asked again: the first ask about a body
// needs none.
static bool needs_links(const snag_world *world, const snag__question *question)
{
    bool plain = question->question == SNAG_INTERSECTIONS &&
                 (question->method == SNAG_METHOD_AUTO || question->method == SNAG_METHOD_KDOP) && question->exclude_rings == 0 &&
                 question->exclude_rest == 0 && question->exclusions == NULL && question->set == NULL && world->source_count == 0;
    const snag__entry *entries = world->entries.data;
    for (uint32_t i = 0; i < world->entry_count && plain && world->unlinked_count > 0; i++)
        plain = entries[i].body == NULL || entries[i].body->mesh.linked || !entries[i].body->asked;
    return !plain;
}

static void note_asked(const snag__ask *ask)
{
    for (uint32_t i = 0; i < ask->body_count; i++)
        ask->bodies[i]->asked = true;
}

static snag_status find_answer(snag_world *world, const snag_question_def *def, const snag_answer **answer)
{
    if (def == NULL || answer == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "ask: question and answer must not be NULL");
    snag__question question;
    snag__words message;
    snag__plan_bodies bodies = {.sources = world->source_count > 0, .thin = world->thin_count > 0};
    snag_status status = snag__question_read(def, &question, &message);
    if (status == SNAG_OK)
        bodies.thick = world->thick_count > 0 && !question.ignore_radius &&
                       (question.question == SNAG_PROXIMITIES || question.question == SNAG_IMPACTS);
    if (status == SNAG_OK)
        status = snag__plan_check(&question, bodies, &message);
    if (status != SNAG_OK)
        return snag__fail(world, status, "%s", message.text);
    if (question.exclusions != NULL && !snag__world_has_exclusions(world, question.exclusions))
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "ask: the exclusions are not of this world, or were dropped: make them by snag_world_exclude");

    snag__ask ask;
    if ((needs_links(world, &question) && !snag__world_link(world)) || !snag__ask_begin(world, &question, &ask))
        return snag__fail(world, SNAG_ERROR_MEMORY, "ask: the allocator has no more memory");
    ask.thick = bodies.thick;
    note_asked(&ask);
    if (question.set != NULL) {
        status = snag__candidates_suit(world, &ask);
        if (status == SNAG_ERROR_STALE && question.set->search_if_stale && !question.set->dropped)
            question.set = NULL;
        else if (status != SNAG_OK)
            return status;
    }
    snag_answer made = {0};
    status = snag__filter_prepare(&ask);
    if (status == SNAG_OK)
        status = snag__plan_run(&ask, bodies);
    if (status == SNAG_OK)
        made.degenerate = count_all_degenerate(&ask);
    uint64_t found_us = snag__ask_now(&ask);
    if (status == SNAG_OK)
        status = snag__finish(&ask, &made);
    if (status == SNAG_OK && question.track)
        status = snag__track_contacts(&world->tracks, &ask, &made);
    if (status != SNAG_OK)
        return snag__fail(world, status, "ask: %s", ask.message[0] != 0 ? ask.message : snag_status_name(status));
    describe(world, &ask, &made);
    if (ask.method->partial)
        describe_part(&ask, found_us, &made);
    tell_degenerate(world, &ask, made.degenerate);
    if (ask.method->end != NULL)
        ask.method->end(&ask);
    world->answer = made;
    *answer = &world->answer;
    return SNAG_OK;
}

snag_status snag_world_ask(snag_world *world, const snag_question_def *def, const snag_answer **answer)
{
    snag__call call;
    snag_status status = snag__call_begin_unlinked(world, SNAG__REFUSAL("ask"), &call);
    if (status != SNAG_OK)
        return status;
    snag__pool_expect(world->parallel.pool, true);
    status = find_answer(world, def, answer);
    snag__pool_expect(world->parallel.pool, false);
    return snag__call_end(world, &call, status);
}
