// Marks the elements in contact.
#include "highlight.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(highlight_body *body, const snag_body_info *info)
{
    body->triangle_contacts = malloc((info->triangle_count + 1) * sizeof *body->triangle_contacts);
    body->tet_contacts = malloc((info->tet_count + 1) * sizeof *body->tet_contacts);
    body->triangle_kinds = malloc(info->triangle_count + 1);
    body->vertex_kinds = malloc(info->vertex_count + 1);
    body->edge_kinds = malloc(info->edge_count + 1);
    body->rgb = malloc(3 * info->triangle_count + 1);
    body->triangle_places = malloc((info->triangle_count + 1) * sizeof *body->triangle_places);
    body->vertex_places = malloc((info->vertex_count + 1) * sizeof *body->vertex_places);
    body->tet_places = malloc((info->tet_count + 1) * sizeof *body->tet_places);
    return body->triangle_contacts && body->tet_contacts && body->triangle_kinds && body->vertex_kinds && body->edge_kinds &&
           body->rgb && body->triangle_places && body->vertex_places && body->tet_places;
}

static void free_room(highlight_body *body)
{
    void *const arrays[] = {
        body->triangle_contacts, body->tet_contacts, body->triangle_kinds,  body->vertex_kinds,  body->edge_kinds,
        body->triangle_edges,    body->rgb,          body->triangle_places, body->vertex_places, body->tet_places};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        free(arrays[k]);
    *body = (highlight_body){0};
}

bool highlight_begin(highlight *h, const sink_scene *about)
{
    *h = (highlight){.scene = about, .bodies = calloc(about->body_count + 1, sizeof *h->bodies)};
    bool made = h->bodies != NULL;
    for (size_t i = 0; i < about->body_count && made; i++)
        made = make_room(&h->bodies[i], &about->bodies[i].info);
    return made;
}

// If the faces change, the bodies are new ones with the same names, and the arrays need new sizes.
static bool renew_room(highlight *h, const contact_list *list)
{
    for (size_t i = 0; i < h->scene->body_count; i++) {
        highlight_body *body = &h->bodies[i];
        snag_body_id id = list->bodies[i].id;
        bool known = body->made_for.generation != 0;
        if (known && (body->made_for.index != id.index || body->made_for.generation != id.generation)) {
            free_room(body);
            if (!make_room(body, &h->scene->bodies[i].info))
                return false;
        }
        body->made_for = id;
    }
    return true;
}

void highlight_free(highlight *h)
{
    for (size_t i = 0; h->bodies && i < h->scene->body_count; i++)
        free_room(&h->bodies[i]);
    free(h->bodies);
    *h = (highlight){0};
}

// ---- edges of triangles ----

static uint32_t edge_between(const snag_body_info *info, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    size_t from = 0, to = info->edge_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const uint32_t *edge = info->edges + 2 * middle;
        if (edge[0] < low || (edge[0] == low && edge[1] < high))
            from = middle + 1;
        else
            to = middle;
    }
    return (uint32_t)from;
}

static bool list_edges(highlight_body *body, const snag_body_info *info)
{
    if (body->triangle_edges)
        return true;
    body->triangle_edges = malloc((3 * info->triangle_count + 1) * sizeof *body->triangle_edges);
    for (size_t t = 0; body->triangle_edges && t < info->triangle_count; t++)
        for (size_t k = 0; k < 3; k++)
            body->triangle_edges[3 * t + k] = edge_between(info, info->triangles[3 * t + k], info->triangles[3 * t + (k + 1) % 3]);
    return body->triangle_edges != NULL;
}

// ---- marking ----

static void mark_kind(uint8_t *kinds, size_t index, snag_contact_kind kind)
{
    // Crossing is the first and most important kind; the order of the others does not matter.
    if (kinds[index] == 0 || kind + 1 < kinds[index])
        kinds[index] = (uint8_t)(kind + 1);
}

static void mark(highlight_body *body, const snag_element *element, snag_contact_kind kind)
{
    switch (element->kind) {
    case SNAG_VERTEX: mark_kind(body->vertex_kinds, element->index, kind); break;
    case SNAG_EDGE: mark_kind(body->edge_kinds, element->index, kind); break;
    case SNAG_TRIANGLE:
        mark_kind(body->triangle_kinds, element->index, kind);
        body->triangle_contacts[element->index]++;
        break;
    case SNAG_TET: body->tet_contacts[element->index]++; break;
    case SNAG_LEAF: break;  // a volume around many triangles; no single one to mark
    }
}

static void lower(int32_t *place, int32_t id)
{
    if (id && (*place == 0 || id < *place))
        *place = id;
}

static void mark_place(highlight_body *body, const snag_element *element, int32_t id)
{
    switch (element->kind) {
    case SNAG_VERTEX: lower(&body->vertex_places[element->index], id); break;
    case SNAG_EDGE:
        for (int i = 0; i < 2; i++)
            lower(&body->vertex_places[element->vertex[i]], id);
        break;
    case SNAG_TRIANGLE: lower(&body->triangle_places[element->index], id); break;
    case SNAG_TET: lower(&body->tet_places[element->index], id); break;
    case SNAG_LEAF: break;
    }
}

