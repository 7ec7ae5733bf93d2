/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds, inverses and quotients of batches: definitions for the host and the kernels.
 *
 * A team of 2^k work-items has a number in digits of 28 bits, in signed words of 32 bits. Each
 * work-item has the same number of digits, the first work-item the lowest ones. A step adds the
 * carry out of a work-item's digits to the next work-item's lowest digit. Later steps propagate
 * this carry further. */
#ifndef EUCLID_H
#define EUCLID_H

#define DIGIT_BITS 28
#define DIGIT_MASK ((1u << DIGIT_BITS) - 1)

/* The bits that a number of gcd.cl has in addition to its operands: a sign, and the growth of
 * cofactors. */
#define EUCLID_MORE_BITS 20

/* EUCLID_THREADS_OF: the work-items of a group, if each has `digits` digits. Work-items of
 * different groups cannot share a number. EUCLID_GROUPS_OF: the groups that should fit on a
 * multiprocessor. */
#define EUCLID_THREADS_OF(digits) ((digits) < 40 ? 64 : 256)
#define EUCLID_GROUPS_OF(digits) ((digits) < 40 ? 8 : 2)

/* The record of a number's steps, by which euclid_check.cl checks it: 64-bit entries. */
#define EUCLID_RECORD 8
#define RECORD_MATRIX 0   /* four residues: the matrix of all steps by rows, times 2^(-28 jumps) */
#define RECORD_COFACTOR 4 /* the residue of the cofactor of the modulus */
#define RECORD_JUMPS 5
#define RECORD_FLAGS 6
#define FLAG_SWAPPED 1u  /* division steps began with the second operand */
#define FLAG_NEGATIVE 2u /* the division steps ended with a negative value */
#define FLAG_EXISTS 4u   /* there is an inverse */

#endif
