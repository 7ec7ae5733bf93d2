/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation of each kind, with results by GMP, for tests in which the device fails. */
#ifndef MPGPU_TEST_FAULT_OPERATIONS_H
#define MPGPU_TEST_FAULT_OPERATIONS_H

#include "lib/base/outcome.h"

/* On a GPU, one work-group computes each small product: SMALL, LOW and MINUS by transforms, TINY
 * column by column. PLUS and WRAPAROUND have the full length of a transform. For CUT the device has
 * too little memory for a whole operand. The numbers of POOLED are in the pool (the library's
 * memory for large results). BY_SSA uses lib/multiply/ssa.h, BY_FFT lib/multiply/fft_product.h.
 * BY_LIMB adds the product of a number and a limb. */
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

/* Makes the operands, and the right results by GMP's functions. Call it before all other functions
 * here. */
void operations_prepare(void);

/* Runs the operation by the library's internal function. The limbs before and after the result have
 * a known value, which operation_survived checks. */
enum outcome operate(enum operation op);

/* Runs the operation by the public GMP function, as a program would. */
void operate_as_program(enum operation op);

int result_is_right(enum operation op);

/* operands_survived returns true if the operands are unchanged; operation_survived also checks the
 * guards around the result. */
int operands_survived(void);
int operation_survived(enum operation op);

/* result_cover overwrites the whole result with a pattern; result_is_covered returns true if the
 * pattern is unchanged. */
void result_cover(void);
int result_is_covered(void);

#endif
