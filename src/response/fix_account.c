// The account of a fix. A place of the input owns the vertices that are nearest to it along the surface: what moves there moved
// because of it, and what still intersects there is left of it.
#include "response/fix.h"

#include "base/counting_sort.h"
#include "response/vector.h"

#include <stdlib.h>
#include <string.h>

// A place that is not free keeps its moves only if at most one in WORTH of its pairs is left.
enum { WORTH = 4 };
// Tangles of more contours than this are not searched for parts that pass through others.
enum { MOST_CONTOURS = 64 };

// A pair of the input. Answers are sorted by body and element of a, then of b, and so are these.
typedef struct snag__known {
    uint32_t key[6];
    uint32_t place;
} snag__known;

static void key_of(const snag_contact *c, uint32_t key[6])
{
    const uint32_t values[6] = {c->body_a.index, c->a.kind, c->a.index, c->body_b.index, c->b.kind, c->b.index};
    memcpy(key, values, sizeof values);
}

static int compare_keys(const uint32_t a[6], const uint32_t b[6])
{
    for (int i = 0; i < 6; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_known(const void *a, const void *b)
{
    return compare_keys(((const snag__known *)a)->key, ((const snag__known *)b)->key);
}

// ---- opening ----

static snag_status reserve(snag__account *a, snag__rounds *r, size_t places, size_t contacts)
{
    size_t vertices = r->group.vertex_count + (size_t)1, edges = 1;
    for (uint32_t b = 0; b < r->group.body_count; b++)
        edges += r->group.infos[b].edge_count;
    const snag__room of_vertices[] = {
        {NULL, &a->label, vertices, sizeof *a->label},        {NULL, &a->start, vertices + 1, sizeof *a->start},
        {NULL, &a->adjacent, 2 * edges, sizeof *a->adjacent}, {NULL, &a->queue, vertices, sizeof *a->queue},
        {NULL, &a->kept, vertices, sizeof *a->kept},          {NULL, &a->inverse, vertices, sizeof *a->inverse},
    };
    const snag__room of_places[] = {
        {NULL, &a->places, places + 1, sizeof *a->places},       {NULL, &a->left, places + 1, sizeof *a->left},
        {NULL, &a->returned, places + 1, sizeof *a->returned},   {NULL, &a->limited, places + 1, sizeof *a->limited},
        {NULL, &a->through, places + 1, sizeof *a->through},     {NULL, &a->known, contacts + 1, sizeof *a->known},
        {NULL, &a->kept_left, places + 1, sizeof *a->kept_left}, {NULL, &a->given_up, places + 1, sizeof *a->given_up},
    };
    snag_status status =
        snag__response_carve(r->response, &r->response->fix, of_vertices, sizeof of_vertices / sizeof *of_vertices);
    if (status == SNAG_OK)
        status = snag__response_carve(r->response, &r->response->fix_places, of_places, sizeof of_places / sizeof *of_places);
    return status;
}

static void list_neighbours(snag__account *a, const snag__group *group)
{
    memset(a->start, 0, (group->vertex_count + (size_t)2) * sizeof *a->start);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t b = 0; b < group->body_count; b++) {
            for (size_t e = 0; e < group->infos[b].edge_count; e++) {
                uint32_t p = group->first_vertex[b] + group->infos[b].edges[2 * e];
                uint32_t q = group->first_vertex[b] + group->infos[b].edges[2 * e + 1];
                if (pass == 0) {
                    a->start[p + 1]++, a->start[q + 1]++;
                } else {
                    a->adjacent[a->start[p]++] = q;
                    a->adjacent[a->start[q]++] = p;
                }
            }
        }
        if (pass == 0)
            snag__sizes_to_starts(a->start, group->vertex_count);
    }
    snag__cursors_to_starts(a->start, group->vertex_count);
}

