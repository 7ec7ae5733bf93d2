/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches (include/mpgpu.h) beside GMP, number by number: all operations, lengths about
 * those of each program, operands that break carries, operands not below the modulus, results in
 * place; with and without a device. */
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"

static int want_device; /* results lie there */

enum what { REDUCE, REDUCE_LONG, ADD, SUB, MUL, SQR, POW, POW_SEC, WHATS };
static const char *const names[] = {"mod", "mod of 2n", "add", "sub", "mul", "sqr", "pow", "sec"};

/* Batches of random limbs, and what is in them. */
struct numbers {
    size_t count, n;
    mp_limb_t *xp;
    mpgpu_batch *b;
};

static struct numbers random_numbers(size_t count, size_t n) {
    struct numbers x = {count, n, limbs(count * n), mpgpu_batch_create(count, n)};
    ck_assert_ptr_nonnull(x.b);
    for (size_t i = 0; i < count; i++)
        testing_limbs(x.xp + i * n, n);
    return x;
}

static void give(struct numbers *x) {
    ck_assert_int_eq(mpgpu_batch_set(x->b, x->xp), 0);
}

static void drop(struct numbers *x) {
    mpgpu_batch_destroy(x->b);
    free(x->xp);
}

/* Odd, or any but 0; some are 1, 2^k - 1, or have few limbs. */
static struct numbers random_moduli(size_t count, size_t n, int are_odd) {
    struct numbers m = random_numbers(count, n);
    for (size_t i = 0; i < count; i++) {
        mp_limb_t *mp = m.xp + i * n;
        unsigned long kind = testing_below(8);
        size_t from = testing_below(n);
        if (kind == 0)
            memset(mp, -1, n * sizeof *mp);
        if (kind <= 1)
            memset(mp + from, 0, (n - from) * sizeof *mp);
        mp[0] |= are_odd || mpn_zero_p(mp, (mp_size_t)n);
    }
    if (!are_odd) /* one at least is even, and not 0 */
        m.xp[0] = (m.xp[0] & ~(mp_limb_t)1) | 2;
    give(&m);
    return m;
}

/* A view. */
static void view(mpz_ptr x, const struct numbers *from, size_t i) {
    mpz_roinit_n(x, from->xp + (from->count == 1 ? 0 : i) * from->n, (mp_size_t)from->n);
}

static void right(mpz_ptr r, enum what what, mpz_srcptr u, mpz_srcptr v, mpz_srcptr m) {
    switch (what) {
    case ADD:
        real.mpz_add(r, u, v);
        break;
    case SUB:
        real.mpz_sub(r, u, v);
        break;
    case MUL:
    case SQR:
        real.mpz_mul(r, u, what == SQR ? u : v);
        break;
    case POW:
    case POW_SEC:
        real.mpz_powm(r, u, v, m);
        return;
    default:
        mpz_set(r, u);
    }
    real.mpz_mod(r, r, m);
}

static void expect(mpgpu_batch *got, enum what what, const struct numbers *u,
                   const struct numbers *v, const struct numbers *m) {
    size_t n = m->n;
    mp_limb_t *rp = limbs(u->count * n);
    mpz_t r, x, y, z, g;
    mpz_init(r);
    ck_assert_int_eq(mpgpu_batch_on_device(got), want_device);
    ck_assert_int_eq(mpgpu_batch_get(rp, got), 0);
    for (size_t i = 0; i < u->count; i++) {
        view(x, u, i);
        view(y, v, i);
        view(z, m, i);
        right(r, what, x, y, z);
        mpz_roinit_n(g, rp + i * n, (mp_size_t)n);
        ck_assert_msg(mpz_cmp(r, g) == 0, "%s: number %zu of %zu, %zu limbs, %zu moduli, e of %zu",
                      names[what], i, u->count, n, m->count, v->n);
    }
    mpz_clear(r);
    free(rp);
}

static int perform(enum what what, mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v,
                   mpgpu_batch_modulus *m) {
    switch (what) {
    case ADD:
        return mpgpu_batch_mod_add(r, u, v, m);
    case SUB:
        return mpgpu_batch_mod_sub(r, u, v, m);
    case MUL:
        return mpgpu_batch_mod_mul(r, u, v, m);
    case SQR:
        return mpgpu_batch_mod_sqr(r, u, m);
    case POW:
        return mpgpu_batch_mod_pow(r, u, v, m);
    case POW_SEC:
        return mpgpu_batch_mod_pow_sec(r, u, v, m);
    default:
        return mpgpu_batch_mod(r, u, m);
    }
}

/* Operation by operation, with m_count moduli of n limbs and e_count exponents of en limbs. */
struct shape {
    size_t count, n, m_count, e_count, en;
    int are_odd;
};

