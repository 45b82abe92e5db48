// Contacts as users see them.
#include "contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool contacts_begin(contact_list *list, size_t body_count)
{
    *list = (contact_list){.body_count = body_count};
    list->bodies = calloc(body_count + 1, sizeof *list->bodies);
    return list->bodies != NULL;
}

bool contacts_begin_scene(contact_list *list, const scene *s)
{
    if (!contacts_begin(list, s->body_count))
        return false;
    contacts_renew(list, s);
    return true;
}

// The lowest of the numbers if they are a range, in any order. The parts of a cell follow each other.
static uint32_t lowest_of_range(const uint32_t *numbers, size_t count)
{
    uint32_t low = UINT32_MAX, high = 0;
    size_t cells = 0;
    for (size_t i = 0; numbers && i < count; i++) {
        low = numbers[i] < low ? numbers[i] : low;
        high = numbers[i] > high ? numbers[i] : high;
        cells += i == 0 || numbers[i] != numbers[i - 1];
    }
    return cells > 0 && high - low == cells - 1 ? low : UINT32_MAX;
}

// Which cell each part belongs to, counted from 0. NULL: none was cut, or no memory, and then the file's numbers have to do.
static uint32_t *rank_cells(const uint32_t *numbers, size_t count)
{
    bool cut = false;
    for (size_t i = 1; numbers && i < count && !cut; i++)
        cut = numbers[i] == numbers[i - 1];
    uint32_t *ranks = cut ? malloc(count * sizeof *ranks) : NULL;
    for (size_t i = 0; ranks && i < count; i++)
        ranks[i] = i == 0 ? 0 : ranks[i - 1] + (numbers[i] != numbers[i - 1]);
    return ranks;
}

void contacts_renew(contact_list *list, const scene *s)
{
    free(list->body_of_index);
    list->body_of_index = NULL;  // rebuilt with the next answer
    for (size_t i = 0; i < s->body_count; i++) {
        const scene_body *body = &s->bodies[i];
        const snag_io_mesh *mesh = s->is_first ? &s->files[body->file].mesh : &s->changed_mesh;
        free(list->bodies[i].polygon_ranks);
        free(list->bodies[i].tet_ranks);
        list->bodies[i] = (contact_body){
            .name = body->name,
            .id = body->id,
            .volume = body->source->tet_count > 0,
            .vertex_numbers = body->source->vertex_labels ? body->source->vertex_labels : body->source->vertex_numbers,
            .polygon_numbers = body->source->polygon_numbers,
            .tet_numbers = body->source->tet_numbers,
            .triangle_faces = body->info.triangle_faces,
            .label_names = mesh->label_names,
            .label_count = mesh->label_count,
        };
        contact_body *made = &list->bodies[i];
        made->lowest_vertex = lowest_of_range(made->vertex_numbers, body->info.vertex_count);
        made->lowest_polygon = lowest_of_range(made->polygon_numbers, body->source->polygon_count);
        made->lowest_tet = lowest_of_range(made->tet_numbers, body->info.tet_count);
        made->polygon_ranks = rank_cells(made->polygon_numbers, body->source->polygon_count);
        made->tet_ranks = rank_cells(made->tet_numbers, body->info.tet_count);
    }
}

bool contacts_index(contact_list *list)
{
    uint32_t highest = 0;
    if (list->body_of_index)
        return true;
    for (size_t i = 0; i < list->body_count; i++)
        if (list->bodies[i].id.index > highest)
            highest = list->bodies[i].id.index;
    list->body_of_index = calloc((size_t)highest + 1, sizeof *list->body_of_index);
    for (size_t i = 0; list->body_of_index && i < list->body_count; i++)
        list->body_of_index[list->bodies[i].id.index] = (uint32_t)i;
    return list->body_of_index != NULL;
}

void contacts_free(contact_list *list)
{
    for (size_t i = 0; list->bodies && i < list->body_count; i++) {
        free(list->bodies[i].polygon_ranks);
        free(list->bodies[i].tet_ranks);
    }
    free(list->bodies);
    free(list->body_of_index);
    free(list->lines);
    *list = (contact_list){0};
}

// ---- numbering -----------------------------------------------------------------------------------------------------

