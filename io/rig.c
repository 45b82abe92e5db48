// Rigs: validation, merging of vertices, and the mesh.
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void snag__rig_free(snag__rig *rig)
{
    for (size_t i = 0; i < rig->skin_count; i++) {
        free(rig->skins[i].joints);
        free(rig->skins[i].inverses);
    }
    for (size_t i = 0; i < rig->body_count; i++) {
        snag__rig_body *body = &rig->bodies[i];
        void *const arrays[] = {body->name,   body->positions,   body->targets,         body->target_weights,
                                body->joints, body->weights,     body->sizes,           body->corners,
                                body->kept,   body->weights_now, body->polygon_numbers, body->edges};
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
            free(arrays[k]);
    }
    for (size_t i = 0; i < rig->animation_count; i++) {
        snag__rig_animation *animation = &rig->animations[i];
        for (size_t k = 0; k < animation->track_count; k++) {
            free(animation->tracks[k].times);
            free(animation->tracks[k].values);
        }
        free(animation->tracks);
        free(animation->name);
    }
    free(rig->nodes);
    free(rig->skins);
    free(rig->bodies);
    free(rig->animations);
    free(rig->order);
    free(rig->globals);
    *rig = (snag__rig){0};
}

static snag_status fail_memory(const snag__source *source)
{
    return snag__io_fail(source->error, SNAG_ERROR_MEMORY, "%s: not enough memory for this scene", snag__path_shown(source->name));
}

// ---- nodes ----

// Parents before children: a node is listed once its parent is. A node that is never listed is its own ancestor.
snag_status snag__rig_order(snag__rig *rig, const snag__source *source)
{
    size_t count = rig->node_count, done = 0;
    rig->order = malloc((count + 1) * sizeof *rig->order);
    rig->globals = malloc((count + 1) * 16 * sizeof *rig->globals);
    uint32_t *first_child = malloc((count + 1) * sizeof *first_child), *sibling = malloc((count + 1) * sizeof *sibling);
    snag_status status = SNAG_OK;
    if (!rig->order || !rig->globals || !first_child || !sibling) {
        status = fail_memory(source);
    } else {
        memset(first_child, 0xff, (count + 1) * sizeof *first_child);
        for (size_t i = count; i-- > 0;) {
            uint32_t parent = rig->nodes[i].parent;
            if (parent == SNAG__RIG_NONE)
                continue;
            sibling[i] = first_child[parent];
            first_child[parent] = (uint32_t)i;
        }
        for (size_t i = 0; i < count; i++)
            if (rig->nodes[i].parent == SNAG__RIG_NONE)
                rig->order[done++] = (uint32_t)i;
        for (size_t at = 0; at < done; at++)
            for (uint32_t child = first_child[rig->order[at]]; child != SNAG__RIG_NONE; child = sibling[child])
                rig->order[done++] = child;
        if (done < count)
            status =
                snag__io_fail(source->error, SNAG_ERROR_FORMAT, "%s: a node is its own ancestor", snag__path_shown(source->name));
    }
    free(first_child);
    free(sibling);
    return status;
}

// ---- merging vertices ----

// Whether two vertices have the same position, targets and influences; +0 and -0 are equal.
static bool same_vertex(const snag__rig_body *body, size_t a, size_t b)
{
    for (int k = 0; k < 3; k++)
        if (body->positions[3 * a + (size_t)k] != body->positions[3 * b + (size_t)k])
            return false;
    for (size_t t = 0; t < body->target_count; t++)
        for (size_t k = 0; k < 3; k++)
            if (body->targets[3 * (t * body->vertex_count + a) + k] != body->targets[3 * (t * body->vertex_count + b) + k])
                return false;
    size_t n = body->influence_count;
    for (size_t k = 0; k < n; k++) {
        double x = body->weights[n * a + k], y = body->weights[n * b + k];
        if (x != y || (x != 0 && body->joints[n * a + k] != body->joints[n * b + k]))
            return false;
    }
    return true;
}

static uint64_t mix(uint64_t hash, double value)
{
    uint64_t bits;
    value += 0.0;  // -0 becomes 0
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
    return hash ^ hash >> 29;
}

