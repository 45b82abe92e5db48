// Parses the arguments after a verb by the table of options.
#include "options.h"

#include "progress.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// More threads than any machine has; a larger number is a typo.
#define MOST_THREADS 4096

const verb_description *verb_from_name(const char *name)
{
    for (size_t i = 0; i < verb_table_count; i++)
        if (strcmp(verb_table[i].name, name) == 0)
            return &verb_table[i];
    return NULL;
}

static void set_defaults(options *o)
{
    *o = (options){
        .self = true,
        .between = true,
        .frames = {0, SIZE_MAX},
        .frame_count = 48,
        .distance = -1,
        .max_depth = -1,
        .max_contacts = SIZE_MAX,
        .tolerance = -1,
        .separation = -1,
        .size = 1,
        .response_ratio = 1,
        .out = "demo-out",
        .repro_out = "repro-out",
        .scene = "cloth-ball",
    };
}

void options_free(options *o)
{
    // Every list the table knows, so that a new option cannot be forgotten here; rows that share a list free NULL the second time.
    for (const option *row = option_table; row < option_table + option_table_count; row++)
        if (row->kind == OPTION_TEXTS) {
            text_list *list = (text_list *)((char *)o + row->offset);
            free(list->items);
            *list = (text_list){0};
        }
    free(o->inputs.items);
    *o = (options){0};
}

static bool append(text_list *list, const char *text)
{
    if (!words_grow((void **)&list->items, &list->capacity, list->count + 1, sizeof list->items[0]))
        return false;
    list->items[list->count++] = text;
    return true;
}

// ---- values --------------------------------------------------------------------------------------------------------

static bool read_count(const char *text, size_t *value)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (*end || errno || number > SIZE_MAX)
        return false;
    *value = (size_t)number;
    return true;
}

static bool read_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == 0 && isfinite(*value);
}

// "500" and "500us" are microseconds; also ms, s and min. At least one microsecond, and less than a year.
static bool read_time(const char *text, size_t *microseconds)
{
    static const struct {
        const char *name;
        double microseconds;
    } units[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"min", 6e7}, {"", 1}};
    char *end;
    double number = strtod(text, &end);
    if (end == text || !isdigit((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].name) != 0)
            continue;
        double exact = number * units[i].microseconds;
        *microseconds = exact >= 1 && exact < 3e13 ? (size_t)exact : 0;
        return *microseconds > 0 && (end[0] || exact == (double)*microseconds);
    }
    return false;
}

// "500M" or "4G"; also K and T, and bytes without a letter.
static bool read_bytes(const char *text, size_t *bytes)
{
    static const char letters[] = "KMGT";
    char *end;
    double number = strtod(text, &end);
    if (end == text || !isdigit((unsigned char)text[0]))
        return false;
    const char *letter = *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;
    if (*end && (!letter || end[1]))
        return false;
    for (const char *l = letters; letter && l <= letter; l++)
        number *= 1024;
    *bytes = number >= 1 && number < 9e18 ? (size_t)number : 0;
    return *bytes > 0;
}

// "a:b", "a:", ":b" or "n". False if it is none of them; a backward range has first > last.
static bool read_range(const char *text, frame_range *range)
{
    char first[32];
    const char *colon = strchr(text, ':');
    if (!colon) {
        if (!read_count(text, &range->first))
            return false;
        range->last = range->first;
        return true;
    }
    if ((size_t)(colon - text) >= sizeof first || (colon == text && colon[1] == 0))
        return false;
    memcpy(first, text, (size_t)(colon - text));
    first[colon - text] = 0;
    range->first = 0;
    range->last = SIZE_MAX;
    return (!first[0] || read_count(first, &range->first)) && (!colon[1] || read_count(colon + 1, &range->last));
}

void option_list_choices(const option *o, option_choices *choices)
{
    enum { MOST = sizeof choices->words / sizeof choices->words[0] };
    choices->count = 0;
    if (o->kind == OPTION_QUESTION)
        for (int i = 0; i < SNAG_QUESTION_COUNT; i++)
            choices->words[choices->count++] = snag_question_name((snag_question)i);
    if (o->kind == OPTION_METHOD)
        for (int i = 0; i < SNAG_METHOD_COUNT; i++)
            choices->words[choices->count++] = snag_method_name((snag_method)i);
    if (!o->argument || !strchr(o->argument, '|'))
        return;
    snprintf(choices->room, sizeof choices->room, "%s", o->argument);
    for (char *word = choices->room; word && choices->count < MOST;) {
        char *bar = strchr(word, '|');
        if (bar)
            *bar = 0;
        choices->words[choices->count++] = word;
        word = bar ? bar + 1 : NULL;
    }
}

