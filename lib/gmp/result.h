/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory for a result that must not overlap its operands: the destination's own
 * limbs where they will do, else fresh ones. These become its own only where its
 * own are too few: some are not to be freed, as GMP's temporaries on the stack. */
#ifndef MPGPU_RESULT_H
#define MPGPU_RESULT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

struct result {
    mpz_ptr w;
    mpz_t fresh;
    bool is_fresh;
    mp_ptr rp; /* where the result is written */
};

/* `limbs` limbs for w = f({up, ...}, {vp, ...}).  False where an mpz cannot
 * hold them.  If w is no operand its value may be lost, as GMP does it. */
bool result_open(struct result *t, mpz_ptr w, mp_srcptr up, mp_srcptr vp, size_t limbs);

/* w is {rp, n}, which may have zero limbs at its top, negated if asked. */
void result_keep(struct result *t, size_t n, bool negative);

/* Nothing came of it: operands and, if it is one of them, w are what they were. */
void result_drop(struct result *t);

#endif
