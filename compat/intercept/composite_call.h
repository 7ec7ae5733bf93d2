/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Calls of composite operations (lib/algorithms/composite.h): division, powers, roots, conversion
 * and the like are caught at their public name and built from products, for a libgmp whose inner
 * calls cannot be caught, and to save GMP's smaller ones. */
#ifndef MPGPU_COMPOSITE_CALL_H
#define MPGPU_COMPOSITE_CALL_H

#include "compat/intercept/call.h"
#include "lib/algorithms/composite.h"

struct composite_call {
    struct call call;
    struct composite composite;
    enum { COMPOSITE_NOT_OURS, COMPOSITE_OURS, COMPOSITE_BY_GMP } state;
    enum outcome outcome; /* of one that GMP computes */
};

/* The large part of a composite operation.  Of the row, with `size` against the threshold and
 * `limbs` of operands: `work`, an expression that says whether it was done, with the composite
 * operation `w`; where it cannot fail, `(work, true)`.  Otherwise `by_gmp`, a statement: the products
 * that GMP makes in it are caught as inner calls, and its time is the row's. */
#define CALL_COMPOSITE(w, row, size, threshold, limbs, work, by_gmp)                               \
    do {                                                                                           \
        struct composite_call composite_call;                                                      \
        struct composite *const w = &composite_call.composite;                                     \
        if (!composite_call_begin(&composite_call, row, size, threshold, limbs) ||                 \
            !composite_call_did(&composite_call, work))                                            \
            by_gmp;                                                                                \
        composite_call_end(&composite_call);                                                       \
    } while (0)

/* As call_begin, where `size` decides; also false if there is no device for it now: then GMP
 * computes it.  composite_call_end must follow in any case. */
bool composite_call_begin(struct composite_call *c, enum call_row row, size_t size,
                          const _Atomic size_t *threshold, size_t limbs);

/* done; where the work was not done, from here on GMP computes it. */
bool composite_call_did(struct composite_call *c, bool done);

/* The call counts as sent if any of its products was. */
void composite_call_end(struct composite_call *c);

#endif
