// The summary of a run as text.
#define _POSIX_C_SOURCE 200809L
#include "summary.h"

#include "common/system.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_SHOWN = 10, PLACES_SHOWN = 3 };

// ---- colour --------------------------------------------------------------------------------------------------------

// Colours only on a terminal that knows them, and not if NO_COLOR is set (no-color.org).
static bool has_colour(void)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(none && none[0]) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static const char *colour(const char *code)
{
    return has_colour() ? code : "";
}

#define BOLD colour("\033[1m")
#define RED colour("\033[31m")
#define FAINT colour("\033[2m")
#define PLAIN colour("\033[0m")

// ---- pieces --------------------------------------------------------------------------------------------------------

// "cloth - head" or "head with itself"; returns the width. With `out` NULL only measures.
static size_t put_pair(FILE *out, const sink_scene *about, uint32_t a, uint32_t b)
{
    const char *first = about->bodies[a].name, *second = about->bodies[b].name;
    if (out) {
        words_put(out, first, 0);
        fputs(a == b ? " with itself" : " - ", out);
        if (a != b)
            words_put(out, second, 0);
    }
    return words_width(first) + (a == b ? strlen(" with itself") : strlen(" - ") + words_width(second));
}

static void put_frames(const sink_scene *about, size_t first, size_t last, size_t worst)
{
    if (about->frames.first >= about->frames.last)
        return;
    if (first == last)
        printf("frame %zu: ", first);
    else
        printf("frames %zu-%zu, worst %zu: ", first, last, worst);
}

static void put_measure(snag_question question, double depth, double length, double value)
{
    if (question == SNAG_IMPACTS)
        printf(", the earliest at time %.4g", value);
    else if (places_least_is_worst(question))
        printf("%s%.4g apart", question == SNAG_DISTANCE ? "" : ", down to ", value);
    if (depth > 0)
        printf(", %.4g deep", depth);
    if (length > 0)
        printf(", crossing along %.4g", length);
}

// ---- pairs of bodies -----------------------------------------------------------------------------------------------

static void print_pairs(const sink_scene *about, const place_book *book)
{
    size_t shown = book->pair_count < PAIRS_SHOWN ? book->pair_count : PAIRS_SHOWN, width = 0;
    for (size_t i = 0; i < shown; i++) {
        size_t own = put_pair(NULL, about, book->pairs[i].body_a, book->pairs[i].body_b);
        width = own > width && own <= 40 ? own : width;
    }
    for (size_t i = 0; i < shown; i++) {
        const pair_record *pair = &book->pairs[i];
        printf("  %s", BOLD);
        size_t used = put_pair(stdout, about, pair->body_a, pair->body_b);
        printf("%s%*s  ", PLAIN, used < width ? (int)(width - used) : 0, "");
        put_frames(about, pair->first, pair->last, pair->worst);
        if (book->question != SNAG_DISTANCE)
            printf("%zu contact%s", pair->contacts, pair->contacts == 1 ? "" : "s");
        if (book->question != SNAG_DISTANCE && !book->counts_only)
            printf(" in %zu place%s", pair->places, pair->places == 1 ? "" : "s");
        put_measure(book->question, pair->depth, 0, pair->value);
        putchar('\n');
    }
    if (shown < book->pair_count)
        printf("  ... and %zu more pairs of bodies\n", book->pair_count - shown);
}

// ---- places --------------------------------------------------------------------------------------------------------

// "t120 (t20 of the object)" where they differ.
static void put_element(const contact_element *file, const contact_element *object, const char *label)
{
    element_text in_file = contacts_element(*file), in_object = contacts_element(*object);
    fputs(in_file.text, stdout);
    if (strcmp(in_file.text, in_object.text) != 0)
        printf(" (%s of the object)", in_object.text);
    if (label) {
        fputs(" of ", stdout);
        words_put(stdout, label, 0);
    }
}

static void print_place(const sink_scene *about, const place_book *book, size_t i)
{
    const place_record *place = &book->places[i];
    printf("  %s%zu%s  ", RED, i + 1, PLAIN);
    put_pair(stdout, about, place->body_a, place->body_b);
    fputs(", ", stdout);
    put_frames(about, place->first, place->last, place->worst);
    printf("%zu contact%s", place->most, place->most == 1 ? "" : "s");
    put_measure(book->question, place->depth, place->length, place->value);
    printf("\n     %sat (%.4g, %.4g, %.4g), size %.3g, the worst: ", FAINT, place->centre[0], place->centre[1], place->centre[2],
           place->size);
    put_element(&place->a, &place->object_a, place->label_a);
    fputs(" - ", stdout);
    put_element(&place->b, &place->object_b, place->label_b);
    printf(", %s%s\n", snag_contact_kind_name(place->kind), PLAIN);
}

void summary_print(const sink_scene *about, const sink_summary *summary)
{
    const place_book *book = summary->book;
    if (!book || book->pair_count == 0)
        return;
    print_pairs(about, book);
    if (book->question == SNAG_DISTANCE || book->counts_only)
        return;
    size_t shown = book->count < PLACES_SHOWN ? book->count : PLACES_SHOWN;
    printf("%s\n", book->count == 1 ? "the place:" : shown < book->count ? "the worst places:" : "places, the worst first:");
    for (size_t i = 0; i < shown; i++)
        print_place(about, book, i);
    if (shown < book->count)
        printf("  ... and %zu more\n", book->count - shown);
}

// ---- what to do next -----------------------------------------------------------------------------------------------

// Whether something was there from the first frame on while other contacts came later.
static bool has_initial(const sink_scene *about, const place_book *book)
{
    bool initial = false, later = false;
    for (size_t i = 0; i < book->count; i++) {
        initial = initial || book->places[i].first == about->frames.first;
        later = later || book->places[i].first > about->frames.first;
    }
    return initial && later;
}

void summary_next(const sink_scene *about, const sink_summary *summary, const options *o)
{
    const place_book *book = summary->book;
    if (!book || book->count == 0 || book->question == SNAG_DISTANCE || o->report || o->select || o->sets || !about->inputs)
        return;
    fputs("Next: --report FILE.html shows them; --select FILE.py selects them in Blender; --pairs FILE.csv lists all", stdout);
    if (has_initial(about, book) && !o->ignore_initial)
        printf(";\n      --ignore-initial leaves out what is there from frame %zu on", about->frames.first);
    putchar('\n');
}
