#include "page.h"

#if SNAG_REPORT
#if defined(__wasi__)

// As a module the tool is downloaded, and whoever runs it may have the page already: it comes from there, piece by piece.
// Copies up to `size` bytes of a part from `offset` on and returns how many; 0 at its end.
__attribute__((import_module("snag"), import_name("page"))) uint32_t snag_host_page(uint32_t part, uint32_t offset, void *to,
                                                                                    uint32_t size);

snag_status page_write(page_part part, snag_io_file *file, snag_io_error *error)
{
    enum { AT_ONCE = 16384 };
    char piece[AT_ONCE];
    snag_status status = SNAG_OK;
    uint32_t offset = 0, got = AT_ONCE;
    while (status == SNAG_OK && (got = snag_host_page(part, offset, piece, AT_ONCE)) > 0) {
        status = snag_io_file_write(file, piece, got, error);
        offset += got;
    }
    return status;
}

#else

extern const unsigned char snag__page_top[], snag__page_end[];
extern const size_t snag__page_top_size, snag__page_end_size;

snag_status page_write(page_part part, snag_io_file *file, snag_io_error *error)
{
    return part == PAGE_TOP ? snag_io_file_write(file, snag__page_top, snag__page_top_size, error)
                            : snag_io_file_write(file, snag__page_end, snag__page_end_size, error);
}

#endif
#endif
