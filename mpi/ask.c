// A question over all ranks: each searches its part, and keeps the contacts whose boxes' overlap begins in it.
#include "mpi_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zoltan.h>

// ---- create and destroy ----

static void *take(void *context, size_t size, size_t alignment)
{
    (void)context, (void)alignment;
    return malloc(size);
}

static void release(void *context, void *memory, size_t size)
{
    (void)context, (void)size;
    free(memory);
}

snag_mpi_def snag_default_mpi_def(void)
{
    return (snag_mpi_def){.cookie = MPI_COOKIE_DEF, .threads = 1, .imbalance = 1.15, .wait_seconds = 600};
}

static snag_status check_def(const snag_mpi_def *def)
{
    int initialised = 0;
    MPI_Initialized(&initialised);
    bool half = def != NULL && (def->allocator.allocate == NULL) != (def->allocator.release == NULL);
    if (!initialised || def == NULL || def->cookie != MPI_COOKIE_DEF || half)
        return SNAG_ERROR_ARGUMENT;
    return def->imbalance > 1 && def->wait_seconds > 0 && def->threads <= 1024 ? SNAG_OK : SNAG_ERROR_ARGUMENT;
}

// The processors of a machine, divided by the ranks on it.
static uint32_t own_threads(MPI_Comm comm)
{
    MPI_Comm machine;
    int ranks = 1;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &ranks);
    MPI_Comm_free(&machine);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > ranks ? (uint32_t)(processors / ranks) : 1;
}

snag_status snag_mpi_create(const snag_mpi_def *def, snag_mpi **out)
{
    if (out == NULL)
        return SNAG_ERROR_ARGUMENT;
    *out = NULL;
    snag_status status = check_def(def);
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (!initialised)
        return status;
    // A bad def may be bad on one rank only: the others are told through the communicator all agree on.
    bool ours = status == SNAG_OK && def->communicator != NULL;
    MPI_Comm comm = ours ? *(const MPI_Comm *)def->communicator : MPI_COMM_WORLD;
    snag_mpi *m = calloc(1, sizeof *m);
    if (m == NULL && status == SNAG_OK)
        status = SNAG_ERROR_MEMORY;
    struct {
        double imbalance, neg_imbalance, recut, neg_recut, status;
    } mine = {0}, all;
    if (status == SNAG_OK) {
        mine.imbalance = def->imbalance;
        mine.recut = def->recut_every;
    }
    mine.neg_imbalance = -mine.imbalance;
    mine.neg_recut = -mine.recut;
    mine.status = status;
    MPI_Allreduce(&mine, &all, 5, MPI_DOUBLE, MPI_MAX, comm);
    if (all.status == 0 && (all.imbalance != -all.neg_imbalance || all.recut != -all.neg_recut))
        all.status = SNAG_ERROR_MISMATCH;
    if (all.status != 0) {
        free(m);
        return (snag_status)all.status;
    }
    float version;
    Zoltan_Initialize(0, NULL, &version);
    m->def = *def;
    m->allocator = def->allocator.allocate != NULL ? def->allocator : (snag_allocator){take, release, NULL};
    MPI_Comm_dup(comm, &m->comm);
    MPI_Comm_rank(m->comm, &m->rank);
    MPI_Comm_size(m->comm, &m->size);
    if (m->def.threads == 0)
        m->def.threads = own_threads(m->comm);
    for (int i = 0; i < ELEMENT_SETS; i++)
        m->layouts[i].cost = m->whole[i].cost = -1;
    *out = m;
    return SNAG_OK;
}

void snag_mpi_destroy(snag_mpi *m)
{
    if (m == NULL)
        return;
    for (int i = 0; i < ELEMENT_SETS; i++) {
        layout_free(m, &m->layouts[i]);
        layout_free(m, &m->whole[i]);
    }
    for (uint32_t i = 0; i < m->body_count; i++)
        body_free(m, &m->bodies[i]);
    mpi_free(m, m->bodies);
    mpi_free(m, m->contacts);
    mpi_free(m, m->pairs);
    mpi_free(m, m->whole_pairs);
    // Freeing a communicator is collective: where a rank is missing, leave it.
    if (!m->broken)
        MPI_Comm_free(&m->comm);
    free(m);
}

