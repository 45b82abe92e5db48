// The verbs and options of the tool: one table each, and what is read from them.
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(options, member)
#define ALL_VERBS (VERB_CHECK | VERB_INFO | VERB_DEMO | VERB_BENCH)

// More threads than any machine this runs on; a larger number is a slip of the finger.
#define MOST_THREADS 4096

const option option_table[] = {
    {"question", 0, "NAME", VERB_CHECK, OPTION_QUESTION, AT(question),
     "what to ask: intersections, proximities, penetrations, impacts, distance or overlaps",
     "penetrations if a body has tetrahedra, else intersections"},
    {"question", 0, "NAME", VERB_BENCH, OPTION_QUESTION, AT(question),
     "surfaces: measure this question only: intersections, proximities, impacts, distance or overlaps", "all"},
    {"method", 0, "NAME", VERB_CHECK | VERB_DEMO, OPTION_METHOD, AT(method),
     "how to search: brute, hash, regions, kdop, active, regularity, spheres or auto (snag info lists what answers "
     "what)",
     "auto"},
    {"method", 0, "NAME", VERB_BENCH, OPTION_METHOD, AT(method),
     "surfaces: measure this method only (snag info lists what answers what)", "all that answer"},
    {"distance", 0, "D", VERB_CHECK, OPTION_LENGTH, AT(distance),
     "proximities: list pairs at this distance or closer; distance: bodies this close count as contacts",
     "proximities: 1/1000 of the scene's diagonal; distance: 0"},
    {"distance", 0, "D", VERB_BENCH, OPTION_LENGTH, AT(distance), "surfaces: how close a pair of proximities is",
     "a tenth of the mean edge"},
    {"every-pair", 0, NULL, VERB_CHECK, OPTION_ON, AT(every_pair),
     "proximities: list every vertex-triangle and edge-edge pair, not each contact of features once", NULL},
    {"edges", 0, NULL, VERB_CHECK, OPTION_ON, AT(edges),
     "penetrations: also list edges that pass through a tetrahedron with neither end in it", NULL},
    {"tolerance", 0, "D", VERB_CHECK, OPTION_POSITIVE, AT(tolerance),
     "impacts: how far before the true contact a reported time may lie, as a length", "1e-6 of the scene's diagonal"},
    {"separation", 0, "D", VERB_CHECK, OPTION_LENGTH, AT(separation),
     "impacts: report when a gap falls to this, not only at 0", "0"},
    {"target", 0, "R", VERB_CHECK, OPTION_RATIO, AT(target),
     "active: find about this part of all contacts, 0 to 1", "as many as come up"},
    {"regularity", 0, "MODE", VERB_CHECK, OPTION_TEXT, AT(regularity),
     "regularity: certified (complete), paper (without the contour test: contacts may be missing) or classical (boxes alone)",
     "certified"},
    {"directions", 0, "N", VERB_CHECK, OPTION_COUNT, AT(directions), "regularity: directions to sample: 6, 12, 32 or 62", "32"},
    {"new-pairs", 0, "N", VERB_CHECK, OPTION_COUNT, AT(new_pairs), "active: how many pairs to start in each step", "200"},
    {"seed", 0, "N", VERB_CHECK, OPTION_COUNT, AT(seed), "active: the same number, the same pairs", "1"},
    {"budget", 0, "US", VERB_CHECK, OPTION_COUNT, AT(budget_us),
     "active: the microseconds that a step may take", "no limit"},
    {"pure", 0, NULL, VERB_CHECK, OPTION_ON, AT(pure), "active: start pairs anywhere, without a tree", NULL},
    {"self", 0, NULL, VERB_CHECK, OPTION_ON, AT(self), "look for contacts of a body with itself", "on"},
    {"no-self", 0, NULL, VERB_CHECK, OPTION_OFF, AT(self), "leave out contacts of a body with itself", NULL},
    {"between", 0, NULL, VERB_CHECK, OPTION_ON, AT(between), "look for contacts between bodies", "on"},
    {"no-between", 0, NULL, VERB_CHECK, OPTION_OFF, AT(between), "leave out contacts between bodies", NULL},
    {"sequence", 0, NULL, VERB_CHECK | VERB_INFO | VERB_BENCH, OPTION_ON, AT(sequence),
     "the inputs are the frames of one scene: files in the order given, a pattern ('cloth_*.obj', cloth_%04d.obj) or a "
     "folder of numbered files",
     NULL},
    {"cache", 0, "NAME=FILE", VERB_CHECK | VERB_INFO, OPTION_TEXTS, AT(caches),
     "move the body NAME by the cache FILE (PC2, MDD); may be given again", NULL},
    {"frames", 0, "A:B", VERB_CHECK | VERB_BENCH, OPTION_RANGE, AT(frames),
     "look at frames A to B only, both included, counted from 0; also A:, :B and N", "all"},
    {"weld", 0, NULL, VERB_CHECK | VERB_INFO, OPTION_ON, AT(weld),
     "vertices with equal coordinates count as one, for triangle soups (STL files always are welded)", NULL},
    {"pairs", 0, "FILE.csv", VERB_CHECK, OPTION_TEXT, AT(pairs), "write a line for each contact to FILE.csv", NULL},
    {"scene", 0, "NAME", VERB_DEMO, OPTION_TEXT, AT(scene), "which scene to simulate", "cloth-ball"},
    {"scene", 0, "NAMES", VERB_BENCH, OPTION_TEXT, AT(bench_scene),
     "which scenes to measure. surfaces: sphere, pair, sheet, cloth-ball, cloth-twist, alone (10k and 100k triangles) or with "
     "a size (sheet-100k, sphere-1M), or a mesh file or folder; tets: letters of A to E, the setups of the spatial "
     "hashing paper, and M, a million tetrahedra",
     "all"},
    {"repeat", 0, "N", VERB_BENCH, OPTION_COUNT, AT(repeat), "surfaces: replay each scene so often",
     "up to 5 times, in some seconds"},
    {"frames", 0, "N", VERB_DEMO, OPTION_COUNT, AT(frame_count), "how many frames to simulate, 24 to a second", "48"},
    {"size", 0, "X", VERB_DEMO, OPTION_POSITIVE, AT(size),
     "how fine the scene is: the number of elements grows in proportion to it", "1"},
    {"out", 'o', "FOLDER", VERB_DEMO, OPTION_TEXT, AT(out), "where to write the sequence", "demo-out"},
    {"threads", 0, "N", ALL_VERBS, OPTION_THREADS, AT(threads), "how many threads to use; 0: one for each processor",
     "0"},
    {"json", 0, NULL, ALL_VERBS, OPTION_ON, AT(json), "print one JSON object instead of words", NULL},
    {"quiet", 'q', NULL, ALL_VERBS, OPTION_ON, AT(quiet), "no progress bar, no notes: only the result, and errors",
     NULL},
    {"help", 'h', NULL, ALL_VERBS, OPTION_ON, AT(help), "print this help", NULL},
};
const size_t option_table_count = sizeof option_table / sizeof option_table[0];

