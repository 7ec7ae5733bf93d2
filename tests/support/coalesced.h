/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes small products of all kinds in several threads at once, and compares them with products
 * computed limb by limb. The library launches small products of several threads together. */
#ifndef MPGPU_TEST_GATHERED_H
#define MPGPU_TEST_GATHERED_H

#include <stdbool.h>

#include "lib/base/outcome.h"

/* Each of `threads` threads makes `rounds` calls for one or several products. `most`, from 2 to
 * 512, is the maximum number of limbs of an operand. With `as_program`, threads call GMP's
 * functions, otherwise functions of lib/. */
struct coalesced {
    unsigned threads, rounds;
    unsigned long most;
    bool as_program;
    /* The counts of products that the device computed, that it did not compute, and that were
     * wrong.  With `as_program`, each right product counts as done. */
    long done, not_done, wrong;
    enum outcome outcome; /* the outcome of the last product that was not done */
};

/* Finds GMP's own functions.  Call it first. */
void coalesced_prepare(void);

/* coalesced_begin starts the threads; coalesced_end waits for them and adds up their counts;
 * coalesced_run does both. */
void coalesced_begin(struct coalesced *g);
void coalesced_end(struct coalesced *g);
void coalesced_run(struct coalesced *g);

/* Call these after coalesced_end: coalesced_cover overwrites all results; later
 * coalesced_is_covered checks that nothing has been written to them since. */
void coalesced_cover(void);
bool coalesced_is_covered(void);

#endif
