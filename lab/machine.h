// What a measured number depends on: date, processor, compiler, load; as lines of a page and as keys of JSON.
#ifndef SNAG_LAB_MACHINE_H
#define SNAG_LAB_MACHINE_H

#include "page.h"

typedef struct machine {
    char date[16];  // of the day, UTC
    char processor[128];
    unsigned processors;  // threads that snag would use
    char instruction_set[16];
    char compiler[128];  // and how it was told to compile
    char system[128];
    char load[48];  // of 1, 5 and 15 minutes, where the system tells
} machine;

machine machine_describe(void);
void machine_add_facts(page *p);

#endif
