/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the half gcd (reduction of two numbers to about half their size). Checks the reduced
 * numbers and the matrix of the reduction. The device is a mock. */
#include <pthread.h>
#include <string.h>

#include "compat/intercept/composite_call.h"
#include "lib/algorithms/euclid/digits.h"
#include "lib/algorithms/euclid/quotients.h"
#include "lib/algorithms/gcd.h"
#include "lib/algorithms/hgcd.h"
#include "lib/gmp/real.h"
#include "lib/process/executor.h"
#include "lib/process/shutdown.h"
#include "tests/support/mock.h"
#include "tests/support/testing.h"

enum { MOST = 300, ROUNDS = 600 };

/* Runs a test as the body of a composite operation (a GMP function that computes several
 * products). */
static void inside(void (*test)(struct composite *w)) {
    struct composite_call c;
    call_init();
    ck_assert(composite_call_begin(&c, CALL_ROW(mpz_gcd), 1000, &thresholds.gcd, 1000));
    test(&c.composite);
    composite_call_end(&c);
}

static void set_limbs(mpz_ptr x, size_t n) {
    testing_limbs(mpz_limbs_write(x, (mp_size_t)n), n);
    mpz_limbs_finish(x, (mp_size_t)n);
}

/* Makes two numbers in whose Euclidean algorithm all quotients are short, except perhaps one of
 * about `long_bits` bits. */
static void make_chain(mpz_ptr a, mpz_ptr b, size_t bits, size_t long_bits) {
    mpz_t q;
    mpz_init(q);
    mpz_set_ui(a, 1);
    mpz_set_ui(b, 0);
    size_t at = testing_below(bits);
    while (composite_mpz_bits(a) < bits) {
        mpz_set_ui(q, 1 + testing_below(3));
        if (at && composite_mpz_bits(a) >= at) {
            mpz_setbit(q, long_bits);
            at = 0;
        }
        real.mpz_addmul(b, a, q);
        mpz_swap(a, b);
    }
    mpz_clear(q);
}

/* Makes two random numbers. Euclid's algorithm for them may have a long quotient, at which the
 * reduction stops early. Returns about the length of that quotient in bits, or 0. */
static size_t make(mpz_ptr a, mpz_ptr b) {
    size_t n = 2 + testing_size(MOST), kind = testing_below(4), long_bits = testing_below(400);
    if (kind == 0) {
        make_chain(a, b, n * GMP_NUMB_BITS, long_bits);
        return long_bits;
    }
    set_limbs(a, n);
    set_limbs(b, n);
    if (kind == 1)
        real.mpz_add_ui(a, b, testing_below(1000));
    return MOST * GMP_NUMB_BITS;
}

/* Sets x to entry (i, j) of the matrix. x only points to the matrix's limbs, so it must not outlive
 * the matrix. */
static void entry(mpz_ptr x, const struct lehmer_matrix *m, int i, int j) {
    mpz_roinit_n(x, m->e[i][j], (mp_size_t)m->n);
}

/* Checks that (a0, b0) = m (a, b) for the matrix m, and that m has determinant 1. */
static void check_matrix(const struct lehmer_matrix *m, mpz_srcptr a0, mpz_srcptr b0, mpz_srcptr a,
                         mpz_srcptr b) {
    mpz_t x, e[2][2];
    mpz_init(x);
    for (int i = 0; i < 2; i++) {
        entry(e[i][0], m, i, 0);
        entry(e[i][1], m, i, 1);
        real.mpz_mul(x, e[i][0], a);
        real.mpz_addmul(x, e[i][1], b);
        ck_assert_int_eq(mpz_cmp(x, i ? b0 : a0), 0);
    }
    real.mpz_mul(x, e[0][0], e[1][1]);
    real.mpz_submul(x, e[0][1], e[1][0]);
    ck_assert_int_eq(mpz_cmp_ui(x, 1), 0);
    mpz_clear(x);
}

