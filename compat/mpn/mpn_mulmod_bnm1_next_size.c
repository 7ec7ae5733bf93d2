/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sizes for products modulo B^n - 1: GMP's own, or a power of two close by.  At a power of two, a
 * device's cyclic product needs transforms of half the length (lib/multiply/mulmod.c).  GMP can
 * compute at this size, too, but takes up to 1.47 times the time of its own size (measured from
 * 2^13 to 2^19 limbs).
 *
 * A caller allocates scratch space by one call and multiplies by another.  So the choice of powers
 * of two is made once: at the first size that could become a power of two, if a device is ready
 * then. */
#include "compat/intercept/call.h"

#include <errno.h>

#include "lib/gmp/real.h"

enum { LEAST_POWER = 1 << 15, CLOSE = 16 }; /* shorter products gain little */

/* Smaller sizes are GMP's own; 0 until decided. */
static _Atomic size_t powers_from;

/* The least size that can have a power of two close by. */
enum { LEAST = LEAST_POWER - LEAST_POWER / CLOSE };

static bool has_device(size_t n) {
    int saved_errno = errno;
    call_init();
    session_look();
    errno = saved_errno;
    return !thresholds_is_small(n, &thresholds.mulmod) && session_ready() == OUTCOME_DONE &&
           !thresholds_is_small(n, &thresholds.mulmod); /* now the device's threshold */
}

/* Decides, too. */
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
