/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Square roots of limbs inside a whole operation, by division. */
#ifndef MPGPU_ROOT_H
#define MPGPU_ROOT_H

#include "lib/algorithms/divide.h"

/* What composite_begin takes as the size of the root of nn limbs: the root's. */
static inline size_t root_size(size_t nn) {
    return (nn + 1) / 2;
}

struct root {
    mp_ptr sp, rp; /* floor(sqrt(N)), (nn + 1) / 2 limbs; N - its square, rn limbs */
    size_t sn, rn; /* the remainder's highest limb is not 0; rn <= sn + 1 */
};

/* Of {np, nn}, whose highest limb is not 0, no fewer than the threshold says.  0 if there is no
 * memory; else root_clear must follow. */
int root_init(struct composite *w, struct root *root, mp_srcptr np, size_t nn);

void root_clear(struct root *root);

#endif
