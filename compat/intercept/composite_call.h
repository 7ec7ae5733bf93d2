/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Intercepts composite operations, which consist of many products (lib/algorithms/composite.h):
 * division, powers, roots, conversion. This library has its own algorithms for them, with fewer and
 * longer products than GMP's. The algorithms do not depend on intercepting internal calls of
 * libgmp. */
#ifndef MPGPU_COMPOSITE_CALL_H
#define MPGPU_COMPOSITE_CALL_H

#include "compat/intercept/call.h"
#include "lib/algorithms/composite.h"
#include "lib/gmp/memory.h"

struct composite_call {
    struct call call;
    struct composite composite;
    enum { COMPOSITE_NOT_OURS, COMPOSITE_OURS, COMPOSITE_BY_GMP } state;
    enum outcome outcome; /* why GMP computes the call */
    struct memory_scratch scratch;
};

/* The code for large operands in a function that computes a composite operation. Counts the call
 * and its `limbs` limbs of operands in `row`. If `size` reaches the threshold, evaluates `work`,
 * which uses the operation `w` and returns true on success. Otherwise, or if `work` fails, executes
 * the statement `by_gmp`, in which GMP's own products are intercepted.  `by_gmp` may pass
 * `gmp_call` to call_results. */
#define CALL_COMPOSITE(w, row, size, threshold, limbs, work, by_gmp)                               \
    do {                                                                                           \
        struct composite_call composite_call;                                                      \
        struct composite *const w = &composite_call.composite;                                     \
        if (!composite_call_begin(&composite_call, row, size, threshold, limbs) ||                 \
            !composite_call_did(&composite_call, work)) {                                          \
            struct call *const gmp_call = composite_call_to_gmp(&composite_call);                  \
            (void)gmp_call;                                                                        \
            by_gmp;                                                                                \
        }                                                                                          \
        composite_call_end(&composite_call);                                                       \
    } while (0)

/* The integer results of a composite operation. `work` writes to private numbers, which result_take
 * (lib/gmp/result.h) moves to the program's variables at the end. So results never overlap
 * operands. */
enum { COMPOSITE_RESULTS = 3 };
struct composite_results {
    mpz_ptr to[COMPOSITE_RESULTS]; /* NULL: not wanted */
    mpz_t own[COMPOSITE_RESULTS];
    /* at[i] is the address of own[i], or NULL if result i is not wanted */
    mpz_ptr at[COMPOSITE_RESULTS];
};

/* Does the work of CALL_COMPOSITE for an operation whose results are `results`, a list in
 * parentheses. `work` writes result i to the private number x[i]. */
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

/* Frees the private number of result i: the program's variable keeps its value. */
void composite_results_drop(struct composite_results *r, int i);

/* If `done`, moves the private numbers to the program's variables, otherwise frees them. Returns
 * `done`. */
bool composite_results_close(struct composite_results *r, bool done);

/* Begins the call: does the work of call_begin and call_dispatch_composite. Returns false if GMP
 * must compute the call. composite_call_end must follow in either case. */
bool composite_call_begin(struct composite_call *c, enum call_row row, size_t size,
                          const _Atomic size_t *threshold, size_t limbs);

/* Call it with the value of the macro argument `work` of CALL_COMPOSITE. Returns `done`. If `done`
 * is false, prepares for GMP to compute the call. */
bool composite_call_did(struct composite_call *c, bool done);

/* Returns the call if it is large and GMP computes it; otherwise NULL. */
struct call *composite_call_to_gmp(struct composite_call *c);

/* Ends the call. The statistics count it as computed on the device if any of its products was. */
void composite_call_end(struct composite_call *c);

#endif
