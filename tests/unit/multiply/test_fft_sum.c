/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the kernel that adds up the coefficients of a floating-point product (kernels/fft/sum.cl),
 * on every backend that has a device. Compares sums with GMP's, and checks which coefficients are
 * reported as too far from an integer ("doubtful"). The test makes the coefficients itself. */
#include <math.h>

#include "kernels/common/carry.h"
#include "kernels/fft/sum.h"
#include "lib/device/answers.h"
#include "lib/transfer/transfer.h"
#include "tests/support/fft_products.h"

struct sum {
    struct fft_product_plan plan;
    double *x;
    mp_limb_t *rp;
    size_t rn;
    /* the largest distance of a coefficient from an integer, which the device reports */
    double distance;
    bool is_doubted;
    uint64_t left; /* to be reduced */
};

static enum gpu_status sum_up(struct context *s, struct sum *sum) {
    struct number r;
    gpu_mem x;
    enum gpu_status status = number_in_slot(s, SLOT_R, 2 * sum->rn, &r);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_PART, fft_product_coefficient_bytes(&sum->plan), &x);
    if (status == GPU_OK)
        status =
            transfer_up(s->transfer, &s->queue, x, 0, sum->x, sum->plan.length * sizeof *sum->x);
    if (status == GPU_OK)
        status = fft_product_sum(s, &sum->plan, r);
    if (status == GPU_OK)
        status = fft_product_ask(s);
    return status ? status : transfer_down(s->transfer, &s->queue, sum->rp, r.mem, 0, 8 * sum->rn);
}

static enum gpu_status work(struct context *s, void *argument) {
    struct sum *sum = *(struct sum **)argument;
    enum gpu_status status = sum_up(s, sum);
    if (status != GPU_OK)
        return status;
    sum->distance = (double)s->answers.host[ANSWER_DOUBT] / (double)SUM_DOUBT;
    sum->is_doubted = fft_product_is_doubted(s);
    sum->left = sum->plan.ring != FFT_PRODUCT_FULL ? s->answers.host[ANSWER_MULMOD] : 0;
    return GPU_OK;
}

static void run(struct sum *sum) {
    ck_assert_int_eq(session_run(work, &sum, sizeof sum, 0), OUTCOME_DONE);
}

/* Computes the expected sum: coefficient i, rounded to an integer, times 2^(bits i). */
static void right_sum(mpz_t right, const struct sum *sum) {
    mpz_t c;
    mpz_init(c);
    mpz_set_ui(right, 0);
    for (uint64_t i = sum->plan.length; i-- > 0;) {
        mpz_mul_2exp(right, right, sum->plan.bits);
        mpz_set_d(c, rint(sum->x[i]));
        mpz_add(right, right, c);
    }
    mpz_clear(c);
}

/* Returns a random integer from -2^log to 2^log - 1. */
static double random_value(unsigned log) {
    return (double)(testing_below(2ul << log)) - (double)(1ul << log);
}

enum kind { RANDOM, SMALL, MOST, LEAST, ALTERNATING, ZEROS, MINUS_ONE, BORROWED, KINDS };

/* Returns coefficient number i of an operand of this kind; fill rounds it to an integer. */
static double value(enum kind kind, uint64_t i, unsigned bits) {
    const double most = (double)(1ul << SUM_LOG_MOST) - 1;
    switch (kind) {
    case RANDOM:
        return random_value(SUM_LOG_MOST) / 1.01;
    case SMALL:
        return random_value(bits);
    case MOST:
        return most;
    case LEAST:
        return -most;
    case ALTERNATING:
        return i % 2 ? most : -most;
    case MINUS_ONE: /* all ones */
        return i == 0 ? -1 : 0;
    /* one coefficient is -1, and a few are 1, so that a borrow runs from one to the next */
    case BORROWED:
        return i == 0 ? -1 : testing_below(3000) == 0;
    default:
        return 0;
    }
}

static double fill(struct sum *sum, enum kind kind, double far) {
    double worst = 0;
    sum->x = malloc(sum->plan.length * sizeof *sum->x);
    ck_assert_ptr_nonnull(sum->x);
    for (uint64_t i = 0; i < sum->plan.length; i++) {
        double whole = rint(value(kind, i, sum->plan.bits));
        sum->x[i] = whole + (2e-6 * (double)testing_below(1000001) - 1) * far;
        worst = fmax(worst, fabs(sum->x[i] - rint(sum->x[i])));
    }
    return worst;
}

