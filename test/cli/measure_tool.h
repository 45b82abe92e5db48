// Runs the tool and measures what it takes: memory and processor time, which a busy machine does not change.
#ifndef SNAG_TEST_MEASURE_TOOL_H
#define SNAG_TEST_MEASURE_TOOL_H

#include "run_tool.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>

typedef struct tool_cost {
    int code;  // exit code; of a signal 128 and its number
    double seconds;  // of processors
    size_t bytes;  // resident, at most
} tool_cost;

// Under a sanitizer memory and time say nothing about the tool.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TOOL_COST_COUNTS false
#else
#define TOOL_COST_COUNTS true
#endif

// Runs `snag ARGUMENTS` in the folder, with the assignments before it; its words are in stdout.txt and stderr.txt. After so
// many seconds of processor time the system ends it, and it gets no more than 2.5 GB of addresses: a tool that wants all memory
// must not take the machine along.
static inline tool_cost tool_measure(const char *environment, const char *arguments, unsigned seconds)
{
    char command[5000];
    snprintf(command, sizeof command,
             "cd '%s' && ulimit -t %u %s && exec env %s \"$SNAG_TOOL\" %s >stdout.txt 2>stderr.txt </dev/null", tool_folder,
             seconds, TOOL_COST_COUNTS ? "&& ulimit -v 2500000" : "", environment, arguments);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    struct rusage used;
    while (wait4(child, &status, 0, &used) < 0)
        assert_int_equal(errno, EINTR);
    return (tool_cost){
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
        .seconds =
            (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec),
        .bytes = (size_t)used.ru_maxrss * 1024,
    };
}

#endif