static uint32_t vertex_number(const contact_body *body, uint32_t vertex)
{
    return body->vertex_numbers ? body->vertex_numbers[vertex] : body->first_vertex + vertex;
}

static uint32_t triangle_number(const contact_body *body, uint32_t triangle)
{
    if (body->volume)
        return triangle;
    uint32_t face = body->triangle_faces ? body->triangle_faces[triangle] : triangle;
    return body->polygon_numbers ? body->polygon_numbers[face] : body->first_face + face;
}

contact_element contacts_number(const contact_body *body, const snag_element *element)
{
    contact_element named = {element->kind, {0, 0}};
    switch (element->kind) {
    case SNAG_VERTEX: named.number[0] = vertex_number(body, element->index); break;
    case SNAG_EDGE: {
        uint32_t v0 = vertex_number(body, element->vertex[0]), v1 = vertex_number(body, element->vertex[1]);
        named.number[0] = v0 < v1 ? v0 : v1;
        named.number[1] = v0 < v1 ? v1 : v0;
        break;
    }
    case SNAG_TRIANGLE: named.number[0] = triangle_number(body, element->index); break;
    case SNAG_TET: named.number[0] = body->tet_numbers ? body->tet_numbers[element->index] : element->index; break;
    case SNAG_LEAF: named.number[0] = element->index; break;
    }
    return named;
}

contact_element contacts_object_number(const contact_body *body, const snag_element *element)
{
    const contact_body object = {.volume = body->volume,
                                 .triangle_faces = body->triangle_faces,
                                 .polygon_numbers = body->polygon_ranks,
                                 .tet_numbers = body->tet_ranks};
    contact_element within = contacts_number(&object, element), in_file = contacts_number(body, element);
    uint32_t lowest = element->kind == SNAG_VERTEX || element->kind == SNAG_EDGE ? body->lowest_vertex
                      : element->kind == SNAG_TRIANGLE && !body->volume          ? body->lowest_polygon
                      : element->kind == SNAG_TET                                ? body->lowest_tet
                                                                                 : UINT32_MAX;
    for (int i = 0; i < 2 && lowest != UINT32_MAX && i <= (element->kind == SNAG_EDGE); i++)
        within.number[i] = in_file.number[i] - lowest;
    return within;
}

const char *contacts_label(const contact_list *list, uint32_t body, const snag_element *element)
{
    const contact_body *of = &list->bodies[body];
    uint32_t label = list->world && of->label_count ? snag_world_label(list->world, of->id, element) : 0;
    return label && label <= of->label_count ? of->label_names[label - 1] : NULL;
}

const char *contacts_label_a(const contact_list *list, const contact_line *line)
{
    return contacts_label(list, line->body_a, line->swapped ? &line->contact->b : &line->contact->a);
}

const char *contacts_label_b(const contact_list *list, const contact_line *line)
{
    return contacts_label(list, line->body_b, line->swapped ? &line->contact->a : &line->contact->b);
}

// The path of octants from the root, one digit each; empty for the root.
static element_text leaf_text(uint32_t code)
{
    element_text made = {"s"};
    int levels = code > 0 ? (31 - __builtin_clz(code)) / 3 : 0;
    for (int i = 0; i < levels; i++) {
        made.text[1 + i] = (char)('0' + (code >> 3 * (levels - 1 - i) & 7));
        made.text[2 + i] = 0;
    }
    return made;
}

element_text contacts_element(contact_element element)
{
    element_text made;
    if (element.kind == SNAG_LEAF)
        return leaf_text(element.number[0]);
    if (element.kind == SNAG_EDGE)
        snprintf(made.text, sizeof made.text, "e%u-%u", element.number[0], element.number[1]);
    else
        snprintf(made.text, sizeof made.text, "%c%u",
                 element.kind == SNAG_VERTEX     ? 'v'
                 : element.kind == SNAG_TRIANGLE ? 't'
                                                 : 'k',
                 element.number[0]);
    return made;
}

// ---- order ---------------------------------------------------------------------------------------------------------

