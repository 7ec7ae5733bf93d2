/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the estimates of quotients (kernels/modular/quotient_estimate.h), compiled as host C,
 * compared with GMP. An estimate must be exact, or 1 too small and marked as near. Numbers have
 * long runs of ones and zeros, and dividends are near multiples of divisors. */
#include <string.h>

#include "kernels/modular/quotient_estimate.h"
#include "tests/support/testing.h"

enum { TURNS = 20000, MOST = 24, WORDS = 3 };

/* Sets {x, n} to random 32-bit words with long runs of ones and zeros. */
static void fill(u32 *x, size_t n) {
    mp_limb_t limbs[MOST];
    testing_limbs(limbs, (n + 1) / 2);
    memcpy(x, limbs, n * sizeof *x);
}

static void import(mpz_ptr x, const u32 *xp, size_t n) {
    mpz_import(x, n, -1, sizeof *xp, 0, 0, xp);
}

static void export(u32 *xp, size_t n, mpz_srcptr x) {
    memset(xp, 0, n * sizeof *xp);
    ck_assert_uint_le(mpz_sizeinbase(x, 2), 32 * n);
    mpz_export(xp, NULL, -1, sizeof *xp, 0, 0, x);
}

static void divisor(u32 *m, mpz_ptr x) {
    fill(m, WORDS);
    m[WORDS - 1] |= 1u << 31;
    import(x, m, WORDS);
}

/* Sets t to a number below 2^bits m: a random one, a multiple of m, or a multiple plus or minus
 * 1. */
static void dividend(mpz_ptr t, mpz_srcptr m, mp_bitcnt_t bits) {
    const uint64_t kind = testing_below(4);
    u32 x[WORDS + 1];
    fill(x, WORDS + 1);
    import(t, x, WORDS + 1);
    mpz_tdiv_r_2exp(t, t, testing_below(bits + 1));
    mpz_mul(t, t, m);
    if (kind == 0 && mpz_sgn(t) > 0)
        mpz_sub_ui(t, t, 1);
    else if (kind == 1)
        mpz_add_ui(t, t, 1);
    else if (kind == 2) {
        fill(x, WORDS);
        mpz_t more;
        mpz_init(more);
        import(more, x, WORDS);
        mpz_fdiv_r(more, more, m);
        mpz_add(t, t, more);
        mpz_clear(more);
    }
}

static void check(struct quotient got, mpz_srcptr t, mpz_srcptr m, unsigned *nears) {
    mpz_t right;
    mpz_init(right);
    mpz_tdiv_q(right, t, m);
    const unsigned long q = mpz_get_ui(right);
    if (got.is_near)
        ck_assert_msg(got.c == q || got.c + 1 == q, "%u, not %lu or 1 less", got.c, q);
    else
        ck_assert_uint_eq(got.c, q);
    *nears += got.is_near;
    mpz_clear(right);
}

START_TEST(words) {
    mpz_t t, m;
    u32 tp[WORDS + 1], mp[WORDS];
    unsigned nears = 0;
    mpz_inits(t, m, NULL);
    for (int i = 0; i < TURNS; i++) {
        divisor(mp, m);
        dividend(t, m, 32);
        export(tp, WORDS + 1, t);
        check(quotient_word(tp[WORDS], tp[WORDS - 1], mp[WORDS - 1], mp[WORDS - 2]), t, m, &nears);
    }
    ck_assert_uint_gt(nears, 0);
    ck_assert_uint_lt(nears, 3 * TURNS / 4);
    mpz_clears(t, m, NULL);
}
END_TEST

/* Tests estimates of t / m for t = x - 2 low - 2 high, where the kernel gets only the highest words
 * of x, low and high. */
START_TEST(differences) {
    mpz_t t, m, x, y;
    u32 xp[WORDS + 1], low[WORDS], high[WORDS + 1], mp[WORDS];
    unsigned nears = 0;
    mpz_inits(t, m, x, y, NULL);
    for (int i = 0; i < TURNS; i++) {
        divisor(mp, m);
        dividend(t, m, 25);
        fill(low, WORDS);
        fill(high, WORDS + 1);
        import(x, low, WORDS);
        import(y, high, WORDS + 1);
        mpz_add(x, x, y);
        mpz_mul_2exp(x, x, 1);
        mpz_add(x, x, t);
        mpz_tdiv_r_2exp(x, x, 32 * (WORDS + 1));
        export(xp, WORDS + 1, x);
        check(quotient_times(xp + WORDS - 2, low + WORDS - 2, high + WORDS - 2, high[WORDS],
                             mp[WORDS - 1]),
              t, m, &nears);
    }
    ck_assert_uint_gt(nears, 0);
    ck_assert_uint_lt(nears, 3 * TURNS / 4);
    mpz_clears(t, m, x, y, NULL);
}
END_TEST

START_TEST(word_above) {
    u32 u[MOST], v[MOST], product[2 * MOST];
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    for (int i = 0; i < TURNS; i++) {
        const u32 n = 1 + (u32)testing_below(MOST);
        struct columns c = {0, 0, 0};
        fill(u, n);
        fill(v, n);
        import(x, u, n);
        import(y, v, n);
        mpz_mul(x, x, y);
        export(product, 2 * n, x);
        for (u32 k = 0; k < n; k++)
            columns_add(&c, u, v, n, k);
        ck_assert_uint_eq(columns_word(c, product[n - 1]), product[n]);
    }
    mpz_clears(x, y, NULL);
}
END_TEST

int main(void) {
    return testing_main("quotient", 300, TESTS(ONCE(words), ONCE(differences), ONCE(word_above)));
}
