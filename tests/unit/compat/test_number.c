/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests numbers (include/mpgpu.h) compared with GMP. Computes random chains of all operations, in
 * which results may replace operands. Tests lengths at which the device changes from one kernel
 * program to another, and moduli of several forms. Runs with and without a device, and in a child
 * of fork. MPGPU_TEST_CHAINS is the number of chains for each backend, MPGPU_TEST_LIMBS limits the
 * length of their new numbers. */
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "kernels/common/balanced_digits.h"
#include "lib/base/conf.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"
#include "tests/support/fft_products.h"
#include "tests/support/session_anew.h"

/* Opens the backend and stores the threshold in memory. An environment variable would come too
 * late: the library has already read its options. */
static void open_with(struct test_backend backend, int verify) {
    use_backend(backend, verify);
    session_wait();
    atomic_store(&thresholds.powm, 1);
}

/* ---- numbers on the device, and their right values as mpz_t */

enum { COUNT = 5 };

struct numbers {
    mpgpu_queue *queue;
    mpgpu_number *x[COUNT];
    mpz_t right[COUNT];
    size_t most; /* limbs */
};

static void expect(struct numbers *k, int i, const char *what) {
    mpz_t got;
    mpz_init(got);
    ck_assert_int_eq(mpgpu_number_get_mpz(got, k->x[i]), 0);
    ck_assert_msg(mpz_cmp(got, k->right[i]) == 0, "%s: number %d of %zu bits (%zu)", what, i,
                  mpz_sizeinbase(k->right[i], 2), mpz_sizeinbase(got, 2));
    mpz_clear(got);
}

static void expect_all(struct numbers *k, const char *what) {
    for (int i = 0; i < COUNT; i++)
        expect(k, i, what);
}

/* Sets number i to a new random value; about one in eight is 0, 1 or 2. */
static void renew(struct numbers *k, int i) {
    size_t n = testing_below(8) ? 1 + testing_size(k->most) : 1;
    mp_limb_t *x = limbs(n);
    testing_limbs(x, n);
    const mpz_t u = MPZ_ROINIT_N(x, (mp_size_t)n);
    mpz_set(k->right[i], u);
    if (testing_below(8) == 0)
        mpz_set_ui(k->right[i], testing_below(3));
    if (testing_below(4) == 0)
        mpz_neg(k->right[i], k->right[i]);
    ck_assert_int_eq(mpgpu_number_set_mpz(k->x[i], k->right[i]), 0);
    free(x);
}

static struct numbers numbers(size_t most) {
    struct numbers k = {.queue = mpgpu_queue_create(), .most = most};
    ck_assert_ptr_nonnull(k.queue);
    for (int i = 0; i < COUNT; i++) {
        k.x[i] = mpgpu_number_create(k.queue);
        ck_assert_ptr_nonnull(k.x[i]);
        mpz_init(k.right[i]);
        renew(&k, i);
    }
    return k;
}

static void done(struct numbers *k) {
    /* this is allowed here: the queue stays alive until its last number is destroyed */
    mpgpu_queue_destroy(k->queue);
    for (int i = 0; i < COUNT; i++) {
        mpgpu_number_destroy(k->x[i]);
        mpz_clear(k->right[i]);
    }
}

/* ---- chains */

static int any(void) {
    return (int)testing_below(COUNT);
}

static void divide(struct numbers *k, int r, int u, int v) {
    int q = (r + 1 + (int)testing_below(COUNT - 1)) % COUNT;
    unsigned long kind = testing_below(4);
    mpgpu_number *to_q = kind == 1 ? NULL : k->x[q], *to_r = kind == 2 ? NULL : k->x[r];
    if (mpz_sgn(k->right[v]) == 0) {
        ck_assert_int_eq(mpgpu_number_tdiv_qr(to_q, to_r, k->x[u], k->x[v]), MPGPU_DIVIDE_BY_ZERO);
        ck_assert_int_eq(mpgpu_number_mod(k->x[r], k->x[u], k->x[v]), MPGPU_DIVIDE_BY_ZERO);
        return;
    }
    if (kind == 0) {
        ck_assert_int_eq(mpgpu_number_mod(k->x[r], k->x[u], k->x[v]), 0);
        real.mpz_mod(k->right[r], k->right[u], k->right[v]);
        return;
    }
    mpz_t a, b;
    mpz_init(a);
    mpz_init(b);
    ck_assert_int_eq(mpgpu_number_tdiv_qr(to_q, to_r, k->x[u], k->x[v]), 0);
    real.mpz_tdiv_qr(a, b, k->right[u], k->right[v]);
    if (to_q)
        mpz_set(k->right[q], a);
    if (to_r)
        mpz_set(k->right[r], b);
    mpz_clear(a);
    mpz_clear(b);
}

static void shift(struct numbers *k, int r, int u) {
    size_t bits = testing_below(3) ? testing_below(64 * k->most) : 128 * testing_below(3);
    if (testing_below(2)) {
        ck_assert_int_eq(mpgpu_number_mul_2exp(k->x[r], k->x[u], bits), 0);
        mpz_mul_2exp(k->right[r], k->right[u], bits);
    } else {
        ck_assert_int_eq(mpgpu_number_tdiv_q_2exp(k->x[r], k->x[u], bits), 0);
        mpz_tdiv_q_2exp(k->right[r], k->right[u], bits);
    }
}