const char *snag_mpi_message(const snag_mpi *m)
{
    return m != NULL ? m->message : "";
}

// ---- the question ----

snag_mpi_question_def snag_default_mpi_question_def(snag_question question)
{
    return (snag_mpi_question_def){.cookie = MPI_COOKIE_QUESTION, .question = snag_default_question_def(question)};
}

static void check_question(snag_mpi *m, const snag_mpi_question_def *def, const snag_mpi_answer **answer)
{
    if (def == NULL || answer == NULL) {
        mpi_fail(m, SNAG_ERROR_ARGUMENT, "ask: question and answer must not be NULL");
        return;
    }
    if (def->cookie != MPI_COOKIE_QUESTION) {
        mpi_fail(m, SNAG_ERROR_ARGUMENT, "ask: start from snag_default_mpi_question_def()");
        return;
    }
    const snag_question_def *q = &def->question;
    if (q->question == SNAG_OVERLAPS || q->method == SNAG_METHOD_ACTIVE || q->method == SNAG_METHOD_SPHERES)
        mpi_fail(m, SNAG_ERROR_UNSUPPORTED, "ask: %s by %s is not answered over ranks", snag_question_name(q->question),
                 snag_method_name(q->method));
    if (q->options != NULL || q->filter != NULL || q->sink != NULL || q->candidates != NULL || q->track || q->budget_us != 0 ||
        q->progress != NULL)
        mpi_fail(m, SNAG_ERROR_UNSUPPORTED,
                 "ask: options of methods, filters (use `bodies` of snag_mpi_question_def), sinks, candidates, tracking, budget "
                 "and progress are not supported over ranks");
    if ((unsigned)def->results > SNAG_MPI_AT_ROOT)
        mpi_fail(m, SNAG_ERROR_ARGUMENT, "ask: unknown value %d of results", (int)def->results);
    // A world without bodies knows best what else may be wrong.
    snag_world *judge = NULL;
    snag_world_def wd = snag_default_world_def();
    wd.threads = 1;
    wd.allocator = m->def.allocator;
    const snag_answer *none;
    if (m->status == SNAG_OK && snag_world_create(&wd, &judge) != SNAG_OK)
        mpi_fail(m, SNAG_ERROR_MEMORY, "the allocator has no more memory");
    if (judge != NULL) {
        snag_status status = snag_world_ask(judge, q, &none);
        if (status != SNAG_OK)
            mpi_fail(m, status, "%s", snag_world_message(judge));
    }
    snag_world_destroy(judge);
}

static uint64_t hash_question(const snag_mpi_question_def *def)
{
    const snag_question_def *q = &def->question;
    const double lengths[] = {q->distance, q->separation, q->tolerance, q->until};
    const uint32_t others[] = {
        (uint32_t)q->question,  (uint32_t)q->method, (uint32_t)q->output, q->self, q->between, q->closest, q->every_pair, q->edges,
        (uint32_t)def->results, def->bodies != NULL};
    return mpi_hash(mpi_hash(0, lengths, sizeof lengths), others, sizeof others);
}

static double reach_of(const snag_question_def *q)
{
    switch (q->question) {
    case SNAG_PROXIMITIES: return q->distance / 2;
    case SNAG_IMPACTS: return (q->separation + q->tolerance) / 2;
    default: return 0;
    }
}

// ---- elements of this part, by global numbers ----

typedef struct side {
    uint32_t body;
    snag_element_kind kind;
    uint32_t index;
    uint32_t vertex[2];  // of an edge
} side;

typedef struct part_view {
    snag_mpi *m;
    layout *l;
    double reach;
    bool all;  // keep everything
    snag_body_info *infos;  // by body
    bool count_only;  // pairs are not stored
} part_view;

