// Help, manual pages and shell completions, all made from the tables of verbs and options.
#define _POSIX_C_SOURCE 200809L
#include "manual.h"

#include "common/system.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool belongs(const option *o, const verb_description *verb)
{
    return (o->verbs & verb->verb) != 0;
}

// "find" becomes "Find".
static void print_sentence(FILE *out, const char *summary)
{
    fprintf(out, "%c%s.\n", toupper((unsigned char)summary[0]), summary + 1);
}

// ---- help ----------------------------------------------------------------------------------------------------------

// Prints words wrapped to a terminal's width, each line after the first indented. An empty line ends a paragraph.
static void print_wrapped(FILE *out, const char *text, size_t indent)
{
    enum { WIDTH = 100 };
    size_t column = indent;
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (column > indent && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, length, out);
        column += length;
        text += length;
        if (strncmp(text, "\n\n", 2) == 0) {
            fprintf(out, "\n\n%*s", (int)indent, "");
            column = indent;
            text++;
        }
        text += *text != 0;
    }
    fputc('\n', out);
}

// The help text of an option with its default.
static void print_option_words(FILE *out, const option *o, void (*print)(FILE *out, const char *text, size_t indent), size_t indent)
{
    char text[800];
    snprintf(text, sizeof text, "%s%s%s%s", o->help, o->default_text ? " [default: " : "", o->default_text ? o->default_text : "",
             o->default_text ? "]" : "");
    print(out, text, indent);
}

static void print_option(FILE *out, const option *o)
{
    enum { INDENT = 24 };
    char head[120];
    char letter[8] = "";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(head, sizeof head, "  %s--%s%s%s", letter, o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    fprintf(out, "%-*s", INDENT, head);
    if (strlen(head) >= INDENT)
        fprintf(out, "\n%*s", INDENT, "");
    print_option_words(out, o, print_wrapped, INDENT);
}

void manual_print_help(FILE *out, const verb_description *verb)
{
    fprintf(out, "snag %s %s\n", verb->name, verb->usage);
    print_sentence(out, verb->summary);
    fputc('\n', out);
    print_wrapped(out, verb->words, 0);
    fputs("\nOptions:\n", out);
    for (size_t i = 0; i < option_table_count; i++)
        if (belongs(&option_table[i], verb))
            print_option(out, &option_table[i]);
    fprintf(out, "\nExamples:\n%s\n", verb->examples);
}

void manual_print_overview(FILE *out)
{
    fprintf(out, "snag %s finds where deforming meshes collide with each other and with themselves.\n\n", snag_version());
    fputs("  snag VERB [options] INPUT...\n\n", out);
    for (size_t i = 0; i < verb_table_count; i++)
        fprintf(out, "  %-11s%s\n", verb_table[i].name, verb_table[i].summary);
    fputs("  manual     print a page for man(1): snag manual [VERB]\n"
          "  completion print shell completions: snag completion bash|zsh|fish\n",
          out);
    fputs("\nFor details: snag VERB --help. Exit code: 0 clean, 1 contacts found, 2 error.\n"
          "Results go to stdout, messages to stderr; --json prints one JSON object.\n",
          out);
}

// ---- manual pages --------------------------------------------------------------------------------------------------

// Text in roff: its special characters are escaped, `words` in backticks are bold.
static void put_roff(FILE *out, const char *text)
{
    bool bold = false, line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        line_start = *text == '\n';
        switch (*text) {
        case '\\': fputs("\\e", out); break;
        case '-': fputs("\\-", out); break;
        case '`':
            bold = !bold;
            fputs(bold ? "\\fB" : "\\fR", out);
            break;
        default: fputc(*text, out);
        }
    }
}

static void put_roff_paragraphs(FILE *out, const char *text, size_t indent)
{
    (void)indent;
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        char *paragraph = sys_strndup(text, length);
        if (paragraph)
            put_roff(out, paragraph);
        free(paragraph);
        fputs(end ? "\n.PP\n" : "\n", out);
        text += length + (end ? 2 : 0);
    }
}

