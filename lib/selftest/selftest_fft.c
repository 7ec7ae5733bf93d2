/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of lib/multiply/fft_product.h, at lengths as short as the programs of a plan
 * serve. */
#include <stdlib.h>

#include "kernels/common/carry.h"
#include "lib/base/log.h"
#include "lib/device/residue.h"
#include "lib/multiply/fft_product.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

/* Of a digit in full: few enough for any length, and not alike in all words. */
#define FULL_BITS 17

/* Is the last product in doubt?  On a device whose doubles are exact these operands' are not; what
 * it computes of integers may be right all the same. */
static enum gpu_status verify_trust(struct context *s, enum gpu_status status, size_t n) {
    if (status == GPU_OK)
        status = fft_product_ask(s);
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    if (status != GPU_OK || !fft_product_is_doubted(s))
        return status;
    mpgpu_log(LOG_WARNING, "%s: floating-point product of %zu words in doubt: fft is left alone",
              s->dev.caps.name, n);
    s->dev.caps.doubles = false; /* of this context; only fft asks */
    return GPU_ABSENT;
}

/* Product and square in full. */
static enum gpu_status verify_full(struct context *s, struct fft_product_plan *plan) {
    struct known_answer t;
    size_t n = (size_t)((plan->length / 2 - 1) * FULL_BITS / 32);
    plan->bits = FULL_BITS;
    enum gpu_status status = known_answer_begin(&t, s, n);
    for (int square = 0; square < 2 && status == GPU_OK; square++) {
        status = fft_product_mul(s, plan, t.r, t.u, square ? t.u : t.v);
        status = verify_trust(s, status, n);
        status = known_answer_check(&t, status, 2 * t.n,
                                    residue_mul(t.u_residue, square ? t.u_residue : t.v_residue),
                                    "product");
    }
    free(t.host);
    return status;
}

static enum gpu_status verify_ring(struct context *s, const struct fft_product_plan *plan) {
    uint64_t words = plan->length * plan->bits / 32; /* several chunks of carries */
    struct mulmod ring = {.words = words,
                          .plus = plan->ring == FFT_PRODUCT_PLUS,
                          .way = MULMOD_BY_FFT,
                          .room = words + CARRY_SURPLUS,
                          .fft = *plan};
    enum gpu_status status = selftest_compare_mulmod(s, &ring);
    return verify_trust(s, status, (size_t)words);
}

/* What a self-test verifies: a program in one of these roles, with digits that do not go round, or
 * modulo B^n - 1; and the check modulo B^n + 1. */
enum role { FIRST, MIDDLE, LAST };
static uint64_t bit_of_test(unsigned r, enum role role, bool minus) {
    static const unsigned lengths[] = {32, 64, 128, 192, 256, 320, 512, 1024};
    unsigned program = 0;
    while (program < sizeof lengths / sizeof *lengths - 1 && lengths[program] != r)
        program++;
    return (uint64_t)1 << (program + 8 * role + 24 * minus);
}
#define BIT_PLUS ((uint64_t)1 << 48)

static enum gpu_status ensure(struct context *s, uint64_t bit, struct fft_product_plan plan) {
    if (s->verified_fft & bit)
        return GPU_OK;
    enum gpu_status status =
        plan.ring == FFT_PRODUCT_FULL ? verify_full(s, &plan) : verify_ring(s, &plan);
    if (status == GPU_OK)
        s->verified_fft |= bit;
    return status;
}

/* Passes of these lengths, and the product that they make. */
static struct fft_product_plan small_plan(enum fft_product_modulus ring, unsigned passes,
                                          const unsigned *r) {
    struct fft_product_plan plan = {.bits = FFT_PRODUCT_MULMOD_BITS, .length = 2, .ring = ring};
    plan.transform.precision = FFT_DOUBLE;
    plan.transform.passes = passes;
    for (unsigned i = 0; i < passes; i++) {
        plan.transform.r[i] = r[i];
        plan.length *= r[i];
    }
    plan.transform.n = plan.transform.points = plan.length / 2;
    return plan;
}

/* Each pass in its place, others being short. */
enum gpu_status selftest_fft(struct context *s, const struct fft_product_plan *plan) {
    const bool minus = plan->ring == FFT_PRODUCT_MINUS;
    const enum fft_product_modulus ring = minus ? FFT_PRODUCT_MINUS : FFT_PRODUCT_FULL;
    const unsigned passes = plan->transform.passes, plus[] = {128, 64};
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < passes && status == GPU_OK; i++) {
        enum role role = i == 0 ? FIRST : i == passes - 1 ? LAST : MIDDLE;
        unsigned r = plan->transform.r[i];
        const unsigned lengths[][3] = {{r, 128}, {32, r, 32}, {128, r}};
        status = ensure(s, bit_of_test(r, role, minus),
                        small_plan(ring, role == MIDDLE ? 3 : 2, lengths[role]));
    }
    return status == GPU_OK && plan->ring == FFT_PRODUCT_PLUS
               ? ensure(s, BIT_PLUS, small_plan(FFT_PRODUCT_PLUS, 2, plus))
               : status;
}
