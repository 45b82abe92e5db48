// Calls that must fail: with a status that fits and a message, and without a trace.
#include "common/any_question.h"
#include "torture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- questions ----

typedef struct bad_question {
    const char *what;
    snag_status status;
    void (*spoil)(any_question *def);
} bad_question;

static void no_question(any_question *def)
{
    def->question = SNAG_QUESTION_COUNT;
}
static void negative_question(any_question *def)
{
    def->question = (snag_question)-1;
}
static void no_method(any_question *def)
{
    def->method = SNAG_METHOD_COUNT;
}
static void no_output(any_question *def)
{
    def->output = SNAG_OUTPUT_FORM_COUNT;
}
static void nobody(any_question *def)
{
    def->self = def->between = false;
}
static void nan_distance(any_question *def)
{
    def->distance = def->within = NAN;
}
static void negative_distance(any_question *def)
{
    def->distance = def->within = -1;
}
static void late_until(any_question *def)
{
    def->until = 1.5;
}
static void nan_until(any_question *def)
{
    def->until = NAN;
}
static void nan_tolerance(any_question *def)
{
    def->tolerance = NAN;
}
static void negative_separation(any_question *def)
{
    def->separation = -1e-300;
}

// Options are looked at where their method is named, whatever the question is.
static void odd_k(any_question *def)
{
    def->method = SNAG_METHOD_KDOP, def->k = 7;
}
static void odd_arity(any_question *def)
{
    def->method = SNAG_METHOD_KDOP, def->k = 0, def->arity = 3;
}
static void nan_lazy(any_question *def)
{
    def->method = SNAG_METHOD_KDOP, def->lazy = NAN;
}
static void lazy_active(any_question *def)
{
    def->method = SNAG_METHOD_ACTIVE, def->lazy = -1;
}
static void no_mode(any_question *def)
{
    def->method = SNAG_METHOD_REGULARITY, def->regularity = SNAG_REGULARITY_MODE_COUNT;
}
static void odd_directions(any_question *def)
{
    def->method = SNAG_METHOD_REGULARITY, def->directions = 5;
}
static void no_rule(any_question *def)
{
    def->method = SNAG_METHOD_REGIONS, def->regions = SNAG_REGIONS_RULE_COUNT;
}
static void many_epsilons(any_question *def)
{
    def->method = SNAG_METHOD_REGIONS, def->epsilon_count = SNAG_REGION_LEVELS + 1;
}
static void infinite_cell(any_question *def)
{
    def->method = SNAG_METHOD_HASH, def->cell_size = INFINITY;
}
static void high_ratio(any_question *def)
{
    def->method = SNAG_METHOD_ACTIVE, def->target_ratio = 1.5;
}
static void nan_ratio(any_question *def)
{
    def->method = SNAG_METHOD_ACTIVE, def->target_ratio = NAN;
}
static void great_depth(any_question *def)
{
    def->method = SNAG_METHOD_SPHERES, def->depth = SNAG_DEPTH_MAX + 1;
}
static void no_backend(any_question *def)
{
    def->method = SNAG_METHOD_SPHERES, def->backend = SNAG_BACKEND_COUNT;
}

static void infinite_within(any_question *def)
{
    *def = any_default(SNAG_DISTANCE);
    def->within = INFINITY;
}

static void rising_epsilons(any_question *def)
{
    def->method = SNAG_METHOD_REGIONS;
    def->epsilon_count = 2;
    def->epsilon[0] = 1;
    def->epsilon[1] = 2;
}

static void tracked_overlaps(any_question *def)
{
    *def = any_default(SNAG_OVERLAPS);
    def->track = true;
}

static void earliest_of_proximities(any_question *def)
{
    *def = any_default(SNAG_PROXIMITIES);
    def->output = SNAG_OUTPUT_EARLIEST;
}

static void tracked_pairs(any_question *def)
{
    *def = any_default(SNAG_INTERSECTIONS);
    def->output = SNAG_OUTPUT_PAIRS;
    def->track = true;
}

static void hashed_distance(any_question *def)
{
    *def = any_default(SNAG_DISTANCE);
    def->method = SNAG_METHOD_HASH;
}

static void hashed_candidates(any_question *def)
{
    *def = any_default(SNAG_INTERSECTIONS);
    def->method = SNAG_METHOD_HASH;
    def->candidates = true;
}

static void own_spheres(any_question *def)
{
    *def = any_default(SNAG_INTERSECTIONS);
    def->method = SNAG_METHOD_SPHERES;
    def->self = true;
}

static void paper_proximities(any_question *def)
{
    *def = any_default(SNAG_PROXIMITIES);
    def->method = SNAG_METHOD_REGIONS;
    def->regions = SNAG_REGIONS_PAPER;
}

