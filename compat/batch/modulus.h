/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Moduli of batches (include/mpgpu.h). */
#ifndef MPGPU_BATCH_MODULUS_H
#define MPGPU_BATCH_MODULUS_H

#include "compat/batch/task.h"
#include "lib/modular/barrett.h"

/* `m` is a copy; `known` what kernels/modular/modular.h says of each, or where is_barrett
 * kernels/modular/barrett.h; NULL where the kernels don't take such numbers. */
struct mpgpu_batch_modulus {
    mpgpu_batch *m, *known;
    mp_limb_t *limbs; /* of m, on the host: from them both are made anew if a device is lost */
    bool is_even;     /* some are */
    bool is_barrett;
    bool is_normal; /* that, and all have their highest bits */
};

/* After MPGPU_LOST: if what was lost is m's, makes it anew and returns true.  m->known is another
 * batch then. */
bool modulus_is_renewed(mpgpu_batch_modulus *m);

#endif
