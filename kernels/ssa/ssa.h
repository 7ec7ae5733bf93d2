/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The transforms of Schoenhage and Strassen (ssa.cl, ssa_point.cl): definitions for the host and
 * the kernels. */
#ifndef SSA_H
#define SSA_H

/* For a pass of log_r levels, 3 to 5: logarithms of a group's number of columns, of its work-items
 * and of its digits. */
#define SSA_LOG_COLUMNS(log_r) (9 - (log_r))
#define SSA_LOG_THREADS(log_r) (2 * ((log_r)-3) + SSA_LOG_COLUMNS(log_r))
#define SSA_LOG_TILE(log_r) (SSA_LOG_THREADS(log_r) + 5)

/* Number of work-items that should fit on a multiprocessor at once, so that they share its
 * registers (KERNEL_DENSE). */
#define SSA_DENSE 512

/* Coefficients have 2^log_p digits; these are the least and the greatest log_p. */
#define SSA_MIN_LOG_P 8
#define SSA_MAX_LOG_P 12

/* SSA_ORDER is the order of the square root of two, modulo B^P + 1 with P = 2^log_p. SSA_EXPONENT
 * is for transforms with a root W of order 2^log_order, where log_order <= log_p + 5. W is a power
 * of the square root of two. SSA_EXPONENT(e, ...) is the exponent of the square root of two that
 * yields W^e, for e < 2^log_order. It is a multiple of 3 << SSA_STEP. */
#define SSA_ORDER(log_p) (96u << (log_p))
#define SSA_EXPONENT(e, log_order, log_p) (3u * (e) << SSA_STEP(log_order, log_p))
#define SSA_STEP(log_order, log_p) (5 + (log_p) - (log_order))

/* For ssa_point.cl: logarithms of the number of values of a work-item in a transform, and of the
 * number of digits of a work-item that resolves carries. */
#define SSA_LOG_VALUES(log_p) ((log_p) == 8 ? 2 : (log_p) == 9 ? 3 : 4)
#define SSA_LOG_RUN 3

#endif