static void ask(struct numbers *k, int u, int v) {
    int order, sign;
    size_t bits, most = mpgpu_number_bits_most(k->x[u]);
    ck_assert_int_eq(mpgpu_number_cmp(&order, k->x[u], k->x[v]), 0);
    int right = mpz_cmp(k->right[u], k->right[v]);
    ck_assert_int_eq(order, (right > 0) - (right < 0));
    ck_assert_int_eq(mpgpu_number_sign(&sign, k->x[u]), 0);
    ck_assert_int_eq(sign, mpz_sgn(k->right[u]));
    ck_assert_int_eq(mpgpu_number_bits(&bits, k->x[u]), 0);
    ck_assert_uint_eq(bits, sign ? mpz_sizeinbase(k->right[u], 2) : 0);
    ck_assert_uint_ge(most, bits);
    ck_assert_uint_eq(mpgpu_number_bits_most(k->x[u]), bits);
}

static void copy(struct numbers *k, int r, int u) {
    if (testing_below(2)) {
        ck_assert_int_eq(mpgpu_number_set(k->x[r], k->x[u]), 0);
        mpz_set(k->right[r], k->right[u]);
    } else {
        ck_assert_int_eq(mpgpu_number_swap(k->x[r], k->x[u]), 0);
        mpz_swap(k->right[r], k->right[u]);
    }
}

/* Does one random operation on random numbers, on the device and by GMP. */
static void step(struct numbers *k) {
    int r = any(), u = any(), v = any();
    mpgpu_number *const *x = k->x;
    switch (testing_below(9)) {
    case 0:
        ck_assert_int_eq(mpgpu_number_add(x[r], x[u], x[v]), 0);
        real.mpz_add(k->right[r], k->right[u], k->right[v]);
        break;
    case 1:
        ck_assert_int_eq(mpgpu_number_sub(x[r], x[u], x[v]), 0);
        real.mpz_sub(k->right[r], k->right[u], k->right[v]);
        break;
    case 2:
        ck_assert_int_eq(mpgpu_number_mul(x[r], x[u], x[v]), 0);
        real.mpz_mul(k->right[r], k->right[u], k->right[v]);
        break;
    case 3:
        ck_assert_int_eq(mpgpu_number_sqr(x[r], x[u]), 0);
        real.mpz_mul(k->right[r], k->right[u], k->right[u]);
        break;
    case 4:
        ck_assert_int_eq(mpgpu_number_neg(x[r], x[u]), 0);
        mpz_neg(k->right[r], k->right[u]);
        break;
    case 5:
        shift(k, r, u);
        break;
    case 6:
        copy(k, r, u);
        break;
    default:
        divide(k, r, u, v);
    }
    if (testing_below(10) == 0)
        ask(k, any(), any());
    for (int i = 0; i < COUNT; i++)
        if (mpz_size(k->right[i]) > 4 * k->most || testing_below(40) == 0)
            renew(k, i);
}

static void chain(size_t most, int steps) {
    struct numbers k = numbers(most);
    for (int i = 0; i < steps; i++) {
        step(&k);
        if (testing_below(20) == 0)
            expect(&k, any(), "in a chain");
    }
    expect_all(&k, "after a chain");
    done(&k);
}

static void chains(void) {
    size_t most = testing_option("MPGPU_TEST_LIMBS", 700);
    for (unsigned long i = testing_option("MPGPU_TEST_CHAINS", 12); i > 0; i--)
        chain(1 + testing_size(most), 60);
}

/* ---- moduli */

/* Sets m to a divisor of `bits` bits: random, a power of two, or a power of two plus or minus 1. */
static void modulus_of(mpz_ptr m, size_t bits, int kind) {
    size_t n = (bits + 63) / 64;
    mp_limb_t *x = limbs(n);
    testing_limbs(x, n);
    const mpz_t u = MPZ_ROINIT_N(x, (mp_size_t)n);
    mpz_set_ui(m, 1);
    mpz_mul_2exp(m, m, bits - 1);
    if (kind == 0) {
        mpz_tdiv_q_2exp(m, u, 64 * n - bits);
        mpz_setbit(m, bits - 1);
    } else if (kind == 1) {
        real.mpz_add_ui(m, m, 1);
    } else if (kind == 2) {
        mpz_mul_2exp(m, m, 1);
        real.mpz_sub_ui(m, m, 1);
    }
    free(x);
}

