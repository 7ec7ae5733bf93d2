/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products modulo B^n - 1 and B^n + 1 (B = 2^64), and low halves of products, compared with
 * GMP's. MPGPU_TEST_PRODUCTS: number of random products for each backend, of up to MPGPU_TEST_LIMBS
 * limbs. */
#include <string.h>

#include "lib/base/conf.h"
#include "lib/fft/fft.h"
#include "lib/multiply/mulmod.h"
#include "lib/selftest/verified_plan.h"
#include "lib/transfer/transfer.h"
#include "tests/support/on_limbs.h"

/* Compares a product with GMP's, if GMP's function for this kind of product (MINUS, PLUS or LOW)
 * allows these sizes. */
static void compare(enum partial kind, size_t rn, const mp_limb_t *up, size_t un,
                    const mp_limb_t *vp, size_t vn) {
    const bool is_allowed = kind == PLUS    ? un <= rn
                            : kind == MINUS ? un <= rn && un + vn > rn
                                            : un + vn >= rn;
    if (is_allowed)
        partial_compare(kind, rn, up, un, vp, vn);
}

/* Compares each kind of product (MINUS, PLUS, LOW) of {up, un} and {vp, vn}, where un >= vn. */
static void compare_all(size_t rn, const mp_limb_t *up, size_t un, const mp_limb_t *vp, size_t vn) {
    for (enum partial kind = MINUS; kind < PARTIALS; kind++)
        compare(kind, rn, up, un, vp, vn);
}

static void compare_random(size_t rn, size_t an, size_t bn) {
    size_t un = an < bn ? bn : an, vn = an < bn ? an : bn;
    mp_limb_t *up = limbs(un), *vp = limbs(vn);
    testing_limbs(up, un);
    testing_limbs(vp, vn);
    compare_all(rn, up, un, testing_below(4) == 0 && un == vn ? up : vp, vn);
    free(up);
    free(vp);
}

/* Sizes in limbs, at and around special cases such as powers of 2. */
static const size_t sizes[] = {1,    2,    3,     8,     97,    1023,  1025, 8191,
                               8192, 8193, 12288, 16384, 16385, 20011, 32768};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(random_operands) {
    open_backend(backends[_i]);
    for (int k = 0; k < SIZES; k++) {
        size_t n = sizes[k];
        compare_random(n, n, n);
        compare_random(n, n, 1 + testing_below(n));
        compare_random(n, 1 + testing_below(n), 1 + testing_below(n));
        compare_random(n, n / 2 + 1, (n + 1) / 2);
        compare_random(n, n, 1);
    }
}
END_TEST

START_TEST(random_sizes) {
    open_backend(backends[_i]);
    size_t most = testing_option("MPGPU_TEST_LIMBS", 20000);
    for (unsigned long k = testing_option("MPGPU_TEST_PRODUCTS", 100); k > 0; k--) {
        size_t n = testing_size(most), a = 1 + testing_below(n), b = 1 + testing_below(n);
        if (testing_below(4) == 0)
            for (n = 1; n < a; n *= 2)
                ;
        compare_random(n, testing_below(3) ? a : n, testing_below(3) ? b : n);
    }
}
END_TEST

START_TEST(squares) {
    open_backend(backends[_i]);
    for (int k = 0; k < SIZES; k++) {
        size_t n = sizes[k];
        mp_limb_t *up = limbs(n);
        testing_limbs(up, n);
        compare_all(n, up, n, up, n);
        compare_all(n, up, n / 2 + 1, up, n / 2 + 1);
        free(up);
    }
}
END_TEST

/* Returns the number B^k (B = 2^64) in n limbs if k < n, otherwise 0. */
static mp_limb_t *power(size_t n, size_t k) {
    mp_limb_t *x = limbs(n);
    memset(x, 0, n * sizeof *x);
    if (k < n)
        x[k] = 1;
    return x;
}

static mp_limb_t *ones(size_t n) {
    mp_limb_t *x = limbs(n);
    memset(x, 0xff, n * sizeof *x);
    return x;
}

