// Bodies are added, moved, teleported, removed and looked at, in the world and in the program's copy of it.
#include "helpers/hard.h"
#include "snag/mesh.h"
#include "torture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the copies ----

uint32_t torture_alive(const torture_life *life, torture_body *alive[TORTURE_BODIES])
{
    uint32_t count = 0;
    for (int i = 0; i < TORTURE_BODIES; i++) {
        torture_body *body = (torture_body *)&life->bodies[i];
        if (!body->alive)
            continue;
        uint32_t at = count++;
        for (; at > 0 && alive[at - 1]->id.index > body->id.index; at--)
            alive[at] = alive[at - 1];
        alive[at] = body;
    }
    return count;
}

torture_body *torture_pick(torture_life *life, snag__random *random)
{
    torture_body *alive[TORTURE_BODIES];
    uint32_t count = torture_alive(life, alive), which = (uint32_t)(snag__random_u64(random) >> 32);
    return count == 0 ? NULL : alive[which % count];
}

void torture_free_body(torture_body *body)
{
    snag_shape_free(&body->shape);
    free(body->polygon_sizes);
    free(body->polygon_vertices);
    free(body->rest);
    free(body->local);
    free(body->t0);
    free(body->t1);
    free(body->blocks);
    torture_free_traits(body);
    *body = (torture_body){0};
}

size_t torture_triangles(const torture_life *life)
{
    size_t count = 0;
    for (int i = 0; i < TORTURE_BODIES; i++)
        if (life->bodies[i].alive)
            count += life->bodies[i].shape.triangle_count + 2 * life->bodies[i].shape.tet_count;
    return count;
}

static double *copy_numbers(const double *numbers, size_t vertices)
{
    double *copy = malloc((3 * vertices + 1) * sizeof *copy);
    if (copy == NULL)
        abort();
    memcpy(copy, numbers, 3 * vertices * sizeof *copy);
    return copy;
}

// Local coordinates to those of the world: on the grid of the life, scaled and shifted, never infinite.
void torture_map(const torture_life *life, const torture_body *body, const double *local, double *world)
{
    const torture_profile *profile = &life->profile;
    for (size_t i = 0; i < 3 * body->shape.vertex_count; i++) {
        double x = profile->grid > 0 ? rint(local[i] / profile->grid) * profile->grid : local[i];
        x = x * body->factor * profile->scale[i % 3] + profile->offset[i % 3];
        world[i] = isfinite(x) ? x : copysign(DBL_MAX, local[i]);
    }
}

// ---- sources ----

static snag_status read_block(void *context, size_t block, double *corners)
{
    const torture_body *body = context;
    torture_life *life = (torture_life *)body->life;
    const snag_surface_block *b = &body->blocks[block];
    memcpy(corners, body->t1 + 9 * (size_t)b->first_triangle, 9 * (size_t)b->triangle_count * sizeof *corners);
    if (life->fail_read > 0 && --life->fail_read == 0) {
        if (life->read_fails_with != SNAG_ERROR_FORMAT)
            return life->read_fails_with;
        corners[4] = NAN;
    }
    return SNAG_OK;
}

static void close_source(void *context)
{
    ((torture_life *)((const torture_body *)context)->life)->sources_closed++;
}

static void make_blocks(torture_body *body, snag__random *random)
{
    uint32_t left = (uint32_t)body->shape.triangle_count, first = 0;
    body->blocks = calloc(left + 1, sizeof *body->blocks);
    if (body->blocks == NULL)
        abort();
    for (; left > 0; body->block_count++) {
        uint32_t count = 1 + snag__random_below(random, left < 16 ? left : 16);
        snag_surface_block *block = &body->blocks[body->block_count];
        *block = (snag_surface_block){.first_triangle = first, .triangle_count = count};
        for (int k = 0; k < 3; k++) {
            block->minimum[k] = DBL_MAX;
            block->maximum[k] = -DBL_MAX;
        }
        for (size_t i = 9 * (size_t)first; i < 9 * (size_t)(first + count); i++) {
            block->minimum[i % 3] = fmin(block->minimum[i % 3], body->t1[i]);
            block->maximum[i % 3] = fmax(block->maximum[i % 3], body->t1[i]);
        }
        first += count;
        left -= count;
    }
}

