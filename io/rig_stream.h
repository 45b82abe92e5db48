// A rig as bytes, to hand it from one process to another that runs the same program.
#ifndef SNAG_IO_RIG_STREAM_H
#define SNAG_IO_RIG_STREAM_H

#include "rig.h"

// All bytes, however many parts a pipe takes them in. False: it does not take them.
bool snag__write_whole(int descriptor, const void *data, size_t size);

// Writes everything that a reader fills in. False: it could not be written.
bool snag__rig_write(const snag__rig *rig, int descriptor);

// SNAG_ERROR_FORMAT: the bytes are cut off, or what they say cannot be. Then, and without memory, *rig is empty. What was read
// has arrays as long as its counts say and nodes that exist; snag__rig_finish checks the rest.
snag_status snag__rig_read(const char *bytes, size_t size, snag__rig *rig);

#endif
