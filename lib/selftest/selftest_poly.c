/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The known-answer test of the kernels for products of polynomials (kernels/poly/poly.cl). Also
 * tests the kernels of their check (lib/job/recipe_poly.c), with right and wrong values. */
#include <string.h>

#include "kernels/poly/poly.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

__extension__ typedef unsigned __int128 wide;

enum { WORDS = 1200, LENGTH = 60 };
static const uint32_t sign_bit = 0x80000000u;

/* Tests poly_spread, which copies `length` coefficients of n words to slots of `slot` words, one
 * for each coefficient. */
static void verify_spread(struct known_answer *t, uint32_t n, uint32_t slot, uint32_t kind) {
    const uint32_t words = LENGTH * slot + 3;
    uint32_t right[WORDS];
    memset(right, 0, sizeof right);
    for (uint32_t i = 0; i < LENGTH; i++) {
        const uint32_t *x = t->host[0] + i * n;
        for (uint32_t j = 0; j < slot; j++)
            right[i * slot + j] = kind == POLY_BIAS     ? 0
                                  : j < n               ? x[j]
                                  : kind == POLY_SIGNED ? 0 - (x[n - 1] >> 31)
                                                        : 0;
        right[i * slot + slot - 1] ^= kind == POLY_ABSOLUTE ? 0 : sign_bit;
    }
    KNOWN_ANSWER(t, launch_poly_spread(t->s, launch_row(ceil_div(words, POLY_THREADS)), t->r.mem, 0,
                                       slot, words, words, t->x[0].mem, 0, n, LENGTH, kind));
    known_answer_compare(t, t->r.mem, 0, right, words, "numbers of polynomials");
}

/* Returns word j of the coefficient in a slot of `size` words, negated if `minus`. */
static uint32_t word_of(const uint32_t *slot, uint32_t size, uint32_t j, uint32_t kind,
                        bool minus) {
    uint64_t carry = minus;
    uint32_t word = 0;
    for (uint32_t i = 0; i <= j; i++) {
        const uint32_t top = slot[size - 1] ^ (kind == POLY_SIGNED ? sign_bit : 0);
        word = i + 1 < size          ? slot[i]
               : i + 1 == size       ? top
               : kind == POLY_SIGNED ? 0 - (top >> 31)
                                     : 0;
        carry += minus ? (uint32_t)~word : word;
        word = (uint32_t)carry;
        carry >>= 32;
    }
    return word;
}

/* Tests poly_take, which copies coefficients of n words from their slots. The first coefficient is
 * in slot number `low`. */
static void verify_take(struct known_answer *t, uint32_t n, uint32_t slot, uint32_t kind,
                        bool minus) {
    const uint32_t low = 2, length = LENGTH / 2, words = length * n, flags[2] = {1, !minus};
    uint32_t right[WORDS];
    for (uint32_t i = 0; i < length; i++)
        for (uint32_t j = 0; j < n; j++)
            right[i * n + j] = word_of(t->host[0] + (low + i) * slot, slot, j, kind, minus);
    known_answer_up(t, t->r.mem, WORDS, flags, 2);
    KNOWN_ANSWER(t, launch_poly_take(t->s, launch_row(ceil_div(words, POLY_THREADS)), t->r.mem, 0,
                                     n, length, words, t->x[0].mem, 0, slot, 0, low, kind, t->r.mem,
                                     WORDS, t->r.mem, WORDS + 1));
    known_answer_compare(t, t->r.mem, 0, right, words, "coefficients of a product");
}

/* Tests poly_reduce, which reduces coefficients of `slot` words modulo m. All coefficients are
 * below 2^128 m. */
