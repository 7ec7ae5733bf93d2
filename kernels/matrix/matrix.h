/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of matrices of integers by residues modulo primes below 2^14: sizes that host and
 * kernels share (doc/design/matrices.md).
 *
 * A residue v is stored in 16 bits: v mod 128 in the low byte, v / 128 in the high byte. Then
 * products of bytes suffice, and matrix units can compute them. For the program matrix_groups, the
 * residues of a factor are MATRIX_KINDS matrices of bytes instead, for each prime: v mod 128, v /
 * 128, and the sums of both. A matrix of bytes consists of blocks of MATRIX_BLOCK terms of all
 * lines, and is laid out as kernels/common/matrix_group.h describes. */
#ifndef MATRIX_RESIDUES_H
#define MATRIX_RESIDUES_H

#define MATRIX_THREADS 256 /* work-items of every kernel */
#define MATRIX_ENTRIES 32  /* entries of a matrix that a group converts */
#define MATRIX_EACH 8      /* primes, or words of an entry, that a work-item computes at once */
#define MATRIX_CHUNK 64    /* primes or words that a group computes at once */

/* The lines of the first and of the second factor in a tile of a product: MATRIX_TILE each, or with
 * matrix units MATRIX_UNITS_ROWS and MATRIX_UNITS_COLUMNS. */
#define MATRIX_TILE 64
#define MATRIX_UNITS_ROWS 128
#define MATRIX_UNITS_COLUMNS 64
#define MATRIX_GROUPS_ROWS 128
#define MATRIX_GROUPS_COLUMNS 256
#define MATRIX_BAND                                                                                \
    8 /* rows of tiles that are computed together, so that the cache has their data */

/* The most terms that are summed at once: 2^16 products of at most 254^2 are below 2^32. */
#define MATRIX_MOST_INNER (1 << 16)

#define MATRIX_KINDS 3
#define MATRIX_BLOCK 128

/* The table of powers for matrix_split (split.cl) has the powers 2^(8 i) modulo each prime. They
 * are in the order in which products of 16 by 32 matrices of bytes read them.
 * - MATRIX_SPLIT: the primes in a tile of the table
 * - MATRIX_SPLIT_WORDS: a tile has twice this number of words for each 32 bytes of an entry; the
 *   first half has the low 7 bits of powers, the second half the high 7 bits
 * - MATRIX_SPLIT_MOST: the most words of an entry, which then has less than 2^17 bytes. A sum of
 *   2^17 products of 7 by 8 bits, plus 2^23, fits 32 bits. */
#define MATRIX_SPLIT 16
#define MATRIX_SPLIT_WORDS 128
#define MATRIX_SPLIT_MOST ((1 << 15) - 1)

/* For products of transforms (long.cl): points in a group's tile, and entries along each side of
 * the tile. */
#define MATRIX_POINTS 32
#define MATRIX_POINTS_SIDE 16

/* Words of a prime in the table: p, floor((2^64 - 1) / p) in two words (low, high), and the factor
 * of residues before the Chinese remainder sum. */
#define MATRIX_PRIME_WORDS 4
#define MATRIX_P 0
#define MATRIX_INVERSE_LOW 1
#define MATRIX_INVERSE_HIGH 2
#define MATRIX_SCALE 3

#endif
