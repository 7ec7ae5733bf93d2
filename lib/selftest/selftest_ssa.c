/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of lib/multiply/ssa.h, at shapes as small as the programs of a plan serve. */
#include <stdlib.h>

#include "kernels/ssa/ssa.h"
#include "lib/device/residue.h"
#include "lib/multiply/ssa.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

/* Product and square in full. */
static enum gpu_status verify_full(struct context *s, struct ssa_plan *plan) {
    struct known_answer t;
    enum gpu_status status = known_answer_begin(&t, s, ssa_plan_fill(plan));
    for (int square = 0; square < 2 && status == GPU_OK; square++) {
        status = ssa_mul(s, plan, t.r, t.u, square ? t.u : t.v);
        status = known_answer_check(&t, status, 2 * t.n,
                                    residue_mul(t.u_residue, square ? t.u_residue : t.v_residue),
                                    "product");
    }
    free(t.host);
    return status;
}

/* In a ring, with coefficients of nearly half a modulus. */
static enum gpu_status verify_ring(struct context *s, struct ssa_plan *plan,
                                   enum ssa_modulus kind) {
    uint64_t words = (((uint64_t)12 << plan->log_p) - 64) / 32 << plan->log_n;
    struct mulmod ring = {.words = words, .plus = kind == SSA_PLUS, .way = MULMOD_BY_SSA};
    if (!ssa_plan_wrap(plan, words, kind))
        return GPU_FAILED;
    ring.ssa = *plan;
    ring.room = ssa_plan_mulmod_words(plan);
    return selftest_compare_mulmod(s, &ring);
}

/* What a self-test verifies: passes of 3 to 5 levels, or coefficients of 2^8 to 2^12 digits. */
static unsigned bit_of_test(unsigned log, enum ssa_modulus ring) {
    return 1u << (log - 3 + 10 * ring);
}

static enum gpu_status ensure(struct context *s, unsigned bit, struct ssa_plan plan,
                              enum ssa_modulus ring) {
    if (s->verified_ssa & bit)
        return GPU_OK;
    enum gpu_status status = ring == SSA_FULL ? verify_full(s, &plan) : verify_ring(s, &plan, ring);
    if (status == GPU_OK)
        s->verified_ssa |= bit;
    return status;
}

/* Each pass as one of two that are alike, there and back; then what is done to coefficients
 * of that size. */
enum gpu_status selftest_ssa(struct context *s, const struct ssa_plan *plan) {
    struct ssa_plan small;
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < plan->passes && status == GPU_OK; i++) {
        unsigned r = plan->log_r[i];
        ssa_plan_shape(&small, 2 * r, SSA_MIN_LOG_P);
        status = ensure(s, bit_of_test(r, plan->ring), small, plan->ring);
    }
    if (status != GPU_OK)
        return status;
    ssa_plan_shape(&small, SSA_MIN_LOG_N, plan->log_p);
    return ensure(s, bit_of_test(plan->log_p, plan->ring), small, plan->ring);
}
