// A temporary file in which a sink keeps what does not fit into memory.
#define _DEFAULT_SOURCE
#define _FILE_OFFSET_BITS 64
#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <unistd.h>
#endif

struct snag_io_scratch {
    FILE *file;
};

#ifdef _WIN32
static FILE *open_nameless(const char *folder)
{
    (void)folder;
    return tmpfile();
}

static bool go_to(FILE *file, uint64_t offset)
{
    return _fseeki64(file, (long long)offset, SEEK_SET) == 0;
}
#elif defined(__wasm__)
// There is no folder for temporary files.
static FILE *open_nameless(const char *folder)
{
    (void)folder;
    errno = ENOSYS;
    return NULL;
}

static bool go_to(FILE *file, uint64_t offset)
{
    return fseeko(file, (off_t)offset, SEEK_SET) == 0;
}
#else
// The name is removed at once, so that nothing is left behind however the program ends.
static FILE *open_nameless(const char *folder)
{
    if (!folder)
        return tmpfile();
    size_t size = strlen(folder) + sizeof "/snag-XXXXXX";
    char *path = malloc(size);
    if (!path)
        return NULL;
    snprintf(path, size, "%s/snag-XXXXXX", folder);
    int handle = mkstemp(path);
    FILE *file = handle >= 0 ? fdopen(handle, "w+b") : NULL;
    int reason = errno;
    if (handle >= 0)
        unlink(path);
    if (handle >= 0 && !file)
        close(handle);
    free(path);
    errno = reason;
    return file;
}

static bool go_to(FILE *file, uint64_t offset)
{
    return fseeko(file, (off_t)offset, SEEK_SET) == 0;
}
#endif

snag_status snag_io_scratch_create(const char *folder, snag_io_scratch **scratch, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!scratch)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "scratch: the result must be given");
    *scratch = NULL;
    snag_io_scratch *made = calloc(1, sizeof *made);
    if (!made)
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "scratch: not enough memory");
    errno = 0;
    made->file = open_nameless(folder);
    if (!made->file) {
        free(made);
        return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot create a temporary file there: %s",
                             folder ? snag__path_shown(folder) : "temporary folder", errno ? strerror(errno) : "no memory");
    }
    *scratch = made;
    return SNAG_OK;
}

bool snag_io_scratch_write(void *scratch, uint64_t offset, const void *bytes, size_t size)
{
    FILE *file = ((snag_io_scratch *)scratch)->file;
    return go_to(file, offset) && fwrite(bytes, 1, size, file) == size;
}

bool snag_io_scratch_read(void *scratch, uint64_t offset, void *bytes, size_t size)
{
    FILE *file = ((snag_io_scratch *)scratch)->file;
    return go_to(file, offset) && fread(bytes, 1, size, file) == size;
}

void snag_io_scratch_destroy(snag_io_scratch *scratch)
{
    if (!scratch)
        return;
    fclose(scratch->file);
    free(scratch);
}
