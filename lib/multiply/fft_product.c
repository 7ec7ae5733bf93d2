/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products by floating-point transforms: launches the kernels that a plan (struct
 * fft_product_plan) requires. */
#include "lib/multiply/fft_product.h"

#include "kernels/fft/sum.h"
#include "lib/base/ceil_div.h"
#include "lib/base/log.h"
#include "lib/device/answers.h"
#include "lib/device/launch.h"
#include "lib/device/uploads.h"
#include "lib/fft/convolution.h"
#include "lib/fft/fft.h"
#include "lib/multiply/ntt.h"

/* a product is doubted (not trusted) if a coefficient is at least this far from an integer */
#define LIMIT (3 * SUM_DOUBT / 8)

enum {
    /* bytes that suffice for the known-answer test (lib/selftest/selftest_products.c) */
    SELFTEST_BYTES = 96 << 20,
    /* bytes of the tables of roots, which a plan does not count (lib/fft/fft_tables.c) */
    ROOTS_BYTES = 8 << 20
};

unsigned fft_product_offset_log(const struct fft_product_plan *plan) {
    return SUM_LOG_OFFSET(fft_product_most_bits(plan));
}

/* Returns what is added to the first coefficient. Each coefficient has an offset, which makes it
 * positive (lib/multiply/fft_product_plan.c). With the addition, all offsets together are 0 modulo
 * the modulus, or a power of two above a whole product. */
static uint64_t extra(const struct fft_product_plan *plan) {
    const uint64_t unit = (uint64_t)1 << fft_product_offset_log(plan);
    return fft_product_is_minus(plan) ? 0 : plan->ring == FFT_PRODUCT_PLUS ? 2 * unit : unit;
}

/* Queues the last two steps: finds the greatest distance of a coefficient from an integer, and
 * resolves the carries between work-groups. */
static enum gpu_status finish(struct context *s, const struct fft_product_plan *plan,
                              struct number r, uint64_t groups) {
    const unsigned chunk = CARRY_CHUNK_ABOVE;
    gpu_mem answers;
    enum gpu_status status = answers_get(s, &answers);
    if (status == GPU_OK)
        status = launch_fft_watch(s, launch_row(1), s->slot[SLOT_PART].mem, plan->length,
                                  (uint32_t)groups, answers,
                                  s->doubt_answer ? s->doubt_answer : ANSWER_DOUBT);
    if (status != GPU_OK)
        return status;
    return plan->ring == FFT_PRODUCT_FULL || plan->ring == FFT_PRODUCT_MERSENNE
               ? number_carries(s, r, groups, chunk)
               : number_carries_mulmod(s, r, groups, chunk, r.words - CARRY_SURPLUS,
                                       plan->ring == FFT_PRODUCT_PLUS);
}

enum gpu_status fft_product_sum(struct context *s, const struct fft_product_plan *plan,
                                struct number r) {
    uint64_t groups = ceil_div(r.words, CARRY_CHUNK_ABOVE);
    gpu_mem flags;
    enum gpu_status status = number_flags(s, groups, &flags);
    if (status == GPU_OK)
        status = launch_fft_sum(s, launch_row(groups), r.mem, r.at, r.words, s->slot[SLOT_PART].mem,
                                plan->length, plan->bits, plan->rest, extra(plan), flags);
    return status == GPU_OK ? finish(s, plan, r, groups) : status;
}

enum gpu_status fft_product_mul(struct context *s, const struct fft_product_plan *plan,
                                struct number r, struct number u, struct number v) {
    gpu_mem coefficients;
    enum gpu_status status =
        context_buffer(s, SLOT_PART, (size_t)fft_product_coefficient_bytes(plan), &coefficients);
    if (status == GPU_OK)
        status = uploads_wait(s, u);
    if (status == GPU_OK)
        status = uploads_wait(s, v);
    if (status == GPU_OK)
        status = convolution_run(s, &plan->transform, !fft_product_is_minus(plan), plan->bits,
                                 plan->rest, coefficients, u, v);
    return status == GPU_OK ? fft_product_sum(s, plan, r) : status;
}

enum gpu_status fft_product_ask(struct context *s) {
    return answers_fetch(s, ANSWER_DOUBT + 1);
}

bool fft_product_is_doubted_by(const struct context *s, unsigned entry) {
    const uint64_t distance = s->answers.host[entry];
    mpgpu_log(LOG_DETAIL, "product by fft: coefficients within %llu millionths of integers",
              (unsigned long long)(distance * 1000000 / SUM_DOUBT));
    return distance >= LIMIT;
}

bool fft_product_is_doubted(const struct context *s) {
    return fft_product_is_doubted_by(s, ANSWER_DOUBT);
}

/* Returns the bytes of device memory that a product's transforms may use besides operands and
 * result, which have `words` words in all. Returns 0 if the device has no floating-point
 * transforms, or too little memory for their self-test. */
static uint64_t room_beside(const struct context *s, uint64_t words) {
    uint64_t room = fft_is_served(s, FFT_DOUBLE) ? ntt_room(s, words) : 0;
    return room >= SELFTEST_BYTES ? room - ROOTS_BYTES : 0;
}

bool fft_product_plan(const struct context *s, struct fft_product_plan *plan, uint64_t un,
                      uint64_t vn) {
    return fft_product_plan_init(plan, un, vn, room_beside(s, 2 * (un + vn)),
                                 s->dev.caps.max_alloc);
}

bool fft_product_plan_mulmod(const struct context *s, struct fft_product_plan *plan, uint64_t words,
                             enum fft_product_modulus ring, uint64_t operands) {
    return fft_product_plan_init_mulmod(plan, words, ring, room_beside(s, 2 * words + operands),
                                        s->dev.caps.max_alloc);
}

bool fft_product_plan_mersenne(const struct context *s, struct fft_product_plan *plan, uint64_t p,
                               uint64_t words) {
    return fft_product_plan_init_mersenne(plan, p, room_beside(s, words), s->dev.caps.max_alloc);
}