/* Checks that x is at least 3/4 2^t. */
static void check_least(mpz_srcptr x, size_t t) {
    mpz_t least;
    mpz_init_set_ui(least, 3);
    mpz_mul_2exp(least, least, t - 2);
    ck_assert_int_ge(mpz_cmp(x, least), 0);
    mpz_clear(least);
}

/* Checks that the inverse matrix maps (a0, b0) to (a, b). Also applies the inverse matrix to (-a0,
 * b0), because hgcd_apply must accept negative numbers. */
static void check_apply(struct composite *w, const struct hgcd *h, mpz_srcptr a0, mpz_srcptr b0,
                        mpz_srcptr a, mpz_srcptr b) {
    mpz_t x, y, right, e[2][2];
    for (int i = 0; i < 4; i++)
        entry(e[i / 2][i % 2], &h->m, i / 2, i % 2);
    mpz_inits(x, y, right, NULL);
    mpz_set(x, a0);
    mpz_set(y, b0);
    hgcd_apply(w, h, x, y);
    ck_assert(mpz_cmp(x, a) == 0 && mpz_cmp(y, b) == 0);
    mpz_neg(x, a0);
    mpz_set(y, b0);
    hgcd_apply(w, h, x, y);
    real.mpz_mul(right, e[1][1], a0);
    real.mpz_addmul(right, e[0][1], b0);
    mpz_neg(right, right);
    ck_assert_int_eq(mpz_cmp(x, right), 0);
    real.mpz_mul(right, e[0][0], b0);
    real.mpz_addmul(right, e[1][0], a0);
    ck_assert_int_eq(mpz_cmp(y, right), 0);
    mpz_clears(x, y, right, NULL);
}

static void halve(struct composite *w) {
    mpz_t a, b, a0, b0;
    struct hgcd h;
    mpz_inits(a, b, a0, b0, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        hgcd_init(&h, NULL);
        size_t slack = make(a, b) + 3 * GMP_NUMB_BITS, n = composite_mpz_bits(a);
        n = composite_mpz_bits(b) > n ? composite_mpz_bits(b) : n;
        size_t t = n / 2 + 1 + testing_below(n / 2);
        mpz_set(a0, a);
        mpz_set(b0, b);
        bool done = hgcd_reduce(w, a, b, t, &h);
        check_matrix(&h.m, a0, b0, a, b);
        check_apply(w, &h, a0, b0, a, b);
        ck_assert_int_eq(done, mpz_cmp(a0, a) != 0 || mpz_cmp(b0, b) != 0);
        if (done) {
            check_least(a, t);
            check_least(b, t);
        }
        if (composite_mpz_bits(b0) > t + slack) /* the reduction must have done most of the
                                                   possible steps */
            ck_assert_uint_le(composite_mpz_bits(a) + composite_mpz_bits(b), 2 * (t + slack));
        hgcd_clear(&h);
    }
    mpz_clears(a, b, a0, b0, NULL);
}

START_TEST(test_halves) {
    mock.fails_at_times = _i;
    inside(halve);
    ck_assert_int_gt(mock.calls, 0);
    ck_assert_int_gt(mock.several, 0);
}
END_TEST

/* ---- several threads compute the short products (lib/process/thread_team.h) */

/* The device may compute products at or above LIMBS limbs. With this threshold, several threads
 * together reduce numbers of 96 to 235 limbs, eight or more threads up to 383. */
enum { LIMBS = 100, LONGEST = 2500, GCDS = 60 };

static bool acquire(int seconds) {
    return seconds >= 0;
}

static void release(void) {
}

static bool is_inside(void) {
    return false;
}

static void renew(bool was_acquired) {
    ck_assert(was_acquired);
}

/* Allows several threads for one reduction, as the library does for a device that is not the
 * CPU. */
static void open_teams(void) {
    mock.threshold = LIMBS;
    shutdown_prepare(acquire, release, is_inside, renew);
    executor_set_spin(0, 200e-6);
}

