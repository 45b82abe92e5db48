// snag-bench, the program started by `snag bench`.
#include "../cli/run.h"
#include "lab.h"

int main(int count, char **arguments)
{
    return run_program("bench", verb_bench, count, arguments);
}
