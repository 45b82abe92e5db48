// snag-repro, the program started by `snag repro`.
#include "../cli/run.h"
#include "lab.h"

int main(int count, char **arguments)
{
    return run_program("repro", verb_repro, count, arguments);
}
