// Options of single methods on the command line: which method has them, which values they take, and where they go in a question. One
// table for `check`, `bench` and sweeps.
#ifndef SNAG_CLI_TUNING_H
#define SNAG_CLI_TUNING_H

#include "common/any_question.h"
#include "options.h"

// The name of an option of methods by index, as on the command line without dashes; NULL after the last.
const char *tuning_name(size_t index);
bool tuning_belongs(const char *name, snag_method method);

// Sets an option by its name and a value in words. Says what is offered and returns EXIT_ERROR if there is no such option or value.
// `before` begins the message: "--sweep".
int tuning_set(const char *before, const char *name, const char *value, any_question *question, words *w);

// Takes all options of methods that were given. Says which method an option needs if it is not the one of the question.
int tuning_take(const options *o, any_question *question, words *w);
// The same, but options of other methods than the question's are left out.
int tuning_take_own(const options *o, any_question *question, words *w);

#endif
