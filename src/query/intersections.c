// The question `intersections`: pairs of triangles that intersect, and the segment in which they do; and rods through triangles.
#include "geom/geom.h"
#include "geom/triangle_kernel.h"
#include "query/filter.h"
#include "query/thin.h"

#include <string.h>

static int passes_of(const snag__ask *ask, snag__pass passes[SNAG__MAX_PASSES])
{
    passes[0] = (snag__pass){SNAG_TRIANGLE, SNAG_TRIANGLE};
    passes[1] = (snag__pass){SNAG__ROD, SNAG_TRIANGLE};
    return ask->thin ? 2 : 1;
}

// ---- narrow phase ----

static const snag_contact_kind kind_of_meeting[] = {
    [SNAG__CROSSING] = SNAG_CROSSING,
    [SNAG__TOUCHING] = SNAG_TOUCHING,
    [SNAG__COPLANAR] = SNAG_COPLANAR,
};

// The indices of the pairs that meet; returns how many.
static size_t list_met(const uint8_t *meetings, size_t count, uint16_t *met)
{
    _Static_assert(SNAG__APART == 0 && SNAG__CROSSING == 1 && SNAG__TOUCHING == 2 && SNAG__COPLANAR == 3 && SNAG__DEGENERATE == 4,
                   "the two lowest bits tell those that meet");
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        met[found] = (uint16_t)k;
        found += (meetings[k] & 3) != 0;
    }
    return found;
}

// Appends the pairs of a batch that meet. ids[index] is the number of a triangle; NULL: the index is.
static void append_meetings(const snag__ask *ask, snag__record_list *list, const snag__triangle_pairs *batch, const uint32_t *ids_a,
                            const uint32_t *ids_b, uint32_t i, uint32_t j)
{
    uint8_t meetings[SNAG__BLOCK];
    uint16_t met[SNAG__BLOCK];
    SNAG__ASSERT(batch->count <= SNAG__BLOCK);
    SNAG__ASSERT(i < ask->body_count && j < ask->body_count);
    list->exact_count += snag__triangle_kernels_for(ask->isa)->meet(batch, meetings);
    list->pair_count += batch->count;
    size_t found = list_met(meetings, batch->count, met);
    uint64_t first_a = snag__element_number(ask, i, SNAG_TRIANGLE, 0), first_b = snag__element_number(ask, j, SNAG_TRIANGLE, 0);
    list->count += found;
    if (found == 0 || list->count > list->capacity)
        return;
    snag__record *next = list->records + (list->count - found);
    for (size_t k = 0; k < found; k++) {
        uint32_t ta = batch->pairs[met[k]][0], tb = batch->pairs[met[k]][1], meeting = meetings[met[k]];
        uint64_t number_a = first_a + (ids_a != NULL ? ids_a[ta] : ta);
        uint64_t number_b = first_b + (ids_b != NULL ? ids_b[tb] : tb);
        uint64_t low = number_a < number_b ? number_a : number_b, high = number_a ^ number_b ^ low;
        next[k] = (snag__record){
            .key = low << 32 | high,
            .kind = kind_of_meeting[meeting & SNAG__MEETING_MASK],
            .extra = meeting >> SNAG__SHARED_SHIFT,
        };
    }
}

static void confirm(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                    const uint32_t (*pairs)[2], size_t count)
{
    uint32_t kept[SNAG__BLOCK][2];
    if (ask->filter != NULL) {
        memcpy(kept, pairs, count * sizeof *kept);
        count = snag__filter_keep(ask->filter, pass, i, j, kept, count);
        pairs = (const uint32_t(*)[2])kept;
    }
    if (pass->row == SNAG__ROD) {
        snag__confirm_rods_in_triangles(ask, list, i, j, pairs, count);
        return;
    }
    snag__triangle_view a = snag__view_triangles(ask->bodies[i]), b = snag__view_triangles(ask->bodies[j]);
    snag__triangle_pairs batch = {
        .x_a = a.x,
        .triangles_a = a.triangles,
        .x_b = b.x,
        .triangles_b = b.triangles,
        .same_body = i == j,
        .pairs = pairs,
        .count = count,
    };
    append_meetings(ask, list, &batch, a.ids, b.ids, i, j);
}

