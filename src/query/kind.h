// The table of questions: what each one pairs, how candidates are tested and how a contact is written. Each question has a file of
// its own and a line in the table of kind.c.
#ifndef SNAG_QUERY_KIND_H
#define SNAG_QUERY_KIND_H

#include "mesh/thickness.h"
#include "query/method.h"

#include <math.h>
#include <string.h>

// Candidates tested at a time: the results of the SIMD filters for one block stay in the first-level cache.
enum { SNAG__BLOCK = 1024 };

enum { SNAG__MAX_PASSES = 4 };

typedef struct snag__question_kind {
    bool swept;  // about the motion from t0 to t1: bounds must contain elements at both times
    // Which elements it pairs; returns the number of passes.
    int (*passes)(const snag__ask *ask, snag__pass passes[SNAG__MAX_PASSES]);
    // By how much bounds of elements must be inflated on each side so that no pair is missed. NULL: 0.
    double (*reach)(const snag__question *question);
    // Prepares what `confirm` needs, once the method is known. NULL: nothing.
    snag_status (*prepare)(snag__ask *ask);
    // Tests at most SNAG__BLOCK candidates (row element of body i, column element of body j) exactly and appends the contacts.
    // NULL: the methods append records themselves.
    void (*confirm)(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                    const uint32_t (*pairs)[2], size_t count);
    // The same for pairs of slots, where single precision is prepared. NULL: the question takes none.
    void (*confirm_slots)(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, const snag__element_slots *slots,
                          uint32_t i, uint32_t j, const uint32_t (*pairs)[2], size_t count);
    // Fills in the bodies and elements of a contact from the record's key. NULL: keys are two element numbers.
    void (*name)(const snag__ask *ask, const snag__record *record, snag_contact *contact);
    // Fills in value, points, normal and weights of one contact whose elements are known. NULL: `write_block` does it.
    void (*write)(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b,
                  snag_contact *contact);
    // The same for many contacts at a time, after `write`, with their meshes. May be NULL.
    void (*write_block)(const snag__ask *ask, const snag__record *records, const snag__mesh *const (*meshes)[2],
                        snag_contact *contacts, size_t count);
    // A last stage over all contacts, which may allocate. May be NULL.
    snag_status (*complete)(snag__ask *ask, const snag__record *records, snag_contact *contacts, size_t count);
    // The value of a pair: the time, or the value of its contact. NULL: pairs have none.
    double (*pair_value)(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b,
                         snag_contact *contact);
    // Whether records carry those values. NULL: never.
    bool (*has_values)(const snag__ask *ask);
    // The same for a block of pairs, whose meshes are given: fills in their values. NULL: `pair_value` is asked for each.
    void (*pair_values)(const snag__ask *ask, const snag__record *records, const snag__mesh *const (*meshes)[2], snag_pair *pairs,
                        size_t count);
} snag__question_kind;

// Never above the true value.
static inline float snag__round_down(double value)
{
    float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    // The next below has the next lower bits, or the next higher where the sign is set. Half of all are rounded up: no branch.
    uint32_t above = 0 - (uint32_t)((double)rounded > value);
    bits += ((bits >> 31) * 2 - 1) & above;
    memcpy(&rounded, &bits, sizeof rounded);
    return rounded;
}

extern const snag__question_kind snag__intersections, snag__proximities, snag__penetrations, snag__impacts, snag__distances,
    snag__overlaps;

const snag__question_kind *snag__kind_of(snag_question question);

static inline double snag__reach(const snag__ask *ask)
{
    SNAG__ASSERT(ask->kind != NULL);
    return ask->kind->reach != NULL ? ask->kind->reach(ask->def) : 0;
}

// The same for the elements of one body, with its radius. The margin covers the rounding of limits, which are sums of both.
static inline double snag__body_reach(const snag__ask *ask, uint32_t body)
{
    double reach = snag__reach(ask), radius = ask->thick ? ask->bodies[body]->mesh.radius : 0;
    return radius > 0 ? (reach + radius) * (1 + 0x1p-50) : reach;
}

// How close elements of two bodies must be, where the question says d.
static inline snag__limit snag__limit_in(const snag__ask *ask, uint32_t i, uint32_t j, double d)
{
    return ask->thick ? snag__limit_between(&ask->bodies[i]->mesh, &ask->bodies[j]->mesh, d) : snag__limit_of(d);
}

// ---- shared by the questions ----

static inline void snag__append(snag__record_list *list, uint64_t key, snag_contact_kind kind, uint32_t extra, double value)
{
    SNAG__ASSERT((unsigned)kind < SNAG_CONTACT_KIND_COUNT && list->capacity * sizeof *list->records <= list->memory.bytes);
    if (list->count < list->capacity)
        list->records[list->count] = (snag__record){.key = key, .value = value, .kind = kind, .extra = extra};
    list->count++;
}

static inline void snag__corners_of(const snag__mesh *mesh, const uint32_t *vertices, int count, const double **corner)
{
    for (int i = 0; i < count; i++)
        corner[i] = mesh->x_t1[vertices[i]];
}

// Keys of contacts: the vertex comes first; of two edges the one with the lower number.
uint64_t snag__vertex_key(const snag__ask *ask, uint32_t vertex_body, uint32_t v, uint32_t triangle_body, uint32_t t);
uint64_t snag__edge_key(const snag__ask *ask, uint32_t i, uint32_t row, uint32_t j, uint32_t column);

// Triangles with vertices, and edges with edges. Where there are rods or points, also rods with points and points with points: what no
// pair of the others contains. (A vertex at which an edge ends meets rods by its edges.)
int snag__feature_passes(const snag__ask *ask, snag__pass passes[SNAG__MAX_PASSES]);
// Keeps the candidates of such a pass that can be in contact; returns how many. Dropped are elements of one body that share a vertex,
// and vertices of no element. In self-contact of a smooth surface half of all candidates share a vertex, so they are dropped
// before anything is computed.
size_t snag__keep_pairs(const snag__ask *ask, bool edges, uint32_t i, uint32_t j, const uint32_t (*pairs)[2], size_t count,
                        uint32_t (*kept)[2]);

// Pairs of slots become pairs of elements. Without vertices of no element.
size_t snag__elements_of_slots(const snag__ask *ask, const snag__pass *pass, const snag__element_slots *slots, uint32_t j,
                               uint32_t (*pairs)[2], size_t count);

// Writes a contact of two features that are known to be the closest; record->extra says which corners of the triangle.
void snag__write_closest(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b,
                         snag_contact *contact);
double snag__value_of_contact(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b,
                              snag_contact *contact);
// Writes the segment in which two triangles intersect.
void snag__write_intersection(const snag__mesh *a, const snag__mesh *b, snag_contact *contact);

#endif