/* Compares a sum modulo B^rn (B = 2^64) with GMP's; sums may be negative. */
static void check_full(unsigned bits, size_t length, enum kind kind) {
    struct sum sum = {.plan = {.bits = bits, .length = length}};
    /* the result's length in limbs; beyond it the device leaves words undefined */
    sum.rn = (bits * (length - 1) + SUM_LOG_OFFSET(0)) / 64;
    sum.rp = guarded(sum.rn);
    double worst = fill(&sum, kind, 0.3);
    mpz_t right;
    mpz_init(right);
    run(&sum);
    right_sum(right, &sum);
    mpz_fdiv_r_2exp(right, right, 64 * sum.rn);
    for (size_t i = 0; i < sum.rn; i++)
        ck_assert_msg(sum.rp[i] == mpz_getlimbn(right, i), "%u bits, %zu, kind %d: limb %zu", bits,
                      length, (int)kind, i);
    ck_assert_msg(fabs(sum.distance - worst) < 1e-6, "%g, not %g", sum.distance, worst);
    ck_assert(!sum.is_doubted);
    check_guards(sum.rp, sum.rn);
    mpz_clear(right);
    free(sum.x);
}

START_TEST(in_full) {
    static const unsigned bits[] = {4, 5, 7, 8, 11, 12, 13, 16, 17, 19, 20, 21, 23, 24};
    if (!open_for_fft(backends[_i], "mul:1"))
        return;
    for (unsigned k = 0; k < sizeof bits / sizeof *bits; k++)
        for (enum kind kind = RANDOM; kind < KINDS; kind++) {
            check_full(bits[k], 20 + testing_below(300), kind);
            check_full(bits[k], 12000 + testing_below(9000), kind);
        }
}
END_TEST

static void check_ring(size_t n, enum fft_product_modulus ring, enum kind kind) {
    struct sum sum = {.plan = {.bits = 16, .length = 4 * n, .ring = ring}, .rn = n + 2};
    sum.rp = guarded(sum.rn);
    fill(&sum, kind, 0.2);
    mpz_t right, r, high, modulus;
    mpz_inits(right, r, high, modulus, NULL);
    run(&sum);
    right_sum(right, &sum);
    mpz_setbit(modulus, 64 * n);
    (ring == FFT_PRODUCT_PLUS ? mpz_add_ui : mpz_sub_ui)(modulus, modulus, 1);
    mpz_import(r, n, -1, 8, 0, 0, sum.rp);
    mpz_import(high, 2, -1, 8, 0, 0, sum.rp + n);
    if (sum.left)
        (ring == FFT_PRODUCT_PLUS ? mpz_sub : mpz_add)(r, r, high);
    ck_assert_uint_le(sum.left, 1);
    ck_assert_msg(mpz_congruent_p(r, right, modulus), "%zu limbs, ring %d, kind %d", n, (int)ring,
                  (int)kind);
    check_guards(sum.rp, sum.rn);
    mpz_clears(right, r, high, modulus, NULL);
    free(sum.x);
}

START_TEST(in_rings) {
    if (!open_for_fft(backends[_i], "mul:1"))
        return;
    for (enum kind kind = RANDOM; kind < KINDS; kind++)
        for (enum fft_product_modulus ring = FFT_PRODUCT_MINUS; ring <= FFT_PRODUCT_PLUS; ring++) {
            check_ring(1024, ring, kind);
            check_ring(4 * (300 + testing_below(2000)), ring, kind);
        }
}
END_TEST

/* Sets one coefficient to x, and checks whether the device reports it as doubtful (too far from an
 * integer). The device must not report the next sum, from which this coefficient was removed. */
static void check_doubt(double x, bool is_doubted) {
    const size_t length = 1 + testing_below(10000), at = testing_below(length);
    struct sum sum = {.plan = {.bits = 16, .length = length}, .rn = (length + 3) / 4};
    sum.rp = limbs(sum.rn);
    fill(&sum, SMALL, 0.1);
    sum.x[at] = x;
    run(&sum);
    ck_assert_msg(sum.is_doubted == is_doubted, "%a at %zu of %zu", x, at, length);
    sum.x[at] = 0;
    run(&sum);
    ck_assert(!sum.is_doubted);
    free(sum.x), free(sum.rp);
}

START_TEST(doubts) {
    const double most = (double)(1ul << SUM_LOG_MOST);
    const struct {
        double x;
        bool is_doubted;
    } cases[] = {{0.5, true},      {-0.5, true},      {1234567.5, true}, {-99.375, true},
                 {99.625, true},   {0.374, false},    {-7.374, false},   {NAN, true},
                 {INFINITY, true}, {-INFINITY, true}, {most, true},      {-most, true},
                 {4 * most, true}, {1e300, true},     {-1e300, true},    {most - 1, false},
                 {1 - most, false}};
    if (!open_for_fft(backends[_i], "mul:1"))
        return;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int times = 0; times < 3; times++)
            check_doubt(cases[k].x, cases[k].is_doubted);
}
END_TEST

int main(void) {
    return run_on_backends(
        "fft sum", TESTS(PER_DEVICE(in_full, 1), PER_DEVICE(in_rings, 1), PER_DEVICE(doubts, 1)),
        NULL);
}
