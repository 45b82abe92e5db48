// Judging answers: by `brute`, in a fresh world that holds the same bodies. What is complete must be the same, byte for
// byte; what is not complete must be a part of it.
#include "common/any_question.h"
#include "torture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- callbacks, the same for both worlds ----

static uint32_t place_of(const torture_calls *calls, snag_body_id id)
{
    for (uint32_t i = 0; i < calls->count; i++)
        if (calls->ids[i].index == id.index && calls->ids[i].generation == id.generation)
            return i;
    return UINT32_MAX;
}

bool torture_filter(void *context, snag_body_id a, snag_body_id b)
{
    torture_calls *calls = context;
    uint32_t i = place_of(calls, a), j = place_of(calls, b);
    if (i == UINT32_MAX || j == UINT32_MAX)
        calls->broken = true;
    snag__random random = {calls->filter_salt + (i < j ? i * 64 + j : j * 64 + i)};
    return snag__random_below(&random, 4) != 0;
}

bool torture_progress(void *context, double done)
{
    torture_calls *calls = context;
    if (!(done >= 0 && done <= 1))
        calls->broken = true;
    calls->calls++;
    if (calls->reenter != NULL) {
        any_question def = any_default(SNAG_INTERSECTIONS);
        const snag_answer *answer = NULL;
        calls->reentered = any_ask(calls->reenter, &def, &answer);
        if (snag_world_begin_step(calls->reenter) == SNAG_OK)
            calls->reentered = SNAG_OK;
    }
    return calls->stop_at == 0 || calls->calls < calls->stop_at;
}

// ---- the reference ----

// All that decides which contacts there are. Compared as bytes: made from zeros.
typedef struct key {
    uint64_t version, filter_salt;
    snag_question question;
    uint32_t self, between, every_pair, edges, closest;
    double distance, within, tolerance, separation, until;
    uint64_t exclusions;
    double exclude_rest;
    uint32_t exclude_rings, ignore_radius;
} key;

struct torture_cache {
    bool filled;
    key key;
    snag_contact *contacts;
    torture_reference reference;
};

void torture_forget(torture_life *life)
{
    if (life->cache != NULL)
        free(life->cache->contacts);
    free(life->cache);
    life->cache = NULL;
}

snag_world *torture_fresh_world(const torture_life *life, snag_body_id ids[TORTURE_BODIES])
{
    torture_body *alive[TORTURE_BODIES];
    uint32_t count = torture_alive(life, alive);
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    snag_world *world = NULL;
    if (snag_world_create(&def, &world) != SNAG_OK)
        torture_fail((torture_life *)life, "fresh", "no fresh world");
    for (uint32_t i = 0; i < count; i++)
        if (torture_add_copy(alive[i], world, true, &ids[i]) != SNAG_OK)
            torture_fail((torture_life *)life, "fresh", "a fresh world refuses body %u/%u: %s", alive[i]->id.index,
                         alive[i]->id.generation, snag_world_message(world));
    return world;
}

// All contacts: what an output leaves out, and impacts that come too late, are left out by the judge.
static any_question plain_question(const any_question *def)
{
    any_question plain = any_default(def->question == SNAG_OVERLAPS ? SNAG_INTERSECTIONS : def->question);
    plain.method = SNAG_METHOD_BRUTE;
    plain.self = def->self;
    plain.between = def->between;
    plain.every_pair = def->every_pair;
    plain.edges = def->edges;
    plain.distance = def->distance;
    plain.tolerance = def->tolerance;
    plain.separation = def->separation;
    plain.within = def->within;
    plain.closest = def->closest;
    plain.filter = def->filter;
    plain.exclude_rings = def->exclude_rings;
    plain.exclude_rest = def->exclude_rest;
    plain.ignore_radius = def->ignore_radius;
    return plain;
}

static key key_of(const torture_life *life, const any_question *def, const torture_calls *calls)
{
    key k;
    memset(&k, 0, sizeof k);
    k.version = life->version;
    k.filter_salt = calls->filter_salt;
    k.question = def->question;
    k.self = def->self;
    k.between = def->between;
    k.every_pair = def->every_pair;
    k.edges = def->edges;
    k.closest = def->closest;
    k.distance = def->distance;
    k.within = def->within;
    k.tolerance = def->tolerance;
    k.separation = def->separation;
    k.exclusions = calls->exclusions != NULL ? calls->exclusions->number : 0;
    k.exclude_rest = def->exclude_rest;
    k.exclude_rings = def->exclude_rings;
    k.ignore_radius = def->ignore_radius;
    return k;
}

