// What a call cannot take is refused: with the status that says why and, where there is a world, with a message that names the
// culprit. What is refused changes nothing. And everything that has a name has one of its own.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t one_triangle[] = {0, 1, 2};

static snag_body_id add_triangle(snag_world *world)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(corners, 4);
    def.triangles = one_triangle;
    def.triangle_count = 1;
    snag_body_id id = {0, 0};
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    return id;
}

static snag_status read_nothing(void *context, size_t block, double *to)
{
    (void)context, (void)block, (void)to;
    return SNAG_ERROR_FILE;
}

static void no_function_needs_a_world_to_refuse(void **state)
{
    (void)state;
    snag_body_def body = snag_default_body_def();
    snag_source_def source = snag_default_source_def();
    source.read = read_nothing;
    any_question ask = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    const snag_mesh_report *report = NULL;
    snag_body_info info;
    snag_tree_info tree;
    snag_memory memory;
    snag_body_id id = {1, 1};
    assert_int_equal(snag_world_add(NULL, &body, &id), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_add_source(NULL, &source, &id), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_remove(NULL, id), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_begin_step(NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_move(NULL, id, snag_positions_f64(corners, 4)), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_teleport(NULL, id, snag_positions_f64(corners, 4)), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_body(NULL, id, &info), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_check(NULL, id, &report), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_tree(NULL, id, &tree), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_memory(NULL, &memory), SNAG_ERROR_ARGUMENT);
    assert_int_equal(any_ask(NULL, &ask, &answer), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_body_count(NULL), 0);
    assert_int_equal(snag_world_threads(NULL), 0);
    assert_int_equal(snag_world_isa(NULL), SNAG_ISA_BEST);
    snag_world_run(NULL, 2, NULL, NULL);
    assert_string_equal(snag_world_message(NULL), "");
    assert_null(answer);
    assert_null(report);
}

static void an_allocator_comes_whole_or_not_at_all(void **state)
{
    (void)state;
    failing_allocator memory;
    snag_allocator whole = failing_allocator_start(&memory, 0);
    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    def.allocator.allocate = whole.allocate;
    assert_int_equal(snag_world_create(&def, &world), SNAG_ERROR_ARGUMENT);
    def.allocator = (snag_allocator){.release = whole.release};
    assert_int_equal(snag_world_create(&def, &world), SNAG_ERROR_ARGUMENT);
    assert_null(world);
}

static void missing_arguments_are_named(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id id = add_triangle(world), none = {0, 0};
    snag_body_def body = snag_default_body_def();
    any_question ask = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_add(world, NULL, &none), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "add:"));
    assert_int_equal(snag_world_add(world, &body, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_check(world, id, NULL), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "report"));
    assert_int_equal(snag_world_body(world, id, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_tree(world, id, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(any_ask(world, NULL, &answer), SNAG_ERROR_ARGUMENT);
    assert_int_equal(any_ask(world, &ask, NULL), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "question and answer"));
    assert_int_equal(none.index, 0);
    assert_int_equal(snag_world_body_count(world), 1);
    snag_world_destroy(world);
}

static void bodies_that_are_gone_are_named_by_their_id(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id id = add_triangle(world);
    assert_int_equal(snag_world_remove(world, id), SNAG_OK);
    const snag_mesh_report *report = NULL;
    snag_tree_info tree;
    snag_positions positions = snag_positions_f64(corners, 4);
    assert_int_equal(snag_world_move(world, id, positions), SNAG_ERROR_BODY);
    char name[32];
    snprintf(name, sizeof name, "%u/%u", id.index, id.generation);
    assert_non_null(strstr(snag_world_message(world), name));
    assert_int_equal(snag_world_teleport(world, id, positions), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_check(world, id, &report), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_tree(world, id, &tree), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_move(world, (snag_body_id){7, 1}, positions), SNAG_ERROR_BODY);
    assert_non_null(strstr(snag_world_message(world), "7/1"));
    assert_int_equal(snag_world_move(world, (snag_body_id){0, 0}, positions), SNAG_ERROR_BODY);
    assert_non_null(strstr(snag_world_message(world), "zero"));
    snag_world_destroy(world);
}

static void assert_no_source(snag_world *world, const snag_source_def *def)
{
    snag_body_id id = {0, 0};
    assert_int_equal(snag_world_add_source(world, def, &id), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "add_source"));
    assert_int_equal(id.index, 0);
}