// Names an element. False if it is none of the whole body: an edge of a face that is cut off from its neighbour.
static bool name(const part_view *p, const side *s, snag_mpi_element *out)
{
    held *h = &p->l->held[s->body];
    *out = (snag_mpi_element){.kind = s->kind};
    switch (s->kind) {
    case SNAG_VERTEX:
        out->number = h->vertices[s->index].number;
        out->rank = h->vertices[s->index].rank;
        return true;
    case SNAG_EDGE: {
        out->number = h->vertices[s->vertex[0]].number;
        out->other = h->vertices[s->vertex[1]].number;
        const part_edge *edge = held_edge(p->m, h, p->m->bodies[s->body].sets[p->l->set].corners, &p->infos[s->body], s->index);
        out->rank = edge != NULL ? edge->rank : 0;
        return edge != NULL && edge->rank >= 0 && edge->boundary;
    }
    default:
        out->number = h->elements[s->index].number;
        out->rank = h->elements[s->index].rank;
        return true;
    }
}

static int corners_of(const part_view *p, const side *s, const uint32_t **corner)
{
    const snag_body_info *info = &p->infos[s->body];
    switch (s->kind) {
    case SNAG_VERTEX: *corner = &s->index; return 1;
    case SNAG_EDGE: *corner = s->vertex; return 2;
    case SNAG_TRIANGLE: *corner = info->triangles + 3 * (size_t)s->index; return 3;
    default: *corner = info->tets + 4 * (size_t)s->index; return 4;
    }
}

static void lower_corner(const part_view *p, const side *s, double low[3])
{
    const held *h = &p->l->held[s->body];
    const uint32_t *corner;
    int count = corners_of(p, s, &corner);
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        for (int i = 0; i < count; i++)
            low[k] = fmin(low[k], fmin(h->vertices[corner[i]].x_t0[k], h->vertices[corner[i]].x_t1[k]));
        low[k] -= p->reach;
    }
}

// Marks the vertices whose boxes' lower corners are inside of this part's space, not on its surface. The lower corner of an overlap has each of its
// coordinates from one of the vertices, so it is inside too if all of them are.
static void mark_inside(const part_view *p)
{
    double lo[3], hi[3];
    cut_own_box(p->m, p->l, lo, hi);
    for (uint32_t i = 0; i < p->l->body_count; i++) {
        held *h = &p->l->held[i];
        if (h->inside == NULL)
            h->inside = mpi_take(p->m, h->vertex_count, 1);
        for (size_t v = 0; h->inside != NULL && v < h->vertex_count; v++) {
            const part_vertex *x = &h->vertices[v];
            bool inside = true;
            for (int k = 0; k < 3; k++) {
                double low = (x->x_t0[k] < x->x_t1[k] ? x->x_t0[k] : x->x_t1[k]) - p->reach;
                inside = inside && low > lo[k] && low < hi[k];
            }
            h->inside[v] = inside;
        }
    }
}

static bool all_inside(const part_view *p, const side *s)
{
    const uint8_t *inside = p->l->held[s->body].inside;
    const uint32_t *corner;
    int count = corners_of(p, s, &corner);
    bool all = true;
    for (int i = 0; i < count; i++)
        all = all && inside[corner[i]];
    return all;
}

// Whether this part keeps a contact: it holds the lower corner of the overlap of both boxes.
static bool is_kept(const part_view *p, const side *a, const side *b)
{
    double low_a[3], low_b[3];
    if (p->all || (all_inside(p, a) && all_inside(p, b)))
        return true;
    lower_corner(p, a, low_a);
    lower_corner(p, b, low_b);
    for (int k = 0; k < 3; k++)
        low_a[k] = fmax(low_a[k], low_b[k]);
    return cut_point_part(p->m, p->l, low_a) == p->m->rank;
}

