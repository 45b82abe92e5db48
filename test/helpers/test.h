// What every test includes: cmocka and its needs.
#ifndef SNAG_TEST_H
#define SNAG_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
