/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's own times by size, for decisions between GMP and the device. */
#include <stdio.h> /* before gmp.h */

#include "tools/tune/tune_cost.h"

#include "compat/intercept/call.h"
#include "lib/gmp/real.h"

/* Sizes: powers of two up to DENSE limbs, of four from there. */
enum { LEAST = 64, DENSE = 4096, MOST = 1 << 20, MOST_QUICK = 1 << 13, SHORT = 4096 };

/* The last size is the first whose call takes as long. */
static const double LONG = 0.3, LONG_QUICK = 0.01;

static int prepare(void *context) {
    struct tune_work *w = context;
    w->operation->prepare(w);
    return 0;
}

static int run_mul(void *context) {
    struct tune_work *w = context;
    for (int i = 0; i < w->times; i++)
        real.mpz_mul(w->r, w->u, w->v);
    return 0;
}

static int run_sqr(void *context) {
    struct tune_work *w = context;
    for (int i = 0; i < w->times; i++)
        real.mpz_mul(w->r, w->u, w->u);
    return 0;
}

static int run_div(void *context) {
    struct tune_work *w = context;
    for (int i = 0; i < w->times; i++)
        real.mpz_tdiv_q(w->r, w->u, w->v);
    return 0;
}

/* In the order of enum profile_costs: whose operation makes the operands, and the call. */
static const struct {
    enum profile_threshold operands;
    int (*run)(void *work);
} calls[PROFILE_COSTS] = {{PROFILE_mul, run_mul}, {PROFILE_sqr, run_sqr}, {PROFILE_div, run_div}};

/* The time at a size; 0, or after a message the exit status. */
static int measure(struct tuner *t, int which, size_t limbs, double *seconds) {
    struct tune_work w;
    struct timing time;
    if (!tune_work_open(&w, &tune_operations[calls[which].operands], limbs))
        return tuner_fail_memory(limbs);
    w.times = limbs < SHORT ? (int)(SHORT / limbs) : 1;
    tune_use_no_device();
    struct timing_task task = {prepare, calls[which].run, &w, w.times};
    int failed = timing_measure(&task, 1, &t->budget, &time);
    tune_work_close(&w);
    *seconds = time.median;
    return failed ? tuner_fail_memory(limbs) : 0;
}

static int find(struct tuner *t, int which) {
    struct profile_cost *c = &t->profile.cost[which];
    size_t most = t->options.quick ? MOST_QUICK : MOST;
    double seconds = 0, longest = t->options.quick ? LONG_QUICK : LONG;
    int status = 0;
    c->steps = 0;
    for (size_t n = LEAST; n <= most && seconds < longest && c->steps < PROFILE_MOST_STEPS;
         n *= n < DENSE ? 2 : 4) {
        tuner_show_progress(profile_cost_names[which], n);
        status = tuner_stops(t) ? 1 : measure(t, which, n, &seconds);
        if (status)
            return status;
        uint64_t ns = (uint64_t)(seconds * 1e9 + 0.5);
        c->step[c->steps++] = (struct profile_cost_step){n, ns > 0 ? ns : 1};
        if (t->options.verbose) {
            tuner_end_progress();
            printf("%s: %zu limbs: %.4f ms\n", profile_cost_names[which], n, seconds * 1e3);
        }
    }
    return 0;
}

int tuner_find_costs(struct tuner *t) {
    int status = 0;
    call_init(); /* `real` is there from here on */
    for (int which = 0; which < PROFILE_COSTS && status == 0; which++)
        status = find(t, which);
    return status;
}