static int unknown_choice(words *w, const option *o, const char *typed)
{
    option_choices choices;
    option_list_choices(o, &choices);
    const char *nearest = words_nearest(typed, choices.words, choices.count);
    char list[400] = "";
    for (size_t i = 0; i < choices.count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", choices.words[i]);
    }
    if (nearest)
        return words_error(w, "unknown %s \"%s\"; did you mean %s? (choices: %s)", o->name, typed, nearest, list);
    return words_error(w, "unknown %s \"%s\"; choices: %s", o->name, typed, list);
}

static bool is_choice(const option *o, const char *text)
{
    option_choices choices;
    option_list_choices(o, &choices);
    for (size_t i = 0; i < choices.count; i++)
        if (strcmp(choices.words[i], text) == 0)
            return true;
    return choices.count == 0;
}

static int read_threads(words *w, const char *text, uint32_t *threads)
{
    size_t count;
    if (!read_count(text, &count) || count > MOST_THREADS)
        return words_error(w, "--threads: \"%s\" is not a number of threads; give 0 (one per processor) to %d", text, MOST_THREADS);
    *threads = (uint32_t)count;
    return EXIT_CLEAN;
}

static int read_frames(words *w, const char *text, frame_range *range)
{
    if (!read_range(text, range))
        return words_error(w, "--frames: \"%s\" is not a range of frames; give A:B, A:, :B or N, counted from 0", text);
    if (range->first > range->last)
        return words_error(w, "--frames: %s is backward; did you mean %zu:%zu?", text, range->last, range->first);
    return EXIT_CLEAN;
}

static void set_switch(const option *o, options *parsed)
{
    *(bool *)((char *)parsed + o->offset) = o->kind == OPTION_ON;
}

static int set_value(const option *o, const char *text, words *w, options *parsed)
{
    void *place = (char *)parsed + o->offset;
    switch (o->kind) {
    case OPTION_ON:
    case OPTION_OFF: break;  // these take no value
    case OPTION_TEXT:
        if (!text[0])
            return words_error(w, "--%s: empty value; give %s", o->name, o->argument);
        if (!is_choice(o, text))
            return unknown_choice(w, o, text);
        *(const char **)place = text;
        return EXIT_CLEAN;
    case OPTION_TEXTS: return append(place, text) ? EXIT_CLEAN : words_out_of_memory(w);
    case OPTION_THREADS: return read_threads(w, text, place);
    case OPTION_COUNT:
        if (!read_count(text, place) || *(size_t *)place == 0)
            return words_error(w, "--%s: \"%s\" is not a whole number of at least 1", o->name, text);
        return EXIT_CLEAN;
    case OPTION_WHOLE:
        return read_count(text, place) ? EXIT_CLEAN : words_error(w, "--%s: \"%s\" is not a whole number", o->name, text);
    case OPTION_TIME:
        if (!read_time(text, place))
            return words_error(w, "--%s: \"%s\" is not a time; give microseconds, or a number with us, ms, s or min", o->name,
                               text);
        return EXIT_CLEAN;
    case OPTION_BYTES:
        if (!read_bytes(text, place))
            return words_error(w, "--%s: \"%s\" is not a size; give a number with K, M or G, such as 4G", o->name, text);
        return EXIT_CLEAN;
    case OPTION_RANGE: return read_frames(w, text, place);
    case OPTION_RATIO: {
        double number;
        if (!read_number(text, &number) || number <= 0 || number > 1)
            return words_error(w, "--%s: \"%s\" is not a fraction: give a number above 0, at most 1", o->name, text);
        *(double *)place = number;
        return EXIT_CLEAN;
    }
    case OPTION_LENGTH:
    case OPTION_POSITIVE: {
        double number;
        bool with_zero = o->kind == OPTION_LENGTH;
        if (!read_number(text, &number) || number < 0 || (number == 0 && !with_zero))
            return words_error(w, "--%s: \"%s\" is not a number %s", o->name, text, with_zero ? "of 0 or more" : "above 0");
        *(double *)place = number;
        return EXIT_CLEAN;
    }
    case OPTION_QUESTION:
        parsed->question_given = snag_question_from_name(text, place);
        return parsed->question_given ? EXIT_CLEAN : unknown_choice(w, o, text);
    case OPTION_METHOD: return snag_method_from_name(text, place) ? EXIT_CLEAN : unknown_choice(w, o, text);
    }
    return EXIT_ERROR;
}

