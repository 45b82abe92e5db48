// Reading a question. Every field of the public defs is checked here or, if it belongs to one method, in that method's file. Error
// messages say what to change.
#include "query/question.h"

#include "query/kind.h"
#include "query/plan.h"

#include <stdarg.h>
#include <stdio.h>

snag_status snag__refuse(snag__words *message, snag_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    SNAG__ASSERT(message != NULL && status != SNAG_OK);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return status;
}

snag_question_def snag_default_question_def(snag_question question)
{
    return (snag_question_def){
        .cookie = SNAG__COOKIE_QUESTION,
        .question = question,
        // Neighbouring spheres of one body always overlap: not a useful answer.
        .self = question != SNAG_OVERLAPS,
        .between = true,
        .tolerance = 1e-6,
        .until = 1,
        .edges = true,
    };
}

snag_filter snag_default_filter(void)
{
    return (snag_filter){.cookie = SNAG__COOKIE_FILTER};
}

snag_sink snag_default_sink(void)
{
    return (snag_sink){.cookie = SNAG__COOKIE_SINK};
}

snag_lab snag_default_lab(void)
{
    return (snag_lab){.cookie = SNAG__COOKIE_LAB};
}

snag_method_options snag_default_method_options(snag_method method)
{
    return (snag_method_options){.cookie = SNAG__COOKIE_PLAIN_OPTIONS, .method = method};
}

#define DEFAULT_OPTIONS(name, METHOD)                                                                                              \
    snag_##name##_options snag_default_##name##_options(void)                                                                      \
    {                                                                                                                              \
        return (snag_##name##_options){.head = {.cookie = SNAG__COOKIE_OPTIONS, .method = SNAG_METHOD_##METHOD}};                  \
    }
DEFAULT_OPTIONS(kdop, KDOP)
DEFAULT_OPTIONS(hash, HASH)
DEFAULT_OPTIONS(regularity, REGULARITY)
DEFAULT_OPTIONS(active, ACTIVE)
DEFAULT_OPTIONS(spheres, SPHERES)

// ---- the common part ----

static snag_status check_length(snag__words *message, const char *name, double length)
{
    if (snag__is_length(length))
        return SNAG_OK;
    return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: the %s must be finite and not negative, not %g", name, length);
}

static snag_status check_lengths(const snag_question_def *def, snag__words *message)
{
    snag_status status = check_length(message, "distance", def->distance);
    if (status == SNAG_OK)
        status = check_length(message, "separation", def->separation);
    if (status == SNAG_OK)
        status = check_length(message, "tolerance", def->tolerance);
    if (status == SNAG_OK && !(def->until >= 0 && def->until <= 1))
        status = snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: until must be a time from 0 to 1, not %g", def->until);
    return status;
}

static snag_status check_filter(const snag_question_def *def, snag__words *message)
{
    const snag_filter *filter = def->filter;
    if (filter->cookie != SNAG__COOKIE_FILTER)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT,
                            "ask: the filter was not made by snag_default_filter of this version: start from that");
    if (filter->exclude_rings > SNAG__MAX_RINGS)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: exclude_rings is at most %d, not %u: use exclude_rest instead",
                            (int)SNAG__MAX_RINGS, filter->exclude_rings);
    bool elements = filter->exclude_rings > 0 || filter->exclude_rest != 0 || filter->exclusions != NULL;
    if (elements && def->question == SNAG_OVERLAPS)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED,
                            "ask: overlaps are of spheres, not of elements: only groups and filters of bodies apply to them");
    return check_length(message, "exclude_rest of the filter", filter->exclude_rest);
}

static snag_status check_common(const snag_question_def *def, snag__words *message)
{
    if (def->cookie != SNAG__COOKIE_QUESTION)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT,
                            "ask: the question was not made by snag_default_question_def of this version: start from that");
    if ((unsigned)def->question >= SNAG_QUESTION_COUNT)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: there is no question %d", (int)def->question);
    if ((unsigned)def->method >= SNAG_METHOD_COUNT)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: there is no method %d", (int)def->method);
    if ((unsigned)def->output >= SNAG_OUTPUT_FORM_COUNT)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: there is no output %d", (int)def->output);
    if (!def->self && !def->between)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT,
                            "ask: neither self nor between is set, so there is nothing to find: set one or both");
    snag_status status = def->filter != NULL ? check_filter(def, message) : SNAG_OK;
    return status == SNAG_OK ? check_lengths(def, message) : status;
}