static void verify_reduce(struct known_answer *t, uint32_t slot, uint64_t m) {
    const int shift = __builtin_clzll(m);
    const uint64_t d = m << shift, v = (uint64_t)((((wide)~d << 64) | ~UINT64_C(0)) / d);
    uint32_t x[LENGTH * POLY_REDUCE_WORDS], right[6 * LENGTH];
    memset(x, 0, sizeof x);
    for (uint32_t i = 0; i < LENGTH; i++) {
        uint64_t limb[3] = {0}, q[2], *const r = (uint64_t *)right;
        memcpy(limb, t->host[1] + 5 * i, sizeof limb);
        limb[2] %= m;
        memcpy(x + i * slot, limb, slot * sizeof *x);
        memset(limb, 0, sizeof limb);
        memcpy(limb, x + i * slot, slot * sizeof *x);
        const wide high = (wide)limb[2] << 64 | limb[1], low = (wide)(uint64_t)(high % m) << 64;
        q[1] = (uint64_t)(high / m);
        q[0] = (uint64_t)((low | limb[0]) / m);
        r[i] = (uint64_t)((low | limb[0]) % m);
        memcpy(right + 2 * LENGTH + 4 * i, q, sizeof q);
    }
    known_answer_up(t, t->r.mem, WORDS, x, LENGTH * slot);
    KNOWN_ANSWER(t, launch_poly_reduce(t->s, launch_row(1), t->r.mem, 0, t->r.mem, LENGTH, LENGTH,
                                       LENGTH, t->r.mem, WORDS, slot, 0, 0, d, v, (uint32_t)shift));
    known_answer_compare(t, t->r.mem, 0, right, 6 * LENGTH, "coefficients modulo a number");
}

static void value(struct known_answer *t, uint64_t at, struct number from, uint32_t n,
                  uint32_t length, uint64_t most, uint64_t x) {
    const struct check_modulus q = t->s->modulus;
    KNOWN_ANSWER(t, launch_poly_value(t->s, launch_row(1), t->r.mem, at, from.mem, from.at, n, n, 0,
                                      length, 1, 1, POLY_ABSOLUTE, most, 1, x, q.one, q.m, q.minv,
                                      0x123456789abcdef));
}

/* Tests polynomials and the comparison of their values: (a + x b) c = a c + x b c for words a, b
 * and c. With is_wrong, the last product is changed. Then, and if `most` is 1, the comparison must
 * fail. */
static void verify_check(struct known_answer *t, bool is_wrong, uint64_t most) {
    const struct check_modulus q = t->s->modulus;
    const uint32_t *a = t->host[0];
    const uint64_t x[2] = {a[0], a[1]},
                   y[2] = {(uint64_t)a[0] * a[2], (uint64_t)a[1] * a[2] + is_wrong};
    const uint64_t random = (q.m >> 3) + 12345, f = modulus_power_of_words(2 * 3, q);
    const uint64_t c = a[2];
    uint32_t told[2] = {0}, pass = 77, parts = 1;
    known_answer_up(t, t->r.mem, 0, told, 2);
    known_answer_up(t, t->r.mem, 4, x, 4);
    known_answer_up(t, t->r.mem, 8, y, 4);
    known_answer_up(t, t->r.mem, 12, &c, 2);
    value(t, 20, (struct number){t->r.mem, 4, 4}, 2, 2, 0, random);
    value(t, 21, (struct number){t->r.mem, 12, 2}, 2, 1, 0, random);
    value(t, 22, (struct number){t->r.mem, 8, 4}, 2, 2, most, random);
    KNOWN_ANSWER(t, launch_poly_check(t->s, launch_row(1), t->r.mem, pass, t->r.mem, 20, parts, 21,
                                      parts, 22, parts, 0, 0, 1, f, modulus_power_of_words(2, q), 0,
                                      q.m, q.minv, 0x123456789abcdef));
    const bool is_bad = is_wrong || most == 1;
    told[0] = is_bad ? 0 : pass;
    told[1] = is_bad;
    known_answer_compare(t, t->r.mem, 0, told, 2, "check of a polynomial");
}

static void verify(struct known_answer *t) {
    static const uint32_t sizes[][2] = {{2, 5}, {2, 2}, {4, 7}, {4, 3}, {6, 15}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (uint32_t kind = 0; kind <= POLY_BIAS; kind++)
            verify_spread(t, sizes[k][0], sizes[k][1], kind);
        for (uint32_t kind = 0; kind < 3; kind++)
            verify_take(t, sizes[k][0], sizes[k][1], kind > 0, kind == 2);
    }
    for (uint32_t slot = 2; slot <= POLY_REDUCE_WORDS; slot++) {
        verify_reduce(t, slot, UINT64_MAX);
        verify_reduce(t, slot, ((uint64_t)1 << 61) - 1);
        verify_reduce(t, slot, (uint64_t)1 << 63);
        verify_reduce(t, slot, slot > 4 ? 1000003 : 1);
    }
    verify_check(t, false, 0);
    verify_check(t, false, UINT64_MAX);
    verify_check(t, false, 1);
    verify_check(t, true, 0);
}

enum gpu_status selftest_poly(struct context *s) {
    return known_answer_ensure(s, KNOWN_POLY, WORDS, verify, NULL);
}
