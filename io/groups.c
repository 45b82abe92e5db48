// Turns groups of elements into bodies.
//
// Readers mark where a group starts, as in OBJ. This file sorts the elements by group, so that each group is an object. A
// vertex used by several groups is copied for all but the first: bodies share nothing.
#include "groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

bool snag__builder_splits(const snag__builder *builder, snag_io_split split)
{
    return builder->source && builder->source->reading && builder->source->reading->options.split == split;
}

bool snag__builder_groups_by(const snag__builder *builder, snag_io_split split)
{
    return snag__builder_splits(builder, split) ||
           (builder->source && builder->source->reading && builder->source->reading->options.label == split);
}

// ---- names ----

static snag_status grow(const snag__builder *builder, void *array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return SNAG_OK;
    size_t larger = 2 * *capacity + 16;
    snag_status status = builder->source ? snag__claim_bytes(builder->source, (larger - *capacity) * size) : SNAG_OK;
    if (status != SNAG_OK)
        return status;
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, larger * size);
    if (!items)
        return SNAG_ERROR_MEMORY;
    memcpy(array, &items, sizeof items);
    *capacity = larger;
    return SNAG_OK;
}

static uint64_t hash_of(const char *name, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)name[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

// The slot of a name, or the free slot for it. Slots hold group numbers, counted from 1.
static uint32_t *find_slot(const snag__builder *b, const char *name, size_t length)
{
    size_t mask = b->group_slot_count - 1, at = (size_t)hash_of(name, length) & mask;
    for (; b->group_slots[at]; at = (at + 1) & mask) {
        const char *found = b->groups[b->group_slots[at] - 1];
        if (strlen(found) == length && memcmp(found, name, length) == 0)
            break;
    }
    return &b->group_slots[at];
}

static snag_status make_slots(snag__builder *b)
{
    if (2 * (b->group_count + 1) <= b->group_slot_count)
        return SNAG_OK;
    size_t count = b->group_slot_count ? 2 * b->group_slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return SNAG_ERROR_MEMORY;
    free(b->group_slots);
    b->group_slots = slots;
    b->group_slot_count = count;
    for (size_t g = 0; g < b->group_count; g++)
        *find_slot(b, b->groups[g], strlen(b->groups[g])) = (uint32_t)g + 1;
    return SNAG_OK;
}

// The number of the group with this name, counted from 1; labels of elements are these numbers.
static snag_status find_group(snag__builder *b, const char *name, size_t length, uint32_t *group)
{
    snag_status status = make_slots(b);
    if (status == SNAG_OK)
        status = grow(b, &b->groups, &b->group_capacity, b->group_count, sizeof *b->groups);
    if (status != SNAG_OK)
        return status;
    if (memchr(name, 0, length))
        length = strlen(name);
    uint32_t *slot = find_slot(b, name, length);
    if (!*slot) {
        char *copy = malloc(length + 1);
        if (!copy)
            return SNAG_ERROR_MEMORY;
        memcpy(copy, name, length);
        copy[length] = 0;
        b->groups[b->group_count++] = copy;
        *slot = (uint32_t)b->group_count;
    }
    *group = *slot;
    return SNAG_OK;
}

snag_status snag__builder_group(snag__builder *b, const char *name, size_t length)
{
    uint32_t group = 0;
    snag_status status = length ? find_group(b, name, length, &group) : SNAG_OK;
    if (status != SNAG_OK)
        return status;
    uint32_t last = b->group_run_count ? b->group_runs[b->group_run_count - 1].group : 0;
    if (group == last)
        return SNAG_OK;
    status = grow(b, &b->group_runs, &b->group_run_capacity, b->group_run_count, sizeof *b->group_runs);
    if (status == SNAG_OK)
        b->group_runs[b->group_run_count++] = (snag__group_run){b->polygon_count, b->tet_count, b->edge_count, group};
    return status;
}

// ---- body of each element ----

// A body: an object of the file (counted from 1; 0: none), and a group in it (likewise).
typedef struct body_key {
    uint32_t object, group;
} body_key;

typedef struct splitting {
    snag__builder *b;
    body_key *polygon_keys, *tet_keys, *edge_keys;  // key of each element
    body_key *keys;  // unique and sorted
    size_t key_count;
} splitting;

static int compare_keys(const void *a, const void *b)
{
    const body_key *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

typedef enum element_list { POLYGONS, TETS, EDGES } element_list;

static size_t first_of_object(const snag__object *o, element_list list)
{
    return list == TETS ? o->first_tet : list == EDGES ? o->first_edge : o->first_polygon;
}

static size_t first_of_run(const snag__group_run *r, element_list list)
{
    return list == TETS ? r->first_tet : list == EDGES ? r->first_edge : r->first_polygon;
}

static void give_keys(const snag__builder *b, element_list list, body_key *keys)
{
    size_t object = 0, run = 0, count = list == TETS ? b->tet_count : list == EDGES ? b->edge_count : b->polygon_count;
    for (size_t i = 0; i < count; i++) {
        while (object < b->object_count && first_of_object(&b->objects[object], list) <= i)
            object++;
        while (run < b->group_run_count && first_of_run(&b->group_runs[run], list) <= i)
            run++;
        keys[i] = (body_key){(uint32_t)object, run ? b->group_runs[run - 1].group : 0};
    }
}

// ---- connected components ----

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

// Each connected component becomes a group, in the order of its first element; faces before tetrahedra before rods. These groups have
// no names: the body takes the name of the object of its first element.
static snag_status find_shells(splitting *s)
{
    snag__builder *b = s->b;
    uint32_t *parent = malloc(b->vertex_count * sizeof *parent), *group = calloc(b->vertex_count, sizeof *group), next = 0;
    uint32_t *object = malloc(b->vertex_count * sizeof *object);
    if (!parent || !group || !object) {
        free(parent);
        free(group);
        free(object);
        return SNAG_ERROR_MEMORY;
    }
    for (size_t v = 0; v < b->vertex_count; v++)
        parent[v] = (uint32_t)v;
    const uint32_t *corner = b->corners;
    for (size_t p = 0; p < b->polygon_count; p++)
        for (uint32_t i = 0, size = b->sizes ? b->sizes[p] : 3, first = *corner; i < size; i++)
            join(parent, first, *corner++);
    for (size_t i = 0; i < 4 * b->tet_count; i++)
        join(parent, b->tets[i / 4 * 4], b->tets[i]);
    for (size_t e = 0; e < b->edge_count; e++)
        join(parent, b->edges[2 * e], b->edges[2 * e + 1]);
    corner = b->corners;
    const size_t cells = b->polygon_count + b->tet_count;
    for (size_t i = 0; i < cells + b->edge_count; i++) {
        bool face = i < b->polygon_count, edge = i >= cells;
        body_key *key = face ? &s->polygon_keys[i] : edge ? &s->edge_keys[i - cells] : &s->tet_keys[i - b->polygon_count];
        uint32_t root = root_of(parent, face ? *corner : edge ? b->edges[2 * (i - cells)] : b->tets[4 * (i - b->polygon_count)]);
        if (!group[root]) {
            group[root] = ++next;
            object[root] = key->object;
        }
        *key = (body_key){object[root], group[root]};
        if (face)
            corner += b->sizes ? b->sizes[i] : 3;
    }
    free(parent);
    free(group);
    free(object);
    return SNAG_OK;
}

// ---- the bodies ----

static snag_status list_keys(splitting *s)
{
    size_t polygons = s->b->polygon_count, cells = polygons + s->b->tet_count, all = cells + s->b->edge_count, kept = 0;
    s->keys = malloc((all + 1) * sizeof *s->keys);
    if (!s->keys)
        return SNAG_ERROR_MEMORY;
    // Consecutive elements mostly belong to the same body: sort only the changes.
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        body_key key = i < polygons ? s->polygon_keys[i] : i < cells ? s->tet_keys[i - polygons] : s->edge_keys[i - cells];
        if (count == 0 || compare_keys(&s->keys[count - 1], &key) != 0)
            s->keys[count++] = key;
    }
    qsort(s->keys, count, sizeof *s->keys, compare_keys);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || compare_keys(&s->keys[kept - 1], &s->keys[i]) != 0)
            s->keys[kept++] = s->keys[i];
    s->key_count = kept;
    return SNAG_OK;
}

