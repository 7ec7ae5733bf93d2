/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation of each kind, with right results by GMP, for sessions of a device that fails. */
#ifndef MPGPU_TEST_FAULT_OPERATIONS_H
#define MPGPU_TEST_FAULT_OPERATIONS_H

#include "lib/base/outcome.h"

/* SMALL, LOW and MINUS are small products: on a GPU by transforms in one work-group, TINY column
 * by column. PLUS and WRAPAROUND fill a transform length. CUT lacks device memory for its whole
 * operand. POOLED is in the pool. BY_SSA uses lib/multiply/ssa.h, BY_FFT
 * lib/multiply/fft_product.h. BY_LIMB adds the product of a number and a limb. */
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

/* Makes the operands, and the right results by GMP's functions. Call it first. */
void operations_prepare(void);

/* Runs the operation by the internal function of lib/; the limbs around the result are guarded. */
enum outcome operate(enum operation op);

/* Calls the GMP function as a program would. */
void operate_as_program(enum operation op);

int result_is_right(enum operation op);

/* Return true if the operands are unchanged; the second function also checks the guards around
 * the result. */
int operands_survived(void);
int operation_survived(enum operation op);

/* result_cover overwrites the whole result; the second function returns true if that content is
 * still there. */
void result_cover(void);
int result_is_covered(void);

#endif
