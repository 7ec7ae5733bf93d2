/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The calls of modular batches (include/mpgpu.h) compared with GMP, number by number, in place and
 * not, with and without a device; and calls that are refused.  tests/unit/job/test_jobs.c has the
 * lengths and the moduli of all kinds. */
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"

enum what { REDUCE, REDUCE_LONG, ADD, SUB, MUL, SQR, POW, POW_SEC, WHATS };
static const char *const names[] = {"mod", "mod of 2n", "add", "sub", "mul", "sqr", "pow", "sec"};
static const unsigned all = (1u << WHATS) - 1;

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

/* A view of number i, or of the one for all. */
static void view(mpz_ptr x, const struct numbers *from, size_t i) {
    mpz_roinit_n(x, from->xp + (from->count == 1 ? 0 : i) * from->n, (mp_size_t)from->n);
}

/* What GMP makes of u, v and m. */
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

/* `got`, which lies on the device or not, is u `what` v modulo m. */
static void expect(mpgpu_batch *got, int on_device, enum what what, const struct numbers *u,
                   const struct numbers *v, const struct numbers *m) {
    size_t n = m->n;
    mp_limb_t *rp = limbs(u->count * n);
    mpz_t r, x, y, z, g;
    mpz_init(r);
    ck_assert_int_eq(mpgpu_batch_on_device(got), on_device);
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

static int want_device; /* results lie there */

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
        expect(r, want_device, what, &u, second, &m);
        if (what != REDUCE_LONG && testing_below(2)) {
            ck_assert_int_eq(perform(what, u.b, u.b, second->b, modulus), 0);
            expect(u.b, want_device, what, &u, second, &m);
        }
        drop(&u);
    }
    mpgpu_batch_modulus_destroy(modulus);
    mpgpu_batch_destroy(r);
    drop(&m);
    drop(&v);
    drop(&e);
}

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

/* Those that Barrett's kernels take. */
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

int main(void) {
    choose_batches_alone();
    return run_on_backends("modular batch",
                           TESTS(PER_DEVICE(short_numbers, 1), PER_DEVICE(even_and_long_numbers, 1),
                                 ONCE(by_gmp), ONCE(bad_arguments)),
                           NULL);
}