static size_t hash_of(const snag__rig_body *body, size_t v)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t k = 0; k < 3; k++)
        hash = mix(hash, body->positions[3 * v + k]);
    for (size_t k = 0; k < body->influence_count; k++)
        hash = mix(hash, body->weights[body->influence_count * v + k]);
    for (size_t t = 0; t < body->target_count; t++)
        hash = mix(hash, body->targets[3 * (t * body->vertex_count + v)]);
    return (size_t)hash;
}

// `one` maps each vertex to the lowest vertex that is the same.
static bool find_same(const snag__rig_body *body, uint32_t *one)
{
    size_t slots = 16;
    while (slots < 2 * body->vertex_count)
        slots *= 2;
    uint32_t *table = malloc(slots * sizeof *table);
    if (!table)
        return false;
    memset(table, 0xff, slots * sizeof *table);
    for (size_t v = 0; v < body->vertex_count; v++) {
        if (body->keeps_numbers) {
            one[v] = (uint32_t)v;
            continue;
        }
        size_t slot = hash_of(body, v) & (slots - 1);
        while (table[slot] != SNAG__RIG_NONE && !same_vertex(body, table[slot], v))
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == SNAG__RIG_NONE)
            table[slot] = (uint32_t)v;
        one[v] = table[slot];
    }
    free(table);
    return true;
}

// If there are faces, drop the vertices that no face uses: importers leave them behind, and nobody sees them.
// Lines that stand for themselves. A line whose ends were merged is a point.
static snag_status keep_rods(snag__rig_body *body, size_t corner_count, size_t *skipped, const snag__source *source)
{
    snag__builder b = {.vertex_count = body->kept_count,
                       .corners = body->corners,
                       .corner_count = corner_count,
                       .sizes = body->sizes,
                       .polygon_count = body->polygon_count,
                       .edges = body->edges,
                       .edge_count = body->edge_count};
    snag_status status = snag__builder_keep_rods(&b);
    body->edge_count = b.edge_count;
    *skipped += b.skipped;
    return status == SNAG_OK ? SNAG_OK : fail_memory(source);
}

static snag_status keep_vertices(snag__rig_body *body, size_t *skipped, const snag__source *source)
{
    uint32_t *local = malloc((body->vertex_count + 1) * sizeof *local);
    body->kept = malloc((body->vertex_count + 1) * sizeof *body->kept);
    body->weights_now = calloc(body->target_count + 1, sizeof *body->weights_now);
    if (!local || !body->kept || !body->weights_now || !find_same(body, local)) {
        free(local);
        return fail_memory(source);
    }
    size_t corner_count = 0;
    for (size_t p = 0; p < body->polygon_count; p++)
        corner_count += body->sizes ? body->sizes[p] : 3;
    for (size_t c = 0; c < corner_count; c++)
        body->corners[c] = local[body->corners[c]];
    for (size_t i = 0; i < 2 * body->edge_count; i++)
        body->edges[i] = local[body->edges[i]];
    memset(local, 0xff, body->vertex_count * sizeof *local);
    for (size_t c = 0; c < corner_count; c++)
        local[body->corners[c]] = 0;
    for (size_t i = 0; i < 2 * body->edge_count; i++)
        local[body->edges[i]] = 0;
    for (size_t v = 0; v < body->vertex_count; v++)
        if (local[v] != SNAG__RIG_NONE) {
            local[v] = (uint32_t)body->kept_count;
            body->kept[body->kept_count++] = (uint32_t)v;
        }
    for (size_t c = 0; c < corner_count; c++)
        body->corners[c] = local[body->corners[c]];
    for (size_t i = 0; i < 2 * body->edge_count; i++)
        body->edges[i] = local[body->edges[i]];
    free(local);
    return body->edge_count ? keep_rods(body, corner_count, skipped, source) : SNAG_OK;
}

// ---- checks ----

static bool all_finite(const double *numbers, size_t count)
{
    double sum = 0;
    for (size_t i = 0; numbers && i < count; i++)
        sum += numbers[i] - numbers[i];  // 0, except for NaN and infinities
    return sum == 0;
}

