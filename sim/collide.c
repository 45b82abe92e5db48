// Detection and response of a substep: penetrations for volumes, proximities for surfaces.
// A contact with a closed body knows the outside: a vertex found too late, already inside, is pushed back out, where an open
// surface would keep it on the wrong side (Fig. 1d of Kimmerle, Nesme, Faure 2004).
#include "collider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 3 };  // of safe motion: moves that were held back are tried again

double snag__sim_seconds(void)
{
#ifdef _WIN32
    return (double)clock() / CLOCKS_PER_SEC;  // there this is the time on the wall, in milliseconds
#else
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

// ---- building ----

static bool keeps_shape(const snag__body *body)
{
    return body->kind != SNAG__DEFORMING;
}

// A scene of volumes: its deforming bodies have tetrahedra.
static snag_question question_of(const snag_sim *sim)
{
    for (size_t b = 0; b < sim->body_count; b++)
        if (sim->bodies[b].kind == SNAG__DEFORMING && sim->bodies[b].shape.tet_count > 0)
            return SNAG_PENETRATIONS;
    return SNAG_PROXIMITIES;
}

static snag_status add_to_world(snag_world *world, const snag__body *body, snag_body_id *id)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(body->x[0], body->shape.vertex_count);
    def.name = body->name;
    if (body->shape.tet_count > 0) {
        def.tets = body->shape.tets;
        def.tet_count = body->shape.tet_count;
    } else {
        def.triangles = body->shape.triangles;
        def.triangle_count = body->shape.triangle_count;
    }
    return snag_world_add(world, &def, id);
}

// Skip pairs of bodies that neither deform nor move freely, and self-contacts of bodies of fixed shape.
static bool filter(void *context, snag_body_id a, snag_body_id b)
{
    const snag_sim *sim = context;
    const snag__body *first = &sim->bodies[sim->collider->body_of[a.index]];
    const snag__body *second = &sim->bodies[sim->collider->body_of[b.index]];
    if (first == second)
        return !keeps_shape(first);
    return first->kind >= SNAG__RIGID || second->kind >= SNAG__RIGID;
}

static snag_status add_bodies(snag_sim *sim, snag__collider *c)
{
    snag_status status = SNAG_OK;
    uint32_t highest = 0;
    for (size_t b = 0; b < sim->body_count && status == SNAG_OK; b++) {
        snag__body *body = &sim->bodies[b];
        bool failed = false, points = body->kind >= SNAG__RIGID;
        status = add_to_world(c->world, body, &c->bodies[b].body);
        highest = c->bodies[b].body.index > highest ? c->bodies[b].body.index : highest;
        c->bodies[b].vertex_count = body->shape.vertex_count;
        c->bodies[b].positions = body->x[0];
        if (body->kind == SNAG__DRIVEN)
            body->v = snag__sim_new(&sim->memory, body->shape.vertex_count, sizeof *body->v);
        if (points || body->v != NULL)
            c->bodies[b].velocities = points ? sim->system.v[body->first_point] : body->v[0];
        c->bodies[b].inverse_masses = points ? c->inverse_mass + body->first_point : NULL;
        c->bodies[b].start = NULL;
        if (keeps_shape(body) && body->shape.tet_count == 0)
            c->closed[b] = snag__shape_is_closed(&body->shape, &failed);
        if (c->closed[b])
            c->normal[b] = snag__sim_new(&sim->memory, body->shape.vertex_count, sizeof(double[3]));
        if (body->shape.tet_count > 0)
            failed = failed || !snag__nearest_create(&c->surfaces[b], &body->shape, (const double(*)[3])body->x, &sim->memory);
        if (status == SNAG_OK && (failed || sim->memory.failed))
            status = SNAG_ERROR_MEMORY;
    }
    if (status != SNAG_OK)
        return status;
    c->body_of = snag__sim_new(&sim->memory, (size_t)highest + 1, sizeof *c->body_of);
    if (c->body_of == NULL)
        return SNAG_ERROR_MEMORY;
    for (size_t b = 0; b < sim->body_count; b++)
        c->body_of[c->bodies[b].body.index] = (uint32_t)b;
    return SNAG_OK;
}