START_TEST(test_halves_in_team) {
    open_teams();
    inside(halve);
}
END_TEST

enum shape { RANDOM, CHAIN, COMMON, SHORT, SAME, NEAR, ONES, POWERS, MULTIPLE, SHAPES };

/* Makes two numbers of about n limbs, of the given shape. A common factor may make the numbers
 * longer; with the shape SHORT, b is shorter. */
static void make_operands(mpz_ptr a, mpz_ptr b, enum shape shape, size_t n) {
    mpz_t g;
    mpz_init(g);
    set_limbs(a, n);
    set_limbs(b, n);
    mpz_setbit(a, n * GMP_NUMB_BITS - 1);
    mpz_setbit(b, n * GMP_NUMB_BITS - 1 - testing_below(2 * GMP_NUMB_BITS));
    if (shape == CHAIN)
        make_chain(a, b, n * GMP_NUMB_BITS, testing_below(n * GMP_NUMB_BITS / 2));
    if (shape == COMMON || shape == MULTIPLE) {
        set_limbs(g, 1 + testing_below(n));
        mpz_setbit(g, 0);
        real.mpz_mul(a, shape == COMMON ? a : b, g);
    }
    if (shape == COMMON)
        real.mpz_mul(b, b, g);
    if (shape == SHORT)
        mpz_tdiv_q_2exp(b, b, testing_below(n - 1) * GMP_NUMB_BITS);
    if (shape == SAME)
        mpz_set(b, a);
    if (shape == NEAR)
        real.mpz_add_ui(b, a, 1 + testing_below(3));
    for (int i = 0; i < 2 && (shape == ONES || shape == POWERS); i++) {
        mpz_set_ui(i ? b : a, 1);
        mpz_mul_2exp(i ? b : a, i ? b : a, n * GMP_NUMB_BITS - testing_below(200));
        if (shape == ONES)
            real.mpz_sub_ui(i ? b : a, i ? b : a, 1);
        else
            real.mpz_add_ui(i ? b : a, i ? b : a, testing_below(2));
    }
    mpz_clear(g);
}

static void compare(struct composite *w, mpz_srcptr a, mpz_srcptr b) {
    mpz_t g, s, t, right, s_right, t_right;
    mpz_inits(g, s, t, right, s_right, t_right, NULL);
    real.mpz_gcdext(right, s_right, t_right, a, b);
    gcd_mpz_by_products(w, g, a, b);
    ck_assert_int_eq(mpz_cmp(g, right), 0);
    gcd_cofactors(w, g, s, t, a, b);
    ck_assert_int_eq(mpz_cmp(g, right), 0);
    ck_assert_int_eq(mpz_cmp(s, s_right), 0);
    ck_assert_int_eq(mpz_cmp(t, t_right), 0);
    bool exists = gcd_invert(w, g, a, b);
    ck_assert_int_eq(exists, mpz_cmp_ui(right, 1) == 0 && mpz_cmp_ui(b, 1) != 0);
    if (exists) {
        real.mpz_mul(g, g, a);
        real.mpz_sub_ui(g, g, 1);
        ck_assert(mpz_divisible_p(g, b));
    }
    mpz_clears(g, s, t, right, s_right, t_right, NULL);
}

/* Compares gcds, cofactors and inverses with GMP's. */
static void gcds(struct composite *w) {
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    for (int i = 0; i < GCDS * SHAPES; i++) {
        size_t n = i % 7 ? 8 + testing_size(LONGEST) : 90 + testing_below(12);
        make_operands(a, b, (enum shape)(i % SHAPES), n);
        if (i % 2)
            mpz_swap(a, b);
        if (i % 3 == 0)
            mpz_neg(a, a);
        compare(w, a, b);
    }
    mpz_clears(a, b, NULL);
}

static void *gcds_of_thread(void *unused) {
    inside(gcds);
    return unused;
}

