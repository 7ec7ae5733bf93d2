/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of a composite operation. Its state is a number; the host chooses the first state at
 * random. Each demand, such as an equation between residues, changes the state if the demand is
 * fulfilled. The host computes the expected state. If a demand fails, or a launch is lost or
 * repeated, the final state differs. */
#ifndef CHAIN_H
#define CHAIN_H

#include "kernels/common/platform.h"

/* Returns a number that stands for one equation that is checked. The arguments are those of the
 * kernel `equation` in equation.cl. */
FN u64 chain_equation(u64 operands, u64 taken, u64 e, u64 f, u64 g, u64 h) {
    const u64 factor = 0xd1342543de82ef95ul;
    return ((((operands * factor + taken) * factor + e) * factor + f) * factor + g) * factor + h;
}

/* Returns the state after a fulfilled demand. Two different states remain different after the same
 * demand. */
FN u64 chain_next(u64 state, u64 demand) {
    state = (state ^ demand) * 0x9e3779b97f4a7c15ul;
    return state ^ state >> 29;
}

/* The 64-bit entries of the check's memory: first the state. The next entry holds two 32-bit words:
 * a flag of other errors, and a counter of passed checks. Residues of numbers follow, from entry
 * CHECK_RECORDS. */
#define CHECK_STATE 0
#define CHECK_COUNTS 1
#define CHECK_RECORDS (EQUATION_NUMBERS + 1)

/* The most numbers of an equation whose residues are computed from parts. */
#define EQUATION_NUMBERS 4

/* The codes of the five numbers r, w, u, v and a of an equation. Code 0 is the number 1. Codes 1 to
 * EQUATION_NUMBERS are numbers whose residues are computed from parts. Any other code is the index
 * of an entry of the check's memory. */
#define EQUATION_BITS 12
#define EQUATION_MASK ((1u << EQUATION_BITS) - 1)
enum { EQUATION_R, EQUATION_W, EQUATION_U, EQUATION_V, EQUATION_A, EQUATION_TERMS };

/* The argument `taken` has these fields. Its lowest three bits (TAKEN_COUNT) count the numbers
 * whose residues are computed from parts. The field at bit TAKEN_ENTRY(k) belongs to the k-th of
 * these numbers. It is the index of the entry that stores the number's residue, or 0 if no entry
 * does. */
#define TAKEN_COUNT 7u
#define TAKEN_ENTRY(k) (3 + EQUATION_BITS * (k))

#endif
