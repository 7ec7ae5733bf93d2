/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a call is caught.  Every intercepted function that computes has the same two parts (not so
 * the next_size functions, and those that set and get memory functions): a way past for small
 * operands, and a large part that is not inlined,
 *
 *     LARGE void mul_large(mpz_ptr w, ...) {
 *         CALL_DEVICE(CALL_ROW(mpz_mul), size, &thresholds.mul, limbs, product(w, ...),
 *                     real.mpz_mul(w, ...));
 *     }
 *
 *     EXPORT void mpz_mul(mpz_ptr w, ...) {
 *         INTERCEPT(is_small(...), real.mpz_mul(w, ...), mul_large(w, ...));
 *     }
 *
 * or CALL_COMPOSITE (composite_call.h) where the work is many products.
 *
 * The way past is three instructions, four where the size has to be loaded. Where the size that
 * decides is longer to compute, something simpler that is no less is compared first: nearly
 * all calls end there.  tests/performance/instructions.sh counts. */
#ifndef MPGPU_CALL_H
#define MPGPU_CALL_H

#include <gmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/base/min.h"
#include "lib/base/outcome.h"
#include "lib/base/stats_row.h"
#include "lib/base/thresholds.h"
#include "lib/dispatch/dispatch.h"
#include "lib/session/session.h"

#define EXPORT __attribute__((visibility("default")))
#define LARGE static __attribute__((noinline, cold))

/* The body of such a function: GMP's own below the threshold, else the large part. */
#define INTERCEPT(is_small, call_real, call_large) return (is_small) ? call_real : call_large

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
    ROW_mpgpu_expression_run,
    ROW_mpgpu_batch_cmp,
    ROW_mpgpu_batch_select,
    ROW_mpgpu_batch_mod,
    ROW_mpgpu_batch_mod_mul,
    ROW_mpgpu_batch_mod_pow,
    ROW_mpgpu_batch_gcd,
    ROW_mpgpu_batch_mod_inv,
    ROW_mpgpu_batch_tdiv_qr,
    ROW_mpgpu_number,
    ROW_mpgpu_tree,
    ROW_mpgpu_mandelbrot,
    ROW_flint_mpn_mul, /* of FLINT's: compat/flint */
    CALL_ALL_ROWS
};
_Static_assert((int)CALL_ALL_ROWS <= (int)STATS_MAX_ROWS, "each row is counted");
#define CALL_ROW_OF(symbol) ROW_##symbol
#define CALL_ROW(function) CALL_ROW_OF(function)

struct call {
    enum call_row row;
    int saved_errno;
    bool is_inner; /* made inside another, by what the library does for that one */
    size_t limbs;
    double start;  /* on stats_clock, if statistics are on */
    int64_t since; /* on event_clock: what the program has not paid for yet (session_pay); 0: all */
    struct dispatch_call dispatch;
};

/* The large part of a call that is one operation of the device.  Of the row, with `size` against
 * the threshold and `limbs` of operands: `on_device`, an expression with the outcome; where that is
 * not OUTCOME_DONE `by_gmp`, a statement. */
#define CALL_DEVICE(row, size, threshold, limbs, on_device, by_gmp)                                \
    do {                                                                                           \
        struct call call;                                                                          \
        bool is_ours = call_begin(&call, row, size, threshold, limbs);                             \
        enum outcome outcome = is_ours ? call_dispatch(&call, size, threshold) : OUTCOME_SMALL;    \
        if (outcome == OUTCOME_DONE)                                                               \
            outcome = on_device;                                                                   \
        if (is_ours && outcome != OUTCOME_DONE)                                                    \
            dispatch_give_up(&call.dispatch);                                                      \
        if (outcome != OUTCOME_DONE)                                                               \
            by_gmp;                                                                                \
        if (is_ours)                                                                               \
            call_end(&call, outcome);                                                              \
    } while (0)

/* Initialises at first use, and waits for the device where the options say so: is `size` not 0, and
 * then not below the threshold?  Not in a handler of a signal before all others.  errno stays. */
bool call_is_large(size_t size, const _Atomic size_t *threshold);

/* The same first.  `size` is the shorter operand's, `limbs` that of
 * both.  False: the caller is to call the real function and do no more: one of GMP's
 * inner calls, or small after all.  Else call_end must follow, and until then
 * intercepted functions that this thread calls are GMP's. */
bool call_begin(struct call *call, enum call_row row, size_t size, const _Atomic size_t *threshold,
                size_t limbs);

/* Then: is the device to be tried?  OUTCOME_DONE, or why GMP computes it at once. */
enum outcome call_dispatch(struct call *call, size_t size, const _Atomic size_t *threshold);
enum outcome call_dispatch_composite(struct call *call, size_t size,
                                     const _Atomic size_t *threshold);

/* After the device's work, or the real function's where the outcome is not OUTCOME_DONE.  The
 * statistics count an inner call as part of the outermost, which was sent if one inside was. */
void call_end(struct call *call, enum outcome outcome);

/* Between these a call's inner calls are caught as if the program had made them:
 * for GMP's functions that take the time themselves. */
void call_open(void);
void call_close(struct call *call);

/* Everything that the first call does: resolve, read options.  Once; any thread.  False if that has
 * to wait for another call, since this one comes from a handler of a signal: GMP's functions are
 * there, thresholds and options are not. */
bool call_init(void);

/* A call has come, small or large: call_init has returned true. */
bool call_has_come(void);

/* Operations that a device has computed so far. */
unsigned long call_sent(void);

#endif