/* Does random operations modulo m on random numbers. */
static void reductions(struct numbers *k, mpz_srcptr m, mpgpu_modulus *by) {
    for (int i = 0; i < 12; i++) {
        int r = any(), u = any(), v = any();
        if (testing_below(4) == 0) {
            ck_assert_int_eq(mpgpu_modulus_reduce(k->x[r], k->x[u], by), 0);
            real.mpz_mod(k->right[r], k->right[u], m);
        } else if (testing_below(2)) {
            ck_assert_int_eq(mpgpu_modulus_sqr(k->x[r], k->x[u], by), 0);
            real.mpz_mul(k->right[r], k->right[u], k->right[u]);
            real.mpz_mod(k->right[r], k->right[r], m);
        } else {
            ck_assert_int_eq(mpgpu_modulus_mul(k->x[r], k->x[u], k->x[v], by), 0);
            real.mpz_mul(k->right[r], k->right[u], k->right[v]);
            real.mpz_mod(k->right[r], k->right[r], m);
        }
    }
    expect_all(k, "modulo");
}

static void powers(struct numbers *k, mpz_srcptr m, mpgpu_modulus *by, size_t bits) {
    mpz_t e;
    mpz_init(e);
    modulus_of(e, bits, (int)testing_below(4));
    int r = any(), u = any();
    ck_assert_int_eq(mpgpu_modulus_pow(k->x[r], k->x[u], e, by), 0);
    real.mpz_powm(k->right[r], k->right[u], e, m);
    expect(k, r, "power");
    mpz_set_ui(e, 0);
    ck_assert_int_eq(mpgpu_modulus_pow(k->x[r], k->x[u], e, by), 0);
    mpz_set_ui(k->right[r], mpz_cmp_ui(m, 1) != 0);
    expect(k, r, "power to 0");
    mpz_clear(e);
}

static void compare_modulus(size_t bits, int kind, size_t exponent_bits) {
    struct numbers k = numbers(bits / 64 + 2);
    mpgpu_number *number = mpgpu_number_create(k.queue);
    mpz_t m;
    mpz_init(m);
    modulus_of(m, bits, kind);
    if (testing_below(2))
        mpz_neg(m, m);
    ck_assert_int_eq(mpgpu_number_set_mpz(number, m), 0);
    mpz_abs(m, m);
    mpgpu_modulus *by = mpgpu_modulus_create(number);
    ck_assert_ptr_nonnull(by);
    mpgpu_number_destroy(number); /* allowed: the modulus object has its own copy of the value */
    reductions(&k, m, by);
    powers(&k, m, by, exponent_bits);
    mpgpu_modulus_destroy(by);
    mpz_clear(m);
    done(&k);
}

static void moduli(void) {
    static const size_t sizes[] = {1, 2, 64, 127, 128, 129, 255, 256, 257, 1000, 8192, 30000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = 0; kind < 4; kind++)
            compare_modulus(sizes[i], kind, 1 + testing_below(sizes[i] < 1000 ? 100 : 20));
}

/* ---- moduli k 2^e - 1 and k 2^e + 1, which need no reciprocal */

/* Sets number i, and its expected value, to x. */
static void set(struct numbers *k, int i, mpz_srcptr x) {
    mpz_set(k->right[i], x);
    ck_assert_int_eq(mpgpu_number_set_mpz(k->x[i], x), 0);
}

/* Computes u v, the square of this result, and u, each modulo m. The square's operand is a
 * remainder modulo m, which saves the device some comparisons. */
static void reduce_pair(struct numbers *k, mpz_srcptr u, mpz_srcptr v, mpz_srcptr m,
                        mpgpu_modulus *by) {
    set(k, 0, u);
    set(k, 1, v);
    ck_assert_int_eq(mpgpu_modulus_mul(k->x[2], k->x[0], k->x[1], by), 0);
    ck_assert_int_eq(mpgpu_modulus_sqr(k->x[3], k->x[2], by), 0);
    ck_assert_int_eq(mpgpu_modulus_reduce(k->x[4], k->x[0], by), 0);
    real.mpz_mul(k->right[2], u, v);
    real.mpz_mod(k->right[2], k->right[2], m);
    real.mpz_mul(k->right[3], k->right[2], k->right[2]);
    real.mpz_mod(k->right[3], k->right[3], m);
    real.mpz_mod(k->right[4], u, m);
}

/* Sets x to one of VALUES values near m, m^2, a power of 2 or a multiple of m: 1 less, exact, or 1
 * more. For these values carries, borrows and the last subtractions differ. */
static void value_of(mpz_ptr x, mpz_srcptr m, unsigned i) {
    const size_t bits = mpz_sizeinbase(m, 2);
    mpz_set_ui(x, 1);
    switch (i / 3) {
    case 0:
        mpz_set(x, m);
        break;
    case 1:
        real.mpz_mul(x, m, m);
        break;
    case 2:
        mpz_mul_2exp(x, x, bits);
        break;
    case 3:
        mpz_mul_2exp(x, x, 2 * bits);
        break;
    case 4:
        mpz_mul_2exp(x, x, 2 * bits - 1);
        break;
    case 5:
        mpz_mul_2exp(x, m, bits - 1);
        break;
    case 6:
        mpz_mul_2exp(x, x, bits - 1);
        break;
    case 7:
        mpz_mul_2exp(x, x, bits / 2);
        break;
    case 8:
        mpz_mul_2exp(x, x, bits + 2);
    }
    real.mpz_add_ui(x, x, i % 3);
    real.mpz_sub_ui(x, x, 1);
}
enum { VALUES = 30 };

