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
