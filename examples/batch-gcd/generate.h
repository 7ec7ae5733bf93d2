/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Generates input files for batch-gcd. */
#ifndef BATCH_GCD_GENERATE_H
#define BATCH_GCD_GENERATE_H

#include <stdio.h>

/* Options for generating `count` moduli of `bits` bits, each a product of two probable primes. In
 * `pairs` disjoint pairs, the two moduli share a prime. The moduli are alternately written in
 * hexadecimal and decimal. For each pair, a line "# planted LINE LINE" with the line numbers of
 * its moduli follows. The output depends only on these options. */
struct generate_options {
    unsigned long count, bits, pairs, seed;
};

/* Parses "COUNT,BITS,PAIRS,SEED". Returns nonzero for other text, and unless `count` is from 1 to
 * 2^30, `bits` is even and from 128 to 2^20, and `pairs` is at most count / 2. */
int generate_parse(struct generate_options *o, const char *text);

/* Writes the moduli to `out`. Returns nonzero on a write error. */
int generate(FILE *out, const struct generate_options *o);

#endif