static bool allocate(snag_sim *sim, snag__collider *c)
{
    size_t points = sim->system.count, bodies = sim->body_count;
    c->bodies = snag__sim_new(&sim->memory, bodies, sizeof *c->bodies);
    c->closed = snag__sim_new(&sim->memory, bodies, sizeof *c->closed);
    c->normal = snag__sim_new(&sim->memory, bodies, sizeof *c->normal);
    c->inverse_mass = snag__sim_new(&sim->memory, points, sizeof *c->inverse_mass);
    c->x = snag__sim_new(&sim->memory, points, sizeof *c->x);
    c->v = snag__sim_new(&sim->memory, points, sizeof *c->v);
    c->touched = snag__sim_new(&sim->memory, points, sizeof *c->touched);
    c->support = snag__sim_new(&sim->memory, points, sizeof *c->support);
    c->planes = snag__sim_new(&sim->memory, points, sizeof *c->planes);
    c->nearest = snag__sim_new(&sim->memory, points, sizeof *c->nearest);
    c->surfaces = snag__sim_new(&sim->memory, bodies, sizeof *c->surfaces);
    c->out = snag__sim_new(&sim->memory, points, sizeof *c->out);
    c->inside = snag__sim_new(&sim->memory, points, sizeof *c->inside);
    return !sim->memory.failed;
}

static void set_questions(snag_sim *sim, snag__collider *c, const snag_sim_def *def)
{
    const snag__contact_rules *contact = &sim->contact;
    c->question = question_of(sim);
    c->ask = snag_default_question_def(c->question);
    c->ask.method = def->method;
    c->ask.distance = contact->reach;
    c->ask.self = contact->self;
    c->ask.edges = false;
    c->filter = snag_default_filter();
    c->filter.bodies = filter;
    c->filter.context = sim;
    c->ask.filter = &c->filter;
    c->active = snag_default_active_options();
    c->active.new_pairs = def->new_pairs;
    c->active.seed = def->seed;
    c->ask.options = def->method == SNAG_METHOD_ACTIVE ? &c->active.head : NULL;
    c->rules = snag_default_response_def();
    c->rules.thickness = contact->thickness;
    c->rules.friction = contact->friction;
    c->rules.iterations = contact->iterations;
    c->rules.correction = contact->correction;
    c->rules.spread = contact->spread;
    c->rules.rings = contact->rings;
    c->rules.method = def->method;
    c->ratio = def->response_ratio;
    c->random = def->seed;
}

static void choose_lengths(snag_sim *sim)
{
    snag__contact_rules *contact = &sim->contact;
    if (contact->thickness == 0)
        contact->thickness = 0.1 * sim->mean_edge;
    if (contact->reach == 0)
        contact->reach = 1.25 * contact->thickness;
}

// The solver uses the world's threads, which are idle meanwhile.
static void run_on_world(void *context, uint32_t count, void (*task)(void *task_context, uint32_t index), void *task_context)
{
    snag_world_run(context, count, task, task_context);
}

