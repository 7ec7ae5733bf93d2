/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known-answer tests of products by ssa (Schoenhage and Strassen) and fft (floating-point
 * transforms). They use the smallest transforms in which a plan's programs occur. Also tests small
 * products. */
#include "kernels/common/carry.h"
#include "kernels/small/small.h"
#include "kernels/ssa/ssa.h"
#include "lib/base/log.h"
#include "lib/multiply/direct.h"
#include "lib/multiply/fft_product.h"
#include "lib/multiply/ssa.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

/* ---- ssa */

static void verify_ssa(struct known_answer *t) {
    for (int k = 0; k < 2; k++) {
        KNOWN_ANSWER(t, ssa_mul(t->s, t->plan, t->r, t->x[0], t->x[k]));
        known_answer_product(t, k == 0, "product");
    }
}

/* Tests kernels of ssa by products of one length: passes of `log` levels (3 to 5), or the kernels
 * for coefficients of 2^log digits (2^8 to 2^12). For products modulo 2^k - 1 or 2^k + 1, an
 * operand fills nearly half of the bits of each coefficient. */
static enum gpu_status ensure_ssa(struct context *s, unsigned log, unsigned log_n, unsigned log_p,
                                  enum ssa_modulus kind) {
    const unsigned key = KNOWN_SSA + log - 3 + 10 * kind;
    struct ssa_plan plan;
    ssa_plan_shape(&plan, log_n, log_p);
    if (kind == SSA_FULL) {
        const uint64_t words = ssa_plan_fill(&plan);
        return known_answer_ensure(s, key, words, verify_ssa, &plan);
    }
    uint64_t words = (((uint64_t)12 << log_p) - 64) / 32 << log_n;
    struct mulmod ring = {.words = words, .plus = kind == SSA_PLUS, .way = MULMOD_BY_SSA};
    if (!ssa_plan_wrap(&plan, words, kind))
        return GPU_FAILED;
    ring.ssa = plan;
    ring.room = ssa_plan_mulmod_words(&plan);
    return selftest_ring(s, key, &ring);
}

/* Tests each pass of a plan in a transform that consists of this pass twice, and in the inverse
 * transform. Then tests the kernels for single coefficients of the plan's length. */
enum gpu_status selftest_ssa(struct context *s, const struct ssa_plan *plan) {
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < plan->passes && status == GPU_OK; i++)
        status = ensure_ssa(s, plan->log_r[i], 2 * plan->log_r[i], SSA_MIN_LOG_P, plan->ring);
    return status == GPU_OK ? ensure_ssa(s, plan->log_p, SSA_MIN_LOG_N, plan->log_p, plan->ring)
                            : status;
}

/* ---- fft */

/* Bits of a digit in the test of whole products: few enough for any length, and odd, so that digits
 * begin at different bits of their words. */
#define FULL_BITS 17
/* Digits in the test of products modulo 2^k - 1 and 2^k + 1. RING_BITS: bits of a digit. RING_REST:
 * this many digits have one bit more. */
#define RING_BITS 16
#define RING_REST 64

/* Returns GPU_ABSENT if the latest product by floating-point transforms is doubted: the device's
 * doubles are then inexact, because exact doubles cause no doubt in tests. Its integers may still
 * be right. */
enum gpu_status selftest_trust(struct context *s, enum gpu_status status, size_t n) {
    if (status == GPU_OK)
        status = fft_product_ask(s);
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    if (status != GPU_OK || !fft_product_is_doubted(s))
        return status;
    mpgpu_log(LOG_WARNING,
              "%s: floating-point product of %zu words in doubt: fft is not used any more",
              s->dev.caps.name, n);
    /* ends the use of floating-point transforms in this context; only they use caps.doubles */
    s->dev.caps.doubles = false;
    return GPU_ABSENT;
}

static void verify_fft(struct known_answer *t) {
    for (int k = 0; k < 2; k++) {
        KNOWN_ANSWER(t, fft_product_mul(t->s, t->plan, t->r, t->x[0], t->x[k]));
        t->status = selftest_trust(t->s, t->status, t->n);
        known_answer_product(t, k == 0, "product");
    }
}

static enum gpu_status ensure_fft_ring(struct context *s, unsigned key,
                                       const struct fft_product_plan *plan) {
    /* long enough for several chunks of words, between which carries must be resolved */
    const size_t words = (plan->length * plan->bits + plan->rest) / 32;
    struct mulmod ring = {.words = words,
                          .plus = plan->ring == FFT_PRODUCT_PLUS,
                          .way = MULMOD_BY_FFT,
                          .room = words + CARRY_SURPLUS,
                          .fft = *plan};
    return selftest_ring(s, key, &ring);
}

