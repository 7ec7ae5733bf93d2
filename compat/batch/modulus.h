/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Moduli of batches (include/mpgpu.h). */
#ifndef MPGPU_BATCH_MODULUS_H
#define MPGPU_BATCH_MODULUS_H

#include "compat/batch/task.h"
#include "lib/modular/barrett.h"

/* `m` is a copy.  `known` has the constants of each modulus: of kernels/modular/barrett.h if
 * is_barrett, otherwise of kernels/modular/modular.h.  It is NULL if the kernels don't support such
 * lengths. */
struct mpgpu_batch_modulus {
    mpgpu_batch *m, *known;
    mp_limb_t *limbs; /* of m, on the host: to compute both again if a device is lost */
    bool is_even;     /* some are */
    bool is_barrett;
    bool is_normal; /* that, and all have their highest bits */
};

/* Call it after MPGPU_LOST: if a batch of m was lost, computes it again and returns true.  m->known
 * is another batch then. */
bool modulus_is_renewed(mpgpu_batch_modulus *m);

#endif