snag_status snag__collider_create(snag_sim *sim, const snag_sim_def *def)
{
    choose_lengths(sim);
    snag__collider *c = sim->collider = snag__sim_new(&sim->memory, 1, sizeof *c);
    if (c == NULL || !allocate(sim, c))
        return SNAG_ERROR_MEMORY;
    c->mode = def->response == SNAG_SIM_RESPONSE_SCENE ? sim->contact.response : def->response;
    if (sim->system.count == 0)
        c->mode = SNAG_SIM_RESPONSE_NONE;  // all bodies are driven
    for (uint32_t i = 0; i < sim->system.count; i++)
        c->inverse_mass[i] = 1 / sim->system.mass[i];
    for (uint32_t p = 0; p < sim->system.pin_count; p++)
        c->inverse_mass[sim->system.pins[p].point] = 0;
    set_questions(sim, c, def);
    // Corrections amplify the solver's residual, so the solver must be more exact.
    sim->system.tolerance *= c->mode != SNAG_SIM_RESPONSE_NONE ? 0.01 : 1;
    sim->system.support = c->mode != SNAG_SIM_RESPONSE_NONE ? c->support : sim->system.support;
    if (c->mode == SNAG_SIM_RESPONSE_CONTACTS)
        sim->system.planes = c->planes;
    snag_question asked = c->mode == SNAG_SIM_RESPONSE_IMPACTS ? SNAG_IMPACTS : c->question;
    if (c->mode != SNAG_SIM_RESPONSE_NONE && !snag_method_answers(def->method, asked))
        return SNAG_ERROR_UNSUPPORTED;
    if (c->mode >= SNAG_SIM_RESPONSE_BOUNDS) {
        c->rules.rounds = ROUNDS;
        c->rules.reach = 0.5 * sim->mean_edge;
        c->rules.safe = c->mode == SNAG_SIM_RESPONSE_BOUNDS ? SNAG_SAFE_BOUNDS : SNAG_SAFE_HALF_SPACES;
    }
    for (size_t b = 0; b < sim->body_count && c->mode >= SNAG_SIM_RESPONSE_BOUNDS; b++)
        if (sim->bodies[b].kind == SNAG__RIGID)
            return SNAG_ERROR_UNSUPPORTED;  // vertices that are held back one by one would deform it
    snag_world_def world_def = snag_default_world_def();
    world_def.threads = def->threads;
    snag_status status = snag_world_create(&world_def, &c->world);
    if (status == SNAG_OK)
        sim->system.tasks = (snag_tasks){.run = run_on_world, .context = c->world};
    if (status == SNAG_OK)
        status = snag_response_create(NULL, &c->response);
    return status == SNAG_OK ? add_bodies(sim, c) : status;
}

void snag__collider_destroy(snag__collider *collider)
{
    if (collider == NULL)
        return;
    snag_world_destroy(collider->world);
    snag_response_destroy(collider->response);
    free(collider->contacts);
}

// ---- which side of a closed body ----

static void find_normals(const snag__body *body, double (*normal)[3])
{
    memset(normal, 0, body->shape.vertex_count * sizeof *normal);
    for (size_t t = 0; t < body->shape.triangle_count; t++) {
        const uint32_t *corner = body->shape.triangles + 3 * t;
        double u[3], w[3], n[3];
        snag__subtract3(body->x[corner[1]], body->x[corner[0]], u);
        snag__subtract3(body->x[corner[2]], body->x[corner[0]], w);
        snag__cross3(u, w, n);
        for (int k = 0; k < 3; k++)
            snag__add_scaled3(normal[corner[k]], 1, n);
    }
}

// The outward normal of a closed body at a contact: the weighted mean of its vertex normals.
static void outward(const snag__body *body, const double (*normal)[3], const snag_element *element, const double *weight,
                    double n[3])
{
    memset(n, 0, 3 * sizeof *n);
    if (element->kind == SNAG_VERTEX)
        memcpy(n, normal[element->index], 3 * sizeof *n);
    else if (element->kind == SNAG_EDGE)
        for (int k = 0; k < 2; k++)
            snag__add_scaled3(n, weight[k], normal[element->vertex[k]]);
    else
        for (int k = 0; k < 3; k++)
            snag__add_scaled3(n, weight[k], normal[body->shape.triangles[3 * (size_t)element->index + (size_t)k]]);
}