static side side_of_contact(snag_body_id id, const snag_element *element)
{
    return (side){id.index - 1, element->kind, element->index, {element->vertex[0], element->vertex[1]}};
}

static side side_of_pair(const part_view *p, uint32_t body_index, uint8_t kind, uint32_t index)
{
    side s = {body_index - 1, (snag_element_kind)kind, index, {0, 0}};
    if (kind == SNAG_EDGE)
        memcpy(s.vertex, p->infos[s.body].edges + 2 * (size_t)index, sizeof s.vertex);
    return s;
}

// Two vertices that are in contact with each other: vertices inside volumes stand in a part's world as points, which meet. In the one world
// they are no points, and no question asked of this set has such a contact.
static bool is_of_points(const part_view *p, unsigned kind_a, unsigned kind_b)
{
    return p->l->set == VERTICES && kind_a == SNAG_VERTEX && kind_b == SNAG_VERTEX;
}

static void keep_contact(const part_view *p, const snag_contact *contact)
{
    snag_mpi *m = p->m;
    side a = side_of_contact(contact->body_a, &contact->a), b = side_of_contact(contact->body_b, &contact->b);
    if (is_of_points(p, a.kind, b.kind) || !is_kept(p, &a, &b) ||
        !mpi_grow(m, &m->contacts, &m->contact_capacity, m->contact_count + 1, sizeof *m->contacts))
        return;
    snag_mpi_contact *to = &m->contacts[m->contact_count];
    memset(to, 0, sizeof *to);
    to->body_a = a.body;
    to->body_b = b.body;
    if (!name(p, &a, &to->a) || !name(p, &b, &to->b))
        return;
    to->kind = contact->kind;
    to->shared = contact->shared;
    to->value = contact->value;
    to->t = contact->t;
    memcpy(to->point_a, contact->point_a, sizeof to->point_a);
    memcpy(to->point_b, contact->point_b, sizeof to->point_b);
    memcpy(to->normal, contact->normal, sizeof to->normal);
    memcpy(to->weight, contact->weight, sizeof to->weight);
    m->contact_count++;
}

static bool name_pair(const part_view *p, const snag_pair *pair, bool all, snag_mpi_pair *to)
{
    side a = side_of_pair(p, pair->body_a, pair->kind_a, pair->a), b = side_of_pair(p, pair->body_b, pair->kind_b, pair->b);
    memset(to, 0, sizeof *to);
    to->body_a = a.body;
    to->body_b = b.body;
    to->kind = pair->kind;
    to->shared = pair->shared;
    to->value = pair->value;
    return (all || is_kept(p, &a, &b)) && name(p, &a, &to->a) && name(p, &b, &to->b);
}

static void keep_pair(const part_view *p, const snag_pair *pair)
{
    snag_mpi *m = p->m;
    snag_mpi_pair counted;
    if (is_of_points(p, pair->kind_a, pair->kind_b))
        return;
    if (p->count_only)
        m->pair_count += name_pair(p, pair, false, &counted);
    else if (mpi_grow(m, &m->pairs, &m->pair_capacity, m->pair_count + 1, sizeof *m->pairs))
        m->pair_count += name_pair(p, pair, false, &m->pairs[m->pair_count]);
}

// ---- the search of one rank ----

bool pair_is_listed(const search_filter *f, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    size_t first = 0, last = f->pair_count;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        const uint32_t *pair = f->pairs[middle];
        if (pair[0] < low || (pair[0] == low && pair[1] < high))
            first = middle + 1;
        else
            last = middle;
    }
    return first < f->pair_count && f->pairs[first][0] == low && f->pairs[first][1] == high;
}

static bool wants(void *context, snag_body_id id_a, snag_body_id id_b)
{
    const search_filter *f = context;
    uint32_t a = id_a.index - 1, b = id_b.index - 1;
    if (f->listed != 0 && pair_is_listed(f, a, b) != (f->listed > 0))
        return false;
    return f->def->bodies == NULL || f->def->bodies(f->def->context, a, b);
}

