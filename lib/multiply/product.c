/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses the algorithm of a product, and runs it. */
#include "lib/multiply/product.h"

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/multiply/fft_product.h"
#include "lib/fft/fft.h"
#include "lib/multiply/ntt.h"
#include "lib/multiply/small.h"
#include "lib/multiply/ssa.h"

bool product_serves(int algorithm, uint64_t un, uint64_t vn) {
    struct ssa_plan unused;
    return algorithm == ALGORITHM_BLOCK ? small_fits(un, vn)
           : algorithm == ALGORITHM_SSA ? ssa_plan_init(&unused, un, vn, UINT64_MAX, UINT64_MAX)
           : algorithm == ALGORITHM_FFT ? fft_product_serves(un, vn)
                                        : algorithm == ALGORITHM_NTT;
}

int product_algorithm(const struct context *s, enum profile_choices which, uint64_t words) {
    const int algorithm = conf_job().algorithm;
    return algorithm != ALGORITHM_AUTO
               ? algorithm
               : profile_algorithm(&s->profile, which, (size_t)(words + 1) / 2);
}

static void tell_another(int algorithm, uint64_t un, uint64_t vn) {
    mpgpu_log(LOG_INFO, "algorithm %s does not serve %llu by %llu words here: another one is used",
              algorithm == ALGORITHM_SSA ? "ssa" : "fft", (unsigned long long)un,
              (unsigned long long)vn);
}

/* Returns true for ssa (Schoenhage and Strassen) and fft (floating-point transforms). These
 * algorithms are used only if requested, and cannot compute products of all sizes. */
static bool is_special(int algorithm) {
    return algorithm == ALGORITHM_SSA || algorithm == ALGORITHM_FFT;
}

static bool serves_here(const struct context *s, int algorithm, uint64_t un, uint64_t vn) {
    return (algorithm != ALGORITHM_FFT || fft_is_served(s, FFT_DOUBLE)) &&
           product_serves(algorithm, un, vn);
}

bool product_is_small(const struct context *s, struct small_plan *p, uint64_t un, uint64_t vn) {
    int algorithm = product_algorithm(s, PROFILE_PRODUCTS, vn);
    if (is_special(algorithm) && serves_here(s, algorithm, un, vn))
        return false;
    int is_small = algorithm != ALGORITHM_NTT &&
                   small_plan_init(p, &s->dev.caps, algorithm == ALGORITHM_BLOCK, un, vn);
    if (is_small && is_special(algorithm))
        tell_another(algorithm, un, vn);
    return is_small;
}

/* Plans the product by ssa (Schoenhage and Strassen) or fft (floating-point transforms) if one of
 * these is requested. Returns false if neither is requested, or the requested one is not
 * possible. */
static bool plan_special(const struct context *s, struct product *p, uint64_t un, uint64_t vn,
                         unsigned without) {
    int algorithm = product_algorithm(s, PROFILE_PRODUCTS, vn);
    if (!is_special(algorithm))
        return false;
    bool serves = !(without & WITHOUT(algorithm)) &&
                  (algorithm == ALGORITHM_SSA ? ssa_plan(s, &p->ssa, un, vn)
                                              : fft_product_plan(s, &p->fft, un, vn));
    p->algorithm = algorithm == ALGORITHM_SSA ? BY_SSA : BY_FFT;
    if (!serves && !(without & WITHOUT(algorithm)))
        tell_another(algorithm, un, vn);
    return serves;
}

enum gpu_status product_plan(const struct context *s, struct product *p, uint64_t un, uint64_t vn,
                             unsigned without) {
    if (product_is_small(s, &p->small, un, vn)) {
        p->algorithm = BY_SMALL;
        return GPU_OK;
    }
    if (plan_special(s, p, un, vn, without))
        return GPU_OK;
    p->algorithm = BY_NTT;
    return ntt_plan(s, &p->ntt, un, vn);
}

enum stats_way product_way(const struct product *p) {
    return p->algorithm == BY_SMALL ? STATS_BLOCK
           : p->algorithm == BY_SSA ? STATS_SSA
           : p->algorithm == BY_FFT ? STATS_FFT
                                    : STATS_NTT;
}

bool product_is_strained(const struct product *p, uint64_t words) {
    return p->algorithm == BY_NTT && p->ntt.kept < p->ntt.parts &&
           2 * words * sizeof(uint32_t) > ntt_plan_bytes(&p->ntt);
}

enum gpu_status product_mul(struct context *s, const struct product *p, struct number r,
                            struct number u, struct number v) {
    return p->algorithm == BY_SMALL ? small_mul(s, &p->small, r, u, v)
           : p->algorithm == BY_SSA ? ssa_mul(s, &p->ssa, r, u, v)
           : p->algorithm == BY_FFT ? fft_product_mul(s, &p->fft, r, u, v)
                                    : ntt_mul(s, &p->ntt, r, u, v);
}