/* The place of a pass in a transform. It is a part of the key of a pass's test. The other parts are
 * the length r of the pass, and whether the product is modulo 2^k - 1. Tests modulo 2^k + 1 all
 * have the same key. */
enum role { FIRST, MIDDLE, LAST };
static unsigned key_of(unsigned r, enum role role, bool minus) {
    static const unsigned lengths[] = {32, 64, 128, 192, 256, 320, 512, 1024};
    unsigned program = 0;
    while (program < sizeof lengths / sizeof *lengths - 1 && lengths[program] != r)
        program++;
    return KNOWN_FFT + program + 8 * role + 24 * minus;
}
enum { KEY_PLUS = KNOWN_FFT + 48 };

/* Tests a transform of `passes` passes by a product whose length suits this transform. Pass i has
 * r[i] points. */
static enum gpu_status ensure_fft(struct context *s, unsigned key, enum fft_product_modulus ring,
                                  unsigned passes, const unsigned *r) {
    struct fft_product_plan plan = {
        .bits = RING_BITS, .rest = RING_REST, .length = 2, .ring = ring};
    plan.transform.precision = FFT_DOUBLE;
    plan.transform.passes = passes;
    for (unsigned i = 0; i < passes; i++) {
        plan.transform.r[i] = r[i];
        plan.length *= r[i];
    }
    plan.transform.n = plan.transform.points = plan.length / 2;
    if (ring != FFT_PRODUCT_FULL)
        return ensure_fft_ring(s, key, &plan);
    plan.bits = FULL_BITS;
    plan.rest = 0;
    return known_answer_ensure(s, key, (size_t)((plan.length / 2 - 1) * FULL_BITS / 32), verify_fft,
                               &plan);
}

/* Tests each pass of a plan at the same place of a transform (first, middle or last); the other
 * passes of the tested transform are short. */
enum gpu_status selftest_fft(struct context *s, const struct fft_product_plan *plan) {
    const bool minus = fft_product_is_minus(plan);
    const unsigned passes = plan->transform.passes, plus[] = {128, 64};
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < passes && status == GPU_OK; i++) {
        enum role role = i == 0 ? FIRST : i == passes - 1 ? LAST : MIDDLE;
        unsigned r = plan->transform.r[i];
        const unsigned lengths[][3] = {{r, 128}, {32, r, 32}, {128, r}};
        status = ensure_fft(s, key_of(r, role, minus), minus ? FFT_PRODUCT_MINUS : FFT_PRODUCT_FULL,
                            role == MIDDLE ? 3 : 2, lengths[role]);
    }
    return status == GPU_OK && plan->ring == FFT_PRODUCT_PLUS
               ? ensure_fft(s, KEY_PLUS, FFT_PRODUCT_PLUS, 2, plus)
               : status;
}

/* ---- functions that test small products, both in device memory and in slots
 * (lib/multiply/direct.h) */

/* Tests a small product in the last slot, which no product of the program uses, and compares the
 * delivered result. */
static void verify_direct(struct known_answer *t, const struct small_plan *plan, bool is_square) {
    struct direct_product product = {.rp = (mp_limb_t *)t->got,
                                     .rn = t->n,
                                     .up = (mp_limb_t *)t->host[0],
                                     .un = t->n / 2,
                                     .vp = (mp_limb_t *)t->host[!is_square],
                                     .vn = t->n / 2,
                                     .plan = *plan,
                                     .slot = small_slots(t->s) - 1};
    KNOWN_ANSWER(t, direct_make(t->s, &product));
    known_answer_expect(t,
                        residue_of(t->got, 2 * t->n, RESIDUE_MODULUS) ==
                            residue_mul(t->residue[0], t->residue[!is_square]),
                        "small product", t->n);
}

static void verify_small(struct known_answer *t) {
    for (int k = 1; k >= 0; k--) {
        KNOWN_ANSWER(t, small_mul(t->s, t->plan, t->r, t->x[0], t->x[k]));
        known_answer_product(t, k == 0, "small product");
        verify_direct(t, t->plan, k == 0);
    }
}

/* Tests small products by a plan. Uses the longest operands that the plan accepts. */
enum gpu_status selftest_small(struct context *s, const struct small_plan *p) {
    return known_answer_ensure(s, KNOWN_SMALL + p->log_n,
                               p->log_n ? SMALL_DIGITS(p->log_n) : SMALL_WORDS, verify_small, p);
}
