// --pairs: writes every contact as a line of CSV.
#include "sink.h"

#include <stdlib.h>

typedef struct pairs_sink {
    sink sink;
    snag_io_pairs *pairs;
} pairs_sink;

static int write_block(sink *s, const contact_list *contacts, size_t frame)
{
    snag_io_error error;
    if (contacts_write(contacts, frame, ((pairs_sink *)s)->pairs, &error) != SNAG_OK)
        return words_error(s->w, "%s", error.message);
    return EXIT_CLEAN;
}

static int write_frame(sink *s, const sink_frame *frame)
{
    return frame->contacts->streamed ? EXIT_CLEAN : write_block(s, frame->contacts, frame->frame);
}

static int close_pairs(pairs_sink *p, bool keep)
{
    snag_io_error error;
    snag_io_pairs *pairs = p->pairs;
    p->pairs = NULL;
    if (pairs && snag_io_pairs_close(pairs, keep, &error) != SNAG_OK && keep)
        return words_error(p->sink.w, "%s", error.message);
    return EXIT_CLEAN;
}

static int end(sink *s, const sink_summary *summary)
{
    (void)summary;
    return close_pairs((pairs_sink *)s, true);
}

static void free_sink(sink *s)
{
    close_pairs((pairs_sink *)s, false);
    free(s);
}

int sink_pairs_make(const options *o, const char *path, words *w, sink **made)
{
    static const sink_type type = {.block = write_block, .frame = write_frame, .end = end, .free = free_sink};
    if (snag_io_is_mesh(path) || snag_io_is_cache(path))
        return words_error(w, "--pairs %s: the output is a table, not a mesh; give a name such as contacts.csv", path);
    pairs_sink *p = calloc(1, sizeof *p);
    if (!p)
        return words_out_of_memory(w);
    p->sink = (sink){&type, o, w};
    snag_io_error error;
    if (snag_io_pairs_create(path, &p->pairs, &error) != SNAG_OK) {
        free(p);
        return words_error(w, "%s", error.message);
    }
    snag_io_pairs_set_safe(p->pairs, o->csv_safe);
    snag_io_pairs_set_labelled(p->pairs, o->label != NULL);
    *made = &p->sink;
    return EXIT_CLEAN;
}