// Turns the normal of a contact so that it points out of the closed body; inside, the distance becomes negative. If the distance
// is zero, the normal is the body's.
static void turn_outward(const snag_sim *sim, snag_contact *contact)
{
    const snag__collider *c = sim->collider;
    uint32_t a = c->body_of[contact->body_a.index], b = c->body_of[contact->body_b.index];
    if (c->closed[a] == c->closed[b])
        return;
    uint32_t closed = c->closed[b] ? b : a;
    double n[3], way = c->closed[b] ? 1 : -1;
    const snag_element *element = c->closed[b] ? &contact->b : &contact->a;
    const double *weight = contact->weight + (c->closed[b] && contact->a.kind == SNAG_EDGE ? 2 : 0);
    outward(&sim->bodies[closed], (const double(*)[3])c->normal[closed], element, weight, n);
    double length = snag__length3(n), along = way * snag__dot3(n, contact->normal);
    if (!(length > 0))
        return;
    if (snag__length3(contact->normal) == 0) {
        for (int k = 0; k < 3; k++)
            contact->normal[k] = way * n[k] / length;
    } else if (along < 0) {
        for (int k = 0; k < 3; k++)
            contact->normal[k] = -contact->normal[k];
        contact->value = -contact->value;
    }
}

// ---- pushing vertices out of a volume ----

#define REST_DEPTH 0.005

// The reported depth is along the surface normals near the vertex, which near an edge or a corner may point through the whole
// body. Use the nearest point of the surface instead.
static void lead_to(snag_contact *contact, double distance, const double way[3])
{
    contact->value = distance;
    for (int k = 0; k < 3; k++)
        contact->normal[k] = way[k] / distance;
}

// The nearest exit through a face that faces along `along`, or through any face if that is farther than this fraction of an edge.
#define LONGEST_WAY 0.05

void snag__collider_shorten(const snag_sim *sim, const double *along, snag_contact *contact)
{
    const snag__nearest *surface = &sim->collider->surfaces[sim->collider->body_of[contact->body_b.index]];
    double way[3] = {0}, longest = LONGEST_WAY * sim->mean_edge, distance = HUGE_VAL;
    if (along != NULL)
        distance = snag__nearest_surface(surface, contact->point_a, along, longest, way);
    if (isinf(distance))
        distance = snag__nearest_surface(surface, contact->point_a, NULL, contact->value, way);
    if (distance > 0 && !isinf(distance))
        lead_to(contact, distance, way);
}

bool snag__collider_inside_another(const snag_contact *contact)
{
    return contact->kind == SNAG_INSIDE && contact->body_a.index != contact->body_b.index;
}

static void refit_surfaces(const snag_sim *sim)
{
    for (size_t b = 0; b < sim->body_count; b++)
        if (sim->collider->surfaces[b].box_count > 0)
            snag__nearest_refit(&sim->collider->surfaces[b]);
}

// A vertex pressed against an edge has two exits of about the same length. Use the exit of the previous substep, and at first the
// reported direction; else the vertex would oscillate and sink in.
static void lead_out(snag_sim *sim, const snag_answer *answer)
{
    snag__collider *c = sim->collider;
    memset(c->touched, 0, sim->system.count * sizeof *c->touched);
    for (size_t i = 0; i < answer->count; i++) {
        snag_contact *contact = &c->contacts[i];
        const snag__body *own = &sim->bodies[c->body_of[contact->body_a.index]];
        if (!snag__collider_inside_another(contact) || own->kind < SNAG__RIGID)
            continue;
        uint32_t point = own->first_point + contact->a.index, body = c->body_of[contact->body_b.index] + 1;
        double hint[3];
        memcpy(hint, contact->normal, sizeof hint);
        snag__collider_shorten(sim, c->inside[point] == body ? c->out[point] : hint, contact);
        for (int k = 0; k < 3; k++)
            c->out[point][k] = contact->normal[k];
        c->inside[point] = body;
        c->touched[point] = 1;
        // Leave a resting vertex inside by an invisible fraction of an edge. Pushed out completely, it would lose contact and the load it
        // carries in the next substep and fall in again.
        contact->value = fmax(contact->value - REST_DEPTH * sim->mean_edge, 0);
    }
    for (uint32_t i = 0; i < sim->system.count; i++)
        if (!c->touched[i])
            c->inside[i] = 0;
}

