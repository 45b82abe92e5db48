// What the tool gets from its host in place of the operating system: the folder it starts in, and a terminal without signals.
#define _POSIX_C_SOURCE 200809L
#include "cli/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// Relative paths start there; a module has no folder of its own.
void terminal_begin(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    const char *folder = getenv("PWD");
    if (folder && chdir(folder) != 0)
        _Exit(2);
}

bool terminal_shows_progress(void)
{
    return isatty(STDERR_FILENO);
}

size_t terminal_width(void)
{
    return 80;  // a module cannot ask
}

// The host stops a search by what it returns for its progress.
void terminal_catch_interrupt(void (*handler)(int signal_number))
{
    (void)handler;
}

double terminal_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void terminal_own_folder(char *folder, size_t size)
{
    if (size > 0)
        folder[0] = 0;
}

void terminal_become(const char *path, char **arguments, bool search)
{
    (void)path, (void)arguments, (void)search;
    errno = ENOENT;  // there are no other programs
}
