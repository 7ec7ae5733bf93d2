/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Primality tests of the numbers of a batch (include/mpgpu.h). The device computes powers and
 * squares modulo the numbers. The host decides which numbers are composite. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"

/* A primality test of the numbers of a batch. Even numbers and 1 need no power; the test replaces
 * them by 3. */
struct test {
    size_t count, n;
    int kind;
    /* Host memory for one batch of values: first the numbers, later values that are uploaded. */
    mp_limb_t *xp;
    mp_limb_t *verdicts; /* for each number: 0 once it is known not to be prime */
    /* For each number x: `orders` has the result of comparing its power with 1 or x - 1; `good` is
     * nonzero if the number passes the test for the current base. */
    mp_limb_t *orders, *good;
    mp_limb_t *small; /* for each number: its value if it has one limb, otherwise 0 */
    /* twos: for each number x, the number of trailing zero bits of x - 1; most_twos: their
     * maximum */
    unsigned *twos, most_twos;
    mpgpu_batch *m, *one, *minus, *e, *y, *order;
    mpgpu_batch_modulus *modulus;
};

static size_t bytes_of(const struct test *t) {
    return t->count * t->n * sizeof *t->xp;
}

/* ---- classification of the numbers */

/* Returns true if {x, n} is odd and above 1. */
static bool is_odd(const mp_limb_t *x, size_t n) {
    return x[0] % 2 == 1 && (x[0] > 1 || normalize(x, n) > 1);
}

static void look_at(struct test *t, size_t i) {
    mp_limb_t *x = t->xp + i * t->n;
    size_t size = normalize(x, t->n);
    bool is_tested = is_odd(x, t->n);
    t->verdicts[i] = is_tested || (size == 1 && x[0] == 2);
    if (!is_tested) {
        memset(x, 0, t->n * sizeof *x);
        x[0] = 3;
    }
    t->small[i] = is_tested && size > 1 ? 0 : x[0];
    x[0]--;
    t->twos[i] = (unsigned)mpn_scan1(x, 0);
    t->most_twos = t->twos[i] > t->most_twos ? t->twos[i] : t->most_twos;
    x[0]++;
}

/* ---- batches that the device needs */

static int fill(mpgpu_batch **b, const struct test *t, size_t n, const mp_limb_t *xp) {
    *b = mpgpu_batch_create(t->count, n);
    if (!*b)
        return MPGPU_NO_MEMORY;
    return xp ? mpgpu_batch_set(*b, xp) : 0;
}

/* Fills two batches for all numbers x: one with x - 1, one with the exponents. An exponent is x - 1
 * for Fermat's test, otherwise the odd part of x - 1. */
static int fill_exponents(struct test *t) {
    for (size_t i = 0; i < t->count; i++)
        t->xp[i * t->n]--;
    int error = fill(&t->minus, t, t->n, t->xp);
    for (size_t i = 0; i < t->count && t->kind == MPGPU_MILLER_RABIN; i++) {
        mp_limb_t *x = t->xp + i * t->n;
        size_t limbs = t->twos[i] / 64;
        memmove(x, x + limbs, (t->n - limbs) * sizeof *x);
        memset(x + t->n - limbs, 0, limbs * sizeof *x);
        if (t->twos[i] % 64)
            mpn_rshift(x, x, (mp_size_t)t->n, t->twos[i] % 64);
    }
    return error ? error : fill(&t->e, t, t->n, t->xp);
}

/* Fills t->xp with the value `limb` for each number, and returns t->xp. */
static const mp_limb_t *constant(struct test *t, mp_limb_t limb) {
    memset(t->xp, 0, bytes_of(t));
    for (size_t i = 0; i < t->count; i++)
        t->xp[i * t->n] = limb;
    return t->xp;
}

static int begin(struct test *t, mpgpu_batch *u) {
    int error = mpgpu_batch_get(t->xp, u);
    for (size_t i = 0; i < t->count && !error; i++)
        look_at(t, i);
    if (!error)
        error = fill(&t->m, t, t->n, t->xp);
    if (!error)
        error = fill_exponents(t);
    if (!error)
        error = fill(&t->one, t, t->n, constant(t, 1));
    if (!error)
        error = fill(&t->y, t, t->n, NULL);
    if (!error)
        error = fill(&t->order, t, 1, NULL);
    if (!error)
        t->modulus = mpgpu_batch_modulus_create(t->m);
    return error || t->modulus ? error : MPGPU_NO_MEMORY;
}

