/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests sums of series by binary splitting (include/mpgpu.h), compared with a sum by GMP, term by
 * term. Covers numbers of terms around powers of two, and terms of all sizes and signs, also 0.
 * Some calls omit the result p, the product of the terms' factors p. Tests run with and without a
 * device. */
#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"
#include "tests/support/session_anew.h"

/* Opens the backend and stores the threshold in memory. An environment variable would come too
 * late: the library has already read its options. */
static void open_with(struct test_backend backend, int verify) {
    use_backend(backend, verify);
    session_wait();
    atomic_store(&thresholds.batch, 1);
}

/* The three numbers p, q and t of binary splitting that are expected for the first `next` terms.
 * The callback `leaf` adds each term that it makes. */
struct series {
    size_t bits, next;
    mpz_t p, q, t;
};

static void random_number(mpz_ptr x, size_t bits) {
    size_t n = testing_below(bits) / 64 + 1;
    mp_limb_t *u = limbs(n);
    testing_limbs(u, n);
    if (testing_below(20) == 0)
        mpn_zero(u, (mp_size_t)n);
    const mpz_t value = MPZ_ROINIT_N(u, (mp_size_t)normalize(u, n));
    mpz_set(x, value);
    if (testing_below(2))
        mpz_neg(x, x);
    free(u);
}

static void leaf(void *context, size_t k, mpz_ptr p, mpz_ptr q, mpz_ptr t) {
    struct series *s = context;
    mpz_t x;
    ck_assert_uint_eq(k, s->next++);
    random_number(p, s->bits);
    random_number(q, s->bits);
    random_number(t, s->bits);
    mpz_init(x);
    real.mpz_mul(x, s->p, t);
    real.mpz_mul(s->t, s->t, q);
    real.mpz_add(s->t, s->t, x);
    real.mpz_mul(s->p, s->p, p);
    real.mpz_mul(s->q, s->q, q);
    mpz_clear(x);
}

static void compare(size_t count, size_t bits, bool needs_p) {
    struct series s = {.bits = bits};
    mpz_t p, q, t;
    mpz_init_set_ui(s.p, 1);
    mpz_init_set_ui(s.q, 1);
    mpz_init(s.t);
    mpz_init(p);
    mpz_init(q);
    mpz_init(t);
    ck_assert_int_eq(mpgpu_tree_split(needs_p ? p : NULL, q, t, count, leaf, &s), 0);
    ck_assert_uint_eq(s.next, count);
    ck_assert_msg(!needs_p || mpz_cmp(p, s.p) == 0, "p of %zu terms of %zu bits", count, bits);
    ck_assert_msg(mpz_cmp(q, s.q) == 0, "q of %zu terms of %zu bits", count, bits);
    ck_assert_msg(mpz_cmp(t, s.t) == 0, "t of %zu terms of %zu bits", count, bits);
    mpz_clear(p);
    mpz_clear(q);
    mpz_clear(t);
    mpz_clear(s.p);
    mpz_clear(s.q);
    mpz_clear(s.t);
}

START_TEST(counts) {
    open_with(backends[_i], VERIFY_DEVICE);
    unsigned long before = mpgpu_sent();
    for (size_t count = 1; count < 40; count++)
        compare(count, 200, count % 3);
    compare(127, 64, true);
    compare(129, 1, true);
    compare(1000, 130, false);
    ck_assert_uint_eq(mpgpu_sent() - before, 39 - 8 + 3);
    ck_assert_int_eq(session_faults(), 0);
}
END_TEST

/* Tests series for which the library computes the levels of the tree as batches, and longer ones
 * for which it uses single numbers. */
START_TEST(sizes) {
    open_with(backends[_i], VERIFY_DEVICE);
    for (size_t bits = 1; bits < 20000; bits = 4 * bits + testing_below(4))
        compare(9 + testing_below(30), bits, testing_below(2));
    compare(600, 2000, true);
    ck_assert_int_eq(session_faults(), 0);
}
END_TEST

START_TEST(otherwise_verified) {
    static const int ways[] = {VERIFY_OFF, VERIFY_RESIDUE, VERIFY_FULL};
    open_with(backends[_i / 3], ways[_i % 3]);
    compare(50, 300, true);
    compare(50, 300, false);
}
END_TEST

START_TEST(by_gmp) {
    open_with((struct test_backend){"none", 0}, VERIFY_DEVICE);
    for (size_t count = 1; count < 40; count++)
        compare(count, 200, count % 2);
    ck_assert_uint_eq(mpgpu_sent(), 0);
}
END_TEST

START_TEST(bad_arguments) {
    struct series s = {.bits = 10};
    mpz_t q, t;
    open_with(backends[_i], VERIFY_DEVICE);
    mpz_init(q);
    mpz_init(t);
    ck_assert_int_eq(mpgpu_tree_split(NULL, q, t, 0, leaf, &s), MPGPU_ARGUMENTS);
    ck_assert_str_ne(mpgpu_error(), "");
    ck_assert_int_eq(mpgpu_tree_split(NULL, NULL, t, 3, leaf, &s), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_tree_split(NULL, q, NULL, 3, leaf, &s), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_tree_split(NULL, q, t, 3, NULL, &s), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_tree_split(NULL, q, q, 3, leaf, &s), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_tree_split(q, q, t, 3, leaf, &s), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_tree_split(NULL, q, t, SIZE_MAX, leaf, &s), MPGPU_NO_MEMORY);
    ck_assert_uint_eq(s.next, 0);
    mpz_clear(q);
    mpz_clear(t);
}
END_TEST

int main(void) {
    setenv("MPGPU_CONF", "open:wait,watchdog:600,log:1,batch:1,mul:never,sqr:never,add:never", 1);
    return run_on_backends("splitting",
                           TESTS(PER_DEVICE(counts, 1), PER_DEVICE(sizes, 1),
                                 PER_DEVICE(otherwise_verified, 3), PER_DEVICE(bad_arguments, 1),
                                 ONCE(by_gmp)),
                           NULL);
}
