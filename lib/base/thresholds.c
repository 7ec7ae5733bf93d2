/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thresholds in force. */
#include "lib/base/thresholds.h"

struct session_thresholds session_thresholds;

static _Atomic size_t *const limbs_of[PROFILE_THRESHOLDS] = {
#define THRESHOLD(name, kind, of, initial, what) &session_thresholds.name,
#include "lib/base/profile.def"
#undef THRESHOLD
};

void session_set_threshold(enum profile_threshold which, size_t limbs) {
    atomic_store(limbs_of[which], limbs);
    size_t mul = atomic_load(&session_thresholds.mul), sqr = atomic_load(&session_thresholds.sqr);
    atomic_store(&session_thresholds.product, mul < sqr ? mul : sqr);
}
