/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thresholds in force, in limbs (lib/base/profile.def): of the device that is open, or else the
 * smallest of any profile.  Every intercepted call compares its size with one, without a lock, in
 * two or three instructions (tests/performance/instructions.sh counts). */
#ifndef MPGPU_THRESHOLDS_H
#define MPGPU_THRESHOLDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/profile.h"

struct thresholds {
#define THRESHOLD(name, kind, of, initial, what) _Atomic size_t name;
#include "lib/base/profile.def"
#undef THRESHOLD
    _Atomic size_t product; /* the lesser of mul and sqr */
};

/* All are 0 until session_init, so that the first call takes the slow way, which initialises.
 * Read with acquire order: where one is not 0, the pointers to GMP's own functions
 * are there.  One may be newer than another: what is sent is decided once, by one of them. */
extern __attribute__((visibility("hidden"))) struct thresholds thresholds;

/* From now on. */
void thresholds_set(enum profile_threshold which, size_t limbs);

/* Is a size below a threshold?  All are 0 until the first call has initialised.  The acquire makes
 * the pointers to GMP's own functions valid wherever this is true.  Of an atomic load and a
 * compare gcc makes two instructions; on x86 one does both, and each load acquires. */
static inline bool thresholds_is_small(size_t size, const _Atomic size_t *threshold) {
#if defined __x86_64__ && defined __GCC_ASM_FLAG_OUTPUTS__ && !defined __SANITIZE_THREAD__
    int above;
    __asm__ volatile("cmpq %1, %2" : "=@cca"(above) : "re"(size), "m"(*threshold) : "memory");
    return __builtin_expect(above, 1);
#else
    return __builtin_expect(size < atomic_load_explicit(threshold, memory_order_acquire), 1);
#endif
}

/* The magnitude of a size with its sign, as mpz, mpq and mpf have it.  As unsigned numbers the
 * size and its negative are the magnitude and something that is no less.  Most are positive: it is
 * loaded again where it is not. */
static inline bool thresholds_magnitude_is_small(const int *size, const _Atomic size_t *threshold) {
    return thresholds_is_small((unsigned)*size, threshold) ||
           thresholds_is_small(-(unsigned)*size, threshold);
}

/* The smaller of two such sizes. */
static inline bool thresholds_one_is_small(const int *un, const int *vn,
                                           const _Atomic size_t *threshold) {
    return thresholds_magnitude_is_small(un, threshold) ||
           thresholds_magnitude_is_small(vn, threshold);
}

/* That of {up, un} * {vp, vn}: a square where the pointers and the sizes are the same. */
static inline const _Atomic size_t *thresholds_of_product(const void *up, size_t un, const void *vp,
                                                          size_t vn) {
    return up == vp && un == vn ? &thresholds.sqr : &thresholds.mul;
}

/* Is such a product small?  un >= vn. */
static inline bool thresholds_product_is_small(const void *up, size_t un, const void *vp,
                                               size_t vn) {
    return thresholds_is_small(vn, &thresholds.product) ||
           thresholds_is_small(vn, thresholds_of_product(up, un, vp, vn));
}

#endif
