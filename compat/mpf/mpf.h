/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Common parts of operations on mpf: which limbs of an operand count, and how a result is
 * truncated. */
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

/* Returns u if it has n limbs.  If it has fewer, copies them to {tp, n} with zeros below. */
mp_srcptr mpf_lengthen(struct mpf_limbs u, size_t n, mp_ptr tp);

/* r = {tp, n} / B^n * B^exp, negated if asked: without a zero limb at the top, and cut to
 * one limb more than r's precision.  tp is not r's. */
void mpf_keep(mpf_ptr r, mp_srcptr tp, size_t n, mp_exp_t exp, int negative);

#endif