static const bad_question bad_questions[] = {
    {"question 6", SNAG_ERROR_ARGUMENT, no_question},
    {"question -1", SNAG_ERROR_ARGUMENT, negative_question},
    {"method 8", SNAG_ERROR_ARGUMENT, no_method},
    {"output 4", SNAG_ERROR_ARGUMENT, no_output},
    {"neither self nor between", SNAG_ERROR_ARGUMENT, nobody},
    {"until 1.5", SNAG_ERROR_ARGUMENT, late_until},
    {"until nan", SNAG_ERROR_ARGUMENT, nan_until},
    {"distance nan", SNAG_ERROR_ARGUMENT, nan_distance},
    {"distance -1", SNAG_ERROR_ARGUMENT, negative_distance},
    {"within infinite", SNAG_ERROR_ARGUMENT, infinite_within},
    {"tolerance nan", SNAG_ERROR_ARGUMENT, nan_tolerance},
    {"separation negative", SNAG_ERROR_ARGUMENT, negative_separation},
    {"k 7", SNAG_ERROR_ARGUMENT, odd_k},
    {"arity 3", SNAG_ERROR_ARGUMENT, odd_arity},
    {"lazy nan", SNAG_ERROR_ARGUMENT, nan_lazy},
    {"lazy -1", SNAG_ERROR_ARGUMENT, lazy_active},
    {"mode 3", SNAG_ERROR_ARGUMENT, no_mode},
    {"directions 5", SNAG_ERROR_ARGUMENT, odd_directions},
    {"rule 2", SNAG_ERROR_ARGUMENT, no_rule},
    {"nine epsilons", SNAG_ERROR_ARGUMENT, many_epsilons},
    {"epsilons that rise", SNAG_ERROR_ARGUMENT, rising_epsilons},
    {"cell size infinite", SNAG_ERROR_ARGUMENT, infinite_cell},
    {"target ratio 1.5", SNAG_ERROR_ARGUMENT, high_ratio},
    {"target ratio nan", SNAG_ERROR_ARGUMENT, nan_ratio},
    {"depth 11", SNAG_ERROR_ARGUMENT, great_depth},
    {"backend 2", SNAG_ERROR_ARGUMENT, no_backend},
    {"track of overlaps", SNAG_ERROR_UNSUPPORTED, tracked_overlaps},
    {"earliest of proximities", SNAG_ERROR_UNSUPPORTED, earliest_of_proximities},
    {"track of pairs", SNAG_ERROR_UNSUPPORTED, tracked_pairs},
    {"distance by hash", SNAG_ERROR_UNSUPPORTED, hashed_distance},
    {"candidates of hash", SNAG_ERROR_UNSUPPORTED, hashed_candidates},
    {"self of spheres", SNAG_ERROR_UNSUPPORTED, own_spheres},
    {"paper's rule for proximities", SNAG_ERROR_UNSUPPORTED, paper_proximities},
};

// Defs that were not begun by their default functions, and options of a method that is not asked.
typedef struct bad_def {
    const char *what;
    void (*spoil)(any_def *made);
} bad_def;

static void zero_question(any_def *made)
{
    made->def.cookie = 0;
}

static void zero_filter(any_def *made)
{
    made->filter = (snag_filter){.bodies = torture_filter};
    made->def.filter = &made->filter;
}

static void zero_options(any_def *made)
{
    made->kdop = (snag_kdop_options){.k = 18};
    made->def.method = SNAG_METHOD_KDOP;
    made->def.options = &made->kdop.head;
}

static void zero_lab(any_def *made)
{
    made->kdop = snag_default_kdop_options();
    made->lab = (snag_lab){0};
    made->kdop.head.lab = &made->lab;
    made->def.method = SNAG_METHOD_KDOP;
    made->def.options = &made->kdop.head;
}

static void others_options(any_def *made)
{
    made->spheres = snag_default_spheres_options();
    made->kdop = snag_default_kdop_options();
    made->def.options = made->def.method == SNAG_METHOD_KDOP ? &made->spheres.head : &made->kdop.head;
}

static void options_of_auto(any_def *made)
{
    made->plain = snag_default_method_options(SNAG_METHOD_AUTO);
    made->def.method = SNAG_METHOD_AUTO;
    made->def.options = &made->plain;
}

static const bad_def bad_defs[] = {
    {"a question of zeros", zero_question},
    {"a filter of zeros", zero_filter},
    {"options of zeros", zero_options},
    {"a lab of zeros", zero_lab},
    {"options of another method", others_options},
    {"options of auto", options_of_auto},
};

// ---- judging ----

