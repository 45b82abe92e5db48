// Readers that may crash, in a process of their own.
#ifndef SNAG_IO_ISOLATE_H
#define SNAG_IO_ISOLATE_H

#include "motion.h"

// Runs a reader of rigs in a child process whose memory and time are bounded (snag_io_read_options), and hands its rig over.
// `format` is what messages call it, such as "COLLADA". No child is left when this returns, nor when this process ends.
snag_status snag__read_isolated(snag__rig_reader *read, const char *format, const snag__source *source, bool beside,
                                snag__rig *rig);

#endif