// ---- parsing -------------------------------------------------------------------------------------------------------

static const option *find_option(const verb_description *verb, const char *name, size_t length)
{
    for (size_t i = 0; i < option_table_count; i++) {
        const option *o = &option_table[i];
        if (o->verbs & verb->verb && strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    }
    return NULL;
}

static const option *find_letter(const verb_description *verb, char letter)
{
    for (size_t i = 0; i < option_table_count; i++)
        if (option_table[i].verbs & verb->verb && option_table[i].letter == letter)
            return &option_table[i];
    return NULL;
}

static int unknown_option(const verb_description *verb, const char *argument, words *w)
{
    char name[64];
    const char *begin = argument + strspn(argument, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(begin, "="), begin);
    enum { MOST = 100 };  // options of one verb
    const char *names[MOST];
    size_t count = 0;
    for (size_t i = 0; i < option_table_count && count < MOST; i++)
        if (option_table[i].verbs & verb->verb)
            names[count++] = option_table[i].name;
    for (size_t i = 0; i < option_table_count; i++)
        for (size_t v = 0; v < verb_table_count; v++)
            if (strcmp(option_table[i].name, name) == 0 && option_table[i].verbs & verb_table[v].verb)
                return words_error(w, "--%s is an option of `snag %s`, not of `snag %s`", name, verb_table[v].name, verb->name);
    const char *nearest = words_nearest(name, names, count);
    if (nearest)
        return words_error(w, "unknown option %s; did you mean --%s? (`snag %s --help` lists all)", argument, nearest, verb->name);
    return words_error(w, "unknown option %s; `snag %s --help` lists all (for a file of that name: ./%s)", argument, verb->name,
                       argument);
}

// Parses the option at arguments[*at]; advances *at past a value in its own argument.
static int parse_option(const verb_description *verb, int count, char **arguments, int *at, words *w, options *parsed)
{
    const char *argument = arguments[*at];
    bool is_long = argument[1] == '-';
    const char *equals = is_long ? strchr(argument, '=') : NULL;
    const option *o;
    if (is_long)
        o = find_option(verb, argument + 2, equals ? (size_t)(equals - argument - 2) : strlen(argument + 2));
    else
        o = argument[2] ? NULL : find_letter(verb, argument[1]);
    if (!o)
        return unknown_option(verb, argument, w);
    if (!o->argument) {
        if (equals)
            return words_error(w, "--%s takes no value", o->name);
        set_switch(o, parsed);
        return EXIT_CLEAN;
    }
    if (equals)
        return set_value(o, equals + 1, w, parsed);
    // A value may begin with one dash (a negative number gets a clear error), but two dashes are the next option.
    if (*at + 1 >= count || strncmp(arguments[*at + 1], "--", 2) == 0)
        return words_error(w, "--%s needs a value: --%s %s", o->name, o->name, o->argument);
    return set_value(o, arguments[++*at], w, parsed);
}

static int check_inputs(const verb_description *verb, words *w, const options *parsed)
{
    if (parsed->help)
        return EXIT_CLEAN;
    if (verb->needs_input && parsed->inputs.count == 0)
        return words_error(w, "no input; give a mesh file or a folder (`snag %s --help` has examples)", verb->name);
    if (!verb->takes_input && parsed->inputs.count > 0)
        return words_error(w, "unexpected input \"%s\" (see `snag %s --help`)", parsed->inputs.items[0], verb->name);
    return EXIT_CLEAN;
}

int options_parse(const verb_description *verb, int count, char **arguments, words *w, options *parsed)
{
    set_defaults(parsed);
    parsed->started = progress_seconds();
    parsed->arguments = arguments;
    parsed->argument_count = count;
    bool only_inputs = false;
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        int result = EXIT_CLEAN;
        if (!only_inputs && strcmp(argument, "--") == 0)
            only_inputs = true;
        else if (!only_inputs && argument[0] == '-' && argument[1])
            result = parse_option(verb, count, arguments, &i, w, parsed);
        else if (!argument[0])
            result = words_error(w, "empty input name");
        else if (!append(&parsed->inputs, argument))
            result = words_out_of_memory(w);
        if (result != EXIT_CLEAN)
            return result;
    }
    w->quiet = parsed->quiet;
    return check_inputs(verb, w, parsed);
}
