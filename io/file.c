// Reads and writes whole files.
#define _DEFAULT_SOURCE 1  // madvise
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "bounds.h"

#include "common/system.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/mman.h>
#endif

snag_status snag__io_fail(snag_io_error *error, snag_status status, const char *format, ...)
{
    if (!error)
        return status;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

void snag__io_note(snag_io_error *error, const char *format, ...)
{
    if (!error)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
}

// ---- names ----

const char *snag__path_shown(const char *path)
{
    enum { SHOWN = 200 };
    size_t length = strlen(path);
    if (length <= SHOWN)
        return path;
    // Cut at the start of a folder name, if possible.
    const char *tail = path + length - SHOWN;
    const char *slash = tail;
    while (*slash && !sys_is_separator(*slash))
        slash++;
    return slash[0] && slash[1] ? slash + 1 : tail;
}

static const char *file_name(const char *path)
{
    const char *slash = sys_last_separator(path);
    return slash ? slash + 1 : path;
}

// The length of a name without ".gz".
static size_t unpacked_length(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcasecmp(name + length - 3, ".gz") == 0 ? length - 3 : length;
}

const char *snag__path_stem(const char *path, size_t *length)
{
    const char *name = file_name(path);
    size_t end = unpacked_length(name), dot = end ? end - 1 : 0;
    while (dot > 0 && name[dot] != '.')
        dot--;
    *length = dot > 0 ? dot : end;
    return name;
}

bool snag__path_is_gzip(const char *path)
{
    const char *name = file_name(path);
    return name[unpacked_length(name)] != 0;
}

bool snag__path_has_ending(const char *path, const char *ending)
{
    const char *name = file_name(path);
    size_t length = unpacked_length(name), ending_length = strlen(ending);
    return length >= ending_length && strncasecmp(name + length - ending_length, ending, ending_length) == 0;
}

// ---- reading ----

void snag__file_large_pages(void *block, size_t size)
{
#if defined(MADV_HUGEPAGE) && !defined(__wasi__)
    enum { LARGE = 4 << 20, PAGE = 4096 };
    if (size < LARGE)
        return;
    size_t before_first = (PAGE - (uintptr_t)block % PAGE) % PAGE, after_last = ((uintptr_t)block + size) % PAGE;
    int before = errno;
    (void)madvise((char *)block + before_first, size - before_first - after_last, MADV_HUGEPAGE);
    errno = before;
#else
    (void)block, (void)size;
#endif
}

static snag_status read_failure(const char *path, snag_io_error *error)
{
    return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot read: %s", snag__path_shown(path), strerror(errno));
}

// Reads to the end. The size from the file system is only a first guess: files grow.
static snag_status read_all(int file, size_t guess, const snag__source *source, char **data, size_t *size)
{
    enum { AT_ONCE = 16 << 20 };  // size of a read between two checks whether the caller wants to stop
    size_t capacity = guess + 1, used = 0;  // one more than expected, so that the end is seen without growing
    char *bytes = malloc(capacity);
    if (bytes)
        snag__file_large_pages(bytes, capacity);
    while (bytes) {
        ssize_t got = sys_read(file, bytes + used, capacity - used < AT_ONCE ? capacity - used : AT_ONCE);
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got == 0) {
            *data = bytes;
            *size = used;
            return SNAG_OK;
        }
        snag_status status = got < 0 ? read_failure(source->name, source->error) : snag__reading_goes_on(source);
        if (status != SNAG_OK) {
            free(bytes);
            return status;
        }
        used += (size_t)got;
        if (used < capacity)
            continue;
        if (capacity > SIZE_MAX / 2)
            break;
        char *larger = realloc(bytes, capacity * 2);
        if (!larger)
            break;
        bytes = larger;
        capacity *= 2;
    }
    free(bytes);
    return snag__io_fail(source->error, SNAG_ERROR_MEMORY, "%s: not enough memory to read it", snag__path_shown(source->name));
}

snag_status snag__file_open(const char *path, int *descriptor, snag_io_error *error)
{
    sys_info about;
    // Do not block on a pipe without a writer.
    int file = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *descriptor = -1;
    if (file < 0)
        return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot open: %s", snag__path_shown(path), strerror(errno));
    snag_status status = SNAG_OK;
    if (sys_fstat(file, &about) != 0)
        status = read_failure(path, error);
    else if (S_ISDIR(about.st_mode))
        status = snag__io_fail(error, SNAG_ERROR_FILE, "%s: is a folder, not a file", snag__path_shown(path));
    else if (!S_ISREG(about.st_mode))
        status = snag__io_fail(error, SNAG_ERROR_FILE, "%s: is a pipe or a device, not a file; write it to a file first",
                               snag__path_shown(path));
    if (status == SNAG_OK)
        *descriptor = file;
    else
        sys_close(file);
    return status;
}

