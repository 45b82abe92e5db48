#include "run.h"

#include "common/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "manual.h"
#include "terminal.h"

enum { LONGEST_PATH = 4096 };

int run_finish_output(int result, words *w)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return words_error(w, "cannot write the result to standard output");
    return result;
}

int run_verb(const verb_description *verb, int (*run)(const options *o, words *w), int count, char **arguments, words *w)
{
    w->verb = verb->name;
    options parsed;
    int result = options_parse(verb, count - 1, arguments + 1, w, &parsed);
    if (result == EXIT_CLEAN && parsed.help)
        manual_print_help(stdout, verb);
    else if (result == EXIT_CLEAN)
        result = run ? run(&parsed, w) : run_beside(verb->name, arguments, w);
    options_free(&parsed);
    return run_finish_output(result, w);
}

int run_program(const char *verb_name, int (*run)(const options *o, words *w), int count, char **arguments)
{
    words w = {.program = count > 0 && arguments[0][0] ? arguments[0] : "snag"};
    if (count > 1 && strcmp(arguments[1], "--version") == 0) {
        printf("snag-%s %s\n", verb_name, snag_version());
        return run_finish_output(EXIT_CLEAN, &w);
    }
    return count > 0 ? run_verb(verb_from_name(verb_name), run, count, arguments, &w) : EXIT_ERROR;
}

int run_beside(const char *verb_name, char **arguments, words *w)
{
    char name[64], folder[LONGEST_PATH], path[LONGEST_PATH + 128];
    snprintf(name, sizeof name, "snag-%s" TERMINAL_PROGRAM_ENDING, verb_name);
    terminal_own_folder(folder, sizeof folder);
    arguments[0] = name;
    fflush(stdout);
    static const char *const places[] = {"%s/%s", "%s/../libexec/snag/%s"};
    for (int i = 0; folder[0] && i < 2; i++) {
        snprintf(path, sizeof path, places[i], folder, name);
        if (sys_access(path, X_OK) == 0) {
            terminal_become(path, arguments, false);
            return words_error(w, "%s: cannot start: %s", path, strerror(errno));
        }
    }
    terminal_become(name, arguments, true);
    if (errno != ENOENT)
        return words_error(w, "%s: cannot start: %s", name, strerror(errno));
    return words_error(w,
                       "cannot find the program %s: not beside snag (%s), not in ../libexec/snag from there, and not in PATH; "
                       "build it from snag's sources with script/build, or with cmake -DSNAG_LAB=ON",
                       name, folder[0] ? folder : "folder unknown");
}