/* Case 0: the device computes products of any length. Case 1: it computes products of LIMBS / 2
 * limbs or more, and fails at times. Case 2: two threads compute gcds at the same time, each with
 * helper threads. */
START_TEST(test_gcds) {
    pthread_t other;
    if (_i == 2)
        open_teams();
    mock.fails_at_times = _i == 1;
    if (_i == 2)
        ck_assert_int_eq(pthread_create(&other, NULL, gcds_of_thread, NULL), 0);
    else
        mock.threshold = _i ? LIMBS / 2 : 0;
    inside(gcds);
    if (_i == 2)
        pthread_join(other, NULL);
    ck_assert_int_gt(mock.calls, 0);
    ck_assert_int_gt(mock.several, 0);
}
END_TEST

static void limbs_of(mp_ptr xp, mpz_srcptr x, size_t n) {
    mpn_zero(xp, (mp_size_t)n);
    mpn_copyi(xp, x->_mp_d, x->_mp_size);
}

/* Reduces a and b by lehmer_reduce, which takes only steps that leave both longer than t bits. x
 * receives the limbs that lehmer_reduce leaves; *m is set to the matrix of the steps. */
static void lehmer(mpz_ptr a, mpz_ptr b, mp_limb_t x[2][LEHMER_LIMBS], size_t t,
                   struct lehmer_matrix *m) {
    size_t n = mpz_size(a) > mpz_size(b) ? mpz_size(a) : mpz_size(b);
    limbs_of(x[0], a, n);
    limbs_of(x[1], b, n);
    lehmer_reduce((mp_ptr[]){x[0], x[1]}, n, t, m);
    mpn_copyi(mpz_limbs_write(a, (mp_size_t)n), x[0], (mp_size_t)n);
    mpn_copyi(mpz_limbs_write(b, (mp_size_t)n), x[1], (mp_size_t)n);
    mpz_limbs_finish(a, (mp_size_t)n);
    mpz_limbs_finish(b, (mp_size_t)n);
}

/* Checks lehmer_reduce: Lehmer's steps of Euclid's algorithm on arrays of limbs, which leave both
 * numbers longer than t bits. At first a has up to LEHMER_LIMBS limbs, and so has b. */
static void steps(struct composite *w) {
    (void)w;
    mp_limb_t x[2][LEHMER_LIMBS], e[4][LEHMER_LIMBS + 2];
    struct lehmer_matrix m = {{{e[0], e[1]}, {e[2], e[3]}}, .room = LEHMER_LIMBS + 2};
    mpz_t a, b, a0, b0;
    mpz_inits(a, b, a0, b0, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        size_t slack = make(a, b) + 3 * GMP_NUMB_BITS;
        mpz_tdiv_r_2exp(a, a, LEHMER_LIMBS * GMP_NUMB_BITS);
        mpz_tdiv_r_2exp(b, b, (1 + testing_below(LEHMER_LIMBS)) * GMP_NUMB_BITS);
        mpz_setbit(a, 1);
        mpz_setbit(b, 1);
        mpz_set(a0, a);
        mpz_set(b0, b);
        size_t t = 1 + testing_below(composite_mpz_bits(a));
        lehmer(a, b, x, t, &m);
        check_matrix(&m, a0, b0, a, b);
        if (mpz_cmp(a0, a) != 0 || mpz_cmp(b0, b) != 0) {
            ck_assert_uint_gt(composite_mpz_bits(a), t);
            ck_assert_uint_gt(composite_mpz_bits(b), t);
        }
        if (composite_mpz_bits(b0) > t + slack)
            ck_assert_uint_le(composite_mpz_bits(a) + composite_mpz_bits(b), 2 * (t + slack));
    }
    mpz_clears(a, b, a0, b0, NULL);
}

START_TEST(test_steps) {
    inside(steps);
}
END_TEST