const verb_description verb_table[] = {
    {"check", VERB_CHECK, "[options] INPUT...", "find where meshes catch on each other and on themselves",
     "Each mesh file (.obj .ply .off .stl .msh .mesh .vtk) is one body, or several if it is an OBJ whose objects share "
     "no\n"
     "vertex. A cache file (.pc2 .mdd) moves the mesh before it. A folder that holds one mesh file and NAME.pc2 files "
     "is a\n"
     "scene that moves. Two mesh files are two bodies, or with --sequence two frames of one scene.\n"
     "\n"
     "For impacts each two frames that follow one another are a move; the move from frame k to k + 1 is reported as "
     "frame\n"
     "k + 1, so a scene of n frames has n - 1 of them. With --frames A:B they are the moves among the frames A to B.\n"
     "A body whose cache ends before the scene does rests at its last frame.\n"
     "\n"
     "Elements are numbered as in their file, from 0: v7, e3-9 (an edge by its vertices), t12 (a face; the boundary\n"
     "triangle of a volume), k5 (a tetrahedron). A polygon counts as one face, however many triangles it was split "
     "into.\n"
     "\n"
     "Exit code: 0 clean, 1 contacts found, 2 error. The question `distance` lists every two bodies and ends with 1 if "
     "any\n"
     "two are at distance 0 (or at the distance given by --distance, or closer).",
     "  snag check dress.obj                              does the dress cut through itself?\n"
     "  snag check body.obj body.pc2 dress.obj dress.pc2  a dress on a body that moves\n"
     "  snag check --pairs contacts.csv scene-folder      every contact of every frame, as a table\n"
     "  snag check --question distance cup.ply hand.ply   how far apart, and where\n"
     "  snag check --question impacts --sequence before.ply after.ply\n"
     "                                                    what meets on the way from one frame to the next\n"
     "  snag check --question proximities --method active --budget 500 scene-folder\n"
     "                                                    what can be found in half a millisecond a frame\n"
     "  snag check --json --frames 10:20 scene-folder     for scripts",
     true, true},
    {"info", VERB_INFO, "[options] [INPUT...]", "describe meshes and caches, and what is wrong with them",
     "Counts, box, mean edge length, whether a mesh is closed and of how many parts, and what the mesh check finds. A "
     "mesh\n"
     "that a cache moves is described at its first frame. Without an input: the version, the threads, the instruction "
     "set\n"
     "and which method answers which question.\n"
     "\n"
     "Exit code: 0, whatever the mesh check finds; 2 error.",
     "  snag info dress.obj\n"
     "  snag info --json scene-folder\n"
     "  snag info",
     false, true},
    {"demo", VERB_DEMO, "[options]", "simulate a scene, check it frame by frame, and write it to a folder",
     "The folder then holds mesh_00.obj and a NAME.pc2 for each body, which other programs can open and `snag check "
     "FOLDER`\n"
     "reads; contacts.csv with a line for each contact; and demo.txt, the list of what was written. A demo replaces "
     "only\n"
     "files that an earlier demo wrote there.\n"
     "\n"
     "Exit code: 0, although contacts are found: that is what it shows; 2 error.",
     "  snag demo\n"
     "  snag demo --frames 24 --out falling\n"
     "  snag check demo-out",
     false, false},
    {"bench", VERB_BENCH, "surfaces|tets [options] [INPUT...]",
     "measure questions beside their limits and the papers' own ways",
     "surfaces: every question about surfaces by every method that answers it, on built-in scenes or on the inputs, which "
     "are\n"
     "those of `snag check`: mesh files, caches, folders. A scene is replayed from pose to pose; a move and its question "
     "are\n"
     "timed together. One mesh alone is reached from a pose that is swayed a little. Methods that should find the same "
     "are\n"
     "compared before a time is printed. `brute` is left out where it takes long, unless it is asked for. `active`\n"
     "finds a part of the proximities: its contacts say how large a part.\n"
     "\n"
     "tets: vertices in tetrahedra, by hash and kdop and by the spatial hashing paper's own way, with the half-space "
     "test\n"
     "and, up to 25,000 tetrahedra, the one pass that it compares.\n"
     "\n"
     "The time is the median of interleaved repetitions: of the processor with --threads 1, else of the clock on the "
     "wall.\n"
     "The limit is one pass that reads the elements and writes their boxes.\n"
     "\n"
     "Exit code: 0, although contacts are found; 2 error, or methods that differ.",
     "  snag bench surfaces --scene sheet --threads 1     one scene, two sizes\n"
     "  snag bench surfaces --question impacts dress.obj dress.pc2\n"
     "  snag bench surfaces --sequence 'cloth_*.ply' --method kdop --json\n"
     "  snag bench tets --threads 1\n"
     "  snag bench tets --scene E,M --json",
     true, true},
};
const size_t verb_table_count = sizeof verb_table / sizeof verb_table[0];

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
        .tolerance = -1,
        .separation = -1,
        .size = 1,
        .out = "demo-out",
        .scene = "cloth-ball",
    };
}

