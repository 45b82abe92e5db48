// Files as a whole: what readers read from, what writers write beside their target, and how both say what went wrong.
#ifndef SNAG_IO_FILE_H
#define SNAG_IO_FILE_H

#include "snag/io.h"

#include <stdio.h>

#if defined(__GNUC__)
#define SNAG__PRINTF(template, first) __attribute__((format(printf, template, first)))
#else
#define SNAG__PRINTF(template, first)
#endif

// Keeps status and message where `error` is not NULL, and returns the status.
snag_status snag__io_fail(snag_io_error *error, snag_status status, const char *format, ...) SNAG__PRINTF(3, 4);

// Keeps a note on what was passed over, which is no failure: the status stays SNAG_OK.
void snag__io_note(snag_io_error *error, const char *format, ...) SNAG__PRINTF(2, 3);

// The file's name for messages: of a long path its last part, so that there is room for what is said about it.
const char *snag__path_shown(const char *path);
// The name without folder and ending: "cloth" of "scene/cloth.obj" and of "scene/cloth.obj.gz". Not terminated; `length` says where it ends.
const char *snag__path_stem(const char *path, size_t *length);
// Whether the path ends so, such as ".obj"; capital or not makes no difference, nor does ".gz" after it.
bool snag__path_has_ending(const char *path, const char *ending);
// Whether the path ends in ".gz".
bool snag__path_is_gzip(const char *path);

// What bounds a call of a reader (bounds.h).
typedef struct snag__reading snag__reading;

// A file in memory, or what a caller gave in its place.
typedef struct snag__source {
    const char *name;  // for messages
    const char *data;
    size_t size;
    snag_io_error *error;  // where its readers say what is wrong; may be NULL
    snag__reading *reading;  // NULL: without limits
} snag__source;

// Asks the system for large pages behind a large block that was just allocated. Without them a fresh block of a big
// mesh costs a page fault every 4 kB, which took a third of the time to load an OBJ. Only a hint: it cannot fail.
void snag__file_large_pages(void *block, size_t size);

// Opens a file to read from it. Only a regular file is one: a pipe may never end, and even opening it may wait for ever. On
// failure *descriptor is -1.
snag_status snag__file_open(const char *path, int *descriptor, snag_io_error *error);

// Reads a whole file, and lets `reading` (may be NULL) know of its size. *data is freed by the caller.
snag_status snag__file_read(const char *path, snag__reading *reading, char **data, size_t *size, snag_io_error *error);
// The same of one that is open.
snag_status snag__file_read_open(int descriptor, const char *path, snag__reading *reading, char **data, size_t *size,
                                 snag_io_error *error);

// A file that is being written under a name beside its target, "cloth.obj.part0", and gets its own name at the end.
typedef struct snag__output {
    FILE *stream;
    char *path;
    char *part;
} snag__output;

// On failure *output is zero. The stream can be sought.
snag_status snag__output_open(snag__output *output, const char *path, snag_io_error *error);
// Closes; keeps the file under its own name if `keep` and all of it could be written, else removes it. A target that
// was there before is replaced by a whole file or stays as it was. Leaves *output zero; a zero one is let pass.
snag_status snag__output_close(snag__output *output, bool keep, snag_io_error *error);

#endif