static void compare(struct shape s, unsigned whats) {
    struct numbers m = random_moduli(s.m_count, s.n, s.are_odd), u, v, e;
    mpgpu_batch_modulus *modulus = mpgpu_batch_modulus_create(m.b);
    mpgpu_batch *r = mpgpu_batch_create(s.count, s.n);
    ck_assert_ptr_nonnull(modulus);
    v = random_numbers(s.count, s.n);
    e = random_numbers(s.e_count, s.en);
    if (testing_below(4) == 0)
        memset(e.xp, 0, s.en * sizeof *e.xp);
    give(&v);
    give(&e);
    for (enum what what = 0; what < WHATS; what++) {
        const struct numbers *second = what >= POW ? &e : &v;
        if (!(whats >> what & 1))
            continue;
        u = random_numbers(s.count, what == REDUCE_LONG ? 2 * s.n : s.n);
        give(&u);
        ck_assert_int_eq(perform(what, r, u.b, second->b, modulus), 0);
        expect(r, what, &u, second, &m);
        if (what != REDUCE_LONG && testing_below(2)) {
            ck_assert_int_eq(perform(what, u.b, u.b, second->b, modulus), 0);
            expect(u.b, what, &u, second, &m);
        }
        drop(&u);
    }
    mpgpu_batch_modulus_destroy(modulus);
    mpgpu_batch_destroy(r);
    drop(&m);
    drop(&v);
    drop(&e);
}

static const unsigned all = (1u << WHATS) - 1, cheap = (1u << POW) - 1;

static void compare_any(size_t n, size_t most, unsigned whats) {
    size_t count = 1 + testing_below(most);
    compare((struct shape){.count = count,
                           .n = n,
                           .m_count = testing_below(2) ? count : 1,
                           .e_count = testing_below(2) ? count : 1,
                           .en = 1 + testing_below(n < 16 ? 4 : 1),
                           .are_odd = 1},
            whats);
}

START_TEST(short_numbers) {
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    for (size_t n = 1; n <= 9; n++)
        compare_any(n, 140, all);
}
END_TEST

/* About the lengths of programs, and of the spans that they are made of. */
START_TEST(middle_numbers) {
    static const size_t lengths[] = {12, 15, 16, 17, 24, 25, 31, 32, 33};
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        compare_any(lengths[i], 9, all);
}
END_TEST

START_TEST(long_numbers) {
    static const size_t lengths[] = {63, 64, 65, 100, 127, 128};
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        compare_any(lengths[i], 5, cheap);
        compare((struct shape){1 + testing_below(2), lengths[i], 1, 1, 1, 1}, all);
    }
}
END_TEST

/* More numbers than have a place at once. */
START_TEST(many_numbers) {
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    compare((struct shape){2500, 2, 2500, 1, 1, 1}, all);
}
END_TEST

START_TEST(verified_by_gmp) {
    want_device = 1;
    use_backend(backends[_i], _i % 2 ? VERIFY_RESIDUE : VERIFY_FULL);
    for (size_t n = 1; n < 20; n += 1 + testing_below(9))
        compare_any(n, 20, all);
}
END_TEST

/* Those that other kernels take (test_barrett_batch). */
START_TEST(even_and_long_numbers) {
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    compare((struct shape){5, 3, 5, 5, 1, 0}, all & ~(1u << POW_SEC));
    compare((struct shape){2, 129, 1, 1, 1, 1}, all);
}
END_TEST

START_TEST(by_gmp) {
    want_device = 0;
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    for (size_t n = 1; n < 40; n += 1 + testing_below(9))
        compare_any(n, 20, all);
    compare((struct shape){3, 5, 1, 3, 2, 0}, all & ~(1u << POW_SEC));
}
END_TEST

START_TEST(bad_arguments) {
    struct numbers u, e, m, other;
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    u = random_numbers(3, 5);
    e = random_numbers(2, 1);
    m = random_moduli(3, 5, 1);
    other = random_numbers(3, 4);
    ck_assert_ptr_null(mpgpu_batch_modulus_create(NULL));
    ck_assert_ptr_null(mpgpu_batch_modulus_create(other.b)); /* zeros */
    ck_assert_str_eq(mpgpu_error(), "division by zero");
    m.xp[5] &= ~(mp_limb_t)1;
    m.xp[9] = 1;
    give(&m);
    mpgpu_batch_modulus *modulus = mpgpu_batch_modulus_create(m.b);
    ck_assert_int_eq(mpgpu_batch_mod_pow_sec(u.b, u.b, u.b, modulus), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_pow(u.b, u.b, e.b, modulus), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_mul(u.b, u.b, other.b, modulus), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_add(other.b, u.b, u.b, modulus), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod(u.b, other.b, modulus), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod(u.b, u.b, NULL), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod(NULL, u.b, modulus), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_sqr(u.b, NULL, modulus), MPGPU_ARGUMENTS);
    mpgpu_batch_modulus_destroy(modulus);
    mpgpu_batch_modulus_destroy(NULL);
    drop(&u);
    drop(&e);
    drop(&m);
    drop(&other);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, short_numbers, 0, backend_count);
    tcase_add_loop_test(tests, middle_numbers, 0, backend_count);
    tcase_add_loop_test(tests, long_numbers, 0, backend_count);
    tcase_add_loop_test(tests, many_numbers, 0, backend_count);
    tcase_add_loop_test(tests, verified_by_gmp, 0, backend_count);
    tcase_add_loop_test(tests, even_and_long_numbers, 0, backend_count);
    tcase_add_test(tests, by_gmp);
    tcase_add_test(tests, bad_arguments);
}

int main(void) {
    char conf[96];
    snprintf(conf, sizeof conf,
             "open:wait,watchdog:0,batch:1,mul:never,sqr:never,add:never,log:%lu",
             testing_option("MPGPU_TEST_LOG", 1) % 10);
    setenv("MPGPU_CONF", conf, 1);
    return run_on_backends("modular batch", add, NULL);
}