/* ---- the test for one base */

/* t->y has the powers of the base after `square` squares. Marks a number as good if its power
 * equals its number in b. Skips a number whose test needs fewer squares: the number minus 1 has at
 * most `square` trailing zero bits. */
static int pass(struct test *t, mpgpu_batch *b, unsigned square) {
    int error = mpgpu_batch_cmp(t->order, t->y, b);
    if (!error)
        error = mpgpu_batch_get(t->orders, t->order);
    for (size_t i = 0; i < t->count && !error; i++)
        t->good[i] |= t->orders[i] == 0 && square < t->twos[i];
    return error;
}

static bool is_decided(const struct test *t, unsigned square) {
    for (size_t i = 0; i < t->count; i++)
        if (t->verdicts[i] && !t->good[i] && square < t->twos[i])
            return false;
    return true;
}

/* Marks as good each number x for which the power, or one of its successive squares, is x - 1. */
static int pass_squares(struct test *t) {
    int error = pass(t, t->minus, 0);
    for (unsigned square = 1; square < t->most_twos && !error && !is_decided(t, square); square++) {
        error = mpgpu_batch_mod_sqr(t->y, t->y, t->modulus);
        if (!error)
            error = pass(t, t->minus, square);
    }
    return error;
}

static int test_base(struct test *t, mp_limb_t base) {
    int error = mpgpu_batch_set(t->y, constant(t, base));
    if (!error)
        error = mpgpu_batch_mod_pow(t->y, t->y, t->e, t->modulus);
    /* If the base is a multiple of a number x, the test proves nothing about x: such an x
     * passes. */
    for (size_t i = 0; i < t->count; i++)
        t->good[i] = t->small[i] != 0 && base % t->small[i] == 0;
    if (!error)
        error = pass(t, t->one, 0);
    if (!error && t->kind == MPGPU_MILLER_RABIN)
        error = pass_squares(t);
    for (size_t i = 0; i < t->count && !error; i++)
        t->verdicts[i] &= t->good[i] | (t->small[i] == 3);
    return error;
}

/* ---- memory */

static bool allocate(struct test *t) {
    t->xp = malloc(bytes_of(t));
    t->verdicts = malloc(4 * t->count * sizeof *t->verdicts);
    t->twos = malloc(t->count * sizeof *t->twos);
    if (!t->verdicts)
        return false;
    t->orders = t->verdicts + t->count;
    t->good = t->orders + t->count;
    t->small = t->good + t->count;
    return t->xp && t->twos;
}

static void end(struct test *t) {
    mpgpu_batch *all[] = {t->m, t->one, t->minus, t->e, t->y, t->order};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        mpgpu_batch_destroy(all[k]);
    mpgpu_batch_modulus_destroy(t->modulus);
    wipe_free(t->xp, bytes_of(t));
    wipe_free(t->verdicts, 4 * t->count * sizeof *t->verdicts);
    wipe_free(t->twos, t->count * sizeof *t->twos);
}

static bool are_bases(const mp_limb_t *bases, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (bases[k] == 0)
            return false;
    return count > 0;
}

static int perform(struct test *t, mpgpu_batch *u, const mp_limb_t *bases, size_t count) {
    int error = begin(t, u);
    for (size_t k = 0; k < count && !error; k++)
        error = test_base(t, bases[k]);
    return error;
}

EXPORT int mpgpu_batch_probable_prime(mpgpu_batch *r, mpgpu_batch *u, const mp_limb_t *bases,
                                      size_t count, int kind) {
    call_init();
    if (!r || !u || !bases || r->n != 1 || r->count != u->count || !are_bases(bases, count) ||
        (kind != MPGPU_FERMAT && kind != MPGPU_MILLER_RABIN))
        return batch_fail(MPGPU_ARGUMENTS);
    unsigned failures = 0;
    int error;
    do {
        struct test t = {.count = u->count, .n = u->n, .kind = kind};
        error = allocate(&t) ? perform(&t, u, bases, count) : batch_fail(MPGPU_NO_MEMORY);
        if (!error)
            error = mpgpu_batch_set(r, t.verdicts);
        end(&t);
    } while (u->where != BATCH_LOST && batch_is_repeated(error, &failures));
    return error;
}
