// Whole files: sources for readers, temporary files beside the target for writers, and error messages for both.
#ifndef SNAG_IO_FILE_H
#define SNAG_IO_FILE_H

#include "snag/io.h"

#include <stdio.h>

#if defined(__GNUC__)
#define SNAG__PRINTF(template, first) __attribute__((format(printf, template, first)))
#else
#define SNAG__PRINTF(template, first)
#endif

// Stores status and message if `error` is not NULL, and returns the status.
snag_status snag__io_fail(snag_io_error *error, snag_status status, const char *format, ...) SNAG__PRINTF(3, 4);

// Stores a note about something ignored, which is not a failure: the status stays SNAG_OK.
void snag__io_note(snag_io_error *error, const char *format, ...) SNAG__PRINTF(2, 3);

// The file's name for messages: only the last part of a long path.
const char *snag__path_shown(const char *path);
// The name without folder and extension: "cloth" of "scene/cloth.obj" and of "scene/cloth.obj.gz". Not terminated; its length is
// `length`.
const char *snag__path_stem(const char *path, size_t *length);
// Whether the path has this extension, such as ".obj"; ignores case and a following ".gz".
bool snag__path_has_ending(const char *path, const char *ending);
// Whether the path ends in ".gz".
bool snag__path_is_gzip(const char *path);

// Limits of a reader's call (bounds.h).
typedef struct snag__reading snag__reading;

// A file in memory, or data given by the caller.
typedef struct snag__source {
    const char *name;  // for messages
    const char *data;
    size_t size;
    snag_io_error *error;  // for error messages; may be NULL
    snag__reading *reading;  // NULL: without limits
} snag__source;

// Requests huge pages for a large new block. Without them a fresh block of a big mesh costs a page fault every 4 kB, a third of
// the time to load an OBJ. Only a hint: it cannot fail.
void snag__file_large_pages(void *block, size_t size);

// Opens a file for reading. Only regular files are accepted: a pipe may never end, and even opening it may block. On failure
// *descriptor is -1.
snag_status snag__file_open(const char *path, int *descriptor, snag_io_error *error);

// Reads a whole file and adds its size to `reading` (may be NULL). The caller frees *data.
snag_status snag__file_read(const char *path, snag__reading *reading, char **data, size_t *size, snag_io_error *error);
// The same for an open file.
snag_status snag__file_read_open(int descriptor, const char *path, snag__reading *reading, char **data, size_t *size,
                                 snag_io_error *error);

// A file written under a temporary name beside its target, "cloth.obj.part0", and renamed at the end.
typedef struct snag__output {
    FILE *stream;
    char *path;
    char *part;
} snag__output;

// On failure *output is zero. The stream is seekable.
snag_status snag__output_open(snag__output *output, const char *path, snag_io_error *error);
// Closes the file; renames it to its target if `keep` and everything was written, else removes it. An existing target is replaced
// by a complete file or stays unchanged. Leaves *output zero; a zero output is ignored.
snag_status snag__output_close(snag__output *output, bool keep, snag_io_error *error);

#endif