static void blocks_of_a_source_follow_each_other_and_have_boxes(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    const snag_surface_block good[2] = {{{0, 0, 0}, {1, 1, 1}, 0, 4}, {{1, 0, 0}, {2, 1, 1}, 4, 3}};
    snag_surface_block blocks[2];
    snag_source_def def = snag_default_source_def();
    def.blocks = blocks;
    def.block_count = 2;
    memcpy(blocks, good, sizeof good);
    assert_no_source(world, &def);  // nobody reads
    def.read = read_nothing;
    assert_no_source(world, NULL);
    snag_body_id id;
    assert_int_equal(snag_world_add_source(world, &def, NULL), SNAG_ERROR_ARGUMENT);
    def.blocks = NULL;
    assert_no_source(world, &def);
    def.blocks = blocks;
    for (int wrong = 0; wrong < 8; wrong++) {
        memcpy(blocks, good, sizeof good);
        switch (wrong) {
        case 0: blocks[1].first_triangle = 5; break;
        case 1: blocks[0].triangle_count = 0, blocks[1].first_triangle = 0; break;
        case 2: blocks[1].triangle_count = UINT32_MAX - 8; break;
        case 3: blocks[1].minimum[2] = NAN; break;
        case 4: blocks[0].maximum[0] = INFINITY; break;
        case 5: blocks[1].minimum[1] = 2; break;
        case 6: blocks[0].minimum[0] = -INFINITY; break;
        default: blocks[0].maximum[1] = NAN; break;
        }
        assert_no_source(world, &def);
    }
    assert_int_equal(snag_world_body_count(world), 0);
    memcpy(blocks, good, sizeof good);
    assert_int_equal(snag_world_add_source(world, &def, &id), SNAG_OK);
    snag_body_info info;
    assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
    assert_int_equal(info.triangle_count, 7);
    snag_source_def nothing = snag_default_source_def();
    nothing.read = read_nothing;
    snag_body_id empty;
    assert_int_equal(snag_world_add_source(world, &nothing, &empty), SNAG_OK);
    assert_null(info.triangles);
    const snag_mesh_report *report = NULL;
    assert_int_equal(snag_world_check(world, id, &report), SNAG_ERROR_UNSUPPORTED);
    assert_int_equal(snag_world_move(world, id, snag_positions_f64(corners, 4)), SNAG_ERROR_UNSUPPORTED);
    snag_world_destroy(world);
}

// Triangles that stay on disk count as elements, so that numbers run out without memory running out.
static void a_world_holds_as_many_elements_as_there_are_numbers(void **state)
{
    (void)state;
    failing_allocator memory;
    snag_world *world = scene_world(&(scene_options){.threads = 1, .allocator = failing_allocator_start(&memory, 0)});
    snag_surface_block block = {{0, 0, 0}, {1, 1, 1}, 0, UINT32_MAX / 3 - 1};
    snag_source_def def = snag_default_source_def();
    def.blocks = &block;
    def.block_count = 1;
    def.read = read_nothing;
    snag_body_id id;
    for (int i = 0; i < 3; i++)
        assert_int_equal(snag_world_add_source(world, &def, &id), SNAG_OK);
    size_t blocks_before = memory.live_blocks;
    block.triangle_count = 4;
    snag_body_id none = {0, 0};
    assert_int_equal(snag_world_add_source(world, &def, &none), SNAG_ERROR_SIZE);
    assert_non_null(strstr(snag_world_message(world), "2^32 - 1"));
    assert_int_equal(none.index, 0);
    assert_int_equal(memory.live_blocks, blocks_before);
    assert_int_equal(snag_world_body_count(world), 3);
    // Exactly all of them fit, and what is removed makes room.
    block.triangle_count = 3;
    assert_int_equal(snag_world_add_source(world, &def, &none), SNAG_OK);
    assert_int_equal(snag_world_remove(world, none), SNAG_OK);
    assert_int_equal(snag_world_add_source(world, &def, &none), SNAG_OK);
    snag_world_destroy(world);
    failing_allocator_assert_clean(&memory);
}

