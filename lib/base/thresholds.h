/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thresholds in force, in limbs (lib/base/profile.def): those of the open device, or, until one
 * is open, the smallest of all profiles. Every intercepted call compares its size with a threshold,
 * without a lock, in two or three instructions. */
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

/* All are 0 until session_init, so that the first call takes the slow path, which initialises the
 * library. Reads use acquire order: if a threshold is not 0, the pointers to GMP's own functions
 * are valid. Thresholds may be changed one by one, because each call reads only one. */
extern __attribute__((visibility("hidden"))) struct thresholds thresholds;

/* Sets a threshold. */
void thresholds_set(enum profile_threshold which, size_t limbs);

/* Returns the kind of a threshold: which field of `thresholds` it is. Returns PROFILE_mul for
 * `product`, the lesser of mul and sqr. */
enum profile_threshold thresholds_kind(const _Atomic size_t *threshold);

/* Returns true if a size is below a threshold. All thresholds are 0 until the first call has
 * initialised them. The acquire order makes the pointers to GMP's own functions valid whenever this
 * returns true. Uses assembly, because gcc would emit two instructions on x86 where one
 * suffices. */
static inline bool thresholds_is_small(size_t size, const _Atomic size_t *threshold) {
#if defined __x86_64__ && defined __GCC_ASM_FLAG_OUTPUTS__ && !defined __SANITIZE_THREAD__
    int above;
    __asm__ volatile("cmpq %1, %2" : "=@cca"(above) : "re"(size), "m"(*threshold) : "memory");
    return __builtin_expect(above, 1);
#else
    return __builtin_expect(size < atomic_load_explicit(threshold, memory_order_acquire), 1);
#endif
}

/* Does the same as thresholds_is_small for the absolute value of *size, the signed size of an mpz,
 * mpq or mpf. Compares size and -size as unsigned numbers: one is the absolute value, the other is
 * no smaller. */
static inline bool thresholds_magnitude_is_small(const int *size, const _Atomic size_t *threshold) {
    return thresholds_is_small((unsigned)*size, threshold) ||
           thresholds_is_small(-(unsigned)*size, threshold);
}

/* Returns true if the smaller of two signed sizes is below the threshold. */
static inline bool thresholds_one_is_small(const int *un, const int *vn,
                                           const _Atomic size_t *threshold) {
    return thresholds_magnitude_is_small(un, threshold) ||
           thresholds_magnitude_is_small(vn, threshold);
}

/* Returns the threshold for the product {up, un} * {vp, vn}: that of squares if pointers and sizes
 * are equal. */
static inline const _Atomic size_t *thresholds_of_product(const void *up, size_t un, const void *vp,
                                                          size_t vn) {
    return up == vp && un == vn ? &thresholds.sqr : &thresholds.mul;
}

/* Returns true if the product {up, un} * {vp, vn}, un >= vn, is below its threshold. */
static inline bool thresholds_product_is_small(const void *up, size_t un, const void *vp,
                                               size_t vn) {
    return thresholds_is_small(vn, &thresholds.product) ||
           thresholds_is_small(vn, thresholds_of_product(up, un, vp, vn));
}

#endif