static size_t key_index(const splitting *s, body_key key)
{
    const body_key *found = bsearch(&key, s->keys, s->key_count, sizeof key, compare_keys);
    return (size_t)(found - s->keys);
}

// Orders elements by body; body b starts at starts[b], and starts[key_count] is the number of elements.
static snag_status order_elements(const splitting *s, const body_key *keys, size_t count, size_t *starts, uint32_t *order)
{
    uint32_t *index = malloc((count + 1) * sizeof *index);
    if (!index)
        return SNAG_ERROR_MEMORY;
    memset(starts, 0, (s->key_count + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && compare_keys(&keys[i], &keys[i - 1]) == 0;
        index[i] = same ? index[i - 1] : (uint32_t)key_index(s, keys[i]);
        starts[index[i] + 1]++;
    }
    for (size_t k = 0; k < s->key_count; k++)
        starts[k + 1] += starts[k];
    for (size_t i = 0; i < count; i++)
        order[starts[index[i]]++] = (uint32_t)i;
    for (size_t k = s->key_count; k > 0; k--)
        starts[k] = starts[k - 1];
    starts[0] = 0;
    free(index);
    return SNAG_OK;
}

static snag_status sort_polygons(snag__builder *b, const uint32_t *order)
{
    size_t count = b->polygon_count;
    size_t *firsts = malloc((count + 1) * sizeof *firsts);
    uint32_t *corners = malloc((b->corner_count + 1) * sizeof *corners), *sizes = malloc((count + 1) * sizeof *sizes);
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    if (!firsts || !corners || !sizes || !numbers) {
        free(firsts);
        free(corners);
        free(sizes);
        free(numbers);
        return SNAG_ERROR_MEMORY;
    }
    for (size_t p = 0, at = 0; p < count; at += b->sizes ? b->sizes[p] : 3, p++)
        firsts[p] = at;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t p = order[i], size = b->sizes ? b->sizes[p] : 3;
        memcpy(corners + at, b->corners + firsts[p], size * sizeof *corners);
        at += size;
        sizes[i] = size;
        numbers[i] = b->polygon_numbers ? b->polygon_numbers[p] : p;
    }
    memcpy(b->corners, corners, b->corner_count * sizeof *corners);
    if (b->sizes)
        memcpy(b->sizes, sizes, count * sizeof *sizes);
    free(b->polygon_numbers);
    b->polygon_numbers = numbers;
    free(firsts);
    free(corners);
    free(sizes);
    return SNAG_OK;
}

