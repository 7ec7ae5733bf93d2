/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Divisions by every engine, beside GMP's.  MPGPU_TEST_DIVISIONS random ones each, of up to
 * MPGPU_TEST_LIMBS limbs. */
#include <string.h>

#include "lib/algorithms/divide.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "tests/support/engines.h"

/* {np, nn} / {dp, dn} beside mpn_tdiv_qr's. */
static void compare(const mp_limb_t *np, size_t nn, const mp_limb_t *dp, size_t dn) {
    size_t qn = nn - dn + 1;
    mp_limb_t *qp = guarded(qn), *rp = guarded(dn), *q = limbs(qn), *r = limbs(dn);
    bool is_less;
    struct division d = {
        .qp = qp, .rp = rp, .np = np, .dp = dp, .nn = nn, .dn = dn, .is_less = &is_less};
    bool is_exact;
    d.is_exact = &is_exact;
    engine_check(divide_limbs(&engine_work, &d), "division", nn);
    real.mpn_tdiv_qr(q, r, 0, np, (mp_size_t)nn, dp, (mp_size_t)dn);
    ck_assert_msg(mpn_cmp(qp, q, (mp_size_t)qn) == 0, "%zu by %zu limbs: quotient", nn, dn);
    ck_assert_msg(mpn_cmp(rp, r, (mp_size_t)dn) == 0, "%zu by %zu limbs: remainder", nn, dn);
    mpz_t a = MPZ_ROINIT_N(q, (mp_size_t)normalize(q, qn)),
          b = MPZ_ROINIT_N(r, (mp_size_t)normalize(r, dn));
    ck_assert_int_eq(is_less, mpz_cmp(a, b) < 0);
    ck_assert_int_eq(is_exact, mpz_sgn(b) == 0);
    mpn_zero(qp, (mp_size_t)qn); /* and the quotient alone */
    d.rp = NULL;
    engine_check(divide_limbs(&engine_work, &d), "quotient", nn);
    ck_assert_msg(mpn_cmp(qp, q, (mp_size_t)qn) == 0, "%zu by %zu limbs: quotient alone", nn, dn);
    ck_assert_int_eq(is_exact, mpz_sgn(b) == 0);
    ck_assert(!is_less || mpz_cmp(a, b) < 0);
    check_guards(qp, qn);
    check_guards(rp, dn);
    free(q);
    free(r);
}

/* A numerator; every other time one whose remainder is 0 or just below the divisor. */
static void compare_random(size_t nn, size_t dn) {
    mp_limb_t *np = limbs(nn + 1), *dp = limbs(dn);
    testing_limbs(np, nn);
    testing_limbs(dp, dn);
    dp[dn - 1] |= (mp_limb_t)1 << testing_below(64);
    np[nn - 1] |= 1;
    if (testing_below(2) && nn > dn) {
        mp_limb_t *q = limbs(nn - dn);
        testing_limbs(q, nn - dn);
        if (nn - dn >= dn)
            mpn_mul(np, q, (mp_size_t)(nn - dn), dp, (mp_size_t)dn);
        else
            mpn_mul(np, dp, (mp_size_t)dn, q, (mp_size_t)(nn - dn));
        if (testing_below(2) && !mpn_zero_p(np, (mp_size_t)nn))
            mpn_sub_1(np, np, (mp_size_t)nn, 1);
        if (mpn_zero_p(np + dn - 1, (mp_size_t)(nn - dn + 1)))
            np[nn - 1] = 1;
        free(q);
    }
    compare(np, nn, dp, dn);
    free(np);
    free(dp);
}

START_TEST(random_divisions) {
    engine_open(_i);
    size_t most = testing_option("MPGPU_TEST_LIMBS", 6000);
    for (unsigned long k = testing_option("MPGPU_TEST_DIVISIONS", 60); k > 0; k--) {
        size_t dn = 2 + testing_size(most), qn = 1 + (testing_below(4) ? testing_size(most) : dn);
        compare_random(dn + qn, dn);
    }
}
END_TEST

