/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products by floating-point transforms, in full and modulo B^n - 1 and B^n + 1 (B = 2^64),
 * on every backend that has a device. Results must be GMP's for all operands. Products with too
 * large rounding errors ("doubtful" ones) must be computed again and counted. Also tests plans. */
#include <math.h>

#include "kernels/common/carry.h"
#include "kernels/common/balanced_digits.h"
#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/fft/convolution.h"
#include "lib/gmp/real.h"
#include "lib/job/limbs.h"
#include "tests/support/fft_products.h"

/* ---- operands */

/* Operands whose products have large rounding errors: all balanced digits (digits with a sign) have
 * the greatest absolute value, with equal or different signs. ONES, ZERO and SPARSE are other
 * extremes. */
enum hard { ALL_MOST, ALL_LEAST, ALTERNATING, MOST_THEN_LEAST, ONES, ZERO, SPARSE, HARD };

/* Writes a digit of `bits` bits at position `bit` of x, where the bits of x must be 0. */
static void put_digit(mp_limb_t *xp, size_t bit, unsigned bits, mp_limb_t digit) {
    xp[bit / 64] |= digit << bit % 64;
    if (bit % 64 + bits > 64)
        xp[bit / 64 + 1] |= digit >> (64 - bit % 64);
}

static void fill_hard(mp_limb_t *xp, size_t n, unsigned bits, enum hard kind) {
    const unsigned long half = 1ul << (bits - 1);
    const size_t digits = 64 * n / bits;
    for (size_t i = 0; i < n; i++)
        xp[i] = kind == ONES                    ? ~(mp_limb_t)0
                : kind == SPARSE && i % 97 == 0 ? half << testing_below(60)
                                                : 0;
    for (size_t k = 0; k < digits && kind < ONES; k++) {
        bool low = kind == ALL_LEAST || (kind == ALTERNATING && k % 2) ||
                   (kind == MOST_THEN_LEAST && k > digits / 2);
        put_digit(xp, bits * (digits - 1 - k), bits, low ? half : half - 1);
    }
}

/* ---- products */

/* The product's doubts. */
static unsigned long compare(const mp_limb_t *up, size_t un, const mp_limb_t *vp, size_t vn) {
    mp_limb_t *rp = guarded(un + vn), *right = limbs(un + vn);
    mpn_mul(right, up, (mp_size_t)un, vp, (mp_size_t)vn);
    stats_begin();
    ck_assert_int_eq(limbs_mul(rp, up, un, vp, vn), OUTCOME_DONE);
    ck_assert_msg(memcmp(rp, right, (un + vn) * sizeof *rp) == 0, "%zu by %zu limbs", un, vn);
    check_guards(rp, un + vn);
    free(right);
    ck_assert_uint_eq(stats_here()->ways[STATS_FFT] + stats_here()->recomputed, 1);
    ck_assert_uint_eq(stats_here()->ways[STATS_NTT], stats_here()->recomputed);
    return stats_here()->recomputed;
}

START_TEST(products) {
    if (!open_for_fft(backends[_i], "mul:1"))
        return;
    unsigned long doubts = 0;
    for (int k = 0; k < 40; k++) {
        size_t un = FFT_PRODUCT_MIN_WORDS / 2 + testing_size(20000),
               vn = k % 3 ? FFT_PRODUCT_MIN_WORDS / 2 + testing_below(un) : un;
        if (vn > un)
            vn = un;
        mp_limb_t *up = limbs(un), *vp = limbs(vn);
        testing_limbs(up, un);
        testing_limbs(vp, vn);
        doubts += compare(up, un, un == vn && k % 2 ? up : vp, vn);
        free(up), free(vp);
    }
    ck_assert_uint_eq(doubts, 0);
}
END_TEST

/* Options for the check of results. With each of them, a doubtful product (with too large rounding
 * errors) must be computed again before the host gets the result. */
static const char *const checks[] = {"verify:off", "verify:device", "verify:full"};
enum { CHECKS = sizeof checks / sizeof *checks };

