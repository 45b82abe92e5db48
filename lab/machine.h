// The conditions of a measurement: date, processor, compiler, load; as lines of a page and as keys of JSON.
#ifndef SNAG_LAB_MACHINE_H
#define SNAG_LAB_MACHINE_H

#include "page.h"

typedef struct machine {
    char date[16];  // UTC
    char processor[128];
    unsigned processors;  // default number of threads
    char instruction_set[16];
    char compiler[128];  // and its flags
    char system[128];
    char load[48];  // 1, 5 and 15 minutes, if known
} machine;

machine machine_describe(void);
void machine_add_facts(page *p);

#endif
