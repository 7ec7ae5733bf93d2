/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Applies an operation of operations.h to fixed-point numbers (fixed.h). */
#ifndef FIXED_OPERATE_H
#define FIXED_OPERATE_H

#include "kernels/fixed/fixed.h"
#include "kernels/fixed/operations.h"

FN struct fixed fixed_of_integer(s32 i) {
    struct fixed r = fixed_zero();
    r.w[FIXED_TOP] = (u32)i;
    return r;
}

FN struct fixed fixed_operate(u32 operation, struct fixed u, struct fixed v, u32 count) {
    switch (operation) {
    case FIXED_OPERATE_ADD:
        return fixed_add(u, v);
    case FIXED_OPERATE_SUB:
        return fixed_sub(u, v);
    case FIXED_OPERATE_NEG:
        return fixed_neg(u);
    case FIXED_OPERATE_MUL:
        return fixed_mul(u, v);
    case FIXED_OPERATE_SQR:
        return fixed_sqr(u);
    case FIXED_OPERATE_SHIFT_LEFT:
        return fixed_shift_left(u, count);
    case FIXED_OPERATE_SHIFT_RIGHT:
        return fixed_shift_right(u, count);
    case FIXED_OPERATE_COMPARE:
        return fixed_of_integer(fixed_compare(u, v));
    }
    return fixed_of_integer(fixed_sign(u));
}

#endif
