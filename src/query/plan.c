// The plan: which method answers a question, and why.
//
// A named method answers, or the ask fails. `auto` takes the fastest method that finds all contacts:
//
//     penetrations    hash
//     distance        regions
//     intersections   kdop; regularity once the same surfaces have been asked about often and prove smooth
//     impacts         the same
//     proximities     kdop
//     overlaps        spheres
//     any of these, while there are bodies that stay on disk: spheres
//     distance, intersections and impacts, while there are rods or points: kdop
//
// A method may decline a search that does not suit it; then `kdop` answers. `regularity` is faster on smooth surfaces, `kdop` on all
// others, and its trees are built in half the time. So `auto` samples the surfaces, tries `regularity` where they look smooth, and
// judges by the work it then did: by counts, never by a clock, so that the same asks are always answered by the same method. The
// constants below were measured: see docs/design/auto.md.
#include "query/plan.h"

#include "mesh/smooth.h"
#include "query/candidates.h"

// ---- the table of methods ----

// Fastest first: the order in which `auto` looks for a method that answers completely.
static const snag__method *const methods[] = {&snag__kdop,  &snag__regions_method, &snag__regularity, &snag__hash,
                                              &snag__brute, &snag__active,         &snag__spheres};
enum { METHODS = sizeof methods / sizeof *methods };

const snag__method *snag__plan_method(snag_method method)
{
    for (int i = 0; i < METHODS; i++)
        if (methods[i]->method == method)
            return methods[i];
    SNAG__ASSERT(method == SNAG_METHOD_AUTO || (unsigned)method >= SNAG_METHOD_COUNT);
    return NULL;
}

void snag__plan_free(const snag_allocator *allocator, snag__scratch *scratch)
{
    for (int i = 0; i < METHODS; i++)
        if (methods[i]->free != NULL)
            methods[i]->free(allocator, &scratch->states[methods[i]->method]);
}

bool snag__plan_follows_motion(const snag__scratch *scratch)
{
    for (int i = 0; i < METHODS; i++)
        if (methods[i]->follows_motion && scratch->states[methods[i]->method].data != NULL)
            return true;
    return false;
}

static bool answers(const snag__method *method, snag_question question)
{
    SNAG__ASSERT((unsigned)question < SNAG_QUESTION_COUNT);
    return method != NULL && (method->questions >> question & 1u) != 0;
}

static const snag__method *fastest(snag_question question)
{
    if (question == SNAG_PENETRATIONS)
        return &snag__hash;
    if (question == SNAG_DISTANCE)
        return &snag__regions_method;
    for (int i = 0; i < METHODS; i++)
        if (!methods[i]->partial && answers(methods[i], question))
            return methods[i];
    return NULL;
}

// The named method, if it answers the question; for `auto` the fastest.
static const snag__method *choose(snag_method method, snag_question question)
{
    if (method == SNAG_METHOD_AUTO)
        return fastest(question);
    const snag__method *named = snag__plan_method(method);
    return answers(named, question) ? named : NULL;
}

bool snag_method_answers(snag_method method, snag_question question)
{
    return (unsigned)question < SNAG_QUESTION_COUNT && choose(method, question) != NULL;
}

snag_method snag_method_auto(snag_question question)
{
    return snag_method_answers(SNAG_METHOD_AUTO, question) ? fastest(question)->method : SNAG_METHOD_AUTO;
}

bool snag_method_finds_self(snag_method method, snag_question question)
{
    return snag_method_answers(method, question) && !choose(method, question)->between;
}

// ---- when regularity is worth a try ----

enum {
    MOST_ASKS = 256,  // that `kdop` gets at a time
    WORTH_A_TREE = 4096,  // triangles; searching fewer takes less time than this policy
    SAMPLES = 64,
};

