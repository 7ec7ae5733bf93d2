/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a call is intercepted. Each intercepted function has two parts: a fast path, which calls GMP
 * for small operands, and a large part, which is not inlined.
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
 * A composite operation, which consists of many products, uses CALL_COMPOSITE (composite_call.h).
 *
 * The fast path has three instructions, or four if it loads the size. If the size is costly to
 * compute, the fast path compares an upper bound first, which decides nearly all calls.
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
#include "lib/gmp/memory.h"
#include "lib/session/session.h"

#define EXPORT __attribute__((visibility("default")))
#define LARGE static __attribute__((noinline, cold))

/* The body of an intercepted function: calls GMP's function if the operands are small, otherwise
 * call_large, the code for large operands. */
#define INTERCEPT(is_small, call_real, call_large) return (is_small) ? call_real : call_large

/* Declares the seventh argument of an intercepted function, which is passed on the stack. Otherwise
 * gcc would load the argument and store it on the stack again in the fast path. */
#define ON_STACK volatile

/* Rows of the statistics. CALL_ROW(mpz_mul) is the row of mpz_mul, named as in gmp.h. */
enum call_row {
#define FUNCTION(symbol, type, parameters, arguments) ROW_##symbol,
#include "lib/gmp/functions.def"
#undef FUNCTION
    CALL_ROWS, /* the number of GMP's functions; the rows below belong to other functions */
    ROW_mpgpu_batch_mul = CALL_ROWS,
    ROW_mpgpu_batch_sum,
    ROW_mpgpu_expression_run,
    ROW_mpgpu_batch_cmp,
    ROW_mpgpu_batch_select,
    ROW_mpgpu_matrix_mul,
    ROW_mpgpu_matrix_solve,
    ROW_mpgpu_batch_mod,
    ROW_mpgpu_batch_mod_mul,
    ROW_mpgpu_batch_mod_pow,
    ROW_mpgpu_batch_gcd,
    ROW_mpgpu_batch_mod_inv,
    ROW_mpgpu_batch_tdiv_qr,
    ROW_mpgpu_number,
    ROW_mpgpu_tree,
    ROW_mpgpu_poly,
    ROW_mpgpu_mandelbrot,
    ROW_flint_mpn_mul,  /* one row for FLINT's products of limbs (compat/flint) */
    ROW_flint_poly_mul, /* one row for FLINT's products of polynomials */
    ROW_fmpz_mat_mul,
    CALL_ALL_ROWS
};
_Static_assert((int)CALL_ALL_ROWS <= (int)STATS_MAX_ROWS, "each row is counted");
#define CALL_ROW_OF(symbol) ROW_##symbol
#define CALL_ROW(function) CALL_ROW_OF(function)

struct call {
    enum call_row row;
    int saved_errno;
    bool is_inner; /* GMP made this call inside another one (call_open) */
    size_t size, limbs;
    const _Atomic size_t *threshold; /* the threshold of this operation */
    double start;                    /* the time on stats_clock, or 0 without statistics */
    /* GMP's time in this call is counted up to this time on event_clock (session_add_gmp_time). 0
     * if GMP's time is not needed. */
    int64_t since;
    struct dispatch_call dispatch;
    /* Set by call_results: GMP's scratch memory in this call is the library's, and `fresh` ns were
     * spent on first writes to pages of the results. */
    bool has_results;
    uint64_t fresh;
    struct memory_scratch scratch;
};

/* The code for large operands in a function that the device computes as one operation. Counts the
 * call and its `limbs` limbs of operands in `row`. Evaluates `on_device`, an outcome, if `size`
 * reaches the threshold and the device is free. Executes the statement `by_gmp` unless the outcome
 * is OUTCOME_DONE.  `by_gmp` may pass `gmp_call` to call_results. */
#define CALL_DEVICE(row, size, threshold, limbs, on_device, by_gmp)                                \
    do {                                                                                           \
        struct call call;                                                                          \
        bool is_ours = call_begin(&call, row, size, threshold, limbs);                             \
        enum outcome outcome = is_ours ? call_dispatch(&call, size, threshold) : OUTCOME_SMALL;    \
        if (outcome == OUTCOME_DONE)                                                               \
            outcome = on_device;                                                                   \
        if (is_ours && outcome != OUTCOME_DONE)                                                    \
            dispatch_give_up(&call.dispatch);                                                      \
        if (outcome != OUTCOME_DONE) {                                                             \
            struct call *const gmp_call = is_ours ? &call : NULL;                                  \
            (void)gmp_call;                                                                        \
            by_gmp;                                                                                \
        }                                                                                          \
        if (is_ours)                                                                               \
            call_end(&call, outcome);                                                              \
    } while (0)

/* Prepares GMP's computation of a call whose results are {p, limbs} and, unless q is NULL, {q,
 * more}. Call it in the statement `by_gmp`, before GMP's function.  Acts only if the program's time
 * on a device is estimated, and not for calls that GMP makes itself.  Writes to pages of the
 * results that are not in memory yet, and counts the time, because the writes of a device's results
 * take it too. Until call_end, GMP's scratch memory is the library's, so malloc gives the program
 * the same pages as with a device. */
void call_results(struct call *call, mp_ptr p, size_t limbs, mp_ptr q, size_t more);

/* Returns true if `size` is not 0 and reaches the threshold; then errno is unchanged. The first
 * call initialises the library, and waits for the device if option `open` demands it. Returns false
 * if the first call is in a signal handler, or in a child made without fork (process_is_ours). */
bool call_is_large(size_t size, const _Atomic size_t *threshold);

/* Begins a large call. `size` is compared with the threshold; `limbs` is the total size of all
 * operands. Returns false if the call is small, inside another call, or perhaps for another libgmp
 * (multi_libgmp_loaded): the caller must then only call GMP's function. Otherwise call_end must
 * follow. Until call_end, this thread's calls of intercepted functions go to GMP. */
bool call_begin(struct call *call, enum call_row row, size_t size, const _Atomic size_t *threshold,
                size_t limbs);

/* call_dispatch and call_dispatch_composite decide who computes the call; call them after
 * call_begin. They return OUTCOME_DONE if the device should be tried, otherwise the reason why GMP
 * computes the call. */
enum outcome call_dispatch(struct call *call, size_t size, const _Atomic size_t *threshold);
enum outcome call_dispatch_composite(struct call *call, size_t size,
                                     const _Atomic size_t *threshold);

/* Ends the call, after the device or GMP's function has computed it. The statistics count inner
 * calls as part of the outermost call. The outermost call counts as computed on the device if any
 * inner call was. */
void call_end(struct call *call, enum outcome outcome);

/* Between call_open and call_close, calls that GMP makes inside its functions are intercepted as if
 * the program had made them. Callers use this when GMP computes a composite operation. */
void call_open(void);
void call_close(struct call *call);

/* Initialises the library, once: resolves GMP's functions, reads options and thresholds. Any thread
 * may call this. In a signal handler, returns false if GMP's functions are resolved already; a
 * later call then initialises. */
bool call_init(void);

/* Returns true if the library is initialised (call_init), which shows that the program has called
 * an intercepted function or one of mpgpu.h. */
bool call_has_come(void);

/* Returns the number of calls that devices have computed so far. */
unsigned long call_sent(void);

#endif
