/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The state of a composite operation's check.  It begins as a number that the host has chosen at
 * random, and each demand that holds changes it.  The host computes the state at the end: a demand
 * that did not hold, and a launch that was lost or repeated, give another one. */
#ifndef CHAIN_H
#define CHAIN_H

#include "kernels/common/platform.h"

/* Returns the number that represents a demand with these arguments. */
FN u64 chain_equation(u64 operands, u64 taken, u64 e, u64 f, u64 g, u64 h) {
    const u64 factor = 0xd1342543de82ef95ul;
    return ((((operands * factor + taken) * factor + e) * factor + f) * factor + g) * factor + h;
}

/* The state behind a demand that holds: for each demand another one for each state before. */
FN u64 chain_next(u64 state, u64 demand) {
    state = (state ^ demand) * 0x9e3779b97f4a7c15ul;
    return state ^ state >> 29;
}

/* The entries of the check's memory, of 64 bits: the state; an entry of two words, a flag of other
 * errors and above it a counter of passed checks; from CHECK_RECORDS on, residues of numbers. */
#define CHECK_STATE 0
#define CHECK_COUNTS 1
#define CHECK_RECORDS (EQUATION_NUMBERS + 1)

/* Numbers whose residues an equation is given in parts. */
#define EQUATION_NUMBERS 4

/* A number of an equation: 0 is the number 1; 1 to EQUATION_NUMBERS are numbers in parts; others
 * are entries.  An equation has five numbers: r, w, u, v and a. */
#define EQUATION_BITS 12
#define EQUATION_MASK ((1u << EQUATION_BITS) - 1)
enum { EQUATION_R, EQUATION_W, EQUATION_U, EQUATION_V, EQUATION_A, EQUATION_PLACES };

/* The computed residues: how many numbers are in parts, and for each the entry that stores its
 * residue, or 0. */
#define TAKEN_COUNT 7u
#define TAKEN_ENTRY(k) (3 + EQUATION_BITS * (k))

#endif
