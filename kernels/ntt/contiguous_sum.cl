/* SPDX-License-Identifier: LGPL-3.0-or-later
 * multiply_sum of contiguous.cl: products of several pieces, summed. */
#define SUM_ALONE
#include "kernels/ntt/contiguous.cl"
