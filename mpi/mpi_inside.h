// The inside of libsnag_mpi. How the pieces fit together: docs/design/scale.md.
//
//   together.c   ranks agree on a status; exchange of records; memory
//   body.c       what ranks own: checks, seams, boundaries of volumes, motion
//   sets.c       which parts hold an element or a vertex
//   cut.c        Zoltan: cutting space, boxes and points to parts
//   layout.c     a decomposition: dealing elements out to parts, and the world of this rank's part
//   ask.c        a question: local search, each contact kept by one rank
//   whole.c      distance between bodies and depths, which need more than one part
//   results.c    contacts to owners, sorted, or to rank 0
#ifndef SNAG_MPI_INSIDE_H
#define SNAG_MPI_INSIDE_H

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "snag/mesh.h"
#include "snag/methods.h"
#include "snag/mpi.h"

enum {
    MPI_COOKIE_DEF = SNAG_COOKIE(24),
    MPI_COOKIE_BODY = SNAG_COOKIE(25),
    MPI_COOKIE_QUESTION = SNAG_COOKIE(26),
};

struct Zoltan_Struct;

// ---- sets.c: parts by item -------------------------------------------------------------------------------------

typedef struct set_entry {
    uint32_t item;
    int32_t part;
} set_entry;

// Nearly every item is in one part, so the first stands in an array, and the others in a list that is sorted when needed.
typedef struct part_sets {
    int32_t *first;  // by item; -1: none
    uint8_t *many;  // by item: it is in the list too
    size_t items;
    set_entry *more;
    size_t more_count, more_capacity;
    bool failed;  // out of memory while adding
} part_sets;

// ---- bodies as ranks own them ----------------------------------------------------------------------------------

// Elements of one kind, of this rank.
typedef struct elements {
    uint32_t corners;  // 3: triangles, 4: tetrahedra, 1: vertices of a cloud
    size_t count;
    uint32_t *vertices;  // `corners` local vertices each
    uint64_t *numbers;  // global
    uint8_t *faces;  // of tetrahedra: bit i set if the face opposite to corner i is on the boundary; else NULL
} elements;

// Which elements a layout deals out. SURFACES: triangles of surfaces and of the boundaries of volumes, and points of clouds. VERTICES: the same,
// and the vertices inside volumes, which take part in impacts and in proximities of every pair; each as a triangle with three equal corners,
// which becomes a point of a part's world. SOLIDS: tetrahedra, triangles of surfaces and points.
enum { SURFACES, VERTICES, SOLIDS, ELEMENT_SETS };

// The number of a triangle that stands for a vertex.
#define VERTEX_NUMBER(number) ((uint64_t)1 << 63 | (number))

typedef struct shared_vertex {
    uint32_t vertex;  // local
    int32_t rank;  // another rank that has it
} shared_vertex;

typedef struct body {
    char name[128];
    size_t vertex_count;
    uint64_t *numbers;
    uint32_t *by_number;  // local vertices in the order of their numbers
    int32_t *authority;  // of each vertex: the lowest rank that has it
    shared_vertex *shared;  // vertices of this authority that other ranks have too
    size_t shared_count;
    double (*x_t0)[3], (*x_t1)[3];
    bool moved;  // since the step began
    elements sets[ELEMENT_SETS];
    elements triangles, vertices, tets, points;  // what the sets refer to
    bool volume;
} body;

// ---- layout: a decomposition for contact -----------------------------------------------------------------------

// A body as its owner deals it out.
typedef struct dealt {
    part_sets elements, vertices;  // which parts hold them; vertices: of this authority
    uint32_t **send;  // by part: vertices, in the order in which the part got to know them
    size_t *send_count, *send_capacity;
} dealt;

typedef struct part_element {
    uint64_t number, corner[4];
    int32_t rank;  // the owner
    uint32_t faces;
} part_element;

typedef struct part_vertex {
    uint64_t number;
    int32_t rank;  // the authority
    uint32_t unused;
    double x_t0[3], x_t1[3];
} part_vertex;

// An edge of the part's world.
typedef struct part_edge {
    int32_t rank;  // that owns the element with the lowest number at it; -1: no element of the whole body has it
    uint32_t boundary;  // on the boundary of a volume, or of a surface
} part_edge;

