/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times operations on numbers of redundant digits on the device, alternately with a copy of the
 * same bytes.  Mode digit: products by one digit (Eric Bainville, GPU Benchmarks, 2009,
 * https://www.bealto.com/gpu-benchmarks_intro.html).  Mode transform: forward transforms modulo B^P
 * + 1, where B is the base of the digits, for the sizes of a published table (Eric Bainville,
 * OpenCL Multiprecision, 2010, https://www.bealto.com/mp-opencl.html). */
#include <stdlib.h>

#include "kernels/sums/redundant.h"
#include "lib/multiply/redundant.h"
#include "lib/multiply/ssa.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tools/bench/bench.h"

static const int32_t factor = DIGIT_BASE - 3;
static const double least_seconds = 4e-3; /* a run repeats the work for at least this time */

struct pass {
    const struct ssa_plan *plan; /* NULL: the pass is a product by one digit */
    uint64_t words;
    /* COPY: copies a number on the device.  WORK: computes the pass.  CHECK: uploads x, computes
     * the pass and, for a transform, its inverse, and downloads the result to y. */
    enum { COPY, WORK, CHECK } what;
    int times;
    int32_t *x, *y; /* on the host */
};

static enum gpu_status work(struct context *s, const struct pass *p, struct number *from,
                            struct number *to, int inverse) {
    return p->what == COPY ? redundant_copy(s, *to, *from)
           : p->plan       ? ssa_transform(s, p->plan, &from->mem, &to->mem, inverse)
                           : redundant_mul_1(s, *to, *from, factor);
}

static enum gpu_status run_there(struct context *s, void *context) {
    const struct pass *p = context;
    struct number from, to;
    enum gpu_status status = number_in_slot(s, SLOT_U, p->words, &from);
    status = status ? status : number_in_slot(s, SLOT_R, p->words, &to);
    if (p->what == CHECK && status == GPU_OK)
        status = transfer_up(s->transfer, &s->queue, from.mem, 0, p->x, 4 * p->words);
    for (int i = 0; i < p->times && status == GPU_OK; i++)
        status = work(s, p, &from, &to, 0);
    if (p->what != CHECK || status != GPU_OK)
        return status ? status : gpu_finish(&s->queue);
    status = p->plan ? work(s, p, &from, &to, 1) : GPU_OK;
    gpu_mem result = p->plan ? from.mem : to.mem;
    return status ? status : transfer_down(s->transfer, &s->queue, p->y, result, 0, 4 * p->words);
}

static int run(void *context) {
    return session_run(run_there, context, sizeof(struct pass), SIZE_MAX / 2) != OUTCOME_DONE;
}

/* Returns true if the result is right.  For a product by a digit k, y = k x.  For a transform of N
 * coefficients and its inverse, y = N x modulo B^P + 1: then y - N x is t (B^P + 1), where t is the
 * lowest digit of y - N x. */
static bool is_right(const struct pass *p) {
    const uint64_t last = p->plan ? (UINT64_C(1) << p->plan->log_p) - 1 : 0;
    const int64_t times = p->plan ? INT64_C(1) << p->plan->log_n : factor;
    int64_t t[3] = {0}, top = 0, carry = 0;
    bool right = true;
    for (uint64_t i = 0; i < p->words && right; i++) {
        t[2] = t[1], t[1] = t[0], t[0] = p->x[i] * times;
        if ((i & last) == 0)
            top = digit_low(p->y[i] - t[0]), carry = -top;
        carry += p->y[i] - t[0];
        right = p->plan ? digit_low(carry) == 0 : p->y[i] == digit_sum3(t[0], t[1], t[2]);
        carry = digit_rest(carry);
        right = right && (!p->plan || (i & last) != last || carry == top);
    }
    return right;
}

/* Reports a pass.  Each pass reads and writes every word once; "share" is its bandwidth in per cent
 * of the copy's. */
static void put(struct bench_report *report, const char *name, const struct pass *p,
                const struct bench_figure figures[2], const char *note) {
    const double passes = p->plan ? p->plan->passes : 1, copy = figures[COPY].time.median;
    const double share = 100 * passes * copy / figures[WORK].time.median;
    const bool is_done = copy > 0 && share > 0;
    const enum bench_state state = is_done ? figures[WORK].state : BENCH_FAILED;
    bench_report_row(report, name, 32 * p->words, p->words / 2, 0, p->words / 2);
    bench_report_time(report, "copy", figures[COPY]);
    bench_report_time(report, p->plan ? "forward" : "product", figures[WORK]);
    bench_report_put(report, "share", "percent", bench_value(is_done ? share : -1, state));
    if (p->plan)
        bench_report_put(report, "moved", "ratio", bench_value(passes, state));
    bench_report_print(report, note);
}

/* Checks the work once, then times the work and a copy.  Returns 2 if host memory is exhausted. */
static int measure(const struct bench_options *o, struct bench_report *report, const char *name,
                   struct pass p, const char *note) {
    struct bench_figure figures[2] = {bench_value(-1, BENCH_FAILED), bench_value(-1, BENCH_FAILED)};
    struct timing_task tasks[2];
    struct pass passes[2] = {p, p};
    const size_t limbs = (p.words + 1) / 2;
    uint64_t seed = 1;
    p.x = malloc(8 * limbs), p.y = malloc(8 * limbs), p.what = CHECK, p.times = 1;
    bool has_memory = p.x && p.y;
    if (has_memory)
        timing_operand((mp_limb_t *)p.x, limbs, TIMING_RANDOM, &seed);
    for (uint64_t i = 0; i < p.words && has_memory; i++)
        p.x[i] %= DIGIT_PRODUCT + 1;
    if (has_memory && run(&p) == 0) {
        for (int i = COPY; i <= WORK; i++) {
            passes[i].what = i, passes[i].times = 1;
            tasks[i] = (struct timing_task){NULL, run, &passes[i], 1};
            run(&passes[i]); /* compiles the kernel */
            passes[i].times = tasks[i].times = bench_times(&tasks[i], least_seconds);
        }
        bench_time(tasks, 2, &o->budget, figures);
        figures[WORK].state = is_right(&p) ? figures[WORK].state : BENCH_WRONG;
    }
    put(report, name, &p, figures, note);
    free(p.x), free(p.y);
    return has_memory ? 0 : 2;
}

int bench_digit(const struct bench_options *o, struct bench_report *report) {
    int status = 0;
    for (int k = 0; k < o->sizes && status == 0; k++)
        status = measure(o, report, "digit", (struct pass){.words = (o->bits[k] + 31) / 32}, "");
    return status;
}

int bench_transform(const struct bench_options *o, struct bench_report *report) {
    static const unsigned char log[8][2] = {{10, 9},  {10, 10}, {10, 11}, {11, 10},
                                            {11, 11}, {11, 12}, {12, 11}, {12, 12}};
    static const int page_ms[8] = {10, 17, 32, 29, 61, 174, 125, 357};
    int status = 0;
    for (int i = 0; i < 8 && status == 0; i++) {
        struct ssa_plan plan;
        struct pass p = {&plan, .words = UINT64_C(1) << (log[i][0] + log[i][1])};
        char name[24], note[64];
        if (32 * p.words < o->bits[0] || 32 * p.words > o->bits[o->sizes - 1])
            continue;
        snprintf(name, sizeof name, "%ux%u", 1U << log[i][0], 1U << log[i][1]);
        snprintf(note, sizeof note, "  a GTX 285 in 2010: %d ms", page_ms[i]);
        status =
            ssa_plan_shape(&plan, log[i][0], log[i][1]) ? measure(o, report, name, p, note) : 2;
    }
    return status;
}
