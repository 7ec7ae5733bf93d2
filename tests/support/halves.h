/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products modulo B^(2n) - 1 that are computed from their residues modulo B^n - 1 and B^n +
 * 1, the "halves" (lib/multiply/halves.h).  Compares them with GMP's results. */
#ifndef MPGPU_TEST_HALVES_H
#define MPGPU_TEST_HALVES_H

#include <string.h>

#include "kernels/common/carry.h"
#include "lib/multiply/halves.h"
#include "lib/transfer/transfer.h"
#include "tests/support/testing.h"

/* The number of guard words around the result, which must not change.  Numbers also begin at this
 * offset in their buffers. */
enum { HALVES_AROUND = 4 };

struct halves_case {
    size_t n, words; /* n: words of each half; words: words of the result */
    uint32_t *a, *b, *r;
};

static inline enum gpu_status halves_up(struct context *s, enum context_slot slot,
                                        const uint32_t *x, size_t words, struct number *to) {
    enum gpu_status status = number_in_slot(s, slot, words + HALVES_AROUND, to);
    *to = number_part(*to, HALVES_AROUND, words);
    return status == GPU_OK ? transfer_up(s->transfer, &s->queue, to->mem,
                                          HALVES_AROUND * sizeof *x, x, words * sizeof *x)
                            : status;
}

static inline enum gpu_status halves_work(struct context *s, void *halves_case) {
    const struct halves_case *h = halves_case;
    size_t room = h->words + 2 * HALVES_AROUND;
    struct number a, b, all;
    enum gpu_status status = halves_up(s, SLOT_U, h->a, h->n, &a);
    status = status ? status : halves_up(s, SLOT_V, h->b, h->n, &b);
    status = status ? status : halves_up(s, SLOT_R, h->r, room, &all);
    status = status ? status : halves_make(s, number_part(all, HALVES_AROUND, h->words), a, b);
    return status ? status
                  : transfer_down(s->transfer, &s->queue, h->r, all.mem, all.at * sizeof *h->r,
                                  room * sizeof *h->r);
}

static inline void halves_words(uint32_t *to, size_t n, const mpz_t x) {
    memset(to, 0, n * sizeof *to);
    ck_assert_uint_le(mpz_sizeinbase(x, 2), 32 * n);
    mpz_export(to, NULL, -1, sizeof *to, 0, 0, x);
}

/* A function that runs halves_work on a device, which must succeed. */
typedef void halves_run(enum gpu_status (*work)(struct context *s, void *context), void *context);

/* Checks that halves_make computes the low `words` words of p from the halves a and b, of n words
 * each. */
static inline void halves_compare(halves_run *run, size_t n, size_t words, const mpz_t a,
                                  const mpz_t b, const mpz_t p) {
    size_t room = words + 2 * HALVES_AROUND;
    uint32_t *r = malloc((2 * n + 2 * room) * sizeof *r), *right = r + room;
    struct halves_case h = {n, words, right + room, right + room + n, r};
    mpz_t low;
    mpz_init(low);
    memset(r, 0xa5, 2 * room * sizeof *r);
    mpz_fdiv_r_2exp(low, p, 32 * words);
    halves_words(right + HALVES_AROUND, words, low);
    halves_words(h.a, n, a);
    halves_words(h.b, n, b);
    run(halves_work, &h);
    for (size_t i = memcmp(r, right, room * sizeof *r) ? 0 : room; i < room; i++)
        ck_assert_msg(r[i] == right[i], "%zu words of halves of %zu: word %zu is %08x, not %08x",
                      words, n, i - HALVES_AROUND, r[i], right[i]);
    mpz_clear(low);
    free(r);
}

/* Sets m to B^n + 1 if `plus`, otherwise to B^n - 1. */
static inline void halves_modulus(mpz_t m, size_t n, bool plus) {
    mpz_set_ui(m, 0);
    mpz_setbit(m, 32 * n);
    (plus ? mpz_add_ui : mpz_sub_ui)(m, m, 1);
}

/* Returns a random number of low words, from 1 to 2n, that the device must compute of a product of
 * 2n words. The most frequent number is 2n. */
static inline size_t halves_some(size_t n) {
    unsigned long kind = testing_below(8);
    return kind < 5 ? 2 * n : kind < 7 ? n + testing_below(n) : 1 + testing_below(n);
}

/* Sets x to p modulo B^n + 1 if `plus`, otherwise modulo B^n - 1; p < B^(2n) - 1.  Uses no
 * division. */
static inline void halves_reduce(mpz_t x, size_t n, bool plus, const mpz_t p) {
    mpz_t high, m;
    mpz_inits(high, m, NULL);
    halves_modulus(m, n, plus);
    mpz_fdiv_q_2exp(high, p, 32 * n);
    mpz_fdiv_r_2exp(x, p, 32 * n);
    (plus ? mpz_sub : mpz_add)(x, x, high);
    if (mpz_sgn(x) < 0)
        mpz_add(x, x, m);
    else if (mpz_cmp(x, m) >= 0)
        mpz_sub(x, x, m);
    mpz_clears(high, m, NULL);
}

