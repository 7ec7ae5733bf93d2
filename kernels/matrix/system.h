/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Systems of linear equations modulo primes just below 2^31: sizes that host and kernels share
 * (doc/design/matrices.md). */
#ifndef MATRIX_SYSTEM_H
#define MATRIX_SYSTEM_H

#define SYSTEM_THREADS 256 /* work-items of every kernel */
#define SYSTEM_COLUMNS 32  /* columns and rows of a tile that a group updates */
#define SYSTEM_ROWS 128

/* All primes are at least this, so 1000 primes have a product of at least 2^SYSTEM_MILLIBITS. */
#define SYSTEM_LEAST_PRIME 0x7ff00000u
#define SYSTEM_MILLIBITS 30999
/* The most primes. The sum of 2^14 quotients fits 64 bits (system_restore). */
#define SYSTEM_MOST_PRIMES 16384

/* Words of a prime in the table: p, 1 / p mod 2^32, and 2^32 and 2^64 mod p. */
#define SYSTEM_PRIME_WORDS 4
#define SYSTEM_P 0
#define SYSTEM_PINV 1
#define SYSTEM_ONE 2
#define SYSTEM_SQUARE 3

#endif
