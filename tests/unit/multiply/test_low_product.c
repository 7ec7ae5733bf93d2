/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the check of low products (kernels/check/low_product.h), compiled as host C. It must accept
 * the low halves of GMP's products, for the smallest, the largest and random moduli, and for
 * operands with few and many carries. It must reject wrong low halves. */
#include <stdlib.h>
#include <string.h>

#include "kernels/check/low_product.h"
#include "lib/base/random.h"
#include "lib/device/tables.h"
#include "tests/support/testing.h"

enum { MOST = 3 * LOW_SPAN };

/* Copies LOW_SPAN words of {x, words} from word `at` on. Words outside x are 0. */
static void span_of(u32 *span, const u32 *x, long words, long at) {
    for (long i = 0; i < LOW_SPAN; i++)
        span[i] = at + i >= 0 && at + i < words ? x[at + i] : 0;
}

static int is_right(const u32 *r, const u32 *u, const u32 *v, long words, const u64 *table) {
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    u64 below = 0, sum = 0;
    for (u32 j = 0; j * LOW_SPAN < words; j++) {
        u32 x[LOW_SPAN], y[LOW_SPAN], z[LOW_SPAN];
        const long first = LOW_SPAN * (long)j, down = words - first - LOW_SPAN;
        span_of(x, u, words, down);
        span_of(y, v, words, first);
        span_of(z, r, words, down);
        struct low_span span = low_span(x, y, m, minv);
        ck_assert_uint_le(span.v, m + (1u << 30));
        ck_assert_uint_lt(span.inside.high, UINT64_C(1) << 35);
        u64 term = low_span_term(span, x, z, j, below, table);
        ck_assert_uint_lt(term, m);
        sum = residue_plus(sum, term, m);
        below = residue_plus(below, residue_product(span.v, table[RESIDUE_UP + j], m, minv), m);
    }
    return low_product_is_right(sum, (u32)words, table);
}

/* Fills x with MOST words: zeros (shape 0), ones (shape 1), or long runs of both. */
static void fill(u32 *x, int shape) {
    mp_limb_t limbs[MOST / 2];
    testing_limbs(limbs, MOST / 2);
    memcpy(x, limbs, sizeof limbs);
    if (shape < 2)
        memset(x, shape ? 0xff : 0, sizeof limbs);
}

static void compare(const u64 *table, long words, int i) {
    u32 u[MOST], v[MOST], full[2 * MOST];
    mp_limb_t up[MOST / 2], vp[MOST / 2], pp[MOST];
    fill(u, i % 5);
    fill(v, i / 5 % 5);
    memcpy(up, u, sizeof u);
    memcpy(vp, v, sizeof v);
    mpn_mul_n(pp, up, vp, words / 2);
    memcpy(full, pp, sizeof full);
    ck_assert_msg(is_right(full, u, v, words, table), "%ld words, turn %d, modulus %lu", words, i,
                  (unsigned long)table[RESIDUE_M]);
    /* With the moduli 2^61 - 1 and 2^60 + 1 wrong words are not tested: a wrong bit may change the
     * sum of the check so little that the check accepts it. */
    for (int k = 0; k < 4 && i % 7 > 1; k++) {
        u32 *word = &full[testing_below((unsigned long)words)], right = *word;
        *word = k ? right + (u32)k - 2 : right ^ 1u << testing_below(32);
        ck_assert_msg(is_right(full, u, v, words, table) == (*word == right),
                      "%ld words, turn %d, modulus %lu, wrong at %ld", words, i,
                      (unsigned long)table[RESIDUE_M], (long)(word - full));
        *word = right;
    }
}

START_TEST(low_halves_agree_with_gmp) {
    u64 *table = malloc(RESIDUE_ENTRIES * sizeof *table);
    ck_assert_ptr_nonnull(table);
    for (int i = 0; i < 200; i++) {
        u64 m = i % 7 == 0   ? (UINT64_C(1) << 61) - 1
                : i % 7 == 1 ? (UINT64_C(1) << 60) + 1
                             : random_modulus();
        tables_residue_fill(table, tables_modulus(m));
        for (long words = 2; words <= MOST; words += 2)
            compare(table, words, i);
    }
    free(table);
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("low_product", 120, TESTS(ONCE(low_halves_agree_with_gmp)));
}