static snag_status check_sink(const snag_question_def *def, snag__words *message)
{
    const snag_sink *sink = def->sink;
    if (sink->cookie != SNAG__COOKIE_SINK)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT,
                            "ask: the sink was not made by snag_default_sink of this version: start from that");
    if (sink->take == NULL)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: the sink has no function `take`");
    if ((sink->write == NULL) != (sink->read == NULL))
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: the sink needs both `write` and `read`, or neither");
    if (def->output != SNAG_OUTPUT_CONTACTS && def->output != SNAG_OUTPUT_PAIRS)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: a sink takes contacts or pairs: ask for one of them");
    if (def->track)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED, "ask: contacts that go to a sink cannot be tracked");
    return SNAG_OK;
}

static snag_status check_output(const snag_question_def *def, snag__words *message)
{
    if (def->sink != NULL) {
        snag_status status = check_sink(def, message);
        if (status != SNAG_OK)
            return status;
    }
    if (def->output == SNAG_OUTPUT_EARLIEST && def->question != SNAG_IMPACTS)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED,
                            "ask: only impacts have an earliest time: ask %s for contacts, pairs or a count",
                            snag_question_name(def->question));
    if (def->track && def->question == SNAG_OVERLAPS)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED, "ask: overlaps cannot be tracked: leaves are not elements");
    if (def->track && def->output != SNAG_OUTPUT_CONTACTS)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED, "ask: only contacts can be tracked: ask for SNAG_OUTPUT_CONTACTS");
    return SNAG_OK;
}

static snag_status check_candidates(const snag_question_def *def, snag__words *message)
{
    if (def->candidates == NULL)
        return SNAG_OK;
    if (def->question != SNAG_PROXIMITIES && def->question != SNAG_IMPACTS)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED,
                            "ask: candidates answer proximities and impacts, not %s: ask without them",
                            snag_question_name(def->question));
    if (def->method != SNAG_METHOD_AUTO)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT,
                            "ask: candidates replace the search of a method: leave the method at auto, or ask without them");
    return SNAG_OK;
}

static void take_common(const snag_question_def *def, snag__question *question)
{
    *question = (snag__question){
        .question = def->question,
        .method = def->method,
        .output = def->output,
        .self = def->self,
        .between = def->between,
        .every_pair = def->every_pair,
        .edges = def->edges,
        .track = def->track,
        .distance = def->question == SNAG_DISTANCE ? 0 : def->distance,
        .within = def->question == SNAG_DISTANCE ? def->distance : 0,
        .separation = def->separation,
        .ignore_radius = def->ignore_radius,
        .tolerance = def->tolerance,
        .until = def->until,
        .closest = def->closest,
        .filter = def->filter != NULL ? def->filter->bodies : NULL,
        .filter_context = def->filter != NULL ? def->filter->context : NULL,
        .sink = def->sink,
        .set = def->candidates,
        .exclude_rings = def->filter != NULL ? def->filter->exclude_rings : 0,
        .exclude_rest = def->filter != NULL ? def->filter->exclude_rest : 0,
        .exclusions = def->filter != NULL ? def->filter->exclusions : NULL,
        .budget_us = def->budget_us,
        .progress = def->progress,
        .progress_context = def->context,
    };
}

// ---- the lab ----

static snag_status check_epsilons(const snag_lab *lab, snag__words *message)
{
    if (lab->epsilon_count > SNAG_REGION_LEVELS)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: there are at most %d epsilons, not %u", (int)SNAG_REGION_LEVELS,
                            lab->epsilon_count);
    for (uint32_t i = 0; i < lab->epsilon_count; i++)
        if (!snag__is_length(lab->epsilon[i]) || (i > 0 && lab->epsilon[i] > lab->epsilon[i - 1]))
            return snag__refuse(message, SNAG_ERROR_ARGUMENT,
                                "ask: epsilon %u must be finite, not negative and not larger than the one before, not %g", i + 1,
                                lab->epsilon[i]);
    return check_length(message, "vertex distance", lab->vertex_distance);
}