static quotients_pair random_pair(void) {
    mp_limb_t x[2];
    testing_limbs(x, 2);
    return ((quotients_pair)x[1] << GMP_NUMB_BITS | x[0]) >> testing_below(100);
}

/* Makes two numbers of two limbs: random, or neighbours in a Fibonacci-like sequence, so that all
 * quotients in Euclid's algorithm but the last are 1. */
static void make_pairs(quotients_pair *x, quotients_pair *y) {
    *x = random_pair();
    *y = random_pair();
    if (testing_below(2) == 0) {
        *x = 1 + *x % 8;
        *y = 1;
        for (quotients_pair sum = *x + *y; sum >= *x; sum = *x + *y) {
            *y = *x;
            *x = sum;
        }
    }
}

/* Checks Euclid's steps on numbers of two limbs: the matrix of the steps must be right, and its
 * entries must have at most 63 bits. */
START_TEST(test_quotients) {
    enum { TIMES = 100000, STEPS = 50 };
    int most = 0;
    for (int i = 0; i < TIMES; i++) {
        struct quotients_matrix m;
        quotients_pair x, y;
        make_pairs(&x, &y);
        unsigned t = QUOTIENTS_LEAST + (unsigned)testing_below(QUOTIENTS_BITS - QUOTIENTS_LEAST);
        bool any = quotients_steps(&m, x, y, t, NULL);
        const mp_limb_t(*e)[2] = m.e;
        ck_assert((e[0][0] | e[0][1] | e[1][0] | e[1][1]) >> 63 == 0);
        ck_assert((quotients_pair)e[0][0] * e[1][1] - (quotients_pair)e[0][1] * e[1][0] == 1);
        ck_assert_int_eq(any, e[0][1] != 0 || e[1][0] != 0);
        if (!any)
            continue;
        quotients_pair a = x * e[1][1] - y * e[0][1], b = y * e[0][0] - x * e[1][0];
        ck_assert(a <= x && b <= y && a >> t != 0 && b >> t != 0);
        most += (e[0][0] | e[1][1] | e[0][1] | e[1][0]) >> STEPS != 0;
    }
    ck_assert_int_gt(most, TIMES / 200);
}
END_TEST

/* Checks products that are computed by vector instructions, if the CPU has them. No limb behind the
 * product may be written. */
START_TEST(test_digits) {
    enum { TIMES = 3000, SIZES = DIGITS_LIMBS - DIGITS_LEAST + 1 };
    mp_limb_t u[DIGITS_LIMBS], v[DIGITS_LIMBS], r[2 * DIGITS_LIMBS + 1], right[2 * DIGITS_LIMBS];
    call_init();
    ck_assert(!digits_serve(DIGITS_LEAST - 1, DIGITS_LEAST));
    ck_assert(!digits_serve(DIGITS_LEAST, DIGITS_LIMBS + 1));
    if (!digits_serve(DIGITS_LEAST, DIGITS_LIMBS)) {
        testing_skip("no AVX-512 IFMA");
        return;
    }
    for (int i = 0; i < TIMES; i++) {
        size_t un = DIGITS_LEAST + testing_below(SIZES), vn = DIGITS_LEAST + testing_below(SIZES);
        testing_limbs(u, un);
        testing_limbs(v, vn);
        if (i % 8 == 0) {
            memset(u, 0xff, sizeof u);
            memset(v, 0xff, sizeof v);
        }
        composite_real_mul(right, u, un, v, vn);
        r[un + vn] = 0x5a5a;
        digits_mul(r, u, un, v, vn);
        ck_assert_int_eq(memcmp(r, right, (un + vn) * sizeof *r), 0);
        ck_assert_uint_eq(r[un + vn], 0x5a5a);
    }
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("hgcd", 120,
                        TESTS(LOOP(test_halves, 2), ONCE(test_halves_in_team), LOOP(test_gcds, 3),
                              ONCE(test_steps), ONCE(test_quotients), ONCE(test_digits)));
}