/* Multiplies numbers that are 0, a power of B or B^n - 1 (B = 2^64), each by the next one in the
 * list; numbers of up to 8192 limbs also by themselves. Some results are 0, 1, B^n - 1 or B^n, with
 * carries and borrows through the whole number. */
START_TEST(extremes) {
    open_backend(backends[_i]);
    for (int k = 0; k < SIZES; k++) {
        size_t n = sizes[k], some = testing_below(n);
        mp_limb_t *x[] = {power(n, n - some), power(n, some), power(n, n - 1), power(n, 0), ones(n),
                          power(n, n / 2),    power(n, n)};
        enum { COUNT = sizeof x / sizeof *x };
        for (int i = 0; i < COUNT; i++) {
            if (n <= 8192)
                compare_all(n, x[i], n, x[i], n);
            compare_all(n, x[i], n, x[(i + 1) % COUNT], n);
        }
        for (int i = 0; i < COUNT; i++)
            free(x[i]);
    }
}
END_TEST

/* Sets x = B^n + c (B = 2^64), where c is 1 or -1. */
static void near_power(mpz_t x, size_t n, int c) {
    mpz_init(x);
    mpz_setbit(x, n * GMP_NUMB_BITS);
    c < 0 ? mpz_sub_ui(x, x, 1) : mpz_add_ui(x, x, 1);
}

/* Multiplies B^part + c by the factor for which the product is B^n + c (B = 2^64). For c = 1 the
 * result modulo B^n + 1 is 0. For c = -1 the result modulo B^n - 1 is B^n - 1, which represents
 * 0. */
static void compare_multiple(size_t n, size_t part, int c) {
    mpz_t modulus, factor;
    near_power(modulus, n, c);
    near_power(factor, part, c);
    mpz_divexact(modulus, modulus, factor);
    if (mpz_size(modulus) >= mpz_size(factor))
        compare_all(n, mpz_limbs_read(modulus), mpz_size(modulus), mpz_limbs_read(factor),
                    mpz_size(factor));
    mpz_clears(modulus, factor, NULL);
}

START_TEST(multiples_of_the_modulus) {
    open_backend(backends[_i]);
    for (size_t part = 1; part < 8193; part = 4 * part + 1) {
        compare_multiple(3 * part, part, 1);
        compare_multiple(3 * part, part, -1);
        compare_multiple(8 * part, part, -1);
    }
    compare_multiple(32768, 4096, -1);
}
END_TEST

/* Tests a size at which the last pass of the transforms computes 2^12 points at a time. */
START_TEST(long_ones) {
    open_backend(backends[_i]);
    const size_t n = (size_t)1 << 19;
    mp_limb_t *up = limbs(n), *vp = limbs(n);
    testing_limbs(up, n);
    testing_limbs(vp, n);
    compare(MINUS, n, up, n, vp, n);
    compare(PLUS, n, up, n, vp, n - 3);
    free(up);
    free(vp);
}
END_TEST

static enum gpu_status flip(struct context *s, struct number r, uint64_t at) {
    uint32_t word;
    size_t offset = (r.at + at) * sizeof word;
    enum gpu_status status =
        transfer_down(s->transfer, &s->queue, &word, r.mem, offset, sizeof word);
    word ^= UINT32_C(1) << at % 32;
    return status ? status : transfer_up(s->transfer, &s->queue, r.mem, offset, &word, sizeof word);
}

/* Adds (B^n - 1) / (B^step - 1) to r on the device, where B = 2^64. One wrong point of a transform
 * may have such an effect. A check modulo divisors of B^n - 1 would miss it, because the number is
 * 0 modulo nearly all of them. */
