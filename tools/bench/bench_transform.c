/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One forward transform of N coefficients modulo B^P + 1, beside a copy of them, for the shapes of
 * the table in Eric Bainville, OpenCL Multiprecision, 2010,
 * https://www.bealto.com/mp-opencl.html. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/sums/redundant.h"
#include "lib/base/random.h"
#include "lib/multiply/ssa.h"
#include "tools/bench/bench_modes.h"
#include "tools/bench/bench_pass.h"

static const struct shape {
    unsigned log_n, log_p;
    double page; /* ms on a GTX 285, 2010 */
} shapes[] = {{10, 9, 10},  {10, 10, 17},  {10, 11, 32},  {11, 10, 29},
              {11, 11, 61}, {11, 12, 174}, {12, 11, 125}, {12, 12, 357}};

enum { SHAPES = sizeof shapes / sizeof *shapes, COMPARED = 4 };

static enum gpu_status transform(struct context *s, struct bench_pass *pass, int inverse) {
    gpu_mem data = pass->from.mem, other = pass->to.mem;
    enum gpu_status status = ssa_transform(s, pass->context, &data, &other, inverse);
    pass->from.mem = data;
    pass->to.mem = other;
    return status;
}

static enum gpu_status forward(struct context *s, struct bench_pass *pass) {
    return transform(s, pass, 0);
}

/* Forward, and back to where bench_pass_fetch reads. */
static enum gpu_status forward_and_back(struct context *s, struct bench_pass *pass) {
    enum gpu_status status = transform(s, pass, 0);
    status = status ? status : transform(s, pass, 1);
    gpu_mem data = pass->from.mem;
    pass->from.mem = pass->to.mem;
    pass->to.mem = data;
    return status;
}

/* The digits' number. */
static void set_value(mpz_t z, const int32_t *x, size_t n) {
    mpz_set_ui(z, 0);
    while (n-- > 0) {
        mpz_mul_2exp(z, z, DIGIT_BITS);
        if (x[n] < 0)
            mpz_sub_ui(z, z, -(unsigned long)x[n]);
        else
            mpz_add_ui(z, z, (unsigned long)x[n]);
    }
}

/* y = N x modulo B^P + 1? */
static bool is_multiple(const int32_t *y, const int32_t *x, const struct ssa_plan *plan) {
    const size_t digits = (size_t)1 << plan->log_p;
    mpz_t value, right, modulus;
    mpz_inits(value, right, modulus, NULL);
    mpz_setbit(modulus, digits * DIGIT_BITS);
    mpz_add_ui(modulus, modulus, 1);
    set_value(value, y, digits);
    set_value(right, x, digits);
    mpz_mul_2exp(right, right, plan->log_n);
    bool is_right = mpz_congruent_p(value, right, modulus) != 0;
    mpz_clears(value, right, modulus, NULL);
    return is_right;
}

/* Forward and back multiplies by N: compares some coefficients.  Fills x with all of them. */
static enum bench_state verify(struct bench_pass *pass, int32_t *x) {
    const struct ssa_plan *plan = pass->context;
    const uint64_t count = UINT64_C(1) << plan->log_n, digits = UINT64_C(1) << plan->log_p;
    uint64_t seed = random_modulus();
    for (uint64_t i = 0; i < count * digits; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (int32_t)((int64_t)(seed >> 33) % (2 * DIGIT_PRODUCT + 1) - DIGIT_PRODUCT);
    }
    pass->work = forward_and_back;
    if (bench_pass_load(pass, 0, x, count * digits) || bench_pass_run(pass))
        return BENCH_FAILED;
    int32_t *y = malloc(digits * sizeof *y);
    enum bench_state state = y ? BENCH_RIGHT : BENCH_FAILED;
    for (int i = 0; i < COMPARED && state == BENCH_RIGHT; i++) {
        uint64_t at = (i == 0 ? 0 : (count - 1) / (uint64_t)i) * digits;
        if (bench_pass_fetch(pass, at, y, digits))
            state = BENCH_FAILED;
        else if (!is_multiple(y, x + at, plan))
            state = BENCH_WRONG;
    }
    free(y);
    return state;
}

/* Each pass reads and writes the coefficients once. */
static void tell(struct bench_report *report, const struct shape *shape,
                 const struct ssa_plan *plan,
                 const struct bench_figure figures[BENCH_PASS_FIGURES]) {
    const uint64_t bits = UINT64_C(32) << (shape->log_n + shape->log_p);
    char name[24];
    double copy = figures[BENCH_PASS_COPY].time.median, work = figures[BENCH_PASS_WORK].time.median;
    double share = copy > 0 && work > 0 ? 100 * plan->passes * copy / work : -1;
    enum bench_state state = figures[BENCH_PASS_WORK].state;
    snprintf(name, sizeof name, "%ux%u", 1u << shape->log_n, 1u << shape->log_p);
    bench_pass_tell(report, name, bits, "copy", &figures[BENCH_PASS_COPY]);
    bench_pass_tell(report, name, bits, "forward", &figures[BENCH_PASS_WORK]);
    bench_pass_tell_value(report, name, bits, "share", "percent", share, state);
    bench_pass_tell_value(report, name, bits, "moved", "ratio", plan->passes, state);
    printf("%-6u %-6u %8.0f %7u %10.0f", 1u << shape->log_n, 1u << shape->log_p,
           (double)(bits >> 23), plan->passes, 2. * plan->passes * (double)(bits >> 23));
    if (share < 0)
        printf(" %12s\n", "-");
    else
        printf(" %12.5f %12.5f %8.1f %8.0f %8.0f%s\n", copy * 1e3, work * 1e3, share, shape->page,
               shape->page / (work * 1e3), state == BENCH_WRONG ? "  WRONG" : "");
    fflush(stdout);
}

/* 0, or 2 where there is no memory on the host. */
static int measure(const struct bench_options *options, const struct shape *shape,
                   struct bench_report *report) {
    const struct bench_figure none = {{-1, -1, -1, 0}, BENCH_FAILED};
    struct bench_figure figures[BENCH_PASS_FIGURES] = {none, none};
    struct ssa_plan plan;
    uint64_t words = UINT64_C(1) << (shape->log_n + shape->log_p);
    int32_t *x = malloc(words * sizeof *x);
    if (!x || !ssa_plan_shape(&plan, shape->log_n, shape->log_p)) {
        free(x);
        return 2;
    }
    struct bench_pass pass = {.context = &plan};
    if (bench_pass_open(&pass, words) == 0) {
        enum bench_state state = verify(&pass, x);
        pass.work = forward;
        if (state != BENCH_FAILED)
            bench_pass_measure(&pass, &options->budget, figures);
        if (state == BENCH_WRONG)
            figures[BENCH_PASS_WORK].state = state;
        bench_pass_close(&pass);
    }
    tell(report, shape, &plan, figures);
    free(x);
    return 0;
}

int bench_transform(const struct bench_options *options, struct bench_report *report) {
    int status = 0;
    const uint64_t least = options->bits[0], most = options->bits[options->sizes - 1];
    printf("%-6s %-6s %8s %7s %10s %12s %12s %8s %8s %8s\n", "N", "P", "MiB", "passes",
           "moved, MiB", "copy, ms", "forward, ms", "share, %", "page, ms", "gain");
    for (int i = 0; i < SHAPES && status == 0; i++) {
        uint64_t bits = UINT64_C(32) << (shapes[i].log_n + shapes[i].log_p);
        if (least <= bits && bits <= most)
            status = measure(options, &shapes[i], report);
    }
    return status;
}
