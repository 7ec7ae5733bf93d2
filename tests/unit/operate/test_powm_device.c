/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers modulo m by every engine, beside GMP's.  MPGPU_TEST_POWERS random ones each, of up to
 * MPGPU_TEST_LIMBS limbs. */
#include <string.h>

#include "lib/algorithms/powm.h"
#include "lib/gmp/real.h"
#include "tests/support/engines.h"

static void random_limbs(mpz_ptr x, size_t n) {
    mp_ptr p = mpz_limbs_write(x, (mp_size_t)n);
    testing_limbs(p, n);
    p[n - 1] |= (mp_limb_t)1 << testing_below(64);
    mpz_limbs_finish(x, (mp_size_t)n);
}

/* b^e modulo m beside GMP's; in the place of `in`, or of none. */
static void compare(mpz_srcptr b, mpz_srcptr e, mpz_srcptr m, int in) {
    size_t n = mpz_size(m);
    mp_limb_t *rp = guarded(n);
    mpz_t right, copy[3];
    mpz_init(right);
    mpz_init_set(copy[0], b);
    mpz_init_set(copy[1], e);
    mpz_init_set(copy[2], m);
    for (int i = 0; i < 3; i++)
        _mpz_realloc(copy[i], (mp_size_t)(mpz_size(copy[i]) + n));
    mp_ptr to = in < 3 ? copy[in]->_mp_d : rp;
    const struct powm p = {
        to, copy[0]->_mp_d, copy[1]->_mp_d, copy[2]->_mp_d, mpz_size(b), mpz_size(e), n};
    engine_check(powm_limbs(&engine_work, &p), "power modulo m", n);
    real.mpz_powm(right, b, e, m);
    mpn_zero(mpz_limbs_modify(right, (mp_size_t)n) + mpz_size(right),
             (mp_size_t)(n - mpz_size(right)));
    ck_assert_msg(mpn_cmp(to, right->_mp_d, (mp_size_t)n) == 0, "%zu, %zu, %zu limbs", mpz_size(b),
                  mpz_size(e), n);
    check_guards(rp, n);
    mpz_clear(right);
    for (int i = 0; i < 3; i++)
        mpz_clear(copy[i]);
}

START_TEST(random_powers) {
    mpz_t b, e, m;
    engine_open(_i);
    mpz_inits(b, e, m, NULL);
    size_t most = testing_option("MPGPU_TEST_LIMBS", 600);
    for (unsigned long k = testing_option("MPGPU_TEST_POWERS", 20); k > 0; k--) {
        random_limbs(m, 2 + testing_size(most));
        random_limbs(b, 1 + testing_size(testing_below(3) ? mpz_size(m) : 3 * mpz_size(m)));
        mpz_set_ui(e, 2 + testing_below(testing_below(4) ? 40 : 70000));
        compare(b, e, m, (int)testing_below(6));
    }
    mpz_clears(b, e, m, NULL);
}
END_TEST

/* Moduli of one bit and of all ones, bases 0, 1, m - 1, m and a multiple; an exponent of limbs. */
START_TEST(special_powers) {
    mpz_t b, e, m;
    engine_open(_i);
    mpz_inits(b, e, m, NULL);
    for (int kind = 0; kind < 10; kind++) {
        mpz_set_ui(m, 0);
        mpz_setbit(m, 64 * 130 + (kind & 1 ? 63 : 5));
        mpz_sub_ui(m, m, kind & 2 ? 1 : 0);
        mpz_set_ui(b, kind % 5 < 2 ? 1 + (unsigned)kind % 5 : 0);
        if (kind % 5 == 2)
            mpz_sub_ui(b, m, 1);
        else if (kind % 5 > 2)
            mpz_mul_ui(b, m, kind % 5 == 3 ? 1 : 12345);
        mpz_set_str(e, "f0000000000000000f123456789abcdef", 16);
        if (mpz_sgn(b))
            compare(b, e, m, 3);
    }
    mpz_clears(b, e, m, NULL);
}
END_TEST

/* Moduli for which quotients' products by them are made modulo B^w - 1. */
START_TEST(in_a_ring) {
    mpz_t b, e, m;
    engine_open(_i);
    mpz_inits(b, e, m, NULL);
    const size_t sizes[] = {4100, 6003, 8185, 8188, 8190};
    mpz_set_ui(e, 13);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        random_limbs(m, composite_limbs(sizes[i]));
        random_limbs(b, mpz_size(m));
        compare(b, e, m, 3);
        mpz_set_ui(m, 0);
        mpz_setbit(m, 64 * composite_limbs(sizes[i]) - 70);
        mpz_sub_ui(b, m, 1);
        mpz_add_ui(m, m, 2 * (i % 2) + 1);
        compare(b, e, m, 3);
    }
    mpz_clears(b, e, m, NULL);
}
END_TEST

/* Exponents that take the device too long, and those of which only the lowest and highest bits are
 * set. */
START_TEST(long_exponents) {
    mpz_t b, e, m;
    engine_open(_i);
    mpz_inits(b, e, m, NULL);
    random_limbs(m, 3);
    random_limbs(b, 3);
    random_limbs(e, 600);
    if (engine != ENGINE_DEVICE)
        compare(b, e, m, 3);
    mpz_set_ui(e, 1);
    mpz_setbit(e, 1000);
    compare(b, e, m, 3);
    mpz_set_ui(b, 2);
    random_limbs(m, 400);
    compare(b, e, m, 3);
    mpz_clears(b, e, m, NULL);
}
END_TEST

static void add(TCase *tests) {
    engine_add(tests, long_exponents);
    engine_add(tests, random_powers);
    engine_add(tests, special_powers);
    engine_add(tests, in_a_ring);
}

int main(void) {
    return composite_tests("powers modulo m", add);
}