static enum gpu_status add_at_steps(struct context *s, struct number r, size_t n, size_t step) {
    mp_limb_t *rp = limbs(n);
    enum gpu_status status = transfer_down(s->transfer, &s->queue, rp, r.mem, 0, n * sizeof *rp);
    for (size_t i = 0; i < n && status == GPU_OK; i += step)
        mpn_add_1(rp + i, rp + i, n - i, 1);
    status = status ? status : transfer_up(s->transfer, &s->queue, r.mem, 0, rp, n * sizeof *rp);
    free(rp);
    return status;
}

static int passes(struct context *s, struct number r, struct number u, struct number v,
                  const struct check_mulmod *reduced) {
    struct check check;
    ck_assert_int_eq(check_start_mulmod(&check, s, r, u, v, reduced), GPU_OK);
    ck_assert_int_eq(gpu_finish(&s->queue), GPU_OK);
    return check_mulmod(&check, reduced) == GPU_OK;
}

/* Computes a product of n limbs. Its check must accept it, and must reject it after changes of
 * several kinds. */
static void check_finds(struct context *s, size_t n, int plus, int wraps) {
    struct mulmod product = {.words = 2 * n, .plus = plus};
    struct number u, v, r;
    mp_limb_t *up = limbs(n);
    ck_assert_int_eq(verified_plan_mulmod(s, &product, 2 * n, 2 * n, 0), GPU_OK);
    ck_assert_int_eq(product.way != MULMOD_IN_FULL, wraps);
    ck_assert_int_eq(number_in_slot(s, SLOT_U, 2 * n, &u), GPU_OK);
    ck_assert_int_eq(number_in_slot(s, SLOT_V, 2 * n, &v), GPU_OK);
    ck_assert_int_eq(number_in_slot(s, SLOT_R, product.room, &r), GPU_OK);
    testing_limbs(up, n);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, u.mem, 0, up, n * sizeof *up), 0);
    mpn_com(up, up, n);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, v.mem, 0, up, n * sizeof *up), 0);
    for (int k = 0; k < 8; k++) {
        struct number second = k % 2 ? v : u, result = number_part(r, 0, product.words);
        uint64_t at = k < 2 ? k * (product.words - 1) : testing_below(product.words);
        ck_assert_int_eq(mulmod_mul(s, &product, r, u, second), GPU_OK);
        struct check_mulmod other = product.reduced;
        ck_assert(passes(s, result, u, second, &product.reduced));
        other.top ^= 1;
        ck_assert(!passes(s, result, u, second, &other));
        ck_assert_int_eq(flip(s, result, at), GPU_OK);
        ck_assert(!passes(s, result, u, second, &product.reduced));
        ck_assert_int_eq(flip(s, result, at), GPU_OK);
        ck_assert(passes(s, result, u, second, &product.reduced));
        ck_assert_int_eq(add_at_steps(s, result, n, (size_t)1 << k), GPU_OK);
        ck_assert(!passes(s, result, u, second, &product.reduced));
    }
    free(up);
}

static enum gpu_status spoil_and_find(struct context *s, void *unused) {
    (void)unused;
    /* at 5001 limbs, only floating-point transforms yield the reduced product; others compute a
     * whole product */
    const int any_wraps = mpgpu_conf.algorithm == ALGORITHM_FFT && fft_is_served(s, FFT_DOUBLE);
    for (int plus = 0; plus < 2; plus++) {
        check_finds(s, 5001, plus, any_wraps);
        check_finds(s, 1 << 15, plus, 1);
    }
    check_finds(s, 1 << 13, 1, 1);
    check_finds(s, 1 << 14, 1, 1);
    return GPU_OK;
}

START_TEST(wrong_words_are_found) {
    run_on_backend(backends[_i], spoil_and_find);
}
END_TEST

/* ---- whether carries are left to the host after the launches of a product */

/* Computes u v modulo B^n - 1 or, with `plus`, B^n + 1 (B = 2^64). Returns true if the launches
 * have left a carry that the host had to resolve. */