static snag_status check_body(const snag__rig *rig, const snag__rig_body *body, const snag__source *source)
{
    const char *file = snag__path_shown(source->name), *name = body->name ? body->name : "body";
    size_t n = body->vertex_count, corner = 0;
    for (size_t p = 0; p < body->polygon_count; p++)
        for (uint32_t i = 0, size = body->sizes ? body->sizes[p] : 3; i < size; i++, corner++)
            if (body->corners[corner] >= n)
                return snag__io_fail(source->error, SNAG_ERROR_INDEX,
                                     "%s: \"%.60s\": face %zu names vertex %lu (both counted from 0), but there are %zu", file,
                                     name, p, (unsigned long)body->corners[corner], n);
    for (size_t i = 0; i < 2 * body->edge_count; i++)
        if (body->edges[i] >= n)
            return snag__io_fail(source->error, SNAG_ERROR_INDEX,
                                 "%s: \"%.60s\": a line or point names vertex %lu (counted from 0), but there are %zu", file, name,
                                 (unsigned long)body->edges[i], n);
    if (!all_finite(body->positions, 3 * n) || !all_finite(body->targets, 3 * n * body->target_count) ||
        !all_finite(body->weights, n * body->influence_count) || !all_finite(body->target_weights, body->target_count))
        return snag__io_fail(source->error, SNAG_ERROR_NOT_FINITE, "%s: \"%.60s\": a position or weight is not finite", file, name);
    if (body->node >= rig->node_count || (body->skin != SNAG__RIG_NONE && body->skin >= rig->skin_count))
        return snag__io_fail(source->error, SNAG_ERROR_INDEX, "%s: \"%.60s\": its node or skin does not exist", file, name);
    size_t joints = body->skin == SNAG__RIG_NONE ? SIZE_MAX : rig->skins[body->skin].joint_count;
    for (size_t i = 0; i < n * body->influence_count; i++)
        if (body->weights[i] != 0 && body->joints[i] >= joints)
            return snag__io_fail(source->error, SNAG_ERROR_INDEX, "%s: \"%.60s\": vertex %zu names joint %lu of %zu", file, name,
                                 i / body->influence_count, (unsigned long)body->joints[i], joints);
    return SNAG_OK;
}

static snag_status check_animation(const snag__rig *rig, const snag__rig_animation *animation, const snag__source *source)
{
    for (size_t i = 0; i < animation->track_count; i++) {
        const snag__rig_track *track = &animation->tracks[i];
        size_t values = track->key_count * track->width * (track->curve == SNAG__RIG_CUBIC ? 3 : 1);
        bool rises = true;
        for (size_t k = 1; k < track->key_count; k++)
            rises = rises && track->times[k] >= track->times[k - 1];
        if (track->node >= rig->node_count || track->key_count == 0 || !rises || !all_finite(track->times, track->key_count) ||
            !all_finite(track->values, values))
            return snag__io_fail(source->error, SNAG_ERROR_FORMAT,
                                 "%s: animation \"%.60s\": the times of a track do not increase, or a number is not finite",
                                 snag__path_shown(source->name), animation->name ? animation->name : "");
    }
    return SNAG_OK;
}

static snag_status check_joints(const snag__rig *rig, const snag__source *source)
{
    for (size_t i = 0; i < rig->skin_count; i++) {
        const snag__rig_skin *skin = &rig->skins[i];
        bool known = all_finite(skin->inverses, 16 * skin->joint_count);
        for (size_t k = 0; k < skin->joint_count; k++)
            known = known && skin->joints[k] < rig->node_count;
        if (!known)
            return snag__io_fail(source->error, SNAG_ERROR_INDEX, "%s: skin %zu: a joint does not exist, or is not finite",
                                 snag__path_shown(source->name), i);
    }
    return SNAG_OK;
}

// ---- the mesh ----

static size_t faces_in_file(const snag__rig_body *body)
{
    return body->face_count ? body->face_count : body->polygon_count;
}

