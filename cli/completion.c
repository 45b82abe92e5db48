// Completions for bash, zsh and fish, made from the tables of verbs and options.
#include "manual.h"

#include <string.h>

// The kind of value an option takes, as far as a shell can complete it.
typedef enum value_kind { VALUE_NONE, VALUE_CHOICE, VALUE_FILE, VALUE_FOLDER, VALUE_OTHER } value_kind;

static value_kind value_of(const option *o, option_choices *choices)
{
    option_list_choices(o, choices);
    if (!o->argument)
        return VALUE_NONE;
    if (choices->count)
        return VALUE_CHOICE;
    if (strstr(o->argument, "FOLDER"))
        return VALUE_FOLDER;
    return strstr(o->argument, "FILE") ? VALUE_FILE : VALUE_OTHER;
}

static void put_choices(FILE *out, const option_choices *choices)
{
    for (size_t i = 0; i < choices->count; i++)
        fprintf(out, "%s%s", i ? " " : "", choices->words[i]);
}

static void put_verbs(FILE *out)
{
    for (size_t i = 0; i < verb_table_count; i++)
        fprintf(out, "%s ", verb_table[i].name);
    fputs("help manual completion", out);
}

// Text within single quotes of a shell; characters in `special` are escaped with a backslash.
static void put_quoted(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, "%s%c", strchr(special, *text) ? "\\" : "", *text);
    }
}

// ---- bash ----------------------------------------------------------------------------------------------------------

static void put_bash_values(FILE *out, const verb_description *verb)
{
    for (size_t i = 0; i < option_table_count; i++) {
        const option *o = &option_table[i];
        option_choices choices;
        value_kind kind = value_of(o, &choices);
        if (!(o->verbs & verb->verb) || kind == VALUE_NONE)
            continue;
        fprintf(out, "        %s:--%s", verb->name, o->name);
        if (o->letter)
            fprintf(out, "|%s:-%c", verb->name, o->letter);
        fputs(") ", out);
        if (kind == VALUE_CHOICE) {
            fputs("COMPREPLY=($(compgen -W '", out);
            put_choices(out, &choices);
            fputs("' -- \"$word\"))", out);
        } else if (kind == VALUE_FOLDER) {
            fputs("COMPREPLY=($(compgen -d -- \"$word\"))", out);
        } else if (kind == VALUE_FILE) {
            fputs("COMPREPLY=($(compgen -f -- \"$word\"))", out);
        } else {
            fputs("COMPREPLY=()", out);
        }
        fputs("; return ;;\n", out);
    }
}

static void put_bash(FILE *out)
{
    fputs("# bash completion for snag; made by `snag completion bash`\n"
          "_snag()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W '",
          out);
    put_verbs(out);
    fputs(" --help --version' -- \"$word\"))\n        return\n    fi\n    case $verb:$before in\n", out);
    for (size_t i = 0; i < verb_table_count; i++)
        put_bash_values(out, &verb_table[i]);
    fputs("    esac\n    case $verb:$word in\n", out);
    for (size_t v = 0; v < verb_table_count; v++) {
        fprintf(out, "        %s:-*) COMPREPLY=($(compgen -W '", verb_table[v].name);
        for (size_t i = 0; i < option_table_count; i++)
            if (option_table[i].verbs & verb_table[v].verb)
                fprintf(out, "--%s ", option_table[i].name);
        fputs("' -- \"$word\")) ;;\n", out);
    }
    fputs("        help:*|manual:*) COMPREPLY=($(compgen -W '", out);
    for (size_t i = 0; i < verb_table_count; i++)
        fprintf(out, "%s ", verb_table[i].name);
    fputs("' -- \"$word\")) ;;\n"
          "        completion:*) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")) ;;\n"
          "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
          "    esac\n}\n"
          "complete -o filenames -F _snag snag\n",
          out);
}

// ---- zsh -----------------------------------------------------------------------------------------------------------

