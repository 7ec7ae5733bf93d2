/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times a product's last step from its two halves on one device (lib/multiply/halves.h), beside a
 * copy of a half and beside three of the operations that it stands for: difference, shift and sum.
 * A line for each size: bits of a half, rounded up to chunks, and the best of a few runs in
 * milliseconds, each of several launches one behind the other.  Usage: halves BITS... */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/common/carry.h"
#include "lib/base/ceil_div.h"
#include "lib/base/stats.h"
#include "lib/device/launch.h"
#include "lib/multiply/halves.h"
#include "lib/multiply/redundant.h"
#include "lib/session/session.h"

enum { RUNS = 5, TIMES = 20 };

/* What is timed: of halves of `words` words; its best time in seconds. */
struct job {
    enum { JOIN, COPY, OPERATIONS } kind;
    uint64_t words;
    double best;
};

/* low = a - b, high = half of it, low = high + b. */
static enum gpu_status operations(struct context *s, struct number r, struct number a,
                                  struct number b) {
    struct number low = number_part(r, 0, a.words), high = number_part(r, a.words, a.words);
    enum gpu_status status = number_add(s, low, a, b, 1, NULL);
    if (status == GPU_OK)
        status = launch_window(s, launch_row(ceil_div(high.words, CARRY_THREADS)), high.mem,
                               high.at, high.words, low.mem, low.at, low.words, 0, 1, 0);
    return status == GPU_OK ? number_add(s, low, high, b, 0, NULL) : status;
}

static enum gpu_status once(struct context *s, const struct job *job, struct number r,
                            struct number a, struct number b) {
    return job->kind == JOIN   ? halves_make(s, r, a, b)
           : job->kind == COPY ? redundant_copy(s, number_part(r, 0, a.words), a)
                               : operations(s, r, a, b);
}

/* Random words: half of the chunks get a carry. */
static enum gpu_status fill(struct context *s, struct number x, uint64_t seed) {
    uint32_t *host = malloc(x.words * sizeof *host);
    if (!host)
        return GPU_NOMEM;
    for (uint64_t i = 0; i < x.words; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        host[i] = (uint32_t)(seed >> 32);
    }
    enum gpu_status status =
        gpu_write(&s->queue, x.mem, x.at * sizeof *host, host, x.words * sizeof *host);
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    free(host);
    return status;
}

static enum gpu_status time_runs(struct context *s, struct job *job, struct number r,
                                 struct number a, struct number b) {
    enum gpu_status status = once(s, job, r, a, b); /* builds */
    for (int run = 0; run < RUNS && status == GPU_OK; run++) {
        status = gpu_finish(&s->queue);
        double begin = stats_clock();
        for (int i = 0; i < TIMES && status == GPU_OK; i++)
            status = once(s, job, r, a, b);
        if (status == GPU_OK)
            status = gpu_finish(&s->queue);
        double seconds = (stats_clock() - begin) / TIMES;
        job->best = run == 0 || seconds < job->best ? seconds : job->best;
    }
    return status;
}

static enum gpu_status work(struct context *s, void *argument) {
    struct job *job = argument;
    struct number r, a, b;
    enum gpu_status status = number_in_slot(s, SLOT_U, job->words, &a);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_V, job->words, &b);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_R, 2 * job->words, &r);
    if (status == GPU_OK)
        status = fill(s, a, 1);
    if (status == GPU_OK)
        status = fill(s, b, 2);
    return status == GPU_OK ? time_runs(s, job, r, a, b) : status;
}

static double milliseconds(int kind, uint64_t words) {
    struct job job = {.kind = kind, .words = words};
    if (session_run(work, &job, sizeof job, SIZE_MAX / 2) != OUTCOME_DONE) {
        fprintf(stderr, "halves: not done\n");
        exit(1);
    }
    return 1e3 * job.best;
}

int main(int argc, char **argv) {
    char text[512];
    if (argc < 2) {
        fprintf(stderr, "usage: halves BITS...\n");
        return 2;
    }
    setenv("MPGPU_CONF", "open:wait", 0);
    session_init();
    session_open_any();
    for (int i = 1; i < argc; i++) {
        uint64_t words = ceil_div(strtoull(argv[i], NULL, 0), 32 * CARRY_CHUNK) * CARRY_CHUNK;
        double join = milliseconds(JOIN, words), copy = milliseconds(COPY, words);
        double others = milliseconds(OPERATIONS, words);
        if (i == 1) {
            session_describe(text, sizeof text);
            printf("%s\n%12s %10s %10s %10s\n", text, "bits", "join", "copy", "operations");
        }
        printf("%12llu %10.4f %10.4f %10.4f\n", (unsigned long long)(32 * words), join, copy,
               others);
    }
    return 0;
}
