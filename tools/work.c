/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The operations that mpgpu-tune and mpgpu-bench time, by size, and their operands. */
#include <stdio.h> /* before gmp.h */

#include "tools/work.h"

#include <stdlib.h>
#include <string.h>

#include "lib/algorithms/factorial.h"
#include "lib/gmp/gmp_internal.h"

void (*work_batch)(struct work *w);

/* Sets x to a random number of n limbs. */
static void set_operand(struct work *w, mpz_t x, size_t n) {
    timing_operand(mpz_limbs_write(x, (mp_size_t)n), n, w->shape, &w->seed);
    mpz_limbs_finish(x, (mp_size_t)n);
}

static void one(struct work *w) {
    set_operand(w, w->u, w->n);
}

static void two(struct work *w) {
    set_operand(w, w->u, w->n);
    set_operand(w, w->v, w->n / w->ratio ? w->n / w->ratio : 1);
}

static void mul(struct work *w) {
    mpz_mul(w->r, w->u, w->v);
}

static void sqr(struct work *w) {
    mpz_mul(w->r, w->u, w->u);
}

static void mulmod(struct work *w) {
    mp_size_t n = (mp_size_t)w->n;
    mpn_mulmod_bnm1(mpz_limbs_write(w->r, n), n, mpz_limbs_read(w->u), n, mpz_limbs_read(w->v), n,
                    w->scratch);
    mpz_limbs_finish(w->r, n);
}

static void add(struct work *w) {
    mpz_add(w->r, w->u, w->v);
}

static void batch(struct work *w) {
    work_batch(w);
}

static void prepare_div(struct work *w) {
    set_operand(w, w->u, 2 * w->n);
    set_operand(w, w->v, w->n);
}

static void div_qr(struct work *w) {
    mpz_tdiv_qr(w->r, w->s, w->u, w->v);
}

/* Prepares an odd modulus, because most moduli in programs are odd. */
static void prepare_powm(struct work *w) {
    two(w);
    mpz_setbit(w->v, 0);
}

static void powm(struct work *w) {
    mpz_powm_ui(w->r, w->u, 54321, w->v);
}

static void prepare_sqrt(struct work *w) {
    set_operand(w, w->u, 2 * w->n);
}

static void root(struct work *w) {
    mpz_sqrtrem(w->r, w->s, w->u);
}

/* Prepares a base of one limb.  It is odd, because mpz_pow_ui handles factors 2 separately. */
static void prepare_pow(struct work *w) {
    set_operand(w, w->u, 1);
    mpz_setbit(w->u, 0);
}

static void power(struct work *w) {
    mpz_pow_ui(w->r, w->u, w->n);
}

static void prepare_nothing(struct work *w) {
    (void)w;
}

/* Computes a Fibonacci number of about n limbs: 92 indices add one limb. */
static void fib(struct work *w) {
    mpz_fib_ui(w->r, 92 * w->n);
}

/* Computes the smallest factorial that has at least n limbs by the estimate factorial_limbs, which
 * the threshold uses. */
static void fac(struct work *w) {
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

static void cube_root(struct work *w) {
    mpz_rootrem(w->r, w->s, w->u, 3);
}

/* Prepares operands with a common factor, because a wrong gcd is often 1. */
static void prepare_gcd(struct work *w) {
    two(w);
    /* one limb more than half of n: otherwise u and v, multiplied by this factor, might have fewer
     * than n limbs */
    set_operand(w, w->r, (w->n + 1) / 2 + 1);
    mpz_tdiv_q_2exp(w->u, w->u, w->n / 2 * GMP_NUMB_BITS);
    mpz_tdiv_q_2exp(w->v, w->v, w->n / 2 * GMP_NUMB_BITS);
    mpz_mul(w->u, w->u, w->r);
    mpz_mul(w->v, w->v, w->r);
}

static void gcd(struct work *w) {
    mpz_gcd(w->r, w->u, w->v);
}

static void get_str(struct work *w) {
    mpz_get_str(w->text, 10, w->u);
}

/* Prepares a text of 8 n digits: the threshold counts 8 digits as a limb. */
static void prepare_digits(struct work *w) {
    for (size_t i = 0; i < 8 * w->n; i++) {
        w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
        w->text[i] = (char)('0' + (w->seed >> 33) % 10);
    }
    w->text[0] = '9';
    w->text[8 * w->n] = 0;
}

static void set_str(struct work *w) {
    mpz_set_str(w->r, w->text, 10);
}

#define OPERATION(name, what, prepare, run, is_composite)                                          \
    [PROFILE_##name] = {#name, PROFILE_##name, what, prepare, run, is_composite}
const struct work_operation work_operations[PROFILE_THRESHOLDS] = {
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

/* ---- an operation at a size */

bool work_open(struct work *w, const struct work_operation *operation, size_t n) {
    if (operation->threshold == PROFILE_mulmod)
        n = (size_t)mpn_mulmod_bnm1_next_size((mp_size_t)n);
    if (operation->threshold == PROFILE_batch)
        n = (n + WORK_BATCH_LIMBS - 1) / WORK_BATCH_LIMBS * WORK_BATCH_LIMBS;
    *w = (struct work){.operation = operation, .n = n, .ratio = 1, .seed = n};
    w->text_bytes = 20 * n + 16; /* a limb has at most 19.3 decimal digits */
    w->scratch = malloc((2 * n + 64) * sizeof *w->scratch);
    w->text = malloc(w->text_bytes);
    mpz_inits(w->u, w->v, w->r, w->s, NULL);
    if (w->scratch && w->text) {
        *w->text = 0;
        return true;
    }
    work_close(w);
    return false;
}

void work_close(struct work *w) {
    mpz_clears(w->u, w->v, w->r, w->s, NULL);
    free(w->scratch);
    free(w->text);
}

bool work_is_same(const struct work *w, const struct work *v) {
    return mpz_cmp(w->r, v->r) == 0 && mpz_cmp(w->s, v->s) == 0 && strcmp(w->text, v->text) == 0;
}

/* Returns a residue by mpn_mod_1, which has no threshold, so GMP computes it. */
static uint64_t residue(mpz_srcptr x) {
    static const mp_limb_t m = (UINT64_C(1) << 61) + 15;
    return mpn_mod_1(mpz_limbs_read(x), (mp_size_t)mpz_size(x), m);
}

uint64_t work_hash(const struct work *w) {
    uint64_t hash = residue(w->r) * 3 + residue(w->s);
    for (const char *c = w->text; *c; c++)
        hash = hash * 0x9e3779b97f4a7c15u + (unsigned char)*c;
    return hash;
}
