// snag-mpi check: rank 0 reads the scene and writes the outputs, as `snag check` does; all ranks search.
#ifndef SNAG_MPI_CHECK_RANKS_H
#define SNAG_MPI_CHECK_RANKS_H

#include "cli/check.h"

typedef struct check_ranks check_ranks;

// On rank 0: answers by all ranks. NULL: out of memory.
check_ranks *check_ranks_begin(const options *o, asker *by);
void check_ranks_end(check_ranks *r);  // lets the other ranks return from check_ranks_serve
// On all other ranks: does what rank 0 says until it ends.
void check_ranks_serve(void);

#endif
