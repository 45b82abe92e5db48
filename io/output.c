// Output files written beside their target, for callers that write their own format.
#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct snag_io_file {
    snag__output output;
};

snag_status snag_io_file_create(const char *path, snag_io_file **file, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (file)
        *file = NULL;
    if (!path || !file)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "file: path and result must be given");
    snag_io_file *made = calloc(1, sizeof *made);
    if (!made)
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to write it", snag__path_shown(path));
    snag_status status = snag__output_open(&made->output, path, error);
    if (status != SNAG_OK) {
        free(made);
        return status;
    }
    *file = made;
    return SNAG_OK;
}

snag_status snag_io_file_write(snag_io_file *file, const void *bytes, size_t size, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!file || (!bytes && size))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "file: the file and its bytes must be given");
    errno = 0;
    if (size == 0 || fwrite(bytes, 1, size, file->output.stream) == size)
        return SNAG_OK;
    return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot write: %s", snag__path_shown(file->output.path),
                         errno ? strerror(errno) : "write error");
}

snag_status snag_io_file_close(snag_io_file *file, bool keep, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!file)
        return SNAG_OK;
    snag_status status = snag__output_close(&file->output, keep, error);
    free(file);
    return status;
}
