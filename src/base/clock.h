#ifndef SNAG_BASE_CLOCK_H
#define SNAG_BASE_CLOCK_H

#include <stdint.h>

// Microseconds on a clock that never goes back; only differences mean something.
uint64_t snag__clock_us(void);

#endif