void snag__narrow_phase_slots(const snag__ask *ask, snag__record_list *list, const snag__slots *slots, uint32_t i, uint32_t j,
                              const uint32_t (*pairs)[2], size_t count)
{
    if (ask->def->candidates) {
        list->pair_count += count;
        return;
    }
    SNAG__ASSERT(ask->kind == &snag__intersections && slots->elements != NULL && slots->vertices != NULL);
    snag__f32_pairs f32 = {slots->f32, slots->f32, slots->f32_rounding, i == j};
    uint32_t kept[SNAG__BLOCK][2];
    for (size_t done = 0; done < count; done += SNAG__BLOCK) {
        const uint32_t(*block)[2] = pairs + done;
        size_t left = count - done < SNAG__BLOCK ? count - done : SNAG__BLOCK;
        if (ask->filter != NULL) {
            left = snag__filter_keep_slots(ask->filter, slots->elements, i, j, block, left, kept);
            block = (const uint32_t(*)[2])kept;
        }
        snag__triangle_pairs batch = {
            .x_a = (const double(*)[3])ask->bodies[i]->mesh.x_t1,
            .triangles_a = slots->vertices,
            .x_b = (const double(*)[3])ask->bodies[j]->mesh.x_t1,
            .triangles_b = slots->vertices,
            .same_body = i == j,
            .pairs = block,
            .count = left,
            .f32 = slots->f32 != NULL ? &f32 : NULL,
        };
        append_meetings(ask, list, &batch, slots->elements, slots->elements, i, j);
    }
}

// ---- writing ----

void snag__write_intersection(const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    const double *corner_a[3], *corner_b[3];
    snag__corners_of(a, a->triangles[contact->a.index], 3, corner_a);
    snag__corners_of(b, b->triangles[contact->b.index], 3, corner_b);
    snag__triangles_segment(corner_a, corner_b, contact->point_a, contact->point_b);
}

static bool is_same_body(snag_body_id a, snag_body_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

// Writes the segments of the first contacts, as long as they are of the same two bodies. Returns how many it wrote.
static size_t write_segments(const snag__ask *ask, const snag__record *records, snag_contact *contacts, size_t count)
{
    enum { TOGETHER = 64 };  // a batch whose pairs and segments take 3.5 kB of stack
    SNAG__ASSERT(count > 0);
    uint32_t pairs[TOGETHER][2];
    double segments[TOGETHER][2][3];
    snag__triangle_view a = snag__view_triangles(ask->bodies[snag__body_of(ask, (uint32_t)(records[0].key >> 32))]);
    snag__triangle_view b = snag__view_triangles(ask->bodies[snag__body_of(ask, (uint32_t)records[0].key)]);
    size_t n = 0;
    for (; n < count && n < TOGETHER && contacts[n].a.kind == SNAG_TRIANGLE &&
           is_same_body(contacts[n].body_a, contacts[0].body_a) && is_same_body(contacts[n].body_b, contacts[0].body_b);
         n++) {
        pairs[n][0] = snag__view_index(&a, contacts[n].a.index);
        pairs[n][1] = snag__view_index(&b, contacts[n].b.index);
    }
    snag__triangle_pairs batch = {
        .x_a = a.x,
        .triangles_a = a.triangles,
        .x_b = b.x,
        .triangles_b = b.triangles,
        .same_body = is_same_body(contacts[0].body_a, contacts[0].body_b),
        .pairs = (const uint32_t(*)[2])pairs,
        .count = n,
    };
    snag__triangles_segments(&batch, ask->isa, segments);
    for (size_t i = 0; i < n; i++) {
        memcpy(contacts[i].point_a, segments[i][0], sizeof contacts[i].point_a);
        memcpy(contacts[i].point_b, segments[i][1], sizeof contacts[i].point_b);
    }
    return n;
}

static void write_block(const snag__ask *ask, const snag__record *records, const snag__mesh *const (*meshes)[2],
                        snag_contact *contacts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        contacts[i].shared = records[i].extra;
    for (size_t i = 0; i < count;) {
        if (contacts[i].a.kind == SNAG_TRIANGLE) {
            i += write_segments(ask, records + i, contacts + i, count - i);
            continue;
        }
        snag__write_rod_in_triangle(meshes[i][0], meshes[i][1], &contacts[i]);
        i++;
    }
}

const snag__question_kind snag__intersections = {
    .passes = passes_of,
    .confirm = confirm,
    .write_block = write_block,
};