// When to build a tree, for static and for swept questions. `kdop` gets the first asks: a tree costs as much as ten to fifteen of
// them (swept: three). Then the surfaces must look smooth: all triangles around a sample face one direction, except at a few
// samples. Static: where `regularity` takes at most 0.8 of the time of `kdop`, at least 0.92 of the samples are smooth; where it is
// slower, at most 0.86. Swept, with fewer triangles to a sample: 0.59 and 0.56.
typedef struct threshold {
    uint32_t first_asks;
    uint32_t triangles;  // per sample
    uint32_t most_rough;  // samples
} threshold;

static const threshold thresholds[2] = {{32, 512, 6}, {8, 128, 26}};

// What a search may cost for each triangle, in contour edges (25 ns each). Static: a cost of 1 takes 0.25 to 0.5 of the time of
// `kdop`, 2.7 as long, 3.4 takes 1.2 to 1.3 times as long. Swept: a pair of leaves costs more per call; and the time of `kdop` grows
// with its candidates, of which there may be fifty times as many as in a static question.
typedef struct price {
    double call, test;
    double most, more_for_a_pair;
} price;

static const price prices[2] = {{.call = 5, .most = 2}, {.call = 17, .test = 1, .most = 9, .more_for_a_pair = 0.85}};

// Whether `auto` may choose between the two. Without self-contacts `kdop` is so fast that a tree needs thirty asks or more to pay
// off; with a budget the time of a single ask matters, not the sum.
static bool may_alternate(const snag__question *def)
{
    return def->method == SNAG_METHOD_AUTO && answers(&snag__regularity, def->question) && !snag__regularity.declines(def) &&
           def->self && def->budget_us == 0;
}

static snag__auto_case case_of(const snag__question *def)
{
    return (snag__auto_case){
        .by_auto = def->method == SNAG_METHOD_AUTO,
        .swept = snag__kind_of(def->question)->swept,
        .self = def->self,
        .between = def->between,
        .directions = def->directions,
        .filter = def->filter,
        .context = def->filter != NULL ? def->filter_context : NULL,
    };
}

static bool is_same_case(const snag__auto_case *a, const snag__auto_case *b)
{
    return a->by_auto == b->by_auto && a->swept == b->swept && a->self == b->self && a->between == b->between &&
           a->directions == b->directions && a->filter == b->filter && a->context == b->context;
}

// The memory of asks like this one.
static snag__auto_entry *entry_of(const snag__ask *ask)
{
    snag__auto_policy *policy = &ask->scratch->auto_policy;
    const snag__auto_case now = case_of(ask->def);
    snag__auto_entry *oldest = &policy->entries[0];
    for (int i = 0; i < SNAG__AUTO_CASES; i++) {
        snag__auto_entry *entry = &policy->entries[i];
        if (entry->used > 0 && is_same_case(&entry->of, &now)) {
            entry->used = ++policy->used;
            return entry;
        }
        if (entry->used < oldest->used)
            oldest = entry;
    }
    *oldest = (snag__auto_entry){.of = now, .used = ++policy->used};
    return oldest;
}

// A body whose self-contacts are filtered out does not count: `regularity` helps within a body.
static bool takes_part(const snag__ask *ask, uint32_t i)
{
    return !ask->picks_bodies || !ask->def->self || snag__wanted(ask, i, i);
}

static uint64_t triangles_of(const snag__ask *ask)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < ask->body_count; i++)
        count += takes_part(ask, i) ? ask->bodies[i]->mesh.triangle_count : 0;
    return count;
}

// A hash (FNV-1a) of the stamps of all bodies.
static uint64_t hash_bodies(const snag__ask *ask)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < ask->body_count; i++)
        hash = (hash ^ ask->bodies[i]->topology) * 0x100000001b3u;
    return hash;
}

// Vertices outside of triangles take part in impacts, but belong to no patch of `regularity`.
static bool has_loose_vertices(const snag__ask *ask)
{
    for (uint32_t i = 0; i < ask->body_count; i++)
        if (ask->bodies[i]->mesh.tet_count > 0 || ask->bodies[i]->mesh.triangle_count == 0)
            return true;
    return false;
}

