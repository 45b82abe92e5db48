#include "tuning.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum tuning_kind {
    TUNING_CHOICE,  // uint32_t, one of the numbers offered
    TUNING_COUNT,  // uint32_t, at least 1
    TUNING_LENGTH,  // double, 0 or more
    TUNING_POSITIVE,  // double, more than 0
    TUNING_RATIO,  // double, more than 0 and at most 1
    TUNING_MODE,  // of regularity
    TUNING_BACKEND,
    TUNING_EPSILONS,
} tuning_kind;

typedef struct tuning {
    const char *name;
    snag_method methods[2];  // that have it; the second is AUTO if there is only one
    tuning_kind kind;
    size_t offset;  // into any_question
    const char *offered;
    size_t given;  // into options: a const char *; SIZE_MAX: `check` takes it in a way of its own
} tuning;

#define IN(field) offsetof(any_question, field)
#define GIVEN(field) offsetof(options, field)

static const tuning table[] = {
    {"k", {SNAG_METHOD_KDOP}, TUNING_CHOICE, IN(k), "6, 14, 18, 26", GIVEN(k)},
    {"arity", {SNAG_METHOD_KDOP}, TUNING_CHOICE, IN(arity), "2, 4, 8", GIVEN(arity)},
    {"lazy", {SNAG_METHOD_KDOP, SNAG_METHOD_ACTIVE}, TUNING_LENGTH, IN(lazy), "a length of 0 or more", GIVEN(lazy)},
    {"cell", {SNAG_METHOD_HASH}, TUNING_POSITIVE, IN(cell_size), "a length above 0", GIVEN(cell)},
    {"table", {SNAG_METHOD_HASH}, TUNING_COUNT, IN(table_size), "a whole number of at least 1", GIVEN(table)},
    {"epsilon",
     {SNAG_METHOD_REGIONS},
     TUNING_EPSILONS,
     0,
     "lengths for levels 1, 2, ... separated by colons, none larger than the one before, such as 20:14:8",
     GIVEN(epsilon)},
    {"directions", {SNAG_METHOD_REGULARITY}, TUNING_CHOICE, IN(directions), "6, 12, 32, 62", SIZE_MAX},
    {"regularity", {SNAG_METHOD_REGULARITY}, TUNING_MODE, IN(regularity), "certified, paper, classical", SIZE_MAX},
    {"depth", {SNAG_METHOD_SPHERES}, TUNING_COUNT, IN(depth), "a whole number from 1 to 10", SIZE_MAX},
    {"backend", {SNAG_METHOD_SPHERES}, TUNING_BACKEND, IN(backend), "cpu, gl, printed", SIZE_MAX},
    {"new-pairs", {SNAG_METHOD_ACTIVE}, TUNING_COUNT, IN(new_pairs), "a whole number of at least 1", SIZE_MAX},
    {"target", {SNAG_METHOD_ACTIVE}, TUNING_RATIO, IN(target_ratio), "a number above 0, at most 1", SIZE_MAX},
};
enum { TUNINGS = sizeof table / sizeof *table };

const char *tuning_name(size_t index)
{
    return index < TUNINGS ? table[index].name : NULL;
}

