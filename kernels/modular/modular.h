/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches modulo odd numbers, by Montgomery's products.  Shared by the host and the kernels.  Words
 * are of 32 bits; a number has an even number of words and begins at an even word. */
#ifndef MODULAR_H
#define MODULAR_H

#define MODULAR_MOST_WORDS 256 /* of the longest numbers, and of the longest program */
#define MODULAR_LEAST_WORDS 8  /* of the shortest program; each next program has twice the words */
#define MODULAR_SPAN 16        /* words a lane; `rows` is rounded up to a multiple */
#define MODULAR_THREADS 64     /* work-items a group */
#define MODULAR_GROUPS 8       /* of powers at once on a multiprocessor */
#define MODULAR_MOST_WINDOW 6  /* bits of an exponent at a time */
#define MODULAR_MOST_EXPONENT_WORDS 16384 /* whose residue the check has a table for */

/* Work-items that share a number of at most `words` words, on GPUs of NVIDIA; elsewhere one.
 */
#define MODULAR_LANES(words) ((words) > MODULAR_SPAN ? (words) / MODULAR_SPAN : 1)

/* The words that modular_prepare computes for each modulus m of `words` words: R^2 mod m, R mod m,
 * then -1/m mod 2^32 and a word of zeros.  R = 2^(32 rows).  All words are zero if m is even. */
#define MODULAR_KNOWN_WORDS(words) (2 * (words) + 2)

/* The kinds of moduli that modular_prepare reports. */
#define MODULAR_IS_ODD 0
#define MODULAR_IS_EVEN 1
#define MODULAR_IS_ZERO 2

/* The operations of the kernel modular_arithmetic. */
#define MODULAR_REDUCE 0
#define MODULAR_ADD 1
#define MODULAR_SUB 2
#define MODULAR_MUL 3

/* Words of the trace beside an entry of a table of powers, in each lane (traced.h). */
#define MODULAR_TRACE_WORDS 3

/* Words of a number of `words` words in digits of 52 bits, each stored in 64 bits.  Words of the
 * trace beside such a table entry, in each lane (doubles.h). */
#define MODULAR_DOUBLE_WORDS(words) ((words)*5 / 4)
#define MODULAR_DOUBLE_TRACE_WORDS 4
#define MODULAR_LEAST_DOUBLE_WORDS 32 /* of the shortest program for them */

/* The record of a traced operation for its check, `count` 64-bit entries of each kind: the residue
 * plus 1; 0 if nothing has been written. */
#define MODULAR_OF_RESULT 0
#define MODULAR_OF_BASE 1 /* this and the next: only for powers */
#define MODULAR_OF_MODULUS 2
#define MODULAR_OF_EXPONENT 3
#define MODULAR_RECORDS 4

/* Bits of `shared`: one number is for all. */
#define MODULAR_ONE_MODULUS 1
#define MODULAR_ONE_EXPONENT 2

#endif
