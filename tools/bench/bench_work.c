/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation at one size: computes it, allocates memory and operands, checks the result, and
 * times it in each column. */
#include "config.h"

#include "tools/bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/random.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/memory/pool.h"
#include "lib/job/limbs.h"

/* ---- operations */

/* GMP's functions that choose transform lengths. */
#define mpn_fft_best_k __MPN(fft_best_k)
#define mpn_fft_next_size __MPN(fft_next_size)
int mpn_fft_best_k(mp_size_t n, int square);
mp_size_t mpn_fft_next_size(mp_size_t n, int k);

static int gmp_mul(struct bench_work *w) {
    mpn_mul(w->rp, w->up, (mp_size_t)w->un, w->vp, (mp_size_t)w->vn);
    return 0;
}

static int gmp_sqr(struct bench_work *w) {
    mpn_sqr(w->rp, w->up, (mp_size_t)w->un);
    return 0;
}

static int library_mul(struct bench_work *w) {
    return limbs_mul(w->rp, w->up, w->un, w->vp, w->vn) != OUTCOME_DONE;
}

static size_t length_minus(size_t n) {
    return (size_t)mpn_mulmod_bnm1_next_size((mp_size_t)n);
}

static int gmp_minus(struct bench_work *w) {
    mpn_mulmod_bnm1(w->rp, (mp_size_t)w->rn, w->up, (mp_size_t)w->un, w->vp, (mp_size_t)w->vn,
                    w->scratch);
    return 0;
}

static int library_minus(struct bench_work *w) {
    return limbs_mulmod(LIMBS_MULMOD_BNM1, w->rp, w->rn, w->up, w->un, w->vp, w->vn,
                        &(mp_limb_t){0}) != OUTCOME_DONE;
}

static size_t length_plus(size_t n) {
    return (size_t)mpn_fft_next_size((mp_size_t)n, mpn_fft_best_k((mp_size_t)n, 0));
}

static int gmp_plus(struct bench_work *w) {
    mp_size_t n = (mp_size_t)w->rn;
    w->top = mpn_mul_fft(w->rp, n, w->up, (mp_size_t)w->un, w->vp, (mp_size_t)w->vn,
                         mpn_fft_best_k(n, 0));
    return 0;
}

static int library_plus(struct bench_work *w) {
    return limbs_mulmod(LIMBS_MULMOD_BNP1, w->rp, w->rn, w->up, w->un, w->vp, w->vn, &w->top) !=
           OUTCOME_DONE;
}

static int gmp_add(struct bench_work *w) {
    w->top = mpn_add(w->rp, w->up, (mp_size_t)w->un, w->vp, (mp_size_t)w->vn);
    return 0;
}

static int library_add(struct bench_work *w) {
    return limbs_add(w->rp, w->up, w->un, w->vp, w->vn, &w->top) != OUTCOME_DONE;
}

const struct bench_operation bench_operations[BENCH_OPERATIONS] = {
    {"mul", "product", BENCH_PRODUCT, 0, NULL, gmp_mul, library_mul},
    {"sqr", "square", BENCH_PRODUCT, 1, NULL, gmp_sqr, library_mul},
    {"bnm1", "product modulo B^n-1, B = 2^64", BENCH_MINUS, 0, length_minus, gmp_minus,
     library_minus},
    {"bnp1", "product modulo B^n+1", BENCH_PLUS, 0, length_plus, gmp_plus, library_plus},
    {"add", "sum", BENCH_SUM, 0, NULL, gmp_add, library_add},
};

/* ---- memory */

static mp_limb_t *allocate(bool is_pool, size_t limbs, bool is_fresh) {
    size_t bytes = limbs * sizeof(mp_limb_t);
    mp_limb_t *p = is_pool ? pool_alloc(bytes) : malloc(bytes);
    if (p && !is_fresh)
        memset(p, 1, bytes);
    return p;
}

static void release(bool is_pool, mp_limb_t *p) {
    if (p && is_pool)
        pool_free(p);
    else
        free(p);
}

/* Returns the limbs for `bits` bits, rounded up to a size that GMP's transforms support if the
 * operation needs one. */
