/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests a binomial coefficient whose prime factors several threads collect, and the check of
 * product trees. tests/differential/differential_fac.c compares factorials and binomials with
 * GMP's, and tests/unit/job/test_composites.c tests the jobs. */
#include <string.h>

#include "lib/algorithms/binomial.h"
#include "lib/algorithms/limb_tree.h"
#include "lib/base/thresholds.h"
#include "lib/gmp/real.h"
#include "tests/support/composite.h"

START_TEST(no_tree) {
    const struct limb_group group = {.n = 0};
    struct limb_tree t = {.groups = &group, .count = 1};
    ck_assert(!limb_tree_open(&t));
}
END_TEST

/* Tests a binomial coefficient so large that several threads collect its prime factors. Compares it
 * with GMP's. */
START_TEST(large_binomial) {
    composite_open(backends[_i]);
    thresholds.fac = 1;
    const unsigned long n = 34000000 + testing_below(1000000), k = n - n / 60;
    struct composite w = {0};
    mpz_t x, right;
    mpz_inits(x, right, NULL);
    ck_assert(binomial_ui(&w, x, n, k));
    real.mpz_bin_uiui(right, n, k);
    ck_assert_msg(mpz_cmp(x, right) == 0, "binomial of %lu, %lu: wrong", n, k);
    ck_assert_uint_gt(w.sent, 0);
    mpz_clears(x, right, NULL);
}
END_TEST

/* Gives the tree's product a wrong size in bits, so that the device computes a wrong product: the
 * check must find it. Changing a factor instead would also change the residue with which the host
 * compares. */
START_TEST(spoilt_tree) {
    composite_open(backends[_i]);
    mp_limb_t p[100], rp[200];
    uint64_t bits = 3000;
    memset(p, 0xff, sizeof p);
    const struct limb_group group = {.p = p, .n = 100, .alloc = 100};
    struct limb_tree t = {.groups = &group, .count = 1};
    ck_assert(limb_tree_open(&t));
    const uint64_t *right = t.plan.bits;
    t.plan.bits = &bits;
    t.limbs = 3000 / 64 + 1;
    ck_assert_int_eq(limb_tree_run(&t, rp), OUTCOME_FAILED);
    t.plan.bits = right;
    limb_tree_close(&t);
}
END_TEST

int main(void) {
    return composite_tests("product trees", TESTS(ONCE(no_tree), PER_DEVICE(large_binomial, 1),
                                                  PER_DEVICE(spoilt_tree, 1)));
}
