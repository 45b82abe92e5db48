// Zip archives in memory.
#include "zip.h"

#include "common/system.h"
#include "bytes.h"
#include "unpack.h"

#include <stdarg.h>
#include <stdlib.h>

enum {
    LOCAL_HEADER = 30,
    DIRECTORY_HEADER = 46,
    END_RECORD = 22,
    END_RECORD_64 = 56,
    LOCATOR_64 = 20,
    LONGEST_COMMENT = 65535,
    EXTRA_64 = 1,
    STORED = 0,
    DEFLATED = 8,
    ENCRYPTED = 1,  // a flag
};

SNAG__PRINTF(3, 4)
static snag_status fail(const snag__zip *zip, snag_status status, const char *format, ...)
{
    char words[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return snag__io_fail(zip->source->error, status, "%s: %s", snag__path_shown(zip->source->name), words);
}

static uint64_t number(const char *at, size_t size)
{
    return snag__bytes_unsigned(at, size, false);
}

static bool is_record(const snag__zip *zip, uint64_t at, uint64_t size, const char *signature)
{
    const snag__source *source = zip->source;
    return size <= source->size && at <= source->size - size && memcmp(source->data + at, signature, 4) == 0;
}

// ---- the directory ----

typedef struct directory {
    uint64_t at, size, count;
} directory;

// The end record comes before a comment, which may contain anything; use the last record that fits.
static bool find_end(const snag__zip *zip, uint64_t *at)
{
    uint64_t size = zip->source->size;
    if (size < END_RECORD)
        return false;
    uint64_t first = size > END_RECORD + LONGEST_COMMENT ? size - END_RECORD - LONGEST_COMMENT : 0;
    for (*at = size - END_RECORD;; --*at) {
        if (is_record(zip, *at, END_RECORD, "PK\5\6") && number(zip->source->data + *at + 20, 2) <= size - *at - END_RECORD)
            return true;
        if (*at == first)
            return false;
    }
}

static snag_status find_directory(const snag__zip *zip, directory *found)
{
    uint64_t end;
    if (!find_end(zip, &end))
        return fail(zip, SNAG_ERROR_FORMAT, "is not a zip archive, or is cut off: no directory found");
    const char *record = zip->source->data + end;
    *found = (directory){.at = number(record + 16, 4), .size = number(record + 12, 4), .count = number(record + 10, 2)};
    bool several_disks = number(record + 4, 2) != number(record + 6, 2) || number(record + 8, 2) != number(record + 10, 2);
    if (end >= LOCATOR_64 && is_record(zip, end - LOCATOR_64, LOCATOR_64, "PK\6\7")) {
        uint64_t wide = number(record - LOCATOR_64 + 8, 8);
        if (!is_record(zip, wide, END_RECORD_64, "PK\6\6"))
            return fail(zip, SNAG_ERROR_FORMAT, "its zip64 directory is not where the archive says it is");
        record = zip->source->data + wide;
        *found = (directory){.at = number(record + 48, 8), .size = number(record + 40, 8), .count = number(record + 32, 8)};
        several_disks = number(record + 16, 4) != number(record + 20, 4) || number(record + 24, 8) != number(record + 32, 8);
    }
    if (several_disks)
        return fail(zip, SNAG_ERROR_UNSUPPORTED, "is part of an archive split into several files");
    if (found->at > end || found->size > end - found->at || found->count > found->size / DIRECTORY_HEADER)
        return fail(zip, SNAG_ERROR_FORMAT, "its zip directory does not fit the file; is it cut off?");
    return SNAG_OK;
}

// Numbers that do not fit 32 bits are in an extra field, in this order, without those that fit.
static bool read_wide_numbers(const char *extra, size_t size, snag__zip_entry *entry)
{
    uint64_t *const wide[] = {&entry->size, &entry->packed_size, &entry->header};
    bool missing = false;
    for (int i = 0; i < 3; i++)
        missing = missing || *wide[i] == UINT32_MAX;
    while (missing && size >= 4) {
        size_t kind = (size_t)number(extra, 2), length = (size_t)number(extra + 2, 2);
        extra += 4;
        size -= 4;
        if (length > size)
            return false;
        const char *at = extra;
        for (int i = 0; kind == EXTRA_64 && i < 3; i++)
            if (*wide[i] == UINT32_MAX) {
                if ((size_t)(at - extra) + 8 > length)
                    return false;
                *wide[i] = number(at, 8);
                at += 8;
            }
        missing = missing && kind != EXTRA_64;
        extra += length;
        size -= length;
    }
    return true;
}

// Reads the entry at *at and advances to the next.
static snag_status read_entry(const snag__zip *zip, uint64_t *at, uint64_t end, snag__zip_entry *entry)
{
    const char *record = zip->source->data + *at;
    if (end - *at < DIRECTORY_HEADER || !is_record(zip, *at, DIRECTORY_HEADER, "PK\1\2"))
        return fail(zip, SNAG_ERROR_FORMAT, "its zip directory is damaged at byte %llu", (unsigned long long)*at);
    size_t name = (size_t)number(record + 28, 2), extra = (size_t)number(record + 30, 2), comment = (size_t)number(record + 32, 2);
    if (name + extra + comment > end - *at - DIRECTORY_HEADER)
        return fail(zip, SNAG_ERROR_FORMAT, "its zip directory is cut off at byte %llu", (unsigned long long)*at);
    *entry = (snag__zip_entry){
        .name = record + DIRECTORY_HEADER,
        .name_length = name,
        .header = number(record + 42, 4),
        .packed_size = number(record + 20, 4),
        .size = number(record + 24, 4),
        .crc = (uint32_t)number(record + 16, 4),
        .method = (uint16_t)number(record + 10, 2),
        .flags = (uint16_t)number(record + 8, 2),
    };
    if (!read_wide_numbers(record + DIRECTORY_HEADER + name, extra, entry))
        return fail(zip, SNAG_ERROR_FORMAT, "its zip directory is damaged at byte %llu", (unsigned long long)*at);
    *at += DIRECTORY_HEADER + name + extra + comment;
    return SNAG_OK;
}

snag_status snag__zip_open(const snag__source *source, snag__zip *zip)
{
    directory found = {0};
    *zip = (snag__zip){.source = source};
    snag_status status = find_directory(zip, &found);
    if (status != SNAG_OK)
        return status;
    zip->entries = calloc((size_t)found.count + 1, sizeof *zip->entries);
    if (!zip->entries)
        return fail(zip, SNAG_ERROR_MEMORY, "not enough memory for its directory");
    for (uint64_t at = found.at; zip->count < found.count && status == SNAG_OK; zip->count += status == SNAG_OK)
        status = read_entry(zip, &at, found.at + found.size, &zip->entries[zip->count]);
    return status;
}

void snag__zip_close(snag__zip *zip)
{
    free(zip->entries);
    *zip = (snag__zip){0};
}

// ---- entries ----

const snag__zip_entry *snag__zip_find(const snag__zip *zip, const char *name)
{
    name += *name == '/';
    size_t length = strlen(name);
    for (size_t i = 0; i < zip->count; i++) {
        const snag__zip_entry *entry = &zip->entries[i];
        size_t slash = entry->name_length && *entry->name == '/';
        if (entry->name_length - slash == length && strncasecmp(entry->name + slash, name, length) == 0)
            return entry;
    }
    return NULL;
}

// Start of the compressed bytes of an entry: after its local header, whose name and extra field may differ from the directory.
static snag_status find_bytes(const snag__zip *zip, const snag__zip_entry *entry, const char **packed)
{
    int shown = entry->name_length < 60 ? (int)entry->name_length : 60;
    if (entry->flags & ENCRYPTED)
        return fail(zip, SNAG_ERROR_UNSUPPORTED, "\"%.*s\" in it is encrypted", shown, entry->name);
    if (entry->method != STORED && entry->method != DEFLATED)
        return fail(zip, SNAG_ERROR_UNSUPPORTED, "\"%.*s\" in it uses compression method %u; only deflate is supported", shown,
                    entry->name, (unsigned)entry->method);
    uint64_t size = zip->source->size, at = entry->header;
    if (!is_record(zip, at, LOCAL_HEADER, "PK\3\4"))
        return fail(zip, SNAG_ERROR_FORMAT, "\"%.*s\" in it is not where its directory says it is", shown, entry->name);
    const char *record = zip->source->data + at;
    at += LOCAL_HEADER + number(record + 26, 2) + number(record + 28, 2);
    if (at > size || entry->packed_size > size - at)
        return fail(zip, SNAG_ERROR_FORMAT, "\"%.*s\" in it reaches past the end of the file; is it cut off?", shown, entry->name);
    *packed = zip->source->data + at;
    return SNAG_OK;
}

snag_status snag__zip_read(const snag__zip *zip, const snag__zip_entry *entry, char **data, size_t *size)
{
    const char *packed = "";
    int shown = entry->name_length < 60 ? (int)entry->name_length : 60;
    *data = NULL;
    *size = 0;
    snag_status status = find_bytes(zip, entry, &packed);
    if (status != SNAG_OK)
        return status;
    bool fits =
        entry->method == STORED ? entry->size == entry->packed_size : entry->size / SNAG__UNPACK_MOST_GAIN <= entry->packed_size;
    if (!fits || entry->size >= SIZE_MAX)
        return fail(zip, SNAG_ERROR_FORMAT, "\"%.*s\" in it cannot be as large as it says", shown, entry->name);
    status = snag__claim_bytes(zip->source, entry->size);
    if (status != SNAG_OK)
        return status;
    *data = malloc((size_t)entry->size + 1);
    if (!*data)
        return fail(zip, SNAG_ERROR_MEMORY, "not enough memory for \"%.*s\" in it", shown, entry->name);
    *size = (size_t)entry->size;
    if (entry->method == STORED)
        memcpy(*data, packed, *size);
    else
        status = snag__unpack_deflate(packed, (size_t)entry->packed_size, *data, *size);
    if (status == SNAG_OK && snag__crc32(*data, *size) != entry->crc)
        status = SNAG_ERROR_FORMAT;
    if (status == SNAG_OK)
        return SNAG_OK;
    snag__zip_free(zip, *data, *size);
    *data = NULL;
    *size = 0;
    return status == SNAG_ERROR_MEMORY
               ? fail(zip, status, "not enough memory for \"%.*s\" in it", shown, entry->name)
               : fail(zip, status, "\"%.*s\" in it is damaged: wrong size or checksum after unpacking", shown, entry->name);
}

void snag__zip_free(const snag__zip *zip, char *data, size_t size)
{
    free(data);
    if (data)
        snag__release_bytes(zip->source, size);
}
