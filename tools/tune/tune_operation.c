/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations to be timed. */
#include <stdio.h> /* before gmp.h */

#include "tools/tune/tune_operation.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "lib/algorithms/factorial.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/gmp/real.h"
#include "lib/base/conf.h"
#include "include/mpgpu.h"
#include "lib/device/context.h"

enum { BATCH_LIMBS = 16 };

/* {x, n} in place. */
static void set_operand(struct tune_work *w, mpz_t x, size_t n) {
    timing_operand(mpz_limbs_write(x, (mp_size_t)n), n, w->shape, &w->seed);
    mpz_limbs_finish(x, (mp_size_t)n);
}

static void one(struct tune_work *w) {
    set_operand(w, w->u, w->n);
}

static void two(struct tune_work *w) {
    set_operand(w, w->u, w->n);
    set_operand(w, w->v, w->n);
}

static void mul(struct tune_work *w) {
    mpz_mul(w->r, w->u, w->v);
}

static void sqr(struct tune_work *w) {
    mpz_mul(w->r, w->u, w->u);
}

static void mulmod(struct tune_work *w) {
    mp_size_t n = (mp_size_t)w->n;
    mpn_mulmod_bnm1(mpz_limbs_write(w->r, n), n, mpz_limbs_read(w->u), n, mpz_limbs_read(w->v), n,
                    w->scratch);
    mpz_limbs_finish(w->r, n);
}

static void add(struct tune_work *w) {
    mpz_add(w->r, w->u, w->v);
}

/* Products of BATCH_LIMBS limbs each, so many that n limbs are one operand of all. */
static void batch(struct tune_work *w) {
    mpgpu_batch_mul_n(mpz_limbs_write(w->r, 2 * (mp_size_t)w->n), mpz_limbs_read(w->u),
                      mpz_limbs_read(w->v), BATCH_LIMBS, w->n / BATCH_LIMBS);
    mpz_limbs_finish(w->r, 2 * (mp_size_t)w->n);
}

static void prepare_div(struct tune_work *w) {
    set_operand(w, w->u, 2 * w->n);
    set_operand(w, w->v, w->n);
}

static void div_qr(struct tune_work *w) {
    mpz_tdiv_qr(w->r, w->s, w->u, w->v);
}

/* An odd modulus, as most are. */
static void prepare_powm(struct tune_work *w) {
    two(w);
    mpz_setbit(w->v, 0);
}

static void powm(struct tune_work *w) {
    mpz_powm_ui(w->r, w->u, 54321, w->v);
}

static void prepare_sqrt(struct tune_work *w) {
    set_operand(w, w->u, 2 * w->n);
}

static void root(struct tune_work *w) {
    mpz_sqrtrem(w->r, w->s, w->u);
}

/* A base of a limb; an odd one, since twos are put aside. */
static void prepare_pow(struct tune_work *w) {
    set_operand(w, w->u, 1);
    mpz_setbit(w->u, 0);
}

static void power(struct tune_work *w) {
    mpz_pow_ui(w->r, w->u, w->n);
}

static void prepare_nothing(struct tune_work *w) {
    (void)w;
}

/* 92 indices are a limb. */
static void fib(struct tune_work *w) {
    mpz_fib_ui(w->r, 92 * w->n);
}

/* Of the least number whose factorial counts as so many limbs. */
static void fac(struct tune_work *w) {
    unsigned long low = 0, high = 64 * w->n + 64;
    while (high - low > 1) {
        unsigned long middle = low + (high - low) / 2;
        if (factorial_limbs(middle) < w->n)
            low = middle;
        else
            high = middle;
    }
    mpz_fac_ui(w->r, high);
}

static void cube_root(struct tune_work *w) {
    mpz_rootrem(w->r, w->s, w->u, 3);
}

/* With a factor in common, as a wrong gcd is often 1 as well. */
static void prepare_gcd(struct tune_work *w) {
    two(w);
    set_operand(w, w->r, (w->n + 1) / 2 + 1); /* a limb may be lost */
    mpz_tdiv_q_2exp(w->u, w->u, w->n / 2 * GMP_NUMB_BITS);
    mpz_tdiv_q_2exp(w->v, w->v, w->n / 2 * GMP_NUMB_BITS);
    real.mpz_mul(w->u, w->u, w->r);
    real.mpz_mul(w->v, w->v, w->r);
}

static void gcd(struct tune_work *w) {
    mpz_gcd(w->r, w->u, w->v);
}

static void get_str(struct tune_work *w) {
    mpz_get_str(w->text, 10, w->u);
}

/* The threshold counts 8 digits as a limb. */
static void prepare_digits(struct tune_work *w) {
    for (size_t i = 0; i < 8 * w->n; i++) {
        w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
        w->text[i] = (char)('0' + (w->seed >> 33) % 10);
    }
    w->text[0] = '9';
    w->text[8 * w->n] = 0;
}

static void set_str(struct tune_work *w) {
    mpz_set_str(w->r, w->text, 10);
}

