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

enum profile_threshold thresholds_kind(const _Atomic size_t *threshold) {
    size_t kind = (size_t)(threshold - (const _Atomic size_t *)&thresholds);
    return kind < PROFILE_THRESHOLDS ? (enum profile_threshold)kind : PROFILE_mul;
}

void thresholds_set(enum profile_threshold which, size_t limbs) {
    atomic_store(find(which), limbs);
    size_t mul = atomic_load(&thresholds.mul), sqr = atomic_load(&thresholds.sqr);
    atomic_store(&thresholds.product, mul < sqr ? mul : sqr);
}
