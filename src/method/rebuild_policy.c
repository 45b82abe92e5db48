#include "method/rebuild_policy.h"

enum { DOUBLINGS_MAX = 16 };

static bool same_case(const snag__rebuild_case *a, const snag__rebuild_case *b)
{
    return a->row_builds == b->row_builds && a->column_builds == b->column_builds && a->slots == b->slots && a->reach == b->reach &&
           a->lazy == b->lazy && a->self == b->self && a->between == b->between && a->filter == b->filter &&
           a->context == b->context;
}

// New trees have to save a fifth of a search.
static bool has_helped(const snag__rebuild_policy *rebuild, size_t leaf_pairs)
{
    return leaf_pairs < rebuild->last - rebuild->last / 5;
}

static void start(snag__rebuild_policy *rebuild, const snag__rebuild_case *now, size_t leaf_pairs)
{
    if (rebuild->rebuild_due && has_helped(rebuild, leaf_pairs))
        rebuild->doublings = 0;
    else if (rebuild->rebuild_due && rebuild->doublings < DOUBLINGS_MAX)
        rebuild->doublings++;
    rebuild->of = *now;
    rebuild->first = rebuild->last = leaf_pairs;
    rebuild->excess = 0;
    rebuild->rebuild_due = false;
}

bool snag__rebuild_policy_note(snag__rebuild_policy *rebuild, const snag__rebuild_case *now, size_t leaf_pairs)
{
    if (!same_case(&rebuild->of, now)) {
        start(rebuild, now, leaf_pairs);
        return false;
    }
    rebuild->last = leaf_pairs;
    rebuild->excess += leaf_pairs;
    rebuild->excess -= rebuild->excess < rebuild->first ? rebuild->excess : rebuild->first;
    rebuild->rebuild_due = rebuild->excess >> rebuild->doublings > SNAG__REBUILD_PRICE * now->slots;
    return rebuild->rebuild_due;
}