static int compare_sides(uint32_t body_a, const contact_element *a, uint32_t body_b, const contact_element *b)
{
    if (body_a != body_b)
        return body_a < body_b ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (a->number[i] != b->number[i])
            return a->number[i] < b->number[i] ? -1 : 1;
    return 0;
}

static int compare_places(const contact_line *x, const contact_line *y)
{
    int order = compare_sides(x->body_a, &x->a, y->body_a, &y->a);
    return order ? order : compare_sides(x->body_b, &x->b, y->body_b, &y->b);
}

static int compare_lines(const void *a, const void *b)
{
    const contact_line *x = a, *y = b;
    int order = compare_places(x, y);
    return order ? order : (x->contact > y->contact) - (x->contact < y->contact);
}

static void sort_lines(contact_list *list)
{
    // The file's numbering nearly always keeps the order of the answer; then there is nothing to sort.
    for (size_t i = 1; i < list->count; i++)
        if (compare_lines(&list->lines[i - 1], &list->lines[i]) > 0) {
            qsort(list->lines, list->count, sizeof list->lines[0], compare_lines);
            return;
        }
}

// ---- polygons ------------------------------------------------------------------------------------------------------

bool contacts_is_intersection(snag_question question, const snag_contact *contact)
{
    return question == SNAG_INTERSECTIONS || (question == SNAG_PENETRATIONS && contact->b.kind == SNAG_TRIANGLE);
}

static int kind_strength(snag_contact_kind kind)
{
    return kind == SNAG_CROSSING ? 3 : kind == SNAG_COPLANAR ? 2 : 1;
}

// Of two contacts of the same two faces, the more informative one. If two questions were asked, intersections come after
// penetrations, since they have no depth.
static bool says_more(snag_question question, const snag_contact *x, const snag_contact *y)
{
    if (contacts_is_intersection(question, x) && contacts_is_intersection(question, y))
        question = SNAG_INTERSECTIONS;
    switch (question) {
    case SNAG_INTERSECTIONS: return kind_strength(x->kind) > kind_strength(y->kind);
    case SNAG_IMPACTS: return x->t < y->t;
    case SNAG_PENETRATIONS: return x->value > y->value;
    default: return x->value < y->value;
    }
}

// The triangles of a polygon share one name; merge contacts that become equal.
static void merge_lines(contact_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const contact_line *line = &list->lines[i];
        if (kept == 0 || compare_places(&list->lines[kept - 1], line) != 0)
            list->lines[kept++] = *line;
        else if (says_more(list->question, line->contact, list->lines[kept - 1].contact))
            list->lines[kept - 1] = *line;
    }
    list->count = kept;
}

// ---- filling -------------------------------------------------------------------------------------------------------

static contact_line make_line(const contact_list *list, const snag_contact *contact)
{
    contact_line line = {
        .body_a = list->body_of_index[contact->body_a.index],
        .body_b = list->body_of_index[contact->body_b.index],
        .contact = contact,
    };
    line.a = contacts_number(&list->bodies[line.body_a], &contact->a);
    line.b = contacts_number(&list->bodies[line.body_b], &contact->b);
    line.object_a = contacts_object_number(&list->bodies[line.body_a], &contact->a);
    line.object_b = contacts_object_number(&list->bodies[line.body_b], &contact->b);
    // A file may number elements in a different order than the body; the lower number still comes first.
    if (line.a.kind == line.b.kind && compare_sides(line.body_a, &line.a, line.body_b, &line.b) > 0) {
        contact_line other = {
            .body_a = line.body_b,
            .body_b = line.body_a,
            .a = line.b,
            .b = line.a,
            .object_a = line.object_b,
            .object_b = line.object_a,
            .swapped = true,
            .contact = contact,
        };
        return other;
    }
    return line;
}

bool contacts_fill(contact_list *list, const snag_answer *answer)
{
    if (!contacts_index(list))
        return false;
    if (!words_grow((void **)&list->lines, &list->capacity, answer->count, sizeof list->lines[0]))
        return false;
    list->question = answer->question;
    list->streamed = false;
    list->count = answer->count;
    for (size_t i = 0; i < answer->count; i++)
        list->lines[i] = make_line(list, &answer->contacts[i]);
    sort_lines(list);
    merge_lines(list);
    list->self = list->between = 0;
    memset(list->kinds, 0, sizeof list->kinds);
    for (size_t i = 0; i < list->count; i++) {
        const contact_line *line = &list->lines[i];
        if (line->body_a == line->body_b)
            list->self++;
        else
            list->between++;
        list->kinds[line->contact->kind]++;
    }
    return true;
}