static const tuning *find(const char *name)
{
    for (size_t i = 0; i < TUNINGS; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

static bool has(const tuning *t, snag_method method)
{
    return method != SNAG_METHOD_AUTO && (t->methods[0] == method || t->methods[1] == method);
}

bool tuning_belongs(const char *name, snag_method method)
{
    const tuning *t = find(name);
    return t && has(t, method);
}

// ---- values --------------------------------------------------------------------------------------------------------

static bool read_double(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == 0 && isfinite(*number);
}

// A whole number in text[0..length) of a list such as "6, 14".
static bool is_offered(const char *offered, const char *value)
{
    size_t length = strlen(value);
    for (const char *at = offered; at; at = strchr(at, ',')) {
        at += strspn(at, ", ");
        if (strcspn(at, ",") == length && strncmp(at, value, length) == 0)
            return true;
    }
    return false;
}

static bool set_epsilons(const char *text, any_question *q)
{
    uint32_t count = 0;
    double before = INFINITY;
    for (const char *at = text; count < SNAG_REGION_LEVELS;) {
        char *end;
        double epsilon = strtod(at, &end);
        if (end == at || !(epsilon >= 0 && epsilon <= before) || !isfinite(epsilon))
            return false;
        q->epsilon[count++] = before = epsilon;
        if (*end == 0) {
            q->epsilon_count = count;
            q->regions = SNAG_REGIONS_PAPER;
            return true;
        }
        if (*end != ':' && *end != ',')
            return false;
        at = end + 1;
    }
    return false;
}

static bool set_choice(const tuning *t, const char *value, any_question *q)
{
    if (!is_offered(t->offered, value))
        return false;
    if (t->kind == TUNING_MODE)
        q->regularity = value[0] == 'p'   ? SNAG_REGULARITY_PAPER
                        : value[1] == 'e' ? SNAG_REGULARITY_CERTIFIED
                                          : SNAG_REGULARITY_CLASSICAL;
    else {
        q->backend = value[0] == 'c' ? SNAG_BACKEND_CPU : SNAG_BACKEND_GL;
        q->spheres = value[0] == 'p' ? SNAG_SPHERES_PAPER : SNAG_SPHERES_COMPLETE;
    }
    return true;
}

static bool set_number(const tuning *t, const char *value, any_question *q)
{
    double number;
    void *place = (char *)q + t->offset;
    if (!read_double(value, &number))
        return false;
    if (t->kind == TUNING_LENGTH || t->kind == TUNING_POSITIVE || t->kind == TUNING_RATIO) {
        bool good = number > 0 || (number == 0 && t->kind == TUNING_LENGTH);
        *(double *)place = number;
        return good && (t->kind != TUNING_RATIO || number <= 1);
    }
    bool good =
        t->kind == TUNING_CHOICE ? is_offered(t->offered, value) : number >= 1 && number <= UINT32_MAX && floor(number) == number;
    if (strcmp(t->name, "depth") == 0)
        good = good && number <= SNAG_DEPTH_MAX;
    *(uint32_t *)place = good ? (uint32_t)number : 0;
    return good;
}

int tuning_set(const char *before, const char *name, const char *value, any_question *question, words *w)
{
    const tuning *t = find(name);
    if (!t) {
        const char *names[TUNINGS];
        char all[200] = "";
        for (size_t i = 0; i < TUNINGS; i++) {
            names[i] = table[i].name;
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? ", " : "", names[i]);
        }
        const char *nearest = words_nearest(name, names, TUNINGS);
        return words_error(w, "%s: no method has an option \"%s\"%s%s%s; there are: %s", before, name,
                           nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "", all);
    }
    bool good = t->kind == TUNING_EPSILONS                            ? set_epsilons(value, question)
                : t->kind == TUNING_MODE || t->kind == TUNING_BACKEND ? set_choice(t, value, question)
                                                                      : set_number(t, value, question);
    return good ? EXIT_CLEAN : words_error(w, "%s: %s is not offered for %s: give %s", before, value, name, t->offered);
}

// ---- all that were given -------------------------------------------------------------------------------------------

static int take(const options *o, any_question *question, bool others_are_errors, words *w)
{
    for (size_t i = 0; i < TUNINGS; i++) {
        const tuning *t = &table[i];
        const char *value = t->given == SIZE_MAX ? NULL : *(const char *const *)((const char *)o + t->given);
        if (!value)
            continue;
        if (!has(t, question->method)) {
            if (!others_are_errors)
                continue;
            bool two = t->methods[1] != SNAG_METHOD_AUTO;
            return words_error(w, "--%s needs --method %s%s%s", t->name, snag_method_name(t->methods[0]), two ? " or " : "",
                               two ? snag_method_name(t->methods[1]) : "");
        }
        char before[40];
        snprintf(before, sizeof before, "--%s", t->name);
        int result = tuning_set(before, t->name, value, question, w);
        if (result != EXIT_CLEAN)
            return result;
    }
    if (question->epsilon_count > 0 && question->question != SNAG_DISTANCE)
        return words_error(w, "--epsilon needs --question distance");
    return EXIT_CLEAN;
}

int tuning_take(const options *o, any_question *question, words *w)
{
    return take(o, question, true, w);
}

int tuning_take_own(const options *o, any_question *question, words *w)
{
    return take(o, question, false, w);
}