/* Waits for the queue. Returns true if floating-point transforms computed products modulo 2^p - 1
 * in its last run. None of these products may have been computed again. */
static bool is_by_fft(struct numbers *k) {
    ck_assert_int_eq(mpgpu_queue_finish(k->queue), 0);
    ck_assert_uint_eq(stats_here()->recomputed, 0);
    return stats_here()->ways[STATS_FFT] > 0;
}

/* Compares numbers modulo k 2^e - 1 or k 2^e + 1 with GMP's. Returns how often transforms have
 * computed products modulo 2^e - 1. */
static unsigned compare_form(unsigned long factor, size_t e, bool plus) {
    struct numbers k = numbers(e / 64 + 2);
    unsigned by_fft = 0;
    mpz_t m, u, v;
    mpz_init_set_ui(m, factor);
    mpz_init(u);
    mpz_init(v);
    mpz_mul_2exp(m, m, e);
    (plus ? real.mpz_add_ui : real.mpz_sub_ui)(m, m, 1);
    set(&k, 0, m);
    mpgpu_modulus *by = mpgpu_modulus_create(k.x[0]);
    ck_assert_ptr_nonnull(by);
    for (unsigned i = 0; i < VALUES; i++) {
        value_of(u, m, i);
        value_of(v, m, (unsigned)testing_below(VALUES));
        if (mpz_sizeinbase(v, 2) > mpz_sizeinbase(m, 2) + 2)
            mpz_set(v, i % 2 ? m : u);
        reduce_pair(&k, u, v, m, by);
        by_fft += is_by_fft(&k);
        if (i % 3 == 0)
            expect_all(&k, "edges of a form");
        expect(&k, 2, "product modulo a form");
        expect(&k, 3, "square modulo a form");
        expect(&k, 4, "rest modulo a form");
    }
    /* u has more than e bits and v has fewer, unless 128 divides e; together they have about 2 e
     * bits */
    mpz_set_ui(u, 1);
    mpz_mul_2exp(v, u, e - e % 128);
    mpz_mul_2exp(u, u, e + e % 128);
    reduce_pair(&k, u, v, m, by);
    by_fft += is_by_fft(&k);
    expect_all(&k, "a long and a short operand modulo a form");
    for (int i = 0; i < COUNT; i++)
        renew(&k, i);
    reductions(&k, m, by);
    powers(&k, m, by, 40);
    mpgpu_modulus_destroy(by);
    mpz_clear(m);
    mpz_clear(u);
    mpz_clear(v);
    done(&k);
    return by_fft;
}

/* Tests moduli k 2^e - 1 and k 2^e + 1 for several k and e. Some lengths are near the shortest one
 * allowed (128 bits); the longest one needs a division by k in several parts. */
static void forms(void) {
    static const unsigned long factors[] = {1, 3, 0x80000001, 0xffffffff, 0x100000001};
    static const size_t sizes[] = {128, 129, 160, 255, 256, 1279, 70001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = 0; kind < 6; kind++) {
            unsigned long factor = factors[kind < 5 ? kind : 0];
            if (kind == 5)
                factor = testing_below(1ul << (1 + testing_below(32))) | 1;
            if (sizes[i] < 10000 || kind % 2 == (int)(i % 2)) {
                compare_form(factor, sizes[i], false);
                compare_form(factor, sizes[i], true);
            }
        }
}

/* ---- moduli 2^p - 1 by weighted transforms (algorithm:fft) */

/* Compares mpz_powm modulo 2^p - 1 with GMP's, in place. The base is random, or 2^p - 2. */
static void compare_powm(size_t p) {
    mpz_t m, r, e, right;
    mpz_init_set_ui(m, 1);
    mpz_init_set_ui(e, p < 100000 ? 0x1b7 : 2);
    mpz_init(right);
    mpz_mul_2exp(m, m, p);
    real.mpz_sub_ui(m, m, 1);
    for (int i = 0; i < 2; i++) {
        mp_limb_t *x = limbs(p / 64);
        testing_limbs(x, p / 64);
        const mpz_t u = MPZ_ROINIT_N(x, (mp_size_t)(p / 64));
        mpz_init_set(r, u);
        if (i)
            real.mpz_sub_ui(r, m, 1);
        real.mpz_powm(right, r, e, m);
        mpz_powm(r, r, e, m);
        ck_assert_uint_eq(stats_here()->ways[STATS_FFT], 1);
        ck_assert_msg(mpz_cmp(r, right) == 0, "mpz_powm modulo 2^%zu - 1", p);
        mpz_clear(r);
        free(x);
    }
    mpz_clears(m, e, right, NULL);
}

