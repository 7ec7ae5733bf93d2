/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plan, then verify.  The known answers of ssa take more memory than a small plan: where there is
 * too little for them, the product is planned again without ssa. */
#include "lib/selftest/verified_plan.h"

#include "lib/selftest/selftest.h"

static enum gpu_status verify_ssa(struct context *s, const struct ssa_plan *plan) {
    enum gpu_status status = selftest_ssa(s, plan);
    return status == GPU_NOMEM ? GPU_ABSENT : status;
}

enum gpu_status verified_plan_small(struct context *s, const struct small_plan *p) {
    enum gpu_status status = small_prepare(s, p);
    return status == GPU_OK && p->log_n > 0 ? selftest_small(s, p) : status;
}

static enum gpu_status verify_product(struct context *s, const struct product *p) {
    return p->algorithm == BY_SMALL ? verified_plan_small(s, &p->small)
           : p->algorithm == BY_SSA ? verify_ssa(s, &p->ssa)
                                    : selftest_ntt(s, &p->ntt);
}

enum gpu_status verified_plan_product(struct context *s, struct product *p, uint64_t un,
                                      uint64_t vn) {
    enum gpu_status status = product_plan(s, p, un, vn, false);
    if (status == GPU_OK)
        status = verify_product(s, p);
    if (status != GPU_ABSENT || p->algorithm != BY_SSA)
        return status;
    status = product_plan(s, p, un, vn, true);
    return status == GPU_OK ? verify_product(s, p) : status;
}

static enum gpu_status verify_mulmod(struct context *s, struct mulmod *m, uint64_t un,
                                     uint64_t vn) {
    return m->way == MULMOD_BY_SSA   ? verify_ssa(s, &m->ssa)
           : m->way == MULMOD_BY_NTT ? selftest_mulmod(s, &m->length.ring[0])
                                     : verified_plan_product(s, &m->product, un, vn);
}

enum gpu_status verified_plan_mulmod(struct context *s, struct mulmod *m, uint64_t un,
                                     uint64_t vn) {
    mulmod_plan(s, m, un, vn, false);
    enum gpu_status status = verify_mulmod(s, m, un, vn);
    if (status != GPU_ABSENT || m->way != MULMOD_BY_SSA)
        return status;
    mulmod_plan(s, m, un, vn, true);
    return verify_mulmod(s, m, un, vn);
}
