/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses sizes n for products modulo B^n - 1 (B = 2^64): the size that GMP chooses, or a power of
 * two that is little larger. For a power of two, a device needs transforms of half the length
 * (lib/multiply/mulmod.c). Powers of two are used if a device is ready at the first call with a
 * large size. This decision is final, because a caller may ask twice for the same size and needs
 * the same answer. */
#include "compat/intercept/call.h"

#include <errno.h>

#include "lib/gmp/real.h"

/* LEAST_POWER: the least power of two that is chosen; shorter products gain little. CLOSE: a power
 * may exceed GMP's size by 1/CLOSE of that size. */
enum { LEAST_POWER = 1 << 15, CLOSE = 16 };

/* The least size for which a power of two may be chosen. It is 0 until the first call with a large
 * n, and SIZE_MAX if no device was ready then. */
static _Atomic size_t powers_from;

/* No smaller size is replaced by a power of two: LEAST_POWER exceeds it by 1/CLOSE of
 * LEAST_POWER. */
enum { LEAST = LEAST_POWER - LEAST_POWER / CLOSE };

static bool has_device(size_t n) {
    int saved_errno = errno;
    call_init();
    session_look();
    errno = saved_errno;
    return !thresholds_is_small(n, &thresholds.mulmod) && session_ready() == OUTCOME_DONE &&
           /* compared again, because session_ready may have set the threshold */
           !thresholds_is_small(n, &thresholds.mulmod);
}

/* Returns true if n may not become a power of two. At the first call with a large n, decides
 * whether powers of two are used. */
LARGE bool keeps_own(size_t n) {
    size_t undecided = 0;
    if (n < LEAST)
        call_init();
    else if (atomic_load(&powers_from) == undecided)
        atomic_compare_exchange_strong(&powers_from, &undecided, has_device(n) ? LEAST : SIZE_MAX);
    return n < LEAST || thresholds_is_small(n, &powers_from);
}

static mp_size_t choose(mp_size_t n, mp_size_t own) {
    mp_size_t power = LEAST_POWER;
    while (power < n)
        power *= 2;
    return power - own <= own / CLOSE ? power : own;
}

EXPORT mp_size_t mpn_mulmod_bnm1_next_size(mp_size_t n) {
    if (thresholds_is_small((size_t)n, &powers_from) || keeps_own((size_t)n))
        return real.mpn_mulmod_bnm1_next_size(n);
    return choose(n, real.mpn_mulmod_bnm1_next_size(n));
}

EXPORT mp_size_t mpn_sqrmod_bnm1_next_size(mp_size_t n) {
    if (thresholds_is_small((size_t)n, &powers_from) || keeps_own((size_t)n))
        return real.mpn_sqrmod_bnm1_next_size(n);
    return choose(n, real.mpn_sqrmod_bnm1_next_size(n));
}
