/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches modulo even and long numbers (include/mpgpu.h) beside GMP, number by number: lengths
 * about those where products change, moduli and operands at the bounds of quotients. */
#include <string.h>

#include "lib/base/conf.h"
#include "tests/support/modular_calls.h"

static const unsigned powers = 3u << POW;

/* Which moduli: any, odd ones, those with their highest bit, one of the kinds below. */
enum { ANY, ODD, NORMAL, KIND_OF = 16 };

struct shape {
    size_t count, n, m_count, e_count, en;
    unsigned moduli, whats;
};

/* ---- moduli and operands */

/* Some modulus of {mp, n}, which is random. */
static void shape_modulus(mp_limb_t *mp, size_t n, unsigned kind) {
    const size_t from = testing_below(n);
    switch (kind) {
    case 0: /* all ones */
        memset(mp, -1, n * sizeof *mp);
        break;
    case 1: /* 1 */
        memset(mp, 0, n * sizeof *mp);
        mp[0] = 1;
        break;
    case 2: /* a power of 2 */
        memset(mp, 0, n * sizeof *mp);
        mp[from] = (mp_limb_t)1 << testing_below(64);
        break;
    case 3: /* the least with the highest bit */
        memset(mp, 0, n * sizeof *mp);
        mp[n - 1] = (mp_limb_t)1 << 63;
        break;
    case 4: /* fewer limbs */
        memset(mp + from, 0, (n - from) * sizeof *mp);
        break;
    case 5: /* a few bits */
        memset(mp, 0, n * sizeof *mp);
        mp[0] = 3 + testing_below(1000);
        break;
    case 6: /* ones above zeros */
        memset(mp, 0, n * sizeof *mp);
        memset(mp + from, -1, (n - from) * sizeof *mp);
        break;
    case 7: /* the longest but for a few */
        memset(mp, -1, n * sizeof *mp);
        mp[0] -= testing_below(1000);
        break;
    default:
        mp[n - 1] >>= testing_below(3) ? 0 : testing_below(63);
    }
}

static struct numbers random_moduli(struct shape s) {
    struct numbers m = random_numbers(s.m_count, s.n);
    for (size_t i = 0; i < m.count; i++) {
        mp_limb_t *mp = m.xp + i * s.n;
        shape_modulus(mp, s.n,
                      s.moduli >= KIND_OF ? s.moduli - KIND_OF : (unsigned)testing_below(16));
        if (s.moduli == ODD || mpn_zero_p(mp, (mp_size_t)s.n))
            mp[0] |= 1;
        if (s.moduli == NORMAL)
            mp[s.n - 1] |= (mp_limb_t)1 << 63;
    }
    give(&m);
    return m;
}

/* About a multiple of its modulus, where that has as many limbs. */
static void near_multiple(struct numbers *x, size_t i, const struct numbers *m) {
    mpz_t y, z;
    mpz_init(y);
    view(y, x, i);
    mpz_t copy;
    mpz_init_set(copy, y);
    view(z, m, i);
    real.mpz_tdiv_q(copy, copy, z);
    real.mpz_mul(copy, copy, z);
    unsigned long more = testing_below(4);
    if (more == 3)
        real.mpz_sub(copy, copy, mpz_sgn(copy) ? (mpz_ptr)z : copy);
    else
        mpz_add_ui(copy, copy, more);
    if (more == 2 && mpz_sgn(copy))
        mpz_sub_ui(copy, copy, 3 > mpz_get_ui(copy) ? 0 : 3);
    if (mpz_size(copy) <= x->n) {
        mp_limb_t *xp = x->xp + i * x->n;
        memset(xp, 0, x->n * sizeof *xp);
        memcpy(xp, mpz_limbs_read(copy), mpz_size(copy) * sizeof *xp);
    }
    mpz_clear(copy);
}

static struct numbers random_operands(size_t count, size_t n, const struct numbers *m) {
    struct numbers x = random_numbers(count, n);
    const int are_below = testing_below(2) == 0;
    for (size_t i = 0; i < count; i++) {
        mp_limb_t *xp = x.xp + i * n;
        const unsigned long kind = testing_below(8);
        if (kind == 0)
            memset(xp, -1, n * sizeof *xp);
        if (kind == 1)
            memset(xp, 0, n * sizeof *xp);
        if (kind == 2 || kind == 3)
            near_multiple(&x, i, m);
        if (are_below && n == m->n) {
            mpz_t r, y, z;
            mpz_init(r);
            view(y, &x, i);
            view(z, m, i);
            real.mpz_mod(r, y, z);
            if (kind == 4)
                mpz_sub_ui(r, z, 1);
            memset(xp, 0, n * sizeof *xp);
            memcpy(xp, mpz_limbs_read(r), mpz_size(r) * sizeof *xp);
            mpz_clear(r);
        }
    }
    give(&x);
    return x;
}

/* ---- one operation */

