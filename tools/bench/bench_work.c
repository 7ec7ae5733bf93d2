/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation at one size: its memory, its operands, whether its result is right. */
#include "tools/bench/bench_work.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/memory/pool.h"
#include "tools/timing.h"

static void release_malloc(void *p, size_t bytes) {
    (void)bytes;
    free(p);
}

static void release_pool(void *p, size_t bytes) {
    (void)bytes;
    pool_free(p);
}

const struct bench_memory bench_memory_malloc = {"malloc", malloc, release_malloc};
const struct bench_memory bench_memory_pool = {"pool", pool_alloc, release_pool};

/* GMP's transforms take longer operands at some sizes; its products modulo B^n - 1 take
 * 2n + 4 limbs of scratch. */
static size_t limbs_of(const struct bench_operation *operation, uint64_t bits) {
    size_t n = (size_t)((bits + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS);
    return operation->length ? operation->length(n) : n;
}

static mp_limb_t *touched(const struct bench_memory *memory, size_t limbs) {
    mp_limb_t *p = memory->allocate(limbs * sizeof *p);
    if (p)
        memset(p, 1, limbs * sizeof *p);
    return p;
}

bool bench_work_open(struct bench_work *w, const struct bench_operation *operation,
                     const struct bench_memory *memory, uint64_t bits) {
    size_t n = limbs_of(operation, bits);
    *w = (struct bench_work){.operation = operation, .memory = memory, .bits = bits, .most = n};
    w->seed = random_modulus();
    w->up = touched(memory, n);
    w->vp = operation->is_square ? w->up : touched(memory, n);
    w->rp = touched(memory, 2 * n);
    if (operation->kind == BENCH_MINUS)
        w->scratch = touched(&bench_memory_malloc, 2 * n + 4);
    if (w->up && w->vp && w->rp && (w->scratch || operation->kind != BENCH_MINUS)) {
        bench_work_size(w, bits, 1);
        return true;
    }
    fprintf(stderr, "mpgpu-bench: no memory for operands of %zu limbs\n", n);
    bench_work_close(w);
    return false;
}

static void release(const struct bench_work *w, mp_limb_t *p, size_t limbs) {
    if (p)
        w->memory->release(p, limbs * sizeof *p);
}

void bench_work_close(struct bench_work *w) {
    release(w, w->rp, 2 * w->most);
    if (w->vp != w->up)
        release(w, w->vp, w->most);
    release(w, w->up, w->most);
    free(w->scratch);
    w->up = w->vp = w->rp = w->scratch = NULL;
}

void bench_work_size(struct bench_work *w, uint64_t bits, unsigned ratio) {
    const struct bench_operation *operation = w->operation;
    w->bits = bits;
    w->un = limbs_of(operation, bits);
    w->vn = operation->kind != BENCH_MINUS && operation->kind != BENCH_PLUS ? w->un / ratio : w->un;
    w->vn = w->vn > 0 ? w->vn : 1;
    w->rn = operation->kind == BENCH_PRODUCT ? w->un + w->vn : w->un;
}

void bench_work_fill(struct bench_work *w) {
    timing_operand(w->up, w->un, TIMING_RANDOM, &w->seed);
    if (w->vp != w->up)
        timing_operand(w->vp, w->vn, TIMING_RANDOM, &w->seed);
}

static bool is_right_modulo(const struct bench_work *w, mp_limb_t m) {
    mpz_t r;
    mpz_init_set_ui(r, mpn_mod_1(w->up, (mp_size_t)w->un, m));
    mpz_mul_ui(r, r, mpn_mod_1(w->vp, (mp_size_t)w->vn, m));
    bool is_right = mpz_fdiv_ui(r, m) == mpn_mod_1(w->rp, (mp_size_t)w->rn, m);
    mpz_clear(r);
    return is_right;
}

static bool is_same_as_gmp(const struct bench_work *w) {
    struct bench_work right = *w;
    right.rp = malloc(2 * w->most * sizeof *right.rp);
    if (!right.rp)
        return false;
    right.operation->gmp(&right);
    bool is_right = right.top == w->top && memcmp(right.rp, w->rp, w->rn * sizeof *w->rp) == 0;
    free(right.rp);
    return is_right;
}

bool bench_work_is_right(struct bench_work *w) {
    return w->operation->kind == BENCH_PRODUCT ? is_right_modulo(w, random_modulus())
                                               : is_same_as_gmp(w);
}
