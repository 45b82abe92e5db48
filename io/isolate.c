// Runs readers that may crash in a forked child process, which sends its result through a pipe.
//
// The child has its own copy of the address space, so its errors cannot affect this process. Resource limits bound its address
// space (the current size plus the caller's limit) and its processor time; the parent also watches its resident memory. It is
// killed when the caller wants to stop, when its time is over, and, if the system supports it, when this process ends.
#ifndef _WIN32
#define _GNU_SOURCE 1  // pipe2
#include "isolate.h"
#include "rig_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// Time limit of an importer: a base time plus more for a large file.
#define FREE_SECONDS 30.0
#define SECONDS_PER_BYTE 1e-6

// Sanitizers need terabytes of address space; the parent's check of resident memory then bounds the child.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT_ADDRESSES false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LIMIT_ADDRESSES false
#endif
#endif
#ifndef LIMIT_ADDRESSES
#define LIMIT_ADDRESSES true
#endif

// How often the parent checks the child and asks the caller whether to go on.
#define ASK_MILLISECONDS 50

typedef struct child {
    const snag__source *source;
    const snag__isolated *isolated;
    void *result;
    pid_t process;
    int pipe;  // read end of the pipe
    double deadline;  // in seconds of the clock
    double seconds;  // time limit
    uint64_t address_space, resident;  // its memory at the start, in bytes
    char *bytes;
    size_t size, capacity;
    int ended;  // status from waitpid
    struct rusage usage;
} child;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Address space and resident memory of a process ("self": this one), in bytes. 0: unknown.
static void measure(const char *process, uint64_t *space, uint64_t *resident)
{
    char path[64];
    unsigned long long pages[2] = {0, 0};
    snprintf(path, sizeof path, "/proc/%s/statm", process);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%llu %llu", &pages[0], &pages[1]) != 2)  // NOLINT(cert-err34-c): the kernel writes it
        pages[0] = pages[1] = 0;
    if (file)
        fclose(file);
    *space = pages[0] * (uint64_t)sysconf(_SC_PAGESIZE);
    *resident = pages[1] * (uint64_t)sysconf(_SC_PAGESIZE);
}

// ---- in the child ----

// The header before the result.
typedef struct head {
    snag_status status;
    char message[sizeof((snag_io_error *)0)->message];
} head;

static void limit(int resource, uint64_t most)
{
    struct rlimit bound;
    if (getrlimit(resource, &bound) != 0)
        return;
    if (bound.rlim_max != RLIM_INFINITY && most > bound.rlim_max)
        most = bound.rlim_max;
    bound.rlim_cur = (rlim_t)most;
    setrlimit(resource, &bound);
}

// Reset the signals: the parent's handlers are not meant for a child. Drop its stderr (heap corruption, sanitizers): the caller
// gets our message.
static void become_nobody(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGABRT, SIGSEGV,
                                  SIGBUS, SIGFPE, SIGILL,  SIGPIPE, SIGALRM, SIGXCPU};
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&usual.sa_mask);
    sigemptyset(&none);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &usual, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int standard = 0; standard < 3 && nowhere >= 0; standard++)
        dup2(nowhere, standard);
}

static void run_child(const child *c, bool beside, int descriptor)
{
    uint64_t most = snag__reading_most(c->source->reading);
    if (LIMIT_ADDRESSES && c->address_space && most < UINT64_MAX - c->address_space)
        limit(RLIMIT_AS, c->address_space + most);
    limit(RLIMIT_CPU, (uint64_t)c->seconds + 2);
    limit(RLIMIT_CORE, 0);
    snag_io_error error = {.status = SNAG_OK};
    snag__source source = *c->source;
    source.error = &error;
    source.reading = NULL;  // the caller's callback belongs to the parent process
    head told = {.status = c->isolated->read(&source, beside, c->result)};
    memcpy(told.message, error.message, sizeof told.message);
    if (snag__write_whole(descriptor, &told, sizeof told) && told.status == SNAG_OK)
        c->isolated->write(c->result, descriptor);
    _exit(0);  // do not flush or free anything of the parent here
}

// ---- the caller's side ----

static bool start(child *c, bool beside)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t parent = getpid();
    c->process = fork();
    if (c->process == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        if (getppid() != parent)  // it has ended in the meantime
            _exit(1);
        close(ends[0]);
        become_nobody();
        run_child(c, beside, ends[1]);
    }
    int reason = errno;
    close(ends[1]);
    if (c->process < 0)
        close(ends[0]);
    errno = reason;
    c->pipe = ends[0];
    return c->process > 0;
}

static void wait_for(child *c)
{
    int ended = 0;
    pid_t got;
    do
        got = wait4(c->process, &ended, 0, &c->usage);
    while (got < 0 && errno == EINTR);
    // A program that ignores SIGCHLD gets no exit status; the data from the pipe is enough.
    c->ended = got == c->process ? ended : 0;
    c->process = 0;
}

static void stop(child *c)
{
    if (c->process > 0) {
        kill(c->process, SIGKILL);
        wait_for(c);
    }
    close(c->pipe);
}

static snag_status grow(child *c)
{
    size_t larger = c->capacity ? 2 * c->capacity : (size_t)1 << 16;
    if (c->capacity > SIZE_MAX / 4)
        return snag__builder_fail(c->source, SNAG_ERROR_SIZE);
    snag_status status = snag__claim_bytes(c->source, larger - c->capacity);
    if (status != SNAG_OK)
        return status;
    char *bytes = realloc(c->bytes, larger);
    if (!bytes) {
        snag__release_bytes(c->source, larger - c->capacity);
        return snag__builder_fail(c->source, SNAG_ERROR_MEMORY);
    }
    c->bytes = bytes;
    c->capacity = larger;
    return SNAG_OK;
}

