/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shows a progress line if standard error is a terminal. */
#include "config.h"

#include "examples/mandelbrot/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static struct {
    const char *what;
    bool is_shown, is_terminal;
    double next; /* no line before */
} line;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(const char *what) {
    line.what = what;
    line.is_terminal = isatty(STDERR_FILENO);
    line.next = now() + 0.5;
}

void progress_at(uint64_t done, uint64_t all) {
    if (!line.is_terminal || now() < line.next)
        return;
    line.next = now() + 0.1;
    line.is_shown = true;
    fprintf(stderr, "\rmandelbrot: %s: %5.1f %%\033[K", line.what,
            100 * (double)done / (double)all);
    fflush(stderr);
}

void progress_end(void) {
    if (line.is_shown)
        fputs("\r\033[K", stderr);
    line.is_shown = false;
}