snag_status snag__collider_take(snag_sim *sim, snag_answer *answer)
{
    snag__collider *c = sim->collider;
    if (answer->count > c->contact_capacity) {
        size_t wanted = answer->count + answer->count / 2;
        snag_contact *grown = realloc(c->contacts, wanted * sizeof *grown);
        if (grown == NULL)
            return SNAG_ERROR_MEMORY;
        c->contacts = grown;
        c->contact_capacity = wanted;
    }
    if (answer->count == 0)
        return SNAG_OK;
    memcpy(c->contacts, answer->contacts, answer->count * sizeof *c->contacts);
    answer->contacts = c->contacts;
    for (size_t b = 0; b < sim->body_count; b++)
        if (c->closed[b])
            find_normals(&sim->bodies[b], c->normal[b]);
    for (size_t i = 0; i < answer->count; i++)
        turn_outward(sim, &c->contacts[i]);
    refit_surfaces(sim);
    return SNAG_OK;
}

// ---- rigid bodies ----

static void touch_element(const snag__body *body, const snag_element *element, uint32_t *touched)
{
    if (element->kind == SNAG_VERTEX)
        touched[element->index] = 1;
    else if (element->kind == SNAG_EDGE)
        touched[element->vertex[0]] = touched[element->vertex[1]] = 1;
    else if (element->kind == SNAG_TET)
        for (int k = 0; k < 4; k++)
            touched[body->shape.tets[4 * (size_t)element->index + (size_t)k]] = 1;
    else
        for (int k = 0; k < 3; k++)
            touched[body->shape.triangles[3 * (size_t)element->index + (size_t)k]] = 1;
}

static void find_touched(snag_sim *sim, const snag_answer *answer)
{
    snag__collider *c = sim->collider;
    memset(c->touched, 0, sim->system.count * sizeof *c->touched);
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *contact = &answer->contacts[i];
        const snag__body *a = &sim->bodies[c->body_of[contact->body_a.index]];
        const snag__body *b = &sim->bodies[c->body_of[contact->body_b.index]];
        if (a->kind >= SNAG__RIGID)
            touch_element(a, &contact->a, c->touched + a->first_point);
        if (b->kind >= SNAG__RIGID)
            touch_element(b, &contact->b, c->touched + b->first_point);
    }
}

// A contact at a few vertices of a rigid body moves the whole body: these vertices get its whole mass.
static void weigh_rigids(snag_sim *sim)
{
    snag__collider *c = sim->collider;
    for (size_t r = 0; r < sim->rigids.count; r++) {
        const snag__rigid *rigid = &sim->rigids.items[r];
        uint32_t from = rigid->first_point, count = 0;
        double mass = 0;
        for (uint32_t i = from; i < from + rigid->point_count; i++) {
            mass += sim->system.mass[i];
            count += c->touched[i];
        }
        for (uint32_t i = from; i < from + rigid->point_count; i++)
            c->inverse_mass[i] = count > 0 ? count / mass : 1 / sim->system.mass[i];
    }
}

// Scales the velocity changes from the body's mass to the vertices' own mass, so that the momentum is the same.
static void share_with_rigids(snag_sim *sim)
{
    snag__collider *c = sim->collider;
    snag__implicit *system = &sim->system;
    for (size_t r = 0; r < sim->rigids.count; r++) {
        snag__rigid *rigid = &sim->rigids.items[r];
        for (uint32_t i = rigid->first_point; i < rigid->first_point + rigid->point_count; i++) {
            double scale = 1 / (c->inverse_mass[i] * system->mass[i]), moved[3], changed[3];
            snag__subtract3(system->x[i], c->x[i], moved);
            snag__subtract3(system->v[i], c->v[i], changed);
            memcpy(system->x[i], c->x[i], sizeof system->x[i]);
            memcpy(system->v[i], c->v[i], sizeof system->v[i]);
            snag__add_scaled3(system->x[i], scale, moved);
            snag__add_scaled3(system->v[i], scale, changed);
        }
        snag__rigid_velocities(rigid, (const double(*)[3])c->x, system->mass, system->v);
        snag__rigid_positions(rigid, system->mass, system->x);
        snag__rigid_meet(rigid, system->obstacles, system->obstacle_count, system->mass, system->x, system->v);
    }
}