static snag_status fail_memory(const child *c)
{
    return snag__fail_limit(c->source,
                            "the importer of %s files needs more than %llu MB of memory for this one; is it damaged? If not, "
                            "%s",
                            c->isolated->format, (unsigned long long)(snag__reading_most(c->source->reading) >> 20),
                            c->isolated->advice);
}

static snag_status fail_time(const child *c)
{
    return snag__io_fail(c->source->error, SNAG_ERROR_LIMIT,
                         "%s: the importer of %s files took longer than %g s and was stopped; is the file damaged? If not, %s",
                         snag__path_shown(c->source->name), c->isolated->format, c->seconds, c->isolated->advice);
}

// In addition to the address space limit, which some systems do not enforce.
static bool takes_too_much(const child *c)
{
    char process[24];
    uint64_t space, resident, most = snag__reading_most(c->source->reading);
    snprintf(process, sizeof process, "%ld", (long)c->process);
    measure(process, &space, &resident);
    return resident > c->resident && resident - c->resident > most;
}

// Reads until the child closes its end of the pipe.
static snag_status collect(child *c)
{
    for (;;) {
        snag_status status = snag__reading_goes_on(c->source);
        if (status == SNAG_OK && c->size == c->capacity)
            status = grow(c);
        if (status != SNAG_OK)
            return status;
        if (now() > c->deadline)
            return fail_time(c);
        if (takes_too_much(c))
            return fail_memory(c);
        struct pollfd waiting = {.fd = c->pipe, .events = POLLIN};
        if (poll(&waiting, 1, ASK_MILLISECONDS) <= 0)
            continue;
        ssize_t got = read(c->pipe, c->bytes + c->size, c->capacity - c->size);
        if (got == 0)
            return SNAG_OK;
        c->size += got > 0 ? (size_t)got : 0;
    }
}

// The error for a child that sent no valid result.
static snag_status fail_ended(const child *c)
{
    const char *name = snag__path_shown(c->source->name);
    uint64_t most = (uint64_t)c->usage.ru_maxrss << 10, used = most > c->resident ? most - c->resident : 0;
    if (used > snag__reading_most(c->source->reading) / 4 * 3)
        return fail_memory(c);
    if (WIFSIGNALED(c->ended) && WTERMSIG(c->ended) == SIGXCPU)
        return fail_time(c);
    if (WIFSIGNALED(c->ended))
        return snag__io_fail(c->source->error, SNAG_ERROR_FORMAT, "%s: the importer of %s files crashed on it (signal %d, %s); %s",
                             name, c->isolated->format, WTERMSIG(c->ended), strsignal(WTERMSIG(c->ended)), c->isolated->advice);
    return snag__io_fail(c->source->error, SNAG_ERROR_FORMAT, "%s: the importer of %s files failed without a message; %s", name,
                         c->isolated->format, c->isolated->advice);
}

static snag_status take_result(const child *c)
{
    head told;
    if (c->size < sizeof told)
        return fail_ended(c);
    memcpy(&told, c->bytes, sizeof told);
    told.message[sizeof told.message - 1] = 0;
    if (told.status == SNAG_ERROR_MEMORY)
        return fail_memory(c);
    if (told.status != SNAG_OK)
        return snag__io_fail(c->source->error, told.status, "%s", told.message);
    snag_status status = c->isolated->take(c->source, c->bytes + sizeof told, c->size - sizeof told, c->result);
    if (status == SNAG_ERROR_MEMORY)
        return snag__builder_fail(c->source, status);
    return status == SNAG_OK || status == SNAG_ERROR_LIMIT ? status : fail_ended(c);
}

snag_status snag__run_isolated(const snag__isolated *isolated, const snag__source *source, bool beside, void *result)
{
    child c = {.source = source, .isolated = isolated, .result = result};
    double given = source->reading->options.isolate_seconds;
    c.seconds = given > 0 ? given : FREE_SECONDS + SECONDS_PER_BYTE * (double)source->size;
    c.deadline = now() + c.seconds;
    measure("self", &c.address_space, &c.resident);
    if (!start(&c, beside))
        return snag__io_fail(source->error, SNAG_ERROR_FILE, "%s: cannot start a process to read it: %s",
                             snag__path_shown(source->name), strerror(errno));
    snag_status status = collect(&c);
    if (status == SNAG_OK)
        wait_for(&c);
    stop(&c);
    if (status == SNAG_OK)
        status = take_result(&c);
    free(c.bytes);
    snag__release_bytes(source, c.capacity);
    return status;
}

// ---- rigs ----

typedef struct rig_result {
    snag__rig_reader *reader;
    snag__rig *rig;
} rig_result;

static snag_status read_rig(const snag__source *source, bool beside, void *result)
{
    const rig_result *r = result;
    return r->reader(source, beside, r->rig);
}

static bool write_rig(const void *result, int descriptor)
{
    return snag__rig_write(((const rig_result *)result)->rig, descriptor);
}

static snag_status take_rig(const snag__source *source, const char *bytes, size_t size, void *result)
{
    (void)source;
    return snag__rig_read(bytes, size, ((const rig_result *)result)->rig);
}

snag_status snag__read_isolated(snag__rig_reader *read, const char *format, const snag__source *source, bool beside, snag__rig *rig)
{
    snag__isolated isolated = {format, "export it again, or as glTF", read_rig, write_rig, take_rig};
    rig_result result = {read, rig};
    return snag__run_isolated(&isolated, source, beside, &result);
}

#else

#include "isolate.h"

// Windows cannot fork: the reader runs in this process, without the limits.
snag_status snag__read_isolated(snag__rig_reader *read, const char *format, const snag__source *source, bool beside, snag__rig *rig)
{
    (void)format;
    return read(source, beside, rig);
}

#endif