static void must_fail(torture_life *life, snag_status status, snag_status expected, bool message)
{
    life->board->refused++;
    if (status != expected)
        torture_fail(life, "bad argument", "%s: expected %s, the call returned %s", life->board->doing, snag_status_name(expected),
                     snag_status_name(status));
    if (message && snag_world_message(life->world)[0] == 0)
        torture_fail(life, "no message", "%s: failed without a message", life->board->doing);
}

static void ask_badly(torture_life *life, snag__random *random)
{
    uint32_t count = sizeof bad_questions / sizeof *bad_questions, which = snag__random_below(random, count + 2);
    any_question def;
    torture_calls calls = {0};
    const snag_answer *answer = NULL;
    torture_make_question(life, random, &def, &calls);
    def.filter = NULL;
    torture_say(life, "ask badly: %s", which < count ? bad_questions[which].what : "NULL");
    if (which < count)
        bad_questions[which].spoil(&def);
    snag_status status = any_ask(life->world, which == count ? NULL : &def, which == count + 1 ? NULL : &answer);
    must_fail(life, status, which < count ? bad_questions[which].status : SNAG_ERROR_ARGUMENT, true);
}

static void ask_by_bad_def(torture_life *life, snag__random *random)
{
    uint32_t which = snag__random_below(random, sizeof bad_defs / sizeof *bad_defs);
    any_question question;
    torture_calls calls = {0};
    any_def made;
    const snag_answer *answer = NULL;
    torture_make_question(life, random, &question, &calls);
    question.filter = NULL;
    any_def_of(&question, &made);
    bad_defs[which].spoil(&made);
    torture_say(life, "ask badly: %s", bad_defs[which].what);
    must_fail(life, snag_world_ask(life->world, &made.def, &answer), SNAG_ERROR_ARGUMENT, true);
    if (answer != NULL)
        torture_fail(life, "bad argument", "%s: there is an answer", life->board->doing);
}

// ---- bodies ----

typedef enum bad_body {
    INDEX,
    NOT_FINITE,
    NO_TRIANGLES,
    SMALL_POLYGON,
    BOTH,
    NO_POSITIONS,
    SHORT_STRIDE,
    NO_SCALAR,
    BAD_TET,
    NO_BODY,
    BAD_BLOCKS,
    TETS_TOO,
    ZERO_DEF,
    ZERO_SOURCE,
    ZERO_WORLD,
    BAD_BODIES
} bad_body;

static snag_status read_nothing(void *context, size_t block, double *corners)
{
    (void)context, (void)block, (void)corners;
    return SNAG_ERROR_FILE;
}

static snag_status create_badly(void)
{
    const snag_world_def zeros = {0};
    snag_world *world = NULL;
    snag_status status = snag_world_create(&zeros, &world);
    snag_world_destroy(world);
    return status;
}

static snag_status add_badly(torture_life *life, bad_body how, snag_status *expected)
{
    double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    uint32_t tri[3] = {0, 1, 2}, tet[4] = {0, 1, 2, 3}, two = 2;
    snag_body_def def = snag_default_body_def();
    snag_body_def volume = snag_default_body_def();
    snag_source_def source = snag_default_source_def();
    snag_surface_block block = {.minimum = {1, 0, 0}, .triangle_count = 1};
    snag_body_id id;
    def.positions = volume.positions = snag_positions_f64(x, 4);
    def.triangles = tri;
    def.triangle_count = 1;
    volume.tets = tet;
    volume.tet_count = 1;
    *expected = SNAG_ERROR_ARGUMENT;
    switch (how) {
    case INDEX:
        tri[1] = 4;
        *expected = SNAG_ERROR_INDEX;
        break;
    case NOT_FINITE:
        x[7] = INFINITY;
        *expected = SNAG_ERROR_NOT_FINITE;
        break;
    case NO_TRIANGLES: def.triangles = NULL; break;
    case SMALL_POLYGON:
        def.triangle_count = 0;
        def.polygon_count = 1;
        def.polygon_sizes = &two;
        def.polygon_vertices = tri;
        break;
    case BOTH:
        def.polygon_count = 1;
        def.polygon_sizes = &two;
        def.polygon_vertices = tri;
        break;
    case NO_POSITIONS: def.positions.data = NULL; break;
    case SHORT_STRIDE: def.positions.stride = 8; break;
    case NO_SCALAR: def.positions.scalar = (snag_scalar)7; break;
    case BAD_TET:
        tet[3] = UINT32_MAX;
        *expected = SNAG_ERROR_INDEX;
        return snag_world_add(life->world, &volume, &id);
    case BAD_BLOCKS:
        source.blocks = &block;
        source.block_count = 1;
        return snag_world_add_source(life->world, &source, &id);
    case TETS_TOO:
        def.tets = tet;
        def.tet_count = 1;
        break;
    case ZERO_DEF: def.cookie = 0; break;
    case ZERO_SOURCE: source = (snag_source_def){.read = read_nothing}; return snag_world_add_source(life->world, &source, &id);
    case ZERO_WORLD: return create_badly();
    default: return snag_world_add(life->world, &def, NULL);
    }
    return snag_world_add(life->world, &def, &id);
}