// A triangle that is marked as in contact is in the places of its corners and of its tetrahedron.
static void gather_places(highlight_body *body, const snag_body_info *info, size_t t)
{
    for (size_t k = 0; k < 3 && body->triangle_kinds[t]; k++)
        lower(&body->triangle_places[t], body->vertex_places[info->triangles[3 * t + k]]);
    if (info->tet_count && body->triangle_kinds[t])
        lower(&body->triangle_places[t], body->tet_places[info->triangle_faces[t]]);
}

static void mark_around(highlight_body *body, const snag_body_info *info, size_t t, bool edges)
{
    for (size_t k = 0; k < 3; k++) {
        uint8_t by[2] = {body->vertex_kinds[info->triangles[3 * t + k]],
                         edges ? body->edge_kinds[body->triangle_edges[3 * t + k]] : 0};
        for (int i = 0; i < 2; i++)
            if (by[i]) {
                mark_kind(body->triangle_kinds, t, (snag_contact_kind)(by[i] - 1));
                body->triangle_contacts[t]++;
            }
    }
    // For a volume, triangle_faces is the tetrahedron behind a boundary triangle.
    if (info->tet_count && body->tet_contacts[info->triangle_faces[t]]) {
        mark_kind(body->triangle_kinds, t, SNAG_INSIDE);
        body->triangle_contacts[t] += body->tet_contacts[info->triangle_faces[t]];
    }
}

static void colour(const highlight_body *body, size_t body_index, size_t t)
{
    // Bodies in pale colours, contacts in strong ones, the same as on the report page (web/src/colours.js).
    static const uint8_t quiet[][3] = {{176, 190, 203}, {203, 196, 176}, {182, 203, 180}, {200, 184, 203}};
    static const uint8_t loud[SNAG_CONTACT_KIND_COUNT][3] = {
        [SNAG_CROSSING] = {214, 39, 40},       [SNAG_TOUCHING] = {255, 152, 0},     [SNAG_COPLANAR] = {240, 205, 20},
        [SNAG_VERTEX_VERTEX] = {142, 68, 173}, [SNAG_VERTEX_EDGE] = {103, 58, 183}, [SNAG_VERTEX_FACE] = {30, 100, 220},
        [SNAG_EDGE_EDGE] = {0, 150, 167},      [SNAG_INSIDE] = {214, 39, 40},       [SNAG_UNRESOLVED] = {255, 87, 34},
        [SNAG_THROUGH] = {233, 30, 99},        [SNAG_OVERLAP] = {30, 100, 220},
    };
    uint8_t kind = body->triangle_kinds[t];
    memcpy(body->rgb + 3 * t, kind ? loud[kind - 1] : quiet[body_index % (sizeof quiet / sizeof quiet[0])], 3);
}

static void clear(highlight_body *body, const snag_body_info *info)
{
    memset(body->triangle_contacts, 0, info->triangle_count * sizeof *body->triangle_contacts);
    memset(body->tet_contacts, 0, info->tet_count * sizeof *body->tet_contacts);
    memset(body->triangle_kinds, 0, info->triangle_count);
    memset(body->vertex_kinds, 0, info->vertex_count);
    memset(body->edge_kinds, 0, info->edge_count);
    memset(body->triangle_places, 0, info->triangle_count * sizeof *body->triangle_places);
    memset(body->vertex_places, 0, info->vertex_count * sizeof *body->vertex_places);
    memset(body->tet_places, 0, info->tet_count * sizeof *body->tet_places);
}

bool highlight_fill(highlight *h, const sink_frame *frame)
{
    const uint32_t *body_of_index = frame->contacts->body_of_index;
    bool edges = false;
    if (!renew_room(h, frame->contacts))
        return false;
    for (size_t i = 0; i < h->scene->body_count; i++)
        clear(&h->bodies[i], &h->scene->bodies[i].info);
    for (size_t i = 0; i < frame->answer->count; i++) {
        const snag_contact *contact = &frame->answer->contacts[i];
        mark(&h->bodies[body_of_index[contact->body_a.index]], &contact->a, contact->kind);
        mark(&h->bodies[body_of_index[contact->body_b.index]], &contact->b, contact->kind);
        if (frame->places) {
            int32_t id = (int32_t)frame->places->places[frame->places->of_contact[i]].id;
            mark_place(&h->bodies[body_of_index[contact->body_a.index]], &contact->a, id);
            mark_place(&h->bodies[body_of_index[contact->body_b.index]], &contact->b, id);
        }
        edges = edges || contact->a.kind == SNAG_EDGE || contact->b.kind == SNAG_EDGE;
    }
    for (size_t i = 0; i < h->scene->body_count; i++) {
        const snag_body_info *info = &h->scene->bodies[i].info;
        if (edges && !list_edges(&h->bodies[i], info))
            return false;
        for (size_t t = 0; t < info->triangle_count; t++) {
            mark_around(&h->bodies[i], info, t, edges);
            gather_places(&h->bodies[i], info, t);
            colour(&h->bodies[i], i, t);
        }
    }
    return true;
}