/* Squares a number modulo two Mersenne numbers in one run of the queue. */
static void two_moduli(void) {
    static const unsigned long sizes[] = {9697, 9689};
    struct numbers k = numbers(1);
    mpgpu_modulus *by[2];
    mpz_t m[2];
    for (int i = 0; i < 2; i++) {
        mpz_init_set_ui(m[i], 1);
        mpz_mul_2exp(m[i], m[i], sizes[i]);
        real.mpz_sub_ui(m[i], m[i], 1);
        set(&k, i, m[i]);
        by[i] = mpgpu_modulus_create(k.x[i]);
    }
    real.mpz_sub_ui(k.right[2], m[1], 5);
    set(&k, 2, k.right[2]);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(mpgpu_modulus_sqr(k.x[3 + i], k.x[2], by[i]), 0);
        real.mpz_mul(k.right[3 + i], k.right[2], k.right[2]);
        real.mpz_mod(k.right[3 + i], k.right[3 + i], m[i]);
    }
    ck_assert(is_by_fft(&k));
    expect_all(&k, "modulo two Mersenne numbers");
    for (int i = 0; i < 2; i++) {
        mpgpu_modulus_destroy(by[i]);
        mpz_clear(m[i]);
    }
    done(&k);
}

enum { LEAST_P = 8192 }; /* 8192 bits are 2048 digits of 4 bits */

/* Tests moduli 2^p - 1 for many p: prime and composite, odd and even, and multiples of 32. */
static void mersenne_moduli(void) {
    static const size_t sizes[] = {LEAST_P - 1, LEAST_P, LEAST_P + 1,   9689,  3 << 12,
                                   16383,       20000,   24 * 2048 + 2, 44497, 70001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes + 3; i++) {
        const size_t p =
            i < sizeof sizes / sizeof *sizes ? sizes[i] : LEAST_P + testing_below(50000);
        const unsigned by_fft = compare_form(1, p, false);
        ck_assert_msg(p < LEAST_P ? by_fft == 0 : by_fft > VALUES / 2, "p = %zu: %u by fft", p,
                      by_fft);
    }
    two_moduli();
    compare_powm(9941);
    compare_powm(20000);
    compare_powm(3021377); /* for so large a p, each work-item of the kernel digit_quotient handles
                            * several groups of digits */
    ck_assert_uint_eq(compare_form(3, 20000, false) + compare_form(1, 20000, true), 0);
}

/* Runs the Lucas-Lehmer test on 2^p - 1. It must find a prime if `is_prime` is true, otherwise a
 * composite. */
static void lucas_lehmer(unsigned long p, bool is_prime) {
    struct numbers k = numbers(1);
    mpz_t x;
    mpz_init_set_ui(x, 1);
    mpz_mul_2exp(x, x, p);
    real.mpz_sub_ui(x, x, 1);
    set(&k, 0, x);
    mpgpu_modulus *by = mpgpu_modulus_create(k.x[0]);
    real.mpz_sub_ui(x, x, 2);
    set(&k, 1, x);
    mpz_set_ui(x, 4);
    set(&k, 2, x);
    for (unsigned long i = 0; i < p - 2; i++) {
        ck_assert_int_eq(mpgpu_modulus_sqr(k.x[2], k.x[2], by), 0);
        ck_assert_int_eq(mpgpu_number_add(k.x[2], k.x[2], k.x[1]), 0);
    }
    ck_assert_int_eq(mpgpu_modulus_reduce(k.x[2], k.x[2], by), 0);
    ck_assert(is_by_fft(&k));
    ck_assert_int_eq(mpgpu_number_get_mpz(x, k.x[2]), 0);
    ck_assert_msg((mpz_sgn(x) == 0) == is_prime, "2^%lu - 1", p);
    mpgpu_modulus_destroy(by);
    mpz_clear(x);
    done(&k);
}

/* Sets x to the number below 2^p whose digits in the transforms modulo 2^p - 1 all have about the
 * largest value. */
static void set_largest_digits(mpz_ptr x, size_t p) {
    struct fft_product_plan plan;
    ck_assert(fft_product_plan_init_mersenne(&plan, p, UINT64_MAX, UINT64_MAX));
    const struct digits d = digits_make(plan.bits, plan.rest, plan.length);
    struct digit at = digit_of(d, 0);
    for (uint64_t k = 0; k < plan.length; k++, at = digit_next(d, at))
        for (uint64_t i = 0; i + 1 < at.width; i++)
            mpz_setbit(x, at.begin + i);
}

/* Squares a number whose coefficients are too large for doubles. The device must notice the error,
 * and compute the square again by another algorithm. */
static void doubt(size_t p) {
    struct numbers k = numbers(1);
    mpz_t m;
    mpz_init_set_ui(m, 1);
    mpz_mul_2exp(m, m, p);
    real.mpz_sub_ui(m, m, 1);
    set(&k, 0, m);
    mpgpu_modulus *by = mpgpu_modulus_create(k.x[0]);
    mpz_set_ui(m, 0);
    set_largest_digits(m, p);
    set(&k, 1, m);
    ck_assert_int_eq(mpgpu_modulus_sqr(k.x[2], k.x[1], by), 0);
    ck_assert_int_eq(mpgpu_queue_finish(k.queue), 0);
    ck_assert_uint_eq(stats_here()->recomputed, 1);
    ck_assert_uint_eq(stats_here()->ways[STATS_WHOLE], 1);
    real.mpz_mul(k.right[2], m, m);
    real.mpz_mod(k.right[2], k.right[2], k.right[0]);
    expect(&k, 2, "a doubted square");
    mpgpu_modulus_destroy(by);
    mpz_clear(m);
    done(&k);
}

