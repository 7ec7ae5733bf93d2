/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation on limbs in host memory, as lib/operate/operation.c runs it. */
#ifndef MPGPU_OPERATION_H
#define MPGPU_OPERATION_H

#include <gmp.h>

#include "lib/device/number.h"
#include "lib/multiply/check.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/product.h"

#define LIMB_WORDS (sizeof(mp_limb_t) / sizeof(uint32_t))

/* {rp, rn} from {up, un} and {vp, vn}.  A PRODUCT is computed in full, its low limbs may be all
 * that is asked for; {rp, old} is added to it.  BY_LIMB is {vp, vn} +- {up, un} limb. */
struct operation {
    enum { PRODUCT, MULMOD, SUM, DIFFERENCE, BY_LIMB } kind;
    mp_limb_t *rp;
    size_t rn;
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn, old;
    mp_limb_t limb;
    int subtract;
    uint32_t carry;   /* of a sum, or the borrow; limb rn of a product modulo B^rn + 1 */
    int may_be_cut;   /* the caller does so where there is little memory */
    bool is_negative; /* the highest bit of the result */
    bool is_doubted;  /* it was made by fft, and is to be made again by another */
    unsigned without; /* algorithms that are not to make it (lib/multiply/product.h) */
    /* on the device */
    struct number r, u, v, addend;
    struct product product;
    struct mulmod mulmod;
    struct check check;
};

/* Upload, compute, check as `verify` says, download.  OUTCOME_DONE, or why it was not done. */
enum outcome operation_run(struct operation *op);

#endif
