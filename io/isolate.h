// Runs readers that may crash in a separate process.
#ifndef SNAG_IO_ISOLATE_H
#define SNAG_IO_ISOLATE_H

#include "motion.h"

// Runs a rig reader in a child process with limited memory and time (snag_io_read_options), and returns its rig. `format` is the
// name in messages, such as "COLLADA". No child is left when this returns, nor when this process ends.
snag_status snag__read_isolated(snag__rig_reader *read, const char *format, const snag__source *source, bool beside,
                                snag__rig *rig);

#endif