snag_status snag__file_read_open(int descriptor, const char *path, snag__reading *reading, char **data, size_t *size,
                                 snag_io_error *error)
{
    sys_info about;
    *data = NULL;
    *size = 0;
    if (sys_fstat(descriptor, &about) != 0)
        return read_failure(path, error);
    if ((uint64_t)about.st_size >= SIZE_MAX / 2)
        return snag__io_fail(error, SNAG_ERROR_SIZE, "%s: is too large for this machine's memory", snag__path_shown(path));
    snag__source source = {.name = path, .error = error, .reading = reading};
    snag_status status = read_all(descriptor, (size_t)about.st_size, &source, data, size);
    snag__reading_add_input(reading, *size);
    return status;
}

snag_status snag__file_read(const char *path, snag__reading *reading, char **data, size_t *size, snag_io_error *error)
{
    int descriptor;
    *data = NULL;
    *size = 0;
    snag_status status = snag__file_open(path, &descriptor, error);
    if (status != SNAG_OK)
        return status;
    status = snag__file_read_open(descriptor, path, reading, data, size, error);
    sys_close(descriptor);
    return status;
}

// ---- writing ----

// Temporary files of a killed writer are kept and skipped: another process may still be writing them. Give up after this many.
enum { PARTS = 10000 };

// Opens the first of "path.part0", "path.part1", ... that does not exist, so that two writers never share one.
static int create_part(const char *path, char *part, size_t part_size)
{
    int file = -1;
    for (unsigned i = 0; i < PARTS && file < 0; i++) {
        snprintf(part, part_size, "%s.part%u", path, i);
        file = sys_open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            return -1;
    }
    return file;
}

static snag_status write_failure(const char *path, int reason, snag_io_error *error)
{
    return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot write: %s", snag__path_shown(path),
                         reason ? strerror(reason) : "write error");
}

static void output_free(snag__output *output)
{
    free(output->path);
    free(output->part);
    *output = (snag__output){0};
}

// Target of a symbolic link, relative to the folder of the link. NULL: see errno.
static char *read_link(const char *path, size_t length)
{
    size_t folder = (size_t)(file_name(path) - path);
    errno = ENOMEM;
    char *target = malloc(folder + length + 2);
    ssize_t got = target ? sys_readlink(path, target + folder, length + 1) : -1;
    if (got < 0 || (size_t)got > length) {  // longer than a moment ago
        errno = target && got >= 0 ? EAGAIN : errno;
        free(target);
        return NULL;
    }
    target[folder + (size_t)got] = 0;
    if (sys_is_absolute(target + folder))
        memmove(target, target + folder, (size_t)got + 1);
    else
        memcpy(target, path, folder);
    return target;
}

// Resolves symbolic links to the target file, whether it exists or not. Renaming onto a link would replace the link and leave its
// target unchanged. NULL: see errno.
static char *follow_links(const char *path)
{
    enum { MOST_LINKS = 40 };
    errno = ENOMEM;
    char *target = sys_strdup(path);
    for (int links = 0; target; links++) {
        sys_info about;
        if (sys_lstat(target, &about) != 0 || !S_ISLNK(about.st_mode))
            return target;
        // Some file systems do not report the length of a link.
        char *next = links < MOST_LINKS ? read_link(target, about.st_size > 0 ? (size_t)about.st_size : 4096) : NULL;
        if (links == MOST_LINKS)
            errno = ELOOP;
        free(target);
        target = next;
    }
    return NULL;
}

static snag_status open_failure(const char *path, const snag__output *output, int reason, snag_io_error *error)
{
    const char *shown = snag__path_shown(path);
    if (reason == ENOMEM)
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to write it", shown);
    if (reason == EEXIST && output->part)
        return snag__io_fail(error, SNAG_ERROR_FILE,
                             "%s: cannot be written: %d unfinished files exist beside it, the last one %s; remove them", shown,
                             PARTS, snag__path_shown(output->part));
    return write_failure(path, reason, error);
}

snag_status snag__output_open(snag__output *output, const char *path, snag_io_error *error)
{
    *output = (snag__output){.path = follow_links(path)};
    size_t part_size = output->path ? strlen(output->path) + sizeof ".part999999" : 0;
    if (output->path)
        errno = ENOMEM;
    output->part = output->path ? malloc(part_size) : NULL;
    int file = output->part ? create_part(output->path, output->part, part_size) : -1;
    output->stream = file < 0 ? NULL : sys_fdopen(file, "w+b");
    if (output->stream)
        return SNAG_OK;
    snag_status status = open_failure(path, output, errno, error);
    if (file >= 0) {
        sys_close(file);
        sys_unlink(output->part);
    }
    output_free(output);
    return status;
}

snag_status snag__output_close(snag__output *output, bool keep, snag_io_error *error)
{
    if (!output->stream)
        return SNAG_OK;
    errno = 0;
    bool failed = ferror(output->stream) != 0;
    // Flush: a full disk may be reported only now.
    failed |= fclose(output->stream) != 0;
    if (keep && !failed)
        failed = sys_rename(output->part, output->path) != 0;
    snag_status status = SNAG_OK;
    if (keep && failed)
        status = write_failure(output->path, errno, error);
    if (!keep || failed)
        sys_unlink(output->part);
    output_free(output);
    return status;
}
