#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include "terminal.h"

#include "common/system.h"

#include <process.h>
#include <signal.h>
#include <stdlib.h>
#include <windows.h>
// After windows.h, which it is meant to go with.
#include <shellapi.h>

static char *narrow(const wchar_t *wide)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = size > 0 ? malloc((size_t)size) : NULL;
    if (text)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
    return text;
}

static bool enable_sequences(DWORD which)
{
    HANDLE console = GetStdHandle(which);
    DWORD mode;
    return GetConsoleMode(console, &mode) && SetConsoleMode(console, mode | 0x0004);  // ENABLE_VIRTUAL_TERMINAL_PROCESSING
}

void terminal_begin(int *count, char ***arguments)
{
    int wide_count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &wide_count);
    char **made = wide ? calloc((size_t)wide_count + 1, sizeof *made) : NULL;
    bool good = made != NULL;
    for (int i = 0; good && i < wide_count; i++)
        good = (made[i] = narrow(wide[i])) != NULL;
    // Lives as long as the program.
    if (good) {
        *count = wide_count;
        *arguments = made;
    }
    LocalFree(wide);
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
}

bool terminal_shows_progress(void)
{
    return _isatty(2) && enable_sequences(STD_ERROR_HANDLE);
}

size_t terminal_width(void)
{
    CONSOLE_SCREEN_BUFFER_INFO about;
    bool known = GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &about);
    return known && about.dwSize.X > 0 ? (size_t)about.dwSize.X : 80;
}

void terminal_catch_interrupt(void (*handler)(int signal_number))
{
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
#ifdef SIGBREAK
    signal(SIGBREAK, handler);
#endif
}

double terminal_seconds(void)
{
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    return (double)ticks.QuadPart / (double)frequency.QuadPart;
}

void terminal_own_folder(char *folder, size_t size)
{
    wchar_t wide[32768];
    DWORD length = GetModuleFileNameW(NULL, wide, sizeof wide / sizeof *wide);
    int got = length ? WideCharToMultiByte(CP_UTF8, 0, wide, -1, folder, (int)size, NULL, NULL) : 0;
    if (got <= 0)
        folder[0] = 0;
    char *separator = sys_last_separator(folder);
    if (separator)
        *separator = 0;
}

// An argument in quotes, as programs of Windows take their command line apart: backslashes before a quote are doubled.
static wchar_t *quoted(const char *argument)
{
    wchar_t *plain = sys_wide(argument);
    wchar_t *made = plain ? malloc((2 * wcslen(plain) + 3) * sizeof *made) : NULL;
    if (made) {
        size_t n = 0, backslashes = 0;
        made[n++] = L'"';
        for (const wchar_t *c = plain;; c++) {
            if (*c == L'"' || *c == 0)
                for (; backslashes > 0; backslashes--)
                    made[n++] = L'\\';
            if (*c == 0)
                break;
            backslashes = *c == L'\\' ? backslashes + 1 : 0;
            if (*c == L'"')
                made[n++] = L'\\';
            made[n++] = *c;
        }
        made[n++] = L'"';
        made[n] = 0;
    }
    free(plain);
    return made;
}

// The exec of Windows returns to the shell at once, so this process waits, and ends with the other's exit code.
void terminal_become(const char *path, char **arguments, bool search)
{
    size_t count = 0;
    while (arguments[count])
        count++;
    wchar_t **wide = calloc(count + 1, sizeof *wide), *wide_path = sys_wide_path(path);
    bool good = wide && wide_path;
    for (size_t i = 0; good && i < count; i++)
        good = (wide[i] = quoted(arguments[i])) != NULL;
    intptr_t result = -1;
    if (good)
        result = search ? _wspawnvp(_P_WAIT, wide_path, (const wchar_t *const *)wide)
                        : _wspawnv(_P_WAIT, wide_path, (const wchar_t *const *)wide);
    if (result != -1)
        exit((int)result);
    for (size_t i = 0; wide && i < count; i++)
        free(wide[i]);
    free(wide);
    free(wide_path);
}

#else

#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "terminal.h"

#include "common/system.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

// NOLINTNEXTLINE(readability-non-const-parameter): others write through it
void terminal_begin(int *count, char ***arguments)
{
    (void)count;
    (void)arguments;
}

bool terminal_shows_progress(void)
{
    return isatty(STDERR_FILENO);
}

size_t terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void terminal_catch_interrupt(void (*handler)(int signal_number))
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction action = {.sa_handler = handler}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        // A signal ignored at start (nohup) stays ignored, except SIGINT: shells ignore it for background jobs.
        // SIGPIPE comes again with each line written, so its handler stays; the others are reset, so that a second one kills.
        action.sa_flags = signals[i] == SIGPIPE ? 0 : (int)SA_RESETHAND;
        bool ignored = sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN;
        if (!ignored || signals[i] == SIGINT)
            sigaction(signals[i], &action, NULL);
    }
}

double terminal_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void terminal_own_folder(char *folder, size_t size)
{
    folder[0] = 0;
#ifdef __APPLE__
    char path[PATH_MAX], whole[PATH_MAX];
    uint32_t path_size = sizeof path;
    if (_NSGetExecutablePath(path, &path_size) == 0 && realpath(path, whole))
        snprintf(folder, size, "%s", whole);
#else
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    folder[length > 0 ? length : 0] = 0;
#endif
    char *separator = sys_last_separator(folder);
    if (separator)
        *separator = 0;
}

void terminal_become(const char *path, char **arguments, bool search)
{
    if (search)
        execvp(path, arguments);
    else
        execv(path, arguments);
}

#endif
