// The sphere trees of bodies: a tree follows the rigid motion of its body, and starts over when the body deforms.
#include "method/spheres.h"

#include "base/length.h"

#include <math.h>
#include <string.h>

// A motion is rigid if no vertex is off by more than this part of the radius of the smallest spheres: spheres hardly grow by it,
// and rounded positions still count as rigid.
static const double RIGID = 1.0 / 64;
// Smaller squares may have lost bits. Bodies that small count as deformed.
static const double SMALLEST_SQUARE = 0x1p-900;

snag__spheres_state *snag__spheres_state_of(snag__ask *ask)
{
    return snag__state_of(ask, SNAG_METHOD_SPHERES, sizeof(snag__spheres_state));
}

static void forget_reference(snag__spheres_body *body, const snag_allocator *allocator)
{
    snag__release(allocator, body->reference, body->reference_count, sizeof *body->reference);
    body->reference = NULL;
    body->reference_count = 0;
}

static void body_free(snag__spheres_body *body, const snag_allocator *allocator)
{
    if (body == NULL)
        return;
    snag__sphere_tree_clear(&body->tree, allocator);
    forget_reference(body, allocator);
    snag__spheres_blocks_free(&body->blocks, allocator);
    snag__release(allocator, body, 1, sizeof *body);
}

// Frees what a search uses besides trees.
static void free_search(snag__spheres_state *state, const snag_allocator *allocator)
{
    snag__buffer *buffers[] = {&state->masks,   &state->pairs,   &state->leaves,  &state->sorted,
                               &state->corners, &state->octants, &state->gathered};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        snag__buffer_free(allocator, buffers[i]);
}

void snag__spheres_free(const snag_allocator *allocator, snag__buffer *memory)
{
    snag__spheres_state *state = memory->data;
    if (state == NULL)
        return;
    snag__spheres_body **bodies = state->bodies.data;
    for (uint32_t i = 0; i < state->body_count; i++)
        body_free(bodies[i], allocator);
    snag__body_pairs_free(allocator, &state->body_pairs);
    if (state->gpu != NULL)
        snag__gpu_gl()->close(state->gpu);
    free_search(state, allocator);
    snag__buffer_free(allocator, &state->bodies);
    snag__buffer_free(allocator, &state->boxes);
    snag__buffer_free(allocator, &state->drawn);
    snag__buffer_free(allocator, memory);
}

snag__spheres_body *snag__spheres_body_of(snag__spheres_state *state, const snag__ask *ask, uint32_t i)
{
    SNAG__ASSERT(i < ask->body_count && ask->bodies[i]->id.index - 1 < state->body_count);
    return ((snag__spheres_body **)state->bodies.data)[ask->bodies[i]->id.index - 1];
}

// ---- rigid motions ----

static double square_distance(const double p[3], const double q[3])
{
    double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    return x * x + y * y + z * z;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normal_of(const double p[3], const double q[3], const double r[3], double out[3])
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = q[k] - p[k];
        v[k] = r[k] - p[k];
    }
    cross(u, v, out);
}

// Chooses three vertices that span the body: the first, the farthest from it, the farthest from the line through both.
static void take_samples(snag__spheres_body *body, const snag__mesh *mesh, const double (*x)[3])
{
    static const double origin[3] = {0, 0, 0};
    uint32_t *sample = body->sample;
    sample[0] = 0;
    while (sample[0] + 1 < mesh->vertex_count && !mesh->vertex_used[sample[0]])
        sample[0]++;
    double most = -1, widest = -1;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (mesh->vertex_used[v] && square_distance(x[v], x[sample[0]]) > most) {
            most = square_distance(x[v], x[sample[0]]);
            sample[1] = v;
        }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double normal[3];
        normal_of(x[sample[0]], x[sample[1]], x[v], normal);
        if (mesh->vertex_used[v] && square_distance(normal, origin) > widest) {
            widest = square_distance(normal, origin);
            sample[2] = v;
        }
    }
    body->sampled = true;
}

