// What is read of a question, and what is refused, with words that say what to change: defs that were not made by their default
// functions, options of another method, outputs that a question does not have. What is refused leaves the last answer as it is.
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "snag/io.h"
#include "snag/lab.h"
#include "snag/response.h"
#include "snag/sim.h"

#include <math.h>
#include <string.h>

static snag_world *two_balls(void)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    for (int i = 0; i < 2; i++) {
        snag_shape ball;
        snag_body_id id;
        assert_int_equal(snag_shape_icosphere(1, 0.5, &ball), SNAG_OK);
        snag_shape_transform(&ball, 1, 0.7 * i, 0, 0);
        assert_int_equal(scene_add(world, &ball, SNAG_F64, NULL, &id), SNAG_OK);
        snag_shape_free(&ball);
    }
    return world;
}

// Asks something that is refused, with these words; the answer before is still there.
static void assert_refused(snag_world *world, const snag_question_def *def, snag_status status, const char *words)
{
    snag_question_def good = snag_default_question_def(SNAG_INTERSECTIONS);
    const snag_answer *before = NULL, *after = NULL;
    assert_int_equal(snag_world_ask(world, &good, &before), SNAG_OK);
    uint64_t hash = scene_hash(before);
    assert_true(before->count > 0);
    assert_int_equal(snag_world_ask(world, def, &after), status);
    assert_null(after);
    if (strstr(snag_world_message(world), words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", snag_world_message(world), words);
    assert_true(scene_hash(before) == hash);
}

static void assert_asked(snag_world *world, const snag_question_def *def)
{
    const snag_answer *answer = NULL;
    if (snag_world_ask(world, def, &answer) != SNAG_OK)
        fail_msg("%s", snag_world_message(world));
    assert_int_equal(answer->question, def->question);
    assert_int_equal(answer->output, def->output);
    assert_true(def->method == SNAG_METHOD_AUTO || answer->method == def->method);
    assert_non_null(answer->reason);
    assert_non_null(answer->statistics);
    assert_non_null(answer->statistics->lab);
}

// ---- cookies ----

static snag_status read_nothing(void *context, size_t block, double *to)
{
    (void)context, (void)block, (void)to;
    return SNAG_ERROR_FILE;
}

// A world's def and a simulation's have no message to keep: the status says it.
static void defs_that_were_zeroed_are_refused(void **state)
{
    (void)state;
    snag_world *world = (snag_world *)(uintptr_t)1;
    assert_int_equal(snag_world_create(&(snag_world_def){0}, &world), SNAG_ERROR_ARGUMENT);
    assert_null(world);
    snag_sim *sim = (snag_sim *)(uintptr_t)1;
    snag_sim_def sim_def = snag_default_sim_def();
    sim_def.cookie = 0;
    assert_int_equal(snag_sim_create(&sim_def, &sim), SNAG_ERROR_ARGUMENT);
    assert_null(sim);
    sim = (snag_sim *)(uintptr_t)1;
    assert_int_equal(snag_sim_create(&(snag_sim_def){0}, &sim), SNAG_ERROR_ARGUMENT);
    assert_null(sim);

    world = two_balls();
    snag_body_id id = {0, 0};
    snag_body_def body = snag_default_body_def();
    body.cookie = 0;
    assert_int_equal(snag_world_add(world, &body, &id), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "snag_default_body_def"));
    assert_int_equal(snag_world_add(world, &(snag_body_def){0}, &id), SNAG_ERROR_ARGUMENT);
    snag_source_def source = snag_default_source_def();
    source.read = read_nothing;
    source.cookie = 0;
    assert_int_equal(snag_world_add_source(world, &source, &id), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "snag_default_source_def"));
    assert_int_equal(snag_world_body_count(world), 2);
    assert_int_equal(id.index, 0);

    assert_refused(world, &(snag_question_def){0}, SNAG_ERROR_ARGUMENT, "snag_default_question_def");
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    ask.filter = &(snag_filter){0};
    assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, "snag_default_filter");
    snag_world_destroy(world);
}

static void a_response_def_that_was_zeroed_is_refused(void **state)
{
    (void)state;
    snag_world *world = two_balls();
    snag_response *response = NULL;
    assert_int_equal(snag_response_create(NULL, &response), SNAG_OK);
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    snag_response_def def = snag_default_response_def();
    def.cookie = 0;
    snag_response_report report;
    snag_response_body bodies[1] = {{.body = {1, 1}}};
    for (int call = 0; call < 3; call++) {
        snag_status status = call == 0   ? snag_response_apply(response, world, &def, bodies, 1, answer, &report)
                             : call == 1 ? snag_response_advance(response, world, &def, bodies, 1, &report)
                                         : snag_response_untangle(response, world, &def, bodies, 1, &report);
        assert_int_equal(status, SNAG_ERROR_ARGUMENT);
        assert_non_null(strstr(snag_response_message(response), "snag_default_response_def"));
    }
    snag_response_destroy(response);
    snag_world_destroy(world);
}

