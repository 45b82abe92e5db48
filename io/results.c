// Frames of result files.
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

snag__results_reader *snag__results_reader_of(const char *path)
{
    static const struct {
        const char *ending;
        snag__results_reader *read;
    } formats[] = {
        {".exo", snag__read_exodus}, {".e", snag__read_exodus}, {".ex2", snag__read_exodus}, {".g", snag__read_exodus},
        {".xdmf", snag__read_xdmf},  {".xmf", snag__read_xdmf}, {".med", snag__read_med},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (snag__path_has_ending(path, formats[i].ending))
            return formats[i].read;
    return NULL;
}

void snag__frames_free(snag__frames *frames)
{
    free(frames->times);
    free(frames->positions);
    *frames = (snag__frames){0};
}

snag_status snag__frames_make(const snag__source *source, size_t count, size_t vertex_count, snag__frames *frames)
{
    if (vertex_count && count > SIZE_MAX / 32 / vertex_count)
        return snag__builder_fail(source, SNAG_ERROR_SIZE);
    size_t numbers = 3 * count * vertex_count;
    snag_status status = snag__claim_bytes(source, (numbers + count) * sizeof(double));
    if (status != SNAG_OK)
        return status;
    *frames = (snag__frames){.count = count,
                             .vertex_count = vertex_count,
                             .times = calloc(count + 1, sizeof(double)),
                             .positions = malloc((numbers + 1) * sizeof(double))};
    if (frames->times && frames->positions)
        return SNAG_OK;
    snag__frames_free(frames);
    return snag__builder_fail(source, SNAG_ERROR_MEMORY);
}

snag_status snag__frames_set_time(const snag__source *source, snag__frames *frames, size_t frame, double time)
{
    if (!isfinite(time) || (frame > 0 && !(time > frames->times[frame - 1])))
        return snag__io_fail(source->error, SNAG_ERROR_FORMAT,
                             "%s: time step %zu (counted from 0) is at %g, not after the one before",
                             snag__path_shown(source->name), frame, time);
    frames->times[frame] = time;
    return SNAG_OK;
}

snag_status snag__frames_check(const snag__source *source, const snag__frames *frames)
{
    for (size_t f = 0; f < frames->count; f++)
        for (size_t i = 0; i < 3 * frames->vertex_count; i++)
            if (!isfinite(frames->positions[3 * frames->vertex_count * f + i]))
                return snag__io_fail(source->error, SNAG_ERROR_NOT_FINITE,
                                     "%s: vertex %zu is not finite at time step %zu (both counted from 0)",
                                     snag__path_shown(source->name), i / 3, f);
    return SNAG_OK;
}

void snag__frames_positions(const snag__frames *frames, const snag_io_body *body, double time, double *xyz)
{
    size_t next = 0;
    while (next < frames->count && frames->times[next] < time)
        next++;
    size_t last = next > 0 ? next - 1 : 0;
    next = next < frames->count ? next : frames->count - 1;
    double share = next > last ? (time - frames->times[last]) / (frames->times[next] - frames->times[last]) : 1;
    share = share > 1 ? 1 : share;
    const double *before = frames->positions + 3 * frames->vertex_count * last;
    const double *after = frames->positions + 3 * frames->vertex_count * next;
    for (size_t v = 0; v < body->vertex_count; v++) {
        size_t number = body->vertex_numbers ? body->vertex_numbers[v] : v;
        for (size_t k = 0; k < 3; k++) {
            double a = before[3 * number + k], b = after[3 * number + k];
            // At a time of the file the position is exactly that of the file.
            xyz[3 * v + k] = share >= 1 ? b : a + share * (b - a);
        }
    }
}

bool snag__is_displacement(const char *name, size_t length)
{
    static const char *const stems[] = {"dis", "depl"};
    char lower[5] = "";
    for (size_t i = 0; i < 4 && i < length; i++)
        lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (strncmp(lower, stems[i], strlen(stems[i])) == 0)
            return true;
    return length == 1 && lower[0] == 'u';
}
