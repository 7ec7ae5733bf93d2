/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Moduli of batches (include/mpgpu.h), and operations modulo them by GMP's functions. */
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

/* An operation modulo m: u[0] by u[1], of n limbs, u[0] of u_limbs, u[1] of powers of e_limbs and
 * as many as there are; then m and what is known. */
struct modular_step {
    enum modular_kind kind;
    size_t count, n, u_limbs, e_limbs, e_count, m_count;
    bool is_barrett, is_normal; /* what is known */
};

/* All of them, as struct batch_task's by_gmp says. */
int modular_by_gmp(const struct modular_step *step, mp_limb_t *rp, const mp_limb_t *up,
                   const mp_limb_t *vp, const mp_limb_t *mp);

/* What is known of `count` moduli of n limbs: {known, ...}, and of each its kind; by the second
 * what kernels/modular/barrett.h says, and a kind's high half is the shift. */
int modular_known_by_gmp(mp_limb_t *known, mp_limb_t *kinds, const mp_limb_t *mp, size_t count,
                         size_t n);
int modular_reciprocals_by_gmp(mp_limb_t *known, mp_limb_t *kinds, const mp_limb_t *mp,
                               size_t count, size_t n);

#endif
