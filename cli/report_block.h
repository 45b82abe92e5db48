// A block of a report: columns of numbers, deflated and written as text that is safe in HTML.
//
// A column of n numbers of w bytes is stored as w planes: the lowest byte of every number, then the next byte, ...; bytes that
// hardly change from number to number are then adjacent and compress well. All numbers are little-endian.
#ifndef SNAG_CLI_REPORT_BLOCK_H
#define SNAG_CLI_REPORT_BLOCK_H

#include "snag/io.h"

typedef struct report_block {
    uint8_t *bytes;
    size_t count, capacity;
    uint8_t *packed;  // scratch of block_write
    size_t packed_capacity;
    bool failed;  // out of memory: later data is dropped, and block_write fails
} report_block;

void block_clear(report_block *block);
void block_free(report_block *block);

// Appends `count` bytes, to be filled by the caller; NULL: out of memory.
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
