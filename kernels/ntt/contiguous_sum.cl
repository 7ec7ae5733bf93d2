/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A program of its own for those kernels of contiguous.cl that few products need: multiply_sum, for
 * products of several pieces, and inverse_first, for products of matrices. */
#define SUM_ALONE
#include "kernels/ntt/contiguous.cl"
