// What the golden test asks of a world. All calls of the API are here: see golden.h.
#include "common/any_question.h"
#include "golden/golden.h"
#include "helpers/surfaces.h"
#include "helpers/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- variants of questions ----

typedef enum form { FULL, BRIEF, PAIRS } form;
enum { SELF = 1, BETWEEN = 2, EDGES = 4, EVERY_PAIR = 8, TRACK = 16, FILTER = 32, LINES = 64, PURE = 128 };

typedef struct variant {
    snag_question question;
    const char *name;  // of its line
    form form;
    uint32_t flags;
    double separation, within, target;  // parts of the mean edge; target: of contacts
    uint32_t closest, depth;
    snag_method only;  // asked of this method alone; auto: of all complete ones
    bool core;  // asked of large scenes too
    bool paper;  // by the paper's own rule
} variant;

#define BOTH (SELF | BETWEEN)
static const variant variants[] = {
    {.question = SNAG_INTERSECTIONS, .name = "all", .form = FULL, .flags = BOTH, .core = true},
    {.question = SNAG_INTERSECTIONS, .name = "all", .form = BRIEF, .flags = BOTH},
    {.question = SNAG_INTERSECTIONS, .name = "all", .form = PAIRS, .flags = BOTH, .core = true},
    {.question = SNAG_INTERSECTIONS, .name = "self", .form = FULL, .flags = SELF},
    {.question = SNAG_INTERSECTIONS, .name = "between", .form = FULL, .flags = BETWEEN, .core = true},
    {.question = SNAG_INTERSECTIONS, .name = "between", .form = PAIRS, .flags = BETWEEN},
    {.question = SNAG_INTERSECTIONS, .name = "tracked", .form = FULL, .flags = BOTH | TRACK},
    {.question = SNAG_INTERSECTIONS, .name = "filtered", .form = FULL, .flags = BOTH | FILTER},
    {.question = SNAG_INTERSECTIONS, .name = "paper", .form = FULL, .flags = BOTH, .only = SNAG_METHOD_REGULARITY, .paper = true},
    {.question = SNAG_PROXIMITIES, .name = "all", .form = FULL, .flags = BOTH, .core = true},
    {.question = SNAG_PROXIMITIES, .name = "all", .form = BRIEF, .flags = BOTH},
    {.question = SNAG_PROXIMITIES, .name = "self", .form = FULL, .flags = SELF},
    {.question = SNAG_PROXIMITIES, .name = "between", .form = FULL, .flags = BETWEEN},
    {.question = SNAG_PROXIMITIES, .name = "every_pair", .form = FULL, .flags = BOTH | EVERY_PAIR},
    {.question = SNAG_PROXIMITIES, .name = "every_pair", .form = BRIEF, .flags = BOTH | EVERY_PAIR},
    {.question = SNAG_PROXIMITIES, .name = "every_pair_between", .form = FULL, .flags = BETWEEN | EVERY_PAIR},
    {.question = SNAG_PROXIMITIES, .name = "tracked", .form = FULL, .flags = BOTH | TRACK},
    {.question = SNAG_PROXIMITIES, .name = "filtered", .form = FULL, .flags = BOTH | FILTER},
    {.question = SNAG_PROXIMITIES, .name = "active", .form = FULL, .flags = BOTH, .only = SNAG_METHOD_ACTIVE},
    {.question = SNAG_PROXIMITIES, .name = "active_target", .form = FULL, .flags = BOTH, .target = 0.5, .only = SNAG_METHOD_ACTIVE},
    {.question = SNAG_PROXIMITIES, .name = "active_pure", .form = FULL, .flags = BOTH | PURE, .only = SNAG_METHOD_ACTIVE},
    {.question = SNAG_PENETRATIONS, .name = "all", .form = FULL, .flags = BOTH, .core = true},
    {.question = SNAG_PENETRATIONS, .name = "all", .form = BRIEF, .flags = BOTH},
    {.question = SNAG_PENETRATIONS, .name = "all", .form = PAIRS, .flags = BOTH, .core = true},
    {.question = SNAG_PENETRATIONS, .name = "edges", .form = FULL, .flags = BOTH | EDGES, .core = true},
    {.question = SNAG_PENETRATIONS, .name = "edges", .form = BRIEF, .flags = BOTH | EDGES},
    {.question = SNAG_PENETRATIONS, .name = "self", .form = FULL, .flags = SELF},
    {.question = SNAG_PENETRATIONS, .name = "between", .form = FULL, .flags = BETWEEN | EDGES},
    {.question = SNAG_PENETRATIONS, .name = "tracked", .form = FULL, .flags = BOTH | EDGES | TRACK},
    {.question = SNAG_PENETRATIONS, .name = "filtered", .form = FULL, .flags = BOTH | EDGES | FILTER},
    {.question = SNAG_IMPACTS, .name = "all", .form = FULL, .flags = BOTH, .core = true},
    {.question = SNAG_IMPACTS, .name = "all", .form = BRIEF, .flags = BOTH},
    {.question = SNAG_IMPACTS, .name = "self", .form = FULL, .flags = SELF},
    {.question = SNAG_IMPACTS, .name = "between", .form = FULL, .flags = BETWEEN},
    {.question = SNAG_IMPACTS, .name = "separation", .form = FULL, .flags = BOTH, .separation = 0.02},
    {.question = SNAG_IMPACTS, .name = "tracked", .form = FULL, .flags = BOTH | TRACK},
    {.question = SNAG_IMPACTS, .name = "filtered", .form = FULL, .flags = BOTH | FILTER},
    {.question = SNAG_DISTANCE, .name = "all", .form = FULL, .flags = BETWEEN, .core = true},
    {.question = SNAG_DISTANCE, .name = "all", .form = BRIEF, .flags = BETWEEN},
    {.question = SNAG_DISTANCE, .name = "within", .form = FULL, .flags = BETWEEN, .within = 1},
    {.question = SNAG_DISTANCE, .name = "closest", .form = FULL, .flags = BETWEEN, .closest = 2},
    {.question = SNAG_DISTANCE, .name = "tracked", .form = FULL, .flags = BETWEEN | TRACK},
    {.question = SNAG_DISTANCE, .name = "filtered", .form = FULL, .flags = BETWEEN | FILTER},
    {.question = SNAG_DISTANCE,
     .name = "paper",
     .form = FULL,
     .flags = BETWEEN | LINES,
     .only = SNAG_METHOD_REGIONS,
     .paper = true},
    {.question = SNAG_OVERLAPS, .name = "all", .form = FULL, .flags = BETWEEN, .core = true},
    {.question = SNAG_OVERLAPS, .name = "depth_2", .form = FULL, .flags = BETWEEN, .depth = 2},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

// ---- who answers ----

// Options of a method that change its way, not its answer.
typedef enum tuning {
    PLAIN,
    KDOP_6_2,
    KDOP_14_8_LAZY,
    KDOP_26_4,
    HASH_CELLS,
    REGULARITY_62,
    REGULARITY_CLASSICAL,
} tuning;
static const char *const tuning_names[] = {"",       " k 6 arity 2", " k 14 arity 8 lazy", " k 26 arity 4",
                                           " cells", " 62",          " classical"};

typedef struct witness {
    snag_method method;
    uint32_t threads;
    snag_isa isa;
    golden_depth depth;  // the largest scenes that it is asked about
    tuning tuning;
} witness;

static const witness witnesses[] = {
    {SNAG_METHOD_BRUTE, 2, SNAG_ISA_BEST, GOLDEN_MOST, PLAIN},
    {SNAG_METHOD_BRUTE, 1, SNAG_ISA_SCALAR, GOLDEN_ALL, PLAIN},
    {SNAG_METHOD_KDOP, 2, SNAG_ISA_BEST, GOLDEN_CORE, PLAIN},
    {SNAG_METHOD_KDOP, 1, SNAG_ISA_SCALAR, GOLDEN_MOST, PLAIN},
    {SNAG_METHOD_KDOP, 3, SNAG_ISA_X86_64_V2, GOLDEN_ALL, PLAIN},
    {SNAG_METHOD_KDOP, 1, SNAG_ISA_X86_64_V3, GOLDEN_CORE, PLAIN},
    {SNAG_METHOD_KDOP, 4, SNAG_ISA_X86_64_V4, GOLDEN_MOST, PLAIN},
    {SNAG_METHOD_KDOP, 2, SNAG_ISA_NEON, GOLDEN_MOST, PLAIN},
    {SNAG_METHOD_KDOP, 1, SNAG_ISA_BEST, GOLDEN_ALL, KDOP_6_2},
    {SNAG_METHOD_KDOP, 2, SNAG_ISA_BEST, GOLDEN_ALL, KDOP_14_8_LAZY},
    {SNAG_METHOD_KDOP, 2, SNAG_ISA_BEST, GOLDEN_ALL, KDOP_26_4},
    {SNAG_METHOD_HASH, 2, SNAG_ISA_BEST, GOLDEN_CORE, PLAIN},
    {SNAG_METHOD_HASH, 1, SNAG_ISA_SCALAR, GOLDEN_ALL, PLAIN},
    {SNAG_METHOD_HASH, 3, SNAG_ISA_X86_64_V3, GOLDEN_ALL, HASH_CELLS},
    {SNAG_METHOD_REGIONS, 1, SNAG_ISA_BEST, GOLDEN_CORE, PLAIN},
    {SNAG_METHOD_REGIONS, 3, SNAG_ISA_X86_64_V2, GOLDEN_MOST, PLAIN},
    {SNAG_METHOD_REGULARITY, 2, SNAG_ISA_BEST, GOLDEN_CORE, PLAIN},
    {SNAG_METHOD_REGULARITY, 1, SNAG_ISA_SCALAR, GOLDEN_ALL, PLAIN},
    {SNAG_METHOD_REGULARITY, 3, SNAG_ISA_X86_64_V3, GOLDEN_ALL, REGULARITY_62},
    {SNAG_METHOD_REGULARITY, 2, SNAG_ISA_BEST, GOLDEN_ALL, REGULARITY_CLASSICAL},
    {SNAG_METHOD_SPHERES, 2, SNAG_ISA_BEST, GOLDEN_CORE, PLAIN},
    {SNAG_METHOD_SPHERES, 1, SNAG_ISA_SCALAR, GOLDEN_MOST, PLAIN},
    {SNAG_METHOD_ACTIVE, 1, SNAG_ISA_BEST, GOLDEN_MOST, PLAIN},
    {SNAG_METHOD_ACTIVE, 2, SNAG_ISA_SCALAR, GOLDEN_MOST, PLAIN},
    {SNAG_METHOD_AUTO, 2, SNAG_ISA_BEST, GOLDEN_CORE, PLAIN},
    {SNAG_METHOD_AUTO, 1, SNAG_ISA_X86_64_V2, GOLDEN_ALL, PLAIN},
};
enum { WITNESSES = sizeof witnesses / sizeof *witnesses };

static bool can_answer(const golden_scene *scene, const witness *who, const variant *v)
{
    if (scene->questions != 0 && !(scene->questions >> v->question & 1))
        return false;
    if (scene->depth == GOLDEN_CORE && !v->core)
        return false;
    if (who->method == SNAG_METHOD_BRUTE && scene->depth == GOLDEN_MOST && v->question != SNAG_INTERSECTIONS)
        return false;
    if (v->only != SNAG_METHOD_AUTO ? who->method != v->only || who->tuning != PLAIN : who->method == SNAG_METHOD_ACTIVE)
        return false;
    if (!snag_method_answers(who->method, v->question))
        return false;
    return !(v->flags & SELF) || snag_method_finds_self(who->method, v->question);
}

// ---- a world that plays a scene ----

typedef struct player {
    const golden_scene *scene;
    snag_world *world;
    snag_body_id ids[GOLDEN_BODIES];
    bool moved[GOLDEN_BODIES];  // in the last step
    bool repeats;  // a body that comes to rest is moved once more to where it is
    float *floats;
} player;

static snag_positions positions_of(const player *p, const double *x, size_t count)
{
    if (p->scene->scalar == SNAG_F64)
        return snag_positions_f64(x, count);
    for (size_t i = 0; i < 3 * count; i++)
        p->floats[i] = (float)x[i];
    return snag_positions_f32(p->floats, count);
}

static snag_status add_body(player *p, const golden_body *body, const double *x, snag_body_id *id)
{
    if (body->io) {
        snag_io_body at_x = *body->io;
        at_x.positions = (double *)x;
        return snag_io_add_body(p->world, &at_x, id);
    }
    if (body->shape.tet_count > 0) {
        snag_body_def def = snag_default_body_def();
        def.positions = positions_of(p, x, body->vertex_count);
        def.tets = body->shape.tets;
        def.tet_count = body->shape.tet_count;
        return snag_world_add(p->world, &def, id);
    }
    snag_body_def def = snag_default_body_def();
    def.positions = positions_of(p, x, body->vertex_count);
    def.triangles = body->shape.triangles;
    def.triangle_count = body->shape.triangle_count;
    return snag_world_add(p->world, &def, id);
}

// False: this machine or build does not have the instruction set.
static bool player_open(player *p, const golden_scene *scene, uint32_t threads, snag_isa isa)
{
    *p = (player){.scene = scene};
    snag_world_def def = snag_default_world_def();
    def.threads = threads;
    def.isa = isa;
    if (snag_world_create(&def, &p->world) != SNAG_OK)
        return false;
    size_t vertices = 0;
    for (size_t i = 0; i < scene->body_count; i++)
        vertices += scene->bodies[i].vertex_count;
    p->floats = malloc((3 * vertices + 1) * sizeof *p->floats);
    const double *x = scene->frames[0];
    for (size_t i = 0; i < scene->body_count; x += 3 * scene->bodies[i++].vertex_count)
        if (add_body(p, &scene->bodies[i], x, &p->ids[i]) != SNAG_OK)
            fail_msg("%s: %s", scene->name, snag_world_message(p->world));
    return true;
}

static void player_close(player *p)
{
    snag_world_destroy(p->world);
    free(p->floats);
}

// One step: bodies go from the frame before to this one, and those that do not move rest (t0 = t1).
static void player_step(player *p, size_t frame)
{
    const golden_scene *scene = p->scene;
    size_t first = 0;
    assert_int_equal(snag_world_begin_step(p->world), SNAG_OK);
    for (size_t i = 0; i < scene->body_count; first += 3 * scene->bodies[i++].vertex_count) {
        size_t count = scene->bodies[i].vertex_count;
        const double *x = scene->frames[frame] + first;
        bool moves = memcmp(x, scene->frames[frame - 1] + first, 3 * count * sizeof *x) != 0;
        if (moves || (p->repeats && p->moved[i]))
            assert_int_equal(snag_world_move(p->world, p->ids[i], positions_of(p, x, count)), SNAG_OK);
        p->moved[i] = moves;
    }
}

static uint64_t body_number(const player *p, snag_body_id id)
{
    for (size_t i = 0; i < p->scene->body_count; i++)
        if (p->ids[i].index == id.index && p->ids[i].generation == id.generation)
            return i;
    return UINT64_MAX;
}

static bool leave_out_first_two(void *context, snag_body_id a, snag_body_id b)
{
    const player *p = context;
    uint64_t i = body_number(p, a), j = body_number(p, b);
    return !(i + j == 1 || (i == 2 && j == 2));
}

static any_question question_of(const player *p, const variant *v, const witness *who)
{
    double edge = p->scene->edge;
    any_question def = any_default(v->question);
    def.method = who->method;
    def.self = v->flags & SELF;
    def.between = v->flags & BETWEEN;
    def.output = v->form == PAIRS ? SNAG_OUTPUT_PAIRS : SNAG_OUTPUT_CONTACTS;
    def.edges = v->flags & EDGES;
    def.every_pair = v->flags & EVERY_PAIR;
    def.track = v->flags & TRACK;
    def.distance = p->scene->near * edge;
    def.separation = v->separation * edge;
    def.tolerance = 0x1p-10 * edge;
    def.within = v->within * edge;
    def.closest = v->closest;
    def.depth = v->depth;
    if (v->depth > 0 && who->method == SNAG_METHOD_AUTO)
        def.method = SNAG_METHOD_SPHERES;  // who asks for a depth names the method
    if (v->flags & FILTER) {
        def.filter = leave_out_first_two;
        def.context = (void *)p;
    }
    if (who->method == SNAG_METHOD_ACTIVE) {
        def.seed = 5;
        def.new_pairs = v->target > 0 ? 0 : 64;
        def.target_ratio = v->target;
        def.pure = v->flags & PURE;
    }
    if (v->paper && v->only == SNAG_METHOD_REGULARITY)
        def.regularity = SNAG_REGULARITY_PAPER;
    if (v->paper && v->only == SNAG_METHOD_REGIONS) {
        def.regions = SNAG_REGIONS_PAPER;
        def.lines = v->flags & LINES;
    }
    switch (who->tuning) {
    case PLAIN: break;
    case KDOP_6_2: def.k = 6, def.arity = 2; break;
    case KDOP_14_8_LAZY: def.k = 14, def.arity = 8, def.lazy = v->question == SNAG_IMPACTS ? 0 : 0.25 * edge; break;
    case KDOP_26_4: def.k = 26, def.arity = 4; break;
    case HASH_CELLS: def.cell_size = 1.75 * edge, def.table_size = 1009; break;
    case REGULARITY_62: def.directions = 62; break;
    case REGULARITY_CLASSICAL: def.regularity = SNAG_REGULARITY_CLASSICAL; break;
    }
    return def;
}

// ---- fields of an answer ----

static void add_element(golden_stream *to, uint64_t body, const snag_element *e)
{
    golden_add(to, body);
    golden_add(to, e->kind);
    golden_add(to, e->index);
    golden_add(to, e->vertex[0]);
    golden_add(to, e->vertex[1]);
}

// What a contact says in brief; a pair says the same.
static void add_brief(const player *p, golden_stream *to, const snag_contact *c)
{
    add_element(to, body_number(p, c->body_a), &c->a);
    add_element(to, body_number(p, c->body_b), &c->b);
    golden_add(to, c->kind);
    golden_add(to, c->shared);
    golden_add_double(to, c->t);
}

static void add_details(golden_stream *to, const snag_contact *c)
{
    golden_add_double(to, c->value);
    golden_add_doubles(to, c->point_a, 3);
    golden_add_doubles(to, c->point_b, 3);
    golden_add_doubles(to, c->normal, 3);
    golden_add_doubles(to, c->weight, 4);
}

static void add_tracking(const player *p, golden_stream *to, const snag_answer *answer)
{
    for (size_t i = 0; i < answer->count; i++) {
        golden_add_id(to, answer->contacts[i].id);
        golden_add(to, answer->contacts[i].phase);
        golden_add(to, answer->contacts[i].age);
    }
    golden_add(to, answer->ended_count);
    for (size_t i = 0; i < answer->ended_count; i++) {
        const snag_ended_contact *e = &answer->ended[i];
        golden_add_id(to, e->id);
        golden_add(to, body_number(p, e->body_a));
        golden_add(to, e->kind_a);
        golden_add(to, e->a);
        golden_add(to, body_number(p, e->body_b));
        golden_add(to, e->kind_b);
        golden_add(to, e->b);
    }
}

static void add_lines(const player *p, golden_stream *to, const snag_answer *answer)
{
    golden_add(to, answer->statistics->lab->line_count);
    for (size_t i = 0; i < answer->statistics->lab->line_count; i++) {
        golden_add(to, body_number(p, answer->statistics->lab->lines[i].body_a));
        golden_add(to, body_number(p, answer->statistics->lab->lines[i].body_b));
        golden_add(to, answer->statistics->lab->lines[i].level);
        golden_add_doubles(to, answer->statistics->lab->lines[i].from, 3);
        golden_add_doubles(to, answer->statistics->lab->lines[i].to, 3);
    }
}

static snag_body_id id_of_index(const player *p, uint32_t index)
{
    for (size_t i = 0; i < p->scene->body_count; i++)
        if (p->ids[i].index == index)
            return p->ids[i];
    return (snag_body_id){0, 0};
}

static snag_contact contact_of_pair(const player *p, const snag_pair *pair)
{
    return (snag_contact){.body_a = id_of_index(p, pair->body_a),
                          .body_b = id_of_index(p, pair->body_b),
                          .a = {.kind = (snag_element_kind)pair->kind_a, .index = pair->a},
                          .b = {.kind = (snag_element_kind)pair->kind_b, .index = pair->b},
                          .kind = (snag_contact_kind)pair->kind,
                          .shared = pair->shared};
}

// The lines of a variant: all fields, those that are said in brief, and the earliest time.
typedef struct streams {
    golden_stream full, brief, earliest;
} streams;

static void add_answer(const player *p, const variant *v, const snag_answer *answer, streams *to)
{
    golden_add(&to->full, answer->count);
    golden_add(&to->brief, answer->count);
    for (size_t i = 0; i < answer->count; i++) {
        snag_contact from_pair;
        const snag_contact *c = answer->contacts + i;
        if (v->form == PAIRS) {
            from_pair = contact_of_pair(p, &answer->pairs[i]);
            c = &from_pair;
        }
        add_brief(p, &to->brief, c);
        if (v->form == FULL) {
            add_brief(p, &to->full, c);
            add_details(&to->full, c);
        }
    }
    if (v->flags & TRACK)
        add_tracking(p, &to->full, answer);
    if (v->flags & LINES)
        add_lines(p, &to->full, answer);
    if (v->only == SNAG_METHOD_ACTIVE) {
        golden_add(&to->full, answer->complete);
        golden_add_double(&to->full, answer->ratio);
        golden_add_double(&to->full, answer->ratio_low);
        golden_add_double(&to->full, answer->ratio_high);
    }
    golden_add_double(&to->earliest, answer->earliest);
    golden_stream *all[] = {&to->full, &to->brief, &to->earliest};
    for (int i = 0; i < 3; i++) {
        all[i]->contacts += answer->count;
        all[i]->degenerate += answer->degenerate;
    }
}

static void ask(const player *p, const variant *v, const witness *who, streams *to)
{
    any_question def = question_of(p, v, who);
    const snag_answer *answer = NULL;
    if (any_ask(p->world, &def, &answer) != SNAG_OK)
        fail_msg("%s %s %s: %s", p->scene->name, snag_question_name(v->question), v->name, snag_world_message(p->world));
    if (v->only == SNAG_METHOD_AUTO && !answer->complete)
        fail_msg("%s %s %s: not complete", p->scene->name, snag_question_name(v->question), v->name);
    add_answer(p, v, answer, to);
}

static void line(const golden_scene *scene, const variant *v, const char *suffix, const golden_stream *stream, const char *who)
{
    char key[160];
    snprintf(key, sizeof key, "%s %s %s%s", scene->name, snag_question_name(v->question), v->name, suffix);
    golden_line(key, stream, who);
}

static void tell_lines(const golden_scene *scene, const variant *v, const witness *who, streams *got)
{
    char words[96];
    snprintf(words, sizeof words, "%s%s, %u threads, %s%s", snag_method_name(who->method), tuning_names[who->tuning], who->threads,
             snag_isa_name(who->isa),
             v->form == BRIEF   ? ", in brief"
             : v->form == PAIRS ? ", pairs"
                                : "");
    // Trees of spheres do not look at every triangle.
    if (who->method == SNAG_METHOD_SPHERES || who->method == SNAG_METHOD_ACTIVE)
        got->full.degenerate = got->brief.degenerate = got->earliest.degenerate = SIZE_MAX;
    if (v->form == FULL)
        line(scene, v, "", &got->full, words);
    line(scene, v, "/brief", &got->brief, words);
    if (v->question == SNAG_IMPACTS)
        line(scene, v, "/earliest", &got->earliest, words);
}

static void play_witness(const golden_scene *scene, const witness *who)
{
    player p;
    if (!player_open(&p, scene, who->threads, who->isa))
        return;
    // Where spheres of a body lie depends, in the last bits, on the moves that their tree was taken along. The recorded ones are of a
    // time when a body came to rest by a move to where it was.
    p.repeats = snag_method_answers(who->method, SNAG_OVERLAPS);
    streams *got = calloc(VARIANTS, sizeof *got);
    for (int v = 0; v < VARIANTS; v++) {
        golden_begin(&got[v].full);
        golden_begin(&got[v].brief);
        golden_begin(&got[v].earliest);
    }
    for (size_t frame = 0; frame < scene->frame_count; frame++) {
        if (frame > 0)
            player_step(&p, frame);
        for (int v = 0; v < VARIANTS; v++)
            if (can_answer(scene, who, &variants[v]))
                ask(&p, &variants[v], who, &got[v]);
    }
    for (int v = 0; v < VARIANTS; v++) {
        if (can_answer(scene, who, &variants[v]))
            tell_lines(scene, &variants[v], who, &got[v]);
        golden_end(&got[v].full);
        golden_end(&got[v].brief);
        golden_end(&got[v].earliest);
    }
    free(got);
    player_close(&p);
}

// The scene itself: a line that differs here means another reader or other shapes, not another answer.
static void tell_input(const golden_scene *scene)
{
    golden_stream input;
    golden_begin(&input);
    for (size_t frame = 0; frame < scene->frame_count; frame++)
        for (size_t i = 0, first = 0; i < scene->body_count; first += 3 * scene->bodies[i++].vertex_count)
            golden_add_doubles(&input, scene->frames[frame] + first, 3 * scene->bodies[i].vertex_count);
    player p;
    assert_true(player_open(&p, scene, 1, SNAG_ISA_BEST));
    for (size_t i = 0; i < scene->body_count; i++) {
        snag_body_info info;
        assert_int_equal(snag_world_body(p.world, p.ids[i], &info), SNAG_OK);
        for (size_t k = 0; k < 3 * info.triangle_count; k++)
            golden_add(&input, info.triangles[k]);
        for (size_t k = 0; k < info.triangle_count; k++)
            golden_add(&input, info.triangle_faces[k]);
        for (size_t k = 0; k < 2 * info.edge_count; k++)
            golden_add(&input, info.edges[k]);
        for (size_t k = 0; k < 4 * info.tet_count; k++)
            golden_add(&input, info.tets[k]);
        input.contacts += info.triangle_count;
    }
    player_close(&p);
    char key[160];
    snprintf(key, sizeof key, "%s input -", scene->name);
    golden_line(key, &input, "the scene itself");
    golden_end(&input);
}

void golden_play(const golden_scene *scene)
{
    tell_input(scene);
    player p;
    assert_true(player_open(&p, scene, 1, SNAG_ISA_BEST));
    snag_isa best = snag_world_isa(p.world);
    player_close(&p);
    uint32_t asked = 0, asked_with[SNAG_ISA_SIMD128 + 1] = {0};  // bits of methods
    for (int i = 0; i < WITNESSES; i++) {
        snag_isa isa = witnesses[i].isa == SNAG_ISA_BEST ? best : witnesses[i].isa;
        uint32_t method = 1u << witnesses[i].method, *same_set = &asked_with[isa];
        bool again = (asked & method && GOLDEN_SLOW_BUILD) || (*same_set & method && golden_brief);
        if (scene->depth > witnesses[i].depth || again)
            continue;
        play_witness(scene, &witnesses[i]);
        asked |= method;
        *same_set |= method;
    }
}

// ---- auto ----

// `auto` begins with kdop and goes over to regularity where a surface is smooth, and back where it is not.
void golden_auto_choices(void)
{
    golden_scene scene = {.name = "auto-choice", .body_count = 1, .edge = 0.02, .frame_count = 1};
    assert_int_equal(snag_shape_sheet(48, 48, 1, 1, &scene.bodies[0].shape), SNAG_OK);
    scene.bodies[0].vertex_count = scene.bodies[0].shape.vertex_count;
    scene.frames[0] = scene.bodies[0].shape.positions;
    double *x = malloc(3 * scene.bodies[0].vertex_count * sizeof *x);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        player p;
        assert_true(player_open(&p, &scene, threads, SNAG_ISA_BEST));
        golden_stream choices;
        golden_begin(&choices);
        for (int step = 0; step < 64; step++) {
            // A gentle bowl, later crumpled: no function of libm, so that the scene is the same everywhere.
            for (size_t v = 0; v < scene.bodies[0].vertex_count; v++) {
                const double *from = &scene.frames[0][3 * v];
                double rough = step < 48 ? 0 : 0.02 * (double)(v * 2654435761u % 16) / 16;
                x[3 * v] = from[0];
                x[3 * v + 1] = from[1];
                x[3 * v + 2] = (0.1 + 0.001 * step) * (from[0] * from[0] + from[1] * from[1]) + rough;
            }
            assert_int_equal(snag_world_begin_step(p.world), SNAG_OK);
            assert_int_equal(snag_world_move(p.world, p.ids[0], positions_of(&p, x, scene.bodies[0].vertex_count)), SNAG_OK);
            for (int q = 0; q < 2; q++) {
                any_question def = any_default(q == 0 ? SNAG_INTERSECTIONS : SNAG_IMPACTS);
                const snag_answer *answer = NULL;
                assert_int_equal(any_ask(p.world, &def, &answer), SNAG_OK);
                golden_add(&choices, answer->method);
                golden_add(&choices, answer->count);
                choices.contacts += answer->method == SNAG_METHOD_REGULARITY;
            }
        }
        golden_line("auto-choice both -", &choices, threads == 1 ? "1 thread" : "2 threads");
        golden_end(&choices);
        player_close(&p);
    }
    free(x);
    snag_shape_free(&scene.bodies[0].shape);
}