// Degenerate elements are counted by the part that holds the lower corner of their box.
static uint64_t count_degenerate(const part_view *p, bool tets)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < p->l->body_count; i++) {
        const snag_mesh_report *report;
        if (p->l->held[i].vertex_count == 0 || snag_world_check(p->l->world, p->l->held[i].id, &report) != SNAG_OK)
            continue;
        for (size_t k = 0; k < report->issue_count; k++) {
            if (report->issues[k].kind != (tets ? SNAG_ISSUE_DEGENERATE_TET : SNAG_ISSUE_DEGENERATE_TRIANGLE))
                continue;
            side s = {i, tets ? SNAG_TET : SNAG_TRIANGLE, report->issues[k].element.index, {0, 0}};
            bool vertex = p->l->held[i].elements[s.index].number >= VERTEX_NUMBER(0);
            count += !vertex && is_kept(p, &s, &s);
        }
    }
    return count;
}

// The earliest of a list without those of two points; of equal ones the first in order. False if there is none.
static bool earliest_of_others(const part_view *p, const snag_answer *answer, snag_contact *first)
{
    bool found = false;
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        if (is_of_points(p, c->a.kind, c->b.kind) || (found && c->t >= first->t))
            continue;
        *first = *c;
        found = true;
    }
    return found;
}

// Notes the earliest impact of this part. If it is one of two points, asks again for all impacts: the earliest of the others counts.
static snag_status note_earliest(const part_view *p, const snag_question_def *ask, const snag_answer *answer)
{
    snag_mpi *m = p->m;
    if (answer->question != SNAG_IMPACTS || answer->count == 0)
        return SNAG_OK;
    snag_pair culprit = answer->culprit;
    double earliest = answer->earliest;
    if (is_of_points(p, culprit.kind_a, culprit.kind_b)) {
        snag_question_def all = *ask;
        snag_contact first = {0};
        all.output = SNAG_OUTPUT_CONTACTS;
        snag_status status = snag_world_ask(p->l->world, &all, &answer);
        if (status != SNAG_OK)
            return status;
        if (!earliest_of_others(p, answer, &first))
            return SNAG_OK;
        float below = (float)first.t;
        culprit = (snag_pair){
            .body_a = first.body_a.index,
            .body_b = first.body_b.index,
            .a = first.a.index,
            .b = first.b.index,
            .kind = (uint8_t)first.kind,
            .kind_a = (uint8_t)first.a.kind,
            .kind_b = (uint8_t)first.b.kind,
            .shared = (uint8_t)first.shared,
            .value = (double)below > first.t ? nextafterf(below, -INFINITY) : below,  // never above, as everywhere
        };
        earliest = first.t;
    }
    m->answer.earliest = earliest;
    name_pair(p, &culprit, true, &m->answer.culprit);
    m->answer.total = 1;  // this rank has one
    return SNAG_OK;
}

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static snag_status read_answer(const part_view *p, const snag_question_def *ask, const snag_answer *answer)
{
    snag_mpi *m = p->m;
    for (size_t i = 0; answer->contacts != NULL && i < answer->count && m->status == SNAG_OK; i++)
        keep_contact(p, &answer->contacts[i]);
    for (size_t i = 0; answer->pairs != NULL && i < answer->count && m->status == SNAG_OK; i++)
        keep_pair(p, &answer->pairs[i]);
    if (answer->degenerate > 0 && !p->all)
        m->answer.degenerate = count_degenerate(p, answer->question == SNAG_PENETRATIONS);
    m->answer.method = answer->method;
    m->answer.reason = answer->reason;
    m->answer.statistics.candidates += answer->statistics->candidates;
    // Last: this may ask again.
    return note_earliest(p, ask, answer);
}

