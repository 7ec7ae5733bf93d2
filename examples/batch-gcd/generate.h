/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Files to try the program with. */
#ifndef BATCH_GCD_GENERATE_H
#define BATCH_GCD_GENERATE_H

#include <stdio.h>

/* `count` moduli of `bits` bits, each a product of two probable primes; 2 `pairs` of them share a
 * prime with one other.  They are alternately hexadecimal and decimal.  A line "# planted LINE
 * LINE" for each pair follows.  The output depends only on these values and the seed. */
struct generate_options {
    unsigned long count, bits, pairs, seed;
};

/* Parses "COUNT,BITS,PAIRS,SEED".  Returns nonzero unless bits are even and at least 128, and pairs
 * at most count / 2. */
int generate_parse(struct generate_options *o, const char *text);

/* Writes the moduli.  Returns nonzero on a write error. */
int generate(FILE *out, const struct generate_options *o);

#endif