// Breadth first from the vertices of all places, the worst first.
static void label_vertices(snag__account *a, const snag__group *group, const snag_answer *answer, const snag_place *places)
{
    uint32_t end = 0;
    memset(a->label, 0xff, group->vertex_count * sizeof *a->label);
    for (uint32_t p = 0; p < a->count; p++)
        for (size_t i = 0; i < places[p].contact_count; i++) {
            uint32_t vertices[6], count = snag__contact_vertices(group, &answer->contacts[places[p].contacts[i]], vertices);
            for (uint32_t k = 0; k < count; k++)
                if (a->label[vertices[k]] == SNAG__NO_PLACE) {
                    a->label[vertices[k]] = p;
                    a->queue[end++] = vertices[k];
                }
        }
    for (uint32_t from = 0; from < end; from++) {
        uint32_t v = a->queue[from];
        for (uint32_t i = a->start[v]; i < a->start[v + 1]; i++)
            if (a->label[a->adjacent[i]] == SNAG__NO_PLACE) {
                a->label[a->adjacent[i]] = a->label[v];
                a->queue[end++] = a->adjacent[i];
            }
    }
    SNAG__ASSERT(end <= group->vertex_count);
}

// A pair of the input; NULL if it is a new one.
static const snag__known *find_known(const snag__account *a, const snag_contact *contact)
{
    snag__known wanted;
    key_of(contact, wanted.key);
    return bsearch(&wanted, a->known, a->contacts, sizeof wanted, compare_known);
}

// The place of a pair of the input; of a new one the place that most of its vertices belong to.
static uint32_t place_of(const snag__account *a, const snag__group *group, const snag_contact *contact)
{
    const snag__known *known = find_known(a, contact);
    if (known != NULL)
        return known->place;
    uint32_t vertices[6], count = snag__contact_vertices(group, contact, vertices), best = SNAG__NO_PLACE, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t label = a->label[vertices[i]], votes = 0;
        for (uint32_t k = 0; k < count && label != SNAG__NO_PLACE; k++)
            votes += a->label[vertices[k]] == label;
        // What was given up is at home: what is new about the pair is the other's doing.
        if (votes > 0 && !a->given_up[label])
            votes += 6;
        if (votes > most || (votes == most && votes > 0 && label < best))
            most = votes, best = label;
    }
    // A pair of bodies that never met can only meet if one of them moved, and what moved has a label.
    return best != SNAG__NO_PLACE ? best : 0;
}

// The region of the vertices that go back at a contour, on its first or second sheet: that of its first piercing there; SNAG__NO_PLACE
// if there is none.
static uint32_t wrong_region(const snag__tangle *t, const snag__contour *contour, bool second)
{
    for (uint32_t i = 0; i < contour->count; i++) {
        const snag__piercing *p = &t->piercings[t->order[contour->first + i]];
        int plus = snag__piercing_plus(t, p);
        if (((p->owner == 1) != t->crossings[p->crossing].swapped) == second)
            return t->region[p->vertex[contour->plus_wrong ? plus : 1 - plus]];
    }
    return SNAG__NO_PLACE;
}

// Whether two closed curves bound the same region of one sheet and different ones of the other: then the surface goes in at one of
// them and out at the other, as a bar that passes through a plate.
static bool passes_through(const snag__tangle *t, const snag__contour *a, const snag__contour *b)
{
    for (int side_a = 0; side_a < 2; side_a++)
        for (int side_b = 0; side_b < 2; side_b++) {
            uint32_t region = wrong_region(t, a, side_a == 1), other = wrong_region(t, a, side_a == 0);
            if (region != SNAG__NO_PLACE && region == wrong_region(t, b, side_b == 1) && other != region &&
                other != wrong_region(t, b, side_b == 0))
                return true;
        }
    return false;
}

static snag_status find_through(snag__account *a, snag__rounds *r, const snag_answer *answer)
{
    snag__tangle t;
    snag_status status = snag__tangle_find(r->response, &r->group, &r->parts, answer, &t);
    if (status != SNAG_OK || t.contour_count > MOST_CONTOURS)
        return status;
    snag__tangle_decide(&t);
    for (uint32_t i = 0; i < t.crossing_count; i++) {
        const snag__contour *contour = &t.contours[t.crossings[i].contour];
        for (uint32_t k = 0; k < t.contour_count && contour->solid && !contour->open; k++) {
            const snag__contour *other = &t.contours[k];
            if (other != contour && other->solid && !other->open && passes_through(&t, contour, other))
                a->through[place_of(a, &r->group, &answer->contacts[t.crossings[i].contact])] = 1;
        }
    }
    return SNAG_OK;
}

