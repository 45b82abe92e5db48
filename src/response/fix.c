// Fixing: from surfaces that intersect to surfaces that do not, by rounds of untangling in several manners, with an account of each
// place. What is freed in one attempt stays while the rest is tried again.
#include "response/fix.h"

#include "base/clock.h"
#include "base/cookie.h"
#include "response/vector.h"

#include <string.h>

// An attempt ends after ROUNDS, or STALL rounds without fewer intersections. Between attempts
// the places that are not free go back to where they were. An attempt in which intersections become many more ends too.
enum { ROUNDS = 150, STALL = 40, WORSE = 3, WORSE_BY = 200 };

// The first keeps the shape of folds; later ones smooth it away more and more. The last two contract curves between borders.
static const snag__manner manners[] = {
    {.gentle = true},
    {.smoothness = 0.3, .quiet_rounds = 5, .keep_shape = true},
    {.smoothness = 0.2, .quiet_rounds = 5},
    {.gentle = true, .resume = true},
    {.smoothness = 0.1},
    {.smoothness = 0.4},
    {.smoothness = 0.2, .contract = true},
    {.smoothness = 0.6, .contract = true},
};
enum { ATTEMPTS = sizeof manners / sizeof *manners };

snag_fix_def snag_default_fix_def(void)
{
    return (snag_fix_def){.cookie = SNAG__COOKIE_FIX, .sheets_yield = true};
}

static const struct {
    const char *name, *sentence;
} outcomes[SNAG_FIX_OUTCOME_COUNT] = {
    [SNAG_FIX_FREED] = {"freed", "nothing intersects here any more"},
    [SNAG_FIX_HELD] = {"held", "vertices that are pinned intersect each other"},
    [SNAG_FIX_MAX_MOVE] = {"max-move", "vertices would have to move farther than allowed"},
    [SNAG_FIX_TIME] = {"time", "stopped before it was free"},
    [SNAG_FIX_SHARED] = {"shared", "faces with the same corners lie on each other wherever these move: delete one"},
    [SNAG_FIX_ONE_SIDED] = {"one-sided", "a closed surface without inside and outside crosses itself wherever its vertices are"},
    [SNAG_FIX_PARTS] = {"parts", "closed parts of one body are built into each other: join them with a boolean union"},
    [SNAG_FIX_THROUGH] = {"through", "one surface passes right through another: pull it out by hand, or join the two"},
    [SNAG_FIX_THIN] = {"thin", "rods and points are not moved"},
    [SNAG_FIX_STUCK] = {"stuck", "no way to free it was found by moving vertices"},
};

const char *snag_fix_outcome_name(snag_fix_outcome outcome)
{
    return (unsigned)outcome < SNAG_FIX_OUTCOME_COUNT ? outcomes[outcome].name : "unknown";
}

const char *snag_fix_outcome_sentence(snag_fix_outcome outcome)
{
    return (unsigned)outcome < SNAG_FIX_OUTCOME_COUNT ? outcomes[outcome].sentence : "unknown";
}

// ---- opening ----

static snag_status check_def(snag_response *response, const snag_world *world, const snag_fix_def *def,
                             const snag_response_body *bodies, size_t body_count)
{
    if (world == NULL || def == NULL || (bodies == NULL && body_count > 0))
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "world, def and bodies must not be NULL");
    if (def->cookie != SNAG__COOKIE_FIX)
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT,
                                   "the def was not made by snag_default_fix_def of this version: start from that");
    if (!(isfinite(def->max_move) && def->max_move >= 0))
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "max_move must be finite and not negative, not %g",
                                   def->max_move);
    if (def->rigid == NULL && def->rigid_count > 0)
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "rigid must not be NULL if rigid_count is not 0");
    return SNAG_OK;
}

// Reads `start` of each body into home, where it is given.
static snag_status read_homes(snag__rounds *r)
{
    for (uint32_t b = 0; b < r->group.body_count; b++) {
        const double *start = r->group.bodies[b].start;
        snag_status status = start == NULL ? SNAG_OK : snag__group_copy(r->response, &r->group, b, "start", start, r->home);
        if (status != SNAG_OK)
            return status;
    }
    for (uint32_t v = 0; v < r->group.vertex_count && r->single; v++)
        snag__round_to_floats(r->home[v]);
    return SNAG_OK;
}