/* Round the sizes at which the reciprocal has one step more. */
START_TEST(steps) {
    engine_open(_i);
    for (size_t k = 120; k < 540; k = 2 * k - 2)
        for (size_t n = k - 4; n < k + 8; n++)
            compare_random(2 * n, n);
}
END_TEST

/* Divisors of all ones, of one bit, and one more and less than that. */
START_TEST(hard_divisors) {
    engine_open(_i);
    const size_t sizes[] = {2, 3, 4, 127, 128, 129, 130, 131, 300, 1001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t dn = sizes[i], nn = 2 * dn + 3;
        mp_limb_t *np = limbs(nn), *dp = limbs(dn);
        for (int kind = 0; kind < 8; kind++) {
            memset(dp, kind & 1 ? 0xff : 0, dn * sizeof *dp);
            dp[dn - 1] = kind < 2 ? ~(mp_limb_t)0 : kind < 4 ? (mp_limb_t)1 << 63 : 1;
            dp[0] |= kind > 5;
            memset(np, kind & 2 ? 0xff : 0, nn * sizeof *np);
            np[nn - 1] = kind & 4 ? 1 : ~(mp_limb_t)0;
            compare(np, nn, dp, dn);
        }
        free(np);
        free(dp);
    }
}
END_TEST

/* Results in the place of the operands. */
START_TEST(aliases) {
    engine_open(_i);
    const size_t nn = 700, dn = 300, qn = nn - dn + 1;
    mp_limb_t *np = limbs(nn + 1), *dp = limbs(nn), *q = limbs(qn), *r = limbs(dn);
    testing_limbs(np, nn);
    testing_limbs(dp, dn);
    dp[dn - 1] |= 1;
    np[nn - 1] |= 1;
    real.mpn_tdiv_qr(q, r, 0, np, nn, dp, dn);
    struct division d = {.qp = np, .rp = dp, .np = np, .dp = dp, .nn = nn, .dn = dn};
    engine_check(divide_limbs(&engine_work, &d), "division", nn);
    ck_assert(mpn_cmp(np, q, qn) == 0 && mpn_cmp(dp, r, dn) == 0);
    free(np);
    free(dp);
    free(q);
    free(r);
}
END_TEST

/* Divisors for which quotients' products by them are made modulo B^w - 1, a carry or borrow of
 * whose ring comes in again: those of hard_divisors, and numerators that are a power of two or all
 * ones.  A GPU's are longer, so that GMP takes a second for each: few of them. */
START_TEST(in_a_ring) {
    engine_open(_i);
    const size_t sizes[] = {4100, 6001, 8185, 8187, 8188, 8189, 8190, 8191, 16001};
    const size_t times = composite_limbs(1), size_step = times > 1 ? 4 : 1;
    const int kind_step = times > 1 ? 5 : 1;
    mp_limb_t *np = limbs(2 * 16001 * times + 2), *dp = limbs(16001 * times);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += size_step)
        for (int kind = 0; kind < 12; kind += kind_step) {
            size_t dn = sizes[i] * times, nn = 2 * dn + (size_t)(kind & 1) - testing_below(dn / 8);
            testing_limbs(dp, dn);
            if (kind < 8)
                memset(dp, kind & 2 ? 0xff : 0, dn * sizeof *dp);
            dp[dn - 1] |= kind & 1 ? 1 : (mp_limb_t)1 << 63;
            dp[0] |= 1;
            memset(np, kind & 4 ? 0xff : 0, nn * sizeof *np);
            np[nn - 1] |= 1;
            compare(np, nn, dp, dn);
            compare_random(nn, dn);
        }
    free(np);
    free(dp);
}
END_TEST

static void add(TCase *tests) {
    engine_add(tests, random_divisions);
    engine_add(tests, steps);
    engine_add(tests, hard_divisors);
    engine_add(tests, in_a_ring);
    engine_add(tests, aliases);
}

int main(void) {
    return composite_tests("divisions", add);
}
