/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation of each kind, with right results by GMP, for the session of a device that fails. */
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

/* Makes the operands, and the right results by GMP's functions.  Call it first. */
void operations_prepare(void);

/* Runs lib/'s function, with a guarded result. */
enum outcome operate(enum operation op);

/* Calls the function as a program would. */
void operate_as_program(enum operation op);

int result_is_right(enum operation op);

/* Return true if the operands are unchanged; the second also checks the guards around the
 * result. */
int operands_survived(void);
int operation_survived(enum operation op);

/* Write over all of the result, and see whether that is still there. */
void result_cover(void);
int result_is_covered(void);

#endif