// ---- into a world ----

static snag_status add_source(const torture_body *body, snag_world *world, snag_body_id *id)
{
    snag_source_def def = snag_default_source_def();
    def.blocks = body->blocks;
    def.block_count = body->block_count;
    def.read = read_block;
    def.close = close_source;
    def.context = def.user = (void *)body;
    return snag_world_add_source(world, &def, id);
}

static snag_status add_mesh(const torture_body *body, snag_positions positions, snag_world *world, snag_body_id *id)
{
    bool tets = body->shape.tet_count > 0;
    snag_body_def def = snag_default_body_def();
    def.user = (void *)body;
    def.positions = positions;
    def.tets = body->shape.tets;
    def.tet_count = body->shape.tet_count;
    def.triangles = tets ? NULL : body->shape.triangles;
    def.triangle_count = tets ? 0 : body->shape.triangle_count;
    def.polygon_sizes = body->polygon_sizes;
    def.polygon_vertices = body->polygon_vertices;
    def.polygon_count = body->polygon_count;
    def.weld = body->weld && !tets;
    torture_write_traits(body, &def);
    return snag_world_add(world, &def, id);
}

snag_status torture_add_copy(const torture_body *body, snag_world *world, bool fresh, snag_body_id *id)
{
    size_t n = body->shape.vertex_count;
    if (body->source && !fresh)
        return add_source(body, world, id);
    // Welding and the splitting of polygons look at the positions that the body was added with.
    snag_status status = add_mesh(body, snag_positions_f64(body->shape.positions, n), world, id);
    if (status == SNAG_OK && memcmp(body->shape.positions, body->t0, 3 * n * sizeof(double)) != 0)
        status = snag_world_teleport(world, *id, snag_positions_f64(body->t0, n));
    if (status == SNAG_OK && memcmp(body->t0, body->t1, 3 * n * sizeof(double)) != 0)
        status = snag_world_move(world, *id, snag_positions_f64(body->t1, n));
    return status;
}

// Positions as floats or doubles, close together or apart, as users keep them. Numbers become what the world will see.
typedef struct dressed {
    snag_positions positions;
    void *memory;
} dressed;

static dressed dress(double *numbers, size_t count, snag__random *random)
{
    bool floats = torture_chance(random, 0.25);
    size_t size = floats ? sizeof(float) : sizeof(double), stride = (3 + (size_t)snag__random_below(random, 3)) * size;
    for (size_t i = 0; i < 3 * count && floats; i++)
        floats = isfinite((float)numbers[i]);
    if (!floats)
        stride = stride < 3 * sizeof(double) ? 3 * sizeof(double) : stride;
    dressed d = {{NULL, count, stride, floats ? SNAG_F32 : SNAG_F64}, calloc(count + 1, stride)};
    if (d.memory == NULL)
        abort();
    d.positions.data = d.memory;
    for (size_t v = 0; v < count; v++) {
        char *at = (char *)d.memory + v * stride;
        for (int k = 0; k < 3; k++)
            if (floats) {
                ((float *)(void *)at)[k] = (float)numbers[3 * v + k];
                numbers[3 * v + k] = (float)numbers[3 * v + k];
            } else
                ((double *)(void *)at)[k] = numbers[3 * v + k];
    }
    return d;
}

// ---- operations ----

static torture_body *free_slot(torture_life *life)
{
    torture_body *alive[TORTURE_BODIES];
    uint32_t most = life->profile.smooth ? 2 : life->profile.bodies;
    if (torture_alive(life, alive) >= most)
        return NULL;
    for (int i = 0; i < TORTURE_BODIES; i++)
        if (!life->bodies[i].alive)
            return &life->bodies[i];
    return NULL;
}

