/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of which a part is wanted, or that are added to a number, on the device from operands to
 * result. */
#ifndef MPGPU_OPERATE_PRODUCT_H
#define MPGPU_OPERATE_PRODUCT_H

#include <gmp.h>
#include <stdbool.h>

#include "lib/base/outcome.h"

/* Limbs rn from limb `skip` on of u v, or of |w + u v|, |w - u v|.  Limbs behind the number's end
 * are zeros; it has at most max(un + vn, wn + 1) + 1 limbs with w, un + vn without. */
struct operate_product {
    mp_ptr rp; /* may overlap operands */
    size_t rn, skip;
    mp_srcptr up, vp, wp;
    size_t un, vn, wn; /* un, vn >= 1; wn = 0: without w */
    bool subtract;
    bool is_negative; /* result: w - u v is below 0 */
};

/* OUTCOME_DONE, or why it was not done: operands are unchanged then. */
enum outcome operate_product(struct operate_product *p);

/* From here on it is sooner than a product and a copy or sum on the host. */
static inline bool operate_product_pays(size_t un, size_t vn) {
    return un + vn >= 1 << 14;
}

#endif