// Samples the surfaces evenly. Multiples of the golden ratio are in step with no pattern of a mesh.
static bool look_smooth(const snag__ask *ask, uint64_t triangles)
{
    const threshold *p = &thresholds[ask->kind->swept];
    uint32_t rough = 0;
    if (triangles == 0)
        return false;
    for (uint32_t i = 0; i < SAMPLES && rough <= p->most_rough; i++) {
        uint64_t triangle = (uint64_t)(i * 0x9e3779b1u) * triangles >> 32;
        uint32_t body = 0;
        for (; !takes_part(ask, body) || triangle >= ask->bodies[body]->mesh.triangle_count; body++)
            triangle -= takes_part(ask, body) ? ask->bodies[body]->mesh.triangle_count : 0;
        SNAG__ASSERT(body < ask->body_count);
        rough += !snag__is_smooth_around(&ask->bodies[body]->mesh, (uint32_t)triangle, p->triangles);
    }
    return rough <= p->most_rough;
}

// Starts over when the bodies have changed: new ones have no tree yet, and may be rougher or smoother.
static void begin_anew(snag__auto_entry *entry, const snag__ask *ask)
{
    uint64_t bodies = hash_bodies(ask);
    if (entry->begun && entry->bodies == bodies)
        return;
    uint32_t asks = thresholds[ask->kind->swept].first_asks;
    bool is_auto = ask->def->method == SNAG_METHOD_AUTO;
    *entry = (snag__auto_entry){.of = entry->of,
                                .used = entry->used,
                                .begun = true,
                                .bodies = bodies,
                                .tried = !is_auto,
                                .left = is_auto ? asks : 0,
                                .asks = asks / 2};
}

// Gives the next asks to `kdop`, twice as many as the last time.
static void hand_over(snag__auto_entry *entry)
{
    entry->asks = 2 * entry->asks < MOST_ASKS ? 2 * entry->asks : MOST_ASKS;
    entry->left = entry->asks;
    entry->tried = false;
    entry->cost = 0;
}

// Whether `regularity` answers this ask. To be called once per ask. For `auto` the first few asks about the same bodies go to `kdop`:
// a user who asks once or twice should not pay for two trees.
static bool choose_regularity(snag__auto_entry *entry, const snag__ask *ask)
{
    begin_anew(entry, ask);
    uint64_t triangles = triangles_of(ask);
    bool is_auto = ask->def->method == SNAG_METHOD_AUTO;
    if (is_auto && (triangles < WORTH_A_TREE || (ask->kind->swept && has_loose_vertices(ask))))
        return false;
    if (entry->left == 0 && !entry->tried) {
        entry->tried = look_smooth(ask, triangles);
        if (!entry->tried)
            hand_over(entry);
    }
    if (entry->left == 0)
        return true;
    entry->left--;
    return false;
}

// Whether a search of this cost is still faster than `kdop` with this many candidates.
static bool is_worth(const snag__ask *ask, double cost, size_t pairs)
{
    const price *p = &prices[ask->kind->swept];
    uint64_t triangles = triangles_of(ask);
    return triangles < WORTH_A_TREE || cost <= p->most * (double)triangles + p->more_for_a_pair * (double)pairs;
}

// After an ask answered by `kdop`: remembers the number of candidates.
static void note_kdop(snag__auto_entry *entry, const snag__ask *ask)
{
    entry->pairs = 0;
    for (int i = 0; i < SNAG__MAX_TASKS; i++)
        entry->pairs += ask->scratch->lists[i].pair_count;
    // The last hand-over compared with an older count. By this one it came too soon: go back.
    if (entry->cost > 0 && is_worth(ask, entry->cost, entry->pairs)) {
        entry->asks /= 2;
        entry->left = 0;
        entry->tried = true;
    }
    entry->cost = 0;
}