// ---- lasting contacts ----

// Warm start: a contact force of this substep is applied in the next, so that the solver knows the load from the start; else each
// step would begin as a free fall of the whole pile onto its lowest vertices. The force decays: a vanished load is forgotten
// within some substeps, and at once when the contact ends.
#define SUPPORT_KEPT 0.9
// Upper bound of the load on a vertex, as an acceleration: contradicting contacts, as in tangled cloth, would otherwise amplify
// each other.
#define SUPPORT_LIMIT 400.0
// The corner of a block has a twentieth of an inner vertex's mass, and may carry some blocks.
#define CORNER_SUPPORT_LIMIT 2000.0

static void keep_support(snag_sim *sim, double h)
{
    snag__collider *c = sim->collider;
    const snag__implicit *system = &sim->system;
    double heaviest = c->question == SNAG_PENETRATIONS ? CORNER_SUPPORT_LIMIT : SUPPORT_LIMIT;
    for (uint32_t i = 0; i < system->count; i++) {
        double given[3], *support = c->support[i];
        snag__subtract3(system->v[i], c->v[i], given);
        for (int k = 0; k < 3; k++)
            support[k] = c->touched[i] ? SUPPORT_KEPT * support[k] + system->mass[i] / h * given[k] : 0;
        double size = snag__length3(support), limit = heaviest * system->mass[i];
        for (int k = 0; k < 3 && size > limit; k++)
            support[k] *= limit / size;
    }
}

// The velocity of a triangle of a driven body at a contact.
static void triangle_velocity(const snag__body *body, const snag_contact *contact, double v[3])
{
    memset(v, 0, 3 * sizeof *v);
    for (size_t k = 0; k < 3 && body->v != NULL; k++)
        snag__add_scaled3(v, contact->weight[k], body->v[body->shape.triangles[3 * (size_t)contact->b.index + k]]);
}

// The solver keeps a vertex out of a fixed or driven closed surface in the next substep, instead of letting it fall in first. It
// treats the nearest face as a plane that moves on with its current velocity.
static void set_planes(snag_sim *sim, const snag_answer *answer)
{
    snag__collider *c = sim->collider;
    for (uint32_t i = 0; i < sim->system.count; i++) {
        c->planes[i].set = false;
        c->nearest[i] = HUGE_VAL;
    }
    for (size_t n = 0; n < answer->count; n++) {
        const snag_contact *contact = &answer->contacts[n];
        uint32_t b = c->body_of[contact->body_b.index];
        const snag__body *own = &sim->bodies[c->body_of[contact->body_a.index]], *held = &sim->bodies[b];
        if (contact->a.kind != SNAG_VERTEX || own->kind != SNAG__DEFORMING || !c->closed[b] || held->kind == SNAG__RIGID)
            continue;
        uint32_t i = own->first_point + contact->a.index;
        if (fabs(contact->value) >= c->nearest[i])
            continue;
        c->nearest[i] = fabs(contact->value);
        snag__plane *plane = &c->planes[i];
        *plane = (snag__plane){.clearance = c->rules.thickness, .friction = c->rules.friction, .set = true};
        memcpy(plane->place, contact->point_b, sizeof plane->place);
        memcpy(plane->normal, contact->normal, sizeof plane->normal);
        triangle_velocity(held, contact, plane->velocity);
    }
}

void snag__collider_forget(snag__collider *collider, size_t points)
{
    memset(collider->support, 0, points * sizeof *collider->support);
    memset(collider->planes, 0, points * sizeof *collider->planes);
    memset(collider->inside, 0, points * sizeof *collider->inside);
}