// Numbers of all magnitudes side by side: floats tell nothing apart then, and all methods compare every two elements, exactly. Large
// shapes would take minutes for one ask.
static bool may_mix_scales(const torture_life *life)
{
    return torture_may(life, TORTURE_SCALES) && life->profile.size <= 10;
}

static double choose_factor(const torture_life *life, snag__random *random)
{
    static const double factors[] = {0.1, 10, 1e-4, 1e4, 1e-12, 1e12, 1e-100, 1e100};
    double factor = factors[snag__random_below(random, sizeof factors / sizeof *factors)];
    return torture_chance(random, 0.08) && may_mix_scales(life) ? factor : 1;
}

static const char *make_body(torture_life *life, torture_body *body, snag__random *random)
{
    *body = (torture_body){.life = life, .group = 1, .mask = UINT32_MAX};
    body->source = life->profile.disk && torture_chance(random, 0.4);
    snag__random shapes = torture_stream(life, life->op, "shape");
    const char *what = torture_make_shape(life, &shapes, body);
    body->source = body->source && body->shape.triangle_count > 0 && body->shape.tet_count == 0 && !body->weld &&
                   body->polygon_count == 0 && body->shape.vertex_count == 3 * body->shape.triangle_count;
    body->factor *= choose_factor(life, random);
    if (!body->source)
        torture_give_traits(life, body);
    body->rest = copy_numbers(body->shape.positions, body->shape.vertex_count);
    body->local = copy_numbers(body->rest, body->shape.vertex_count);
    torture_map(life, body, body->local, body->shape.positions);
    return what;
}

// Welding makes the two ends of such a rod one vertex, and refuses it.
static bool has_rod_without_length(const torture_body *body)
{
    for (size_t i = 0; i < body->edge_count && body->weld; i++) {
        const double *a = body->shape.positions + 3 * (size_t)body->edges[2 * i];
        const double *b = body->shape.positions + 3 * (size_t)body->edges[2 * i + 1];
        if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2])
            return true;
    }
    return false;
}

void torture_add(torture_life *life, snag__random *random)
{
    torture_body *body = free_slot(life);
    if (body == NULL)
        return;
    const char *what = make_body(life, body, random);
    size_t n = body->shape.vertex_count;
    dressed d = dress(body->shape.positions, n, random);
    torture_give_rest(life, body);
    body->t0 = copy_numbers(body->shape.positions, n);
    body->t1 = copy_numbers(body->shape.positions, n);
    if (body->source)
        make_blocks(body, random);
    torture_say(life, "add %s%s%s: %zu vertices, %zu triangles, %zu polygons, %zu tetrahedra, %zu rods, %zu points, factor %g%s",
                what, body->source ? " on disk" : "", body->weld ? " (weld)" : "", n, body->shape.triangle_count,
                body->polygon_count, body->shape.tet_count, body->edge_count, body->point_count, body->factor,
                d.positions.scalar == SNAG_F32 ? ", floats" : "");
    torture_arm(life, random);
    snag_status status =
        body->source ? add_source(body, life->world, &body->id) : add_mesh(body, d.positions, life->world, &body->id);
    bool starved = torture_disarm(life), no_rod = status == SNAG_ERROR_ARGUMENT && has_rod_without_length(body);
    body->alive = !no_rod && torture_worked(life, status, starved, "add");
    free(d.memory);
    life->sources_opened += body->alive && body->source;
    life->version++;
    if (!body->alive)
        torture_free_body(body);
}

void torture_remove(torture_life *life, snag__random *random)
{
    torture_body *body = torture_pick(life, random);
    if (body == NULL || (life->profile.smooth && torture_chance(random, 0.8)))
        return;
    torture_say(life, "remove body %u/%u", body->id.index, body->id.generation);
    torture_arm(life, random);
    snag_status status = snag_world_remove(life->world, body->id);
    if (!torture_worked(life, status, torture_disarm(life), "remove"))
        return;
    life->dead[life->dead_count++ % TORTURE_DEAD] = body->id;
    life->version++;
    torture_free_body(body);
}

