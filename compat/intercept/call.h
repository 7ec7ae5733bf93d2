/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What every intercepted function does around its work.  Such a function is
 *
 *     if (call_is_small(size, &thresholds.mul))
 *         return real.function(...);
 *     return function_large(...);
 *
 * and its large part asks call_begin, works, lets the real function compute what
 * the device did not, and ends with call_end.
 *
 * The way past is three instructions, four where the size has to be loaded. Where the size that
 * decides is longer to compute, something simpler that is no less is compared first: nearly
 * all calls end there.  tests/performance/instructions.sh counts. */
#ifndef MPGPU_CALL_H
#define MPGPU_CALL_H

#include <gmp.h>
#include <stdatomic.h>
#include <stddef.h>

#include "lib/base/thresholds.h"
#include "lib/session/session.h"
#include "lib/base/min.h"
#include "lib/base/outcome.h"

#define EXPORT __attribute__((visibility("default")))
#define LARGE static __attribute__((noinline, cold))

/* For an intercepted function's seventh argument, which stays where it is on the way past: gcc
 * would load it and store it again. */
#define ON_STACK volatile

/* Rows of the statistics; CALL_ROW(mpz_mul) with gmp.h's name. */
enum call_row {
#define FUNCTION(symbol, type, parameters, arguments) ROW_##symbol,
#include "lib/gmp/functions.def"
#undef FUNCTION
    CALL_ROWS, /* so many intercepted functions; and of our own: */
    ROW_mpgpu_batch_mul = CALL_ROWS,
    ROW_mpgpu_batch_sum,
    CALL_ALL_ROWS
};
#define CALL_ROW_OF(symbol) ROW_##symbol
#define CALL_ROW(function) CALL_ROW_OF(function)

/* The way past.  All thresholds are 0 until the first call has initialised. The
 * acquire makes the pointers in `real` valid wherever this is nonzero.  Of an atomic load and a
 * compare gcc makes two instructions; on x86 one does both, and each load acquires. */
static inline int call_is_small(size_t size, const _Atomic size_t *threshold) {
#if defined __x86_64__ && defined __GCC_ASM_FLAG_OUTPUTS__ && !defined __SANITIZE_THREAD__
    int above;
    __asm__ volatile("cmpq %1, %2" : "=@cca"(above) : "re"(size), "m"(*threshold) : "memory");
    return __builtin_expect(above, 1);
#else
    return __builtin_expect(size < atomic_load_explicit(threshold, memory_order_acquire), 1);
#endif
}

/* For the magnitude of a size with its sign, as mpz, mpq and mpf have it.  As unsigned numbers the
 * size and its negative are the magnitude and something that is no less.  Most are positive: it is
 * loaded again where it is not. */
static inline int call_magnitude_is_small(const int *size, const _Atomic size_t *threshold) {
    return call_is_small((unsigned)*size, threshold) || call_is_small(-(unsigned)*size, threshold);
}

/* For the smaller of two such sizes. */
static inline int call_one_is_small(const int *un, const int *vn, const _Atomic size_t *threshold) {
    return call_magnitude_is_small(un, threshold) || call_magnitude_is_small(vn, threshold);
}

/* That of {up, un} * {vp, vn}: a square where the pointers and the sizes are the same. */
static inline const _Atomic size_t *call_product_threshold(mp_srcptr up, size_t un, mp_srcptr vp,
                                                           size_t vn) {
    return up == vp && un == vn ? &thresholds.sqr : &thresholds.mul;
}

/* For that, un >= vn. */
static inline int call_product_is_small(mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    return call_is_small(vn, &thresholds.product) ||
           call_is_small(vn, call_product_threshold(up, un, vp, vn));
}

struct call {
    int row;
    int saved_errno;
    int is_inner; /* made inside another, by what the library does for that one */
    size_t limbs;
    double start; /* on stats_clock, if statistics are on */
};

/* Initialises at first use, and waits for the device where the options say so: is `size` not 0, and
 * then not below the threshold?  Not in a handler of a signal before all others.  errno stays. */
int call_is_large(size_t size, const _Atomic size_t *threshold);

/* The same first.  `size` is the shorter operand's, `limbs` that of
 * both.  0: the caller is to call the real function and do no more: one of GMP's
 * inner calls, or small after all. Else call_end must follow, and until then
 * intercepted functions that this thread calls are GMP's. */
int call_begin(struct call *call, enum call_row row, size_t size, const _Atomic size_t *threshold,
               size_t limbs);

/* After the device's work, or the real function's where why is not OUTCOME_DONE.  The statistics
 * count an inner call as part of the outermost, which was sent if one inside was. */
void call_end(const struct call *call, enum outcome why);

/* Between these a call's inner calls are caught as if the program had made them:
 * for GMP's functions that take the time themselves. */
void call_open(void);
void call_close(const struct call *call);

/* Everything that the first call does: resolve, read options.  Once; any thread.  0 if that has to
 * wait for another call, since this one comes from a handler of a signal: GMP's functions are
 * there, thresholds and options are not. */
int call_init(void);

/* Operations that a device has computed so far. */
unsigned long call_sent(void);

#endif
