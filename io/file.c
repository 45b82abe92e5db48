// Reading and writing whole files.
#define _DEFAULT_SOURCE 1  // madvise
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

// ---- names ----

const char *snag__path_shown(const char *path)
{
    enum { SHOWN = 200 };
    size_t length = strlen(path);
    if (length <= SHOWN)
        return path;
    // Cut where a folder's name begins, if there is such a place.
    const char *tail = path + length - SHOWN;
    const char *slash = strchr(tail, '/');
    return slash && slash[1] ? slash + 1 : tail;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *snag__path_stem(const char *path, size_t *length)
{
    const char *name = file_name(path);
    const char *dot = strrchr(name, '.');
    *length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return name;
}

bool snag__path_has_ending(const char *path, const char *ending)
{
    const char *name = file_name(path);
    size_t length = strlen(name), ending_length = strlen(ending);
    return length >= ending_length && strcasecmp(name + length - ending_length, ending) == 0;
}

// ---- reading ----

void snag__file_large_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
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
    return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot be read: %s", snag__path_shown(path), strerror(errno));
}

// Reads until the end. The size that the file system names is only a first guess: pipes have none, and files grow.
static snag_status read_all(int file, size_t guess, const char *path, char **data, size_t *size, snag_io_error *error)
{
    size_t capacity = guess + 1, used = 0;  // one more than expected, so that the end is seen without growing
    char *bytes = malloc(capacity);
    if (bytes)
        snag__file_large_pages(bytes, capacity);
    while (bytes) {
        ssize_t got = read(file, bytes + used, capacity - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            snag_status status = read_failure(path, error);
            free(bytes);
            return status;
        }
        if (got == 0) {
            *data = bytes;
            *size = used;
            return SNAG_OK;
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
    return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: there is not enough memory to read it", snag__path_shown(path));
}

static snag_status read_open(int file, const char *path, char **data, size_t *size, snag_io_error *error)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return read_failure(path, error);
    if (S_ISDIR(about.st_mode))
        return snag__io_fail(error, SNAG_ERROR_FILE, "%s: is a folder, not a file", snag__path_shown(path));
    size_t guess = 1 << 16;
    if (S_ISREG(about.st_mode)) {
        if ((uint64_t)about.st_size >= SIZE_MAX / 2)
            return snag__io_fail(error, SNAG_ERROR_SIZE, "%s: is too large for this machine's memory",
                                 snag__path_shown(path));
        guess = (size_t)about.st_size;
    }
    return read_all(file, guess, path, data, size, error);
}

snag_status snag__file_read(const char *path, char **data, size_t *size, snag_io_error *error)
{
    *data = NULL;
    *size = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot be opened: %s", snag__path_shown(path),
                             strerror(errno));
    snag_status status = read_open(file, path, data, size, error);
    close(file);
    return status;
}

// ---- writing ----

// Opens the first of "path.part0", "path.part1", ... that does not exist, so that two writers never share one.
static int create_part(const char *path, char *part, size_t part_size)
{
    enum { PARTS = 100 };
    int file = -1;
    for (unsigned i = 0; i < PARTS && file < 0; i++) {
        snprintf(part, part_size, "%s.part%u", path, i);
        file = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            return -1;
    }
    return file;
}

static snag_status write_failure(const char *path, int reason, snag_io_error *error)
{
    return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot be written: %s", snag__path_shown(path),
                         reason ? strerror(reason) : "the medium refused some of it");
}

static void output_free(snag__output *output)
{
    free(output->path);
    free(output->part);
    *output = (snag__output){0};
}

snag_status snag__output_open(snag__output *output, const char *path, snag_io_error *error)
{
    size_t path_size = strlen(path) + 1, part_size = path_size + sizeof ".part99";
    *output = (snag__output){.path = malloc(path_size), .part = malloc(part_size)};
    if (!output->path || !output->part) {
        output_free(output);
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: there is not enough memory to write it",
                             snag__path_shown(path));
    }
    memcpy(output->path, path, path_size);
    int file = create_part(path, output->part, part_size);
    output->stream = file < 0 ? NULL : fdopen(file, "w+b");
    if (output->stream)
        return SNAG_OK;
    snag_status status = write_failure(path, errno, error);
    if (file >= 0) {
        close(file);
        unlink(output->part);
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
    // What is still buffered is written now, and only now may the medium say that it is full.
    failed |= fclose(output->stream) != 0;
    if (keep && !failed)
        failed = rename(output->part, output->path) != 0;
    snag_status status = SNAG_OK;
    if (keep && failed)
        status = write_failure(output->path, errno, error);
    if (!keep || failed)
        unlink(output->part);
    output_free(output);
    return status;
}