/* Multiplies operands with large rounding errors, and checks which products the device recognises
 * as doubtful. */
static void check_hard(size_t un, size_t vn) {
    struct fft_product_plan plan;
    unsigned long doubts = 0;
    mp_limb_t *up = limbs(un), *vp = limbs(vn);
    ck_assert(fft_product_plan_init(&plan, 2 * un, 2 * vn, UINT64_MAX, UINT64_MAX));
    for (enum hard a = 0; a < HARD; a++)
        for (enum hard b = 0; b <= a; b++) {
            fill_hard(up, un, plan.bits, a);
            fill_hard(vp, vn, plan.bits, b);
            unsigned long here = compare(up, un, vp, vn);
            /* operands with the largest possible coefficients, so their product must be doubtful */
            if (a < ALTERNATING && b < ALTERNATING)
                ck_assert_uint_eq(here, 1);
            if (a == ONES || a == ZERO)
                ck_assert_uint_eq(here, 0);
            doubts += here;
        }
    ck_assert_uint_ge(doubts, 3);
    free(up), free(vp);
}

START_TEST(hard_operands) {
    if (!open_for_fft(backends[_i / CHECKS], checks[_i % CHECKS]))
        return;
    check_hard(2000, 2000);
    check_hard(3001, 1500);
    check_hard(9000, 8000);
}
END_TEST

/* ---- in rings */

static bool is_smooth(uint64_t n) {
    for (unsigned p = 2; p <= 5; p++)
        while (n % p == 0)
            n /= p;
    return n == 1;
}

/* Compares the product modulo B^n - 1 or B^n + 1 (B = 2^64) with GMP's. Returns 1 if it was
 * doubtful (had too large rounding errors), otherwise 0. */
static unsigned long compare_mulmod(const mp_limb_t *up, const mp_limb_t *vp, size_t n, int plus) {
    mp_limb_t *rp = guarded(n), *right = limbs(2 * n), top = 0;
    mpn_mul_n(right, up, vp, (mp_size_t)n);
    mp_limb_t over = plus ? mpn_sub_n(right, right, right + n, (mp_size_t)n)
                          : mpn_add_n(right, right, right + n, (mp_size_t)n);
    mp_limb_t high = mpn_add_1(right, right, (mp_size_t)n, over);
    stats_begin();
    enum outcome why = plus ? limbs_mulmod(LIMBS_MULMOD_BNP1, rp, n, up, n, vp, n, &top)
                            : limbs_mulmod(LIMBS_MULMOD_BNM1, rp, n, up, n, vp, n, &(mp_limb_t){0});
    ck_assert_int_eq(why, OUTCOME_DONE);
    ck_assert_msg(memcmp(rp, right, n * sizeof *rp) == 0, "%zu limbs, %d", n, plus);
    ck_assert_uint_eq(top, plus ? high : 0);
    check_guards(rp, n);
    ck_assert_uint_eq(stats_here()->ways[STATS_FFT] + stats_here()->recomputed, 1);
    free(right);
    return stats_here()->recomputed;
}

/* Tests products modulo B^n - 1 and B^n + 1 (B = 2^64), of random operands and of those with large
 * rounding errors. The transform must yield the reduced product, except for n <= 1020 and for n %
 * 1020 = 1019. */
START_TEST(in_rings) {
    static const size_t sizes[] = {1024, 5 << 10, 1025,  3 << 10, 9 << 11, 8192, 9973,
                                   2039, 1000,    12289, 1021,    7777,    1500, 3055};
    if (!open_for_fft(backends[_i / 2], _i % 2 ? "verify:off" : "verify:device"))
        return;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i];
        mp_limb_t *up = limbs(n), *vp = limbs(n);
        struct fft_product_plan plan;
        const bool wraps =
            fft_product_plan_init_mulmod(&plan, 2 * n, FFT_PRODUCT_PLUS, UINT64_MAX, UINT64_MAX);
        ck_assert(wraps == (n > 1020 && n % 1020 < 1019));
        const unsigned bits = wraps ? plan.bits : 16;
        for (int plus = 0; plus < 2; plus++) {
            for (int k = 0; k < 4; k++) {
                testing_limbs(up, n);
                testing_limbs(vp, n);
                up[n - 1] |= 1, vp[n - 1] |= 1;
                ck_assert_uint_eq(compare_mulmod(up, k % 2 ? up : vp, n, plus), 0);
            }
            for (enum hard a = 0; a < HARD; a++) {
                fill_hard(up, n, bits, a);
                fill_hard(vp, n, bits, testing_below(HARD));
                compare_mulmod(up, vp, n, plus);
                compare_mulmod(up, up, n, plus);
            }
        }
        free(up), free(vp);
    }
}
END_TEST

