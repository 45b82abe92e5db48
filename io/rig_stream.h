// Serializes a rig, to pass it to another process that runs the same program.
#ifndef SNAG_IO_RIG_STREAM_H
#define SNAG_IO_RIG_STREAM_H

#include "rig.h"

// Writes all bytes, even if the pipe takes them in parts. False: the write failed.
bool snag__write_whole(int descriptor, const void *data, size_t size);

// Writes every field that a reader fills in. False: the write failed.
bool snag__rig_write(const snag__rig *rig, int descriptor);

// SNAG_ERROR_FORMAT: the data is truncated or invalid. On any failure *rig is empty. On success arrays are as long as their
// counts say and nodes exist; snag__rig_finish checks the rest.
snag_status snag__rig_read(const char *bytes, size_t size, snag__rig *rig);

#endif