static void read_options_that_were_zeroed_are_refused(void **state)
{
    (void)state;
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    snag_io_read_options options = snag_io_default_read_options();
    snag_io_mesh mesh;
    snag_io_error error;
    assert_int_equal(snag_io_parse_mesh_with("a.obj", obj, sizeof obj - 1, &options, &mesh, &error), SNAG_OK);
    snag_io_mesh_free(&mesh);
    options.cookie = 0;
    assert_int_equal(snag_io_parse_mesh_with("a.obj", obj, sizeof obj - 1, &options, &mesh, &error), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "snag_io_default_read_options"));
    assert_int_equal(mesh.body_count, 0);
    assert_int_equal(snag_io_read_mesh_with("/nonexistent.obj", &options, &mesh, &error), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "snag_io_default_read_options"));
    snag_io_motion *motion = NULL;
    assert_int_equal(snag_io_motion_open_with("/nonexistent.glb", &options, &motion, &error), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "snag_io_default_read_options"));
    assert_null(motion);
}

// Each kind of def has a cookie of its own: one def is not taken for another, nor for one of another version.
static void cookies_of_others_are_refused(void **state)
{
    (void)state;
    snag_world *world = two_balls();
    const uint32_t cookies[] = {
        snag_default_world_def().cookie,
        snag_default_body_def().cookie,
        snag_default_source_def().cookie,
        snag_default_question_def(SNAG_INTERSECTIONS).cookie,
        snag_default_filter().cookie,
        snag_default_kdop_options().head.cookie,
        snag_default_lab().cookie,
        snag_default_response_def().cookie,
        snag_default_sim_def().cookie,
        snag_io_default_read_options().cookie,
        snag_default_method_options(SNAG_METHOD_BRUTE).cookie,
    };
    enum { COOKIES = sizeof cookies / sizeof *cookies, QUESTION = 3 };
    for (int i = 0; i < COOKIES; i++) {
        for (int k = 0; k < i; k++)
            assert_int_not_equal(cookies[i], cookies[k]);
        snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
        ask.cookie = cookies[i];
        if (i != QUESTION)
            assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, "snag_default_question_def");
    }
    for (uint32_t bit = 0; bit < 32; bit++) {
        snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
        ask.cookie ^= 1u << bit;
        assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, "snag_default_question_def");
    }
    snag_world_destroy(world);
}

// ---- options ----

// The options of each method, as their default function makes them; NULL of those that have none of their own.
typedef struct all_options {
    snag_kdop_options kdop;
    snag_hash_options hash;
    snag_regularity_options regularity;
    snag_active_options active;
    snag_spheres_options spheres;
    snag_method_options *of[SNAG_METHOD_COUNT];
    snag_method_options plain[SNAG_METHOD_COUNT];
} all_options;

static void make_options(all_options *all)
{
    *all = (all_options){
        .kdop = snag_default_kdop_options(),
        .hash = snag_default_hash_options(),
        .regularity = snag_default_regularity_options(),
        .active = snag_default_active_options(),
        .spheres = snag_default_spheres_options(),
    };
    all->of[SNAG_METHOD_KDOP] = &all->kdop.head;
    all->of[SNAG_METHOD_HASH] = &all->hash.head;
    all->of[SNAG_METHOD_REGULARITY] = &all->regularity.head;
    all->of[SNAG_METHOD_ACTIVE] = &all->active.head;
    all->of[SNAG_METHOD_SPHERES] = &all->spheres.head;
    for (int m = 0; m < SNAG_METHOD_COUNT; m++)
        all->plain[m] = snag_default_method_options((snag_method)m);
}

static snag_question_def question_for(snag_method method)
{
    snag_question_def ask = snag_default_question_def(
        method == SNAG_METHOD_ACTIVE || method == SNAG_METHOD_REGIONS ? SNAG_PROXIMITIES : SNAG_INTERSECTIONS);
    ask.method = method;
    ask.self = snag_method_finds_self(method, ask.question);
    ask.distance = ask.question == SNAG_PROXIMITIES ? 0.1 : 0;
    return ask;
}

static void options_are_for_the_method_that_is_named(void **state)
{
    (void)state;
    snag_world *world = two_balls();
    all_options all;
    make_options(&all);
    for (int asked = 0; asked < SNAG_METHOD_COUNT; asked++)
        for (int m = 0; m < SNAG_METHOD_COUNT; m++)
            for (int plain = 0; plain < 2; plain++) {
                const snag_method_options *options = plain ? &all.plain[m] : all.of[m];
                if (options == NULL)
                    continue;
                assert_int_equal(options->method, m);
                snag_question_def ask = question_for((snag_method)asked);
                ask.options = options;
                if (m == asked && asked != SNAG_METHOD_AUTO)
                    assert_asked(world, &ask);
                else
                    assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, "options of the method");
            }
    snag_world_destroy(world);
}

