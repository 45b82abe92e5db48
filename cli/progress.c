// A progress bar on stderr, and Ctrl-C.
#include "progress.h"

#include "terminal.h"

#include <signal.h>
#include <string.h>

// A bar that flashes up for a moment is noise; one that redraws too often slows a terminal down.
#define SHOW_AFTER_SECONDS 0.4
#define REDRAW_SECONDS 0.1

#ifdef __wasi__
// A module has no signals: its host hears of the progress instead (0..1), and returns 0 to stop.
__attribute__((import_module("snag"), import_name("progress"))) int snag_host_progress(double done);
#endif

// The only state a signal handler can reach.
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void progress_catch_interrupt(void)
{
    terminal_catch_interrupt(on_interrupt);
}

bool progress_interrupted(void)
{
    return interrupted != 0;
}

double progress_seconds(void)
{
    return terminal_seconds();
}

void progress_begin(progress *p, words *w, const char *label, size_t steps)
{
    *p = (progress){.words = w, .enabled = !w->quiet && terminal_shows_progress(), .steps = steps};
    p->started = progress_seconds();
    snprintf(p->label, sizeof p->label, "%s", label);
}

static void draw(progress *p, double part, double seconds)
{
    enum { WIDTH = 30 };
    double done = p->steps ? ((double)p->step + part) / (double)p->steps : part;
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++)
        bar[i] = (i + 0.5) / WIDTH < done ? '#' : '.';
    bar[WIDTH] = 0;
    char counter[80] = "", left[40] = "", head[WIDTH + 4] = "";
    if (p->steps > 1)
        snprintf(counter, sizeof counter, "  %s %zu of %zu", p->label, p->step + 1 > p->steps ? p->steps : p->step + 1, p->steps);
    if (done > 0.02)
        snprintf(left, sizeof left, "  %.0f s left", seconds * (1.0 - done) / done);
    // In a narrow terminal first the bar is dropped, then what does not fit.
    size_t width = terminal_width(), needed = 5 + strlen(counter) + strlen(left);
    if (needed + WIDTH + 3 < width)
        snprintf(head, sizeof head, "[%s] ", bar);
    char line[200];
    snprintf(line, sizeof line, "%s%3.0f %%%s%s", head, 100.0 * done, counter, left);
    if (width < sizeof line)
        line[width > 1 ? width - 1 : 0] = 0;
    fflush(stdout);
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    p->words->bar_shown = true;
}

void progress_show(progress *p, size_t step, double part)
{
    p->step = step;
#ifdef __wasi__
    if (!snag_host_progress(p->steps ? ((double)step + part) / (double)p->steps : part))
        interrupted = 1;
#endif
    if (!p->enabled)
        return;
    double now = progress_seconds();
    double since_start = now - p->started;
    if (since_start < SHOW_AFTER_SECONDS || now - p->last_drawn < REDRAW_SECONDS)
        return;
    p->last_drawn = now;
    draw(p, part, since_start);
}

bool progress_callback(void *context, double done)
{
    progress *p = context;
    progress_show(p, p->step, done);
    return !progress_interrupted();
}

void progress_end(progress *p)
{
    if (p->words)
        words_clear_bar(p->words);
}