#define OPERATION(name, what, prepare, run, is_composite)                                          \
    [PROFILE_##name] = {#name, PROFILE_##name, what, prepare, run, is_composite}
const struct tune_operation tune_operations[PROFILE_THRESHOLDS] = {
    OPERATION(mul, "product", two, mul, 0),
    OPERATION(sqr, "square", one, sqr, 0),
    OPERATION(mulmod, "product modulo B^n - 1", two, mulmod, 0),
    OPERATION(add, "sum", two, add, 0),
    OPERATION(batch, "products of 16 limbs", two, batch, 0),
    OPERATION(div, "quotient and remainder", prepare_div, div_qr, 1),
    OPERATION(powm, "power modulo", prepare_powm, powm, 1),
    OPERATION(sqrt, "square root", prepare_sqrt, root, 1),
    OPERATION(pow, "power", prepare_pow, power, 1),
    OPERATION(fib, "Fibonacci number", prepare_nothing, fib, 1),
    OPERATION(fac, "factorial", prepare_nothing, fac, 1),
    OPERATION(root, "cube root", one, cube_root, 1),
    OPERATION(gcd, "gcd", prepare_gcd, gcd, 1),
    OPERATION(get_str, "to decimal digits", one, get_str, 1),
    OPERATION(set_str, "from decimal digits", prepare_digits, set_str, 1),
};
#undef OPERATION

/* ---- at a size */

enum { SHORT = 4096 }; /* limbs that are worth a run */

bool tune_work_open(struct tune_work *w, const struct tune_operation *operation, size_t n) {
    call_init(); /* `real` is there from here on */
    if (operation->threshold == PROFILE_mulmod)
        n = (size_t)real.mpn_mulmod_bnm1_next_size((mp_size_t)n);
    if (operation->threshold == PROFILE_batch)
        n = (n + BATCH_LIMBS - 1) / BATCH_LIMBS * BATCH_LIMBS;
    *w = (struct tune_work){.operation = operation, .n = n, .seed = n};
    w->times = operation->is_composite || n >= SHORT ? 1 : (int)(SHORT / n);
    w->text_bytes = 20 * n + 16; /* a limb has 19.3 digits */
    w->scratch = malloc((2 * n + 64) * sizeof *w->scratch);
    w->text = malloc(w->text_bytes);
    mpz_inits(w->u, w->v, w->r, w->s, NULL);
    if (w->scratch && w->text) {
        *w->text = 0;
        return true;
    }
    tune_work_close(w);
    return false;
}

void tune_work_close(struct tune_work *w) {
    mpz_clears(w->u, w->v, w->r, w->s, NULL);
    free(w->scratch);
    free(w->text);
}

/* ---- by GMP or by the device */

/* Inside a composite operation products are done as p says, else by GMP. */
static void use(const struct tune_work *w, const struct profile *p, size_t own) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++) {
        bool counts = w->operation->is_composite && !tune_operations[i].is_composite;
        thresholds_set(i, counts ? profile_limbs(p, i) : MPGPU_NEVER);
    }
    thresholds_set(w->operation->threshold, own);
}

void tune_use_no_device(void) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        thresholds_set(i, MPGPU_NEVER);
}

void tune_use_gmp(const struct tune_work *w, const struct profile *p) {
    use(w, p, MPGPU_NEVER);
}

void tune_use_device(const struct tune_work *w, const struct profile *p) {
    use(w, p, w->n);
}

/* ---- results and times */

enum tune_result tune_check(struct tune_work *w, const struct profile *p) {
    mpz_t r, s;
    mpz_inits(r, s, NULL);
    char *text = malloc(w->text_bytes);
    w->operation->prepare(w);
    tune_use_no_device();
    w->operation->run(w);
    mpz_swap(r, w->r);
    mpz_swap(s, w->s);
    if (text)
        strcpy(text, w->text);
    unsigned long sent = call_sent();
    tune_use_device(w, p);
    w->operation->run(w);
    bool right =
        text && mpz_cmp(r, w->r) == 0 && mpz_cmp(s, w->s) == 0 && strcmp(text, w->text) == 0;
    mpz_clears(r, s, NULL);
    free(text);
    return !right ? TUNE_WRONG : call_sent() == sent ? TUNE_NOT : TUNE_RIGHT;
}

void tune_make_right(struct tune_work *w, mpz_ptr right) {
    w->operation->prepare(w);
    tune_use_no_device();
    w->operation->run(w);
    mpz_swap(right, w->r);
}

enum tune_result tune_compare(struct tune_work *w, const struct profile *p, mpz_srcptr right) {
    unsigned long sent = call_sent();
    tune_use_device(w, p);
    w->operation->run(w);
    return mpz_cmp(right, w->r) != 0 ? TUNE_WRONG : call_sent() == sent ? TUNE_NOT : TUNE_RIGHT;
}

/* The operation by GMP or by the device. */
struct way {
    struct tune_work *work;
    const struct profile *profile;
    void (*use)(const struct tune_work *w, const struct profile *p);
    int times;
};

static int prepare(void *context) {
    const struct way *way = context;
    way->work->operation->prepare(way->work);
    way->use(way->work, way->profile);
    return 0;
}

static int run(void *context) {
    const struct way *way = context;
    for (int i = 0; i < way->times; i++)
        way->work->operation->run(way->work);
    return 0;
}

bool tune_time(struct tune_work *w, const struct profile *p, const struct timing_budget *budget,
               double *gmp, double *device) {
    struct way ways[] = {{w, p, tune_use_gmp, w->times}, {w, p, tune_use_device, 1}};
    struct timing_task tasks[] = {{prepare, run, &ways[0], ways[0].times},
                                  {prepare, run, &ways[1], ways[1].times}};
    struct timing times[2];
    if (timing_measure(tasks, 2, budget, times))
        return false;
    *gmp = times[0].median;
    *device = times[1].median;
    return true;
}