/* ---- digits of two lengths */

/* Compares positions and weights of digits with exact ones. A number is divided into `length`
 * digits of which some have one bit more. */
START_TEST(digits_are_where_they_should_be) {
    for (int i = 0; i < 20000; i++) {
        const uint64_t length = 2 + testing_below(1ul << DIGITS_MOST_LOG),
                       p = length * (4 + testing_below(20)) + testing_below(length);
        const struct digits d = digits_make((uint32_t)(p / length), (uint32_t)(p % length), length);
        const uint64_t edges[] = {0, length - 1, length / 2, 1},
                       k = i % 3 ? testing_below(length) : edges[i / 3 % 4];
        const unsigned __int128 all = (unsigned __int128)k * p;
        const struct digit at = digit_of(d, k), next = digit_next(d, at),
                           again = digit_previous(d, next);
        ck_assert_uint_eq(at.begin, (uint64_t)((all + length - 1) / length));
        ck_assert_uint_eq(at.excess, (uint64_t)(at.begin * (unsigned __int128)length - all));
        ck_assert_uint_eq(next.begin, (uint64_t)((all + p + length - 1) / length));
        ck_assert_uint_eq(next.begin - at.begin, at.width);
        ck_assert(memcmp(&at, &again, sizeof at) == 0);
        const struct digit right = digit_of(d, k + 1);
        ck_assert(memcmp(&next, &right, sizeof next) == 0);
        uint64_t from;
        const struct digit first = digit_from(d, at.begin - (k > 0 && i % 2), &from);
        ck_assert_uint_eq(from, k);
        ck_assert(memcmp(&first, &at, sizeof at) == 0);
        const long double weight = exp2l((long double)at.excess / length);
        ck_assert(fabsl(digit_weight(d, at) / weight - 1) < 0x1p-51L);
        ck_assert(fabsl(digit_unweight(d, at) * weight - 1) < 0x1p-51L);
    }
}
END_TEST

/* ---- plans */

static void check_plan(const struct fft_product_plan *p, uint64_t un, uint64_t vn) {
    const uint64_t terms = convolution_digits(vn, p->bits);
    const uint64_t coefficients = convolution_digits(un, p->bits) + terms - 1;
    ck_assert(p->bits >= CONVOLUTION_MIN_BITS && p->bits <= CONVOLUTION_MAX_BITS);
    ck_assert_uint_ge(p->length, coefficients);
    ck_assert_uint_eq(p->length % 2, 0);
    ck_assert(is_smooth(p->length));
    ck_assert(fft_product_error_squared(p->bits, terms, coefficients) <= 1. / 64);
    ck_assert(fft_product_most_squared(p->bits, terms, coefficients) <= 0x1p97);
    /* The device adds a constant to each coefficient, to make it positive. In a full product the
     * constants add up to 2^(p->bits * p->length + 51 - p->bits), which must be above the product
     * (lib/multiply/fft_product_plan.c). */
    ck_assert_uint_ge(p->bits * p->length + 51 - p->bits, 32 * (un + vn));
}

START_TEST(plans_hold_products) {
    for (int k = 0; k < 20000; k++) {
        struct fft_product_plan p;
        uint64_t un = FFT_PRODUCT_MIN_WORDS + testing_size(1ul << 26),
                 vn = FFT_PRODUCT_MIN_WORDS + testing_below(un - FFT_PRODUCT_MIN_WORDS + 1);
        ck_assert(fft_product_serves(un, vn));
        ck_assert(fft_product_plan_init(&p, un, vn, UINT64_MAX, UINT64_MAX));
        check_plan(&p, un, vn);
        ck_assert(!fft_product_plan_init(&p, un, vn, fft_product_plan_bytes(&p) / 2, UINT64_MAX));
    }
}
END_TEST

