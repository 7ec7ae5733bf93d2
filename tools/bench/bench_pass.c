/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Passes over memory on the device. */
#include "tools/bench/bench_pass.h"

#include <stdio.h>

#include "lib/base/stats.h"
#include "lib/multiply/redundant.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"

static const double least_seconds = 2e-3; /* of a run, by repeating the work */
enum { MOST_TIMES = 1000 };

/* A request to the executor. */
struct request {
    struct bench_pass *pass;
    uint64_t first;
    int32_t *words;
    size_t n;
    bool is_copy;
    int times;
};

static int ask(enum gpu_status (*step)(struct context *s, void *context), struct request request) {
    return session_run(step, &request, sizeof request, SIZE_MAX / 2) != OUTCOME_DONE;
}

static enum gpu_status open_there(struct context *s, void *context) {
    struct bench_pass *pass = ((struct request *)context)->pass;
    enum gpu_status status = gpu_alloc(&s->dev, number_bytes(pass->from.words), &pass->from.mem);
    return status ? status : gpu_alloc(&s->dev, number_bytes(pass->to.words), &pass->to.mem);
}

static enum gpu_status close_there(struct context *s, void *context) {
    struct bench_pass *pass = ((struct request *)context)->pass;
    if (pass->from.mem.h)
        gpu_release(&s->dev, pass->from.mem);
    if (pass->to.mem.h)
        gpu_release(&s->dev, pass->to.mem);
    return GPU_OK;
}

void bench_pass_close(struct bench_pass *pass) {
    ask(close_there, (struct request){.pass = pass});
}

int bench_pass_open(struct bench_pass *pass, uint64_t words) {
    pass->from = pass->to = (struct number){.words = words};
    if (!ask(open_there, (struct request){.pass = pass}))
        return 0;
    bench_pass_close(pass);
    return 1;
}

static enum gpu_status load_there(struct context *s, void *context) {
    const struct request *r = context;
    return transfer_up(s->transfer, &s->queue, r->pass->from.mem, r->first * sizeof *r->words,
                       r->words, r->n * sizeof *r->words);
}

int bench_pass_load(struct bench_pass *pass, uint64_t first, const int32_t *words, size_t n) {
    return ask(load_there, (struct request){pass, first, (int32_t *)words, n, false, 0});
}

static enum gpu_status fetch_there(struct context *s, void *context) {
    const struct request *r = context;
    return transfer_down(s->transfer, &s->queue, r->words, r->pass->to.mem,
                         r->first * sizeof *r->words, r->n * sizeof *r->words);
}

int bench_pass_fetch(struct bench_pass *pass, uint64_t first, int32_t *words, size_t n) {
    return ask(fetch_there, (struct request){pass, first, words, n, false, 0});
}

static enum gpu_status run_there(struct context *s, void *context) {
    const struct request *r = context;
    enum gpu_status status = GPU_OK;
    for (int i = 0; i < r->times && status == GPU_OK; i++)
        status =
            r->is_copy ? redundant_copy(s, r->pass->to, r->pass->from) : r->pass->work(s, r->pass);
    return status ? status : gpu_finish(&s->queue);
}

int bench_pass_repeat(struct bench_pass *pass, int times) {
    return ask(run_there, (struct request){.pass = pass, .times = times});
}

int bench_pass_run(struct bench_pass *pass) {
    return bench_pass_repeat(pass, 1);
}

static int run(void *context) {
    return ask(run_there, *(struct request *)context);
}

/* How often a run repeats the work. */
static int times_of(struct request request) {
    request.times = 3;
    if (run(&request)) /* the first one builds */
        return 1;
    double start = stats_clock();
    run(&request);
    double times = least_seconds * request.times / (stats_clock() - start);
    return times < 1 ? 1 : times > MOST_TIMES ? MOST_TIMES : (int)times + 1;
}

void bench_pass_measure(struct bench_pass *pass, const struct timing_budget *budget,
                        struct bench_figure figures[BENCH_PASS_FIGURES]) {
    struct request requests[BENCH_PASS_FIGURES];
    struct timing_task tasks[BENCH_PASS_FIGURES];
    struct timing times[BENCH_PASS_FIGURES];
    for (int i = 0; i < BENCH_PASS_FIGURES; i++) {
        requests[i] = (struct request){.pass = pass, .is_copy = i == BENCH_PASS_COPY};
        requests[i].times = times_of(requests[i]);
        tasks[i] = (struct timing_task){NULL, run, &requests[i], requests[i].times};
    }
    int failed = timing_measure(tasks, BENCH_PASS_FIGURES, budget, times);
    for (int i = 0; i < BENCH_PASS_FIGURES; i++)
        figures[i] = (struct bench_figure){
            times[i], failed < 0 || times[i].runs == 0 ? BENCH_FAILED : BENCH_RIGHT};
}

static struct bench_work work_of(uint64_t bits) {
    size_t limbs = bits / GMP_NUMB_BITS;
    return (struct bench_work){.bits = bits, .un = limbs, .rn = limbs};
}

void bench_pass_tell(struct bench_report *report, const char *operation, uint64_t bits,
                     const char *candidate, const struct bench_figure *figure) {
    struct bench_work w = work_of(bits);
    bench_report_time(report, operation, &w, candidate, figure);
}

void bench_pass_tell_value(struct bench_report *report, const char *operation, uint64_t bits,
                           const char *candidate, const char *unit, double value,
                           enum bench_state state) {
    struct bench_work w = work_of(bits);
    bench_report_value(report, operation, &w, candidate, unit, value, state);
}
