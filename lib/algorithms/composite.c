/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products inside a composite operation. */
#include "lib/algorithms/composite.h"

#include "lib/gmp/real.h"
#include "lib/operate/limbs.h"

static bool is_worth_it(mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    return !thresholds_is_small(min_u64(un, vn), thresholds_of_product(up, un, vp, vn));
}

void composite_real_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    if (un >= vn)
        real.mpn_mul(rp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    else
        real.mpn_mul(rp, vp, (mp_size_t)vn, up, (mp_size_t)un);
}

void composite_mul(struct composite *w, mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp,
                   size_t vn) {
    if (is_worth_it(up, un, vp, vn) && limbs_mul(rp, up, un, vp, vn) == OUTCOME_DONE)
        w->sent++;
    else
        composite_real_mul(rp, up, un, vp, vn);
}
