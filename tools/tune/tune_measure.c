/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation at one size: its result, its times, and messages about them. */
#include <stdio.h> /* before gmp.h */

#include "tools/tune/tune_measure.h"

#include <stdbool.h>
#include <unistd.h>

#include "lib/session/session.h"
#include "lib/base/stats.h"

/* ---- messages */

void tuner_show_progress(const char *name, size_t size) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %zu limbs", name, size);
}

void tuner_end_progress(void) {
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

int tuner_fail_wrong(const char *name, size_t size) {
    tuner_end_progress();
    fprintf(stderr, "mpgpu-tune: WRONG RESULT: %s of %zu limbs is not GMP's; nothing is written\n",
            name, size);
    return 1;
}

int tuner_fail_device(void) {
    char text[512];
    tuner_end_progress();
    session_describe(text, sizeof text);
    fprintf(stderr, "mpgpu-tune: the device has failed (%s); nothing is written\n", text);
    return 1;
}

int tuner_fail_memory(size_t size) {
    tuner_end_progress();
    fprintf(stderr, "mpgpu-tune: no memory for operands of %zu limbs\n", size);
    return 1;
}

/* ---- one size */

/* Compares the device's result with GMP's for operands of both shapes.  *can: it did both. */
static int check(struct tune_work *w, const struct profile *p, bool *can) {
    *can = true;
    for (w->shape = TIMING_RUNS;; w->shape = TIMING_RANDOM) {
        enum tune_result result = tune_check(w, p);
        if (result == TUNE_WRONG)
            return tuner_fail_wrong(w->operation->what, w->n);
        if (session_ready() != OUTCOME_DONE)
            return tuner_fail_device();
        *can &= result == TUNE_RIGHT;
        if (w->shape == TIMING_RANDOM)
            return 0;
    }
}

bool tuner_stops(struct tuner *t) {
    t->is_stopped |= t->until > 0 && stats_clock() >= t->until;
    return t->is_stopped;
}

int tuner_time(struct tuner *t, const struct tune_operation *operation, size_t size, double *gmp,
               double *device) {
    struct tune_work w;
    bool can;
    int status = 0;
    if (tuner_stops(t))
        return 1;
    tuner_show_progress(operation->name, size);
    if (!tune_work_open(&w, operation, size))
        return tuner_fail_memory(size);
    status = check(&w, &t->profile, &can);
    if (status == 0 && !tune_time(&w, &t->profile, &t->budget, gmp, device))
        status = tuner_fail_memory(size);
    if (!can)
        *device = -1;
    tune_work_close(&w);
    return status;
}

int tuner_time_operation(void *context, struct tune_point *point) {
    struct tuner *t = context;
    int status = tuner_time(t, t->operation, point->size, &point->seconds[0], &point->seconds[1]);
    if (status == 0 && t->options.verbose) {
        tuner_end_progress();
        printf("%s: %zu limbs: GMP %.4f ms, device ", t->operation->name, point->size,
               point->seconds[0] * 1e3);
        if (point->seconds[1] < 0)
            puts("does not do it");
        else
            printf("%.4f ms\n", point->seconds[1] * 1e3);
    }
    return status;
}