// Contacts of the fresh world under the ids of the one that is judged.
static void rename_bodies(torture_cache *cache, const torture_calls *from, const snag_body_id *to)
{
    for (size_t i = 0; i < cache->reference.count; i++) {
        snag_contact *c = &cache->contacts[i];
        c->body_a = to[place_of(from, c->body_a)];
        c->body_b = to[place_of(from, c->body_b)];
    }
}

static float round_down(double value)
{
    float rounded = (float)value;
    return (double)rounded > value ? nextafterf(rounded, -INFINITY) : rounded;
}

// A contact in short. Made from zeros, to be compared as bytes.
static snag_pair pair_of(snag_question question, const snag_contact *c)
{
    snag_pair pair;
    memset(&pair, 0, sizeof pair);
    pair.body_a = c->body_a.index;
    pair.body_b = c->body_b.index;
    pair.a = c->a.index;
    pair.b = c->b.index;
    pair.kind_a = (uint8_t)c->a.kind;
    pair.kind_b = (uint8_t)c->b.kind;
    pair.kind = (uint8_t)c->kind;
    pair.shared = (uint8_t)c->shared;
    pair.value = c->kind == SNAG_INSIDE ? 0 : round_down(question == SNAG_IMPACTS ? c->t : c->value);
    return pair;
}

// Leaves out impacts that are later than `until`, and finds the first of the earliest.
static void judge_times(torture_cache *cache, double until)
{
    torture_reference *reference = &cache->reference;
    size_t kept = 0;
    reference->earliest = 1;
    memset(&reference->culprit, 0, sizeof reference->culprit);
    for (size_t i = 0; i < reference->count; i++) {
        const snag_contact *c = &cache->contacts[i];
        if (c->t > until)
            continue;
        if (kept == 0 || c->t < reference->earliest) {
            reference->earliest = c->t;
            reference->culprit = pair_of(SNAG_IMPACTS, c);
        }
        cache->contacts[kept++] = *c;
    }
    reference->count = kept;
}

const torture_reference *torture_brute(torture_life *life, const any_question *def, const torture_calls *calls)
{
    any_question plain = plain_question(def);
    key k = key_of(life, &plain, calls);
    k.until = def->until;
    if (life->cache == NULL && (life->cache = calloc(1, sizeof *life->cache)) == NULL)
        abort();
    torture_cache *cache = life->cache;
    if (cache->filled && memcmp(&cache->key, &k, sizeof k) == 0)
        return &cache->reference;
    free(cache->contacts);
    snag_body_id ids[TORTURE_BODIES];
    snag_world *world = torture_fresh_world(life, ids);
    torture_calls fresh = {.ids = ids, .count = calls->count, .filter_salt = calls->filter_salt};
    plain.context = &fresh;
    plain.exclusions = calls->exclusions != NULL ? torture_fresh_exclusions(life, world, ids, calls->exclusions) : NULL;
    const snag_answer *answer = NULL;
    if (any_ask(world, &plain, &answer) != SNAG_OK)
        torture_fail(life, "brute", "brute in a fresh world: %s", snag_world_message(world));
    if (!answer->complete)
        torture_fail(life, "brute", "brute in a fresh world is not complete");
    if (plain.question == SNAG_IMPACTS)
        life->exact_impacts += answer->statistics->exact;
    cache->contacts = malloc((answer->count + 1) * sizeof *cache->contacts);
    if (cache->contacts == NULL)
        abort();
    if (answer->count > 0)
        memcpy(cache->contacts, answer->contacts, answer->count * sizeof *cache->contacts);
    cache->reference = (torture_reference){.contacts = cache->contacts, .count = answer->count, .degenerate = answer->degenerate};
    rename_bodies(cache, &fresh, calls->ids);
    if (plain.question == SNAG_IMPACTS)
        judge_times(cache, def->until);
    snag_world_destroy(world);
    cache->key = k;
    cache->filled = true;
    return &cache->reference;
}

// ---- comparing ----

static void describe_contact(const snag_contact *c, char *text, size_t size)
{
    snprintf(
        text, size,
        "%s of body %u/%u element %d:%u and body %u/%u element %d:%u, shared %u, value %.17g, t %.17g, normal %.17g %.17g %.17g, "
        "weight %.17g %.17g %.17g %.17g, points %.17g %.17g %.17g and %.17g %.17g %.17g",
        snag_contact_kind_name(c->kind), c->body_a.index, c->body_a.generation, (int)c->a.kind, c->a.index, c->body_b.index,
        c->body_b.generation, (int)c->b.kind, c->b.index, c->shared, c->value, c->t, c->normal[0], c->normal[1], c->normal[2],
        c->weight[0], c->weight[1], c->weight[2], c->weight[3], c->point_a[0], c->point_a[1], c->point_a[2], c->point_b[0],
        c->point_b[1], c->point_b[2]);
}

