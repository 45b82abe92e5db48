// Zip archives in memory, including zip64; entries are stored or deflated.
// PKWARE APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
#ifndef SNAG_IO_ZIP_H
#define SNAG_IO_ZIP_H

#include "bounds.h"

typedef struct snag__zip_entry {
    const char *name;  // not terminated
    size_t name_length;
    uint64_t header;  // offset of its local header
    uint64_t packed_size, size;
    uint32_t crc;
    uint16_t method, flags;
} snag__zip_entry;

typedef struct snag__zip {
    const snag__source *source;
    snag__zip_entry *entries;
    size_t count;
} snag__zip;

// Reads the directory. On failure the message is in source->error. Always close it, even on failure.
snag_status snag__zip_open(const snag__source *source, snag__zip *zip);
void snag__zip_close(snag__zip *zip);

// Finds an entry by name; ignores case and a leading slash. NULL: not found.
const snag__zip_entry *snag__zip_find(const snag__zip *zip, const char *name);
// Unpacks an entry and checks its CRC. Free *data with snag__zip_free.
snag_status snag__zip_read(const snag__zip *zip, const snag__zip_entry *entry, char **data, size_t *size);
void snag__zip_free(const snag__zip *zip, char *data, size_t size);

#endif
