// snag VERB [options] INPUT...
#include "manual.h"
#include "run.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>

static int unknown_verb(const char *typed, words *w)
{
    const char *names[16];
    size_t count = 0;
    char list[200] = "";
    for (size_t i = 0; i < verb_table_count && count < sizeof names / sizeof names[0]; i++) {
        size_t used = strlen(list);
        names[count++] = verb_table[i].name;
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", verb_table[i].name);
    }
    const char *nearest = words_nearest(typed, names, count);
    if (nearest)
        return words_error(w, "unknown verb \"%s\"; did you mean `snag %s`? (verbs: %s)", typed, nearest, list);
    return words_error(w, "unknown verb \"%s\"; verbs: %s (to check a file: snag check %s)", typed, list, typed);
}

static int print_help(const char *verb_name, words *w)
{
    const verb_description *verb = verb_name ? verb_from_name(verb_name) : NULL;
    if (verb_name && !verb)
        return unknown_verb(verb_name, w);
    if (verb)
        manual_print_help(stdout, verb);
    else
        manual_print_overview(stdout);
    return run_finish_output(EXIT_CLEAN, w);
}

int main(int count, char **arguments)
{
    terminal_begin(&count, &arguments);
    words w = {.program = count > 0 && arguments[0][0] ? arguments[0] : "snag"};
    if (count < 2) {
        manual_print_overview(stderr);
        return EXIT_ERROR;
    }
    const char *first = arguments[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return print_help(NULL, &w);
    if (strcmp(first, "help") == 0)
        return print_help(count > 2 ? arguments[2] : NULL, &w);
    if (strcmp(first, "--version") == 0) {
        printf("snag %s\n", snag_version());
        return run_finish_output(EXIT_CLEAN, &w);
    }
    if (strcmp(first, "manual") == 0)
        return run_finish_output(manual_run(count - 2, arguments + 2, &w), &w);
    if (strcmp(first, "completion") == 0)
        return run_finish_output(manual_run_completion(count - 2, arguments + 2, &w), &w);
    const verb_description *verb = verb_from_name(first);
    if (!verb)
        return unknown_verb(first, &w);
    return run_verb(verb, verb->run, count - 1, arguments + 1, &w);
}
