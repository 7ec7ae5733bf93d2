/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Calls of composite operations (lib/algorithms/composite.h): division, powers, roots, conversion
 * and the like are caught at their public name and built from products, for a libgmp whose inner
 * calls cannot be caught, and to save GMP's smaller ones. */
#ifndef MPGPU_COMPOSITE_CALL_H
#define MPGPU_COMPOSITE_CALL_H

#include "compat/intercept/call.h"
#include "lib/algorithms/composite.h"
#include "lib/gmp/memory.h"

struct composite_call {
    struct call call;
    struct composite composite;
    enum { COMPOSITE_NOT_OURS, COMPOSITE_OURS, COMPOSITE_BY_GMP } state;
    enum outcome outcome; /* of one that GMP computes */
    struct memory_scratch scratch;
};

/* The large part of a composite operation.  Of the row, with `size` against the threshold and
 * `limbs` of operands: `work`, an expression that says whether it was done, with the composite
 * operation `w`; where it cannot fail, `(work, true)`.  Otherwise `by_gmp`, a statement: the
 * products that GMP makes in it are caught as inner calls, and its time is the row's. */
#define CALL_COMPOSITE(w, row, size, threshold, limbs, work, by_gmp)                               \
    do {                                                                                           \
        struct composite_call composite_call;                                                      \
        struct composite *const w = &composite_call.composite;                                     \
        if (!composite_call_begin(&composite_call, row, size, threshold, limbs) ||                 \
            !composite_call_did(&composite_call, work))                                            \
            by_gmp;                                                                                \
        composite_call_end(&composite_call);                                                       \
    } while (0)

/* A composite operation's integer results: numbers of the library's own, which the work writes, and
 * the program's variables, which get their values at the end (result_take in lib/gmp/result.h).  So
 * what the work does to a result's limbs is not seen by the program, and no result is an operand.
 */
enum { COMPOSITE_RESULTS = 3 };
struct composite_results {
    mpz_ptr to[COMPOSITE_RESULTS]; /* NULL: not wanted */
    mpz_t own[COMPOSITE_RESULTS];
    mpz_ptr at[COMPOSITE_RESULTS]; /* own, or NULL */
};

/* As CALL_COMPOSITE, with the list of results in parentheses: the work writes to x[0], x[1] ... in
 * their places. */
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

/* Variable i keeps its value. */
void composite_results_drop(struct composite_results *r, int i);

/* Gives the variables their values if the work was done; returns that. */
bool composite_results_close(struct composite_results *r, bool done);

/* As call_begin, where `size` decides; also false if there is no device for it now: then GMP
 * computes it.  composite_call_end must follow in any case. */
bool composite_call_begin(struct composite_call *c, enum call_row row, size_t size,
                          const _Atomic size_t *threshold, size_t limbs);

/* done; where the work was not done, from here on GMP computes it. */
bool composite_call_did(struct composite_call *c, bool done);

/* The call counts as sent if any of its products was. */
void composite_call_end(struct composite_call *c);

#endif