snag_status search_part(snag_mpi *m, layout *l, const snag_mpi_question_def *def, snag_output output, search_filter *filter,
                        bool all, const snag_answer **answer)
{
    snag_question_def ask = def->question;
    snag_filter bodies = snag_default_filter();
    ask.output = output;
    bodies.bodies = wants;
    bodies.context = filter;
    if (def->bodies != NULL || filter->listed != 0)
        ask.filter = &bodies;
    if (ask.question == SNAG_DISTANCE)
        ask.closest = 0;
    // Methods that do not know points refuse them; all that answer whole find the same.
    if (l->set == VERTICES && ask.method != SNAG_METHOD_BRUTE && ask.method != SNAG_METHOD_HASH)
        ask.method = SNAG_METHOD_AUTO;
    double began = processor_seconds();
    part_view view = {.m = m, .l = l, .reach = reach_of(&ask), .all = all};
    view.infos = mpi_take(m, l->body_count, sizeof *view.infos);
    view.count_only = def->question.output == SNAG_OUTPUT_COUNT;
    for (uint32_t i = 0; view.infos != NULL && i < l->body_count; i++)
        snag_world_body(l->world, l->held[i].id, &view.infos[i]);
    if (!all && m->status == SNAG_OK)
        mark_inside(&view);
    *answer = NULL;
    if (m->status == SNAG_OK) {
        snag_status status = snag_world_ask(l->world, &ask, answer);
        if (status == SNAG_OK)
            status = read_answer(&view, &ask, *answer);
        if (status != SNAG_OK)
            mpi_fail(m, status, "%s", snag_world_message(l->world));
    }
    mpi_free(m, view.infos);
    m->seconds += processor_seconds() - began;
    return mpi_settle(m);
}

// ---- over all ranks ----

typedef struct first_impact {
    double t;
    snag_mpi_pair pair;
    uint64_t found;
} first_impact;

// The earliest impact of all ranks; of equal ones the first in order.
static snag_status reduce_earliest(snag_mpi *m)
{
    first_impact mine = {m->answer.earliest, m->answer.culprit, m->answer.total}, best = {.t = 1};
    first_impact *all = mpi_take(m, (size_t)m->size, sizeof *all);
    snag_status status = mpi_settle(m);
    if (status != SNAG_OK)
        return status;
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, m->comm);
    for (int i = 0; i < m->size; i++) {
        if (all[i].found == 0)
            continue;
        int order = compare_sides(all[i].pair.body_a, &all[i].pair.a, best.pair.body_a, &best.pair.a);
        if (order == 0)
            order = compare_sides(all[i].pair.body_b, &all[i].pair.b, best.pair.body_b, &best.pair.b);
        if (best.found == 0 || all[i].t < best.t || (all[i].t == best.t && order < 0))
            best = all[i];
    }
    m->answer.earliest = best.t;
    m->answer.culprit = best.pair;
    m->answer.total = best.found;
    mpi_free(m, all);
    return SNAG_OK;
}

// How even the cost is, and whether space is to be cut again.
static void balance(snag_mpi *m, layout *l)
{
    snag_mpi_statistics *s = &m->answer.statistics;
    uint64_t held_count = 0, kept = 0;
    for (uint32_t i = 0; i < l->body_count; i++) {
        held_count += l->held[i].element_count;
        kept += m->bodies[i].sets[l->set].count;
    }
    l->cost = (double)s->candidates + (double)held_count;
    double most = mpi_most(m, l->cost), sum = l->cost;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, m->comm);
    l->imbalance = sum > 0 ? most * m->size / sum : 1;
    l->asks++;
    // A cut that did not help is tried again only after a while: a single element may cost more than a rank's share.
    if (l->asks == 1 && l->before > 0)
        l->patience = l->imbalance < 0.95 * l->before ? 1 : l->patience > 0 ? 2 * l->patience : 2;
    l->recut = m->size > 1 && !l->one_part && l->imbalance > m->def.imbalance && l->asks > l->patience;
    s->candidates_most = (uint64_t)mpi_most(m, (double)s->candidates);
    uint64_t sums[4] = {s->candidates, held_count, kept, m->bytes};
    mpi_sum(m, sums, 4);
    s->candidates = sums[0];
    s->elements = sums[2];
    s->ghosts = sums[1] - sums[2];
    s->bytes = sums[3];
    s->cuts = m->cut_count;
    s->assignments = m->assignment_count;
    s->imbalance = l->imbalance;
    s->seconds = m->seconds;
    MPI_Allreduce(MPI_IN_PLACE, &s->seconds, 1, MPI_DOUBLE, MPI_SUM, m->comm);
    m->bytes = 0;
    m->seconds = 0;
}

