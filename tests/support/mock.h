/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A mock device: it implements the interfaces of lib/operate and lib/session by GMP's own
 * functions. */
#ifndef MPGPU_MOCK_H
#define MPGPU_MOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/outcome.h"

/* Products of at most this many limbs can be launched together. */
enum { MOCK_SMALL = 200 };

/* What the mock does with the right result. COMPUTES: returns it. FAILS: returns a failure and no
 * result. ERRS: returns it with a wrong bit, or with two limbs swapped. */
enum mock_behaviour { COMPUTES, FAILS, ERRS, BEHAVIOURS };

struct mock {
    /* Members that a test sets: */
    enum mock_behaviour behaviour;
    bool any_behaviour;  /* the behaviour changes with each call, in the order of the enum */
    bool fails_at_times; /* at every third */
    bool wraps;          /* if set, products modulo B^n - 1 are supported for every n */
    /* failure: the outcome of calls that fail.  readiness: the result of session_ready */
    enum outcome failure, readiness;
    size_t threshold; /* the threshold of products, read at the first call */
    double seconds;   /* time in kernels that each call reports, in seconds */
    /* What came: */
    _Atomic int calls, faults;
    _Atomic int wrapped;  /* number of calls that computed products modulo B^n - 1 */
    _Atomic int several;  /* number of calls that computed several products together */
    _Atomic size_t limbs; /* of all results */
};
extern struct mock mock;

#endif