static snag_status open_rigid(snag__rounds *r, const snag_fix_def *def)
{
    const snag__group *group = &r->group;
    if (def->rigid_count == 0)
        return SNAG_OK;
    if (!snag__buffer_reserve(&r->response->allocator, &r->response->rigid, 0, 2 * (group->body_count + (size_t)1),
                              sizeof *r->rigid))
        return snag__response_fail_memory(r->response);
    r->rigid = r->response->rigid.data;
    memset(r->rigid, 0, 2 * (group->body_count + (size_t)1) * sizeof *r->rigid);
    for (size_t i = 0; i < def->rigid_count; i++) {
        uint32_t b = snag__group_find(group, def->rigid[i]);
        if (b == SNAG__NO_BODY)
            return snag__response_fail(r->response, SNAG_ERROR_ARGUMENT, "rigid body %zu is not in the list of bodies", i);
        uint32_t first = group->first_vertex[b], end = group->first_vertex[b + 1];
        for (uint32_t v = first; v < end; v++)
            if (group->inverse[v] == 0)
                return snag__response_fail(r->response, SNAG_ERROR_ARGUMENT,
                                           "%s is rigid, but vertex %u is held: hold all of it, or none", group->infos[b].name,
                                           v - first);
        snag__rigid_open(&r->rigid[b], (const double(*)[3])r->home + first, end - first);
    }
    return SNAG_OK;
}

// ---- attempts ----

static void take_best(snag__rounds *r)
{
    memcpy(r->group.x, r->best, r->group.vertex_count * sizeof *r->best);
    if (r->rigid != NULL)
        memcpy(r->rigid, r->rigid + r->group.body_count, r->group.body_count * sizeof *r->rigid);
}

// Asks where each place had its fewest pairs, all together: `best` if nothing new meets between them. Rigid bodies belong to several
// places and are not put together.
static snag_status join_kept(snag__rounds *r, const snag__account *account)
{
    const snag_answer *answer = NULL;
    if (account->count < 2 || r->rigid != NULL || r->fewest == 0 || r->stopped)
        return SNAG_OK;
    memcpy(r->group.x, account->kept, r->group.vertex_count * sizeof *account->kept);
    return snag__rounds_ask(r, &answer);
}

// Starts at group.x; `again`: at the best so far with what is left of it reset.
static snag_status make_attempt(snag__rounds *r, snag__account *account, uint32_t attempt, bool again)
{
    const snag_answer *answer = NULL;
    snag_status status = SNAG_OK;
    if (again) {
        take_best(r);
        status = snag__rounds_ask(r, &answer);
        if (status != SNAG_OK || answer == NULL || !snag__account_is_left(account, r, answer))
            return status;
        if (!manners[attempt].resume)
            snag__account_reset(account, r, answer);
    }
    size_t fewest = r->fewest, at_start = 0;
    for (uint32_t round = 0, stalled = 0; round < ROUNDS && stalled < STALL && r->fewest > 0; round++, stalled++) {
        r->done = fmax(r->done, (attempt + (double)round / ROUNDS) / ATTEMPTS);
        status = snag__rounds_ask(r, &answer);
        if (status != SNAG_OK || answer == NULL || answer->count == 0)
            return status;
        // Long thin triangles can fly apart: what gets much worse does not come back.
        at_start = round == 0 ? answer->count : at_start;
        if (answer->count > WORSE * at_start + WORSE_BY)
            break;
        if (r->fewest < fewest)
            stalled = 0, fewest = r->fewest;
        // What is pushed gently enough to free a nick crumples where more is to be done: that is not kept.
        if (!manners[attempt].gentle && snag__account_keep(account, r, answer))
            stalled = 0;
        status = snag__rounds_push(r, answer, &manners[attempt], round);
        if (status != SNAG_OK)
            return status;
    }
    return join_kept(r, account);
}

static snag_status make_attempts(snag__rounds *r, snag__account *account, bool again)
{
    snag_status status = SNAG_OK;
    for (uint32_t attempt = 0; attempt < ATTEMPTS && status == SNAG_OK && r->fewest > 0 && !r->stopped; attempt++)
        status = make_attempt(r, account, attempt, again || attempt > 0);
    return status;
}

static void note_limited(const snag__rounds *r, snag__account *account)
{
    for (uint32_t v = 0; v < r->group.vertex_count; v++)
        if (r->limited[v] && account->label[v] != SNAG__NO_PLACE)
            account->limited[account->label[v]] = 1;
}

// Places that could not be freed go home and are held there, and what else is left is tried again: a place must not fail because its
// neighbour does.
static snag_status give_up(snag__rounds *r, snag__account *account)
{
    const snag_answer *answer = NULL;
    if (account->count < 2 || r->rigid != NULL || r->fewest == 0 || r->stopped)
        return SNAG_OK;
    take_best(r);
    snag_status status = snag__rounds_ask(r, &answer);
    if (status != SNAG_OK || answer == NULL || !snag__account_give_up(account, r, answer))
        return status;
    r->fewest = SIZE_MAX;
    status = snag__rounds_ask(r, &answer);
    if (status == SNAG_OK && answer != NULL && snag__account_is_left(account, r, answer))
        status = make_attempts(r, account, true);
    snag__account_let_go(account, r);
    return status;
}

// ---- the account ----