static snag_status sort_tets(snag__builder *b, const uint32_t *order)
{
    size_t count = b->tet_count;
    uint32_t *tets = malloc((count + 1) * 4 * sizeof *tets), *cells = malloc((count + 1) * sizeof *cells);
    if (!tets || !cells) {
        free(tets);
        free(cells);
        return SNAG_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(tets + 4 * i, b->tets + 4 * (size_t)order[i], 4 * sizeof *tets);
        bool numbered = b->tet_cells && order[i] < b->numbered_tets;
        cells[i] = numbered ? b->tet_cells[order[i]] : (uint32_t)(b->cell_count + (order[i] - b->numbered_tets));
    }
    if (count)
        memcpy(b->tets, tets, count * 4 * sizeof *tets);
    free(tets);
    free(b->tet_cells);
    b->tet_cells = cells;
    b->cell_count += count - b->numbered_tets;
    b->numbered_tets = count;
    b->tet_cell_capacity = count + 1;
    return SNAG_OK;
}

static snag_status sort_edges(snag__builder *b, const uint32_t *order)
{
    uint32_t *edges = malloc((b->edge_count + 1) * 2 * sizeof *edges);
    if (!edges)
        return SNAG_ERROR_MEMORY;
    for (size_t i = 0; i < b->edge_count; i++)
        memcpy(edges + 2 * i, b->edges + 2 * (size_t)order[i], 2 * sizeof *edges);
    memcpy(b->edges, edges, 2 * b->edge_count * sizeof *edges);
    free(edges);
    return SNAG_OK;
}

static snag_status sort_labels(uint32_t *labels, size_t count, const uint32_t *order)
{
    if (!labels)
        return SNAG_OK;
    uint32_t *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return SNAG_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        sorted[i] = labels[order[i]];
    memcpy(labels, sorted, count * sizeof *sorted);
    free(sorted);
    return SNAG_OK;
}

// ---- vertices ----

// Where the elements of each body start.
typedef struct body_starts {
    size_t *polygons, *tets, *edges;
} body_starts;

typedef struct vertex_use {
    uint32_t *body;  // the last body that used each vertex of the file, counted from 1
    uint32_t *now;  // its vertex number in that body
} vertex_use;

static snag_status copy_vertex(snag__builder *b, uint32_t vertex)
{
    snag_status status = grow(b, &b->copied, &b->copied_capacity, b->vertex_count - b->file_vertices, sizeof *b->copied);
    if (status != SNAG_OK)
        return status;
    b->copied[b->vertex_count - b->file_vertices] = vertex;
    const double *p = b->positions + 3 * (size_t)vertex;
    return snag__builder_vertex(b, p[0], p[1], p[2]);
}

static snag_status use(snag__builder *b, vertex_use *u, uint32_t *vertex, uint32_t body)
{
    uint32_t v = *vertex;
    if (u->body[v] != body) {
        if (u->body[v]) {
            u->now[v] = (uint32_t)b->vertex_count;
            snag_status status = copy_vertex(b, v);
            if (status != SNAG_OK)
                return status;
        } else {
            u->now[v] = v;
        }
        u->body[v] = body;
    }
    *vertex = u->now[v];
    return SNAG_OK;
}