/* Each plan must use the most bits per digit that the error bound allows. Plans for longer operands
 * must not use more bits than those for shorter ones. */
START_TEST(plans_take_the_most_bits) {
    unsigned before = CONVOLUTION_MAX_BITS;
    for (uint64_t n = FFT_PRODUCT_MIN_WORDS; n < 1ul << 27; n += 1 + n / 7) {
        struct fft_product_plan p;
        ck_assert(fft_product_plan_init(&p, n, n, UINT64_MAX, UINT64_MAX));
        ck_assert_uint_le(p.bits, before);
        before = p.bits;
        uint64_t terms = convolution_digits(n, p.bits + 1);
        ck_assert(p.bits == CONVOLUTION_MAX_BITS ||
                  fft_product_error_squared(p.bits + 1, terms, 2 * terms - 1) > 1. / 64 ||
                  fft_product_most_squared(p.bits + 1, terms, 2 * terms - 1) > 0x1p97);
    }
    ck_assert_uint_ge(before, 16);
}
END_TEST

START_TEST(plans_know_their_limits) {
    struct fft_product_plan p;
    ck_assert(!fft_product_serves(1000, FFT_PRODUCT_MIN_WORDS - 1));
    ck_assert(!fft_product_serves(UINT64_C(1) << 31, UINT64_C(1) << 31));
    ck_assert(!fft_product_plan_init(&p, 1000, FFT_PRODUCT_MIN_WORDS - 1, UINT64_MAX, UINT64_MAX));
    ck_assert(fft_product_plan_init(&p, 1000, FFT_PRODUCT_MIN_WORDS, UINT64_MAX, UINT64_MAX));
    ck_assert(!fft_product_plan_init(&p, 1000, 1000, fft_product_plan_bytes(&p), 1000));
    ck_assert(!fft_product_plan_init(&p, UINT64_C(1) << 32, 1000, UINT64_MAX, UINT64_MAX));
    for (enum fft_product_modulus ring = FFT_PRODUCT_MINUS; ring <= FFT_PRODUCT_PLUS; ring++) {
        ck_assert(fft_product_plan_init_mulmod(&p, 1 << 20, ring, UINT64_MAX, UINT64_MAX));
        ck_assert_uint_eq(p.length * p.bits + p.rest, 32ul << 20);
        ck_assert(fft_product_plan_init_mulmod(&p, 7 << 14, ring, UINT64_MAX, UINT64_MAX));
        ck_assert(fft_product_plan_init_mulmod(&p, 4258746, ring, UINT64_MAX, UINT64_MAX));
        ck_assert_uint_eq(p.length * p.bits + p.rest, 136279872);
        ck_assert(!fft_product_plan_init_mulmod(&p, 10001, ring, UINT64_MAX, UINT64_MAX));
        ck_assert(!fft_product_plan_init_mulmod(&p, 2038 + 20400, ring, UINT64_MAX, UINT64_MAX));
        ck_assert(!fft_product_plan_init_mulmod(&p, 2000, ring, UINT64_MAX, UINT64_MAX));
        ck_assert(!fft_product_plan_init_mulmod(&p, 1 << 20, ring, 1 << 20, UINT64_MAX));
    }
}
END_TEST

int main(void) {
    real.mpn_mul = mpn_mul; /* for verify:full */
    return run_on_backends("fft product",
                           TESTS(ONCE(plans_hold_products), ONCE(plans_take_the_most_bits),
                                 ONCE(plans_know_their_limits),
                                 ONCE(digits_are_where_they_should_be), PER_DEVICE(products, 1),
                                 PER_DEVICE(hard_operands, CHECKS), PER_DEVICE(in_rings, 2)),
                           NULL);
}
