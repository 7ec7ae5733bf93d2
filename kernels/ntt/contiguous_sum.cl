/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Builds multiply_sum of contiguous.cl, which sums products of several pieces, as a program of its
 * own. */
#define SUM_ALONE
#include "kernels/ntt/contiguous.cl"