// ---- printing ------------------------------------------------------------------------------------------------------

void contacts_point(const contact_list *list, const contact_line *line, double point[3])
{
    const snag_contact *contact = line->contact;
    for (int i = 0; i < 3; i++) {
        double a = line->swapped ? contact->point_b[i] : contact->point_a[i];
        double b = line->swapped ? contact->point_a[i] : contact->point_b[i];
        point[i] = 0.0 + (contacts_is_intersection(list->question, contact) ? 0.5 * a + 0.5 * b : a);  // never -0
    }
}

snag_status contacts_write(const contact_list *list, uint64_t frame, snag_io_pairs *pairs, snag_io_error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        const contact_line *line = &list->lines[i];
        element_text a = contacts_element(line->a), b = contacts_element(line->b);
        element_text object_a = contacts_element(line->object_a), object_b = contacts_element(line->object_b);
        snag_io_pair pair = {
            .frame = frame,
            .body_a = list->bodies[line->body_a].name,
            .body_b = list->bodies[line->body_b].name,
            .a = a.text,
            .b = b.text,
            .kind = snag_contact_kind_name(line->contact->kind),
            .value = line->contact->value,
            .t = line->contact->t,
            .place = line->place,
            .object_a = object_a.text,
            .object_b = object_b.text,
            .label_a = contacts_label_a(list, line),
            .label_b = contacts_label_b(list, line),
        };
        contacts_point(list, line, pair.point);
        for (int k = 0; k < 3; k++) {
            double along = line->contact->normal[k];
            pair.normal[k] = line->swapped ? 0.0 - along : 0.0 + along;  // never -0
        }
        snag_status status = snag_io_pairs_write(pairs, &pair, error);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

void contacts_describe(FILE *out, const contact_list *list, const contact_line *line)
{
    const contact_element *sides[2] = {&line->a, &line->b};
    const uint32_t bodies[2] = {line->body_a, line->body_b};
    const char *const labels[2] = {contacts_label_a(list, line), contacts_label_b(list, line)};
    for (int i = 0; i < 2; i++) {
        if (i)
            fputs(" - ", out);
        if (list->body_count > 1) {
            words_put(out, list->bodies[bodies[i]].name, 0);
            fputc(' ', out);
        }
        fputs(contacts_element(*sides[i]).text, out);
        if (labels[i]) {
            fputs(" (", out);
            words_put(out, labels[i], 0);
            fputc(')', out);
        }
    }
    fprintf(out, ", %s", snag_contact_kind_name(line->contact->kind));
    if (list->question == SNAG_IMPACTS)
        fprintf(out, " at time %.6g", line->contact->t);
    else if (list->question == SNAG_PENETRATIONS && line->contact->value > 0)
        fprintf(out, ", %s %.6g", line->contact->kind == SNAG_THROUGH ? "length" : "depth", line->contact->value);
    else if (list->question == SNAG_PROXIMITIES || list->question == SNAG_DISTANCE)
        fprintf(out, ", distance %.6g", line->contact->value);
    double point[3];
    contacts_point(list, line, point);
    fprintf(out, ", at (%.6g, %.6g, %.6g)", point[0], point[1], point[2]);
    if (list->question == SNAG_DISTANCE) {
        const double *other = line->swapped ? line->contact->point_a : line->contact->point_b;
        fprintf(out, " and (%.6g, %.6g, %.6g)", 0.0 + other[0], 0.0 + other[1], 0.0 + other[2]);
    }
}

size_t contacts_foremost(const contact_list *list, const contact_line **found, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const contact_line *line = &list->lines[i];
        size_t at = count < most ? count++ : most;
        for (; at > 0 && says_more(list->question, line->contact, found[at - 1]->contact); at--)
            if (at < most)
                found[at] = found[at - 1];
        if (at < most)
            found[at] = line;
    }
    return count;
}