static snag_status part_vertices(snag__builder *b, size_t key_count, const body_starts *starts)
{
    b->file_vertices = b->vertex_count;
    vertex_use u = {calloc(b->vertex_count + 1, sizeof *u.body), malloc((b->vertex_count + 1) * sizeof *u.now)};
    snag_status status = u.body && u.now ? SNAG_OK : SNAG_ERROR_MEMORY;
    uint32_t *corner = b->corners;
    for (size_t k = 0; k < key_count && status == SNAG_OK; k++) {
        for (size_t p = starts->polygons[k]; p < starts->polygons[k + 1]; p++)
            for (uint32_t i = 0, size = b->sizes ? b->sizes[p] : 3; i < size && status == SNAG_OK; i++)
                status = use(b, &u, corner++, (uint32_t)k + 1);
        for (size_t i = 4 * starts->tets[k]; i < 4 * starts->tets[k + 1] && status == SNAG_OK; i++)
            status = use(b, &u, &b->tets[i], (uint32_t)k + 1);
        for (size_t i = 2 * starts->edges[k]; i < 2 * starts->edges[k + 1] && status == SNAG_OK; i++)
            status = use(b, &u, &b->edges[i], (uint32_t)k + 1);
    }
    free(u.body);
    free(u.now);
    // Labels of the copies.
    size_t copies = b->vertex_count - b->file_vertices;
    if (status == SNAG_OK && b->vertex_labels && copies) {
        uint32_t *labels = realloc(b->vertex_labels, b->vertex_count * sizeof *labels);
        if (!labels)
            return SNAG_ERROR_MEMORY;
        b->vertex_labels = labels;
        for (size_t i = 0; i < copies; i++)
            labels[b->file_vertices + i] = labels[b->copied[i]];
    }
    return status;
}

// ---- objects ----

static char *body_name(const splitting *s, body_key key, bool shells)
{
    const snag__builder *b = s->b;
    const char *object = key.object ? b->objects[key.object - 1].name : NULL;
    const char *group = key.group && !shells ? b->groups[key.group - 1] : NULL;
    size_t size = (object ? strlen(object) : 0) + (group ? strlen(group) : 0) + 2;
    char *name = object || group ? malloc(size) : NULL;
    if (name)
        snprintf(name, size, "%s%s%s", object ? object : "", object && group ? "." : "", group ? group : "");
    return name;
}

static snag_status make_objects(const splitting *s, bool shells, const body_starts *starts)
{
    snag__builder *b = s->b;
    snag__object *objects = calloc(s->key_count + 1, sizeof *objects);
    if (!objects)
        return SNAG_ERROR_MEMORY;
    snag_status status = SNAG_OK;
    for (size_t k = 0; k < s->key_count; k++) {
        objects[k] = (snag__object){body_name(s, s->keys[k], shells),
                                    b->vertex_count,
                                    starts->polygons[k],
                                    starts->tets[k],
                                    starts->edges[k],
                                    s->keys[k].object ? b->objects[s->keys[k].object - 1].instance_length : 0};
        bool named = s->keys[k].object ? b->objects[s->keys[k].object - 1].name != NULL : false;
        if (!objects[k].name && (named || (s->keys[k].group && !shells)))
            status = SNAG_ERROR_MEMORY;
    }
    for (size_t i = 0; i < b->object_count; i++)
        free(b->objects[i].name);
    free(b->objects);
    b->objects = objects;
    b->object_count = s->key_count;
    b->object_capacity = s->key_count + 1;
    return status;
}