static void put_roff_option(FILE *out, const option *o)
{
    fputs(".TP\n", out);
    if (o->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", out);
    put_roff(out, o->name);
    fputs("\\fR", out);
    if (o->argument) {
        fputs(" \\fI", out);
        put_roff(out, o->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    print_option_words(out, o, put_roff_paragraphs, 0);
}

static void put_roff_head(FILE *out, const char *name, const char *summary)
{
    char title[64];
    snprintf(title, sizeof title, "%s", name);
    for (char *c = title; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    fprintf(out, ".TH %s 1 \"\" \"snag %s\" \"User commands\"\n.SH NAME\n", title, snag_version());
    put_roff(out, name);
    fputs(" \\- ", out);
    put_roff(out, summary);
    fputs("\n.SH SYNOPSIS\n", out);
}

static void put_roff_examples(FILE *out, const char *examples)
{
    fputs(".SH EXAMPLES\n.nf\n", out);
    put_roff(out, examples);
    fputs("\n.fi\n", out);
}

static void put_see_also(FILE *out, const verb_description *verb)
{
    const char *separator = "";
    fputs(".SH SEE ALSO\n", out);
    if (verb) {
        fputs("\\fBsnag\\fR(1)", out);
        separator = ", ";
    }
    for (size_t i = 0; i < verb_table_count; i++)
        if (&verb_table[i] != verb) {
            fprintf(out, "%s\\fBsnag\\-%s\\fR(1)", separator, verb_table[i].name);
            separator = ", ";
        }
    fputc('\n', out);
}

static void put_exit_status(FILE *out)
{
    fputs(".SH EXIT STATUS\n.TP\n0\nclean\n.TP\n1\ncontacts found (\\fBcheck\\fR)\n.TP\n2\nan error, or nothing found in an "
          "incomplete search\n",
          out);
}

static void print_verb_page(FILE *out, const verb_description *verb)
{
    char name[64];
    snprintf(name, sizeof name, "snag-%s", verb->name);
    put_roff_head(out, name, verb->summary);
    fprintf(out, "\\fBsnag %s\\fR ", verb->name);
    put_roff(out, verb->usage);
    fputs("\n.SH DESCRIPTION\n", out);
    put_roff_paragraphs(out, verb->words, 0);
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < option_table_count; i++)
        if (belongs(&option_table[i], verb))
            put_roff_option(out, &option_table[i]);
    put_roff_examples(out, verb->examples);
    put_see_also(out, verb);
}

static void print_program_page(FILE *out)
{
    put_roff_head(out, "snag", "find where deforming meshes collide with each other and with themselves");
    fputs("\\fBsnag\\fR \\fIVERB\\fR [options] \\fIINPUT\\fR...\n.SH DESCRIPTION\n"
          "Results go to standard output, messages to standard error. \\fB\\-\\-json\\fR prints one JSON object.\n"
          "\\fBsnag\\fR \\fIVERB\\fR \\fB\\-\\-help\\fR lists the options of a verb.\n.SH VERBS\n",
          out);
    for (size_t i = 0; i < verb_table_count; i++) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", verb_table[i].name);
        put_roff(out, verb_table[i].summary);
        fprintf(out, ", see \\fBsnag\\-%s\\fR(1)\n", verb_table[i].name);
    }
    fputs(".TP\n\\fBmanual\\fR [\\fIVERB\\fR]\nprint a manual page\n"
          ".TP\n\\fBcompletion\\fR \\fBbash\\fR|\\fBzsh\\fR|\\fBfish\\fR\nprint shell completions\n",
          out);
    put_exit_status(out);
    put_roff_examples(out, verb_table[0].examples);
    put_see_also(out, NULL);
}

void manual_print_page(FILE *out, const verb_description *verb)
{
    if (verb)
        print_verb_page(out, verb);
    else
        print_program_page(out);
}

static int write_page(const char *folder, const verb_description *verb, words *w)
{
    char path[1200];
    int length = snprintf(path, sizeof path, "%s/snag%s%s.1", folder, verb ? "-" : "", verb ? verb->name : "");
    FILE *out = length > 0 && (size_t)length < sizeof path ? sys_fopen(path, "w") : NULL;
    if (!out)
        return words_error(w, "%s: cannot write", path);
    manual_print_page(out, verb);
    bool failed = ferror(out) != 0;
    failed |= fclose(out) != 0;
    return failed ? words_error(w, "%s: cannot write", path) : EXIT_CLEAN;
}

int manual_run(int count, char **arguments, words *w)
{
    if (count == 2 && strcmp(arguments[0], "--all") == 0) {
        int result = write_page(arguments[1], NULL, w);
        for (size_t i = 0; i < verb_table_count && result == EXIT_CLEAN; i++)
            result = write_page(arguments[1], &verb_table[i], w);
        return result;
    }
    const verb_description *verb = count == 1 ? verb_from_name(arguments[0]) : NULL;
    if (count > 1 || (count == 1 && !verb))
        return words_error(w, "usage: snag manual [VERB], or snag manual --all FOLDER (`snag --help` lists the verbs)");
    manual_print_page(stdout, verb);
    return EXIT_CLEAN;
}
