/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation of each kind, with right results by GMP, for the life of a device that fails. */
#ifndef MPGPU_TEST_FAULT_OPERATIONS_H
#define MPGPU_TEST_FAULT_OPERATIONS_H

#include "lib/base/outcome.h"

/* SMALL, LOW and MINUS go the direct way, on a GPU by transforms, TINY column by column; PLUS and
 * WRAPAROUND fill a transform length; CUT lacks the device memory for all of its operand; POOLED is
 * a product in the pool, BY_SSA one by lib/multiply/ssa.h, BY_FFT
 * one by lib/multiply/fft_product.h; BY_LIMB is added to a number. */
enum operation {
    PRODUCT,
    SQUARE,
    IN_PIECES,
    SMALL,
    TINY,
    POOLED,
    BY_FFT,
    LOW,
    MINUS,
    PLUS,
    SUM,
    DIFFERENCE,
    BY_LIMB,
    CUT,
    BY_SSA,
    WRAPAROUND,
    OPERATIONS
};

/* The operands, and with GMP's functions what is right.  First of all. */
void operations_prepare(void);

/* By lib/'s function, into a result that was guarded before. */
enum outcome operate(enum operation op);

/* By the function that a program would call. */
void operate_as_program(enum operation op);

int result_is_right(enum operation op);

/* Are the operands what they were, and in the second also what lies round the result? */
int operands_survived(void);
int operation_survived(enum operation op);

/* Write over all of the result, and see whether that is still there. */
void result_cover(void);
int result_is_covered(void);

#endif
