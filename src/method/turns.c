// Turns of `kdop` and `regularity`: see the header, and docs/methods/regularity.md for what was measured.
#include "method/turns.h"

#include "mesh/smooth.h"

enum {
    MOST_ASKS = 256,  // that `kdop` is given at a time
    WORTH_A_TREE = 4096,  // triangles; fewer are searched in less time than it takes to think about them
    SAMPLES = 64,
};

// What it takes to get a tree, at poses and at moves. First come some asks by `kdop`: a tree costs ten to fifteen of
// them, and of a move three. Then the surfaces must look smooth: the triangles around a sample all face one direction,
// but for a few rough ones. Of the samples of a pose 0.92 and more are smooth where `regularity` takes 0.8 of the time
// of `kdop` or less, 0.86 and fewer where it takes longer; of a move, with fewer triangles to a sample, 0.59 and 0.56.
typedef struct promise {
    uint32_t first_asks;
    uint32_t triangles, most_rough;  // of a sample; of the samples
} promise;

static const promise promises[2] = {{32, 512, 6}, {8, 128, 26}};

// What a search may cost for each triangle, in edges of contours (25 ns). Poses: 1 takes 0.25 to 0.5 of the time of
// `kdop`, 2.7 as long, 3.4 take 1.2 to 1.3 times as long. Moves: pairs of leaves, and with them calls, are dearer;
// `kdop` takes the longer the more candidates it finds, and that may be fifty times as many as of a pose.
typedef struct price {
    double call, test;
    double most, more_for_a_pair;
} price;

static const price prices[2] = {{.call = 5, .most = 2}, {.call = 17, .test = 1, .most = 9, .more_for_a_pair = 0.85}};

bool snag__takes_turns(const snag_question_def *def)
{
    bool question = def->question == SNAG_INTERSECTIONS || (def->question == SNAG_IMPACTS && !(def->separation > 0));
    // Between bodies alone `kdop` is so quick that a tree takes thirty asks and more to pay for itself. The other choices
    // are about `kdop`, or about the time of a single ask.
    return question && def->self && def->regularity == SNAG_REGULARITY_CERTIFIED && def->k == 0 && def->arity == 0 &&
           !(def->lazy > 0) && !def->candidates && def->budget_us == 0;
}

static snag__turns_case case_of(const snag_question_def *def)
{
    return (snag__turns_case){
        .by_auto = def->method == SNAG_METHOD_AUTO,
        .swept = snag__is_swept(def->question),
        .self = def->self,
        .between = def->between,
        .directions = def->directions,
        .filter = def->filter,
        .context = def->filter != NULL ? def->context : NULL,
    };
}

static bool is_same_case(const snag__turns_case *a, const snag__turns_case *b)
{
    return a->by_auto == b->by_auto && a->swept == b->swept && a->self == b->self && a->between == b->between &&
           a->directions == b->directions && a->filter == b->filter && a->context == b->context;
}

snag__turns *snag__turns_of(const snag__ask *ask)
{
    snag__scratch *scratch = ask->scratch;
    const snag__turns_case now = case_of(ask->def);
    snag__turns *turns = &scratch->turns[0];
    for (int i = 0; i < SNAG__TURNS; i++) {
        snag__turns *other = &scratch->turns[i];
        if (other->used > 0 && is_same_case(&other->of, &now)) {
            other->used = ++scratch->turns_used;
            return other;
        }
        if (other->used < turns->used)
            turns = other;
    }
    *turns = (snag__turns){.of = now, .used = ++scratch->turns_used};
    return turns;
}

// Where a filter leaves out a body with itself its surface does not matter: trees help within a body.
static bool takes_part(const snag__ask *ask, uint32_t i)
{
    return ask->def->filter == NULL || !ask->def->self || snag__wanted(ask, i, i);
}

static uint64_t triangles_of(const snag__ask *ask)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < ask->body_count; i++)
        count += takes_part(ask, i) ? ask->bodies[i]->mesh.triangle_count : 0;
    return count;
}

// A number for the bodies that are asked about.
static uint64_t name_bodies(const snag__ask *ask)
{
    uint64_t name = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < ask->body_count; i++)
        name = (name ^ ((uint64_t)ask->bodies[i]->id.index << 32 | ask->bodies[i]->id.generation)) * 0x100000001b3u;
    return name;
}