// ---- motion ----

// So many vertices fall into one point at a time, or onto those of another: their impacts all need exact arithmetic.
enum { POINTS = 24 };

typedef enum motion { SHAKE, SHIFT, TURN, WAVE, HOME, PART, POINT, PLANE, STAY, NUDGE, JUMP, GATHER, MEET, ANY, MOTIONS } motion;

static const char *const motion_names[MOTIONS] = {"shake",
                                                  "shift",
                                                  "turn",
                                                  "wave",
                                                  "home",
                                                  "move a part of",
                                                  "collapse",
                                                  "flatten",
                                                  "leave",
                                                  "nudge",
                                                  "throw",
                                                  "gather",
                                                  "put vertices of another on",
                                                  "put anywhere vertices of"};

static void move_vertices(torture_body *body, size_t first, size_t end, double by, bool alike, snag__random *random)
{
    double shift[3] = {0};
    for (size_t v = first; v < end; v++)
        for (int k = 0; k < 3; k++) {
            if (v == first || !alike)
                shift[k] = snag__random_range(random, -by, by);
            body->local[3 * v + k] += shift[k];
        }
}

static void turn_body(torture_body *body, double angle, snag__random *random)
{
    double c = cos(angle), s = sin(angle);
    int axis = (int)snag__random_below(random, 3), u = (axis + 1) % 3, w = (axis + 2) % 3;
    for (size_t v = 0; v < body->shape.vertex_count; v++) {
        double *p = body->local + 3 * v, x = p[u], y = p[w];
        p[u] = c * x - s * y;
        p[w] = s * x + c * y;
    }
}

static void wave_body(torture_body *body, double by, snag__random *random)
{
    double phase = snag__random_range(random, 0, 6.28), length = snag__random_range(random, 2, 8);
    int from = (int)snag__random_below(random, 3), to = (int)snag__random_below(random, 3);
    for (size_t v = 0; v < body->shape.vertex_count; v++)
        body->local[3 * v + to] += by * sin(phase + length * body->rest[3 * v + from]);
}

static void flatten(torture_body *body, snag__random *random)
{
    int axis = (int)snag__random_below(random, 3);
    for (size_t v = 0; v < body->shape.vertex_count; v++)
        body->local[3 * v + axis] = 0;
}

// All go to where the scene is dense, so that they meet again after jumps.
static void gather(torture_body *body, snag__random *random)
{
    for (size_t i = 0; i < 3 * body->shape.vertex_count; i++)
        body->local[i] = 0.6 * body->rest[i];
    move_vertices(body, 0, body->shape.vertex_count, 0.1, true, random);
}

static void move_locally(torture_body *body, motion how, double by, snag__random *random)
{
    size_t n = body->shape.vertex_count, first = snag__random_below(random, (uint32_t)n + 1);
    switch (how) {
    case SHAKE: move_vertices(body, 0, n, by, false, random); break;
    case SHIFT: move_vertices(body, 0, n, by, true, random); break;
    case TURN: turn_body(body, 4 * by, random); break;
    case WAVE: wave_body(body, by, random); break;
    case HOME: memcpy(body->local, body->rest, 3 * n * sizeof *body->local); break;
    case PART: move_vertices(body, first, n, by, torture_chance(random, 0.5), random); break;
    case POINT: memset(body->local, 0, 3 * (n < POINTS ? n : POINTS) * sizeof *body->local); break;
    case PLANE: flatten(body, random); break;
    case JUMP: move_vertices(body, 0, n, 1.5, true, random); break;
    case GATHER: gather(body, random); break;
    default: break;
    }
}