static snag_status ask_parts(snag_mpi *m, const snag_mpi_question_def *def, layout *l)
{
    const snag_question_def *q = &def->question;
    const snag_answer *answer;
    search_filter filter = {.m = m, .def = def};
    if (q->question == SNAG_DISTANCE)
        return ask_distance(m, def);
    if (q->question == SNAG_PENETRATIONS && q->output == SNAG_OUTPUT_CONTACTS)
        return ask_penetrations(m, def);
    snag_status status =
        search_part(m, l, def, q->output == SNAG_OUTPUT_COUNT ? SNAG_OUTPUT_PAIRS : q->output, &filter, false, &answer);
    if (status == SNAG_OK && q->question == SNAG_IMPACTS)
        status = reduce_earliest(m);
    return status;
}

static int set_of(const snag_mpi *m, const snag_question_def *q)
{
    bool volumes = false;
    for (uint32_t i = 0; i < m->body_count; i++)
        volumes = volumes || m->bodies[i].volume;
    bool all_vertices = q->question == SNAG_IMPACTS || (q->question == SNAG_PROXIMITIES && q->every_pair);
    return q->question == SNAG_PENETRATIONS ? SOLIDS : volumes && all_vertices ? VERTICES : SURFACES;
}

static snag_status find_answer(snag_mpi *m, const snag_mpi_question_def *def)
{
    const snag_question_def *q = &def->question;
    int set = set_of(m, q);
    layout *l = &m->layouts[set];
    m->contact_count = m->pair_count = 0;
    m->answer = (snag_mpi_answer){.question = q->question, .output = q->output, .earliest = 1};
    snag_status status = layout_update(m, l, set, reach_of(q));
    if (status == SNAG_OK)
        status = ask_parts(m, def, l);
    if (status != SNAG_OK)
        return status;
    uint64_t counts[2] = {q->output == SNAG_OUTPUT_CONTACTS ? m->contact_count : m->pair_count, m->answer.degenerate};
    mpi_sum(m, counts, 2);
    if (q->output != SNAG_OUTPUT_EARLIEST)
        m->answer.total = counts[0];
    m->answer.degenerate = counts[1];
    balance(m, l);
    status = q->output <= SNAG_OUTPUT_PAIRS ? results_route(m, def) : SNAG_OK;
    m->answer.contacts = q->output == SNAG_OUTPUT_CONTACTS && m->contact_count > 0 ? m->contacts : NULL;
    m->answer.pairs = q->output == SNAG_OUTPUT_PAIRS && m->pair_count > 0 ? m->pairs : NULL;
    m->answer.count = q->output == SNAG_OUTPUT_CONTACTS ? m->contact_count : q->output == SNAG_OUTPUT_PAIRS ? m->pair_count : 0;
    return status;
}

snag_status snag_mpi_ask(snag_mpi *m, const snag_mpi_question_def *def, const snag_mpi_answer **answer)
{
    if (m == NULL)
        return SNAG_ERROR_ARGUMENT;
    check_question(m, def, answer);
    snag_status status =
        mpi_begin(m, "snag_mpi_ask", m->status == SNAG_OK ? hash_question(def) : 0, "they put different questions");
    if (status == SNAG_OK)
        status = find_answer(m, def);
    if (status == SNAG_OK)
        *answer = &m->answer;
    return status;
}