// ---- a substep ----

snag_status snag__collider_fail(snag_sim *sim, snag_status status, const char *why)
{
    snprintf(sim->message, sizeof sim->message, "step %llu: %s", (unsigned long long)sim->step + 1, why);
    return status;
}

static snag_status move_world(snag_sim *sim)
{
    const snag__collider *c = sim->collider;
    snag_world_begin_step(c->world);
    for (size_t b = 0; b < sim->body_count; b++) {
        const snag__body *body = &sim->bodies[b];
        snag_positions positions = snag_positions_f64(body->x[0], body->shape.vertex_count);
        if (body->kind == SNAG__STILL)
            continue;
        snag_status status = snag_world_move(c->world, c->bodies[b].body, positions);
        if (status != SNAG_OK)
            return snag__collider_fail(sim, status, snag_world_message(c->world));
    }
    return SNAG_OK;
}

// Keeps a random fraction of the contacts, as if the detection had found no more.
static void choose_contacts(snag__collider *c, snag_answer *answer)
{
    size_t kept = 0;
    for (size_t i = 0; i < answer->count && c->ratio < 1; i++)
        if (snag__scene_random(&c->random, 0, 1) < c->ratio)
            c->contacts[kept++] = c->contacts[i];
    if (c->ratio < 1)
        answer->count = kept;
}

static double fastest_of(const double (*v)[3], size_t count, double fastest)
{
    for (size_t i = 0; i < count; i++)
        fastest = fmax(fastest, snag__length3(v[i]));
    return fastest;
}

static void shorten(double vector[3], double limit)
{
    double length = snag__length3(vector);
    for (int k = 0; k < 3 && length > limit; k++)
        vector[k] *= limit / length;
}

// Sweeps over contradicting contacts, as in tangled cloth, do not converge. Bound their effect: no vertex leaves faster than the
// fastest arrived, and none is moved farther in one substep than a contact can be wrong.
static void bound_response(snag_sim *sim)
{
    const snag__collider *c = sim->collider;
    snag__implicit *system = &sim->system;
    double fastest = fastest_of((const double(*)[3])c->v, system->count, 0);
    // A vertex pulled out of a volume by more than a fraction of an edge would spring back before its body follows.
    double furthest = c->question == SNAG_PENETRATIONS ? 0.15 * sim->mean_edge : c->rules.thickness + c->ask.distance;
    for (size_t b = 0; b < sim->body_count; b++)
        if (sim->bodies[b].v != NULL)
            fastest = fastest_of((const double(*)[3])sim->bodies[b].v, sim->bodies[b].shape.vertex_count, fastest);
    for (uint32_t i = 0; i < system->count; i++) {
        double moved[3];
        snag__subtract3(system->x[i], c->x[i], moved);
        shorten(moved, furthest);
        memcpy(system->x[i], c->x[i], sizeof system->x[i]);
        snag__add_scaled3(system->x[i], 1, moved);
        shorten(system->v[i], fastest);
    }
}

static snag_status respond(snag_sim *sim, double h, snag_answer *answer)
{
    snag__collider *c = sim->collider;
    snag_response_report report;
    c->rules.dt = h;
    snag_status status = snag__collider_take(sim, answer);
    if (status != SNAG_OK)
        return snag__collider_fail(sim, status, "out of memory");
    choose_contacts(c, answer);
    lead_out(sim, answer);
    find_touched(sim, answer);
    weigh_rigids(sim);
    memcpy(c->x, sim->system.x, sim->system.count * sizeof *c->x);
    memcpy(c->v, sim->system.v, sim->system.count * sizeof *c->v);
    status = snag_response_apply(c->response, c->world, &c->rules, c->bodies, sim->body_count, answer, &report);
    if (status != SNAG_OK)
        return snag__collider_fail(sim, status, snag_response_message(c->response));
    bound_response(sim);
    share_with_rigids(sim);
    keep_support(sim, h);
    set_planes(sim, answer);
    snag__implicit_push_out(&sim->system);
    sim->report.contacts += report.contacts;
    sim->report.missing = fmax(sim->report.missing, report.missing);
    return SNAG_OK;
}

