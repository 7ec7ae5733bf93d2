/* SPDX-License-Identifier: LGPL-3.0-or-later
 * AVX-512 IFMA: instructions that add the low or the high 52 bits of eight products of 52 bits to
 * sums of 64 bits. */
#ifndef MPGPU_IFMA_H
#define MPGPU_IFMA_H

#include <stdbool.h>

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

/* The compiler can compile functions that use the instructions; they have the attribute IFMA_CODE.
 */
#define HAVE_IFMA_CODE 1
#define IFMA_CODE __attribute__((target("avx512f,avx512dq,avx512ifma")))
#endif

/* Returns true if HAVE_IFMA_CODE is defined and the CPU has the instructions. */
static inline bool ifma_is_usable(void) {
#ifdef HAVE_IFMA_CODE
    return __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512dq");
#else
    return false;
#endif
}

#endif