void options_free(options *o)
{
    free(o->caches.items);
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

// "a:b", "a:", ":b" or "n". False if it is none of them; a range that runs backwards is told apart by first > last.
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

static int unknown_name(words *w, const char *what, const char *typed, const char *const *names, size_t count)
{
    const char *nearest = words_nearest(typed, names, count);
    char list[400] = "";
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    if (nearest)
        return words_error(w, "there is no %s \"%s\"; did you mean %s? (there are %s)", what, typed, nearest, list);
    return words_error(w, "there is no %s \"%s\"; there are %s", what, typed, list);
}

static int read_question(words *w, const char *text, options *parsed)
{
    const char *names[SNAG_QUESTION_COUNT];
    for (int i = 0; i < SNAG_QUESTION_COUNT; i++)
        names[i] = snag_question_name((snag_question)i);
    if (!snag_question_from_name(text, &parsed->question))
        return unknown_name(w, "question", text, names, SNAG_QUESTION_COUNT);
    parsed->question_given = true;
    return EXIT_CLEAN;
}

static int read_method(words *w, const char *text, snag_method *method)
{
    const char *names[SNAG_METHOD_COUNT];
    for (int i = 0; i < SNAG_METHOD_COUNT; i++)
        names[i] = snag_method_name((snag_method)i);
    if (!snag_method_from_name(text, method))
        return unknown_name(w, "method", text, names, SNAG_METHOD_COUNT);
    return EXIT_CLEAN;
}

static int read_threads(words *w, const char *text, uint32_t *threads)
{
    size_t count;
    if (!read_count(text, &count) || count > MOST_THREADS)
        return words_error(w, "--threads: \"%s\" is not a number of threads; give 0 (one for each processor) to %d",
                           text, MOST_THREADS);
    *threads = (uint32_t)count;
    return EXIT_CLEAN;
}

static int read_frames(words *w, const char *text, frame_range *range)
{
    if (!read_range(text, range))
        return words_error(w, "--frames: \"%s\" is not a range of frames; give A:B, A:, :B or N, counted from 0", text);
    if (range->first > range->last)
        return words_error(w, "--frames: %s runs backwards; did you mean %zu:%zu?", text, range->last, range->first);
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
    case OPTION_OFF: break;  // these take no text
    case OPTION_TEXT:
        if (!text[0])
            return words_error(w, "--%s needs a %s, not an empty word", o->name, o->argument);
        *(const char **)place = text;
        return EXIT_CLEAN;
    case OPTION_TEXTS: return append(place, text) ? EXIT_CLEAN : words_out_of_memory(w);
    case OPTION_THREADS: return read_threads(w, text, place);
    case OPTION_COUNT:
        if (!read_count(text, place) || *(size_t *)place == 0)
            return words_error(w, "--%s: \"%s\" is not a whole number from 1 on", o->name, text);
        return EXIT_CLEAN;
    case OPTION_RANGE: return read_frames(w, text, place);
    case OPTION_RATIO: {
        double number;
        if (!read_number(text, &number) || number <= 0 || number > 1)
            return words_error(w, "--%s: \"%s\" is not a part: a number above 0 and up to 1", o->name, text);
        *(double *)place = number;
        return EXIT_CLEAN;
    }
    case OPTION_LENGTH:
    case OPTION_POSITIVE: {
        double number;
        bool with_zero = o->kind == OPTION_LENGTH;
        if (!read_number(text, &number) || number < 0 || (number == 0 && !with_zero))
            return words_error(w, "--%s: \"%s\" is not a number %s", o->name, text,
                               with_zero ? "of 0 or more" : "above 0");
        *(double *)place = number;
        return EXIT_CLEAN;
    }
    case OPTION_QUESTION: return read_question(w, text, parsed);
    case OPTION_METHOD: return read_method(w, text, place);
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
    const char *names[sizeof option_table / sizeof option_table[0]];
    size_t count = 0;
    for (size_t i = 0; i < option_table_count; i++)
        if (option_table[i].verbs & verb->verb)
            names[count++] = option_table[i].name;
    for (size_t i = 0; i < option_table_count; i++)
        for (size_t v = 0; v < verb_table_count; v++)
            if (strcmp(option_table[i].name, name) == 0 && option_table[i].verbs & verb_table[v].verb)
                return words_error(w, "--%s is an option of `snag %s`, not of `snag %s`", name, verb_table[v].name,
                                   verb->name);
    const char *nearest = words_nearest(name, names, count);
    if (nearest)
        return words_error(w, "unknown option %s; did you mean --%s? (`snag %s --help` lists all)", argument, nearest,
                           verb->name);
    return words_error(w, "unknown option %s; `snag %s --help` lists all (a file of that name: ./%s)", argument,
                       verb->name, argument);
}

// One option, at arguments[*at]; moves *at over a value in a word of its own.
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
    // A value may begin with one dash (a negative number is told so), but two dashes are the next option.
    if (*at + 1 >= count || strncmp(arguments[*at + 1], "--", 2) == 0)
        return words_error(w, "--%s needs a value: --%s %s", o->name, o->name, o->argument);
    return set_value(o, arguments[++*at], w, parsed);
}

