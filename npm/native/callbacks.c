// Callbacks of the library that lead into JavaScript: a question's `progress`, called in the module's own table of functions.
#include "snag/question.h"

__attribute__((import_module("snag"), import_name("progress"))) int snag_js_on_progress(double done);

static bool progress(void *context, double done)
{
    (void)context;
    return snag_js_on_progress(done) != 0;
}

typedef bool progress_function(void *context, double done);
__attribute__((export_name("snag_js_progress"))) progress_function *snag_js_progress(void);
progress_function *snag_js_progress(void)
{
    return progress;
}
