/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The choice of an algorithm. */
#include "product.h"
#include "block.h"
#include "conf.h"
#include "ntt.h"

int product_serves(int algorithm, uint64_t un, uint64_t vn) {
    return algorithm == ALGORITHM_BLOCK ? block_fits(un, vn) : algorithm == ALGORITHM_NTT;
}

/* What the option or the profile asks for; it need not fit the sizes. */
static int algorithm_for(const struct session *s, uint64_t vn) {
    return mpgpu_conf.algorithm != ALGORITHM_AUTO
               ? mpgpu_conf.algorithm
               : profile_algorithm(&s->profile, PROFILE_PRODUCTS, (size_t)(vn + 1) / 2);
}

int product_is_small(const struct session *s, struct block_plan *p, uint64_t un, uint64_t vn) {
    int algorithm = algorithm_for(s, vn);
    return algorithm != ALGORITHM_NTT &&
           block_plan_init(p, &s->dev.caps, algorithm == ALGORITHM_BLOCK, un, vn);
}

int product_prepare(struct session *s, struct product *p, uint64_t un, uint64_t vn) {
    if (product_is_small(s, &p->block, un, vn)) {
        p->algorithm = BY_BLOCK;
        return block_prepare(s, &p->block);
    }
    p->algorithm = BY_NTT;
    return ntt_prepare(s, &p->ntt, un, vn);
}

int product_is_strained(const struct product *p, uint64_t words) {
    return p->algorithm == BY_NTT && p->ntt.kept < p->ntt.parts &&
           2 * words * sizeof(uint32_t) > ntt_plan_bytes(&p->ntt);
}

int product_mul(struct session *s, const struct product *p, struct number r, struct number u,
                struct number v) {
    return p->algorithm == BY_BLOCK ? block_mul(s, &p->block, r, u, v, NULL)
                                    : ntt_mul(s, &p->ntt, r, u, v);
}
