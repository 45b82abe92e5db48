// Cutting space into one part for each rank, by Zoltan's recursive coordinate bisection over the centres of elements, weighted by cost.
// Berger, Bokhari: A Partitioning Strategy for Nonuniform Problems on Multiprocessors, IEEE Transactions on Computers 1987.
#include "mpi_inside.h"

#include <math.h>
#include <zoltan.h>

typedef struct cutting {
    snag_mpi *m;
    layout *l;
} cutting;

static int count_dimensions(void *context, int *error)
{
    (void)context;
    *error = ZOLTAN_OK;
    return 3;
}

static int count_objects(void *context, int *error)
{
    const cutting *c = context;
    size_t count = 0;
    for (uint32_t i = 0; i < c->m->body_count; i++)
        count += c->m->bodies[i].sets[c->l->set].count;
    *error = ZOLTAN_OK;
    return (int)count;
}

static void list_objects(void *context, int gid, int lid, ZOLTAN_ID_PTR gids, ZOLTAN_ID_PTR lids, int dimension, float *weights,
                         int *error)
{
    const cutting *c = context;
    size_t n = 0;
    (void)gid, (void)lid, (void)dimension;
    for (uint32_t i = 0; i < c->m->body_count; i++) {
        const elements *set = &c->m->bodies[i].sets[c->l->set];
        for (size_t e = 0; e < set->count; e++, n++) {
            gids[3 * n] = i;
            gids[3 * n + 1] = (ZOLTAN_ID_TYPE)set->numbers[e];
            gids[3 * n + 2] = (ZOLTAN_ID_TYPE)(set->numbers[e] >> 32);
            lids[2 * n] = i;
            lids[2 * n + 1] = (ZOLTAN_ID_TYPE)e;
            weights[n] = c->l->weights[i][e];
        }
    }
    *error = ZOLTAN_OK;
}

static void centre_of(const snag_mpi *m, const layout *l, uint32_t body_index, size_t element, double centre[3])
{
    double lo[3], hi[3];
    const body *b = &m->bodies[body_index];
    body_box(b, &b->sets[l->set], element, 0, lo, hi);
    for (int k = 0; k < 3; k++)
        centre[k] = 0.5 * lo[k] + 0.5 * hi[k];
}

static void tell_centres(void *context, int gid, int lid, int count, ZOLTAN_ID_PTR gids, ZOLTAN_ID_PTR lids, int dimension,
                         double *xyz, int *error)
{
    const cutting *c = context;
    (void)gid, (void)lid, (void)gids, (void)dimension;
    for (int i = 0; i < count; i++)
        centre_of(c->m, c->l, lids[2 * i], lids[2 * i + 1], xyz + 3 * (size_t)i);
    *error = ZOLTAN_OK;
}

void cut_free(layout *l)
{
    if (l->cuts != NULL)
        Zoltan_Destroy(&l->cuts);
    l->cuts = NULL;
}

static bool begin(snag_mpi *m, layout *l)
{
    static const char *const parameters[][2] = {
        {"DEBUG_LEVEL", "0"},      {"LB_METHOD", "RCB"},    {"KEEP_CUTS", "1"},       {"NUM_GID_ENTRIES", "3"},
        {"NUM_LID_ENTRIES", "2"},  {"OBJ_WEIGHT_DIM", "1"}, {"RETURN_LISTS", "NONE"}, {"RCB_OUTPUT_LEVEL", "0"},
        {"IMBALANCE_TOL", "1.01"}, {"RCB_REUSE", "1"},      {"CHECK_GEOM", "0"},
    };
    if (l->cuts == NULL)
        l->cuts = Zoltan_Create(m->comm);
    for (size_t i = 0; l->cuts != NULL && i < sizeof parameters / sizeof *parameters; i++)
        Zoltan_Set_Param(l->cuts, parameters[i][0], parameters[i][1]);
    return l->cuts != NULL;
}