static bool same_elements(const snag_contact *x, const snag_contact *y)
{
    return memcmp(&x->body_a, &y->body_a, sizeof x->body_a) == 0 && memcmp(&x->body_b, &y->body_b, sizeof x->body_b) == 0 &&
           memcmp(&x->a, &y->a, sizeof x->a) == 0 && memcmp(&x->b, &y->b, sizeof x->b) == 0;
}

// What an answer lists at a place, as a contact without its track. Of a pair this is as much as it says.
static snag_contact contact_at(const snag_answer *answer, size_t i)
{
    snag_contact contact;
    memset(&contact, 0, sizeof contact);
    if (answer->pairs == NULL) {
        contact = answer->contacts[i];
        contact.id = 0;
        contact.phase = SNAG_PHASE_NONE;
        contact.age = 0;
        return contact;
    }
    const snag_pair *pair = &answer->pairs[i];
    contact.body_a.index = pair->body_a;
    contact.body_b.index = pair->body_b;
    contact.a = (snag_element){.kind = (snag_element_kind)pair->kind_a, .index = pair->a};
    contact.b = (snag_element){.kind = (snag_element_kind)pair->kind_b, .index = pair->b};
    contact.kind = (snag_contact_kind)pair->kind;
    contact.shared = pair->shared;
    contact.value = (double)pair->value;
    return contact;
}

static bool lists(const snag_answer *answer)
{
    return answer->output == SNAG_OUTPUT_CONTACTS || answer->output == SNAG_OUTPUT_PAIRS;
}

// Whether what an answer lists at a place, `found`, is this contact. `names`: by its elements alone.
static bool is_listed(const snag_answer *answer, size_t i, const snag_contact *found, const snag_contact *expected, bool names)
{
    if (answer->pairs != NULL) {
        snag_pair pair = pair_of(answer->question, expected);
        if (names)
            pair.value = answer->pairs[i].value;
        return memcmp(&answer->pairs[i], &pair, sizeof pair) == 0;
    }
    return names ? same_elements(found, expected) : memcmp(found, expected, sizeof *found) == 0;
}

typedef struct case_of {
    torture_life *life;
    const any_question *def;
    const snag_answer *answer;
    const torture_reference *reference;
    char tag[160];
} case_of;

_Noreturn static void fail_at(const case_of *c, const char *what, const snag_contact *found, const snag_contact *expected)
{
    char is[900] = "nothing", should[900] = "nothing";
    if (found != NULL)
        describe_contact(found, is, sizeof is);
    if (expected != NULL)
        describe_contact(expected, should, sizeof should);
    torture_fail(c->life, c->tag, "%s: %zu contacts, brute has %zu; found %s; brute has %s", what, c->answer->count,
                 c->reference->count, is, should);
}

static void judge_same(const case_of *c)
{
    const snag_answer *answer = c->answer;
    size_t count = c->reference->count > answer->count ? c->reference->count : answer->count;
    for (size_t i = 0; i < count && lists(answer); i++) {
        snag_contact found;
        const snag_contact *expected = i < c->reference->count ? &c->reference->contacts[i] : NULL;
        if (i >= answer->count)
            fail_at(c, "a contact is missing", NULL, expected);
        found = contact_at(answer, i);
        if (expected == NULL || !is_listed(answer, i, &found, expected, false))
            fail_at(c, "contacts differ", &found, expected);
    }
    if (answer->output == SNAG_OUTPUT_EARLIEST ? answer->count != (c->reference->count > 0) : answer->count != c->reference->count)
        fail_at(c, "counts differ", NULL, NULL);
    bool counts = answer->method != SNAG_METHOD_SPHERES && answer->method != SNAG_METHOD_ACTIVE;
    if (counts && answer->degenerate != c->reference->degenerate)
        torture_fail(c->life, c->tag, "%zu degenerate elements, brute has %zu", answer->degenerate, c->reference->degenerate);
    if (answer->question == SNAG_IMPACTS && (answer->earliest != c->reference->earliest ||
                                             memcmp(&answer->culprit, &c->reference->culprit, sizeof answer->culprit) != 0))
        torture_fail(c->life, c->tag, "the earliest time is %.17g of elements %u and %u, brute has %.17g of %u and %u",
                     answer->earliest, answer->culprit.a, answer->culprit.b, c->reference->earliest, c->reference->culprit.a,
                     c->reference->culprit.b);
    if (answer->covered != 1 || answer->ratio != 1 || answer->ratio_low != 1 || answer->ratio_high != 1)
        torture_fail(c->life, c->tag, "a complete answer with covered %g, ratio %g (%g to %g)", answer->covered, answer->ratio,
                     answer->ratio_low, answer->ratio_high);
}