/* ---- tests */

static void compute_on_device(int i, void (*compute)(void)) {
    open_with(backends[i], VERIFY_DEVICE);
    const unsigned long before = mpgpu_sent();
    compute();
    ck_assert_uint_gt(mpgpu_sent(), before);
    ck_assert_int_eq(session_faults(), 0);
}

START_TEST(moduli_of_forms) {
    compute_on_device(_i, forms);
}
END_TEST

/* Sets the option algorithm:fft. Skips the test and returns false if the device has no doubles. */
static bool open_fft(int i, int verify) {
    int unused = 0;
    mpgpu_conf.algorithm = ALGORITHM_FFT;
    open_with(backends[i], verify);
    if (session_run(has_doubles, &unused, sizeof unused, 0) == OUTCOME_DONE)
        return true;
    testing_skip("%s: the device has no doubles", backends[i].name);
    return false;
}

START_TEST(moduli_of_mersenne_numbers) {
    if (!open_fft(_i, VERIFY_DEVICE))
        return;
    mersenne_moduli();
    ck_assert_int_eq(session_faults(), 0);
}
END_TEST

START_TEST(lucas_and_lehmer) {
    if (!open_fft(_i, VERIFY_DEVICE))
        return;
    lucas_lehmer(9689, true);
    lucas_lehmer(9697, false);
    ck_assert_int_eq(session_faults(), 0);
}
END_TEST

START_TEST(doubted_mersenne_squares) {
    if (!open_fft(_i, VERIFY_DEVICE))
        return;
    doubt(42989);
    doubt(21 * 2048);
    /* without a check, transforms modulo 2^p - 1 are not used; a server always checks */
    mpgpu_conf.verify = VERIFY_OFF;
    const unsigned by_fft = compare_form(1, LEAST_P, false);
    ck_assert((by_fft > 0) == (mpgpu_conf.server != SERVER_OFF));
    ck_assert_int_eq(session_faults(), 0);
}
END_TEST

START_TEST(random_chains) {
    compute_on_device(_i, chains);
}
END_TEST

START_TEST(random_moduli) {
    compute_on_device(_i, moduli);
}
END_TEST

/* Runs one operation of the given kind, which the device must compute. */
static void each(struct numbers *k, int kind, mpgpu_modulus *m, mpgpu_number *d) {
    mpgpu_number *r = k->x[0], *q = k->x[3], *u = k->x[1], *v = k->x[2];
    switch (kind) {
    case 0:
        ck_assert_int_eq(mpgpu_number_add(r, u, v), 0);
        break;
    case 1:
        ck_assert_int_eq(mpgpu_number_sub(r, u, v), 0);
        break;
    case 2:
        ck_assert_int_eq(mpgpu_number_mul(r, u, v), 0);
        break;
    case 3:
        ck_assert_int_eq(mpgpu_number_mul_2exp(r, u, 130), 0);
        break;
    case 4:
        ck_assert_int_eq(mpgpu_number_tdiv_q_2exp(r, u, 131), 0);
        break;
    case 5:
        ck_assert_int_eq(mpgpu_number_tdiv_qr(q, r, u, d), 0);
        break;
    case 6:
        ck_assert_int_eq(mpgpu_number_tdiv_qr(q, NULL, u, d), 0);
        break;
    case 7:
        ck_assert_int_eq(mpgpu_number_mod(r, u, d), 0);
        break;
    case 8:
        ck_assert_int_eq(mpgpu_modulus_reduce(r, u, m), 0);
        break;
    case 9:
        ck_assert_int_eq(mpgpu_modulus_mul(r, u, v, m), 0);
        break;
    default:
        ck_assert_int_eq(mpgpu_number_neg(r, u), 0);
    }
}

static void sent_each(size_t n) {
    struct numbers k = numbers(n);
    mpgpu_number *d = mpgpu_number_create(k.queue);
    mpz_t x;
    mpz_init(x);
    for (int i = 1; i < 3; i++) {
        modulus_of(x, 64 * n - testing_below(60), 0);
        ck_assert_int_eq(mpgpu_number_set_mpz(k.x[i], x), 0);
    }
    modulus_of(x, 32 * n - testing_below(60) + 64, 0);
    ck_assert_int_eq(mpgpu_number_set_mpz(d, x), 0);
    mpgpu_modulus *m = mpgpu_modulus_create(d);
    for (int kind = 0; kind < 11; kind++) {
        unsigned long before = mpgpu_sent();
        each(&k, kind, m, d);
        ck_assert_int_eq(mpgpu_queue_finish(k.queue), 0);
        ck_assert_msg(mpgpu_sent() == before + 1, "operation %d of %zu limbs", kind, n);
    }
    mpz_clear(x);
    mpgpu_modulus_destroy(m);
    mpgpu_number_destroy(d);
    done(&k);
}

