/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Moduli of batches (include/mpgpu.h). */
#ifndef MPGPU_BATCH_MODULUS_H
#define MPGPU_BATCH_MODULUS_H

#include "compat/batch/task.h"
#include "lib/modular/barrett.h"

/* `m` is a copy of the program's moduli. `known` has precomputed constants for each modulus, in
 * the format of kernels/modular/barrett.h if is_barrett, otherwise of modular.h. `known` is NULL
 * if no kernel can compute modulo numbers of this length. */
struct mpgpu_batch_modulus {
    mpgpu_batch *m, *known;
    /* The moduli on the host: `m` and `known` are computed again from them if a device is lost. */
    mp_limb_t *limbs;
    bool is_even; /* true if at least one modulus is even */
    bool is_barrett;
    /* true if is_barrett is set, and the highest bit of each modulus is 1 */
    bool is_normal;
};

/* Call it after an operation returned MPGPU_LOST. If m->m or m->known is lost, computes both again
 * from m->limbs, and returns true on success. m->known then points to a new batch, or is NULL. */
bool modulus_is_renewed(mpgpu_batch_modulus *m);

#endif
