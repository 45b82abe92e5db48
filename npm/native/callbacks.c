// Callbacks of the library that lead into JavaScript: C functions in the module's own table, whose addresses JavaScript puts into defs.
#include "snag/candidates.h"
#include "snag/question.h"

#define FROM_JS(name) __attribute__((import_module("snag"), import_name(name)))
#define TO_JS(name) __attribute__((export_name(name)))

FROM_JS("progress") int snag_js_on_progress(double done);
FROM_JS("bodies") int snag_js_on_bodies(uint32_t a, uint32_t b);
FROM_JS("take") int snag_js_on_take(const snag_contact *contacts, const snag_pair *pairs, size_t count);
FROM_JS("keep") int snag_js_on_keep(int kind, uint32_t body_a, uint32_t body_b, uint32_t a, uint32_t b);

static bool progress(void *context, double done)
{
    (void)context;
    return snag_js_on_progress(done) != 0;
}

static bool meet(void *context, snag_body_id a, snag_body_id b)
{
    (void)context;
    return snag_js_on_bodies(a.index, b.index) != 0;
}

static bool take(void *context, const snag_contact *contacts, const snag_pair *pairs, size_t count)
{
    (void)context;
    return snag_js_on_take(contacts, pairs, count) != 0;
}

static bool keep(void *context, snag_candidate_kind kind, const snag_candidate *pair)
{
    (void)context;
    return snag_js_on_keep((int)kind, pair->body_a, pair->body_b, pair->a, pair->b) != 0;
}

typedef bool progress_function(void *context, double done);
TO_JS("snag_js_progress") progress_function *snag_js_progress(void);
progress_function *snag_js_progress(void)
{
    return progress;
}

typedef bool meet_function(void *context, snag_body_id a, snag_body_id b);
TO_JS("snag_js_bodies") meet_function *snag_js_bodies(void);
meet_function *snag_js_bodies(void)
{
    return meet;
}

typedef bool take_function(void *context, const snag_contact *contacts, const snag_pair *pairs, size_t count);
TO_JS("snag_js_take") take_function *snag_js_take(void);
take_function *snag_js_take(void)
{
    return take;
}

TO_JS("snag_js_filter") snag_status snag_js_filter(snag_candidates *set);
snag_status snag_js_filter(snag_candidates *set)
{
    return snag_candidates_filter(set, keep, NULL);
}
