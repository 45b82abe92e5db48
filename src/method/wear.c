#include "method/wear.h"

enum { DOUBLINGS_MAX = 16 };

static bool same_case(const snag__wear_case *a, const snag__wear_case *b)
{
    return a->row_builds == b->row_builds && a->column_builds == b->column_builds && a->places == b->places &&
           a->reach == b->reach && a->lazy == b->lazy && a->self == b->self && a->between == b->between &&
           a->filter == b->filter && a->context == b->context;
}

// New trees have to save a fifth of a search.
static bool has_helped(const snag__wear *wear, size_t leaf_pairs)
{
    return leaf_pairs < wear->last - wear->last / 5;
}

static void start(snag__wear *wear, const snag__wear_case *now, size_t leaf_pairs)
{
    if (wear->worn && has_helped(wear, leaf_pairs))
        wear->doublings = 0;
    else if (wear->worn && wear->doublings < DOUBLINGS_MAX)
        wear->doublings++;
    wear->of = *now;
    wear->first = wear->last = leaf_pairs;
    wear->excess = 0;
    wear->worn = false;
}

bool snag__wear_note(snag__wear *wear, const snag__wear_case *now, size_t leaf_pairs)
{
    if (!same_case(&wear->of, now)) {
        start(wear, now, leaf_pairs);
        return false;
    }
    wear->last = leaf_pairs;
    wear->excess += leaf_pairs;
    wear->excess -= wear->excess < wear->first ? wear->excess : wear->first;
    wear->worn = wear->excess >> wear->doublings > SNAG__WEAR_PRICE * now->places;
    return wear->worn;
}
