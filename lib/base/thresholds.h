/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thresholds in force, in limbs (lib/base/profile.def): those of the open device, or else the
 * smallest of all profiles.  Every call reads one without a lock (compat/intercept/call.h). */
#ifndef MPGPU_THRESHOLDS_H
#define MPGPU_THRESHOLDS_H

#include <stdatomic.h>
#include <stddef.h>

#include "lib/base/profile.h"

struct thresholds {
#define THRESHOLD(name, kind, of, initial, what) _Atomic size_t name;
#include "lib/base/profile.def"
#undef THRESHOLD
    _Atomic size_t product; /* the lesser of mul and sqr */
};

/* All are 0 until session_init, so that the first call takes the slow path, which initialises.
 * Read with acquire order: where one is not 0, compat/'s pointers to the real functions
 * are valid.  One may be newer than another: each call decides by one of them alone. */
extern __attribute__((visibility("hidden"))) struct thresholds thresholds;

/* From now on. */
void thresholds_set(enum profile_threshold which, size_t limbs);

#endif
