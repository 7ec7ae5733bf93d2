/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests Schoenhage-Strassen's transforms modulo M = B^P + 1 (B = 2^24, P digits a coefficient) and
 * products of coefficients, on every backend that has a device. Compares them with GMP's
 * arithmetic, also for digits at their bounds. */
#include "kernels/ssa/ssa.h"
#include "kernels/ssa/ssa_shift.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tests/support/digits.h"
#include "tests/support/ssa_shapes.h"

/* ---- arithmetic by GMP modulo M = B^P + 1, B = 2^24 */

static mpz_t modulus;
static unsigned log_p;

static void set_modulus(unsigned log) {
    mpz_init(modulus);
    log_p = log;
    mpz_setbit(modulus, DIGIT_BITS << log);
    mpz_add_ui(modulus, modulus, 1);
}

static void reduce(mpz_t x) {
    mpz_mod(x, x, modulus);
}

/* Multiplies x by 2^(half_bits / 2) modulo M. If half_bits is odd, one of the factors is a square
 * root of 2 modulo M. */
static void turn(mpz_t x, unsigned long half_bits) {
    unsigned long quarter = (6ul << log_p);
    mpz_mul_2exp(x, x, half_bits / 2 % (48ul << log_p));
    reduce(x);
    if (half_bits % 2) {
        mpz_t y;
        mpz_init(y);
        mpz_mul_2exp(y, x, 3 * quarter);
        mpz_mul_2exp(x, x, quarter);
        mpz_sub(x, y, x);
        reduce(x);
        mpz_clear(y);
    }
}

/* Sets x to the value of P digits to base 2^24, modulo M. */
static void value(mpz_t x, const int32_t *digits) {
    digits_value(x, digits, (size_t)1 << log_p);
    reduce(x);
}

/* Fills x with digits of the largest range that a pass of a transform accepts as input. */
static void fill(int32_t *x, size_t count) {
    digits_fill(x, count, SSA_LOADED, (int)testing_below(DIGIT_SHAPES));
}

/* Tests shifts by many distances. Digits are at their bound, or their low 12 bits are 0: then the
 * part of a digit that a shift cuts off can be exactly half of B. */
START_TEST(shifts) {
    const size_t p = (size_t)1 << SSA_MIN_LOG_P;
    int32_t *x = malloc(p * sizeof *x), *y = malloc(p * sizeof *y);
    mpz_t u, v;
    mpz_inits(u, v, NULL);
    set_modulus(SSA_MIN_LOG_P);
    for (unsigned h = 0; h < SSA_ORDER(SSA_MIN_LOG_P); h += 1 + (unsigned)testing_below(5)) {
        fill(x, p);
        for (size_t i = 0; h % 3 == 0 && i < p; i++)
            x[i] &= -(1 << 12);
        for (size_t i = 0; i < p; i++) {
            y[i] = stored_shifted(x, (uint32_t)i, shift_of(h), SSA_MIN_LOG_P,
                                  SHIFTS_OF(h % 48 == 0 ? 4 : h % 2 == 0));
            ck_assert(y[i] <= SSA_SETTLED && y[i] >= -SSA_SETTLED);
        }
        value(u, x);
        turn(u, h);
        value(v, y);
        ck_assert_msg(mpz_cmp(u, v) == 0, "exponent %u", h);
    }
    mpz_clears(u, v, modulus, NULL);
    free(x), free(y);
}
END_TEST

/* ---- digits on the device */

enum work { FORWARD, AND_BACK, MULTIPLY, SQUARE };

struct digits {
    enum work work;
    struct ssa_plan plan;
    int32_t *x;
    const int32_t *y;
};

static enum gpu_status work_on_digits(struct context *s, void *digits) {
    const struct digits *d = digits;
    const size_t bytes = ssa_plan_bytes(&d->plan);
    gpu_mem x, y;
    enum gpu_status status = context_buffer(s, SLOT_WORK, bytes, &x);
    status = status ? status : context_buffer(s, SLOT_KEPT, bytes, &y);
    status = status ? status : transfer_up(s->transfer, &s->queue, x, 0, d->x, bytes);
    if (status == GPU_OK && d->work == MULTIPLY)
        status = transfer_up(s->transfer, &s->queue, y, 0, d->y, bytes);
    if (status == GPU_OK && d->work >= MULTIPLY)
        status = ssa_multiply(s, &d->plan, x, d->work == SQUARE ? x : y);
    else if (status == GPU_OK)
        status = ssa_transform(s, &d->plan, &x, &y, 0);
    if (status == GPU_OK && d->work == AND_BACK)
        status = ssa_transform(s, &d->plan, &x, &y, 1);
    return status ? status : transfer_down(s->transfer, &s->queue, d->x, x, 0, bytes);
}

static int32_t *new_digits(const struct ssa_plan *plan) {
    const size_t count = ssa_plan_bytes(plan) / sizeof(int32_t);
    int32_t *x = malloc(count * sizeof *x);
    ck_assert_ptr_nonnull(x);
    fill(x, count);
    return x;
}

static void bounded(const int32_t *x, const struct ssa_plan *plan, int64_t most) {
    for (size_t i = 0; i < ssa_plan_bytes(plan) / sizeof *x; i++)
        ck_assert_msg(x[i] <= most && x[i] >= -most, "digit %zu is %d", i, x[i]);
}

/* ---- transforms */

