// Limits on reading a file.
#include "bounds.h"

#include <stdarg.h>

// A file may expand to 256 MB plus 64 times its size. Text and plain binary formats expand at most about tenfold, well
// compressed grids about fiftyfold. More than that means an array reused a thousand times, or a stream of zeros.
#define FREE_BYTES ((uint64_t)256 << 20)
#define MOST_GAIN ((uint64_t)64)

snag_io_read_options snag_io_default_read_options(void)
{
    return (snag_io_read_options){.cookie = SNAG_COOKIE(17)};
}

snag__reading snag__reading_begin(const snag_io_read_options *options)
{
    return (snag__reading){.options = options ? *options : snag_io_default_read_options()};
}

void snag__reading_add_input(snag__reading *reading, uint64_t bytes)
{
    if (reading)
        reading->input_bytes += bytes;
}

uint64_t snag__reading_most(const snag__reading *reading)
{
    if (reading->options.most_bytes)
        return reading->options.most_bytes;
    bool huge = reading->input_bytes > (UINT64_MAX - FREE_BYTES) / MOST_GAIN;
    return huge ? UINT64_MAX : FREE_BYTES + MOST_GAIN * reading->input_bytes;
}

snag_status snag__fail_limit(const snag__source *source, const char *format, ...)
{
    char words[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    const char *advice = source->reading ? source->reading->options.advice : NULL;
    return snag__io_fail(source->error, SNAG_ERROR_LIMIT, "%s: %s%s%s", snag__path_shown(source->name), words, advice ? "; " : "",
                         advice ? advice : "");
}

snag_status snag__claim_bytes(const snag__source *source, uint64_t bytes)
{
    snag__reading *reading = source->reading;
    if (!reading)
        return SNAG_OK;
    uint64_t most = snag__reading_most(reading);
    if (bytes <= most && reading->claimed_bytes <= most - bytes) {
        reading->claimed_bytes += bytes;
        return SNAG_OK;
    }
    return snag__fail_limit(source, "its %llu bytes expand to more than the limit of %llu MB in memory",
                            (unsigned long long)reading->input_bytes, (unsigned long long)(most >> 20));
}

void snag__release_bytes(const snag__source *source, uint64_t bytes)
{
    if (source->reading)
        source->reading->claimed_bytes -= bytes;
}

snag_status snag__reading_goes_on(const snag__source *source)
{
    const snag__reading *reading = source->reading;
    if (!reading || !reading->options.go_on || reading->options.go_on(reading->options.context))
        return SNAG_OK;
    return snag__io_fail(source->error, SNAG_ERROR_LIMIT, "%s: reading was stopped", snag__path_shown(source->name));
}