// At the best positions: sends home what got no better, and accounts for the rest. These searches are not cut short.
static snag_status conclude(snag__rounds *r, snag__account *account, size_t *left)
{
    const snag_answer *answer = NULL;
    r->until = 0;
    r->progress = NULL;
    take_best(r);
    note_limited(r, account);
    for (;;) {
        snag_status status = snag__rounds_ask(r, &answer);
        if (status != SNAG_OK)
            return status;
        SNAG__ASSERT(answer != NULL);
        if (answer->count == 0 || !snag__account_return(account, r, answer))
            break;
    }
    *left = answer->count;
    snag__account_close(account, r, answer);
    return SNAG_OK;
}

static void sum_up(const snag__rounds *r, const snag__account *account, snag_fix_report *report)
{
    report->places = account->places;
    report->place_count = account->count;
    report->contacts = account->contacts;
    report->asks = r->asks;
    report->search_us = r->search_us;
    report->complete = !r->stopped;
    for (uint32_t p = 0; p < account->count; p++)
        report->freed += account->places[p].left == 0;
    double sides = 0, length = 0;
    for (uint32_t v = 0; v < r->group.vertex_count; v++) {
        double move[3];
        const snag__part *part = &r->parts.items[r->parts.of_vertex[v]];
        snag__subtract(r->group.x[v], r->home[v], move);
        double moved = snag__length(move);
        report->moved += moved > 0;
        report->largest_move = fmax(report->largest_move, moved);
        if (part->mean_edge > 0)
            report->largest_edges = fmax(report->largest_edges, moved / part->mean_edge);
        if (account->count > 0 && account->label[v] != SNAG__NO_PLACE)
            sides += 1, length += part->mean_edge;
    }
    report->mean_edge = sides > 0 ? length / sides : 0;
}

static snag_status make_free(snag__rounds *r, snag__account *account, snag_fix_report *report)
{
    const snag_answer *answer = NULL;
    size_t bytes = r->group.vertex_count * sizeof *r->home;
    bool guessed = memcmp(r->group.x, r->home, bytes) != 0;
    // The guess is kept in `moves` while the search looks at home.
    memcpy(r->moves, r->group.x, bytes);
    memcpy(r->group.x, r->home, bytes);
    snag_status status = snag__rounds_ask(r, &answer);
    if (status != SNAG_OK || answer == NULL)
        return status;
    status = snag__account_open(account, r, answer);
    if (status != SNAG_OK)
        return status;
    if (guessed) {
        // Even if nothing intersects at home, a guess that is free is taken: motion that fades out does not jump.
        memcpy(r->group.x, r->moves, bytes);
        snag__rounds_settle(r);
        size_t at_home = r->fewest;
        r->fewest = SIZE_MAX;
        status = snag__rounds_ask(r, &answer);
        if (status != SNAG_OK)
            return status;
        if (at_home < r->fewest) {
            memcpy(r->best, r->home, bytes);
            if (at_home == 0)
                memcpy(r->group.x, r->home, bytes);
            r->fewest = at_home;
        }
    }
    status = make_attempts(r, account, false);
    if (status == SNAG_OK)
        status = give_up(r, account);
    if (status == SNAG_OK)
        status = conclude(r, account, &report->left);
    return status;
}

static snag_status fix(snag_response *response, snag_world *world, const snag_fix_def *def, const snag_response_body *bodies,
                       size_t body_count, snag_fix_report *report)
{
    snag_status status = check_def(response, world, def, bodies, body_count);
    if (status != SNAG_OK)
        return status;
    snag__rounds r = {.response = response,
                      .world = world,
                      .method = def->method,
                      .max_move = def->max_move,
                      .single = def->single,
                      .yield = def->sheets_yield,
                      .progress = def->progress,
                      .context = def->context,
                      .until = def->budget_us > 0 ? snag__clock_us() + def->budget_us : 0};
    status = snag__rounds_open(&r, bodies, body_count);
    if (status == SNAG_OK)
        status = read_homes(&r);
    if (status == SNAG_OK)
        status = open_rigid(&r, def);
    if (status != SNAG_OK)
        return status;
    snag__account account = {0};
    snag_fix_report made = {0};
    status = make_free(&r, &account, &made);
    if (status != SNAG_OK) {
        for (uint32_t b = 0; b < r.group.body_count; b++)
            memcpy(r.group.x[r.group.first_vertex[b]], bodies[b].positions, bodies[b].vertex_count * sizeof *r.group.x);
        snag__rounds_place(&r);
        return status;
    }
    sum_up(&r, &account, &made);
    snag__group_return(&r.group, true);
    if (report != NULL)
        *report = made;
    return SNAG_OK;
}

snag_status snag_response_fix(snag_response *response, snag_world *world, const snag_fix_def *def, const snag_response_body *bodies,
                              size_t body_count, snag_fix_report *report)
{
    snag__float_env callers;
    snag_status status = snag__response_begin(response, world, SNAG__RESPONSE_REFUSAL("fix"), &callers);
    if (status != SNAG_OK)
        return status;
    return snag__response_end(response, callers, fix(response, world, def, bodies, body_count, report));
}
