// The table of questions, and code that several of them share.
#include "query/kind.h"

static const snag__question_kind *const kinds[SNAG_QUESTION_COUNT] = {
    [SNAG_INTERSECTIONS] = &snag__intersections, [SNAG_PROXIMITIES] = &snag__proximities,
    [SNAG_PENETRATIONS] = &snag__penetrations,   [SNAG_IMPACTS] = &snag__impacts,
    [SNAG_DISTANCE] = &snag__distances,          [SNAG_OVERLAPS] = &snag__overlaps,
};

const snag__question_kind *snag__kind_of(snag_question question)
{
    SNAG__ASSERT((unsigned)question < SNAG_QUESTION_COUNT && kinds[question] != NULL);
    return kinds[question];
}

int snag__feature_passes(const snag__ask *ask, snag__pass passes[SNAG__MAX_PASSES])
{
    passes[0] = (snag__pass){SNAG_TRIANGLE, SNAG_VERTEX};
    passes[1] = (snag__pass){SNAG_EDGE, SNAG_EDGE};
    if (!ask->thin)
        return 2;
    // A set of candidates is for every question: proximities without `every_pair` look at all vertices near rods and thin vertices.
    bool all = ask->def->collect;
    passes[2] = all ? (snag__pass){SNAG__ROD, SNAG_VERTEX} : (snag__pass){SNAG__ROD, SNAG__POINT};
    passes[3] = all ? (snag__pass){SNAG__THIN_VERTEX, SNAG_VERTEX} : (snag__pass){SNAG__POINT, SNAG__POINT};
    return 4;
}

// Whether a vertex of body j and a triangle of body i can be in contact: see snag__keep_pairs. Without branches, since the processor
// cannot predict which candidates share a vertex.
static bool is_vertex_face_pair(const snag__ask *ask, uint32_t i, uint32_t j, uint32_t t, uint32_t v)
{
    SNAG__ASSERT(t < ask->bodies[i]->mesh.triangle_count && v < ask->bodies[j]->mesh.vertex_count);
    const uint32_t *corner = ask->bodies[i]->mesh.triangles[t];
    bool shared = (corner[0] == v) | (corner[1] == v) | (corner[2] == v);
    return (ask->bodies[j]->mesh.vertex_used[v] != 0) & ((i != j) | !shared);
}

static bool is_edge_pair(const snag__ask *ask, uint32_t i, uint32_t j, uint32_t row, uint32_t column)
{
    SNAG__ASSERT(row < ask->bodies[i]->mesh.edge_count && column < ask->bodies[j]->mesh.edge_count);
    const uint32_t *a = ask->bodies[i]->mesh.edges[row], *b = ask->bodies[j]->mesh.edges[column];
    return (i != j) | !((a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1]));
}

uint64_t snag__vertex_key(const snag__ask *ask, uint32_t vertex_body, uint32_t v, uint32_t triangle_body, uint32_t t)
{
    return (uint64_t)snag__element_number(ask, vertex_body, SNAG_VERTEX, v) << 32 |
           snag__element_number(ask, triangle_body, SNAG_TRIANGLE, t);
}

uint64_t snag__edge_key(const snag__ask *ask, uint32_t i, uint32_t row, uint32_t j, uint32_t column)
{
    uint64_t a = snag__element_number(ask, i, SNAG_EDGE, row), b = snag__element_number(ask, j, SNAG_EDGE, column);
    return a < b ? a << 32 | b : b << 32 | a;
}

size_t snag__keep_pairs(const snag__ask *ask, bool edges, uint32_t i, uint32_t j, const uint32_t (*pairs)[2], size_t count,
                        uint32_t (*kept)[2])
{
    SNAG__ASSERT(i < ask->body_count && j < ask->body_count);
    SNAG__ASSERT(count <= SNAG__BLOCK);
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t row = pairs[k][0], column = pairs[k][1];
        kept[n][0] = row;
        kept[n][1] = column;
        n += edges ? is_edge_pair(ask, i, j, row, column) : is_vertex_face_pair(ask, i, j, row, column);
    }
    return n;
}

double snag__value_of_contact(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b,
                              snag_contact *contact)
{
    SNAG__ASSERT(ask->kind->write != NULL);
    ask->kind->write(ask, record, a, b, contact);
    return contact->value;
}