snag_status snag__account_open(snag__account *a, snag__rounds *r, const snag_answer *answer)
{
    const snag_place *places = NULL;
    size_t count = 0;
    *a = (snag__account){.contacts = answer->count};
    snag_status status = snag_answer_places(r->world, answer, &places, &count);
    if (status != SNAG_OK)
        return snag__response_fail(r->response, status, "%s", snag_world_message(r->world));
    status = reserve(a, r, count, answer->count);
    if (status != SNAG_OK)
        return status;
    a->count = (uint32_t)count;
    for (uint32_t i = 0; i < a->count; i++) {
        const snag_place *p = &places[i];
        a->places[i] = (snag_fix_place){.body_a = p->body_a,
                                        .body_b = p->body_b,
                                        .centre = {p->centre[0], p->centre[1], p->centre[2]},
                                        .size = p->size,
                                        .depth = p->depth,
                                        .length = p->length,
                                        .contacts = p->contact_count};
        a->returned[i] = a->limited[i] = a->through[i] = a->given_up[i] = 0;
        a->kept_left[i] = p->contact_count;
        for (size_t k = 0; k < p->contact_count; k++) {
            snag__known *known = &a->known[p->contacts[k]];
            key_of(&answer->contacts[p->contacts[k]], known->key);
            known->place = i;
        }
    }
    qsort(a->known, answer->count, sizeof *a->known, compare_known);
    status = find_through(a, r, answer);
    if (status != SNAG_OK)
        return status;
    list_neighbours(a, &r->group);
    label_vertices(a, &r->group, answer, places);
    memcpy(a->kept, r->home, r->group.vertex_count * sizeof *a->kept);
    return SNAG_OK;
}

// ---- what is left ----

void snag__account_count(snag__account *a, const snag__rounds *r, const snag_answer *answer)
{
    memset(a->left, 0, a->count * sizeof *a->left);
    for (size_t i = 0; i < answer->count && a->count > 0; i++)
        a->left[place_of(a, &r->group, &answer->contacts[i])]++;
}

void snag__account_reset(snag__account *a, snag__rounds *r, const snag_answer *answer)
{
    snag__account_count(a, r, answer);
    for (uint32_t b = 0; b < r->group.body_count; b++)
        for (uint32_t v = r->group.first_vertex[b]; v < r->group.first_vertex[b + 1]; v++)
            if (a->label[v] != SNAG__NO_PLACE && a->left[a->label[v]] > 0 && !(r->rigid != NULL && r->rigid[b].is_rigid))
                memcpy(r->group.x[v], r->home[v], sizeof r->home[v]);
}

static bool is_home(const snag__rounds *r, uint32_t v)
{
    const double *x = r->group.x[v], *home = r->home[v];
    return x[0] == home[0] && x[1] == home[1] && x[2] == home[2];
}

// The parts of the two elements of a contact.
static void parts_of(const snag__rounds *r, const snag_contact *contact, const snag__part *part[2])
{
    uint32_t vertices[6], count = snag__contact_vertices(&r->group, contact, vertices);
    part[0] = &r->parts.items[r->parts.of_vertex[vertices[0]]];
    part[1] = &r->parts.items[r->parts.of_vertex[vertices[count - 1]]];
}

// Why a pair may be left: the strongest reason that holds for it alone.
static snag_fix_outcome reason_of(const snag__rounds *r, const snag_contact *contact)
{
    uint32_t vertices[6], count = snag__contact_vertices(&r->group, contact, vertices), held = 0, shared = 0;
    const snag__part *part[2];
    for (uint32_t i = 0; i < count; i++)
        held += r->group.inverse[vertices[i]] == 0;
    for (uint32_t i = 0; i < 3 && count == 6; i++)
        shared += vertices[i] == vertices[3] || vertices[i] == vertices[4] || vertices[i] == vertices[5];
    parts_of(r, contact, part);
    if (held == count)
        return SNAG_FIX_HELD;
    if (count < 6)
        return SNAG_FIX_THIN;
    if (shared == 3)
        return SNAG_FIX_SHARED;
    if (part[0] == part[1] && part[0]->one_sided)
        return SNAG_FIX_ONE_SIDED;
    if (part[0] != part[1] && part[0]->body == part[1]->body && part[0]->closed && part[1]->closed)
        return SNAG_FIX_PARTS;
    return SNAG_FIX_STUCK;
}