/* Returns the index at which a transform stores the polynomial's value at root^k. */
static unsigned long place_of(const struct ssa_plan *plan, unsigned long k) {
    unsigned long place = 0;
    for (unsigned i = 0; i < plan->passes; i++) {
        unsigned r = plan->log_r[i];
        place = place << r | (k & ((1ul << r) - 1));
        k >>= r;
    }
    return place;
}

/* Compares the transform's values at a few powers of the root with the definition of the
 * transform. */
static void check_values(const struct ssa_plan *plan, const int32_t *x, const int32_t *y) {
    const unsigned long n = 1ul << plan->log_n, p = 1ul << plan->log_p;
    mpz_t sum, term;
    mpz_inits(sum, term, NULL);
    for (int t = 0; t < 2; t++) {
        unsigned long k = t == 0 ? n - 1 : testing_below(n);
        mpz_set_ui(sum, 0);
        for (unsigned long i = 0; i < n; i++) {
            value(term, x + i * p);
            turn(term, (96ul << log_p) / n * (i * k % n));
            mpz_add(sum, sum, term);
        }
        reduce(sum);
        value(term, y + place_of(plan, k) * p);
        ck_assert_msg(mpz_cmp(sum, term) == 0, "2^%u by 2^%u: power %lu", plan->log_n, plan->log_p,
                      k);
    }
    mpz_clears(sum, term, NULL);
}

/* Checks that a forward transform and its inverse together multiply all coefficients by the
 * transform's length 2^log_n. */
static void check_return(const struct ssa_plan *plan, const int32_t *x, const int32_t *y) {
    const size_t p = (size_t)1 << plan->log_p;
    mpz_t u, v;
    mpz_inits(u, v, NULL);
    for (size_t i = 0; i < (size_t)1 << plan->log_n; i++) {
        value(u, x + i * p);
        value(v, y + i * p);
        mpz_mul_2exp(u, u, plan->log_n);
        reduce(u);
        ck_assert_msg(mpz_cmp(u, v) == 0, "2^%u by 2^%u: coefficient %zu", plan->log_n, plan->log_p,
                      i);
    }
    mpz_clears(u, v, NULL);
}

static void check_transform(unsigned log_n, unsigned log) {
    struct digits d = {.work = FORWARD};
    ck_assert(ssa_plan_shape(&d.plan, log_n, log));
    set_modulus(log);
    for (int turns = 0; turns < 2; turns++) {
        int32_t *x = new_digits(&d.plan);
        size_t bytes = ssa_plan_bytes(&d.plan);
        d.x = malloc(bytes);
        memcpy(d.x, x, bytes);
        d.work = turns ? AND_BACK : FORWARD;
        ck_assert_int_eq(session_run(work_on_digits, &d, sizeof d, 0), OUTCOME_DONE);
        bounded(d.x, &d.plan, SSA_LOADED);
        if (turns)
            check_return(&d.plan, x, d.x);
        else
            check_values(&d.plan, x, d.x);
        free(d.x);
        free(x);
    }
    mpz_clear(modulus);
}

START_TEST(transforms) {
    if (!open_for_ssa(backends[_i]))
        return;
    for (int i = 0; i < shape_count; i++)
        check_transform(shapes[i].log_n, shapes[i].log_p);
}
END_TEST

/* ---- products of coefficients modulo M */

START_TEST(products_of_coefficients) {
    unsigned log = SSA_MIN_LOG_P + (unsigned)_i % (SSA_MAX_LOG_P - SSA_MIN_LOG_P + 1);
    if (!open_for_ssa(backends[_i / (SSA_MAX_LOG_P - SSA_MIN_LOG_P + 1)]))
        return;
    set_modulus(log);
    for (int k = 0; k < 8; k++) {
        struct digits d = {.work = k % 2 ? SQUARE : MULTIPLY};
        ck_assert(ssa_plan_shape(&d.plan, SSA_MIN_LOG_N, log));
        int32_t *x = new_digits(&d.plan), *y = new_digits(&d.plan);
        size_t p = (size_t)1 << log;
        mpz_t u, v;
        mpz_inits(u, v, NULL);
        d.x = malloc(ssa_plan_bytes(&d.plan));
        memcpy(d.x, x, ssa_plan_bytes(&d.plan));
        d.y = y;
        ck_assert_int_eq(session_run(work_on_digits, &d, sizeof d, 0), OUTCOME_DONE);
        bounded(d.x, &d.plan, DIGIT_BASE + (1 << 11) + 1);
        for (size_t i = 0; i < (size_t)1 << d.plan.log_n; i++) {
            value(u, x + i * p);
            value(v, (d.work == SQUARE ? x : y) + i * p);
            mpz_mul(u, u, v);
            reduce(u);
            value(v, d.x + i * p);
            ck_assert_msg(mpz_cmp(u, v) == 0, "2^%u digits: product %zu", log, i);
        }
        mpz_clears(u, v, NULL);
        free(d.x), free(x), free(y);
    }
    mpz_clear(modulus);
}
END_TEST

enum { SIZES = SSA_MAX_LOG_P - SSA_MIN_LOG_P + 1 };

int main(void) {
    return run_on_backends(
        "ssa digits",
        TESTS(ONCE(shifts), PER_DEVICE(transforms, 1), PER_DEVICE(products_of_coefficients, SIZES)),
        NULL);
}