static bool unit(double v[3])
{
    double length = snag__length(v);
    for (int k = 0; k < 3; k++)
        v[k] /= length;
    return length > 0 && isfinite(length);
}

// An orthonormal frame of the samples, by rows.
static bool frame_of(const double (*x)[3], const uint32_t sample[3], double frame[3][3])
{
    for (int k = 0; k < 3; k++)
        frame[0][k] = x[sample[1]][k] - x[sample[0]][k];
    normal_of(x[sample[0]], x[sample[1]], x[sample[2]], frame[2]);
    if (!unit(frame[0]) || !unit(frame[2]))
        return false;
    cross(frame[2], frame[0], frame[1]);
    return true;
}

typedef struct motion {
    double rotation[3][3], shift[3];
} motion;

// The rigid motion of the samples; a translation if they do not span a plane.
static motion motion_of(const double (*from)[3], const double (*to)[3], const uint32_t sample[3])
{
    double frame_from[3][3], frame_to[3][3];
    bool rotates = frame_of(from, sample, frame_from) && frame_of(to, sample, frame_to);
    motion m;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            m.rotation[i][k] = i == k;
            if (rotates)
                m.rotation[i][k] =
                    frame_to[0][i] * frame_from[0][k] + frame_to[1][i] * frame_from[1][k] + frame_to[2][i] * frame_from[2][k];
        }
    for (int i = 0; i < 3; i++) {
        m.shift[i] = 0;
        for (int s = 0; s < 3; s++) {
            const double *p = from[sample[s]], *row = m.rotation[i];
            m.shift[i] += (to[sample[s]][i] - (row[0] * p[0] + row[1] * p[1] + row[2] * p[2])) / 3;
        }
    }
    return m;
}

// The largest distance of a vertex from where the motion takes it; INFINITY if that is more than `enough`.
static double farthest_off(const snag__mesh *mesh, const double (*from)[3], const motion *m, double enough)
{
    double most = 0, largest = 0;
    if (!(enough * enough > SMALLEST_SQUARE))
        return INFINITY;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (!mesh->vertex_used[v])
            continue;
        const double *p = from[v];
        double off = 0;
        for (int i = 0; i < 3; i++) {
            double at = m->rotation[i][0] * p[0] + m->rotation[i][1] * p[1] + m->rotation[i][2] * p[2] + m->shift[i];
            double d = mesh->x_t1[v][i] - at;
            off += d * d;
            largest = fmax(largest, fabs(at));
        }
        if (!(off <= enough * enough))
            return INFINITY;
        most = fmax(most, off);
    }
    // Rounding: relative 2^-53 per operation, fewer than 90 of them.
    return sqrt(most) * (1 + 1e-12) + 1e-14 * largest;
}

// ---- updating ----

static void box_of(const snag__mesh *mesh, double lo[3], double hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (!mesh->vertex_used[v])
            continue;
        for (int axis = 0; axis < 3; axis++) {
            double at = mesh->x_t1[v][axis];
            lo[axis] = at < lo[axis] ? at : lo[axis];
            hi[axis] = at > hi[axis] ? at : hi[axis];
        }
    }
}

static void begin(snag__spheres_body *body, const snag__body *of, const snag_allocator *allocator)
{
    snag__sphere_tree_clear(&body->tree, allocator);
    forget_reference(body, allocator);
    body->id = of->id;
    body->topology = of->topology;
    body->anchor = of->pose;
    body->sampled = false;
    if (of->source != NULL)
        snag__sphere_tree_begin(&body->tree, body->lo, body->hi, (uint32_t)of->source->def.block_count, true);
    else
        snag__sphere_tree_begin(&body->tree, body->lo, body->hi, of->mesh.triangle_count, false);
}