/* Computes the residues of p < B^(2n) - 1 modulo B^n - 1 and B^n + 1 (its "halves").  Checks that
 * the device computes p from them.  Does nothing if one half is B^n, which has n + 1 words. */
static inline void halves_of(halves_run *run, size_t n, const mpz_t p) {
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    halves_reduce(a, n, false, p);
    halves_reduce(b, n, true, p);
    if (mpz_sizeinbase(b, 2) <= 32 * n)
        halves_compare(run, n, halves_some(n), a, b, p);
    mpz_clears(a, b, NULL);
}

/* Sets p to the number that is a modulo B^n - 1 and b modulo B^n + 1, where B = 2^32. p is b +
 * (B^n + 1) h, where 2 h = a - b modulo B^n - 1. */
static inline void halves_right(mpz_t p, size_t n, const mpz_t a, const mpz_t b) {
    mpz_t m;
    mpz_init(m);
    halves_modulus(m, n, false);
    mpz_sub(p, a, b);
    if (mpz_sgn(p) < 0)
        mpz_add(p, p, m);
    if (mpz_odd_p(p))
        mpz_add(p, p, m);
    mpz_tdiv_q_2exp(p, p, 1);
    mpz_mul_2exp(m, p, 32 * n);
    mpz_add(p, p, m);
    mpz_add(p, p, b);
    mpz_clear(m);
}

/* Shapes of numbers through which carries propagate. HALVES_SAME and the shapes after it are
 * derived from another number (`of` of halves_fill). */
enum halves_shape {
    HALVES_ZERO,
    HALVES_ONES,
    HALVES_ONE,
    HALVES_TOP_BIT,
    HALVES_LOW_ONES,
    HALVES_HIGH_ONES,
    HALVES_RUNS,
    HALVES_RANDOM,
    HALVES_ALONE,
    HALVES_SAME = HALVES_ALONE,
    HALVES_MORE,
    HALVES_LESS,
    HALVES_INVERTED,
    HALVES_NEGATED,
    HALVES_SHAPES
};

static inline void halves_run_of_ones(mpz_t x, size_t from, size_t bits) {
    mpz_set_ui(x, 0);
    mpz_setbit(x, bits);
    mpz_sub_ui(x, x, 1);
    mpz_mul_2exp(x, x, from);
}

static inline void halves_fill(mpz_t x, size_t n, enum halves_shape shape, const mpz_t of) {
    const size_t bits = 32 * n, some = 1 + testing_below(bits - 1);
    mpz_set_ui(x, shape == HALVES_ONE);
    if (shape == HALVES_TOP_BIT)
        mpz_setbit(x, bits - 1);
    else if (shape == HALVES_ONES)
        halves_run_of_ones(x, 0, bits);
    else if (shape == HALVES_LOW_ONES)
        halves_run_of_ones(x, 0, some);
    else if (shape == HALVES_HIGH_ONES)
        halves_run_of_ones(x, some, bits - some);
    else if (shape == HALVES_RUNS)
        mpz_rrandomb(x, *testing_random(), bits);
    else if (shape == HALVES_RANDOM)
        mpz_urandomb(x, *testing_random(), bits);
    else if (shape == HALVES_SAME || shape == HALVES_MORE)
        mpz_add_ui(x, of, shape == HALVES_MORE);
    else if (shape == HALVES_LESS)
        mpz_sub_ui(x, of, 1);
    else if (shape == HALVES_INVERTED)
        mpz_com(x, of);
    else if (shape == HALVES_NEGATED)
        mpz_neg(x, of);
    mpz_fdiv_r_2exp(x, x, bits);
}

/* Every two shapes. */
static inline void halves_of_shapes(halves_run *run, size_t n) {
    mpz_t a, b, p;
    mpz_inits(a, b, p, NULL);
    for (int i = 0; i < HALVES_ALONE; i++)
        for (int j = 0; j < HALVES_SHAPES; j++) {
            halves_fill(a, n, (enum halves_shape)i, a);
            halves_fill(b, n, (enum halves_shape)j, a);
            halves_right(p, n, a, b);
            halves_compare(run, n, halves_some(n), a, b, p);
        }
    mpz_clears(a, b, p, NULL);
}

/* Checks halves_of on the product of two random numbers, on numbers 2^i - 2^j, and on sums of two
 * such numbers. */
static inline void halves_of_products(halves_run *run, size_t n) {
    mpz_t u, v, p;
    mpz_inits(u, v, p, NULL);
    mpz_rrandomb(u, *testing_random(), 1 + testing_below(40 * n));
    mpz_rrandomb(v, *testing_random(), 64 * n - mpz_sizeinbase(u, 2));
    mpz_mul(p, u, v);
    halves_of(run, n, p);
    mpz_set_ui(u, 0);
    for (int k = 0; k < 2; k++) {
        size_t from = testing_below(64 * n - 1);
        halves_run_of_ones(v, from, 1 + testing_below(64 * n - from - 1));
        mpz_add(u, u, v);
        halves_of(run, n, u);
    }
    mpz_clears(u, v, p, NULL);
}

#endif
