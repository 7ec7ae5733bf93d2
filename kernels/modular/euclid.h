/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds, inverses and quotients of batches: definitions for the host and the kernels.
 *
 * A team of 2^k work-items has one number, in digits of 28 bits; each work-item has the same number
 * of digits, the first the lowest ones.  Digits are signed, in 32 bits each.  The carry of a span
 * is added to the next span, and is propagated further later. */
#ifndef EUCLID_H
#define EUCLID_H

#define DIGIT_BITS 28
#define DIGIT_MASK ((1u << DIGIT_BITS) - 1)

/* Additional bits of a number of gcd.cl: for signs and the growth of its cofactors. */
#define EUCLID_MORE_BITS 20

/* Work-items of a group, by digits a work-item; teams are at most so large. */
#define EUCLID_THREADS_OF(digits) ((digits) < 40 ? 64 : 256)
#define EUCLID_GROUPS_OF(digits) ((digits) < 40 ? 8 : 2)

/* Words of quotient digits that a team settles at once are whole: digits are a multiple of 8. */
#define DIGITS_TO_WORDS(digits) ((digits)*DIGIT_BITS / 32)

/* The record of a number's steps, entries of 64 bits, by which it is checked (euclid_check.cl). */
#define EUCLID_RECORD 8
#define RECORD_MATRIX 0   /* four residues: the steps' matrix by rows, times 2^(-28 jumps) */
#define RECORD_COFACTOR 4 /* the residue of the modulus' cofactor */
#define RECORD_JUMPS 5
#define RECORD_FLAGS 6
#define FLAG_SWAPPED 1u  /* the steps' first number is the second operand */
#define FLAG_NEGATIVE 2u /* the last value of the steps was negative */
#define FLAG_EXISTS 4u   /* there is an inverse */

#endif