static void a_check_that_runs_out_of_memory_is_made_by_the_next_call(void **state)
{
    (void)state;
    failing_allocator memory;
    snag_world *world = scene_world(&(scene_options){.threads = 1, .allocator = failing_allocator_start(&memory, 0)});
    snag_body_id id = add_triangle(world);
    const snag_mesh_report *report = NULL;
    size_t failures = 0;
    for (size_t n = 1;; n++, failures++) {
        size_t at = memory.calls + n;
        memory.fail_at = at;
        snag_status status = snag_world_check(world, id, &report);
        memory.fail_at = 0;
        if (memory.calls < at) {
            assert_int_equal(status, SNAG_OK);
            break;
        }
        assert_int_equal(status, SNAG_ERROR_MEMORY);
        assert_null(report);
    }
    assert_true(failures > 0 && report->maximum[0] == 1);
    snag_world_destroy(world);
    failing_allocator_assert_clean(&memory);
}

// Sets one field of a question to what it may not be.
static void spoil(any_question *ask, int how)
{
    switch (how) {
    case 0: ask->k = 7; break;
    case 1: ask->k = 27; break;
    case 2: ask->arity = 3; break;
    case 3: ask->lazy = -1; break;
    case 4: ask->lazy = NAN; break;
    case 5: ask->regularity = SNAG_REGULARITY_MODE_COUNT; break;
    case 6: ask->directions = 7; break;
    case 7: ask->regions = SNAG_REGIONS_RULE_COUNT; break;
    case 8: ask->epsilon_count = SNAG_REGION_LEVELS + 1; break;
    case 9: ask->epsilon_count = 2, ask->epsilon[0] = 1, ask->epsilon[1] = 2; break;
    case 10: ask->epsilon_count = 1, ask->epsilon[0] = -1; break;
    case 11: ask->cell_size = INFINITY; break;
    case 12: ask->target_ratio = 1.5; break;
    case 13: ask->target_ratio = -0.5; break;
    case 14: ask->depth = SNAG_DEPTH_MAX + 1; break;
    case 15: ask->backend = SNAG_BACKEND_COUNT; break;
    case 16: ask->within = -1; break;
    case 17: ask->arity = 5; break;
    case 18: ask->k = 1; break;
    case 19: ask->lazy = INFINITY; break;
    case 20: ask->distance = NAN; break;
    case 21: ask->tolerance = -1; break;
    case 22: ask->separation = NAN; break;
    case 23: ask->until = 1.5; break;
    case 24: ask->until = NAN; break;
    default: ask->output = (snag_output)-1; break;
    }
}

