/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The columns of mpgpu-bench: who computes, and in which memory the numbers are. */
#include "config.h"

#include "tools/bench/bench_candidate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/stats.h"

enum {
    MOST = 2 * BENCH_COLUMNS,
    MOST_TIMES = 1000,
    MOST_WARM = 1 << 14 /* limbs up to which GMP has a run before the timed one, too */
};

static const unsigned pause_microseconds = 2000;

/* A run takes at least these seconds, by repeating the work: so the clock's own time, and the wait
 * at the end, weigh little. */
static const double least_seconds[BENCH_COLUMNS] = {
    [BENCH_GMP] = 20e-6, [BENCH_DEVICE] = 4e-3, [BENCH_LINK] = 2e-3};

const char *const bench_column_names[BENCH_COLUMNS] = {"gmp",  "malloc", "fresh", "paused",
                                                       "pool", "device", "link"};

const struct bench_memory *bench_column_memory(enum bench_column column) {
    return column == BENCH_POOL ? &bench_memory_pool : &bench_memory_malloc;
}

void bench_candidate_open(struct bench_candidate *c, enum bench_column column,
                          struct bench_work *work) {
    *c = (struct bench_candidate){.column = column, .work = work, .times = 1};
    if (column == BENCH_DEVICE)
        c->resident = bench_resident_open(work);
    if (column == BENCH_LINK)
        c->link = bench_link_open(work);
    c->ready =
        work->up && (column != BENCH_DEVICE || c->resident) && (column != BENCH_LINK || c->link);
}

void bench_candidate_close(struct bench_candidate *c) {
    bench_resident_close(c->resident);
    bench_link_close(c->link);
}

static int run_fresh(struct bench_work *w) {
    struct bench_work fresh = *w;
    fresh.rp = w->memory->allocate(w->rn * sizeof *w->rp);
    int failed = !fresh.rp || w->operation->library(&fresh);
    if (fresh.rp)
        w->memory->release(fresh.rp, w->rn * sizeof *w->rp);
    return failed;
}

static int run_on_host(struct bench_work *w, enum bench_column column) {
    return column == BENCH_GMP     ? w->operation->gmp(w)
           : column == BENCH_FRESH ? run_fresh(w)
                                   : w->operation->library(w);
}

/* A task of timing_measure: the work `times` times. */
static int run(void *context) {
    struct bench_candidate *c = context;
    int failed = 0;
    if (c->column == BENCH_DEVICE)
        return bench_resident_run(c->resident, c->times);
    if (c->column == BENCH_LINK)
        return bench_link_run(c->link, c->times);
    for (int i = 0; i < c->times && !failed; i++)
        failed = run_on_host(c->work, c->column);
    return failed;
}

/* New operands. */
static int load(struct bench_candidate *c) {
    if (c->fixed)
        return 0;
    if (c->column != BENCH_LINK)
        bench_work_fill(c->work);
    return c->column == BENCH_DEVICE ? bench_resident_load(c->resident, c->work) : 0;
}

/* A run that is not timed wakes threads and link before the timed one; or a pause. */
static int prepare(void *context) {
    struct bench_candidate *c = context;
    if (load(c))
        return 1;
    if (c->column == BENCH_PAUSED)
        return usleep(pause_microseconds);
    return c->column == BENCH_GMP && c->work->un > MOST_WARM ? 0 : run(c);
}

/* Run it once, and compare the result; the link has none. */
static enum bench_state verify(struct bench_candidate *c) {
    if (c->column == BENCH_GMP)
        return BENCH_RIGHT;
    c->times = 1;
    if (!c->ready || load(c) || run(c))
        return BENCH_FAILED;
    if (c->column == BENCH_LINK || c->column == BENCH_FRESH)
        return BENCH_RIGHT;
    if (c->column == BENCH_DEVICE && bench_resident_fetch(c->resident, c->work))
        return BENCH_FAILED;
    return bench_work_is_right(c->work) ? BENCH_RIGHT : BENCH_WRONG;
}

/* Sets how often a run does the work; 1 for large operands. */
static void set_times(struct bench_candidate *c) {
    const double seconds = least_seconds[c->column];
    c->times = 1;
    if (seconds == 0 || c->work->un > 1 << 22 ||
        (c->column == BENCH_GMP && c->work->un > MOST_WARM))
        return;
    double start = stats_clock();
    run(c);
    double times = seconds / (stats_clock() - start);
    c->times = times < 1 ? 1 : times > MOST_TIMES ? MOST_TIMES : (int)times + 1;
}

void bench_measure(struct bench_candidate *candidates, int count,
                   const struct timing_budget *budget, struct bench_figure *figures) {
    struct timing_task tasks[MOST];
    struct timing times[MOST];
    int ready = 0, place[MOST];
    for (int i = 0; i < count; i++) {
        struct bench_candidate *c = &candidates[i];
        figures[i] = (struct bench_figure){{-1, -1, -1, 0}, verify(c)};
        if (figures[i].state == BENCH_FAILED)
            continue;
        set_times(c);
        place[ready] = i;
        tasks[ready++] = (struct timing_task){prepare, run, c, c->times};
    }
    if (ready > 0 && timing_measure(tasks, ready, budget, times) >= 0)
        for (int k = 0; k < ready; k++) {
            figures[place[k]].time = times[k];
            if (times[k].runs == 0)
                figures[place[k]].state = BENCH_FAILED;
        }
}