static void compare_one(struct shape s, enum what what, const struct numbers *m,
                        mpgpu_batch_modulus *modulus) {
    struct numbers u = random_operands(s.count, what == REDUCE_LONG ? 2 * s.n : s.n, m);
    struct numbers v =
        what >= POW ? random_numbers(s.e_count, s.en) : random_operands(s.count, s.n, m);
    mpgpu_batch *r = mpgpu_batch_create(s.count, s.n);
    if (what >= POW) {
        if (testing_below(4) == 0)
            memset(v.xp, 0, s.en * sizeof *v.xp);
        give(&v);
    }
    ck_assert_int_eq(perform(what, r, u.b, v.b, modulus), 0);
    expect(r, 1, what, &u, &v, m);
    if (what != REDUCE_LONG && testing_below(2)) {
        ck_assert_int_eq(perform(what, u.b, u.b, v.b, modulus), 0);
        expect(u.b, 1, what, &u, &v, m);
    }
    mpgpu_batch_destroy(r);
    drop(&u);
    drop(&v);
}

static void compare(struct shape s) {
    struct numbers m = random_moduli(s);
    mpgpu_batch_modulus *modulus = mpgpu_batch_modulus_create(m.b);
    ck_assert_ptr_nonnull(modulus);
    for (enum what what = 0; what < WHATS; what++)
        if (s.whats >> what & 1)
            compare_one(s, what, &m, modulus);
    mpgpu_batch_modulus_destroy(modulus);
    drop(&m);
}

static void compare_any(size_t n, size_t most, unsigned moduli, unsigned whats) {
    const size_t count = 1 + testing_below(most);
    compare((struct shape){.count = count,
                           .n = n,
                           .m_count = testing_below(2) ? count : 1,
                           .e_count = testing_below(2) ? count : 1,
                           .en = 1,
                           .moduli = moduli,
                           .whats = whats});
}

static void begin(int i) {
    use_backend(backends[i], VERIFY_DEVICE);
}

/* ---- tests */

/* Moduli of all kinds; one that is even is among them, or they would be for other kernels. */
START_TEST(even_numbers) {
    begin(_i);
    for (size_t n = 1; n <= 9; n++) {
        struct shape s = {60, n, 60, 60, 1 + testing_below(2), ANY, all & ~(1u << POW_SEC)};
        compare(s);
        s.moduli = KIND_OF + 2;
        s.m_count = s.e_count = 1;
        compare(s);
    }
    for (size_t i = 0; i < 3; i++)
        compare((struct shape){5, 10 + testing_below(118), 5, 1, 1, KIND_OF + (i ? 6 : 3), cheap});
}
END_TEST

START_TEST(lengths) {
    static const size_t lengths[] = {129, 130, 255, 256, 257, 260};
    begin(_i);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        compare_any(lengths[i], 6, ANY, cheap);
        compare_any(lengths[i], 3, i % 2 ? ODD : NORMAL, cheap);
    }
}
END_TEST

START_TEST(kinds_of_moduli) {
    begin(_i);
    for (unsigned kind = 0; kind < 9; kind++)
        compare_any(129 + testing_below(5), 4, KIND_OF + kind, cheap);
}
END_TEST

START_TEST(powers_of_long_numbers) {
    begin(_i);
    compare((struct shape){2, 129, 1, 2, 1, ODD, powers});
    compare((struct shape){2, 130, 2, 1, 1, NORMAL, 1u << POW});
    compare((struct shape){2, 257, 2, 2, 1, ANY, 1u << POW});
}
END_TEST

START_TEST(verified_by_gmp) {
    use_backend(backends[_i], _i % 2 ? VERIFY_RESIDUE : VERIFY_FULL);
    compare((struct shape){3, 5, 3, 3, 1, KIND_OF + 6, all & ~(1u << POW_SEC)});
    compare((struct shape){2, 131, 2, 1, 1, ODD, cheap});
}
END_TEST

/* The longest, and one limb more, which are GMP's. */
START_TEST(longest) {
    begin(_i);
    compare((struct shape){1, 2048, 1, 1, 1, ODD, 1u << MUL | 1u << REDUCE_LONG});
    compare((struct shape){1, 4096, 1, 1, 1, NORMAL, 1u << SQR});
    struct numbers m = random_numbers(1, 4097), u = random_numbers(1, 4097);
    m.xp[0] |= 1;
    give(&m);
    give(&u);
    mpgpu_batch_modulus *modulus = mpgpu_batch_modulus_create(m.b);
    ck_assert_ptr_nonnull(modulus);
    ck_assert_int_eq(mpgpu_batch_mod_mul(u.b, u.b, u.b, modulus), 0);
    ck_assert_int_eq(mpgpu_batch_on_device(u.b), 0);
    mpgpu_batch_modulus_destroy(modulus);
    drop(&m);
    drop(&u);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, even_numbers, 0, backend_count);
    tcase_add_loop_test(tests, lengths, 0, backend_count);
    tcase_add_loop_test(tests, kinds_of_moduli, 0, backend_count);
    tcase_add_loop_test(tests, powers_of_long_numbers, 0, backend_count);
    tcase_add_loop_test(tests, verified_by_gmp, 0, backend_count);
    tcase_add_loop_test(tests, longest, 0, backend_count);
}

int main(void) {
    choose_batches_alone();
    return run_on_backends("barrett batch", add, NULL);
}
