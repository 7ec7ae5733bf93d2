/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by one limb. */
#include "lib/operate/operate.h"
#include "lib/operate/operation.h"

enum outcome operate_mul_1(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un, mp_limb_t v,
                           const mp_limb_t *wp, size_t wn, int subtract) {
    struct operation op = {.kind = BY_LIMB,
                           .rp = rp,
                           .rn = rn,
                           .up = up,
                           .un = un,
                           .vp = wp,
                           .vn = wn,
                           .limb = v,
                           .subtract = subtract};
    return operation_run(&op);
}
