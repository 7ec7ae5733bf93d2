/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thresholds in force. */
#include "thresholds.h"

#include <stdint.h>

struct session_thresholds session_thresholds, session_squares;
_Atomic unsigned session_add_of_mpz;

static _Atomic size_t *const limbs_of[PROFILE_THRESHOLDS] = {
#define THRESHOLD(name, kind, of, initial, what) &session_thresholds.name,
#include "profile.def"
#undef THRESHOLD
};

static _Atomic size_t *const square_of[PROFILE_THRESHOLDS] = {
#define THRESHOLD(name, kind, of, initial, what) &session_squares.name,
#include "profile.def"
#undef THRESHOLD
};

static void set(_Atomic size_t *threshold, _Atomic size_t *square, size_t limbs) {
    atomic_store(threshold, limbs);
    atomic_store(square, limbs > UINT32_MAX ? SIZE_MAX : limbs * limbs);
}

void session_set_threshold(enum profile_threshold which, size_t limbs) {
    set(limbs_of[which], square_of[which], limbs);
    size_t mul = atomic_load(&session_thresholds.mul), sqr = atomic_load(&session_thresholds.sqr);
    set(&session_thresholds.product, &session_squares.product, mul < sqr ? mul : sqr);
    size_t add = atomic_load(&session_thresholds.add), most = (size_t)1 << 31;
    atomic_store(&session_add_of_mpz, (unsigned)(add < most ? add : most));
}