static void every_option_has_its_range(void **state)
{
    (void)state;
    enum {
        AUTO = SNAG_METHOD_AUTO,
        KDOP = SNAG_METHOD_KDOP,
        REGULARITY = SNAG_METHOD_REGULARITY,
        REGIONS = SNAG_METHOD_REGIONS,
        HASH = SNAG_METHOD_HASH,
        ACTIVE = SNAG_METHOD_ACTIVE,
        SPHERES = SNAG_METHOD_SPHERES
    };
    static const struct {
        int method;
        const char *words;
    } expected[] = {
        {KDOP, "k must be"},
        {KDOP, "k must be"},
        {KDOP, "arity"},
        {KDOP, "lazy"},
        {KDOP, "lazy"},
        {REGULARITY, "regularity"},
        {REGULARITY, "directions"},
        {REGIONS, "regions"},
        {REGIONS, "epsilons"},
        {REGIONS, "epsilon 2"},
        {REGIONS, "epsilon 1"},
        {HASH, "cell size"},
        {ACTIVE, "ratio"},
        {ACTIVE, "ratio"},
        {SPHERES, "depth"},
        {SPHERES, "backend"},
        {AUTO, "distance"},
        {KDOP, "arity"},
        {KDOP, "k must be"},
        {ACTIVE, "lazy"},
        {REGIONS, "vertex distance"},
        {AUTO, "tolerance"},
        {AUTO, "separation"},
        {AUTO, "until"},
        {AUTO, "until"},
        {AUTO, "output"},
    };
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    add_triangle(world);
    for (int how = 0; how < (int)(sizeof expected / sizeof *expected); how++) {
        any_question ask = any_default(SNAG_DISTANCE);
        ask.method = (snag_method)expected[how].method;
        spoil(&ask, how);
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
        assert_non_null(strstr(snag_world_message(world), expected[how].words));
        assert_null(answer);
    }
    snag_world_destroy(world);
}

// ---- defs that were not begun by their default functions ----

static void a_body_def_must_be_whole(void **state)
{
    (void)state;
    snag_world *world = NULL;
    const snag_world_def zeros = {0};
    assert_int_equal(snag_world_create(&zeros, &world), SNAG_ERROR_ARGUMENT);
    assert_null(world);
    world = scene_world(&(scene_options){.threads = 1});
    snag_body_id id = {0, 0};
    snag_body_def zeroed = {.positions = snag_positions_f64(corners, 4), .triangles = one_triangle, .triangle_count = 1};
    assert_int_equal(snag_world_add(world, &zeroed, &id), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "snag_default_body_def"));
    const snag_source_def source = {.read = read_nothing};
    assert_int_equal(snag_world_add_source(world, &source, &id), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "snag_default_source_def"));
    // Elements of several kinds.
    static const uint32_t tet[] = {0, 1, 2, 3}, size = 3;
    for (int kinds = 0; kinds < 8; kinds++) {
        snag_body_def def = snag_default_body_def();
        def.positions = snag_positions_f64(corners, 4);
        def.triangles = one_triangle;
        def.triangle_count = kinds & 1;
        def.tets = tet;
        def.tet_count = kinds >> 1 & 1;
        def.polygon_sizes = &size;
        def.polygon_vertices = one_triangle;
        def.polygon_count = kinds >> 2;
        bool several = kinds == 3 || kinds > 4;
        assert_int_equal(snag_world_add(world, &def, &id), several ? SNAG_ERROR_ARGUMENT : SNAG_OK);
        assert_true(!several || snag_world_message(world)[0] != 0);
    }
    assert_int_equal(snag_world_body_count(world), 4);
    snag_world_destroy(world);
}

static void assert_refused(snag_world *world, const snag_question_def *def, const char *words)
{
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, def, &answer), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), words));
    assert_null(answer);
}

static void a_question_must_be_whole(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    add_triangle(world);
    snag_question_def def = {.self = true, .between = true};
    assert_refused(world, &def, "snag_default_question_def");
    def = snag_default_question_def(SNAG_INTERSECTIONS);
    def.self = def.between = false;
    assert_refused(world, &def, "neither self nor between");

    snag_filter filter = {0};
    def = snag_default_question_def(SNAG_INTERSECTIONS);
    def.filter = &filter;
    assert_refused(world, &def, "snag_default_filter");

    snag_kdop_options options = {.k = 18};
    def = snag_default_question_def(SNAG_INTERSECTIONS);
    def.method = SNAG_METHOD_KDOP;
    def.options = &options.head;
    assert_refused(world, &def, "default");
    options = snag_default_kdop_options();
    snag_lab lab = {0};
    options.head.lab = &lab;
    assert_refused(world, &def, "snag_default_lab");
    lab = snag_default_lab();
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, &def, &answer), SNAG_OK);
    snag_world_destroy(world);
}