// Elements of a part that cost more than others weigh more the next time. Within a part all are alike; cut after cut the parts get finer where
// it matters.
static snag_status weigh(snag_mpi *m, layout *l)
{
    double *sums = mpi_take(m, 2 * (size_t)m->size, sizeof *sums), *costs = sums + m->size, all = 0, cost = 0;
    snag_status status = mpi_settle(m);
    if (status != SNAG_OK)
        return status;
    costs[m->rank] = l->cost;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < m->body_count; i++)
            for (size_t e = 0; e < m->bodies[i].sets[l->set].count; e++) {
                double centre[3];
                centre_of(m, l, i, e, centre);
                int part = cut_point_part(m, l, centre);
                if (pass == 0)
                    sums[part] += l->weights[i][e];
                else if (sums[part] > 0) {
                    double factor = (costs[part] / cost) / (sums[part] / all);
                    l->weights[i][e] *= (float)(factor < 0.25 ? 0.25 : factor > 4 ? 4 : factor);
                }
            }
        if (pass == 0)
            MPI_Allreduce(MPI_IN_PLACE, sums, 2 * m->size, MPI_DOUBLE, MPI_SUM, m->comm);
        for (int i = 0; pass == 0 && i < m->size; i++) {
            all += sums[i];
            cost += costs[i];
        }
    }
    mpi_free(m, sums);
    return SNAG_OK;
}

snag_status cut_space(snag_mpi *m, layout *l)
{
    cutting c = {m, l};
    uint64_t count = (uint64_t)count_objects(&c, &(int){0});
    bool weighed = l->cuts != NULL && !l->one_part && l->cost >= 0;
    mpi_sum(m, &count, 1);
    l->one_part = count == 0 || m->size == 1;
    if (l->one_part)
        return SNAG_OK;
    if (weighed && mpi_most(m, l->cost) > 0) {
        snag_status status = weigh(m, l);
        if (status != SNAG_OK)
            return status;
    }
    if (!begin(m, l))
        mpi_fail(m, SNAG_ERROR_MEMORY, "Zoltan has no memory");
    snag_status status = mpi_settle(m);
    if (status != SNAG_OK)
        return status;
    Zoltan_Set_Num_Geom_Fn(l->cuts, count_dimensions, &c);
    Zoltan_Set_Num_Obj_Fn(l->cuts, count_objects, &c);
    Zoltan_Set_Obj_List_Fn(l->cuts, list_objects, &c);
    Zoltan_Set_Geom_Multi_Fn(l->cuts, tell_centres, &c);
    int changes, gid, lid, imports, exports, *processes[2] = {NULL, NULL}, *parts[2] = {NULL, NULL};
    ZOLTAN_ID_PTR ids[4] = {NULL, NULL, NULL, NULL};
    int result = Zoltan_LB_Partition(l->cuts, &changes, &gid, &lid, &imports, &ids[0], &ids[1], &processes[0], &parts[0], &exports,
                                     &ids[2], &ids[3], &processes[1], &parts[1]);
    Zoltan_LB_Free_Part(&ids[0], &ids[1], &processes[0], &parts[0]);
    Zoltan_LB_Free_Part(&ids[2], &ids[3], &processes[1], &parts[1]);
    if (result != ZOLTAN_OK && result != ZOLTAN_WARN)
        mpi_fail(m, SNAG_ERROR_MEMORY, "Zoltan cannot cut space (error %d)", result);
    m->cut_count++;
    return mpi_settle(m);
}

int cut_box_parts(snag_mpi *m, layout *l, const double lo[3], const double hi[3], int *parts)
{
    int count = 0, processes = 0;
    parts[0] = 0;
    if (l->one_part)
        return 1;
    // The list of processes is of no use: part i is rank i.
    if (Zoltan_LB_Box_PP_Assign(l->cuts, lo[0], lo[1], lo[2], hi[0], hi[1], hi[2], parts + m->size, &processes, parts, &count) !=
        ZOLTAN_OK)
        mpi_fail(m, SNAG_ERROR_MEMORY, "Zoltan cannot find the parts of a box");
    return count;
}

int cut_point_part(snag_mpi *m, const layout *l, const double point[3])
{
    int process = 0, part = 0;
    double at[3] = {point[0], point[1], point[2]};
    if (!l->one_part && Zoltan_LB_Point_PP_Assign(l->cuts, at, &process, &part) != ZOLTAN_OK)
        mpi_fail(m, SNAG_ERROR_MEMORY, "Zoltan cannot find the part of a point");
    return part;
}

void cut_own_box(const snag_mpi *m, const layout *l, double lo[3], double hi[3])
{
    int dimensions;
    for (int k = 0; k < 3; k++) {
        lo[k] = -INFINITY;
        hi[k] = INFINITY;
    }
    // An empty box: each point is looked up.
    if (!l->one_part && Zoltan_RCB_Box(l->cuts, m->rank, &dimensions, &lo[0], &lo[1], &lo[2], &hi[0], &hi[1], &hi[2]) != ZOLTAN_OK)
        lo[0] = INFINITY;
}