// A place that is sent home takes with it what it meets then and did not meet before.
static void follow_neighbours(snag__account *a, const snag__rounds *r, const snag_answer *answer)
{
    for (size_t i = 0; i < answer->count; i++) {
        uint32_t vertices[6], count = snag__contact_vertices(&r->group, &answer->contacts[i], vertices);
        uint32_t own = place_of(a, &r->group, &answer->contacts[i]);
        bool fresh = a->returned[own] && find_known(a, &answer->contacts[i]) == NULL;
        for (uint32_t k = 0; k < count && fresh; k++)
            if (a->label[vertices[k]] != SNAG__NO_PLACE && !is_home(r, vertices[k]))
                a->returned[a->label[vertices[k]]] = 1;
    }
}

// Sends rigid bodies home as a whole if one of their vertices is.
static bool return_rigid(const snag__rounds *r, uint32_t body, bool wanted)
{
    if (r->rigid == NULL || !r->rigid[body].is_rigid)
        return false;
    snag__rigid *rigid = &r->rigid[body];
    if (wanted) {
        memset(rigid->shift, 0, sizeof rigid->shift);
        memcpy(rigid->turn, (const double[4]){1, 0, 0, 0}, sizeof rigid->turn);
    }
    return true;
}

// Marks the places of which too many pairs are left, and those with a reason that lies in the input.
static void mark_hopeless(const snag__account *a, const snag__rounds *r, const snag_answer *answer, const size_t *left,
                          uint8_t *marks)
{
    for (uint32_t p = 0; p < a->count; p++)
        if (left[p] > a->places[p].contacts / WORTH || (left[p] > 0 && a->through[p]))
            marks[p] = 1;
    for (size_t i = 0; i < answer->count; i++) {
        snag_fix_outcome reason = reason_of(r, &answer->contacts[i]);
        if (reason != SNAG_FIX_STUCK && reason != SNAG_FIX_HELD)
            marks[place_of(a, &r->group, &answer->contacts[i])] = 1;
    }
}

bool snag__account_return(snag__account *a, snag__rounds *r, const snag_answer *answer)
{
    bool any = false;
    snag__account_count(a, r, answer);
    mark_hopeless(a, r, answer, a->left, a->returned);
    follow_neighbours(a, r, answer);
    for (uint32_t b = 0; b < r->group.body_count; b++) {
        uint32_t first = r->group.first_vertex[b], end = r->group.first_vertex[b + 1];
        bool wanted = false;
        for (uint32_t v = first; v < end; v++)
            wanted = wanted || (a->label[v] != SNAG__NO_PLACE && a->returned[a->label[v]] && !is_home(r, v));
        bool whole = return_rigid(r, b, wanted);
        for (uint32_t v = first; v < end && wanted; v++)
            if (whole || (a->label[v] != SNAG__NO_PLACE && a->returned[a->label[v]]))
                memcpy(r->group.x[v], r->home[v], sizeof r->home[v]);
        any = any || wanted;
    }
    return any;
}

// ---- keeping and giving up ----

bool snag__account_keep(snag__account *a, snag__rounds *r, const snag_answer *answer)
{
    bool any = false, freed = false;
    snag__account_count(a, r, answer);
    for (uint32_t p = 0; p < a->count; p++) {
        any = any || a->left[p] < a->kept_left[p];
        freed = freed || (a->left[p] == 0 && a->kept_left[p] > 0);
    }
    for (uint32_t v = 0; v < r->group.vertex_count && any; v++)
        if (a->label[v] != SNAG__NO_PLACE && a->left[a->label[v]] < a->kept_left[a->label[v]])
            memcpy(a->kept[v], r->group.x[v], sizeof *a->kept);
    for (uint32_t p = 0; p < a->count; p++)
        if (a->left[p] < a->kept_left[p])
            a->kept_left[p] = a->left[p];
    return freed;
}

