/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests primality tests of batches, compared with GMP's: all small numbers, primes and
 * pseudoprimes, Carmichael numbers, numbers n for which n - 1 is divisible by a high power of 2. */
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "tests/support/backends.h"

/* ---- the primality tests that the device runs, here computed by GMP */

static bool passes_fermat(mpz_srcptr u, mpz_srcptr base) {
    mpz_t e, y;
    mpz_inits(e, y, NULL);
    mpz_sub_ui(e, u, 1);
    mpz_powm(y, base, e, u);
    bool passes = mpz_cmp_ui(y, 1) == 0;
    mpz_clears(e, y, NULL);
    return passes;
}

static bool passes_miller_rabin(mpz_srcptr u, mpz_srcptr base) {
    mpz_t e, y, minus;
    mpz_inits(e, y, minus, NULL);
    mpz_sub_ui(minus, u, 1);
    mp_bitcnt_t twos = mpz_scan1(minus, 0);
    mpz_tdiv_q_2exp(e, minus, twos);
    mpz_powm(y, base, e, u);
    bool passes = mpz_cmp_ui(y, 1) == 0;
    for (mp_bitcnt_t i = 0; i < twos && !passes; i++) {
        passes = mpz_cmp(y, minus) == 0;
        mpz_powm_ui(y, y, 2, u);
    }
    mpz_clears(e, y, minus, NULL);
    return passes;
}

static int right(mpz_srcptr u, const mp_limb_t *bases, size_t count, int kind) {
    int passes = 1;
    mpz_t base;
    if (mpz_cmp_ui(u, 2) <= 0 || mpz_even_p(u))
        return mpz_cmp_ui(u, 2) == 0;
    mpz_init(base);
    for (size_t k = 0; k < count; k++) {
        mpz_set_ui(base, bases[k]);
        if (!mpz_divisible_p(base, u))
            passes &= kind == MPGPU_FERMAT ? passes_fermat(u, base) : passes_miller_rabin(u, base);
    }
    mpz_clear(base);
    return passes;
}

/* ---- numbers */

static void choose(mpz_ptr u, size_t n) {
    static const unsigned long carmichael[] = {561, 1105, 1729, 294409, 56052361, 118901521};
    mpz_urandomb(u, *testing_random(), n * 64 - 8);
    switch (testing_below(5)) {
    case 0:
        mpz_nextprime(u, u);
        break;
    case 1:
        mpz_set_ui(u, carmichael[testing_below(6)]);
        break;
    case 2: /* many twos */
        mpz_urandomb(u, *testing_random(), 40);
        mpz_mul_2exp(u, u, testing_below(n * 64 - 40));
        mpz_add_ui(u, u, 1);
        break;
    case 3:
        mpz_setbit(u, 0);
        break;
    default:
        break;
    }
}

static unsigned long primes, others;

static void compare(mpz_t *u, size_t count, size_t n, const mp_limb_t *bases, size_t base_count) {
    mpgpu_batch *b = mpgpu_batch_create(count, n), *r = mpgpu_batch_create(count, 1);
    mp_limb_t *rp = limbs(count);
    ck_assert_int_eq(mpgpu_batch_set_mpz(b, (const mpz_t *)u), 0);
    for (int kind = MPGPU_FERMAT; kind <= MPGPU_MILLER_RABIN; kind++) {
        ck_assert_int_eq(mpgpu_batch_probable_prime(r, b, bases, base_count, kind), 0);
        ck_assert_int_eq(mpgpu_batch_get(rp, r), 0);
        for (size_t i = 0; i < count; i++) {
            mp_limb_t wanted = (mp_limb_t)right(u[i], bases, base_count, kind);
            ck_assert_msg(rp[i] == wanted, "kind %d, number %zu of %zu limbs", kind, i, n);
            primes += rp[i] == 1;
            others += rp[i] == 0;
        }
    }
    mpgpu_batch_destroy(b);
    mpgpu_batch_destroy(r);
    free(rp);
}

static void compare_all(size_t count, size_t most) {
    static const mp_limb_t bases[] = {2, 3, 5, 9, 561, ~(mp_limb_t)0};
    mpz_t *u = malloc(count * sizeof *u);
    for (size_t i = 0; i < count; i++)
        mpz_init_set_ui(u[i], i);
    compare(u, count, 1, bases, 1);
    compare(u, count, 1, bases, 6);
    for (size_t n = 1; n <= most; n += n < 4 ? 1 : 7) {
        for (size_t i = 0; i < 40; i++)
            choose(u[i], n);
        compare(u, 40, n, bases, 1 + testing_below(6));
    }
    for (size_t i = 0; i < count; i++)
        mpz_clear(u[i]);
    free(u);
    ck_assert_uint_gt(primes, 100);
    ck_assert_uint_gt(others, 100);
}

START_TEST(on_the_device) {
    use_backend(backends[_i], VERIFY_DEVICE);
    compare_all(300, 4);
}
END_TEST

START_TEST(by_gmp) {
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    compare_all(3000, 18);
}
END_TEST

START_TEST(bad_arguments) {
    static const mp_limb_t bases[] = {2, 0};
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    mpgpu_batch *u = mpgpu_batch_create(3, 2), *r = mpgpu_batch_create(3, 1);
    ck_assert_int_eq(mpgpu_batch_probable_prime(r, u, bases, 1, MPGPU_FERMAT), 0);
    ck_assert_int_eq(mpgpu_batch_probable_prime(r, u, bases, 2, MPGPU_FERMAT), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_probable_prime(r, u, bases, 0, MPGPU_FERMAT), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_probable_prime(r, u, bases, 1, 2), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_probable_prime(u, u, bases, 1, MPGPU_FERMAT), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_probable_prime(NULL, u, bases, 1, MPGPU_FERMAT), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_probable_prime(r, NULL, bases, 1, MPGPU_FERMAT), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_probable_prime(r, u, NULL, 1, MPGPU_FERMAT), MPGPU_ARGUMENTS);
    mpgpu_batch_destroy(u);
    mpgpu_batch_destroy(r);
}
END_TEST

int main(void) {
    setenv("MPGPU_CONF", "open:wait,watchdog:0,batch:1,mul:never,sqr:never,add:never", 1);
    return run_on_backends("probable_prime",
                           TESTS(ONCE(by_gmp), ONCE(bad_arguments), PER_DEVICE(on_the_device, 1)),
                           NULL);
}