static snag_status make_body(snag__rig *rig, size_t index, size_t first_vertex, size_t first_face, const snag__source *source,
                             snag_io_body *made)
{
    snag__rig_body *body = &rig->bodies[index];
    size_t length, size = body->name ? strlen(body->name) : 0;
    const char *stem = snag__path_stem(source->name, &length);
    made->name = malloc((size ? size : length) + 1);
    made->positions = malloc((body->kept_count + 1) * 3 * sizeof *made->positions);
    made->vertex_numbers = malloc((body->kept_count + 1) * sizeof *made->vertex_numbers);
    made->polygon_numbers = malloc((body->polygon_count + 1) * sizeof *made->polygon_numbers);
    if (!made->name || !made->positions || !made->vertex_numbers || !made->polygon_numbers ||
        snag__body_set_edges(made, body->edges, NULL, body->edge_count) != SNAG_OK)
        return fail_memory(source);
    memcpy(made->name, size ? body->name : stem, size ? size : length);
    made->name[size ? size : length] = 0;
    made->vertex_count = body->kept_count;
    for (size_t v = 0; v < body->kept_count; v++)
        made->vertex_numbers[v] = (uint32_t)(first_vertex + body->kept[v]);
    made->polygon_count = body->polygon_count;
    for (size_t p = 0; p < body->polygon_count; p++)
        made->polygon_numbers[p] = (uint32_t)(first_face + (body->polygon_numbers ? body->polygon_numbers[p] : p));
    // The mesh owns the faces from now on.
    made->polygon_sizes = body->sizes;
    made->polygon_vertices = body->corners;
    body->sizes = body->corners = NULL;
    snag__rig_positions(rig, index, made->positions);
    if (!all_finite(made->positions, 3 * made->vertex_count))
        return snag__io_fail(source->error, SNAG_ERROR_NOT_FINITE, "%s: \"%.60s\" moves out of the range of floating-point numbers",
                             snag__path_shown(source->name), made->name);
    return SNAG_OK;
}

static snag_status make_mesh(snag__rig *rig, const snag__source *source, snag_io_mesh *mesh)
{
    mesh->bodies = calloc(rig->body_count + 1, sizeof *mesh->bodies);
    if (!mesh->bodies)
        return fail_memory(source);
    mesh->skipped = rig->skipped;
    mesh->unnumbered = rig->unnumbered;
    snag__rig_pose(rig, SNAG__RIG_NONE, 0);
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < rig->body_count && status == SNAG_OK; i++) {
        mesh->body_count++;
        status = make_body(rig, i, mesh->vertex_count, mesh->face_count, source, &mesh->bodies[i]);
        mesh->vertex_count += rig->bodies[i].vertex_count;
        mesh->face_count += faces_in_file(&rig->bodies[i]);
        mesh->edge_count += mesh->bodies[i].edge_count;
        mesh->point_count += mesh->bodies[i].point_count;
    }
    return status;
}

snag_status snag__rig_finish(snag__rig *rig, const snag__source *source, snag_io_mesh *mesh)
{
    uint64_t vertices = 0, faces = 0, elements = 0;
    snag_status status = rig->order ? SNAG_OK : snag__rig_order(rig, source);
    if (status == SNAG_OK)
        status = check_joints(rig, source);
    for (size_t i = 0; i < rig->animation_count && status == SNAG_OK; i++)
        status = check_animation(rig, &rig->animations[i], source);
    for (size_t i = 0; i < rig->body_count && status == SNAG_OK; i++) {
        vertices += rig->bodies[i].vertex_count;
        faces += faces_in_file(&rig->bodies[i]);
        elements += rig->bodies[i].polygon_count + rig->bodies[i].edge_count;
        if (vertices > SNAG__MOST_VERTICES || faces > SNAG__MOST_VERTICES)
            return snag__builder_fail(source, SNAG_ERROR_SIZE);
        status = check_body(rig, &rig->bodies[i], source);
        if (status == SNAG_OK)
            status = keep_vertices(&rig->bodies[i], &rig->skipped, source);
    }
    if (status == SNAG_OK && elements == 0)
        status = snag__io_fail(source->error, SNAG_ERROR_FORMAT, "%s: no faces, lines or points in the file",
                               snag__path_shown(source->name));
    if (status == SNAG_OK)
        status = make_mesh(rig, source, mesh);
    if (status != SNAG_OK)
        snag_io_mesh_free(mesh);
    return status;
}
