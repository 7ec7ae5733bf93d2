/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of lib/multiply/fft_product.h, at the lengths of plans. */
#include <stdlib.h>

#include "lib/device/residue.h"
#include "lib/multiply/fft_product.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

/* Of a digit in full: few enough for any length, and not alike in all words. */
#define FULL_BITS 17

/* Is the last product in doubt?  These operands' are not. */
static enum gpu_status verify_trust(struct context *s, enum gpu_status status, size_t n) {
    if (status == GPU_OK)
        status = fft_product_ask(s);
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    return status == GPU_OK && fft_product_is_doubted(s)
               ? known_answer_wrong(s, "floating-point product", n)
               : status;
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
    uint64_t words = plan->length * plan->bits / 32;
    struct mulmod ring = {.words = words,
                          .plus = plan->ring == FFT_PRODUCT_PLUS,
                          .way = MULMOD_BY_FFT,
                          .room = words + 4,
                          .fft = *plan};
    enum gpu_status status = selftest_compare_mulmod(s, &ring);
    return verify_trust(s, status, (size_t)words);
}

/* What a self-test verifies: transforms of that length. */
static uint64_t bit_of_test(const struct fft_product_plan *plan) {
    unsigned log = 63 - (unsigned)__builtin_clzll(plan->length);
    return (uint64_t)1 << (log % 21 + 21 * plan->ring);
}

enum gpu_status selftest_fft(struct context *s, const struct fft_product_plan *plan) {
    if (s->verified_fft & bit_of_test(plan))
        return GPU_OK;
    struct fft_product_plan small = *plan;
    enum gpu_status status =
        plan->ring == FFT_PRODUCT_FULL ? verify_full(s, &small) : verify_ring(s, &small);
    if (status == GPU_OK)
        s->verified_fft |= bit_of_test(plan);
    return status;
}
