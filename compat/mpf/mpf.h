/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Common parts of operations on mpf: they select the limbs of an operand that affect the result,
 * and truncate the result. */
#ifndef MPGPU_MPF_H
#define MPGPU_MPF_H

#include <stdlib.h>

#include "compat/intercept/call.h"

struct mpf_limbs {
    mp_srcptr p;
    size_t n;
};

static inline size_t mpf_size_of(mpf_srcptr x) {
    return (size_t)abs(x->_mp_size);
}

/* Returns the highest `most` limbs of x, or all if x has fewer. */
struct mpf_limbs mpf_upper(mpf_srcptr x, size_t most);

/* Returns the limbs of u, extended to n limbs: if u has fewer, copies them to the top of {tp, n}
 * and sets the lower limbs to zero. */
mp_srcptr mpf_lengthen(struct mpf_limbs u, size_t n, mp_ptr tp);

/* Sets r to {tp, n} / B^n * B^exp (B = 2^64), negated if `negative`. Removes a zero limb at the
 * top, and truncates to one limb more than r's precision. tp does not overlap r's limbs. */
void mpf_keep(mpf_ptr r, mp_srcptr tp, size_t n, mp_exp_t exp, int negative);

#endif
