/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests of functions on limbs: compares results, checks that guard limbs around them and the
 * operands do not change. */
#ifndef MPGPU_DIFFERENTIAL_LIMBS_H
#define MPGPU_DIFFERENTIAL_LIMBS_H

#include "tests/differential/differential.h"

/* The operands of one call: {rp, rn} = f({up, un}, {vp, vn}). */
struct limbs {
    size_t un, vn, rn; /* the function writes rn limbs */
    mp_srcptr up, vp;
    size_t modulus; /* limbs of the modulus, if the function has one */
    mp_ptr scratch; /* `scratch_limbs` limbs */
    size_t scratch_limbs;
};

struct limbs_function {
    const char *name, *how;
    /* Sets the sizes in `l` at random.  If `second` is ITSELF, vp points to the first operand,
     * {up, un}. */
    void (*shape)(struct run *run, struct limbs *l);
    enum { OTHER, ITSELF } second; /* what vp is */
    /* Calls f.  Returns the limb that f returns, or 0 if f returns none. */
    mp_limb_t (*apply)(const struct reference *f, mp_ptr rp, const struct limbs *l);
};

/* The `run` of a differential_case whose `how` is a struct limbs_function. */
int limbs_run(struct run *run, const void *how);

#endif