static void options_that_were_zeroed_are_refused(void **state)
{
    (void)state;
    snag_world *world = two_balls();
    for (int m = 0; m < SNAG_METHOD_COUNT; m++)
        for (int kept = 0; kept < 2; kept++) {
            all_options all;
            make_options(&all);
            snag_method_options *options = all.of[m] != NULL ? all.of[m] : &all.plain[m];
            options->cookie = 0;
            if (kept == 0)
                options->method = SNAG_METHOD_AUTO;
            snag_question_def ask = question_for((snag_method)m);
            ask.options = options;
            assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, "snag_default_kdop_options");
            // The lab's too.
            make_options(&all);
            options->lab = &(snag_lab){0};
            if (m != SNAG_METHOD_AUTO)
                assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, "snag_default_lab");
        }
    snag_world_destroy(world);
}

// A head alone is read as such, and what lies behind it is not taken for options.
static void plain_options_have_nothing_behind_them(void **state)
{
    (void)state;
    snag_world *world = two_balls();
    snag_lab lab = snag_default_lab();
    for (int m = SNAG_METHOD_BRUTE; m < SNAG_METHOD_COUNT; m++) {
        struct {
            snag_method_options head;
            unsigned char rubbish[256];
        } memory;
        memset(memory.rubbish, 0xff, sizeof memory.rubbish);
        memory.head = snag_default_method_options((snag_method)m);
        memory.head.lab = &lab;
        snag_question_def ask = question_for((snag_method)m);
        ask.options = &memory.head;
        assert_asked(world, &ask);
    }
    snag_world_destroy(world);
}

static void values_of_options_are_checked(void **state)
{
    (void)state;
    snag_world *world = two_balls();
    for (int bad = 0; bad < 9; bad++) {
        all_options all;
        make_options(&all);
        snag_method method = SNAG_METHOD_KDOP;
        const char *words = NULL;
        switch (bad) {
        case 0: all.kdop.k = 7, words = "k must be"; break;
        case 1: all.kdop.arity = 3, words = "arity"; break;
        case 2: all.kdop.lazy = -1, words = "lazy"; break;
        case 3: method = SNAG_METHOD_HASH, all.hash.cell_size = NAN, words = "cell"; break;
        case 4: method = SNAG_METHOD_REGULARITY, all.regularity.directions = 7, words = "directions"; break;
        case 5: method = SNAG_METHOD_ACTIVE, all.active.target_ratio = 1.5, words = "ratio"; break;
        case 6: method = SNAG_METHOD_ACTIVE, all.active.lazy = INFINITY, words = "lazy"; break;
        case 7: method = SNAG_METHOD_SPHERES, all.spheres.depth = SNAG_DEPTH_MAX + 1, words = "depth"; break;
        default: method = SNAG_METHOD_SPHERES, all.spheres.backend = SNAG_BACKEND_COUNT, words = "backend"; break;
        }
        snag_question_def ask = question_for(method);
        ask.options = all.of[method];
        assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, words);
    }
    snag_world_destroy(world);
}

// What belongs to the lab of one method is refused for all others.
static void experiments_are_for_their_method(void **state)
{
    (void)state;
    snag_world *world = two_balls();
    for (int m = SNAG_METHOD_BRUTE; m < SNAG_METHOD_COUNT; m++)
        for (int field = 0; field < 10; field++) {
            static const snag_method owners[] = {SNAG_METHOD_REGULARITY, SNAG_METHOD_REGIONS,    SNAG_METHOD_REGIONS,
                                                 SNAG_METHOD_REGIONS,    SNAG_METHOD_REGIONS,    SNAG_METHOD_ACTIVE,
                                                 SNAG_METHOD_SPHERES,    SNAG_METHOD_REGULARITY, SNAG_METHOD_REGULARITY};
            snag_lab lab = snag_default_lab();
            switch (field) {
            case 0: lab.regularity = SNAG_REGULARITY_CLASSICAL; break;
            case 1: lab.regions = SNAG_REGIONS_PAPER; break;
            case 2: lab.epsilon[0] = 1, lab.epsilon_count = 1; break;
            case 3: lab.vertex_distance = 0.1; break;
            case 4: lab.lines = true; break;
            case 5: lab.pure = true; break;
            case 6: lab.trees = true; break;
            case 7: lab.visits = true; break;
            case 8: lab.forced = true; break;
            default: lab.candidates = true; break;
            }
            all_options all;
            make_options(&all);
            snag_method_options *options = &all.plain[m];
            options->lab = &lab;
            snag_question_def ask = question_for((snag_method)m);
            if (m == SNAG_METHOD_REGIONS && field == 1)
                ask.question = SNAG_DISTANCE, ask.distance = 0;
            ask.options = options;
            bool good = field < 9 ? owners[field] == (snag_method)m
                                  : m == SNAG_METHOD_KDOP || m == SNAG_METHOD_ACTIVE || m == SNAG_METHOD_SPHERES;
            if (good)
                assert_asked(world, &ask);
            else
                assert_refused(world, &ask, SNAG_ERROR_UNSUPPORTED, "");
        }
    snag_world_destroy(world);
}