START_TEST(each_operation) {
    open_with(backends[_i], VERIFY_DEVICE);
    for (size_t n = 4; n < 1000; n = 3 * n + testing_below(4))
        sent_each(n);
}
END_TEST

/* Computes the remainder of x[1] by x[0], then quotient and remainder in another job. The device
 * must compute `sent` of these two jobs. */
static void divide_long(struct numbers *k, unsigned long sent) {
    mpgpu_modulus *m = mpgpu_modulus_create(k->x[0]);
    unsigned long before = mpgpu_sent();
    ck_assert_int_eq(mpgpu_modulus_reduce(k->x[4], k->x[1], m), 0);
    ck_assert_int_eq(mpgpu_queue_finish(k->queue), 0);
    ck_assert_int_eq(mpgpu_number_tdiv_qr(k->x[2], k->x[3], k->x[1], k->x[0]), 0);
    ck_assert_int_eq(mpgpu_queue_finish(k->queue), 0);
    ck_assert_uint_eq(mpgpu_sent() - before, sent);
    mpgpu_modulus_destroy(m);
    /* Raises the threshold, so that GMP computes the expected values without the device. */
    atomic_store(&thresholds.mul, SIZE_MAX);
    real.mpz_tdiv_qr(k->right[2], k->right[3], k->right[1], k->right[0]);
    mpz_set(k->right[4], k->right[3]);
    expect_all(k, "a long one by a short one");
}

/* If the divisor is much shorter than the dividend, GMP computes the quotient. The device computes
 * the operations that were recorded before the division, even if the dividend turns out to be 0. */
START_TEST(short_divisors) {
    enum { LEAST = 100, TIMES = 18 };
    open_with(backends[_i], VERIFY_DEVICE);
    struct numbers k = numbers(10);
    for (size_t n = 1; n <= LEAST; n += 33)
        for (int kind = 0; kind < 3; kind++) {
            modulus_of(k.right[0], 64 * n, 0);
            modulus_of(k.right[1], 64 * n * TIMES, 0);
            for (int i = 0; i < 2; i++)
                ck_assert_int_eq(mpgpu_number_set_mpz(k.x[i], k.right[i]), 0);
            if (kind == 1) {
                ck_assert_int_eq(mpgpu_number_add(k.x[1], k.x[1], k.x[1]), 0);
                real.mpz_add(k.right[1], k.right[1], k.right[1]);
            } else if (kind == 2) {
                ck_assert_int_eq(mpgpu_number_mod(k.x[1], k.x[1], k.x[1]), 0);
                mpz_set_ui(k.right[1], 0);
            }
            atomic_store(&thresholds.mul, LEAST);
            divide_long(&k, n < LEAST ? kind > 0 : kind == 2 ? 1 : 2);
        }
    done(&k);
}
END_TEST

/* Records more operations than the library computes at once: it must begin to compute the first
 * ones while later ones are recorded. */
START_TEST(long_queue) {
    open_with(backends[_i], VERIFY_DEVICE);
    struct numbers k = numbers(10);
    mpz_t m;
    mpz_init(m);
    /* 5^215 and the modulus 3^315 have 500 bits; for shorter values the host would compute the
     * squares. */
    mpz_ui_pow_ui(k.right[0], 5, 215);
    mpgpu_number_set_mpz(k.x[0], k.right[0]);
    mpz_ui_pow_ui(m, 3, 315);
    mpgpu_number_set_mpz(k.x[1], m);
    mpgpu_modulus *by = mpgpu_modulus_create(k.x[1]);
    mpz_set(k.right[1], m);
    unsigned long before = mpgpu_sent();
    for (int i = 0; i < 600; i++) {
        ck_assert_int_eq(mpgpu_modulus_sqr(k.x[0], k.x[0], by), 0);
        real.mpz_mul(k.right[0], k.right[0], k.right[0]);
        real.mpz_mod(k.right[0], k.right[0], m);
    }
    ck_assert_uint_eq(mpgpu_sent() - before, 2);
    ck_assert_int_eq(mpgpu_number_on_device(k.x[0]), 0);
    ck_assert_int_eq(mpgpu_queue_finish(k.queue), 0);
    ck_assert_int_eq(mpgpu_number_on_device(k.x[0]), 1);
    ck_assert_uint_eq(mpgpu_sent() - before, 3);
    expect_all(&k, "squares");
    ck_assert_uint_eq(mpgpu_sent() - before, 3);
    mpgpu_modulus_destroy(by);
    mpz_clear(m);
    done(&k);
}
END_TEST

START_TEST(verified_by_gmp) {
    open_with(backends[_i], VERIFY_FULL);
    chain(50, 60);
    compare_modulus(1000, 0, 20);
}
END_TEST

START_TEST(by_gmp) {
    open_with((struct test_backend){"none", 0}, VERIFY_DEVICE);
    mpgpu_conf.stats = _i ? STATS_TEXT : STATS_OFF;
    chains();
    moduli();
    ck_assert_uint_eq(mpgpu_sent(), 0);
}
END_TEST