static snag_status split(splitting *s, bool shells)
{
    snag__builder *b = s->b;
    give_keys(b, POLYGONS, s->polygon_keys);
    give_keys(b, TETS, s->tet_keys);
    give_keys(b, EDGES, s->edge_keys);
    snag_status status = shells ? find_shells(s) : SNAG_OK;
    if (status == SNAG_OK)
        status = list_keys(s);
    if (status != SNAG_OK)
        return status;
    const size_t keys = s->key_count + 1;
    size_t most = b->polygon_count > b->tet_count ? b->polygon_count : b->tet_count;
    most = most > b->edge_count ? most : b->edge_count;
    size_t *all = malloc(3 * keys * sizeof *all);
    const body_starts starts = {all, all ? all + keys : NULL, all ? all + 2 * keys : NULL};
    uint32_t *order = malloc((most + 1) * sizeof *order);
    status = all && order ? SNAG_OK : SNAG_ERROR_MEMORY;
    if (status == SNAG_OK)
        status = order_elements(s, s->polygon_keys, b->polygon_count, starts.polygons, order);
    if (status == SNAG_OK && b->polygon_count)
        status = sort_polygons(b, order);
    if (status == SNAG_OK)
        status = sort_labels(b->polygon_groups, b->polygon_count, order);
    if (status == SNAG_OK)
        status = order_elements(s, s->tet_keys, b->tet_count, starts.tets, order);
    if (status == SNAG_OK && b->tet_count)
        status = sort_tets(b, order);
    if (status == SNAG_OK)
        status = sort_labels(b->tet_groups, b->tet_count, order);
    if (status == SNAG_OK)
        status = order_elements(s, s->edge_keys, b->edge_count, starts.edges, order);
    if (status == SNAG_OK && b->edge_count)
        status = sort_edges(b, order);
    if (status == SNAG_OK)
        status = sort_labels(b->edge_groups, b->edge_count, order);
    if (status == SNAG_OK)
        status = part_vertices(b, s->key_count, &starts);
    if (status == SNAG_OK)
        status = make_objects(s, shells, &starts);
    free(all);
    free(order);
    return status;
}

static const char *word_of(snag_io_split split)
{
    return split == SNAG_IO_SPLIT_GROUPS ? "groups" : split == SNAG_IO_SPLIT_MATERIALS ? "materials" : "parts";
}

// The group of each element, while the runs still count as the reader did.
static uint32_t *labels_of(const snag__builder *b, element_list list, size_t count)
{
    uint32_t *labels = malloc((count + 1) * sizeof *labels);
    size_t run = 0;
    for (size_t i = 0; i < count && labels; i++) {
        while (run < b->group_run_count && first_of_run(&b->group_runs[run], list) <= i)
            run++;
        labels[i] = run ? b->group_runs[run - 1].group : 0;
    }
    return labels;
}

snag_status snag__builder_label(snag__builder *b, const snag__source *source)
{
    snag_io_split wanted = source->reading ? source->reading->options.label : SNAG_IO_SPLIT_OBJECTS;
    if (wanted == SNAG_IO_SPLIT_OBJECTS || wanted == SNAG_IO_SPLIT_SHELLS)
        return SNAG_OK;
    snag_io_split split = source->reading->options.split;
    if (split != SNAG_IO_SPLIT_OBJECTS && split != SNAG_IO_SPLIT_SHELLS && split != wanted)
        return snag__io_fail(source->error, SNAG_ERROR_ARGUMENT, "%s: cannot be split by %s and labelled by %s; use one of them",
                             snag__path_shown(source->name), word_of(split), word_of(wanted));
    if (b->group_count == 0) {
        if (!source->error || !source->error->message[0])
            snag__io_note(source->error, "%s: has no %s to label its elements with", snag__path_shown(source->name),
                          word_of(wanted));
        return SNAG_OK;
    }
    b->polygon_groups = labels_of(b, POLYGONS, b->polygon_count);
    b->tet_groups = labels_of(b, TETS, b->tet_count);
    b->edge_groups = labels_of(b, EDGES, b->edge_count);
    bool room = b->polygon_groups && b->tet_groups && b->edge_groups;
    return room ? SNAG_OK : snag__builder_fail(source, SNAG_ERROR_MEMORY);
}

snag_status snag__builder_split(snag__builder *b, const snag__source *source)
{
    snag_io_split wanted = source->reading ? source->reading->options.split : SNAG_IO_SPLIT_OBJECTS;
    bool shells = wanted == SNAG_IO_SPLIT_SHELLS;
    if (wanted == SNAG_IO_SPLIT_OBJECTS || b->polygon_count + b->tet_count + b->edge_count == 0)
        return SNAG_OK;
    if (!shells && b->group_count == 0) {
        if (!source->error || !source->error->message[0])
            snag__io_note(source->error, "%s: has no %s to split by; its bodies are its objects", snag__path_shown(source->name),
                          word_of(wanted));
        return SNAG_OK;
    }
    splitting s = {.b = b,
                   .polygon_keys = malloc((b->polygon_count + 1) * sizeof *s.polygon_keys),
                   .tet_keys = malloc((b->tet_count + 1) * sizeof *s.tet_keys),
                   .edge_keys = malloc((b->edge_count + 1) * sizeof *s.edge_keys)};
    snag_status status = s.polygon_keys && s.tet_keys && s.edge_keys ? split(&s, shells) : SNAG_ERROR_MEMORY;
    free(s.polygon_keys);
    free(s.tet_keys);
    free(s.edge_keys);
    free(s.keys);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(source, status);
}
