/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches modulo odd numbers, by Montgomery's products: definitions for the host and the kernels.
 * Words have 32 bits. A number has an even number of words and begins at an even word. */
#ifndef MODULAR_H
#define MODULAR_H

#define MODULAR_MOST_WORDS 256 /* the most words of a number */
/* The words of a number in the program for the shortest numbers; each further program is for
 * numbers twice as long. */
#define MODULAR_LEAST_WORDS 8
/* The words of a number that one lane (work-item) has. If several lanes share a number, `rows` is a
 * multiple of this. */
#define MODULAR_SPAN 16
#define MODULAR_THREADS 64    /* work-items of a group */
#define MODULAR_GROUPS 8      /* groups of a power kernel that should fit on a multiprocessor */
#define MODULAR_MOST_WINDOW 6 /* the most bits of a window of exponents */
/* The most words of an exponent that the check's table allows. */
#define MODULAR_MOST_EXPONENT_WORDS 16384

/* The number of work-items that share a number of at most `words` words on NVIDIA's GPUs. On other
 * devices it is one. */
#define MODULAR_LANES(words) ((words) > MODULAR_SPAN ? (words) / MODULAR_SPAN : 1)

/* The words of constants that modular_prepare computes for a modulus m: R^2 mod m, R mod m, -1/m
 * mod 2^32 and a word of zeros, with R = 2^(32 rows). All are zeros if m is even. */
#define MODULAR_KNOWN_WORDS(words) (2 * (words) + 2)

/* The kinds of moduli that modular_prepare reports. */
#define MODULAR_IS_ODD 0
#define MODULAR_IS_EVEN 1
#define MODULAR_IS_ZERO 2

/* The values of `kind` of the kernel modular_arithmetic. */
#define MODULAR_REDUCE 0
#define MODULAR_ADD 1
#define MODULAR_SUB 2
#define MODULAR_MUL 3

/* If residues are computed for the check (traced.h), an entry of a table of powers has this number
 * of additional words for each work-item. */
#define MODULAR_TRACE_WORDS 3

/* Powers with doubles (doubles.h). MODULAR_DOUBLE_WORDS: the 32-bit words of a number in digits of
 * 52 bits, with 64 bits per digit. MODULAR_DOUBLE_TRACE_WORDS: the additional words of a table
 * entry for each work-item, if residues are computed for the check. */
#define MODULAR_DOUBLE_WORDS(words) ((words)*5 / 4)
#define MODULAR_DOUBLE_TRACE_WORDS 4
/* words of a number in the program with doubles for the shortest numbers */
#define MODULAR_LEAST_DOUBLE_WORDS 32

/* The check's record of an operation: for each of the values below, an array of `count` 64-bit
 * entries. An entry is the value's residue plus 1 plus the check's nonce (traced.h), or 0 if
 * nothing was written. */
#define MODULAR_OF_RESULT 0
#define MODULAR_OF_BASE 1 /* this entry and the next ones exist only for powers */
#define MODULAR_OF_MODULUS 2
#define MODULAR_OF_EXPONENT 3
#define MODULAR_RECORDS 4

/* Bits of the argument `shared`: whether all numbers have the same modulus, and whether all have
 * the same exponent. */
#define MODULAR_ONE_MODULUS 1
#define MODULAR_ONE_EXPONENT 2

/* Computes a 32-bit number from arguments of modular_arithmetic. The kernel adds it to the record's
 * nonce, so that the check finds a launch that computed another operation, or numbers of another
 * length. The number depends on `rows`, because a launch with no rows computes residue 0, which
 * would confirm the wrong result 0. */
#define MODULAR_KEY(kind, words, rows, u_words, shared)                                            \
    ((kind)*0x9e3779b1u + (words)*0x27d4eb2fu + (rows)*0x165667b1u + (u_words)*0x85ebca77u +       \
     (shared)*0xc2b2ae3du)

#endif