// The positions that the tree was built from, if they are still known.
static const double (*anchor_positions(const snag__spheres_body *body, const snag__body *of))[3]
{
    if (body->reference != NULL)
        return (const double(*)[3])body->reference;
    return of->pose_t0 == body->anchor ? (const double(*)[3])of->mesh.x_t0 : NULL;
}

static bool keep_reference(snag__spheres_body *body, const snag__mesh *mesh, const double (*x)[3], const snag_allocator *allocator)
{
    if (body->reference != NULL)
        return true;
    body->reference = snag__allocate(allocator, mesh->vertex_count, sizeof *body->reference);
    if (body->reference == NULL)
        return false;
    body->reference_count = mesh->vertex_count;
    memcpy(body->reference, x, mesh->vertex_count * sizeof *body->reference);
    return true;
}

// Moves the tree with its body if that has moved rigidly since the anchor pose. Sets *memory to false if memory was short.
static bool move_along(snag__spheres_body *body, const snag__body *of, uint32_t depth, const snag_allocator *allocator,
                       bool *memory)
{
    const double(*from)[3] = anchor_positions(body, of);
    if (from == NULL)
        return false;
    if (!body->sampled)
        take_samples(body, &of->mesh, from);
    motion m = motion_of(from, (const double(*)[3])of->mesh.x_t1, body->sample);
    double off = farthest_off(&of->mesh, from, &m, RIGID * ldexp(body->tree.root.spheres.radius, -(int)depth));
    if (!isfinite(off))
        return false;
    *memory = keep_reference(body, &of->mesh, from, allocator);
    if (!*memory)
        return false;
    snag__sphere_tree_move(&body->tree, (const double(*)[3])m.rotation, m.shift, off);
    return true;
}