static void put_zsh_option(FILE *out, const option *o)
{
    option_choices choices;
    value_kind kind = value_of(o, &choices);
    fprintf(out, "                '%s--%s%s[", o->kind == OPTION_TEXTS ? "*" : "", o->name, kind == VALUE_NONE ? "" : "=");
    put_quoted(out, o->help, "[]:\\");
    fputc(']', out);
    if (kind != VALUE_NONE) {
        fputc(':', out);
        put_quoted(out, kind == VALUE_CHOICE ? o->name : o->argument, "[]:\\");
        fputc(':', out);
    }
    if (kind == VALUE_CHOICE) {
        fputc('(', out);
        put_choices(out, &choices);
        fputc(')', out);
    } else if (kind == VALUE_FILE || kind == VALUE_FOLDER) {
        fputs(kind == VALUE_FILE ? "_files" : "_files -/", out);
    }
    fputs("' \\\n", out);
}

static void put_zsh(FILE *out)
{
    fputs("#compdef snag\n# zsh completion for snag; made by `snag completion zsh`\n"
          "_snag()\n{\n    local -a verbs\n    verbs=(\n",
          out);
    for (size_t i = 0; i < verb_table_count; i++) {
        fprintf(out, "        '%s:", verb_table[i].name);
        put_quoted(out, verb_table[i].summary, ":\\");
        fputs("'\n", out);
    }
    fputs("        'help:print help'\n        'manual:print a page for man(1)'\n"
          "        'completion:print shell completions'\n    )\n"
          "    if (( CURRENT == 2 )); then\n        _describe verb verbs\n        return\n    fi\n"
          "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $verb in\n",
          out);
    for (size_t v = 0; v < verb_table_count; v++) {
        fprintf(out, "        %s)\n            _arguments \\\n", verb_table[v].name);
        for (size_t i = 0; i < option_table_count; i++)
            if (option_table[i].verbs & verb_table[v].verb)
                put_zsh_option(out, &option_table[i]);
        fputs("                '*:input:_files' ;;\n", out);
    }
    fputs("        help|manual) _describe verb verbs ;;\n"
          "        completion) _values shell bash zsh fish ;;\n"
          "    esac\n}\n_snag \"$@\"\n",
          out);
}

// ---- fish ----------------------------------------------------------------------------------------------------------

static void put_fish_option(FILE *out, const verb_description *verb, const option *o)
{
    option_choices choices;
    value_kind kind = value_of(o, &choices);
    fprintf(out, "complete -c snag -n '__fish_seen_subcommand_from %s' -l %s", verb->name, o->name);
    if (o->letter)
        fprintf(out, " -s %c", o->letter);
    if (kind == VALUE_CHOICE) {
        fputs(" -x -a '", out);
        put_choices(out, &choices);
        fputc('\'', out);
    } else if (kind == VALUE_FOLDER) {
        fputs(" -x -a '(__fish_complete_directories)'", out);
    } else if (kind != VALUE_NONE) {
        fputs(kind == VALUE_FILE ? " -r" : " -x", out);
    }
    fputs(" -d '", out);
    // Within single quotes fish knows only \' and \\.
    for (const char *c = o->help; *c; c++)
        fprintf(out, "%s%c", *c == '\'' || *c == '\\' ? "\\" : "", *c);
    fputs("'\n", out);
}

static void put_fish(FILE *out)
{
    fputs("# fish completion for snag; made by `snag completion fish`\n", out);
    for (size_t v = 0; v < verb_table_count; v++) {
        fprintf(out, "complete -c snag -n __fish_use_subcommand -f -a %s -d '", verb_table[v].name);
        for (const char *c = verb_table[v].summary; *c; c++)
            fprintf(out, "%s%c", *c == '\'' || *c == '\\' ? "\\" : "", *c);
        fputs("'\n", out);
        for (size_t i = 0; i < option_table_count; i++)
            if (option_table[i].verbs & verb_table[v].verb)
                put_fish_option(out, &verb_table[v], &option_table[i]);
    }
    fputs("complete -c snag -n __fish_use_subcommand -f -a 'help manual completion'\n"
          "complete -c snag -n '__fish_seen_subcommand_from completion' -x -a 'bash zsh fish'\n",
          out);
}

int manual_run_completion(int count, char **arguments, words *w)
{
    static const struct {
        const char *name;
        void (*put)(FILE *out);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    for (size_t i = 0; count == 1 && i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(arguments[0], shells[i].name) == 0) {
            shells[i].put(stdout);
            return EXIT_CLEAN;
        }
    return words_error(w, "usage: snag completion bash|zsh|fish");
}