// A body as this rank's part holds it: sorted by number, so that the world's numbering keeps the global order.
typedef struct held {
    part_element *elements;
    size_t element_count, element_capacity;
    part_vertex *vertices;
    size_t vertex_count, vertex_capacity;
    uint64_t **receive;  // by source rank: vertices in the order in which their positions come
    uint32_t **slots;  // the same as indices into `vertices`
    size_t *receive_count, *receive_capacity;
    part_edge *edges;  // by the world's edges; made when needed
    uint8_t *inside;  // by vertex: its box's lower corner is inside of the part's space (see ask.c)
    bool changed;  // the world has to get it anew
    bool moved;  // since the step began
    double travel;  // an upper bound on how far a vertex of the body has moved since elements were dealt out
    snag_body_id id;
} held;

// Which parts get an element, apart from its neighbours: writes them to `parts`, which has room for all ranks.
struct snag_mpi;
typedef int deal_rule(struct snag_mpi *m, void *context, uint32_t body, const double lo[3], const double hi[3], int *parts);

typedef struct layout {
    int set;  // SURFACES, VERTICES or SOLIDS
    bool made;  // elements are dealt out
    struct Zoltan_Struct *cuts;  // NULL: no parts of space
    bool one_part;  // there was nothing to cut
    dealt *dealt;  // by body
    held *held;
    uint32_t body_count;
    snag_world *world;
    double reach;  // boxes were inflated by this
    double margin;  // and by this: what may move before elements are dealt out again
    double travel;  // an upper bound on how far a vertex has moved since, on this rank: the most of all bodies
    double last_travel;  // in the last ask
    float **weights;  // by body and element: cost
    double cost;  // of this part in the last ask
    double imbalance;  // over all ranks
    bool recut;  // wanted
    uint32_t asks;  // since the last cut
    uint32_t patience;  // asks to wait before the next cut: grows while cuts do not help
    double before;  // the imbalance that led to the last cut
    uint64_t needed, kept;  // copies of elements that are needed, and that are held
} layout;

typedef struct snag_mpi {
    MPI_Comm comm;
    int rank, size;
    snag_mpi_def def;
    snag_allocator allocator;
    char message[512];
    snag_status status;  // of this rank, since the last agreement
    bool broken;  // a wait ended: only destroy is possible
    body *bodies;
    uint32_t body_count, body_capacity;
    layout layouts[ELEMENT_SETS];
    layout whole[ELEMENT_SETS];  // of pairs of bodies, see whole.c
    uint32_t (*whole_pairs)[2];  // that whole[SOLIDS] holds
    size_t whole_pair_count;
    snag_mpi_answer answer;
    snag_mpi_contact *contacts;
    size_t contact_count, contact_capacity;
    snag_mpi_pair *pairs;
    size_t pair_count, pair_capacity;
    uint64_t bytes, cut_count, assignment_count;
    double seconds;
} snag_mpi;

// ---- together.c ------------------------------------------------------------------------------------------------

void *mpi_take(snag_mpi *m, size_t count, size_t size);  // zeroed; NULL and a status if there is no memory
void mpi_free(snag_mpi *m, void *memory);
// Room for `count` items; false and a status if there is no memory.
bool mpi_grow(snag_mpi *m, void *array, size_t *capacity, size_t count, size_t size);