// Velocities of driven bodies in this substep.
static void find_driven_speeds(snag_sim *sim, double h)
{
    for (size_t b = 0; b < sim->body_count; b++) {
        snag__body *body = &sim->bodies[b];
        for (size_t i = 0; i < body->shape.vertex_count && body->kind == SNAG__DRIVEN; i++)
            for (int k = 0; k < 3; k++)
                body->v[i][k] = (body->x[i][k] - body->before[i][k]) / h;
    }
}

static snag_status respond_to_contacts(snag_sim *sim, double h)
{
    snag__collider *c = sim->collider;
    double began = snag__sim_seconds();
    const snag_answer *found = NULL;
    snag_status status = move_world(sim);
    if (status != SNAG_OK)
        return status;
    status = snag_world_ask(c->world, &c->ask, &found);
    if (status != SNAG_OK)
        return snag__collider_fail(sim, status, snag_world_message(c->world));
    double asked = snag__sim_seconds();
    sim->report.detect_ms += 1e3 * (asked - began);
    sim->report.ratio += found->ratio;
    snag_answer answer = *found;
    status = respond(sim, h, &answer);
    sim->report.respond_ms += 1e3 * (snag__sim_seconds() - asked);
    return status;
}

// Positions of all bodies at the start of the substep. Driven bodies are read-only.
static void set_starts(snag_sim *sim, const double (*start)[3])
{
    for (size_t b = 0; b < sim->body_count; b++) {
        const snag__body *body = &sim->bodies[b];
        sim->collider->bodies[b].start = body->kind >= SNAG__RIGID ? start[body->first_point] : body->before[0];
    }
}

// A substep without a crossing: contacts at the start and impacts are resolved, or vertices are held back before they meet.
static snag_status advance(snag_sim *sim, double h, const double (*start)[3])
{
    snag__collider *c = sim->collider;
    snag_response_report report;
    double began = snag__sim_seconds();
    bool impacts = c->mode == SNAG_SIM_RESPONSE_IMPACTS;
    c->rules.dt = h;
    set_starts(sim, start);
    memcpy(c->v, sim->system.v, sim->system.count * sizeof *c->v);
    snag_status status = (impacts ? snag_response_advance : snag_response_truncate)(c->response, c->world, &c->rules, c->bodies,
                                                                                    sim->body_count, &report);
    if (status != SNAG_OK)
        return snag__collider_fail(sim, status, snag_response_message(c->response));
    double search = 1e-3 * (double)report.search_us;  // by advance
    sim->report.detect_ms += search;
    sim->report.respond_ms += fmax(1e3 * (snag__sim_seconds() - began) - search, 0);
    sim->report.ratio += 1;
    sim->report.contacts += impacts ? report.contacts + report.impacts : report.held_back;
    sim->report.missing = fmax(sim->report.missing, report.missing);
    sim->report.merged += report.merged;
    sim->report.fraction = fmin(sim->report.fraction, report.fraction);
    return SNAG_OK;
}

snag_status snag__collide(snag_sim *sim, double h, const double (*start)[3])
{
    if (sim->system.count == 0)
        return SNAG_OK;  // all bodies are driven or still: nothing can respond
    if (sim->collider->mode != SNAG_SIM_RESPONSE_NONE)
        find_driven_speeds(sim, h);
    switch (sim->collider->mode) {
    case SNAG_SIM_RESPONSE_CONTACTS: return respond_to_contacts(sim, h);
    case SNAG_SIM_RESPONSE_IMPACTS:
    case SNAG_SIM_RESPONSE_BOUNDS:
    case SNAG_SIM_RESPONSE_HALF_SPACES: return advance(sim, h, start);
    default: return SNAG_OK;
    }
}