static int check_inputs(const verb_description *verb, words *w, const options *parsed)
{
    if (parsed->help)
        return EXIT_CLEAN;
    if (verb->needs_input && parsed->inputs.count == 0)
        return words_error(w, "nothing to look at; give a mesh file or a folder (`snag %s --help` has examples)",
                           verb->name);
    if (!verb->takes_input && parsed->inputs.count > 0)
        return words_error(w, "takes no input, but \"%s\" was given (`snag %s --help`)", parsed->inputs.items[0],
                           verb->name);
    return EXIT_CLEAN;
}

int options_parse(const verb_description *verb, int count, char **arguments, words *w, options *parsed)
{
    set_defaults(parsed);
    bool only_inputs = false;
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        int result = EXIT_CLEAN;
        if (!only_inputs && strcmp(argument, "--") == 0)
            only_inputs = true;
        else if (!only_inputs && argument[0] == '-' && argument[1])
            result = parse_option(verb, count, arguments, &i, w, parsed);
        else if (!argument[0])
            result = words_error(w, "an empty word was given as input");
        else if (!append(&parsed->inputs, argument))
            result = words_out_of_memory(w);
        if (result != EXIT_CLEAN)
            return result;
    }
    w->quiet = parsed->quiet;
    return check_inputs(verb, w, parsed);
}

