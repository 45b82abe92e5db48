// Zip archives in memory, zip64 among them: entries that are stored or deflated.
// APPNOTE.TXT 6.3.10 by PKWARE, sections 4.3 to 4.5.
#ifndef SNAG_IO_ZIP_H
#define SNAG_IO_ZIP_H

#include "bounds.h"

typedef struct snag__zip_entry {
    const char *name;  // not terminated
    size_t name_length;
    uint64_t header;  // where its local header is
    uint64_t packed_size, size;
    uint32_t crc;
    uint16_t method, flags;
} snag__zip_entry;

typedef struct snag__zip {
    const snag__source *source;
    snag__zip_entry *entries;
    size_t count;
} snag__zip;

// Reads the directory. On failure the message is in source->error. Close it in any case.
snag_status snag__zip_open(const snag__source *source, snag__zip *zip);
void snag__zip_close(snag__zip *zip);

// The entry of a name; capital or not makes no difference, nor does a slash at the beginning. NULL: there is none.
const snag__zip_entry *snag__zip_find(const snag__zip *zip, const char *name);
// Unpacks an entry and checks its sum. *data is given back by snag__zip_free.
snag_status snag__zip_read(const snag__zip *zip, const snag__zip_entry *entry, char **data, size_t *size);
void snag__zip_free(const snag__zip *zip, char *data, size_t size);

#endif