// Notes a failure of this rank; the first one counts. Returns the status.
snag_status mpi_fail(snag_mpi *m, snag_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Collective: SNAG_OK if no rank has failed; else on all ranks the status and message of the lowest one that has.
snag_status mpi_settle(snag_mpi *m);
// Collective, at the start of each call: all ranks make the same call with the same `what` (a hash of what must agree).
snag_status mpi_begin(snag_mpi *m, const char *call, uint64_t what, const char *disagree);
uint64_t mpi_hash(uint64_t hash, const void *bytes, size_t count);

// Records that came from other ranks, in the order of their ranks.
typedef struct arrivals {
    char *data;
    size_t count;
    size_t *first;  // by source, size + 1 entries
} arrivals;

// Collective: sends record i to rank to[i]. Records to one rank keep their order. Free the arrivals.
snag_status mpi_exchange(snag_mpi *m, const void *records, const int32_t *to, size_t count, size_t size, arrivals *got);
void mpi_arrivals_free(snag_mpi *m, arrivals *got);
// Records and where they go, while they are collected.
typedef struct outbox {
    void *records;
    int32_t *to;
    size_t count, capacity, to_capacity, size;
} outbox;
bool mpi_post(snag_mpi *m, outbox *box, int32_t to, const void *record);
snag_status mpi_deliver(snag_mpi *m, outbox *box, arrivals *got);  // and empties the box

void mpi_sum(snag_mpi *m, uint64_t *values, int count);
double mpi_most(snag_mpi *m, double value);

// ---- sets.c ----------------------------------------------------------------------------------------------------

bool sets_begin(snag_mpi *m, part_sets *sets, size_t items);
void sets_free(snag_mpi *m, part_sets *sets);
void sets_add(snag_mpi *m, part_sets *sets, uint32_t item, int32_t part);
void sets_sort(part_sets *sets);
// The entries of an item beyond the first part. The sets must be sorted.
const set_entry *sets_more(const part_sets *sets, uint32_t item, size_t *count);
bool sets_has(const part_sets *sets, uint32_t item, int32_t part);

// ---- body.c ----------------------------------------------------------------------------------------------------

// The local vertex with this number; UINT32_MAX: none.
uint32_t body_find(const body *b, uint64_t number);
void body_free(snag_mpi *m, body *b);
void body_box(const body *b, const elements *set, size_t element, double inflate, double lo[3], double hi[3]);

// ---- cut.c -----------------------------------------------------------------------------------------------------

snag_status cut_space(snag_mpi *m, layout *l);
void cut_free(layout *l);
int cut_box_parts(snag_mpi *m, layout *l, const double lo[3], const double hi[3], int *parts);
int cut_point_part(snag_mpi *m, const layout *l, const double point[3]);
// A box whose inside is this rank's part.
void cut_own_box(const snag_mpi *m, const layout *l, double lo[3], double hi[3]);

// ---- layout.c --------------------------------------------------------------------------------------------------

void layout_free(snag_mpi *m, layout *l);
// Collective: makes sure that every part has what it needs within this reach.
snag_status layout_update(snag_mpi *m, layout *l, int set, double reach);
// Collective: deals elements out by a rule, from scratch.
snag_status layout_deal(snag_mpi *m, layout *l, int set, deal_rule *rule, void *context);
// Collective: passes new positions of a body on. A layout that cannot be kept up is freed.
void layout_move(snag_mpi *m, layout *l, uint32_t body, bool teleport, double farthest);
void layout_begin_step(snag_mpi *m, layout *l);
// What is known of an edge of the world; NULL and a status if there is no memory.
const part_edge *held_edge(snag_mpi *m, held *h, uint32_t corners, const snag_body_info *info, uint32_t edge);

// ---- ask.c, whole.c --------------------------------------------------------------------------------------------

// A filter of bodies for one search.
typedef struct search_filter {
    snag_mpi *m;
    const snag_mpi_question_def *def;
    const uint32_t (*pairs)[2];  // sorted; NULL: none listed
    size_t pair_count;
    int listed;  // 1: only pairs that are listed; -1: only others; 0: all
} search_filter;
bool pair_is_listed(const search_filter *f, uint32_t a, uint32_t b);

// Asks the world of a layout and appends what this rank keeps to m->contacts or m->pairs. `all`: keeps everything.
snag_status search_part(snag_mpi *m, layout *l, const snag_mpi_question_def *def, snag_output output, search_filter *filter,
                        bool all, const snag_answer **answer);
snag_status ask_distance(snag_mpi *m, const snag_mpi_question_def *def);
snag_status ask_penetrations(snag_mpi *m, const snag_mpi_question_def *def);

// ---- results.c -------------------------------------------------------------------------------------------------

int compare_sides(uint32_t body_a, const snag_mpi_element *a, uint32_t body_b, const snag_mpi_element *b);
snag_status results_route(snag_mpi *m, const snag_mpi_question_def *def);

#endif