static int is_left_open(struct context *s, int plus, const mp_limb_t *up, const mp_limb_t *vp,
                        size_t n) {
    struct mulmod product = {.words = 2 * n, .plus = plus};
    struct number u, v, r;
    int changed;
    ck_assert_int_eq(verified_plan_mulmod(s, &product, 2 * n, 2 * n, 0), GPU_OK);
    ck_assert_int_eq(number_in_slot(s, SLOT_U, 2 * n, &u), GPU_OK);
    ck_assert_int_eq(number_in_slot(s, SLOT_V, 2 * n, &v), GPU_OK);
    ck_assert_int_eq(number_in_slot(s, SLOT_R, product.room, &r), GPU_OK);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, u.mem, 0, up, n * sizeof *up), GPU_OK);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, v.mem, 0, vp, n * sizeof *vp), GPU_OK);
    ck_assert_int_eq(mulmod_begin(s, &product, r, u, v), GPU_OK);
    ck_assert_int_eq(mulmod_ask(s, &product), GPU_OK);
    ck_assert_int_eq(gpu_finish(&s->queue), GPU_OK);
    ck_assert_int_eq(mulmod_end(s, &product, r, &changed), GPU_OK);
    return changed;
}

/* In random products the launches must resolve all carries. They may leave a carry or borrow to the
 * host only if it runs through the lowest 256 bits. */
static enum gpu_status reduce_at_once(struct context *s, void *unused) {
    const size_t n = 1 << 13;
    mp_limb_t *up = limbs(n), *vp = power(n, 0);
    (void)unused;
    testing_limbs(up, n);
    for (size_t i = 0; i < n; i++) /* no long runs */
        up[i] ^= i * 0x9e3779b97f4a7c15u;
    for (int plus = 0; plus < 2; plus++)
        ck_assert(!is_left_open(s, plus, up, up, n));
    for (size_t i = 0; i < n; i++)
        up[i] = i < 4 ? ~(mp_limb_t)0 / 3 : i < n - 1 ? 0 : ~(mp_limb_t)0;
    /* The low 256 bits of the product are all 1, and the part above 2^(64 n) is 2. Adding this part
     * to the low end makes a carry through the 256 bits. */
    vp[0] = 3;
    ck_assert(is_left_open(s, 0, up, vp, n));
    vp[0] = 0, vp[1] = 1; /* B^(n-1) B = B^n, which is -1 modulo B^n + 1 (B = 2^64) */
    memset(up, 0, n * sizeof *up);
    up[n - 1] = 1;
    ck_assert(is_left_open(s, 1, up, vp, n));
    free(up), free(vp);
    return GPU_OK;
}

START_TEST(reduced_at_once) {
    if (getenv("MPGPU_TEST_ALGORITHM")) {
        testing_skip("products by ssa are not reduced by their launches");
        return;
    }
    run_on_backend(backends[_i], reduce_at_once);
}
END_TEST

/* Tests products in which the host must resolve the last carry. */
START_TEST(not_reduced_at_once) {
    open_backend(backends[_i]);
    for (size_t n = 1 << 13; n <= 1 << 15; n *= 4) {
        mp_limb_t *up = power(n, n - 1), *vp = power(n, 0);
        up[n - 1] = ~(mp_limb_t)0;
        for (int i = 0; i < 4; i++)
            up[i] = ~(mp_limb_t)0 / 3;
        for (vp[0] = 1; vp[0] < 9; vp[0]++)
            compare_all(n, up, n, vp, 1);
        compare_all(n, up, n, up, n);
        free(up), free(vp);
    }
}
END_TEST

int main(void) {
    return run_on_backends("mulmod",
                           TESTS(PER_DEVICE(random_operands, 1), PER_DEVICE(random_sizes, 1),
                                 PER_DEVICE(squares, 1), PER_DEVICE(extremes, 1),
                                 PER_DEVICE(multiples_of_the_modulus, 1), PER_DEVICE(long_ones, 1),
                                 PER_DEVICE(reduced_at_once, 1), PER_DEVICE(not_reduced_at_once, 1),
                                 PER_DEVICE(wrong_words_are_found, 1)),
                           NULL);
}