// After a search of `regularity`: if that was too much work, the next asks go to `kdop`.
static void note_regularity(snag__auto_entry *entry, const snag__ask *ask)
{
    const price *p = &prices[ask->kind->swept];
    size_t tests = ask->statistics.tested;
    double cost = p->call * (double)ask->statistics.visited + (double)ask->contour_edges + p->test * (double)tests;
    if (is_worth(ask, cost, entry->pairs > tests ? entry->pairs : tests))
        return;
    hand_over(entry);
    entry->cost = cost;
}

// ---- checks ----

const snag__method *snag__plan_first(const snag__question *question, snag__plan_bodies bodies)
{
    bool is_auto = question->method == SNAG_METHOD_AUTO;
    if (is_auto && bodies.sources && answers(&snag__spheres, question->question))
        return &snag__spheres;
    const snag__method *method = choose(question->method, question->question);
    if (is_auto && (bodies.thin || bodies.thick) && method != NULL && !method->thin && answers(&snag__kdop, question->question))
        return &snag__kdop;
    return method;
}

// What to do where a method does not know rods and points, or radii.
static snag_status refuse_thin(const snag__question *question, const snag__method *method, bool thin, snag__words *message)
{
    const char *name = snag_question_name(question->question);
    if (!thin)
        return snag__refuse(
            message, SNAG_ERROR_UNSUPPORTED,
            "method %s does not know bodies with a radius: ask %s of auto, kdop, hash or brute, or set ignore_radius",
            snag_method_name(method->method), name);
    if (!answers(&snag__kdop, question->question))
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED,
                            "method %s does not know rods and points, and no other answers %s: ask for distance, or add them to a "
                            "world of their own",
                            snag_method_name(method->method), name);
    return snag__refuse(
        message, SNAG_ERROR_UNSUPPORTED,
        "method %s does not know rods and points: ask %s of auto, kdop%s or brute, or add them to a world of their own",
        snag_method_name(method->method), name, answers(&snag__hash, question->question) ? ", hash" : "");
}

snag_status snag__plan_check(const snag__question *question, snag__plan_bodies bodies, snag__words *message)
{
    const snag__method *method = snag__plan_first(question, bodies);
    const char *name = snag_question_name(question->question);
    if (bodies.sources && method != &snag__spheres)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED,
                            "ask: there are bodies that stay on disk, and only the method spheres reads them");
    if (method == NULL)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED, "method %s cannot answer %s", snag_method_name(question->method),
                            name);
    if ((bodies.thin || bodies.thick) && !method->thin)
        return refuse_thin(question, method, bodies.thin, message);
    if (question->candidates && (!method->counts_candidates || question->question == SNAG_DISTANCE))
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED, "method %s does not count candidates of %s",
                            snag_method_name(method->method), name);
    if (question->self && method->between)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED, "method %s finds contacts between bodies only: set self to false",
                            snag_method_name(method->method));
    return SNAG_OK;
}

// ---- running ----

static snag_status run(snag__ask *ask, const snag__method *method, const char *reason)
{
    SNAG__ASSERT(method != NULL && method->find != NULL && reason != NULL);
    SNAG__ASSERT(answers(method, ask->def->question));
    ask->method = method;
    ask->reason = reason;
    snag_status status = ask->kind->prepare != NULL ? ask->kind->prepare(ask) : SNAG_OK;
    return status == SNAG_OK ? method->find(ask) : status;
}

static snag_status run_kdop(snag__ask *ask, snag__auto_entry *entry, const char *reason)
{
    snag_status status = run(ask, &snag__kdop, reason);
    note_kdop(entry, ask);
    return status;
}

static const char *why_kdop(const snag__ask *ask, const snag__auto_entry *entry)
{
    if (ask->def->method == SNAG_METHOD_AUTO && triangles_of(ask) < WORTH_A_TREE)
        return "kdop: the bodies are small";
    return entry->tried || entry->cost > 0 || entry->asks != thresholds[ask->kind->swept].first_asks / 2
               ? "kdop: the surfaces are not smooth enough for regularity"
               : "kdop: too few asks about these bodies for a tree of regularity to pay off";
}