// What is done to the positions themselves: a few bits, exact meetings, numbers of any magnitude.
static void move_exactly(torture_life *life, torture_body *body, motion how, double *world, snag__random *random)
{
    size_t n = body->shape.vertex_count;
    const torture_body *other = torture_pick(life, random);
    for (size_t i = 0; i < 3 * n && how == NUDGE; i++)
        world[i] = hard_nudged(random, world[i]);
    for (size_t v = 0; v < n && how == MEET && other->shape.vertex_count > 0; v++)
        if (torture_chance(random, fmin(0.3, (double)POINTS / (2.0 * (double)n)))) {
            size_t from = snag__random_below(random, (uint32_t)other->shape.vertex_count);
            memcpy(world + 3 * v, other->t1 + 3 * from, 3 * sizeof *world);
        }
    for (size_t i = 0; i < 3 * n && how == ANY; i++)
        if (torture_chance(random, fmin(0.1, 3 / (double)n)))
            world[i] = hard_any_double(random);
}

static motion choose_motion(const torture_life *life, snag__random *random, double *by)
{
    static const motion usual[] = {SHAKE, SHIFT, TURN, WAVE, PART, STAY};
    motion how = (motion)snag__random_below(random, MOTIONS);
    double part = snag__random_unit(random);
    *by = pow(10, -snag__random_range(random, 0.5, 5));
    if (torture_is_steady(life, life->op) && part < 0.93) {
        how = part < 0.8 ? WAVE : usual[snag__random_below(random, 6)];
        *by = fmin(*by, 0.01);
    } else if (part < 0.5)
        how = usual[snag__random_below(random, 6)];
    return how == ANY && !may_mix_scales(life) ? SHAKE : how;
}

// All bodies rest where they are. It needs no memory, and so does not fail.
void torture_begin_step(torture_life *life, snag__random *random)
{
    torture_say(life, "begin a step");
    torture_arm(life, random);
    snag_status status = snag_world_begin_step(life->world);
    torture_disarm(life);
    if (status != SNAG_OK)
        torture_fail(life, "begin_step", "begin_step failed: %s", snag_status_name(status));
    for (int i = 0; i < TORTURE_BODIES; i++)
        life->bodies[i].far = false;
    for (int i = 0; i < TORTURE_BODIES; i++)
        if (life->bodies[i].alive)
            memcpy(life->bodies[i].t0, life->bodies[i].t1, 3 * life->bodies[i].shape.vertex_count * sizeof(double));
    life->version++;
}

// On a long way every element of a body may meet every other. Large bodies go such ways in steps of their own: then most that are
// candidates do not meet.
enum { LARGE = 300 };

static bool needs_a_step(const torture_body *body, motion how, double by)
{
    static const bool gentle[MOTIONS] = {
        [SHAKE] = true, [SHIFT] = true, [TURN] = true, [WAVE] = true, [PART] = true, [STAY] = true};
    return body->shape.vertex_count > LARGE && (!gentle[how] || by > 0.03);
}

static void give_positions(torture_life *life, snag__random *random, bool teleport)
{
    torture_body *body = torture_pick(life, random);
    double by;
    motion how = choose_motion(life, random, &by);
    if (body == NULL || body->source)
        return;
    bool far = needs_a_step(body, how, by);
    if ((far || body->far) && !teleport)
        torture_begin_step(life, random);
    size_t n = body->shape.vertex_count;
    double *before = copy_numbers(body->local, n), *world = copy_numbers(body->local, n);
    move_locally(body, how, by, random);
    torture_map(life, body, body->local, world);
    if (how == STAY)
        memcpy(world, body->t1, 3 * n * sizeof *world);
    move_exactly(life, body, how, world, random);
    dressed d = dress(world, n, random);
    torture_say(life, "%s %s body %u/%u by %g%s", teleport ? "teleport:" : "move:", motion_names[how], body->id.index,
                body->id.generation, by, d.positions.scalar == SNAG_F32 ? ", floats" : "");
    torture_arm(life, random);
    snag_status status =
        teleport ? snag_world_teleport(life->world, body->id, d.positions) : snag_world_move(life->world, body->id, d.positions);
    if (torture_worked(life, status, torture_disarm(life), teleport ? "teleport" : "move")) {
        if (teleport)
            memcpy(body->t0, world, 3 * n * sizeof *world);
        body->far = far && !teleport;
        memcpy(body->t1, world, 3 * n * sizeof *world);
        life->version++;
    } else
        memcpy(body->local, before, 3 * n * sizeof *before);
    free(d.memory);
    free(before);
    free(world);
}

