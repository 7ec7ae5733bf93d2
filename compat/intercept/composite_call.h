/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Calls of composite operations (lib/algorithms/composite.h): division, powers, roots, conversion.
 * They are intercepted at their public name and built from products.  This works with a libgmp
 * whose inner calls cannot be intercepted, and replaces GMP's many smaller products. */
#ifndef MPGPU_COMPOSITE_CALL_H
#define MPGPU_COMPOSITE_CALL_H

#include "compat/intercept/call.h"
#include "lib/algorithms/composite.h"
#include "lib/gmp/memory.h"

struct composite_call {
    struct call call;
    struct composite composite;
    enum { COMPOSITE_NOT_OURS, COMPOSITE_OURS, COMPOSITE_BY_GMP } state;
    enum outcome outcome; /* if GMP computes the call */
    struct memory_scratch scratch;
};

/* The large part of a composite operation.  Counts the call in `row`, with `limbs` limbs of
 * operands.  If `size` reaches the threshold, evaluates `work` with the composite operation `w`;
 * `work` is true if it was done, `(work, true)` if it cannot fail.  Otherwise executes the
 * statement `by_gmp`.  GMP's products in it are intercepted as inner calls; the row's time includes
 * them. */
#define CALL_COMPOSITE(w, row, size, threshold, limbs, work, by_gmp)                               \
    do {                                                                                           \
        struct composite_call composite_call;                                                      \
        struct composite *const w = &composite_call.composite;                                     \
        if (!composite_call_begin(&composite_call, row, size, threshold, limbs) ||                 \
            !composite_call_did(&composite_call, work))                                            \
            by_gmp;                                                                                \
        composite_call_end(&composite_call);                                                       \
    } while (0)

/* A composite operation's integer results.  The work writes to private numbers, and the program's
 * variables get their values at the end (result_take in lib/gmp/result.h).  So the program never
 * sees intermediate values, and no result is an operand.
 */
enum { COMPOSITE_RESULTS = 3 };
struct composite_results {
    mpz_ptr to[COMPOSITE_RESULTS]; /* NULL: not wanted */
    mpz_t own[COMPOSITE_RESULTS];
    mpz_ptr at[COMPOSITE_RESULTS]; /* own, or NULL */
};

/* As CALL_COMPOSITE, with the list of results in parentheses: the work writes to x[0], x[1] ...
 * instead of them. */
#define CALL_RESULTS(w, x, results, row, size, threshold, limbs, work, by_gmp)                     \
    do {                                                                                           \
        struct composite_results composite_results = {.to = {COMPOSITE_LIST results}};             \
        mpz_ptr *const x = composite_results.at;                                                   \
        CALL_COMPOSITE(w, row, size, threshold, limbs,                                             \
                       (composite_results_open(&composite_results),                                \
                        composite_results_close(&composite_results, work)),                        \
                       by_gmp);                                                                    \
    } while (0)
#define COMPOSITE_LIST(...) __VA_ARGS__

void composite_results_open(struct composite_results *r);

/* Drops result i: variable i keeps its value. */
void composite_results_drop(struct composite_results *r, int i);

/* Gives the variables their values if the work was done; returns that. */
bool composite_results_close(struct composite_results *r, bool done);

/* Begins the call, as call_begin and call_dispatch_composite.  Returns false if GMP must compute
 * it, also because no device is ready.  composite_call_end must follow in either case. */
bool composite_call_begin(struct composite_call *c, enum call_row row, size_t size,
                          const _Atomic size_t *threshold, size_t limbs);

/* Returns `done`; if it is false, prepares for GMP to compute the call. */
bool composite_call_did(struct composite_call *c, bool done);

/* Ends the call.  It counts as sent if any of its products was. */
void composite_call_end(struct composite_call *c);

#endif
