/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans products, and tests the kernels of the plans. The tests of ssa (Schoenhage and Strassen)
 * and fft (floating-point transforms) need more memory than small plans do. If memory is too short
 * for a test, the product is planned again without the algorithm. */
#include "lib/selftest/verified_plan.h"

#include "lib/base/conf.h"
#include "lib/selftest/selftest.h"

/* Returns GPU_ABSENT instead of GPU_NOMEM, since an algorithm that cannot be tested must not be
 * used. */
static enum gpu_status or_absent(enum gpu_status status) {
    return status == GPU_NOMEM ? GPU_ABSENT : status;
}

enum gpu_status verified_plan_small(struct context *s, const struct small_plan *p) {
    enum gpu_status status = small_prepare(s, p);
    return status == GPU_OK && p->log_n > 0 ? selftest_small(s, p) : status;
}

static enum gpu_status verify_product(struct context *s, const struct product *p) {
    return p->algorithm == BY_SMALL ? verified_plan_small(s, &p->small)
           : p->algorithm == BY_SSA ? or_absent(selftest_ssa(s, &p->ssa))
           : p->algorithm == BY_FFT ? or_absent(selftest_fft(s, &p->fft))
                                    : selftest_ntt(s, &p->ntt);
}

enum gpu_status verified_plan_product(struct context *s, struct product *p, uint64_t un,
                                      uint64_t vn, unsigned without) {
    enum gpu_status status = product_plan(s, p, un, vn, without);
    if (status == GPU_OK)
        status = verify_product(s, p);
    if (status != GPU_ABSENT || (p->algorithm != BY_SSA && p->algorithm != BY_FFT))
        return status;
    status = product_plan(s, p, un, vn, WITHOUT(ALGORITHM_SSA) | WITHOUT(ALGORITHM_FFT));
    return status == GPU_OK ? verify_product(s, p) : status;
}

static enum gpu_status verify_mulmod(struct context *s, struct mulmod *m, uint64_t un, uint64_t vn,
                                     unsigned without) {
    return m->way == MULMOD_BY_SSA   ? or_absent(selftest_ssa(s, &m->ssa))
           : m->way == MULMOD_BY_FFT ? or_absent(selftest_fft(s, &m->fft))
           : m->way == MULMOD_BY_NTT ? selftest_mulmod(s, &m->length.ring[0])
                                     : verified_plan_product(s, &m->product, un, vn, without);
}

enum gpu_status verified_plan_mulmod(struct context *s, struct mulmod *m, uint64_t un, uint64_t vn,
                                     unsigned without) {
    mulmod_plan(s, m, un, vn, without);
    enum gpu_status status = verify_mulmod(s, m, un, vn, without);
    if (status != GPU_ABSENT || (m->way != MULMOD_BY_SSA && m->way != MULMOD_BY_FFT))
        return status;
    without = WITHOUT(ALGORITHM_SSA) | WITHOUT(ALGORITHM_FFT);
    mulmod_plan(s, m, un, vn, without);
    return verify_mulmod(s, m, un, vn, without);
}