static size_t limbs_of(const struct bench_operation *operation, uint64_t bits) {
    size_t n = (size_t)((bits + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS);
    return operation->length ? operation->length(n) : n;
}

bool bench_work_open(struct bench_work *w, const struct bench_operation *operation,
                     enum bench_column column, uint64_t bits, bool is_fresh) {
    size_t n = limbs_of(operation, bits);
    *w = (struct bench_work){.operation = operation, .is_pool = column == BENCH_POOL, .most = n};
    w->seed = random_modulus();
    w->up = allocate(w->is_pool, n, false);
    w->vp = operation->is_square ? w->up : allocate(w->is_pool, n, false);
    w->rp = allocate(w->is_pool, 2 * n, is_fresh);
    /* GMP's products modulo B^n - 1 need 2n + 4 limbs of scratch */
    if (operation->kind == BENCH_MINUS)
        w->scratch = allocate(false, 2 * n + 4, false);
    if (w->up && w->vp && w->rp && (w->scratch || operation->kind != BENCH_MINUS)) {
        bench_work_size(w, bits, 1);
        return true;
    }
    fprintf(stderr, "mpgpu-bench: no memory for operands of %zu limbs\n", n);
    bench_work_close(w);
    return false;
}

void bench_work_close(struct bench_work *w) {
    release(w->is_pool, w->rp);
    if (w->vp != w->up)
        release(w->is_pool, w->vp);
    release(w->is_pool, w->up);
    free(w->scratch);
    w->up = w->vp = w->rp = w->scratch = NULL;
}

void bench_work_size(struct bench_work *w, uint64_t bits, unsigned ratio) {
    const struct bench_operation *operation = w->operation;
    w->bits = bits;
    w->un = limbs_of(operation, bits);
    w->vn = operation->length ? w->un : w->un / ratio;
    w->vn = w->vn > 0 ? w->vn : 1;
    w->rn = operation->kind == BENCH_PRODUCT ? w->un + w->vn : w->un;
}

void bench_work_fill(struct bench_work *w) {
    timing_operand(w->up, w->un, TIMING_RANDOM, &w->seed);
    if (w->vp != w->up)
        timing_operand(w->vp, w->vn, TIMING_RANDOM, &w->seed);
}

void bench_work_row(struct bench_report *report, const struct bench_shape *shape,
                    const struct bench_work *w) {
    bench_report_row(report, shape->name, w->bits, w->un, w->vn, w->rn);
}

/* ---- results */

static bool is_right_modulo(const struct bench_work *w, mp_limb_t m) {
    mpz_t r;
    mpz_init_set_ui(r, mpn_mod_1(w->up, (mp_size_t)w->un, m));
    mpz_mul_ui(r, r, mpn_mod_1(w->vp, (mp_size_t)w->vn, m));
    bool is_right = mpz_fdiv_ui(r, m) == mpn_mod_1(w->rp, (mp_size_t)w->rn, m);
    mpz_clear(r);
    return is_right;
}

enum bench_state bench_work_check(const struct bench_work *w) {
    struct bench_work right = *w;
    if (w->operation->kind == BENCH_PRODUCT)
        return is_right_modulo(w, random_modulus()) ? BENCH_RIGHT : BENCH_WRONG;
    right.rp = malloc(2 * w->most * sizeof *right.rp);
    if (!right.rp) {
        fputs("mpgpu-bench: no memory to check a result\n", stderr);
        return BENCH_FAILED;
    }
    right.operation->gmp(&right);
    bool is_right = right.top == w->top && memcmp(right.rp, w->rp, w->rn * sizeof *w->rp) == 0;
    free(right.rp);
    return is_right ? BENCH_RIGHT : BENCH_WRONG;
}

/* ---- candidates */

enum {
    /* up to this many limbs, GMP also has an untimed run before each timed run */
    MOST_WARM = 1 << 14
};

static const unsigned pause_microseconds = 2000;

/* A run repeats the operation for at least these seconds, so that reading the clock and the wait at
 * the end take a negligible part. */
static const double least_seconds[BENCH_COLUMNS] = {
    [BENCH_GMP] = 20e-6, [BENCH_DEVICE] = 4e-3, [BENCH_LINK] = 2e-3};

const struct bench_name bench_columns[BENCH_COLUMNS] = {
    {"gmp", "GMP on one thread"},
    {"malloc", "this library, operands and result in memory of malloc that was used before"},
    {"fresh", "this library, the result in memory that malloc has just returned"},
    {"paused", "as malloc, after a pause of 2 ms"},
    {"pool", "this library, operands and result in memory of its pool"},
    {"device", "this library, operands and result on the device; only arrays checks these"},
    {"link", "the same bytes over the link, from and to page-locked memory"},
};

struct bench_setting bench_setting_now(void) {
    return (struct bench_setting){mpgpu_conf.verify, mpgpu_conf.algorithm, mpgpu_conf.shard};
}

static void set(struct bench_setting s) {
    mpgpu_conf.verify = s.verify;
    mpgpu_conf.algorithm = s.algorithm;
    mpgpu_conf.shard = s.shared;
}

void bench_candidate_open(struct bench_candidate *c, enum bench_column column,
                          struct bench_setting setting, struct bench_work *work) {
    struct bench_setting before = bench_setting_now();
    *c = (struct bench_candidate){column, setting, work, .times = 1};
    set(setting);
    if (column == BENCH_DEVICE)
        c->resident = bench_resident_open(work);
    if (column == BENCH_LINK)
        c->link = bench_link_open(work);
    set(before);
    c->ready =
        work->up && (column != BENCH_DEVICE || c->resident) && (column != BENCH_LINK || c->link);
}

void bench_candidate_close(struct bench_candidate *c) {
    bench_resident_close(c->resident);
    bench_link_close(c->link);
}

static int run_fresh(const struct bench_work *w) {
    struct bench_work fresh = *w;
    fresh.rp = allocate(w->is_pool, w->rn, true);
    int failed = !fresh.rp || w->operation->library(&fresh);
    release(w->is_pool, fresh.rp);
    return failed;
}

static int run_on_host(struct bench_candidate *c) {
    int failed = 0;
    for (int i = 0; i < c->times && !failed; i++)
        failed = c->column == BENCH_GMP     ? c->work->operation->gmp(c->work)
                 : c->column == BENCH_FRESH ? run_fresh(c->work)
                                            : c->work->operation->library(c->work);
    return failed;
}

/* Computes the operation `times` times with the candidate's settings. */
static int run(void *context) {
    struct bench_candidate *c = context;
    struct bench_setting before = bench_setting_now();
    set(c->setting);
    int failed = c->column == BENCH_DEVICE ? bench_resident_run(c->resident, c->times)
                 : c->column == BENCH_LINK ? bench_link_run(c->link, c->times)
                                           : run_on_host(c);
    set(before);
    return failed;
}

static int load(struct bench_candidate *c) {
    if (c->column == BENCH_LINK || c->fixed)
        return 0;
    bench_work_fill(c->work);
    return c->column == BENCH_DEVICE ? bench_resident_load(c->resident, c->work) : 0;
}

/* Generates new operands and runs once untimed, so that caches are filled as in a sequence of
 * products.  Long runs of GMP and those of the column paused follow no untimed run. */
static int prepare(void *context) {
    struct bench_candidate *c = context;
    if (load(c))
        return 1;
    if (c->column == BENCH_PAUSED)
        return usleep(pause_microseconds);
    return c->column == BENCH_GMP && c->work->un > MOST_WARM ? 0 : run(c);
}

/* Runs the candidate once and checks the result.  Does not run GMP.  Transfers alone have no result
 * to check, and the fresh result is freed already. */
static enum bench_state verify(struct bench_candidate *c) {
    if (c->column == BENCH_GMP)
        return BENCH_RIGHT;
    if (!c->ready || load(c))
        return BENCH_FAILED;
    /* changes the result of the candidate before, which had the same operands if they are fixed */
    c->work->rp[0] = ~c->work->rp[0];
    if (run(c))
        return BENCH_FAILED;
    if (c->column == BENCH_LINK || c->column == BENCH_FRESH)
        return BENCH_RIGHT;
    if (c->column == BENCH_DEVICE && bench_resident_fetch(c->resident, c->work))
        return BENCH_FAILED;
    return bench_work_check(c->work);
}

static bool is_long(const struct bench_candidate *c) {
    return c->work->un > 1 << 22 || (c->column == BENCH_GMP && c->work->un > MOST_WARM);
}

void bench_measure(struct bench_candidate *candidates, int count,
                   const struct timing_budget *budget, struct bench_figure *figures) {
    struct timing_task tasks[BENCH_MOST_CANDIDATES];
    struct bench_figure measured[BENCH_MOST_CANDIDATES];
    int ready = 0;
    for (int i = 0; i < count; i++) {
        struct bench_candidate *c = &candidates[i];
        figures[i] = bench_value(-1, verify(c));
        if (figures[i].state == BENCH_FAILED)
            continue;
        tasks[ready] = (struct timing_task){prepare, run, c, 1};
        if (least_seconds[c->column] > 0 && !is_long(c))
            c->times = bench_times(&tasks[ready], least_seconds[c->column]);
        tasks[ready++].times = c->times;
    }
    if (ready > 0)
        bench_time(tasks, ready, budget, measured);
    for (int i = 0, k = 0; i < count; i++)
        if (figures[i].state != BENCH_FAILED) {
            figures[i].time = measured[k].time;
            figures[i].state =
                measured[k++].state == BENCH_FAILED ? BENCH_FAILED : figures[i].state;
        }
}