// Runs `regularity` or `kdop`, whichever the policy chooses.
static snag_status run_alternating(snag__ask *ask)
{
    bool by_name = ask->def->method != SNAG_METHOD_AUTO;
    snag__auto_entry *entry = entry_of(ask);
    if (snag__regularity.declines(ask->def))
        return run_kdop(ask, entry, "kdop: regularity has no proof for a separation");
    bool certified = ask->def->regularity == SNAG_REGULARITY_CERTIFIED && !ask->def->forced, first = entry->tried;
    if (certified && !choose_regularity(entry, ask))
        return run_kdop(ask, entry,
                        by_name ? "kdop: the surfaces are not smooth, so regularity would be slower" : why_kdop(ask, entry));
    if (!first && !by_name)
        snag__ask_log(ask, SNAG_LOG_INFO, "auto: the surfaces look smooth: %s change from kdop to regularity",
                      snag_question_name(ask->def->question));
    snag_status status =
        run(ask, &snag__regularity, by_name ? "regularity: asked for by name" : "regularity: the surfaces are smooth");
    // A user who did not ask for these trees must not fail because there is no memory for them.
    if (status == SNAG_ERROR_MEMORY && !by_name && ask->statistics.visited == 0) {
        hand_over(entry);
        return run_kdop(ask, entry, "kdop: there is no memory for a tree of regularity");
    }
    if (status == SNAG__DECLINED)
        return run_kdop(ask, entry, "kdop: regularity does not support vertices outside of triangles");
    if (status == SNAG_OK && certified)
        note_regularity(entry, ask);
    if (status == SNAG_OK && certified && entry->left > 0 && !by_name)
        snag__ask_log(ask, SNAG_LOG_INFO, "auto: regularity was too slow: the next %u asks for %s go to kdop", entry->left,
                      snag_question_name(ask->def->question));
    return status;
}

static const char *reason_of(const snag__question *question, const snag__method *method, snag__plan_bodies bodies)
{
    if (question->method != SNAG_METHOD_AUTO)
        return "asked for by name";
    if (bodies.sources)
        return "spheres: there are bodies that stay on disk, and only spheres reads them";
    if (bodies.thin && method == &snag__kdop && question->question != SNAG_PROXIMITIES)
        return "kdop: there are rods or points, and it is the fastest that knows them";
    if (bodies.thick && question->question == SNAG_IMPACTS)
        return "kdop: there are bodies with a radius, and it is the fastest that knows them";
    switch (question->question) {
    case SNAG_PENETRATIONS: return "hash: the fastest for tetrahedra";
    case SNAG_DISTANCE: return "regions: the fastest for distances";
    case SNAG_OVERLAPS: return "spheres: the only method with sphere trees";
    case SNAG_PROXIMITIES: return "kdop: the fastest for proximities";
    default: return method == &snag__kdop ? "kdop: regularity needs self, and no budget and no separation" : "the only method";
    }
}

snag_status snag__plan_run(snag__ask *ask, snag__plan_bodies bodies)
{
    const snag__question *question = ask->def;
    const snag__method *method = snag__plan_first(question, bodies);
    SNAG__ASSERT(ask->kind == snag__kind_of(question->question));
    SNAG__ASSERT(ask->scratch != NULL && ask->first_element != NULL && (ask->bodies != NULL || ask->body_count == 0));
    if (question->set != NULL)
        return run(ask, &snag__from_candidates, "answered from a set of candidates, without a search");
    if (method == &snag__regularity || (!bodies.sources && !bodies.thin && !bodies.thick && may_alternate(question)))
        return run_alternating(ask);
    return run(ask, method, reason_of(question, method, bodies));
}
