/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sets all thresholds, for tests with a mock session. */
#ifndef MPGPU_TEST_THRESHOLDS_H
#define MPGPU_TEST_THRESHOLDS_H

#include "lib/base/conf.h"
#include "lib/base/profile.h"
#include "lib/base/thresholds.h"

/* Sets the thresholds of products, squares, products modulo B^n - 1 and sums to `limbs`, and the
 * other thresholds to multiples of it.  Switches off all other rules for the choice between GMP and
 * the device. */
static inline void thresholds_set_all(size_t limbs) {
    struct profile p;
    mpgpu_conf.dispatch = DISPATCH_FIXED;
    profile_clear(&p);
    p.value[PROFILE_mul] = p.value[PROFILE_sqr] = limbs;
    p.value[PROFILE_mulmod] = p.value[PROFILE_add] = limbs;
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        thresholds_set(i, profile_limbs(&p, i));
}

#endif