// Vertices outside triangles take part in impacts, and patches have none of them.
static bool has_loose_vertices(const snag__ask *ask)
{
    for (uint32_t i = 0; i < ask->body_count; i++)
        if (ask->bodies[i]->mesh.tet_count > 0 || ask->bodies[i]->mesh.triangle_count == 0)
            return true;
    return false;
}

// Looks at places all over the surfaces. The golden ratio spreads them, in step with no pattern of a mesh.
static bool look_smooth(const snag__ask *ask, uint64_t triangles)
{
    const promise *p = &promises[snag__is_swept(ask->def->question)];
    uint32_t rough = 0;
    for (uint32_t i = 0; i < SAMPLES && rough <= p->most_rough; i++) {
        uint64_t triangle = (uint64_t)(i * 0x9e3779b1u) * triangles >> 32;
        uint32_t body = 0;
        for (; !takes_part(ask, body) || triangle >= ask->bodies[body]->mesh.triangle_count; body++)
            triangle -= takes_part(ask, body) ? ask->bodies[body]->mesh.triangle_count : 0;
        rough += !snag__is_smooth_around(&ask->bodies[body]->mesh, (uint32_t)triangle, p->triangles);
    }
    return rough <= p->most_rough;
}

// New bodies have no tree yet: what was learned of others does not count.
static void begin_anew(snag__turns *turns, const snag__ask *ask)
{
    uint64_t bodies = name_bodies(ask);
    if (turns->begun && turns->bodies == bodies)
        return;
    uint32_t asks = promises[snag__is_swept(ask->def->question)].first_asks;
    bool is_auto = ask->def->method == SNAG_METHOD_AUTO;
    *turns = (snag__turns){.of = turns->of,
                           .used = turns->used,
                           .begun = true,
                           .bodies = bodies,
                           .tried = !is_auto,
                           .left = is_auto ? asks : 0,
                           .asks = asks / 2};
}

bool snag__is_turn_of_regularity(snag__turns *turns, const snag__ask *ask)
{
    begin_anew(turns, ask);
    uint64_t triangles = triangles_of(ask);
    bool is_auto = ask->def->method == SNAG_METHOD_AUTO;
    if (is_auto && (triangles < WORTH_A_TREE || (snag__is_swept(ask->def->question) && has_loose_vertices(ask))))
        return false;
    if (turns->left == 0 && !turns->tried) {
        turns->tried = look_smooth(ask, triangles);
        if (!turns->tried)
            snag__turns_hand_over(turns);
    }
    if (turns->left == 0)
        return true;
    turns->left--;
    return false;
}

void snag__turns_hand_over(snag__turns *turns)
{
    turns->asks = 2 * turns->asks < MOST_ASKS ? 2 * turns->asks : MOST_ASKS;
    turns->left = turns->asks;
    turns->tried = false;
    turns->cost = 0;
}

// Whether a search may have cost so much where `kdop` has so many candidates.
static bool is_worth(const snag__ask *ask, double cost, size_t pairs)
{
    const price *p = &prices[snag__is_swept(ask->def->question)];
    uint64_t triangles = triangles_of(ask);
    return triangles < WORTH_A_TREE || cost <= p->most * (double)triangles + p->more_for_a_pair * (double)pairs;
}

void snag__turns_note_kdop(snag__turns *turns, const snag__ask *ask)
{
    turns->pairs = 0;
    for (int i = 0; i < SNAG__LISTS; i++)
        turns->pairs += ask->scratch->lists[i].pair_count;
    // The ask before was handed over by older numbers than these, and too soon.
    if (turns->cost > 0 && is_worth(ask, turns->cost, turns->pairs)) {
        turns->asks /= 2;
        turns->left = 0;
        turns->tried = true;
    }
    turns->cost = 0;
}

void snag__turns_note(snag__turns *turns, const snag__ask *ask, const snag__regularity_work *work)
{
    const price *p = &prices[snag__is_swept(ask->def->question)];
    double cost = p->call * (double)work->calls + (double)work->edges + p->test * (double)work->tests;
    if (is_worth(ask, cost, turns->pairs > work->tests ? turns->pairs : work->tests))
        return;
    snag__turns_hand_over(turns);
    turns->cost = cost;
}
