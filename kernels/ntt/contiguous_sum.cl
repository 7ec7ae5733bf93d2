/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Builds those kernels of contiguous.cl that few products need as a program of their own:
 * multiply_sum, for products of several pieces, and inverse_first, for products of matrices. */
#define SUM_ALONE
#include "kernels/ntt/contiguous.cl"