static void add_bad_body(torture_life *life, snag__random *random)
{
    bad_body how = (bad_body)snag__random_below(random, BAD_BODIES);
    snag_status expected;
    torture_say(life, "add badly, way %d", (int)how);
    snag_status status = add_badly(life, how, &expected);
    must_fail(life, status, expected, how != ZERO_WORLD);
}

// Positions that are too few, or not finite.
static void move_badly(torture_life *life, snag__random *random)
{
    torture_body *body = torture_pick(life, random);
    bool few = torture_chance(random, 0.5), teleport = torture_chance(random, 0.5);
    if (body == NULL || body->source || body->shape.vertex_count == 0)
        return;
    size_t n = body->shape.vertex_count, at = snag__random_below(random, 3 * (uint32_t)n);
    double *x = malloc(3 * n * sizeof *x);
    if (x == NULL)
        abort();
    for (size_t i = 0; i < 3 * n; i++)
        x[i] = few ? 7 : body->t1[i] * 0.5;
    if (!few)
        x[at] = torture_chance(random, 0.5) ? NAN : -INFINITY;
    torture_say(life, "%s badly: body %u/%u, %s", teleport ? "teleport" : "move", body->id.index, body->id.generation,
                few ? "too few positions" : "not finite");
    snag_positions positions = snag_positions_f64(x, few ? n - 1 : n);
    snag_status status =
        teleport ? snag_world_teleport(life->world, body->id, positions) : snag_world_move(life->world, body->id, positions);
    free(x);
    must_fail(life, status, few ? SNAG_ERROR_MISMATCH : SNAG_ERROR_NOT_FINITE, true);
}

// ---- ids ----

static void use_id(torture_life *life, snag_body_id id, const char *whose, snag__random *random)
{
    double x[3] = {0};
    snag_body_info info;
    snag_tree_info tree;
    const snag_mesh_report *report = NULL;
    uint32_t call = snag__random_below(random, 6);
    torture_say(life, "use %s id %u/%u, call %u", whose, id.index, id.generation, call);
    snag_status status = SNAG_OK;
    switch (call) {
    case 0: status = snag_world_remove(life->world, id); break;
    case 1: status = snag_world_move(life->world, id, snag_positions_f64(x, 1)); break;
    case 2: status = snag_world_teleport(life->world, id, snag_positions_f64(x, 1)); break;
    case 3: status = snag_world_check(life->world, id, &report); break;
    case 4: status = snag_world_body(life->world, id, &info); break;
    default: status = snag_world_tree(life->world, id, &tree);
    }
    must_fail(life, status, SNAG_ERROR_BODY, call < 4);
}

static void use_dead_id(torture_life *life, snag__random *random)
{
    uint32_t known = life->dead_count < TORTURE_DEAD ? life->dead_count : TORTURE_DEAD;
    uint32_t which = (uint32_t)(snag__random_u64(random) >> 32);
    snag_body_id id = known > 0 && which % 3 != 0 ? life->dead[which % known] : (snag_body_id){which % 3 == 0 ? 0 : 1000, 1};
    use_id(life, id, "a dead", random);
}

// The same place and generation, of another world.
static void use_foreign_id(torture_life *life, snag__random *random)
{
    snag_world_def def = snag_default_world_def();
    snag_world *other = NULL;
    def.threads = 1;
    if (!torture_may(life, TORTURE_FOREIGN) || snag_world_create(&def, &other) != SNAG_OK)
        return;
    snag_body_def empty = snag_default_body_def();
    snag_body_id id = {0};
    for (uint32_t i = snag__random_below(random, 3) + 1; i > 0; i--)
        if (snag_world_add(other, &empty, &id) != SNAG_OK)
            abort();
    use_id(life, id, "a foreign", random);
    snag_world_destroy(other);
}

void torture_err(torture_life *life, snag__random *random)
{
    uint32_t how = snag__random_below(random, 10);
    if (how < 3)
        ask_badly(life, random);
    else if (how < 4)
        ask_by_bad_def(life, random);
    else if (how < 6)
        add_bad_body(life, random);
    else if (how < 8)
        move_badly(life, random);
    else if (how < 9)
        use_dead_id(life, random);
    else
        use_foreign_id(life, random);
}
