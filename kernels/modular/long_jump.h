/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Long jumps: division steps of long numbers by matrices with long entries
 * (doc/design/euclid-batches.md). Definitions for the host and the kernels. */
#ifndef LONG_JUMP_H
#define LONG_JUMP_H

/* The shortest long jump: its steps depend on LONG_JUMP_WORDS words of f and g. Entries of its
 * matrix have LONG_JUMP_WORDS words, in two's complement. A jump of k LONG_JUMP_WORDS words has k
 * LONG_JUMP_STEPS steps. An entry of k steps is at most 2^k. */
#define LONG_JUMP_WORDS 32
#define LONG_JUMP_STEPS 992

/* The words by which a jump with entries of w words divides f and g. */
#define LONG_JUMP_SHIFT(w) ((w) / LONG_JUMP_WORDS * (LONG_JUMP_STEPS / 32))

/* The work-items that share a number of the shortest jump, LONG_JUMP_DIGITS digits of 28 bits in
 * each. */
#define LONG_JUMP_TEAM 4
#define LONG_JUMP_DIGITS 10

/* What long_jump_sum assumes above the words of a number x: zeros; the sign, which is the highest
 * bit of x; a signed word in `tops`. */
#define LONG_JUMP_CUT 0
#define LONG_JUMP_SIGNED 1
#define LONG_JUMP_TOPS 2

/* What long_jump_record applies to a record: a matrix, which changes all entries; multiples of the
 * modulus, which change the entries of cofactors. */
#define LONG_JUMP_HAS_MATRIX 1u
#define LONG_JUMP_HAS_MULTIPLES 2u

/* `info` has this number of words for each number: the shift of its operands in bits, and whether
 * the second operand is f. */
#define LONG_JUMP_INFO 2

/* Entry of a record (euclid.h): the residue of the multiples of the modulus that were added to the
 * second cofactor. */
#define RECORD_OTHER_COFACTOR 7

#endif
