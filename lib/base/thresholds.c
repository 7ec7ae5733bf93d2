/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thresholds in force. */
#include "lib/base/thresholds.h"

struct thresholds thresholds;

static _Atomic size_t *const limbs_of[PROFILE_THRESHOLDS] = {
#define THRESHOLD(name, kind, of, initial, what) &thresholds.name,
#include "lib/base/profile.def"
#undef THRESHOLD
};

void thresholds_set(enum profile_threshold which, size_t limbs) {
    atomic_store(limbs_of[which], limbs);
    size_t mul = atomic_load(&thresholds.mul), sqr = atomic_load(&thresholds.sqr);
    atomic_store(&thresholds.product, mul < sqr ? mul : sqr);
}
