// A life in a child process, so that crashes, sanitizers' aborts and endless loops are failures like others.
#define _GNU_SOURCE
#include "torture.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A life takes seconds, rarely a minute. The limits are for what hangs, and far above what a slow or busy machine needs.
// Processor time of all threads, so that other work on the machine does not count.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CPU_SECONDS = 3600 };
#else
enum { CPU_SECONDS = 900 };
#endif
// Without this an answer that grows without end takes the whole machine along. Sanitizers reserve more than there is.
#define MEMORY_BYTES ((rlim_t)6 << 30)
// A child that uses no processor time at all for so long waits for something that never comes.
enum { IDLE_SECONDS = 300 };

static FILE *errors;

torture_board *torture_make_board(void)
{
    void *board = mmap(NULL, sizeof(torture_board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED || (errors == NULL && (errors = tmpfile()) == NULL)) {
        perror("snag_torture");
        exit(2);
    }
    return board;
}

void torture_print_errors(FILE *file)
{
    char line[1000];
    rewind(errors);
    for (int i = 0; i < 60 && fgets(line, sizeof line, errors) != NULL; i++)
        fputs(line, file);
}

static void live_in_child(const torture_options *options, torture_board *board)
{
    rlim_t seconds = options->cpu_seconds != 0 ? options->cpu_seconds : CPU_SECONDS;
    struct rlimit cpu = {seconds, seconds + 5}, core = {0, 0};
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct rlimit memory = {MEMORY_BYTES, MEMORY_BYTES};
    setrlimit(RLIMIT_AS, &memory);
#endif
    dup2(fileno(errors), STDERR_FILENO);
    torture_live(options, board);
    fflush(stdout);
    _exit(0);
}

static double processor_seconds(pid_t child)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return -1;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Waits until the child ends. False if it had to be ended because it stood still.
static bool wait_for(pid_t child, int *status)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    double used = -1;
    for (int idle = 0; idle < IDLE_SECONDS;) {
        if (waitpid(child, status, WNOHANG) == child)
            return true;
        if (sigtimedwait(&signals, NULL, &(struct timespec){1, 0}) < 0 && errno == EAGAIN) {
            double now = processor_seconds(child);
            idle = now > used ? 0 : idle + 1;
            used = now;
        }
    }
    kill(child, SIGKILL);
    waitpid(child, status, 0);
    return false;
}

bool torture_run(const torture_options *options, torture_board *board)
{
    board->tag[0] = board->message[0] = board->doing[0] = 0;
    board->op = 0;
    rewind(errors);
    if (ftruncate(fileno(errors), 0) != 0)
        perror("snag_torture");
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        perror("snag_torture: fork");
        exit(2);
    }
    if (child == 0) {
        sigprocmask(SIG_UNBLOCK, &signals, NULL);
        live_in_child(options, board);
    }
    int status = 0;
    if (!wait_for(child, &status))
        snprintf(board->tag, sizeof board->tag, TORTURE_IDLE);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        snprintf(board->tag, sizeof board->tag, TORTURE_ENDLESS);
    else if (WIFSIGNALED(status))
        snprintf(board->tag, sizeof board->tag, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0 && board->tag[0] == 0)
        snprintf(board->tag, sizeof board->tag, "exit %d", WEXITSTATUS(status));
    if (board->tag[0] != 0 && board->message[0] == 0)
        snprintf(board->message, sizeof board->message, "while: %s", board->doing);
    return board->tag[0] == 0;
}
