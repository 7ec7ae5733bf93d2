/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of lib/multiply/small.h, on the device and by lib/multiply/direct.h's short way. */
#include <stdlib.h>

#include "kernels/small/small.h"
#include "lib/base/conf.h"
#include "lib/device/residue.h"
#include "lib/multiply/direct.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

/* In the last slot, which is a self-test's own. */
static struct direct_product direct_product_of(const struct known_answer *t,
                                               const struct small_plan *p, bool is_square) {
    mp_limb_t *host = (mp_limb_t *)t->host;
    size_t n = t->n / 2;
    return (struct direct_product){.rp = host + 2 * n,
                                   .rn = 2 * n,
                                   .up = host,
                                   .un = n,
                                   .vp = is_square ? host : host + n,
                                   .vn = n,
                                   .plan = *p,
                                   .slot = small_slots(t->s) - 1};
}

/* One small product of a self-test, through the host's memory and on the device. */
static enum gpu_status verify_one_block(struct known_answer *t, const struct small_plan *p,
                                        bool is_square) {
    struct direct_product product = direct_product_of(t, p, is_square);
    const char *what = is_square ? "small square" : "small product";
    uint64_t right = residue_mul(t->u_residue, is_square ? t->u_residue : t->v_residue);
    enum gpu_status status = small_mul(t->s, p, t->r, t->u, is_square ? t->u : t->v);
    status = known_answer_check(t, status, 2 * t->n, right, what);
    if (status == GPU_OK)
        status = direct_make(t->s, &product);
    if (status == GPU_OK && residue_of(t->host + 2 * t->n, 2 * t->n, RESIDUE_MODULUS) != right)
        status = known_answer_wrong(t->s, what, t->n);
    return status;
}

/* At the largest operands of a plan. */
static enum gpu_status verify_small(struct context *s, const struct small_plan *p) {
    struct known_answer t;
    enum gpu_status status =
        known_answer_begin(&t, s, p->log_n ? SMALL_DIGITS(p->log_n) : SMALL_WORDS);
    if (status == GPU_OK)
        status = verify_one_block(&t, p, 0);
    if (status == GPU_OK)
        status = verify_one_block(&t, p, 1);
    free(t.host);
    return status;
}

enum gpu_status selftest_small(struct context *s, const struct small_plan *p) {
    if (s->verified_small >> p->log_n & 1)
        return GPU_OK;
    enum gpu_status status = verify_small(s, p);
    if (status == GPU_OK)
        s->verified_small |= 1u << p->log_n;
    return status;
}
