/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a call is intercepted.  Every intercepted function that computes has two parts: a fast path
 * to GMP for small operands, and a large part that is not inlined. (The next_size functions and the
 * functions that set and get memory functions differ.)
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
 * or CALL_COMPOSITE (composite_call.h) if the work consists of many products.
 *
 * The fast path has three instructions, or four if the size must be loaded.  If the deciding size
 * takes longer to compute, an upper bound is compared first: nearly all calls end there.
 * tests/performance/instructions.sh counts the instructions. */
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

/* The body of such a function: calls GMP's function below the threshold, otherwise the large
 * part. */
#define INTERCEPT(is_small, call_real, call_large) return (is_small) ? call_real : call_large

/* For an intercepted function's seventh argument, which the fast path leaves on the stack: gcc
 * would load it and store it again. */
#define ON_STACK volatile

/* Rows of the statistics; CALL_ROW(mpz_mul) with gmp.h's name. */
enum call_row {
#define FUNCTION(symbol, type, parameters, arguments) ROW_##symbol,
#include "lib/gmp/functions.def"
#undef FUNCTION
    CALL_ROWS, /* the number of GMP's intercepted functions; then the library's own functions: */
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
    bool is_inner; /* inside a call whose inner calls are intercepted */
    size_t size, limbs;
    const _Atomic size_t *threshold; /* that `size` was compared with */
    double start;                    /* on stats_clock, if statistics are on */
    int64_t since; /* event_clock of the time not credited yet (session_pay); 0: all is credited */
    struct dispatch_call dispatch;
};

/* The large part of a call that is one operation of the device.  Counts the call in `row`, with
 * `limbs` limbs of operands.  If `size` reaches the threshold, evaluates `on_device`, whose value
 * is the outcome.  Executes the statement `by_gmp` unless the outcome is OUTCOME_DONE. */
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

/* Returns true if `size` is neither 0 nor below the threshold.  The first call initialises the
 * library, and waits for the device if the options demand it.  A first call in a signal handler
 * returns false instead.  Preserves errno if it returns true. */
bool call_is_large(size_t size, const _Atomic size_t *threshold);

/* Begins a large call, initialising the library as call_is_large.  `size` is the size of the
 * shorter operand, `limbs` of both.  Returns false if the caller must call the real function and do
 * no more: the call is one of GMP's inner calls, or is small.  Otherwise call_end must follow;
 * until then, intercepted functions that this thread calls are GMP's. */
bool call_begin(struct call *call, enum call_row row, size_t size, const _Atomic size_t *threshold,
                size_t limbs);

/* Decides after call_begin whether the device is tried.  Returns OUTCOME_DONE if so, otherwise why
 * GMP computes the call. */
enum outcome call_dispatch(struct call *call, size_t size, const _Atomic size_t *threshold);
enum outcome call_dispatch_composite(struct call *call, size_t size,
                                     const _Atomic size_t *threshold);

/* Ends the call, after the device's work, or after the real function if the outcome is not
 * OUTCOME_DONE.  The statistics count an inner call as part of the outermost call, which counts as
 * sent if any inner call was. */
void call_end(struct call *call, enum outcome outcome);

/* Between call_open and call_close, GMP's inner calls are intercepted as if the program had made
 * them.  Used if GMP computes a composite operation. */
void call_open(void);
void call_close(struct call *call);

/* Initialises the library at the first call, once: resolves GMP's functions and reads the options.
 * Any thread.  Returns false in a signal handler: GMP's functions are resolved, but a later call
 * reads thresholds and options. */
bool call_init(void);

/* Returns true once call_init has returned true, for a small or large call. */
bool call_has_come(void);

/* Returns the number of operations that devices have computed. */
unsigned long call_sent(void);

#endif