/* Converts results that are not yet computed to text, in bases that are powers of two and in
 * others. */
START_TEST(texts) {
    static const int bases[] = {2, 10, 16, 36, 37, 62};
    open_with(backends[_i], VERIFY_DEVICE);
    struct numbers k = numbers(100);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        char *text, *right;
        ck_assert_int_eq(mpgpu_number_sub(k.x[0], k.x[1], k.x[2]), 0);
        real.mpz_sub(k.right[0], k.right[1], k.right[2]);
        ck_assert_int_eq(mpgpu_number_get_str(&text, k.x[0], bases[i]), 0);
        right = malloc(mpz_sizeinbase(k.right[0], bases[i]) + 2);
        ck_assert_str_eq(text, real.mpz_get_str(right, bases[i], k.right[0]));
        free(text);
        free(right);
        renew(&k, 1);
    }
    done(&k);
}
END_TEST

/* A child of fork must be able to use operations that its parent has recorded and values on the
 * device. */
START_TEST(in_a_child) {
    int status;
    open_with(backends[_i], VERIFY_DEVICE);
    struct numbers k = numbers(20);
    for (int i = 0; i < 20; i++)
        step(&k);
    ck_assert_int_eq(mpgpu_queue_finish(k.queue), 0);
    for (int i = 0; i < 20; i++)
        step(&k);
    pid_t child = fork();
    if (child == 0) {
        expect_all(&k, "in a child");
        for (int i = 0; i < 20; i++)
            step(&k);
        expect_all(&k, "in a child");
        done(&k);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    expect_all(&k, "in the parent");
    done(&k);
}
END_TEST

/* Invalid calls must return an error and change nothing. */
START_TEST(bad_arguments) {
    open_with((struct test_backend){"none", 0}, VERIFY_DEVICE);
    struct numbers k = numbers(10), other = numbers(10);
    char *text;
    mpz_t e;
    mpz_init(e);
    real.mpz_sub_ui(e, e, 1);
    ck_assert_int_eq(mpgpu_number_set_ui(k.x[1], 0), 0);
    mpz_set_ui(k.right[1], 0);
    ck_assert_int_eq(mpgpu_number_set_ui(k.x[2], 7), 0);
    mpz_set_ui(k.right[2], 7);
    ck_assert_ptr_null(mpgpu_modulus_create(k.x[1]));
    mpgpu_modulus *m = mpgpu_modulus_create(k.x[2]);
    ck_assert_int_eq(mpgpu_number_add(k.x[0], k.x[1], other.x[0]), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_number_swap(k.x[0], other.x[0]), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_modulus_sqr(other.x[0], other.x[1], m), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_number_tdiv_qr(k.x[0], k.x[0], k.x[1], k.x[2]), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_number_tdiv_qr(k.x[0], k.x[3], k.x[4], k.x[1]), MPGPU_DIVIDE_BY_ZERO);
    ck_assert_int_eq(mpgpu_modulus_pow(k.x[0], k.x[2], e, m), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_number_get_str(&text, k.x[0], 1), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_number_get_str(&text, k.x[0], 63), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_number_mul_2exp(k.x[0], k.x[2], SIZE_MAX), MPGPU_TOO_LARGE);
    ck_assert_int_eq(mpgpu_number_mul_2exp(k.x[0], k.x[2], (size_t)1 << 37), MPGPU_TOO_LARGE);
    ck_assert_str_ne(mpgpu_error(), "");
    /* 0 can be shifted by any number of bits, also if it is not yet computed */
    ck_assert_int_eq(mpgpu_modulus_reduce(k.x[3], k.x[2], m), 0);
    ck_assert_int_eq(mpgpu_number_mul_2exp(k.x[3], k.x[3], SIZE_MAX), 0);
    mpz_set_ui(k.right[3], 0);
    expect_all(&k, "bad arguments");
    expect_all(&other, "bad arguments");
    mpgpu_modulus_destroy(NULL);
    mpgpu_modulus_destroy(m);
    mpgpu_number_destroy(NULL);
    mpgpu_queue_destroy(NULL);
    mpz_clear(e);
    done(&k);
    done(&other);
}
END_TEST

int main(void) {
    setenv("MPGPU_CONF", "open:wait,watchdog:600,log:1,batch:1,mul:never,sqr:never,add:never", 1);
    return run_on_backends(
        "numbers",
        TESTS(PER_DEVICE(each_operation, 1), PER_DEVICE(random_chains, 1),
              PER_DEVICE(random_moduli, 1), PER_DEVICE(moduli_of_forms, 1),
              PER_DEVICE(moduli_of_mersenne_numbers, 1), PER_DEVICE(lucas_and_lehmer, 1),
              PER_DEVICE(doubted_mersenne_squares, 1), PER_DEVICE(short_divisors, 1),
              PER_DEVICE(long_queue, 1), PER_DEVICE(verified_by_gmp, 1), PER_DEVICE(texts, 1),
              PER_DEVICE(in_a_child, 1), LOOP(by_gmp, 2), ONCE(bad_arguments)),
        NULL);
}
