/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thresholds in force. */
#include "lib/base/thresholds.h"

struct thresholds thresholds;

static _Atomic size_t *find(enum profile_threshold which) {
    switch (which) {
#define THRESHOLD(name, kind, of, initial, what)                                                   \
    case PROFILE_##name:                                                                           \
        return &thresholds.name;
#include "lib/base/profile.def"
#undef THRESHOLD
    default:
        return NULL;
    }
}

void thresholds_set(enum profile_threshold which, size_t limbs) {
    atomic_store(find(which), limbs);
    size_t mul = atomic_load(&thresholds.mul), sqr = atomic_load(&thresholds.sqr);
    atomic_store(&thresholds.product, mul < sqr ? mul : sqr);
}