static snag_status check_lab(const snag_question_def *def, const snag_lab *lab, snag__words *message)
{
    if (lab->cookie != SNAG__COOKIE_LAB)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT,
                            "ask: the lab was not made by snag_default_lab of this version: start from that");
    if ((unsigned)lab->regularity >= SNAG_REGULARITY_MODE_COUNT)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: there is no mode %d of regularity", (int)lab->regularity);
    if ((unsigned)lab->regions >= SNAG_REGIONS_RULE_COUNT)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: there is no rule %d of regions", (int)lab->regions);
    if ((unsigned)lab->spheres >= SNAG_SPHERES_RULE_COUNT)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: there is no rule %d of spheres", (int)lab->spheres);
    if ((lab->regularity != SNAG_REGULARITY_CERTIFIED || lab->visits || lab->forced) && def->method != SNAG_METHOD_REGULARITY)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED,
                            "ask: modes, visits and force of regularity are for the method regularity");
    if (lab->regions == SNAG_REGIONS_PAPER && (def->question != SNAG_DISTANCE || def->method != SNAG_METHOD_REGIONS))
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED, "ask: the paper's rule is for distance by regions");
    if ((lab->epsilon_count > 0 || lab->vertex_distance != 0 || lab->lines) && def->method != SNAG_METHOD_REGIONS)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED,
                            "ask: epsilons, a vertex distance and lines are for the method regions");
    if (lab->pure && def->method != SNAG_METHOD_ACTIVE)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED, "ask: pure is for the method active");
    if ((lab->spheres != SNAG_SPHERES_COMPLETE || lab->trees) && def->method != SNAG_METHOD_SPHERES)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED, "ask: rules and trees of spheres are for the method spheres");
    return check_epsilons(lab, message);
}

static void take_lab(const snag_lab *lab, snag__question *question)
{
    question->regularity = lab->regularity;
    question->regions = lab->regions;
    for (uint32_t i = 0; i < lab->epsilon_count; i++)
        question->epsilon[i] = lab->epsilon[i];
    question->epsilon_count = lab->epsilon_count;
    question->lines = lab->lines;
    question->pure = lab->pure;
    question->candidates = lab->candidates;
    question->spheres = lab->spheres;
    question->trees = lab->trees;
    question->visits = lab->visits;
    question->forced = lab->forced || lab->visits;
    if (question->question == SNAG_DISTANCE)
        question->distance = lab->vertex_distance;
}

// ---- options ----

static snag_status read_options(const snag_question_def *def, snag__question *question, snag__words *message)
{
    const snag_method_options *options = def->options;
    bool plain = options->cookie == SNAG__COOKIE_PLAIN_OPTIONS;
    if (options->cookie != SNAG__COOKIE_OPTIONS && !plain)
        return snag__refuse(
            message, SNAG_ERROR_ARGUMENT,
            "ask: the options were not made by the default function of a method (snag_default_kdop_options, ...) of "
            "this version: start from that");
    if (options->method != def->method || def->method == SNAG_METHOD_AUTO)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT,
                            "ask: options of the method %s, but the method is %s: name that method, or leave the options out",
                            snag_method_name(options->method), snag_method_name(def->method));
    snag_status status = options->lab != NULL ? check_lab(def, options->lab, message) : SNAG_OK;
    if (status != SNAG_OK)
        return status;
    if (options->lab != NULL)
        take_lab(options->lab, question);
    const snag__method *method = snag__plan_method(def->method);
    SNAG__ASSERT(method != NULL && method->method == def->method);
    status = method->read_options != NULL && !plain ? method->read_options(options, question, message) : SNAG_OK;
    if (status == SNAG_OK && question->spheres == SNAG_SPHERES_PAPER && question->backend != SNAG_BACKEND_GL)
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED,
                            "ask: the paper's rule of spheres is made of occlusion queries: choose the backend gl");
    return status;
}

snag_status snag__question_read(const snag_question_def *def, snag__question *question, snag__words *message)
{
    snag_status status = check_common(def, message);
    if (status == SNAG_OK)
        status = check_output(def, message);
    if (status == SNAG_OK)
        status = check_candidates(def, message);
    if (status != SNAG_OK)
        return status;
    take_common(def, question);
    SNAG__ASSERT((unsigned)question->question < SNAG_QUESTION_COUNT && (unsigned)question->method < SNAG_METHOD_COUNT);
    SNAG__ASSERT(question->self || question->between);
    return def->options != NULL ? read_options(def, question, message) : SNAG_OK;
}
