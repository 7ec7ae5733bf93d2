/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers for what is known in another process: a bit each, set while it is in use. */
#include "gpu/remote/remote_numbers.h"

/* The lowest of a word that is not in use, or 64. */
static unsigned take_from(_Atomic uint64_t *word) {
    uint64_t used = atomic_load(word);
    while (~used) {
        unsigned i = (unsigned)__builtin_ctzll(~used);
        if (atomic_compare_exchange_weak(word, &used, used | UINT64_C(1) << i))
            return i;
    }
    return 64;
}

bool remote_numbers_take(_Atomic uint64_t *set, unsigned count, uint32_t *number) {
    for (unsigned k = 0; k < count / 64; k++) {
        unsigned i = take_from(&set[k]);
        if (i < 64) {
            *number = 64 * k + i;
            return true;
        }
    }
    return false;
}

void remote_numbers_give(_Atomic uint64_t *set, uint32_t number) {
    atomic_fetch_and(&set[number / 64], ~(UINT64_C(1) << number % 64));
}
