// snag check, with a choice of who answers.
#ifndef SNAG_CLI_CHECK_H
#define SNAG_CLI_CHECK_H

#include "joint.h"

// Checks a scene as the options say; returns the exit code of the program.
int check_run(const options *o, const asker *by, words *w);

#endif
