// wasi-libc has no setjmp; the cmocka.h beside this file does without.
