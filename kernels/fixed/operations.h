/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Codes of the operations of fixed.h, for the host and the kernels. */
#ifndef FIXED_OPERATIONS_H
#define FIXED_OPERATIONS_H

#define FIXED_OPERATE_ADD 0         /* u + v */
#define FIXED_OPERATE_SUB 1         /* u - v */
#define FIXED_OPERATE_NEG 2         /* -u */
#define FIXED_OPERATE_MUL 3         /* u v */
#define FIXED_OPERATE_SQR 4         /* u^2 */
#define FIXED_OPERATE_SHIFT_LEFT 5  /* u 2^count */
#define FIXED_OPERATE_SHIFT_RIGHT 6 /* u 2^-count */
#define FIXED_OPERATE_COMPARE 7     /* -1, 0 or 1: the sign of u - v, computed without wrapping */
#define FIXED_OPERATE_SIGN 8        /* -1, 0 or 1: the sign of u */
#define FIXED_OPERATIONS 9

#endif
