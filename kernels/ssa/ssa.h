/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The transforms of Schoenhage and Strassen (ssa.cl, ssa_point.cl): definitions for the host. */
#ifndef SSA_H
#define SSA_H

/* A pass of log_r levels, 3 to 5: the columns of a group, its work-items and its digits. */
#define SSA_LOG_COLUMNS(log_r) (9 - (log_r))
#define SSA_LOG_THREADS(log_r) (2 * ((log_r)-3) + SSA_LOG_COLUMNS(log_r))
#define SSA_LOG_TILE(log_r) (SSA_LOG_THREADS(log_r) + 5)

/* Work-items that a multiprocessor's registers are shared by (KERNEL_DENSE). */
#define SSA_DENSE 512

/* Coefficients of 2^log_p digits. */
#define SSA_MIN_LOG_P 8
#define SSA_MAX_LOG_P 12

/* The order of the square root of two modulo B^P + 1; and its exponent of power e of a root
 * of order 2^log_order, e < 2^log_order and log_order <= log_p + 5: a multiple of
 * 3 << SSA_STEP. */
#define SSA_ORDER(log_p) (96u << (log_p))
#define SSA_EXPONENT(e, log_order, log_p) (3u * (e) << SSA_STEP(log_order, log_p))
#define SSA_STEP(log_order, log_p) (5 + (log_p) - (log_order))

/* ssa_point.cl: values of a work-item that transforms, and digits of one that carries. */
#define SSA_LOG_VALUES(log_p) ((log_p) == 8 ? 2 : (log_p) == 9 ? 3 : 4)
#define SSA_LOG_RUN 3

#endif
