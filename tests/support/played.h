/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A device that is played: what compat/ asks of lib/, computed by GMP's own functions. */
#ifndef MPGPU_TESTS_PLAYED_H
#define MPGPU_TESTS_PLAYED_H

#include <stddef.h>

#include "lib/base/why.h"

/* What becomes of a right result: it stays, is lost, or is wrong in a bit or in the order
 * of its limbs. */
enum played_behaviour { COMPUTES, FAILS, ERRS, BEHAVIOURS };

struct played {
    /* As a test has it: */
    enum played_behaviour behaviour;
    int any_behaviour;  /* another one at each call */
    int fails_at_times; /* at every third */
    int wraps;          /* has rings modulo B^n - 1 of every size for mpgpu_minus_size */
    enum mpgpu_why failure, readiness; /* why it fails; what it says before */
    size_t threshold;                  /* of all, at the first call */
    double seconds;                    /* in kernels, that each call says it took */
    /* What came: */
    _Atomic int calls, faults;
    _Atomic int wrapped;  /* of the calls: products modulo B^n - 1 */
    _Atomic size_t limbs; /* of all results */
};
extern struct played played;

#endif