// Depths of penetrations follow from all contacts together: of a part of them only the elements are the same.
static void judge_part(const case_of *c)
{
    const snag_answer *answer = c->answer;
    bool names = answer->question == SNAG_PENETRATIONS;
    for (size_t i = 0, at = 0; i < answer->count && lists(answer); i++, at++) {
        snag_contact found = contact_at(answer, i);
        while (at < c->reference->count && !is_listed(answer, i, &found, &c->reference->contacts[at], names))
            at++;
        if (at == c->reference->count)
            fail_at(c, "a contact that brute does not have", &found, NULL);
    }
    if (answer->count > c->reference->count)
        fail_at(c, "more contacts than brute has", NULL, NULL);
    if (!(answer->covered >= 0 && answer->covered <= 1 && answer->ratio_low <= answer->ratio &&
          answer->ratio <= answer->ratio_high && answer->ratio_low >= 0 && answer->ratio_high <= 1))
        torture_fail(c->life, c->tag, "covered %g, ratio %g (%g to %g)", answer->covered, answer->ratio, answer->ratio_low,
                     answer->ratio_high);
    if (answer->question == SNAG_IMPACTS && answer->earliest < c->reference->earliest)
        torture_fail(c->life, c->tag, "the earliest time is %.17g, brute has %.17g", answer->earliest, c->reference->earliest);
}

// Distances of a search that did not look at all are not below the true ones.
static void judge_distances(const case_of *c)
{
    for (size_t i = 0; i < c->answer->count && lists(c->answer); i++) {
        snag_contact found = contact_at(c->answer, i);
        for (size_t k = 0; k < c->reference->count; k++) {
            const snag_contact *expected = &c->reference->contacts[k];
            double least = c->answer->pairs != NULL ? (double)round_down(expected->value) : expected->value;
            if (found.body_a.index == expected->body_a.index && found.body_b.index == expected->body_b.index && found.value < least)
                fail_at(c, "closer than can be", &found, expected);
        }
    }
}

// In long doubles, whose squares neither vanish nor overflow.
static bool is_within(const double p[3], const double centre[3], double radius)
{
    long double squared = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        long double d = (long double)p[k] - centre[k];
        squared += d * d;
        size += fabsl(p[k]);
    }
    return sqrtl(squared) <= radius * (1 + 1e-6L) + 1e-12L * size;
}

static bool is_within_leaves(const snag_contact *leaf, const snag_contact *meets)
{
    return memcmp(&leaf->body_a, &meets->body_a, sizeof leaf->body_a) == 0 &&
           memcmp(&leaf->body_b, &meets->body_b, sizeof leaf->body_b) == 0 &&
           is_within(meets->point_a, leaf->point_a, leaf->weight[0]) && is_within(meets->point_a, leaf->point_b, leaf->weight[1]);
}

static bool is_overlap(const snag_pair *leaf, const snag_contact *meets)
{
    return leaf->body_a == meets->body_a.index && leaf->body_b == meets->body_b.index && leaf->value >= 0 &&
           leaf->kind == SNAG_OVERLAP && leaf->kind_a == SNAG_LEAF && leaf->kind_b == SNAG_LEAF;
}

// No two surfaces meet outside of the spheres that overlap. Of pairs it is only known that there are some, of a count less.
static void judge_overlaps(const case_of *c)
{
    const snag_answer *answer = c->answer;
    if (answer->output == SNAG_OUTPUT_COUNT && answer->count == 0 && c->reference->count > 0)
        fail_at(c, "triangles intersect and no spheres overlap", NULL, &c->reference->contacts[0]);
    for (size_t k = 0; k < c->reference->count; k++) {
        const snag_contact *meets = &c->reference->contacts[k];
        bool covered = !lists(answer);
        for (size_t i = 0; i < answer->count && !covered; i++) {
            covered = answer->pairs != NULL ? is_overlap(&answer->pairs[i], meets) : is_within_leaves(&answer->contacts[i], meets);
        }
        if (!covered)
            fail_at(c, "triangles intersect where no spheres overlap", NULL, meets);
    }
}

static bool is_paper(const any_question *def, const snag_answer *answer)
{
    return answer->method == SNAG_METHOD_REGULARITY && def->regularity == SNAG_REGULARITY_PAPER;
}

