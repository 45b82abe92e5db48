// Runs readers that may crash in a separate process.
#ifndef SNAG_IO_ISOLATE_H
#define SNAG_IO_ISOLATE_H

#include "motion.h"

// What runs in a child process, and how its result comes back. `result` belongs to the caller.
typedef struct snag__isolated {
    const char *format;  // in messages, such as "COLLADA"
    const char *advice;  // what to do with a file that cannot be read: "export it again, or as glTF"
    snag_status (*read)(const snag__source *source, bool beside, void *result);  // in the child
    bool (*write)(const void *result, int descriptor);  // in the child
    // In the caller's process. SNAG_ERROR_FORMAT: the child was cut off.
    snag_status (*take)(const snag__source *source, const char *bytes, size_t size, void *result);
} snag__isolated;

// Runs a reader in a child process with limited memory and time (snag_io_read_options), and returns its result. No child is left when
// this returns, nor when this process ends.
snag_status snag__run_isolated(const snag__isolated *isolated, const snag__source *source, bool beside, void *result);

// The same for a reader of rigs.
snag_status snag__read_isolated(snag__rig_reader *read, const char *format, const snag__source *source, bool beside,
                                snag__rig *rig);

#endif
