/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device's operations, each followed by what `verify` asks for. */
#include "lib/operate/limbs.h"

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/operate/operate.h"
#include "lib/session/session.h"

enum outcome limbs_judge(enum verify_result result, const char *what, size_t un, size_t vn) {
    switch (result) {
    case VERIFY_GOOD:
        return OUTCOME_DONE;
    case VERIFY_NO_MEMORY:
        return OUTCOME_MEMORY;
    case VERIFY_WRONG:
        break;
    }
    session_fault();
    mpgpu_log(LOG_WARNING, "wrong %s of %zu and %zu limbs from the device; GMP computes it", what,
              un, vn);
    return OUTCOME_FAILED;
}

enum outcome limbs_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    if (un < vn)
        return limbs_mul(rp, vp, vn, up, un);
    enum outcome outcome = operate_mul(rp, up, un, vp, vn);
    if (outcome != OUTCOME_DONE || mpgpu_conf.verify < VERIFY_RESIDUE)
        return outcome;
    return limbs_judge(verify_product(rp, up, un, vp, vn), "product", un, vn);
}

/* Those that operate_mul_several has made. */
static enum outcome verify_all(const struct operate_factors *f, unsigned count) {
    enum outcome outcome = OUTCOME_DONE;
    for (unsigned i = 0; i < count && outcome == OUTCOME_DONE; i++, f++)
        outcome = limbs_judge(f->un < f->vn ? verify_product(f->rp, f->vp, f->vn, f->up, f->un)
                                            : verify_product(f->rp, f->up, f->un, f->vp, f->vn),
                              "product", f->un, f->vn);
    return outcome;
}

enum outcome limbs_mul_several(const struct operate_factors *f, unsigned count) {
    enum outcome outcome = OUTCOME_DONE;
    if (operate_mul_several(f, count, &outcome))
        return outcome != OUTCOME_DONE || mpgpu_conf.verify < VERIFY_RESIDUE ? outcome
                                                                             : verify_all(f, count);
    for (unsigned i = 0; i < count && outcome == OUTCOME_DONE; i++)
        outcome = limbs_mul(f[i].rp, f[i].up, f[i].un, f[i].vp, f[i].vn);
    return outcome;
}

enum outcome limbs_add(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    enum outcome outcome = operate_add(rp, up, un, vp, vn, &rp[un]);
    if (outcome != OUTCOME_DONE || mpgpu_conf.verify < VERIFY_RESIDUE)
        return outcome;
    return limbs_judge(verify_sum(rp, un + 1, up, un, vp, vn), "sum", un, vn);
}

enum outcome limbs_sub(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    mp_limb_t borrow;
    enum outcome outcome = operate_sub(rp, up, un, vp, vn, &borrow);
    if (outcome != OUTCOME_DONE || mpgpu_conf.verify < VERIFY_RESIDUE)
        return outcome;
    return limbs_judge(borrow ? VERIFY_WRONG : verify_sum(up, un, rp, un, vp, vn), "difference", un,
                       vn);
}
