/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A mock device: the interfaces of lib/operate and lib/session, computed by GMP's own functions. */
#ifndef MPGPU_MOCK_H
#define MPGPU_MOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/outcome.h"

/* What becomes of a right result: it stays, is lost, or is wrong in a bit or in the order
 * of its limbs. */
/* Products of at most these limbs are launched together. */
enum { MOCK_SMALL = 200 };

enum mock_behaviour { COMPUTES, FAILS, ERRS, BEHAVIOURS };

struct mock {
    /* Set by a test: */
    enum mock_behaviour behaviour;
    bool any_behaviour;              /* another one at each call */
    bool fails_at_times;             /* at every third */
    bool wraps;                      /* products modulo B^n - 1 exist in every size */
    enum outcome failure, readiness; /* why it fails; session_ready's result */
    size_t threshold;                /* of all, at the first call */
    double seconds;                  /* in kernels, that each call says it took */
    /* What came: */
    _Atomic int calls, faults;
    _Atomic int wrapped;  /* of the calls: products modulo B^n - 1 */
    _Atomic int several;  /* products together: how often */
    _Atomic size_t limbs; /* of all results */
};
extern struct mock mock;

#endif