bool snag__account_give_up(snag__account *a, snag__rounds *r, const snag_answer *answer)
{
    uint32_t count = 0;
    mark_hopeless(a, r, answer, a->kept_left, a->given_up);
    for (uint32_t p = 0; p < a->count; p++)
        count += a->given_up[p];
    if (count == 0 || count == a->count) {
        memset(a->given_up, 0, a->count);
        return false;
    }
    memcpy(a->inverse, r->group.inverse, r->group.vertex_count * sizeof *a->inverse);
    for (uint32_t v = 0; v < r->group.vertex_count; v++)
        if (a->label[v] != SNAG__NO_PLACE && a->given_up[a->label[v]]) {
            memcpy(r->group.x[v], r->home[v], sizeof r->home[v]);
            r->group.inverse[v] = 0;
        }
    memcpy(a->kept, r->group.x, r->group.vertex_count * sizeof *a->kept);
    for (uint32_t p = 0; p < a->count; p++)
        a->kept_left[p] = SIZE_MAX;
    return true;
}

bool snag__account_is_left(snag__account *a, const snag__rounds *r, const snag_answer *answer)
{
    snag__account_count(a, r, answer);
    for (uint32_t p = 0; p < a->count; p++)
        if (a->left[p] > 0 && !a->given_up[p])
            return true;
    return false;
}

void snag__account_let_go(const snag__account *a, snag__rounds *r)
{
    memcpy(r->group.inverse, a->inverse, r->group.vertex_count * sizeof *a->inverse);
}

// ---- outcomes ----

// Reasons that lie in the input come first, then those of the call.
static uint32_t strength(snag_fix_outcome outcome)
{
    static const uint32_t order[SNAG_FIX_OUTCOME_COUNT] = {
        [SNAG_FIX_HELD] = 9,    [SNAG_FIX_SHARED] = 8, [SNAG_FIX_ONE_SIDED] = 7, [SNAG_FIX_THIN] = 6,  [SNAG_FIX_TIME] = 5,
        [SNAG_FIX_THROUGH] = 4, [SNAG_FIX_PARTS] = 3,  [SNAG_FIX_MAX_MOVE] = 2,  [SNAG_FIX_STUCK] = 1,
    };
    return order[outcome];
}

static void raise(snag_fix_outcome *outcome, snag_fix_outcome reason)
{
    if (strength(reason) > strength(*outcome))
        *outcome = reason;
}

void snag__account_close(snag__account *a, const snag__rounds *r, const snag_answer *answer)
{
    snag__account_count(a, r, answer);
    for (uint32_t p = 0; p < a->count; p++) {
        snag_fix_place *place = &a->places[p];
        place->left = a->left[p];
        place->moved = 0;
        place->largest_move = 0;
        place->outcome = SNAG_FIX_FREED;
        if (place->left > 0 && r->stopped)
            raise(&place->outcome, SNAG_FIX_TIME);
        if (place->left > 0 && a->limited[p])
            raise(&place->outcome, SNAG_FIX_MAX_MOVE);
        if (place->left > 0 && a->through[p])
            raise(&place->outcome, SNAG_FIX_THROUGH);
    }
    for (size_t i = 0; i < answer->count && a->count > 0; i++)
        raise(&a->places[place_of(a, &r->group, &answer->contacts[i])].outcome, reason_of(r, &answer->contacts[i]));
    for (uint32_t v = 0; v < r->group.vertex_count; v++) {
        double move[3];
        if (a->label[v] == SNAG__NO_PLACE || is_home(r, v))
            continue;
        snag_fix_place *place = &a->places[a->label[v]];
        snag__subtract(r->group.x[v], r->home[v], move);
        place->moved++;
        place->largest_move = fmax(place->largest_move, snag__length(move));
    }
}