static bool is_stopped(const any_question *def, const torture_calls *calls)
{
    return def->budget_us != 0 || (calls->stop_at != 0 && calls->calls >= calls->stop_at);
}

// With a separation an impact is certain up to the tolerance, or 2^-40 of the motion if that is more (docs/design/impacts.md).
// Where it is more, pairs in between are reported or not as a method comes by them.
static bool is_uncertain(const torture_life *life, const any_question *def)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < TORTURE_BODIES; i++)
        for (size_t k = 0; life->bodies[i].alive && k < 3 * life->bodies[i].shape.vertex_count; k++) {
            low = fmin(low, fmin(life->bodies[i].t0[k], life->bodies[i].t1[k]));
            high = fmax(high, fmax(life->bodies[i].t0[k], life->bodies[i].t1[k]));
        }
    bool apart = def->separation > 0 || (!def->ignore_radius && torture_largest_radius(life) > 0);
    return def->question == SNAG_IMPACTS && apart && (high - low) * 0x1p-38 > def->tolerance;
}

// Whether an answer names at a place the elements of a contact.
static bool same_places(const snag_answer *answer, size_t i, const snag_contact *expected)
{
    if (answer->contacts != NULL)
        return same_elements(&answer->contacts[i], expected);
    const snag_pair *found = &answer->pairs[i];
    return found->body_a == expected->body_a.index && found->body_b == expected->body_b.index &&
           found->kind_a == (uint8_t)expected->a.kind && found->kind_b == (uint8_t)expected->b.kind &&
           found->a == expected->a.index && found->b == expected->b.index;
}

// Nothing is missed: all pairs that meet are there.
static void judge_not_missing(const case_of *c)
{
    for (size_t i = 0, at = 0; i < c->reference->count && lists(c->answer); i++, at++) {
        while (at < c->answer->count && !same_places(c->answer, at, &c->reference->contacts[i]))
            at++;
        if (at == c->answer->count)
            fail_at(c, "an impact is missing", NULL, &c->reference->contacts[i]);
    }
    size_t least = c->answer->output == SNAG_OUTPUT_EARLIEST ? c->reference->count > 0 : c->reference->count;
    if (c->answer->count < least || c->answer->earliest > c->reference->earliest)
        fail_at(c, "impacts are missing, or the earliest one", NULL, NULL);
}

static void judge_incomplete(case_of *c, const torture_calls *calls)
{
    bool may = is_stopped(c->def, calls) || c->def->candidates || c->def->regions == SNAG_REGIONS_PAPER ||
               c->answer->method == SNAG_METHOD_ACTIVE;
    if (!may)
        torture_fail(c->life, c->tag, "the answer is not complete, and nothing ended it");
    if (c->answer->question == SNAG_DISTANCE)
        judge_distances(c);
    else if (c->answer->question != SNAG_OVERLAPS)
        judge_part(c);
}

const torture_reference *torture_judge_answer(torture_life *life, const any_question *def, const torture_calls *calls,
                                              const snag_answer *answer)
{
    // Of a part it is not known which bodies are closest: compare with all of them.
    any_question judged = *def;
    bool uncertain = is_uncertain(life, def);
    if (!answer->complete)
        judged.within = judged.closest = 0;
    if (uncertain) {
        judged.separation = 0;
        judged.ignore_radius = true;
    }
    case_of c = {life, def, answer, torture_brute(life, &judged, calls), ""};
    snprintf(c.tag, sizeof c.tag, "wrong answer to %s by %s", snag_question_name(def->question), snag_method_name(answer->method));
    if (answer->question != def->question || answer->method == SNAG_METHOD_AUTO || answer->output != def->output ||
        (def->output != SNAG_OUTPUT_CONTACTS && answer->contacts != NULL) ||
        (def->output != SNAG_OUTPUT_PAIRS && answer->pairs != NULL))
        torture_fail(life, c.tag, "the answer is one to another question");
    if (answer->reason == NULL || answer->reason[0] == 0 || answer->statistics == NULL || answer->statistics->lab == NULL)
        torture_fail(life, c.tag, "the answer has no reason or no statistics");
    if (uncertain && answer->complete)
        judge_not_missing(&c);
    else if (!answer->complete && !uncertain)
        judge_incomplete(&c, calls);
    else if (uncertain)
        return c.reference;
    else if (def->question == SNAG_OVERLAPS)
        judge_overlaps(&c);
    else if (is_paper(def, answer))
        judge_part(&c);
    else if (def->method == SNAG_METHOD_ACTIVE)
        torture_fail(life, c.tag, "active never is complete");
    else
        judge_same(&c);
    return c.reference;
}
