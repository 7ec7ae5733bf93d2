/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests of functions on limbs: results, guard limbs round them, operands left alone. */
#ifndef MPGPU_DIFFERENTIAL_LIMBS_H
#define MPGPU_DIFFERENTIAL_LIMBS_H

#include "tests/differential/differential.h"

/* One operation: {rp, rn} = f({up, un}, {vp, vn}). */
struct limbs {
    size_t un, vn, rn; /* rn limbs are written */
    mp_srcptr up, vp;
    size_t modulus; /* limbs of the modulus, if the function has one */
    mp_ptr scratch; /* `scratch_limbs` limbs */
    size_t scratch_limbs;
};

struct limbs_function {
    const char *name, *how;
    /* Chooses random sizes; vp is up (or inside it) already if `how` wants it. */
    void (*shape)(struct run *run, struct limbs *l);
    enum { OTHER, ITSELF } second; /* what vp is */
    /* Returns f's limb, 0 if f returns none. */
    mp_limb_t (*apply)(const struct reference *f, mp_ptr rp, const struct limbs *l);
};

/* A differential_case's run; `how` is a struct limbs_function. */
int limbs_run(struct run *run, const void *how);

#endif
