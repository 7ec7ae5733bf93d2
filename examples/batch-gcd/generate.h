/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Files to try the program with. */
#ifndef BATCH_GCD_GENERATE_H
#define BATCH_GCD_GENERATE_H

#include <stdio.h>

/* `count` moduli of `bits` bits, products of two probable primes each, of which 2 `pairs` share a
 * prime with one other; by turns hexadecimal and decimal.  Then a line "# planted LINE LINE" for
 * each pair.  The same for the same seed. */
struct generate_options {
    unsigned long count, bits, pairs, seed;
};

/* Of "COUNT,BITS,PAIRS,SEED"; nonzero where that can't be: at least 128 bits, an even number; at
 * most count / 2 pairs. */
int generate_parse(struct generate_options *o, const char *text);

/* Nonzero where it can't be written. */
int generate(FILE *out, const struct generate_options *o);

#endif