// ---- help ----------------------------------------------------------------------------------------------------------

// Prints words wrapped to a terminal's width, each line after the first indented.
static void print_wrapped(FILE *out, const char *text, size_t indent)
{
    enum { WIDTH = 100 };
    size_t column = indent;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > indent && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, length, out);
        column += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const option *o)
{
    enum { INDENT = 24 };
    char head[80], text[400];
    char letter[8] = "";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(head, sizeof head, "  %s--%s%s%s", letter, o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    snprintf(text, sizeof text, "%s%s%s%s", o->help, o->default_text ? " [default: " : "",
             o->default_text ? o->default_text : "", o->default_text ? "]" : "");
    fprintf(out, "%-*s", INDENT, head);
    if (strlen(head) >= INDENT)
        fprintf(out, "\n%*s", INDENT, "");
    print_wrapped(out, text, INDENT);
}

void options_print_help(FILE *out, const verb_description *verb)
{
    fprintf(out, "snag %s %s\n%c%s.\n\n%s\n\nOptions:\n", verb->name, verb->usage,
            toupper((unsigned char)verb->summary[0]), verb->summary + 1, verb->words);
    for (size_t i = 0; i < option_table_count; i++)
        if (option_table[i].verbs & verb->verb)
            print_option(out, &option_table[i]);
    fprintf(out, "\nExamples:\n%s\n", verb->examples);
}

void options_print_overview(FILE *out)
{
    fprintf(out, "snag %s finds where deforming meshes catch on each other and on themselves.\n\n", snag_version());
    fputs("  snag VERB [options] INPUT...\n\n", out);
    for (size_t i = 0; i < verb_table_count; i++)
        fprintf(out, "  %-8s%s\n", verb_table[i].name, verb_table[i].summary);
    fputs("\n`snag VERB --help` says more. Exit code: 0 clean, 1 contacts found, 2 error.\n"
          "Results go to stdout, words to stderr; --json prints one JSON object.\n",
          out);
}