static void options_are_those_of_the_method_that_is_named(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    add_triangle(world);
    for (int method = 0; method < SNAG_METHOD_COUNT; method++)
        for (int of = 1; of < SNAG_METHOD_COUNT; of++) {
            if (of == method)
                continue;
            // Larger than the options of any method, so that nothing is read past the end.
            union {
                snag_method_options head;
                snag_active_options active;
                snag_kdop_options kdop;
                snag_spheres_options spheres;
            } options = {.head = snag_default_method_options((snag_method)of)};
            snag_question_def def = snag_default_question_def(SNAG_INTERSECTIONS);
            def.method = (snag_method)method;
            def.options = &options.head;
            assert_refused(world, &def, snag_method_name((snag_method)of));
        }
    snag_world_destroy(world);
}

static void assert_unsupported(snag_world *world, const any_question *ask, const char *words)
{
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, ask, &answer), SNAG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(snag_world_message(world), words));
    assert_null(answer);
}

static void options_that_do_not_go_together_are_refused(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    add_triangle(world);
    any_question ask = any_default(SNAG_DISTANCE);
    ask.regions = SNAG_REGIONS_PAPER;
    ask.method = SNAG_METHOD_REGIONS, ask.question = SNAG_PROXIMITIES;
    assert_unsupported(world, &ask, "paper");
    // What belongs to another method than the one asked.
    static const struct {
        const char *words;
        snag_lab lab;
    } labs[] = {{"regularity", {.regularity = SNAG_REGULARITY_PAPER}},
                {"paper", {.regions = SNAG_REGIONS_PAPER}},
                {"epsilons", {.epsilon_count = 1}},
                {"lines", {.lines = true}},
                {"pure", {.pure = true}},
                {"candidates", {.candidates = true}}};
    for (size_t i = 0; i < sizeof labs / sizeof *labs; i++) {
        snag_lab lab = labs[i].lab;
        snag_method_options brute = snag_default_method_options(SNAG_METHOD_BRUTE);
        snag_question_def def = snag_default_question_def(SNAG_DISTANCE);
        const snag_answer *answer = NULL;
        lab.cookie = snag_default_lab().cookie;
        brute.lab = &lab;
        def.method = SNAG_METHOD_BRUTE;
        def.options = &brute;
        assert_int_equal(snag_world_ask(world, &def, &answer), SNAG_ERROR_UNSUPPORTED);
        assert_non_null(strstr(snag_world_message(world), labs[i].words));
        assert_null(answer);
    }

    ask = any_default(SNAG_OVERLAPS);
    ask.track = true;
    assert_unsupported(world, &ask, "tracked");
    ask = any_default(SNAG_PENETRATIONS);
    ask.output = SNAG_OUTPUT_PAIRS, ask.track = true;
    assert_unsupported(world, &ask, "tracked");
    ask = any_default(SNAG_PROXIMITIES);
    ask.output = SNAG_OUTPUT_EARLIEST;
    assert_unsupported(world, &ask, "earliest");
    ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_BRUTE, ask.candidates = true;
    assert_unsupported(world, &ask, "candidates");
    ask.question = SNAG_DISTANCE, ask.method = SNAG_METHOD_KDOP;
    assert_unsupported(world, &ask, "candidates");
    ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_SPHERES;
    assert_unsupported(world, &ask, "between bodies only");
    snag_world_destroy(world);
}

