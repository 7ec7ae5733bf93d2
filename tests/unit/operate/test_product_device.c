/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Parts of products, and products that are added to numbers, wholly on the device, on every backend
 * that has one, beside GMP's.  MPGPU_TEST_PRODUCTS random ones a backend. */
#include <string.h>

#include "lib/gmp/real.h"
#include "lib/job/job.h"
#include "tests/support/composite.h"

static void random_number(mpz_ptr x, size_t n) {
    mp_ptr p = mpz_limbs_write(x, (mp_size_t)n);
    testing_limbs(p, n);
    p[n - 1] |= 1;
    mpz_limbs_finish(x, (mp_size_t)n);
}

/* What GMP makes of it, |w +- u v|. */
static bool right(mpz_ptr r, mpz_srcptr w, mpz_srcptr u, mpz_srcptr v, bool subtract) {
    real.mpz_mul(r, u, v);
    if (subtract)
        real.mpz_sub(r, w, r);
    else
        real.mpz_add(r, w, r);
    bool negative = mpz_sgn(r) < 0;
    mpz_abs(r, r);
    return negative;
}

static void compare(mpz_srcptr w, mpz_srcptr u, mpz_srcptr v, bool subtract, size_t skip) {
    size_t un = mpz_size(u), vn = mpz_size(v), wn = mpz_size(w);
    size_t n = (wn > un + vn ? wn : un + vn) + (wn > 0);
    mp_limb_t *rp = guarded(n - skip);
    mpz_t expected;
    mpz_init(expected);
    bool negative = right(expected, w, u, v, subtract);
    struct job job = {
        .op = JOB_mul_part,
        .operands = wn > 0 ? 3 : 2,
        .results = 1,
        .u = {job_limbs(u->_mp_d, un), job_limbs(v->_mp_d, vn), job_limbs(w->_mp_d, wn)},
        .r = {job_limbs(rp, n - skip)},
        .parameter = {[JOB_SKIP] = skip, [JOB_SUBTRACT] = subtract}};
    ck_assert(job_fits(&job));
    ck_assert_int_eq(job_run(&job), OUTCOME_DONE);
    for (size_t i = 0; i < n - skip; i++)
        ck_assert_msg(rp[i] == mpz_getlimbn(expected, (mp_size_t)(i + skip)),
                      "%zu + %zu by %zu limbs, %d, %zu: limb %zu", wn, un, vn, subtract, skip, i);
    ck_assert(wn == 0 || (bool)(job.answer & JOB_IS_NEGATIVE) == negative);
    check_guards(rp, n - skip);
    mpz_clear(expected);
}

START_TEST(random_products) {
    mpz_t u, v, w;
    composite_open(backends[_i]);
    mpz_inits(u, v, w, NULL);
    for (unsigned long k = testing_option("MPGPU_TEST_PRODUCTS", 60); k > 0; k--) {
        random_number(u, 1 + testing_size(3000));
        random_number(v, 1 + testing_size(testing_below(3) ? 3000 : 20));
        mpz_set_ui(w, 0);
        if (testing_below(3))
            random_number(w, 1 + testing_size(5000));
        if (testing_below(4) == 0) /* w - u v is 0, 1 or -1 */
            real.mpz_mul(w, u, v);
        if (mpz_sgn(w) && testing_below(4) == 0)
            real.mpz_add_ui(w, w, testing_below(2));
        mpz_srcptr second = testing_below(5) ? v : u;
        size_t most = mpz_size(u) + mpz_size(second);
        compare(w, u, second, mpz_sgn(w) && testing_below(2),
                mpz_sgn(w) ? 0 : testing_below(most < 40 ? 1 : most / 20));
    }
    mpz_clears(u, v, w, NULL);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, random_products, 0, backend_count);
}

int main(void) {
    return composite_tests("parts and sums of products on the device", add);
}