void torture_move(torture_life *life, snag__random *random)
{
    give_positions(life, random, false);
}

void torture_teleport(torture_life *life, snag__random *random)
{
    give_positions(life, random, true);
}

// ---- what the world says of a body ----

static void compare_infos(torture_life *life, const snag_body_info *is, const snag_body_info *should)
{
    if (is->vertex_count != should->vertex_count || is->triangle_count != should->triangle_count ||
        is->edge_count != should->edge_count || is->tet_count != should->tet_count)
        torture_fail(life, "info", "body %s: counts differ from those of a fresh world", is->name);
    if (is->triangle_count > 0 && (memcmp(is->triangles, should->triangles, 3 * is->triangle_count * sizeof(uint32_t)) != 0 ||
                                   memcmp(is->edges, should->edges, 2 * is->edge_count * sizeof(uint32_t)) != 0))
        torture_fail(life, "info", "body %s: triangles or edges differ from those of a fresh world", is->name);
}

static void compare_reports(torture_life *life, const snag_mesh_report *is, const snag_mesh_report *should)
{
    bool same = memcmp(is->counts, should->counts, sizeof is->counts) == 0 && is->closed == should->closed &&
                is->components == should->components && is->boundary_edges == should->boundary_edges &&
                memcmp(is->minimum, should->minimum, sizeof is->minimum) == 0 &&
                memcmp(is->maximum, should->maximum, sizeof is->maximum) == 0 && is->issue_count == should->issue_count;
    for (size_t i = 0; same && i < is->issue_count; i++)
        same = memcmp(&is->issues[i], &should->issues[i], sizeof is->issues[i]) == 0;
    if (!same)
        torture_fail(life, "check", "the check of a body differs from that in a fresh world");
}

void torture_look(torture_life *life, snag__random *random)
{
    torture_body *body = torture_pick(life, random);
    if (body == NULL)
        return;
    torture_say(life, "look at body %u/%u", body->id.index, body->id.generation);
    snag_body_info is, should;
    snag_tree_info tree;
    if (snag_world_body(life->world, body->id, &is) != SNAG_OK || snag_world_tree(life->world, body->id, &tree) != SNAG_OK)
        torture_fail(life, "info", "the world does not know body %u/%u", body->id.index, body->id.generation);
    if (is.user != body)
        torture_fail(life, "info", "body %u/%u has another user's pointer", body->id.index, body->id.generation);
    const snag_mesh_report *report = NULL, *expected = NULL;
    torture_arm(life, random);
    snag_status status = snag_world_check(life->world, body->id, &report);
    bool starved = torture_disarm(life);
    if (body->source) {
        if (status != SNAG_ERROR_UNSUPPORTED)
            torture_fail(life, "check", "a body on disk was checked: %s", snag_status_name(status));
        return;
    }
    if (!torture_worked(life, status, starved, "check"))
        return;
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    snag_world *fresh = NULL;
    snag_body_id id;
    if (snag_world_create(&def, &fresh) != SNAG_OK || torture_add_copy(body, fresh, true, &id) != SNAG_OK ||
        snag_world_body(fresh, id, &should) != SNAG_OK || snag_world_check(fresh, id, &expected) != SNAG_OK)
        torture_fail(life, "check", "a fresh world refuses a body: %s", snag_world_message(fresh));
    compare_infos(life, &is, &should);
    torture_compare_traits(life, body, &is, &should);
    compare_reports(life, report, expected);
    snag_world_destroy(fresh);
}
