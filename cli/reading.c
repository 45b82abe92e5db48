// How the tool reads its inputs.
#include "reading.h"

#include "progress.h"

#include <string.h>

bool reading_time_is_over(const options *o)
{
    return o->limit_us && progress_seconds() - o->started > 1e-6 * (double)o->limit_us;
}

static bool go_on(void *context)
{
    return !progress_interrupted() && !reading_time_is_over(context);
}

// Unknown names were refused when the options were parsed.
static snag_io_split split_of(const char *name)
{
    static const char *const names[SNAG_IO_SPLIT_COUNT] = {"objects", "groups", "materials", "parts", "shells"};
    for (int i = 0; name && i < SNAG_IO_SPLIT_COUNT; i++)
        if (strcmp(name, names[i]) == 0)
            return (snag_io_split)i;
    return SNAG_IO_SPLIT_OBJECTS;
}

snag_io_read_options reading_options(const options *o)
{
    snag_io_read_options made = snag_io_default_read_options();
    made.most_bytes = o->input_memory;
    made.isolate = true;
    // A user who allows more memory also allows more time: one year, that is no limit.
    if (o->input_memory)
        made.isolate_seconds = 3e7;
    made.split = split_of(o->split);
    made.label = split_of(o->label);
    made.curved = o->curved;
    made.go_on = go_on;
    made.context = (void *)o;  // go_on only reads it
    made.advice = "raise the limit with --input-memory SIZE, such as 4G";
    return made;
}

int reading_failed(const options *o, const snag_io_error *error, words *w)
{
    w->no_memory = w->no_memory || error->status == SNAG_ERROR_MEMORY;
    if (error->status == SNAG_ERROR_LIMIT && reading_time_is_over(o))
        return words_error(w, "%s: --limit reached", error->message);
    return words_error(w, "%s", error->message);
}