// ---- the common part ----

static void what_cannot_be_asked_is_refused(void **state)
{
    (void)state;
    snag_world *world = two_balls();
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++) {
        snag_question_def ask = snag_default_question_def((snag_question)question);
        assert_asked(world, &ask);
        ask.self = ask.between = false;
        assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, "neither self nor between");

        ask = snag_default_question_def((snag_question)question);
        ask.output = SNAG_OUTPUT_EARLIEST;
        if (question == SNAG_IMPACTS)
            assert_asked(world, &ask);
        else
            assert_refused(world, &ask, SNAG_ERROR_UNSUPPORTED, "only impacts have an earliest");
        ask.output = SNAG_OUTPUT_FORM_COUNT;
        assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, "there is no output");

        ask = snag_default_question_def((snag_question)question);
        ask.track = true;
        for (int output = 0; output < SNAG_OUTPUT_FORM_COUNT; output++) {
            ask.output = (snag_output)output;
            if (output == SNAG_OUTPUT_CONTACTS && question != SNAG_OVERLAPS)
                assert_asked(world, &ask);
            else
                assert_refused(world, &ask, SNAG_ERROR_UNSUPPORTED,
                               output == SNAG_OUTPUT_EARLIEST && question != SNAG_IMPACTS ? "earliest" : "tracked");
        }

        ask = snag_default_question_def((snag_question)question);
        for (int field = 0; field < 3; field++)
            for (int bad = 0; bad < 3; bad++) {
                static const char *const names[] = {"distance", "separation", "tolerance"};
                snag_question_def wrong = ask;
                double value = bad == 0 ? -1 : bad == 1 ? (double)NAN : (double)INFINITY;
                *(field == 0 ? &wrong.distance : field == 1 ? &wrong.separation : &wrong.tolerance) = value;
                assert_refused(world, &wrong, SNAG_ERROR_ARGUMENT, names[field]);
            }
        static const double times[] = {-1e-9, 1.0001, NAN, INFINITY};
        for (int i = 0; i < 4; i++) {
            ask.until = times[i];
            assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, "until");
        }
    }
    snag_question_def ask = snag_default_question_def(SNAG_QUESTION_COUNT);
    assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, "there is no question");
    ask = snag_default_question_def(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_COUNT;
    assert_refused(world, &ask, SNAG_ERROR_ARGUMENT, "there is no method");
    assert_refused(world, NULL, SNAG_ERROR_ARGUMENT, "must not be NULL");
    snag_world_destroy(world);
}

// Every method, every question: an answer, or words why not.
static void a_method_answers_or_says_that_it_does_not(void **state)
{
    (void)state;
    snag_world *world = two_balls();
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
        for (int method = 0; method < SNAG_METHOD_COUNT; method++) {
            snag_question_def ask = snag_default_question_def((snag_question)question);
            ask.method = (snag_method)method;
            ask.self = false;
            if (!snag_method_answers(ask.method, ask.question)) {
                assert_refused(world, &ask, SNAG_ERROR_UNSUPPORTED, "cannot answer");
                continue;
            }
            const snag_answer *answer = NULL;
            assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
            ask.self = true;
            if (!snag_method_finds_self(ask.method, ask.question))
                assert_refused(world, &ask, SNAG_ERROR_UNSUPPORTED, "between bodies only");
            else
                assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
        }
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defs_that_were_zeroed_are_refused),         cmocka_unit_test(a_response_def_that_was_zeroed_is_refused),
        cmocka_unit_test(read_options_that_were_zeroed_are_refused), cmocka_unit_test(cookies_of_others_are_refused),
        cmocka_unit_test(options_are_for_the_method_that_is_named),  cmocka_unit_test(options_that_were_zeroed_are_refused),
        cmocka_unit_test(plain_options_have_nothing_behind_them),    cmocka_unit_test(values_of_options_are_checked),
        cmocka_unit_test(experiments_are_for_their_method),          cmocka_unit_test(what_cannot_be_asked_is_refused),
        cmocka_unit_test(a_method_answers_or_says_that_it_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
