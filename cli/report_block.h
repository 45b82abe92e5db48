// A block of a report: numbers in columns, deflated, and written as text that HTML lets pass.
//
// A column of n numbers of w bytes is stored as w planes: the lowest byte of every number, then the next byte, ...; what
// hardly changes from number to number then stands together and packs to nearly nothing. All numbers are little-endian.
#ifndef SNAG_CLI_REPORT_BLOCK_H
#define SNAG_CLI_REPORT_BLOCK_H

#include "snag/io.h"

typedef struct report_block {
    uint8_t *bytes;
    size_t count, capacity;
    uint8_t *packed;  // scratch of block_write
    size_t packed_capacity;
    bool failed;  // no memory: what follows is not kept, and block_write says so
} report_block;

void block_clear(report_block *block);
void block_free(report_block *block);

// Room for `count` bytes at the end, to be filled by the caller; NULL: no memory.
uint8_t *block_room(report_block *block, size_t count);

void block_u8(report_block *block, uint8_t value);
void block_u32(report_block *block, uint32_t value);
void block_f64(report_block *block, double value);
void block_column32(report_block *block, const uint32_t *values, size_t count);
void block_column64(report_block *block, const double *values, size_t count);
void block_text(report_block *block, const char *text, size_t size);

// Deflates all bytes of the block and writes them in base 64.
snag_status block_write(report_block *block, snag_io_file *out, snag_io_error *error);

#endif