static bool is_id(snag_body_id a, snag_body_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

static bool update_body(snag__spheres_body *body, const snag__body *of, uint32_t depth, snag_backend backend,
                        snag_spheres_rule rule, const snag_allocator *allocator)
{
    // Backends build different trees.
    bool known = is_id(body->id, of->id) && body->topology == of->topology && body->backend == backend && body->rule == rule,
         memory = true;
    bool close_enough = body->tree.slack == 0 || depth <= body->depth;
    if (known && body->pose == of->pose && close_enough)
        return true;
    body->backend = backend;
    body->rule = rule;
    body->depth = depth;
    if (of->source != NULL) {
        memcpy(body->lo, of->source->lo, sizeof body->lo);
        memcpy(body->hi, of->source->hi, sizeof body->hi);
    } else
        box_of(&of->mesh, body->lo, body->hi);
    if (!known || body->tree.level_count == 0 || !move_along(body, of, depth, allocator, &memory))
        begin(body, of, allocator);
    body->pose = of->pose;
    return memory;
}

void snag__spheres_forget(snag__ask *ask, snag__spheres_state *state, uint64_t step)
{
    for (uint32_t i = 0; i < ask->body_count; i++) {
        snag__spheres_body *body = snag__spheres_body_of(state, ask, i);
        snag__sphere_forget(&body->tree, step, ask->allocator);
        snag__source *source = ask->bodies[i]->source;
        snag__spheres_blocks_forget(&body->blocks, step, body->tree.level_count == 0, ask->allocator);
        if (source != NULL && body->tree.level_count == 0 && source->window.count == 0) {
            snag__spheres_blocks_free(&body->blocks, ask->allocator);
            source->window = (snag__window){0};
        }
        // A tree that is only a root needs no reference positions.
        if (body->tree.level_count == 0 && body->reference != NULL)
            begin(body, ask->bodies[i], ask->allocator);
    }
    // All trees are only roots and this ask has found nothing: free the memory of the last contact.
    if (state->busy != 0 && state->busy < step) {
        free_search(state, ask->allocator);
        snag__scratch_empty(ask->answer_allocator, ask->scratch);
        state->busy = 0;
    }
}

// Frees the trees of removed and of edited bodies. The bodies of an ask are in the order of their ids.
static void drop_gone(snag__ask *ask, snag__spheres_state *state)
{
    snag__spheres_body **bodies = state->bodies.data;
    uint32_t next = 0;
    for (uint32_t i = 0; i < state->body_count; i++) {
        if (bodies[i] == NULL)
            continue;
        while (next < ask->body_count && ask->bodies[next]->id.index < i + 1)
            next++;
        if (next < ask->body_count && is_id(ask->bodies[next]->id, bodies[i]->id) &&
            ask->bodies[next]->topology == bodies[i]->topology)
            continue;
        body_free(bodies[i], ask->allocator);
        bodies[i] = NULL;
    }
}

// Trees never move in memory, since their levels point at each other.
static snag__spheres_body *make_body(snag__spheres_state *state, uint32_t index, const snag_allocator *allocator)
{
    snag__spheres_body **bodies = state->bodies.data;
    if (bodies[index] == NULL) {
        bodies[index] = snag__allocate(allocator, 1, sizeof **bodies);
        if (bodies[index] != NULL)
            memset(bodies[index], 0, sizeof **bodies);
    }
    return bodies[index];
}

snag_status snag__spheres_update(snag__ask *ask, snag__spheres_state *state, uint32_t depth)
{
    drop_gone(ask, state);
    uint32_t count = ask->body_count > 0 ? ask->bodies[ask->body_count - 1]->id.index : 0;
    if (count > state->body_count) {
        if (!snag__buffer_reserve(ask->allocator, &state->bodies, state->body_count, count, sizeof(snag__spheres_body *)))
            return SNAG_ERROR_MEMORY;
        memset((snag__spheres_body **)state->bodies.data + state->body_count, 0,
               (count - state->body_count) * sizeof(snag__spheres_body *));
        state->body_count = count;
    }
    for (uint32_t i = 0; i < ask->body_count; i++) {
        snag__spheres_body *body = make_body(state, ask->bodies[i]->id.index - 1, ask->allocator);
        if (body == NULL || !update_body(body, ask->bodies[i], depth, ask->def->backend, ask->def->spheres, ask->allocator))
            return SNAG_ERROR_MEMORY;
    }
    return SNAG_OK;
}

// ---- levels ----

snag_status snag__spheres_classify(snag__ask *ask, snag__spheres_state *state, const snag__sphere_geometry *geometry,
                                   const uint32_t *list, uint32_t count, const snag__octants *octants, uint8_t *grey)
{
    const snag__sphere_kernels *kernels = snag__sphere_kernels_for(ask->isa);
    if (!snag__buffer_reserve(ask->allocator, &state->masks, 0, count + 1u, 1))
        return SNAG_ERROR_MEMORY;
    *grey = 0xff;
    if (ask->def->backend == SNAG_BACKEND_GL) {
        // Queries tell about octants only: the boxes of triangles say which octants each goes to.
        kernels->box_octants(geometry->x, geometry->triangles, list, count, octants, state->masks.data);
        if (ask->def->spheres == SNAG_SPHERES_PAPER && snag__spheres_gl_can_be_plain(octants))
            return snag__spheres_gl_plain(ask, state, geometry, octants, grey);
        return snag__spheres_gl_octants(ask, state, geometry, list, count, octants, state->masks.data, grey);
    }
    kernels->octants(geometry->x, geometry->triangles, list, count, octants, state->masks.data);
    ask->statistics.tested += (size_t)1 << __builtin_popcount(octants->cut);
    return SNAG_OK;
}

snag_status snag__spheres_below(snag__ask *ask, snag__spheres_state *state, uint32_t i, snag__sphere_node node,
                                snag__sphere_level **level)
{
    *level = node.level->below[node.child];
    if (*level != NULL)
        return SNAG_OK;
    snag__spheres_body *body = snag__spheres_body_of(state, ask, i);
    if (ask->bodies[i]->source != NULL)
        return snag__spheres_read_below(ask, state, i, node, level);
    const snag__mesh *mesh = &ask->bodies[i]->mesh;
    snag__sphere_geometry geometry = {
        .x = (const double(*)[3])(body->reference != NULL ? body->reference : mesh->x_t1),
        .triangles = (const uint32_t(*)[3])mesh->triangles,
        .triangle_count = mesh->triangle_count,
    };
    snag__octants octants;
    uint8_t grey;
    snag__sphere_cut(node, &octants);
    snag_status status =
        snag__spheres_classify(ask, state, &geometry, snag__sphere_list(node), snag__sphere_count(node), &octants, &grey);
    if (status != SNAG_OK)
        return status;
    body->tree.triangles_read += snag__sphere_count(node);
    snag__sphere_parts parts = {snag__sphere_list(node), snag__sphere_count(node), state->masks.data, grey, false};
    *level = snag__sphere_make(&body->tree, node, &octants, &parts, ask->allocator);
    return *level != NULL ? SNAG_OK : SNAG_ERROR_MEMORY;
}

void snag__spheres_describe(const snag__buffer *memory, snag_body_id id, snag_tree_info *info)
{
    *info = (snag_tree_info){0};
    const snag__spheres_state *state = memory->data;
    if (state == NULL || id.index > state->body_count)
        return;
    const snag__spheres_body *body = ((snag__spheres_body *const *)state->bodies.data)[id.index - 1];
    if (body == NULL || !is_id(body->id, id))
        return;
    *info = (snag_tree_info){
        .level_count = body->tree.level_count,
        .node_count = 1,
        .bytes = sizeof *body + body->tree.bytes + body->reference_count * sizeof *body->reference + body->blocks.bytes +
                 body->blocks.ids.bytes + body->blocks.x.bytes + body->blocks.triangles.bytes,
        .levels_made = body->tree.levels_made,
        .triangles_read = body->tree.triangles_read,
        .blocks_read = body->blocks.read_count,
    };
    for (const snag__sphere_level *level = body->tree.newest; level != NULL; level = level->older)
        info->node_count += level->child_count;
}

// ---- drawing ----

// Appends a node and all below it.
// NOLINTNEXTLINE(misc-no-recursion): a call for each level of the tree
static bool draw_node(const snag__ask *ask, snag__spheres_state *state, snag__spheres_body *body, snag__sphere_node node,
                      size_t *count)
{
    if (!snag__buffer_reserve(ask->allocator, &state->drawn, *count, *count + 1, sizeof(snag_tree_sphere)))
        return false;
    snag__sphere_level *below = node.level->below[node.child];
    snag_tree_sphere *drawn = (snag_tree_sphere *)state->drawn.data + (*count)++;
    snag__sphere sphere;
    snag__sphere_of(node, &sphere);
    *drawn = (snag_tree_sphere){.body = body->id, .depth = node.level->depth, .leaf = below == NULL, .radius = sphere.radius};
    for (int k = 0; k < 3; k++)
        drawn->centre[k] = sphere.centre[k];
    if (below == NULL)
        return true;
    // Levels that this ask did not visit are where the body was: place them, and leave their last use as it is.
    snag__sphere_place(&body->tree, below);
    for (uint32_t rest = below->grey; rest != 0; rest &= rest - 1)
        if (!draw_node(ask, state, body, (snag__sphere_node){below, (uint32_t)__builtin_ctz(rest)}, count))
            return false;
    return true;
}

snag_status snag__spheres_draw(snag__ask *ask, snag__spheres_state *state)
{
    size_t count = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        snag__spheres_body *body = snag__spheres_body_of(state, ask, i);
        if (snag__triangle_count(ask->bodies[i]) > 0 && !draw_node(ask, state, body, snag__sphere_root(&body->tree), &count))
            return SNAG_ERROR_MEMORY;
    }
    ask->lab.spheres = count > 0 ? state->drawn.data : NULL;
    ask->lab.sphere_count = count;
    return SNAG_OK;
}