static void nobody_answers_what_is_no_question(void **state)
{
    (void)state;
    assert_false(snag_method_answers(SNAG_METHOD_AUTO, SNAG_QUESTION_COUNT));
    assert_false(snag_method_answers(SNAG_METHOD_COUNT, SNAG_INTERSECTIONS));
    assert_false(snag_method_finds_self(SNAG_METHOD_BRUTE, SNAG_QUESTION_COUNT));
    assert_false(snag_method_finds_self(SNAG_METHOD_SPHERES, SNAG_INTERSECTIONS));
    assert_true(snag_method_finds_self(SNAG_METHOD_BRUTE, SNAG_INTERSECTIONS));
    assert_int_equal(snag_method_auto(SNAG_QUESTION_COUNT), SNAG_METHOD_AUTO);
    assert_int_equal(snag_method_auto(SNAG_PENETRATIONS), SNAG_METHOD_HASH);
    assert_int_equal(snag_method_auto(SNAG_DISTANCE), SNAG_METHOD_REGIONS);
    assert_int_equal(snag_method_auto(SNAG_PROXIMITIES), SNAG_METHOD_KDOP);
}

// Names of 0..count-1 differ from each other and from that of what is beyond.
static void assert_names_differ(const char *(*name)(int i), int count)
{
    for (int i = 0; i < count; i++) {
        assert_non_null(name(i));
        for (int k = i + 1; k <= count; k++)
            assert_string_not_equal(name(i), name(k));
    }
    assert_non_null(strstr(name(count), "unknown"));
    assert_non_null(strstr(name(-1), "unknown"));
}

static const char *status_name(int i)
{
    return snag_status_name((snag_status)i);
}
static const char *isa_name(int i)
{
    return snag_isa_name((snag_isa)i);
}
static const char *method_name(int i)
{
    return snag_method_name((snag_method)i);
}
static const char *question_name(int i)
{
    return snag_question_name((snag_question)i);
}
static const char *backend_name(int i)
{
    return snag_backend_name((snag_backend)i);
}
static const char *kind_name(int i)
{
    return snag_contact_kind_name((snag_contact_kind)i);
}

static void what_has_a_name_has_its_own(void **state)
{
    (void)state;
    assert_names_differ(status_name, SNAG_ERROR_STALE + 1);
    assert_names_differ(isa_name, SNAG_ISA_SIMD128 + 1);
    assert_names_differ(method_name, SNAG_METHOD_COUNT);
    assert_names_differ(question_name, SNAG_QUESTION_COUNT);
    assert_names_differ(backend_name, SNAG_BACKEND_COUNT);
    assert_names_differ(kind_name, SNAG_CONTACT_KIND_COUNT);
    snag_backend backend = SNAG_BACKEND_COUNT;
    assert_true(snag_backend_from_name("gl", &backend));
    assert_int_equal(backend, SNAG_BACKEND_GL);
    assert_true(snag_backend_from_name("cpu", &backend));
    assert_int_equal(backend, SNAG_BACKEND_CPU);
    assert_false(snag_backend_from_name("abacus", &backend));
    assert_true(snag_backend_built_in(SNAG_BACKEND_CPU));
    assert_false(snag_backend_built_in(SNAG_BACKEND_COUNT));
    snag_method method;
    assert_false(snag_method_from_name("luck", &method));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_function_needs_a_world_to_refuse),
        cmocka_unit_test(an_allocator_comes_whole_or_not_at_all),
        cmocka_unit_test(missing_arguments_are_named),
        cmocka_unit_test(bodies_that_are_gone_are_named_by_their_id),
        cmocka_unit_test(blocks_of_a_source_follow_each_other_and_have_boxes),
        cmocka_unit_test(a_world_holds_as_many_elements_as_there_are_numbers),
        cmocka_unit_test(a_check_that_runs_out_of_memory_is_made_by_the_next_call),
        cmocka_unit_test(every_option_has_its_range),
        cmocka_unit_test(a_body_def_must_be_whole),
        cmocka_unit_test(a_question_must_be_whole),
        cmocka_unit_test(options_are_those_of_the_method_that_is_named),
        cmocka_unit_test(options_that_do_not_go_together_are_refused),
        cmocka_unit_test(nobody_answers_what_is_no_question),
        cmocka_unit_test(what_has_a_name_has_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
