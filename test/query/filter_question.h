// The question that the tests of filters put.
#ifndef SNAG_TEST_QUERY_FILTER_QUESTION_H
#define SNAG_TEST_QUERY_FILTER_QUESTION_H

#include "snag/snag.h"

static inline snag_question_def question_of(snag_question question, const snag_filter *filter)
{
    snag_question_def ask = snag_default_question_def(question);
    ask.distance = question == SNAG_PROXIMITIES ? 0.1 : 0;
    ask.every_pair = true;
    ask.filter = filter;
    return ask;
}

#endif
