/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of all kinds by several threads at once, compared with GMP's. */
#ifndef MPGPU_TEST_GATHERED_H
#define MPGPU_TEST_GATHERED_H

#include <stdbool.h>

#include "lib/base/outcome.h"

/* Each of `threads` threads computes `rounds` products, or several at once, of operands of at most
 * `most` limbs, 2 to 512.  With `as_program` it calls GMP's functions, otherwise functions of
 * lib/. */
struct gathered {
    unsigned threads, rounds;
    unsigned long most;
    bool as_program;
    long done, not_done, wrong; /* how many; as_program: all are done, if right */
    enum outcome outcome;       /* the last that was not done */
};

/* First of all: GMP's functions. */
void gathered_prepare(void);

/* Start the threads, and wait for them; adds to the counts. */
void gathered_begin(struct gathered *g);
void gathered_end(struct gathered *g);
void gathered_run(struct gathered *g);

/* After the end: write over all results, and see whether that is still there. */
void gathered_cover(void);
bool gathered_is_covered(void);

#endif
