/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation of each kind, with right results by GMP, for sessions of a device that fails. */
#ifndef MPGPU_TEST_FAULT_OPERATIONS_H
#define MPGPU_TEST_FAULT_OPERATIONS_H

#include "lib/base/outcome.h"

/* On a GPU, one work-group computes the small products: SMALL, LOW and MINUS by transforms, TINY
 * column by column. PLUS and WRAPAROUND fill a transform length. For CUT the device has too little
 * memory for a whole operand. The numbers of POOLED are in the pool (the library's memory for large
 * results). BY_SSA uses lib/multiply/ssa.h, BY_FFT lib/multiply/fft_product.h. BY_LIMB adds the
 * product of a number and a limb. */
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

/* operands_survived returns true if the operands are unchanged; operation_survived also checks the
 * guards around the result. */
int operands_survived(void);
int operation_survived(enum operation op);

/* result_cover overwrites the whole result by a pattern; result_is_covered returns true if the
 * pattern is still there. */
void result_cover(void);
int result_is_covered(void);

#endif
